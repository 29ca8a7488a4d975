//! Models of light spots on a camera, and of peaks in a spectrum.

use warpswarm_kernels::{Model, Point, Real};

/// Width and height of a spot's image, in pixels.
pub const SIDE: usize = 5;

/// A two-dimensional Gaussian on a background, one value per pixel, over (height, across, down, width, background).
/// Positions and width are in pixels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Spot;

impl<R: Real> Model<R, 5> for Spot {
    fn predict<P: Point<R>>(&self, x: &P, pixel: usize) -> R {
        let [height, across, down, width, background] = [0, 1, 2, 3, 4].map(|i| x.get(i));
        let [i, j] = [pixel % SIDE, pixel / SIDE].map(|place| R::from_u32(place as u32));
        let distance = (i - across) * (i - across) + (j - down) * (j - down);
        height * (-distance / (R::TWO * width * width)).exp() + background
    }
}

/// A one-dimensional Gaussian on a background, over (height, place, width, background).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Peak;

impl<R: Real> Model<R, 4> for Peak {
    fn predict<P: Point<R>>(&self, x: &P, pixel: usize) -> R {
        let [height, place, width, background] = [0, 1, 2, 3].map(|i| x.get(i));
        let distance = R::from_u32(pixel as u32) - place;
        height * (-distance * distance / (R::TWO * width * width)).exp() + background
    }
}

warpswarm_kernels::export_model! { spots, "Spot", Spot, 5 }
warpswarm_kernels::export_model! { peaks, "Peak", Peak, 4 }
