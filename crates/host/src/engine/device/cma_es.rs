//! CMA-ES on a device, alone or in turns with SHADE: its arrays and launches.

mod partner;
mod plan;
mod state;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    AutoArgs, CMA_ES_TAGS, CmaEsArgs, Control, Ptr, Turns, chunks, slots_len, stopped, sums_len,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::restart::{AHEAD, RestartPolicy, RestartState, Restarts, restarts};
use warpswarm_core::shade::Shade;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::portfolio::Portfolio;

use super::memory::{DataArrays, RunArrays, Transfer, begin_anew, record_layout, tags_left};
use super::pso::MAX_LAUNCH;
use crate::engine::plan::Plan;
use crate::engine::planner::cma_es::Layout;
use crate::engine::{Engine, Job, State};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter, Shape};
use crate::objective::data::LaidOut;
use crate::objective::target::Target;
use crate::settings::Settings;
use crate::settings::choices::Backend;
use partner::Partner;
use plan::{numbers, plan};
use state::samples_of;

/// The addresses of the arrays in `CmaEsArgs`, except those of [`Samples`].
#[derive(Clone, Copy, Debug)]
struct Arrays {
    runs: RunArrays,
    distribution: u64,
    legs: u64,
}

/// The arrays of the runs' samples.
#[derive(Clone, Copy, Debug)]
struct Samples {
    room: u32,
    points: u64,
    fitness: u64,
    normals: u64,
    squares: u64,
    weights: u64,
    ranked: u64,
    sums: u64,
    own: u64,
    slots: u64,
    slots_bytes: u64,
}

impl Samples {
    fn allocate<R: Float, M: Machine>(
        job: &Job<R>,
        layout: &Layout,
        room: u32,
        machine: &mut M,
    ) -> Result<Self> {
        let [runs, n, stride] = [job.runs, job.dimensions(), job.stride()].map(u64::from);
        let blocks = u64::from(layout.grid.blocks_per_run);
        let samples = runs * u64::from(room);
        let number = size_of::<R>() as u64;
        let own = if layout.holds { 0 } else { runs * blocks * 2 * n * stride };
        let sums = runs * u64::from(chunks(room)) * u64::from(sums_len(job.dimensions()));
        let slots_bytes = if blocks > 1 { 8 * slots_len::<f32>(false, runs, blocks) } else { 0 };
        Ok(Samples {
            room,
            points: machine.allocate(samples * stride * number)?,
            fitness: machine.allocate(samples * size_of::<Fitness<R>>() as u64)?,
            normals: machine.allocate(samples * stride * number)?,
            squares: machine.allocate(samples * number)?,
            weights: machine.allocate(2 * samples * number)?,
            ranked: machine.allocate(2 * samples * size_of::<Candidate<R>>() as u64)?,
            sums: machine.allocate(sums * number)?,
            own: machine.allocate(own * number)?,
            slots: machine.allocate(slots_bytes)?,
            slots_bytes,
        })
    }
}

/// CMA-ES on a device.
pub(crate) struct CmaEs<R, M> {
    backend: Backend,
    job: Job<R>,
    restart_policy: RestartPolicy<R>,
    shade: Option<(Shade<R>, u32)>,
    partner: Option<Partner<R>>,
    target: Target,
    data: DataArrays,
    settings: Settings,
    layout: Layout,
    kernel: Kernel,
    arrays: Arrays,
    samples: Samples,
    /// The iteration of all runs that have not stopped.
    done: u64,
    tag: u32,
    machine: M,
}

