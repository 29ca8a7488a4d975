//! Reductions, and the ranges of their indices.

use warpswarm_core::expression::{Greatest, Least, Operation, Reduction};
use warpswarm_core::sum::{MAX_TERMS, Product, Sum, fold_buffered};

use super::{Compiler, EVERY, Fold, Index, Linear, Measure, Scope, Term, element};
use crate::problem::problem_file::graph::{Node, Value};
use crate::problem::problem_file::syntax::{Kind, Mistake, Operator, Tree};

impl Compiler<'_> {
    /// `sum(i, body)`, `sum(i, from, to, body)`, or `sum(x)` over all numbers of a name.
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
            Kind::Name(name) if self.may_be_index(name, scope) => name,
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

    /// The result of a reduction, and its number of terms.
    pub(super) fn fold(
        &mut self,
        fold: &Fold,
        kind: Term,
        scope: &Scope,
    ) -> Result<(Value, u32), Mistake> {
        let Fold { reduction, index, range, body } = fold;
        let terms = (range.end() - range.start() + 1) as u32;
        let outer = scope.index.as_ref().filter(|outer| mentions(body, &outer.name));
        if outer.is_some() || self.is_of_moment(body) {
            return Ok((self.written_out(fold, kind, scope)?, terms));
        }
        let index = Some(Index { name: index.clone(), start: *range.start(), terms });
        let term = self.term(body, kind, &Scope { index, fixed: scope.fixed.clone() })?;
        Ok((self.folded(*reduction, terms, term), terms))
    }

    /// The reduction of a value that depends on the index of the term.
    pub(super) fn folded(&mut self, reduction: Reduction, terms: u32, term: Value) -> Value {
        match self.numbers(term, terms) {
            Some(all) => self.graph.constant(reduced(reduction, terms as usize, &all)),
            None => self.graph.add(Node::Fold { reduction, terms, term }),
        }
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

    /// A reduction within another one, expanded into its terms.
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

    /// The largest range of the index from 1 on within which all elements with the index exist.
    fn range(
        &mut self,
        name: &str,
        body: &Tree,
        index: &Tree,
        scope: &Scope,
    ) -> Result<(i64, i64), Mistake> {
        let here = Index { name: name.into(), start: 0, terms: 1 };
        let outer = scope.index.as_ref().map(|outer| outer.name.clone());
        let scope = Scope { index: Some(here), fixed: scope.fixed.clone() };
        let mut range = Range { start: 1, end: i64::MAX, len: None, outer };
        self.narrow(body, &scope, &mut range)?;
        if range.len.is_none() {
            let element = match body.names(name) {
                true => String::new(),
                false => format!("`x[{name}]` for an `x` of many numbers, or "),
            };
            let what = format!(
                "nothing has the index `{name}`; allowed: {element}its range, as in `sum({name}, 1, 10, ...)`"
            );
            return Err(Mistake::new(what, &index.at));
        }
        Ok((range.start, range.end))
    }

    /// Narrows a range to what the elements in a tree allow.
    fn narrow(&mut self, tree: &Tree, scope: &Scope, range: &mut Range) -> Result<(), Mistake> {
        let Kind::Element(name, indices) = &tree.kind else {
            return tree.parts().into_iter().try_for_each(|part| self.narrow(part, scope, range));
        };
        let here = scope.index.as_ref().map_or("", |index| &index.name);
        if !mentions(tree, here) {
            return Ok(());
        }
        let sizes = self.sizes(name, indices, tree, scope)?;
        for (index, len) in indices.iter().zip(sizes) {
            let is_outer = range.outer.as_ref().is_some_and(|outer| mentions(index, outer));
            if is_outer || !mentions(index, here) {
                continue;
            }
            let number = match self.linear(index, scope)? {
                Some(Linear { indexed: true, number }) => number,
                Some(_) => continue,
                // For example x[y[i]]: the range of the index is that of y.
                None => {
                    self.narrow(index, scope, range)?;
                    continue;
                }
            };
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
        }
        Ok(())
    }

    /// An integer that depends neither on an index nor on variables.
    pub(super) fn whole(&mut self, tree: &Tree, scope: &Scope) -> Result<i64, Mistake> {
        match self.linear(tree, scope)? {
            Some(Linear { indexed: false, number }) => Ok(number),
            _ => {
                let depends = scope.index.iter().any(|index| mentions(tree, &index.name));
                let what = match depends {
                    true => "the range depends on another index; allowed: whole numbers",
                    false => "no whole number; allowed: one that depends on no variable",
                };
                Err(Mistake::new(what, &tree.at))
            }
        }
    }

    /// The index, an integer, or their sum or difference; `None` for any other expression.
    pub(super) fn linear(&mut self, tree: &Tree, scope: &Scope) -> Result<Option<Linear>, Mistake> {
        let here = scope.index.as_ref().map_or("", |index| &index.name);
        if here.is_empty() || !mentions(tree, here) {
            if self.is_no_number(tree) {
                return Ok(None);
            }
            let value = self.value(tree, scope)?;
            let number = self.graph.number(value);
            let whole = number.filter(|n| n.fract() == 0.0 && n.abs() <= MOST_WHOLE);
            if whole.is_none() && number.is_some() {
                let number = number.unwrap_or_default();
                let what = format!("{number}; allowed: a whole number up to {MOST_WHOLE}");
                return Err(Mistake::new(what, &tree.at));
            }
            let fixed = |number| Linear { indexed: false, number: number as i64 };
            return Ok(whole.map(fixed));
        }
        Ok(match &tree.kind {
            Kind::Name(_) => Some(Linear { indexed: true, number: 0 }),
            Kind::Chain(first, rest) => {
                let Some(mut left) = self.linear(first, scope)? else { return Ok(None) };
                for (operator, right) in rest {
                    let Some(right) = self.linear(right, scope)? else { return Ok(None) };
                    let number = match operator {
                        Operator::Add => left.number.checked_add(right.number),
                        Operator::Subtract if !right.indexed => {
                            left.number.checked_sub(right.number)
                        }
                        _ => None,
                    };
                    let Some(number) = number.filter(|_| !(left.indexed && right.indexed)) else {
                        return Ok(None);
                    };
                    left = Linear { indexed: left.indexed || right.indexed, number };
                }
                Some(left)
            }
            _ => None,
        })
    }

    /// Whether a tree is a choice or the name of a variable with choices, which may be used as an index.
    fn is_no_number(&self, tree: &Tree) -> bool {
        match &tree.kind {
            Kind::Text(_) => true,
            Kind::Name(name) | Kind::Element(name, _) => self.names.choices(name).is_some(),
            _ => false,
        }
    }

    /// `len(x)`
    pub(super) fn len_of(
        &self,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<u32, Mistake> {
        match arguments {
            [argument @ Tree { kind: Kind::Name(name), .. }] => {
                Ok(self.sizes(name, &[], argument, scope)?[0])
            }
            _ => Err(Mistake::new("allowed: `len(x)` of something with many numbers", &tree.at)),
        }
    }
}

/// The largest integer of an index or a range: integers up to here are exact.
const MOST_WHOLE: f64 = (1_u64 << 53) as f64;

/// The result of a reduction over terms, or over `terms` equal terms.
fn reduced(reduction: Reduction, terms: usize, all: &[f64]) -> f64 {
    let term = |k: usize| all.get(k).or(all.first()).copied().unwrap_or(f64::NAN);
    match reduction {
        Reduction::Sum => fold_buffered::<f64, Sum>(terms, term),
        Reduction::Product => fold_buffered::<f64, Product>(terms, term),
        Reduction::Least => fold_buffered::<f64, Least>(terms, term),
        Reduction::Greatest => fold_buffered::<f64, Greatest>(terms, term),
    }
}

/// A reduction over a range, whose length is checked.
fn fold(
    reduction: Reduction,
    (index, (start, end)): (&str, (i64, i64)),
    body: Tree,
    tree: &Tree,
) -> Result<Fold, Mistake> {
    let terms = end.saturating_sub(start).saturating_add(1);
    if terms < 1 || terms > MAX_TERMS as i64 {
        let what = format!("{terms} terms, from {start} to {end}; allowed: 1 to {MAX_TERMS} terms");
        return Err(Mistake::new(what, &tree.at));
    }
    Ok(Fold { reduction, index: index.into(), range: start..=end, body })
}

/// The range of an index.
struct Range {
    start: i64,
    end: i64,
    /// The common length of all arrays with the index.
    len: Option<u32>,
    /// The index of the enclosing reduction, whose range is not known yet.
    outer: Option<String>,
}

/// Whether a name occurs in a tree.
pub(super) fn mentions(tree: &Tree, name: &str) -> bool {
    matches!(&tree.kind, Kind::Name(other) if other == name)
        || tree.parts().into_iter().any(|part| mentions(part, name))
}
