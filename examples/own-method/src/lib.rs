//! Code shared by the program and its test: the method with its kernels.

use jaya::Jaya;
use warpswarm::{Float, Kernels, OwnMethod};

/// The kernels, compiled by the build script.
pub const KERNELS: Kernels =
    Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")));

/// Jaya, for CPU and GPU.
pub fn method<R: Float>() -> OwnMethod<R> {
    OwnMethod::new("jaya", Jaya::<R>::default()).with_kernels(KERNELS)
}
