//! Objectives that misbehave and record their evaluations.

use std::sync::Mutex;

use warpswarm::{Fitness, Float, HostObjective, Objective, Point, Real};

/// How an objective misbehaves: always the same at the same point, on every backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wild {
    /// The number of points out of 16 with a value that is not finite.
    pub(crate) values: u64,
    /// The number of points out of 16 with a violation that is not zero.
    pub(crate) violations: u64,
    /// The number of elements of [`ODD`], from the first on, that occur.
    pub(crate) kinds: usize,
}

/// Values that are not finite. Without the last one, every prefix contains no value that is a valid minimum.
const ODD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

impl Wild {
    pub(crate) fn fitness<R: Real>(&self, x: &[R]) -> Fitness<R> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for x in x {
            hash = (hash ^ x.to_f64().to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        let mut draw = |from: u64| {
            hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (hash >> 31);
            (hash >> 8) % from
        };
        let mut odd = || R::from_f64(ODD[draw(self.kinds as u64) as usize]);
        let (strange, worse) = (odd(), odd());
        let squares = x.iter().fold(R::ZERO, |sum, &x| sum + (x - R::ONE) * (x - R::ONE));
        let value = if draw(16) < self.values { strange } else { squares };
        // A violation is never negative.
        let worse = if worse < R::ZERO { R::ONE } else { worse };
        let worse = if draw(2) == 0 { worse } else { R::from_u32(draw(4) as u32) };
        let violation = if draw(16) < self.violations { worse } else { R::ZERO };
        Fitness { violation, value }
    }
}

/// The evaluations of an objective.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) evaluations: u64,
    pub(crate) not_finite: u64,
    /// The best fitness in the order of results.
    pub(crate) best: Option<(u64, u64)>,
}

/// The records of each run, or of all runs together.
pub(crate) type Memory = &'static [Mutex<Seen>];

/// Creates `places` records. The memory is leaked, because an objective is a plain value.
pub(crate) fn memory(places: usize) -> Memory {
    Vec::leak((0..places).map(|_| Mutex::default()).collect())
}

fn note<R: Real>(place: &Mutex<Seen>, fitness: Fitness<R>, maximise: bool) {
    let value = if maximise { -fitness.value } else { fitness.value };
    let [violation, value] = [fitness.violation, value].map(Real::to_f64);
    let key = Fitness { violation, value }.ordered();
    let mut seen = place.lock().unwrap();
    seen.evaluations += 1;
    seen.not_finite += u64::from(!(fitness.value.is_finite() && fitness.violation.is_finite()));
    seen.best = Some(seen.best.map_or(key, |best| best.min(key)));
}

/// The objective as a closure on the host, which knows the run of a point.
pub(crate) fn hosted<R: Float>(wild: Wild, memory: Memory, maximise: bool) -> HostObjective<R> {
    HostObjective::of_run(move |run, x: &[R]| {
        let fitness = wild.fitness(x);
        note(&memory[run as usize], fitness, maximise);
        fitness
    })
}

/// The objective as a type, which does not know the run of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable<const CONSTRAINED: bool> {
    pub(crate) wild: Wild,
    pub(crate) memory: Memory,
    pub(crate) maximise: bool,
}

impl<const CONSTRAINED: bool> Portable<CONSTRAINED> {
    fn fitness<R: Real, P: Point<R>>(&self, x: &P) -> Fitness<R> {
        let x: Vec<R> = (0..x.dimensions()).map(|i| x.get(i)).collect();
        let fitness = self.wild.fitness(&x);
        if CONSTRAINED { fitness } else { Fitness { violation: R::ZERO, ..fitness } }
    }
}

impl<R: Real, const CONSTRAINED: bool> Objective<R> for Portable<CONSTRAINED> {
    const CONSTRAINED: bool = CONSTRAINED;

    fn value<P: Point<R>>(&self, x: &P) -> R {
        let fitness = self.fitness(x);
        note(&self.memory[0], fitness, self.maximise);
        fitness.value
    }

    fn violation<P: Point<R>>(&self, x: &P) -> R {
        self.fitness(x).violation
    }
}
