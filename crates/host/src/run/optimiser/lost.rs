//! Runs that a failure has stopped in the middle of a change.

use warpswarm_core::Float;

use super::Optimiser;
use crate::engine::{Driver, State};
use crate::error::{Error, Result};

impl<R: Float> Optimiser<R> {
    /// The runs, unless they are lost.
    pub(super) fn runs(&mut self) -> Result<&mut dyn State<R>> {
        match &self.lost {
            Some(error) => Err(error.clone()),
            None => Ok(self.driver.state_mut()),
        }
    }

    /// Changes the runs. If the change fails half-way, the runs are lost.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(&mut Driver<R>) -> Result<()>,
    ) -> Result<()> {
        self.check_placed()?;
        self.runs()?;
        let done = change(&mut self.driver);
        self.lost = done.as_ref().err().filter(|error| self.driver.is_lost_by(error)).cloned();
        done
    }

    /// Replaces the state of the runs, whether they were lost or not.
    pub(super) fn replace(
        &mut self,
        replace: impl FnOnce(&mut dyn State<R>) -> Result<()>,
    ) -> Result<()> {
        let done = replace(self.driver.state_mut());
        self.lost = done.as_ref().err().cloned();
        if done.is_ok() {
            self.placing.given_up = None;
        }
        done
    }

    /// Whether all first individuals have been placed, or a state has been restored.
    pub(super) fn is_placed(&self) -> bool {
        self.placing.given_up.is_none()
    }

    /// Checks that there is a state to continue from.
    pub(super) fn check_placed(&self) -> Result<()> {
        if self.is_placed() { Ok(()) } else { Err(Error::Stopped) }
    }
}
