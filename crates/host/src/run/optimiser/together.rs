//! Optimisers of several ranks that share the particles of each run.

use warpswarm_core::Float;

use super::Optimiser;
use super::driving::Observer;
use crate::error::{Error, Result};
use crate::run::report::Report;
use crate::settings::communicator::Communicator;
use crate::settings::peers::Exchange;
use crate::settings::reason::StopReason;

/// How a rank would go on, or all do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Why the runs that have not stopped by themselves end now, if they do.
    pub(super) reason: Option<StopReason>,
    /// The iterations of the next slice.
    pub(super) slice: u64,
}

impl Turn {
    /// How all go on. All know the same of the runs, but each has its own clock and its own flag.
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
    /// Meets the other ranks with which it shares particles, as [`Settings::peers`](crate::Settings::peers) says: once, and
    /// before anything else. All ranks do so, with the same `exchange`. Gives whether devices exchange what they find by themselves.
    ///
    /// # Errors
    ///
    /// Where the backend fails, or a rank cannot be reached.
    pub fn meet(&mut self, others: &dyn Communicator, exchange: Exchange) -> Result<bool> {
        let mut by_themselves = false;
        self.change(|driver| {
            by_themselves = driver.meet(others, exchange)?;
            Ok(())
        })?;
        Ok(by_themselves)
    }

    /// As [`run_observed`](Optimiser::run_observed), together with the ranks that it has [met](Optimiser::meet). All end at
    /// the same iteration, and have the same runs in their reports.
    ///
    /// # Errors
    ///
    /// Where the backend fails, or a rank cannot be reached. The other ranks then wait: whoever has them in processes of
    /// their own ends these.
    pub fn run_together(
        &mut self,
        others: &dyn Communicator,
        observer: Observer<'_, R>,
    ) -> Result<Report<R>> {
        self.drive(Some(observer), Some(others))
    }
}
