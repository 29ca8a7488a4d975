//! The commands of the program: the whole program, and the commands that Python functions call.

use std::ffi::OsString;
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use warpswarm_cli::{Caller, NotDone};

use crate::callbacks::{Going, Shared};
use crate::problem::Problem;

/// The longest delay until Ctrl-C is noticed.
const SOON: Duration = Duration::from_millis(20);

/// Runs the program with the words after its name; returns the exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| warpswarm_cli::main(words))
}

/// Runs `compare`, `tune` or `report` with the words after the program's name, and with problems by their names in
/// these words.
#[pyfunction]
pub(crate) fn command(
    py: Python<'_>,
    words: Vec<OsString>,
    problems: Vec<(String, PyRef<'_, Problem>)>,
) -> PyResult<()> {
    let shared = Shared::default();
    let _going = Going::begin(&shared)?;
    let problems = problems.into_iter().map(|(name, problem)| Ok((name, problem.file()?.clone())));
    let problems = problems.collect::<PyResult<_>>()?;
    let caller = Caller { problems, interrupt: Some(shared.interrupt.clone()) };
    // Meanwhile this thread checks Python for signals.
    let working = thread::spawn(move || caller.run(words));
    while !working.is_finished() {
        py.detach(|| thread::sleep(SOON));
        py.check_signals().unwrap_or_else(|error| shared.end(error));
    }
    let done = working.join().unwrap_or_else(|_| Err(NotDone::Running("a thread panicked".into())));
    match (done, shared.take()) {
        (_, Some(error)) => Err(error),
        (Ok(()), None) => Ok(()),
        (Err(NotDone::Input(message)), None) => Err(PyValueError::new_err(message)),
        (Err(NotDone::Running(message)), None) => Err(PyRuntimeError::new_err(message)),
        (Err(NotDone::Interrupted), None) => Err(PyRuntimeError::new_err("interrupted")),
    }
}
