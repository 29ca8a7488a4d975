//! PSO on a device: its arrays, and the kernels of an iteration.
//!
//! The same code drives the GPU and the emulator, through [`Machine`].

use std::mem::offset_of;
use std::ops::Range;

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::{
    Control, EPOCHS_TAGS, EpochsArgs, JoinArgs, MAX_BLOCK, MailboxLayout, OwnRun, PSO_TAGS,
    PsoArgs, Ptr, Tile, Words, pso_kernels, pso_slots_len, reduction_shared_bytes, row_stride,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::restart::RestartState;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{Departure, Migrants, Migration};

use super::epochs::{MailboxService, MigrantExchange};
use super::memory::{DataArrays, RunArrays, Transfer, begin_anew, record_layout, tags_left};
use super::migration::{Islands, Public, Transit};
use crate::engine::cpu::workers::check_memory;
use crate::engine::plan::Plan;
use crate::engine::planner::{self, Demand, Geometry, Layout, Resident};
use crate::engine::{Engine, Job, State, demand};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter, Residency, Shape};
use crate::objective::data::LaidOut;
use crate::objective::target::Target;
use crate::settings::Settings;
use crate::settings::choices::{Backend, Schedule};

/// The largest number of iterations in one launch.
pub(crate) const MAX_LAUNCH: u64 = (1 << 31) - 1;

/// This device's rank among the devices that share a swarm. Each device has two records of every device, so that no
/// device writes a record that another one still reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) rank: u32,
    pub(crate) peers: u32,
}

impl Share {
    /// A single device, which needs only its own record.
    pub(crate) const ALONE: Share = Share { rank: 0, peers: 1 };

    /// The number of records that a device has.
    fn records(self) -> u32 {
        if self.peers == 1 { 1 } else { 2 * self.peers }
    }
}

/// The addresses of the arrays of `PsoArgs`.
#[derive(Clone, Copy, Debug)]
struct Arrays {
    /// `[half][device]`
    records: u64,
    positions: u64,
    velocities: u64,
    best_positions: u64,
    best: u64,
    runs: RunArrays,
    block_best: u64,
    slots: u64,
}

impl Arrays {
    fn allocate<R: Float, M: Machine>(
        job: &Job<R>,
        layout: &Layout,
        (slots_bytes, share): (u64, Share),
        machine: &mut M,
    ) -> Result<Self> {
        let Layout { grid, placing, .. } = *layout;
        let individuals = u64::from(job.runs) * u64::from(job.individuals);
        let number = size_of::<R>() as u64;
        let rows = individuals * u64::from(job.stride()) * number;
        let blocks = |g: Geometry| u64::from(g.blocks_per_run) * u64::from(g.runs_per_launch);
        let block_bests = blocks(grid).max(blocks(placing)) * size_of::<Candidate<R>>() as u64;
        let record = record_layout(job).bytes;
        let records = machine.allocate(u64::from(share.records()) * record)?;
        let own = records + u64::from(share.rank) * record;
        Ok(Arrays {
            records,
            positions: machine.allocate(rows)?,
            velocities: machine.allocate(rows)?,
            best_positions: machine.allocate(rows)?,
            best: machine.allocate(individuals * size_of::<Fitness<R>>() as u64)?,
            runs: RunArrays::allocate(job, own, machine)?,
            block_best: machine.allocate(block_bests)?,
            slots: machine.allocate(slots_bytes)?,
        })
    }
}

/// PSO on a device.
#[derive(Debug)]
pub(crate) struct Device<R, M> {
    backend: Backend,
    job: Job<R>,
    coefficients: Coefficients<R>,
    target: Target,
    data: DataArrays,
    layout: Layout,
    kernels: LayoutKernels,
    arrays: Arrays,
    slots_bytes: u64,
    share: Share,
    tag: u32,
    transit: Transit,
    epochs: Epochs,
    pub(super) machine: M,
}

