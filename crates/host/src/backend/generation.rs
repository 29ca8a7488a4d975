//! A method on a device: its arrays and launches.

mod hosted;

use warpswarm_core::Real;
use warpswarm_core::launch::{
    Control, GenerationArgs, MethodTile, Ptr, generation_kernels, slots_len, stopped,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::Swarm;

use super::cpu::check_memory;
use super::device::{MAX_LAUNCH, Target};
use super::machine::{Kernel, Machine, Parameter, Shape};
use super::memory::{RunArrays, Transfer, tags_left};
use super::{Engine, Evaluator, Job, Named, demand};
use crate::choices::{Backend, Schedule};
use crate::error::Result;
use crate::planner::generation::{self as planner, Layout};
use crate::planner::{Demand, Geometry};
use crate::report::Plan;
use crate::settings::Settings;

use hosted::Hosted;

/// The addresses of the arrays of `GenerationArgs`.
#[derive(Clone, Copy, Debug)]
struct Arrays {
    public: u64,
    fitness: u64,
    own: u64,
    numbers: u64,
    runs: RunArrays,
    block_best: u64,
    slots: u64,
    slot_indices: u64,
}

impl Arrays {
    fn allocate<R: Real, M: Machine>(
        job: &Job<R>,
        layout: &Layout,
        slots_bytes: u64,
        machine: &mut M,
    ) -> Result<Self> {
        let Geometry { blocks_per_run, runs_per_launch, .. } = layout.grid;
        let blocks = u64::from(blocks_per_run) * u64::from(runs_per_launch);
        let individuals = u64::from(job.runs) * u64::from(job.individuals);
        let number = size_of::<R>() as u64;
        let rows = individuals * u64::from(job.stride()) * number;
        let (own, count) = job.procedure.keeps();
        Ok(Arrays {
            public: machine.allocate(2 * rows)?,
            fitness: machine.allocate(2 * individuals * size_of::<Fitness<R>>() as u64)?,
            own: machine.allocate(own as u64 * rows)?,
            numbers: machine.allocate(2 * individuals * count as u64 * number)?,
            runs: RunArrays::allocate(job, machine)?,
            block_best: machine.allocate(blocks * size_of::<Candidate<R>>() as u64)?,
            slots: machine.allocate(slots_bytes)?,
            slot_indices: machine.allocate(if slots_bytes > 0 { 16 * blocks } else { 0 })?,
        })
    }
}

/// A method on a device.
pub(crate) struct Generations<R, M> {
    backend: Backend,
    job: Job<R>,
    named: Named<R>,
    layout: Layout,
    iteration: Iteration<R>,
    arrays: Arrays,
    slots_bytes: u64,
    tag: u32,
    machine: M,
}

/// What does an iteration.
enum Iteration<R> {
    /// A kernel, which takes this objective.
    Kernel(Kernel, Parameter),
    /// Two kernels, and between them the host.
    Hosted(Box<Hosted<R>>),
}

impl<R: Real, M: Machine> Generations<R, M> {
    /// Plans, allocates, and places the individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        named: Named<R>,
        by: Evaluator<R>,
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let mut slots_bytes = 0;
        let (layout, iteration) = match by {
            Evaluator::Device(target) => {
                let (layout, kernel) = plan(&job, &named, &target, settings, &mut machine)?;
                if layout.shares() {
                    let blocks = u64::from(layout.grid.blocks_per_run);
                    let runs = u64::from(job.runs);
                    slots_bytes = 8 * slots_len::<R>(target.constrained, runs, blocks);
                }
                (layout, Iteration::Kernel(kernel, target.problem.objective))
            }
            Evaluator::Host(objective) => {
                let demand = Demand {
                    schedule: Schedule::Hosted,
                    ..demand(&job, false, settings, &machine)
                };
                let hosted = Hosted::new(&job, &named, objective, settings, &mut machine)?;
                let layout = planner::plan::<R>(&demand, 1, &mut |_, block, shared| {
                    machine.occupancy(&hosted.tell, block, shared)
                })?;
                (layout, Iteration::Hosted(Box::new(hosted)))
            }
        };
        let arrays = Arrays::allocate(&job, &layout, slots_bytes, &mut machine)?;
        let mut this = Generations {
            backend,
            job,
            named,
            layout,
            iteration,
            arrays,
            slots_bytes,
            tag: 0,
            machine,
        };
        this.place()?;
        if this.named.method.nearest() {
            this.nearest()?;
        }
        Ok(this)
    }

    /// The arguments of launches over `runs` runs from `first` on.
    fn args(&self, first: u32, runs: u32, iterations: u64) -> GenerationArgs<R> {
        let Job { individuals, stop, seed, .. } = self.job;
        let [first, n, stride] = [first, individuals, self.job.stride()].map(u64::from);
        let number = size_of::<R>() as u64;
        let (own, count) = self.job.procedure.keeps();
        let row = n * stride * number;
        let at = &self.arrays;
        let slots = first * (self.slots_bytes / u64::from(self.job.runs));
        let (asked, told) = match &self.iteration {
            Iteration::Kernel(..) => Default::default(),
            Iteration::Hosted(hosted) => hosted.of_run(),
        };
        GenerationArgs {
            public: Ptr::at(at.public + 2 * first * row),
            fitness: Ptr::at(at.fitness + 2 * first * n * size_of::<Fitness<R>>() as u64),
            own: Ptr::at(at.own + own as u64 * first * row),
            numbers: Ptr::at(at.numbers + 2 * first * n * count as u64 * number),
            global: Ptr::at(at.runs.global + first * size_of::<Candidate<R>>() as u64),
            global_positions: Ptr::at(at.runs.global_positions + first * stride * number),
            lower: Ptr::at(at.runs.lower),
            upper: Ptr::at(at.runs.upper),
            control: Ptr::at(at.runs.control + first * size_of::<Control>() as u64),
            // Scratch that no launch leaves to the next is shared by them; slots carry tags from
            // launch to launch.
            block_best: Ptr::at(at.block_best),
            slots: Ptr::at(at.slots + slots),
            slot_indices: Ptr::at(at.slot_indices),
            asked: Ptr::at(asked.0 + first * asked.1),
            told: Ptr::at(told.0 + first * told.1),
            seed,
            first_run: self.job.first_run + first,
            iterations,
            stop,
            runs,
            individuals,
            dimensions: self.job.dimensions(),
            stride: self.job.stride(),
            blocks_per_run: self.layout.grid.blocks_per_run,
            tag: self.tag,
            team: self.layout.team,
            reserved: 0,
        }
    }

    /// Iteration 0.
    fn place(&mut self) -> Result<()> {
        match self.iteration {
            Iteration::Kernel(..) => self.launch(Step::Whole, 0, 1),
            Iteration::Hosted(_) => self.hosted_iteration(0, &vec![true; self.job.runs as usize]),
        }
    }

    /// Launches a kernel of the iteration for all runs, `times` times; zero iterations place the individuals.
    fn launch(&mut self, step: Step, iterations: u64, times: u64) -> Result<()> {
        let cooperative = self.layout.shares() && iterations > 1;
        let Layout { grid, shared, .. } = self.layout;
        for (first, runs) in grid.waves(self.job.runs) {
            let mut parameter = self.named.method.parameter(self.args(first, runs, iterations));
            let kernel = match (&self.iteration, step) {
                (Iteration::Kernel(kernel, objective), _) => {
                    parameter.append(objective);
                    kernel
                }
                (Iteration::Hosted(hosted), Step::Tell) => &hosted.tell,
                (Iteration::Hosted(hosted), _) => &hosted.ask,
            };
            let shape = Shape::of(grid, runs, shared, cooperative);
            for _ in 0..times {
                self.machine.launch(kernel, shape, &parameter)?;
            }
        }
        Ok(())
    }

    /// Has the device move individuals and the host evaluate them, in the runs that are going on.
    fn hosted_iteration(&mut self, iteration: u64, going: &[bool]) -> Result<()> {
        let launched = iteration.min(1);
        self.launch(Step::Ask, launched, 1)?;
        if let Iteration::Hosted(hosted) = &mut self.iteration {
            let method = &*self.named.method;
            let attempts =
                |index| if iteration == 0 { 1 } else { method.attempts(iteration, index) };
            hosted.evaluate(&self.job, going, &attempts, &mut self.machine)?;
        }
        self.launch(Step::Tell, launched, 1)
    }

    /// The same, so many times.
    fn hosted_iterations(&mut self, iterations: u64) -> Result<()> {
        let mut controls = self.controls()?;
        for _ in 0..iterations {
            let is_going = |control: &Control| control.stopped == stopped::NOT;
            let Some(first) = controls.iter().find(|control| is_going(control)) else { break };
            let iteration = first.iterations + 1;
            let going: Vec<_> = controls.iter().map(is_going).collect();
            self.hosted_iteration(iteration, &going)?;
            if self.job.stop.is_never() {
                controls.iter_mut().for_each(|control| control.iterations += 1);
            } else {
                controls = self.controls()?;
            }
        }
        Ok(())
    }

    /// Measures how far the individuals are apart.
    fn nearest(&mut self) -> Result<()> {
        let entry = format!("{}_{}", generation_kernels::NEAREST, R::NAME);
        let kernel = Kernel { entry, ..Kernel::default() };
        self.machine.load(&kernel)?;
        let grid = self.layout.grid;
        for (first, runs) in grid.waves(self.job.runs) {
            let parameter = Parameter::of(self.args(first, runs, 0));
            self.machine.launch(&kernel, Shape::of(grid, runs, 0, false), &parameter)?;
        }
        Ok(())
    }
}

