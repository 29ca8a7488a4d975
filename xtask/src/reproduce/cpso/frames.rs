//! The swarms in the paper's Figure 6: 5,000 particles in two dimensions at iterations 0, 100 and 200.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::StopRule;
use warpswarm_core::problems::Euclidean;
use warpswarm_core::pso::Coefficients;
use warpswarm_cpu_ref::{Bounds, Halt, RunId, Start, StaticObjective, Swarm, Task, Threads, pso};

/// Half the side length of the search square. The paper does not give it.
pub(crate) const REACH: f32 = 100.0;

/// The iterations at which the paper shows the swarm.
pub(crate) const SHOWN: [u64; 3] = [0, 100, 200];

const PARTICLES: u32 = 5_000;
const SEED: u64 = 1;

/// The paper's coefficients, with which a swarm does not converge. The velocity is not limited, and
/// positions are clamped to the square; the paper mentions neither.
pub(crate) const PAPER: Coefficients<f32> = coefficients(1.0, 2.0, f32::INFINITY);

/// The coefficients of Clerc and Kennedy, which are the default of warpswarm.
pub(crate) const CLERC_KENNEDY: Coefficients<f32> = coefficients(0.7298, 1.4962, 1.0);

const fn coefficients(inertia: f32, pull: f32, velocity_limit: f32) -> Coefficients<f32> {
    let (cognitive, social, boundary) = (pull, pull, Boundary::Clamp);
    Coefficients { inertia, cognitive, social, velocity_limit, correction: 0.22, boundary }
}

/// A swarm at one iteration.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) iteration: u64,
    pub(crate) points: Vec<(f64, f64)>,
    /// The median distance of the particles from the optimum.
    pub(crate) median_distance: f64,
}

/// The swarm with these coefficients at the iterations in [`SHOWN`].
pub(crate) fn frames(coefficients: &Coefficients<f32>) -> [Frame; 3] {
    let task = task();
    let id = RunId { seed: SEED, run: 0 };
    let mut swarm = Swarm::new(&task, PARTICLES, id, Threads::Serial);
    SHOWN.map(|iteration| {
        let more = iteration - swarm.control.iterations;
        pso::run(&mut swarm, &task, coefficients, more, Threads::Serial);
        frame(&swarm)
    })
}

fn task() -> Task<'static, f32, StaticObjective<Euclidean>> {
    let bounds = Bounds { lower: &[-REACH; 2], upper: &[REACH; 2] };
    Task {
        objective: StaticObjective(Euclidean),
        bounds,
        start: Start::default(),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    }
}

fn frame(swarm: &Swarm<f32>) -> Frame {
    let points: Vec<(f64, f64)> = (0..swarm.individuals())
        .map(|i| swarm.position(i))
        .map(|x| (f64::from(x[0]), f64::from(x[1])))
        .collect();
    let mut distances: Vec<f64> = points.iter().map(|(x, y)| x.hypot(*y)).collect();
    distances.sort_by(f64::total_cmp);
    let median_distance = distances[distances.len() / 2];
    Frame { iteration: swarm.control.iterations, points, median_distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_coefficients_converge_and_the_papers_do_not() {
        let distances = |coefficients| frames(coefficients).map(|f| f.median_distance);
        let [start, middle, end] = distances(&CLERC_KENNEDY);
        assert!(start > 50.0 && middle < 1e-2 && end < middle);
        let [.., end] = distances(&PAPER);
        assert!(end > 50.0);
    }

    #[test]
    fn every_particle_is_shown_in_the_square() {
        for frame in frames(&PAPER) {
            assert_eq!(frame.points.len(), PARTICLES as usize);
            let reach = f64::from(REACH);
            assert!(frame.points.iter().all(|(x, y)| x.abs() <= reach && y.abs() <= reach));
        }
    }
}
