//! Compiles a graph to a program: a sequence of steps, and the slots of their results.

use std::collections::{BTreeSet, HashMap};

use super::graph::{self, Graph, Node, Value};
use crate::machine::program::{Carried, Instruction, Operand, Program, Rows, Solve, Step};

/// The slots of results.
#[derive(Default)]
struct Slots {
    of: HashMap<Value, u32>,
    free: BTreeSet<u32>,
    count: u32,
}

impl Slots {
    fn take(&mut self, value: Value) -> u32 {
        let slot = self.free.pop_first().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.of.insert(value, slot);
        slot
    }

    fn give_back(&mut self, value: Value) {
        if let Some(slot) = self.of.remove(&value) {
            self.free.insert(slot);
        }
    }
}

impl Program {
    /// The program that computes these values of a graph.
    pub(super) fn new(graph: &Graph, outputs: &[Value]) -> Self {
        Program::with_rows(graph, outputs, &[])
    }

    /// As [`new`](Program::new), with values that differ between rows: the number of rows and their values.
    pub(super) fn with_rows(graph: &Graph, outputs: &[Value], rows: &[(u32, Vec<Value>)]) -> Self {
        // Values that are the same in all rows are computed and stored once.
        let shared = rows.iter().flat_map(|(_, values)| scalars_of(graph, values));
        let wanted: Vec<Value> = outputs.iter().copied().chain(shared).collect();
        // The values that are computed once, in order, and the bodies of those that are reductions.
        let reads = |value| match (graph.node(value), graph.solve()) {
            (Node::Fold { term, .. }, _) => scalars_of(graph, &[term]),
            (Node::Solve, Some((_, solve))) => {
                let within = [solve.of_round(), solve.of_closing()].concat();
                let opening = solve.carried.iter().filter_map(|carried| carried.opening);
                let all: Vec<Value> = within.into_iter().chain(opening).collect();
                [scalars_of(graph, &all), solve.of_start()].concat()
            }
            _ => arguments(graph, value),
        };
        let once = reached(&wanted, reads);
        let once: Vec<Value> = once.into_iter().filter(|&v| is_computed(graph, v)).collect();
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (at, &value) in once.iter().enumerate() {
            last.extend(reads(value).into_iter().map(|read| (read, at)));
        }
        last.extend(wanted.iter().map(|&value| (value, usize::MAX)));

        let mut slots = Slots::default();
        let mut steps = Vec::with_capacity(once.len());
        for (at, &value) in once.iter().enumerate() {
            let mut step = match (graph.node(value), graph.solve()) {
                (Node::Fold { reduction, terms, term }, _) => {
                    let (body, term) = body(graph, &[term], &mut slots);
                    Step::Fold { reduction, terms, body, term: term[0], into: 0 }
                }
                (Node::Solve, Some((_, of))) => Step::Solve(solve(graph, of, &mut slots)),
                _ => Step::Once(instruction(graph, value, &slots)),
            };
            for read in reads(value) {
                if last.get(&read) == Some(&at) {
                    slots.give_back(read);
                }
            }
            match &mut step {
                Step::Once(instruction) => instruction.into = slots.take(value),
                Step::Fold { into, .. } => *into = slots.take(value),
                Step::Solve(_) => {}
            }
            steps.push(step);
        }
        let outputs = outputs.iter().map(|&output| operand_of(graph, output, &slots)).collect();
        let mut of_rows = |(rows, values): &(u32, Vec<Value>)| {
            let (body, outputs) = body(graph, values, &mut slots);
            Rows { rows: *rows, body, outputs }
        };
        let rows = rows.iter().map(&mut of_rows).collect();
        Program { steps, slots: slots.count, outputs, rows }
    }
}

fn is_computed(graph: &Graph, value: Value) -> bool {
    matches!(graph.node(value), Node::Apply(..) | Node::Fold { .. } | Node::Solve)
}

/// The operands of a value, without the term of a reduction and the rounds of a differential equation.
fn arguments(graph: &Graph, value: Value) -> Vec<Value> {
    match graph.node(value) {
        Node::Apply(operation, from) => from[..operation.arity()].to_vec(),
        Node::Solution(_) | Node::Solutions(_) => {
            graph.solve().iter().map(|(solve, _)| *solve).collect()
        }
        _ => Vec::new(),
    }
}

/// The values that are reachable from some values, in order.
pub(super) fn reached(from: &[Value], next: impl Fn(Value) -> Vec<Value>) -> BTreeSet<Value> {
    let mut reached: BTreeSet<Value> = from.iter().copied().collect();
    let mut open: Vec<Value> = from.to_vec();
    while let Some(value) = open.pop() {
        open.extend(next(value).into_iter().filter(|&value| reached.insert(value)));
    }
    reached
}

