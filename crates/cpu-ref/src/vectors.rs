//! The vectors of the processor at hand, whatever a program was compiled for.
//!
//! An x86-64 program is compiled for processors of 2003 unless it says otherwise. What runs in [`Vectors::run`] is
//! compiled a second time, for AVX2 and fused multiplications (x86-64-v3), and that is taken where the processor has
//! them. The bits are the same: nothing is fused that does not say so, and what says so is fused everywhere.

use pulp::Arch;

/// Something to be compiled for several processors: its `call` must be `#[inline(always)]`.
pub use pulp::NullaryFnOnce as Run;

/// Which vectors the processor has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vectors(Arch);

impl Vectors {
    /// Those of this processor.
    pub fn new() -> Self {
        Vectors(Arch::new())
    }

    /// Does `work`, compiled for them.
    #[inline(always)]
    pub fn run<W: Run>(self, work: W) -> W::Output {
        // A program that is compiled for such processors anyway, as this repository's own are, would hold the same
        // code twice.
        if cfg!(all(target_feature = "avx2", target_feature = "fma")) {
            return work.call();
        }
        self.0.dispatch(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::objective::SlicePoint;
    use warpswarm_core::order::Fitness;
    use warpswarm_core::problems::Rastrigin;
    use warpswarm_core::{Float, Objective};

    struct At<'a, R>(&'a [R]);

    impl<R: Float> Run for At<'_, R> {
        type Output = Fitness<R>;

        #[inline(always)]
        fn call(self) -> Fitness<R> {
            Rastrigin.evaluate(&SlicePoint(self.0))
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_processor() {
        fn check<R: Float>() {
            let x: Vec<R> = (0..77).map(|i| R::from_f64(f64::from(i) * 0.137 - 5.0)).collect();
            for n in 1..x.len() {
                let here = Arch::new().dispatch(At(&x[..n])).value;
                let everywhere = At(&x[..n]).call().value;
                assert_eq!(here.to_bits64(), everywhere.to_bits64(), "{n}");
            }
        }
        check::<f32>();
        check::<f64>();
    }
}
