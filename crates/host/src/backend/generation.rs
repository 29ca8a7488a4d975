//! A method on a device: its arrays and launches.

use warpswarm_core::Real;
use warpswarm_core::launch::{
    Control, GenerationArgs, MethodArgs, Ptr, generation_kernels, slots_len,
};
use warpswarm_core::method::Method;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::Swarm;

use super::cpu::check_memory;
use super::device::{MAX_LAUNCH, Target, numbers};
use super::encode::{Item, Number, bytes_of, generation_args, items_of, method_bytes};
use super::machine::{Machine, Shape};
use super::{Engine, Job, Procedure, with_method};
use crate::choices::{Backend, Schedule};
use crate::error::Result;
use crate::planner::generation::{self as planner, Layout};
use crate::planner::{Demand, Geometry};
use crate::report::Plan;
use crate::settings::Settings;

/// The addresses of the arrays of `GenerationArgs`.
#[derive(Clone, Copy, Debug, Default)]
struct Arrays {
    public: u64,
    fitness: u64,
    own: u64,
    numbers: u64,
    global: u64,
    global_positions: u64,
    lower: u64,
    upper: u64,
    control: u64,
    block_best: u64,
    slots: u64,
    slot_indices: u64,
}

/// A method on a device.
#[derive(Debug)]
pub(crate) struct Generations<R, M> {
    backend: Backend,
    job: Job<R>,
    target: Target,
    layout: Layout,
    entry: String,
    arrays: Arrays,
    slots_bytes: u64,
    tag: u32,
    machine: M,
}

