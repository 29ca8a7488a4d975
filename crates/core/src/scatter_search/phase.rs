//! The phases of a cycle.

/// What the individuals do in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// All compute their rank by fitness.
    Rank,
    /// The best set takes over the best points.
    Best,
    /// All but the best set compute their distance from it.
    Measure,
    /// They compute their rank by that distance.
    RankFarthest,
    /// The diverse set takes over the farthest points.
    Diverse,
    /// The pool gets new points, combined from the reference set.
    Combine,
    /// Local search steps of the pool.
    Improve,
}
