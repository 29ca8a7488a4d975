//! Numbers as the bytes that they are in memory.

#![allow(unsafe_code)]

use std::any::TypeId;

use warpswarm_core::Float;

/// Whether a number is one of the two whose bytes lie on a device as they lie here.
fn is_plain<R: Float>() -> bool {
    let known = [TypeId::of::<f32>(), TypeId::of::<f64>()];
    cfg!(target_endian = "little") && known.contains(&TypeId::of::<R>())
}

/// The bytes of numbers, if they are `f32` or `f64`.
pub(crate) fn bytes<R: Float>(numbers: &[R]) -> Option<&[u8]> {
    // SAFETY: an `f32` or `f64` has no padding, and any byte is one.
    is_plain::<R>().then(|| unsafe {
        std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers))
    })
}

/// The same, to be written.
pub(crate) fn bytes_mut<R: Float>(numbers: &mut [R]) -> Option<&mut [u8]> {
    // SAFETY: an `f32` or `f64` has no padding, and is one whatever its bytes are.
    is_plain::<R>().then(|| unsafe {
        std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), size_of_val(numbers))
    })
}

/// The bytes of words, to be written, where they lie on a device as they lie here.
pub(crate) fn bytes_of_words<const N: usize>(words: &mut [[u32; N]]) -> Option<&mut [u8]> {
    // SAFETY: words have no padding, and are some whatever their bytes are.
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
