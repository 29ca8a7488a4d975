//! What `compare` and `tune` are asked, and the runs that answer it: entrants on tasks, under conditions.
//!
//! * `task`: a problem and its targets; `entrant`: an algorithm with settings; `parts`: how both are written.
//! * `conditions`: how each entrant is run on each task; `batch`: those runs.

pub(crate) mod batch;
pub(crate) mod conditions;
pub(crate) mod entrant;
mod parts;
pub(crate) mod task;

/// A p-value of at most this counts as a difference.
pub(crate) const LEVEL: f64 = 0.05;
