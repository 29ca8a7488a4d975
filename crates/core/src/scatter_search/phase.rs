//! The phases of a cycle.

/// What individuals do in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All find their rank by fitness.
    Rank,
    /// The best set takes over.
    Best,
    /// All but the best set measure how far they are from it.
    Measure,
    /// They find their rank by that.
    RankFarthest,
    /// The diverse set takes over.
    Diverse,
    /// The pool combines.
    Combine,
    /// The pool improves.
    Improve,
}
