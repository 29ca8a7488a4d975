//! What somebody needs who has several optimisers, perhaps in several processes, go on together: how far the runs are, and
//! individuals that go from one to another.

use warpswarm_core::Real;
use warpswarm_core::launch::stopped;
use warpswarm_cpu_ref::migration::{Migrants, Replacement, Selection};

use super::{Optimiser, reached};
use crate::error::{Error, Result};
use crate::report::{Progress, Report, StopReason};

/// How far the runs of an [`Optimiser`] are.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, Stop, problems::Sphere};
/// let settings = Settings { individuals: 16, stop: Stop::iterations(30), ..Settings::default() };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// optimiser.step(10)?;
/// let standing = optimiser.standing()?;
/// assert_eq!((standing.iterations, standing.limit, standing.goes_on), (10, 30, true));
/// assert!(!standing.reached_target && !standing.may_stop);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Iterations of the runs that have not stopped by themselves; where all have, of the one that has done most.
    pub iterations: u64,
    /// The iteration at which the limits of iterations and evaluations end all runs; [`MAX_ITERATIONS`](crate::MAX_ITERATIONS)
    /// where they do not.
    pub limit: u64,
    /// Whether a run goes on: one that has not stopped by itself, before that iteration.
    pub goes_on: bool,
    /// Whether a run has stopped at its target.
    pub reached_target: bool,
    /// Whether runs may stop by themselves.
    pub may_stop: bool,
}

impl<R: Real> Optimiser<R> {
    /// How far the runs are.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn standing(&mut self) -> Result<Standing> {
        let controls = self.runs()?.landmarks()?;
        let (iterations, limit) = (reached(&controls), self.limit.iterations);
        let is = |code| controls.iter().any(|control| control.stopped == code);
        Ok(Standing {
            iterations,
            limit,
            goes_on: is(stopped::NOT) && iterations < limit,
            reached_target: is(stopped::TARGET),
            may_stop: !self.job.never_stops,
        })
    }

    /// Copies of `count` individuals of each run, also of runs that have stopped.
    ///
    /// ```
    /// use warpswarm::migration::Selection;
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, problems::Sphere};
    /// let settings = Settings { individuals: 16, runs: 2, ..Settings::default() };
    /// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// let emigrants = optimiser.emigrants(2, Selection::Best)?;
    /// assert_eq!((emigrants.len(), emigrants[1].len(), emigrants[1].positions.len()), (2, 2, 6));
    /// assert_eq!(emigrants[0].fitness[0], optimiser.progress()?.runs[0].best);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there are fewer individuals, or the backend fails.
    pub fn emigrants(&mut self, count: u64, selection: Selection) -> Result<Vec<Migrants<R>>> {
        self.check_migrants(count)?;
        self.runs()?.emigrants(count as usize, selection)
    }

    /// Offers each run its immigrants: in place of its worst individuals or of random ones, each where it beats whom it is
    /// to replace. Runs that have stopped take none; one whose best is new may stop now.
    ///
    /// ```
    /// use warpswarm::migration::{Replacement, Selection};
    /// use warpswarm::{Algorithm, Bounds, DeParams, Optimiser, PsoParams, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
    /// let island = |algorithm: &Algorithm, first_run| {
    ///     let settings = Settings { individuals: 16, first_run, ..Settings::default() };
    ///     Optimiser::<f64>::new(&Sphere, &bounds, algorithm, &settings)
    /// };
    /// let (mut one, mut other) = (island(&PsoParams::default().into(), 0)?, island(&DeParams::default().into(), 1)?);
    /// one.step(50)?;
    /// other.immigrate(&one.emigrants(1, Selection::Best)?, Replacement::Worst)?;
    /// assert_eq!(one.progress()?.runs[0].best, other.progress()?.runs[0].best);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there are immigrants of more or fewer runs, more immigrants than individuals, or such with other coordinates,
    /// or the backend fails.
    pub fn immigrate(
        &mut self,
        immigrants: &[Migrants<R>],
        replacement: Replacement,
    ) -> Result<()> {
        let runs = u64::from(self.job.runs);
        if immigrants.len() as u64 != runs {
            let given = immigrants.len() as u64;
            return Err(Error::Runs { what: "immigrants", given, runs });
        }
        for migrants in immigrants {
            self.check_migrants(migrants.len() as u64)?;
            let (expected, found) =
                (migrants.len() * self.job.dimensions, migrants.positions.len());
            if expected != found {
                let (expected, found) = (expected.to_string(), found.to_string());
                return Err(Error::State { what: "coordinates of immigrants", expected, found });
            }
        }
        self.runs()?;
        let done = self.driver.state_mut().immigrate(&self.job, immigrants, replacement);
        self.lost = done.as_ref().err().cloned();
        done
    }

    fn check_migrants(&self, count: u64) -> Result<()> {
        let most = u64::from(self.job.individuals);
        if count <= most {
            return Ok(());
        }
        let allowed = format!("at most the {most} individuals");
        Err(Error::Setting { field: "migrants", value: count.to_string(), allowed })
    }

    /// Where the runs are, as a record of the history has it: with what
    /// [`Settings::record_statistics`](crate::Settings::record_statistics) asks for.
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn record(&mut self) -> Result<Progress<R>> {
        let progress = self.progress()?;
        self.with_statistics(progress)
    }

    pub(super) fn with_statistics(&mut self, mut progress: Progress<R>) -> Result<Progress<R>> {
        if self.recording.statistics {
            let all = self.statistics()?;
            for (run, statistics) in progress.runs.iter_mut().zip(all) {
                run.population = Some(statistics);
            }
        }
        Ok(progress)
    }

    /// What the runs have given so far, as [`run`](Optimiser::run) reports it. Those that have neither stopped by
    /// themselves nor reached a limit end for `reason`.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, StopReason, problems::Sphere};
    /// let settings = Settings { individuals: 16, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// optimiser.step(10)?;
    /// let report = optimiser.report(StopReason::Seconds)?;
    /// assert_eq!((report.runs[0].iterations, report.runs[0].stop_reason), (10, StopReason::Seconds));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the backend fails.
    pub fn report(&mut self, reason: StopReason) -> Result<Report<R>> {
        let standing = self.standing()?;
        let at_limit = standing.iterations >= standing.limit;
        self.reported(if at_limit { self.limit.reason } else { reason })
    }
}