impl<R: Real, M: Machine> Generations<R, M> {
    /// Plans, allocates, and places the individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        target: Target,
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let demand = Demand {
            individuals: job.individuals,
            runs: job.runs,
            dimensions: job.dimensions(),
            gathers: target.gathers,
            multiprocessors: machine.multiprocessors(),
            schedule: settings.schedule,
            block: settings.block_size,
        };
        let name = |tile: &str| {
            let method = name_of(&job.procedure);
            format!("{method}_{}_{}_{tile}", target.problem.type_name, R::NAME)
        };
        let layout = planner::plan::<R>(&demand, &mut |tile, block, shared| {
            machine.occupancy(&name(tile), block, shared)
        })?;
        let entry = name(layout.tile.name);
        machine.load(&entry)?;
        let blocks = u64::from(layout.grid.blocks_per_run);
        let slots_bytes = if layout.shares() {
            8 * slots_len::<R>(target.constrained, u64::from(job.runs), blocks)
        } else {
            0
        };
        let arrays = Arrays::default();
        let mut this = Generations {
            backend,
            job,
            target,
            layout,
            entry,
            arrays,
            slots_bytes,
            tag: 0,
            machine,
        };
        this.allocate()?;
        this.launch(0)?;
        if is_nearest(&this.job.procedure) {
            this.nearest()?;
        }
        Ok(this)
    }

    fn allocate(&mut self) -> Result<()> {
        let [runs, n, stride] =
            [self.job.runs, self.job.individuals, self.job.stride()].map(u64::from);
        let number = size_of::<R>() as u64;
        let row = n * stride * number;
        let (own, count) = self.job.procedure.keeps();
        let grid = self.layout.grid;
        let blocks = u64::from(grid.blocks_per_run) * u64::from(grid.runs_per_launch);
        let machine = &mut self.machine;
        self.arrays = Arrays {
            public: machine.allocate(2 * runs * row)?,
            fitness: machine.allocate(2 * runs * n * size_of::<Fitness<R>>() as u64)?,
            own: machine.allocate(own as u64 * runs * row)?,
            numbers: machine.allocate(runs * n * count as u64 * number)?,
            global: machine.allocate(runs * size_of::<Candidate<R>>() as u64)?,
            global_positions: machine.allocate(runs * stride * number)?,
            lower: machine.allocate(stride * number)?,
            upper: machine.allocate(stride * number)?,
            control: machine.allocate(runs * size_of::<Control>() as u64)?,
            block_best: machine.allocate(blocks * size_of::<Candidate<R>>() as u64)?,
            slots: machine.allocate(self.slots_bytes)?,
            slot_indices: machine.allocate(if self.slots_bytes > 0 { 16 * blocks } else { 0 })?,
        };
        for (address, bounds, beyond) in [
            (self.arrays.lower, &self.job.lower, -R::ONE),
            (self.arrays.upper, &self.job.upper, R::ONE),
        ] {
            let place = |i| Number(bounds.get(i).copied().unwrap_or(beyond));
            machine.upload(address, &bytes_of((0..stride as usize).map(place)))?;
        }
        Ok(())
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
        GenerationArgs {
            public: Ptr::at(at.public + 2 * first * row),
            fitness: Ptr::at(at.fitness + 2 * first * n * size_of::<Fitness<R>>() as u64),
            own: Ptr::at(at.own + own as u64 * first * row),
            numbers: Ptr::at(at.numbers + first * n * count as u64 * number),
            global: Ptr::at(at.global + first * size_of::<Candidate<R>>() as u64),
            global_positions: Ptr::at(at.global_positions + first * stride * number),
            lower: Ptr::at(at.lower),
            upper: Ptr::at(at.upper),
            control: Ptr::at(at.control + first * size_of::<Control>() as u64),
            // Scratch that no launch leaves to the next is shared by them; slots carry tags from
            // launch to launch.
            block_best: Ptr::at(at.block_best),
            slots: Ptr::at(at.slots + slots),
            slot_indices: Ptr::at(at.slot_indices),
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
        }
    }

    /// Launches the method's kernel for all runs; zero iterations place the individuals.
    fn launch(&mut self, iterations: u64) -> Result<()> {
        let cooperative = self.layout.shares() && iterations > 1;
        let Layout { grid, shared, .. } = self.layout;
        let mut first = 0;
        while first < self.job.runs {
            let runs = grid.runs_per_launch.min(self.job.runs - first);
            let parameter = self.parameter(&self.args(first, runs, iterations));
            let shape = shape(grid, runs, shared, cooperative);
            self.machine.launch(&self.entry, shape, &parameter)?;
            first += runs;
        }
        Ok(())
    }

    /// Measures how far the individuals are apart.
    fn nearest(&mut self) -> Result<()> {
        let entry = format!("{}_{}", generation_kernels::NEAREST, R::NAME);
        self.machine.load(&entry)?;
        let grid = self.layout.grid;
        let mut first = 0;
        while first < self.job.runs {
            let runs = grid.runs_per_launch.min(self.job.runs - first);
            let parameter = generation_args(&self.args(first, runs, 0));
            self.machine.launch(&entry, shape(grid, runs, 0, false), &parameter)?;
            first += runs;
        }
        Ok(())
    }

    /// A kernel's parameter: arguments, method, objective.
    fn parameter(&self, args: &GenerationArgs<R>) -> Vec<u8> {
        // `MethodArgs` is `repr(C)`, and the method's alignment is at most that of the arguments.
        let align = align_of::<MethodArgs<R, R>>();
        let mut parameter = generation_args(args);
        parameter.extend(method_bytes(&self.job.procedure));
        parameter.resize(parameter.len().next_multiple_of(align), 0);
        self.target.append_to(&mut parameter, align);
        parameter
    }

    fn fetch<T: Item<R>>(&mut self, array: u64, first: u64, count: u64) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let size = size_of::<T>() as u64;
        let mut bytes = vec![0; (count * size) as usize];
        self.machine.download(array + first * size, &mut bytes)?;
        Ok(items_of(&bytes).collect())
    }

    fn fetch_numbers(&mut self, array: u64, first: u64, count: u64) -> Result<Vec<R>> {
        let numbers = self.fetch::<Number<R>>(array, first, count)?;
        Ok(numbers.into_iter().map(|number| number.0).collect())
    }

    fn store<T: Item<R>>(
        &mut self,
        array: u64,
        first: u64,
        items: impl ExactSizeIterator<Item = T>,
    ) -> Result<()> {
        if items.len() == 0 {
            return Ok(());
        }
        self.machine.upload(array + first * size_of::<T>() as u64, &bytes_of(items))
    }

    fn runs(&self) -> u64 {
        u64::from(self.job.runs)
    }
}

