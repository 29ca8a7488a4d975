//! What the individuals of a run have in common, beside the best point: a memory, a list of the best, an archive.
//!
//! All three are none unless a method [says otherwise](super::Method::common). They are the same for all individuals during
//! an iteration, and change after it, in an order that does not depend on who does it:
//!
//! ```text
//! 1. archive   in the order of their indices, those of whom `leaves` says so put the point that they had before the
//!              iteration into the archive: into the next free place, or, once it is full, into one that they draw
//! 2. memory    `learn`, from the numbers of all individuals
//! 3. elite     the best individuals, in the order of their indices; of equals the first count as better
//! ```

use super::Individual;
use crate::real::Real;
use crate::sum::Operator;

/// How much individuals have in common.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Numbers that the run remembers, beside how many places of the archive are taken.
    pub memory: u32,
    /// How many of the best individuals are listed.
    pub elite: u32,
    /// Points that were given up, at most.
    pub archive: u32,
}

/// A memory while it changes, and those from whom it learns. All its methods are collective where lanes learn together.
pub trait Lessons<R: Real> {
    /// Number `k` of the memory.
    fn remembered(&self, k: u32) -> R;
    /// Changes number `k`, which is so for all from then on.
    fn remember(&mut self, k: u32, number: R);
    /// Combines `term` of the numbers of all individuals in the fixed order of [`sum`](crate::sum).
    fn fold<O: Operator<R>>(&self, term: impl Fn(super::Numbers<R>) -> R) -> R;
}

/// The draw with which an individual chooses the place in a full archive.
const PLACE: u32 = 15;

/// The place of the archive, which has so many, into which an individual puts a point when it is full.
#[inline(always)]
pub fn archive_place<R: Real>(who: &Individual<R>, archive: u32) -> u32 {
    who.below(archive, PLACE)
}
