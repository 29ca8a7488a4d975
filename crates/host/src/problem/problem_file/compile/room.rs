//! How much room the constraints leave.

use std::collections::HashMap;

use warpswarm_core::expression::Operation;

use crate::problem::problem_file::graph::{Graph, Node, Value};
use crate::problem::problem_file::syntax::Relation;

/// The largest width of a narrow band, relative to the number at its centre, or to 1.
const NARROW: f64 = 1e-3;

/// The ranges to which constraints restrict values.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The smallest and largest allowed number of each value.
    within: HashMap<Value, (f64, f64)>,
    /// Whether a value must be equal to another one, or lie in a narrow band.
    pub(super) is_tight: bool,
}

impl Room {
    /// Records that one value must be equal to another one, or at most that.
    pub(super) fn asked(&mut self, graph: &Graph, left: Value, relation: Relation, right: Value) {
        let band = match (relation, graph.number(left), graph.number(right)) {
            (Relation::Equal, ..) => Some((0.0, 0.0)),
            (_, None, Some(most)) => match around(graph, left) {
                Some(middle) => Some((middle - most, middle + most)),
                None => Some(self.narrowed(left, f64::NEG_INFINITY, most)),
            },
            (_, Some(least), None) => Some(self.narrowed(right, least, f64::INFINITY)),
            _ => None,
        };
        self.is_tight |= band.is_some_and(|(least, most)| {
            let around = least.abs().max(most.abs()).max(1.0);
            around.is_finite() && most - least <= NARROW * around
        });
    }

    fn narrowed(&mut self, value: Value, least: f64, most: f64) -> (f64, f64) {
        let known = self.within.entry(value).or_insert((f64::NEG_INFINITY, f64::INFINITY));
        *known = (known.0.max(least), known.1.min(most));
        *known
    }
}

/// The number c if a value is the distance of another value from c, such as 40 in `abs(x - 40)`.
fn around(graph: &Graph, value: Value) -> Option<f64> {
    let Node::Apply(Operation::Absolute, [inner, ..]) = graph.node(value) else { return None };
    let number = match graph.node(inner) {
        Node::Apply(Operation::Subtract | Operation::Add, [a, b, ..]) => {
            graph.number(a).or_else(|| graph.number(b))
        }
        _ => None,
    };
    Some(number.unwrap_or(0.0).abs())
}
