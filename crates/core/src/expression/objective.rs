//! An objective that reads its program from its data.

use super::{Greatest, Least, Operation, Reduction, apply};
use crate::data::Table;
use crate::objective::{Objective, Point};
use crate::order::Fitness;
use crate::real::Real;
use crate::sum::{Product, Sum};

/// The largest number of results that a program holds at a time.
pub const SLOTS: usize = 256;

/// The largest number of stored numbers of a differential equation's solution: on a GPU each thread has memory for
/// them.
pub const SOLUTION: usize = 4096;

/// The codes of steps, their first number. Before the first step a number says whether there is a differential
/// equation.
pub mod step {
    /// One instruction follows.
    pub const ONCE: u32 = 0;
    /// A reduction. Then: reduction, terms, instructions, the term's operand, the slot of the result, and the body.
    pub const FOLD: u32 = 1;
    /// The end. Then: the operands of value and violation.
    pub const END: u32 = 2;
    /// A differential equation. Then: intervals, rounds, the numbers of state variables and of stored variables, the
    /// numbers of instructions of a round and of an interval's end, and the operand that says whether another round
    /// follows. Then for each state variable its slot and three operands: at the start, into an interval, into the next
    /// round. Then for each stored variable two operands: at the start, and at an interval's end. Then the
    /// instructions.
    pub const SOLVE: u32 = 3;
    /// Rows of data, for a [`Curve`](crate::fit::Curve). Then: the numbers of rows, instructions and outputs, the
    /// outputs' operands, and the instructions. Such steps are the last ones before the end; each has the rows after
    /// those of the previous one.
    pub const ROWS: u32 = 4;
}

/// The codes of operands, their first number; the second number is the place.
pub mod operand {
    /// A result.
    pub const SLOT: u32 = 0;
    /// A constant.
    pub const CONSTANT: u32 = 1;
    /// A coordinate.
    pub const COORDINATE: u32 = 2;
    /// The coordinate whose index is the place plus the term's number.
    pub const COORDINATES: u32 = 3;
    /// The datum whose index is the place plus the term's number.
    pub const DATA: u32 = 4;
    /// The number of the term, from 0.
    pub const INDEX: u32 = 5;
    /// A number of the solution.
    pub const SOLUTION: u32 = 6;
    /// The number of the solution whose index is the place plus the term's number.
    pub const SOLUTIONS: u32 = 7;
    /// No operand.
    pub const NONE: u32 = 8;
    /// A number of the run's own data.
    pub const OWN: u32 = 9;
    /// The number of the run's own data whose index is the place plus the term's number.
    pub const OWNS: u32 = 10;
}

/// The length of an instruction: operation, slot of the result, three operands.
pub(super) const INSTRUCTION: usize = 8;
/// The length of a state variable: its slot, and three operands.
const CARRIED: usize = 7;
/// The length of a stored variable: two operands.
const KEPT: usize = 4;

/// An expression's program, as a list of numbers, with its constants and data.
///
/// Used by the emulator. It is short, where [`machine`](super::machine) and the code for GPUs are fast.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The [`step`]s.
    pub program: Table,
    /// The constants.
    pub constants: Table,
    /// The data, column after column.
    pub data: Table,
    /// The data of each run.
    pub own: Table,
}

impl Expression {
    #[inline(always)]
    pub(super) fn read<R: Real, P: Point<R>>(&self, x: &P, at: usize) -> u32 {
        x.data(self.program, at).to_f64() as u32
    }

    /// The operand given by the two numbers from `at` on, in term `k`.
    #[inline(always)]
    pub(super) fn operand<R: Real, P: Point<R>>(
        &self,
        x: &P,
        at: usize,
        slots: &[R; SLOTS],
        solution: &[R],
        k: usize,
    ) -> R {
        let place = self.read(x, at + 1) as usize;
        let solved = |place: usize| solution.get(place).copied().unwrap_or(R::NAN);
        match self.read(x, at) {
            operand::SLOT => slots[place % SLOTS],
            operand::CONSTANT => x.data(self.constants, place),
            operand::COORDINATE => x.get(place),
            operand::COORDINATES => x.get(place + k),
            operand::DATA => x.data(self.data, place + k),
            operand::OWN => x.data(self.own, place),
            operand::OWNS => x.data(self.own, place + k),
            operand::SOLUTION => solved(place),
            operand::SOLUTIONS => solved(place + k),
            _ => R::from_u32(k as u32),
        }
    }

    /// Executes the instruction at `at`, in term `k`.
    #[inline(always)]
    pub(super) fn carry_out<R: Real, P: Point<R>>(
        &self,
        x: &P,
        at: usize,
        slots: &mut [R; SLOTS],
        solution: &[R],
        k: usize,
    ) {
        let operation = self.read(x, at) as usize;
        let operation = Operation::ALL.get(operation).copied().unwrap_or(Operation::Choose);
        let mut from = [R::ZERO; 3];
        for (j, from) in from.iter_mut().enumerate().take(operation.arity()) {
            *from = self.operand(x, at + 2 + 2 * j, slots, solution, k);
        }
        slots[self.read(x, at + 1) as usize % SLOTS] = apply(operation, from);
    }

