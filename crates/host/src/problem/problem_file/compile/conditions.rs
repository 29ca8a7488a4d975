//! Conditions: their truth, and their violation.
//!
//! | condition | violation |
//! |---|---|
//! | `a <= b` | a - b if a > b, otherwise 0 |
//! | `a < b` | for integers that of `a + 1 <= b`; otherwise positive also if a = b |
//! | `a == b` | the distance of a and b beyond the tolerance; for integers the distance |
//! | `a != b` | 1 if a = b |
//! | `p and q` | the sum |
//! | `p or q` | the smaller one |
//! | `not p` | that of the opposite: relations are negated, `and` becomes `or` |
//! | `if(p, q, r)` | that of `q` if `p` holds, otherwise that of `r` |
//! | `all(i, p)`, `any(i, p)` | as `and` and `or` of all terms |
//!
//! If a number is NaN, a comparison with it does not hold, and the violation is NaN.

use warpswarm_core::expression::{Operation, Reduction};

use super::{Compiler, Scope, Term};
use crate::problem::problem_file::graph::Value;
use crate::problem::problem_file::syntax::{Joint, Kind, Mistake, Operator, Relation, Tree};

/// The violation of `a < b` if a = b are not integers: the smallest normal number of f32.
const JUST: f64 = f32::MIN_POSITIVE as f64;

/// A measure of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// 1 if it holds, otherwise 0.
    Truth,
    /// Its violation.
    Violation,
}

/// The compiled values of a constraint.
pub(in crate::problem::problem_file) struct Constraint {
    /// The value that is shown: at most 0 if the constraint is satisfied.
    pub(in crate::problem::problem_file) shown: Value,
    /// 0 if the constraint is satisfied, otherwise positive.
    pub(in crate::problem::problem_file) violation: Value,
}

/// Whether a tree is a condition rather than a number.
pub(super) fn is_condition(tree: &Tree) -> bool {
    match &tree.kind {
        Kind::Compare(..) | Kind::Join(..) | Kind::Not(_) => true,
        Kind::Name(name) => matches!(&**name, "true" | "false"),
        Kind::Call(name, arguments) => match (&**name, arguments.as_slice()) {
            ("any" | "all", _) => true,
            ("if", [_, then, otherwise]) => is_condition(then) || is_condition(otherwise),
            _ => false,
        },
        _ => false,
    }
}

/// The factors of a product that consists of conditions only.
fn product_of_conditions(tree: &Tree) -> Option<Vec<Tree>> {
    let Kind::Chain(first, rest) = &tree.kind else {
        return is_condition(tree).then(|| vec![tree.clone()]);
    };
    let mut all = product_of_conditions(first)?;
    for (operator, factor) in rest {
        if *operator != Operator::Multiply {
            return None;
        }
        all.extend(product_of_conditions(factor)?);
    }
    Some(all)
}

/// A condition that is used as 0 or 1 in a number without a comparison.
fn bare_condition(tree: &Tree) -> Option<&Tree> {
    if is_condition(tree) {
        return Some(tree);
    }
    let parts = tree.parts();
    // The first argument of `if` must be a condition.
    let skipped = usize::from(matches!(&tree.kind, Kind::Call(name, _) if name == "if"));
    parts.into_iter().skip(skipped).find_map(bare_condition)
}

