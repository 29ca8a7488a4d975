//! Words of a kernel's argument that are known when it is loaded: they become constants in its code.

use crate::real::Float;

/// A part of a kernel's argument that consists of 32-bit words: numbers, choices, and structs of them.
///
/// ```
/// use warpswarm_core::boundary::{Boundary, Limits};
/// use warpswarm_core::launch::Words;
/// let limits = Limits { correction: 1.0_f32, boundary: Boundary::Reverse };
/// let mut seen = Vec::new();
/// limits.words(8, &mut |place, word| seen.push((place, word)));
/// assert_eq!(seen, [(8, 0x3f80_0000), (12, Boundary::Reverse as u32)]);
/// ```
pub trait Words {
    /// Calls `note` with the position, in bytes, and the value of each word. The first byte of the whole value is at
    /// `at`.
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32));
}

impl Words for u32 {
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        note(at, *self);
    }
}

impl<R: Float> Words for R {
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        let bits = self.to_bits64();
        (0..R::WORDS).for_each(|k| note(at + 4 * k, (bits >> (32 * k)) as u32));
    }
}

impl<T: Words, const N: usize> Words for [T; N] {
    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        (0..).zip(self).for_each(|(k, item)| item.words(at + k * size_of::<T>(), note));
    }
}

/// Generates the function `words`, of [`Method`](crate::method::Method) or of [`Words`](crate::launch::Words), for a
/// `repr(C)` struct with these fields.
///
/// ```
/// use warpswarm_core::launch::Words;
/// #[repr(C)]
/// struct Pull<R> {
///     part: R,
///     rivals: [u32; 2],
/// }
/// impl<R: warpswarm_core::Float> Words for Pull<R> {
///     warpswarm_core::words!(part, rivals);
/// }
/// let mut seen = Vec::new();
/// Pull { part: 1.0_f64, rivals: [3, 4] }.words(0, &mut |place, word| seen.push((place, word)));
/// assert_eq!(seen, [(0, 0), (4, 0x3ff0_0000), (8, 3), (12, 4)]);
/// ```
#[macro_export]
macro_rules! words {
    ($($field:ident),+ $(,)?) => {
        fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
            $($crate::launch::Words::words(
                &self.$field,
                at + ::core::mem::offset_of!(Self, $field),
                &mut *note,
            );)+
        }
    };
    (enum $($choice:ty),+ $(,)?) => {
        $(impl $crate::launch::Words for $choice {
            fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
                note(at, *self as u32);
            }
        })+
    };
}
