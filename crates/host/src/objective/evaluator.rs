//! What evaluates points, and the points to evaluate.

use std::sync::Arc;

use warpswarm_core::Float;

use super::bounds::Scales;
use super::closure::{HostObjective, Kind, OfPoint};
use super::data::LaidOut;
use super::target::Target;

/// What evaluates the points.
pub(crate) enum Evaluator<R> {
    /// An objective that runs on the host and on devices.
    Portable(Portable<R>),
    /// A closure on the host.
    Host(HostObjective<R>),
    /// The caller.
    Caller,
}

impl<R: Float> Evaluator<R> {
    /// The objective as the host evaluates it, one point after the other; `None` if it does not.
    pub(crate) fn on_host(&self) -> Option<HostObjective<R>> {
        match self {
            Evaluator::Portable(objective) => Some(Kind::Point(objective.evaluate.clone()).into()),
            Evaluator::Host(objective) => Some(objective.clone()).filter(|of| !of.is_on_device()),
            Evaluator::Caller => None,
        }
    }
}

/// An objective that runs on the host and on devices. It is behind a pointer, so that engines are compiled once and not
/// for every problem.
pub(crate) struct Portable<R> {
    /// The canonical fitness at a point of a run, with the run's index in the batch.
    pub(crate) evaluate: Arc<OfPoint<R>>,
    /// `Objective::CONSTRAINED`
    pub(crate) constrained: bool,
    /// The objective's kernels, if there are any.
    pub(crate) target: Option<Target>,
    /// Its data.
    pub(crate) data: Arc<LaidOut<R>>,
}

/// Points to be evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked<R> {
    /// `[point][coordinate]`
    pub(crate) points: Vec<R>,
    /// The index of each point's run in the batch, in ascending order.
    pub(crate) runs: Vec<u32>,
}

impl<R: Float> Asked<R> {
    /// The points in the users' units.
    pub(crate) fn seen_through(&self, scales: &Scales<R>) -> Self {
        Asked { points: scales.natural(&self.points), runs: self.runs.clone() }
    }
}
