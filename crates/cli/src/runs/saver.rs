//! Writes checkpoints while a run is under way.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use warpswarm::{Error, Event, Precise, Runs};

use crate::args::Every;
use crate::failure::Failure;
use crate::shown;

/// Writes the checkpoints of a run.
pub(crate) struct Saver {
    path: PathBuf,
    every: Every,
    /// The definition of the run, as text.
    about: String,
    /// The time and the iteration of the last checkpoint.
    last: (Instant, u64),
    /// Why the last checkpoint could not be written.
    failed: Option<Error>,
    /// Whether there was never a state that could be written.
    is_empty: bool,
}

impl Saver {
    pub(crate) fn new(path: &Path, every: Every, about: String) -> Self {
        Saver {
            path: path.into(),
            every,
            about,
            last: (Instant::now(), 0),
            failed: None,
            is_empty: false,
        }
    }

    /// Writes a checkpoint at the start, so that an unwritable path costs no time; at the set intervals; and at the
    /// end, for whatever reason the run ends. If a write fails during the run, only a warning is printed: the next one
    /// may succeed, and the previous checkpoint still exists.
    pub(crate) fn see<R: Precise + Serialize>(
        &mut self,
        event: &Event<'_, R>,
        runs: &mut Runs<'_, R>,
    ) -> Result<(), Failure> {
        if !runs.are_placed() {
            self.is_empty = true;
            return Ok(());
        }
        let mut checkpoint = match event {
            Event::Started(progress) => {
                self.last.1 = progress.iterations;
                let written = runs.checkpoint()?.write(&self.about, &self.path);
                return written.map_err(|error| Failure::Input(not_written(&error)));
            }
            Event::Progress(progress) if self.is_due(progress.iterations) => {
                self.last.1 = progress.iterations;
                runs.checkpoint()?
            }
            Event::Finished(_) => runs.checkpoint()?,
            _ => return Ok(()),
        };
        if let Event::Finished(report) = event {
            // The report now owns the history.
            checkpoint.history.clone_from(&report.history);
        }
        let failed_before = self.failed.is_some();
        self.failed = checkpoint.write(&self.about, &self.path).err();
        self.last.0 = Instant::now();
        if let (Some(error), Event::Progress(_), false) = (&self.failed, event, failed_before) {
            // If stderr is closed too, only the exit code reports the failure.
            let _ = writeln!(io::stderr(), "warning: {}", shown::message(&not_written(error)));
        }
        Ok(())
    }

    /// Whether the file has the state of the last checkpoint.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_empty && self.failed.is_none()
    }

    /// Reports whether the last checkpoint could be written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        if self.is_empty {
            let _ = writeln!(
                io::stderr(),
                "warning: no checkpoint was written: the initial population was not complete; start the run again"
            );
        }
        self.failed.map_or(Ok(()), |error| Err(Failure::Running(not_written(&error))))
    }

    fn is_due(&self, iterations: u64) -> bool {
        match self.every {
            Every::Iterations(every) => iterations - self.last.1 >= every,
            Every::Time(time) => self.last.0.elapsed() >= time,
        }
    }
}

/// The message for a checkpoint that could not be written.
pub(super) fn not_written(error: &Error) -> String {
    format!("the checkpoint (--checkpoint) {error}")
}
