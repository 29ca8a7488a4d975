//! The state of runs, to continue from: in memory, and with the feature `checkpoint` in files.

use warpswarm_core::Float;
use warpswarm_cpu_ref::Swarm;

use crate::error::{Error, Result};
use crate::run::optimiser::{AskTell, Optimiser, Runs};
use crate::run::report::Progress;

#[cfg(feature = "checkpoint")]
mod file;
#[cfg(feature = "checkpoint")]
mod restart;
#[cfg(feature = "checkpoint")]
mod whole;

#[cfg(feature = "checkpoint")]
pub use file::CheckpointFile;
#[cfg(feature = "checkpoint")]
pub use whole::write_whole;

/// Everything that is needed to continue runs. An [`Optimiser`] with the same objective, bounds, algorithm and sizes
/// that continues from it gives the same bits as the original one, on every backend, schedule and number of threads.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Optimiser, Settings, Stop, problems::Rastrigin};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let settings = Settings { individuals: 16, stop: Stop::iterations(60), ..Settings::default() };
/// let optimiser = || Optimiser::<f64>::new(&Rastrigin, &bounds, &Algorithm::default(), &settings);
/// let mut left = optimiser()?;
/// left.step(25)?;
/// let checkpoint = left.checkpoint()?;
/// assert_eq!(checkpoint.states[0].control.iterations, 25);
/// let mut other = optimiser()?;
/// other.resume(checkpoint)?;
/// assert_eq!(other.run()?.runs, left.run()?.runs);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<R> {
    /// The runs.
    pub states: Vec<Swarm<R>>,
    /// Seconds of stepping so far, which count towards [`Stop::seconds`](crate::Stop::seconds).
    pub seconds: f64,
    /// The records so far.
    pub history: Vec<Progress<R>>,
}

impl<R: Float> Optimiser<R> {
    /// A checkpoint of the current state.
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn checkpoint(&mut self) -> Result<Checkpoint<R>> {
        let states = self.state()?;
        Ok(Checkpoint { states, seconds: self.seconds, history: self.history.records().to_vec() })
    }

    /// Continues from a checkpoint: as [`restore`](Optimiser::restore), with the time and the records.
    ///
    /// Only records that this optimiser would have made are kept.
    ///
    /// # Errors
    ///
    /// If the states have another size, seed or run number, a record has a different number of runs, or the backend
    /// fails.
    pub fn resume(&mut self, checkpoint: Checkpoint<R>) -> Result<()> {
        let Checkpoint { states, seconds, history } = checkpoint;
        let runs = states.len();
        if let Some(other) = history.iter().find(|record| record.runs.len() != runs) {
            let (expected, found) = (runs.to_string(), other.runs.len().to_string());
            return Err(Error::State { what: "runs of a record", expected, found });
        }
        self.restore(&states)?;
        self.history.replace(history);
        self.seconds = seconds;
        Ok(())
    }
}

impl<R: Float> Runs<'_, R> {
    /// A checkpoint of the current state; see [`Optimiser::checkpoint`].
    ///
    /// # Errors
    ///
    /// If the backend fails.
    pub fn checkpoint(&mut self) -> Result<Checkpoint<R>> {
        self.0.checkpoint()
    }
}

impl<R: Float> AskTell<R> {
    /// A checkpoint of the current state; see [`Optimiser::checkpoint`] and [`AskTell::state`].
    ///
    /// # Errors
    ///
    /// As [`AskTell::state`].
    pub fn checkpoint(&mut self) -> Result<Checkpoint<R>> {
        self.optimiser.checkpoint()
    }

    /// Continues from a checkpoint, also from one of an [`Optimiser`]; see [`Optimiser::resume`].
    ///
    /// ```
    /// use warpswarm::{Algorithm, AskTell, Bounds, Fitness, Settings};
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let settings = Settings { individuals: 8, ..Settings::default() };
    /// let search = || AskTell::<f64>::new(&bounds, &Algorithm::default(), &settings);
    /// let asked = |search: &mut AskTell<f64>| Ok(search.ask()?.map(|points| points.as_slice().to_vec()));
    /// let (mut left, mut other) = (search()?, search()?);
    /// asked(&mut left)?;
    /// left.tell(&[Fitness { violation: 0.0, value: 1.0 }; 8])?;
    /// other.resume(left.checkpoint()?)?;
    /// assert_eq!(asked(&mut other)?, asked(&mut left)?);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Optimiser::resume`].
    pub fn resume(&mut self, checkpoint: Checkpoint<R>) -> Result<()> {
        self.forget_the_question();
        self.optimiser.resume(checkpoint)
    }
}
