//! Programs: objectives and models that are put together from operations when they are loaded.

mod code;
mod ptx;

use std::hash::{Hash, Hasher};

use warpswarm_core::expression::{Operation, Reduction, SLOTS, SOLUTION};

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// A result.
    Slot(u32),
    /// A constant, by its bits as an `f64`.
    Constant(u64),
    Coordinate(u32),
    /// The coordinate so many after the number of the term.
    Coordinates(u32),
    /// The datum so many after the number of the term.
    Data(u32),
    /// A number that the run has for itself.
    Own(u32),
    /// The number of the run's own so many after the number of the term.
    Owns(u32),
    /// The number of the term, from 0.
    Index,
    /// A number of the solution.
    Solution(u32),
    /// The number of the solution so many after the number of the term.
    Solutions(u32),
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) into: u32,
    /// As many as the operation takes count.
    pub(crate) from: [Operand; 3],
}

impl Instruction {
    pub(crate) fn operands(&self) -> &[Operand] {
        &self.from[..self.operation.arity()]
    }
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Once(Instruction),
    Fold { reduction: Reduction, terms: u32, body: Vec<Instruction>, term: Operand, into: u32 },
    Solve(Solve),
}

/// A differential equation: see [`machine::Solve`](warpswarm_core::expression::machine::Solve). What varies from term to
/// term elsewhere varies here from interval to interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Solve {
    pub(crate) intervals: u32,
    pub(crate) rounds: u32,
    pub(crate) carried: Vec<Carried>,
    /// What is kept: at first, and at an interval's end.
    pub(crate) kept: Vec<(Operand, Operand)>,
    pub(crate) body: Vec<Instruction>,
    pub(crate) going: Option<Operand>,
    pub(crate) closing: Vec<Instruction>,
}

/// What is carried, with the result that it is: at first, into an interval, into the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) slot: u32,
    pub(crate) first: Operand,
    pub(crate) opening: Option<Operand>,
    pub(crate) next: Operand,
}

impl Solve {
    /// Numbers that are kept of each state.
    pub(crate) fn rows(&self) -> u32 {
        self.intervals + 1
    }

    /// All that is read within an interval.
    pub(crate) fn operands(&self) -> impl Iterator<Item = Operand> {
        let instructions = self.body.iter().chain(&self.closing);
        let carried = self.carried.iter().flat_map(|one| [Some(one.next), one.opening]).flatten();
        let kept = self.kept.iter().map(|(_, last)| *last);
        let of = instructions.flat_map(|instruction| instruction.operands().iter().copied());
        of.chain(carried).chain(kept).chain(self.going)
    }

    /// What is read at first.
    pub(crate) fn start(&self) -> impl Iterator<Item = Operand> {
        self.carried.iter().map(|one| one.first).chain(self.kept.iter().map(|(first, _)| *first))
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// How many results are kept at a time.
    pub(crate) slots: u32,
    /// What it computes: the value, the violation, and perhaps more.
    pub(crate) outputs: Vec<Operand>,
    /// What it computes of each row of data, where it is a model: after the steps, one after the other.
    pub(crate) rows: Vec<Rows>,
}

/// What a program computes of so many rows of data, in each of which the number of the term is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) rows: u32,
    pub(crate) body: Vec<Instruction>,
    /// What is predicted, and its derivative by each coordinate.
    pub(crate) outputs: Vec<Operand>,
}

/// Kernels are looked up by their objectives at each launch: a little of a program tells it from most.
impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.steps.len(), self.slots, &self.outputs).hash(state);
    }
}

impl Program {
    /// Whether what it computes of rows is another thing in each run.
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

    /// Whether there is room for its results; if not, why.
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

    /// Numbers that are kept of a differential equation.
    pub(crate) fn solution(&self) -> usize {
        let of = |step: &Step| match step {
            Step::Solve(solve) => solve.rows() as usize * solve.kept.len(),
            _ => 0,
        };
        self.steps.iter().map(of).sum()
    }
}
