//! Symbolic differentiation: derivatives of values, as values of the same graph.
//!
//! **Idea.** The derivative of a value is an expression of its operands, most of which are computed anyway: that of
//! `exp(u)` is `exp(u) u'`. Equal subexpressions are one value of the graph, so that few derivatives add only a few
//! operations. In contrast, [`Dual`](warpswarm_core::dual::Dual) numbers carry all derivatives through all operations.
//!
//! **Rules.** They are those of [`dual`](warpswarm_core::dual), including kinks and jumps. A value that does not depend
//! on a coordinate has derivative 0 by it. Sometimes this is only known at a point, for example for the derivative of
//! `a * t` by `a` if the datum `t` is 0. Then the rule applies to all functions with a pole, or whose slope may be
//! infinite or NaN at a finite value: roots, powers, logarithms, inverse functions, gamma functions, `y0`, `y1`. It
//! costs one operation there.
//!
//! Two things differ from dual numbers. After a quotient or product that is not finite, a derivative may be NaN where
//! dual numbers give 0. And the slope of `tanh` is 1 - tanh^2, whose absolute error is a rounding error of 1 even if
//! the slope is small.

mod simplified;
mod slopes;

use std::collections::HashMap;

use warpswarm_core::expression::{Operation, Reduction};

use super::graph::{Graph, Node, Value};

/// For each value the derivative by each coordinate.
type Known = HashMap<Value, Vec<Value>>;

impl Graph {
    /// The derivative of a value by each of some coordinates. If the value differs between terms, so do the
    /// derivatives.
    ///
    /// `None` if a derivative is not an expression: that of a differential equation's solution, of a product, minimum
    /// or maximum over terms that depend on such a coordinate, and of the digamma function.
    pub(super) fn derivatives(&mut self, value: Value, by: &[u32]) -> Option<Vec<Value>> {
        let mut needed = vec![false; value as usize + 1];
        needed[value as usize] = true;
        for at in (0..=value).rev() {
            if needed[at as usize] {
                self.inner(at).into_iter().for_each(|inner| needed[inner as usize] = true);
            }
        }
        let mut known = Known::new();
        for at in (0..=value).filter(|&at| needed[at as usize]) {
            let derivatives = self.derivatives_of(at, by, &known)?;
            known.insert(at, derivatives);
        }
        known.remove(&value)
    }

    /// The values on whose derivatives a value's derivatives depend.
    fn inner(&self, value: Value) -> Vec<Value> {
        match self.node(value) {
            Node::Fold { term, .. } => vec![term],
            Node::Apply(operation, from) => match operation {
                Operation::Sign
                | Operation::Floor
                | Operation::Ceil
                | Operation::Truncate
                | Operation::Round
                | Operation::Less
                | Operation::AtMost
                | Operation::Equal => Vec::new(),
                Operation::Choose => from[1..].to_vec(),
                _ => from[..operation.arity()].to_vec(),
            },
            _ => Vec::new(),
        }
    }

    /// The derivatives of a value, from the known derivatives of its operands.
    fn derivatives_of(&mut self, value: Value, by: &[u32], known: &Known) -> Option<Vec<Value>> {
        let zero = self.constant(0.0);
        let of_each = match self.node(value) {
            Node::Constant(_) | Node::Data(_) | Node::Own(_) | Node::Owns(_) | Node::Index => {
                vec![zero; by.len()]
            }
            Node::Coordinate(at) => {
                by.iter().map(|&by| self.constant(if by == at { 1.0 } else { 0.0 })).collect()
            }
            Node::Coordinates(first) => {
                let mut of_term = |at: &u32| match at.checked_sub(first) {
                    Some(term) => {
                        let (index, term) = (self.add(Node::Index), self.constant(term.into()));
                        self.apply(Operation::Equal, &[index, term])
                    }
                    None => zero,
                };
                by.iter().map(&mut of_term).collect()
            }
            Node::Carried(_) | Node::Solve | Node::Solution(_) | Node::Solutions(_) => return None,
            Node::Fold { reduction, terms, term } => {
                let all = &known[&term];
                match reduction {
                    Reduction::Sum => all.iter().map(|&one| self.sum_over(terms, one)).collect(),
                    _ if all.iter().all(|&one| one == zero) => all.clone(),
                    _ => return None,
                }
            }
            Node::Apply(operation, from) => {
                let inner = self.inner(value);
                let moves = |inner| known[inner].iter().any(|&one| one != zero);
                if operation == Operation::Digamma && inner.iter().any(moves) {
                    return None;
                }
                let mut of = |i: usize| {
                    let mut changes = [zero; 2];
                    for (change, inner) in changes.iter_mut().zip(&inner) {
                        *change = known[inner][i];
                    }
                    match changes == [zero; 2] {
                        true => zero,
                        false => self.derivative(value, (operation, from), changes),
                    }
                };
                (0..by.len()).map(&mut of).collect()
            }
        };
        Some(of_each)
    }

