//! Where a run is that begins anew when it has converged.

use warpswarm_core::order::Fitness;

/// Where a search is among its *legs*: each of them goes from placing to convergence, with draws of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legs {
    /// The number of this leg among all of the run's, from 0.
    pub number: u64,
    /// The iteration of the run in which it was placed, moved on by as many as it has waited since.
    pub began: u64,
    /// Evaluations of all legs of this search.
    pub evaluations: u64,
    /// Evaluations of its legs that have ended: of small ones, and of large ones.
    pub spent: [u64; 2],
    /// At how many evaluations of this search the leg ends; 0 for no limit.
    pub limit: u64,
    /// Evaluations that this search is to be ahead of the other one, where there are two.
    pub ahead: u64,
    /// What this search is doing: a code of [`portfolio::regime`](crate::portfolio::regime).
    pub regime: u32,
    /// How often the generation has been doubled.
    pub doubled: u32,
    /// Points of a generation of this leg.
    pub individuals: u32,
    /// Whether the leg is still to be placed; until then the points are those of the one before.
    pub is_new: bool,
}

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
