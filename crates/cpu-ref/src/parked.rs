//! A search that waits while another one takes its turn.

use warpswarm_core::legs::Legs;
use warpswarm_core::order::Fitness;

/// A search that waits for its turn; the fields are those of a [`Swarm`](crate::Swarm).
#[derive(Clone, Debug, PartialEq)]
pub struct Parked<R> {
    /// Iterations since its leg was placed.
    pub age: u64,
    /// `[individual][stride]`
    pub best_positions: Vec<R>,
    /// `[individual]`
    pub best: Vec<Fitness<R>>,
    /// `[individual][number]`
    pub numbers: Vec<R>,
    /// What the search remembers.
    pub memory: Vec<R>,
    /// `[place][individual][stride]`
    pub archive: Vec<R>,
    /// Where it is.
    pub legs: Legs,
}
