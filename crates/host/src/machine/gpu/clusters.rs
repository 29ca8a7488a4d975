//! Launches with clusters.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{self, CUresult};

use crate::machine::Shape;

/// The number of clusters of this shape that run on the device at the same time; 0 if it does not support the size.
///
/// # Safety
/// The function's module is loaded, and its context is current.
pub(super) unsafe fn at_once(
    function: sys::CUfunction,
    shape: Shape,
    stream: sys::CUstream,
) -> Result<u32, DriverError> {
    let mut attributes = [cluster_of(shape.cluster)];
    let config = config(shape, stream, &mut attributes);
    let mut clusters = 0;
    // SAFETY: the caller ensures it; `config` points to `attributes`, which outlives the call.
    let said = unsafe {
        sys::cuOccupancyMaxActiveClusters(&raw mut clusters, function, &raw const config)
    };
    match said {
        CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => Ok(0),
        said => said.result().map(|()| clusters.max(0) as u32),
    }
}

/// Enqueues a kernel with clusters.
///
/// # Safety
/// As for [`launch_kernel`](cudarc::driver::result::launch_kernel).
pub(super) unsafe fn launch(
    function: sys::CUfunction,
    shape: Shape,
    stream: sys::CUstream,
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let mut attributes = [cluster_of(shape.cluster)];
    let config = config(shape, stream, &mut attributes);
    let (parameters, none) = (parameters.as_mut_ptr(), ptr::null_mut());
    // SAFETY: the caller ensures it; `config` points to `attributes`, which outlives the call.
    unsafe { sys::cuLaunchKernelEx(&raw const config, function, parameters, none).result() }
}

/// The launch attribute for clusters of this many blocks.
fn cluster_of(blocks: u32) -> sys::CUlaunchAttribute {
    let dimensions = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: blocks, y: 1, z: 1 };
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: Default::default(),
        value: sys::CUlaunchAttributeValue { clusterDim: dimensions },
    }
}

/// The configuration of a launch on `stream` with attributes.
fn config(
    shape: Shape,
    stream: sys::CUstream,
    attributes: &mut [sys::CUlaunchAttribute],
) -> sys::CUlaunchConfig {
    sys::CUlaunchConfig {
        gridDimX: shape.grid,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: shape.block,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: shape.shared,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    }
}