/// Whether epochs can be done in one launch.
#[derive(Clone, Debug)]
enum Epochs {
    NotAsked,
    Impossible,
    /// With this kernel, and reports and answers at these addresses.
    Possible(Box<Kernel>, [u64; 2]),
}

/// The kernels that a layout uses.
#[derive(Clone, Debug)]
struct LayoutKernels {
    initialise: Kernel,
    best: Kernel,
    /// The kernels of an iteration, in order; with the schedule stepwise, `best` follows.
    iteration: Vec<Kernel>,
}

impl<R: Float, M: Machine> Device<R, M> {
    /// Plans, allocates, and places the individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        coefficients: Coefficients<R>,
        (target, data): (Target, &LaidOut<R>),
        settings: &Settings,
        share: Share,
        mut machine: M,
    ) -> Result<Self> {
        let clamps = coefficients.boundary == Boundary::Clamp;
        let demand = Demand { clamps, ..demand(&job, target.gathers, settings, &machine) };
        let layout = planner::plan::<R>(&demand, &mut |one: &Resident| {
            if one.kernel == pso_kernels::STREAMING_BULK && !machine.has_bulk_copies() {
                return Ok(0);
            }
            let kernel = kernel(&target, one.kernel, one.tile, (job.dimensions(), &coefficients));
            match one.cluster {
                0 => machine.occupancy(&kernel, one.block, one.shared),
                blocks => machine.clusters(&kernel, Shape::cluster(blocks, one.block, one.shared)),
            }
        })?;
        let kernels = LayoutKernels::of(&layout, &target, (job.dimensions(), &coefficients));
        for kernel in [&kernels.initialise, &kernels.best].into_iter().chain(&kernels.iteration) {
            machine.load(kernel)?;
        }
        let slots_bytes = slots_bytes::<R>(&job, &target, &layout);
        let arrays = Arrays::allocate(&job, &layout, (slots_bytes, share), &mut machine)?;
        let data = DataArrays::upload(data, &mut machine)?;
        let mut device = Device {
            backend,
            job,
            coefficients,
            target,
            data,
            layout,
            kernels,
            arrays,
            slots_bytes,
            share,
            tag: 0,
            transit: Transit::default(),
            epochs: Epochs::NotAsked,
            machine,
        };
        device.place()?;
        Ok(device)
    }

    /// Iteration 0.
    fn place(&mut self) -> Result<()> {
        let grid = self.layout.placing;
        let LayoutKernels { initialise, best, .. } = self.kernels.clone();
        for (first, runs) in grid.waves(self.job.runs) {
            let args = self.args(grid, first, runs, 0);
            let shape = Shape::of(grid, runs, 0, false);
            self.launch(&initialise, shape, &args)?;
            let shared = reduction_shared_bytes::<R>(grid.block);
            self.launch(&best, Shape { shared, ..shape }, &args)?;
        }
        Ok(())
    }

    /// Launches a kernel.
    fn launch(&mut self, kernel: &Kernel, shape: Shape, args: &PsoArgs<R>) -> Result<()> {
        let parameter = self.parameter(kernel, args);
        self.machine.launch(kernel, shape, &parameter)
    }

    /// A kernel's parameter.
    fn parameter(&self, kernel: &Kernel, args: &PsoArgs<R>) -> Parameter {
        self.with_objective(Parameter::of(*args), kernel, args)
    }

    /// A kernel's parameter that begins with these bytes.
    fn with_objective(
        &self,
        mut parameter: Parameter,
        kernel: &Kernel,
        args: &PsoArgs<R>,
    ) -> Parameter {
        if kernel.objective.is_some() {
            let first = (args.first_run - self.job.first_run) as u32;
            let (objective, runs) = (&self.target.objective, (first, args.runs));
            parameter.append(&self.data.behind::<R>(objective, runs, args.blocks_per_run));
        }
        parameter
    }

    /// The arguments of launches over `runs` runs from `first` on.
    fn args(&self, grid: Geometry, first: u32, runs: u32, iterations: u64) -> PsoArgs<R> {
        let individuals = self.job.individuals;
        // They are the same for all runs: runs that differ in them use a method.
        let OwnRun { seed, stop, .. } = self.job.own_runs[0];
        let (lower, upper, bounds_runs) = self.arrays.runs.bounds(&self.job, (first, runs));
        let start = self.arrays.runs.start(&self.job, (first, runs));
        let [first, n, stride] = [first, individuals, self.job.stride()].map(u64::from);
        let number = size_of::<R>() as u64;
        let rows = first * n * stride * number;
        let slots = first * (self.slots_bytes / u64::from(self.job.runs));
        let at = &self.arrays;
        PsoArgs {
            positions: Ptr::at(at.positions + rows),
            velocities: Ptr::at(at.velocities + rows),
            best_positions: Ptr::at(at.best_positions + rows),
            best: Ptr::at(at.best + first * n * size_of::<Fitness<R>>() as u64),
            global: Ptr::at(at.runs.global + first * size_of::<Candidate<R>>() as u64),
            global_positions: Ptr::at(at.runs.global_positions + first * stride * number),
            lower,
            upper,
            control: Ptr::at(at.runs.control + first * size_of::<Control>() as u64),
            // Launches are done in sequence, so they share scratch that is not kept between them. Slots keep their tags
            // from launch to launch, so each run has its own.
            block_best: Ptr::at(at.block_best),
            slots: Ptr::at(at.slots + slots),
            seed,
            first_run: self.job.first_run + first,
            iterations,
            stop,
            start,
            coefficients: self.coefficients,
            runs,
            individuals,
            dimensions: self.job.dimensions(),
            stride: self.job.stride(),
            blocks_per_run: grid.blocks_per_run,
            tag: self.tag,
            bounds_runs,
            first: self.job.first_individual,
        }
    }

    /// The resident schedule: many iterations in one launch.
    fn advance_resident(&mut self, iterations: u64) -> Result<()> {
        let Layout { grid, shared, .. } = self.layout;
        let shares = self.layout.shares_grid();
        let kernel = self.kernels.iteration[0].clone();
        let mut left = iterations;
        while left != 0 {
            let slots = (self.arrays.slots, self.slots_bytes);
            let mut now = left.min(MAX_LAUNCH);
            if shares {
                now = now.min(tags_left(&mut self.tag, &mut self.machine, slots, PSO_TAGS)?);
            }
            for (first, runs) in grid.waves(self.job.runs) {
                let args = self.args(grid, first, runs, now);
                self.launch(&kernel, Shape::of(grid, runs, shared, shares), &args)?;
            }
            if shares {
                self.tag += now as u32 * PSO_TAGS;
            }
            left -= now;
        }
        Ok(())
    }

    fn mailbox_layout(&self) -> MailboxLayout {
        let (blocks, stride) = (self.layout.grid.blocks_per_run, self.job.stride());
        MailboxLayout::new::<R>(self.target.constrained, blocks, stride)
    }

    /// The offset in a block's shared memory at which warps exchange reports, and its total size in bytes.
    fn epochs_shared(&self, layout: &MailboxLayout) -> (u32, u32) {
        let near = self.layout.shared.next_multiple_of(8);
        (near, near + 8 * layout.near(self.layout.grid.block))
    }

    /// The kernel and the addresses for several epochs in one launch, if that is possible; determined once.
    fn epochs(&mut self) -> Result<Option<(Kernel, [u64; 2])>> {
        if let Epochs::NotAsked = self.epochs {
            self.epochs = Epochs::Impossible;
            // This includes stopping at a value that nothing can beat.
            let never = self.job.never_stops && self.job.own_runs[0].stop.target.is_nan();
            let alone = self.job.runs == 1 && self.share.peers == 1 && never;
            if alone && self.layout.shares_grid() {
                let Layout { grid, tile, .. } = self.layout;
                let layout = self.mailbox_layout();
                let (_, shared) = self.epochs_shared(&layout);
                let swarm = (self.job.dimensions(), &self.coefficients);
                let kernel = kernel(&self.target, pso_kernels::EPOCHS_GRID, tile, swarm);
                let held = self.machine.occupancy(&kernel, grid.block, shared)?;
                if held * self.machine.multiprocessors() >= grid.blocks_per_run {
                    let [heard, said] = office_bytes(&layout);
                    let reports = self.machine.allocate_visible(heard)?;
                    let answers = self.machine.allocate(said)?;
                    self.epochs = Epochs::Possible(Box::new(kernel), [reports, answers]);
                }
            }
        }
        Ok(match &self.epochs {
            Epochs::Possible(kernel, mailbox) => Some(((**kernel).clone(), *mailbox)),
            _ => None,
        })
    }

    /// Launches several epochs at once.
    fn launch_epochs(
        &mut self,
        (kernel, [reports, answers]): (&Kernel, [u64; 2]),
        (every, epochs): (u64, u64),
        exchange: MigrantExchange<'_, R>,
    ) -> Result<()> {
        let grid = self.layout.grid;
        let layout = self.mailbox_layout();
        let (near, shared) = self.epochs_shared(&layout);
        let [heard, said] = office_bytes(&layout);
        self.machine.zero(answers, said)?;
        self.machine.zero(reports, heard)?;
        let swarm = self.args(grid, 0, 1, every * epochs);
        let args = EpochsArgs::<R> {
            swarm,
            reports: Ptr::at(reports),
            answers: Ptr::at(answers),
            every: every as u32,
            near,
        };
        let parameter = self.with_objective(Parameter::of(args), kernel, &swarm);
        let mut messages = MailboxService {
            reports,
            answers,
            layout,
            constrained: self.target.constrained,
            dimensions: self.job.dimensions,
            blocks: grid.blocks_per_run,
            answered: 0,
            done: 0,
            epochs: epochs as u32,
            exchange,
            words: Vec::new(),
        };
        let shape = Shape::of(grid, 1, shared, true);
        self.machine.launch_served(kernel, shape, &parameter, &mut messages)
    }

    /// The other schedules: one or several launches for each iteration.
    fn advance_by_one(&mut self, iterations: u64) -> Result<()> {
        let Layout { grid, shared, schedule, .. } = self.layout;
        let mut kernels = self.kernels.iteration.clone();
        if schedule == Schedule::Stepwise {
            kernels.push(self.kernels.best.clone());
        }
        for (first, runs) in grid.waves(self.job.runs) {
            let args = self.args(grid, first, runs, 1);
            let launches: Vec<_> = kernels
                .iter()
                .map(|kernel| {
                    let reduces = schedule == Schedule::Streaming || *kernel == self.kernels.best;
                    let shared = if reduces { shared } else { 0 };
                    let shape = Shape::of(grid, runs, shared, false);
                    (kernel, shape, self.parameter(kernel, &args))
                })
                .collect();
            for _ in 0..iterations {
                for (kernel, shape, parameter) in &launches {
                    self.machine.launch(kernel, *shape, parameter)?;
                }
            }
        }
        Ok(())
    }

    /// The runs as islands, for migration.
    fn islands(&mut self) -> Islands<'_, R, M> {
        let Arrays { best_positions: points, best: fitness, .. } = self.arrays;
        Islands {
            job: &self.job,
            public: Public { points, fitness, halves: 1 },
            runs: &self.arrays.runs,
            transit: &mut self.transit,
            machine: &mut self.machine,
        }
    }

    /// The numbers of this device's particles of each run.
    pub(super) fn particles(&self) -> Range<u32> {
        self.job.first_individual..self.job.first_individual + self.job.individuals
    }

    /// The address of the record, in one half, of a device that shares these swarms, and its size in bytes.
    pub(super) fn record(&self, half: u32, rank: u32) -> (u64, u64) {
        let bytes = record_layout(&self.job).bytes;
        let number = u64::from(half * self.share.peers + rank);
        (self.arrays.records + number * bytes, bytes)
    }

    /// The controls of the runs in the record, in one half, of a device that shares these swarms.
    pub(super) fn controls_of(&mut self, half: u32, rank: u32) -> Result<Vec<Control>> {
        let (record, _) = self.record(half, rank);
        self.arrays.runs.with_record(&self.job, record).controls(&self.job, &mut self.machine)
    }

    /// Combines the records in a half to one in the other half, and continues with that.
    pub(super) fn join(&mut self, half: u32) -> Result<()> {
        let (records, _) = self.record(half, 0);
        let (joined, _) = self.record(1 - half, self.share.rank);
        let Share { rank, peers } = self.share;
        let (runs, stride) = (self.job.runs, self.job.stride());
        let (records, joined) = (Ptr::at(records), Ptr::at(joined));
        // The same for all runs, as in `args`.
        let stop = self.job.own_runs[0].stop;
        let args = JoinArgs::<R> { records, joined, stop, peers, rank, runs, stride };
        let kernel = Kernel::new(format!("{}_{}", pso_kernels::JOIN, R::NAME), None);
        let block = stride.next_multiple_of(32).min(MAX_BLOCK);
        let shape = Shape { grid: runs, block, shared: 0, cooperative: false, cluster: 0 };
        self.machine.launch(&kernel, shape, &Parameter::of(args))?;
        self.arrays.runs = self.arrays.runs.with_record(&self.job, joined.address);
        Ok(())
    }

    /// The offset of a run's individuals in the arrays of coordinates, and their length.
    fn rows(&self, run: u32) -> (u64, u64) {
        let row = u64::from(self.job.individuals) * u64::from(self.job.stride());
        (u64::from(run) * row, row)
    }
}

