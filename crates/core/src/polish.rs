//! Polish
mod bounded;
mod cholesky;
mod curvature;
mod dense;
mod keeper;
mod line;
mod merit;
mod pairs;
mod store;

pub use store::{Store, cells};

use crate::order::Fitness;
use crate::real::Real;
use bounded::{Frame, Stop};
use keeper::Keeper;
use merit::Objective;
use store::Part;

/// What is searched: a function of coordinates between bounds, perhaps with constraints.
pub trait Landscape<R: Real> {
    /// The number of coordinates.
    fn dimensions(&self) -> usize;

    /// The number of constraints g_i(x) <= 0.
    #[inline(always)]
    fn constraints(&self) -> usize {
        0
    }

    /// The bounds of coordinate `i`, neither NaN nor -0; infinite where there is none.
    fn bounds(&self, i: usize) -> (R, R);

    /// Whether coordinate `i` keeps its value, as those must that are whole numbers or choices.
    #[inline(always)]
    fn is_fixed(&self, i: usize) -> bool {
        let _ = i;
        false
    }

    /// Value and violation at `x`; and the value of each constraint, by its number, for `constraint`.
    fn evaluate(&mut self, x: impl Store<R>, constraint: impl FnMut(usize, R)) -> Fitness<R>;
}

/// A landscape with derivatives.
pub trait Smooth<R: Real>: Landscape<R> {
    /// Hands the partial derivatives at `x` to `partial(row, coordinate, derivative)`.
    fn partials(&mut self, x: impl Store<R>, partial: impl FnMut(usize, usize, R));
}

/// When a search ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<R> {
    /// The most evaluations.
    pub evaluations: u32,
    /// The gradient.
    pub gradient: R,
    /// The change.
    pub change: R,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The gradient is zero.
    Gradient,
    /// Steps change nothing.
    Change,
    /// Steps are small.
    Step,
    /// No progress.
    NoProgress,
    /// Spent.
    Budget,
    /// Not finite.
    NotFinite,
}

/// What a search did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<R> {
    /// The start's fitness.
    pub start: Fitness<R>,
    /// The fitness of the point found.
    pub best: Fitness<R>,
    /// Steps.
    pub steps: u32,
    /// Evaluations.
    pub evaluations: u32,
    /// Gradients.
    pub gradients: u32,
    /// Why it ended.
    pub status: Status,
}

/// How many numbers.
pub const fn numbers(dimensions: usize, constraints: usize) -> usize {
    let _ = constraints;
    Frame::<()>::numbers(dimensions)
}

/// Descends.
pub fn descend<R: Real, L: Smooth<R>, S: Store<R>>(
    landscape: &mut L,
    settings: &Settings<R>,
    x: S,
    work: S,
) -> Report<R> {
    let n = landscape.dimensions();
    let mut keeper = Keeper::new(landscape, x, settings.evaluations, |_, _| ());
    let start = keeper.best;
    let mut room = Part::all(work);
    let mut frame = Frame::new(n, &mut room);
    store::copy(n, x, frame.x);
    let stop = Stop {
        gradient: R::ZERO,
        relative_gradient: settings.gradient,
        change: settings.change,
    };
    let (status, steps) = bounded::descend(&mut Objective(&mut keeper), &mut frame, &stop);
    Report {
        start,
        best: keeper.best,
        steps,
        evaluations: keeper.evaluations,
        gradients: keeper.gradients,
        status,
    }
}
