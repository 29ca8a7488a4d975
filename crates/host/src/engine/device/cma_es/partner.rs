//! SHADE, which takes turns with CMA-ES on a device: its arrays.

use warpswarm_core::Float;
use warpswarm_core::launch::{CmaEsArgs, CommonArgs, GenerationArgs, Ptr, StartArgs, Turns};
use warpswarm_core::method::{GROUP, Method};
use warpswarm_core::order::Fitness;
use warpswarm_core::restart::{RestartState, regime};
use warpswarm_core::shade::Shade;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::parked::Parked;

use super::super::generation::common::InCommon;
use super::super::memory::Transfer;
use crate::engine::{Job, Procedure};
use crate::error::Result;
use crate::machine::Machine;

/// SHADE as the partner of CMA-ES.
pub(super) struct Partner<R> {
    pub(super) method: Shade<R>,
    /// The runs, described as runs of SHADE.
    job: Job<R>,
    blocks_per_run: u32,
    public: u64,
    fitness: u64,
    numbers: u64,
    common: InCommon,
    /// `[run]`
    pub(super) legs: u64,
    /// `[run]`
    pub(super) turns: u64,
}

impl<R: Float> Partner<R> {
    pub(super) fn allocate<M: Machine>(
        job: &Job<R>,
        (method, individuals): (Shade<R>, u32),
        (blocks_per_run, runs_per_launch): (u32, u32),
        machine: &mut M,
    ) -> Result<Self> {
        let procedure = Procedure::named("shade", method);
        let job = Job { procedure, individuals, ..job.clone() };
        let (runs, number) = (u64::from(job.runs), size_of::<R>() as u64);
        let all = runs * u64::from(individuals);
        let blocks = u64::from(blocks_per_run) * u64::from(runs_per_launch);
        let count = <Shade<R> as Method<R>>::NUMBERS as u64;
        Ok(Partner {
            method,
            blocks_per_run,
            public: machine.allocate(2 * all * u64::from(job.stride()) * number)?,
            fitness: machine.allocate(2 * all * size_of::<Fitness<R>>() as u64)?,
            numbers: machine.allocate(2 * all * count * number)?,
            common: InCommon::allocate(&job, blocks, machine)?,
            legs: machine.allocate(runs * size_of::<RestartState>() as u64)?,
            turns: machine.allocate(runs * size_of::<Turns>() as u64)?,
            job,
        })
    }

    /// Sets the initial state of all runs.
    pub(super) fn begin<M: Machine>(&self, machine: &mut M) -> Result<()> {
        let individuals = self.job.individuals;
        let first = RestartState {
            number: 1,
            regime: regime::SHADE,
            individuals,
            is_new: true,
            ..RestartState::default()
        };
        let runs = self.job.runs as usize;
        machine.store::<R, _>(self.legs, 0, vec![first; runs].into_iter())?;
        machine.store::<R, _>(self.turns, 0, vec![Turns::default(); runs].into_iter())
    }

    /// The arguments of launches over `runs` runs from `first` on; the arrays that do not depend on the algorithm are
    /// those in `args`.
    pub(super) fn args(&self, (first, runs): (u32, u32), args: CmaEsArgs<R>) -> GenerationArgs<R> {
        let all = common(args);
        let (n, stride) = (self.job.individuals, self.job.stride());
        let number = size_of::<R>() as u64;
        let before = 2 * u64::from(first) * u64::from(n);
        let count = <Shade<R> as Method<R>>::NUMBERS as u64;
        let individuals_per_block = n.div_ceil(self.blocks_per_run).next_multiple_of(GROUP);
        GenerationArgs {
            public: Ptr::at(self.public + before * u64::from(stride) * number),
            fitness: Ptr::at(self.fitness + before * size_of::<Fitness<R>>() as u64),
            numbers: Ptr::at(self.numbers + before * count * number),
            common: self.common.args(&self.job, (first, 1)),
            // The first leg is that of CMA-ES.
            start: StartArgs { individuals: 0, ..all.start },
            runs,
            individuals: n,
            individuals_per_block,
            ..all
        }
    }

