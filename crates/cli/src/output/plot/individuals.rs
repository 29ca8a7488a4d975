//! Where the individuals of a run are, as pictures have them.

use warpswarm::{Precise, Swarm};
use warpswarm_pictures::Frame;

/// A run as it is now, with so many individuals at most.
pub(super) fn frame<R: Precise>(
    swarm: &Swarm<R>,
    natural: &dyn Fn(&[R]) -> Vec<R>,
    at_most: usize,
) -> Frame {
    let point = |row: &[R]| {
        let x = natural(&row[..swarm.dimensions]);
        [x[0].to_f64(), x[1].to_f64()]
    };
    let fitness = swarm.best.iter().enumerate();
    let best = fitness.min_by_key(|(_, fitness)| fitness.ordered()).map_or(0, |(best, _)| best);
    let every = swarm.best.len().div_ceil(at_most).max(1);
    // Methods keep only what individuals have taken for good.
    let places = if swarm.positions.is_empty() { &swarm.best_positions } else { &swarm.positions };
    Frame {
        iteration: swarm.control.iterations,
        individuals: swarm.best.len() as u64,
        points: places.chunks(swarm.stride).step_by(every).map(point).collect(),
        best: point(&swarm.best_positions[best * swarm.stride..]),
    }
}
