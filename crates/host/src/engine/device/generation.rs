//! A method on a device: its arrays and launches.

mod anew;
pub(super) mod common;
mod device_evaluation;
mod hosted;
mod population_reduction;
mod state;
mod stepwise;
mod whole;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    Control, GenerationArgs, Ptr, StartArgs, TILE_BLOCKS, generation_kernels,
};
use warpswarm_core::order::{Candidate, Fitness};

use warpswarm_cpu_ref::Swarm;

use super::memory::{RunArrays, record_layout};
use super::migration::{Islands, Public, Transit};
use crate::engine::planner::Geometry;
use crate::engine::planner::generation::Layout;
use crate::engine::{Job, Named};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter, Shape};
use crate::settings::choices::Backend;

use anew::Anew;
use common::InCommon;
use population_reduction::Spare;

pub(crate) use hosted::Hosted;
pub(crate) use stepwise::Stepwise;
pub(crate) use whole::Whole;

/// The addresses of the arrays in `GenerationArgs`.
#[derive(Clone, Copy, Debug)]
struct Arrays {
    public: u64,
    fitness: u64,
    own: u64,
    numbers: u64,
    runs: RunArrays,
    common: InCommon,
    block_best: u64,
    slots: u64,
    slot_indices: u64,
    asked: u64,
    told: u64,
    /// The number of attempts of an individual for which these two have room.
    attempts: u64,
    /// For all runs.
    slots_bytes: u64,
}

impl Arrays {
    fn allocate<R: Float, M: Machine>(
        job: &Job<R>,
        layout: &Layout,
        (slots_bytes, attempts): (u64, u32),
        machine: &mut M,
    ) -> Result<Self> {
        let Geometry { blocks_per_run, runs_per_launch, .. } = layout.grid;
        let blocks = u64::from(blocks_per_run) * u64::from(runs_per_launch);
        let individuals = u64::from(job.runs) * u64::from(job.individuals);
        let rows = individuals * u64::from(job.stride()) * size_of::<R>() as u64;
        let [public, fitness, own, numbers] = population_bytes(job, job.individuals);
        let attempts = u64::from(attempts);
        let record = machine.allocate(record_layout(job).bytes)?;
        Ok(Arrays {
            public: machine.allocate(public)?,
            fitness: machine.allocate(fitness)?,
            own: machine.allocate(own)?,
            numbers: machine.allocate(numbers)?,
            runs: RunArrays::allocate(job, record, machine)?,
            common: InCommon::allocate(job, blocks, machine)?,
            block_best: machine.allocate(blocks * size_of::<Candidate<R>>() as u64)?,
            slots: machine.allocate(slots_bytes)?,
            slot_indices: machine.allocate(if slots_bytes > 0 { 16 * blocks } else { 0 })?,
            asked: machine.allocate(attempts * rows)?,
            told: machine.allocate(attempts * individuals * size_of::<Fitness<R>>() as u64)?,
            attempts,
            slots_bytes,
        })
    }
}

/// The bytes of the public points, the fitnesses, the own rows and the numbers of all runs with this many individuals.
fn population_bytes<R: Float>(job: &Job<R>, individuals: u32) -> [u64; 4] {
    let individuals = u64::from(job.runs) * u64::from(individuals);
    let (own, count) = job.procedure.keeps();
    let [own, count, number] = [own, count, size_of::<R>()].map(|size| size as u64);
    let rows = individuals * u64::from(job.stride()) * number;
    let fitness = 2 * individuals * size_of::<Fitness<R>>() as u64;
    [2 * rows, fitness, own * rows, 2 * individuals * count * number]
}

/// A method on a device; `W` is the way in which it does iterations.
pub(crate) struct Generations<R, M, W> {
    backend: Backend,
    job: Job<R>,
    named: Named<R>,
    layout: Layout,
    arrays: Arrays,
    tag: u32,
    transit: Transit,
    /// The legs of runs that restart when they have converged.
    anew: Option<Anew<R>>,
    /// The states of stopped runs whose number of individuals differs from that of the running runs, `[run]`.
    apart: Vec<Option<Box<Swarm<R>>>>,
    /// The arrays to which a shrinking population is copied, after the first time.
    spare: Option<Spare>,
    machine: M,
    way: W,
}

/// The way in which iterations are done.
pub(crate) trait Way: Send {
    /// Whether the individuals have a fitness.
    fn is_placed(&self) -> bool {
        true
    }
    /// The controls of the runs, if the host knows them.
    fn controls(&self) -> Option<&Vec<Control>> {
        None
    }
    /// Continues from a new state with these controls.
    fn go_on(&mut self, controls: Vec<Control>) {
        let _ = controls;
    }
}

impl<R: Float, M: Machine, W: Way> Generations<R, M, W> {
    /// A method on a device, before anything has run.
    fn idle(
        backend: Backend,
        (job, named): (Job<R>, Named<R>),
        (layout, arrays): (Layout, Arrays),
        machine: M,
        way: W,
    ) -> Self {
        let (tag, transit) = (0, Transit::default());
        let apart = vec![None; job.runs as usize];
        Generations {
            backend,
            job,
            named,
            layout,
            arrays,
            tag,
            transit,
            anew: None,
            apart,
            spare: None,
            machine,
            way,
        }
    }

