//! Constraints one by one, and derivatives, of an objective on the host.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::data::WithData;
use warpswarm_core::dual::{CHUNK, Differentiable, Dual, DualPoint};
use warpswarm_core::objective::{Objective, SlicePoint};

use super::closure::HostObjective;
use super::data::LaidOut;
use crate::machine::Parameter;
use crate::machine::kernels::Kernels;

/// What an objective's own kernels for gradients and local searches, if they were exported, are launched with.
pub(crate) struct OwnKernels<'a, R> {
    /// The objective's name.
    pub(crate) name: &'static str,
    pub(crate) own: Kernels,
    pub(crate) objective: Parameter,
    pub(crate) data: &'a LaidOut<R>,
}

/// An objective at points of a run, by its place in the batch.
pub(crate) trait Slopes<R>: Send + Sync {
    /// Hands each constraint's value at `x` to `each`, at most 0 where it is met.
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R));

    /// Hands all derivatives at `x` to `partial(row, coordinate, derivative)`: a row for each constraint, and a last one for the value.
    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R));

    /// The objective's own kernels for gradients and local searches, where there may be some.
    fn kernels(&self) -> Option<OwnKernels<'_, R>> {
        None
    }
}

/// Hands derivatives to `partial` as [`Slopes::partials`] does, where `rows(first, row)` gives all rows with those by the [`CHUNK`]
/// coordinates from `first` on.
pub(crate) fn in_chunks<R: Float>(
    dimensions: usize,
    partial: &mut dyn FnMut(usize, usize, R),
    mut rows: impl FnMut(usize, &mut dyn FnMut(Dual<R, CHUNK>)),
) {
    for first in (0..dimensions).step_by(CHUNK) {
        let mut number = 0;
        rows(first, &mut |row| {
            let by = (first..dimensions).zip(row.partials);
            by.for_each(|(i, slope)| partial(number, i, slope));
            number += 1;
        });
    }
}

/// An objective with its data.
pub(crate) struct OfObjective<R, O> {
    pub(crate) objective: O,
    pub(crate) data: Arc<LaidOut<R>>,
    /// Its kernels, and its name there.
    pub(crate) kernels: Option<(&'static str, Kernels)>,
}

impl<R: Float, O: Differentiable<R>> Slopes<R> for OfObjective<R, O> {
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R)) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(run) };
        Objective::<R>::each_constraint(&self.objective, &point, each);
    }

    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R)) {
        let point = WithData { point: SlicePoint(x), data: self.data.of(run) };
        in_chunks(x.len(), partial, |first, row| {
            let point = DualPoint::<_, CHUNK> { point, first };
            self.objective.each_constraint(&point, &mut *row);
            row(self.objective.value(&point));
        });
    }

    fn kernels(&self) -> Option<OwnKernels<'_, R>> {
        let (name, own) = self.kernels?;
        let objective = Parameter::of(self.objective);
        Some(OwnKernels { name, own, objective, data: &self.data })
    }
}

/// A closure, whose derivatives are its own or central differences, and whose constraints are not known one by one.
impl<R: Float> Slopes<R> for HostObjective<R> {
    fn constraints(&self, _: u32, _: &[R], _: &mut dyn FnMut(R)) {}

    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R)) {
        if let Some(gradient) = &self.gradient {
            let mut slopes = vec![R::ZERO; x.len()];
            gradient(run, x, &mut slopes);
            return slopes.into_iter().enumerate().for_each(|(i, slope)| partial(0, i, slope));
        }
        let mut near = x.to_vec();
        for i in 0..x.len() {
            // The error of a central difference is least for a step of about the cube root of epsilon.
            let step = R::HALF_EPSILON.cbrt() * x[i].abs().larger(R::from_f64(LEAST_SIZE));
            let [above, below] = [x[i] + step, x[i] - step].map(|moved| {
                near[i] = moved;
                (moved, self.at(run, &near).value)
            });
            near[i] = x[i];
            partial(0, i, (above.1 - below.1) / (above.0 - below.0));
        }
    }
}

/// A coordinate nearer to zero is taken to be of this size, for the step of a difference.
const LEAST_SIZE: f64 = 1e-3;
