//! `warpswarm solve`.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use warpswarm::problems::ProblemInfo;
use warpswarm::{
    Algorithm, Bounds, Error, Precise, Precision, Progress, Report, Settings, Stop, StopReason,
    algorithms,
};

use crate::args::SolveArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::json::{Question, Solved};
use crate::problem::Problem;
use crate::summary::Summary;
use crate::trace;

/// What the bounds and a point take, before anything else does: too many dimensions must end in a
/// message.
const BYTES_PER_DIMENSION: usize = 64;

/// Minimises what the arguments say, and writes what they ask for.
pub(crate) fn run(args: &SolveArgs) -> Result<ExitCode, Failure> {
    let problem = &Problem::find(args)?;
    let algorithm = algorithm(args)?;
    match args.precision {
        Precision::F32 => solve::<f32>(args, problem, &algorithm),
        Precision::F64 => solve::<f64>(args, problem, &algorithm),
    }
}

fn solve<R: Precise + Serialize>(
    args: &SolveArgs,
    problem: &Problem,
    algorithm: &Algorithm,
) -> Result<ExitCode, Failure> {
    let shift = args.shift;
    if !R::from_f64(shift).is_finite() {
        let name = R::PRECISION;
        let allowed = format!("allowed: a number that is finite in {name} (--precision)");
        return Err(Failure::Input(format!("--shift is {shift:?}; {allowed}")));
    }
    let bounds = match problem {
        Problem::BuiltIn(info) => bounds(args, info)?,
        Problem::File(file) => file.bounds().clone(),
    };
    let settings = settings(args)?;
    let mut optimiser = problem.optimiser::<R>(shift, &bounds, algorithm, &settings)?;
    // Opened before the work, so that a path that cannot be written costs no time.
    let json = args.json.as_deref().filter(|path| !is_stdout(path));
    let json_file = json.map(|path| open("--json", path)).transpose()?;
    let trace_file = args.trace.as_deref().map(|path| open("--trace", path)).transpose()?;

    let report = if args.quiet || !io::stderr().is_terminal() {
        optimiser.run()?
    } else {
        let bar = ProgressBar::no_length().with_style(style(false));
        let report = optimiser.run_observed(&mut |progress| show(&bar, progress));
        bar.finish_and_clear();
        report?
    };

    if let Some(file) = trace_file {
        trace::write(&report, file)?;
    }
    let dimensions = bounds.dimensions() as u64;
    let question = Question { problem, dimensions, algorithm, seed: args.seed };
    let solved = Solved::new(&question, &report);
    if let Some(file) = json_file {
        solved.write(io::BufWriter::new(file))?;
    }
    if args.json.as_deref().is_some_and(is_stdout) {
        solved.write(io::BufWriter::new(io::stdout().lock()))?;
    } else if !args.quiet {
        let summary = Summary { question: &question, report: &report };
        write!(io::stdout().lock(), "{summary}")?;
    }
    Ok(exit_code(&report))
}

fn exit_code<R>(report: &Report<R>) -> ExitCode {
    let interrupted = |run: &warpswarm::RunReport<R>| run.stop_reason == StopReason::Interrupted;
    match report.runs.iter().any(interrupted) {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    }
}

fn algorithm(args: &SolveArgs) -> Result<Algorithm, Error> {
    let mut algorithm = algorithms::find(&args.algorithm)?.algorithm();
    for (key, value) in &args.parameters {
        algorithm.set(key, value)?;
    }
    Ok(algorithm)
}

/// The problem's own bounds, where the arguments do not say otherwise.
fn bounds(args: &SolveArgs, problem: &ProblemInfo) -> Result<Bounds, Failure> {
    let dimensions = args.dim.map_or(problem.dimensions.usual(), |dim| dim as usize);
    problem.check_dimensions(dimensions)?;
    let needed = dimensions.saturating_mul(BYTES_PER_DIMENSION);
    if Vec::<u8>::new().try_reserve_exact(needed).is_err() {
        return Err(Failure::Running(format!(
            "out of memory: --dim is {dimensions}, for which even the bounds are too large here"
        )));
    }
    let own = problem.bounds(dimensions)?;
    let or_own = |given: Option<f64>, own: &[f64]| match given {
        Some(bound) => vec![bound; dimensions],
        None => own.to_vec(),
    };
    let (lower, upper) = (or_own(args.lower, own.lower()), or_own(args.upper, own.upper()));
    if let Some(i) = (0..dimensions).find(|&i| lower[i] > upper[i]) {
        let whose = match problem.coordinates.get(i) {
            Some(name) => format!(", the problem's own for {name}"),
            None => ", the problem's own".to_string(),
        };
        let origin = |given: Option<f64>| given.map_or(whose.as_str(), |_| "");
        return Err(Failure::Input(format!(
            "--lower is {:?}{}, above --upper, which is {:?}{}; allowed: lower <= upper",
            lower[i],
            origin(args.lower),
            upper[i],
            origin(args.upper)
        )));
    }
    Ok(Bounds::new(lower, upper)?)
}

fn settings(args: &SolveArgs) -> Result<Settings, Failure> {
    let stop = Stop {
        iterations: args.iterations,
        evaluations: args.evaluations,
        seconds: args.seconds,
        target: args.target,
        stagnation: args.stagnation,
        interrupt: Some(interrupt()?),
    };
    let record_every = args.trace.is_some().then(|| trace::interval(&stop, args.individuals));
    Ok(Settings {
        individuals: args.individuals,
        runs: args.runs,
        seed: args.seed,
        stop,
        backend: args.backend,
        schedule: args.schedule,
        threads: args.threads.map(|threads| threads as usize),
        record_every,
        ..Settings::default()
    })
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
fn interrupt() -> Result<Arc<AtomicBool>, Failure> {
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

/// Opens a file for writing from its beginning.
fn open(option: &str, path: &Path) -> Result<File, Failure> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
    file.map_err(|error| Failure::file(option, path, &error))
}

fn show<R: Precise>(bar: &ProgressBar, progress: &Progress<R>) {
    bar.set_message(format!("best {:?}", progress.best().value));
    if let (Some(limit), None) = (progress.limit, bar.length()) {
        bar.set_style(style(true));
        bar.set_length(limit);
    }
    bar.set_position(progress.iterations);
}

fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded {
        "{bar:30} {human_pos} of {human_len} iterations, {elapsed}, {msg}"
    } else {
        "{spinner} {human_pos} iterations, {elapsed}, {msg}"
    };
    // The templates above are valid; a default style is better than a panic.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