impl<R: Real, M: Machine> Engine<R> for Generations<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        if self.layout.schedule != Schedule::Resident {
            return (0..iterations).try_for_each(|_| self.launch(1));
        }
        let mut left = iterations;
        while left != 0 {
            if self.tag == u32::MAX - 1 {
                // Tags begin anew: no slot may still have one of the old.
                self.machine.zero(self.arrays.slots, self.slots_bytes)?;
                self.tag = 0;
            }
            let tags = u64::from(u32::MAX - 1 - self.tag);
            let now = left.min(MAX_LAUNCH).min(tags);
            self.launch(now)?;
            if self.layout.shares() && now > 1 {
                self.tag += now as u32;
            }
            left -= now;
        }
        Ok(())
    }

    fn controls(&mut self) -> Result<Vec<Control>> {
        self.fetch(self.arrays.control, 0, self.runs())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        self.fetch(self.arrays.global, 0, self.runs())
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        let (stride, dimensions) = (self.job.stride() as usize, self.job.dimensions() as usize);
        let count = self.runs() * stride as u64;
        let rows = self.fetch_numbers(self.arrays.global_positions, 0, count)?;
        Ok(rows.chunks_exact(stride).map(|row| row[..dimensions].to_vec()).collect())
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
                this.fetch_numbers(at.own, (own * place + k) * row, there)
            };
            swarms.push(Swarm {
                id: self.job.run_id(run),
                dimensions: self.job.dimensions() as usize,
                stride: stride as usize,
                positions: own_row(self, 0)?,
                velocities: own_row(self, 1)?,
                best_positions: self.fetch_numbers(at.public, written * row, row)?,
                best: self.fetch(at.fitness, written * n, n)?,
                numbers: self.fetch_numbers(at.numbers, place * n * count, n * count)?,
                global,
                global_position: self.fetch_numbers(at.global_positions, place * stride, stride)?,
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
            self.store(at.public, written * row, numbers(&swarm.best_positions))?;
            self.store(at.fitness, written * n, swarm.best.iter().copied())?;
            self.store(at.own, own * place * row, numbers(&swarm.positions))?;
            self.store(at.own, (own * place + 1) * row, numbers(&swarm.velocities))?;
            self.store(at.numbers, place * n * count, numbers(&swarm.numbers))?;
            self.store(at.global_positions, place * stride, numbers(&swarm.global_position))?;
        }
        self.store(at.global, 0, swarms.iter().map(|swarm| swarm.global))?;
        let job = self.job.clone();
        let settled = |swarm: &Swarm<R>| job.settled(swarm.control, swarm.global.fitness);
        self.store(at.control, 0, swarms.iter().map(settled))
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

fn shape(grid: Geometry, runs: u32, shared: u32, cooperative: bool) -> Shape {
    Shape { grid: runs * grid.blocks_per_run, block: grid.block, shared, cooperative }
}

/// The method's name in the names of kernels.
fn name_of<R>(procedure: &Procedure<R>) -> &'static str {
    match procedure {
        Procedure::Pso(_) | Procedure::Spso(_) => "pso",
        Procedure::Topology(_) => "pso_topology",
        Procedure::De(_) => "de",
        Procedure::Sa(_) => "sa",
        Procedure::SolisWets(_) => "solis_wets",
    }
}

/// Whether the method wants to know how far its individuals are apart.
fn is_nearest<R: Real>(procedure: &Procedure<R>) -> bool {
    fn of<R: Real, M: Method<R>>(method: &M) -> bool {
        method.nearest()
    }
    with_method!(procedure, method => of(method), else false)
}
