//! The planner: chooses schedule and grid from the sizes of a job and of a device.
//!
//! | the swarm of one run | schedule |
//! |---|---|
//! | fits into the registers of one block | resident, one block per run |
//! | has so many particles that each can have a thread | the same, in columns |
//! | fits into the registers of 16 blocks, and the device has clusters | resident, one cluster per run |
//! | fits into the registers of the blocks that run at the same time | resident, several blocks, cooperative |
//! | is one of many such swarms, of more than 32 dimensions | streaming, which is faster at this size |
//! | does not fit | streaming, with a tile, or for more than 128 dimensions a warp per particle |
//! | the same, of more than 32 dimensions, and the device has bulk copies | streaming with bulk copies |
//!
//! If the host evaluates, individuals are in memory, with a warp for each. The results of a run do not depend on the
//! plan.

pub(crate) mod cma_es;
pub(crate) mod generation;
pub(crate) mod place;
pub(crate) mod stepwise;
mod streaming;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    MAX_BLOCK, MAX_CLUSTER, ResidentLayout, Tile, cluster_board_len, in_columns, pso_kernels,
    reduction_shared_bytes, row_stride,
};

use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::machine::Shape;
use crate::settings::choices::Schedule;
use streaming::streaming;

/// Threads of a warp.
const WARP: u32 = 32;
/// The largest number of blocks in a grid.
pub(crate) const MAX_GRID: u64 = (1 << 31) - 1;
/// The smallest block size if several blocks share a run: with fewer threads, synchronising costs more than moving.
const SHARING_BLOCK: u32 = 128;
/// The largest number of blocks whose reports a warp reads at once, with one lane for each, and the largest block size
/// that is used to stay below it. The exchange is then faster, and the rest slower. Rastrigin in 30 dimensions, 768 and
/// 1,024 particles, 1,000 and 10,000 iterations, microseconds each (H200, 2026-11-23): blocks of 128 threads 1.43, 0.56
/// and 1.40, 0.53; few enough blocks to read all reports at once 1.27, 0.59 and 1.28, 0.59.
const HEARD_AT_ONCE: u64 = 32;
const HEARD_BLOCK: u32 = 256;
/// The bytes of shared memory that a block can use on any device.
const ANY_SHARED: u32 = 48 * 1024;
/// The number of particles per multiprocessor and dimension from which particles are in columns: one thread computes
/// all coordinates, so that fewer particles do not keep a multiprocessor busy.
const IN_COLUMNS: u64 = 5;
/// The number of particles per multiprocessor, of all runs, beyond which particles of more than 32 dimensions are
/// streamed: a multiprocessor holds few of them, and several waves cost more than memory traffic. Rastrigin in 100
/// dimensions, microseconds per iteration, resident and streaming (H200, 2026-11-23): 30 runs of 128 particles 5.8 and
/// 11.8, 30 of 512 25.3 and 18.8, 1,000 of 32 42.1 and 33.2, 1,000 of 512 761 and 376.
const HELD_IN_WAVES: u64 = 100;
/// The block size of the schedule `stepwise`.
const STEPWISE_BLOCK: u32 = 128;
/// The number of blocks per multiprocessor in the launches that place the individuals.
const PLACING_BLOCKS: u64 = 8;

/// The planner's input: the sizes of the job and of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) individuals: u32,
    pub(crate) runs: u32,
    pub(crate) dimensions: u32,
    /// Whether lanes exchange coordinates.
    pub(crate) gathers: bool,
    /// Whether particles that leave their bounds are clamped to them.
    pub(crate) clamps: bool,
    /// The number of multiprocessors of the device.
    pub(crate) multiprocessors: u32,
    pub(crate) schedule: Schedule,
    /// The user's block size.
    pub(crate) block: Option<u32>,
}

