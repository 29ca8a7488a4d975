//! Who evaluates points, and the points that are asked for.

use std::sync::Arc;

use warpswarm_core::Float;

use super::bounds::Scales;
use super::closure::{HostObjective, Kind, OfPoint};
use super::data::LaidOut;
use super::target::Target;

/// Who evaluates.
pub(crate) enum Evaluator<R> {
    /// An objective that is as good on the host as on a device.
    Portable(Portable<R>),
    /// The host.
    Host(HostObjective<R>),
    /// The caller.
    Caller,
}

impl<R: Float> Evaluator<R> {
    /// The same as the host evaluates one point after the other; nothing where it does not.
    pub(crate) fn on_host(&self) -> Option<HostObjective<R>> {
        match self {
            Evaluator::Portable(objective) => Some(Kind::Point(objective.evaluate.clone()).into()),
            Evaluator::Host(objective) => Some(objective.clone()).filter(|of| !of.is_on_device()),
            Evaluator::Caller => None,
        }
    }
}

/// An objective that is as good on the host as on a device. It is behind a pointer: engines are compiled once and not for every problem.
pub(crate) struct Portable<R> {
    /// The fitness at a point of a run, by its place in the batch, in the bits that results have.
    pub(crate) evaluate: Arc<OfPoint<R>>,
    /// `Objective::CONSTRAINED`
    pub(crate) constrained: bool,
    /// As kernels know it, if they do.
    pub(crate) target: Option<Target>,
    /// Its data.
    pub(crate) data: Arc<LaidOut<R>>,
}

/// Points to be evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked<R> {
    /// `[point][coordinate]`
    pub(crate) points: Vec<R>,
    /// Whose run each is, by its place in the batch, in ascending order.
    pub(crate) runs: Vec<u32>,
}

impl<R: Float> Asked<R> {
    /// The points as they are meant.
    pub(crate) fn seen_through(&self, scales: &Scales<R>) -> Self {
        Asked { points: scales.natural(&self.points), runs: self.runs.clone() }
    }
}
