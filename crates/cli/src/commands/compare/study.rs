//! The definition of a comparison, from the command line or a file.

use std::path::Path;

use serde::Deserialize;

use crate::args::{CommonArgs, CompareArgs};
use crate::failure::Failure;
use crate::input;
use crate::study::batch;
use crate::study::conditions::Conditions;
use crate::study::entrant::{Entrant, entrants};
use crate::study::task::{Given, Task, sources, tasks};

/// A comparison.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub(crate) tasks: Vec<Task>,
    /// The names from which the problems were read, as given.
    pub(crate) sources: Vec<String>,
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) conditions: Conditions,
}

/// A study file. Its keys are the names of the options.
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
    /// The comparison from the arguments and the file that they name. `given` contains the problems of a caller.
    pub(crate) fn of(args: &CompareArgs, given: &Given) -> Result<Study, Failure> {
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
            tasks: tasks(&problems, &common, given, targets)?,
            sources: sources(&problems),
            entrants: entrants(&algorithms, common.individuals)?,
            conditions: Conditions::of(&common),
        };
        batch::check(&study.tasks, &study.entrants, &study.conditions)?;
        Ok(study)
    }
}

impl StudyFile {
    fn read(path: &Path) -> Result<StudyFile, Failure> {
        let wrong = |what: String| {
            let path = path.display();
            Failure::Input(format!("--study is {path}, {what}"))
        };
        let text = input::text(path)
            .map_err(|error| wrong(format!("which cannot be read ({error}); allowed: a file")))?;
        toml::from_str(&text).map_err(|error| {
            let keys = "problems, algorithms, dim, runs, evaluations, individuals, target, seed, precision";
            let error = error.to_string();
            wrong(format!("which is not a study: {}; allowed: TOML with {keys}", error.trim_end()))
        })
    }

    /// Takes values from the file if the command line does not set them. Numbers must be in the ranges of the options.
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
