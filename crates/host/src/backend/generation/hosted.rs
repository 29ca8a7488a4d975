//! A method on a device that asks others to evaluate, between two launches an iteration.

use warpswarm_core::Real;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_core::order::Fitness;

use super::super::machine::{Kernel, Machine, Parameter};
use super::super::memory::Transfer;
use super::super::{Asked, Asks, Job, Named, demand};
use super::{Arrays, Generations, Way};
use crate::choices::{Backend, Schedule};
use crate::error::{Error, Result};
use crate::planner::Demand;
use crate::planner::generation as planner;
use crate::settings::Settings;

/// A method on a device that asks.
pub(crate) type Hosted<R, M> = Generations<R, M, Questions<R>>;

/// The kernels of an iteration, and what they ask.
pub(crate) struct Questions<R> {
    /// Writes the points that are to be evaluated.
    ask: Kernel,
    /// Reads their fitness.
    tell: Kernel,
    /// Where the runs are; none before the individuals are placed.
    controls: Option<Vec<Control>>,
    asked: Option<Asked<R>>,
    /// Which of all attempts the points are, `[run][individual][attempt]`.
    attempts: Vec<usize>,
}

impl<R: Send> Way for Questions<R> {
    fn is_placed(&self) -> bool {
        self.controls.is_some()
    }
    fn controls(&self) -> Option<&Vec<Control>> {
        self.controls.as_ref()
    }
    fn go_on(&mut self, controls: Vec<Control>) {
        self.controls = Some(controls);
        self.asked = None;
    }
}

impl<R: Real, M: Machine> Hosted<R, M> {
    /// Plans and allocates; to be told of the first individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        named: Named<R>,
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let kernel =
            |part| Kernel::new(format!("{}_{}_{part}", named.name, R::NAME), named.kernels);
        let (ask, tell) = (kernel("ask"), kernel("tell"));
        machine.load(&ask)?;
        let moves = named.moves();
        check_size(&job, moves.attempts)?;
        let schedule = Schedule::Hosted;
        let demand = Demand { schedule, ..demand(&job, false, settings, &machine) };
        let layout = planner::plan::<R>(&demand, moves, &mut |_, block, shared| {
            machine.occupancy(&tell, block, shared)
        })?;
        let arrays = Arrays::allocate(&job, &layout, (0, moves.attempts), &mut machine)?;
        let way = Questions { ask, tell, controls: None, asked: None, attempts: Vec::new() };
        Ok(Generations::idle(backend, (job, named), (layout, arrays), machine, way))
    }

    /// Launches a kernel of the iteration that is under way.
    fn part(&mut self, kernel: &Kernel) -> Result<()> {
        let iterations = u64::from(self.way.controls.is_some());
        let blocks = self.layout.grid.blocks_per_run;
        self.launch(&[(kernel, blocks)], &|_, _| Parameter::default(), iterations, 1)
    }

    /// Notes which attempts there are in the next iteration, and whose; none where all runs have stopped.
    fn note_attempts(&mut self) -> Option<Vec<u32>> {
        let most = self.arrays.attempts as usize;
        let going = |control: &Control| control.stopped == stopped::NOT;
        let controls = self.way.controls.as_deref();
        let iteration = match controls {
            None => 0,
            Some(controls) => controls.iter().find(|control| going(control))?.iterations + 1,
        };
        let method = &self.named.method;
        let individuals = self.job.individuals;
        let mut runs = Vec::new();
        self.way.attempts.clear();
        for run in 0..self.job.runs {
            if controls.is_some_and(|controls| !going(&controls[run as usize])) {
                continue;
            }
            for index in 0..individuals {
                let attempts = if iteration == 0 { 1 } else { method.attempts(iteration, index) };
                let first = (run as usize * individuals as usize + index as usize) * most;
                self.way.attempts.extend(first..first + attempts as usize);
                runs.extend(std::iter::repeat_n(run, attempts as usize));
            }
        }
        Some(runs)
    }
}

/// Whether the points of an iteration can be counted in bytes.
fn check_size<R: Real>(job: &Job<R>, attempts: u32) -> Result<()> {
    let [runs, individuals, dimensions, stride, attempts] =
        [job.runs, job.individuals, job.dimensions(), job.stride(), attempts].map(u64::from);
    let row = stride * size_of::<R>() as u64;
    let tried = (runs * individuals).checked_mul(attempts);
    let bytes = tried.and_then(|tried| tried.checked_mul(row.max(16)));
    match bytes.filter(|&bytes| bytes <= isize::MAX as u64) {
        Some(_) => Ok(()),
        None => Err(Error::TooLarge { runs, individuals, dimensions }),
    }
}

impl<R: Real, M: Machine> Asks<R> for Hosted<R, M> {
    fn ask(&mut self) -> Result<Option<&Asked<R>>> {
        if self.way.asked.is_none() {
            if self.way.is_placed() {
                self.fall()?;
            }
            let Some(runs) = self.note_attempts() else { return Ok(None) };
            let kernel = self.way.ask.clone();
            self.part(&kernel)?;
            let (stride, dimensions) = (self.job.stride() as usize, self.job.dimensions);
            let tried = u64::from(self.job.runs) * u64::from(self.job.individuals);
            let places = tried * self.arrays.attempts * stride as u64;
            let rows = self.machine.fetch_numbers::<R>(self.arrays.asked, 0, places)?;
            let mut points = Vec::with_capacity(runs.len() * dimensions);
            for attempt in &self.way.attempts {
                points.extend_from_slice(&rows[attempt * stride..][..dimensions]);
            }
            self.way.asked = Some(Asked { points, runs });
        }
        Ok(self.way.asked.as_ref())
    }

    fn is_placed(&self) -> bool {
        self.way.is_placed()
    }

    fn tell(&mut self, told: &[Fitness<R>]) -> Result<()> {
        let tried = u64::from(self.job.runs) * u64::from(self.job.individuals);
        let mut all = vec![Fitness::WORST; (tried * self.arrays.attempts) as usize];
        for (&attempt, &fitness) in self.way.attempts.iter().zip(told) {
            all[attempt] = fitness;
        }
        self.machine.store::<R, _>(self.arrays.told, 0, all.into_iter())?;
        let kernel = self.way.tell.clone();
        self.part(&kernel)?;
        if self.way.controls.is_none() {
            self.placed()?;
        }
        self.way.controls = Some(self.arrays.runs.controls(&self.job, &mut self.machine)?);
        self.way.asked = None;
        Ok(())
    }
}
