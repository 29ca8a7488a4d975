//! A method on a device that asks for fitnesses, between two launches in each iteration.

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_core::order::Fitness;

use super::super::memory::Transfer;
use super::device_evaluation::DeviceEvaluation;
use super::{Arrays, Generations, Way};
use crate::engine::planner::Demand;
use crate::engine::planner::generation as planner;
use crate::engine::{Asks, Job, Named, demand};
use crate::error::{Error, Result};
use crate::machine::{Kernel, Machine, Parameter};
use crate::objective::evaluator::Asked;
use crate::objective::on_device::{DevicePoints, DeviceValues};
use crate::settings::Settings;
use crate::settings::choices::{Backend, Schedule};

/// A method on a device that asks for fitnesses.
pub(crate) type Hosted<R, M> = Generations<R, M, Questions<R>>;

/// The kernels of an iteration, and the current question.
pub(crate) struct Questions<R> {
    /// Writes the points to evaluate.
    pub(super) ask: Kernel,
    /// Reads their fitness.
    tell: Kernel,
    /// Whether the individuals have a fitness.
    placed: bool,
    /// The controls of the runs, if they have been read since the last iteration.
    pub(super) controls: Option<Vec<Control>>,
    /// The iterations of the running runs.
    age: u64,
    /// The iteration up to which no individual leaves.
    stays: u64,
    asked: Option<Asked<R>>,
    /// The indices of the points among all attempts, `[run][individual][attempt]`.
    pub(super) attempts: Vec<usize>,
    /// The points and memory that other code on the device has received.
    pub(super) device_evaluation: DeviceEvaluation,
}

impl<R: Send> Way for Questions<R> {
    fn is_placed(&self) -> bool {
        self.placed
    }
    fn controls(&self) -> Option<&Vec<Control>> {
        self.controls.as_ref()
    }
    fn go_on(&mut self, controls: Vec<Control>) {
        self.age = age(&controls).unwrap_or(0);
        self.placed = true;
        self.controls = Some(controls);
        (self.asked, self.stays) = (None, 0);
        self.device_evaluation.forget();
    }
}

impl<R: Float, M: Machine> Hosted<R, M> {
    /// Plans and allocates; the fitness of the first individuals must be told next.
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
        let layout = planner::plan::<R>(&demand, moves, None, &mut |_, block, shared| {
            machine.occupancy(&tell, block, shared)
        })?;
        let arrays = Arrays::allocate(&job, &layout, (0, moves.attempts), &mut machine)?;
        let (asked, attempts, device_evaluation) = (None, Vec::new(), DeviceEvaluation::new::<R>());
        let (placed, controls, age, stays) = (false, None, 0, 0);
        let way = Questions {
            ask,
            tell,
            placed,
            controls,
            age,
            stays,
            asked,
            attempts,
            device_evaluation,
        };
        Ok(Generations::idle(backend, (job, named), (layout, arrays), machine, way))
    }

    /// Launches a kernel of the current iteration.
    pub(super) fn part(&mut self, kernel: &Kernel) -> Result<()> {
        let iterations = u64::from(self.way.placed);
        let blocks = self.layout.grid.blocks_per_run;
        self.launch(&[(kernel, blocks)], &|_, _| Parameter::default(), iterations, 1)
    }

    /// Removes the individuals that do not take part in the next iteration.
    pub(super) fn fall_if_due(&mut self) -> Result<()> {
        if self.way.placed && self.way.age >= self.way.stays {
            let iterations = self.reduce()?;
            self.way.stays = self.way.age.saturating_add(iterations);
        }
        Ok(())
    }

    /// The next iteration; `None` if all runs have stopped.
    pub(super) fn next(&self) -> Option<u64> {
        if !self.way.placed {
            return Some(0);
        }
        match &self.way.controls {
            // Without controls it is not known that runs have stopped.
            None => Some(self.way.age + 1),
            Some(controls) => age(controls).map(|age| age + 1),
        }
    }

    /// Records the attempts of an iteration; returns the run of each.
    pub(super) fn note_attempts(&mut self, iteration: u64) -> Vec<u32> {
        let most = self.arrays.attempts as usize;
        let controls = self.way.controls.as_deref().filter(|_| self.way.placed);
        let method = &self.named.method;
        let individuals = self.job.individuals;
        let mut runs = Vec::new();
        self.way.attempts.clear();
        for run in 0..self.job.runs {
            if controls.is_some_and(|controls| !goes_on(&controls[run as usize])) {
                continue;
            }
            for index in 0..individuals {
                let attempts = if iteration == 0 { 1 } else { method.attempts(iteration, index) };
                let first = (run as usize * individuals as usize + index as usize) * most;
                self.way.attempts.extend(first..first + attempts as usize);
                runs.extend(std::iter::repeat_n(run, attempts as usize));
            }
        }
        runs
    }

    /// Completes an iteration after all fitnesses have been told; waits for the device only if `waits`.
    pub(super) fn told(&mut self, waits: bool) -> Result<()> {
        let kernel = self.way.tell.clone();
        self.part(&kernel)?;
        if !self.way.placed {
            self.placed()?;
        }
        self.way.age += u64::from(self.way.placed);
        self.way.placed = true;
        self.way.asked = None;
        self.way.device_evaluation.forget();
        self.way.controls = match waits || !self.job.never_stops {
            true => Some(self.arrays.runs.controls(&self.job, &mut self.machine)?),
            false => None,
        };
        Ok(())
    }
}

fn goes_on(control: &Control) -> bool {
    control.stopped == stopped::NOT
}

/// The iterations of the running runs.
fn age(controls: &[Control]) -> Option<u64> {
    controls.iter().find(|control| goes_on(control)).map(|control| control.iterations)
}

/// Checks that the size of an iteration's points in bytes can be represented.
fn check_size<R: Float>(job: &Job<R>, attempts: u32) -> Result<()> {
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

impl<R: Float, M: Machine> Asks<R> for Hosted<R, M> {
    fn ask(&mut self) -> Result<Option<&Asked<R>>> {
        if self.way.asked.is_none() {
            self.fall_if_due()?;
            let Some(iteration) = self.next() else { return Ok(None) };
            let runs = self.note_attempts(iteration);
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
        self.told(true)
    }

    fn ask_on_device(&mut self) -> Result<Option<DevicePoints>> {
        self.hand_out()
    }

    fn tell_on_device(&mut self, values: &DeviceValues) -> Result<()> {
        self.take_in(values)
    }
}
