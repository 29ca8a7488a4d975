//! The number types that runs can be carried out in.

use warpswarm_core::fit::Summed;

use super::choices::Precision;

/// A number type that runs can be carried out in: `f32` or `f64`.
///
/// ```
/// use warpswarm::{Precise, Precision, Result, problems};
/// fn at_ones<R: Precise>(id: &str) -> Result<(Precision, R)> {
///     Ok((R::PRECISION, problems::find(id)?.evaluate(&[R::ONE; 3])?.fitness.value))
/// }
/// assert_eq!(at_ones::<f32>("sphere")?, (Precision::F32, 3.0));
/// assert_eq!(at_ones::<f64>("rosenbrock")?, (Precision::F64, 0.0));
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub trait Precise: Summed {
    /// Its name as a choice.
    const PRECISION: Precision;
    /// What there is of in both precisions, in this one.
    #[doc(hidden)]
    fn of<B: InBoth>(both: B) -> B::Of<Self>;
}

impl Precise for f32 {
    const PRECISION: Precision = Precision::F32;
    fn of<B: InBoth>(both: B) -> B::Of<f32> {
        both.single()
    }
}

impl Precise for f64 {
    const PRECISION: Precision = Precision::F64;
    fn of<B: InBoth>(both: B) -> B::Of<f64> {
        both.double()
    }
}

/// What there is of in both precisions. What makes it is compiled once, and not again in each crate that asks for it by a type of
/// its own.
#[doc(hidden)]
pub trait InBoth {
    /// What there is in a precision.
    type Of<R: Precise>;
    /// That in single precision.
    fn single(self) -> Self::Of<f32>;
    /// That in double precision.
    fn double(self) -> Self::Of<f64>;
}
