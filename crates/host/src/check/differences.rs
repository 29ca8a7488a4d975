//! A derivative by central differences with decreasing steps, and an estimate of its error.
//!
//! A difference D(h) = (f(x + h) - f(x - h)) / 2h has an error of order h^2, and a rounding error, which grows as h
//! decreases. If three consecutive steps, each a quarter of the previous one, give the same number, that number is
//! accepted; of several such triples the best is used. Its estimated error is [`MARGIN`] times the spread of the three,
//! plus rounding. The difference between the one-sided derivatives is added, because at a kink either of them is right,
//! and at a jump neither.

use warpswarm_core::Float;

/// The largest step, as a fraction of a coordinate's range.
pub(super) const LARGEST: f64 = 1.0 / 32.0;
/// The factor from one step to the next.
pub(super) const SHRINK: f64 = 0.25;
/// The factor between the estimated error of differences and the allowed one.
const MARGIN: f64 = 16.0;

/// A row at a point and at two points near it, with their distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) here: f64,
    pub(super) above: (f64, f64),
    pub(super) below: (f64, f64),
}

impl Level {
    fn central(&self) -> f64 {
        (self.above.1 - self.below.1) / (self.above.0 - self.below.0)
    }

    /// The difference between the one-sided derivatives, which does not decrease at a kink.
    fn bend(&self) -> f64 {
        let [above, below] = [self.above, self.below].map(|(by, row)| (row - self.here) / by);
        (above - below).abs()
    }

    /// The rounding error, from values and from a coordinate of this size.
    fn rounding(&self, (epsilon, size): (f64, f64)) -> f64 {
        let largest = self.here.abs().max(self.above.1.abs()).max(self.below.1.abs());
        epsilon * (largest + size * self.central().abs()) / self.above.0
    }
}

/// A derivative by differences; the error is infinite if they do not converge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) slope: f64,
    pub(super) error: f64,
    /// A slope that is not small here: the value divided by the range of the coordinate.
    size: f64,
}

impl Difference {
    /// The best of all triples of consecutive levels. Their spread shows how well they have converged.
    pub(super) fn of(levels: &[Level], rounding: (f64, f64)) -> Self {
        let none = Difference { slope: 0.0, error: f64::INFINITY, size: f64::INFINITY };
        levels
            .windows(3)
            .map(|three| {
                let [a, b, c] = [0, 1, 2].map(|k| three[k].central());
                let fine = three[2];
                let scatter = (a - b).abs() + (b - c).abs() + fine.rounding(rounding);
                Difference {
                    // The error decreases with the square of the step.
                    slope: c + (c - b) * (SHRINK * SHRINK / (1.0 - SHRINK * SHRINK)),
                    error: fine.bend() + MARGIN * scatter,
                    size: fine.here.abs() * LARGEST / levels[0].above.0,
                }
            })
            .filter(|difference| difference.error.is_finite())
            .fold(none, |best, other| if other.error < best.error { other } else { best })
    }

    /// Whether a derivative cannot have this exact value. `small` is negligible compared to the other derivatives.
    pub(super) fn excludes<R: Float>(&self, exact: f64, small: f64) -> bool {
        // Otherwise the differences have not converged; the function may change between the smallest steps.
        if self.error >= self.slope.abs() + self.size {
            return false;
        }
        if !exact.is_finite() {
            return true;
        }
        let relative = (2.0 * R::HALF_EPSILON.to_f64()).cbrt();
        let allowed = self.error + small + relative * (exact.abs() + self.slope.abs());
        (exact - self.slope).abs() > allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of a function at 1, with steps starting at 1/4.
    fn at_one(of: impl Fn(f64) -> f64) -> Difference {
        let level = |k: i32| {
            let step = SHRINK.powi(k + 1);
            Level { here: of(1.0), above: (step, of(1.0 + step)), below: (-step, of(1.0 - step)) }
        };
        Difference::of(&(0..11).map(level).collect::<Vec<_>>(), (f64::EPSILON, 1.0))
    }

    #[test]
    fn smooth_functions_have_a_derivative() {
        let found = at_one(f64::exp);
        let e = std::f64::consts::E;
        assert!((found.slope - e).abs() < found.error && found.error < 1e-5, "{found:?}");
        assert!(!found.excludes::<f64>(e, 0.0) && found.excludes::<f64>(1.001 * e, 0.0));
        assert!(found.excludes::<f64>(f64::NAN, 0.0) && !found.excludes::<f64>(e + 1e-3, 1e-2));
        // A large constant hides the last digits.
        let hidden = at_one(|x| 1e9 + x);
        assert!(
            !hidden.excludes::<f64>(1.0, 0.0) && hidden.excludes::<f64>(2.0, 0.0),
            "{hidden:?}"
        );
    }

    #[test]
    fn kinks_and_jumps_have_none() {
        let kink = at_one(|x| (x - 1.0).abs() + x);
        for slope in [0.0, 1.0, 2.0] {
            assert!(!kink.excludes::<f64>(slope, 0.0), "{kink:?}");
        }
        let jump = at_one(f64::floor);
        assert!(!jump.excludes::<f64>(0.0, 0.0) && !jump.excludes::<f64>(9.0, 0.0), "{jump:?}");
        // Near a kink that is not hit, there is a derivative.
        let near = at_one(|x| (x - 1.001).abs());
        assert!(near.excludes::<f64>(1.0, 0.0) && !near.excludes::<f64>(-1.0, 0.0), "{near:?}");
        let nothing = at_one(|_| f64::NAN);
        assert!(!nothing.excludes::<f64>(0.0, 0.0), "{nothing:?}");
    }
}
