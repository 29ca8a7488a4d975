//! Runs on a device: their arrays, and the kernels of an iteration.

pub(super) mod cma_es;
mod encode;
pub(super) mod epochs;
mod epsilon_level;
pub(super) mod generation;
pub(super) mod gradients;
pub(crate) mod memory;
mod migration;
pub(super) mod polish;
pub(super) mod pso;
pub(super) mod several;
pub(super) mod split;
