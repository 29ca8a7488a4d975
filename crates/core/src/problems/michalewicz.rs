//! Michalewicz's function: flat, with ditches along the axes that are narrower along each further axis.

use core::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI};

use super::Problem;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// -sum sin(x_i) sin^20(i x_i^2 / pi), i from 1, on [0, pi]; the coordinates are independent of each other.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::Michalewicz};
/// // Of the first coordinate sin(pi / 2) sin^20(pi / 4) = 2^-10, of the second sin(pi / 2) sin^20(pi / 2) = 1.
/// let quarter = core::f64::consts::FRAC_PI_2;
/// let value = Michalewicz.value(&SlicePoint(&[quarter, quarter]));
/// assert!((value + 1.0 + 1.0 / 1024.0).abs() < 1e-12);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Michalewicz;

impl<R: Real> Objective<R> for Michalewicz {
    const GATHERS: bool = false;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let turns = R::from_f64(0.5 * FRAC_1_PI * FRAC_1_PI);
        x.sum(|i, x| {
            let ditch = (R::from_u32(i as u32 + 1) * (x * x) * turns).sin_turns();
            let s2 = ditch * ditch;
            let s4 = s2 * s2;
            let s8 = s4 * s4;
            -(x.sin() * (s8 * s8 * s4))
        })
    }
}

/// The minimum of each coordinate's term, its place and its value; from Newton's method in fifty digits, started at the
/// best point of a grid with thousands of points in a ditch.
const OPTIMA: [(f64, f64); 30] = [
    (2.202_905_520_172_609_3, -0.801_303_410_098_552_5),
    (FRAC_PI_2, -1.0),
    (1.284_991_570_552_924_5, -0.959_091_269_896_005_9),
    (1.923_058_469_866_362_9, -0.938_462_418_472_083_4),
    (1.720_469_772_565_841_3, -0.988_801_080_621_504_4),
    (FRAC_PI_2, -1.0),
    (1.454_413_971_362_379, -0.993_227_135_355_881_6),
    (1.756_086_520_945_026_3, -0.982_872_036_272_210_6),
    (1.655_717_416_821_029_1, -0.996_394_364_925_102_9),
    (FRAC_PI_2, -1.0),
    (1.497_728_803_556_071, -0.997_330_541_550_768_2),
    (1.696_616_300_797_461, -0.992_092_741_522_682),
    (1.630_076_080_396_455_4, -0.998_242_986_883_168_7),
    (FRAC_PI_2, -1.0),
    (1.517_546_114_667_673, -0.998_582_204_721_444_4),
    (1.666_064_511_726_264_7, -0.995_464_628_630_558_7),
    (1.616_328_640_436_593, -0.998_963_413_844_783_3),
    (FRAC_PI_2, -1.0),
    (1.528_907_002_355_848, -0.999_122_642_229_100_9),
    (1.647_456_357_674_162_5, -0.997_062_724_325_573_6),
    (1.607_757_295_875_685_6, -0.999_316_947_198_736),
    (FRAC_PI_2, -1.0),
    (1.536_272_527_091_430_4, -0.999_404_053_917_256),
    (1.634_931_506_668_714_5, -0.997_943_879_319_361_1),
    (1.601_901_830_932_964, -0.999_516_225_591_800_1),
    (FRAC_PI_2, -1.0),
    (1.541_435_150_510_837_5, -0.999_568_960_923_4),
    (1.625_925_383_964_080_8, -0.998_480_687_857_118_9),
    (1.597_647_947_662_039_5, -0.999_639_496_167_302_6),
    (FRAC_PI_2, -1.0),
];

impl Problem for Michalewicz {
    const ID: &'static str = "michalewicz";
    const FORMULA: &'static str = "-sum sin(x_i) sin^20(i x_i^2 / pi)";
    const SOURCE: &'static str = "S. Surjanovic, D. Bingham, Virtual library of simulation experiments: \
                                  Michalewicz function, m = 10; optima computed, for up to 30 dimensions";

    fn bounds(_i: usize) -> (f64, f64) {
        (0.0, PI)
    }
    fn optimum_position(dimensions: usize, i: usize) -> Option<f64> {
        (dimensions <= OPTIMA.len()).then(|| OPTIMA[i].0)
    }
    fn optimum_value(dimensions: usize) -> Option<f64> {
        Some(OPTIMA.get(..dimensions)?.iter().map(|(_, value)| value).sum())
    }
}
