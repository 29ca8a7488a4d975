//! What a program of which a command is a part, such as Python's, gives, and is told. `commands` does the commands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpswarm::problem_file::ProblemFile;

use crate::failure::Failure;
use crate::runs::interrupt;

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
    /// The flag that ends the command: the caller's, or one that Ctrl-C sets.
    pub(crate) fn interrupt(&self) -> Result<Arc<AtomicBool>, Failure> {
        self.interrupt.clone().map_or_else(interrupt::flag, Ok)
    }
}
