//! Plans the populations of a method on a device: a thread, eight lanes or a warp for each individual, in blocks that
//! stride over the individuals.

use warpswarm_core::Float;
use warpswarm_core::launch::{MAX_BLOCK, MethodTile};
use warpswarm_core::method::{GROUP, LESSONS};

use super::{Demand, Geometry, MAX_GRID, WARP, forced, geometry};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::settings::choices::Schedule;

/// Up to this number of rounds of individuals, one block has the whole population: its barrier is cheaper than an
/// exchange between blocks.
const ALONE: u32 = 2;
/// Up to this number of individuals per multiprocessor, each individual that observes many others gets a warp, which is
/// faster than a thread. The first number applies in up to [`FEW`] dimensions, the second in more.
const WARPS: [u32; 2] = [8, 64];
const FEW: u32 = 8;
/// Up to this number of individuals per multiprocessor and dimension, each of the other individuals gets eight lanes.
/// With more individuals, each gets a thread, which takes fewer instructions in total, but executes them serially.
const TILES: u32 = 7;
/// In more dimensions than this, a thread that reads other rows than its own waits so long for memory that eight lanes,
/// which read whole cache lines, are always faster.
const LONG: u32 = 24;

/// The properties of a method that its layout depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moves {
    /// The largest number of attempts of an individual in an iteration.
    pub(crate) attempts: u32,
    /// Whether an individual observes more than a few others.
    pub(crate) observes_far: bool,
    /// The number of rows that a proposal reads besides the individual's public point.
    pub(crate) rows: usize,
    /// Whether its kernels need few registers: see [`MethodTile::max_block`].
    pub(crate) frugal: bool,
    /// The number of threads in its largest blocks of tiles: see
    /// [`Method::MOST_THREADS`](warpswarm_core::method::Method::MOST_THREADS).
    pub(crate) most_threads: u32,
    /// Whether its individuals share a memory, which changes after each iteration.
    pub(crate) shares: bool,
    /// Whether the kernels of its paper exist, for the schedule `stepwise`.
    pub(crate) has_steps: bool,
}

/// Asks the device how many blocks of a tile's kernel fit on a multiprocessor at the same time.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(&MethodTile, u32, u32) -> Result<u32>;

/// How the runs are mapped to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) schedule: Schedule,
    pub(crate) tile: MethodTile,
    pub(crate) grid: Geometry,
    /// Bytes of shared memory.
    pub(crate) shared: u32,
    /// The number of warps that share an individual's attempts.
    pub(crate) team: u32,
    /// The number of blocks that the device runs at once.
    pub(crate) capacity: u64,
    /// Whether more of them would be useful.
    pub(crate) short: bool,
    /// Whether blocks contain whole groups of neighbours.
    pub(crate) in_groups: bool,
    /// The number of blocks of a run with all individuals, and of individuals in each.
    pub(super) whole: (u32, u32),
}

impl Layout {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: self.schedule,
            tile: self.tile.is_held().then_some(self.tile.name),
            block: self.grid.block,
            blocks_per_run: self.grid.blocks_per_run,
            cluster: self.grid.cluster,
            bulk_copies: false,
            runs_per_launch: self.grid.runs_per_launch,
        }
    }

    /// The number of threads that the device runs at once.
    pub(crate) fn threads(&self) -> u64 {
        self.capacity * u64::from(self.grid.block)
    }

    /// The number of individuals in each block of a run; the last blocks have fewer.
    pub(crate) fn individuals_per_block(&self, individuals: u32) -> u32 {
        of_a_block(individuals, self.grid.blocks_per_run, self.in_groups)
    }

    /// The number of groups that a block sums before other blocks read the sum: see
    /// [`CommonArgs`](warpswarm_core::launch::CommonArgs).
    pub(crate) fn piece(&self, individuals: u32) -> u32 {
        let is_held = self.schedule == Schedule::Resident && self.tile.is_held();
        // A number that one warp reads at once needs no such sums.
        let few = individuals <= GROUP * GROUP;
        if !self.in_groups || !is_held || few || 2 * self.grid.block < GROUP * LESSONS as u32 {
            return 1;
        }
        let groups = self.individuals_per_block(individuals) / GROUP;
        (1 << groups.trailing_zeros()).min(GROUP)
    }

    /// The layout for fewer individuals, with as many individuals per block and fewer blocks.
    pub(crate) fn of_fewer(&self, individuals: u32) -> Self {
        let (blocks, each) = self.whole;
        let blocks_per_run = individuals.div_ceil(each).clamp(1, blocks);
        Layout { grid: Geometry { blocks_per_run, ..self.grid }, ..*self }
    }

    /// Whether several resident blocks share a run for many iterations.
    pub(crate) fn shares(&self) -> bool {
        self.schedule == Schedule::Resident && self.grid.blocks_per_run > 1
    }
}

