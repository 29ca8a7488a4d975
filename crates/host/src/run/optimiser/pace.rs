//! How long slices are.

use warpswarm_core::Float;

use crate::engine::{Driver, Job};
use crate::settings::choices::Backend;

/// How many iterations a slice has, so that one takes about [`SLICE_SECONDS`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) next: u64,
    /// Seconds of one iteration in the last slice.
    seconds: f64,
}

/// A slice is as long as an interrupt may have to wait, at most half of what is allowed.
const SLICE_SECONDS: f64 = 0.05;
/// A slice is at most so many times as long as the one before, since the first ones tell little.
const GROWTH: u64 = 16;
/// Coordinates that a GPU certainly moves in a fraction of a slice.
const FIRST_DEVICE_WORK: u64 = 1 << 26;

impl Pace {
    /// The first slice: one iteration where it could be long, more where many are surely short.
    pub(super) fn first<R: Float>(job: &Job<R>, driver: &Driver<R>) -> Self {
        let [runs, individuals, stride] = [job.runs, job.individuals, job.stride()].map(u64::from);
        let work = (runs * individuals).saturating_mul(stride);
        let next = match driver {
            Driver::Engine(engine) if engine.backend() == Backend::Gpu => {
                (FIRST_DEVICE_WORK / work).clamp(1, 256)
            }
            _ => 1,
        };
        Pace { next, seconds: 0.0 }
    }

    pub(super) fn took(&mut self, iterations: u64, seconds: f64) {
        self.seconds = seconds / iterations as f64;
        let most = iterations.saturating_mul(GROWTH);
        let fitting = SLICE_SECONDS / self.seconds.max(1e-12);
        self.next = (fitting as u64).clamp(1, most);
    }

    /// How many iterations fit in so many seconds.
    pub(super) fn within(&self, seconds: f64) -> u64 {
        if self.seconds == 0.0 { u64::MAX } else { (seconds / self.seconds).ceil() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_approach_their_length() {
        let mut pace = Pace { next: 1, seconds: 0.0 };
        for _ in 0..10 {
            pace.took(pace.next, pace.next as f64 * 1e-5);
        }
        assert!((4900..=5100).contains(&pace.next), "{pace:?}");
        pace.took(pace.next, 100.0);
        assert!(pace.next < 10, "{pace:?}");
        pace.took(1, 0.0);
        assert_eq!(pace.next, GROWTH);
    }
}
