//! The commands, one file or folder each. Its `run` executes the command. This module calls the command that a command
//! line of the program or a [`Caller`] selects.

pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod compare;
mod doctor;
pub(crate) mod fit;
mod list;
pub(crate) mod new;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod resume;
mod setup;
mod shell;
pub(crate) mod solve;
pub(crate) mod tune;

use std::ffi::OsString;
use std::iter;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::caller::{Caller, NotDone};
use crate::failure::{Code, Failure, INTERRUPTED};
use crate::runs::ranks::Ranks;

/// Executes the command of a command line.
pub(crate) fn run(ranks: &Ranks, asked: Command) -> Result<Code, Failure> {
    match asked {
        Command::Solve(args) => solve::run(ranks, &args),
        Command::Fit(args) => fit::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Rerun(args) => rerun::run(&args),
        Command::Resume(args) => resume::run(ranks, &args),
        Command::Checkpoint(args) => checkpoint::run(&args),
        Command::Compare(args) => compare::run(&args, &Caller::default()),
        Command::Tune(args) => tune::run(&args, &Caller::default()),
        Command::List(args) => list::run(&args),
        Command::New(args) => new::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Setup => setup::run(),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    }
}

impl Caller {
    /// Executes `compare`, `tune` or `report` with these arguments, without the program's name. With `--quiet` nothing
    /// is printed.
    ///
    /// # Errors
    ///
    /// If the command fails or is interrupted.
    pub fn run(self, words: impl IntoIterator<Item = OsString>) -> Result<(), NotDone> {
        let words = iter::once("warpswarm".into()).chain(words);
        let arguments = Arguments::try_parse_from(words)
            .map_err(|error| NotDone::Input(error.render().to_string().trim_end().into()))?;
        let done = match arguments.command {
            Command::Compare(args) => compare::run(&args, &self),
            Command::Tune(args) => tune::run(&args, &self),
            Command::Report(args) => report::run(&args),
            _ => return Err(NotDone::Input("allowed: compare, tune, report".into())),
        };
        match done {
            Ok(INTERRUPTED) | Err(Failure::Interrupted) => Err(NotDone::Interrupted),
            Ok(_) => Ok(()),
            Err(Failure::Input(message)) => Err(NotDone::Input(message)),
            Err(failure) => Err(NotDone::Running(failure.message())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use warpswarm::problem_file::ProblemFile;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn caller() -> Caller {
        let text = "minimise = \"(x - 1)^2\"\nvariables.x = { lower = -3, upper = 3 }";
        let mine = ProblemFile::parse(text).unwrap();
        let interrupt = Some(Arc::new(AtomicBool::new(false)));
        Caller { problems: [("mine".to_string(), mine)].into(), interrupt }
    }

    #[test]
    fn problems_of_a_caller_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("study.json");
        let given =
            "compare --problems mine:goal=0 --algorithms de,pso --runs 3 --evaluations 640 --quiet";
        let asked = [words(given), vec!["--json".into(), file.clone().into()]].concat();
        caller().run(asked).unwrap();
        let study: serde_json::Value =
            serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(study["problems"][0]["results"].as_array().unwrap().len(), 2);
        assert_eq!(study["problems"][0]["goal"], 0.0);
    }

    #[test]
    fn what_is_wrong_or_ends_early_is_said() {
        let given = "compare --problems yours --algorithms de --quiet";
        let Err(NotDone::Input(message)) = caller().run(words(given)) else { panic!() };
        assert!(message.contains("yours"), "{message}");
        let Err(NotDone::Input(message)) = caller().run(words("compare --runs 0")) else {
            panic!()
        };
        assert!(message.contains("--runs"), "{message}");
        assert!(matches!(caller().run(words("doctor")), Err(NotDone::Input(_))));
        let of = caller();
        of.interrupt.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        let given = "compare --problems mine --algorithms de --quiet";
        assert_eq!(of.run(words(given)), Err(NotDone::Interrupted));
    }
}
