//! Optimisers that are created and dropped repeatedly, and in parallel.

use warpswarm::problems::Rastrigin;
use warpswarm::{
    Algorithm, Backend, Bounds, DeParams, HostObjective, Optimiser, SaParams, Settings, Stop,
    Swarm, faults,
};

use crate::assert_same;

/// One of several small optimisers, with different algorithms, numbers of threads, and kinds of evaluation.
fn make(backend: Backend, kind: u64) -> Optimiser<f32> {
    let algorithm = match kind % 3 {
        0 => Algorithm::Pso(Default::default()),
        1 => DeParams::default().into(),
        _ => SaParams::default().into(),
    };
    let settings = Settings {
        individuals: 9,
        seed: kind,
        stop: Stop::iterations(3),
        record_every: Some(1),
        backend,
        threads: Some(1 + (kind % 2) as usize),
        polish: Some(false),
        ..Settings::default()
    };
    let bounds = Bounds::uniform(3, -4.0, 5.0).unwrap();
    let closure = || HostObjective::new(|x: &[f32]| x.iter().map(|x| x * x).sum());
    let made = match kind % 5 {
        4 => Optimiser::new(&closure(), &bounds, &algorithm, &settings),
        _ => Optimiser::new(&Rastrigin, &bounds, &algorithm, &settings),
    };
    made.unwrap_or_else(|error| panic!("optimiser {kind} on {backend}: {error}"))
}

/// The number of kinds.
const KINDS: u64 = 30;

fn end(backend: Backend, kind: u64) -> Vec<Swarm<f32>> {
    let mut optimiser = make(backend, kind);
    optimiser.run().unwrap();
    optimiser.state().unwrap()
}

/// Creates, runs and drops `times` optimisers; returns the measurement after a tenth of them and after all.
///
/// They run on threads that have ended before the measurement. The emulator keeps its records of a launch for the next
/// one on the same thread, and these grow by doubling at a time that depends on addresses.
///
/// # Panics
///
/// If an optimiser cannot be created or run.
pub fn create_and_drop(backend: Backend, times: u64, measured: impl Fn() -> u64) -> [u64; 2] {
    let make = |count| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..count).for_each(|i| drop(end(backend, i % KINDS)));
                assert_eq!(faults::held(), 0, "bytes of devices");
            });
        });
    };
    make(times / 10);
    let early = measured();
    make(times - times / 10);
    [early, measured()]
}

/// Checks that two threads with their own optimisers compute the bits of each alone.
///
/// # Panics
///
/// If they do not.
pub fn two_at_once(backend: Backend, times: u64) {
    let alone: Vec<_> = (0..KINDS).map(|kind| end(backend, kind)).collect();
    std::thread::scope(|scope| {
        for first in [0, KINDS / 2] {
            let alone = &alone;
            scope.spawn(move || {
                for kind in (first..first + times).map(|i| i % KINDS) {
                    let found = end(backend, kind);
                    let what = format_args!("optimiser {kind} on {backend}");
                    assert_same(&alone[kind as usize], &found, what);
                }
            });
        }
    });
}