impl Compiler<'_> {
    /// Compiles a constraint: a condition, or a number that is at most 0 if it is satisfied.
    pub(in crate::problem::problem_file) fn constraint(
        &mut self,
        tree: &Tree,
        tolerance: f64,
    ) -> Result<Constraint, Mistake> {
        self.tolerance = tolerance;
        let scope = &Scope::default();
        if let Kind::Compare(left, rest) = &tree.kind
            && let [(relation, _)] = rest.as_slice()
        {
            let values = self.compared(left, rest, scope)?;
            let (left, right) = (values[0], values[1]);
            let violation = self.excess(left, *relation, right);
            return Ok(Constraint { shown: self.margin(left, *relation, right), violation });
        }
        if is_condition(tree) {
            let violation = self.condition(tree, scope, (Measure::Violation, true))?;
            return Ok(Constraint { shown: violation, violation });
        }
        if let Some(all) = product_of_conditions(tree) {
            let kind = Kind::Join(Joint::And, all);
            return self.constraint(&Tree { kind, at: tree.at.clone() }, tolerance);
        }
        if let Some(bare) = bare_condition(tree) {
            let what = "a condition within a number, which alone says nothing; allowed: conditions joined by `and`, \
                        `or` and `not`, or a comparison of the number, as in `... >= 1`";
            return Err(Mistake::new(what, &bare.at));
        }
        let shown = self.value(tree, scope)?;
        let violation = self.graph.apply(Operation::Excess, &[shown]);
        Ok(Constraint { shown, violation })
    }

    /// Compiles a number that is not a condition, such as an objective.
    pub(in crate::problem::problem_file) fn number(
        &mut self,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        self.number_in(tree, &Scope::default())
    }

    pub(super) fn number_in(&mut self, tree: &Tree, scope: &Scope) -> Result<Value, Mistake> {
        if is_condition(tree) {
            let what = "a condition, where a number is needed; allowed: `if(condition, a, b)`";
            return Err(Mistake::new(what, &tree.at));
        }
        self.value(tree, scope)
    }

    /// 1 if the truth of a condition is `holds`, otherwise 0.
    pub(super) fn truth(
        &mut self,
        tree: &Tree,
        scope: &Scope,
        holds: bool,
    ) -> Result<Value, Mistake> {
        self.condition(tree, scope, (Measure::Truth, holds))
    }

    /// A measure of a condition, or of its opposite if it must not hold.
    pub(super) fn condition(
        &mut self,
        tree: &Tree,
        scope: &Scope,
        (measure, holds): (Measure, bool),
    ) -> Result<Value, Mistake> {
        self.count_work(tree)?;
        match &tree.kind {
            Kind::Compare(first, rest) => {
                let values = self.compared(first, rest, scope)?;
                let mut left = values[0];
                let mut all = None;
                for ((relation, _), &right) in rest.iter().zip(&values[1..]) {
                    let relation = if holds { *relation } else { relation.turned() };
                    let one = match measure {
                        Measure::Truth => self.relation(left, relation, right),
                        Measure::Violation => self.excess(left, relation, right),
                    };
                    all = Some(match all {
                        None => one,
                        Some(all) => self.joined(measure, all, one, holds),
                    });
                    left = right;
                }
                Ok(all.unwrap_or(left))
            }
            Kind::Join(joint, all) => {
                let is_and = (*joint == Joint::And) == holds;
                let mut result = self.condition(&all[0], scope, (measure, holds))?;
                for one in &all[1..] {
                    let one = self.condition(one, scope, (measure, holds))?;
                    result = self.joined(measure, result, one, is_and);
                }
                Ok(result)
            }
            Kind::Not(inner) => self.condition(inner, scope, (measure, !holds)),
            Kind::Name(name) if matches!(&**name, "true" | "false") => {
                let is_met = (name == "true") == holds;
                Ok(self.graph.constant(f64::from(is_met == (measure == Measure::Truth))))
            }
            Kind::Call(name, arguments) if is_condition(tree) => match &**name {
                "if" => {
                    let [condition, then, otherwise] = branches(arguments, tree)?;
                    let condition = self.truth(condition, scope, true)?;
                    let then = self.condition(then, scope, (measure, holds))?;
                    let otherwise = self.condition(otherwise, scope, (measure, holds))?;
                    Ok(self.graph.apply(Operation::Choose, &[condition, then, otherwise]))
                }
                _ => {
                    let is_and = (name == "all") == holds;
                    let reduction = match (measure, is_and) {
                        (Measure::Truth, true) | (Measure::Violation, false) => Reduction::Least,
                        (Measure::Truth, false) => Reduction::Greatest,
                        (Measure::Violation, true) => Reduction::Sum,
                    };
                    let fold = self.reduction(reduction, arguments, tree, scope)?;
                    let term = Term::Condition { measure, holds, is_and };
                    Ok(self.fold(&fold, term, scope)?.0)
                }
            },
            _ => Err(no_condition(tree)),
        }
    }

    /// A measure of two conditions joined by `and` (`both`) or `or`.
    fn joined(&mut self, measure: Measure, a: Value, b: Value, both: bool) -> Value {
        let graph = &mut self.graph;
        match (measure, both) {
            (Measure::Truth, true) => return graph.apply(Operation::Least, &[a, b]),
            (Measure::Truth, false) => return graph.apply(Operation::Greatest, &[a, b]),
            (Measure::Violation, true) => return graph.apply(Operation::Add, &[a, b]),
            (Measure::Violation, false) => {}
        }
        // The smaller one, and the other one if one is NaN.
        let a_first = graph.apply(Operation::AtMost, &[a, b]);
        let b_is_number = graph.apply(Operation::Equal, &[b, b]);
        let other = graph.apply(Operation::Choose, &[b_is_number, b, a]);
        graph.apply(Operation::Choose, &[a_first, a, other])
    }

    /// Infinity instead of NaN, so that NaN is not taken for the smallest violation.
    pub(super) fn or_infinite(&mut self, violation: Value) -> Value {
        let infinite = self.graph.constant(f64::INFINITY);
        let is_number = self.graph.apply(Operation::Equal, &[violation, violation]);
        self.graph.apply(Operation::Choose, &[is_number, violation, infinite])
    }

    /// 1 if a relation holds, otherwise 0.
    fn relation(&mut self, left: Value, relation: Relation, right: Value) -> Value {
        let graph = &mut self.graph;
        match relation {
            Relation::Less => graph.apply(Operation::Less, &[left, right]),
            Relation::AtMost => graph.apply(Operation::AtMost, &[left, right]),
            Relation::Greater => graph.apply(Operation::Less, &[right, left]),
            Relation::AtLeast => graph.apply(Operation::AtMost, &[right, left]),
            Relation::Equal => graph.apply(Operation::Equal, &[left, right]),
            Relation::Unequal => {
                let equal = graph.apply(Operation::Equal, &[left, right]);
                let one = graph.constant(1.0);
                graph.apply(Operation::Subtract, &[one, equal])
            }
        }
    }

    /// The violation of a relation.
    fn excess(&mut self, left: Value, relation: Relation, right: Value) -> Value {
        match relation {
            Relation::Greater => return self.excess(right, Relation::Less, left),
            Relation::AtLeast => return self.excess(right, Relation::AtMost, left),
            Relation::Unequal => return self.margin(left, relation, right),
            _ => self.room.asked(&self.graph, left, relation, right),
        }
        let zero = self.graph.constant(0.0);
        let margin = self.margin(left, relation, right);
        let tolerance = self.tolerance_of(left, right);
        let graph = &mut self.graph;
        let met = match relation {
            Relation::Less => graph.apply(Operation::Less, &[left, right]),
            Relation::Equal => {
                let tolerance = graph.constant(tolerance);
                let distance = graph.apply(Operation::Subtract, &[left, right]);
                let distance = graph.apply(Operation::Absolute, &[distance]);
                graph.apply(Operation::AtMost, &[distance, tolerance])
            }
            _ => graph.apply(Operation::AtMost, &[left, right]),
        };
        self.graph.apply(Operation::Choose, &[met, zero, margin])
    }

    /// A value that is at most 0 if a relation holds, and the violation otherwise.
    fn margin(&mut self, left: Value, relation: Relation, right: Value) -> Value {
        let is_whole = self.graph.is_whole(left) && self.graph.is_whole(right);
        let tolerance = self.tolerance_of(left, right);
        let graph = &mut self.graph;
        match relation {
            Relation::Greater => self.margin(right, Relation::Less, left),
            Relation::AtLeast => self.margin(right, Relation::AtMost, left),
            Relation::AtMost => graph.apply(Operation::Subtract, &[left, right]),
            Relation::Less => {
                let step = graph.constant(if is_whole { 1.0 } else { JUST });
                let distance = graph.apply(Operation::Subtract, &[left, right]);
                graph.apply(Operation::Add, &[distance, step])
            }
            Relation::Equal => {
                let tolerance = graph.constant(tolerance);
                let distance = graph.apply(Operation::Subtract, &[left, right]);
                let distance = graph.apply(Operation::Absolute, &[distance]);
                graph.apply(Operation::Subtract, &[distance, tolerance])
            }
            Relation::Unequal => {
                let [one, zero, nan] = [1.0, 0.0, f64::NAN].map(|number| graph.constant(number));
                let [less, more] =
                    [[left, right], [right, left]].map(|from| graph.apply(Operation::Less, &from));
                let apart = graph.apply(Operation::Add, &[less, more]);
                let equal = graph.apply(Operation::Equal, &[left, right]);
                let otherwise = graph.apply(Operation::Choose, &[equal, one, nan]);
                graph.apply(Operation::Choose, &[apart, zero, otherwise])
            }
        }
    }

    /// The tolerance of an equation between two numbers.
    fn tolerance_of(&self, left: Value, right: Value) -> f64 {
        let is_whole = self.graph.is_whole(left) && self.graph.is_whole(right);
        if is_whole { 0.0 } else { self.tolerance }
    }
}

/// The arguments of an `if` whose branches are conditions.
fn branches<'a>(arguments: &'a [Tree], tree: &Tree) -> Result<[&'a Tree; 3], Mistake> {
    let [condition, then, otherwise] = arguments else { return Err(no_condition(tree)) };
    if let Some(number) = [then, otherwise].into_iter().find(|branch| !is_condition(branch)) {
        let what = "a number where the other branch of `if` is a condition; allowed: two conditions, such as `true`, \
                    or two numbers";
        return Err(Mistake::new(what, &number.at));
    }
    Ok([condition, then, otherwise])
}

fn no_condition(tree: &Tree) -> Mistake {
    let what = "a number where a condition is needed; allowed: a comparison, as in `... != 0` or `... <= 0`";
    Mistake::new(what, &tree.at)
}
