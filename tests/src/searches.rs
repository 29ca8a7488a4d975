//! CMA-ES with restarts on a device: legs that end at different iterations, with growing populations.

use warpswarm::algorithms::Restarts;
use warpswarm::{AutoParams, CmaEsParams, Schedule, Stop};

use crate::{Case, Place, check};

fn with(restarts: Restarts, case: Case) -> Case {
    case.with(CmaEsParams { restarts, ..CmaEsParams::default() })
}

fn places(backend: warpswarm::Backend, blocks: &[u32]) -> Vec<Place> {
    let place = |block| Place::device(backend, Schedule::Auto, block);
    blocks.iter().map(|&block| place(Some(block))).chain([place(None)]).collect()
}

/// Checks generations in one block: numbers of samples and dimensions around the warp size, a given step size, and
/// updates of the matrix in one chunk or in several.
///
/// # Panics
///
/// If the device differs from the CPU.
pub fn check_generations(backend: warpswarm::Backend, sizes: &[(u64, usize)], iterations: u64) {
    for &(individuals, dimensions) in sizes {
        for active in [true, false] {
            let case = Case { iterations, ..Case::new("rastrigin", dimensions, individuals) };
            let params = CmaEsParams { active, restarts: Restarts::Never, step: 0.3 };
            check(&case.with(params), &places(backend, &[32, 96]));
        }
    }
}

/// Checks generations in random orders of threads and blocks.
///
/// # Panics
///
/// As [`check_generations`].
pub fn check_orders_of_generations() {
    for (individuals, dimensions) in [(10, 7), (33, 3), (150, 4)] {
        let case = Case { iterations: 4, ..Case::new("rastrigin", dimensions, individuals) };
        let place = Place::device(warpswarm::Backend::Emulator, Schedule::Auto, Some(32));
        crate::check_orders(&with(Restarts::Never, case), place);
    }
}

/// Checks legs of runs that restart: in a batch, with a stop condition, and with falling levels of ignored violations.
///
/// # Panics
///
/// As [`check_generations`].
pub fn check_legs(backend: warpswarm::Backend, iterations: u64) {
    let places = &places(backend, &[32])[..];
    let case = Case { iterations, runs: 3, ..Case::new("sphere", 2, 6) };
    check(&with(Restarts::Ipop, case.clone()), places);
    check(&with(Restarts::Bipop, case.clone()), places);
    check(&with(Restarts::Never, Case { runs: 1, ..case.clone() }), places);
    for stop in [Stop::target(1e-3), Stop::stagnation(5), Stop::evaluations(1000)] {
        check(&with(Restarts::Bipop, Case { stop, runs: 4, ..case.clone() }), places);
    }
    check(&with(Restarts::Bipop, Case { problem: "salomon", ..case.clone() }), places);
    let eased = Case { problem: "spring", dimensions: 3, ..case };
    check(&with(Restarts::Ipop, eased.clone()), places);
    check(&with(Restarts::Ipop, eased).eased(), places);
}

/// Checks legs after the first, whose samples are mirrored at the bounds, for dimensions around one and two warps.
///
/// # Panics
///
/// As [`check_generations`].
pub fn check_mirrored(backend: warpswarm::Backend, dimensions: &[usize], iterations: u64) {
    for &dimensions in dimensions {
        let case = Case::new("styblinski-tang", dimensions, 16);
        check(&with(Restarts::Ipop, Case { iterations, ..case }), &places(backend, &[32]));
    }
}

/// Checks CMA-ES and SHADE in turns: legs of both, in batches, with a stop condition, with constraints, and with
/// falling levels of ignored violations.
///
/// # Panics
///
/// As [`check_generations`].
pub fn check_turns(backend: warpswarm::Backend, iterations: u64) {
    let places = &places(backend, &[32])[..];
    let case = |problem, dimensions, individuals, iterations| {
        let case = Case { iterations, runs: 2, ..Case::new(problem, dimensions, individuals) };
        case.with(AutoParams::default())
    };
    check(&case("sphere", 1, 4, iterations), &places[..1]);
    let few = iterations / 4;
    check(&case("rastrigin", 2, 6, few), places);
    for stop in [Stop::target(1e-3), Stop::evaluations(400)] {
        check(&Case { stop, runs: 3, ..case("sphere", 2, 6, few) }, &places[..1]);
    }
    check(&case("spring", 3, 8, few), &places[..1]);
    check(&case("spring", 3, 8, few).eased(), &places[..1]);
}

/// Checks runs with several blocks.
///
/// # Panics
///
/// As [`check_generations`].
pub fn check_blocks(backend: warpswarm::Backend, sizes: &[(u64, usize, u64)], iterations: u64) {
    for &(individuals, dimensions, runs) in sizes {
        let case = Case { iterations, runs, ..Case::new("rosenbrock", dimensions, individuals) };
        check(&with(Restarts::Ipop, case.clone()), &places(backend, &[64]));
        check(&case.with(AutoParams::default()), &places(backend, &[64]));
    }
}
