//! Conversion between the users' values and the individuals' coordinates: see [`warpswarm_core::variable`].

use warpswarm_core::Float;
use warpswarm_core::data::Table;
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::{SHOWN, Scale, natural, place};

use super::Bounds;
use crate::error::{Error, Result};

/// The largest magnitude of an integer: up to here `f32` represents halves.
const MAX_INTEGER: f64 = (1 << 22) as f64;

/// Checks that a scale allows the bounds; rounds bounds of integers inward.
pub(super) fn check(
    scale: Scale,
    (lower, upper): (&mut f64, &mut f64),
    index: usize,
) -> Result<()> {
    let error = |allowed| {
        let name = match scale {
            Scale::Log => "a log",
            Scale::Integer => "an integer",
            Scale::Linear => "a linear",
        };
        let value = format!("{name} scale from {lower} to {upper}");
        Err(Error::BoundScale { index, value, allowed })
    };
    match scale {
        Scale::Log if *lower <= 0.0 => error("positive bounds"),
        Scale::Integer if lower.abs().max(upper.abs()) > MAX_INTEGER => {
            error("whole numbers up to 2^22")
        }
        Scale::Integer if lower.ceil() > upper.floor() => {
            error("bounds with a whole number between")
        }
        Scale::Integer => {
            (*lower, *upper) = (lower.ceil(), upper.floor());
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The individuals' coordinate for a value, rounded to the number type.
pub(super) fn inward<R: Float>(scale: Scale, value: f64) -> R {
    match scale {
        Scale::Log => R::from_f64(value.ln()),
        _ => R::from_f64(value),
    }
}

/// Bounds on the scale on which individuals move; `None` if the number type cannot represent them. No coordinate
/// between them stands for a value out of bounds.
pub(super) fn rounded<R: Float>(scale: Scale, (lower, upper): (f64, f64)) -> Option<(R, R)> {
    // Adding zero turns -0 into +0: a bound is never -0.
    let round = |x: f64| R::from_f64(x) + R::ZERO;
    let step = |x: R, by: i64| R::from_ordered(x.ordered().wrapping_add_signed(by)) + R::ZERO;
    let (mut l, mut u) = match scale {
        Scale::Log => (inward::<R>(scale, lower) + R::ZERO, inward::<R>(scale, upper) + R::ZERO),
        Scale::Integer if lower < upper => (round(lower - 0.5), round(upper + 0.5)),
        _ => (round(lower), round(upper)),
    };
    if scale == Scale::Log && [lower, upper].iter().any(|&x| !keeps::<R>(x)) {
        return None;
    }
    if scale != Scale::Linear && lower < upper {
        let (code, least, most) = (scale.code(), round(lower), round(upper));
        while natural(code, l) < least && l < u {
            l = step(l, 1);
        }
        while natural(code, u) > most && l < u {
            u = step(u, -1);
        }
    }
    (l.is_finite() && u.is_finite() && (u - l).is_finite()).then_some((l, u))
}

/// Whether the number type represents a positive number with its digits, and not as 0 or infinity.
fn keeps<R: Float>(x: f64) -> bool {
    (R::from_f64(x).to_f64() - x).abs() <= 1e-6 * x
}

/// The interval in which individuals search a periodic coordinate: it contains each place twice.
pub(super) fn two_periods((lower, upper): (f64, f64)) -> (f64, f64) {
    let half = 0.5 * (upper - lower);
    (lower - half, upper + half)
}

/// A periodic coordinate, from its lower to its upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Period<R> {
    lower: R,
    upper: R,
    range: R,
}

impl<R: Float> Period<R> {
    /// The place between the bounds that a number stands for. Expressions compute it in the same way.
    fn place(&self, x: R) -> R {
        place(x, (self.lower, self.upper), self.range)
    }
}

/// How values and coordinates are converted for the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales<R> {
    /// The code of each coordinate's scale; empty if all are linear.
    codes: Vec<R>,
    dimensions: usize,
    /// The period of each coordinate that has one; empty if none has.
    periods: Vec<Option<Period<R>>>,
    pub(crate) maximises: bool,
}

impl<R: Float> Scales<R> {
    pub(crate) fn new(bounds: &Bounds, maximises: bool) -> Self {
        let linear = bounds.scales.iter().all(|&scale| scale == Scale::Linear);
        let codes = if linear { &[][..] } else { &bounds.scales };
        let codes = codes.iter().map(|scale| scale.code()).collect();
        let period = |index: usize| {
            bounds.is_periodic(index).then(|| {
                let (lower, upper) = (bounds.lower[index], bounds.upper[index]);
                let [lower, upper, range] = [lower, upper, upper - lower].map(R::from_f64);
                Period { lower, upper, range }
            })
        };
        let goes_round = !bounds.periodic.is_empty();
        let periods = (0..bounds.dimensions()).filter(|_| goes_round).map(period).collect();
        Scales { codes, dimensions: bounds.dimensions(), periods, maximises }
    }

    /// The code of each coordinate's scale; empty if all are linear.
    pub(crate) fn codes(&self) -> &[R] {
        &self.codes
    }

    /// Whether nothing is converted.
    pub(crate) fn are_plain(&self) -> bool {
        self.codes.is_empty() && self.periods.is_empty() && !self.maximises
    }

    /// Converts a value between its own sign and the sign under which smaller is better.
    pub(crate) fn sign(&self, value: R) -> R {
        // The sign of zero does not change.
        if self.maximises { R::ZERO - value } else { value }
    }

    /// Converts the sign of a fitness's value, as [`sign`](Scales::sign).
    pub(crate) fn fitness(&self, fitness: Fitness<R>) -> Fitness<R> {
        Fitness { value: self.sign(fitness.value), ..fitness }
    }

    /// The users' values of points, `[point][coordinate]`.
    pub(crate) fn natural(&self, points: &[R]) -> Vec<R> {
        let mut points = points.to_vec();
        for (i, x) in points.iter_mut().enumerate() {
            let i = i % self.dimensions;
            *x = match (self.periods.get(i), self.codes.get(i)) {
                (Some(Some(period)), _) => period.place(*x),
                (_, Some(&code)) => natural(code, *x),
                (_, None) => continue,
            };
        }
        points
    }

    /// Converts derivatives by the users' values, `[coordinate]`, to derivatives by the individuals' coordinates.
    pub(crate) fn see_slopes(&self, natural: &[R], slopes: &mut [R]) {
        let log = Scale::Log.code::<R>();
        for (i, slope) in slopes.iter_mut().enumerate() {
            // The derivative by the logarithm of a coordinate.
            let by = if self.codes.get(i) == Some(&log) { natural[i] } else { R::ONE };
            *slope = self.sign(*slope * by);
        }
    }

    /// How each coordinate is [shown](warpswarm_core::variable::shown), `[coordinate][SHOWN]`; empty if none is
    /// converted.
    pub(crate) fn shown(&self) -> Vec<R> {
        if self.codes.is_empty() && self.periods.is_empty() {
            return Vec::new();
        }
        let of = |i: usize| -> [R; SHOWN] {
            match (self.periods.get(i), self.codes.get(i)) {
                (Some(Some(period)), _) => {
                    [R::from_u32(3), period.lower, period.upper, period.range]
                }
                (_, code) => [code.copied().unwrap_or(R::ZERO), R::ZERO, R::ZERO, R::ZERO],
            }
        };
        (0..self.dimensions).flat_map(of).collect()
    }

    /// The data of [`Scaled`](warpswarm_core::variable::Scaled), to be placed after `behind` other numbers.
    pub(crate) fn table(&self, behind: usize) -> (Table, Vec<R>) {
        let mut numbers = vec![self.sign(R::ONE)];
        let linear = std::iter::repeat_n(R::ZERO, self.dimensions - self.codes.len());
        numbers.extend(self.codes.iter().copied().chain(linear));
        (Table::new(behind as u32, numbers.len() as u32, 1, false), numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the bounds stand for the smallest and largest value, and no point between them for a value beyond.
    fn check_rounded<R: Float>(scale: Scale, lower: f64, upper: f64) {
        let (l, u) = rounded::<R>(scale, (lower, upper)).unwrap();
        let (code, ulp) = (scale.code(), R::from_f64(1.0).ordered());
        assert_ne!(ulp, 0);
        let [least, most] = [lower, upper].map(R::from_f64);
        for x in [l, u] {
            let x = natural(code, x);
            assert!(least <= x && x <= most, "{scale:?} {lower} {upper}: {x}");
        }
        let near = |a: R, b: R| ((a.to_f64() / b.to_f64()) - 1.0).abs() < 1e-5;
        assert!(near(natural(code, l) + R::ONE, least + R::ONE));
        assert!(near(natural(code, u) + R::ONE, most + R::ONE));
    }

    #[test]
    fn bounds_mean_what_was_given() {
        for (lower, upper) in [(0.0, 1.0), (-3.0, 7.0), (5.0, 5.0), (-4194304.0, 4194304.0)] {
            check_rounded::<f32>(Scale::Integer, lower, upper);
            check_rounded::<f64>(Scale::Integer, lower, upper);
        }
        for (lower, upper) in [(0.05, 6.0), (1e-6, 1e-3), (1.0, 1.0), (3e-30, 7e30)] {
            check_rounded::<f32>(Scale::Log, lower, upper);
            check_rounded::<f64>(Scale::Log, lower, upper);
        }
    }

    /// `f32` cannot represent 1e300 and 1e-50, although it can represent their logarithms.
    #[test]
    fn logarithms_are_no_way_around_a_number_type() {
        for (lower, upper) in [(1.0, 1e300), (1e-50, 1.0), (1e-320, 1.0), (1e-44, 1.0)] {
            assert_eq!(rounded::<f32>(Scale::Log, (lower, upper)), None, "{lower} {upper}");
        }
        assert!(rounded::<f64>(Scale::Log, (1e-300, 1e300)).is_some());
    }

    #[test]
    fn what_goes_round_means_a_place_between_the_bounds() {
        let bounds = Bounds::new(vec![-1.0, 0.0], vec![3.0, 360.0]).unwrap();
        let bounds = bounds.with_periods(vec![false, true]);
        assert_eq!(bounds.rounded::<f64>().unwrap(), (vec![-1.0, -180.0], vec![3.0, 540.0]));
        let scales = Scales::<f64>::new(&bounds, false);
        assert!(!scales.are_plain());
        for (x, place) in [(0.0, 0.0), (360.0, 360.0), (-90.0, 270.0), (540.0, 180.0), (7.5, 7.5)] {
            assert_eq!(scales.natural(&[x, x]), [x, place]);
        }
        // Rounding never leads to a place out of bounds.
        let scales = Scales::<f32>::new(&bounds, false);
        for k in 0..100_000_u32 {
            let x = -180.0 + k as f32 * 0.0072;
            let place = scales.natural(&[0.0, x])[1];
            assert!((0.0..=360.0).contains(&place), "{x}: {place}");
        }
    }

    #[test]
    fn every_integer_has_the_same_room() {
        let (l, u) = rounded::<f64>(Scale::Integer, (1.0, 3.0)).unwrap();
        assert!(l == 0.5 && u < 3.5 && u > 3.4999, "{l} {u}");
        assert_eq!([l, 1.49, 1.5, u].map(|x| natural(2.0, x)), [1.0, 1.0, 2.0, 3.0]);
    }
}
