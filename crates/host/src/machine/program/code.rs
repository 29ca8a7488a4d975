//! Programs encoded as numbers, for the emulator's objective.

use warpswarm_core::Float;
use warpswarm_core::expression::{operand, step};

use super::{Instruction, Operand, Program, Rows, Solve, Step};

impl Program {
    /// The program in the encoding of [`Expression`](warpswarm_core::expression::Expression), and its constants.
    pub(crate) fn encoded<R: Float>(&self) -> (Vec<R>, Vec<R>) {
        let mut code = Code::default();
        code.numbers.push((self.solution() > 0).into());
        for step in &self.steps {
            match step {
                Step::Once(instruction) => {
                    code.numbers.push(step::ONCE);
                    code.instruction(instruction);
                }
                Step::Fold { reduction, terms, body, term, into } => {
                    let head = [step::FOLD, *reduction as u32, *terms, body.len() as u32];
                    code.numbers.extend(head);
                    code.operand(*term);
                    code.numbers.push(*into);
                    body.iter().for_each(|instruction| code.instruction(instruction));
                }
                Step::Solve(solve) => code.solve(solve),
            }
        }
        for Rows { rows, body, outputs } in &self.rows {
            code.numbers.extend([step::ROWS, *rows, body.len() as u32, outputs.len() as u32]);
            outputs.iter().for_each(|&output| code.operand(output));
            body.iter().for_each(|instruction| code.instruction(instruction));
        }
        code.numbers.push(step::END);
        self.outputs.iter().take(2).for_each(|&output| code.operand(output));
        let constants = code.constants.iter().map(|&bits| R::from_f64(f64::from_bits(bits)));
        (code.numbers.iter().map(|&number| R::from_u32(number)).collect(), constants.collect())
    }
}

/// A program encoded as numbers.
#[derive(Default)]
struct Code {
    numbers: Vec<u32>,
    constants: Vec<u64>,
}

impl Code {
    fn instruction(&mut self, instruction: &Instruction) {
        self.numbers.extend([instruction.operation as u32, instruction.into]);
        instruction.from.iter().for_each(|&from| self.operand(from));
    }

    fn solve(&mut self, solve: &Solve) {
        let Solve { intervals, rounds, carried, kept, body, going, closing } = solve;
        self.numbers.extend([step::SOLVE, *intervals, *rounds]);
        let counts = [carried.len(), kept.len(), body.len(), closing.len()];
        self.numbers.extend(counts.map(|count| count as u32));
        self.perhaps(*going);
        for one in carried {
            self.numbers.push(one.slot);
            self.operand(one.first);
            self.perhaps(one.opening);
            self.operand(one.next);
        }
        for &(first, last) in kept {
            self.operand(first);
            self.operand(last);
        }
        body.iter().chain(closing).for_each(|instruction| self.instruction(instruction));
    }

    /// An optional operand.
    fn perhaps(&mut self, operand: Option<Operand>) {
        match operand {
            Some(operand) => self.operand(operand),
            None => self.numbers.extend([operand::NONE, 0]),
        }
    }

    fn operand(&mut self, operand: Operand) {
        let (kind, place) = match operand {
            Operand::Slot(slot) => (operand::SLOT, slot),
            Operand::Constant(bits) => {
                let known = self.constants.iter().position(|&other| other == bits);
                let at = known.unwrap_or_else(|| {
                    self.constants.push(bits);
                    self.constants.len() - 1
                });
                (operand::CONSTANT, at as u32)
            }
            Operand::Coordinate(at) => (operand::COORDINATE, at),
            Operand::Coordinates(at) => (operand::COORDINATES, at),
            Operand::Data(at) => (operand::DATA, at),
            Operand::Own(at) => (operand::OWN, at),
            Operand::Owns(at) => (operand::OWNS, at),
            Operand::Index => (operand::INDEX, 0),
            Operand::Solution(at) => (operand::SOLUTION, at),
            Operand::Solutions(at) => (operand::SOLUTIONS, at),
        };
        self.numbers.extend([kind, place]);
    }
}
