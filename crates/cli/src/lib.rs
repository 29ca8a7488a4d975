//! The program `warpswarm`: minimises a problem, fits models to data, repeats runs and goes on with them, compares and tunes algorithms, lists what
//! there is, writes a crate to start from, says what this machine can do and installs what it lacks.
//!
//! It is a library for the program itself, and for the Python package, which has the same commands.
//!
//! * `args`: the command line.
//! * `solve`, `fit`, `check`, `rerun`, `resume`, `compare`, `tune`, `report`, `list`, `new`, `doctor`, `setup`, `shell`: the commands.
//! * `run`: what a run is, and `problem` what it minimises; `start` where it begins; `perform` carries it out.
//! * `islands`: runs that exchange individuals; `ranks`: the processes on which they are.
//! * `json`, `summary`, `trace`, `population`: what a run writes, for programs, people and spreadsheets; `plot` draws it,
//!   `folder` keeps them together, `saver` writes checkpoints, `progress` shows where a run is.
//! * `shown`: text of others on its way out.
//! * `files`: through which all of that is written.
//! * `failure`: what went wrong, and with which exit code; `caller`: programs of which a command is a part.

mod args;
mod caller;
mod check;
mod compare;
mod doctor;
mod failure;
mod files;
mod fit;
mod folder;
#[cfg(test)]
mod fuzz;
mod islands;
mod json;
mod list;
mod new;
#[cfg(feature = "parquet")]
mod parquet;
mod perform;
mod plot;
mod population;
mod problem;
mod progress;
mod ranks;
mod report;
mod rerun;
mod resume;
mod run;
mod saver;
mod setup;
mod shell;
mod shown;
mod solve;
mod split;
mod start;
mod summary;
mod trace;
mod tune;

use std::ffi::OsString;
use std::iter;

use args::Command;
pub use caller::{Caller, NotDone};
use failure::{Code, Failure};
use ranks::Ranks;

/// What the program does with the words after its name; gives the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = iter::once("warpswarm".into()).chain(words).collect();
    // Before the command line is read: of what is wrong with it, many ranks say something once.
    let ranks = match Ranks::start() {
        Ok(ranks) => ranks,
        Err(failure) => return failure.report(),
    };
    // MPI ends with `ranks`, when this has been said: the launcher ends all ranks as soon as one has failed, and none ends
    // before MPI has on all of them.
    let done = ranks.command(&words).and_then(|asked| command(&ranks, asked));
    done.unwrap_or_else(Failure::report)
}

fn command(ranks: &Ranks, asked: Command) -> Result<Code, Failure> {
    match asked {
        Command::Solve(args) => solve::run(ranks, &args),
        Command::Fit(args) => fit::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Rerun(args) => rerun::run(&args),
        Command::Resume(args) => resume::run(ranks, &args),
        Command::Compare(args) => compare::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::List(args) => list::run(&args),
        Command::New(args) => new::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Setup => setup::run(),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    }
}
