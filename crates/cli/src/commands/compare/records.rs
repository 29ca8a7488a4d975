//! A comparison for programs, as JSON and CSV. Users rely on the names of the fields, so they must not change.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value as Json;
use warpswarm::Fitness;

use super::analysis::{self, Analysis, OfEntrant};
use super::study::Study;
use crate::output::number::parameter;
use crate::shown;
use crate::study::batch::{Cell, Run};
use crate::study::entrant::Entrant;
use crate::study::task::Task;

#[derive(Debug, Serialize)]
struct Comparison<'a> {
    runs: u64,
    evaluations: u64,
    seed: u64,
    precision: &'a str,
    entrants: Vec<Who<'a>>,
    problems: Vec<On<'a>>,
    overall: Vec<Overall<'a>>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Who<'a> {
    name: &'a str,
    algorithm: &'a str,
    /// `None` if it depends on the dimensions.
    individuals: Option<u64>,
    parameters: BTreeMap<&'a str, Json>,
}

/// The results on a problem.
#[derive(Debug, Serialize)]
struct On<'a> {
    name: &'a str,
    problem: &'a str,
    dimensions: usize,
    /// The instance, for a BBOB function.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
    lower: &'a [f64],
    upper: &'a [f64],
    /// `None` for a problem file.
    shift: Option<f64>,
    /// The value to which targets are relative; `None` if they are absolute.
    goal: Option<f64>,
    maximised: bool,
    targets: Vec<f64>,
    results: Vec<Found<'a>>,
    pairs: Vec<Pair<'a>>,
}

/// The results of an entrant.
#[derive(Debug, Serialize)]
struct Found<'a> {
    entrant: &'a str,
    best: Value,
    first_quartile: Value,
    median: Value,
    third_quartile: Value,
    worst: Value,
    feasible: usize,
    rank: f64,
    targets: Vec<Target>,
    ert_seconds: Option<f64>,
    backend: &'a str,
    device: &'a str,
    seconds: f64,
    setup_seconds: f64,
    runs: Vec<OfRun<'a>>,
}

#[derive(Debug, Serialize)]
struct Value {
    value: Json,
    violation: Json,
}

/// A target. There is no expected running time if no run reached it.
#[derive(Debug, Serialize)]
struct Target {
    target: f64,
    successes: usize,
    ert_evaluations: Option<f64>,
}

#[derive(Debug, Serialize)]
struct OfRun<'a> {
    run: u64,
    #[serde(flatten)]
    best: Value,
    evaluations: u64,
    iterations: u64,
    stop_reason: &'a str,
    not_finite: u64,
    /// For each target the number of evaluations after which it was reached.
    reached: &'a [Option<u64>],
}

#[derive(Debug, Serialize)]
struct Pair<'a> {
    first: &'a str,
    second: &'a str,
    p: f64,
    adjusted_p: f64,
    superiority: f64,
}

/// The results over the problems on which all entrants have completed their runs.
#[derive(Debug, Serialize)]
struct Overall<'a> {
    entrant: &'a str,
    mean_rank: f64,
    better: usize,
    worse: usize,
    /// The steps of the performance profile: multiples of the smallest expected running time, at each of which one more
    /// of all targets is reached.
    profile: &'a [f64],
    /// The number of targets of all problems.
    targets: usize,
}

/// Writes everything as JSON.
pub(crate) fn json(
    study: &Study,
    cells: &[Vec<Option<Cell>>],
    analysis: &Analysis,
    seconds: f64,
    mut out: impl Write,
) -> io::Result<()> {
    let name = |entrant: usize| study.entrants[entrant].name.as_str();
    let of_problem = |place: usize| {
        let (task, of) = (&study.tasks[place], &analysis.tasks[place]);
        let pair = |pair: &analysis::Pair| Pair {
            first: name(pair.first),
            second: name(pair.second),
            p: pair.p,
            adjusted_p: pair.adjusted,
            superiority: pair.superiority,
        };
        let found = |entrant: usize| {
            Some(found(
                task,
                name(entrant),
                cells[place][entrant].as_ref()?,
                of.entrants[entrant].as_ref()?,
            ))
        };
        On {
            results: (0..study.entrants.len()).filter_map(found).collect(),
            pairs: of.pairs.iter().map(pair).collect(),
            ..on(task)
        }
    };
    let overall = |(entrant, of): (usize, &analysis::Overall)| Overall {
        entrant: name(entrant),
        mean_rank: of.rank,
        better: of.better,
        worse: of.worse,
        profile: analysis.profile.steps(entrant),
        targets: analysis.profile.tasks(),
    };
    let complete = analysis.complete > 0;
    let comparison = Comparison {
        runs: study.conditions.runs,
        evaluations: study.conditions.evaluations,
        seed: study.conditions.seed,
        precision: study.conditions.precision.name(),
        entrants: study.entrants.iter().map(who).collect(),
        problems: (0..study.tasks.len()).map(of_problem).collect(),
        overall: analysis.overall.iter().enumerate().filter(|_| complete).map(overall).collect(),
        seconds,
    };
    serde_json::to_writer(&mut out, &comparison).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()
}

