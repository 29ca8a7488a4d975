//! Tasks: problems with their targets.

use std::collections::BTreeMap;

use warpswarm::bbob::MAX_INSTANCE;
use warpswarm::problem_file::ProblemFile;
use warpswarm::problems;

use super::parts::{different, parts};
use crate::args::CommonArgs;
use crate::failure::Failure;
use crate::problem::{Problem, Said};

const TARGET: f64 = 1e-8;

/// Problems that a caller supplies, by name.
pub(crate) type Given = BTreeMap<String, ProblemFile>;

/// A problem and its targets. All values are as if the problem was minimised: for a maximised problem they are negated.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) problem: Problem,
    /// The best known value, to which targets are relative. `None` if there is none: then targets are absolute.
    pub(crate) goal: Option<f64>,
    /// The targets, the largest first. Runs stop at the last one, if there is any.
    pub(crate) targets: Vec<f64>,
}

impl Task {
    /// The absolute value of a target.
    pub(crate) fn value(&self, target: f64) -> f64 {
        self.goal.unwrap_or(0.0) + target
    }

    /// Converts a value between the user's direction (minimised or maximised) and the minimised one.
    pub(crate) fn turned(&self, value: f64) -> f64 {
        // `0.0 - value` instead of `-value`, which would turn 0 into -0.
        if self.problem.maximises() { 0.0 - value } else { value }
    }

    /// A target in the user's direction.
    pub(crate) fn shown(&self, target: f64) -> f64 {
        if self.goal.is_some() { target } else { self.turned(target) }
    }
}

/// The problems of `--problems`; a caller may have supplied some of them. `targets` applies to problems without a
/// target of their own.
pub(crate) fn tasks(
    texts: &[String],
    common: &CommonArgs,
    given: &Given,
    targets: &[f64],
) -> Result<Vec<Task>, Failure> {
    let tasks = texts
        .iter()
        .map(|text| task(text, common.dim, given, targets))
        .collect::<Result<Vec<_>, _>>()?;
    different("--problems", tasks.iter().map(|task| task.name.as_str()))?;
    Ok(tasks)
}

/// The names of the problems without their settings.
pub(crate) fn sources(texts: &[String]) -> Vec<String> {
    texts.iter().filter_map(|text| Some(parts("", text).ok()?.0.to_string())).collect()
}

fn task(text: &str, dim: Option<u64>, given: &Given, asked: &[f64]) -> Result<Task, Failure> {
    let (id, settings) = parts("--problems", text)?;
    let given = given.get(id);
    let is_file = given.is_some() || Problem::is_file(id);
    // The dimensions of a problem file are the number of its variables.
    let mut said = Said { dim: dim.filter(|_| !is_file), ..Said::default() };
    let (mut name, mut goal, mut target) = (None, None, None);
    for (key, value) in settings {
        let wrong = |allowed: &str| {
            Failure::Input(format!(
                "--problems has `{text}`, where {key} is `{value}`; allowed: {allowed}"
            ))
        };
        let number = || {
            let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
            number.ok_or_else(|| wrong("a finite number"))
        };
        match key {
            "name" => name = Some(value.to_string()),
            "dim" => {
                let number = value.parse().ok().filter(|dim| *dim > 0);
                said.dim = Some(number.ok_or_else(|| wrong("a whole number of at least 1"))?);
            }
            "instance" => {
                let allowed = || format!("a whole number from 1 to {MAX_INSTANCE}");
                let number =
                    value.parse().ok().filter(|number| (1..=MAX_INSTANCE).contains(number));
                said.instance = Some(number.ok_or_else(|| wrong(&allowed()))?);
            }
            "shift" => said.shift = number()?,
            "lower" => said.lower = Some(number()?),
            "upper" => said.upper = Some(number()?),
            "goal" => goal = Some(number()?),
            "target" => target = Some(number()?),
            _ => {
                return Err(Failure::Input(format!(
                    "--problems has `{text}` with the key `{key}`; allowed: name, dim, instance, shift, lower, upper, target, goal"
                )));
            }
        }
    }
    if !is_file && !Problem::is_bbob(id) {
        check_dimensions(id, text, said.dim)?;
    }
    let problem = match given {
        Some(file) => Problem::of_file(id, &said, || Ok(file.clone())),
        None => Problem::of(id, &said),
    };
    let problem = problem.map_err(|failure| match failure {
        Failure::Input(message) => Failure::Input(format!("--problems has `{text}`: {message}")),
        other => other,
    })?;
    let name = name.unwrap_or_else(|| if is_file { problem.id() } else { text.trim() }.to_string());
    let mut task = Task { name, problem, goal: None, targets: Vec::new() };
    task.goal = goal.or(task.problem.optimum()).map(|goal| task.turned(goal));
    let mut targets = match (target, task.goal) {
        (Some(target), _) => vec![task.shown(target)],
        (None, Some(_)) if asked.is_empty() => vec![TARGET],
        (None, None) if !asked.is_empty() => {
            return Err(Failure::Input(format!(
                "--target is {}, but `{text}` has no known best value that it could count from; allowed: \
                 {id}:goal=VALUE, from which it counts, or {id}:target=VALUE, a value itself",
                asked[0]
            )));
        }
        (None, _) => asked.to_vec(),
    };
    targets.sort_by(|a, b| b.total_cmp(a));
    targets.dedup();
    Ok(Task { targets, ..task })
}

fn check_dimensions(id: &str, text: &str, dim: Option<u64>) -> Result<(), Failure> {
    let problem = problems::find(id)?;
    let usual = problem.dimensions.usual();
    let dimensions = dim.map_or(usual, |dim| dim as usize);
    problem.check_dimensions(dimensions).map_err(|error| {
        Failure::Input(format!(
            "--dim is {dimensions} for `{text}`: {error} (a problem can have its own, as in {id}:dim={usual})"
        ))
    })
}