    /// The sum of `terms` terms.
    fn sum_over(&mut self, terms: u32, term: Value) -> Value {
        if self.varies(term) {
            return self.add(Node::Fold { reduction: Reduction::Sum, terms, term });
        }
        let terms = self.constant(terms.into());
        self.times(terms, term)
    }

    /// The derivative of an operation's result, from the derivatives of its operands.
    fn derivative(
        &mut self,
        result: Value,
        (operation, from): (Operation, [Value; 3]),
        changes: [Value; 2],
    ) -> Value {
        let [a, b, _] = from;
        let [of_a, of_b] = changes;
        let zero = self.constant(0.0);
        match operation {
            Operation::Negate => self.minus(zero, of_a),
            Operation::Add => self.plus(of_a, of_b),
            Operation::Subtract => self.minus(of_a, of_b),
            Operation::Multiply if a == b => {
                let two = self.constant(2.0);
                let slope = self.times(two, a);
                self.chain(slope, of_a)
            }
            Operation::Multiply => self.along([b, a], changes),
            Operation::Divide => {
                // (u' - (u / v) v') / v, by means of 1 / v, which all derivatives share.
                let inverse = self.inverse(b);
                let (first, part) = (self.chain(inverse, of_a), self.chain(inverse, of_b));
                let second = self.times(part, result);
                self.minus(first, second)
            }
            Operation::Power => self.derivative_of_power(result, [a, b], changes),
            Operation::Hypot => {
                let inverse = self.inverse_or_zero(result);
                let slopes = [a, b].map(|x| self.times(x, inverse));
                self.along(slopes, changes)
            }
            Operation::Atan2 => {
                let distance = self.apply(Operation::Hypot, &[a, b]);
                let inverse = self.inverse_or_zero(distance);
                let [sine, cosine] = [a, b].map(|x| self.times(x, inverse));
                let [by_b, by_a] = [sine, cosine].map(|x| self.times(x, inverse));
                let (first, second) = (self.chain(by_a, of_a), self.chain(by_b, of_b));
                self.minus(first, second)
            }
            Operation::Modulo if of_b == zero => of_a,
            Operation::Modulo => {
                let whole = self.minus(a, result);
                let quotient = self.apply(Operation::Divide, &[whole, b]);
                let quotient = self.apply(Operation::Round, &[quotient]);
                let second = self.chain(quotient, of_b);
                self.minus(of_a, second)
            }
            Operation::Least => {
                let first = self.apply(Operation::Less, &[a, b]);
                self.choose(first, of_a, of_b)
            }
            Operation::Greatest => {
                let first = self.apply(Operation::Less, &[b, a]);
                self.choose(first, of_a, of_b)
            }
            Operation::Choose => self.choose(a, of_a, of_b),
            Operation::Excess => self.choose(result, of_a, zero),
            _ => {
                let (slope, may_be_infinite) = self.slope(operation, a, result);
                match may_be_infinite {
                    true => self.chain_unless_zero(slope, of_a),
                    false => self.chain(slope, of_a),
                }
            }
        }
    }

    /// The sum of slopes times changes.
    fn along(&mut self, slopes: [Value; 2], changes: [Value; 2]) -> Value {
        let [first, second] = [0, 1].map(|i| self.chain(slopes[i], changes[i]));
        self.plus(first, second)
    }

    fn inverse(&mut self, value: Value) -> Value {
        let one = self.constant(1.0);
        self.apply(Operation::Divide, &[one, value])
    }

    /// 1 over a value, or 0 if the value is 0.
    fn inverse_or_zero(&mut self, value: Value) -> Value {
        let (inverse, zero) = (self.inverse(value), self.constant(0.0));
        self.choose(value, inverse, zero)
    }

    /// A slope times a change.
    fn chain(&mut self, slope: Value, change: Value) -> Value {
        if self.is_truth(change) {
            let zero = self.constant(0.0);
            return self.choose(change, slope, zero);
        }
        self.times(slope, change)
    }

    /// As [`chain`](Self::chain), but 0 if the change is 0, whatever the slope is.
    fn chain_unless_zero(&mut self, slope: Value, change: Value) -> Value {
        let product = self.chain(slope, change);
        if self.number(change).is_some() || self.is_truth(change) {
            return product;
        }
        let zero = self.constant(0.0);
        self.choose(change, product, zero)
    }
}

#[cfg(test)]
mod tests;