impl<R: Float, M: Machine> Engine<R> for Device<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        match self.layout.schedule {
            Schedule::Resident => self.advance_resident(iterations),
            _ => self.advance_by_one(iterations),
        }
    }

    fn prepare_epochs(&mut self) -> Result<Option<String>> {
        let possible = self.epochs()?.is_some();
        possible.then(|| self.machine.identity()).transpose()
    }

    fn advance_epochs(
        &mut self,
        every: u64,
        epochs: u64,
        exchange: MigrantExchange<'_, R>,
    ) -> Result<bool> {
        // The tags of a launch must suffice for all of its iterations.
        let Some(each) = u32::try_from(every).ok().and_then(|every| every.checked_mul(EPOCHS_TAGS))
        else {
            return Ok(false);
        };
        let Some((kernel, mailbox)) = self.epochs()? else {
            return Ok(false);
        };
        let mut left = epochs;
        while left != 0 {
            let slots = (self.arrays.slots, self.slots_bytes);
            let tags = tags_left(&mut self.tag, &mut self.machine, slots, each)?;
            let now = left.min(tags).min(MAX_LAUNCH / every);
            self.launch_epochs((&kernel, mailbox), (every, now), &mut *exchange)?;
            self.tag += now as u32 * each;
            left -= now;
        }
        Ok(true)
    }
}

