//! Objectives of the examples, one per module. The programs are in `examples/src/bin`.
//!
//! The objectives are in a `no_std` library, separate from the programs. So their elementary functions are those of
//! [`warpswarm_kernels::Real`], which have the same bits on every machine. With `std`, `x.sin()` of a plain `f32` would
//! be the platform's sine, whose bits differ.
//!
//! Each module ends with an export, which creates the kernels for GPUs and their versions for the emulator.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

pub mod can;
pub mod predators;
pub mod registration;
pub mod spot;
