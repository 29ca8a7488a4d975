//! How runs of CMA-ES are laid over a device: a block each, or several where there are many samples and room.

use warpswarm_core::Real;
use warpswarm_core::launch::{CMA_ES_BLOCK, CmaEsLayout, NearLayout};

use super::{Demand, Geometry, MAX_GRID, WARP, forced, geometry};
use crate::choices::Schedule;
use crate::error::{Error, Result};
use crate::report::Plan;

/// Samples of a block of several that share a run, at least.
const SHARE: u32 = 32;
/// A run of up to so many samples has one block: to meet others takes longer than to draw them.
const ALONE: u32 = 256;
/// Columns of a matrix for which a warp is worth while.
const COLUMNS: u32 = 6;
/// Dimensions for which a block has a warp where there are blocks enough. 1,000 runs of Rastrigin's function in f32, with blocks of 1, 2,
/// 4 and 8 warps, microseconds a generation (H200, 2026-11-26): 10 samples in 10 dimensions 45, 52, 72 and 115, 14 samples in 30
/// dimensions 98, 111, 138 and 189.
const OF_A_WARP: u32 = 32;
/// Warps of such a block where CMA-ES takes turns with SHADE. The same in 10 dimensions with 1, 2 and 4: 831, 788 and 720.
const BESIDE_OTHERS: u32 = 4;

/// No block has more bytes of shared memory than so many, on any device.
const MOST_NEAR: u32 = 1 << 18;
/// Samples are in shared memory where so many blocks, or as many as without them, run on a multiprocessor all the same.
const NEAR_BLOCKS: u32 = 4;

/// Asks the device how many blocks of so many threads, with distributions in shared memory of so many bytes or not, a multiprocessor
/// holds at the same time.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(bool, u32, u32) -> Result<u32>;

/// How the runs are laid over the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) grid: Geometry,
    /// Whether distributions are in shared memory.
    pub(crate) holds: bool,
    /// Where samples are there, too.
    pub(crate) near: NearLayout,
    /// Bytes of shared memory.
    pub(crate) shared: u32,
}

impl Layout {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: Schedule::Resident,
            tile: None,
            block: self.grid.block,
            blocks_per_run: self.grid.blocks_per_run,
            cluster: false,
            bulk_copies: false,
            runs_per_launch: self.grid.runs_per_launch,
        }
    }
}

/// Lays runs over the device; the individuals are the samples of the largest generation that is to come. Those of another search that
/// takes turns are so many.
pub(crate) fn plan<R: Real>(
    demand: &Demand,
    others: u32,
    occupancy: Occupancy<'_>,
) -> Result<Layout> {
    let schedule = demand.schedule;
    if !matches!(schedule, Schedule::Auto | Schedule::Resident) {
        let reason = "CMA-ES stays on the device from generation to generation".into();
        return Err(Error::Schedule { schedule, reason, alternatives: "auto, resident" });
    }
    let Demand { individuals, runs, dimensions, multiprocessors, .. } = *demand;
    let few_runs = runs <= multiprocessors;
    let wanted = individuals.max(dimensions / COLUMNS).max(others);
    let most = match (few_runs, others) {
        (true, _) => CMA_ES_BLOCK / WARP,
        (false, 0) => dimensions.div_ceil(OF_A_WARP),
        (false, _) => BESIDE_OTHERS.max(dimensions.div_ceil(OF_A_WARP)),
    };
    let warps = wanted.clamp(1, most.min(CMA_ES_BLOCK / WARP));
    let block = forced(demand, CMA_ES_BLOCK)?.unwrap_or(warps * WARP);
    let shared = |holds| CmaEsLayout::new::<R>(dimensions, holds).bytes;
    let held = occupancy(true, block, shared(true))?;
    let holds = held > 0;
    let shared = shared(holds);
    let at_once = if holds { held } else { occupancy(false, block, shared)?.max(1) };
    let capacity = u64::from(at_once) * u64::from(multiprocessors);
    let room = (capacity / u64::from(runs)).max(1);
    let blocks =
        if individuals <= ALONE { 1 } else { u64::from(individuals.div_ceil(SHARE)).min(room) };
    // More of them on a multiprocessor wait for each other.
    let blocks = blocks.min(u64::from(multiprocessors));
    let most = if blocks > 1 { capacity } else { MAX_GRID };
    let grid = geometry(block, blocks, runs, most);
    let mut near = NearLayout::NONE;
    if holds && blocks == 1 {
        let wanted = NearLayout::new::<R>(dimensions, individuals, MOST_NEAR);
        if occupancy(true, block, shared.max(wanted.bytes))? >= NEAR_BLOCKS.min(held) {
            near = wanted;
        }
    }
    let shared = shared.max(near.bytes);
    Ok(Layout { grid, holds, near, shared })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Demand = Demand {
        individuals: 10,
        runs: 1,
        dimensions: 10,
        gathers: false,
        clamps: false,
        multiprocessors: 132,
        schedule: Schedule::Auto,
        block: None,
    };

    fn grid(demand: Demand) -> (u32, u32, u32, bool) {
        let held = |holds, block, shared: u32| {
            Ok(if holds && shared > 227 << 10 { 0 } else { 1024 / block })
        };
        let layout = plan::<f32>(&demand, 0, &mut { held }).unwrap();
        let Geometry { block, blocks_per_run, runs_per_launch, .. } = layout.grid;
        (block, blocks_per_run, runs_per_launch, layout.holds)
    }

    #[test]
    fn runs_have_a_block_or_many() {
        assert_eq!(grid(H200), (256, 1, 1, true));
        assert_eq!(grid(Demand { runs: 1000, ..H200 }), (32, 1, 1000, true));
        assert_eq!(grid(Demand { individuals: 16_384, ..H200 }), (256, 132, 1, true));
        assert_eq!(grid(Demand { individuals: 300, runs: 20, ..H200 }), (256, 10, 20, true));
        for dimensions in [300, 23_171, 32_768] {
            assert_eq!(grid(Demand { dimensions, ..H200 }), (256, 1, 1, false));
        }
        let error =
            plan::<f32>(&Demand { schedule: Schedule::Streaming, ..H200 }, 0, &mut |_, _, _| Ok(1));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("schedule streaming is impossible: CMA-ES stays"), "{error}");
    }
}
