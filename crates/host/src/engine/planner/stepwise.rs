//! Plans a method on a device with the kernels of its paper.

use warpswarm_core::Float;
use warpswarm_core::launch::{MAX_BLOCK, MethodTile, SparksLayout};

use super::generation::{Layout, of_a_block};
use super::{ANY_SHARED, Demand, MAX_GRID, WARP, forced, geometry};
use crate::error::{Error, Result};
use crate::settings::choices::Schedule;

/// The block sizes for explosions; the first one whose shared memory every device has is used.
const BLOCKS: [u32; 3] = [128, 64, 32];

/// What the kernels of a paper do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// GPU-FWA: a warp for each firework, which throws `sparks` sparks `explosions` times, followed by a mutation.
    Fireworks { sparks: u32, explosions: u32 },
    /// CMEPSO: a block for each slave swarm of `particles` particles, and one for the master swarm.
    Swarms { slaves: u32, particles: u32 },
}

/// Asks the device how many blocks of the largest kernel, with this block size and shared memory, fit on a
/// multiprocessor at once.
pub(crate) type Occupancy<'a> = &'a mut dyn FnMut(u32, u32) -> Result<u32>;

/// Maps the runs of a method to the device.
pub(crate) fn plan<R: Float>(
    demand: &Demand,
    steps: Steps,
    occupancy: Occupancy<'_>,
) -> Result<Layout> {
    let wanted = forced(demand, MAX_BLOCK)?;
    let (block, shared) = match steps {
        Steps::Fireworks { sparks, .. } => fireworks::<R>(demand, sparks, wanted)?,
        Steps::Swarms { particles, .. } => {
            let block = wanted.unwrap_or(particles.clamp(1, MAX_BLOCK).next_multiple_of(WARP));
            (block, MethodTile::ANY.shared_bytes::<R>(block, demand.dimensions, false))
        }
    };
    let at_once = occupancy(block, shared)?;
    if at_once == 0 && shared > ANY_SHARED {
        return impossible(format!("a block needs {shared} bytes of shared memory"));
    }
    let capacity = u64::from(at_once.max(1)) * u64::from(demand.multiprocessors);
    let blocks_per_run = match steps {
        Steps::Fireworks { .. } => {
            let needed = demand.individuals.div_ceil(block / WARP);
            u64::from(needed).min((capacity / u64::from(demand.runs)).max(1))
        }
        Steps::Swarms { slaves, .. } => u64::from(slaves),
    };
    let grid = geometry(block, blocks_per_run, demand.runs, MAX_GRID);
    let blocks = grid.blocks_per_run;
    Ok(Layout {
        schedule: Schedule::Stepwise,
        tile: MethodTile::ANY,
        grid,
        shared,
        team: 1,
        capacity,
        short: false,
        in_groups: false,
        whole: (blocks, of_a_block(demand.individuals, blocks, false).max(1)),
    })
}

/// The block size of the kernel that explodes fireworks, and its shared memory.
fn fireworks<R: Float>(demand: &Demand, sparks: u32, wanted: Option<u32>) -> Result<(u32, u32)> {
    let (dimensions, most) = (demand.dimensions, SparksLayout::DIMENSIONS);
    if dimensions > most {
        return impossible(format!("{dimensions} dimensions, and a spark has room for {most}"));
    }
    let shared = |block| {
        // The other kernels are launched with the same amount.
        let others = MethodTile::ANY.shared_bytes::<R>(block, dimensions, false);
        SparksLayout::new(dimensions, sparks).bytes::<R>(block).max(others)
    };
    let fits = BLOCKS.into_iter().find(|&block| shared(block) <= ANY_SHARED);
    let block = wanted.or(fits).unwrap_or(WARP);
    Ok((block, shared(block)))
}

fn impossible<T>(reason: String) -> Result<T> {
    let alternatives = "auto, streaming, hosted, or resident for up to 32 dimensions";
    Err(Error::Schedule { schedule: Schedule::Stepwise, reason, alternatives })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: Demand = Demand {
        individuals: 48,
        runs: 1,
        dimensions: 30,
        gathers: false,
        clamps: false,
        multiprocessors: 132,
        schedule: Schedule::Stepwise,
        block: None,
    };
    const PAPER: Steps = Steps::Fireworks { sparks: 16, explosions: 30 };

    fn one<R: Float>(demand: Demand, steps: Steps) -> (u32, u32, u32) {
        let grid = plan::<R>(&demand, steps, &mut |block, _| Ok(1024 / block)).unwrap().grid;
        (grid.block, grid.blocks_per_run, grid.runs_per_launch)
    }

    #[test]
    fn a_warp_is_a_firework() {
        assert_eq!(one::<f32>(H200, PAPER), (128, 12, 1));
        assert_eq!(one::<f32>(Demand { individuals: 144, ..H200 }, PAPER), (128, 36, 1));
        assert_eq!(one::<f32>(Demand { block: Some(32), ..H200 }, PAPER), (32, 48, 1));
        // Blocks stride if the device does not run all at once.
        assert_eq!(one::<f32>(Demand { individuals: 100_000, ..H200 }, PAPER), (128, 1056, 1));
        assert_eq!(one::<f32>(Demand { runs: 1000, ..H200 }, PAPER), (128, 1, 1000));
        let many = Steps::Fireworks { sparks: 64, explosions: 30 };
        assert_eq!(one::<f64>(H200, many), (64, 24, 1), "for shared memory");
    }

    #[test]
    fn a_block_is_a_swarm() {
        let swarms = |slaves, particles| Steps::Swarms { slaves, particles };
        assert_eq!(one::<f32>(H200, swarms(10, 40)), (64, 10, 1));
        assert_eq!(one::<f64>(Demand { runs: 20, ..H200 }, swarms(3, 1000)), (256, 3, 20));
        assert_eq!(one::<f64>(Demand { block: Some(32), ..H200 }, swarms(10, 40)), (32, 10, 1));
        assert_eq!(one::<f64>(H200, swarms(24, 0)), (32, 24, 1));
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let error = |demand: Demand, held| {
            plan::<f64>(&demand, PAPER, &mut |_, _| Ok(held)).unwrap_err().to_string()
        };
        let allowed = "allowed: auto, streaming, hosted, or resident for up to 32 dimensions";
        assert_eq!(
            error(Demand { dimensions: 33, ..H200 }, 4),
            format!(
                "schedule stepwise is impossible: 33 dimensions, and a spark has room for 32; {allowed}"
            )
        );
        assert_eq!(
            error(Demand { block: Some(256), ..H200 }, 0),
            format!(
                "schedule stepwise is impossible: a block needs 50224 bytes of shared memory; {allowed}"
            )
        );
        assert!(error(Demand { block: Some(512), ..H200 }, 4).starts_with("block_size is 512"));
    }
}
