//! Models of data that are linked with the kernels that fit them when a kernel is loaded.
//!
//! A kernel is compiled for a number of parameters. On `nvptx64` the host inserts the code of an expression into the
//! kernel's text in place of two comments, one before the rows and one in each row. A model that a kernel is compiled
//! with needs no linking.

use warpswarm_core::expression::Expression;
use warpswarm_core::fit::{Curve, Derived, SmoothModel};
use warpswarm_core::objective::Point;

use crate::view::DeviceReal;

/// The type in a kernel's arguments that stands for a model with `N` parameters.
pub trait Modelled<R: DeviceReal, const N: usize>: Copy {
    /// The type that computes predictions.
    type Curve: Curve<R, N>;

    /// The model for the fit of this number.
    fn of_fit(&self, fit: u32) -> Self::Curve;
}

impl<R: DeviceReal, M: SmoothModel<R, N>, const N: usize> Modelled<R, N> for Derived<M> {
    type Curve = Self;

    #[inline(always)]
    fn of_fit(&self, _: u32) -> Self {
        *self
    }
}

impl<R: DeviceReal, const N: usize> Modelled<R, N> for Expression {
    type Curve = Linked;

    #[inline(always)]
    fn of_fit(&self, fit: u32) -> Linked {
        Linked { expression: *self, fit }
    }
}

/// An expression that a kernel is linked with; the emulator reads it from the data.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    expression: Expression,
    #[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
    fit: u32,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<R: DeviceReal, const N: usize> Curve<R, N> for Linked {
    fn begin<P: Point<R> + Copy>(&self, x: &P) {
        Curve::<R, N>::begin(&self.expression, x);
    }

    fn row<P: Point<R> + Copy>(&self, x: &P, row: usize) -> (R, [R; N]) {
        self.expression.row(x, row)
    }
}

#[cfg(target_arch = "nvptx64")]
impl<R: DeviceReal, const N: usize> Curve<R, N> for Linked {
    #[inline(always)]
    fn begin<P: Point<R> + Copy>(&self, x: &P) {
        R::begin_model::<N>(core::array::from_fn(|i| x.get(i)), self.fit);
    }

    #[inline(always)]
    fn row<P: Point<R> + Copy>(&self, _: &P, row: usize) -> (R, [R; N]) {
        R::model_row(row as u32)
    }
}
