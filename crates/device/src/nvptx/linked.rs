//! The interface between a kernel and the objective that it is linked with.

use core::arch::asm;

// The agreement between a kernel and the objective that `ptx-builder` inserts in place of the comment: registers of
// these names, those of coordinates as wide as the numbers.
macro_rules! judge {
    ($word:ty, $class:ident, $bits:literal, [$($k:literal $x:ident = $value:expr),*], $dimensions:expr, $stage:expr) => {{
        let (violation, value): ($word, $word);
        // SAFETY: the objective reads these registers, what the point's contract allows it to read, and its own
        // parameter; it writes to the two results and to the point's stage.
        unsafe {
            asm!(
                "{{",
                concat!(".reg .", $bits, " %ws_x<16>, %ws_violation, %ws_value;"),
                ".reg .b32 %ws_dimensions, %ws_stage;",
                ".reg .b64 %ws_row;",
                $(concat!("mov.", $bits, " %ws_x", $k, ", {", stringify!($x), "};"),)*
                "mov.b32 %ws_dimensions, {dimensions};",
                "mov.b32 %ws_stage, {stage};",
                "// warpswarm.objective",
                concat!("mov.", $bits, " {violation}, %ws_violation;"),
                concat!("mov.", $bits, " {value}, %ws_value;"),
                "}}",
                $($x = in($class) $value,)*
                dimensions = in(reg32) $dimensions, stage = in(reg32) $stage,
                violation = out($class) violation, value = out($class) value,
                options(nostack, preserves_flags)
            );
        }
        (violation, value)
    }};
}

macro_rules! judges {
    ($tile:ident, $row:ident, $coordinates:ident, $coordinate:ident, $answer:ident, $word:ty, $class:ident, $bits:literal) => {
        /// Violation and value, by the linked objective, for a lane's part of a point.
        #[inline(always)]
        pub(crate) fn $tile<const K: usize>(
            own: [$word; K],
            dimensions: u32,
            stage: u32,
        ) -> ($word, $word) {
            if K > 16 {
                super::fail("so many coordinates are handed over in memory");
            }
            const { assert!(K == 1 || K == 2 || K == 4 || K >= 8) };
            let x = |k: usize| if k < K { own[k] } else { 0 };
            if K == 1 {
                judge!($word, $class, $bits, [0 x0 = x(0)], dimensions, stage)
            } else if K == 2 {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1)], dimensions, stage)
            } else if K == 4 {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1), 2 x2 = x(2), 3 x3 = x(3)],
                    dimensions, stage)
            } else if K <= 8 {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1), 2 x2 = x(2), 3 x3 = x(3),
                    4 x4 = x(4), 5 x5 = x(5), 6 x6 = x(6), 7 x7 = x(7)], dimensions, stage)
            } else {
                judge!($word, $class, $bits, [0 x0 = x(0), 1 x1 = x(1), 2 x2 = x(2), 3 x3 = x(3),
                    4 x4 = x(4), 5 x5 = x(5), 6 x6 = x(6), 7 x7 = x(7), 8 x8 = x(8), 9 x9 = x(9),
                    10 x10 = x(10), 11 x11 = x(11), 12 x12 = x(12), 13 x13 = x(13), 14 x14 = x(14),
                    15 x15 = x(15)], dimensions, stage)
            }
        }

        /// Violation and value, by the linked objective, for a row in memory.
        #[inline(always)]
        pub(crate) fn $row(row: u64, dimensions: u32) -> ($word, $word) {
            let (violation, value): ($word, $word);
            // SAFETY: the objective reads these registers, the row and its own parameter; it writes
            // to the two results.
            unsafe {
                asm!(
                    "{{",
                    concat!(".reg .", $bits, " %ws_violation, %ws_value;"),
                    ".reg .b32 %ws_dimensions;",
                    ".reg .b64 %ws_row;",
                    "mov.b32 %ws_dimensions, {dimensions};",
                    "mov.b64 %ws_row, {row};",
                    "// warpswarm.objective",
                    concat!("mov.", $bits, " {violation}, %ws_violation;"),
                    concat!("mov.", $bits, " {value}, %ws_value;"),
                    "}}",
                    dimensions = in(reg32) dimensions, row = in(reg64) row,
                    violation = out($class) violation, value = out($class) value,
                    options(nostack, preserves_flags)
                );
            }
            (violation, value)
        }

        /// The coordinates that the kernel passed.
        #[inline(always)]
        pub(crate) fn $coordinates<const K: usize>() -> [$word; K] {
            let mut own = [0; K];
            let mut k = 0;
            while k < K {
                own[k] = match k {
                    0 => $coordinate::<0>(),
                    1 => $coordinate::<1>(),
                    2 => $coordinate::<2>(),
                    3 => $coordinate::<3>(),
                    4 => $coordinate::<4>(),
                    5 => $coordinate::<5>(),
                    6 => $coordinate::<6>(),
                    7 => $coordinate::<7>(),
                    8 => $coordinate::<8>(),
                    9 => $coordinate::<9>(),
                    10 => $coordinate::<10>(),
                    11 => $coordinate::<11>(),
                    12 => $coordinate::<12>(),
                    13 => $coordinate::<13>(),
                    14 => $coordinate::<14>(),
                    _ => $coordinate::<15>(),
                };
                k += 1;
            }
            own
        }

        #[inline(always)]
        fn $coordinate<const I: usize>() -> $word {
            let x: $word;
            // SAFETY: reads a register that the kernel has written.
            unsafe {
                asm!(concat!("mov.", $bits, " {x}, %ws_x{i};"), x = out($class) x, i = const I,
                    options(pure, nomem, nostack, preserves_flags));
            }
            x
        }

        /// Passes violation and value to the kernel.
        #[inline(always)]
        pub(crate) fn $answer(violation: $word, value: $word) {
            // SAFETY: writes registers that the kernel reads after.
            unsafe {
                asm!(concat!("mov.", $bits, " %ws_violation, {violation};"),
                    concat!("mov.", $bits, " %ws_value, {value};"),
                    violation = in($class) violation, value = in($class) value,
                    options(nostack, preserves_flags));
            }
        }
    };
}

judges!(
    judge_tile_32,
    judge_row_32,
    handed_coordinates_32,
    handed_32,
    answer_32,
    u32,
    reg32,
    "b32"
);
judges!(
    judge_tile_64,
    judge_row_64,
    handed_coordinates_64,
    handed_64,
    answer_64,
    u64,
    reg64,
    "b64"
);

/// The number of coordinates that the kernel passed.
#[inline(always)]
pub(crate) fn handed_dimensions() -> u32 {
    let dimensions: u32;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b32 {x}, %ws_dimensions;", x = out(reg32) dimensions,
            options(pure, nomem, nostack, preserves_flags));
    }
    dimensions
}

/// The start, in shared memory, of the stage that the kernel passed.
#[inline(always)]
pub(crate) fn handed_stage() -> u32 {
    let stage: u32;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b32 {x}, %ws_stage;", x = out(reg32) stage,
            options(pure, nomem, nostack, preserves_flags));
    }
    stage
}

/// The address of the row that the kernel passed.
#[inline(always)]
pub(crate) fn handed_row() -> u64 {
    let row: u64;
    // SAFETY: reads a register that the kernel has written.
    unsafe {
        asm!("mov.b64 {x}, %ws_row;", x = out(reg64) row,
            options(pure, nomem, nostack, preserves_flags));
    }
    row
}
