//! The report of all runs.

use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_core::order::{Candidate, Fitness};

use super::Optimiser;
use crate::error::Result;
use crate::run::polish::{Ended, Polish};
use crate::run::report::{Best, Report, RunReport};
use crate::settings::reason::StopReason;

impl<R: Float> Optimiser<R> {
    /// The report of the runs, in which runs that have not stopped on their own end for this reason.
    pub(super) fn reported(&mut self, reason: StopReason) -> Result<Report<R>> {
        let controls = self.runs()?.controls()?;
        let bests = self.strict_bests(&controls)?;
        self.report_of(reason, &controls, bests, Vec::new())
    }

    /// As [`reported`](Optimiser::reported), after a local search from the best point of each run, if that is requested
    /// and the runs were not interrupted.
    pub(super) fn polished(&mut self, reason: StopReason) -> Result<Report<R>> {
        let controls = self.runs()?.controls()?;
        let mut bests = self.strict_bests(&controls)?;
        let (mut polished, mut polish_seconds) = (Vec::new(), 0.0);
        if self.polisher.is_some() && reason != StopReason::Interrupted && self.is_placed() {
            let start = Instant::now();
            let ended: Vec<Ended> = (controls.iter().zip(self.evaluations(&controls)?))
                .map(|(control, evaluations)| Ended {
                    evaluations,
                    wants_more: control.iterations > 0 && control.stopped != stopped::TARGET,
                })
                .collect();
            let backend = self.backend();
            if let Some(polisher) = &self.polisher {
                polished = polisher.polish(&self.job, &mut bests, &ended, backend)?;
            }
            polish_seconds = start.elapsed().as_secs_f64();
        }
        let report = self.report_of(reason, &controls, bests, polished)?;
        Ok(Report { polish_seconds, ..report })
    }

    fn report_of(
        &mut self,
        reason: StopReason,
        controls: &[Control],
        bests: Vec<(Candidate<R>, Vec<R>)>,
        polished: Vec<Option<Polish<R>>>,
    ) -> Result<Report<R>> {
        let evaluations = self.evaluations(controls)?;
        let restarts = if self.is_placed() { self.runs()?.restarts()? } else { Vec::new() };
        let restarts = restarts.into_iter().chain(std::iter::repeat(0));
        let populations = match self.recording.statistics {
            true if self.is_placed() => self.statistics()?.into_iter().map(Some).collect(),
            _ => vec![None; controls.len()],
        };
        let polished = polished.into_iter().chain(std::iter::repeat(None));
        let found = bests.into_iter().zip(evaluations).zip(restarts).zip(populations).zip(polished);
        let runs = controls.iter().zip(found).zip(self.job.first_run..).map(
            |(
                (control, (((((best, position), evaluations), restarts), population), polish)),
                run,
            )| {
                let Fitness { violation, value } = self.job.scales.fitness(best.fitness);
                let missing = match self.is_placed() {
                    true => 0,
                    false => u64::from(self.job.individuals) - evaluations,
                };
                let position = self.job.scales.natural(&position);
                RunReport {
                    run,
                    best: Best { value, violation, position },
                    evaluations,
                    iterations: control.iterations,
                    restarts,
                    stop_reason: run_reason(control, best.fitness, reason),
                    not_finite: control.not_finite.saturating_sub(missing),
                    population,
                    polish,
                }
            },
        );
        Ok(Report {
            maximised: self.job.scales.maximises,
            runs: runs.collect(),
            backend: self.driver.state().backend(),
            device: self.driver.state().device(),
            plan: self.driver.state().plan(),
            seconds: self.seconds,
            polish_seconds: 0.0,
            setup_seconds: self.setup_seconds,
            history: self.history.take(),
        })
    }
}

/// Why one run ended, if the others ended for `reason`.
fn run_reason<R: Float>(control: &Control, best: Fitness<R>, reason: StopReason) -> StopReason {
    let reason = match control.stopped {
        stopped::TARGET => StopReason::Target,
        stopped::STAGNATION => StopReason::Stagnation,
        stopped::EVALUATIONS => StopReason::Evaluations,
        _ => reason,
    };
    let nothing = !(best.value < R::INFINITY && best.violation < R::INFINITY);
    let is_unbounded = best.violation == R::ZERO && best.value == R::ZERO - R::INFINITY;
    match reason {
        _ if is_unbounded => StopReason::Unbounded,
        StopReason::Target | StopReason::Interrupted => reason,
        _ if nothing => StopReason::NothingFinite,
        _ => reason,
    }
}