fn who(entrant: &Entrant) -> Who<'_> {
    let parameters = entrant.algorithm.parameters();
    Who {
        name: &entrant.name,
        algorithm: entrant.algorithm.info().id,
        individuals: (entrant.individuals > 0).then_some(entrant.individuals),
        parameters: parameters.into_iter().map(|(name, value)| (name, parameter(value))).collect(),
    }
}

fn on(task: &Task) -> On<'_> {
    On {
        name: &task.name,
        problem: task.problem.id(),
        dimensions: task.problem.dimensions(),
        instance: task.problem.instance(),
        lower: task.problem.bounds().lower(),
        upper: task.problem.bounds().upper(),
        shift: task.problem.shift(),
        goal: task.goal.map(|goal| task.turned(goal)),
        maximised: task.problem.maximises(),
        targets: task.targets.iter().map(|&target| task.shown(target)).collect(),
        results: Vec::new(),
        pairs: Vec::new(),
    }
}

fn found<'a>(task: &Task, entrant: &'a str, cell: &'a Cell, of: &OfEntrant) -> Found<'a> {
    let value = |at| value(task, at);
    let target = |of: &analysis::OfTarget| Target {
        target: task.shown(of.target),
        successes: of.successes,
        ert_evaluations: finite(of.ert_evaluations),
    };
    Found {
        entrant,
        best: value(of.quartiles.best),
        first_quartile: value(of.quartiles.first),
        median: value(of.quartiles.median),
        third_quartile: value(of.quartiles.third),
        worst: value(of.quartiles.worst),
        feasible: of.feasible,
        rank: of.rank,
        targets: of.targets.iter().map(target).collect(),
        ert_seconds: finite(of.ert_seconds),
        backend: cell.backend.name(),
        device: &cell.device,
        seconds: cell.seconds,
        setup_seconds: cell.setup_seconds,
        runs: cell.runs.iter().map(|run| of_run(task, run)).collect(),
    }
}

fn of_run<'a>(task: &Task, run: &'a Run) -> OfRun<'a> {
    OfRun {
        run: run.run,
        best: value(task, run.best),
        evaluations: run.evaluations,
        iterations: run.iterations,
        stop_reason: run.stop_reason.name(),
        not_finite: run.not_finite,
        reached: &run.reached,
    }
}

fn value(task: &Task, fitness: Fitness<f64>) -> Value {
    let json = |x| parameter(warpswarm::algorithms::Value::Number(x));
    Value { value: json(task.turned(fitness.value)), violation: json(fitness.violation) }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// Writes a row for each entrant on each problem. An infinite expected running time is an empty cell.
pub(crate) fn csv(
    study: &Study,
    cells: &[Vec<Option<Cell>>],
    analysis: &Analysis,
    file: impl Write,
) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(file);
    out.write_record([
        "problem",
        "dimensions",
        "target",
        "entrant",
        "runs",
        "evaluations",
        "best",
        "first_quartile",
        "median",
        "third_quartile",
        "worst",
        "worst_violation",
        "feasible",
        "successes",
        "ert_evaluations",
        "ert_seconds",
        "seconds",
        "rank",
    ])?;
    for (place, task) in study.tasks.iter().enumerate() {
        for (entrant, of) in analysis.tasks[place].entrants.iter().enumerate() {
            let (Some(of), Some(cell)) = (of, &cells[place][entrant]) else { continue };
            let q = &of.quartiles;
            let last = of.targets.last();
            let optional = |x: f64| finite(x).map_or(String::new(), |x| x.to_string());
            let evaluations: u64 = cell.runs.iter().map(|run| run.evaluations).sum();
            let values = [q.best, q.first, q.median, q.third, q.worst]
                .map(|at| task.turned(at.value).to_string());
            let mut row = vec![shown::cell(&task.name), task.problem.dimensions().to_string()];
            row.push(last.map_or(String::new(), |target| task.shown(target.target).to_string()));
            row.extend([shown::cell(&study.entrants[entrant].name), cell.runs.len().to_string()]);
            row.push(evaluations.to_string());
            row.extend(values);
            row.extend([q.worst.violation.to_string(), of.feasible.to_string()]);
            row.push(last.map_or(0, |target| target.successes).to_string());
            row.push(optional(last.map_or(f64::INFINITY, |target| target.ert_evaluations)));
            row.extend([optional(of.ert_seconds), cell.seconds.to_string(), of.rank.to_string()]);
            out.write_record(row)?;
        }
    }
    out.flush()
}
