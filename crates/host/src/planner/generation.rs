//! How the populations of a method are laid over a device: a warp an individual, blocks striding.

use warpswarm_core::Real;
use warpswarm_core::launch::{MAX_BLOCK, WarpTile};

use super::{Demand, Geometry, MAX_GRID, WARP, forced, geometry};
use crate::choices::Schedule;
use crate::error::{Error, Result};
use crate::report::Plan;

/// With so many individuals a warp, or fewer, one block has the whole population: its barrier is
/// cheaper than the blocks' exchange.
const ALONE: u32 = 2;
/// With so many individuals a warp, or more, a launch an iteration costs no more than the exchange.
const CROWDED: u64 = 16;

/// Asks the device how many blocks of a tile's kernel a multiprocessor holds at the same time.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(&WarpTile, u32, u32) -> Result<u32>;

/// How the runs are laid over the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) schedule: Schedule,
    pub(crate) tile: WarpTile,
    pub(crate) grid: Geometry,
    /// Bytes of shared memory.
    pub(crate) shared: u32,
    /// Warps that share an individual's attempts.
    pub(crate) team: u32,
}

impl Layout {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: self.schedule,
            tile: self.tile.is_held().then_some(self.tile.name),
            block: self.grid.block,
            blocks_per_run: self.grid.blocks_per_run,
            runs_per_launch: self.grid.runs_per_launch,
        }
    }

    /// Whether several blocks that run together share a run for many iterations.
    pub(crate) fn shares(&self) -> bool {
        self.schedule == Schedule::Resident && self.grid.blocks_per_run > 1
    }
}

/// So many warps share the attempts of an individual at most: one barrier more is cheaper than another
/// attempt, and registers suffice for blocks of that size.
const TEAM: u32 = MAX_BLOCK / WARP;
/// Attempts are shared as long as that takes no more blocks than this: the more blocks, the longer it takes
/// them to agree.
const TEAM_BLOCKS: u32 = 256;

/// The warps that share an individual's attempts in such a block, where that is of use.
fn team(demand: &Demand, attempts: u32, block: u32) -> u32 {
    let warps = block / WARP;
    let most = attempts.min(TEAM).min(warps);
    let team = (1..=most).rev().find(|&team| warps.is_multiple_of(team)).unwrap_or(1);
    let blocks = u64::from(demand.individuals.div_ceil(warps / team)) * u64::from(demand.runs);
    if blocks <= u64::from(TEAM_BLOCKS) { team } else { 1 }
}

/// Lays the runs over the device, of individuals that make so many attempts in an iteration.
pub(crate) fn plan<R: Real>(
    demand: &Demand,
    attempts: u32,
    occupancy: Occupancy<'_>,
) -> Result<Layout> {
    let tile = WarpTile::for_dimensions(demand.dimensions);
    let alternatives = if tile.is_held() { "auto, resident, streaming" } else { "auto, streaming" };
    let impossible =
        |reason: String| Err(Error::Schedule { schedule: demand.schedule, reason, alternatives });
    if demand.schedule == Schedule::Stepwise {
        return impossible("the algorithm has one kernel".into());
    }
    if demand.schedule == Schedule::Resident && !tile.is_held() {
        let most = WarpTile::ALL[0].dimensions;
        return impossible(format!("{} dimensions, and registers hold {most}", demand.dimensions));
    }
    let block = forced(demand, MAX_BLOCK)?.unwrap_or(MAX_BLOCK);
    let shared = tile.shared_bytes::<R>(block, demand.gathers);
    let capacity =
        u64::from(occupancy(&tile, block, shared)?.max(1)) * u64::from(demand.multiprocessors);
    let team = if tile.is_held() { team(demand, attempts, block) } else { 1 };
    // Individuals that a block has at once.
    let warps = block / WARP / team;
    let individuals = u64::from(demand.individuals);
    let crowded = individuals > CROWDED * capacity * u64::from(warps);
    let streams = match demand.schedule {
        Schedule::Auto => !tile.is_held() || crowded,
        schedule => schedule == Schedule::Streaming,
    };
    let needed = individuals.div_ceil(u64::from(warps));
    let share = (capacity / u64::from(demand.runs)).max(1);
    let (schedule, grid) = if streams {
        let grid = geometry(block, needed.min(share), demand.runs, MAX_GRID);
        (Schedule::Streaming, grid)
    } else {
        let alone = demand.individuals <= ALONE * warps;
        let blocks = if alone { 1 } else { needed.min(share) };
        let most = if blocks > 1 { capacity } else { MAX_GRID };
        (Schedule::Resident, geometry(block, blocks, demand.runs, most))
    };
    Ok(Layout { schedule, tile, grid, shared, team })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Demand = Demand {
        individuals: 768,
        runs: 1,
        dimensions: 30,
        gathers: false,
        multiprocessors: 132,
        schedule: Schedule::Auto,
        block: None,
    };

    fn grid(demand: Demand) -> (Schedule, Option<&'static str>, u32, u32) {
        let plan = plan::<f32>(&demand, 1, &mut |_, block, _| Ok(1024 / block)).unwrap().plan();
        (plan.schedule, plan.tile, plan.blocks_per_run, plan.runs_per_launch)
    }

    #[test]
    fn populations_are_laid_by_size_and_runs() {
        use Schedule::{Resident, Streaming};
        let one = |individuals, dimensions| grid(Demand { individuals, dimensions, ..H200 });
        assert_eq!(one(16, 30), (Resident, Some("x32k1"), 1, 1));
        assert_eq!(one(17, 30), (Resident, Some("x32k1"), 3, 1));
        assert_eq!(one(768, 30), (Resident, Some("x32k1"), 96, 1));
        assert_eq!(one(10_000, 30), (Resident, Some("x32k1"), 528, 1));
        assert_eq!(one(1_000_000, 30), (Streaming, Some("x32k1"), 528, 1));
        assert_eq!(one(40, 33), (Streaming, None, 5, 1));
        let batch = |runs| grid(Demand { individuals: 40, runs, ..H200 });
        assert_eq!(batch(1000), (Resident, Some("x32k1"), 1, 1000));
        assert_eq!(batch(100), (Resident, Some("x32k1"), 5, 100));
    }

    #[test]
    fn attempts_are_shared_where_there_is_room() {
        let team = |individuals, runs, attempts, block| {
            let demand = Demand { individuals, runs, ..H200 };
            super::team(&demand, attempts, block)
        };
        assert_eq!(team(144, 1, 16, 256), 8);
        assert_eq!(team(144, 1, 6, 256), 4);
        assert_eq!(team(144, 1, 6, 192), 6);
        assert_eq!(team(144, 1, 1, 256), 1);
        assert_eq!(team(144, 2, 16, 256), 1, "too many blocks");
        assert_eq!(team(5, 1, 3, 32), 1);
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let error =
            |demand: Demand| plan::<f32>(&demand, 1, &mut |_, _, _| Ok(4)).unwrap_err().to_string();
        assert_eq!(
            error(Demand { schedule: Schedule::Stepwise, ..H200 }),
            "schedule stepwise is impossible: the algorithm has one kernel; \
             allowed: auto, resident, streaming"
        );
        assert_eq!(
            error(Demand { schedule: Schedule::Resident, dimensions: 33, ..H200 }),
            "schedule resident is impossible: 33 dimensions, and registers hold 32; \
             allowed: auto, streaming"
        );
        assert!(error(Demand { block: Some(512), ..H200 }).contains("up to 256"));
    }
}
