//! The job: a description of the runs that is the same for every backend.

mod check;

use std::ops::Range;

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, MOST_DIMENSIONS, OwnRun, StopRule, row_stride, stopped};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::{self as cpu_ref, Halt, RunId, Swarm, restarts};

use super::Procedure;
use crate::error::{Error, Result};
use crate::objective::bounds::{Bounds, Scales};
use crate::settings::choices::Restart;
use crate::settings::{RunSettings, Settings};

/// The runs to carry out, checked and in their number type: the same for every backend.
#[derive(Clone, Debug)]
pub(crate) struct Job<R> {
    /// `[run][coordinate]`; of one run if all have the same bounds.
    pub(crate) lower: Vec<R>,
    pub(crate) upper: Vec<R>,
    pub(crate) dimensions: usize,
    pub(crate) procedure: Procedure<R>,
    /// Per-run settings, `[run]`.
    pub(crate) own_runs: Vec<OwnRun<R>>,
    /// Whether these differ between runs.
    pub(crate) runs_differ: bool,
    /// Whether no run with finite values stops on its own.
    pub(crate) never_stops: bool,
    /// Whether runs of a method restart when they have converged.
    pub(crate) restarts: bool,
    /// Starting points of the first individuals, `[run][individual][coordinate]`, for as many runs as there are bounds.
    pub(crate) beginnings: Vec<R>,
    /// How coordinates and values are converted for the user.
    pub(crate) scales: Scales<R>,
    /// The limit of evaluations of a run whose iterations differ in evaluations.
    pub(crate) evaluations: u64,
    pub(crate) individuals: u32,
    /// The number of the first individual, if this job has only some of each run.
    pub(crate) first_individual: u32,
    pub(crate) runs: u32,
    pub(crate) first_run: u64,
}

impl<R: Float> Job<R> {
    pub(crate) fn new(
        bounds: &Bounds,
        procedure: Procedure<R>,
        settings: &Settings,
    ) -> Result<Self> {
        bounds.check_runs(settings.runs)?;
        let (lower, upper) = bounds.rounded()?;
        let scales = Scales::new(bounds, settings.maximise);
        let (procedure, restarts) = restarting(procedure, settings)?;
        if procedure.reduction().is_some() && settings.migrates {
            return Err(Error::Setting {
                field: "final_individuals",
                value: "above 0".into(),
                allowed: "0 between islands, whose populations do not fall".into(),
            });
        }
        let counted = restarts || matches!(procedure, Procedure::Fwa(_) | Procedure::Portfolio(_));
        let own_run = |own: &RunSettings| OwnRun {
            seed: own.seed.unwrap_or(settings.seed),
            leg: 0,
            stop: settings.stop.of(own).rule(scales.maximises, settings.migrates),
        };
        let common = own_run(&RunSettings::default());
        let own_runs: Vec<_> = settings.of_runs.iter().map(own_run).collect();
        let kinds = if own_runs.is_empty() { &[common][..] } else { &own_runs };
        let never_stops = kinds.iter().all(|own| own.stop.is_never()) && !counted;
        let mut job = Job {
            beginnings: bounds.beginnings((&lower, &upper)),
            lower,
            upper,
            dimensions: bounds.dimensions(),
            procedure,
            never_stops,
            restarts,
            own_runs,
            runs_differ: !settings.of_runs.is_empty(),
            scales,
            evaluations: settings.stop.evaluations.unwrap_or(u64::MAX),
            // The settings have been checked, so both fit.
            individuals: settings.individuals as u32,
            first_individual: 0,
            runs: settings.runs as u32,
            first_run: settings.first_run,
        };
        let bytes = job.bytes()?;
        // Only after checking that the size of the runs in bytes can be represented.
        let missing = settings.runs as usize - job.own_runs.len();
        let room = job.own_runs.try_reserve_exact(missing);
        room.map_err(|_| Error::HostMemory { bytes })?;
        job.own_runs.resize(settings.runs as usize, common);
        Ok(job)
    }

    /// The job for some of the individuals of every run.
    pub(crate) fn of_share(&self, individuals: Range<u32>) -> Self {
        let given = self.beginning();
        let edge = |individual: u32| individual.min(given) as usize * self.dimensions;
        let (start, end) = (edge(individuals.start), edge(individuals.end));
        let runs = 0..self.bounds_runs() as usize;
        let of_run = |run: usize| &self.beginnings[run * edge(given)..][start..end];
        Job {
            beginnings: runs.flat_map(|run| of_run(run).iter().copied()).collect(),
            first_individual: individuals.start,
            individuals: individuals.end - individuals.start,
            ..self.clone()
        }
    }

