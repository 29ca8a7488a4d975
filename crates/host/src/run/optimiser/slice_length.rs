//! How long slices are.

use warpswarm_core::Float;

use crate::engine::{Driver, Job};
use crate::settings::choices::Backend;

/// How many iterations, or epochs, a slice has, so that one takes about [`SLICE_SECONDS`]. Public for the sake of islands.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SliceLength {
    /// Those of the next slice.
    pub next: u64,
    /// Seconds of one of them in the last slice.
    seconds: f64,
}

/// A slice is as long as an interrupt may have to wait, at most half of what is allowed.
const SLICE_SECONDS: f64 = 0.05;
/// A slice is at most so many times as long as the one before, since the first ones tell little.
const GROWTH: u64 = 16;
/// Coordinates that a GPU certainly moves in a fraction of a slice.
const FIRST_DEVICE_WORK: u64 = 1 << 26;

impl Default for SliceLength {
    fn default() -> Self {
        SliceLength { next: 1, seconds: 0.0 }
    }
}

impl SliceLength {
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
        SliceLength { next, seconds: 0.0 }
    }

    /// The last slice had so many, and took so long.
    pub fn took(&mut self, count: u64, seconds: f64) {
        self.seconds = seconds / count as f64;
        let most = count.saturating_mul(GROWTH);
        let fitting = SLICE_SECONDS / self.seconds.max(1e-12);
        self.next = (fitting as u64).clamp(1, most);
    }

    /// How many fit in so many seconds.
    pub fn within(&self, seconds: f64) -> u64 {
        if self.seconds == 0.0 { u64::MAX } else { (seconds / self.seconds).ceil() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_approach_their_length() {
        let mut length = SliceLength::default();
        for _ in 0..10 {
            length.took(length.next, length.next as f64 * 1e-5);
        }
        assert!((4900..=5100).contains(&length.next), "{length:?}");
        assert_eq!(length.within(1.05e-4), 11);
        length.took(length.next, 100.0);
        assert!(length.next < 10, "{length:?}");
        length.took(1, 0.0);
        assert_eq!(length.next, GROWTH);
    }
}
