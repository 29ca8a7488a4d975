//! Points on a GPU in the form that Python's array libraries accept: DLPack, and `__cuda_array_interface__`.
//!
//! The structs are those of `dlpack.h` 1.0. A consumer of a capsule renames it, and calls the deleter at the end.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};
use warpswarm::{DevicePoints as Points, DeviceValues, Stream};

use crate::errors::{raised, wrong};

/// `kDLCUDA`
const CUDA: i32 = 2;
/// `kDLFloat`
const FLOAT: u8 = 2;
const NAME: &CStr = c"dltensor";
const VERSIONED_NAME: &CStr = c"dltensor_versioned";
const VERSION: [u32; 2] = [1, 0];

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What our capsules keep alive.
struct Kept {
    shape: [i64; 2],
    strides: [i64; 2],
    // The memory of the points lives as long as this field.
    _points: Points,
}

/// An array of another library: its address, shape, the bits of its numbers, the number of its GPU, and the object that
/// keeps it alive.
type Adopted<'py> = (u64, Vec<i64>, u8, i32, Bound<'py, PyAny>);

/// Points to evaluate, `(k, n)`, in the memory of a GPU.
#[pyclass(module = "pywarpswarm._native", frozen)]
pub(crate) struct DevicePoints {
    points: Points,
    single: bool,
}

impl DevicePoints {
    pub(crate) fn new(points: Points, single: bool) -> Self {
        DevicePoints { points, single }
    }

    fn number(&self) -> (u8, &'static str) {
        if self.single { (32, "<f4") } else { (64, "<f8") }
    }

    /// The points as in `dlpack.h`, and the data that they refer to, which the deleter frees.
    fn tensor(&self) -> (Tensor, *mut Kept) {
        let shape = [self.points.len() as i64, self.points.dimensions() as i64];
        let kept = Kept { shape, strides: [shape[1], 1], _points: self.points.clone() };
        let kept = Box::into_raw(Box::new(kept));
        // SAFETY: the pointer comes from the box just created, which only the deleter frees.
        let (shape, strides) = unsafe { (&raw mut (*kept).shape, &raw mut (*kept).strides) };
        let tensor = Tensor {
            data: self.points.address() as *mut c_void,
            device: [CUDA, self.points.device() as i32],
            dimensions: 2,
            code: FLOAT,
            bits: self.number().0,
            lanes: 1,
            shape: shape.cast(),
            strides: strides.cast(),
            byte_offset: 0,
        };
        (tensor, kept)
    }
}