impl<R: Float, M: Machine> CmaEs<R, M> {
    /// Plans, allocates, and places the first samples.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        Portfolio { restart_policy, shade }: Portfolio<R>,
        (target, data): (Target, &LaidOut<R>),
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let room = job.individuals;
        let (layout, kernel) = plan(&job, &target, (settings, shade), room, &mut machine)?;
        let record = machine.allocate(record_layout(&job).bytes)?;
        let runs = u64::from(job.runs);
        let numbers = runs * u64::from(numbers(&job)) * size_of::<R>() as u64;
        let arrays = Arrays {
            runs: RunArrays::allocate(&job, record, &mut machine)?,
            distribution: machine.allocate(numbers)?,
            legs: machine.allocate(runs * size_of::<RestartState>() as u64)?,
        };
        let samples = Samples::allocate(&job, &layout, room, &mut machine)?;
        let partner = partner(&job, shade, &layout, &mut machine)?;
        let data = DataArrays::upload(data, &mut machine)?;
        let settings = settings.clone();
        let mut this = CmaEs {
            backend,
            job,
            restart_policy,
            shade,
            partner,
            target,
            data,
            settings,
            layout,
            kernel,
            arrays,
            samples,
            done: 0,
            tag: 0,
            machine,
        };
        let ahead = if shade.is_some() { AHEAD * u64::from(this.job.dimensions()) } else { 0 };
        let first =
            RestartState { individuals: room, is_new: true, ahead, ..RestartState::default() };
        let legs = vec![first; this.job.runs as usize];
        this.machine.store::<R, _>(this.arrays.legs, 0, legs.into_iter())?;
        if let Some(partner) = &this.partner {
            partner.begin(&mut this.machine)?;
        }
        this.launch(0, true)?;
        this.tag += CMA_ES_TAGS;
        Ok(this)
    }

    /// The arguments of a launch over `runs` runs from `first` on.
    fn args(&self, (first, runs): (u32, u32), until: u64, places: bool) -> CmaEsArgs<R> {
        let (lower, upper, bounds_runs) = self.arrays.runs.bounds(&self.job, (first, runs));
        let own_runs = self.arrays.runs.own(first);
        let start = self.arrays.runs.start(&self.job, (first, runs));
        let Samples { room, .. } = self.samples;
        let (at, samples, grid) = (&self.arrays, &self.samples, self.layout.grid);
        let (n, numbers) = (self.job.dimensions(), numbers(&self.job));
        let [before, stride, blocks] =
            [first, self.job.stride(), grid.blocks_per_run].map(u64::from);
        let number = size_of::<R>() as u64;
        let of = |array: u64, each: u64| array + before * each;
        let row = u64::from(room) * stride * number;
        let candidate = size_of::<Candidate<R>>() as u64;
        let sums = u64::from(chunks(room)) * u64::from(sums_len(n));
        CmaEsArgs {
            points: Ptr::at(of(samples.points, row)),
            fitness: Ptr::at(of(samples.fitness, u64::from(room) * size_of::<Fitness<R>>() as u64)),
            normals: Ptr::at(of(samples.normals, row)),
            squares: Ptr::at(of(samples.squares, u64::from(room) * number)),
            weights: Ptr::at(of(samples.weights, 2 * u64::from(room) * number)),
            ranked: Ptr::at(of(samples.ranked, 2 * u64::from(room) * candidate)),
            sums: Ptr::at(of(samples.sums, sums * number)),
            distribution: Ptr::at(of(at.distribution, u64::from(numbers) * number)),
            own: Ptr::at(of(samples.own, blocks * 2 * u64::from(n) * stride * number)),
            legs: Ptr::at(of(at.legs, size_of::<RestartState>() as u64)),
            global: Ptr::at(of(at.runs.global, candidate)),
            global_positions: Ptr::at(of(at.runs.global_positions, stride * number)),
            lower,
            upper,
            control: Ptr::at(of(at.runs.control, size_of::<Control>() as u64)),
            own_runs,
            slots: Ptr::at(of(samples.slots, samples.slots_bytes / u64::from(self.job.runs))),
            first_run: self.job.first_run + before,
            until,
            evaluations: self.job.evaluations,
            start,
            restart_policy: self.restart_policy,
            runs,
            room,
            numbers,
            dimensions: n,
            stride: self.job.stride(),
            blocks_per_run: grid.blocks_per_run,
            tag: self.tag,
            bounds_runs,
            places: u32::from(places),
            near: self.layout.near,
        }
    }

    /// Launches the kernel for all runs.
    fn launch(&mut self, until: u64, places: bool) -> Result<()> {
        let Layout { grid, shared, .. } = self.layout;
        for (first, runs) in grid.waves(self.job.runs) {
            let args = self.args((first, runs), until, places);
            let mut parameter = match &self.partner {
                None => Parameter::of(args),
                Some(partner) => Parameter::of(AutoArgs {
                    cma_es: args,
                    shade: partner.args((first, runs), args),
                    method: partner.method,
                    legs: Ptr::at(
                        partner.legs + u64::from(first) * size_of::<RestartState>() as u64,
                    ),
                    turns: Ptr::at(partner.turns + u64::from(first) * size_of::<Turns>() as u64),
                }),
            };
            let (objective, blocks) = (&self.target.objective, grid.blocks_per_run);
            parameter.append(&self.data.behind::<R>(objective, (first, runs), blocks));
            let shape = Shape::of(grid, runs, shared, blocks > 1);
            self.machine.launch(&self.kernel, shape, &parameter)?;
        }
        Ok(())
    }

    fn legs(&mut self) -> Result<Vec<RestartState>> {
        self.machine.fetch::<R, _>(self.arrays.legs, 0, u64::from(self.job.runs))
    }

    /// The legs of SHADE, if there is one.
    fn legs_of_others(&mut self) -> Result<Vec<RestartState>> {
        match &self.partner {
            None => Ok(Vec::new()),
            Some(partner) => self.machine.fetch::<R, _>(partner.legs, 0, u64::from(self.job.runs)),
        }
    }

    /// Allocates memory for legs that wait for it; returns whether any does.
    fn make_room(&mut self, until: u64) -> Result<bool> {
        if self.restart_policy.restarts == Restarts::Never {
            return Ok(false);
        }
        let legs = self.legs()?;
        if legs.iter().all(|legs| legs.individuals <= self.samples.room) {
            return Ok(false);
        }
        let controls = self.arrays.runs.controls(&self.job, &mut self.machine)?;
        let waits =
            |control: &Control| control.stopped == stopped::NOT && control.iterations < until;
        let waiting = controls.iter().zip(&legs).filter(|(control, _)| waits(control));
        let Some(room) = waiting.map(|(_, legs)| legs.individuals).max() else { return Ok(false) };
        let swarms = self.snapshot()?;
        self.grow(room)?;
        self.bring(&swarms)?;
        Ok(true)
    }

    /// Allocates memory for this many samples.
    fn grow(&mut self, room: u32) -> Result<()> {
        let (layout, kernel) =
            plan(&self.job, &self.target, (&self.settings, self.shade), room, &mut self.machine)?;
        (self.layout, self.kernel) = (layout, kernel);
        self.partner = partner(&self.job, self.shade, &layout, &mut self.machine)?;
        self.samples = Samples::allocate(&self.job, &layout, room, &mut self.machine)?;
        self.tag = 0;
        Ok(())
    }
}

