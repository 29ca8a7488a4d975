//! The vector instructions of the processor at hand, whatever target a program was compiled for.
//!
//! By default an x86-64 program is compiled for processors of 2003. Code in [`run`] is compiled a second time, for AVX2
//! and fused multiplications (x86-64-v3), which is used if the processor has them. Code in [`run_widest`] is compiled a
//! third time, for AVX-512 (x86-64-v4). The bits are the same, because only explicitly fused operations are fused, and
//! they are fused everywhere.

use std::marker::PhantomData;

use multiversion::multiversion;
use warpswarm_core::order::Fitness;
use warpswarm_core::{Float, Objective, Point};

/// Work to be compiled for several processors: its `call` must be `#[inline(always)]`.
pub trait Run {
    /// The result.
    type Output;

    /// Does the work.
    fn call(self) -> Self::Output;
}

/// Calls `work`, compiled for the vector instructions of this processor.
#[inline(always)]
pub fn run<W: Run>(work: W) -> W::Output {
    // A program that is already compiled for such processors, as this repository's own programs are, would contain
    // the same code twice.
    if cfg!(all(target_feature = "avx2", target_feature = "fma")) {
        work.call()
    } else {
        usual(work)
    }
}

/// As [`run`], and also compiled for 512-bit vectors: for long loops with little code.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma"))]
pub fn run_widest<W: Run>(work: W) -> W::Output {
    work.call()
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn usual<W: Run>(work: W) -> W::Output {
    work.call()
}

/// The fitness of an objective at a point.
pub fn evaluate<R: Float, O: Objective<R>, P: Point<R>>(objective: &O, point: P) -> Fitness<R> {
    run(Evaluation { objective, point, real: PhantomData })
}

/// An objective at a point.
struct Evaluation<'a, R, O, P> {
    objective: &'a O,
    point: P,
    real: PhantomData<R>,
}

impl<R: Float, O: Objective<R>, P: Point<R>> Run for Evaluation<'_, R, O, P> {
    type Output = Fitness<R>;

    #[inline(always)]
    fn call(self) -> Fitness<R> {
        self.objective.evaluate(&self.point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::objective::SlicePoint;
    use warpswarm_core::problems::Rastrigin;

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
                let here = [run(At(&x[..n])), run_widest(At(&x[..n]))];
                let everywhere = At(&x[..n]).call().value.to_bits64();
                assert_eq!(here.map(|here| here.value.to_bits64()), [everywhere; 2], "{n}");
            }
        }
        check::<f32>();
        check::<f64>();
    }
}
