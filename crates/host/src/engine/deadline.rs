//! The time until which backends may work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::settings::Stop;

/// The time at which work is abandoned: the time limit, or an interrupt. Once it has come, it stays so.
#[derive(Debug, Default)]
pub(crate) struct Deadline {
    end: Option<Instant>,
    interrupt: Option<Arc<AtomicBool>>,
    /// It does not come before this time.
    earliest: Option<Instant>,
    has_come: AtomicBool,
}

/// The shortest time after which placing the first individuals is abandoned: a fast placement is always completed.
const PLACING: Duration = Duration::from_millis(50);

impl Deadline {
    /// Never.
    pub(crate) fn never() -> Self {
        Deadline::default()
    }

    /// The time at which the limits end a run that has taken this many seconds.
    pub(crate) fn of(stop: &Stop, seconds: f64) -> Self {
        let left = stop.seconds.map(|limit| (limit - seconds).max(0.0));
        // A limit that is too far away for the clock never comes.
        let left = left.and_then(|left| Duration::try_from_secs_f64(left).ok());
        let end = left.and_then(|left| Instant::now().checked_add(left));
        Deadline { end, interrupt: stop.interrupt.clone(), ..Deadline::default() }
    }

    /// The time at which placing the first individuals, which starts now, is abandoned.
    pub(crate) fn of_placing(stop: &Stop) -> Self {
        Deadline { earliest: Some(Instant::now() + PLACING), ..Deadline::of(stop, 0.0) }
    }

    /// Whether it may ever come.
    pub(crate) fn may_come(&self) -> bool {
        self.end.is_some() || self.interrupt.is_some()
    }

    /// Whether the time limit is at most this many seconds away.
    pub(crate) fn is_within(&self, seconds: f64) -> bool {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        left.is_some_and(|left| left.as_secs_f64() <= seconds)
    }

    /// Whether it has come; this check takes about 30 ns.
    pub(crate) fn has_come(&self) -> bool {
        if self.has_come.load(Ordering::Relaxed) {
            return true;
        }
        let interrupted = self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let is_past = |at: Option<Instant>| at.is_some_and(|at| Instant::now() >= at);
        let may_come = self.earliest.is_none() || is_past(self.earliest);
        let come = may_come && (interrupted || is_past(self.end));
        if come {
            self.has_come.store(true, Ordering::Relaxed);
        }
        come
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_once_and_stays() {
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::of(&Stop::default().or_interrupt(flag.clone()), 0.0);
        assert!(deadline.may_come() && !deadline.has_come() && !deadline.is_within(1e9));
        flag.store(true, Ordering::Relaxed);
        assert!(deadline.has_come());
        flag.store(false, Ordering::Relaxed);
        assert!(deadline.has_come());
        assert!(Deadline::of(&Stop::seconds(1.0), 2.0).has_come());
        let far = Deadline::of(&Stop::seconds(1.0), 0.5);
        assert!(!far.has_come() && far.is_within(0.5) && !far.is_within(0.1));
        let placing = Deadline::of_placing(&Stop::seconds(0.0));
        assert!(!placing.has_come());
        std::thread::sleep(PLACING);
        assert!(placing.has_come());
        assert!(
            !Deadline::of(&Stop::seconds(1e300), 0.0).may_come() && !Deadline::never().may_come()
        );
    }
}