/// A kernel with a block size, for which the device reports how many blocks fit on a multiprocessor; or a cluster of
/// such blocks, for which it reports how many run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resident {
    pub(crate) kernel: &'static str,
    pub(crate) tile: Option<Tile>,
    pub(crate) block: u32,
    pub(crate) shared: u32,
    /// The number of blocks per cluster; 0 without clusters.
    pub(crate) cluster: u32,
}

/// Asks the device how many such blocks fit on a multiprocessor, or how many such clusters on the device, at the same
/// time.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(&Resident) -> Result<u32>;

/// How the runs are mapped to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) schedule: Schedule,
    pub(crate) tile: Option<Tile>,
    pub(crate) grid: Geometry,
    /// Whether streaming uses bulk copies.
    pub(crate) bulk: bool,
    /// Bytes of shared memory of the kernel that reduces, or does everything.
    pub(crate) shared: u32,
    /// The launches that place the individuals.
    pub(crate) placing: Geometry,
}

/// The grid of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) block: u32,
    pub(crate) blocks_per_run: u32,
    pub(crate) runs_per_launch: u32,
    /// Whether the blocks of a run are a cluster.
    pub(crate) cluster: bool,
}

impl Geometry {
    /// The launches for this number of runs: the first run of each, and its number of runs.
    pub(crate) fn waves(self, runs: u32) -> impl Iterator<Item = (u32, u32)> {
        let most = self.runs_per_launch;
        (0..runs).step_by(most as usize).map(move |first| (first, most.min(runs - first)))
    }
}

impl Shape {
    /// A launch for this number of runs.
    pub(crate) fn of(grid: Geometry, runs: u32, shared: u32, cooperative: bool) -> Self {
        let cluster = if grid.cluster { grid.blocks_per_run } else { 0 };
        let blocks = runs * grid.blocks_per_run;
        Shape { grid: blocks, block: grid.block, shared, cooperative, cluster }
    }
}

impl Layout {
    /// Whether the blocks of a run are synchronised by a cooperative launch.
    pub(crate) fn shares_grid(&self) -> bool {
        let Geometry { blocks_per_run, cluster, .. } = self.grid;
        self.schedule == Schedule::Resident && blocks_per_run > 1 && !cluster
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: self.schedule,
            tile: self.tile.map(|tile| tile.name),
            block: self.grid.block,
            blocks_per_run: self.grid.blocks_per_run,
            cluster: self.grid.cluster,
            bulk_copies: self.bulk,
            runs_per_launch: self.grid.runs_per_launch,
        }
    }
}

/// Maps the runs to the device.
pub(crate) fn plan<R: Float>(demand: &Demand, occupancy: Occupancy<'_>) -> Result<Layout> {
    match demand.schedule {
        Schedule::Stepwise => stepwise::<R>(demand, occupancy),
        Schedule::Streaming => streaming::<R>(demand, occupancy),
        Schedule::Hosted => unreachable!("these kernels evaluate"),
        Schedule::Resident => resident::<R>(demand, occupancy)?.map_err(|reason| {
            let alternatives = "auto, streaming, stepwise, hosted";
            Error::Schedule { schedule: demand.schedule, reason, alternatives }
        }),
        Schedule::Auto if is_better_streamed::<R>(demand) => streaming::<R>(demand, occupancy),
        Schedule::Auto => match resident::<R>(demand, occupancy)? {
            Ok(layout) => Ok(layout),
            Err(_) => streaming::<R>(demand, occupancy),
        },
    }
}

/// Whether a batch that could be resident is faster with streaming.
fn is_better_streamed<R: Float>(demand: &Demand) -> bool {
    let all = u64::from(demand.individuals) * u64::from(demand.runs);
    let large = demand.dimensions > Tile::columns::<R>().dimensions();
    large && all > HELD_IN_WAVES * u64::from(demand.multiprocessors)
}

/// The user's block size, which must not exceed the kernel's largest one.
fn forced(demand: &Demand, most: u32) -> Result<Option<u32>> {
    match demand.block {
        Some(block) if block > most => Err(Error::Setting {
            field: "block_size",
            value: block.to_string(),
            allowed: format!("multiples of 32 up to {most} for this schedule and size"),
        }),
        block => Ok(block),
    }
}

