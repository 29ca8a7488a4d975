//! Sums, products and selections, simplified.

use warpswarm_core::expression::Operation;

use crate::problem::problem_file::graph::{Graph, Node, Value};

impl Graph {
    /// Whether a value is 1 or 0, as comparisons are.
    pub(super) fn is_truth(&self, value: Value) -> bool {
        use Operation::{AtMost, Equal, Less};
        matches!(self.node(value), Node::Apply(Less | AtMost | Equal, _))
    }

    /// How often a value is computed: never (0), once (1), or in each term (2).
    fn often(&self, value: Value) -> u32 {
        match self.number(value) {
            Some(_) => 0,
            None => 1 + u32::from(self.varies(value)),
        }
    }

    pub(super) fn choose(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        let is = |value, number| self.number(value) == Some(number);
        if let Some(condition) = self.number(condition) {
            return if condition == 0.0 { otherwise } else { then };
        }
        if then == otherwise || (is(then, 1.0) && is(otherwise, 0.0) && self.is_truth(condition)) {
            return if then == otherwise { then } else { condition };
        }
        self.apply(Operation::Choose, &[condition, then, otherwise])
    }

    /// A sum, without terms that are 0.
    pub(super) fn plus(&mut self, a: Value, b: Value) -> Value {
        let is_zero = |value| self.number(value) == Some(0.0);
        match (self.node(a), self.node(b)) {
            _ if is_zero(a) => b,
            _ if is_zero(b) => a,
            (_, Node::Apply(Operation::Negate, [b, ..])) => self.minus(a, b),
            (Node::Apply(Operation::Negate, [a, ..]), _) => self.minus(b, a),
            _ => self.apply(Operation::Add, &[a, b]),
        }
    }

    /// A difference, without terms that are 0.
    pub(super) fn minus(&mut self, a: Value, b: Value) -> Value {
        if self.number(b) == Some(0.0) {
            return a;
        }
        if self.number(a) != Some(0.0) {
            return match self.node(b) {
                Node::Apply(Operation::Negate, [b, ..]) => self.apply(Operation::Add, &[a, b]),
                _ => self.apply(Operation::Subtract, &[a, b]),
            };
        }
        match self.node(b) {
            Node::Apply(Operation::Negate, [b, ..]) => b,
            Node::Apply(Operation::Subtract, [c, d, _]) => self.apply(Operation::Subtract, &[d, c]),
            // The factor that is computed less often is negated.
            Node::Apply(Operation::Multiply, [c, d, _]) if self.often(c) != self.often(d) => {
                let (less, more) = if self.often(c) < self.often(d) { (c, d) } else { (d, c) };
                let negative = self.minus(a, less);
                self.apply(Operation::Multiply, &[negative, more])
            }
            _ => self.apply(Operation::Negate, &[b]),
        }
    }

    /// A product; 0 if a factor is 0 at every point. Factors that are computed once, or already exist, are multiplied
    /// first.
    pub(super) fn times(&mut self, a: Value, b: Value) -> Value {
        let zero = self.constant(0.0);
        for (a, b) in [(a, b), (b, a)] {
            match self.number(a) {
                Some(0.0) => return zero,
                Some(1.0) => return b,
                Some(-1.0) => return self.minus(zero, b),
                _ => {}
            }
        }
        for (a, b) in [(a, b), (b, a)] {
            let Node::Apply(Operation::Multiply, [c, d, _]) = self.node(b) else { continue };
            for (c, d) in [(c, d), (d, c)] {
                let is_seldom = self.often(a).max(self.often(c)) < self.often(d);
                let first = match self.known(Operation::Multiply, [a, c]) {
                    None if is_seldom => Some(self.apply(Operation::Multiply, &[a, c])),
                    known => known,
                };
                if let Some(first) = first {
                    let is_one = self.number(first) == Some(1.0);
                    return if is_one { d } else { self.apply(Operation::Multiply, &[first, d]) };
                }
            }
        }
        self.apply(Operation::Multiply, &[a, b])
    }
}
