//! The registers that the pieces of an expression read and write: the agreement with `ptx-builder`'s `compose`.

use core::arch::asm;

/// Reads a 32-bit register that is set before a piece.
macro_rules! words {
    ($($name:ident = $register:literal),*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name() -> u32 {
                let x: u32;
                // SAFETY: reads a register that is written before the piece.
                unsafe {
                    asm!(concat!("mov.b32 {x}, ", $register, ";"), x = out(reg32) x,
                        options(pure, nomem, nostack, preserves_flags));
                }
                x
            }
        )*
    };
}

words!(piece_index = "%we_i", piece_count = "%we_n", piece_fit = "%wm_fit");

macro_rules! numbers {
    ($arguments:ident, $term:ident, $answer:ident, $word:ty, $class:ident, $bits:literal) => {
        /// The operands of an operation.
        #[inline(always)]
        pub(crate) fn $arguments() -> [$word; 3] {
            let (a, b, c): ($word, $word, $word);
            // SAFETY: reads registers; the contents of those that the operation does not use have no effect.
            unsafe {
                asm!(concat!("mov.", $bits, " {a}, %we_a;"), a = out($class) a,
                    options(pure, nomem, nostack, preserves_flags));
                asm!(concat!("mov.", $bits, " {b}, %we_b;"), b = out($class) b,
                    options(pure, nomem, nostack, preserves_flags));
                asm!(concat!("mov.", $bits, " {c}, %we_c;"), c = out($class) c,
                    options(pure, nomem, nostack, preserves_flags));
            }
            [a, b, c]
        }

        /// The term of this number.
        #[inline(always)]
        pub(crate) fn $term(k: u32) -> $word {
            let term: $word;
            // SAFETY: the code that replaces the comment reads the point and the data, and writes registers.
            unsafe {
                asm!(
                    "{{",
                    "mov.b32 %we_k, {k};",
                    "// warpswarm.term",
                    concat!("mov.", $bits, " {term}, %we_t;"),
                    "}}",
                    k = in(reg32) k, term = out($class) term,
                    options(nostack, preserves_flags)
                );
            }
            term
        }

        /// Passes the result on.
        #[inline(always)]
        pub(crate) fn $answer(result: $word) {
            // SAFETY: writes a register that is read after the piece.
            unsafe {
                asm!(concat!("mov.", $bits, " %we_r, {result};"), result = in($class) result,
                    options(nostack, preserves_flags));
            }
        }
    };
}

numbers!(piece_arguments_32, piece_term_32, piece_answer_32, u32, reg32, "b32");
numbers!(piece_arguments_64, piece_term_64, piece_answer_64, u64, reg64, "b64");
