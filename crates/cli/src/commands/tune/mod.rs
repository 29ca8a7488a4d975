//! `warpswarm tune`: searches for good parameters of an algorithm, with differential evolution.
//!
//! * [`quality`]: the quality of a configuration; [`search`]: the search; [`tested`]: the final comparison.

mod quality;
mod search;
mod tested;

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value as Json;
use warpswarm::{Algorithm, algorithms};
use warpswarm_pictures::counted;

use crate::args::TuneArgs;
use crate::caller::Caller;
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::output::files::{Files, Written};
use crate::output::number::parameter;
use crate::output::table::{Table, short};
use crate::runs::progress::bar;
use crate::study::batch;
use crate::study::conditions::Conditions;
use crate::study::entrant::{Entrant, usual_individuals};
use crate::study::task::{Given, Task, sources, tasks};
use quality::Trial;
use search::{Found, Space};
use tested::Tested;

/// The result, for programs.
#[derive(Debug, Serialize)]
struct Tuned<'a> {
    algorithm: &'a str,
    individuals: u64,
    /// For each parameter searched: its name, the default value, and the value found.
    parameters: Vec<(&'a str, Json, Json)>,
    configurations: u64,
    /// The quality in the runs of the search.
    search_quality: f64,
    test_runs: u64,
    test: Option<&'a Tested>,
    seconds: f64,
}

/// Tunes an algorithm and writes the result.
pub(crate) fn run(args: &TuneArgs, caller: &Caller) -> Result<Code, Failure> {
    let asked = Asked::of(args, &caller.problems)?;
    let Asked { algorithm, individuals, space, tasks, conditions } = asked;
    let mut files = Files::new();
    sources(&args.problems).iter().for_each(|name| files.reads_problem(name));
    let file = args.json.as_deref().map(|path| files.output("--json", path)).transpose()?;

    let start = Instant::now();
    let interrupt = caller.interrupt()?;
    // Configurations are evaluated in parallel, each on one thread.
    let conditions = Conditions { threads: Some(1), ..conditions };
    let trial = Trial { tasks, individuals, conditions, interrupt: interrupt.clone() };
    let trial = Arc::new(trial);
    let bar = bar(args.budget, "configurations", args.quiet);
    let Some(beside) = trial.costs(algorithm, 0, conditions.runs)? else {
        return Ok(INTERRUPTED);
    };
    let shown = bar.clone();
    let found = space.search(&trial, &beside, args, move || shown.inc(1))?;
    let test_runs = args.test_runs.unwrap_or(4 * conditions.runs);
    let tested = test(&trial, algorithm, &found, test_runs)?;
    bar.finish_and_clear();

    let mut written = Written::default();
    if let Some(file) = file {
        let (seconds, tested) = (start.elapsed().as_secs_f64(), (test_runs, tested.as_ref()));
        written
            .note(file.write(&mut |out| write_json(&space, &trial, &found, tested, seconds, out)));
    }
    if !args.quiet {
        let mut out = BufWriter::new(io::stdout().lock());
        searched(&space, &found, &trial).text(&mut out)?;
        match &tested {
            Some(tested) => tested.write(test_runs, &mut out)?,
            None => writeln!(
                out,
                "interrupted before it could be run anew: how good it is, is not known"
            )?,
        }
        tested::write_preset(&found.algorithm, individuals, &mut out)?;
        out.flush()?;
    }
    written.result()?;
    Ok(match interrupt.load(Ordering::Relaxed) {
        true => INTERRUPTED,
        false => SUCCESS,
    })
}

/// The definition of the tuning.
pub(crate) struct Asked {
    algorithm: Algorithm,
    individuals: u64,
    space: Space,
    tasks: Vec<Task>,
    conditions: Conditions,
}

