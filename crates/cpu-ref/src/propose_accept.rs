//! Iterations in two halves, for callers that evaluate all points of an iteration themselves.

use warpswarm_core::launch::StopRule;
use warpswarm_core::order::Fitness;

use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::Threads;

/// The two halves of an iteration, in turn: [`propose`](ProposeAccept::propose), then [`accept`](ProposeAccept::accept).
///
/// The bits are those of whole iterations, with any [`Threads`].
pub trait ProposeAccept<R>: Send + Sync {
    /// Writes the points that the individuals propose, `[attempt][coordinate]`, to `points`; does not change the swarm.
    fn propose(
        &mut self,
        swarm: &Swarm<R>,
        bounds: Bounds<'_, R>,
        threads: Threads,
        points: &mut Vec<R>,
    );

    /// Takes the fitnesses of the proposed points, in the same order, at the level of the run.
    ///
    /// # Panics
    ///
    /// Panics if there are more or fewer fitnesses than proposed points.
    fn accept(
        &mut self,
        swarm: &mut Swarm<R>,
        stop: &StopRule<R>,
        told: &[Fitness<R>],
        threads: Threads,
    );
}
