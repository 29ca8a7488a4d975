//! The interface for programs that call a command as a library, such as the Python package; the functions are in
//! `commands`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpswarm::problem_file::ProblemFile;

use crate::failure::Failure;
use crate::runs::interrupt;

/// What a program that calls `compare` or `tune` passes in addition to the command line.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Problems, with the names by which `--problems` refers to them.
    pub problems: BTreeMap<String, ProblemFile>,
    /// A flag that ends the command, as Ctrl-C does in the program.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Why a command did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotDone {
    /// The input is wrong. The message names the value and what is allowed.
    Input(String),
    /// The command failed while running.
    Running(String),
    /// The command was interrupted. Results that were complete have been written.
    Interrupted,
}

impl Caller {
    /// The flag that ends the command: the caller's, or one that Ctrl-C sets.
    pub(crate) fn interrupt(&self) -> Result<Arc<AtomicBool>, Failure> {
        self.interrupt.clone().map_or_else(interrupt::flag, Ok)
    }
}
