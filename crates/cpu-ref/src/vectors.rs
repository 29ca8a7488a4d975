//! The vector instructions of the processor at hand, whatever target a program was compiled for.
//!
//! By default an x86-64 program is compiled for processors of 2003. Code in [`Vectors::run`] is compiled a second time,
//! for AVX2 and fused multiplications (x86-64-v3), which is used if the processor has them. Code in
//! [`Vectors::run_widest`] is compiled a third time, for AVX-512 (x86-64-v4). The bits are the same, because only
//! explicitly fused operations are fused, and they are fused everywhere.

#[cfg(not(target_arch = "x86_64"))]
use pulp::Arch;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

/// A function to be compiled for several processors: its `call` must be `#[inline(always)]`.
pub use pulp::NullaryFnOnce as Run;

/// The vector instructions that the processor has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vectors {
    #[cfg(target_arch = "x86_64")]
    usual: Option<V3>,
    #[cfg(target_arch = "x86_64")]
    widest: Option<V4>,
    #[cfg(not(target_arch = "x86_64"))]
    usual: Arch,
}

impl Vectors {
    /// The instructions of this processor.
    pub fn new() -> Self {
        Vectors {
            #[cfg(target_arch = "x86_64")]
            usual: V3::try_new(),
            #[cfg(target_arch = "x86_64")]
            widest: V4::try_new(),
            #[cfg(not(target_arch = "x86_64"))]
            usual: Arch::new(),
        }
    }

    /// Calls `work`, compiled for these instructions.
    #[inline(always)]
    pub fn run<W: Run>(self, work: W) -> W::Output {
        // A program that is already compiled for such processors, as this repository's own programs are, would contain
        // the same code twice.
        if cfg!(all(target_feature = "avx2", target_feature = "fma")) {
            return work.call();
        }
        #[cfg(target_arch = "x86_64")]
        return match self.usual {
            Some(usual) => usual.vectorize(work),
            None => work.call(),
        };
        #[cfg(not(target_arch = "x86_64"))]
        self.usual.dispatch(work)
    }

    /// As [`run`](Vectors::run), and also compiled for 512-bit vectors: for long loops with little code.
    #[inline(always)]
    pub fn run_widest<W: Run>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(widest) = self.widest {
            return widest.vectorize(work);
        }
        self.run(work)
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
                let vectors = Vectors::new();
                let here = [vectors.run(At(&x[..n])), vectors.run_widest(At(&x[..n]))];
                let everywhere = At(&x[..n]).call().value.to_bits64();
                assert_eq!(here.map(|here| here.value.to_bits64()), [everywhere; 2], "{n}");
            }
        }
        check::<f32>();
        check::<f64>();
    }
}
