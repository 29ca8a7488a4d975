//! Interval analysis: the numbers of a value, or their range, without evaluating it at a point.

use std::collections::{BTreeSet, HashMap};

use warpswarm_core::Float;
use warpswarm_core::expression::Operation;

use super::{Compiler, functions};
use crate::problem::problem_file::graph::{Node, Value};
use crate::problem::problem_file::program::{reached, reached_in_order};

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

    /// The smallest and largest number of a value in `f32` and in `f64`, or the first part whose range is not known.
    pub(super) fn range_of(&self, value: Value, terms: u32) -> Result<(f64, f64), Value> {
        let parts = reached(&[value], |value| self.bounding(value));
        let double = self.range_in::<f64>(&parts, terms)?;
        // `f32` may round sums and products slightly out of the range in `f64`: then the nearest element is selected.
        if parts.iter().all(|&value| self.is_plain(value)) {
            return Ok(double);
        }
        let single = self.range_in::<f32>(&parts, terms)?;
        Ok(around([double.0, double.1, single.0, single.1]))
    }

    /// The operands from which the range of a value follows.
    fn bounding(&self, value: Value) -> Vec<Value> {
        match self.graph.node(value) {
            _ if self.ranges.contains_key(&value) => Vec::new(),
            Node::Apply(Operation::Less | Operation::AtMost | Operation::Equal, _) => Vec::new(),
            Node::Apply(Operation::Choose, from) => from[1..].to_vec(),
            Node::Apply(operation, from) => from[..operation.arity()].to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether a value is a sum, a product or the like, and not a quotient or a function other than `floor`.
    fn is_plain(&self, value: Value) -> bool {
        let is_other = matches!(
            self.graph.node(value),
            Node::Apply(
                Operation::Divide
                    | Operation::Modulo
                    | Operation::Absolute
                    | Operation::Sign
                    | Operation::Ceil
                    | Operation::Truncate
                    | Operation::Round
                    | Operation::Root,
                _
            )
        );
        self.ranges.contains_key(&value) || !is_other
    }

    /// The range in this precision. All operations below are rounded correctly, so that no number between the ends of
    /// the operands' ranges gives a result beyond those of the ends.
    fn range_in<R: Float>(&self, parts: &BTreeSet<Value>, terms: u32) -> Result<(f64, f64), Value> {
        let mut known: HashMap<Value, (R, R)> = HashMap::new();
        let mut last = (R::NAN, R::NAN);
        for &value in parts {
            last = self.range_of_node(value, terms, &known).ok_or(value)?;
            known.insert(value, last);
        }
        Ok((last.0.to_f64(), last.1.to_f64()))
    }

    fn range_of_node<R: Float>(
        &self,
        value: Value,
        terms: u32,
        known: &HashMap<Value, (R, R)>,
    ) -> Option<(R, R)> {
        if let Some(&(least, most)) = self.ranges.get(&value) {
            return Some((R::from_f64(least), R::from_f64(most)));
        }
        let (operation, from) = match self.graph.node(value) {
            Node::Constant(bits) => return Some(around([R::from_f64(f64::from_bits(bits))])),
            Node::Index => return Some((R::ZERO, R::from_u32(terms - 1))),
            Node::Data(at) => {
                let numbers = (at..at + terms).map(|at| R::from_f64(self.known_datum(at)));
                return Some(around(numbers));
            }
            Node::Apply(operation, from) => (operation, from),
            _ => return None,
        };
        let of = |k: usize| known.get(&from[k]).copied();
        let by = |a: R, b: R| operation.apply([a, b, R::ZERO]);
        match operation {
            Operation::Less | Operation::AtMost | Operation::Equal => Some((R::ZERO, R::ONE)),
            Operation::Choose => {
                let (b, c) = (of(1)?, of(2)?);
                Some(around([b.0, b.1, c.0, c.1]))
            }
            Operation::Negate => of(0).map(|(least, most)| (-most, -least)),
            Operation::Absolute => {
                let (least, most) = of(0)?;
                let nearest = least.larger(-most).larger(R::ZERO);
                Some((nearest, (-least).larger(most)))
            }
            Operation::Root if of(0)?.0 < R::ZERO => None,
            // These never fall.
            Operation::Floor
            | Operation::Ceil
            | Operation::Truncate
            | Operation::Round
            | Operation::Sign
            | Operation::Root => of(0).map(|(least, most)| (by(least, R::ZERO), by(most, R::ZERO))),
            Operation::Modulo => {
                let is_whole = from[..2].iter().all(|&value| self.graph.is_whole(value));
                remainder(of(0)?, of(1)?, is_whole)
            }
            Operation::Divide if !is_divisor(of(1)?) => None,
            // For these operations, the extremes are reached at the ends of the operands' ranges.
            Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::Divide
            | Operation::Least
            | Operation::Greatest => {
                let (a, b) = (of(0)?, of(1)?);
                Some(around([by(a.0, b.0), by(a.0, b.1), by(a.1, b.0), by(a.1, b.1)]))
            }
            _ => None,
        }
    }

    /// What a value whose range is not known is, in the words of expressions.
    pub(super) fn described(&self, value: Value) -> String {
        match self.graph.node(value) {
            Node::Apply(Operation::Divide, _) => "a division by what may be 0".into(),
            Node::Apply(Operation::Modulo, _) => "`mod` by what may be 0 or less".into(),
            Node::Apply(Operation::Root, _) => "`sqrt` of what may be below 0".into(),
            Node::Apply(Operation::Power, _) => "a power other than `^1` to `^8`".into(),
            Node::Apply(operation, _) => format!("`{}(...)`", functions::written(operation)),
            Node::Fold { .. } => "a sum, product, minimum or maximum over an index".into(),
            Node::Own(_) | Node::Owns(_) => "data that differ between runs".into(),
            _ => "a value of [ode]".into(),
        }
    }

    fn known_datum(&self, at: u32) -> f64 {
        let (at, given) = (at as usize, self.names.data.len());
        let own = at.checked_sub(given + self.codes.len());
        let number = self.names.data.get(at).or_else(|| self.own_data.get(own?));
        number.copied().unwrap_or(f64::NAN)
    }
}

/// Whether a range is finite and without 0.
fn is_divisor<R: Float>((least, most): (R, R)) -> bool {
    least.is_finite() && most.is_finite() && (least > R::ZERO || most < R::ZERO)
}

/// The range of `mod(a, b)`; `None` if `b` may be 0 or less.
fn remainder<R: Float>(a: (R, R), b: (R, R), is_whole: bool) -> Option<(R, R)> {
    if !is_divisor(b) || b.0 < R::ZERO {
        return None;
    }
    if a.0 >= R::ZERO && a.1 < b.0 {
        return Some(a);
    }
    let most = match (is_whole, a.0 >= R::ZERO) {
        (true, _) => b.1 - R::ONE,
        // The remainder of a number from 0 on is exact, and therefore below the divisor.
        (false, true) => R::from_ordered(b.1.ordered() - 1),
        (false, false) => b.1,
    };
    Some((R::ZERO, most))
}

/// The smallest and the largest of some numbers.
fn around<R: Float>(numbers: impl IntoIterator<Item = R>) -> (R, R) {
    numbers.into_iter().fold((R::INFINITY, -R::INFINITY), |(least, most), number| {
        (if number < least { number } else { least }, if number > most { number } else { most })
    })
}
