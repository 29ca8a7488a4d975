//! Tests of the generic functions of `warpswarm-core`, through its public interface.
//!
//! They are a package of their own because of its level of optimisation. They compile generic functions for many types
//! and evaluate them a few times, so optimising them would take far longer than running them.

#![cfg(test)]

mod derivatives;
mod fit;
mod polish;
mod problems;
