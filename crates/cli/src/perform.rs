//! Carries out a run, and writes what was asked for: the same way for `solve`, `rerun` and `resume`.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Checkpoint, CheckpointFile, Event, Precise, Precision, Report, RunReport, Runs, StopReason,
};
use warpswarm_pictures::Frame;

use crate::args::OutputArgs;
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::files::{Files, Output, Written};
use crate::folder::Folder;
use crate::json::Solved;
use crate::plot::{self, Moving, Plot};
use crate::progress::Display;
use crate::run::Run;
use crate::saver::Saver;
use crate::summary::Summary;
use crate::trace;

/// Does a run from its beginning, or from a checkpoint, and writes what the arguments ask for; `files` are read.
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
    // What cannot be written costs no time, and what cannot run leaves files as they are.
    let mut outputs = Outputs::check(&run, args, &mut files)?;
    if let Some(path) = &args.checkpoint {
        files.checkpoint(path, args.force, from.map(CheckpointFile::path))?;
    }
    let from = from.map(CheckpointFile::checkpoint::<R>).transpose()?;
    let mut started = Started::new(&run, from)?;
    outputs.begin(args)?;
    let saver = |path: &Path| Ok::<_, Failure>(Saver::new(path, args.every, run.to_toml()?));
    let mut saver = args.checkpoint.as_deref().map(saver).transpose()?;
    let kind = if args.quiet { crate::args::ProgressKind::None } else { args.progress };
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
    written.note(outputs.finish(&run, &report, args));
    written.note(saver.map_or(Ok(()), Saver::finish));
    written.result()?;
    Ok(exit_code(&report))
}

/// Has a run record what the arguments ask for.
pub(crate) fn prepare(run: &mut Run, args: &OutputArgs) {
    let settings = &mut run.settings;
    let draws_history = args.plots.iter().any(Plot::needs_history);
    if args.out.is_some() || args.trace.is_some() || draws_history {
        let interval = trace::interval(&settings.stop, settings.individuals);
        settings.record_every.get_or_insert(interval);
        let runs = run.islands.as_ref().map_or(settings.runs, |islands| islands.count);
        settings.records_at_most.get_or_insert(trace::rows_at_most(runs));
    }
    settings.record_statistics |= args.out.is_some();
    settings.populations_every = args.population_every;
}

/// What is written when a run has ended.
pub(crate) struct Outputs {
    json: Option<Output>,
    trace: Option<Output>,
    plots: Vec<Output>,
    folder: Option<Folder>,
    /// Where the individuals of the best run are at its end, for pictures that show that.
    end: Option<Frame>,
    /// Where they all were on their way, for those that show that.
    moving: Option<Moving>,
}

impl Outputs {
    /// Sees that everything can be written.
    pub(crate) fn check(run: &Run, args: &OutputArgs, files: &mut Files) -> Result<Self, Failure> {
        plot::check(&args.plots, run)?;
        let mut file =
            |option, path: Option<&Path>| path.map(|path| files.output(option, path)).transpose();
        let json = file("--json", args.json.as_deref().filter(|path| !is_stdout(path)))?;
        let trace = file("--trace", args.trace.as_deref())?;
        let plots = args.plots.iter().map(|plot| files.output("--plot", plot.path()));
        let plots = plots.collect::<Result<_, Failure>>()?;
        if let Some(path) = &args.out {
            files.folder("--out", path)?;
            Folder::check(path, args)?;
        }
        let moving = Moving::new(&args.plots);
        Ok(Outputs { json, trace, plots, folder: None, end: None, moving })
    }

    /// The same, and begins.
    pub(crate) fn open(run: &Run, args: &OutputArgs, files: &mut Files) -> Result<Self, Failure> {
        let mut outputs = Outputs::check(run, args, files)?;
        outputs.begin(args)?;
        Ok(outputs)
    }

    /// Begins what is written meanwhile.
    pub(crate) fn begin(&mut self, args: &OutputArgs) -> Result<(), Failure> {
        self.folder = args.out.as_deref().map(|path| Folder::new(path, args)).transpose()?;
        Ok(())
    }

    /// Writes what can be written, the results first, and shows the summary in any case.
    pub(crate) fn finish<R: Precise + Serialize>(
        self,
        run: &Run,
        report: &Report<R>,
        args: &OutputArgs,
    ) -> Result<(), Failure> {
        let mut written = Written::default();
        let solved = Solved::new(run, report);
        if let Some(file) = self.json {
            written.note(file.write(&mut |out| solved.write(out)));
        }
        if let Some(folder) = self.folder {
            written.note(folder.finish(&run.done(report), report));
        }
        if let Some(file) = self.trace {
            written.note(file.write(&mut |out| trace::write(report, out)));
        }
        let out = io::stdout().lock();
        let shown = if args.json.as_deref().is_some_and(is_stdout) {
            solved.write(io::BufWriter::new(out))
        } else if !args.quiet {
            { out }.write_all(Summary { run, report }.to_string().as_bytes())
        } else {
            Ok(())
        };
        written.note(shown.map_err(Failure::from));
        let done = plot::Done { run, report, end: self.end, moving: self.moving };
        done.draw(&args.plots, &self.plots, &mut written);
        written.result()
    }
}

/// Finishes what the first rank writes, on that one; where nobody reads it any more, the others go on.
pub(crate) fn finish_by_first<R: Precise + Serialize>(
    outputs: Option<Outputs>,
    run: &Run,
    report: &Report<R>,
    args: &OutputArgs,
) -> Result<(), Failure> {
    match outputs.map(|outputs| outputs.finish(run, report, args)) {
        Some(Err(Failure::NobodyReads)) | None => Ok(()),
        Some(done) => done,
    }
}

/// Who sees what happens, and may fail.
type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>) -> Result<(), Failure>;

/// A run that can begin: its individuals are placed.
pub(crate) struct Started<R: Precise> {
    optimiser: warpswarm::Optimiser<R>,
    interrupt: Arc<AtomicBool>,
}

impl<R: Precise> Started<R> {
    /// Checks everything, and goes to where the run was left, if it was.
    pub(crate) fn new(run: &Run, from: Option<Checkpoint<R>>) -> Result<Self, Failure> {
        let interrupt = interrupt()?;
        let mut settings = run.settings.clone();
        settings.stop.interrupt = Some(Arc::clone(&interrupt));
        let mut optimiser = run.problem.optimiser::<R>(&run.algorithm, &settings)?;
        from.map_or(Ok(()), |from| optimiser.resume(from))?;
        Ok(Started { optimiser, interrupt })
    }

    /// Runs to the end; where an observer fails, only until then.
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

pub(crate) fn exit_code<R>(report: &Report<R>) -> Code {
    let interrupted = |run: &RunReport<R>| run.stop_reason == StopReason::Interrupted;
    match report.runs.iter().any(interrupted) {
        true => INTERRUPTED,
        false => SUCCESS,
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub(crate) fn interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Running(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(flag)
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
