//! Numbers as bytes in memory.

#![allow(unsafe_code)]

use std::any::TypeId;

use warpswarm_core::Float;

/// Whether a number type has the same bytes on the host as on a device.
fn is_plain<R: Float>() -> bool {
    let known = [TypeId::of::<f32>(), TypeId::of::<f64>()];
    cfg!(target_endian = "little") && known.contains(&TypeId::of::<R>())
}

/// The bytes of numbers, if they are `f32` or `f64`.
pub(crate) fn bytes<R: Float>(numbers: &[R]) -> Option<&[u8]> {
    // SAFETY: an `f32` or `f64` has no padding, and any byte value is valid.
    is_plain::<R>().then(|| unsafe {
        std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers))
    })
}

/// As [`bytes`], for writing.
pub(crate) fn bytes_mut<R: Float>(numbers: &mut [R]) -> Option<&mut [u8]> {
    // SAFETY: an `f32` or `f64` has no padding, and any bytes are a valid number.
    is_plain::<R>().then(|| unsafe {
        std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), size_of_val(numbers))
    })
}

/// The bytes of words, for writing, if they are the same on the host as on a device.
pub(crate) fn bytes_of_words<const N: usize>(words: &mut [[u32; N]]) -> Option<&mut [u8]> {
    // SAFETY: words have no padding, and any bytes are a valid word.
    cfg!(target_endian = "little").then(|| unsafe {
        std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_bytes() {
        let mut numbers = [1.0_f32, -2.5];
        let wanted = numbers.map(f32::to_le_bytes).concat();
        assert_eq!(bytes(&numbers), Some(&wanted[..]));
        bytes_mut(&mut numbers).unwrap()[4..].copy_from_slice(&3.0_f32.to_le_bytes());
        assert_eq!(numbers, [1.0, 3.0]);
        assert_eq!(bytes::<f64>(&[]), Some(&[][..]));
    }
}
