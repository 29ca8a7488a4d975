//! Checkpoints of a run in progress.

use std::ffi::CString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use serde::Serialize;
use warpswarm::{Checkpoint, Event, Precise, Result, Runs};

use crate::errors::raised;

/// Writes the checkpoints of a run.
pub(crate) struct Saver {
    path: PathBuf,
    every: Duration,
    /// The text that is written with them.
    about: String,
    /// When the last one was written.
    last: Instant,
    /// Whether the last one could not be written.
    has_failed: bool,
}

impl Saver {
    /// Seconds that are not a valid duration mean an infinite one.
    pub(crate) fn new(path: PathBuf, seconds: f64, about: String) -> Self {
        let every = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Saver { path, every, about, last: Instant::now(), has_failed: false }
    }

    /// Writes a checkpoint at the beginning, so that an invalid path is detected at once; whenever one is due; and at
    /// the end. A full disk in between leads to a warning and does not end the run: there may be space later, and the
    /// last checkpoint still exists.
    pub(crate) fn see<R: Precise + Serialize>(
        &mut self,
        event: &Event<'_, R>,
        runs: &mut Runs<'_, R>,
    ) -> PyResult<()> {
        match event {
            Event::Finished(_) if !runs.are_placed() => warn(
                "no checkpoint was written: the initial population was not complete; start the run again",
            ),
            _ if !runs.are_placed() => Ok(()),
            Event::Started(_) => self.write(runs.checkpoint()).map_err(raised),
            Event::Progress(_) if self.last.elapsed() >= self.every => {
                self.write_or_warn(runs.checkpoint())
            }
            Event::Finished(report) => {
                let checkpoint = runs.checkpoint();
                // The records have moved to the report.
                self.write_or_warn(
                    checkpoint.map(|checkpoint| Checkpoint {
                        history: report.history.clone(),
                        ..checkpoint
                    }),
                )
            }
            _ => Ok(()),
        }
    }

    /// Writes the state of the runs after an exception.
    pub(crate) fn save_left<R: Precise + Serialize>(
        &mut self,
        checkpoint: Result<Checkpoint<R>>,
    ) -> PyResult<()> {
        self.write_or_warn(checkpoint)
    }

    fn write<R: Precise + Serialize>(&mut self, checkpoint: Result<Checkpoint<R>>) -> Result<()> {
        let written = checkpoint.and_then(|checkpoint| checkpoint.write(&self.about, &self.path));
        self.last = Instant::now();
        written
    }

    fn write_or_warn<R: Precise + Serialize>(
        &mut self,
        checkpoint: Result<Checkpoint<R>>,
    ) -> PyResult<()> {
        let failed_before = self.has_failed;
        let Err(error) = self.write(checkpoint) else {
            self.has_failed = false;
            return Ok(());
        };
        self.has_failed = true;
        if failed_before {
            return Ok(());
        }
        warn(&format!("the checkpoint {error}"))
    }
}

/// Issues a warning for the line that calls `minimize`.
fn warn(message: &str) -> PyResult<()> {
    Python::attach(|py| {
        let category = py.get_type::<PyRuntimeWarning>();
        PyErr::warn(py, &category, &CString::new(message.replace('\0', ""))?, 4)
    })
}
