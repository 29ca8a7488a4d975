//! Descent between bounds: limited-memory BFGS over the coordinates that are free.

use super::Status;
use super::curvature::Curvature;
use super::line::{Line, noise, search};
use super::merit::{Merit, leaves, slope};
use super::store::{Part, Store, largest, sum};
use crate::real::Float;

/// The largest fraction of its range that a coordinate moves in a first step, before the curvature is known.
const FIRST: f64 = 1e-3;
/// The number of steps without progress that ends a descent.
const STALLED: u32 = 4;

/// When a descent ends.
#[derive(Clone, Copy)]
pub(super) struct Stop<R> {
    /// The largest predicted change across a coordinate's range with which a gradient counts as zero.
    pub(super) gradient: R,
    /// The same, relative to the value.
    pub(super) relative_gradient: R,
    /// The largest decrease, relative to the value, that does not count as progress.
    pub(super) change: R,
}

/// The vectors of a descent.
pub(super) struct Frame<S> {
    /// The current point.
    pub(super) x: Part<S>,
    /// The gradient at this point.
    pub(super) gradient: Part<S>,
    trial: Part<S>,
    trial_gradient: Part<S>,
    direction: Part<S>,
    reach: Part<S>,
    curvature: Curvature<S>,
}

impl<S: Copy> Frame<S> {
    /// The length of the vectors, in numbers.
    pub(super) const fn numbers(dimensions: usize) -> usize {
        6 * dimensions + Curvature::<S>::numbers(dimensions)
    }

    /// The vectors, as parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, room: &mut Part<S>) -> Self {
        let mut vector = || room.take(dimensions);
        let (x, gradient, trial) = (vector(), vector(), vector());
        let (trial_gradient, direction, reach) = (vector(), vector(), vector());
        let curvature = Curvature::new(dimensions, room);
        Frame { x, gradient, trial, trial_gradient, direction, reach, curvature }
    }

    /// Discards the curvature, because the function has changed.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.curvature.clear();
    }
}

/// Descends from `frame.x`, the point evaluated last, and leaves the final point there, with its gradient. That is
/// again the point evaluated last, unless the evaluations are spent. Returns why the descent ended and the number of
/// steps.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn descend<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &mut M,
    frame: &mut Frame<S>,
    stop: &Stop<R>,
) -> (Status, u32) {
    let mut steps = 0;
    let mut value = merit.again();
    if !value.is_finite() {
        return (Status::NotFinite, steps);
    }
    merit.gradient(frame.x, frame.gradient);
    let mut stall = Stall { count: 0, least: R::INFINITY };
    // Values fluctuate within rounding errors: a decrease against the previous step is not always progress.
    let mut lowest = value;
    loop {
        let steepest = steepest(merit, frame);
        if !steepest.is_finite() {
            return (Status::NotFinite, steps);
        }
        if steepest <= stop.gradient.larger(stop.relative_gradient * value.abs()) {
            return (Status::Gradient, steps);
        }
        if merit.spent() {
            return (Status::Budget, steps);
        }
        let Some(falls) = direct(merit, frame) else {
            merit.value(frame.x);
            return (Status::NoProgress, steps);
        };
        let Frame { x, direction, trial, trial_gradient, .. } = *frame;
        let line = Line { x, direction, trial, trial_gradient };
        let Some(next) = search(merit, &line, (value, falls)) else {
            if merit.spent() {
                return (Status::Budget, steps);
            }
            if frame.curvature.is_empty() {
                merit.value(frame.x);
                return (Status::NoProgress, steps);
            }
            frame.curvature.clear();
            continue;
        };
        steps += 1;
        let gradients = [frame.gradient, frame.trial_gradient];
        for i in 0..merit.dimensions() {
            frame.reach.set(i, merit.reach(i));
        }
        frame.curvature.push([frame.x, frame.trial], gradients, frame.reach);
        core::mem::swap(&mut frame.x, &mut frame.trial);
        core::mem::swap(&mut frame.gradient, &mut frame.trial_gradient);
        let tiny = last_step(merit, frame) <= R::HALF_EPSILON;
        let least = noise(value).larger(stop.change * value.abs());
        if stall.after(tiny, lowest - next > least, steepest) {
            return (if tiny { Status::Step } else { Status::Change }, steps);
        }
        lowest = next.smaller(lowest);
        value = next;
    }
}

/// The largest fraction of its range by which a coordinate moved from `frame.trial`, where the last step began.
#[inline]
fn last_step<R: Float, M: Merit<R>, S: Store<R>>(merit: &M, frame: &Frame<S>) -> R {
    largest(merit.dimensions(), |i| {
        let (step, reach) = ((frame.x.get(i) - frame.trial.get(i)).abs(), merit.reach(i));
        if reach > R::ZERO { step / reach } else { R::ZERO }
    })
}

/// Counts steps without progress.
struct Stall<R> {
    count: u32,
    /// The smallest gradient since the count began.
    least: R,
}

impl<R: Float> Stall<R> {
    /// Whether the limit is reached, after a step from a point with this projected gradient. A step is no progress if
    /// it is `tiny`, or if neither the value has `decreased` nor the gradient becomes small.
    #[inline(always)]
    fn after(&mut self, tiny: bool, decreased: bool, steepest: R) -> bool {
        if decreased && !tiny {
            *self = Stall { count: 0, least: steepest };
        } else if steepest < R::HALF * self.least && !tiny {
            *self = Stall { count: 1, least: steepest };
        } else {
            self.count += 1;
        }
        self.count >= STALLED
    }
}

/// The largest change across a coordinate's range that the gradient predicts, over coordinates that can follow it; NaN
/// if a partial derivative is NaN.
#[inline]
fn steepest<R: Float, M: Merit<R>, S: Store<R>>(merit: &M, frame: &Frame<S>) -> R {
    largest(merit.dimensions(), |i| {
        let down = R::ZERO - frame.gradient.get(i);
        let held = leaves(merit.bounds(i), frame.x.get(i), down);
        if held { R::ZERO } else { (merit.reach(i) * down).abs() }
    })
}

/// Computes a descent direction, and returns its slope; `None` if there is none.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
fn direct<R: Float, M: Merit<R>, S: Store<R>>(merit: &M, frame: &mut Frame<S>) -> Option<R> {
    let n = merit.dimensions();
    loop {
        for i in 0..n {
            let down = R::ZERO - frame.gradient.get(i);
            let held = down == R::ZERO || leaves(merit.bounds(i), frame.x.get(i), down);
            frame.reach.set(i, if held { R::ZERO } else { merit.reach(i) });
            frame.direction.set(i, if held { R::ZERO } else { down });
        }
        frame.curvature.apply(frame.direction, frame.reach, R::from_f64(FIRST));
        let slope = slope(merit, (frame.x, frame.direction, frame.gradient));
        // Both lengths as fractions of the ranges, so that their product bounds the slope.
        let size = |i: usize, x: R| if frame.reach.get(i) > R::ZERO { x * x } else { R::ZERO };
        let along = sum(n, |i| size(i, frame.direction.get(i) / merit.reach(i)));
        let against = sum(n, |i| size(i, frame.gradient.get(i) * merit.reach(i)));
        let enough = R::from_f64(4.0) * R::HALF_EPSILON * (along * against).sqrt();
        if slope < R::ZERO - enough && slope.is_finite() {
            return Some(slope);
        }
        if frame.curvature.is_empty() {
            return None;
        }
        frame.curvature.clear();
    }
}
