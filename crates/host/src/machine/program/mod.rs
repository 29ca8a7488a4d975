//! Programs: objectives and models that are built from operations at run time.

mod code;
mod ptx;

use std::hash::{Hash, Hasher};

use warpswarm_core::expression::{Operation, Reduction, SLOTS, SOLUTION};

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// A result, in this slot.
    Slot(u32),
    /// A constant, by its bits as an `f64`.
    Constant(u64),
    Coordinate(u32),
    /// The coordinate at this offset from the index of the term.
    Coordinates(u32),
    /// The datum at this offset from the index of the term.
    Data(u32),
    /// A number of the run's own data.
    Own(u32),
    /// The number of the run's own data at this offset from the index of the term.
    Owns(u32),
    /// The index of the term, from 0.
    Index,
    /// A number of the solution.
    Solution(u32),
    /// The number of the solution at this offset from the index of the term.
    Solutions(u32),
}

/// An operation with its operands and the slot of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) into: u32,
    /// Only the first operands count, as many as the operation takes.
    pub(crate) from: [Operand; 3],
}

impl Instruction {
    pub(crate) fn operands(&self) -> &[Operand] {
        &self.from[..self.operation.arity()]
    }
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Once(Instruction),
    Fold { reduction: Reduction, terms: u32, body: Vec<Instruction>, term: Operand, into: u32 },
    Solve(Solve),
}

/// A differential equation: see [`machine::Solve`](warpswarm_core::expression::machine::Solve). Values that differ
/// between terms elsewhere differ between intervals here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Solve {
    pub(crate) intervals: u32,
    pub(crate) rounds: u32,
    pub(crate) carried: Vec<Carried>,
    /// The stored values: initially, and at the end of an interval.
    pub(crate) kept: Vec<(Operand, Operand)>,
    pub(crate) body: Vec<Instruction>,
    pub(crate) going: Option<Operand>,
    pub(crate) closing: Vec<Instruction>,
}

/// A carried value: its slot, the initial value, the one with which an interval opens, and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) slot: u32,
    pub(crate) first: Operand,
    pub(crate) opening: Option<Operand>,
    pub(crate) next: Operand,
}

impl Solve {
    /// The count of numbers stored for each state.
    pub(crate) fn rows(&self) -> u32 {
        self.intervals + 1
    }

    /// All operands that are read within an interval.
    pub(crate) fn operands(&self) -> impl Iterator<Item = Operand> {
        let instructions = self.body.iter().chain(&self.closing);
        let carried = self.carried.iter().flat_map(|one| [Some(one.next), one.opening]).flatten();
        let kept = self.kept.iter().map(|(_, last)| *last);
        let of = instructions.flat_map(|instruction| instruction.operands().iter().copied());
        of.chain(carried).chain(kept).chain(self.going)
    }

    /// The operands that are read at the start.
    pub(crate) fn start(&self) -> impl Iterator<Item = Operand> {
        self.carried.iter().map(|one| one.first).chain(self.kept.iter().map(|(first, _)| *first))
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// The number of results that are live at a time.
    pub(crate) slots: u32,
    /// The results: the value, the violation, and possibly more.
    pub(crate) outputs: Vec<Operand>,
    /// For a model: the results for each row of data, computed after the steps, in order.
    pub(crate) rows: Vec<Rows>,
}

/// The results of a program for `rows` rows of data; the index of the term is the index of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) rows: u32,
    pub(crate) body: Vec<Instruction>,
    /// The prediction, and its derivative by each coordinate.
    pub(crate) outputs: Vec<Operand>,
}

/// Kernels are looked up by their objectives at each launch: hashing a small part of a program distinguishes it from
/// most others.
impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.steps.len(), self.slots, &self.outputs).hash(state);
    }
}

impl Program {
    /// Whether the results for rows differ between runs.
    pub(crate) fn reads_own(&self) -> bool {
        let is_own = |operand: &Operand| matches!(operand, Operand::Own(_) | Operand::Owns(_));
        let by = |instruction: &Instruction| instruction.operands().iter().any(is_own);
        let step = |step: &Step| match step {
            Step::Once(instruction) => by(instruction),
            Step::Fold { body, term, .. } => is_own(term) || body.iter().any(by),
            Step::Solve(_) => true,
        };
        let of_rows = |rows: &Rows| rows.outputs.iter().any(is_own) || rows.body.iter().any(by);
        self.rows.iter().any(of_rows) || self.steps.iter().any(step)
    }

    /// Checks that there is room for its results; on failure returns the reason.
    pub(crate) fn fits(&self) -> Result<(), String> {
        if self.slots as usize > SLOTS {
            return Err(format!("too many results are needed at a time; allowed: {SLOTS}"));
        }
        let numbers = self.solution();
        if numbers > SOLUTION {
            return Err(format!(
                "[ode]: {numbers} numbers of its solution are used, one for each time and state; allowed: {SOLUTION}"
            ));
        }
        Ok(())
    }

    /// The count of numbers stored for a differential equation.
    pub(crate) fn solution(&self) -> usize {
        let of = |step: &Step| match step {
            Step::Solve(solve) => solve.rows() as usize * solve.kept.len(),
            _ => 0,
        };
        self.steps.iter().map(of).sum()
    }
}
