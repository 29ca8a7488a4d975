//! Functions that the tests share.

use std::sync::atomic::{AtomicU64, Ordering};

use warpswarm::fit::Model;
use warpswarm::problems::Rastrigin;
use warpswarm::{
    Algorithm, Backend, Bounds, Objective, Optimiser, Point, Precise, Real, Report, Result,
    Settings, Stop, Swarm, Table, difference,
};

/// Bounds whose centre is not the optimum: clamped particles must not find it by accident.
pub(crate) fn bounds(dimensions: usize) -> Bounds {
    Bounds::uniform(dimensions, -4.0, 5.12).unwrap()
}

/// Whether tests may take long: `WARPSWARM_LONG=1` in the environment.
pub(crate) fn long() -> bool {
    std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1")
}

/// Settings for a short run on one thread.
pub(crate) fn settings(individuals: u64) -> Settings {
    Settings {
        individuals,
        seed: 7,
        stop: Stop::iterations(20),
        backend: Backend::Cpu,
        threads: Some(1),
        polish: Some(false),
        ..Settings::default()
    }
}

/// An optimiser of Rastrigin's function in this number of dimensions.
pub(crate) fn optimiser<R: Precise>(
    dimensions: usize,
    settings: &Settings,
) -> Result<Optimiser<R>> {
    let algorithm = Algorithm::Pso(Default::default());
    warpswarm::Optimiser::new(&Rastrigin, &bounds(dimensions), &algorithm, settings)
}

/// The report of this optimiser.
pub(crate) fn run<R: Precise>(dimensions: usize, settings: &Settings) -> Report<R> {
    optimiser::<R>(dimensions, settings).unwrap().run().unwrap()
}

/// Fails if two states differ in a bit.
pub(crate) fn assert_same<R: Precise>(left: &[Swarm<R>], right: &[Swarm<R>], what: &str) {
    assert_eq!(left.len(), right.len(), "{what}: runs");
    for (run, (left, right)) in left.iter().zip(right).enumerate() {
        if let Some(place) = difference(left, right) {
            panic!("{what}, run {run}: {place}");
        }
    }
}

/// The sphere function, which counts its evaluations.
#[derive(Clone, Copy)]
pub(crate) struct Counted(pub(crate) &'static AtomicU64);

impl<R: Real> Objective<R> for Counted {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        self.0.fetch_add(1, Ordering::Relaxed);
        x.sum(|_, x| (x - R::ONE) * (x - R::ONE))
    }
}

/// height exp(-t / lifetime) + background
#[derive(Clone, Copy)]
pub(crate) struct Decay {
    pub(crate) times: Table,
}

impl<R: Real> Model<R, 3> for Decay {
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        x.get(0) * (-x.data(self.times, row) / x.get(1)).exp() + x.get(2)
    }
}