impl<R: Float, M: Machine> State<R> for Device<R, M> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        self.arrays.runs.controls(&self.job, &mut self.machine)
    }

    fn landmarks(&mut self) -> Result<Vec<Control>> {
        self.arrays.runs.landmarks(&self.job, &mut self.machine)
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
        let stride = self.job.stride();
        let mut swarms = Vec::with_capacity(controls.len());
        for (run, (control, global)) in (0..).zip(controls.into_iter().zip(bests)) {
            let (first, count) = self.rows(run);
            let at = self.arrays;
            let individuals = u64::from(self.job.individuals);
            swarms.push(Swarm {
                id: self.job.run_id(run),
                dimensions: self.job.dimensions() as usize,
                stride: stride as usize,
                positions: self.machine.fetch_numbers(at.positions, first, count)?,
                velocities: self.machine.fetch_numbers(at.velocities, first, count)?,
                best_positions: self.machine.fetch_numbers(at.best_positions, first, count)?,
                best: self.machine.fetch(at.best, u64::from(run) * individuals, individuals)?,
                numbers: Vec::new(),
                memory: Vec::new(),
                archive: Vec::new(),
                global,
                global_position: self.machine.fetch_numbers(
                    at.runs.global_positions,
                    u64::from(run) * u64::from(stride),
                    u64::from(stride),
                )?,
                control,
                legs: RestartState::default(),
                earlier: None,
                parked: None,
            });
        }
        Ok(swarms)
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let at = self.arrays;
        begin_anew(&mut self.tag, &mut self.machine, (at.slots, self.slots_bytes))?;
        for (run, swarm) in (0..).zip(swarms) {
            let (first, _) = self.rows(run);
            self.machine.store_numbers(at.positions, first, &swarm.positions)?;
            self.machine.store_numbers(at.velocities, first, &swarm.velocities)?;
            self.machine.store_numbers(at.best_positions, first, &swarm.best_positions)?;
            let first = u64::from(run) * u64::from(self.job.individuals);
            self.machine.store::<R, _>(at.best, first, swarm.best.iter().copied())?;
        }
        at.runs.restore(&self.job, &mut self.machine, swarms)
    }

    fn first_levels(&mut self) -> Result<Vec<R>> {
        self.islands().first_levels()
    }

    fn set_levels(&mut self, _: &Job<R>, levels: &[R]) -> Result<()> {
        self.islands().set_levels(levels)
    }

    fn depart(&mut self, migration: &Migration, immigrants: &[usize]) -> Result<Vec<Departure<R>>> {
        self.islands().depart(migration, immigrants)
    }

    fn immigrate(
        &mut self,
        _: &Job<R>,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        self.islands().immigrate(immigrants, places)
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

impl LayoutKernels {
    fn of<R: Float>(layout: &Layout, target: &Target, swarm: (u32, &Coefficients<R>)) -> Self {
        let name = |name| kernel(target, name, layout.tile, swarm);
        let iteration = match layout.schedule {
            Schedule::Stepwise => vec![name(pso_kernels::VELOCITY), name(pso_kernels::POSITION)],
            Schedule::Resident if layout.grid.cluster => {
                vec![name(pso_kernels::RESIDENT_CLUSTER)]
            }
            Schedule::Resident if layout.grid.blocks_per_run > 1 => {
                vec![name(pso_kernels::RESIDENT_GRID)]
            }
            Schedule::Resident => vec![name(pso_kernels::RESIDENT)],
            _ if layout.bulk => vec![name(pso_kernels::STREAMING_BULK)],
            _ => vec![name(pso_kernels::STREAMING)],
        };
        LayoutKernels {
            initialise: name(pso_kernels::INITIALISE),
            best: name(pso_kernels::BEST),
            iteration,
        }
    }
}

/// The words of its argument that a resident kernel knows when it is loaded: with a known number of coordinates, an
/// iteration takes up to a third less time. Streaming is limited by memory and gains nothing; neither do particles in
/// the registers of a block gain from constant coefficients.
fn known<R: Float>(
    name: &str,
    tile: Tile,
    (dimensions, coefficients): (u32, &Coefficients<R>),
) -> Vec<(u32, u32)> {
    use pso_kernels::{STREAMING, STREAMING_BULK};
    // The arguments of epochs begin with the same fields.
    const { assert!(offset_of!(EpochsArgs<R>, swarm) == 0) };
    if [STREAMING, STREAMING_BULK].contains(&name) {
        return Vec::new();
    }
    let mut known = vec![
        (offset_of!(PsoArgs<R>, dimensions) as u32, dimensions),
        (offset_of!(PsoArgs<R>, stride) as u32, row_stride(dimensions)),
    ];
    if tile != Tile::rows::<R>() {
        let note = &mut |place, word| known.push((place as u32, word));
        coefficients.words(offset_of!(PsoArgs<R>, coefficients), note);
    }
    known
}

/// A kernel by its name in [`pso_kernels`].
fn kernel<R: Float>(
    target: &Target,
    name: &str,
    tile: Option<Tile>,
    swarm: (u32, &Coefficients<R>),
) -> Kernel {
    let entry = format!("{name}_{}", R::NAME);
    let evaluating = |entry, form, flavoured| target.kernel::<R>((entry, None), form, flavoured);
    match (name, tile) {
        (pso_kernels::VELOCITY | pso_kernels::BEST, _) => Kernel::new(entry, None),
        (pso_kernels::INITIALISE, _) => evaluating(entry, "warp", false),
        (pso_kernels::POSITION, _) => evaluating(entry, "thread", false),
        (_, None) => evaluating(entry + "_any", "warp", false),
        (_, Some(tile)) => {
            let kernel = evaluating(format!("{entry}_{}", tile.name), tile.name, true);
            // Rows in double precision: a batch of small runs is faster with twice as many of them resident.
            let dense = Residency { threads: MAX_BLOCK, blocks: 2 };
            let residency = (tile == Tile::rows::<R>() && R::WORDS == 2).then_some(dense);
            Kernel { known: known(name, tile, swarm), residency, ..kernel }
        }
    }
}

/// The bytes of the reports and of the answers while a kernel runs epochs.
fn office_bytes(layout: &MailboxLayout) -> [u64; 2] {
    [layout.heard, layout.answers + 1].map(|words| 8 * u64::from(words))
}

/// The bytes of the slots of all runs.
fn slots_bytes<R: Float>(job: &Job<R>, target: &Target, layout: &Layout) -> u64 {
    if !layout.shares_grid() {
        return 0;
    }
    let blocks = u64::from(layout.grid.blocks_per_run);
    8 * pso_slots_len::<R>(target.constrained, u64::from(job.runs), blocks, job.stride())
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::machine::emulator::Emulator;
    use crate::objective::bounds::Bounds;
    use crate::objective::target::built_in;
    use warpswarm_core::problems::Sphere;
    use warpswarm_cpu_ref::difference;

    /// A run over so many blocks that they cannot be a cluster.
    fn device() -> Device<f32, Emulator> {
        let settings = Settings {
            individuals: 70,
            block_size: Some(32),
            schedule: Schedule::Resident,
            ..Settings::default()
        };
        let bounds = Bounds::uniform(3, -1.0, 2.0).unwrap();
        let wanted = crate::engine::Wanted::new(&Algorithm::Pso(Default::default()), 1).unwrap();
        let job = Job::new(&bounds, wanted.procedure, &settings).unwrap();
        let coefficients = crate::PsoParams::default().coefficients().unwrap();
        let target = built_in::<f32>(&Sphere).unwrap();
        let target = (target, &LaidOut::default());
        let machine = Emulator::default();
        let alone = Share::ALONE;
        Device::new(Backend::Emulator, job, coefficients, target, &settings, alone, machine)
            .unwrap()
    }

    #[test]
    fn tags_begin_anew_when_they_are_used_up() {
        let mut straight = device();
        straight.advance(20).unwrap();
        for before in 0..5 {
            let mut device = device();
            device.tag = u32::MAX - 1 - before;
            device.advance(12).unwrap();
            device.advance(8).unwrap();
            assert_eq!(device.tag, (20 - before / PSO_TAGS) * PSO_TAGS);
            let (left, right) = (straight.snapshot().unwrap(), device.snapshot().unwrap());
            assert_eq!(difference(&left[0], &right[0]), None);
        }
    }

    /// A launch that failed after others may have left tags in the slots that were not counted.
    #[test]
    fn a_state_that_is_brought_begins_with_new_tags() {
        let mut device = device();
        let state = device.snapshot().unwrap();
        let slots = |device: &mut Device<f32, Emulator>| {
            let mut bytes = vec![0; device.slots_bytes as usize];
            device.machine.download(device.arrays.slots, &mut bytes).unwrap();
            bytes
        };
        device.advance(20).unwrap();
        assert!(device.tag > 0 && slots(&mut device).iter().any(|&byte| byte != 0));
        device.restore(&state).unwrap();
        assert!(device.tag == 0 && slots(&mut device).iter().all(|&byte| byte == 0));
    }
}
