//! The sum of two exponential decays and a background, beside what was counted.

use warpswarm_kernels::{Objective, Point, Real, Table};

/// The sum of squares of a curve's errors, over (a1, tau1, a2, tau2, background).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// When was counted; the same for all curves.
    pub times: Table,
    /// What was counted; of each curve its own.
    pub counts: Table,
}

impl<R: Real> Objective<R> for Decay {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let [a1, tau1, a2, tau2, background] = [0, 1, 2, 3, 4].map(|i| x.get(i));
        let (rate1, rate2) = (R::ONE / tau1, R::ONE / tau2);
        x.sum_rows([self.times, self.counts], |[time, count]| {
            let curve = a1 * (-time * rate1).exp() + a2 * (-time * rate2).exp() + background;
            (curve - count) * (curve - count)
        })
    }
}

warpswarm_kernels::export_objective! { few kernels, "Decay", Decay, Decay }
