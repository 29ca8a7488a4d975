//! A search that waits while another one runs.

use warpswarm_core::order::Fitness;
use warpswarm_core::restart::RestartState;

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
    /// The search's memory.
    pub memory: Vec<R>,
    /// `[place][individual][stride]`
    pub archive: Vec<R>,
    /// The state of its legs.
    pub legs: RestartState,
}
