//! From a graph to a program: what is computed one after the other, and where results are kept.

use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

use warpswarm_core::Real;
use warpswarm_core::expression::{Operation, Reduction, SLOTS, operand, step};

use super::graph::{Graph, Node, Value};

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
    /// The number of the term, from 0.
    Index,
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
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// How many results are kept at a time.
    pub(crate) slots: u32,
    /// What it computes: the value, the violation, and perhaps more.
    pub(crate) outputs: Vec<Operand>,
}

/// Kernels are looked up by their objectives at each launch: a little of a program tells it from most.
impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.steps.len(), self.slots, &self.outputs).hash(state);
    }
}

/// Where results are kept.
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
    /// What computes these values of a graph.
    pub(super) fn new(graph: &Graph, outputs: &[Value]) -> Self {
        // The values that are computed once, in order, and the bodies of those that are reductions.
        let once = reached(outputs, |value| match graph.node(value) {
            Node::Fold { term, .. } => scalars_of(graph, term),
            _ => arguments(graph, value),
        });
        let once: Vec<Value> = once.into_iter().filter(|&v| is_computed(graph, v)).collect();
        let reads = |value| match graph.node(value) {
            Node::Fold { term, .. } => scalars_of(graph, term),
            _ => arguments(graph, value),
        };
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (at, &value) in once.iter().enumerate() {
            last.extend(reads(value).into_iter().map(|read| (read, at)));
        }
        last.extend(outputs.iter().map(|&output| (output, usize::MAX)));

        let mut slots = Slots::default();
        let mut steps = Vec::with_capacity(once.len());
        for (at, &value) in once.iter().enumerate() {
            let mut step = match graph.node(value) {
                Node::Fold { reduction, terms, term } => {
                    let (body, term) = body(graph, term, &mut slots);
                    Step::Fold { reduction, terms, body, term, into: 0 }
                }
                _ => Step::Once(instruction(graph, value, &slots)),
            };
            for read in reads(value) {
                if last.get(&read) == Some(&at) {
                    slots.give_back(read);
                }
            }
            let slot = slots.take(value);
            match &mut step {
                Step::Once(instruction) => instruction.into = slot,
                Step::Fold { into, .. } => *into = slot,
            }
            steps.push(step);
        }
        let outputs = outputs.iter().map(|&output| operand_of(graph, output, &slots)).collect();
        Program { steps, slots: slots.count, outputs }
    }

    /// Whether there is room for its results.
    pub(super) fn fits(&self) -> bool {
        self.slots as usize <= SLOTS
    }

    /// The program as [`Expression`](warpswarm_core::expression::Expression) reads it, and its constants.
    pub(crate) fn encoded<R: Real>(&self) -> (Vec<R>, Vec<R>) {
        let mut code = Code::default();
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
            }
        }
        code.numbers.push(step::END);
        self.outputs[..2].iter().for_each(|&output| code.operand(output));
        let constants = code.constants.iter().map(|&bits| R::from_f64(f64::from_bits(bits)));
        (code.numbers.iter().map(|&number| R::from_u32(number)).collect(), constants.collect())
    }
}

/// A program as numbers.
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
            Operand::Index => (operand::INDEX, 0),
        };
        self.numbers.extend([kind, place]);
    }
}

fn is_computed(graph: &Graph, value: Value) -> bool {
    matches!(graph.node(value), Node::Apply(..) | Node::Fold { .. })
}

/// What a value is made of, but for a reduction's term.
fn arguments(graph: &Graph, value: Value) -> Vec<Value> {
    match graph.node(value) {
        Node::Apply(operation, from) => from[..operation.arity()].to_vec(),
        _ => Vec::new(),
    }
}

/// The values that are reached from some, in order.
fn reached(from: &[Value], next: impl Fn(Value) -> Vec<Value>) -> BTreeSet<Value> {
    let mut reached: BTreeSet<Value> = from.iter().copied().collect();
    let mut open: Vec<Value> = from.to_vec();
    while let Some(value) = open.pop() {
        open.extend(next(value).into_iter().filter(|&value| reached.insert(value)));
    }
    reached
}

/// Everything of which a value is made, but for reductions' terms, and itself: each after what it is made of.
pub(super) fn reached_in_order(graph: &Graph, value: Value) -> Vec<Value> {
    reached(&[value], |value| arguments(graph, value)).into_iter().collect()
}

/// What a term needs that is the same in all terms.
fn scalars_of(graph: &Graph, term: Value) -> Vec<Value> {
    let all = reached(&[term], |value| match graph.varies(value) {
        true => arguments(graph, value),
        false => Vec::new(),
    });
    all.into_iter().filter(|&value| !graph.varies(value)).collect()
}

/// The instructions that compute a term.
fn body(graph: &Graph, term: Value, slots: &mut Slots) -> (Vec<Instruction>, Operand) {
    let varies = |value: &Value| graph.varies(*value);
    let values = reached(&[term], |value| match graph.varies(value) {
        true => arguments(graph, value).into_iter().filter(varies).collect(),
        false => Vec::new(),
    });
    let values: Vec<Value> =
        values.into_iter().filter(|v| varies(v) && is_computed(graph, *v)).collect();
    let mut last: HashMap<Value, usize> = HashMap::new();
    for (at, &value) in values.iter().enumerate() {
        last.extend(arguments(graph, value).into_iter().filter(varies).map(|read| (read, at)));
    }
    let mut body = Vec::with_capacity(values.len());
    for (at, &value) in values.iter().enumerate() {
        let mut instruction = instruction(graph, value, slots);
        for read in arguments(graph, value).iter().filter(|read| varies(read)) {
            if last.get(read) == Some(&at) && *read != term {
                slots.give_back(*read);
            }
        }
        instruction.into = slots.take(value);
        body.push(instruction);
    }
    let operand = operand_of(graph, term, slots);
    values.iter().for_each(|&value| slots.give_back(value));
    (body, operand)
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
        Node::Index => Operand::Index,
        Node::Apply(..) | Node::Fold { .. } => Operand::Slot(slots.of[&value]),
    }
}
