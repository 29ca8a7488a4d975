//! The decisions of all ranks between epochs: whether to end, and how many epochs to do until the next decision.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use warpswarm::{Error, Precise, Result, StopReason};

use super::Archipelago;
use crate::agreement::gather;

/// The progress and the limit of the archipelago.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Course {
    /// Iterations of the islands that have not stopped.
    pub(super) at: u64,
    /// The iteration at which the last of them ends.
    pub(super) limit: u64,
    /// Whether an island may stop before its limit.
    pub(super) may_stop: bool,
}

/// The state of one rank.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct RankStatus {
    goes_on: bool,
    reached_target: bool,
    interrupted: bool,
    time_is_up: bool,
    keep: bool,
    epochs: u64,
}

/// The decision that follows from the states of all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Agreed {
    /// Why the islands end, if they do.
    pub(super) reason: Option<StopReason>,
    /// Whether to store this epoch.
    pub(super) keep: bool,
    /// Epochs until the next decision, at least 1.
    pub(super) epochs: u64,
}

impl Agreed {
    fn of(all: &[RankStatus]) -> Agreed {
        let any = |is: fn(&RankStatus) -> bool| all.iter().any(is);
        let reason = match () {
            () if any(|rank| rank.reached_target) => Some(StopReason::Target),
            // Not used for any island: each has its own reason.
            () if !any(|rank| rank.goes_on) => Some(StopReason::Iterations),
            () if any(|rank| rank.interrupted) => Some(StopReason::Interrupted),
            () if any(|rank| rank.time_is_up) => Some(StopReason::Seconds),
            () => None,
        };
        let epochs = all.iter().map(|rank| rank.epochs).min().unwrap_or(1);
        Agreed { reason, keep: any(|rank| rank.keep), epochs }
    }
}

impl<R: Precise + Serialize + DeserializeOwned> Archipelago<'_, R> {
    /// The progress and the limit of all islands.
    pub(super) fn course(&mut self) -> Result<Course> {
        let mut own = Course { at: 0, limit: 0, may_stop: false };
        let mut goes_on = false;
        for group in &mut self.groups {
            let status = group.optimiser.status()?;
            own.at = own.at.max(status.iterations);
            own.limit = own.limit.max(status.limit);
            own.may_stop |= status.may_stop;
            goes_on |= status.goes_on;
        }
        let all = gather(self.others, &own)?;
        let goes_on = gather(self.others, &goes_on)?.contains(&true);
        let course = Course {
            at: all.iter().map(|rank| rank.at).max().unwrap_or(0),
            limit: all.iter().map(|rank| rank.limit).max().unwrap_or(0),
            may_stop: all.iter().any(|rank| rank.may_stop),
        };
        let (at, every) = (course.at, self.islands.every);
        // If all islands have stopped on their own, that may have been within an epoch.
        if goes_on && !at.is_multiple_of(every) && at < course.limit {
            let expected = format!("a multiple of {every}, the iterations of an epoch");
            return Err(Error::State { what: "iterations", expected, found: at.to_string() });
        }
        Ok(course)
    }

    /// Decides with the other ranks how to continue.
    pub(super) fn agree(&mut self, course: Course, first: bool) -> Result<Agreed> {
        let every = self.islands.every;
        let Course { at, limit, may_stop } = course;
        let whole = limit.saturating_sub(at) / every;
        let interrupt = self.stop.interrupt.as_ref();
        let mut own = RankStatus {
            interrupted: interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)),
            time_is_up: self.stop.seconds.is_some_and(|limit| self.seconds >= limit),
            // If an island may stop, all ranks have to know at once; a partial epoch is a separate slice.
            epochs: if may_stop { 1 } else { self.epochs_in_time().min(whole).max(1) },
            ..RankStatus::default()
        };
        for group in &mut self.groups {
            let status = group.optimiser.status()?;
            own.goes_on |= status.goes_on;
            own.reached_target |= status.reached_target;
        }
        if let Some(checkpointer) = &self.checkpointer {
            own.epochs = own.epochs.min(checkpointer.due_in(at, every));
            // A state within an epoch cannot be stored, so the state before a partial epoch is.
            own.keep = first || checkpointer.is_due(at) || (whole == 0 && at < limit);
        }
        let mut agreed = Agreed::of(&gather(self.others, &own)?);
        agreed.keep |= self.checkpointer.is_some() && agreed.reason.is_some();
        agreed.keep &= at.is_multiple_of(every);
        Ok(agreed)
    }

    /// The number of epochs that take about as long as a slice, or as the remaining seconds.
    fn epochs_in_time(&self) -> u64 {
        let left = self.stop.seconds.map(|limit| limit - self.seconds);
        let length = self.slice_length;
        left.map_or(length.next, |left| length.next.min(length.within(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_rank_says_counts_for_all() {
        let going = RankStatus { goes_on: true, epochs: 9, ..RankStatus::default() };
        let done = RankStatus { epochs: 5, ..RankStatus::default() };
        let agreed = |other: RankStatus| Agreed::of(&[going, other]);
        assert_eq!(agreed(done), Agreed { reason: None, keep: false, epochs: 5 });
        assert!(agreed(RankStatus { keep: true, ..done }).keep);
        let reason = |other| agreed(other).reason;
        assert_eq!(reason(RankStatus { interrupted: true, ..done }), Some(StopReason::Interrupted));
        assert_eq!(reason(RankStatus { time_is_up: true, ..going }), Some(StopReason::Seconds));
        let target = RankStatus { reached_target: true, interrupted: true, ..done };
        assert_eq!(reason(target), Some(StopReason::Target));
        assert_eq!(Agreed::of(&[done, done]).reason, Some(StopReason::Iterations));
    }
}
