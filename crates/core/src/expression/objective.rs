//! An objective that reads its program from its data.

use super::{Greatest, Least, Operation, Reduction};
use crate::data::Table;
use crate::objective::{Objective, Point};
use crate::order::Fitness;
use crate::real::Real;
use crate::sum::{Product, Sum};

/// Results that a program holds at a time, at most.
pub const SLOTS: usize = 256;

/// What a step's first number says.
pub mod step {
    /// One instruction follows.
    pub const ONCE: u32 = 0;
    /// Reduction, terms, instructions, the term's operand and the slot of the result follow, and then the body.
    pub const FOLD: u32 = 1;
    /// The operands of value and violation follow.
    pub const END: u32 = 2;
}

/// What an operand's first number says; the second is its place.
pub mod operand {
    /// A result.
    pub const SLOT: u32 = 0;
    /// A constant.
    pub const CONSTANT: u32 = 1;
    /// A coordinate.
    pub const COORDINATE: u32 = 2;
    /// The coordinate so many after the term's number.
    pub const COORDINATES: u32 = 3;
    /// The datum so many after the term's number.
    pub const DATA: u32 = 4;
    /// The number of the term, from 0.
    pub const INDEX: u32 = 5;
}

/// Numbers of an instruction: operation, slot of the result, three operands.
const INSTRUCTION: usize = 8;

/// An expression's program, a number after the other, with what it needs.
///
/// Where [`machine`](super::machine) and GPUs are fast, this is short: the emulator's.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its [`step`]s.
    pub program: Table,
    /// Its constants.
    pub constants: Table,
    /// Its data, column after column.
    pub data: Table,
}

impl Expression {
    #[inline(always)]
    fn read<R: Real, P: Point<R>>(&self, x: &P, at: usize) -> u32 {
        x.data(self.program, at).to_f64() as u32
    }

    /// The operand that two numbers from `at` on say, in term `k`.
    #[inline(always)]
    fn operand<R: Real, P: Point<R>>(&self, x: &P, at: usize, slots: &[R; SLOTS], k: usize) -> R {
        let place = self.read(x, at + 1) as usize;
        match self.read(x, at) {
            operand::SLOT => slots[place % SLOTS],
            operand::CONSTANT => x.data(self.constants, place),
            operand::COORDINATE => x.get(place),
            operand::COORDINATES => x.get(place + k),
            operand::DATA => x.data(self.data, place + k),
            _ => R::from_u32(k as u32),
        }
    }

    /// Carries out the instruction at `at`, in term `k`.
    #[inline(always)]
    fn carry_out<R: Real, P: Point<R>>(&self, x: &P, at: usize, slots: &mut [R; SLOTS], k: usize) {
        let operation = self.read(x, at) as usize;
        let operation = Operation::ALL.get(operation).copied().unwrap_or(Operation::Choose);
        let mut from = [R::ZERO; 3];
        for (j, from) in from.iter_mut().enumerate().take(operation.arity()) {
            *from = self.operand(x, at + 2 + 2 * j, slots, k);
        }
        slots[self.read(x, at + 1) as usize % SLOTS] = apply(operation, from);
    }
}

/// [`Operation::apply`], compiled once: the functions are long, and the emulator's kernels many.
#[inline(never)]
fn apply<R: Real>(operation: Operation, from: [R; 3]) -> R {
    operation.apply(from)
}

impl<R: Real> Objective<R> for Expression {
    const CONSTRAINED: bool = true;

    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        self.judge(x).value
    }

    #[inline(always)]
    fn violation<P: Point<R>>(&self, x: &P) -> R {
        self.judge(x).violation
    }

    #[inline(always)]
    fn judge<P: Point<R>>(&self, x: &P) -> Fitness<R> {
        let mut slots = [R::ZERO; SLOTS];
        let mut at = 0;
        loop {
            match self.read(x, at) {
                step::ONCE => {
                    self.carry_out(x, at + 1, &mut slots, 0);
                    at += 1 + INSTRUCTION;
                }
                step::FOLD => {
                    let [reduction, terms, len] = [1, 2, 3].map(|k| self.read(x, at + k) as usize);
                    let (body, held) = (at + 7, slots);
                    let term = |k: usize| {
                        let mut slots = held;
                        for number in 0..len {
                            self.carry_out(x, body + number * INSTRUCTION, &mut slots, k);
                        }
                        self.operand(x, at + 4, &slots, k)
                    };
                    let result = match Reduction::ALL[reduction % Reduction::ALL.len()] {
                        Reduction::Sum => x.fold_terms::<Sum>(terms, term),
                        Reduction::Product => x.fold_terms::<Product>(terms, term),
                        Reduction::Least => x.fold_terms::<Least>(terms, term),
                        Reduction::Greatest => x.fold_terms::<Greatest>(terms, term),
                    };
                    slots[self.read(x, at + 6) as usize % SLOTS] = result;
                    at = body + len * INSTRUCTION;
                }
                _ => {
                    let [value, violation] = [1, 3].map(|k| self.operand(x, at + k, &slots, 0));
                    return Fitness { violation, value };
                }
            }
        }
    }
}