/// The number of individuals in each of `blocks` blocks; the last ones have fewer.
pub(super) fn of_a_block(individuals: u32, blocks: u32, in_groups: bool) -> u32 {
    let each = individuals.div_ceil(blocks);
    if in_groups { each.next_multiple_of(GROUP) } else { each }
}

/// The largest number of warps that share the attempts of an individual: another barrier is cheaper than another
/// attempt, and registers suffice for blocks of this size.
const TEAM: u32 = MAX_BLOCK / WARP;
/// The largest number of blocks with which warps share attempts: with more blocks, the exchange takes longer.
const TEAM_BLOCKS: u32 = 256;
/// The number of warps that share an individual's attempts in a block of this size: as many as possible.
fn warps_of_team(demand: &Demand, attempts: u32, block: u32) -> u32 {
    let warps = block / WARP;
    let blocks =
        |team: u32| u64::from(demand.individuals.div_ceil(warps / team)) * u64::from(demand.runs);
    let is_possible =
        |&team: &u32| warps.is_multiple_of(team) && blocks(team) <= u64::from(TEAM_BLOCKS);
    (1..=attempts.min(TEAM).min(warps)).rev().find(is_possible).unwrap_or(1)
}

/// The number of rounds of tiles up to which blocks are made smaller: the lanes of a tile make this many plans at once.
/// With more rounds, and so more simultaneous runs, the populations no longer fit into the caches: 1,000 runs of 300 in
/// 30 dimensions, f64, took 171 us instead of 150.
const TURNS: u32 = MethodTile::TILE.lanes;

/// The block size, of at most `most` threads, with which many runs take the shortest total time. Each run takes a
/// number of rounds of a block, and a number of blocks run at once. Of equal sizes, the one with the fewest rounds is
/// chosen; for tiles the one with the most rounds, because fewer threads wait for each other.
fn block_of_many<R: Float>(
    demand: &Demand,
    tile: MethodTile,
    most: u32,
    occupancy: Occupancy<'_>,
) -> Result<u32> {
    let at_once = most / tile.lanes;
    let even = |rounds| (demand.individuals.div_ceil(rounds) * tile.lanes).next_multiple_of(WARP);
    let fewest = demand.individuals.div_ceil(at_once);
    let mut best = even(fewest);
    let (mut shortest, mut tried) = (u64::MAX, 0);
    let is_tile = tile == MethodTile::TILE;
    let last = if is_tile { fewest.max(TURNS) } else { fewest * most / WARP };
    for rounds in fewest..=last {
        let block = even(rounds);
        if block == tried {
            continue;
        }
        tried = block;
        let shared = tile.shared_bytes::<R>(block, demand.dimensions, demand.gathers);
        let at_once = u64::from(occupancy(&tile, block, shared)?.max(1));
        let waves = u64::from(demand.runs).div_ceil(at_once * u64::from(demand.multiprocessors));
        let time = waves * u64::from(rounds);
        if time < shortest || (time == shortest && is_tile) {
            (shortest, best) = (time, block);
        }
    }
    Ok(best)
}

/// The block size with one thread for each individual.
fn block_of_threads<R: Float>(demand: &Demand, occupancy: Occupancy<'_>) -> Result<u32> {
    if demand.runs > demand.multiprocessors {
        return block_of_many::<R>(demand, MethodTile::THREAD, MAX_BLOCK, occupancy);
    }
    // A few threads on each multiprocessor are better than many on a few.
    let rounds = demand.multiprocessors / demand.runs;
    Ok(demand.individuals.div_ceil(rounds).next_multiple_of(WARP).min(MAX_BLOCK))
}

