//! How a coordinate that left its bounds is put back.
//!
//! | mode | position becomes | velocity becomes |
//! |---|---|---|
//! | clamp | the bound that was crossed | 0 |
//! | reflect | mirrored at the bound, at most the other bound | -v |
//! | wrap | x modulo the range | v |
//! | random | uniform in the range | 0 |
//! | reverse | bound -+ correction r (upper - lower), r uniform | -v |
//!
//! **Source.** Clamp, reflect, wrap and random as "nearest", "reflect", "periodic" and "random" in
//! S. Helwig, J. Branke, S. Mostaghim, "Experimental analysis of bound handling techniques in
//! particle swarm optimization", IEEE TEVC 17, 2013; reverse stands for equations 4 and 5 of CMEPSO-GPU.
//! **Deviation.** Our copy of the paper lacks those two equations. Its text says that the speed becomes its negative,
//! and that the particle "returns to inner search space" by a "correction factor applied to a random variable"; the
//! equation above is our reading.

use crate::launch::Words;
use crate::real::Float;
use crate::words;

/// How a coordinate that left its bounds is put back.
///
/// ```
/// use warpswarm_core::boundary::{Boundary, enforce};
/// // Position and velocity of a coordinate that went a quarter beyond its upper bound.
/// let after = |mode| enforce(mode, 0.5, (1.25_f64, 0.5), (0.0, 1.0), || 0.125);
/// assert_eq!(after(Boundary::Clamp), (1.0, 0.0));
/// assert_eq!(after(Boundary::Reflect), (0.75, -0.5));
/// assert_eq!(after(Boundary::Wrap), (0.25, 0.5));
/// assert_eq!(after(Boundary::Random), (0.125, 0.0));
/// assert_eq!(after(Boundary::Reverse), (0.9375, -0.5));
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// To the bound, with zero velocity.
    #[default]
    Clamp = 0,
    /// Mirrored at the bound, with the velocity reversed.
    Reflect = 1,
    /// Around to the other side, with the same velocity.
    Wrap = 2,
    /// To a random place, with zero velocity.
    Random = 3,
    /// Velocity reversed, position a random fraction of the range inside the bound.
    Reverse = 4,
}

impl Boundary {
    /// Every mode with the name that users give it.
    pub const ALL: [(&'static str, Boundary); 5] = [
        ("clamp", Boundary::Clamp),
        ("reflect", Boundary::Reflect),
        ("wrap", Boundary::Wrap),
        ("random", Boundary::Random),
        ("reverse", Boundary::Reverse),
    ];
}

words!(enum Boundary);

/// The boundary handling of a method without velocities: the mode and its reach.
///
/// ```
/// use warpswarm_core::boundary::{Boundary, Limits};
/// let limits = Limits { correction: 0.22_f32, boundary: Boundary::Reflect };
/// assert_eq!(limits.enforce(-3.0, (-2.0, 2.0), || 0.5), -1.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<R> {
    /// COR, the reach of [`Boundary::Reverse`], as a fraction of the range.
    pub correction: R,
    /// What happens at the bounds.
    pub boundary: Boundary,
}

impl<R: Float> Words for Limits<R> {
    words!(correction, boundary);
}

impl<R: Float> Limits<R> {
    /// `x` after the boundary has been enforced: see [`enforce`].
    #[inline(always)]
    pub fn enforce(&self, x: R, bounds: (R, R), draw: impl FnOnce() -> R) -> R {
        enforce(self.boundary, self.correction, (x, R::ZERO), bounds, draw).0
    }
}

