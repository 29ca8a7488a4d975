//! Single constraints and derivatives of an objective on the host.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::data::WithData;
use warpswarm_core::dual::{CHUNK, Differentiable, Dual, DualPoint};
use warpswarm_core::objective::{Objective, SlicePoint};

use super::closure::HostObjective;
use super::data::LaidOut;
use crate::machine::Parameter;
use crate::machine::kernels::Kernels;

/// What the objective's own kernels for gradients and local searches are launched with, if they were exported.
pub(crate) struct OwnKernels<'a, R> {
    /// The objective's name.
    pub(crate) name: &'static str,
    pub(crate) own: Kernels,
    pub(crate) objective: Parameter,
    pub(crate) data: &'a LaidOut<R>,
}

/// The constraints and derivatives of an objective at points of a run, with the run's index in the batch.
pub(crate) trait Slopes<R>: Send + Sync {
    /// Calls `each` with the value of every constraint at `x`, at most 0 if it is satisfied.
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R));

    /// Calls `partial(row, coordinate, derivative)` with all derivatives at `x`: one row for each constraint, and a
    /// last row for the value.
    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R));

    /// The objective's own kernels for gradients and local searches, if there are any.
    fn kernels(&self) -> Option<OwnKernels<'_, R>> {
        None
    }
}

/// Calls `partial` as [`Slopes::partials`] does. `rows(first, row)` computes all rows with the derivatives by the
/// [`CHUNK`] coordinates from `first` on.
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
    /// Its kernels, and its name in them.
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

/// A closure: derivatives are its gradient or central differences, and its single constraints are unknown.
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
            // The error of a central difference is smallest for a step of about the cube root of epsilon.
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

/// The least magnitude of a coordinate that the step of a difference assumes.
const LEAST_SIZE: f64 = 1e-3;
