//! The memory layout of a program.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use warpswarm_core::Real;
use warpswarm_core::expression::machine::{self, INDEXED, Move, WIDTH};

use super::super::names::Own;
use super::{Machine, Rows};
use crate::machine::program::{self, Carried, Instruction, Operand, Program, Solve, Step};

/// The positions in memory.
pub(super) struct Layout<R> {
    memory: Vec<R>,
    constants: HashMap<u64, u32>,
    coordinates: u32,
    spread: HashMap<u32, u32>,
    data: u32,
    own: u32,
    index: u32,
    slots: u32,
    solution: u32,
}

impl<R: Real> Layout<R> {
    pub(super) fn new(program: &Program, dimensions: usize, (data, own): (&[f64], &Own)) -> Self {
        let mut layout = Layout {
            memory: Vec::new(),
            constants: HashMap::new(),
            coordinates: 0,
            spread: HashMap::new(),
            data: 0,
            own: 0,
            index: 0,
            slots: 0,
            solution: 0,
        };
        // The results come first, because they are used most.
        layout.slots = layout.room(program.slots as usize * WIDTH);
        layout.coordinates = layout.room(dimensions + WIDTH);
        layout.solution = layout.room(program.solution() + WIDTH);
        let mut most_terms = 0;
        for step in &program.steps {
            match step {
                Step::Once(instruction) => layout.constants(instruction.operands()),
                Step::Fold { body, term, terms, .. } => {
                    layout.terms(body, std::slice::from_ref(term), *terms, &mut most_terms);
                }
                Step::Solve(solve) => {
                    let operands: Vec<Operand> = solve.operands().chain(solve.start()).collect();
                    layout.constants(&operands);
                }
            }
        }
        for program::Rows { rows, body, outputs } in &program.rows {
            layout.terms(body, outputs, *rows, &mut most_terms);
        }
        layout.constants(&program.outputs);
        layout.index = layout.room(most_terms as usize + WIDTH);
        for (k, place) in layout.memory[layout.index as usize..].iter_mut().enumerate() {
            *place = R::from_u32(k as u32);
        }
        layout.data = layout.room(data.len() + WIDTH);
        for (place, &number) in layout.memory[layout.data as usize..].iter_mut().zip(data) {
            *place = R::from_f64(number);
        }
        layout.own = layout.room(own.count + WIDTH);
        for (place, &number) in layout.memory[layout.own as usize..].iter_mut().zip(own.of(0)) {
            *place = R::from_f64(number);
        }
        layout
    }

    /// Allocates what these terms read side by side.
    fn terms(&mut self, body: &[Instruction], terms: &[Operand], count: u32, most_terms: &mut u32) {
        let operands = || body.iter().flat_map(Instruction::operands).chain(terms);
        operands().for_each(|&operand| {
            self.constants(&[operand]);
            if let Operand::Coordinate(at) = operand
                && !self.spread.contains_key(&at)
            {
                let place = self.room(WIDTH);
                self.spread.insert(at, place);
            }
        });
        if operands().any(|operand| *operand == Operand::Index) {
            *most_terms = count.max(*most_terms);
        }
    }

    /// Allocates numbers at the end of the memory; returns their position.
    fn room(&mut self, numbers: usize) -> u32 {
        let at = self.memory.len();
        self.memory.resize(at + numbers, R::ZERO);
        at as u32
    }

    fn constants(&mut self, operands: &[Operand]) {
        for operand in operands {
            if let Operand::Constant(bits) = *operand
                && !self.constants.contains_key(&bits)
            {
                let at = self.room(WIDTH);
                self.memory[at as usize..].fill(R::from_f64(f64::from_bits(bits)));
                self.constants.insert(bits, at);
            }
        }
    }

    /// The position of an operand, in a body or outside of one.
    fn place(&self, operand: Operand, in_body: bool) -> u32 {
        match operand {
            Operand::Slot(slot) => self.slots + slot * WIDTH as u32,
            Operand::Constant(bits) => self.constants[&bits],
            Operand::Coordinate(at) if in_body => self.spread[&at],
            Operand::Coordinate(at) => self.coordinates + at,
            Operand::Coordinates(at) => (self.coordinates + at) | INDEXED,
            Operand::Data(at) => (self.data + at) | INDEXED,
            Operand::Own(at) => self.own + at,
            Operand::Owns(at) => (self.own + at) | INDEXED,
            Operand::Index => self.index | INDEXED,
            Operand::Solution(at) => self.solution + at,
            Operand::Solutions(at) => (self.solution + at) | INDEXED,
        }
    }

    fn instruction(&self, instruction: &Instruction, in_body: bool) -> machine::Instruction {
        let mut from = [self.slots; 3];
        for (from, &operand) in from.iter_mut().zip(instruction.operands()) {
            *from = self.place(operand, in_body);
        }
        let into = self.place(Operand::Slot(instruction.into), in_body);
        machine::Instruction { operation: instruction.operation, into, from }
    }

