//! What is compared: problems and entrants, as they are written on the command line or in a file.

use std::path::Path;

use serde::Deserialize;
use warpswarm::bbob::MAX_INSTANCE;
use warpswarm::{Algorithm, Backend, Error, MAX_INDIVIDUALS, Precision, algorithms, problems};

use crate::args::compare::{CommonArgs, CompareArgs};
use crate::failure::Failure;
use crate::files;
use crate::problem::{Problem, Said};

const RUNS: u64 = 25;
const EVALUATIONS: u64 = 100_000;
const TARGET: f64 = 1e-8;
/// A problem and what is aimed for. Values are as if they were minimised: of what is maximised the negative ones.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) problem: Problem,
    /// The value that targets count from; none where no best value is known, and targets are values.
    pub(crate) goal: Option<f64>,
    /// What counts as reached, the largest first; runs stop at the last, if there is any.
    pub(crate) targets: Vec<f64>,
}

impl Task {
    /// The value of a target.
    pub(crate) fn value(&self, target: f64) -> f64 {
        self.goal.unwrap_or(0.0) + target
    }

    /// From a value as users see it to one that is minimised, and back.
    pub(crate) fn turned(&self, value: f64) -> f64 {
        // Not the negative, which zero would have.
        if self.problem.maximises() { 0.0 - value } else { value }
    }

    /// A target as users see it.
    pub(crate) fn shown(&self, target: f64) -> f64 {
        if self.goal.is_some() { target } else { self.turned(target) }
    }
}

/// An algorithm with its settings.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) algorithm: Algorithm,
    /// 0 for as many as suit the dimensions.
    pub(crate) individuals: u64,
}

/// How each entrant is run on each problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    pub(crate) runs: u64,
    pub(crate) evaluations: u64,
    pub(crate) seed: u64,
    pub(crate) precision: Precision,
    pub(crate) backend: Backend,
    pub(crate) threads: Option<usize>,
}

/// What is compared.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub(crate) tasks: Vec<Task>,
    /// What the problems were read from, by the names that were given.
    pub(crate) sources: Vec<String>,
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) conditions: Conditions,
}

/// A study's file; its keys are the options' names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    #[serde(default)]
    problems: Vec<String>,
    #[serde(default)]
    algorithms: Vec<String>,
    #[serde(default)]
    target: Vec<f64>,
    dim: Option<u64>,
    runs: Option<u64>,
    evaluations: Option<u64>,
    individuals: Option<u64>,
    seed: Option<u64>,
    precision: Option<String>,
}

impl Study {
    /// What the arguments, and the file that they name, say.
    pub(crate) fn of(args: &CompareArgs) -> Result<Study, Failure> {
        let file = args.study.as_deref().map(StudyFile::read).transpose()?.unwrap_or_default();
        let mut common = args.common.clone();
        file.fill(&mut common)?;
        let list = |given: &Vec<String>, of_file: Vec<String>, option: &str| {
            let list = if given.is_empty() { of_file } else { given.clone() };
            match list.is_empty() {
                true => Err(Failure::Input(format!(
                    "there is nothing in {option}; allowed: at least one, here or in the file of --study"
                ))),
                false => Ok(list),
            }
        };
        let problems = list(&args.problems, file.problems, "--problems")?;
        let algorithms = list(&args.algorithms, file.algorithms, "--algorithms")?;
        let targets = if args.target.is_empty() { &file.target } else { &args.target };
        let study = Study {
            tasks: tasks(&problems, &common, targets)?,
            sources: sources(&problems),
            entrants: entrants(&algorithms, common.individuals)?,
            conditions: Conditions::of(&common),
        };
        study.conditions.check(&study.tasks, &study.entrants)?;
        Ok(study)
    }
}

impl StudyFile {
    fn read(path: &Path) -> Result<StudyFile, Failure> {
        let wrong = |what: String| {
            let path = path.display();
            Failure::Input(format!("--study is {path}, {what}"))
        };
        let text = files::text(path)
            .map_err(|error| wrong(format!("which cannot be read ({error}); allowed: a file")))?;
        toml::from_str(&text).map_err(|error| {
            let keys = "problems, algorithms, dim, runs, evaluations, individuals, target, seed, precision";
            let error = error.to_string();
            wrong(format!("which is no study: {}; allowed: TOML with {keys}", error.trim_end()))
        })
    }

    /// Puts what the file says where the command line says nothing; numbers have the options' ranges.
    fn fill(&self, common: &mut CommonArgs) -> Result<(), Failure> {
        for (name, number) in [
            ("dim", self.dim),
            ("runs", self.runs),
            ("evaluations", self.evaluations),
            ("individuals", self.individuals),
        ] {
            if number == Some(0) {
                return Err(Failure::Input(format!(
                    "{name} of the file of --study is 0; allowed: at least 1"
                )));
            }
        }
        common.dim = common.dim.or(self.dim);
        common.runs = common.runs.or(self.runs);
        common.evaluations = common.evaluations.or(self.evaluations);
        common.individuals = common.individuals.or(self.individuals);
        common.seed = common.seed.or(self.seed);
        let precision = self.precision.as_deref().map(str::parse).transpose()?;
        common.precision = common.precision.or(precision);
        Ok(())
    }
}

