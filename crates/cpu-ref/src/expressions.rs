//! Programs of expressions, with the vectors of the processor.

use warpswarm_core::expression::machine::{self, Instruction, Program};
use warpswarm_core::real::Real;

use crate::vectors::{Run, Vectors};

/// Carries out a program: see [`machine::run`].
///
/// It is never inlined: all operations are compiled into it.
#[inline(never)]
pub fn run<R: Real>(vectors: Vectors, memory: &mut [R], program: Program<'_>) {
    vectors.run(Steps { memory, program });
}

/// Carries out the body of some rows: see [`machine::rows`].
#[inline(never)]
pub fn rows<R: Real>(
    vectors: Vectors,
    memory: &mut [R],
    (body, outputs): (&[Instruction], &[u32]),
    rows: (usize, usize),
    into: (&mut [R], usize),
) {
    vectors.run_widest(OfRows { memory, body, outputs, rows, into });
}

/// A program to be carried out.
struct Steps<'a, R> {
    memory: &'a mut [R],
    program: Program<'a>,
}

impl<R: Real> Run for Steps<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        machine::run(self.memory, self.program);
    }
}

/// Rows of data, likewise.
struct OfRows<'a, R> {
    memory: &'a mut [R],
    body: &'a [Instruction],
    outputs: &'a [u32],
    rows: (usize, usize),
    into: (&'a mut [R], usize),
}

impl<R: Real> Run for OfRows<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        machine::rows(self.memory, self.body, self.outputs, self.rows, self.into);
    }
}
