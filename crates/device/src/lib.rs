//! The GPU as kernels see it: thread, warp, block and grid, shared memory, checked views, reductions.
//!
//! On `nvptx64` these are the machine's instructions. Elsewhere an [emulator] runs each GPU thread as a coroutine, so
//! that every kernel runs in an ordinary test on a machine without a GPU. Names are close to those of rust-cuda's
//! `cuda_std`: `docs/decisions/0040-own-device-crates.md` has a table of both.
//!
//! Blocks and grids have one dimension, and blocks consist of whole warps. Functions of [`warp`] and [`block`] are
//! collective: all lanes of the warp, or all threads of the block, call them together.

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, stdarch_nvptx, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[cfg(not(target_arch = "nvptx64"))]
pub mod emulator;
#[cfg(target_arch = "nvptx64")]
mod nvptx;

#[cfg(not(target_arch = "nvptx64"))]
use emulator::machine;
#[cfg(target_arch = "nvptx64")]
use nvptx as machine;

/// Items that exist only on the host, for the emulator.
#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
macro_rules! on_host {
    ($($item:item)*) => { $($item)* };
}

/// Items that exist only on the host: none here.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! on_host {
    ($($item:item)*) => {};
}

pub mod block;
pub mod bulk;
pub mod cluster;
pub mod data;
pub mod entry;
pub mod grid;
pub mod model;
pub mod objective;
pub mod piece;
pub mod point;
pub mod shared;
pub mod thread;
pub mod view;
pub mod warp;
