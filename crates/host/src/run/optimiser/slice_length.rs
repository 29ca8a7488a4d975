//! The length of slices.

use warpswarm_core::Float;

use crate::engine::{Driver, Job};
use crate::settings::choices::Backend;

/// The number of iterations, or epochs, of a slice, so that one takes about [`SLICE_SECONDS`]. Public for the crate of
/// islands.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SliceLength {
    /// The length of the next slice.
    pub next: u64,
    /// Seconds per iteration or epoch in the last slice.
    seconds: f64,
}

/// An interrupt may have to wait for a slice: it takes at most half of the allowed delay.
const SLICE_SECONDS: f64 = 0.05;
/// The largest growth of a slice relative to the previous one, because the first times are unreliable.
const GROWTH: u64 = 16;
/// A number of coordinates that every GPU moves in a fraction of a slice.
const FIRST_DEVICE_WORK: u64 = 1 << 26;

impl Default for SliceLength {
    fn default() -> Self {
        SliceLength { next: 1, seconds: 0.0 }
    }
}

impl SliceLength {
    /// The first slice: one iteration if it could take long, more if they are certainly short.
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

    /// Records the length and the time of the last slice.
    pub fn took(&mut self, count: u64, seconds: f64) {
        self.seconds = seconds / count as f64;
        let most = count.saturating_mul(GROWTH);
        let fitting = SLICE_SECONDS / self.seconds.max(1e-12);
        self.next = (fitting as u64).clamp(1, most);
    }

    /// How many iterations or epochs fit into this time.
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
