//! What a mapping keeps of an individual: its best attempt so far, and whether both copies of its row are equal.

use warpswarm_core::method::{MAX_OWN, Numbers};
use warpswarm_core::order::Fitness;
use warpswarm_device::view::DeviceReal;

/// A proposal and the values that produced it; `X` holds this lane's coordinates.
#[derive(Clone, Copy)]
pub(super) struct Proposal<X, R, P> {
    pub(super) x: X,
    pub(super) own: [X; MAX_OWN],
    pub(super) numbers: Numbers<R>,
    pub(super) plan: P,
    pub(super) fitness: Fitness<R>,
    pub(super) attempt: u32,
}

/// Whether an attempt of this fitness is better than the best one before it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn is_better<X, R: DeviceReal, P>(
    fitness: Fitness<R>,
    kept: &Option<Proposal<X, R, P>>,
) -> bool {
    match kept {
        None => true,
        Some(Proposal { fitness: best, .. }) => fitness.beats(*best),
    }
}

/// The individuals, one bit each, whose row is the same in both parities: it was copied in this launch and has not
/// changed since. Individuals beyond the 32nd are copied in each iteration.
#[derive(Clone, Copy)]
pub(super) struct Copied(u32);

impl Copied {
    /// None yet.
    pub(super) const NONE: Copied = Copied(0);

    /// Whether the individual with this bit is one of them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    /// Records, after a row has been written where necessary, whether it stays unchanged.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn note(&mut self, bit: u32, stays: bool) {
        self.0 = if stays { self.0 | bit } else { self.0 & !bit };
    }
}
