//! Plans runs of CMA-ES on a device: one block for each run, or several if there are many samples and enough
//! multiprocessors.

use warpswarm_core::Float;
use warpswarm_core::launch::{CMA_ES_BLOCK, CmaEsLayout, NearLayout};

use super::{Demand, Geometry, MAX_GRID, WARP, forced, geometry};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use crate::settings::choices::Schedule;

/// The smallest number of samples per block, if several blocks share a run.
const SHARE: u32 = 32;
/// A run of up to this many samples uses one block: synchronising blocks takes longer than drawing the samples. In 30
/// dimensions, f32, with one block and with several, microseconds per generation (H200, 2026-11-27): 100 samples 46 and
/// 46, 128 51 and 53, 200 66 and 53, 256 69 and 55.
const ALONE: u32 = 128;
/// The number of matrix columns from which another warp is worthwhile.
const COLUMNS: u32 = 6;
/// The number of warps on a multiprocessor that the registers of the kernels allow. Runs share them, all at once or in
/// as few rounds as shared memory allows. 1,000 runs of Rastrigin's function with blocks of 1, 2, 3 and 4 warps,
/// microseconds per generation (H200, 2026-11-27): 10 samples in 10 dimensions, f32, of which 8 run at once, 28, 24, 29
/// and 30; 14 in 30 dimensions, f64, of which 6 do, 147, 105, 85 and 71.
const AT_ONCE: u32 = 16;
/// The smallest number of warps of a run in which CMA-ES takes turns with SHADE.
const BESIDE_OTHERS: u32 = 4;

/// An upper limit for the bytes of a block's shared memory, on any device.
const MOST_NEAR: u32 = 1 << 18;
/// Samples are stored in shared memory if this many blocks, or as many as without them, still fit on a multiprocessor.
const NEAR_BLOCKS: u32 = 4;

/// Asks the device how many blocks fit on a multiprocessor at the same time. The arguments are whether distributions
/// are in shared memory, the number of threads, and the bytes of shared memory.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(bool, u32, u32) -> Result<u32>;

/// How the runs are mapped to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) grid: Geometry,
    /// Whether distributions are in shared memory.
    pub(crate) holds: bool,
    /// The positions of samples in shared memory, if they are stored there too.
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

/// Maps runs to the device. The individuals are the samples of the largest generation to come; `others` is the number
/// of individuals of another search that takes turns.
pub(crate) fn plan<R: Float>(
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
    // The number of multiprocessors for each run, if there are enough.
    let share = multiprocessors / runs;
    let is_alone = individuals <= ALONE || share < 2;
    let mut beside = |holds, bytes| Ok::<_, Error>(occupancy(holds, WARP, bytes)?.min(AT_ONCE));
    let matrices = CmaEsLayout::new::<R>(dimensions, true).bytes;
    let held = beside(true, matrices)?;
    let holds = held > 0;
    let mut shared = CmaEsLayout::new::<R>(dimensions, holds).bytes;
    let mut fit = if holds { held } else { beside(false, shared)?.max(1) };
    let mut near = NearLayout::NONE;
    if holds && is_alone {
        let wanted = NearLayout::new::<R>(dimensions, individuals, MOST_NEAR);
        let bytes = shared.max(wanted.bytes);
        let fit_near = beside(true, bytes)?;
        if fit_near >= NEAR_BLOCKS.min(fit) {
            (near, shared, fit) = (wanted, bytes, fit_near);
        }
    }
    let turns = runs.div_ceil(multiprocessors.saturating_mul(fit));
    let together = runs.div_ceil(multiprocessors.saturating_mul(turns));
    let least = if others > 0 { BESIDE_OTHERS } else { 1 };
    let wanted = individuals.max(dimensions / COLUMNS).max(others);
    let warps = wanted.clamp(1, (AT_ONCE / together).clamp(least, CMA_ES_BLOCK / WARP));
    let block = forced(demand, CMA_ES_BLOCK)?.unwrap_or(warps * WARP);
    let blocks = if is_alone { 1 } else { individuals.div_ceil(SHARE).min(share) };
    let most = if blocks > 1 {
        u64::from(multiprocessors) * u64::from(occupancy(holds, block, shared)?.max(1))
    } else {
        MAX_GRID
    };
    let grid = geometry(block, u64::from(blocks), runs, most);
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

    fn grid<R: Float>(demand: Demand) -> (u32, u32, u32, bool) {
        let held = |_, block: u32, shared: u32| Ok((512 / block).min((227 << 10) / shared.max(1)));
        let layout = plan::<R>(&demand, 0, &mut { held }).unwrap();
        let Geometry { block, blocks_per_run, runs_per_launch, .. } = layout.grid;
        (block, blocks_per_run, runs_per_launch, layout.holds)
    }

    #[test]
    fn runs_have_a_block_or_many() {
        let runs = |runs| Demand { runs, ..H200 };
        assert_eq!(grid::<f32>(H200), (320, 1, 1, true));
        // Three per multiprocessor, eight per multiprocessor, and as many as fit.
        assert_eq!(grid::<f32>(runs(300)), (160, 1, 300, true));
        assert_eq!(grid::<f32>(runs(1000)), (64, 1, 1000, true));
        assert_eq!(grid::<f32>(runs(10_000)), (32, 1, 10_000, true));
        // Six fit on a multiprocessor, so there are two rounds of four.
        let wide = Demand { individuals: 14, dimensions: 30, ..runs(1000) };
        assert_eq!(grid::<f64>(wide), (128, 1, 1000, true));
        assert_eq!(grid::<f32>(Demand { dimensions: 100, ..wide }), (256, 1, 1000, true));
        assert_eq!(grid::<f32>(Demand { individuals: 16_384, ..H200 }), (512, 132, 1, true));
        assert_eq!(grid::<f32>(Demand { individuals: 300, ..runs(20) }), (512, 6, 20, true));
        assert_eq!(grid::<f32>(Demand { individuals: 300, ..runs(67) }), (512, 1, 67, true));
        for dimensions in [300, 23_171, 32_768] {
            assert_eq!(grid::<f32>(Demand { dimensions, ..H200 }), (512, 1, 1, false));
        }
        let error =
            plan::<f32>(&Demand { schedule: Schedule::Streaming, ..H200 }, 0, &mut |_, _, _| Ok(1));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("schedule streaming is impossible: CMA-ES stays"), "{error}");
    }
}
