//! What is needed to run several optimisers together, possibly in several processes: the progress of the runs, and the
//! individuals that move between them.

use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::launch::stopped;
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::migration::{Departure, Migrants, Migration};

use super::{MAX_ITERATIONS, Optimiser, reached};
use crate::engine::Procedure;
use crate::error::{Error, Result};
use crate::run::report::{Progress, Report};
use crate::settings::reason::StopReason;

/// The progress of the runs of an [`Optimiser`].
///
/// ```
/// use warpswarm::{Bounds, Optimiser, PsoParams, Settings, Stop, problems::Sphere};
/// let settings = Settings { individuals: 16, stop: Stop::iterations(30), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
/// optimiser.step(10)?;
/// let status = optimiser.status()?;
/// assert_eq!((status.iterations, status.limit, status.goes_on), (10, 30, true));
/// assert!(!status.reached_target && !status.may_stop);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The iterations of the runs that have not stopped on their own; if all have, the most of any run.
    pub iterations: u64,
    /// The iteration at which the limits of iterations and evaluations end all runs;
    /// [`MAX_ITERATIONS`](crate::MAX_ITERATIONS) without such limits.
    pub limit: u64,
    /// Whether a run is running: one that has not stopped on its own and has not reached the limit.
    pub goes_on: bool,
    /// Whether a run has stopped at its target.
    pub reached_target: bool,
    /// Whether runs may stop on their own.
    pub may_stop: bool,
}

