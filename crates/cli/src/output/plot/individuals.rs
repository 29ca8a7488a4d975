//! The individuals of a run as points of a picture.

use warpswarm::{Precise, Swarm};
use warpswarm_pictures::Frame;

/// The current frame of a run, with a limited number of individuals.
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
    // For methods only the accepted points of individuals are stored.
    let places = if swarm.positions.is_empty() { &swarm.best_positions } else { &swarm.positions };
    Frame {
        iteration: swarm.control.iterations,
        individuals: swarm.best.len() as u64,
        points: places.chunks(swarm.stride).step_by(every).map(point).collect(),
        best: point(&swarm.best_positions[best * swarm.stride..]),
    }
}