/// The resident schedule, or why it is impossible.
fn resident<R: Float>(demand: &Demand, occupancy: Occupancy<'_>) -> Result<Result<Layout, String>> {
    let Demand { individuals, dimensions, runs, .. } = *demand;
    let Some(tile) = Tile::for_dimensions::<R>(dimensions) else {
        let most = Tile::all::<R>().iter().map(Tile::dimensions).max().unwrap_or(0);
        return Ok(Err(format!("{dimensions} dimensions, and registers hold {most}")));
    };
    let columns = Tile::columns::<R>();
    let fit = tile.per_lane > 2 && dimensions <= columns.dimensions();
    if !fit || !demand.clamps {
        return resident_in::<R>(demand, tile, occupancy);
    }
    let enough = IN_COLUMNS * u64::from(demand.multiprocessors) * u64::from(dimensions);
    let many = u64::from(individuals) * u64::from(runs) >= enough;
    // In registers if they suffice and one block has the whole run: there are no such kernels for several blocks.
    let rows = Tile::rows::<R>();
    let block = demand.block.map_or(rows.max_block, |block| block.min(rows.max_block));
    let alone = individuals <= block && dimensions <= rows.dimensions();
    let thread = if alone { rows } else { columns };
    let [first, second] = if many { [thread, tile] } else { [tile, thread] };
    match resident_in::<R>(demand, first, occupancy)? {
        Ok(layout) => Ok(Ok(layout)),
        Err(_) => resident_in::<R>(demand, second, occupancy),
    }
}

/// The resident schedule with this tile, or why it is impossible.
fn resident_in<R: Float>(
    demand: &Demand,
    tile: Tile,
    occupancy: Occupancy<'_>,
) -> Result<Result<Layout, String>> {
    let Demand { individuals, dimensions, runs, .. } = *demand;
    let wanted = forced(demand, tile.max_block)?;
    let threads = u64::from(individuals) * u64::from(tile.lanes);
    let shared = |block, board| {
        let stride = row_stride(dimensions);
        let tile = (tile.lanes, tile.dimensions());
        ResidentLayout::new::<R>(tile, (block, stride), demand.gathers, board).bytes
    };
    let layout = |grid: Geometry, shared| Layout {
        schedule: Schedule::Resident,
        tile: Some(tile),
        grid,
        bulk: false,
        shared,
        placing: placing(demand),
    };
    if threads <= u64::from(wanted.unwrap_or(tile.max_block)) && !is_better_shared(demand, tile) {
        let block = wanted.unwrap_or((threads as u32).next_multiple_of(WARP));
        let kernel = pso_kernels::RESIDENT;
        let shared = shared(block, 0);
        let one = Resident { kernel, tile: Some(tile), block, shared, cluster: 0 };
        // Columns may need more shared memory than an older device has for a block.
        if one.shared > ANY_SHARED && occupancy(&one)? == 0 {
            return Ok(Err(format!("a block needs {} bytes of shared memory", one.shared)));
        }
        return Ok(Ok(layout(geometry(block, 1, runs, MAX_GRID), shared)));
    }
    let most = tile.max_grid_block;
    let wanted = forced(demand, most)?;
    if takes_clusters(demand, tile) {
        let shared = |block| shared(block, cluster_board_len::<R>(tile.dimensions()));
        let kernel = pso_kernels::RESIDENT_CLUSTER;
        let at_once = u64::from(MAX_CLUSTER);
        for block in sharing_blocks(demand, (tile, threads), (wanted, most), at_once) {
            let blocks = threads.div_ceil(u64::from(block)) as u32;
            let shared = shared(block);
            let one = Resident { kernel, tile: Some(tile), block, shared, cluster: blocks };
            if blocks <= MAX_CLUSTER && occupancy(&one)? > 0 {
                let grid = geometry(block, u64::from(blocks), runs, MAX_GRID);
                return Ok(Ok(layout(Geometry { cluster: true, ..grid }, shared)));
            }
        }
    }
    let mut fitting = (0, 0);
    let few = HEARD_AT_ONCE * u64::from(HEARD_BLOCK.min(most));
    let is_few = tile.per_lane > 2 && threads <= few && !in_columns(tile.lanes, tile.per_lane);
    let at_once = if is_few { HEARD_AT_ONCE } else { u64::MAX };
    for block in sharing_blocks(demand, (tile, threads), (wanted, most), at_once) {
        let kernel = pso_kernels::RESIDENT_GRID;
        let shared = shared(block, 0);
        let one = Resident { kernel, tile: Some(tile), block, shared, cluster: 0 };
        let capacity = u64::from(occupancy(&one)?) * u64::from(demand.multiprocessors);
        let needed = threads.div_ceil(u64::from(block));
        if needed <= capacity {
            return Ok(Ok(layout(geometry(block, needed, runs, capacity), shared)));
        }
        fitting = (needed, capacity);
    }
    let (needed, capacity) = fitting;
    Ok(Err(format!(
        "{individuals} individuals need {needed} blocks, of which {capacity} run at the same time"
    )))
}

