//! The interpreter of programs on the CPU. An instruction computes [`WIDTH`] terms of a reduction side by side, so that
//! decoding costs little compared with computing, and vector units are used.
//!
//! Constants, coordinates, data and results are in one memory and are identified by their place. An instruction in the
//! body of a reduction reads `WIDTH` numbers from a place on: those of consecutive terms, or as many copies of one
//! number.

use core::cell::Cell;

use core::ops::Range;

use super::{Greatest, Least, Operation, Reduction, apply};
use crate::real::Real;
use crate::sum::{LEAVES, Operator, Pairwise, Product, Sum, TILE, join};

/// The number of terms that an instruction computes side by side.
pub const WIDTH: usize = LEAVES;

/// The bit of a place that advances from term to term.
pub const INDEXED: u32 = 1 << 31;

/// An operation on numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The operation.
    pub operation: Operation,
    /// The place of the result.
    pub into: u32,
    /// The places of the operands, perhaps [`INDEXED`]; those after the arity are arbitrary.
    pub from: [u32; 3],
}

/// A copy of a number; both places may be [`INDEXED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The place of the number.
    pub from: u32,
    /// The place of the copy.
    pub into: u32,
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction that is executed once.
    Once {
        /// The instruction.
        instruction: Instruction,
        /// Whether [`WIDTH`] copies of the result are needed.
        spread: bool,
    },
    /// A reduction over terms.
    Fold {
        /// How the terms are combined.
        reduction: Reduction,
        /// The number of terms.
        terms: u32,
        /// The index of the body's first instruction.
        first: u32,
        /// The number of the body's instructions.
        len: u32,
        /// The place of the term after the body.
        term: u32,
        /// The place of the result.
        into: u32,
        /// Whether [`WIDTH`] copies of the result are needed.
        spread: bool,
    },
    /// The solution of the differential equation with this index.
    Solve(u32),
}

/// The solution of a differential equation: a state that is updated in rounds, which are grouped into intervals. Places
/// that are [`INDEXED`] advance from interval to interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solve {
    /// The number of intervals.
    pub intervals: u32,
    /// The largest number of rounds in an interval.
    pub rounds: u32,
    /// Moves at the start: the initial state, and what is stored of it.
    pub start: Range<usize>,
    /// Moves at the beginning of an interval.
    pub opening: Range<usize>,
    /// The instructions of a round.
    pub body: Range<usize>,
    /// Moves from one round to the next.
    pub next: Range<usize>,
    /// The place of a number that is 0 when no further round is needed.
    pub going: Option<u32>,
    /// The instructions at the end of an interval.
    pub closing: Range<usize>,
    /// Moves at the end of an interval: what is stored of it.
    pub kept: Range<usize>,
}

/// A program: its steps, and the lists to which they refer.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The steps, in order.
    pub steps: &'a [Step],
    /// The instructions of reductions and solutions.
    pub bodies: &'a [Instruction],
    /// The differential equations.
    pub solves: &'a [Solve],
    /// The moves of differential equations.
    pub moves: &'a [Move],
}

/// Executes a program.
///
/// # Panics
///
/// Panics if a place is outside the memory.
#[inline(always)]
pub fn run<R: Real>(memory: &mut [R], program: Program<'_>) {
    let memory = Cell::from_mut(memory).as_slice_of_cells();
    for step in program.steps {
        let (result, into, spread) = match *step {
            Step::Solve(number) => {
                solve(memory, &program.solves[number as usize], program);
                continue;
            }
            Step::Once { instruction: Instruction { operation, into, from }, spread } => {
                let result = operation.apply(from.map(|at| memory[at as usize].get()));
                (result, into, spread)
            }
            Step::Fold { reduction, terms, first, len, term, into, spread } => {
                let body = &program.bodies[first as usize..][..len as usize];
                (fold(memory, body, reduction, terms as usize, term), into, spread)
            }
        };
        memory[into as usize].set(result);
        if spread {
            row(memory, into, 0).iter().for_each(|place| place.set(result));
        }
    }
}

/// Executes the body of a row for [`WIDTH`] rows from `first` on, and writes the first `count` of each output: `into`
/// is `[output][row]`, with `stride` places for each output.
///
/// # Panics
///
/// Panics if a place is outside the memory, or `into` is too short.
#[inline(always)]
pub fn rows<R: Real>(
    memory: &mut [R],
    body: &[Instruction],
    outputs: &[u32],
    (first, count): (usize, usize),
    (into, stride): (&mut [R], usize),
) {
    let memory = Cell::from_mut(memory).as_slice_of_cells();
    for instruction in body {
        carry_out(memory, instruction, first);
    }
    for (k, &output) in outputs.iter().enumerate() {
        let found = row(memory, output, first);
        for (into, found) in into[k * stride..][..count].iter_mut().zip(found) {
            *into = found.get();
        }
    }
}

