//! Programs of which a command is a part, such as Python's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use warpswarm::problem_file::ProblemFile;

use crate::args::{Arguments, Command};
use crate::failure::{Failure, INTERRUPTED};
use crate::{compare, perform, report, tune};

/// What a program that compares or tunes gives beside the words of the command line.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Problems, by names that `--problems` may have.
    pub problems: BTreeMap<String, ProblemFile>,
    /// Ends the command, as Ctrl-C does in the program.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Why a command of a caller has not been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDone {
    /// What was asked for is at fault: what it is, and what is allowed.
    Input(String),
    /// It failed while running.
    Running(String),
    /// It was interrupted; what was complete has been written.
    Interrupted,
}

impl Caller {
    /// Does `compare`, `tune` or `report`, with the words that come after the program's name. Nothing is printed where they
    /// have `--quiet`.
    ///
    /// # Errors
    ///
    /// Where that cannot be done, or was interrupted.
    pub fn run(self, words: impl IntoIterator<Item = OsString>) -> Result<(), NotDone> {
        let words = iter::once("warpswarm".into()).chain(words);
        let arguments = Arguments::try_parse_from(words)
            .map_err(|error| NotDone::Input(error.render().to_string().trim_end().into()))?;
        let done = match arguments.command {
            Command::Compare(mut args) => {
                args.common.caller = self;
                compare::run(&args)
            }
            Command::Tune(mut args) => {
                args.common.caller = self;
                tune::run(&args)
            }
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

    /// The flag that ends the command: the caller's, or one that Ctrl-C sets.
    pub(crate) fn interrupt(&self) -> Result<Arc<AtomicBool>, Failure> {
        self.interrupt.clone().map_or_else(perform::interrupt, Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

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