/// Whether a swarm that fits into one block is faster in several: this is so for particles with one thread each, if
/// there are so many that they compete for execution. Two dimensions, 512 particles, microseconds per iteration of
/// 10,000 (H200, 2026-11-23): one block 0.38, four blocks 0.26.
fn is_better_shared(demand: &Demand, tile: Tile) -> bool {
    let blocks = demand.individuals.div_ceil(SHARING_BLOCK);
    let room = u64::from(blocks) * u64::from(demand.runs) <= u64::from(demand.multiprocessors);
    tile.lanes == 1 && tile.per_lane <= 2 && blocks > 2 && room && demand.block.is_none()
}

/// Whether a cluster per run is worthwhile: for a batch, because cooperative grids hold few runs; for a single run if
/// small blocks suffice and lanes share particles. Rastrigin in 30 dimensions, 256 particles, 1,000 and 10,000
/// iterations, microseconds each (H200, 2026-11-23): cluster 1.19, 0.49, grid 1.26, 0.50; 768 particles, which need
/// larger blocks: 1.34, 0.68, grid 1.27, 0.59.
fn takes_clusters(demand: &Demand, tile: Tile) -> bool {
    let threads = u64::from(demand.individuals) * u64::from(tile.lanes);
    let small = threads <= u64::from(MAX_CLUSTER * SHARING_BLOCK);
    let one = tile.per_lane > 2 && small;
    !in_columns(tile.lanes, tile.per_lane) && (one || demand.runs > 1 || demand.block.is_some())
}

/// The block sizes to try for a run with up to `at_once` blocks, the best first; `most` is the largest size.
fn sharing_blocks(
    demand: &Demand,
    (tile, threads): (Tile, u64),
    (forced, most): (Option<u32>, u32),
    at_once: u64,
) -> Vec<u32> {
    if let Some(block) = forced {
        return vec![block];
    }
    // Small enough that all runs together fill the device: blocks synchronise rarely.
    let multiprocessors = u64::from(demand.multiprocessors.div_ceil(demand.runs).max(1));
    let even = threads.div_ceil(multiprocessors.min(at_once)).min(u64::from(most)) as u32;
    // In columns, moving takes so long that using all multiprocessors is worthwhile.
    let least = if in_columns(tile.lanes, tile.per_lane) { WARP } else { SHARING_BLOCK.min(most) };
    let mut block = even.next_multiple_of(WARP).clamp(least, most);
    let mut blocks = vec![block];
    while block < most {
        block = (2 * block).min(most);
        blocks.push(block);
    }
    blocks
}