impl Asked {
    /// Checks the arguments. `given` contains the problems of a caller.
    pub(crate) fn of(args: &TuneArgs, given: &Given) -> Result<Asked, Failure> {
        let algorithm = algorithm(args)?;
        let space = Space::of(args, algorithm)?;
        let positive = args.target > 0.0 && args.target.is_finite();
        if !positive {
            let target = args.target;
            return Err(Failure::Input(format!("--target is {target}; allowed: a number above 0")));
        }
        // First parsed without targets: a target needs a best known value, which may be missing.
        let known = tasks(&args.problems, &args.common, given, &[])?;
        let mut named = known.iter().zip(sources(&args.problems));
        if let Some((_, name)) = named.find(|(task, _)| task.goal.is_none()) {
            return Err(Failure::Input(format!(
                "--problems has `{name}`, of which no best value is known, and costs count from that; write \
                 {name}:goal=VALUE, with the best value that you know or hope for"
            )));
        }
        let tasks = tasks(&args.problems, &args.common, given, &[args.target])?;
        if let Some(task) =
            tasks.iter().find(|task| task.targets.iter().any(|target| *target <= 0.0))
        {
            return Err(Failure::Input(format!(
                "--problems has `{}` with a target that is not above 0; allowed: a number above 0",
                task.name
            )));
        }
        let individuals = args.common.individuals.unwrap_or_else(|| usual_individuals(&algorithm));
        let conditions = Conditions::of(&args.common);
        let name = args.algorithm.clone();
        batch::check(&tasks, &[Entrant { name, algorithm, individuals }], &conditions)?;
        Ok(Asked { algorithm, individuals, space, tasks, conditions })
    }
}

fn algorithm(args: &TuneArgs) -> Result<Algorithm, Failure> {
    let mut algorithm = algorithms::find(&args.algorithm)?.algorithm();
    for (key, value) in &args.settings {
        algorithm.set(key, value)?;
    }
    Ok(algorithm)
}

/// Runs the configuration found and the default again, each with run numbers that were not used before; `None` if
/// interrupted.
fn test(
    trial: &Trial,
    default: Algorithm,
    found: &Found,
    runs: u64,
) -> Result<Option<Tested>, Failure> {
    let first = trial.conditions.runs;
    let anew = [(found.algorithm, first), (default, first + runs)];
    let [found, default] = anew.map(|(algorithm, first)| trial.costs(algorithm, first, runs));
    let (Some(found), Some(default)) = (found?, default?) else { return Ok(None) };
    let names: Vec<String> = trial.tasks.iter().map(|task| task.name.clone()).collect();
    Ok(Some(Tested::of(&names, &found, &default, trial.conditions.seed)))
}

/// The values before and after tuning.
fn searched(space: &Space, found: &Found, trial: &Trial) -> Table {
    let row = |name: &str, from: String, to: String| vec![name.to_string(), from, to];
    let rows =
        pairs(space, found).map(|(name, from, to)| row(name, from.to_string(), to.to_string()));
    let runs = counted(trial.conditions.runs, "run");
    let problems = counted(trial.tasks.len() as u64, "problem");
    Table {
        title: format!(
            "{}: {} of {runs} on {problems}; quality {} in the search",
            found.algorithm.info().id,
            counted(found.configurations, "configuration"),
            short(found.quality)
        ),
        head: ["parameter", "default", "found"].map(String::from).into(),
        rows: rows.collect(),
    }
}

/// Names and values, before and after, of the parameters that were searched.
fn pairs(
    space: &Space,
    found: &Found,
) -> impl Iterator<Item = (&'static str, algorithms::Value, algorithms::Value)> {
    let both = space.start.parameters().into_iter().zip(found.algorithm.parameters());
    let names: Vec<&str> = space.variables.iter().map(|variable| variable.name).collect();
    both.filter(move |((name, _), _)| names.contains(name))
        .map(|((name, from), (_, to))| (name, from, to))
}

fn write_json(
    space: &Space,
    trial: &Trial,
    found: &Found,
    (test_runs, test): (u64, Option<&Tested>),
    seconds: f64,
    mut out: impl Write,
) -> io::Result<()> {
    let parameters =
        pairs(space, found).map(|(name, from, to)| (name, parameter(from), parameter(to)));
    let tuned = Tuned {
        algorithm: found.algorithm.info().id,
        individuals: trial.individuals,
        parameters: parameters.collect(),
        configurations: found.configurations,
        search_quality: found.quality,
        test_runs,
        test,
        seconds,
    };
    serde_json::to_writer(&mut out, &tuned).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()
}
