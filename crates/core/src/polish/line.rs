//! How far to go in a direction: a search for the weak Wolfe conditions along the path that the bounds bend.

use super::merit::{Merit, slope, walk};
use super::store::{Part, Store, largest, times};
use crate::real::Float;

/// The decrease asked for, as a part of what the slope promises: Armijo's condition.
const DECREASE: f64 = 1e-4;
/// How much of the slope may be left: the condition of curvature.
const CURVATURE: f64 = 0.9;
/// How many steps are tried in all, and how many between one that is too near and one that is too far.
const TRIALS: u32 = 40;
const BETWEEN: u32 = 8;
/// How much larger than their rounding differences of values are that say less than the slope does: values of many terms,
/// or of terms that cancel, are rounded many times.
const DOUBT: f64 = 128.0;

/// The vectors that a search along a line reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Line<S> {
    /// Where it begins.
    pub(super) x: Part<S>,
    /// The direction.
    pub(super) direction: Part<S>,
    /// Where it ends.
    pub(super) trial: Part<S>,
    /// The gradient there.
    pub(super) trial_gradient: Part<S>,
}

/// A place on the line: how far, the value, the slope.
#[derive(Clone, Copy)]
struct Place<R> {
    step: R,
    value: R,
    slope: R,
}

/// What differences of values near `value` are lost in rounding.
#[inline(always)]
pub(super) fn noise<R: Float>(value: R) -> R {
    R::from_f64(8.0) * R::HALF_EPSILON * value.abs()
}

/// Looks for a step from `line.x`, where the function has this value and slope (below zero), that meets both
/// conditions. Returns the value there, with point and gradient in `line`; `None` where no step makes the function
/// smaller.
///
/// A step to where the function is not finite is halved. Where values differ by little more than their rounding, the
/// slope alone decides: the approximate Wolfe conditions of Hager and Zhang.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn search<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &mut M,
    line: &Line<S>,
    (value, slope): (R, R),
) -> Option<R> {
    let start = Place { step: R::ZERO, value, slope };
    let mut low = start;
    // The nearest step known to be too far.
    let mut high: Option<Place<R>> = None;
    let mut step = R::ONE;
    let mut between = 0;
    for trial in times(TRIALS) {
        let far = walk(merit, step, (line.x, line.direction, line.trial));
        // A step that was shortened to the coordinates' rounding is not shortened further.
        let least = if trial == 0 { R::ZERO } else { R::HALF_EPSILON };
        if merit.spent() || far <= least {
            break;
        }
        match look(merit, line, &start, step) {
            Verdict::TooFar(place) => high = Some(place),
            Verdict::TooNear(place) => low = place,
            Verdict::Found(value) => return Some(value),
        }
        between += u32::from(low.step > R::ZERO && high.is_some());
        if between > BETWEEN {
            break;
        }
        let next = next_step(&low, high, &start);
        if next == step || !next.is_finite() {
            break;
        }
        step = next;
    }
    // A decrease without the condition of curvature is one all the same.
    if low.step > R::ZERO && !merit.spent() {
        walk(merit, low.step, (line.x, line.direction, line.trial));
        let value = merit.value(line.trial);
        merit.gradient(line.trial, line.trial_gradient);
        return Some(value);
    }
    None
}

/// What is thought of a step.
enum Verdict<R> {
    /// The function is too large there, or rises. The value is NaN where it or the gradient is not finite, the slope
    /// where it was not needed.
    TooFar(Place<R>),
    /// The function still falls steeply.
    TooNear(Place<R>),
    /// Both conditions hold; with the value.
    Found(R),
}

/// Judges `line.trial`, which is `step` from `start`.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
fn look<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &mut M,
    line: &Line<S>,
    start: &Place<R>,
    step: R,
) -> Verdict<R> {
    let value = merit.value(line.trial);
    let promised = R::from_f64(DECREASE) * step * start.slope;
    let decreases = value <= start.value + promised;
    if !value.is_finite() {
        return Verdict::TooFar(Place { step, value: R::NAN, slope: R::NAN });
    }
    if !decreases && value > start.value + R::from_f64(DOUBT) * noise(start.value) {
        return Verdict::TooFar(Place { step, value, slope: R::NAN });
    }
    merit.gradient(line.trial, line.trial_gradient);
    let size = largest(merit.dimensions(), |i| line.trial_gradient.get(i).abs());
    if !size.is_finite() {
        return Verdict::TooFar(Place { step, value: R::NAN, slope: R::NAN });
    }
    let slope = slope(merit, (line.trial, line.direction, line.trial_gradient));
    if !decreases && slope > R::from_f64(-0.8) * start.slope {
        return Verdict::TooFar(Place { step, value, slope });
    }
    if slope < R::from_f64(CURVATURE) * start.slope {
        return Verdict::TooNear(Place { step, value, slope });
    }
    Verdict::Found(value)
}

/// The next step to try: further out while no step is too far, otherwise between the two places.
#[inline]
fn next_step<R: Float>(low: &Place<R>, high: Option<Place<R>>, start: &Place<R>) -> R {
    let c = R::from_f64;
    let Some(high) = high else {
        // Where a straight line through both slopes is zero, within limits.
        let zero = low.step * start.slope / (start.slope - low.slope);
        return zero.clamp_to(R::TWO * low.step, c(10.0) * low.step);
    };
    let between = high.step - low.step;
    // The least of the parabola with low's value and slope and high's value; or where that with both slopes has it,
    // if high's is known, as then the values say nothing.
    let rise = high.value - low.value - low.slope * between;
    let by_value = R::ZERO - low.slope * between / (R::TWO * rise);
    let by_slope = low.slope / (low.slope - high.slope);
    let part = if high.slope.is_nan() { by_value } else { by_slope };
    // Half the way where that is no number.
    let part = if part.is_finite() { part } else { R::HALF };
    low.step + between * part.clamp_to(c(0.1), R::HALF)
}
