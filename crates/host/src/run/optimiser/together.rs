//! Optimisers of several ranks that share the particles of each run.

use warpswarm_core::Float;

use super::Optimiser;
use super::driving::Observer;
use crate::error::{Error, Result};
use crate::run::report::Report;
use crate::settings::communicator::Communicator;
use crate::settings::peers::Exchange;
use crate::settings::reason::StopReason;

/// How a rank, or all ranks together, continue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Why the runs that have not stopped on their own end now, if they do.
    pub(super) reason: Option<StopReason>,
    /// The iterations of the next slice.
    pub(super) slice: u64,
}

impl Turn {
    /// How all ranks continue. They know the same about the runs, but each has its own clock and its own interrupt
    /// flag.
    pub(super) fn agreed(self, others: Option<&dyn Communicator>) -> Result<Turn> {
        let Some(others) = others else {
            return Ok(self);
        };
        let by_chance = match self.reason {
            Some(StopReason::Interrupted) => 2,
            Some(StopReason::Seconds) => 1,
            _ => 0,
        };
        let mut bytes = vec![by_chance];
        bytes.extend(self.slice.to_le_bytes());
        let mut agreed = self;
        let mut most = by_chance;
        for other in others.all_gather(&bytes)? {
            let (Some(&by_chance), Some(Ok(slice))) =
                (other.first(), other.get(1..).map(<[u8; 8]>::try_from))
            else {
                let message = "ranks cannot read each other".into();
                return Err(Error::Ranks { message, input: false });
            };
            most = most.max(by_chance);
            agreed.slice = agreed.slice.min(u64::from_le_bytes(slice));
        }
        match most {
            0 => {}
            1 => agreed.reason = Some(StopReason::Seconds),
            _ => agreed.reason = Some(StopReason::Interrupted),
        }
        Ok(agreed)
    }
}

impl<R: Float> Optimiser<R> {
    /// Connects to the other ranks with which it shares particles, as [`Settings::peers`](crate::Settings::peers)
    /// describes. Every rank calls this once, before anything else, with the same `exchange`. Returns whether devices
    /// exchange their results directly.
    ///
    /// # Errors
    ///
    /// If the backend fails, or a rank cannot be reached.
    pub fn meet(&mut self, others: &dyn Communicator, exchange: Exchange) -> Result<bool> {
        let mut by_themselves = false;
        self.change(|driver| {
            by_themselves = driver.meet(others, exchange)?;
            Ok(())
        })?;
        Ok(by_themselves)
    }

    /// As [`run_observed`](Optimiser::run_observed), together with the ranks that it has [met](Optimiser::meet). All
    /// end at the same iteration, and have the same runs in their reports.
    ///
    /// # Errors
    ///
    /// If the backend fails, or a rank cannot be reached. The other ranks then wait: if they are processes, the caller
    /// must end them.
    pub fn run_together(
        &mut self,
        others: &dyn Communicator,
        observer: Observer<'_, R>,
    ) -> Result<Report<R>> {
        self.drive(Some(observer), Some(others))
    }
}
