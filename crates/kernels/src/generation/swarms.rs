//! The bests of swarms, for which a block searches once, where its threads have an individual each.

use warpswarm_core::method::{Fitnesses, Method};
use warpswarm_core::order::Candidate;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread};

use super::seen::SeenByWarp;

/// The best of each [swarm](Method::swarms), if the method asks for them and the scratch, of a candidate a thread, has room for them.
/// Collective in the block; who asks for the next has been at another barrier before.
#[inline(always)]
pub(super) fn bests_of_swarms<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    seen: SeenByWarp<'_, R, CONSTRAINED>,
    scratch: SharedArray<Candidate<R>>,
) -> Option<SharedArray<Candidate<R>>> {
    if !M::SWARMS {
        return None;
    }
    let (swarms, size) = method.swarms();
    // Before them is what the blocks' agreement takes.
    let (threads, warps) = (thread::block_dim(), thread::block_dim() / 32);
    if warps + 1 + swarms > threads {
        return None;
    }
    let bests = scratch.part(warps + 1, swarms);
    let mut swarm = thread::warp();
    while swarm < swarms {
        let best = seen.best_of_swarm(swarm, size);
        if thread::lane() == 0 {
            bests.set(swarm, best);
        }
        swarm += warps;
    }
    block::sync();
    Some(bests)
}