/// Position and velocity of a coordinate after the boundary has been enforced.
///
/// `draw` returns a number uniform in (0, 1) and is called only by the random modes. The position is always in
/// `[lower, upper]`, whatever `x` was; a NaN becomes `upper` (or what the mode makes of it).
///
/// ```
/// use warpswarm_core::boundary::{Boundary, enforce};
/// let no_draw = || unreachable!("for random modes alone");
/// assert_eq!(enforce(Boundary::Clamp, 0.0, (0.5_f32, 0.1), (0.0, 1.0), no_draw), (0.5, 0.1));
/// assert_eq!(enforce(Boundary::Clamp, 0.0, (f32::NAN, 0.1), (0.0, 1.0), no_draw), (1.0, 0.0));
/// ```
#[inline(always)]
pub fn enforce<R: Float>(
    mode: Boundary,
    correction: R,
    (x, v): (R, R),
    (lower, upper): (R, R),
    draw: impl FnOnce() -> R,
) -> (R, R) {
    if mode == Boundary::Clamp {
        // A select instead of a branch: whether a particle leaves its bounds is hard to predict.
        let position = x.clamp_to(lower, upper);
        return (position, if position == x { v } else { R::ZERO });
    }
    let (inside, below) = (x >= lower && x <= upper, x < lower);
    if mode == Boundary::Reflect {
        // A select here too.
        let bound = if below { lower } else { upper };
        let mirrored = (bound + (bound - x)).clamp_to(lower, upper);
        return if inside { (x, v) } else { (mirrored, -v) };
    }
    if inside {
        return (x, v);
    }
    let range = upper - lower;
    // A single call for both modes, because kernels inline the draw.
    let u = match mode {
        Boundary::Random | Boundary::Reverse => draw(),
        _ => R::ZERO,
    };
    // No `match`: with one that lists every mode, the CPU's loops are not vectorised.
    let (position, velocity) = if mode == Boundary::Wrap {
        let turns = (x - lower) / range;
        (lower + (turns - turns.floor()) * range, v)
    } else if mode == Boundary::Random {
        (lower + range * u, R::ZERO)
    } else {
        let inside = correction * u * range;
        (if below { lower + inside } else { upper - inside }, -v)
    };
    (position.clamp_to(lower, upper), velocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mode: Boundary, x: f64, v: f64) -> (f64, f64) {
        enforce(mode, 0.5, (x, v), (-1.0, 3.0), || 0.25)
    }

    #[test]
    fn each_mode_by_hand() {
        assert_eq!(after(Boundary::Clamp, 3.5, 2.0), (3.0, 0.0));
        assert_eq!(after(Boundary::Clamp, -9.0, -2.0), (-1.0, 0.0));
        assert_eq!(after(Boundary::Reflect, 3.5, 2.0), (2.5, -2.0));
        assert_eq!(after(Boundary::Reflect, -1.25, -2.0), (-0.75, 2.0));
        assert_eq!(after(Boundary::Reflect, 30.0, 2.0), (-1.0, -2.0));
        assert_eq!(after(Boundary::Wrap, 3.5, 2.0), (-0.5, 2.0));
        assert_eq!(after(Boundary::Wrap, -1.25, -2.0), (2.75, -2.0));
        assert_eq!(after(Boundary::Wrap, 12.0, 2.0), (0.0, 2.0));
        assert_eq!(after(Boundary::Random, 3.5, 2.0), (0.0, 0.0));
        assert_eq!(after(Boundary::Reverse, 3.5, 2.0), (2.5, -2.0));
        assert_eq!(after(Boundary::Reverse, -3.5, -2.0), (-0.5, 2.0));
    }

    #[test]
    fn inside_nothing_happens() {
        for (_, mode) in Boundary::ALL {
            for x in [-1.0, 0.0, 3.0] {
                assert_eq!(after(mode, x, 0.5), (x, 0.5));
            }
        }
    }

    #[test]
    fn whatever_comes_in_the_result_is_in_bounds() {
        for (_, mode) in Boundary::ALL {
            for x in [f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -f32::MAX, 7.0] {
                for (lower, upper) in [(-1.0, 2.0), (5.0, 5.0), (-1e38, 1e38)] {
                    let (x, _) = enforce(mode, 0.22, (x, 1.0), (lower, upper), || 0.999);
                    assert!(x >= lower && x <= upper, "{mode:?}: {x} in [{lower}, {upper}]");
                }
            }
        }
    }
}