    /// The job for some of the runs, as a batch of their own.
    pub(crate) fn of_part(&self, runs: Range<u32>) -> Self {
        let Range { start, end } = runs;
        let part = |all: &[R], len: usize| {
            if self.bounds_runs() == 1 {
                return all.to_vec();
            }
            all[start as usize * len..end as usize * len].to_vec()
        };
        Job {
            lower: part(&self.lower, self.dimensions),
            upper: part(&self.upper, self.dimensions),
            beginnings: part(&self.beginnings, self.beginning() as usize * self.dimensions),
            own_runs: self.own_runs[start as usize..end as usize].to_vec(),
            runs: end - start,
            first_run: self.first_run + u64::from(start),
            ..self.clone()
        }
    }

    pub(crate) fn dimensions(&self) -> u32 {
        self.dimensions as u32
    }

    /// The length of a row, including padding.
    pub(crate) fn stride(&self) -> u32 {
        row_stride(self.dimensions())
    }

    pub(crate) fn run_id(&self, run: u32) -> RunId {
        RunId { seed: self.own_runs[run as usize].seed, run: self.first_run + u64::from(run) }
    }

    /// A run's index in the batch.
    pub(crate) fn place_of(&self, swarm: &Swarm<R>) -> u32 {
        (swarm.id.run - self.first_run) as u32
    }

    /// When a run stops on its own.
    pub(super) fn stop_of(&self, run: u32) -> StopRule<R> {
        self.own_runs[run as usize].stop
    }

    /// The number of individuals of a run with a starting point.
    pub(crate) fn beginning(&self) -> u32 {
        let of_run = self.beginnings.len() / self.dimensions / self.bounds_runs() as usize;
        of_run as u32
    }

    /// The number of runs with their own bounds: all, or 1 if they share them.
    pub(crate) fn bounds_runs(&self) -> u32 {
        (self.lower.len() / self.dimensions) as u32
    }

