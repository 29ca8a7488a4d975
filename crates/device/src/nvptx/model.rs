//! The interface between a kernel that fits and the model that it is linked with: the agreement with `ptx-builder`.
//!
//! The linker declares the registers `%wm_...` at the top of the entry, so that values that a model computes once for
//! all rows are still in them in each row.

use core::arch::asm;

macro_rules! models {
    ($begin:ident, $row:ident, $put:ident, $take:ident, $word:ty, $class:ident, $bits:literal) => {
        /// Passes the parameters and the number of the fit, and lets the model compute what all rows share.
        #[inline(always)]
        pub(crate) fn $begin<const N: usize>(x: [$word; N], fit: u32) {
            let mut i = 0;
            while i < N {
                match i {
                    0 => $put::<0>(x[i]),
                    1 => $put::<1>(x[i]),
                    2 => $put::<2>(x[i]),
                    3 => $put::<3>(x[i]),
                    4 => $put::<4>(x[i]),
                    5 => $put::<5>(x[i]),
                    6 => $put::<6>(x[i]),
                    7 => $put::<7>(x[i]),
                    8 => $put::<8>(x[i]),
                    9 => $put::<9>(x[i]),
                    10 => $put::<10>(x[i]),
                    _ => $put::<11>(x[i]),
                }
                i += 1;
            }
            // SAFETY: the code that replaces the comment reads the data, and writes registers.
            unsafe {
                asm!("{{", "mov.b32 %wm_fit, {fit};", "// warpswarm.model", "}}",
                    fit = in(reg32) fit, options(readonly, nostack, preserves_flags));
            }
        }

        /// The prediction for a row, and its derivatives.
        #[inline(always)]
        pub(crate) fn $row<const N: usize>(row: u32) -> ($word, [$word; N]) {
            const { assert!(N <= 12) };
            let value: $word;
            // SAFETY: the code that replaces the comment reads the data, and writes registers.
            unsafe {
                asm!("{{", "mov.b32 %we_k, {row};", "// warpswarm.row",
                    concat!("mov.", $bits, " {value}, %wm_y;"), "}}",
                    row = in(reg32) row, value = out($class) value,
                    options(readonly, nostack, preserves_flags));
            }
            let mut partials = [0; N];
            let mut i = 0;
            while i < N {
                partials[i] = match i {
                    0 => $take::<0>(),
                    1 => $take::<1>(),
                    2 => $take::<2>(),
                    3 => $take::<3>(),
                    4 => $take::<4>(),
                    5 => $take::<5>(),
                    6 => $take::<6>(),
                    7 => $take::<7>(),
                    8 => $take::<8>(),
                    9 => $take::<9>(),
                    10 => $take::<10>(),
                    _ => $take::<11>(),
                };
                i += 1;
            }
            (value, partials)
        }

        #[inline(always)]
        fn $put<const I: usize>(x: $word) {
            // SAFETY: writes a register that the model reads.
            unsafe {
                asm!(concat!("mov.", $bits, " %wm_x{i}, {x};"), x = in($class) x, i = const I,
                    options(nomem, nostack, preserves_flags));
            }
        }

        #[inline(always)]
        fn $take<const I: usize>() -> $word {
            let partial: $word;
            // SAFETY: reads a register that the model has written. It is not pure: another row writes it again.
            unsafe {
                asm!(concat!("mov.", $bits, " {partial}, %wm_d{i};"), partial = out($class) partial,
                    i = const I, options(nomem, nostack, preserves_flags));
            }
            partial
        }
    };
}

models!(begin_model_32, model_row_32, put_32, take_32, u32, reg32, "b32");
models!(begin_model_64, model_row_64, put_64, take_64, u64, reg64, "b64");