    /// The arguments of launches over `runs` runs from `first` on.
    fn args(&self, first: u32, runs: u32, iterations: u64) -> GenerationArgs<R> {
        let individuals = self.job.individuals;
        let (lower, upper, bounds_runs) = self.arrays.runs.bounds(&self.job, (first, runs));
        let own_runs = self.arrays.runs.own(first);
        let start = self.arrays.runs.start(&self.job, (first, runs));
        // Only the first legs start at given points. They are placed together, and before all others.
        let is_later = |anew: &Anew<R>| anew.legs.iter().any(|legs| legs.number > 0);
        let later = iterations == 0 && self.anew.as_ref().is_some_and(is_later);
        let start = if later { StartArgs { individuals: 0, ..start } } else { start };
        let [first, n, stride] = [first, individuals, self.job.stride()].map(u64::from);
        let number = size_of::<R>() as u64;
        let (own, count) = self.job.procedure.keeps();
        let row = n * stride * number;
        let at = &self.arrays;
        let slots = first * (at.slots_bytes / u64::from(self.job.runs));
        let tried = first * n * self.arrays.attempts;
        GenerationArgs {
            public: Ptr::at(at.public + 2 * first * row),
            fitness: Ptr::at(at.fitness + 2 * first * n * size_of::<Fitness<R>>() as u64),
            own: Ptr::at(at.own + own as u64 * first * row),
            numbers: Ptr::at(at.numbers + 2 * first * n * count as u64 * number),
            global: Ptr::at(at.runs.global + first * size_of::<Candidate<R>>() as u64),
            global_positions: Ptr::at(at.runs.global_positions + first * stride * number),
            lower,
            upper,
            control: Ptr::at(at.runs.control + first * size_of::<Control>() as u64),
            own_runs,
            // Launches share scratch that is not kept between them; slots keep their tags from launch to launch.
            block_best: Ptr::at(at.block_best),
            slots: Ptr::at(at.slots + slots),
            slot_indices: Ptr::at(at.slot_indices),
            asked: Ptr::at(at.asked + tried * stride * number),
            told: Ptr::at(at.told + tried * size_of::<Fitness<R>>() as u64),
            first_run: self.job.first_run + first,
            iterations,
            start,
            common: at.common.args(&self.job, (first as u32, self.layout.piece(individuals))),
            runs,
            individuals,
            dimensions: self.job.dimensions(),
            stride: self.job.stride(),
            blocks_per_run: self.layout.grid.blocks_per_run,
            individuals_per_block: self.layout.individuals_per_block(individuals),
            tag: self.tag,
            team: self.layout.team,
            bounds_runs,
            never_stops: u32::from(self.job.never_stops),
        }
    }

    /// Launches kernels of the method for all runs in sequence, and repeats the sequence `times` times; zero iterations
    /// place the individuals. Each kernel comes with its number of blocks per run. The parameter after the arguments of
    /// an evaluating kernel depends on the first run of a launch, the number of runs, and the number of blocks.
    fn launch(
        &mut self,
        kernels: &[(&Kernel, u32)],
        objective: &dyn Fn((u32, u32), u32) -> Parameter,
        iterations: u64,
        times: u64,
    ) -> Result<()> {
        let cooperative = self.layout.shares() && iterations > 1;
        let Layout { grid, shared, .. } = self.layout;
        for (first, runs) in grid.waves(self.job.runs) {
            let args = self.args(first, runs, iterations);
            let launches = kernels.iter().map(|&(kernel, blocks_per_run)| {
                let mut parameter = self.named.method.parameter(args);
                if kernel.objective.is_some() {
                    parameter.append(&objective((first, runs), blocks_per_run));
                }
                let grid = Geometry { blocks_per_run, ..grid };
                (kernel, Shape::of(grid, runs, shared, cooperative), parameter)
            });
            let launches: Vec<_> = launches.collect();
            for _ in 0..times {
                for (kernel, shape, parameter) in &launches {
                    self.machine.launch(kernel, *shape, parameter)?;
                }
            }
        }
        Ok(())
    }

    /// Updates the controls, if the host knows them; otherwise does not wait for the device.
    fn see_controls(&mut self) -> Result<()> {
        if self.way.controls().is_some() {
            let controls = self.arrays.runs.controls(&self.job, &mut self.machine)?;
            self.way.go_on(controls);
        }
        Ok(())
    }

    /// The runs as islands, for migration.
    fn islands(&mut self) -> Islands<'_, R, M> {
        let Arrays { public: points, fitness, .. } = self.arrays;
        Islands {
            job: &self.job,
            public: Public { points, fitness, halves: 2 },
            runs: &self.arrays.runs,
            transit: &mut self.transit,
            machine: &mut self.machine,
        }
    }

    /// Completes the placement of the individuals: measures their distances, if the method needs them. Loads the
    /// kernels of shrinking populations before any iteration is timed.
    fn placed(&mut self) -> Result<()> {
        self.load_falling()?;
        if !self.named.method.nearest() {
            return Ok(());
        }
        let kernel = Kernel::new(format!("{}_{}", generation_kernels::NEAREST, R::NAME), None);
        self.machine.load(&kernel)?;
        let Layout { grid, .. } = self.layout;
        let grid = Geometry { block: grid.block.min(TILE_BLOCKS[0]), ..grid };
        for (first, runs) in grid.waves(self.job.runs) {
            let parameter = Parameter::of(self.args(first, runs, 0));
            self.machine.launch(&kernel, Shape::of(grid, runs, 0, false), &parameter)?;
        }
        Ok(())
    }
}
