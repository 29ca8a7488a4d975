//! Simulated annealing: a population of independent chains.
//!
//! **Idea.** Each chain proposes a random neighbour. A better one is always accepted, a worse one with a probability
//! that falls with the temperature. The temperature falls in every iteration.
//!
//! **Equations** (x' of one coordinate):
//!
//! ```text
//! x' = x + s (upper - lower) z      z uniform in (-1, 1), or standard normal; s in ranges
//! x' = x + s z                      s in units of the coordinate
//! accept x' if it is not worse, otherwise if r < exp((f - f') / T)
//! T = a T,  s = b s                 every iteration
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | T | `temperature` | at the start, in units of the objective | finite, > 0 | 100 |
//! | a | `cooling` | factor of the temperature | (0, 1] | 0.98 |
//! | s | `step` | size of a step at the start | finite, > 0 | 0.1 |
//! | | `unit` | unit of s: ranges, or units of the coordinate | | ranges |
//! | b | `step_cooling` | factor of the step | (0, 1] | 0.998 |
//! | | `neighbour` | uniform or gaussian | | gaussian |
//! | | `limits` | see [`boundary`](crate::boundary) | | reflect |
//! | f, f' | | value before and after; the violations where they differ | | |
//! | r | | uniform in (0, 1) | | |
//!
//! **Source.** S. Kirkpatrick, C. Gelatt, M. Vecchi, "Optimization by simulated annealing", Science
//! 220, 1983; population, neighbour and cooling as in libCudaOptimize's case study 2.
//!
//! **Deviations.**
//! * libCudaOptimize has a step of fixed size: its code adds a number uniform in [-0.1, 0.1] to each coordinate, in
//!   units of the coordinate (its text calls 0.1 a deviation). That is `unit` = `coordinates`, b = 1 and the uniform
//!   neighbour, the preset `libcudaoptimize`. A fixed size limits how close a chain comes to an optimum, and a size in
//!   units suits only one problem. The default step is therefore a tenth of the range and shrinks.
//! * libCudaOptimize does not give the first temperature: 100 is ours, also in the preset.
//! * Its code limits a coordinate to the bounds by a function that it does not show: the preset clamps.
//! * The best point of all chains is kept.
//! * Between points of different violation, the violation replaces the value.

use crate::boundary::{Boundary, Limits};
use crate::method::{Individual, Method, Numbers, Own, Population, Site, With};
use crate::order::Fitness;
use crate::real::Float;
use crate::words;

/// The distribution of a chain's steps.
///
/// ```
/// use warpswarm_core::sa::Neighbour;
/// assert_eq!(Neighbour::ALL.map(|(_, neighbour)| neighbour == Neighbour::default()), [false, true]);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Neighbour {
    /// Uniform in a box.
    Uniform = 0,
    /// Normal.
    #[default]
    Gaussian = 1,
}

impl Neighbour {
    /// Every neighbourhood with the name that users give it.
    pub const ALL: [(&'static str, Neighbour); 2] =
        [("uniform", Neighbour::Uniform), ("gaussian", Neighbour::Gaussian)];
}

/// The unit of a step.
///
/// ```
/// use warpswarm_core::sa::Unit;
/// assert_eq!(Unit::ALL.map(|(_, unit)| unit == Unit::default()), [true, false]);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// In ranges of the bounds.
    #[default]
    Ranges = 0,
    /// In units of the coordinate.
    Coordinates = 1,
}

impl Unit {
    /// Every unit with the name that users give it.
    pub const ALL: [(&'static str, Unit); 2] =
        [("ranges", Unit::Ranges), ("coordinates", Unit::Coordinates)];
}

words!(enum Neighbour, Unit);

/// The parameters of simulated annealing, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sa<R> {
    /// T at the start.
    pub temperature: R,
    /// a, the factor of the temperature.
    pub cooling: R,
    /// s at the start.
    pub step: R,
    /// b, the factor of the step.
    pub step_cooling: R,
    /// What happens at the bounds.
    pub limits: Limits<R>,
    /// The distribution of a chain's steps.
    pub neighbour: Neighbour,
    /// The unit of a step.
    pub unit: Unit,
}

/// The index of the number that holds the temperature.
const TEMPERATURE: usize = 0;
/// The index of the number that holds the step.
const STEP: usize = 1;

impl<R: Float> Sa<R> {
    /// z, the random direction of a coordinate's step.
    #[inline(always)]
    pub fn direction<S: Site<R>>(&self, site: &S) -> R {
        match self.neighbour {
            Neighbour::Uniform => R::TWO * site.draws(0)[0] - R::ONE,
            Neighbour::Gaussian => site.normal(),
        }
    }
}

/// Whether a chain moves from `old` to `new` at this temperature; `r` is uniform in (0, 1).
#[inline(always)]
pub fn accepts<R: Float>(old: Fitness<R>, new: Fitness<R>, temperature: R, r: R) -> bool {
    if !old.beats(new) {
        return true;
    }
    // Comparisons with NaN are false: a value that is not a number is rejected.
    let worse = if new.counted() == old.counted() {
        new.value - old.value
    } else {
        new.counted() - old.counted()
    };
    r < (-worse / temperature).exp()
}

impl<R: Float> Method<R> for Sa<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 2;
    const FRUGAL: bool = true;
    const ALONE: bool = true;
    const MOST_THREADS: [u32; 2] = [640, 384];
    type Observation = ();
    /// The step.
    type Plan = R;