/// Solves a differential equation, one number at a time.
fn solve<R: Real>(memory: &[Cell<R>], of: &Solve, program: Program<'_>) {
    let cell = |place: u32, interval: u32| {
        let moved = if place & INDEXED != 0 { interval } else { 0 };
        &memory[((place & !INDEXED) + moved) as usize]
    };
    let copy = |moves: &Range<usize>, interval| {
        for &Move { from, into } in &program.moves[moves.clone()] {
            cell(into, interval).set(cell(from, interval).get());
        }
    };
    let compute = |body: &Range<usize>, interval| {
        for &Instruction { operation, into, from } in &program.bodies[body.clone()] {
            memory[into as usize].set(scalar(operation, from.map(|at| cell(at, interval).get())));
        }
    };
    copy(&of.start, 0);
    for interval in 0..of.intervals {
        copy(&of.opening, interval);
        for _ in 0..of.rounds {
            compute(&of.body, interval);
            copy(&of.next, interval);
            if of.going.is_some_and(|going| memory[going as usize].get() == R::ZERO) {
                break;
            }
        }
        compute(&of.closing, interval);
        copy(&of.kept, interval);
    }
}

/// [`Operation::apply`], inlined for operations that take no longer than a call.
#[inline(always)]
fn scalar<R: Real>(operation: Operation, from: [R; 3]) -> R {
    macro_rules! arms {
        ($($short:ident)*) => {
            match operation {
                $(Operation::$short => Operation::$short.apply(from),)*
                operation => apply(operation, from),
            }
        };
    }
    arms!(Add Subtract Multiply Divide Negate Choose Less AtMost)
}

/// The [`WIDTH`] numbers from a place on.
#[inline(always)]
fn row<R>(memory: &[Cell<R>], at: u32, first: usize) -> &[Cell<R>; WIDTH] {
    let moved = if at & INDEXED != 0 { first } else { 0 };
    let at = (at & !INDEXED) as usize + moved;
    memory[at..at + WIDTH].as_array().expect("as many as were asked for")
}

/// Executes one instruction of a body, for the terms from `first` on.
#[inline(always)]
fn carry_out<R: Real>(memory: &[Cell<R>], instruction: &Instruction, first: usize) {
    let [a, b, c] = instruction.from;
    macro_rules! arms {
        ($($operation:ident: $arity:tt),*) => {
            match instruction.operation {
                $(Operation::$operation => {
                    let from = arms!(@rows $arity);
                    // Results go to a separate array first: if they could overwrite operands, the loop would not be
                    // vectorised.
                    let mut results = [R::ZERO; WIDTH];
                    for j in 0..WIDTH {
                        results[j] = Operation::$operation.apply(arms!(@numbers $arity from j));
                    }
                    let into = row(memory, instruction.into, 0);
                    for j in 0..WIDTH {
                        into[j].set(results[j]);
                    }
                }),*
            }
        };
        (@rows 1) => { [row(memory, a, first)] };
        (@rows 2) => { [row(memory, a, first), row(memory, b, first)] };
        (@rows 3) => { [row(memory, a, first), row(memory, b, first), row(memory, c, first)] };
        (@numbers 1 $from:ident $j:ident) => { [$from[0][$j].get(), R::ZERO, R::ZERO] };
        (@numbers 2 $from:ident $j:ident) => { [$from[0][$j].get(), $from[1][$j].get(), R::ZERO] };
        (@numbers 3 $from:ident $j:ident) => {
            [$from[0][$j].get(), $from[1][$j].get(), $from[2][$j].get()]
        };
    }
    crate::for_each_operation!(arms);
}

/// Evaluates an expression with the operator type of a reduction.
macro_rules! of {
    ($reduction:ident, $operator:ident => $then:expr) => {
        match $reduction {
            Reduction::Sum => {
                type $operator = Sum;
                $then
            }
            Reduction::Product => {
                type $operator = Product;
                $then
            }
            Reduction::Least => {
                type $operator = Least;
                $then
            }
            Reduction::Greatest => {
                type $operator = Greatest;
                $then
            }
        }
    };
}

/// Executes a reduction, in the order of [`sum`](crate::sum).
#[inline(always)]
fn fold<R: Real>(
    memory: &[Cell<R>],
    body: &[Instruction],
    reduction: Reduction,
    terms: usize,
    term: u32,
) -> R {
    let mut tiles = of!(reduction, O => Pairwise::<R, 32>::new::<O>());
    for start in (0..terms).step_by(TILE) {
        let end = (start + TILE).min(terms);
        let mut leaves = [of!(reduction, O => O::identity()); LEAVES];
        for first in (start..end).step_by(WIDTH) {
            for instruction in body {
                carry_out(memory, instruction, first);
            }
            let (terms, count) = (row(memory, term, first), end - first);
            of!(reduction, O => take_in::<R, O>(&mut leaves, terms, count));
        }
        let joined = of!(reduction, O => join::<R, O, LEAVES>(leaves));
        if terms <= TILE {
            return of!(reduction, O => O::finish(joined));
        }
        of!(reduction, O => tiles.push::<O>(joined));
    }
    of!(reduction, O => O::finish(tiles.result::<O>()))
}

/// Combines up to `count` terms with their leaves.
#[inline(always)]
fn take_in<R: Real, O: Operator<R>>(
    leaves: &mut [R; LEAVES],
    terms: &[Cell<R>; WIDTH],
    count: usize,
) {
    for j in 0..WIDTH {
        let with = O::combine(leaves[j], terms[j].get());
        leaves[j] = if j < count { with } else { leaves[j] };
    }
}
