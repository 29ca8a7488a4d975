//! A method on a device that evaluates on the device: launches of whole iterations.

use std::mem::offset_of;

use warpswarm_core::Float;
use warpswarm_core::launch::{GenerationArgs, MAX_BLOCK, MethodTile, slots_len};

use super::super::memory::{DataArrays, tags_left};
use super::super::pso::MAX_LAUNCH;
use super::anew::Anew;
use super::{Arrays, Generations, Way};
use crate::engine::planner::generation::{self as planner, Layout};
use crate::engine::{Engine, Job, Named, demand};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter, Residency};
use crate::objective::data::LaidOut;
use crate::objective::target::Target;
use crate::settings::Settings;
use crate::settings::choices::{Backend, Schedule};

/// A method on a device that evaluates on the device.
pub(crate) type Whole<R, M> = Generations<R, M, Iterations>;

/// The kernel of an iteration.
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

    /// Places the individuals of all runs except those that wait.
    pub(super) fn place(&mut self) -> Result<()> {
        self.iterate(0, 1)?;
        self.placed()
    }

    /// Launches the kernel for `iterations` iterations, `times` times.
    fn iterate(&mut self, iterations: u64, times: u64) -> Result<()> {
        let Iterations { kernel, objective, data } = &self.way;
        debug_assert_eq!(kernel.known, known(&self.job, &self.named));
        let (kernel, objective, data) = (kernel.clone(), objective.clone(), *data);
        let blocks = self.layout.grid.blocks_per_run;
        let behind = |runs, blocks| data.behind::<R>(&objective, runs, blocks);
        self.launch(&[(&kernel, blocks)], &behind, iterations, times)
    }

    /// Does this many iterations of all running runs, in their current legs.
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
                    let now = left.min(self.reduce()?);
                    self.advance_legs(now)?;
                    left -= now;
                }
                Ok(())
            }
        }
    }
}

/// Maps a method to a device; returns the layout with its kernel.
fn plan<R: Float>(
    job: &Job<R>,
    named: &Named<R>,
    target: &Target,
    settings: &Settings,
    machine: &mut impl Machine,
) -> Result<(Layout, Kernel)> {
    let demand = demand(job, target.gathers, settings, machine);
    let kernel = |tile: &MethodTile, residency| {
        let entry = format!("{}_{}_{}", named.name, R::NAME, tile.name);
        let form = if tile.is_held() { tile.name } else { "warp" };
        let known = known(job, named);
        Kernel {
            residency,
            known,
            ..target.kernel::<R>((entry, named.kernels), form, tile.is_held())
        }
    };
    let moves = named.moves();
    let mut residency = None;
    if let Some((threads, shared)) = planner::wished::<R>(&demand, moves) {
        let large = Some(Residency { threads, blocks: 1 });
        let held = machine.occupancy(&kernel(&MethodTile::TILE, large), threads, shared)?;
        residency = large.filter(|_| held > 0);
    }
    let mut plan = |residency: Option<Residency>| {
        let allowed = residency.map(|residency| residency.threads);
        planner::plan::<R>(&demand, moves, allowed, &mut |tile, block, shared| {
            machine.occupancy(&kernel(tile, residency), block, shared)
        })
    };
    let mut layout = plan(residency)?;
    if layout.short {
        let dense = Some(Residency { threads: MAX_BLOCK, blocks: 2 });
        let denser = plan(dense)?;
        if denser.threads() > layout.threads() {
            (layout, residency) = (denser, dense);
        }
    }
    let kernel = kernel(&layout.tile, residency);
    machine.load(&kernel)?;
    Ok((layout, kernel))
}

/// The words of its argument that a kernel knows when it is loaded: loops over a known number of coordinates are
/// shorter, and branches are resolved. The number of individuals is known only if it never changes.
fn known<R: Float>(job: &Job<R>, named: &Named<R>) -> Vec<(u32, u32)> {
    let mut known = vec![
        (offset_of!(GenerationArgs<R>, dimensions) as u32, job.dimensions()),
        (offset_of!(GenerationArgs<R>, stride) as u32, job.stride()),
    ];
    if named.reduction.is_none() {
        known.push((offset_of!(GenerationArgs<R>, individuals) as u32, job.individuals));
    }
    known.extend(named.method.words());
    known
}
