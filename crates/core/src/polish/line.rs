//! The length of a step in a direction: a search for the weak Wolfe conditions along the path projected to the bounds.

use super::merit::{Merit, slope, walk};
use super::store::{Part, Store, largest, times};
use crate::real::Float;

/// The required decrease, as a fraction of what the slope predicts: Armijo's condition.
const DECREASE: f64 = 1e-4;
/// The fraction of the slope that may be left: the curvature condition.
const CURVATURE: f64 = 0.9;
/// The largest number of trials in all, and of trials between a step that is too short and one that is too long.
const TRIALS: u32 = 40;
const BETWEEN: u32 = 8;
/// Differences of values below this many rounding errors are less reliable than the slope: values of many terms, or of
/// terms that cancel, are rounded many times.
const DOUBT: f64 = 128.0;

/// The vectors that a search along a line reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Line<S> {
    /// The start.
    pub(super) x: Part<S>,
    /// The direction.
    pub(super) direction: Part<S>,
    /// The end.
    pub(super) trial: Part<S>,
    /// The gradient at the end.
    pub(super) trial_gradient: Part<S>,
}

/// A point on the line: the step, the value, the slope.
#[derive(Clone, Copy)]
struct Place<R> {
    step: R,
    value: R,
    slope: R,
}

/// The size of rounding errors in differences of values near `value`.
#[inline(always)]
pub(super) fn noise<R: Float>(value: R) -> R {
    R::from_f64(8.0) * R::HALF_EPSILON * value.abs()
}

/// Searches for a step from `line.x`, where the function has this value and slope (below zero), that satisfies both
/// conditions. Returns the value there, with point and gradient in `line`; `None` if no step decreases the function.
///
/// A step to where the function is not finite is halved. If values differ by little more than rounding errors, only the
/// slope decides: the approximate Wolfe conditions of Hager and Zhang.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn search<R: Float, M: Merit<R>, S: Store<R>>(
    merit: &mut M,
    line: &Line<S>,
    (value, slope): (R, R),
) -> Option<R> {
    let start = Place { step: R::ZERO, value, slope };
    let mut low = start;
    // The shortest step known to be too long.
    let mut high: Option<Place<R>> = None;
    let mut step = R::ONE;
    let mut between = 0;
    for trial in times(TRIALS) {
        let far = walk(merit, step, (line.x, line.direction, line.trial));
        // A step that was shortened to the coordinates' rounding errors is not shortened further.
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
    // A decrease without the curvature condition is still a decrease.
    if low.step > R::ZERO && !merit.spent() {
        walk(merit, low.step, (line.x, line.direction, line.trial));
        let value = merit.value(line.trial);
        merit.gradient(line.trial, line.trial_gradient);
        return Some(value);
    }
    None
}

/// The assessment of a step.
enum Verdict<R> {
    /// The function is too large there, or rises. The value is NaN if it or the gradient is not finite; the slope is
    /// NaN if it was not needed.
    TooFar(Place<R>),
    /// The function still falls steeply.
    TooNear(Place<R>),
    /// Both conditions hold; with the value.
    Found(R),
}

/// Assesses `line.trial`, at the distance `step` from `start`.
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

/// The next step to try: longer while no step is too long, otherwise between the two points.
#[inline]
fn next_step<R: Float>(low: &Place<R>, high: Option<Place<R>>, start: &Place<R>) -> R {
    let c = R::from_f64;
    let Some(high) = high else {
        // The zero of the straight line through both slopes, within limits.
        let zero = low.step * start.slope / (start.slope - low.slope);
        return zero.clamp_to(R::TWO * low.step, c(10.0) * low.step);
    };
    let between = high.step - low.step;
    // The minimum of the parabola through low's value and slope and high's value; or of that through both slopes, if
    // high's is known, because then the values are unreliable.
    let rise = high.value - low.value - low.slope * between;
    let by_value = R::ZERO - low.slope * between / (R::TWO * rise);
    let by_slope = low.slope / (low.slope - high.slope);
    let part = if high.slope.is_nan() { by_value } else { by_slope };
    // Half of the way if that is not finite.
    let part = if part.is_finite() { part } else { R::HALF };
    low.step + between * part.clamp_to(c(0.1), R::HALF)
}