    /// The arguments of the CPU's loops for a run.
    pub(super) fn work<'a>(
        &'a self,
        run: u32,
        evaluate: &'a (dyn Fn(&[R]) -> Fitness<R> + Sync),
    ) -> Work<'a, R> {
        let begin = self.beginning() as usize * self.dimensions;
        let start = cpu_ref::Start(self.of_run(run, &self.beginnings, begin));
        let (bounds, stop) = (self.bounds_of(run), self.stop_of(run));
        Work { evaluate, bounds, start, stop, halt: Halt::NEVER }
    }

    /// The bounds of a run.
    pub(crate) fn bounds_of(&self, run: u32) -> cpu_ref::Bounds<'_, R> {
        let side = |bounds| self.of_run(run, bounds, self.dimensions);
        cpu_ref::Bounds { lower: side(&self.lower), upper: side(&self.upper) }
    }

    /// The lower and the upper bounds: of all runs together, or `[run][coordinate]` if runs have their own.
    pub(crate) fn all_bounds(&self) -> [&[R]; 2] {
        [&self.lower, &self.upper]
    }

    /// A run's part of an array that has `len` numbers for each run with its own bounds.
    fn of_run<'a>(&self, run: u32, all: &'a [R], len: usize) -> &'a [R] {
        &all[(run % self.bounds_runs()) as usize * len..][..len]
    }

    /// The number of individuals of a run in this state: the initial number, unless populations shrink.
    pub(crate) fn individuals_of(&self, swarm: &Swarm<R>) -> u32 {
        let Some(reduction) = self.procedure.reduction() else { return self.individuals };
        let [before, after] =
            [0, 1].map(|more| reduction.individuals(swarm.control.iterations.saturating_add(more)));
        // Individuals leave before the next iteration, which may have been abandoned.
        if swarm.individuals() as u64 == u64::from(after) { after } else { before }
    }

    /// The evaluations of a run up to the end of an iteration, if they do not depend on the run.
    pub(crate) fn evaluations_until(&self, iterations: u64) -> Option<u64> {
        if self.restarts {
            return None;
        }
        let after_the_first = self.procedure.evaluations(self.individuals, iterations)?;
        Some(after_the_first.saturating_add(u64::from(self.individuals)))
    }

    /// The approximate number of evaluations: restarts and growing populations are ignored.
    pub(crate) fn expected_evaluations(&self, iterations: u64) -> u64 {
        let individuals = u64::from(self.individuals);
        let after_the_first = self.procedure.evaluations(self.individuals, iterations);
        let of_iterations = after_the_first.unwrap_or(iterations.saturating_mul(individuals));
        of_iterations.saturating_add(individuals)
    }

    /// The evaluations of a run's iteration, for each of its individuals: those of the first iteration, or the largest
    /// number if iterations differ.
    pub(crate) fn evaluations_of_an_iteration(&self) -> f64 {
        let individuals = u64::from(self.individuals);
        let evaluations = match &self.procedure {
            Procedure::Fwa(fwa) => fwa.most_candidates(self.individuals),
            procedure => procedure.evaluations(self.individuals, 1).unwrap_or(individuals),
        };
        evaluations.max(individuals) as f64 / individuals as f64
    }

    /// The bytes of the state of all runs.
    pub(crate) fn bytes(&self) -> Result<u64> {
        let [runs, individuals] = [self.runs, self.individuals].map(u64::from);
        let number = size_of::<R>() as u64;
        let row = u64::from(self.stride()) * number;
        let (own, numbers) = self.procedure.keeps();
        // A method stores the public data twice.
        let public =
            if matches!(self.procedure, Procedure::Pso(_) | Procedure::Spso(_)) { 1 } else { 2 };
        let rows = (public + own as u64) * row;
        let seen = size_of::<Fitness<R>>() as u64 + numbers as u64 * number;
        let individual = rows + public * seen;
        // Sparks are stored twice, the second time in their ranges.
        let candidates = match &self.procedure {
            Procedure::Fwa(fwa) => fwa.most_candidates(self.individuals),
            _ => 0,
        };
        // Twice the memory, and two archive entries for each individual.
        let memory = self.procedure.memory();
        let individual = individual + if memory.is_some() { 2 * row } else { 0 };
        // Matrices, and SHADE's individuals with their archive.
        let searches = match &self.procedure {
            Procedure::Portfolio(searches) => {
                let shade = searches.shade.map_or(0, |(_, individuals)| u64::from(individuals));
                if self.dimensions() > MOST_DIMENSIONS {
                    u64::MAX
                } else {
                    (2 * u64::from(self.dimensions()) + 6 * shade).saturating_mul(row)
                }
            }
            _ => 0,
        };
        let all = individuals
            .checked_mul(individual)
            .and_then(|run| run.checked_add(2 * number * u64::from(memory.unwrap_or(0))))
            .and_then(|run| run.checked_add(candidates.checked_mul(2 * row)?))
            .and_then(|run| run.checked_add(searches)?.checked_add(row + 64))
            .and_then(|run| run.checked_mul(runs))
            .filter(|&all| all <= isize::MAX as u64);
        all.ok_or(Error::TooLarge { runs, individuals, dimensions: u64::from(self.dimensions()) })
    }

    /// A run's control when this job continues from its state.
    pub(crate) fn going_on(&self, swarm: &Swarm<R>) -> Control {
        let control = self.settled(swarm);
        match &self.procedure {
            Procedure::Fwa(fwa)
                if control.stopped == stopped::NOT
                    && cpu_ref::fwa::would_exceed(swarm, fwa, self.evaluations) =>
            {
                Control { stopped: stopped::EVALUATIONS, ..control }
            }
            Procedure::Portfolio(searches)
                if control.stopped == stopped::NOT
                    && searches.would_exceed(swarm, self.evaluations) =>
            {
                Control { stopped: stopped::EVALUATIONS, ..control }
            }
            procedure
                if self.restarts
                    && control.stopped == stopped::NOT
                    && restarts::would_exceed(
                        swarm,
                        procedure.of_leg(self.individuals),
                        self.evaluations,
                    ) =>
            {
                Control { stopped: stopped::EVALUATIONS, ..control }
            }
            _ => control,
        }
    }

    /// The control of a state when this job continues from it: stopped or not according to this job's stop rule.
    pub(crate) fn settled(&self, swarm: &Swarm<R>) -> Control {
        let control = swarm.control;
        let Control { iterations, improved_at, .. } = control;
        let age = swarm.age();
        let stopped = if self.procedure.noticed(age) == age {
            let stop = self.stop_of(self.place_of(swarm));
            stop.check(swarm.found().0.fitness, iterations, improved_at)
        } else {
            stopped::NOT
        };
        Control { stopped, ticket: 0, ..control }
    }
}

/// The procedure with the requested behaviour after convergence, and whether its runs restart.
fn restarting<R: Float>(
    procedure: Procedure<R>,
    settings: &Settings,
) -> Result<(Procedure<R>, bool)> {
    if settings.restart == Restart::Never {
        return Ok((procedure, false));
    }
    match procedure {
        // It restarts on its own.
        Procedure::Portfolio(_) => Ok((procedure, false)),
        Procedure::Fwa(_) | Procedure::Spso(_) => {
            let algorithm = if matches!(procedure, Procedure::Fwa(_)) { "fwa" } else { "spso" };
            let (field, value) = ("restart", settings.restart.to_string());
            let allowed = format!("`never` with algorithm {algorithm}, or another algorithm");
            Err(Error::Setting { field, value, allowed })
        }
        procedure if procedure.reduction().is_some() => Err(Error::Setting {
            field: "restart",
            value: settings.restart.to_string(),
            allowed: "`never` for a population that shrinks, or one of constant size (final_individuals 0)".into(),
        }),
        procedure => Ok((procedure.as_method(), true)),
    }
}