impl<R: Float, M: Machine> Engine<R> for CmaEs<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        let until = self.done.saturating_add(iterations);
        let mut done = self.done;
        while done < until {
            let mut now = (until - done).min(MAX_LAUNCH);
            if self.samples.slots_bytes > 0 {
                let slots = (self.samples.slots, self.samples.slots_bytes);
                now = now.min(tags_left(&mut self.tag, &mut self.machine, slots, CMA_ES_TAGS)?);
            }
            self.launch(done + now, false)?;
            if self.samples.slots_bytes > 0 {
                self.tag += now as u32 * CMA_ES_TAGS;
            }
            if !self.make_room(done + now)? {
                done += now;
            }
        }
        self.done = until;
        Ok(())
    }
}

impl<R: Float, M: Machine> State<R> for CmaEs<R, M> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        self.arrays.runs.controls(&self.job, &mut self.machine)
    }

    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        let mut all: Vec<u64> = self.legs()?.iter().map(|legs| legs.evaluations).collect();
        for (all, other) in all.iter_mut().zip(self.legs_of_others()?) {
            *all += other.evaluations;
        }
        Ok(Some(all))
    }

    fn restarts(&mut self) -> Result<Vec<u64>> {
        let (own, others) = (self.legs()?, self.legs_of_others()?);
        let of = |(run, own)| restarts(own, others.get::<usize>(run));
        Ok(own.iter().enumerate().map(of).collect())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        self.arrays.runs.bests(&self.job, &mut self.machine)
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        self.arrays.runs.best_positions(&self.job, &mut self.machine)
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        self.fetch()
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let most = swarms.iter().map(samples_of).max().unwrap_or(0);
        if most > self.samples.room {
            self.grow(most)?;
        }
        let slots = (self.samples.slots, self.samples.slots_bytes);
        begin_anew(&mut self.tag, &mut self.machine, slots)?;
        self.bring(swarms)
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

/// SHADE, if it takes turns with CMA-ES.
fn partner<R: Float>(
    job: &Job<R>,
    shade: Option<(Shade<R>, u32)>,
    layout: &Layout,
    machine: &mut impl Machine,
) -> Result<Option<Partner<R>>> {
    let grid = (layout.grid.blocks_per_run, layout.grid.runs_per_launch);
    shade.map(|shade| Partner::allocate(job, shade, grid, machine)).transpose()
}
