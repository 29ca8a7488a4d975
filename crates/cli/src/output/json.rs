//! The result of `solve` for programs. Users rely on the names of the fields, so they must not change.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use warpswarm::problem_file::DiscreteValue;
use warpswarm::{Algorithm, Fitness, Precise, Report, RunReport};

use crate::output::number::{self, Number};
use crate::problem::Problem;
use crate::run;

/// The result of `solve`. Numbers are written in the precision of the run, so that reading them restores the same bits.
#[derive(Debug, Serialize)]
#[serde(bound = "R: Precise + Serialize")]
pub(crate) struct Solved<'a, R> {
    problem: &'a str,
    dimensions: u64,
    /// The instance, for a function of the BBOB suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
    maximised: bool,
    /// The names of the coordinates; empty if they have none.
    coordinates: Vec<String>,
    algorithm: &'a str,
    parameters: BTreeMap<&'a str, Json>,
    backend: &'a str,
    device: &'a str,
    schedule: Option<&'a str>,
    /// Threads per block.
    block_size: Option<u32>,
    precision: &'a str,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    islands: Option<Islands<'a>>,
    runs: Vec<Run<'a, R>>,
    seconds: f64,
    polish_seconds: f64,
    setup_seconds: f64,
}

#[derive(Debug, Serialize)]
#[serde(bound = "R: Precise + Serialize")]
struct Run<'a, R> {
    best: Best<'a, R>,
    evaluations: u64,
    iterations: u64,
    restarts: u64,
    stop_reason: &'a str,
    not_finite: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    polish: Option<Polished<R>>,
}

/// What a local search from the best point of a run achieved.
#[derive(Debug, Serialize)]
#[serde(bound = "R: Precise + Serialize")]
struct Polished<R> {
    /// Value and violation of the point from which it started.
    value: Number<R>,
    violation: Number<R>,
    steps: u64,
    evaluations: u64,
    gradients: u64,
}

#[derive(Debug, Serialize)]
#[serde(bound = "R: Precise + Serialize")]
struct Best<'a, R> {
    value: Number<R>,
    violation: Number<R>,
    #[serde(serialize_with = "numbers")]
    position: &'a [R],
    /// The values of the variables of a problem file, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<serde_json::Map<String, Json>>,
    /// The single numbers of its `[let]`, by name.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    r#let: serde_json::Map<String, Json>,
    constraints: Vec<Constrained<'a, R>>,
    /// For a run in `f32`: value and violation, recomputed in `f64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_f64: Option<Again>,
}

/// The recomputed value and violation of a point.
#[derive(Debug, Serialize)]
struct Again {
    value: Number<f64>,
    violation: Number<f64>,
}

/// A constraint at the best point; at most zero if it is met.
#[derive(Debug, Serialize)]
#[serde(bound = "R: Precise + Serialize")]
struct Constrained<'a, R> {
    name: &'a str,
    value: Number<R>,
}

fn numbers<R: Precise + Serialize, S: Serializer>(
    numbers: &[R],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|x| Number(*x)))
}

impl<'a, R: Precise + Serialize> Solved<'a, R> {
    pub(crate) fn new(asked: &'a run::Run, report: &'a Report<R>) -> Self {
        Solved {
            problem: asked.problem.id(),
            dimensions: asked.problem.dimensions() as u64,
            instance: asked.problem.instance(),
            maximised: report.maximised,
            coordinates: asked.problem.coordinate_names(),
            algorithm: asked.algorithm.info().id,
            parameters: parameters(&asked.algorithm),
            backend: report.backend.name(),
            device: &report.device,
            schedule: report.schedule().map(|schedule| schedule.name()),
            block_size: report.plan.as_ref().map(|plan| plan.block),
            precision: R::PRECISION.name(),
            seed: asked.settings.seed,
            islands: asked.islands.as_ref().map(Islands::of),
            runs: report.runs.iter().map(|of| run(&asked.problem, of)).collect(),
            seconds: report.seconds,
            polish_seconds: report.polish_seconds,
            setup_seconds: report.setup_seconds,
        }
    }

    /// Writes the result as one line.
    pub(crate) fn write(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

/// The settings of the islands.
#[derive(Debug, Serialize)]
struct Islands<'a> {
    topology: &'a str,
    every: u64,
    migrants: u64,
    select: &'a str,
    replace: &'a str,
    inhabitants: Vec<Inhabitants<'a>>,
}

#[derive(Debug, Serialize)]
struct Inhabitants<'a> {
    algorithm: &'a str,
    parameters: BTreeMap<&'a str, Json>,
    individuals: u64,
}

impl<'a> Islands<'a> {
    fn of(islands: &'a warpswarm_islands::Islands) -> Self {
        let inhabitants = islands.inhabitants.iter().map(|of| Inhabitants {
            algorithm: of.algorithm.info().id,
            parameters: parameters(&of.algorithm),
            individuals: of.individuals,
        });
        Islands {
            topology: islands.topology.name(),
            every: islands.every,
            migrants: islands.migrants,
            select: islands.selection.name(),
            replace: islands.replacement.name(),
            inhabitants: inhabitants.collect(),
        }
    }
}

fn parameters(algorithm: &Algorithm) -> BTreeMap<&str, Json> {
    algorithm
        .parameters()
        .into_iter()
        .map(|(name, value)| (name, number::parameter(value)))
        .collect()
}

fn run<'a, R: Precise + Serialize>(problem: &'a Problem, run: &'a RunReport<R>) -> Run<'a, R> {
    let warpswarm::Best { value, violation, position } = &run.best;
    let constraints = problem.constraints(position).into_iter();
    let constraints = constraints.map(|(name, g)| Constrained { name, value: Number(g) }).collect();
    let again = problem.again_in_f64(&run.best);
    let in_f64 = again.map(|Fitness { value, violation }| Again {
        value: Number(value),
        violation: Number(violation),
    });
    let number = |x: R| serde_json::to_value(Number(x)).unwrap_or(Json::Null);
    let lets = problem.let_values(position).into_iter();
    let variables = variables(problem, position);
    Run {
        best: Best {
            value: Number(*value),
            violation: Number(*violation),
            position,
            variables,
            r#let: lets.map(|(name, value)| (name.into(), number(value))).collect(),
            constraints,
            in_f64,
        },
        evaluations: run.evaluations,
        iterations: run.iterations,
        restarts: run.restarts,
        stop_reason: run.stop_reason.name(),
        not_finite: run.not_finite,
        polish: run.polish.map(|polish| Polished {
            value: Number(polish.from.value),
            violation: Number(polish.from.violation),
            steps: polish.steps,
            evaluations: polish.evaluations,
            gradients: polish.gradients,
        }),
    }
}

/// The values of the variables of a problem file.
fn variables<R: Precise + Serialize>(
    problem: &Problem,
    position: &[R],
) -> Option<serde_json::Map<String, Json>> {
    if !matches!(problem, Problem::File(_)) {
        return None;
    }
    let of = |(i, &x): (usize, &R)| {
        let stands_for = match problem.discrete_value(i, x) {
            Some(DiscreteValue::Name(name)) => Ok(name.into()),
            Some(DiscreteValue::Value(value)) => serde_json::to_value(Number(value)),
            None => serde_json::to_value(Number(x)),
        };
        (problem.coordinate(i), stands_for.unwrap_or(Json::Null))
    };
    Some(position.iter().enumerate().map(of).collect())
}
