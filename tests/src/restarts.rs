//! Methods whose runs restart after convergence.

use warpswarm::algorithms::find;
use warpswarm::{Backend, Restart, Schedule, Stop};

use crate::{Case, Place, check, methods};

/// Checks every method, in a batch whose runs converge at different iterations, or not at all.
///
/// # Panics
///
/// If a device differs from the CPU.
pub fn check_methods(backend: Backend, sizes: &[(&'static str, usize, u64)], iterations: u64) {
    for &(problem, dimensions, individuals) in sizes {
        let mut last = "";
        let one_of_each = methods(individuals).into_iter().filter(|algorithm| {
            let id = algorithm.info().id;
            std::mem::replace(&mut last, id) != id
        });
        // PSO has its own kernels if it does not restart.
        let plain = find("pso").expect("an algorithm").algorithm();
        for algorithm in one_of_each.chain([plain]) {
            let case = Case { iterations, runs: 3, ..Case::new(problem, dimensions, individuals) };
            check_case(backend, &case.with(algorithm), &[Some(32), None]);
        }
    }
}

/// Checks runs of a batch that restart one after the other, while others do not change.
///
/// # Panics
///
/// As [`check_methods`].
pub fn check_one_by_one(backend: Backend, iterations: u64) {
    for id in ["solis-wets", "shade"] {
        let algorithm = find(id).expect("an algorithm").algorithm();
        let case = Case { iterations, runs: 3, ..Case::new("sphere", 1, 12) };
        check_case(backend, &case.with(algorithm), &[Some(32)]);
    }
}

/// Checks runs that stop at a target, or at a limit of evaluations in the middle of a leg, also if the number of
/// evaluations per iteration varies.
///
/// # Panics
///
/// As [`check_methods`].
pub fn check_stops(backend: Backend, iterations: u64) {
    for (id, individuals) in [("de", 6), ("gpu-fwa", 3), ("scatter-search", 30)] {
        let algorithm = find(id).expect("an algorithm").algorithm();
        for stop in [Stop::target(1e-4), Stop::evaluations(1_500), Stop::evaluations(individuals)] {
            let case = Case { iterations, stop, ..Case::new("rastrigin", 2, individuals) };
            check_case(backend, &case.with(algorithm), &[None]);
        }
    }
}

fn check_case(backend: Backend, case: &Case, blocks: &[Option<u32>]) {
    let case = Case { restart: Restart::Converged, ..case.clone() };
    let places = blocks.iter().map(|&block| Place::device(backend, Schedule::Auto, block));
    let streams = Place::device(backend, Schedule::Streaming, None);
    check(&case, &places.chain([streams]).collect::<Vec<_>>());
}