    /// SHADE's part of a run, whose leg has this age.
    pub(super) fn fetch<M: Machine>(
        &self,
        machine: &mut M,
        run: u32,
        (legs, age): (RestartState, u64),
    ) -> Result<Parked<R>> {
        let mut parked = Parked {
            age,
            best_positions: Vec::new(),
            best: Vec::new(),
            numbers: Vec::new(),
            memory: Vec::new(),
            archive: Vec::new(),
            legs,
        };
        if legs.is_new && legs.evaluations == 0 {
            return Ok(parked);
        }
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (row, count) = (n * stride, <Shade<R> as Method<R>>::NUMBERS as u64);
        let written = 2 * u64::from(run) + (age & 1);
        parked.best_positions = machine.fetch_numbers(self.public, written * row, row)?;
        parked.best = machine.fetch(self.fitness, written * n, n)?;
        parked.numbers = machine.fetch_numbers(self.numbers, written * n * count, n * count)?;
        parked.memory = self.common.memory(&self.job, machine, (run, age))?;
        parked.archive = self.common.archive(&self.job, machine, run)?;
        Ok(parked)
    }

    /// Writes SHADE's parts of all runs, and the turns.
    pub(super) fn bring<M: Machine>(
        &self,
        machine: &mut M,
        parts: Vec<Parked<R>>,
        turns: impl ExactSizeIterator<Item = Turns>,
    ) -> Result<()> {
        machine.store::<R, _>(self.turns, 0, turns)?;
        machine.store::<R, _>(self.legs, 0, parts.iter().map(|part| part.legs))?;
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (row, count) = (n * stride, <Shade<R> as Method<R>>::NUMBERS as u64);
        for (run, part) in (0..).zip(parts) {
            if part.best.is_empty() {
                continue;
            }
            let written = 2 * u64::from(run) + (part.age & 1);
            machine.store_numbers(self.public, written * row, &part.best_positions)?;
            machine.store::<R, _>(self.fitness, written * n, part.best.iter().copied())?;
            machine.store_numbers(self.numbers, written * n * count, &part.numbers)?;
            let Parked { numbers, memory, archive, age, .. } = part;
            let mut alone =
                Swarm { numbers, memory, archive, ..Swarm::unplaced(1, 1, self.job.run_id(run)) };
            alone.control.iterations = age;
            self.common.restore_run(&self.job, machine, (run, &alone), 1)?;
        }
        Ok(())
    }
}

/// The arguments that a method shares with CMA-ES.
fn common<R>(args: CmaEsArgs<R>) -> GenerationArgs<R> {
    GenerationArgs {
        public: Ptr::NULL,
        fitness: Ptr::NULL,
        own: Ptr::NULL,
        numbers: Ptr::NULL,
        global: args.global,
        global_positions: args.global_positions,
        lower: args.lower,
        upper: args.upper,
        control: args.control,
        own_runs: args.own_runs,
        block_best: Ptr::NULL,
        slots: Ptr::NULL,
        slot_indices: Ptr::NULL,
        asked: Ptr::NULL,
        told: Ptr::NULL,
        first_run: args.first_run,
        iterations: 0,
        start: args.start,
        common: CommonArgs {
            memory: Ptr::NULL,
            own_memory: Ptr::NULL,
            lessons: Ptr::NULL,
            archive: Ptr::NULL,
            numbers: 0,
            piece: 1,
        },
        runs: args.runs,
        individuals: 0,
        dimensions: args.dimensions,
        stride: args.stride,
        blocks_per_run: args.blocks_per_run,
        individuals_per_block: 0,
        tag: 0,
        team: 1,
        bounds_runs: args.bounds_runs,
        never_stops: 0,
    }
}
