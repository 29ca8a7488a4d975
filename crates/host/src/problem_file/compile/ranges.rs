//! Reductions, and the numbers that their indices go through.

use warpswarm_core::expression::{Operation, Reduction};
use warpswarm_core::sum::MAX_TERMS;

use super::{Compiler, EVERY, Fold, Index, Linear, Measure, Scope, Term, element};
use crate::problem_file::graph::{Node, Value};
use crate::problem_file::syntax::{Kind, Mistake, Operator, Tree};

impl Compiler<'_> {
    /// `sum(i, body)`, `sum(i, from, to, body)`, or `sum(x)`, of all numbers of a name.
    pub(super) fn reduction(
        &mut self,
        reduction: Reduction,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Fold, Mistake> {
        let (index, range, body) = match arguments {
            [all @ Tree { kind: Kind::Name(name), .. }] if self.is_array(name) => {
                return self.over_all(reduction, element(name, all), tree, scope);
            }
            [index, body] => (index, None, body),
            [index, from, to, body] => (index, Some((from, to)), body),
            _ => {
                let name = match &tree.kind {
                    Kind::Call(name, _) => name,
                    _ => "sum",
                };
                let what = format!(
                    "allowed: `{name}(i, ...)` or `{name}(i, from, to, ...)` with an index and the terms, or \
                     `{name}(x)` of something with many numbers"
                );
                return Err(Mistake::new(what, &tree.at));
            }
        };
        let name = match &index.kind {
            Kind::Name(name) if !self.names.contains_key(name) && !scope.knows(name) => name,
            Kind::Name(name) => {
                let what = format!("`{name}` has a meaning already; allowed: another index");
                return Err(Mistake::new(what, &index.at));
            }
            _ => return Err(Mistake::new("allowed: the name of an index, such as `i`", &index.at)),
        };
        let range = match range {
            Some((from, to)) => (self.whole(from, scope)?, self.whole(to, scope)?),
            None => self.range(name, body, index, scope)?,
        };
        fold(reduction, (name, range), body.clone(), tree)
    }

    /// A reduction over all numbers of the names that have the index [`EVERY`].
    pub(super) fn over_all(
        &mut self,
        reduction: Reduction,
        body: Tree,
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Fold, Mistake> {
        let range = self.range(EVERY, &body, tree, scope)?;
        fold(reduction, (EVERY, range), body, tree)
    }

    /// The result of a reduction, and how many terms it has.
    pub(super) fn fold(
        &mut self,
        fold: &Fold,
        kind: Term,
        scope: &Scope,
    ) -> Result<(Value, u32), Mistake> {
        let Fold { reduction, index, range, body } = fold;
        let terms = (range.end() - range.start() + 1) as u32;
        let outer = scope.index.as_ref().filter(|outer| mentions(body, &outer.name));
        if outer.is_some() {
            return Ok((self.written_out(fold, kind, scope)?, terms));
        }
        let index = Some(Index { name: index.clone(), start: *range.start(), terms });
        let term = self.term(body, kind, &Scope { index, fixed: scope.fixed.clone() })?;
        Ok((self.graph.add(Node::Fold { reduction: *reduction, terms, term }), terms))
    }

    fn term(&mut self, body: &Tree, kind: Term, scope: &Scope) -> Result<Value, Mistake> {
        match kind {
            Term::Number => self.value(body, scope),
            Term::Condition { measure, holds, is_and } => {
                let value = self.condition(body, scope, (measure, holds))?;
                let is_least = measure == Measure::Violation && !is_and;
                Ok(if is_least { self.or_infinite(value) } else { value })
            }
        }
    }

    /// A reduction within another, term after term.
    fn written_out(&mut self, fold: &Fold, kind: Term, scope: &Scope) -> Result<Value, Mistake> {
        let operation = match fold.reduction {
            Reduction::Sum => Operation::Add,
            Reduction::Product => Operation::Multiply,
            Reduction::Least => Operation::Least,
            Reduction::Greatest => Operation::Greatest,
        };
        let mut scope = scope.clone();
        scope.fixed.push((fold.index.clone(), *fold.range.start()));
        let mut result = self.term(&fold.body, kind, &scope)?;
        for number in fold.range.clone().skip(1) {
            if let Some(fixed) = scope.fixed.last_mut() {
                fixed.1 = number;
            }
            let term = self.term(&fold.body, kind, &scope)?;
            result = self.graph.apply(operation, &[result, term]);
        }
        Ok(result)
    }

    /// All numbers from 1 to as many as there are for which whatever has the index is there.
    fn range(
        &self,
        name: &str,
        body: &Tree,
        index: &Tree,
        scope: &Scope,
    ) -> Result<(i64, i64), Mistake> {
        let here = Index { name: name.into(), start: 0, terms: 1 };
        let scope = Scope { index: Some(here), fixed: scope.fixed.clone() };
        let mut range = Range { start: 1, end: i64::MAX, len: None };
        self.narrow(body, &scope, &mut range)?;
        if range.len.is_none() {
            let what = format!(
                "nothing has the index `{name}`; allowed: its range, as in `sum({name}, 1, 10, ...)`"
            );
            return Err(Mistake::new(what, &index.at));
        }
        Ok((range.start, range.end))
    }

    /// Narrows a range to what the elements in a tree allow.
    fn narrow(&self, tree: &Tree, scope: &Scope, range: &mut Range) -> Result<(), Mistake> {
        match &tree.kind {
            Kind::Element(name, index) => {
                let here = scope.index.as_ref().map_or("", |index| &index.name);
                if !mentions(index, here) {
                    return Ok(());
                }
                let (_, len) = self.array(name, tree, scope)?;
                let Linear { number, .. } = self.linear(index, scope)?;
                if range.len.is_some_and(|other| other != len) {
                    let what = format!(
                        "`{name}` has {len} numbers, and what else has the index `{here}` another number of them; \
                         allowed: the same, or the range, as in `sum({here}, 1, 10, ...)`"
                    );
                    return Err(Mistake::new(what, &tree.at));
                }
                range.len = Some(len);
                range.start = range.start.max(1_i64.saturating_sub(number));
                range.end = range.end.min(i64::from(len).saturating_sub(number.max(0)));
                Ok(())
            }
            _ => tree.parts().into_iter().try_for_each(|part| self.narrow(part, scope, range)),
        }
    }

    /// A whole number that does not depend on an index.
    fn whole(&self, tree: &Tree, scope: &Scope) -> Result<i64, Mistake> {
        let Linear { indexed, number } = self.linear(tree, scope)?;
        if indexed {
            let what = "the range depends on another index; allowed: whole numbers";
            return Err(Mistake::new(what, &tree.at));
        }
        Ok(number)
    }

    /// The index, or a whole number, or one after the other.
    pub(super) fn linear(&self, tree: &Tree, scope: &Scope) -> Result<Linear, Mistake> {
        let fixed = |number| Ok(Linear { indexed: false, number });
        let mistake = || {
            let what =
                "allowed: a whole number, or the index of a sum plus or minus one, as in `i + 1`";
            Err(Mistake::new(what, &tree.at))
        };
        let whole = |number: f64| match number.fract() == 0.0 && number.abs() <= f64::from(1 << 24)
        {
            true => fixed(number as i64),
            false => mistake(),
        };
        match &tree.kind {
            Kind::Number(number) => whole(*number),
            Kind::Name(name) => match (&scope.index, scope.fixed(name), self.names.get(name)) {
                (Some(index), ..) if index.name == *name => Ok(Linear { indexed: true, number: 0 }),
                (_, Some(number), _) => fixed(number),
                (.., Some(super::Meaning::Constant(number))) => whole(*number),
                (.., Some(_)) => mistake(),
                _ => Err(self.unknown("name", name, tree, scope)),
            },
            Kind::Negative(inner) => match self.linear(inner, scope)? {
                Linear { indexed: false, number } => fixed(-number),
                _ => mistake(),
            },
            Kind::Call(name, arguments) if name == "len" => self.len_of(arguments, tree, scope),
            Kind::Chain(first, rest) => {
                let mut left = self.linear(first, scope)?;
                for (operator, right) in rest {
                    let right = self.linear(right, scope)?;
                    let number = match operator {
                        Operator::Add => left.number.checked_add(right.number),
                        Operator::Subtract if !right.indexed => {
                            left.number.checked_sub(right.number)
                        }
                        Operator::Multiply if !left.indexed && !right.indexed => {
                            left.number.checked_mul(right.number)
                        }
                        _ => None,
                    };
                    let Some(number) = number.filter(|_| !(left.indexed && right.indexed)) else {
                        return mistake();
                    };
                    left = Linear { indexed: left.indexed || right.indexed, number };
                }
                Ok(left)
            }
            _ => mistake(),
        }
    }

    /// `len(x)`
    pub(super) fn len_of(
        &self,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Linear, Mistake> {
        match arguments {
            [Tree { kind: Kind::Name(name), at }] => {
                let argument = Tree { kind: Kind::Name(name.clone()), at: at.clone() };
                let (_, len) = self.array(name, &argument, scope)?;
                Ok(Linear { indexed: false, number: len.into() })
            }
            _ => Err(Mistake::new("allowed: `len(x)` of something with many numbers", &tree.at)),
        }
    }
}

/// A reduction over a range that is not too long.
fn fold(
    reduction: Reduction,
    (index, (start, end)): (&str, (i64, i64)),
    body: Tree,
    tree: &Tree,
) -> Result<Fold, Mistake> {
    let terms = end.saturating_sub(start).saturating_add(1);
    if terms < 1 || terms > MAX_TERMS as i64 {
        let what = format!("from {start} to {end}; allowed: 1 to {MAX_TERMS} terms");
        return Err(Mistake::new(what, &tree.at));
    }
    Ok(Fold { reduction, index: index.into(), range: start..=end, body })
}

/// What an index goes through.
struct Range {
    start: i64,
    end: i64,
    /// How many numbers everything with the index has.
    len: Option<u32>,
}

/// Whether a name is written in a tree.
fn mentions(tree: &Tree, name: &str) -> bool {
    matches!(&tree.kind, Kind::Name(other) if other == name)
        || tree.parts().into_iter().any(|part| mentions(part, name))
}
