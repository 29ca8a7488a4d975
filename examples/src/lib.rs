//! Objectives of the examples; the programs are in `src/bin`.
//!
//! An objective lives in a `no_std` library, its program beside it: so its elementary functions are
//! those of [`warpswarm_core::Real`], which give the same bits on every machine. Where `std` is in
//! reach, `x.sin()` of a plain `f32` is the platform's sine, whose bits differ.

#![no_std]

pub mod can;
