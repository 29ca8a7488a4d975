//! Programs on the CPU: laid out for [`machine`], with a separate memory for each thread.

mod layout;

use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use warpswarm_core::Real;
use warpswarm_core::expression::machine::{self, WIDTH};
use warpswarm_cpu_ref::expressions;

use layout::Layout;

use super::names::Own;
use crate::machine::program::Program;
use crate::settings::precise::Precise;

/// A program laid out in memory.
#[derive(Debug)]
pub(super) struct Machine<R> {
    /// Identifies the memories of this program.
    number: u64,
    /// The initial contents of the memory.
    memory: Vec<R>,
    /// The position of the coordinates.
    coordinates: usize,
    /// The position of the run's own numbers, and those of all runs.
    own: usize,
    of_runs: Own,
    /// Coordinates that are replicated for all vector lanes, and their positions.
    spread: Vec<(usize, usize)>,
    steps: Vec<machine::Step>,
    bodies: Vec<machine::Instruction>,
    solves: Vec<machine::Solve>,
    moves: Vec<machine::Move>,
    outputs: Vec<u32>,
    rows: Vec<Rows>,
}

/// What is computed for each of `rows` rows of data.
#[derive(Debug)]
struct Rows {
    rows: usize,
    /// The range of its instructions among the bodies.
    body: Range<usize>,
    outputs: Vec<u32>,
}

/// The memories of the most recently used programs.
type Memories = Vec<(u64, Box<dyn Any>)>;

/// The memory of a program, and the run whose numbers it contains.
struct Memory<R> {
    numbers: Vec<R>,
    run: u32,
}
/// The number of memories that a thread keeps; if it alternates between more programs, memories are created again.
const MEMORIES: usize = 4;

thread_local! {
    static MEMORIES_HERE: RefCell<Memories> = const { RefCell::new(Vec::new()) };
}

impl<R: Real> Machine<R> {
    /// Lays out a program for this number of coordinates.
    pub(super) fn new(program: &Program, dimensions: usize, (data, own): (&[f64], &Own)) -> Self {
        Layout::new(program, dimensions, (data, own)).machine(program, own.clone())
    }

    /// Calls `take` with the results of the program at a point of a run.
    pub(super) fn at<T>(
        &self,
        at: (u32, &[R]),
        take: impl FnOnce(&mut dyn Iterator<Item = R>) -> T,
    ) -> T {
        self.with_memory(at, |memory| take(&mut self.outputs.iter().map(|&at| memory[at as usize])))
    }

    /// Computes `count` rows of data from `first` on at a point of a run. `into` is `[output][row]`, with `count` rows.
    pub(super) fn rows(&self, at: (u32, &[R]), first: usize, (into, count): (&mut [R], usize)) {
        self.with_memory(at, |memory| {
            let mut before = 0;
            for rows in &self.rows {
                let here = first.max(before)..(first + count).min(before + rows.rows);
                for start in here.clone().step_by(WIDTH) {
                    let program = (&self.bodies[rows.body.clone()], &rows.outputs[..]);
                    let these = (start - before, WIDTH.min(here.end - start));
                    let into = (&mut into[start - first..], count);
                    expressions::rows(memory, program, these, into);
                }
                before += rows.rows;
            }
        });
    }

    /// Executes the program's steps at a point of a run, and calls `then` with the memory.
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
            let memory = memory.expect("numbers are not reused");
            self.carry_out(memory, run, x);
            then(&mut memory.numbers)
        })
    }

    /// Executes the program's steps.
    fn carry_out(&self, memory: &mut Memory<R>, run: u32, x: &[R]) {
        let Memory { numbers: memory, run: before } = memory;
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
        expressions::run(memory, program);
    }
}

/// A machine for each precision, created at first use.
#[derive(Clone, Debug, Default)]
pub(super) struct Machines([OnceLock<Arc<dyn Any + Send + Sync>>; 2]);

impl Machines {
    pub(super) fn of<R: Precise>(&self, make: impl FnOnce() -> Machine<R>) -> &Machine<R> {
        let place = &self.0[R::PRECISION as usize];
        let machine = place.get_or_init(|| Arc::new(make()));
        machine.downcast_ref().expect("each precision has its place")
    }
}
