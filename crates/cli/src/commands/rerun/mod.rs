//! `warpswarm rerun`: repeats a run.
//!
//! * `differences`: the differences between the result and the populations of the stored run and those of its repetition.
//! * `traces`: the differences between their traces.

mod differences;
mod traces;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use warpswarm::{Event, Precise, Precision, Runs, Settings};
use warpswarm_pictures::counted;

use differences::{Compared, best, difference};
use traces::{Rows, compare, rows};

use crate::args::{PlaceArgs, RerunArgs};
use crate::commands::fit::JSON as FITS;
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::output::files::Files;
use crate::output::json::Solved;
use crate::output::run_folder::{POPULATION, RESULT, RUN, RunFolder, TRACE};
use crate::output::{population, trace};
use crate::run::Run;
use crate::runs::islands;
use crate::runs::outputs::exit_code;
use crate::runs::perform::Started;
use crate::runs::progress::Display;

/// Reasons for stopping that depend on the time of a run, and a reason that may hide one of them.
const BY_CHANCE: [&str; 2] = ["seconds", INTERRUPTED_RUN];
/// The reason if Ctrl-C ended the run.
const INTERRUPTED_RUN: &str = "interrupted";
const HIDES_ONE: &str = "nothing-finite";

/// The exit code if the results differ.
const DIFFERS: u8 = 1;

/// Repeats a run and prints the differences.
pub(crate) fn run(args: &RerunArgs) -> Result<Code, Failure> {
    let before = Before::read(&args.folder)?;
    match before.run.precision {
        Precision::F32 => in_precision::<f32>(before, args),
        Precision::F64 => in_precision::<f64>(before, args),
    }
}

/// The contents of a run's folder.
pub(crate) struct Before {
    run: Run,
    result: Json,
    trace: Rows,
    populations: Option<Compared>,
}

impl Before {
    pub(crate) fn read(path: &Path) -> Result<Before, Failure> {
        let folder = folder(path)?;
        Ok(Before {
            run: Run::read(&folder.join(RUN))?,
            result: read_result(&folder.join(RESULT))?,
            trace: read_trace(&folder.join(TRACE))?,
            populations: Compared::open(&folder.join(POPULATION))?,
        })
    }

    /// The run that repeats this one.
    pub(crate) fn again(&self, place: &PlaceArgs) -> Run {
        let mut again = self.run.clone().at(place);
        as_far(&mut again.settings, &self.result);
        again
    }
}

/// The folder of a run, from its path or that of its `run.toml`.
fn folder(path: &Path) -> Result<&Path, Failure> {
    if path.join(FITS).is_file() && !path.join(RUN).exists() {
        return Err(Failure::Input(format!(
            "DIR is {}, a folder of `fit`; allowed: a folder of `solve`; `warpswarm fit MODEL.toml` repeats a fit",
            path.display()
        )));
    }
    match (path.parent(), path.is_file()) {
        (Some(folder), true) if path.ends_with(RUN) => Ok(folder),
        (_, true) => Err(Failure::Input(format!(
            "DIR is {}, which is a file; allowed: a folder of `solve --out`",
            path.display()
        ))),
        _ => Ok(path),
    }
}