    fn solve(
        &self,
        solve: &Solve,
        bodies: &mut Vec<machine::Instruction>,
        moves: &mut Vec<Move>,
    ) -> machine::Solve {
        let place = |operand| self.place(operand, false);
        let mut instructions = |of: &[Instruction]| {
            let first = bodies.len();
            bodies.extend(of.iter().map(|instruction| self.instruction(instruction, false)));
            first..bodies.len()
        };
        let (body, closing) = (instructions(&solve.body), instructions(&solve.closing));
        let mut copies = |all: Vec<Move>| {
            let first = moves.len();
            moves.extend(all);
            first..moves.len()
        };
        let carry = |of: &dyn Fn(&Carried) -> Option<Operand>| {
            let one = |carried: &Carried| {
                let into = place(Operand::Slot(carried.slot));
                of(carried).map(|from| Move { from: place(from), into })
            };
            solve.carried.iter().filter_map(one).collect::<Vec<Move>>()
        };
        let keep = |row: u32, of: &dyn Fn(&(Operand, Operand)) -> Operand| {
            let rows = (row..).step_by(solve.rows() as usize);
            let one = |(from, at)| Move { from: place(from), into: place(Operand::Solutions(at)) };
            solve.kept.iter().map(of).zip(rows).map(one).collect::<Vec<Move>>()
        };
        machine::Solve {
            intervals: solve.intervals,
            rounds: solve.rounds,
            start: copies([carry(&|one| Some(one.first)), keep(0, &|one| one.0)].concat()),
            opening: copies(carry(&|one| one.opening)),
            body,
            next: copies(carry(&|one| Some(one.next))),
            going: solve.going.map(place),
            closing,
            kept: copies(keep(1, &|one| one.1)),
        }
    }

    pub(super) fn machine(self, program: &Program, of_runs: Own) -> Machine<R> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let spread = are_spread(program);
        let (mut bodies, mut solves, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        let step = |(step, &spread): (&Step, &bool)| match step {
            Step::Once(instruction) => {
                machine::Step::Once { instruction: self.instruction(instruction, false), spread }
            }
            Step::Fold { reduction, terms, body, term, into } => {
                let first = bodies.len() as u32;
                bodies.extend(body.iter().map(|instruction| self.instruction(instruction, true)));
                machine::Step::Fold {
                    reduction: *reduction,
                    terms: *terms,
                    first,
                    len: body.len() as u32,
                    term: self.place(*term, true),
                    into: self.place(Operand::Slot(*into), false),
                    spread,
                }
            }
            Step::Solve(solve) => {
                solves.push(self.solve(solve, &mut bodies, &mut moves));
                machine::Step::Solve(solves.len() as u32 - 1)
            }
        };
        let steps = program.steps.iter().zip(&spread).map(step).collect();
        let outputs = program.outputs.iter().map(|&output| self.place(output, false)).collect();
        let mut rows = Vec::with_capacity(program.rows.len());
        for program::Rows { rows: count, body, outputs } in &program.rows {
            let first = bodies.len();
            bodies.extend(body.iter().map(|instruction| self.instruction(instruction, true)));
            let outputs = outputs.iter().map(|&output| self.place(output, true)).collect();
            rows.push(Rows { rows: *count as usize, body: first..bodies.len(), outputs });
        }
        let spread = self.spread.iter().map(|(&x, &at)| (x as usize, at as usize)).collect();
        Machine {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            coordinates: self.coordinates as usize,
            own: self.own as usize,
            of_runs,
            memory: self.memory,
            spread,
            steps,
            bodies,
            solves,
            moves,
            outputs,
            rows,
        }
    }
}

/// For each step, whether the body of a reduction or row reads its result.
fn are_spread(program: &Program) -> Vec<bool> {
    let mut spread = vec![false; program.steps.len()];
    let mut writer: HashMap<u32, usize> = HashMap::new();
    let mut read_by = |body: &[Instruction], terms: &[Operand], writer: &HashMap<u32, usize>| {
        let mut own = Vec::new();
        let mut read = |operand: &Operand, own: &[u32]| {
            if let Operand::Slot(slot) = operand
                && !own.contains(slot)
                && let Some(&step) = writer.get(slot)
            {
                spread[step] = true;
            }
        };
        for instruction in body {
            instruction.operands().iter().for_each(|operand| read(operand, &own));
            own.push(instruction.into);
        }
        terms.iter().for_each(|term| read(term, &own));
    };
    for (at, step) in program.steps.iter().enumerate() {
        let into = match step {
            Step::Once(instruction) => instruction.into,
            Step::Fold { body, term, into, .. } => {
                read_by(body, std::slice::from_ref(term), &writer);
                *into
            }
            // It reads single numbers, and other bodies do not read its results.
            Step::Solve(_) => continue,
        };
        writer.insert(into, at);
    }
    for rows in &program.rows {
        read_by(&rows.body, &rows.outputs, &writer);
    }
    spread
}
