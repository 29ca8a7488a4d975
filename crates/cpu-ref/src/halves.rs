//! Iterations in two halves, for those who evaluate points themselves, all of an iteration at once.

use warpswarm_core::launch::StopRule;
use warpswarm_core::order::Fitness;

use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::Threads;

/// The halves of iterations, which follow each other: [`propose`](Halves::propose), then [`accept`](Halves::accept).
///
/// The bits are those of whole iterations, with any [`Threads`].
pub trait Halves<R>: Send + Sync {
    /// Puts the points that the individuals propose, `[attempt][coordinate]`, into `points`; the swarm stays as it is.
    fn propose(
        &mut self,
        swarm: &Swarm<R>,
        bounds: Bounds<'_, R>,
        threads: Threads,
        points: &mut Vec<R>,
    );

    /// Takes the fitness of what was proposed, in the same order, by the level of the run.
    ///
    /// # Panics
    ///
    /// Where there are more or fewer than was proposed.
    fn accept(
        &mut self,
        swarm: &mut Swarm<R>,
        stop: &StopRule<R>,
        told: &[Fitness<R>],
        threads: Threads,
    );
}
