//! Programs on the CPU: laid out for [`machine`], each thread with a memory of its own.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use warpswarm_core::Real;
use warpswarm_core::expression::machine::{self, INDEXED, Move, WIDTH};
use warpswarm_cpu_ref::vectors::{Run, Vectors};

use super::names::Own;
use super::program::{self, Carried, Instruction, Operand, Program, Solve, Step};
use crate::problems::Precise;

/// A program laid out in memory.
#[derive(Debug)]
pub(super) struct Machine<R> {
    /// Tells memories of different programs apart.
    number: u64,
    /// What memory is at first.
    memory: Vec<R>,
    /// Where the coordinates go.
    coordinates: usize,
    /// Where the numbers go that the run has for itself, and those of all runs.
    own: usize,
    of_runs: Own,
    /// Coordinates that are needed side by side, and where.
    spread: Vec<(usize, usize)>,
    steps: Vec<machine::Step>,
    bodies: Vec<machine::Instruction>,
    solves: Vec<machine::Solve>,
    moves: Vec<machine::Move>,
    outputs: Vec<u32>,
    rows: Vec<Rows>,
    vectors: Vectors,
}

/// What is computed of each of so many rows of data.
#[derive(Debug)]
struct Rows {
    rows: usize,
    /// The instructions, among the bodies.
    body: Range<usize>,
    outputs: Vec<u32>,
}

/// Memories of programs, those of the programs used last.
type Memories = Vec<(u64, Box<dyn Any>)>;

/// The memory of a program, and the run whose numbers are in it.
struct Memory<R> {
    numbers: Vec<R>,
    run: u32,
}
/// A thread that alternates between more programs than this makes their memories anew.
const MEMORIES: usize = 4;

thread_local! {
    static MEMORIES_HERE: RefCell<Memories> = const { RefCell::new(Vec::new()) };
}

impl<R: Real> Machine<R> {
    /// Lays out a program of so many coordinates.
    pub(super) fn new(program: &Program, dimensions: usize, (data, own): (&[f64], &Own)) -> Self {
        Layout::new(program, dimensions, (data, own)).machine(program, own.clone())
    }

    /// Hands what the program computes at a point of a run to `take`.
    pub(super) fn at<T>(
        &self,
        at: (u32, &[R]),
        take: impl FnOnce(&mut dyn Iterator<Item = R>) -> T,
    ) -> T {
        self.with_memory(at, |memory| take(&mut self.outputs.iter().map(|&at| memory[at as usize])))
    }

    /// What the program computes of rows of data from one on at a point of a run: `into` is `[output][row]`, with so many
    /// rows.
    pub(super) fn rows(&self, at: (u32, &[R]), first: usize, (into, count): (&mut [R], usize)) {
        self.with_memory(at, |memory| {
            let mut before = 0;
            for rows in &self.rows {
                let here = first.max(before)..(first + count).min(before + rows.rows);
                for start in here.clone().step_by(WIDTH) {
                    let work = OfRows {
                        memory,
                        body: &self.bodies[rows.body.clone()],
                        outputs: &rows.outputs,
                        rows: (start - before, WIDTH.min(here.end - start)),
                        into: (&mut into[start - first..], count),
                    };
                    self.vectors.run(work);
                }
                before += rows.rows;
            }
        });
    }

    /// Carries out the program's steps at a point of a run, and hands the memory to `then`.
    fn with_memory<T>(&self, (run, x): (u32, &[R]), then: impl FnOnce(&mut [R]) -> T) -> T {
        MEMORIES_HERE.with_borrow_mut(|memories| {
            let at = memories.iter().position(|(number, _)| *number == self.number);
            let at = at.unwrap_or_else(|| {
                memories.truncate(MEMORIES - 1);
                let memory = Memory { numbers: self.memory.clone(), run: 0 };
                memories.insert(0, (self.number, Box::new(memory)));
                0
            });
            let memory = memories[at].1.downcast_mut::<Memory<R>>();
            let Memory { numbers: memory, run: before } = memory.expect("numbers are not reused");
            if *before != run {
                let own = self.of_runs.of(run as usize);
                let places = memory[self.own..].iter_mut().zip(own);
                places.for_each(|(place, &number)| *place = R::from_f64(number));
                *before = run;
            }
            memory[self.coordinates..][..x.len()].copy_from_slice(x);
            for &(coordinate, at) in &self.spread {
                memory[at..][..WIDTH].fill(x[coordinate]);
            }
            let program = machine::Program {
                steps: &self.steps,
                bodies: &self.bodies,
                solves: &self.solves,
                moves: &self.moves,
            };
            self.vectors.run(Work { memory, program });
            then(memory)
        })
    }
}

/// A machine for each precision, made when it is first asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Machines([OnceLock<Arc<dyn Any + Send + Sync>>; 2]);

impl Machines {
    pub(super) fn of<R: Precise>(&self, make: impl FnOnce() -> Machine<R>) -> &Machine<R> {
        let place = &self.0[R::PRECISION as usize];
        let machine = place.get_or_init(|| Arc::new(make()));
        machine.downcast_ref().expect("each precision has its place")
    }
}

/// A program to be carried out, with whatever vectors there are.
struct Work<'a, R> {
    memory: &'a mut [R],
    program: machine::Program<'a>,
}

impl<R: Real> Run for Work<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        machine::run(self.memory, self.program);
    }
}

/// Rows of data, likewise.
struct OfRows<'a, R> {
    memory: &'a mut [R],
    body: &'a [machine::Instruction],
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

/// Where everything is.
struct Layout<R> {
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
    fn new(program: &Program, dimensions: usize, (data, own): (&[f64], &Own)) -> Self {
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
        // The results first: they are used most.
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

    /// What so many terms need side by side.
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

    /// Makes room at the end of the memory; says where.
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

    /// Where an operand is, in a body or outside of one.
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

    fn machine(self, program: &Program, of_runs: Own) -> Machine<R> {
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
            vectors: Vectors::new(),
        }
    }
}

/// Of each step whether a reduction's body, or a row's, reads its result.
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
            // It reads numbers one by one, and what it leaves is not read by the bodies of others.
            Step::Solve(_) => continue,
        };
        writer.insert(into, at);
    }
    for rows in &program.rows {
        read_by(&rows.body, &rows.outputs, &writer);
    }
    spread
}