    words!(temperature, cooling, step, step_cooling, limits, neighbour, unit);

    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        let limits = Limits { boundary: Boundary::Reflect, ..self.limits };
        let common = Sa { limits, neighbour: Neighbour::Gaussian, unit: Unit::Ranges, ..self };
        if self == common { work.with(common) } else { work.with(self) }
    }

    #[inline(always)]
    fn numbers(&self, _: &Individual<R>) -> Numbers<R> {
        [self.temperature, self.step, R::ZERO, R::ZERO]
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    #[inline(always)]
    fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}

    #[inline(always)]
    fn plan(&self, _: &Individual<R>, (): (), numbers: &mut Numbers<R>) -> R {
        numbers[STEP]
    }

    #[inline(always)]
    fn normals(&self, who: &Individual<R>, _: &R) -> Option<u32> {
        (self.neighbour == Neighbour::Gaussian).then_some(who.attempt)
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, step: &R, site: &S) -> (R, Own<R>) {
        let (lower, upper) = site.bounds();
        let size = match self.unit {
            Unit::Ranges => *step * (upper - lower),
            Unit::Coordinates => *step,
        };
        let x = site.public() + size * self.direction(site);
        (self.limits.enforce(x, (lower, upper), || site.reentry()), Own::default())
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        _: &R,
        proposal: Fitness<R>,
        numbers: &mut Numbers<R>,
    ) -> bool {
        let [r, _] = who.uniform(0);
        let accepted = accepts(who.fitness, proposal, numbers[TEMPERATURE], r);
        numbers[TEMPERATURE] = self.cooling * numbers[TEMPERATURE];
        numbers[STEP] = self.step_cooling * numbers[STEP];
        accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SA: Sa<f64> = Sa {
        temperature: 8.0,
        cooling: 0.5,
        step: 0.25,
        step_cooling: 0.75,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        neighbour: Neighbour::Uniform,
        unit: Unit::Ranges,
    };

    #[test]
    fn acceptance_by_hand() {
        let at = |violation, value| Fitness { violation, value };
        let old = at(0.0, 1.0);
        assert!(accepts(old, at(0.0, 1.0), 1e-9, 0.999));
        // exp(-(3 - 1) / 4) = 0.6065
        assert!(accepts(old, at(0.0, 3.0), 4.0, 0.606) && !accepts(old, at(0.0, 3.0), 4.0, 0.607));
        // From feasible to infeasible the violation is used, not the better value: exp(-0.5).
        assert!(
            accepts(old, at(2.0, -9.0), 4.0, 0.606) && !accepts(old, at(2.0, -9.0), 4.0, 0.607)
        );
        assert!(!accepts(old, at(0.0, f64::NAN), 4.0, 1e-9));
        assert!(!accepts(old, at(0.0, f64::INFINITY), 4.0, 1e-9));
        assert!(accepts(at(0.0, f64::NAN), old, 4.0, 0.999));
    }

    #[test]
    fn steps_are_in_ranges_or_in_units_by_hand() {
        // z = 2 * 0.75 - 1 = 0.5.
        let draws = [[0.75, 0.5]; 3];
        let site = crate::method::tests::Still {
            public: 1.0,
            bounds: (-5.0, 5.0),
            draws,
            ..Default::default()
        };
        // 1 + 0.25 * 10 * 0.5, and 1 + 0.25 * 0.5.
        assert_eq!(SA.propose(&0.25, &site).0, 2.25);
        let units = Sa { unit: Unit::Coordinates, ..SA };
        assert_eq!(units.propose(&0.25, &site).0, 1.125);
    }

    #[test]
    fn it_cools_and_steps_by_hand() {
        let who = crate::method::tests::individual(Fitness { violation: 0.0, value: 2.0 });
        let mut numbers = SA.numbers(&who);
        assert!(SA.accept(&who, &0.25, Fitness { violation: 0.0, value: 1.0 }, &mut numbers));
        assert_eq!(numbers, [4.0, 0.1875, 0.0, 0.0]);
        let draws = [[0.75, 0.5]; 3];
        let site = crate::method::tests::Still { draws, normal: 2.0, ..Default::default() };
        assert_eq!((SA.direction(&site), SA.normals(&who, &0.25)), (0.5, None));
        let gaussian = Sa { neighbour: Neighbour::Gaussian, ..SA };
        assert_eq!((gaussian.direction(&site), gaussian.normals(&who, &0.25)), (2.0, Some(0)));
    }
}
