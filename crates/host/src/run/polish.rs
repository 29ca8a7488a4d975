//! Local searches from the best point of a run.

mod place;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::polish::{self, Landscape, cells, descend, nelder_mead};

use crate::engine::cpu::workers::Workers;
use crate::engine::{Job, Searches, caught};
use crate::error::{Error, Result, faults};
use crate::objective::closure::HostObjective;
use crate::objective::slopes::Slopes;
use crate::settings::Settings;
use crate::settings::choices::Backend;

use place::Place;

/// What a local search has done with a run's best point: see [`Settings::polish`](crate::Settings::polish).
///
/// The search starts from the best point of the run. It ends at a local minimum, or when rounding errors or the budget
/// of 20,000 evaluations allow no further step. If it was not requested, the budget is smaller: about a tenth of the
/// run's evaluations, or 20,000 if that is more, divided by 1 + the number of dimensions (the cost of an evaluation
/// with its gradient); and a tenth of [`Stop::seconds`](crate::Stop::seconds). The result is never worse: the better of
/// both points is the run's best.
///
/// With derivatives, which are exact for an [`Objective`](crate::Objective) or a problem file, the search is a bounded
/// quasi-Newton method, with an augmented Lagrangian for constraints. The derivatives of a
/// [`HostObjective`](crate::HostObjective) are [its gradient](crate::HostObjective::with_gradient) or central
/// differences, followed by a simplex search (Nelder and Mead); for a closure with violations only the simplex search
/// is used. Integers and choices keep their values. [`warpswarm_core::polish`] has equations and sources.
///
/// It runs on the CPU, on all threads that the settings allow. If a user-defined objective has kernels that are
/// exported with `derivatives`, it runs on the GPU when the CPU would take seconds. The bits are the same everywhere.
/// Its evaluations are not counted in those of the run.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Rosenbrock};
/// let bounds = Bounds::uniform(10, -5.0, 10.0)?;
/// let settings = Settings { stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &Algorithm::default(), &settings)?;
/// let polish = report.runs[0].polish.expect("derivatives are known");
/// assert!(polish.from.value > 1e-6 && report.best().value < 1e-20);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "R: warpswarm_core::Float + serde::Serialize",
        deserialize = "R: warpswarm_core::Float + serde::Deserialize<'de>"
    ))
)]
pub struct Polish<R> {
    /// Violation and value of the point from which it started.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::fitness"))]
    pub from: Fitness<R>,
    /// The number of steps.
    pub steps: u64,
    /// Evaluations of the objective.
    pub evaluations: u64,
    /// Evaluations of its derivatives, each by all coordinates.
    pub gradients: u64,
}

/// Carries out the local searches.
pub(crate) struct Polisher<R> {
    objective: HostObjective<R>,
    /// Its constraints and derivatives, if they are known.
    known: Option<Arc<dyn Slopes<R>>>,
    settings: Settings,
}

/// The best point of a run: its fitness and its position.
type BestPoint<R> = (Candidate<R>, Vec<R>);

/// How a run has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) evaluations: u64,
    /// Whether it has done an iteration, and a better value is useful to it.
    pub(crate) wants_more: bool,
}

impl<R: Float> Polisher<R> {
    /// `None` if there is nothing to do: if polishing is switched off, or is neither requested nor cheap.
    pub(crate) fn new(
        objective: Option<HostObjective<R>>,
        known: impl FnOnce() -> Option<Arc<dyn Slopes<R>>>,
        (settings, dimensions): (&Settings, usize),
    ) -> Result<Option<Self>> {
        let is_asked = match settings.polish {
            Some(false) => return Ok(None),
            Some(true) => true,
            None if settings.migrates || dimensions > MOST_UNASKED => return Ok(None),
            None => false,
        };
        let objective = match objective {
            Some(objective) => objective,
            None if is_asked => return Err(no_polish("on a device, or by whoever is asked")),
            None => return Ok(None),
        };
        let known = known();
        let is_exact = known.is_some() || objective.gradient.is_some();
        let polisher = Polisher { objective, known, settings: settings.clone() };
        Ok((is_asked || is_exact).then_some(polisher))
    }

