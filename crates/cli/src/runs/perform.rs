//! Carries out a run and writes the requested outputs, in the same way for `solve`, `rerun` and `resume`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Checkpoint, CheckpointFile, Event, Optimiser, Precise, Precision, Report, Runs};

use super::ended::note_nothing_done;
use super::outputs::{Outputs, exit_code, prepare, shows_summary};
use super::progress::Display;
use super::saver::Saver;
use super::{devices, interrupt};
use crate::args::{OutputArgs, ProgressKind};
use crate::failure::{Code, Failure};
use crate::output::files::{Files, Written};
use crate::output::plot;
use crate::output::summary::Unchanged;
use crate::run::Run;

/// The largest number of coordinates that are fetched from a device for the summary.
const FEW: u64 = 1 << 22;

/// Carries out a run from the start or from a checkpoint, and writes the requested outputs. `files` contains the files
/// that were read.
pub(crate) fn perform(
    run: Run,
    from: Option<&CheckpointFile>,
    args: &OutputArgs,
    files: Files,
) -> Result<Code, Failure> {
    match run.precision {
        Precision::F32 => in_precision::<f32>(run, from, args, files),
        Precision::F64 => in_precision::<f64>(run, from, args, files),
    }
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    mut run: Run,
    from: Option<&CheckpointFile>,
    args: &OutputArgs,
    mut files: Files,
) -> Result<Code, Failure> {
    prepare(&mut run, args);
    // Outputs are checked before the run is set up: an unwritable path costs no time. They are started afterwards: a
    // run that cannot start changes no files.
    let mut outputs = Outputs::check(&run, args, &mut files)?;
    if let Some(path) = &args.checkpoint {
        files.checkpoint(path, args.force, from.map(CheckpointFile::path))?;
    }
    let resumed = from.map(CheckpointFile::path);
    let from = from.map(CheckpointFile::checkpoint::<R>).transpose()?;
    let before: Vec<u64> =
        from.iter().flat_map(|from| &from.states).map(|swarm| swarm.control.iterations).collect();
    let mut started = Started::new(&run, from)?;
    outputs.begin(args)?;
    let saver = |path: &Path| Ok::<_, Failure>(Saver::new(path, args.every, run.to_toml()?));
    let is_over = resumed.is_some() && started.is_over()?;
    // A checkpoint whose runs have all ended stays as it is.
    let path = args.checkpoint.as_deref().filter(|path| !is_over || resumed != Some(*path));
    let mut saver = path.map(saver).transpose()?;
    let kind = if args.quiet { ProgressKind::None } else { args.progress };
    let mut display = Display::new(kind, run.settings.stop.seconds);

    let report = started.run(&mut |event, runs| {
        display.see(&event, runs);
        if let Some(saver) = &mut saver {
            saver.see(&event, runs)?;
        }
        if let Some(moving) = &mut outputs.moving {
            moving.see(&event, runs)?;
        }
        outputs.folder.as_mut().map_or(Ok(()), |folder| folder.see(&event, &run.problem))
    })?;
    drop(display);

    let mut written = Written::default();
    match plot::end(&args.plots, &mut started.optimiser, &report) {
        Ok(end) => outputs.end = end,
        Err(failure) => written.note(Err(failure)),
    }
    if shows_summary(args) {
        outputs.unchanged = started.unchanged(&run, &report);
    }
    outputs.checkpoint =
        path.filter(|_| saver.as_ref().is_some_and(Saver::is_current)).map(Path::to_path_buf);
    written.note(outputs.finish(&run, &report, args));
    written.note(saver.map_or(Ok(()), Saver::finish));
    if let Some(path) = resumed
        && report.runs.iter().map(|run| run.iterations).eq(before)
    {
        let is_unchanged = is_over && args.checkpoint.as_deref() == Some(path);
        note_nothing_done(&report, &run.settings.stop, path, is_unchanged);
    }
    written.result()?;
    Ok(exit_code(&report))
}

/// An observer of the run's events, which may fail.
type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>) -> Result<(), Failure>;

/// A run whose individuals have been placed, ready to run.
pub(crate) struct Started<R: Precise> {
    optimiser: Optimiser<R>,
    interrupt: Arc<AtomicBool>,
}

impl<R: Precise> Started<R> {
    /// Checks the settings and creates the optimiser, resuming from the checkpoint if there is one.
    pub(crate) fn new(run: &Run, from: Option<Checkpoint<R>>) -> Result<Self, Failure> {
        let interrupt = interrupt::flag()?;
        let mut settings = run.settings.clone();
        settings.stop.interrupt = Some(Arc::clone(&interrupt));
        let mut optimiser =
            devices::set_up(&settings, || run.problem.optimiser::<R>(&run.algorithm, &settings))?;
        from.map_or(Ok(()), |from| optimiser.resume(from))?;
        devices::note_ignored(run, optimiser.backend());
        Ok(Started { optimiser, interrupt })
    }

    /// Whether no run continues: each has stopped on its own or is at a limit of iterations or evaluations.
    fn is_over(&mut self) -> Result<bool, Failure> {
        Ok(!self.optimiser.status()?.goes_on)
    }

    /// Whether the best run has not improved for a long time; `None` if fetching the population would be expensive.
    fn unchanged(&mut self, run: &Run, report: &Report<R>) -> Option<Unchanged> {
        let points = run.settings.individuals.saturating_mul(run.settings.runs);
        if points.saturating_mul(run.problem.dimensions() as u64) > FEW {
            return None;
        }
        Unchanged::of(&self.optimiser.state().ok()?, report)
    }

    /// Runs until a stop condition is met or the observer fails.
    pub(crate) fn run(&mut self, observer: Observer<'_, R>) -> Result<Report<R>, Failure> {
        let mut failed = None;
        let report = self.optimiser.run_observed(&mut |event, runs| {
            if failed.is_some() {
                return;
            }
            if let Err(failure) = observer(event, runs) {
                failed = Some(failure);
                self.interrupt.store(true, Ordering::Relaxed);
            }
        })?;
        failed.map_or(Ok(report), Err)
    }
}