    /// Solves the differential equation at `at`; returns the place of the next step.
    #[inline(never)]
    fn solve<R: Real, P: Point<R>>(
        &self,
        x: &P,
        at: usize,
        slots: &mut [R; SLOTS],
        solution: &mut [R],
    ) -> usize {
        let [intervals, rounds, carried, kept, body, closing] =
            [1, 2, 3, 4, 5, 6].map(|k| self.read(x, at + k) as usize);
        let going = at + 7;
        let of_carried = going + 2;
        let of_kept = of_carried + carried * CARRIED;
        let of_body = of_kept + kept * KEPT;
        let of_closing = of_body + body * INSTRUCTION;
        let is_there = |at: usize| self.read(x, at) != operand::NONE;
        // Updates the state variables with operand number `which` of each.
        let carry = |slots: &mut [R; SLOTS], which: usize, interval: usize| {
            for number in 0..carried {
                let (into, from) = (of_carried + number * CARRIED, 1 + 2 * which);
                if is_there(into + from) {
                    let with = self.operand(x, into + from, slots, &[], interval);
                    slots[self.read(x, into) as usize % SLOTS] = with;
                }
            }
        };
        let mut keep = |slots: &[R; SLOTS], which: usize, row: usize| {
            for number in 0..kept {
                let of = of_kept + number * KEPT + 2 * which;
                if let Some(place) = solution.get_mut(number * (intervals + 1) + row) {
                    *place = self.operand(x, of, slots, &[], row - which);
                }
            }
        };
        keep(slots, 0, 0);
        carry(slots, 0, 0);
        for interval in 0..intervals {
            carry(slots, 1, interval);
            for _ in 0..rounds {
                for number in 0..body {
                    self.carry_out(x, of_body + number * INSTRUCTION, slots, &[], interval);
                }
                carry(slots, 2, interval);
                if is_there(going) && self.operand(x, going, slots, &[], interval) == R::ZERO {
                    break;
                }
            }
            for number in 0..closing {
                self.carry_out(x, of_closing + number * INSTRUCTION, slots, &[], interval);
            }
            keep(slots, 1, interval + 1);
        }
        of_closing + closing * INSTRUCTION
    }

    /// Executes all steps except rows; returns the place of the next one.
    #[inline(never)]
    pub(super) fn steps<R: Real, P: Point<R>>(
        &self,
        x: &P,
        slots: &mut [R; SLOTS],
        solution: &mut [R],
    ) -> usize {
        let mut at = 1;
        loop {
            match self.read(x, at) {
                step::ONCE => {
                    self.carry_out(x, at + 1, slots, solution, 0);
                    at += 1 + INSTRUCTION;
                }
                step::FOLD => at = self.fold(x, at, slots, solution),
                step::SOLVE => at = self.solve(x, at, slots, solution),
                _ => return at,
            }
        }
    }

    /// Executes the reduction at `at`; returns the place of the next step.
    #[inline(never)]
    fn fold<R: Real, P: Point<R>>(
        &self,
        x: &P,
        at: usize,
        slots: &mut [R; SLOTS],
        solution: &[R],
    ) -> usize {
        let [reduction, terms, len] = [1, 2, 3].map(|k| self.read(x, at + k) as usize);
        let (body, held) = (at + 7, *slots);
        let term = |k: usize| {
            let mut slots = held;
            for number in 0..len {
                self.carry_out(x, body + number * INSTRUCTION, &mut slots, solution, k);
            }
            self.operand(x, at + 4, &slots, solution, k)
        };
        let result = match Reduction::ALL[reduction % Reduction::ALL.len()] {
            Reduction::Sum => x.fold_terms::<Sum>(terms, term),
            Reduction::Product => x.fold_terms::<Product>(terms, term),
            Reduction::Least => x.fold_terms::<Least>(terms, term),
            Reduction::Greatest => x.fold_terms::<Greatest>(terms, term),
        };
        slots[self.read(x, at + 6) as usize % SLOTS] = result;
        body + len * INSTRUCTION
    }

    /// The objective, with room for `N` numbers of a solution.
    #[inline(never)]
    fn with_room<R: Real, P: Point<R>, const N: usize>(&self, x: &P) -> Fitness<R> {
        let mut slots = [R::ZERO; SLOTS];
        let mut solution = [R::ZERO; N];
        let at = self.steps(x, &mut slots, &mut solution);
        let [value, violation] = [1, 3].map(|k| self.operand(x, at + k, &slots, &solution, 0));
        Fitness { violation, value }
    }
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
        match self.read(x, 0) {
            0 => self.with_room::<R, P, 0>(x),
            _ => self.with_room::<R, P, SOLUTION>(x),
        }
    }
}
