//! The expression graph: a directed acyclic graph in which equal subexpressions are one value.

use std::collections::HashMap;

use warpswarm_core::Real;
use warpswarm_core::expression::{Operation, Reduction};

/// A value in a [`Graph`].
pub(super) type Value = u32;

/// How a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A constant, given by its bits.
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
    /// A value carried between the rounds of the differential equation, by its index.
    Carried(u32),
    /// The differential equation.
    Solve,
    /// A number of its solution.
    Solution(u32),
    /// The number of its solution at this offset from the index of the term.
    Solutions(u32),
    Apply(Operation, [Value; 3]),
    Fold {
        reduction: Reduction,
        terms: u32,
        term: Value,
    },
}

/// A differential equation, solved in rounds: see [`machine::Solve`](warpswarm_core::expression::machine::Solve).
#[derive(Clone, Debug, Default)]
pub(super) struct Solve {
    pub(super) intervals: u32,
    pub(super) rounds: u32,
    pub(super) carried: Vec<Carried>,
    /// Whether another round follows.
    pub(super) going: Option<Value>,
    /// For each state its initial value, and its value at the end of an interval.
    pub(super) states: Vec<(Value, Value)>,
    /// The states whose values are stored.
    pub(super) kept: Vec<u32>,
}

/// A carried value: its value within a round, the initial one, the one with which an interval opens, and the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) value: Value,
    pub(super) first: Value,
    pub(super) opening: Option<Value>,
    pub(super) next: Value,
}

impl Solve {
    /// The values that a round computes.
    pub(super) fn of_round(&self) -> Vec<Value> {
        self.carried.iter().map(|carried| carried.next).chain(self.going).collect()
    }

    /// The values at the end of an interval.
    pub(super) fn of_closing(&self) -> Vec<Value> {
        self.kept.iter().map(|&state| self.states[state as usize].1).collect()
    }

    /// The values at the start.
    pub(super) fn of_start(&self) -> Vec<Value> {
        let kept = self.kept.iter().map(|&state| self.states[state as usize].0);
        self.carried.iter().map(|carried| carried.first).chain(kept).collect()
    }

    /// The count of numbers stored for a state.
    pub(super) fn rows(&self) -> u32 {
        self.intervals + 1
    }
}

/// The values of a problem; each is stored after its operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Node, Value>,
    /// Whether a value differs between terms.
    varies: Vec<bool>,
    /// Whether a value is an integer at every point.
    whole: Vec<bool>,
    /// Coordinates and data that are integers.
    sources: Whole,
    /// The differential equation, and its value.
    solve: Option<(Value, Solve)>,
}

/// Which coordinates, data, and numbers of the runs' own data are integers; numbers beyond the lists are not.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    pub(super) coordinates: Vec<bool>,
    pub(super) data: Vec<bool>,
    pub(super) own: Vec<bool>,
}

impl Graph {
    pub(super) fn new(sources: Whole) -> Self {
        Graph { sources, ..Graph::default() }
    }

    /// Records whether further data, starting at `at`, are integers.
    pub(super) fn know_data(&mut self, at: u32, count: usize, is_whole: bool) {
        self.sources.data.resize(at as usize, false);
        self.sources.data.resize(at as usize + count, is_whole);
    }

    pub(super) fn node(&self, value: Value) -> Node {
        self.nodes[value as usize]
    }

    pub(super) fn varies(&self, value: Value) -> bool {
        self.varies[value as usize]
    }

