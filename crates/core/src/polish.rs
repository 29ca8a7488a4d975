//! Polish
mod bounded;
mod cholesky;
mod constrained;
mod curvature;
mod dense;
mod keeper;
mod lagrangian;
mod line;
mod merit;
mod pairs;
mod restore;
mod simplex;
mod store;

pub use store::{Store, cells};

use crate::order::Fitness;
use crate::real::Real;
use bounded::{Frame, Stop};
use keeper::Keeper;
use lagrangian::{Augmented, Rows};
use merit::Objective;
use restore::Equations;
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
    let frame = Frame::<()>::numbers(dimensions);
    if constraints == 0 {
        return frame;
    }
    frame + Rows::<()>::numbers(dimensions, constraints) + Equations::<()>::numbers(constraints)
}

/// Descends.
pub fn descend<R: Real, L: Smooth<R>, S: Store<R>>(
    landscape: &mut L,
    settings: &Settings<R>,
    x: S,
    work: S,
) -> Report<R> {
    let (n, m) = (landscape.dimensions(), landscape.constraints());
    let mut room = Part::all(work);
    let mut frame = Frame::new(n, &mut room);
    if m == 0 {
        let mut keeper = Keeper::new(landscape, x, settings.evaluations, |_, _| ());
        let start = keeper.best;
        store::copy(n, x, frame.x);
        let stop = Stop {
            gradient: R::ZERO,
            relative_gradient: settings.gradient,
            change: settings.change,
        };
        let ended = bounded::descend(&mut Objective(&mut keeper), &mut frame, &stop);
        return keeper.report(start, ended);
    }
    let rows = Rows::new(n, m, &mut room);
    let equations = Equations::new(m, &mut room);
    let values = rows.values;
    let mut keeper = Keeper::new(landscape, x, settings.evaluations, |i, value| {
        if i < m { values.set(i, value) }
    });
    let start = keeper.best;
    store::copy(n, x, frame.x);
    let mut merit = Augmented { keeper: &mut keeper, rows, penalty: R::ONE, scale: R::ONE };
    let ended = constrained::run(&mut merit, &mut frame, &equations, settings);
    keeper.report(start, ended)
}

/// How many.
pub const fn simplex_numbers(dimensions: usize) -> usize {
    simplex::Simplex::<()>::numbers(dimensions)
}

/// Nelder and Mead.
pub fn nelder_mead<R: Real, L: Landscape<R>, S: Store<R>>(
    landscape: &mut L,
    settings: &Settings<R>,
    x: S,
    work: S,
) -> Report<R> {
    let n = landscape.dimensions();
    let mut keeper = Keeper::new(landscape, x, settings.evaluations, |_, _| ());
    let start = keeper.best;
    let mut simplex = simplex::Simplex::new(n, &mut Part::all(work));
    let ended = simplex.descend(&mut keeper, settings, x);
    keeper.report(start, ended)
}
