//! The numbers that kernels compute with.

use warpswarm_core::real::Float;

use crate::machine;
use crate::objective::LinkAbi;
use crate::shared::Stored;

/// A number that kernels compute with: it can be kept in shared memory and read in vectors.
pub trait DeviceReal: Float + Stored + LinkAbi {
    /// Four neighbouring numbers.
    ///
    /// # Safety
    /// `at` is valid for a read of four numbers in global memory and a multiple of 16 bytes.
    unsafe fn read4(at: *const Self) -> [Self; 4];
    /// Writes four neighbouring numbers.
    ///
    /// # Safety
    /// `at` is valid for a write of four numbers in global memory and a multiple of 16 bytes.
    unsafe fn write4(at: *mut Self, values: [Self; 4]);
    /// Four neighbouring numbers, read once and not kept in the caches.
    ///
    /// # Safety
    /// `at` is valid for a read of four numbers in global memory and a multiple of 16 bytes.
    unsafe fn stream_read(at: *const Self) -> [Self; 4];
    /// Two neighbouring numbers, read once and not kept in the caches.
    ///
    /// # Safety
    /// `at` is valid for a read of two numbers in global memory and a multiple of their size.
    unsafe fn stream_read2(at: *const Self) -> [Self; 2];
    /// Two neighbouring numbers, written once and not kept in the caches.
    ///
    /// # Safety
    /// `at` is valid for a write of two numbers in global memory and a multiple of their size.
    unsafe fn stream_write2(at: *mut Self, values: [Self; 2]);
    /// Four neighbouring numbers, written once and not kept in the caches.
    ///
    /// # Safety
    /// `at` is valid for a write of four numbers in global memory and a multiple of 16 bytes.
    unsafe fn stream_write(at: *mut Self, values: [Self; 4]);
    /// Two neighbouring numbers of shared memory.
    ///
    /// # Safety
    /// `offset` is a multiple of the size of two and the numbers lie inside the block's shared memory.
    unsafe fn shared_read2(offset: u32) -> [Self; 2];
    /// Writes two neighbouring numbers of shared memory.
    ///
    /// # Safety
    /// As for [`shared_read2`](DeviceReal::shared_read2).
    unsafe fn shared_write2(offset: u32, values: [Self; 2]);
    /// Four neighbouring numbers of shared memory.
    ///
    /// # Safety
    /// `offset` is a multiple of 16 and the numbers lie inside the block's shared memory.
    unsafe fn shared_read4(offset: u32) -> [Self; 4];
    /// Writes four neighbouring numbers of shared memory.
    ///
    /// # Safety
    /// As for [`shared_read4`](DeviceReal::shared_read4).
    unsafe fn shared_write4(offset: u32, values: [Self; 4]);
}

impl DeviceReal for f32 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn read4(at: *const Self) -> [Self; 4] {
        // SAFETY: the caller upholds this.
        unsafe { machine::global_read_4x32(at.cast()) }.map(f32::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn write4(at: *mut Self, values: [Self; 4]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::global_write_4x32(at.cast(), values.map(f32::to_bits)) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_read2(offset: u32) -> [Self; 2] {
        // SAFETY: the caller upholds this.
        let both = unsafe { machine::shared_read_u64(offset) };
        [both as u32, (both >> 32) as u32].map(f32::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_write2(offset: u32, values: [Self; 2]) {
        let [low, high] = values.map(|value| u64::from(value.to_bits()));
        // SAFETY: the caller upholds this.
        unsafe { machine::shared_write_u64(offset, low | high << 32) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_read4(offset: u32) -> [Self; 4] {
        // SAFETY: the caller upholds this.
        unsafe { machine::shared_read_4x32(offset) }.map(f32::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_write4(offset: u32, values: [Self; 4]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::shared_write_4x32(offset, values.map(f32::to_bits)) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_read2(at: *const Self) -> [Self; 2] {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_read_2x32(at.cast()) }.map(f32::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_write2(at: *mut Self, values: [Self; 2]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_write_2x32(at.cast(), values.map(f32::to_bits)) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_read(at: *const Self) -> [Self; 4] {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_read_4x32(at.cast()) }.map(f32::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_write(at: *mut Self, values: [Self; 4]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_write_4x32(at.cast(), values.map(f32::to_bits)) }
    }
}

impl DeviceReal for f64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn read4(at: *const Self) -> [Self; 4] {
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        let (a, b) = unsafe {
            (machine::global_read_2x64(at.cast()), machine::global_read_2x64(at.add(2).cast()))
        };
        [a[0], a[1], b[0], b[1]].map(f64::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn write4(at: *mut Self, values: [Self; 4]) {
        let [a, b, c, d] = values.map(f64::to_bits);
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        unsafe {
            machine::global_write_2x64(at.cast(), [a, b]);
            machine::global_write_2x64(at.add(2).cast(), [c, d]);
        }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_read2(offset: u32) -> [Self; 2] {
        // SAFETY: the caller upholds this.
        unsafe { machine::shared_read_2x64(offset) }.map(f64::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_write2(offset: u32, values: [Self; 2]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::shared_write_2x64(offset, values.map(f64::to_bits)) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_read4(offset: u32) -> [Self; 4] {
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        let [[a, b], [c, d]] =
            unsafe { [machine::shared_read_2x64(offset), machine::shared_read_2x64(offset + 16)] };
        [a, b, c, d].map(f64::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn shared_write4(offset: u32, values: [Self; 4]) {
        let [a, b, c, d] = values.map(f64::to_bits);
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        unsafe {
            machine::shared_write_2x64(offset, [a, b]);
            machine::shared_write_2x64(offset + 16, [c, d]);
        }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_read2(at: *const Self) -> [Self; 2] {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_read_2x64(at.cast()) }.map(f64::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_write2(at: *mut Self, values: [Self; 2]) {
        // SAFETY: the caller upholds this.
        unsafe { machine::stream_write_2x64(at.cast(), values.map(f64::to_bits)) }
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_read(at: *const Self) -> [Self; 4] {
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        let (a, b) = unsafe {
            (machine::stream_read_2x64(at.cast()), machine::stream_read_2x64(at.add(2).cast()))
        };
        [a[0], a[1], b[0], b[1]].map(f64::from_bits)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    unsafe fn stream_write(at: *mut Self, values: [Self; 4]) {
        let [a, b, c, d] = values.map(f64::to_bits);
        // SAFETY: the caller upholds this; both halves are multiples of 16 bytes.
        unsafe {
            machine::stream_write_2x64(at.cast(), [a, b]);
            machine::stream_write_2x64(at.add(2).cast(), [c, d]);
        }
    }
}
