//! Methods whose runs begin anew when they have converged.

use warpswarm::algorithms::find;
use warpswarm::{Backend, Restart, Schedule, Stop};

use crate::{Case, Place, check, methods};

/// Every method, in a batch whose runs converge each in its own time, or do not.
///
/// # Panics
///
/// Where a device differs from the CPU.
pub fn check_methods(backend: Backend, sizes: &[(&'static str, usize, u64)], iterations: u64) {
    for &(problem, dimensions, individuals) in sizes {
        let mut last = "";
        let one_of_each = methods(individuals).into_iter().filter(|algorithm| {
            let id = algorithm.info().id;
            std::mem::replace(&mut last, id) != id
        });
        // With its own kernels where it does not begin anew.
        let plain = find("pso").expect("an algorithm").algorithm();
        for algorithm in one_of_each.chain([plain]) {
            let case = Case { iterations, runs: 3, ..Case::new(problem, dimensions, individuals) };
            check_case(backend, &case.with(algorithm), &[Some(32), None]);
        }
    }
}

/// Runs of a batch that begin anew one after the other, while others stay as they are.
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

/// Runs that stop: at a target, and at a limit of evaluations in the midst of a leg, also where iterations differ in them.
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
