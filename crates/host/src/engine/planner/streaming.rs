//! The streaming schedule of PSO: see [`pso_kernels::STREAMING`].

use warpswarm_core::Float;
use warpswarm_core::launch::{
    BULK_PARTICLES, BulkLayout, MAX_BLOCK, Tile, pso_kernels, row_stride, streaming_shared_bytes,
};

use super::{Demand, Layout, Occupancy, Resident, WARP, forced, placing, striding};
use crate::error::Result;
use crate::settings::choices::Schedule;

/// The block size of streaming schedules: enough warps to hide latency, enough blocks to balance the load.
const STREAMING_BLOCK: u32 = 128;
/// The number of stages per warp from which bulk copies are used: nothing hides the first load and the last store.
const BULK_ROUNDS: u64 = 4;

/// The streaming schedule, with bulk copies if they are worthwhile.
pub(super) fn streaming<R: Float>(demand: &Demand, occupancy: Occupancy<'_>) -> Result<Layout> {
    let tile = Tile::for_dimensions::<R>(demand.dimensions);
    let most = tile.map_or(MAX_BLOCK, |tile| tile.max_block);
    let block = forced(demand, most)?.unwrap_or(STREAMING_BLOCK.min(most));
    if let Some(tile) = tile.filter(BulkLayout::is_for)
        && let Some(layout) = by_bulk_copies::<R>(demand, tile, occupancy)?
    {
        return Ok(layout);
    }
    let shared = streaming_shared_bytes::<R>(tile.as_ref(), block, demand.gathers);
    let one = Resident { kernel: pso_kernels::STREAMING, tile, block, shared, cluster: 0 };
    let lanes = tile.map_or(WARP, |tile| tile.lanes);
    let grid = striding(demand, block / lanes, &one, occupancy)?;
    let placing = placing(demand);
    Ok(Layout { schedule: Schedule::Streaming, tile, grid, bulk: false, shared, placing })
}

/// The streaming schedule with bulk copies: if the device supports them, all blocks run at the same time, and each warp
/// has several stages. Uses the largest block for which there is shared memory.
fn by_bulk_copies<R: Float>(
    demand: &Demand,
    tile: Tile,
    occupancy: Occupancy<'_>,
) -> Result<Option<Layout>> {
    // With so few particles the kernel need not even be loaded.
    let all = u64::from(demand.individuals) * u64::from(demand.runs);
    let per_multiprocessor = all / u64::from(demand.multiprocessors.max(1));
    if per_multiprocessor < BULK_ROUNDS * u64::from(BULK_PARTICLES) {
        return Ok(None);
    }
    let (least, most) = match demand.block {
        Some(block) => (block, block),
        None => (WARP, tile.max_block),
    };
    for block in (least..=most).rev().step_by(WARP as usize) {
        let stride = row_stride(demand.dimensions);
        let spread = (tile.lanes, tile.dimensions());
        let shared = BulkLayout::new::<R>(spread, (block, stride), demand.gathers).bytes;
        let kernel = pso_kernels::STREAMING_BULK;
        let one = Resident { kernel, tile: Some(tile), block, shared, cluster: 0 };
        let capacity = u64::from(occupancy(&one)?) * u64::from(demand.multiprocessors);
        if capacity == 0 {
            continue;
        }
        let particles = block / WARP * BULK_PARTICLES;
        let grid = striding(demand, particles, &one, occupancy)?;
        let blocks = u64::from(grid.blocks_per_run);
        let rounds = u64::from(demand.individuals) / (blocks * u64::from(particles));
        let enough = rounds >= BULK_ROUNDS && blocks * u64::from(demand.runs) <= capacity;
        let (schedule, tile, placing) = (Schedule::Streaming, Some(tile), placing(demand));
        let layout = Layout { schedule, tile, grid, bulk: true, shared, placing };
        return Ok(Some(layout).filter(|_| enough));
    }
    Ok(None)
}
