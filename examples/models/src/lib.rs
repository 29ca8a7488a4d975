//! Objectives of the examples, a module each; the programs are in `examples/src/bin`.
//!
//! An objective lives in a `no_std` library, its program elsewhere: so its elementary functions are
//! those of [`warpswarm_kernels::Real`], which give the same bits on every machine. Where `std` is in
//! reach, `x.sin()` of a plain `f32` is the platform's sine, whose bits differ.
//!
//! Each module ends with an export, which makes the kernels for GPUs and what the emulator runs instead.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

pub mod can;
pub mod predators;
pub mod registration;
pub mod spot;
