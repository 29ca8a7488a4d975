//! The program `warpswarm`: minimises a problem, fits models to data, repeats runs and goes on with them, compares and tunes algorithms, lists what
//! there is, writes a crate to start from, says what this machine can do and installs what it lacks.
//!
//! It is a library for the program itself, and for the Python package, which has the same commands.
//!
//! A module imports only modules above it in this list; `cargo xtask tidy` checks that.
//!
//! * `args`: the command line, as plain data.
//! * `shown`: text of others on its way out; `input`: text of others on its way in.
//! * `failure`: what went wrong, and with which exit code.
//! * `problem`: what a run minimises; `run`: what a run is.
//! * `output`: what is written, for programs, people and spreadsheets, and the files through which all of it goes.
//! * `study`: entrants on tasks, which `compare` and `tune` run.
//! * `runs`: carries out runs, also those that many processes share.
//! * `caller`: programs of which a command is a part.
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
    let done = ranks.command(&words).and_then(|asked| commands::run(&ranks, asked));
    done.unwrap_or_else(Failure::report)
}
