//! Constraints one by one, and derivatives, of an objective on the host.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::data::WithData;
use warpswarm_core::dual::{CHUNK, Differentiable, Dual, DualPoint};
use warpswarm_core::objective::{Objective, SlicePoint};

use crate::data::LaidOut;
use crate::goal::HostObjective;

/// An objective at points of a run, by its place in the batch.
pub(crate) trait Slopes<R>: Send + Sync {
    /// Hands each constraint's value at `x` to `each`, at most 0 where it is met.
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R));

    /// Hands each constraint and at last the value to `row`, with their derivatives by the [`CHUNK`] coordinates from `first` on.
    fn partials(&self, run: u32, x: &[R], first: usize, row: &mut dyn FnMut(Dual<R, CHUNK>));
}

/// An objective with its data.
pub(crate) struct OfObjective<R, O> {
    pub(crate) objective: O,
    pub(crate) data: Arc<LaidOut<R>>,
}

impl<R: Float, O: Differentiable<R>> Slopes<R> for OfObjective<R, O> {
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R)) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(run) };
        Objective::<R>::each_constraint(&self.objective, &point, each);
    }

    fn partials(&self, run: u32, x: &[R], first: usize, row: &mut dyn FnMut(Dual<R, CHUNK>)) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(run) };
        let point = DualPoint::<_, CHUNK> { point, first };
        self.objective.each_constraint(&point, &mut *row);
        row(self.objective.value(&point));
    }
}

/// A closure, whose derivatives are central differences, and whose constraints are not known one by one.
impl<R: Float> Slopes<R> for HostObjective<R> {
    fn constraints(&self, _: u32, _: &[R], _: &mut dyn FnMut(R)) {}

    fn partials(&self, run: u32, x: &[R], first: usize, row: &mut dyn FnMut(Dual<R, CHUNK>)) {
        let mut value = Dual::constant(self.at(run, x).value);
        let mut near = x.to_vec();
        for (partial, i) in value.partials.iter_mut().zip(first..x.len()) {
            // The error of a central difference is least for a step of about the cube root of epsilon.
            let step = R::HALF_EPSILON.cbrt() * x[i].abs().larger(R::from_f64(LEAST_SIZE));
            let [above, below] = [x[i] + step, x[i] - step].map(|moved| {
                near[i] = moved;
                (moved, self.at(run, &near).value)
            });
            near[i] = x[i];
            *partial = (above.1 - below.1) / (above.0 - below.0);
        }
        row(value);
    }
}

/// A coordinate nearer to zero is taken to be of this size, for the step of a difference.
const LEAST_SIZE: f64 = 1e-3;