    /// Whether a value is an integer at every point.
    pub(super) fn is_whole(&self, value: Value) -> bool {
        self.whole[value as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of a constant; `None` for other nodes.
    pub(super) fn number(&self, value: Value) -> Option<f64> {
        match self.node(value) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(super) fn constant(&mut self, number: f64) -> Value {
        self.add(Node::Constant(number.to_bits()))
    }

    /// The value of an operation that is already in the graph.
    pub(super) fn known(&self, operation: Operation, [a, b]: [Value; 2]) -> Option<Value> {
        let from = in_order(operation, [a, b, 0]);
        self.known.get(&Node::Apply(operation, from)).copied()
    }

    /// The value of a node; equal nodes have the same value.
    pub(super) fn add(&mut self, node: Node) -> Value {
        if let Some(&value) = self.known.get(&node) {
            return value;
        }
        let varies = match node {
            Node::Coordinates(_)
            | Node::Data(_)
            | Node::Owns(_)
            | Node::Index
            | Node::Carried(_)
            | Node::Solutions(_) => true,
            Node::Apply(operation, from) => {
                from[..operation.arity()].iter().any(|&value| self.varies(value))
            }
            Node::Constant(_)
            | Node::Coordinate(_)
            | Node::Own(_)
            | Node::Solve
            | Node::Solution(_)
            | Node::Fold { .. } => false,
        };
        let value = self.nodes.len() as Value;
        self.nodes.push(node);
        self.varies.push(varies);
        self.whole.push(self.makes_whole(node));
        self.known.insert(node, value);
        value
    }

    /// Whether a node is an integer, derived from its operands.
    fn makes_whole(&self, node: Node) -> bool {
        let is_set = |all: &[bool], at: u32| all.get(at as usize) == Some(&true);
        let all = |values: &[Value]| values.iter().all(|&value| self.is_whole(value));
        match node {
            Node::Constant(bits) => f64::from_bits(bits).fract() == 0.0,
            Node::Coordinate(at) | Node::Coordinates(at) => is_set(&self.sources.coordinates, at),
            Node::Data(at) => is_set(&self.sources.data, at),
            Node::Own(at) | Node::Owns(at) => is_set(&self.sources.own, at),
            Node::Index => true,
            Node::Carried(_) | Node::Solve | Node::Solution(_) | Node::Solutions(_) => false,
            Node::Fold { term, .. } => self.is_whole(term),
            Node::Apply(operation, from) => match operation {
                Operation::Sign
                | Operation::Floor
                | Operation::Ceil
                | Operation::Truncate
                | Operation::Round
                | Operation::Less
                | Operation::AtMost
                | Operation::Equal => true,
                Operation::Negate | Operation::Absolute | Operation::Excess => all(&from[..1]),
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Modulo
                | Operation::Least
                | Operation::Greatest => all(&from[..2]),
                Operation::Choose => all(&from[1..]),
                Operation::Power => {
                    let is_natural = self.number(from[1]).is_some_and(|n| n >= 0.0);
                    is_natural && all(&from[..2])
                }
                _ => false,
            },
        }
    }

    /// A copy of the value as a result of an operation, so that it can be read like any result.
    pub(super) fn copied(&mut self, value: Value) -> Value {
        let one = self.constant(1.0);
        self.add(Node::Apply(Operation::Choose, [one, value, value]))
    }

    /// The product of a number and a value.
    pub(super) fn scaled(&mut self, number: f64, value: Value) -> Value {
        let number = self.constant(number);
        self.apply(Operation::Multiply, &[number, value])
    }

    /// Each value plus the step times its slope.
    pub(super) fn moved(&mut self, from: &[Value], step: Value, slopes: &[Value]) -> Vec<Value> {
        let one = |(&from, &slope): (&Value, &Value)| {
            let change = self.apply(Operation::Multiply, &[step, slope]);
            self.apply(Operation::Add, &[from, change])
        };
        from.iter().zip(slopes).map(one).collect()
    }

    /// The weighted sums of rows, element by element.
    pub(super) fn weighted(&mut self, weights: &[f64], rows: &[Vec<Value>]) -> Vec<Value> {
        let mut sums: Option<Vec<Value>> = None;
        for (&weight, row) in weights.iter().zip(rows).filter(|(weight, _)| **weight != 0.0) {
            let terms: Vec<Value> = row.iter().map(|&value| self.scaled(weight, value)).collect();
            sums = Some(match sums {
                None => terms,
                Some(sums) => {
                    let pairs = sums.iter().zip(&terms);
                    pairs.map(|(&a, &b)| self.apply(Operation::Add, &[a, b])).collect()
                }
            });
        }
        sums.unwrap_or_default()
    }

    /// The error tolerance for a value of this size: a relative part plus an absolute one.
    pub(super) fn allowed(&mut self, size: Value, (part, absolute): (f64, f64)) -> Value {
        let part = self.scaled(part, size);
        let absolute = self.constant(absolute);
        self.apply(Operation::Add, &[part, absolute])
    }

    /// The root mean square.
    pub(super) fn root_mean_square(&mut self, of: &[Value]) -> Value {
        let mut sum = self.constant(0.0);
        for &value in of {
            let square = self.apply(Operation::Multiply, &[value, value]);
            sum = self.apply(Operation::Add, &[sum, square]);
        }
        let mean = self.scaled(1.0 / of.len() as f64, sum);
        self.apply(Operation::Root, &[mean])
    }

    /// Adds the differential equation.
    pub(super) fn add_solve(&mut self, solve: Solve) {
        let value = self.add(Node::Solve);
        self.solve = Some((value, solve));
    }

    /// The differential equation, and its value.
    pub(super) fn solve(&self) -> Option<&(Value, Solve)> {
        self.solve.as_ref()
    }

    /// The index of a state's first number in the solution; its numbers are stored from now on.
    pub(super) fn kept(&mut self, state: u32) -> u32 {
        let Some((_, solve)) = &mut self.solve else { return 0 };
        let known = solve.kept.iter().position(|&other| other == state);
        let at = known.unwrap_or_else(|| {
            solve.kept.push(state);
            solve.kept.len() - 1
        });
        at as u32 * solve.rows()
    }

    /// The result of an operation. An operation on constants is computed at once.
    pub(super) fn apply(&mut self, operation: Operation, from: &[Value]) -> Value {
        let mut numbers = [0.0; 3];
        let constant = from.iter().zip(&mut numbers).all(|(&value, number)| {
            self.number(value).map(|constant| *number = constant).is_some()
        });
        if constant {
            return self.constant(operation.apply(numbers));
        }
        if let Some(turns) = self.turns(operation, from[0]) {
            return turns;
        }
        let mut all = [0; 3];
        all[..from.len()].copy_from_slice(from);
        self.add(Node::Apply(operation, in_order(operation, all)))
    }

    /// Sine and cosine of 2 pi x, which are exact and fast in turns.
    fn turns(&mut self, operation: Operation, angle: Value) -> Option<Value> {
        let operation = match operation {
            Operation::Sin => Operation::SinTurns,
            Operation::Cos => Operation::CosTurns,
            _ => return None,
        };
        let Node::Apply(Operation::Multiply, [a, b, _]) = self.node(angle) else { return None };
        let is_turn = |value| self.number(value) == Some(std::f64::consts::TAU);
        let turns = if is_turn(a) { b } else { a };
        (is_turn(a) || is_turn(b)).then(|| self.apply(operation, &[turns]))
    }

    /// A power; small integer powers are products.
    pub(super) fn power(&mut self, base: Value, exponent: Value) -> Value {
        let whole = self.number(exponent).filter(|n| n.fract() == 0.0 && (1.0..=8.0).contains(n));
        match (self.number(exponent), whole) {
            (_, Some(exponent)) => self.product_of(base, exponent as u32),
            (Some(-1.0), None) => {
                let one = self.constant(1.0);
                self.apply(Operation::Divide, &[one, base])
            }
            _ => self.apply(Operation::Power, &[base, exponent]),
        }
    }

    /// `base` to the power of `times`, at least 1, by repeated squaring.
    fn product_of(&mut self, base: Value, times: u32) -> Value {
        if times == 1 {
            return base;
        }
        let half = self.product_of(base, times / 2);
        let square = self.apply(Operation::Multiply, &[half, half]);
        match times % 2 {
            0 => square,
            _ => self.apply(Operation::Multiply, &[square, base]),
        }
    }

    /// The users' value of a coordinate whose scale has this code: see [`natural`](warpswarm_core::variable::natural).
    pub(super) fn natural(&mut self, code: Value, x: Value) -> Value {
        let half = self.constant(0.5);
        let above = |graph: &mut Graph| {
            let above = graph.apply(Operation::Add, &[x, half]);
            graph.apply(Operation::Floor, &[above])
        };
        match self.number(code) {
            Some(code) if code == f64::ZERO => x,
            Some(code) if code == f64::ONE => self.apply(Operation::Exp, &[x]),
            Some(_) => above(self),
            None => {
                let (one, two) = (self.constant(1.0), self.constant(2.0));
                let is_log = self.apply(Operation::Equal, &[code, one]);
                let is_whole = self.apply(Operation::Equal, &[code, two]);
                let (log, whole) = (self.apply(Operation::Exp, &[x]), above(self));
                let other = self.apply(Operation::Choose, &[is_whole, whole, x]);
                self.apply(Operation::Choose, &[is_log, log, other])
            }
        }
    }
}

/// The operands in a fixed order, if the operation is commutative.
fn in_order(operation: Operation, mut from: [Value; 3]) -> [Value; 3] {
    if matches!(operation, Operation::Add | Operation::Multiply) {
        from[..2].sort_unstable();
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_computed_once_and_constants_now() {
        let mut graph = Graph::default();
        let (x, two) = (graph.add(Node::Coordinate(0)), graph.constant(2.0));
        let sum = graph.apply(Operation::Add, &[x, two]);
        assert_eq!(graph.apply(Operation::Add, &[two, x]), sum);
        assert_ne!(graph.apply(Operation::Subtract, &[two, x]), sum);
        let six = graph.constant(3.0);
        let six = graph.apply(Operation::Multiply, &[two, six]);
        assert_eq!(graph.number(six), Some(6.0));
        let square = graph.power(x, two);
        assert_eq!(graph.node(square), Node::Apply(Operation::Multiply, [x, x, 0]));
        let turn = graph.constant(std::f64::consts::TAU);
        let angle = graph.apply(Operation::Multiply, &[turn, x]);
        let cos = graph.apply(Operation::Cos, &[angle]);
        assert_eq!(graph.node(cos), Node::Apply(Operation::CosTurns, [x, 0, 0]));
        assert!(!graph.varies(cos));
        let index = graph.add(Node::Index);
        let term = graph.apply(Operation::Add, &[index, cos]);
        assert!(graph.varies(term));
        let fold = Node::Fold { reduction: Reduction::Sum, terms: 3, term };
        let fold = graph.add(fold);
        assert!(!graph.varies(fold));
    }

    #[test]
    fn whole_numbers_are_known() {
        let sources = Whole {
            coordinates: vec![true, false],
            data: vec![true, true, false],
            own: vec![false, true],
        };
        let mut graph = Graph::new(sources);
        let [n, x] = [0, 1].map(|at| graph.add(Node::Coordinate(at)));
        let [two, half] = [2.0, 0.5].map(|number| graph.constant(number));
        let mut is = |operation, from: &[Value]| {
            let value = graph.apply(operation, from);
            graph.is_whole(value)
        };
        assert!(is(Operation::Add, &[n, two]) && !is(Operation::Add, &[n, half]));
        assert!(!is(Operation::Multiply, &[n, x]) && is(Operation::Less, &[x, half]));
        assert!(is(Operation::Floor, &[x]) && !is(Operation::Divide, &[n, two]));
        assert!(is(Operation::Power, &[n, two]) && !is(Operation::Power, &[two, n]));
        let less = graph.apply(Operation::Less, &[x, half]);
        assert!(!is_whole(&mut graph, Operation::Choose, &[less, n, x]));
        assert!(is_whole(&mut graph, Operation::Choose, &[less, n, two]));
        let of_runs = [(Node::Own(0), false), (Node::Own(1), true), (Node::Owns(1), true)];
        let shared = [(Node::Data(1), true), (Node::Data(2), false), (Node::Index, true)];
        for (node, expected) in shared.into_iter().chain(of_runs) {
            let term = graph.add(node);
            let fold = graph.add(Node::Fold { reduction: Reduction::Sum, terms: 2, term });
            assert_eq!(graph.is_whole(fold), expected, "{node:?}");
        }
        let infinite = graph.constant(f64::INFINITY);
        assert!(!graph.is_whole(infinite));
    }

    fn is_whole(graph: &mut Graph, operation: Operation, from: &[Value]) -> bool {
        let value = graph.apply(operation, from);
        graph.is_whole(value)
    }
}
