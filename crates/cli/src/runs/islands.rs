//! Runs that are islands: `solve` with `--islands`, and runs that resume from its checkpoints.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Checkpoint, Precise, Precision, Report};
use warpswarm_islands::{Alone, Archipelago, CheckpointFolder, Checkpointer, Event, Interval};

use super::ended::note_nothing_done;
use super::outputs::{check_individuals, prepare};
use super::progress::Display;
use super::ranks::Ranks;
use super::saver::not_written;
use super::shared::Shared;
use super::{devices, interrupt};
use crate::args::{Every, OutputArgs};
use crate::failure::{Code, Failure};
use crate::output::files::Files;
use crate::run::Run;

/// Refuses outputs whose data is not gathered from the islands.
pub(crate) fn check_output(args: &OutputArgs) -> Result<(), Failure> {
    check_individuals(args, "with --islands")
}

/// Runs islands from the start or from a stored epoch, and writes the requested outputs.
pub(crate) fn perform(
    ranks: &Ranks,
    run: Run,
    from: Option<(&CheckpointFolder, &Path)>,
    args: &OutputArgs,
    files: Files,
) -> Result<Code, Failure> {
    match run.precision {
        Precision::F32 => in_precision::<f32>(ranks, run, from, args, files),
        Precision::F64 => in_precision::<f64>(ranks, run, from, args, files),
    }
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    ranks: &Ranks,
    mut run: Run,
    from: Option<(&CheckpointFolder, &Path)>,
    args: &OutputArgs,
    mut files: Files,
) -> Result<Code, Failure> {
    prepare(&mut run, args);
    let shared = Shared { ranks, run: &run, args };
    let threads = ranks.threads()?;
    let (mut started, mut outputs) = shared.made(|about| {
        let outputs = shared.outputs(&mut files)?;
        if let (Some(folder), true) = (&args.checkpoint, ranks.is_first()) {
            files.checkpoint(folder, args.force, from.map(|(_, folder)| folder))?;
        }
        let mut started = Started::<R>::new(ranks, &run, threads)?;
        let own = started.archipelago.own();
        from.map_or(Ok(()), |(kept, _)| started.archipelago.resume(kept.checkpoint(own)?))?;
        if let Some(folder) = &args.checkpoint {
            started.archipelago.keep(checkpointer(folder, args.every, about));
        }
        Ok((started, outputs))
    })?;
    let mut display = shared.display();
    let report = started.run(ranks, &mut display)?;
    drop(display);
    let kept_at = started.archipelago.kept_at();
    let kept = started.archipelago.not_kept().cloned();
    let kept = kept.map_or(Ok(()), |error| Err(Failure::Running(not_written(&error))));
    if let Some(outputs) = &mut outputs {
        outputs.checkpoint =
            args.checkpoint.clone().filter(|folder| kept.is_ok() && folder.exists());
    }
    let done = report.runs.iter().map(|run| run.iterations).max().unwrap_or(0);
    if let (Some(at), true) = (kept_at.filter(|_| kept.is_ok()), ranks.is_first()) {
        note_rest(at, done, run.islands.as_ref().map_or(1, |islands| islands.every));
    }
    if let Some((before, folder)) = from
        && ranks.is_first()
        && done <= before.iterations()
    {
        note_nothing_done(&report, &run.settings.stop, folder, false);
    }
    shared.finish(outputs, &report, kept)
}

/// Repeats the run of islands in this process alone.
pub(crate) fn again<R: Precise + Serialize + DeserializeOwned>(
    run: &Run,
    display: &mut Display,
) -> Result<Report<R>, Failure> {
    let ranks = Ranks::One(Alone);
    Started::new(&ranks, run, None)?.run(&ranks, display)
}

/// The report of islands that are resumed on the CPU of this process, and interrupted before their next epoch.
pub(crate) fn interrupted<R: Precise + Serialize + DeserializeOwned>(
    run: &Run,
    from: Checkpoint<R>,
) -> Result<Report<R>, Failure> {
    let mut settings = run.settings.clone();
    let interrupt = Arc::new(AtomicBool::new(false));
    settings.stop.interrupt = Some(Arc::clone(&interrupt));
    let islands = run.islands.clone().unwrap_or_default();
    let mut optimiser = |algorithm: &_, settings: &_| run.problem.optimiser(algorithm, settings);
    let mut archipelago = Archipelago::new(&Alone, &islands, &settings, &mut optimiser)?;
    archipelago.resume(from)?;
    // Only now: an interrupt also abandons the placement.
    interrupt.store(true, Ordering::Relaxed);
    Ok(archipelago.run()?)
}

/// Prints a note if the run has ended within an epoch, of which no state is stored.
fn note_rest(kept: u64, done: u64, every: u64) {
    if kept < done {
        // The result does not depend on the note, so a closed stderr is ignored.
        let _ = writeln!(
            io::stderr(),
            "note: the checkpoint holds the run up to iteration {kept} of {done}, the end of its last complete epoch; \
             to keep the end of a run, choose --iterations as a multiple of {every} (--migrate-every)"
        );
    }
}

fn checkpointer(folder: &Path, every: Every, about: String) -> Checkpointer {
    let every = match every {
        Every::Iterations(iterations) => Interval::Iterations(iterations),
        Every::Time(time) => Interval::Time(time),
    };
    Checkpointer::new(folder, every, about)
}

/// Islands whose individuals have been placed, ready to run.
struct Started<'a, R: Precise> {
    archipelago: Archipelago<'a, R>,
}

impl<'a, R: Precise + Serialize + DeserializeOwned> Started<'a, R> {
    /// Checks the settings and creates the islands. `threads` applies if the run does not set the number of threads.
    fn new(ranks: &'a Ranks, run: &Run, threads: Option<usize>) -> Result<Self, Failure> {
        let mut settings = run.settings.clone();
        settings.threads = settings.threads.or(threads);
        settings.devices = ranks.devices(&settings);
        settings.stop.interrupt = Some(interrupt::flag()?);
        // Only runs with islands get here.
        let islands = run.islands.clone().unwrap_or_default();
        let mut chosen = None;
        let mut optimiser = |algorithm: &_, settings: &_| {
            let optimiser = run.problem.optimiser(algorithm, settings)?;
            chosen = Some(optimiser.backend());
            Ok(optimiser)
        };
        let mut make = || Archipelago::new(ranks.others(), &islands, &settings, &mut optimiser);
        let made = if ranks.is_first() { devices::set_up(&settings, make) } else { make() };
        let archipelago = made?;
        // With several ranks, the devices are those that were assigned to this rank, not those that the user requested.
        match (ranks.are_many(), chosen) {
            (false, Some(chosen)) => devices::note_ignored(run, chosen),
            (true, _) if ranks.is_first() => devices::note_not_split(run),
            _ => {}
        }
        Ok(Started { archipelago })
    }

    /// Runs until a stop condition is met.
    fn run(&mut self, ranks: &Ranks, display: &mut Display) -> Result<Report<R>, Failure> {
        let others = ranks.others();
        let place = match others.size() {
            1 => "islands".to_string(),
            size => format!("islands on {size} ranks"),
        };
        let mut warned = false;
        let report = self.archipelago.run_observed(&mut |event| match event {
            Event::Started(progress) => display.begin(progress, place.clone()),
            Event::Progress(progress) => display.show(progress),
            Event::NotKept(error) if others.rank() == 0 && !warned => {
                warned = true;
                // If stderr is closed too, only the exit code reports the failure.
                let _ = writeln!(io::stderr(), "warning: {}", not_written(error));
            }
            _ => {}
        });
        report.map_err(|error| ranks.failed(error))
    }
}
