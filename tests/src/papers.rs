//! The kernels of the papers (schedule `stepwise`), in the papers' sizes and similar ones.

use warpswarm::{Algorithm, Backend, CmepsoParams, GpuFwaParams, Schedule};

use crate::{Case, Place};

/// Checks these numbers of fireworks, and slave swarms with these numbers of particles, for this number of iterations.
///
/// # Panics
///
/// If bits differ.
pub fn check(backend: Backend, fireworks: &[u64], particles: &[u64], iterations: u32) {
    let stepwise = |block| Place::device(backend, Schedule::Stepwise, block);
    let places = [stepwise(None), stepwise(Some(32)), stepwise(Some(256))];
    let paper = GpuFwaParams::paper();
    // The paper's numbers; as many sparks as lanes; more sparks and an odd number of explosions; and only one
    // explosion.
    for (sparks, explosions) in [(paper.sparks, paper.explosions), (32, 2), (33, 3), (64, 1)] {
        let algorithm = GpuFwaParams { sparks, explosions, ..paper };
        for &individuals in fireworks {
            for dimensions in [2, 30, 32] {
                let case = Case::new("rastrigin", dimensions, individuals).with(algorithm);
                crate::check(&Case { iterations: iterations.into(), ..case }, &places);
            }
        }
    }
    for &particles in particles {
        for slaves in [1, 10] {
            let paper = CmepsoParams { slaves, ..CmepsoParams::paper(iterations) };
            let individuals = u64::from(slaves) * (particles + 1);
            for (problem, dimensions) in [("spring", 3), ("rosenbrock", 33)] {
                let case = Case::new(problem, dimensions, individuals).with(paper);
                crate::check(&Case { iterations: iterations.min(20).into(), ..case }, &places);
            }
        }
    }
}

/// Runs in parts, each with another schedule that continues from the state of the previous one, and requires the result
/// of a single run.
///
/// # Panics
///
/// If bits differ.
pub fn check_in_pieces(backend: Backend, algorithm: impl Into<Algorithm>, individuals: u64) {
    let case = Case { runs: 3, ..Case::new("rastrigin", 5, individuals).with(algorithm) };
    let start = |schedule| case.start::<f64>(Place::device(backend, schedule, None)).unwrap();
    let mut reference = case.start::<f64>(Place::REFERENCE).unwrap();
    let mut state = start(Schedule::Stepwise).state().unwrap();
    let schedules = [Schedule::Stepwise, Schedule::Resident, Schedule::Stepwise];
    for (pieces, schedule) in [[1, 4], [2, 7], [3, 1]].into_iter().zip(schedules) {
        let mut optimiser = start(schedule);
        optimiser.restore(&state).unwrap();
        for iterations in pieces {
            optimiser.step(iterations).unwrap();
            reference.step(iterations).unwrap();
            state = optimiser.state().unwrap();
            assert_eq!(state, reference.state().unwrap(), "{schedule}, {iterations} iterations");
        }
    }
}