fn stepwise<R: Float>(demand: &Demand, occupancy: Occupancy<'_>) -> Result<Layout> {
    let block = forced(demand, MAX_BLOCK)?.unwrap_or(STEPWISE_BLOCK);
    let shared = reduction_shared_bytes::<R>(block);
    let kernel = pso_kernels::POSITION;
    let one = Resident { kernel, tile: None, block, shared, cluster: 0 };
    let grid = striding(demand, block, &one, occupancy)?;
    let (schedule, placing) = (Schedule::Stepwise, placing(demand));
    Ok(Layout { schedule, tile: None, grid, bulk: false, shared, placing })
}

/// The grid of a kernel whose blocks stride over the individuals: as many blocks as the device runs at the same time,
/// but no more than the individuals need.
fn striding(
    demand: &Demand,
    individuals_per_block: u32,
    one: &Resident,
    occupancy: Occupancy<'_>,
) -> Result<Geometry> {
    let needed = u64::from(demand.individuals.div_ceil(individuals_per_block));
    let capacity = u64::from(occupancy(one)?.max(1)) * u64::from(demand.multiprocessors);
    let share = capacity.div_ceil(u64::from(demand.runs));
    Ok(geometry(one.block, needed.min(share), demand.runs, MAX_GRID))
}

/// The grid of the launches that place the individuals, with a warp for each.
fn placing(demand: &Demand) -> Geometry {
    let needed = u64::from(demand.individuals).div_ceil(u64::from(MAX_BLOCK / WARP));
    let capacity = PLACING_BLOCKS * u64::from(demand.multiprocessors);
    let share = capacity.div_ceil(u64::from(demand.runs));
    geometry(MAX_BLOCK, needed.min(share), demand.runs, MAX_GRID)
}