impl Conditions {
    pub(crate) fn of(common: &CommonArgs) -> Conditions {
        Conditions {
            runs: common.runs.unwrap_or(RUNS),
            evaluations: common.evaluations.unwrap_or(EVALUATIONS),
            seed: common.seed.unwrap_or(0),
            precision: common.precision.unwrap_or(Precision::F64),
            backend: common.backend,
            threads: common.threads.map(|threads| threads as usize),
        }
    }

    /// Whether every entrant can be run on every problem; found out before the first is.
    pub(crate) fn check(&self, tasks: &[Task], entrants: &[Entrant]) -> Result<(), Failure> {
        for entrant in entrants {
            let info = entrant.algorithm.info();
            if self.backend != Backend::Auto && !info.backends.contains(&self.backend) {
                let what = format!("algorithm {}", info.id);
                let backend = self.backend.name();
                return Err(Error::Unsupported { what, backend, allowed: "cpu, auto" }.into());
            }
            for task in tasks {
                super::measure::check(task, entrant, self).map_err(|error| {
                    match error.is_input() {
                        true => {
                            Failure::Input(format!("{} on {}: {error}", entrant.name, task.name))
                        }
                        false => error.into(),
                    }
                })?;
            }
        }
        Ok(())
    }
}

/// The problems of `--problems`; `targets` of those that do not say.
pub(crate) fn tasks(
    texts: &[String],
    common: &CommonArgs,
    targets: &[f64],
) -> Result<Vec<Task>, Failure> {
    let tasks =
        texts.iter().map(|text| task(text, common, targets)).collect::<Result<Vec<_>, _>>()?;
    different("--problems", tasks.iter().map(|task| task.name.as_str()))?;
    Ok(tasks)
}

/// The names of problems without their settings.
pub(crate) fn sources(texts: &[String]) -> Vec<String> {
    texts.iter().filter_map(|text| Some(parts("", text).ok()?.0.to_string())).collect()
}

/// The entrants of `--algorithms`.
fn entrants(texts: &[String], individuals: Option<u64>) -> Result<Vec<Entrant>, Failure> {
    let entrants = texts.iter().map(|text| entrant("--algorithms", text, individuals));
    let entrants = entrants.collect::<Result<Vec<_>, _>>()?;
    different("--algorithms", entrants.iter().map(|entrant| entrant.name.as_str()))?;
    Ok(entrants)
}

fn different<'a>(option: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::Input(format!(
                "{option} has `{name}` twice; allowed: each name once, and {name}:name=ANOTHER"
            )));
        }
        seen.push(name);
    }
    Ok(())
}

/// `NAME[:KEY=VALUE...]`: the name, and keys with values.
type Parts<'a> = (&'a str, Vec<(&'a str, &'a str)>);

fn parts<'a>(option: &str, text: &'a str) -> Result<Parts<'a>, Failure> {
    let text = text.trim();
    // What follows one letter is a drive's colon.
    let drive = if text.get(1..2) == Some(":") { 2 } else { 0 };
    let end = text[drive..].find(':').map_or(text.len(), |end| drive + end);
    let (name, settings) = text.split_at(end);
    let settings = settings.split(':').skip(1);
    let pair = |part: &'a str| {
        part.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            Failure::Input(format!(
                "{option} has `{text}`, of which `{part}` is no setting; allowed: NAME[:KEY=VALUE...]"
            ))
        })
    };
    Ok((name, settings.map(pair).collect::<Result<_, _>>()?))
}

fn task(text: &str, common: &CommonArgs, asked: &[f64]) -> Result<Task, Failure> {
    let (id, settings) = parts("--problems", text)?;
    let given = common.caller.problems.get(id);
    let is_file = given.is_some() || Problem::is_file(id);
    // Of a file's the number of its variables.
    let mut said = Said { dim: common.dim.filter(|_| !is_file), ..Said::default() };
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

/// An entrant, of a list that this option gives.
pub(crate) fn entrant(
    option: &str,
    text: &str,
    individuals: Option<u64>,
) -> Result<Entrant, Failure> {
    let (id, settings) = parts(option, text)?;
    let mut algorithm = algorithms::find(id)?.algorithm();
    let mut name = text.trim().to_string();
    let mut individuals = individuals.unwrap_or_else(|| usual_individuals(&algorithm));
    for (key, value) in settings {
        match key {
            "name" => name = value.to_string(),
            "individuals" => {
                let number = value.parse().ok().filter(|n| (1..=MAX_INDIVIDUALS).contains(n));
                individuals = number.ok_or_else(|| {
                    Failure::Input(format!(
                        "{option} has `{text}`, where individuals is `{value}`; allowed: a whole number from 1 to \
                         {MAX_INDIVIDUALS}"
                    ))
                })?;
            }
            _ => algorithm
                .set(key, value)
                .map_err(|error| Failure::Input(format!("{option} has `{text}`: {error}")))?,
        }
    }
    Ok(Entrant { name, algorithm, individuals })
}

/// The individuals of a run where nobody says how many; 0 where that depends on the dimensions.
pub(crate) fn usual_individuals(algorithm: &Algorithm) -> u64 {
    let usual = |dimensions| algorithm.usual_individuals(dimensions);
    if usual(1) == usual(1000) { usual(1) } else { 0 }
}
