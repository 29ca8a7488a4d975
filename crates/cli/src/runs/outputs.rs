//! What a run records, and what is written and shown at its end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use warpswarm::{Precise, Report, RunReport, StopReason};
use warpswarm_pictures::{Frame, Kind};

use super::ended::resume;
use crate::args::{OutputArgs, Plot};
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::output::files::{Files, Output, Written, is_stdout};
use crate::output::json::Solved;
use crate::output::plot::{self, Moving};
use crate::output::run_folder::RunFolder;
use crate::output::summary::{Summary, Unchanged};
use crate::output::trace;
use crate::run::Run;
use crate::shown;

/// Sets the run to record what the outputs need.
pub(crate) fn prepare(run: &mut Run, args: &OutputArgs) {
    let settings = &mut run.settings;
    let draws_history = args.plots.iter().any(Plot::<Kind>::needs_history);
    if args.out.is_some() || args.trace.is_some() || draws_history {
        let interval = trace::interval(&settings.stop, settings.individuals);
        settings.record_every.get_or_insert(interval);
        let runs = run.islands.as_ref().map_or(settings.runs, |islands| islands.count);
        settings.records_at_most.get_or_insert(trace::rows_at_most(runs));
    }
    settings.record_statistics |= args.out.is_some();
    settings.populations_every = args.population_every;
}

/// Refuses outputs that show individuals, because individuals are not gathered from the ranks.
pub(crate) fn check_individuals(args: &OutputArgs, with: &str) -> Result<(), Failure> {
    let refuse = |what: String| {
        Err(Failure::Input(format!(
            "{what}, but {with} the individuals are not gathered, and cannot be shown; leave it out"
        )))
    };
    if let Some(every) = args.population_every {
        return refuse(format!("--population-every is {every}"));
    }
    match args.plots.iter().find(|plot| plot.shows_individuals()) {
        Some(plot) => refuse(format!("--plot is {plot}")),
        None => Ok(()),
    }
}

/// The outputs to write at the end of a run.
pub(crate) struct Outputs {
    json: Option<Output>,
    trace: Option<Output>,
    plots: Vec<Output>,
    pub(super) folder: Option<RunFolder>,
    /// The positions of the individuals in the best run at its end, for pictures that show them.
    pub(super) end: Option<Frame>,
    /// `Some` if the best run has not improved for a long time.
    pub(super) unchanged: Option<Unchanged>,
    /// The checkpoint that has the state at the end of the run, if one was written.
    pub(super) checkpoint: Option<PathBuf>,
    /// The positions of the individuals during the runs, for pictures that show them.
    pub(super) moving: Option<Moving>,
}

impl Outputs {
    /// Checks that everything can be written.
    pub(crate) fn check(run: &Run, args: &OutputArgs, files: &mut Files) -> Result<Self, Failure> {
        plot::check(&args.plots, run)?;
        let mut file =
            |option, path: Option<&Path>| path.map(|path| files.output(option, path)).transpose();
        let json = file("--json", args.json.as_deref().filter(|path| !is_stdout(path)))?;
        let trace = file("--trace", args.trace.as_deref())?;
        let plots = plot::outputs(&args.plots, files)?;
        if let Some(path) = &args.out {
            files.folder("--out", path)?;
            RunFolder::check(path, args.force)?;
        }
        let moving = Moving::new(&args.plots);
        Ok(Outputs {
            json,
            trace,
            plots,
            folder: None,
            end: None,
            unchanged: None,
            checkpoint: None,
            moving,
        })
    }

    /// The same, and starts the outputs that are written during the run.
    pub(crate) fn open(run: &Run, args: &OutputArgs, files: &mut Files) -> Result<Self, Failure> {
        let mut outputs = Outputs::check(run, args, files)?;
        outputs.begin(args)?;
        Ok(outputs)
    }

    /// Starts the outputs that are written during the run.
    pub(crate) fn begin(&mut self, args: &OutputArgs) -> Result<(), Failure> {
        let new = |path| RunFolder::new(path, args.population_every.is_some());
        self.folder = args.out.as_deref().map(new).transpose()?;
        Ok(())
    }

    /// Writes as many of the outputs as possible, the results first. The summary is shown in any case.
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
        let shows_summary = shows_summary(args);
        let shown = if shows_summary {
            let mut text = Summary { run, report, unchanged: self.unchanged }.to_string();
            if let (Some(path), INTERRUPTED) = (&self.checkpoint, exit_code(report)) {
                let said = format!("{}; to continue: {}", path.display(), resume(path));
                text += &format!("checkpoint  {}\n", shown::escaped(&said));
            }
            { out }.write_all(text.as_bytes())
        } else if is_json(args) {
            solved.write(io::BufWriter::new(out))
        } else {
            Ok(())
        };
        written.note(shown.map_err(Failure::from));
        let done = plot::Done { run, report, end: self.end, moving: self.moving };
        done.draw(&args.plots, &self.plots, !shows_summary, &mut written);
        written.result()
    }
}

/// Whether standard output is used for JSON.
fn is_json(args: &OutputArgs) -> bool {
    args.json.as_deref().is_some_and(is_stdout)
}

/// Whether the summary is shown on standard output.
pub(crate) fn shows_summary(args: &OutputArgs) -> bool {
    !args.quiet && !is_json(args)
}

/// The exit code of a finished run.
pub(crate) fn exit_code<R>(report: &Report<R>) -> Code {
    let interrupted = |run: &RunReport<R>| run.stop_reason == StopReason::Interrupted;
    match report.runs.iter().any(interrupted) {
        true => INTERRUPTED,
        false => SUCCESS,
    }
}
