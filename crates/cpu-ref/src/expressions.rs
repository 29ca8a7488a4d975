//! Programs of expressions, executed with the processor's vector instructions.

use warpswarm_core::expression::machine::{self, Instruction, Program};
use warpswarm_core::real::Real;

use crate::vectors::{self, Run};

/// Executes a program: see [`machine::run`].
///
/// Never inlined, because all operations are compiled into it.
#[inline(never)]
pub fn run<R: Real>(memory: &mut [R], program: Program<'_>) {
    vectors::run(Steps { memory, program });
}

/// Executes the body for some rows: see [`machine::rows`].
#[inline(never)]
pub fn rows<R: Real>(
    memory: &mut [R],
    (body, outputs): (&[Instruction], &[u32]),
    rows: (usize, usize),
    into: (&mut [R], usize),
) {
    vectors::run_widest(OfRows { memory, body, outputs, rows, into });
}

/// A program to be executed.
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

/// The body for rows of data to be executed.
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
