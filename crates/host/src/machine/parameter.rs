//! The memory layout of a kernel's only parameter.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Structs in sequence, each aligned: arguments, method, objective.
///
/// Kernels and host use the same layout: both are little-endian with 64-bit addresses, and every struct is `repr(C)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameter {
    words: Vec<MaybeUninit<u64>>,
    bytes: usize,
    align: usize,
}

impl Parameter {
    /// A parameter that starts with this struct.
    pub(crate) fn of<T: Copy + 'static>(value: T) -> Self {
        let mut parameter = Parameter::default();
        parameter.push(value);
        parameter
    }

    /// Appends a struct.
    pub(crate) fn push<T: Copy + 'static>(&mut self, value: T) {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        let at = self.room(size_of::<T>(), align_of::<T>());
        // SAFETY: there is room for a `T` at a multiple of its alignment, and the words have at least that alignment.
        unsafe { self.words.as_mut_ptr().byte_add(at).cast::<T>().write(value) }
    }

    /// Appends the contents of another parameter.
    pub(crate) fn append(&mut self, other: &Parameter) {
        let at = self.room(other.bytes, other.align);
        // SAFETY: there is room for this many bytes, and the other parameter has them.
        unsafe {
            let to = self.words.as_mut_ptr().byte_add(at).cast::<MaybeUninit<u8>>();
            to.copy_from_nonoverlapping(other.bytes().as_ptr(), other.bytes);
        }
    }

    /// Allocates room at the end; returns its offset.
    fn room(&mut self, bytes: usize, align: usize) -> usize {
        let at = self.bytes.next_multiple_of(align.max(1));
        self.bytes = at + bytes;
        self.align = self.align.max(align);
        self.words.resize(self.bytes.div_ceil(size_of::<u64>()), MaybeUninit::new(0));
        at
    }

    /// Its bytes; padding between and within structs is uninitialised.
    pub(crate) fn bytes(&self) -> &[MaybeUninit<u8>] {
        // SAFETY: the words contain at least this many bytes, for which any value is allowed.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Procedure, Wanted};
    use warpswarm_core::launch::GenerationArgs;

    #[test]
    fn structs_lie_one_after_the_other_at_their_alignment() {
        let mut parameter = Parameter::of((1_u32, 2_u32));
        parameter.push(3_u8);
        parameter.push(0x0504_u16);
        parameter.push(0x0d0c_0b0a_0908_0706_u64);
        assert_eq!(parameter.bytes().len(), 24);
        let byte = |i: usize| {
            // SAFETY: these bytes were written.
            unsafe { parameter.bytes()[i].assume_init() }
        };
        assert_eq!([0, 4, 8, 10, 11, 16, 23].map(byte), [1, 2, 3, 4, 5, 6, 0x0d]);
        assert!(Parameter::default().bytes().is_empty());
        let mut longer = Parameter::of(9_u8);
        longer.append(&Parameter::of(0x0b0a_u16));
        longer.append(&Parameter::of(()));
        // SAFETY: the first and the last two bytes were written.
        let byte = |i: usize| unsafe { longer.bytes()[i].assume_init() };
        assert_eq!((longer.bytes().len(), [0, 2, 3].map(byte)), (4, [9, 10, 11]));
    }

    #[test]
    fn the_words_of_a_method_are_those_that_its_kernel_takes() {
        // SAFETY: the fields are addresses and numbers, which may be zero.
        let args: GenerationArgs<f32> = unsafe { std::mem::zeroed() };
        for info in crate::algorithms::ALL {
            let procedure =
                Wanted::<f32>::new(&info.algorithm(), 410).map(|wanted| wanted.procedure);
            let Ok(Procedure::Method(named)) = procedure else { continue };
            let parameter = named.method.parameter(args);
            let words = named.method.words();
            // The last word may be padding.
            let all = (4 * words.len()).next_multiple_of(8);
            assert_eq!(all, parameter.bytes().len() - size_of_val(&args), "{}", info.id);
            for (place, word) in words {
                let bytes = (place as usize..place as usize + 4).map(|at| {
                    // SAFETY: a method of `f32` has padding only at its end.
                    unsafe { parameter.bytes()[at].assume_init() }
                });
                assert_eq!(bytes.collect::<Vec<_>>(), word.to_le_bytes(), "{} at {place}", info.id);
            }
        }
    }
}