/// Checks that the folder NEW can be written, and locks it until the result is dropped.
fn check_output(args: &RerunArgs, again: &Run) -> Result<Files, Failure> {
    let mut files = Files::new();
    let Some(path) = &args.out else { return Ok(files) };
    if let (Some(every), Some(_)) = (args.population_every, &again.islands) {
        return Err(Failure::Input(format!(
            "--population-every is {every}, but of islands the individuals are not gathered; leave it out"
        )));
    }
    files.reads("the folder of the run", folder(&args.folder)?);
    files.folder("--out", path)?;
    RunFolder::check(path, args.force)?;
    Ok(files)
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    before: Before,
    args: &RerunArgs,
) -> Result<Code, Failure> {
    let mut again = before.again(&args.place);
    let Before { run: first, mut result, trace: before, mut populations } = before;
    let every = &mut again.settings.populations_every;
    *every = args.population_every.or(*every);
    populations.take_if(|_| *every != first.settings.populations_every);
    let has_populations = every.is_some();
    let _locked = check_output(args, &again)?;
    let new = |path| RunFolder::new(path, has_populations);
    let mut kept = args.out.as_deref().map(new).transpose()?;
    let mut display = Display::new(args.progress, None);
    let mut see = |event: Event<'_, R>, runs: &mut Runs<'_, R>| {
        display.see(&event, runs);
        kept.as_mut().map_or(Ok(()), |kept| kept.see(&event, &again.problem))?;
        if let (Event::Populations(shown), Some(before)) = (event, &mut populations) {
            if before.line == 0 {
                population::write_header(again.problem.dimensions(), before)?;
            }
            shown.iter().try_for_each(|shown| population::write(shown, &again.problem, before))?;
        }
        Ok(())
    };
    let report = match again.islands {
        None => Started::new(&again, None)?.run(&mut see)?,
        Some(_) => islands::again(&again, &mut display)?,
    };
    drop(display);
    if exit_code(&report) == INTERRUPTED {
        return Err(Failure::Interrupted);
    }

    let mut out = io::stdout().lock();
    let here = again.done(&report);
    kept.map_or(Ok(()), |kept| kept.finish(&here, &report))?;
    for (what, there, here) in places(&first, &here) {
        writeln!(out, "{what:<12}{there} there, {here} here")?;
    }
    let solved = Solved::new(&again, &report);
    // Converted to text and parsed, as the stored result was. Otherwise numbers of single precision would be widened.
    let mut text = Vec::new();
    solved.write(&mut text)?;
    let mut solved = serde_json::from_slice(&text).map_err(io::Error::from)?;
    forget_chance(&mut result, &mut solved);
    let mut text = Vec::new();
    trace::write(&report, &mut text)?;
    let after = rows(&mut csv::Reader::from_reader(text.as_slice()));
    let after = after.map_err(|error| Failure::Running(error.to_string()))?;

    let traces = compare(&before, &after);
    for left_out in &traces.left_out {
        writeln!(out, "{:<12}{left_out}", "trace")?;
    }
    let differences: Vec<String> = [
        traces.difference,
        difference("runs", &result["runs"], &solved["runs"]),
        populations.as_mut().and_then(Compared::difference),
    ]
    .into_iter()
    .flatten()
    .collect();
    if differences.is_empty() {
        let runs = counted(report.runs.len() as u64, "run");
        let rows = counted(traces.rows as u64, "row");
        let more = populations.map_or("", |_| ", and the populations");
        writeln!(out, "the same bits: {runs}, {rows} of the trace{more}")?;
        return Ok(SUCCESS);
    }
    differences.iter().try_for_each(|difference| writeln!(out, "differs: {difference}"))?;
    if let (Some(there), Some(here)) = (best(&result), best(&solved)) {
        match there == here {
            true => writeln!(out, "{:<12}{here}, the same there and here", "best value")?,
            false => writeln!(out, "{:<12}{there} there, {here} here", "best value")?,
        }
    }
    Ok(DIFFERS)
}

/// The differences in version, device and compiler between the two runs.
fn places(first: &Run, again: &Run) -> Vec<(&'static str, String, String)> {
    let toolchain = |run: &Run| run.taken.as_ref()?.device_toolchain.clone();
    let place = |run: &Run| run.taken.as_ref().map(|taken| taken.to_string()).unwrap_or_default();
    let mut all = vec![
        ("version", first.version.clone(), again.version.clone()),
        ("ran on", place(first), place(again)),
    ];
    if let (Some(there), Some(here)) = (toolchain(first), toolchain(again)) {
        all.push(("toolchain", there, here));
    }
    all.retain(|(_, there, here)| there != here);
    all
}

/// If the run was stopped by its time limit or Ctrl-C, limits its repetition to the same number of iterations, and to the
/// same local search.
fn as_far(settings: &mut Settings, result: &Json) {
    let runs = || result["runs"].as_array().into_iter().flatten();
    let reason = |run: &Json| run["stop_reason"].as_str().unwrap_or_default().to_owned();
    let by_chance = |run: &Json| {
        let reason = reason(run);
        BY_CHANCE.contains(&reason.as_str()) || reason == HIDES_ONE
    };
    // A run that was interrupted has had no local search.
    if runs().any(|run| reason(run) == INTERRUPTED_RUN) {
        settings.polish = Some(false);
    }
    if settings.stop.seconds.is_some() && settings.polish.is_none() {
        let count = |run: &Json, what: &str| run["polish"][what].as_u64().unwrap_or(0);
        let counts = runs().map(|run| [count(run, "evaluations"), count(run, "gradients")]);
        settings.polish_until = counts.collect();
    }
    let stop = &mut settings.stop;
    // If the time was the only limit, the repetition would have none.
    let by_time = stop.seconds.is_some() && stop.iterations.is_none() && stop.evaluations.is_none();
    if by_time || runs().any(by_chance) {
        stop.iterations = runs().filter_map(|run| run["iterations"].as_u64()).max();
    }
    stop.seconds = None;
}

/// Ignores reasons for stopping that depend on the time of a run.
fn forget_chance(there: &mut Json, here: &mut Json) {
    let runs = |of: &mut Json| of["runs"].as_array().map_or(0, Vec::len);
    for i in 0..runs(there).min(runs(here)) {
        let reason = there["runs"][i]["stop_reason"].as_str().unwrap_or_default();
        if BY_CHANCE.contains(&reason) {
            here["runs"][i]["stop_reason"] = there["runs"][i]["stop_reason"].clone();
        }
    }
}

fn read_result(path: &Path) -> Result<Json, Failure> {
    let text = fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    serde_json::from_slice(&text).map_err(|error| Failure::unreadable(path, &error))
}

fn read_trace(path: &Path) -> Result<Rows, Failure> {
    let read = csv::Reader::from_path(path).and_then(|mut reader| rows(&mut reader));
    read.map_err(|error| Failure::unreadable(path, &error))
}
