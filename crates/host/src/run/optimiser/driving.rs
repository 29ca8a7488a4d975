//! The driver: runs slices until every run has stopped, informs observers and keeps records.

use std::sync::atomic::Ordering;
use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Fitness;

use super::together::Turn;
use super::{Event, Optimiser, Recording, Runs, going, reached};
use crate::engine::Deadline;
use crate::error::Result;
use crate::run::report::{Progress, Report};
use crate::settings::Settings;
use crate::settings::communicator::Communicator;
use crate::settings::reason::StopReason;

/// A function that is called with each event.
pub(super) type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>);

/// What an observer has received so far.
#[derive(Default)]
struct Told<R> {
    /// The best of each run, `[run]`; empty before the first event.
    bests: Vec<Fitness<R>>,
    /// The iteration of the last populations that it received.
    populations: Option<u64>,
}

impl Recording {
    pub(super) fn new(settings: &Settings) -> Self {
        Recording {
            statistics: settings.record_statistics,
            populations_every: settings.populations_every,
            look_at: 0,
        }
    }
}

impl<R: Float> Optimiser<R> {
    /// Drives all runs to their end, together with the other ranks that share their particles, if there are any.
    pub(super) fn drive(
        &mut self,
        mut observer: Option<Observer<'_, R>>,
        others: Option<&dyn Communicator>,
    ) -> Result<Report<R>> {
        let mut told = Told { bests: Vec::new(), populations: None };
        let reason = loop {
            let controls = self.runs()?.landmarks()?;
            let own = Turn { reason: self.finished(&controls), slice: self.slice(&controls) };
            let Turn { reason, mut slice } = own.agreed(others)?;
            let done = reached(&controls);
            let due = self.history.is_due(done);
            if due || observer.is_some() {
                let progress = self.progress()?;
                if let Some(observer) = &mut observer {
                    self.tell(&progress, reason.is_some(), &mut told, *observer)?;
                    let look = self.recording.look_at.checked_sub(done).filter(|&left| left > 0);
                    // If ranks share the runs, they have agreed on a slice.
                    slice = slice.min(look.filter(|_| others.is_none()).unwrap_or(slice));
                }
                if due {
                    self.keep(progress, &mut observer)?;
                }
            }
            if let Some(reason) = reason {
                break reason;
            }
            // If an observer interrupts the runs, no further slice is done; ranks agree on this after the next one.
            if others.is_none() && self.is_interrupted() {
                continue;
            }
            let start = Instant::now();
            let deadline = Deadline::of(&self.stop, self.spent());
            self.advance(slice, others, &deadline)?;
            self.runs()?.landmarks()?;
            let seconds = start.elapsed().as_secs_f64();
            self.slice_length.took(slice, seconds);
            self.seconds += seconds;
        };
        let report = self.polished(reason)?;
        if let Some(observer) = observer {
            observer(Event::Finished(&report), &mut Runs(self));
        }
        Ok(report)
    }

    /// Informs an observer of a slice.
    fn tell(
        &mut self,
        progress: &Progress<R>,
        ended: bool,
        told: &mut Told<R>,
        observer: Observer<'_, R>,
    ) -> Result<()> {
        if told.bests.is_empty() {
            observer(Event::Started(progress), &mut Runs(self));
        }
        let own = |best: Fitness<R>| self.job.scales.fitness(best).ordered();
        let improved: Vec<usize> = (progress.runs.iter().zip(&told.bests).enumerate())
            .filter(|(_, (run, before))| own(run.best) < own(**before))
            .map(|(run, _)| run)
            .collect();
        told.bests = progress.runs.iter().map(|run| run.best).collect();
        for run in improved {
            observer(Event::Improved { run, at: &progress.runs[run] }, &mut Runs(self));
        }
        observer(Event::Progress(progress), &mut Runs(self));
        let at = progress.iterations;
        let every = self.recording.populations_every;
        let due = every.is_some_and(|every| ended || at.is_multiple_of(every)) && self.is_placed();
        if due && told.populations != Some(at) {
            told.populations = Some(at);
            let populations = self.populations()?;
            observer(Event::Populations(&populations), &mut Runs(self));
        }
        Ok(())
    }

    /// Adds a record to the history.
    fn keep(
        &mut self,
        progress: Progress<R>,
        observer: &mut Option<Observer<'_, R>>,
    ) -> Result<()> {
        let progress = self.with_statistics(progress)?;
        if let Some(observer) = observer {
            observer(Event::Recorded(&progress), &mut Runs(self));
        }
        self.history.push(progress);
        Ok(())
    }

    /// Why the runs that have not stopped on their own end now, if they do.
    pub(super) fn finished(&self, controls: &[Control]) -> Option<StopReason> {
        let given_up = self.placing.given_up.is_some();
        match going(controls).max().filter(|_| !given_up) {
            // Only time and interrupts abandon the placement.
            None if given_up && self.is_interrupted() => Some(StopReason::Interrupted),
            None if given_up => Some(StopReason::Seconds),
            // Not reported for any run: each has its own reason.
            None => Some(self.limit.reason),
            Some(done) if done >= self.limit.iterations => Some(self.limit.reason),
            _ if self.is_interrupted() => Some(StopReason::Interrupted),
            _ if self.stop.seconds.is_some_and(|limit| self.spent() >= limit) => {
                Some(StopReason::Seconds)
            }
            _ => None,
        }
    }

    /// Whether the caller's flag is set.
    fn is_interrupted(&self) -> bool {
        self.stop.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The seconds that count towards the time limit.
    fn spent(&self) -> f64 {
        self.placing.seconds + self.seconds
    }

    /// The iterations of the next slice, at least 1.
    fn slice(&self, controls: &[Control]) -> u64 {
        let done = reached(controls);
        let mut slice = self.slice_length.next.min(self.limit.iterations.saturating_sub(done));
        let shown = self.recording.populations_every.map(|every| every - done % every);
        for next in [self.history.until_next(done), shown].into_iter().flatten() {
            slice = slice.min(next);
        }
        if let Some(limit) = self.stop.seconds {
            slice = slice.min(self.slice_length.within(limit - self.spent()));
        }
        slice.max(1)
    }
}
