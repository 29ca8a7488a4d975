//! The program `warpswarm`. It minimises problems, fits models to data, repeats and resumes runs, compares and tunes
//! algorithms, lists algorithms and problems, creates a crate from a template, reports what this machine supports, and
//! installs what is missing.
//!
//! The library is used by the program itself and by the Python package, which has the same commands.
//!
//! A module may only import modules above it in this list; `cargo xtask tidy` checks this.
//!
//! * `args`: the command line as plain data.
//! * `shown`: escapes text from users and files before it is displayed; `input`: reads such text.
//! * `failure`: failures and their exit codes.
//! * `problem`: the problem of a run; `run`: the definition of a run.
//! * `output`: results for programs, people and spreadsheets, and the module through which all files are written.
//! * `study`: runs of algorithms on several problems, for `compare` and `tune`.
//! * `runs`: carries out runs, including those that several processes share.
//! * `caller`: the interface for programs that call a command as a library.
//! * `commands`: the commands, one file or folder each.

mod args;
mod caller;
mod commands;
mod failure;
mod input;
mod output;
mod problem;
mod run;
mod runs;
mod shown;
mod study;

#[cfg(test)]
mod fuzz;

use std::ffi::OsString;
use std::iter;

pub use caller::{Caller, NotDone};
use failure::Failure;
use runs::ranks::Ranks;

/// Runs the program with these arguments, without its name, and returns the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = iter::once("warpswarm".into()).chain(words).collect();
    // MPI starts before the command line is parsed, so that a wrong command line is reported only once, not by every
    // rank.
    let ranks = match Ranks::start() {
        Ok(ranks) => ranks,
        Err(failure) => return failure.report(),
    };
    // MPI ends when `ranks` is dropped, after the failure has been reported: the launcher ends all ranks as soon as one
    // has failed, and no rank ends before MPI has finalised on all of them.
    let done = ranks.command(&words).and_then(|asked| commands::run(&ranks, asked));
    done.unwrap_or_else(Failure::report)
}