#[pymethods]
impl DevicePoints {
    /// The address of the first coordinate of the first point.
    #[getter]
    fn address(&self) -> u64 {
        self.points.address()
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.points.len(), self.points.dimensions())
    }

    /// The number of the GPU.
    #[getter]
    fn device(&self) -> u32 {
        self.points.device()
    }

    /// The number of the run to which each point belongs.
    fn runs<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_vec(py, self.points.runs()).into_any()
    }

    /// Lets work that is enqueued in a CUDA stream from now on wait until the points are written. The stream is one of
    /// an array library, as an integer.
    fn ready_for(&self, stream: u64) -> PyResult<()> {
        // SAFETY: array libraries pass their own streams, which they do not destroy.
        self.points.ready_for(unsafe { Stream::new(stream) }).map_err(raised)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(true) {
            return Err(PyBufferError::new_err(
                "points are shared; allowed: copy=None, and a copy of the array",
            ));
        }
        if dl_device.is_some_and(|wanted| wanted != self.__dlpack_device__()) {
            return Err(PyBufferError::new_err(
                "points stay on their GPU; allowed: dl_device=None",
            ));
        }
        match stream {
            // No stream needs to wait.
            Some(-1) => (),
            // By the standard, the default stream is used if none is named.
            stream => self.ready_for(stream.unwrap_or(1).max(0) as u64)?,
        }
        let (tensor, kept) = self.tensor();
        let context = kept.cast();
        let (start, name) = if max_version.is_some_and(|(major, _)| major >= 1) {
            let deleter: Option<unsafe extern "C" fn(*mut Versioned)> = Some(delete_versioned);
            let managed = Versioned { version: VERSION, context, deleter, flags: 0, tensor };
            (Box::into_raw(Box::new(managed)).cast::<c_void>(), VERSIONED_NAME)
        } else {
            let deleter: Option<unsafe extern "C" fn(*mut Managed)> = Some(delete);
            (Box::into_raw(Box::new(Managed { tensor, context, deleter })).cast(), NAME)
        };
        // SAFETY: the struct is one of `dlpack.h`, with its name. It is freed by the consumer of the capsule, or by the
        // destructor. The interpreter is attached.
        unsafe {
            let capsule = ffi::PyCapsule_New(start, name.as_ptr(), Some(destroy));
            Bound::from_owned_ptr_or_err(py, capsule)
        }
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.points.device() as i32)
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let about = PyDict::new(py);
        about.set_item("version", 3)?;
        about.set_item("shape", self.shape())?;
        about.set_item("typestr", self.number().1)?;
        about.set_item("data", (self.points.address(), false))?;
        about.set_item("strides", py.None())?;
        about.set_item("stream", self.points.stream().handle())?;
        Ok(about)
    }

    /// The address of a library's array with DLPack, after making the search's stream wait for it.
    fn adopt<'py>(&self, array: &Bound<'py, PyAny>) -> PyResult<Adopted<'py>> {
        let py = array.py();
        let options = PyDict::new(py);
        options.set_item(intern!(py, "stream"), self.points.stream().handle())?;
        let capsule = array.call_method(intern!(py, "__dlpack__"), (), Some(&options))?;
        // SAFETY: a capsule of this name holds a `Managed`, which lives as long as the capsule is not consumed; the
        // caller only keeps it.
        let tensor = unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), NAME.as_ptr()) == 0 {
                return Err(PyTypeError::new_err("what __dlpack__ gave is no DLPack capsule"));
            }
            &(*ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()).cast::<Managed>()).tensor
        };
        let dimensions = tensor.dimensions.max(0) as usize;
        // SAFETY: shape, and strides if there are any, have a number for each dimension.
        let (shape, strides) = unsafe {
            let numbers = |start: *mut i64| -> Vec<i64> {
                if start.is_null() {
                    Vec::new()
                } else {
                    std::slice::from_raw_parts(start, dimensions).to_vec()
                }
            };
            (numbers(tensor.shape), numbers(tensor.strides))
        };
        if tensor.device[0] != CUDA {
            return Err(wrong(format!(
                "the objective returned an array that is not on GPU {}",
                self.device()
            )));
        }
        if (tensor.code, tensor.lanes) != (FLOAT, 1) {
            return Err(wrong(
                "the objective returned an array of other numbers; allowed: floating-point ones",
            ));
        }
        let mut gap = 1;
        for (k, &size) in shape.iter().enumerate().rev() {
            if size > 1 && strides.get(k).is_some_and(|&stride| stride != gap) {
                return Err(wrong(
                    "the objective returned an array with gaps; allowed: one that is contiguous",
                ));
            }
            gap *= size;
        }
        let address = tensor.data as u64 + tensor.byte_offset;
        Ok((address, shape, tensor.bits, tensor.device[1], capsule))
    }
}

/// The result of a Python function: the addresses of values and violations, their count, the stream in which they are
/// written, and the object that keeps them alive.
pub(crate) type Found = (u64, Option<u64>, usize, Option<u64>, Py<PyAny>);

/// The result of a Python function, without the object that keeps it alive.
pub(crate) fn found((values, violations, count, stream, _): &Found) -> DeviceValues {
    // SAFETY: array libraries pass their own streams, which they do not destroy.
    let stream = stream.map(|handle| unsafe { Stream::new(handle) });
    DeviceValues { count: *count, values: *values, violations: *violations, stream }
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the consumer of the capsule calls this once; both pointers come from boxes created in `__dlpack__`.
    unsafe {
        drop(Box::from_raw((*managed).context.cast::<Kept>()));
        drop(Box::from_raw(managed));
    }
}

unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: as in `delete`.
    unsafe {
        drop(Box::from_raw((*managed).context.cast::<Kept>()));
        drop(Box::from_raw(managed));
    }
}

/// Frees a capsule that was not consumed.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, attached; a capsule that still has its first name was not consumed.
    unsafe {
        let start = |name: *const c_char| match ffi::PyCapsule_IsValid(capsule, name) {
            0 => ptr::null_mut(),
            _ => ffi::PyCapsule_GetPointer(capsule, name),
        };
        let managed = start(NAME.as_ptr());
        if !managed.is_null() {
            delete(managed.cast());
        }
        let versioned = start(VERSIONED_NAME.as_ptr());
        if !versioned.is_null() {
            delete_versioned(versioned.cast());
        }
    }
}