/// The value and everything that it depends on, without the terms of reductions: each after its operands.
pub(super) fn reached_in_order(graph: &Graph, value: Value) -> Vec<Value> {
    reached(&[value], |value| arguments(graph, value)).into_iter().collect()
}

/// The operands of terms that are the same in all terms.
fn scalars_of(graph: &Graph, terms: &[Value]) -> Vec<Value> {
    let all = reached(terms, |value| match graph.varies(value) {
        true => arguments(graph, value),
        false => Vec::new(),
    });
    all.into_iter().filter(|&value| !graph.varies(value)).collect()
}

/// The instructions that compute terms, whose results are stored until the end.
fn body(graph: &Graph, terms: &[Value], slots: &mut Slots) -> (Vec<Instruction>, Vec<Operand>) {
    let varies = |value: &Value| graph.varies(*value);
    let values = reached(terms, |value| match graph.varies(value) {
        true => arguments(graph, value).into_iter().filter(varies).collect(),
        false => Vec::new(),
    });
    let values: Vec<Value> =
        values.into_iter().filter(|v| varies(v) && is_computed(graph, *v)).collect();
    let mut last: HashMap<Value, usize> = HashMap::new();
    for (at, &value) in values.iter().enumerate() {
        let computed = arguments(graph, value).into_iter();
        let computed = computed.filter(|&read| graph.varies(read) && is_computed(graph, read));
        last.extend(computed.map(|read| (read, at)));
    }
    let mut body = Vec::with_capacity(values.len());
    for (at, &value) in values.iter().enumerate() {
        let mut instruction = instruction(graph, value, slots);
        for read in arguments(graph, value) {
            if last.get(&read) == Some(&at) && !terms.contains(&read) {
                slots.give_back(read);
            }
        }
        instruction.into = slots.take(value);
        body.push(instruction);
    }
    let operands = terms.iter().map(|&term| operand_of(graph, term, slots)).collect();
    values.iter().for_each(|&value| slots.give_back(value));
    (body, operands)
}

/// The rounds of a differential equation.
fn solve(graph: &Graph, of: &graph::Solve, slots: &mut Slots) -> Solve {
    let first = of.carried.iter().map(|carried| operand_of(graph, carried.first, slots));
    let first: Vec<Operand> = first.collect();
    let start = of.kept.iter().map(|&state| of.states[state as usize].0);
    let start: Vec<Operand> = start.map(|start| operand_of(graph, start, slots)).collect();
    let opening =
        |carried: &graph::Carried| carried.opening.map(|opening| operand_of(graph, opening, slots));
    let opening: Vec<Option<Operand>> = of.carried.iter().map(opening).collect();
    let places: Vec<u32> = of.carried.iter().map(|carried| slots.take(carried.value)).collect();
    let (round, next) = body(graph, &of.of_round(), slots);
    let (closing, last) = body(graph, &of.of_closing(), slots);
    of.carried.iter().for_each(|carried| slots.give_back(carried.value));
    // The values are copied in sequence: none may be overwritten before it is copied.
    let is_carried = |from: &Operand| places.iter().any(|&place| *from == Operand::Slot(place));
    debug_assert!(!next.iter().any(is_carried), "what is carried on is computed");
    let carried = places.into_iter().zip(first).zip(opening).zip(&next);
    let carried =
        carried.map(|(((slot, first), opening), &next)| Carried { slot, first, opening, next });
    Solve {
        intervals: of.intervals,
        rounds: of.rounds,
        carried: carried.collect(),
        kept: start.into_iter().zip(last).collect(),
        body: round,
        going: of.going.and(next.last().copied()),
        closing,
    }
}

fn instruction(graph: &Graph, value: Value, slots: &Slots) -> Instruction {
    let Node::Apply(operation, arguments) = graph.node(value) else {
        unreachable!("only operations are instructions")
    };
    let mut from = [Operand::Index; 3];
    for (from, &argument) in from.iter_mut().zip(&arguments[..operation.arity()]) {
        *from = operand_of(graph, argument, slots);
    }
    Instruction { operation, into: 0, from }
}

fn operand_of(graph: &Graph, value: Value, slots: &Slots) -> Operand {
    match graph.node(value) {
        Node::Constant(bits) => Operand::Constant(bits),
        Node::Coordinate(at) => Operand::Coordinate(at),
        Node::Coordinates(at) => Operand::Coordinates(at),
        Node::Data(at) => Operand::Data(at),
        Node::Own(at) => Operand::Own(at),
        Node::Owns(at) => Operand::Owns(at),
        Node::Index => Operand::Index,
        Node::Solution(at) => Operand::Solution(at),
        Node::Solutions(at) => Operand::Solutions(at),
        Node::Apply(..) | Node::Fold { .. } | Node::Carried(_) => Operand::Slot(slots.of[&value]),
        Node::Solve => unreachable!("a differential equation is not a number"),
    }
}