impl<R: Float> Optimiser<R> {
    /// The progress of the runs.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn status(&mut self) -> Result<Status> {
        let controls = self.runs()?.landmarks()?;
        let (iterations, limit) = (reached(&controls), self.limit.iterations);
        let is = |code| controls.iter().any(|control| control.stopped == code);
        Ok(Status {
            iterations,
            limit,
            goes_on: is(stopped::NOT) && iterations < limit,
            reached_target: is(stopped::TARGET),
            may_stop: !self.job.never_stops,
        })
    }

    /// The individuals that leave each run, also stopped runs, and the individuals that immigrants may replace.
    /// `immigrants` is the number of immigrants for each run, `[run]`, that [`immigrate`](Optimiser::immigrate) will
    /// offer, now or later.
    ///
    /// ```
    /// use warpswarm::migration::Migration;
    /// use warpswarm::{Bounds, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let settings = Settings { individuals: 16, runs: 2, ..Settings::default() };
    /// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
    /// let two = Migration { emigrants: 2, ..Migration::default() };
    /// let departures = optimiser.depart(&two, &[1, 3])?;
    /// let emigrants = &departures[1].emigrants;
    /// assert_eq!((departures.len(), emigrants.len(), emigrants.positions.len()), (2, 2, 6));
    /// assert_eq!(departures[1].places.len(), 3);
    /// assert_eq!(emigrants.fitness[0], optimiser.progress()?.runs[1].best);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are fewer individuals, or a different number of runs, or the backend fails.
    pub fn depart(
        &mut self,
        migration: &Migration,
        immigrants: &[usize],
    ) -> Result<Vec<Departure<R>>> {
        self.check_migrants("migrants", migration.emigrants)?;
        self.check_runs("numbers of immigrants", immigrants.len())?;
        let mut counts = immigrants.iter();
        counts.try_for_each(|&count| self.check_migrants("immigrants", count as u64))?;
        let mut departures = self.runs()?.depart(migration, immigrants)?;
        for departure in &mut departures {
            departure.emigrants.fitness.iter_mut().for_each(|fitness| *fitness = fitness.exact());
        }
        Ok(departures)
    }

    /// Offers each run its immigrants. Each is compared with the individual of its index in `places`,
    /// `[run][immigrant]`, and replaces it if it is better. Runs that have stopped take none. A run with a new best may
    /// stop now.
    ///
    /// ```
    /// use warpswarm::migration::Migration;
    /// use warpswarm::{Algorithm, Bounds, DeParams, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
    /// let island = |algorithm: &Algorithm, first_run| {
    ///     let settings = Settings { individuals: 16, first_run, ..Settings::default() };
    ///     Optimiser::<f64>::new(&Sphere, &bounds, algorithm, &settings)
    /// };
    /// let (mut one, mut other) = (island(&PsoParams::default().into(), 0)?, island(&DeParams::default().into(), 1)?);
    /// one.step(50)?;
    /// let leaving = one.depart(&Migration::default(), &[0])?.remove(0);
    /// let offered = other.depart(&Migration::default(), &[1])?.remove(0);
    /// other.immigrate(&[leaving.emigrants], &[offered.places])?;
    /// assert_eq!(one.progress()?.runs[0].best, other.progress()?.runs[0].best);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of runs is wrong, a run has fewer places than immigrants, two places are the same or one is not an
    /// individual, the coordinates have a different number of dimensions, or the backend fails.
    pub fn immigrate(&mut self, immigrants: &[Migrants<R>], places: &[Vec<u32>]) -> Result<()> {
        self.check_runs("immigrants", immigrants.len())?;
        self.check_runs("places of immigrants", places.len())?;
        for (migrants, places) in immigrants.iter().zip(places) {
            self.check_places(migrants.len(), places)?;
            let (expected, found) =
                (migrants.len() * self.job.dimensions, migrants.positions.len());
            if expected != found {
                let (expected, found) = (expected.to_string(), found.to_string());
                return Err(Error::State { what: "coordinates of immigrants", expected, found });
            }
        }
        let mut judged = Vec::new();
        if self.active_schedule.is_some() {
            judged = immigrants.to_vec();
            for (migrants, control) in judged.iter_mut().zip(self.runs()?.controls()?) {
                let judge = |fitness: &mut Fitness<R>| *fitness = fitness.within(control.level());
                migrants.fitness.iter_mut().for_each(judge);
            }
        }
        let immigrants = if judged.is_empty() { immigrants } else { &judged };
        self.runs()?;
        let done = self.driver.state_mut().immigrate(&self.job, immigrants, places);
        self.lost = done.as_ref().err().cloned();
        done
    }

    /// Whether [`step_epochs`](Optimiser::step_epochs) is supported: returns the unique name of the device, or `None`.
    /// Also prepares it, so that the first call takes no longer than others.
    ///
    /// The kernel may need the whole device while it waits for immigrants: two kernels that wait for each other must
    /// not share a device.
    ///
    /// ```
    /// use warpswarm::{Bounds, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let settings = Settings { individuals: 16, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
    /// assert_eq!(optimiser.prepare_epochs()?, None);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn prepare_epochs(&mut self) -> Result<Option<String>> {
        self.runs()?;
        self.driver.prepare_epochs()
    }

    /// Does `epochs` epochs of `every` iterations of one run. At the beginning of each epoch its best individual
    /// leaves: `exchange` delivers it and returns another individual, which is offered to the worst one at the end of
    /// that epoch. The result is that of [`depart`](Optimiser::depart), [`step`](Optimiser::step) and
    /// [`immigrate`](Optimiser::immigrate) in turn, without a pause between epochs.
    ///
    /// Returns whether the epochs were done. Only a GPU can do them, for a swarm of several blocks that stay resident
    /// and that cannot stop on its own; otherwise nothing has happened.
    ///
    /// ```
    /// use warpswarm::{Bounds, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let settings = Settings { individuals: 16, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
    /// // The CPU does one after the other.
    /// assert!(!optimiser.step_epochs(10, 3, &mut |one| Ok(one))?);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend or `exchange` fails.
    pub fn step_epochs(
        &mut self,
        every: u64,
        epochs: u64,
        exchange: &mut dyn FnMut(Migrants<R>) -> Result<Migrants<R>>,
    ) -> Result<bool> {
        let left = MAX_ITERATIONS - reached(&self.runs()?.landmarks()?);
        // Levels fall between launches, and so not within epochs.
        if every == 0 || epochs > left / every || self.active_schedule.is_some() {
            return Ok(false);
        }
        let start = Instant::now();
        let mut done = false;
        self.change(|driver| {
            done = driver.advance_epochs(every, epochs, exchange)?;
            Ok(())
        })?;
        if done {
            self.runs()?.landmarks()?;
            self.seconds += start.elapsed().as_secs_f64();
        }
        Ok(done)
    }

    fn check_runs(&self, what: &'static str, given: usize) -> Result<()> {
        if let Procedure::Portfolio(_) = self.job.procedure {
            let (value, allowed) = (
                "auto or cma-es".into(),
                "an algorithm whose individuals go on from one iteration to the next".into(),
            );
            return Err(Error::Setting { field: "algorithm of islands", value, allowed });
        }
        let (given, runs) = (given as u64, u64::from(self.job.runs));
        if given == runs { Ok(()) } else { Err(Error::Runs { what, given, runs }) }
    }

    fn check_migrants(&self, field: &'static str, count: u64) -> Result<()> {
        let most = u64::from(self.job.individuals);
        if count <= most {
            return Ok(());
        }
        let allowed = format!("at most the {most} individuals");
        Err(Error::Setting { field, value: count.to_string(), allowed })
    }

    /// Checks that the first `count` places are those of different individuals.
    fn check_places(&self, count: usize, places: &[u32]) -> Result<()> {
        let mut own = places.get(..count).unwrap_or_default().to_vec();
        own.sort_unstable();
        own.dedup();
        let are_there = own.last().is_none_or(|last| *last < self.job.individuals);
        if own.len() == count && are_there {
            return Ok(());
        }
        let expected = format!("{count} of {} individuals", self.job.individuals);
        Err(Error::State { what: "places of immigrants", expected, found: format!("{places:?}") })
    }

    /// The progress of the runs as a record of the history contains it, with the statistics that
    /// [`Settings::record_statistics`](crate::Settings::record_statistics) requests.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn record(&mut self) -> Result<Progress<R>> {
        let progress = self.progress()?;
        self.with_statistics(progress)
    }

    pub(super) fn with_statistics(&mut self, mut progress: Progress<R>) -> Result<Progress<R>> {
        if self.recording.statistics && self.is_placed() {
            let all = self.statistics()?;
            for (run, statistics) in progress.runs.iter_mut().zip(all) {
                run.population = Some(statistics);
            }
        }
        Ok(progress)
    }

    /// The report of the runs so far, as [`run`](Optimiser::run) returns it. Runs that have neither stopped on their
    /// own nor reached a limit end for `reason`.
    ///
    /// ```
    /// use warpswarm::{Bounds, Optimiser, PsoParams, Settings, StopReason, problems::Sphere};
    /// let settings = Settings { individuals: 16, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
    /// optimiser.step(10)?;
    /// let report = optimiser.report(StopReason::Seconds)?;
    /// assert_eq!((report.runs[0].iterations, report.runs[0].stop_reason), (10, StopReason::Seconds));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn report(&mut self, reason: StopReason) -> Result<Report<R>> {
        let status = self.status()?;
        let at_limit = status.iterations >= status.limit;
        let report = self.reported(if at_limit { self.limit.reason } else { reason })?;
        // The runs may continue, with their records.
        self.history.replace(report.history.clone());
        Ok(report)
    }
}