    /// Polishes the best point of each run, `[run]`, in the individuals' coordinates.
    pub(crate) fn polish(
        &self,
        job: &Job<R>,
        bests: &mut [BestPoint<R>],
        ended: &[Ended],
        backend: Backend,
    ) -> Result<Vec<Option<Polish<R>>>> {
        let n = job.dimensions;
        let mut budgets: Vec<u32> = ended.iter().map(|run| self.budget(*run, n)).collect();
        let until = match (self.settings.polish, self.settings.stop.seconds) {
            (None, Some(limit)) => Duration::try_from_secs_f64(limit / 10.0).ok(),
            _ => None,
        };
        let start = Instant::now();
        let interrupt = self.settings.stop.interrupt.as_deref();
        let is_over = || {
            until.is_some_and(|until| start.elapsed() >= until)
                || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        // Searches on a device have no such limits.
        let is_limited = until.is_some() || !self.settings.polish_until.is_empty();
        let first = if is_limited { bests.len() } else { self.before_device(bests.len(), backend) };
        let mut done = self.on_cpu(job, (0, &mut bests[..first]), &budgets, &is_over)?;
        if first == bests.len() {
            return Ok(done);
        }
        let rest = (bests.len() - first) as f64 / first as f64;
        let takes_long = first == 0 || start.elapsed().as_secs_f64() * rest > LOADING;
        if takes_long && !is_over() {
            budgets[..first].fill(0);
            if let Some(found) = self.on_device(job, bests, &budgets, backend)? {
                done.extend(found.into_iter().skip(first));
                return Ok(done);
            }
        }
        done.extend(self.on_cpu(job, (first, &mut bests[first..]), &budgets[first..], &is_over)?);
        Ok(done)
    }

    /// How many of the runs the CPU polishes before a device is used: enough to estimate the time for all runs, or all
    /// if no device can be used.
    fn before_device(&self, runs: usize, backend: Backend) -> usize {
        let has_kernels = self.known.as_deref().is_some_and(|known| known.kernels().is_some());
        match backend {
            _ if !has_kernels => runs,
            Backend::Gpu if !faults::polishes_on_device() => runs.min((runs / 64).max(256)),
            Backend::Gpu | Backend::Emulator => 0,
            Backend::Cpu | Backend::Auto => runs,
        }
    }

    /// Polishes some runs, starting with run `first`, on the threads of the CPU.
    fn on_cpu(
        &self,
        job: &Job<R>,
        (first, bests): (usize, &mut [BestPoint<R>]),
        budgets: &[u32],
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<Polish<R>>>> {
        let one = |(k, best): (usize, &mut BestPoint<R>)| match budgets[k] {
            0 => Ok(None),
            evaluations => {
                caught(|| Some(self.one(job, ((first + k) as u32, best), evaluations, is_over)))
            }
        };
        // A closure over many points is called on one thread.
        if bests.len() == 1 || self.known.is_none() {
            return bests.iter_mut().enumerate().map(one).collect();
        }
        match Workers::new(self.settings.threads)?.pool {
            Some(pool) => pool.install(|| bests.par_iter_mut().enumerate().map(one).collect()),
            None => bests.iter_mut().enumerate().map(one).collect(),
        }
    }

    /// The largest number of evaluations of a run's local search; 0 if there is none.
    fn budget(&self, ended: Ended, dimensions: usize) -> u32 {
        let most = polish::Settings::<R>::default().evaluations;
        if self.settings.polish.is_some() {
            return most;
        }
        if !ended.wants_more {
            return 0;
        }
        let all = (ended.evaluations / 10).max(LEAST_UNASKED) / (1 + dimensions as u64);
        all.min(most.into()) as u32
    }

    /// Polishes the runs with a budget on their device; `None` if there is no kernel for it.
    fn on_device(
        &self,
        job: &Job<R>,
        bests: &mut [BestPoint<R>],
        budgets: &[u32],
        backend: Backend,
    ) -> Result<Option<Vec<Option<Polish<R>>>>> {
        let Some(slopes) = self.known.as_deref() else { return Ok(None) };
        let Some(kernels) = slopes.kernels() else { return Ok(None) };
        let place = Place::new(&self.objective, Some(slopes), job, (0, &bests[0].1), &|| false);
        let searches = Searches {
            points: bests.iter().flat_map(|(_, position)| position).copied().collect(),
            dimensions: job.dimensions,
            budgets,
            bounds: job.all_bounds(),
            fixed: place.fixed(),
            constraints: place.constraints(),
        };
        let settings = Settings { backend, ..self.settings.clone() };
        let found = match kernels.polished(&searches, &settings) {
            // If the GPU lacks a resource, such as memory, the CPU is used instead, so that the runs are not lost.
            Err(_) if backend == Backend::Gpu => None,
            found => found?,
        };
        let Some(found) = found else { return Ok(None) };
        let done = (bests.iter_mut().zip(found.done).enumerate()).map(|(run, (best, done))| {
            let (candidate, position) = best;
            let start = candidate.fitness;
            let fitness = Fitness { violation: found.violations[run], value: found.values[run] };
            if budgets[run] > 0 && fitness.beats(start) {
                candidate.fitness = fitness;
                position.copy_from_slice(&found.points[run * job.dimensions..][..job.dimensions]);
            }
            let [steps, evaluations, gradients, _] = done.map(u64::from);
            let from = job.scales.fitness(start);
            (budgets[run] > 0).then_some(Polish { from, steps, evaluations, gradients })
        });
        Ok(Some(done.collect()))
    }

    /// The source of derivatives, if there is one.
    pub(crate) fn slopes(&self) -> Option<&dyn Slopes<R>> {
        let own = || self.objective.gradient.is_some().then_some(&self.objective as &dyn Slopes<R>);
        self.known.as_deref().map(|known| known as &dyn Slopes<R>).or_else(own)
    }

    /// The settings of the runs.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The value at a point of a run, with the run's index in the batch.
    pub(crate) fn value(&self, run: u32, x: &[R]) -> R {
        self.objective.at(run, x).value
    }

    fn one(
        &self,
        job: &Job<R>,
        (run, best): (u32, &mut BestPoint<R>),
        evaluations: u32,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Polish<R> {
        let (candidate, position) = best;
        let mut x = position.clone();
        let known = self.known.as_deref();
        let mut place = Place::new(&self.objective, known, job, (run, &x), is_over);
        place.end_after(self.settings.polish_until.get(run as usize).copied());
        let settings = polish::Settings { evaluations, ..polish::Settings::default() };
        let (n, start) = (x.len(), candidate.fitness);
        let mut reports = Vec::new();
        if self.known.is_some() || start.violation == R::ZERO {
            let mut work = vec![R::ZERO; polish::descent_numbers(n, place.constraints())];
            reports.push(descend(&mut place, &settings, cells(&mut x), cells(&mut work)));
        }
        // With exact derivatives, a simplex search finds nothing more, unless points with a violation blocked the way.
        let is_done =
            self.objective.gradient.is_some() && !reports.is_empty() && !place.has_met_wall();
        if self.known.is_none() && !is_done && n <= MOST_OF_A_SIMPLEX {
            place.let_violations_pass();
            let mut work = vec![R::ZERO; polish::simplex_numbers(n)];
            reports.push(nelder_mead(&mut place, &settings, cells(&mut x), cells(&mut work)));
        }
        // A point out of bounds, which some runs may keep, is first moved to within them; this can make it worse.
        if let Some(report) = reports.last()
            && report.best.beats(start)
        {
            (candidate.fitness, *position) = (report.best, x);
        }
        let sum = |of: fn(&polish::Report<R>) -> u32| reports.iter().map(of).map(u64::from).sum();
        Polish {
            from: job.scales.fitness(start),
            steps: sum(|report| report.steps),
            evaluations: sum(|report| report.evaluations),
            gradients: sum(|report| report.gradients),
        }
    }
}

/// The largest number of dimensions of a search that was not requested: a gradient costs about one evaluation for each.
const MOST_UNASKED: usize = 1000;
/// The smallest budget of such a search, including the evaluations for its gradients.
const LEAST_UNASKED: u64 = 20_000;
/// The seconds that a device's driver needs to compile the kernel for the first time.
const LOADING: f64 = 4.0;
/// In more dimensions a simplex search hardly progresses.
const MOST_OF_A_SIMPLEX: usize = 32;

/// The error if a local search is requested for an objective that cannot be evaluated at one point here.
pub(crate) fn no_polish(evaluated: &str) -> Error {
    let allowed = format!("false, where points are evaluated {evaluated}");
    Error::Setting { field: "polish", value: "true".into(), allowed }
}
