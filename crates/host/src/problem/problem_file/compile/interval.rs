//! Interval analysis: the numbers of a value, or their range, without evaluating it at a point.

use std::collections::HashMap;

use warpswarm_core::expression::Operation;

use super::Compiler;
use crate::problem::problem_file::graph::{Node, Value};
use crate::problem::problem_file::program::reached_in_order;

impl Compiler<'_> {
    /// The numbers of a value in each of `terms` terms; `None` if it depends on variables.
    pub(super) fn numbers(&self, value: Value, terms: u32) -> Option<Vec<f64>> {
        let graph = &self.graph;
        let order = reached_in_order(graph, value);
        let is_known = |&value: &Value| {
            !matches!(
                graph.node(value),
                Node::Coordinate(_)
                    | Node::Coordinates(_)
                    | Node::Carried(_)
                    | Node::Own(_)
                    | Node::Owns(_)
                    | Node::Solution(_)
                    | Node::Solutions(_)
                    | Node::Solve
                    | Node::Fold { .. }
            )
        };
        if !order.iter().all(is_known) {
            return None;
        }
        let terms = if graph.varies(value) { terms } else { 1 };
        let place: HashMap<Value, usize> = order.iter().copied().zip(0..).collect();
        let steps: Vec<(Node, [usize; 3])> = order
            .iter()
            .map(|&value| match graph.node(value) {
                node @ Node::Apply(operation, from) => {
                    let mut places = [0; 3];
                    for (place_of, value) in places.iter_mut().zip(&from[..operation.arity()]) {
                        *place_of = place[value];
                    }
                    (node, places)
                }
                node => (node, [0; 3]),
            })
            .collect();
        let mut known = vec![0.0; steps.len()];
        let mut all = Vec::with_capacity(terms as usize);
        for term in 0..terms {
            for (at, (node, from)) in steps.iter().enumerate() {
                known[at] = match *node {
                    Node::Constant(bits) => f64::from_bits(bits),
                    Node::Index => f64::from(term),
                    Node::Data(at) => self.known_datum(at + term),
                    Node::Apply(operation, _) => operation.apply(from.map(|at| known[at])),
                    _ => f64::NAN,
                };
            }
            // The value itself comes last: it follows its operands.
            all.extend(known.last());
        }
        Some(all)
    }

    /// The smallest and largest number of a value, if they can be derived easily.
    pub(super) fn range_of(&self, value: Value, terms: u32) -> Option<(f64, f64)> {
        let mut known: HashMap<Value, (f64, f64)> = HashMap::new();
        for value in reached_in_order(&self.graph, value) {
            let range = match self.ranges.get(&value) {
                Some(range) => Some(*range),
                None => self.range_of_node(value, terms, &known),
            };
            known.extend(range.map(|range| (value, range)));
        }
        known.get(&value).copied()
    }

    fn range_of_node(
        &self,
        value: Value,
        terms: u32,
        known: &HashMap<Value, (f64, f64)>,
    ) -> Option<(f64, f64)> {
        let (operation, from) = match self.graph.node(value) {
            Node::Constant(bits) => return Some((f64::from_bits(bits), f64::from_bits(bits))),
            Node::Index => return Some((0.0, f64::from(terms - 1))),
            Node::Data(at) => {
                return Some(around((at..at + terms).map(|at| self.known_datum(at))));
            }
            Node::Apply(operation, from) => (operation, from),
            _ => return None,
        };
        let of = |k: usize| known.get(&from[k]).copied();
        match operation {
            Operation::Less | Operation::AtMost | Operation::Equal => Some((0.0, 1.0)),
            Operation::Choose => {
                let (b, c) = (of(1)?, of(2)?);
                Some((b.0.min(c.0), b.1.max(c.1)))
            }
            Operation::Negate => of(0).map(|(least, most)| (-most, -least)),
            Operation::Floor => of(0).map(|(least, most)| (least.floor(), most.floor())),
            // For these operations, the extremes are reached at the ends of the operands' ranges.
            Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::Least
            | Operation::Greatest => {
                let (a, b) = (of(0)?, of(1)?);
                let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                Some(around(ends.map(|(a, b)| operation.apply([a, b, 0.0]))))
            }
            _ => None,
        }
    }

    fn known_datum(&self, at: u32) -> f64 {
        let (at, given) = (at as usize, self.names.data.len());
        let own = at.checked_sub(given + self.codes.len());
        let number = self.names.data.get(at).or_else(|| self.own_data.get(own?));
        number.copied().unwrap_or(f64::NAN)
    }
}

/// The smallest and the largest of some numbers.
fn around(numbers: impl IntoIterator<Item = f64>) -> (f64, f64) {
    numbers.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
        (least.min(number), most.max(number))
    })
}