/// The number of individuals of all runs.
fn all_runs(demand: &Demand) -> u64 {
    u64::from(demand.individuals) * u64::from(demand.runs)
}

/// The block size with eight lanes for each individual. For one or a few runs the largest size is used only if smaller
/// blocks would not all run at once, because more blocks use more multiprocessors.
fn block_of_tiles<R: Float>(demand: &Demand, most: u32, occupancy: Occupancy<'_>) -> Result<u32> {
    if demand.runs > demand.multiprocessors {
        return block_of_many::<R>(demand, MethodTile::TILE, most, occupancy);
    }
    let lanes = all_runs(demand) * u64::from(MethodTile::TILE.lanes);
    let few = lanes <= u64::from(MAX_BLOCK * demand.multiprocessors);
    Ok(if few { MAX_BLOCK } else { most })
}

/// The tile that holds the individuals. `cargo xtask bench gpu --choices` measures its effect;
/// `docs/performance-tried.md` has the numbers.
fn tile(demand: &Demand, moves: Moves) -> MethodTile {
    let all = all_runs(demand);
    let at_most = |each: u32| all <= u64::from(each) * u64::from(demand.multiprocessors);
    let dimensions = demand.dimensions;
    let few_warps = at_most(WARPS[0]);
    // Rows of two places cannot be read in groups of four.
    let tile = if moves.observes_far || dimensions <= 2 {
        let has_warps = few_warps || (dimensions > FEW && at_most(WARPS[1]));
        if has_warps { MethodTile::WARP } else { MethodTile::THREAD }
    } else if moves.attempts > 1 && few_warps {
        MethodTile::WARP
    } else if at_most(TILES * dimensions) || (dimensions > LONG && moves.rows > 0) {
        MethodTile::TILE
    } else {
        MethodTile::THREAD
    };
    if dimensions <= tile.dimensions { tile } else { MethodTile::ANY }
}

/// A larger block size, and its bytes of shared memory, for populations that need more tiles than a multiprocessor
/// holds with the kernel's own launch bounds. `None` if the kernel's bounds suffice.
pub(crate) fn wished<R: Float>(demand: &Demand, moves: Moves) -> Option<(u32, u32)> {
    let threads = moves.most_threads;
    let schedules = [Schedule::Auto, Schedule::Resident, Schedule::Streaming];
    let lanes = all_runs(demand) * u64::from(MethodTile::TILE.lanes);
    let is_wished = demand.block.is_none()
        && schedules.contains(&demand.schedule)
        && tile(demand, moves) == MethodTile::TILE
        && lanes > u64::from(MAX_BLOCK * demand.multiprocessors)
        && threads > MethodTile::TILE.max_block::<R>(moves.frugal);
    let shared = MethodTile::TILE.shared_bytes::<R>(threads, demand.dimensions, demand.gathers);
    is_wished.then_some((threads, shared))
}