/// Launches of at most `capacity` blocks; each contains at least one run.
fn geometry(block: u32, blocks_per_run: u64, runs: u32, capacity: u64) -> Geometry {
    let runs_per_launch = (capacity / blocks_per_run).clamp(1, u64::from(runs)) as u32;
    // Runs with more blocks than a grid can have do not occur here: blocks stride, or all run at once.
    let blocks_per_run = blocks_per_run as u32;
    Geometry { block, blocks_per_run, runs_per_launch, cluster: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Demand = Demand {
        individuals: 1024,
        runs: 1,
        dimensions: 30,
        gathers: false,
        clamps: true,
        multiprocessors: 132,
        schedule: Schedule::Auto,
        block: None,
    };

    /// As many blocks as fit into 1,024 threads, without clusters and bulk copies.
    fn thousand(one: &Resident) -> Result<u32> {
        let newer = one.cluster > 0 || one.kernel == pso_kernels::STREAMING_BULK;
        Ok(if newer { 0 } else { 1024 / one.block })
    }

    /// With bulk copies, and with the shared memory of an H200.
    fn thousand_bulk(one: &Resident) -> Result<u32> {
        Ok((1024 / one.block).min(227 * 1024 / one.shared.max(1)))
    }

    /// With clusters of up to 8 blocks.
    fn thousand_near(one: &Resident) -> Result<u32> {
        Ok(if one.cluster > 0 { u32::from(one.cluster <= 8) } else { 1024 / one.block })
    }

    fn grid(demand: Demand) -> (Schedule, Option<&'static str>, u32, u32, u32) {
        let plan = plan::<f32>(&demand, &mut thousand).unwrap().plan();
        assert!(!plan.cluster);
        (plan.schedule, plan.tile, plan.block, plan.blocks_per_run, plan.runs_per_launch)
    }

    #[test]
    fn small_swarms_stay_in_one_block() {
        use Schedule::Resident;
        let one = |individuals, dimensions| grid(Demand { individuals, dimensions, ..H200 });
        assert_eq!(one(1, 1), (Resident, Some("x1k2"), 32, 1, 1));
        assert_eq!(one(33, 2), (Resident, Some("x1k2"), 64, 1, 1));
        assert_eq!(one(256, 2), (Resident, Some("x1k2"), 256, 1, 1));
        let many = Demand { individuals: 512, dimensions: 2, runs: 34, ..H200 };
        assert_eq!(grid(many), (Resident, Some("x1k2"), 512, 1, 34));
        assert_eq!(one(48, 30), (Resident, Some("x8k4"), 384, 1, 1));
        assert_eq!(one(5, 33), (Resident, Some("x16k8"), 96, 1, 1));
        let batch = Demand { individuals: 40, runs: 1_000_000, dimensions: 10, ..H200 };
        assert_eq!(grid(batch), (Resident, Some("x1k16"), 64, 1, 1_000_000));
        let longer = Demand { dimensions: 17, ..batch };
        assert_eq!(grid(longer), (Resident, Some("column"), 64, 1, 1_000_000));
        assert_eq!(grid(Demand { runs: 100, ..batch }), (Resident, Some("x8k4"), 320, 1, 100));
        let reflecting = Demand { clamps: false, ..batch };
        assert_eq!(grid(reflecting), (Resident, Some("x8k4"), 320, 1, 1_000_000));
    }

    #[test]
    fn larger_swarms_share_blocks_that_run_together() {
        use Schedule::Resident;
        let one = |individuals, dimensions| grid(Demand { individuals, dimensions, ..H200 });
        assert_eq!(one(257, 2), (Resident, Some("x1k2"), 128, 3, 1));
        assert_eq!(one(513, 2), (Resident, Some("x1k2"), 128, 5, 1));
        assert_eq!(one(8192, 2), (Resident, Some("x1k2"), 128, 64, 1));
        assert_eq!(one(65_536, 2), (Resident, Some("x1k2"), 512, 128, 1));
        assert_eq!(one(512, 30), (Resident, Some("x8k4"), 128, 32, 1));
        assert_eq!(one(768, 30), (Resident, Some("x8k4"), 192, 32, 1));
        assert_eq!(one(1024, 30), (Resident, Some("x8k4"), 256, 32, 1));
        assert_eq!(one(1025, 30), (Resident, Some("x8k4"), 128, 65, 1));
        // 132 * 768 threads fit at once, in blocks of at most 384.
        assert_eq!(one(12_672, 30), (Resident, Some("x8k4"), 384, 264, 1));
        // 132 * 1,024 threads, with one particle each.
        assert_eq!(one(12_673, 30), (Resident, Some("column"), 128, 100, 1));
        assert_eq!(one(65_536, 30), (Resident, Some("column"), 512, 128, 1));
        assert_eq!(one(135_169, 30).0, Schedule::Streaming);
        let batch = Demand { individuals: 4096, runs: 100, dimensions: 2, ..H200 };
        assert_eq!(grid(batch), (Resident, Some("x1k2"), 512, 8, 33));
    }

    /// A multiprocessor whose registers suffice for 384 threads that share particles, as an H200's: threads with one
    /// particle each use all multiprocessors.
    #[test]
    fn columns_take_all_multiprocessors() {
        let mut held = |one: &Resident| {
            let threads = if one.tile.is_some_and(|tile| tile.lanes > 1) { 384 } else { 1024 };
            Ok(if one.cluster > 0 { 0 } else { threads / one.block })
        };
        for (individuals, block, blocks) in [(6_337, 64, 100), (8_192, 64, 128), (9_000, 96, 94)] {
            let plan = plan::<f32>(&Demand { individuals, ..H200 }, &mut held).unwrap().plan();
            assert_eq!(
                (plan.tile, plan.block, plan.blocks_per_run),
                (Some("column"), block, blocks)
            );
        }
    }

    #[test]
    fn clusters_are_taken_where_the_device_has_them() {
        let one = |demand| {
            let plan = plan::<f32>(&demand, &mut thousand_near).unwrap().plan();
            (plan.cluster, plan.block, plan.blocks_per_run, plan.runs_per_launch)
        };
        let sized = |individuals, dimensions| Demand { individuals, dimensions, ..H200 };
        assert_eq!(one(sized(48, 30)), (false, 384, 1, 1));
        assert_eq!(one(sized(49, 30)), (true, 128, 4, 1));
        assert_eq!(one(sized(128, 30)), (true, 128, 8, 1));
        // Sixteen blocks are more than this device supports in a cluster.
        assert_eq!(one(sized(256, 30)), (true, 256, 8, 1));
        assert_eq!(one(sized(257, 30)), (false, 128, 17, 1));
        assert_eq!(one(sized(300, 2)), (false, 128, 3, 1));
        assert_eq!(one(Demand { runs: 50, ..sized(600, 2) }), (true, 224, 3, 50));
        assert_eq!(one(Demand { block: Some(128), ..sized(128, 30) }), (true, 128, 8, 1));
        assert_eq!(one(Demand { block: Some(64), ..sized(128, 30) }), (false, 64, 16, 1));
        // One launch has any number of clusters, because they do not wait for each other.
        assert_eq!(one(Demand { runs: 100, ..sized(128, 30) }), (true, 384, 3, 100));
        let layout = plan::<f32>(&sized(128, 30), &mut thousand_near).unwrap();
        assert!(!layout.shares_grid() && layout.shared > 8 * 2 * 16 * 33);
    }

    #[test]
    fn the_largest_stream() {
        use Schedule::Streaming;
        let one = |individuals, dimensions| grid(Demand { individuals, dimensions, ..H200 });
        assert_eq!(one(1 << 20, 100), (Streaming, Some("x16k8"), 128, 1056, 1));
        assert_eq!(one(1 << 20, 1000), (Streaming, None, 128, 1056, 1));
        assert_eq!(one(3, 1000), (Streaming, None, 128, 1, 1));
        assert_eq!(one(u32::MAX - 1, 2), (Streaming, Some("x1k2"), 128, 1056, 1));
        let batch = Demand { individuals: 1 << 20, runs: 100, dimensions: 100, ..H200 };
        assert_eq!(grid(batch), (Streaming, Some("x16k8"), 128, 11, 100));
        let batch =
            |runs, dimensions| grid(Demand { individuals: 100, runs, dimensions, ..H200 }).0;
        assert_eq!(batch(132, 33), Schedule::Resident);
        assert_eq!([batch(133, 33), batch(1000, 32)], [Streaming, Schedule::Resident]);
    }

    #[test]
    fn bulk_copies_are_taken_for_many_particles_where_the_device_has_them() {
        fn one<R: Float>(demand: Demand) -> (bool, u32, u32) {
            let demand = Demand { schedule: Schedule::Streaming, ..demand };
            let plan = plan::<R>(&demand, &mut thousand_bulk).unwrap().plan();
            (plan.bulk_copies, plan.block, plan.blocks_per_run)
        }
        let sized = |individuals, dimensions| Demand { individuals, dimensions, ..H200 };
        let large = sized(1 << 20, 100);
        assert_eq!(one::<f32>(large), (true, 256, 132));
        assert_eq!(one::<f64>(large), (true, 192, 132));
        assert_eq!(one::<f32>(Demand { gathers: true, ..large }), (true, 256, 132));
        assert_eq!(one::<f32>(Demand { block: Some(64), ..large }), (true, 64, 6 * 132));
        // Four rounds of eight warps with eight particles each.
        assert_eq!(one::<f32>(sized(4 * 132 * 64, 100)), (true, 256, 132));
        assert!(!one::<f32>(sized(4 * 132 * 64 - 1, 100)).0);
        assert!(!one::<f32>(sized(1 << 20, 32)).0 && !one::<f32>(sized(1 << 20, 129)).0);
        assert!(one::<f32>(Demand { runs: 132, ..sized(4 * 64, 100) }).0);
        // They do not all run at the same time.
        assert!(!one::<f32>(Demand { runs: 133, ..large }).0);
        assert!(!plan::<f32>(&large, &mut thousand).unwrap().bulk);
    }

    #[test]
    fn a_grid_never_has_too_many_blocks() {
        for schedule in [Schedule::Resident, Schedule::Streaming, Schedule::Stepwise] {
            for individuals in [1, 40, 4096] {
                let demand = Demand { runs: u32::MAX, individuals, schedule, ..H200 };
                let Layout { grid, placing, .. } = plan::<f64>(&demand, &mut thousand).unwrap();
                for grid in [grid, placing] {
                    let blocks = u64::from(grid.blocks_per_run) * u64::from(grid.runs_per_launch);
                    assert!((1..=MAX_GRID).contains(&blocks), "{grid:?}");
                }
            }
        }
    }

    #[test]
    fn shared_memory_is_below_48_kilobytes_but_in_columns_and_clusters() {
        for dimensions in [2, 33, 128, 200] {
            for individuals in [1, 60, 100_000] {
                for schedule in [Schedule::Auto, Schedule::Streaming, Schedule::Stepwise] {
                    let gathers = true;
                    let demand = Demand { dimensions, individuals, schedule, gathers, ..H200 };
                    let shared = plan::<f64>(&demand, &mut thousand).unwrap().shared;
                    assert!(shared <= 48 * 1024, "{demand:?}: {shared}");
                }
            }
        }
    }

    #[test]
    fn a_forced_schedule_that_cannot_be_is_an_error() {
        let check = |demand: Demand, occupancy: Occupancy<'_>, expected: &str| {
            let demand = Demand { schedule: Schedule::Resident, ..demand };
            let error = plan::<f32>(&demand, occupancy).unwrap_err();
            assert!(error.is_input());
            assert_eq!(error.to_string(), expected);
        };
        check(
            Demand { dimensions: 129, ..H200 },
            &mut thousand,
            "schedule resident is impossible: 129 dimensions, and registers hold 128; \
             allowed: auto, streaming, stepwise, hosted",
        );
        check(
            Demand { individuals: 1 << 20, dimensions: 2, ..H200 },
            &mut thousand,
            "schedule resident is impossible: 1048576 individuals need 2048 blocks, of which 264 \
             run at the same time; allowed: auto, streaming, stepwise, hosted",
        );
        // A device on which nothing fits must not lead to a division by zero or an endless loop.
        check(
            H200,
            &mut |_| Ok(0),
            "schedule resident is impossible: 1024 individuals need 2 blocks, of which 0 run at \
             the same time; allowed: auto, streaming, stepwise, hosted",
        );
        assert_eq!(plan::<f32>(&H200, &mut |_| Ok(0)).unwrap().schedule, Schedule::Streaming);
    }

    #[test]
    fn a_forced_block_is_taken_or_refused() {
        let one = |block, schedule| Demand { block: Some(block), schedule, ..H200 };
        assert_eq!(grid(one(384, Schedule::Resident)).2, 384);
        assert_eq!(
            grid(one(32, Schedule::Resident)),
            (Schedule::Resident, Some("x8k4"), 32, 256, 1)
        );
        assert_eq!(grid(one(64, Schedule::Stepwise)).2, 64);
        let few = Demand { individuals: 3, ..one(256, Schedule::Auto) };
        assert_eq!(grid(few), (Schedule::Resident, Some("x8k4"), 256, 1, 1));
        let error = plan::<f32>(&one(1024, Schedule::Auto), &mut thousand).unwrap_err();
        assert_eq!(
            error.to_string(),
            "block_size is 1024; allowed: multiples of 32 up to 384 for this schedule and size"
        );
        assert!(plan::<f64>(&one(512, Schedule::Auto), &mut thousand).is_err());
        assert!(plan::<f32>(&one(512, Schedule::Stepwise), &mut thousand).is_err());
    }
}
