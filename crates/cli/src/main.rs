//! The program `warpswarm`: minimises a problem, lists what there is, writes a crate to start from, says what
//! this machine can do and installs what it lacks.
//!
//! * [`args`]: the command line.
//! * [`solve`], [`list`], [`new`], [`doctor`], [`setup`]: the commands.
//! * [`problem`]: what `solve` minimises, built in or from a file.
//! * [`json`], [`summary`], [`trace`]: what `solve` writes, for programs, people and spreadsheets.
//! * [`failure`]: what went wrong, and with which exit code.

mod args;
mod doctor;
mod failure;
mod json;
mod list;
mod new;
mod problem;
mod setup;
mod solve;
mod summary;
mod trace;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Solve(args) => solve::run(&args),
        Command::List(args) => list::run(&args),
        Command::New(args) => new::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Setup => setup::run(),
    };
    done.unwrap_or_else(|failure| failure.report())
}
