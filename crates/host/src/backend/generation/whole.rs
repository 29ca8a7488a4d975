//! A method on a device that evaluates: launches of whole iterations.

use warpswarm_core::Float;
use warpswarm_core::launch::{MethodTile, slots_len};

use super::super::device::{MAX_LAUNCH, Target};
use super::super::machine::{Kernel, Machine, Parameter};
use super::super::memory::{DataArrays, tags_left};
use super::super::{Engine, Job, Named, demand};
use super::anew::Anew;
use super::{Arrays, Generations, Way};
use crate::choices::{Backend, Schedule};
use crate::data::LaidOut;
use crate::error::Result;
use crate::planner::generation::{self as planner, Layout};
use crate::settings::Settings;

/// A method on a device that evaluates.
pub(crate) type Whole<R, M> = Generations<R, M, Iterations>;

/// What does an iteration.
pub(crate) struct Iterations {
    kernel: Kernel,
    objective: Parameter,
    data: DataArrays,
}

impl Way for Iterations {}

impl<R: Float, M: Machine> Whole<R, M> {
    /// Plans, allocates, and places the individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        named: Named<R>,
        (target, data): (Target, &LaidOut<R>),
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let (layout, kernel) = plan(&job, &named, &target, settings, &mut machine)?;
        let slots_bytes = if layout.shares() {
            let [runs, blocks] = [job.runs, layout.grid.blocks_per_run].map(u64::from);
            8 * slots_len::<R>(target.constrained, runs, blocks)
        } else {
            0
        };
        let arrays = Arrays::allocate(&job, &layout, (slots_bytes, 0), &mut machine)?;
        let data = DataArrays::upload(data, &mut machine)?;
        let way = Iterations { kernel, objective: target.objective, data };
        let mut this = Generations::idle(backend, (job, named), (layout, arrays), machine, way);
        this.anew = Anew::new(&this.job, &mut this.machine)?;
        this.place()?;
        Ok(this)
    }

    /// Places the individuals of all runs but those that wait.
    pub(super) fn place(&mut self) -> Result<()> {
        self.iterate(0, 1)?;
        self.placed()
    }

    /// Launches the kernel for so many iterations, so many times.
    fn iterate(&mut self, iterations: u64, times: u64) -> Result<()> {
        let Iterations { kernel, objective, data } = &self.way;
        let (kernel, objective, data) = (kernel.clone(), objective.clone(), *data);
        let blocks = self.layout.grid.blocks_per_run;
        let behind = |runs, blocks| data.behind::<R>(&objective, runs, blocks);
        self.launch(&[(&kernel, blocks)], &behind, iterations, times)
    }

    /// So many iterations of all runs that go on, in the legs in which they are.
    pub(super) fn advance_legs(&mut self, iterations: u64) -> Result<()> {
        if self.layout.schedule != Schedule::Resident {
            return self.iterate(1, iterations);
        }
        let mut left = iterations;
        while left != 0 {
            let slots = (self.arrays.slots, self.arrays.slots_bytes);
            let tags = tags_left(&mut self.tag, &mut self.machine, slots, 1)?;
            let now = left.min(MAX_LAUNCH).min(tags);
            self.iterate(now, 1)?;
            if self.layout.shares() && now > 1 {
                self.tag += now as u32;
            }
            left -= now;
        }
        Ok(())
    }
}

impl<R: Float, M: Machine> Engine<R> for Whole<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        match self.anew {
            Some(_) => self.advance_anew(iterations),
            None => {
                let mut left = iterations;
                while left > 0 {
                    let now = left.min(self.fall()?);
                    self.advance_legs(now)?;
                    left -= now;
                }
                Ok(())
            }
        }
    }
}

/// Lays a method over a device, with the kernel for that.
fn plan<R: Float>(
    job: &Job<R>,
    named: &Named<R>,
    target: &Target,
    settings: &Settings,
    machine: &mut impl Machine,
) -> Result<(Layout, Kernel)> {
    let demand = demand(job, target.gathers, settings, machine);
    let kernel = |tile: &MethodTile, dense| {
        let entry = format!("{}_{}_{}", named.name, R::NAME, tile.name);
        let form = if tile.is_held() { tile.name } else { "warp" };
        Kernel { dense, ..target.kernel::<R>((entry, named.kernels), form, tile.is_held()) }
    };
    let moves = named.moves();
    let mut plan = |dense| {
        planner::plan::<R>(&demand, moves, &mut |tile, block, shared| {
            machine.occupancy(&kernel(tile, dense), block, shared)
        })
    };
    let mut dense = false;
    let mut layout = plan(dense)?;
    if layout.short {
        let denser = plan(true)?;
        dense = denser.threads() > layout.threads();
        layout = if dense { denser } else { layout };
    }
    let kernel = kernel(&layout.tile, dense);
    machine.load(&kernel)?;
    Ok((layout, kernel))
}
