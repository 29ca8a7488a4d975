//! Chooses the kernel of CMA-ES, and plans its runs on a device.

use warpswarm_core::Float;
use warpswarm_core::cma_es::Strategy;
use warpswarm_core::launch::{AUTO, CMA_ES, DistributionLayout};
use warpswarm_core::shade::Shade;

use crate::engine::planner::Demand;
use crate::engine::planner::cma_es::{self as planner, Layout};
use crate::engine::{Job, demand};
use crate::error::Result;
use crate::machine::{Kernel, Machine};
use crate::objective::target::Target;
use crate::settings::Settings;

/// The count of numbers in a run's distribution: that of the first leg, whose generation is the smallest, so that it
/// remembers most.
pub(super) fn numbers<R: Float>(job: &Job<R>) -> u32 {
    let strategy = Strategy::<R>::new(job.dimensions(), job.individuals, true);
    DistributionLayout::new(job.dimensions(), strategy.remembered()).len
}

/// Maps the runs to a device; returns the layout with its kernel.
pub(super) fn plan<R: Float>(
    job: &Job<R>,
    target: &Target,
    (settings, shade): (&Settings, Option<(Shade<R>, u32)>),
    room: u32,
    machine: &mut impl Machine,
) -> Result<(Layout, Kernel)> {
    let demand = demand(job, target.gathers, settings, machine);
    let demand = Demand { individuals: room, ..demand };
    let kernel = |holds| {
        let suffix = if holds { "_held" } else { "" };
        let name = if shade.is_some() { AUTO } else { CMA_ES };
        let entry = (format!("{name}_{}{suffix}", R::NAME), None);
        target.kernel::<R>(entry, "warp", false)
    };
    let others = shade.map_or(0, |(_, individuals)| individuals);
    let layout = planner::plan::<R>(&demand, others, &mut |holds, block, shared| {
        machine.occupancy(&kernel(holds), block, shared)
    })?;
    let kernel = kernel(layout.holds);
    machine.load(&kernel)?;
    Ok((layout, kernel))
}