/// Maps the runs of a method to the device, in blocks of at most `allowed` threads, or within the kernels' own launch
/// bounds.
pub(crate) fn plan<R: Float>(
    demand: &Demand,
    moves: Moves,
    allowed: Option<u32>,
    occupancy: Occupancy<'_>,
) -> Result<Layout> {
    let hosted = demand.schedule == Schedule::Hosted;
    let tile = if hosted { MethodTile::ANY } else { tile(demand, moves) };
    let alternatives = match (tile.is_held(), moves.has_steps) {
        (true, _) => "auto, resident, streaming, hosted",
        (false, true) => "auto, stepwise, streaming, hosted",
        (false, false) => "auto, streaming, hosted",
    };
    let impossible =
        |reason: String| Err(Error::Schedule { schedule: demand.schedule, reason, alternatives });
    if demand.schedule == Schedule::Stepwise {
        return impossible("no paper says how its kernels follow each other".into());
    }
    if demand.schedule == Schedule::Resident && !tile.is_held() {
        let most = MethodTile::WARP.dimensions;
        return impossible(format!("{} dimensions, and registers hold {most}", demand.dimensions));
    }
    let most = allowed.unwrap_or_else(|| tile.max_block::<R>(moves.frugal));
    let block = match forced(demand, most)? {
        Some(block) => block,
        None if tile == MethodTile::THREAD => block_of_threads::<R>(demand, occupancy)?,
        None if tile == MethodTile::TILE => block_of_tiles::<R>(demand, most, occupancy)?,
        None => most,
    };
    let team =
        if tile == MethodTile::WARP { warps_of_team(demand, moves.attempts, block) } else { 1 };
    let at_once = block / tile.lanes / team;
    let shared = tile.shared_bytes::<R>(block, demand.dimensions, demand.gathers);
    let capacity =
        u64::from(occupancy(&tile, block, shared)?.max(1)) * u64::from(demand.multiprocessors);
    let individuals = u64::from(demand.individuals);
    // Independent of the number of rounds: an exchange between blocks takes 4 us less than a launch.
    let streams = match demand.schedule {
        Schedule::Auto => !tile.is_held(),
        schedule => hosted || schedule == Schedule::Streaming,
    };
    // The individuals of a group stay in one block.
    let fewest = if moves.shares { GROUP.max(at_once / GROUP * GROUP) } else { at_once };
    let needed = individuals.div_ceil(u64::from(fewest));
    let share = (capacity / u64::from(demand.runs)).max(1);
    let (schedule, grid) = if streams {
        let grid = geometry(block, needed.min(share), demand.runs, MAX_GRID);
        (if hosted { Schedule::Hosted } else { Schedule::Streaming }, grid)
    } else {
        let alone = demand.individuals <= ALONE * at_once;
        let blocks = if alone { 1 } else { needed.min(share) };
        let most = if blocks > 1 { capacity } else { MAX_GRID };
        (Schedule::Resident, geometry(block, blocks, demand.runs, most))
    };
    // A block of tiles uses all registers of a multiprocessor anyway.
    let short = tile != MethodTile::TILE && needed * u64::from(demand.runs) > capacity;
    let in_groups = moves.shares;
    let blocks = grid.blocks_per_run;
    let whole = (blocks, of_a_block(demand.individuals, blocks, in_groups).max(1));
    Ok(Layout { schedule, tile, grid, shared, team, capacity, short, in_groups, whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Demand = Demand {
        individuals: 768,
        runs: 1,
        dimensions: 30,
        gathers: false,
        clamps: false,
        multiprocessors: 132,
        schedule: Schedule::Auto,
        block: None,
    };

    /// Like simulated annealing.
    const ALONE: Moves = Moves {
        attempts: 1,
        observes_far: false,
        rows: 0,
        frugal: true,
        most_threads: 640,
        shares: false,
        has_steps: false,
    };
    /// Like differential evolution.
    const NEAR: Moves = Moves { rows: 3, ..ALONE };
    /// Like fireworks.
    const FAR: Moves = Moves { observes_far: true, ..ALONE };

    fn grid(demand: Demand, moves: Moves) -> (Schedule, Option<&'static str>, u32, u32) {
        let plan =
            plan::<f32>(&demand, moves, None, &mut |_, block, _| Ok(1024 / block)).unwrap().plan();
        (plan.schedule, plan.tile, plan.blocks_per_run, plan.runs_per_launch)
    }

    #[test]
    fn large_populations_of_tiles_wish_for_larger_blocks() {
        let residency =
            |demand: Demand, moves| wished::<f32>(&demand, moves).map(|(threads, _)| threads);
        let many = Demand { individuals: 65_536, ..H200 };
        assert_eq!(residency(many, NEAR), Some(640));
        assert_eq!(residency(Demand { individuals: 1000, runs: 300, ..H200 }, NEAR), Some(640));
        let asked = Demand { block: Some(128), ..many };
        for (demand, moves) in [(H200, NEAR), (many, FAR), (asked, NEAR)] {
            assert_eq!(residency(demand, moves), None);
        }
        // The kernel's launch bounds allow as many threads.
        assert_eq!(residency(many, Moves { most_threads: 512, ..NEAR }), None);
        let plan = plan::<f32>(&many, NEAR, Some(640), &mut |_, block, _| Ok(640 / block)).unwrap();
        assert_eq!((plan.grid.block, plan.grid.blocks_per_run), (640, 132));
    }

    #[test]
    fn populations_are_laid_by_size_and_runs() {
        use Schedule::{Resident, Streaming};
        let of = |moves, individuals, dimensions| {
            grid(Demand { individuals, dimensions, ..H200 }, moves)
        };
        let one = |individuals, dimensions| of(FAR, individuals, dimensions);
        assert_eq!(one(16, 30), (Resident, Some("x32k1"), 1, 1));
        assert_eq!(one(17, 30), (Resident, Some("x32k1"), 3, 1));
        assert_eq!(one(768, 30), (Resident, Some("x32k1"), 96, 1));
        assert_eq!(one(8_448, 30), (Resident, Some("x32k1"), 528, 1));
        assert_eq!(one(8_449, 30), (Resident, Some("column"), 89, 1));
        assert_eq!(one(65_536, 30), (Resident, Some("column"), 256, 1));
        assert_eq!(one(10_000_000, 30), (Resident, Some("column"), 528, 1));
        assert_eq!(one(40, 33), (Streaming, None, 5, 1));
        let one = |individuals, dimensions| of(NEAR, individuals, dimensions);
        assert_eq!(one(64, 30), (Resident, Some("x8k4"), 1, 1));
        assert_eq!(one(65, 30), (Resident, Some("x8k4"), 3, 1));
        assert_eq!(one(768, 30), (Resident, Some("x8k4"), 24, 1));
        assert_eq!(one(4_224, 30), (Resident, Some("x8k4"), 132, 1));
        assert_eq!(one(4_225, 30), (Resident, Some("x8k4"), 67, 1));
        assert_eq!(one(65_536, 30), (Resident, Some("x8k4"), 264, 1));
        assert_eq!(one(40, 33), (Streaming, None, 5, 1));
        let hosted = Demand { schedule: Schedule::Hosted, individuals: 40, ..H200 };
        assert_eq!(grid(hosted, NEAR), (Schedule::Hosted, None, 5, 1));
        let batch = |runs, moves| grid(Demand { individuals: 40, runs, ..H200 }, moves);
        assert_eq!(batch(1000, FAR), (Resident, Some("column"), 1, 1000));
        assert_eq!(batch(100, FAR), (Resident, Some("x32k1"), 5, 100));
        assert_eq!(batch(100, NEAR), (Resident, Some("x8k4"), 1, 100));
        assert_eq!(batch(1000, ALONE), (Resident, Some("column"), 1, 1000));
    }

    #[test]
    fn tiles_of_many_runs_have_up_to_eight_rounds() {
        let of = |individuals, runs| {
            let demand = Demand { individuals, runs, ..H200 };
            let occupancy: Occupancy<'_> = &mut |_, block, _| Ok(512 / block);
            let plan = plan::<f32>(&demand, NEAR, None, occupancy).unwrap().plan();
            (plan.block, plan.blocks_per_run)
        };
        // 1,056 blocks of 64 threads fit at once, or 528 of 128.
        assert_eq!([of(64, 1000), of(64, 500), of(64, 200)], [(64, 1), (128, 1), (256, 1)]);
        assert_eq!([of(300, 1000), of(64, 132)], [(480, 1), (512, 1)]);
    }

    #[test]
    fn blocks_sum_up_pieces_of_large_populations() {
        let piece = |individuals, runs, schedule| {
            let demand = Demand { individuals, runs, schedule, ..H200 };
            let occupancy: Occupancy<'_> = &mut |_, block, _| Ok(512 / block);
            let layout =
                plan::<f32>(&demand, Moves { shares: true, ..NEAR }, None, occupancy).unwrap();
            (layout.individuals_per_block(individuals), layout.piece(individuals))
        };
        let resident = |individuals, runs| piece(individuals, runs, Schedule::Auto);
        assert_eq!([resident(65_536, 1), resident(50_000, 1)], [(512, 16), (384, 4)]);
        assert_eq!([resident(768, 1), resident(2_000, 1000)], [(32, 1), (2_016, 1)]);
        assert_eq!(piece(65_536, 1, Schedule::Streaming).1, 1);
    }

    #[test]
    fn attempts_are_shared_where_there_is_room() {
        let team = |individuals, runs, attempts, block| {
            let demand = Demand { individuals, runs, ..H200 };
            warps_of_team(&demand, attempts, block)
        };
        assert_eq!(team(144, 1, 16, 256), 8);
        assert_eq!(team(144, 1, 6, 256), 4);
        assert_eq!(team(144, 1, 6, 192), 6);
        assert_eq!(team(144, 1, 1, 256), 1);
        assert_eq!(team(144, 2, 16, 256), 4, "with 8 it would be 288 blocks");
        assert_eq!([768, 1024, 1025].map(|n| team(n, 1, 6, 256)), [2, 2, 1]);
        assert_eq!(team(5, 1, 3, 32), 1);
    }

    #[test]
    fn many_individuals_take_a_thread_each() {
        let few = |individuals, runs, attempts| {
            let demand = Demand { individuals, runs, dimensions: 4, ..H200 };
            let moves = Moves { attempts, ..FAR };
            let layout =
                plan::<f32>(&demand, moves, None, &mut |_, block, _| Ok(1024 / block)).unwrap();
            assert_eq!((layout.schedule, layout.tile.name), (Schedule::Resident, "column"));
            (layout.grid.block, layout.grid.blocks_per_run, layout.team)
        };
        assert_eq!(few(410, 1000, 6), (224, 1, 1));
        assert_eq!(few(40, 100, 1), (64, 1, 1));
        assert_eq!(few(33_000, 1, 2), (256, 129, 1));
        assert_eq!(few(4_000, 1, 1), (32, 125, 1));
    }

    #[test]
    fn the_more_there_are_the_fewer_lanes_they_have() {
        let name = |moves, individuals, runs, dimensions| {
            tile(&Demand { individuals, runs, dimensions, ..H200 }, moves).name
        };
        assert_eq!([1056, 1057].map(|n| name(FAR, n, 1, 8)), ["x32k1", "column"]);
        assert_eq!([26, 27].map(|runs| name(FAR, 40, runs, 4)), ["x32k1", "column"]);
        assert_eq!([8448, 8449].map(|n| name(FAR, n, 1, 9)), ["x32k1", "column"]);
        assert_eq!([1056, 1057].map(|n| name(NEAR, n, 1, 2)), ["x32k1", "column"]);
        assert_eq!([5544, 5545].map(|n| name(NEAR, n, 1, 6)), ["x8k4", "column"]);
        assert_eq!([138, 139].map(|runs| name(NEAR, 40, runs, 6)), ["x8k4", "column"]);
        assert_eq!([27_720, 27_721].map(|n| name(ALONE, n, 1, 30)), ["x8k4", "column"]);
        assert_eq!([24, 25].map(|d| name(NEAR, 65_536, 1, d)), ["column", "x8k4"]);
        let attempts = Moves { attempts: 6, ..NEAR };
        assert_eq!([1056, 1057].map(|n| name(attempts, n, 1, 30)), ["x32k1", "x8k4"]);
        assert_eq!(name(NEAR, 100, 1, 33), "any");
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let error = |demand: Demand| {
            plan::<f32>(&demand, NEAR, None, &mut |_, _, _| Ok(4)).unwrap_err().to_string()
        };
        assert_eq!(
            error(Demand { schedule: Schedule::Stepwise, ..H200 }),
            "schedule stepwise is impossible: no paper says how its kernels follow each other; \
             allowed: auto, resident, streaming, hosted"
        );
        assert_eq!(
            error(Demand { schedule: Schedule::Resident, dimensions: 33, ..H200 }),
            "schedule resident is impossible: 33 dimensions, and registers hold 32; \
             allowed: auto, streaming, hosted"
        );
        let large = Demand { block: Some(544), ..H200 };
        assert!(error(large).contains("up to 512"));
        let hungry = Moves { frugal: false, ..NEAR };
        let error = plan::<f32>(&large, hungry, None, &mut |_, _, _| Ok(4)).unwrap_err();
        assert!(error.to_string().contains("up to 384"), "{error}");
    }
}
