//! What is minimised, and within which bounds.

pub(crate) mod any_objective;
pub(crate) mod bounds;
pub(crate) mod closure;
pub(crate) mod data;
pub(crate) mod evaluator;
pub(crate) mod grid;
pub(crate) mod on_device;
pub(crate) mod own;
pub(crate) mod slopes;
mod tables;
pub(crate) mod target;
