//! Why the runs of a checkpoint have ended, and whether they can continue.

use std::io::{self, Write};
use std::path::Path;

use warpswarm::{Report, Stop, StopReason};
use warpswarm_pictures::counted;

use crate::output::summary;
use crate::shown;

/// The part of a limit of seconds after which a run counts as stopped by it. The time for placing the first individuals
/// counts towards the limit, but is not in the checkpoint.
const UP: f64 = 0.99;

/// The reason for which each run has ended; `None` for a run that continues when it is resumed.
#[derive(Clone, Debug)]
pub(crate) struct Ended(pub(crate) Vec<Option<StopReason>>);

impl Ended {
    /// Of runs that were reported, after so many seconds, as if they were interrupted.
    pub(crate) fn of<R>(report: &Report<R>, stop: &Stop, seconds: f64) -> Self {
        let time = time_is_up(stop, seconds);
        let reasons = report.runs.iter().map(|run| match run.stop_reason {
            StopReason::Interrupted => time,
            reason => Some(reason),
        });
        Ended(reasons.collect())
    }

    /// Whether no run continues.
    pub(crate) fn is_all(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// The reasons in words.
    fn reasons(&self) -> String {
        summary::reasons(self.0.iter().copied().flatten())
    }

    /// How many runs have ended, and why.
    pub(crate) fn state(&self) -> String {
        let ended = self.0.iter().flatten().count();
        match (self.is_all(), ended) {
            (true, _) => format!("finished: stopped by {}", self.reasons()),
            (false, 0) => "not finished".into(),
            (false, _) => {
                let (all, reasons) = (counted(self.0.len() as u64, "run"), self.reasons());
                format!("not finished; {ended} of {all} stopped by {reasons}")
            }
        }
    }

    /// The command that continues the runs, or why none can continue.
    pub(crate) fn to_continue(&self, stop: &Stop, path: &Path) -> String {
        let command = resume(path);
        match (self.is_all(), self.for_good(stop)) {
            (false, _) => command,
            (true, None) => format!("{command} --iterations MORE"),
            (true, Some(why)) => format!("no run can continue: {why}"),
        }
    }

    /// Why no run can continue, whatever its limits of iterations, evaluations and seconds are. `None` if a run can.
    fn for_good(&self, stop: &Stop) -> Option<String> {
        let is = |reason| self.0.contains(&Some(reason));
        let good = [StopReason::Target, StopReason::Stagnation, StopReason::Unbounded];
        if !self.0.iter().all(|reason| reason.is_some_and(|reason| good.contains(&reason))) {
            return None;
        }
        let target = stop.target.filter(|_| is(StopReason::Target));
        let stagnation = stop.stagnation.filter(|_| is(StopReason::Stagnation));
        let target = target.map(|target| format!("the target {target:?}"));
        let stagnation = stagnation
            .map(|most| format!("the limit of stagnation ({})", counted(most, "iteration")));
        let why = match (target, stagnation) {
            (None, None) => "the objective is unbounded".into(),
            (Some(one), None) | (None, Some(one)) => format!("{one} still applies"),
            (Some(one), Some(other)) => format!("{one} and {other} still apply"),
        };
        Some(why)
    }
}

/// Prints a note if resumed runs have ended without doing an iteration, except by an interrupt.
pub(super) fn note_nothing_done<R>(
    report: &Report<R>,
    stop: &Stop,
    path: &Path,
    is_unchanged: bool,
) {
    let ended = Ended(report.runs.iter().map(|run| Some(run.stop_reason)).collect());
    if ended.0.contains(&Some(StopReason::Interrupted)) {
        return;
    }
    let next = match ended.for_good(stop) {
        Some(why) => why,
        None => format!("to continue: {} --iterations MORE", resume(path)),
    };
    let unchanged = if is_unchanged { "; the checkpoint is unchanged" } else { "" };
    let reasons = ended.reasons();
    let note = format!("no run has continued: stopped by {reasons}; {next}{unchanged}");
    // The result does not depend on the note, so a closed stderr is ignored.
    let _ = writeln!(io::stderr(), "note: {}", shown::message(&note));
}

/// The command that resumes a checkpoint.
pub(crate) fn resume(path: &Path) -> String {
    format!("warpswarm resume {}", shown::for_shell(&path.display().to_string()))
}

fn time_is_up(stop: &Stop, seconds: f64) -> Option<StopReason> {
    let is_up = stop.seconds.is_some_and(|limit| seconds >= UP * limit);
    is_up.then_some(StopReason::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use StopReason::{Evaluations, Iterations, Stagnation, Target, Unbounded};

    #[test]
    fn states_name_the_reasons() {
        let state = |reasons: &[Option<StopReason>]| Ended(reasons.to_vec()).state();
        assert_eq!(state(&[None]), "not finished");
        assert_eq!(state(&[Some(Iterations)]), "finished: stopped by iterations");
        let both = "finished: stopped by evaluations (1 run), target (2 runs)";
        assert_eq!(state(&[Some(Target), Some(Evaluations), Some(Target)]), both);
        let some = "not finished; 2 of 3 runs stopped by target";
        assert_eq!(state(&[Some(Target), None, Some(Target)]), some);
    }

    #[test]
    fn what_continues_a_run_depends_on_the_reason() {
        let stop = Stop::target(1e-8).or_stagnation(500);
        let next = |reasons: &[Option<StopReason>]| {
            Ended(reasons.to_vec()).to_continue(&stop, Path::new("my run"))
        };
        assert_eq!(next(&[Some(Target), None]), "warpswarm resume 'my run'");
        let more = "warpswarm resume 'my run' --iterations MORE";
        assert_eq!(next(&[Some(Target), Some(Iterations)]), more);
        let target = "no run can continue: the target 1e-8 still applies";
        assert_eq!(next(&[Some(Target), Some(Target)]), target);
        let both = "no run can continue: the target 1e-8 and the limit of stagnation (500 iterations) still apply";
        assert_eq!(next(&[Some(Target), Some(Stagnation)]), both);
        let unbounded = "no run can continue: the objective is unbounded";
        assert_eq!(next(&[Some(Unbounded)]), unbounded);
    }

    #[test]
    fn time_is_up_if_hardly_any_is_left() {
        let up = |seconds| time_is_up(&Stop::seconds(10.0), seconds);
        assert_eq!((up(9.5), up(9.999), up(10.1)), (None, Some(StopReason::Seconds), up(10.0)));
        assert_eq!(time_is_up(&Stop::iterations(5), 1e9), None);
    }
}
