//! The number types of runs.

use warpswarm_core::fit::Summed;

use super::choices::Precision;

/// A number type of runs: `f32` or `f64`.
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
    /// The type as a choice.
    const PRECISION: Precision;
    /// The variant of `both` in this precision.
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

/// Something that exists in both precisions. The code that creates it is compiled once, and not again in each crate
/// that uses it with a type parameter.
#[doc(hidden)]
pub trait InBoth {
    /// Its type in one precision.
    type Of<R: Precise>;
    /// The variant in single precision.
    fn single(self) -> Self::Of<f32>;
    /// The variant in double precision.
    fn double(self) -> Self::Of<f64>;
}
