//! The runs of `compare` and `tune`: entrants (algorithms with settings) run on tasks (problems with targets).
//!
//! * `task`: a problem and its targets; `entrant`: an algorithm with settings; `parts`: the notation of both.
//! * `conditions`: how each entrant is run on each task; `batch`: these runs.

pub(crate) mod batch;
pub(crate) mod conditions;
pub(crate) mod entrant;
mod parts;
pub(crate) mod task;

/// The significance level: a p-value of at most this counts as a difference.
pub(crate) const LEVEL: f64 = 0.05;
