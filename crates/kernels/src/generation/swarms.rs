//! The bests of swarms, which a block computes once for all its threads if each thread has an individual.

use warpswarm_core::method::{Fitnesses, Method};
use warpswarm_core::order::Candidate;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread};

use super::seen::SeenByWarp;

/// The best of each [swarm](Method::swarms), if the method uses them and the scratch of a candidate for each thread has
/// room. Collective in the block; between two calls there is another barrier.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn bests_of_swarms<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    seen: SeenByWarp<'_, R, CONSTRAINED>,
    scratch: SharedArray<Candidate<R>>,
) -> Option<SharedArray<Candidate<R>>> {
    if !M::SWARMS {
        return None;
    }
    let (swarms, size) = method.swarms();
    // The places before them belong to the agreement of the blocks.
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