/// A kernel of an iteration.
#[derive(Clone, Copy)]
enum Step {
    Whole,
    Ask,
    Tell,
}

/// Lays a method over a device that evaluates, with the kernel for that.
fn plan<R: Real>(
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
        let own = named.kernels;
        Kernel { own, dense, ..target.kernel::<R>(entry, form, tile.is_held()) }
    };
    let attempts = named.method.most_attempts();
    let mut plan = |dense| {
        planner::plan::<R>(&demand, attempts, &mut |tile, block, shared| {
            machine.occupancy(&kernel(tile, dense), block, shared)
        })
    };
    let mut dense = false;
    let mut layout = plan(dense)?;
    if layout.short {
        let denser = plan(true)?;
        dense = denser.capacity > layout.capacity;
        layout = if dense { denser } else { layout };
    }
    let kernel = kernel(&layout.tile, dense);
    machine.load(&kernel)?;
    Ok((layout, kernel))
}

impl<R: Real, M: Machine> Engine<R> for Generations<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        match self.layout.schedule {
            Schedule::Resident => {}
            Schedule::Hosted => return self.hosted_iterations(iterations),
            _ => return self.launch(Step::Whole, 1, iterations),
        }
        let mut left = iterations;
        while left != 0 {
            let slots = (self.arrays.slots, self.slots_bytes);
            let tags = tags_left(&mut self.tag, &mut self.machine, slots)?;
            let now = left.min(MAX_LAUNCH).min(tags);
            self.launch(Step::Whole, now, 1)?;
            if self.layout.shares() && now > 1 {
                self.tag += now as u32;
            }
            left -= now;
        }
        Ok(())
    }

    fn controls(&mut self) -> Result<Vec<Control>> {
        self.arrays.runs.controls(&self.job, &mut self.machine)
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        self.arrays.runs.bests(&self.job, &mut self.machine)
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        self.arrays.runs.best_positions(&self.job, &mut self.machine)
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        check_memory(self.job.bytes()?)?;
        let (controls, bests) = (self.controls()?, self.bests()?);
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (own, count) = self.job.procedure.keeps();
        let (own, count, row) = (own as u64, count as u64, n * stride);
        let at = self.arrays;
        let mut swarms = Vec::with_capacity(controls.len());
        for (run, (control, global)) in (0..).zip(controls.into_iter().zip(bests)) {
            let place = u64::from(run);
            let written = 2 * place + (control.iterations & 1);
            let own_row = |this: &mut Self, k| {
                let there = if k < own { row } else { 0 };
                this.machine.fetch_numbers(at.own, (own * place + k) * row, there)
            };
            swarms.push(Swarm {
                id: self.job.run_id(run),
                dimensions: self.job.dimensions() as usize,
                stride: stride as usize,
                positions: own_row(self, 0)?,
                velocities: own_row(self, 1)?,
                best_positions: self.machine.fetch_numbers(at.public, written * row, row)?,
                best: self.machine.fetch(at.fitness, written * n, n)?,
                numbers: self.machine.fetch_numbers(at.numbers, written * n * count, n * count)?,
                global,
                global_position: self.machine.fetch_numbers(
                    at.runs.global_positions,
                    place * stride,
                    stride,
                )?,
                control,
            });
        }
        Ok(swarms)
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let at = self.arrays;
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (own, count) = self.job.procedure.keeps();
        let (own, count, row) = (own as u64, count as u64, n * stride);
        for (place, swarm) in (0..).zip(swarms) {
            let written = 2 * place + (swarm.control.iterations & 1);
            let machine = &mut self.machine;
            machine.store_numbers(at.public, written * row, &swarm.best_positions)?;
            machine.store::<R, _>(at.fitness, written * n, swarm.best.iter().copied())?;
            machine.store_numbers(at.own, own * place * row, &swarm.positions)?;
            machine.store_numbers(at.own, (own * place + 1) * row, &swarm.velocities)?;
            machine.store_numbers(at.numbers, written * n * count, &swarm.numbers)?;
        }
        at.runs.restore(&self.job, &mut self.machine, swarms)
    }

    fn backend(&self) -> Backend {
        self.backend
    }

    fn device(&self) -> String {
        self.machine.name()
    }

    fn plan(&self) -> Option<Plan> {
        Some(self.layout.plan())
    }
}
