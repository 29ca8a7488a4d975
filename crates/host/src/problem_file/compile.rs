//! From trees to a graph: what names and functions mean, and over what reductions go.

mod conditions;
mod functions;
mod hint;
mod ranges;

use conditions::{Measure, is_condition};

use std::collections::HashMap;

use warpswarm_core::expression::{Operation, Reduction};

use super::graph::{Graph, Node, Value, Whole};
use super::syntax::{Kind, Mistake, Operator, Tree};

/// The most values of a problem.
const MOST_VALUES: usize = 4096;
/// The most parts of expressions that are gone through, with those of written-out reductions each time.
const MOST_WORK: usize = 1 << 20;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Constant(f64),
    Coordinate(u32),
    /// Coordinates from one on.
    Coordinates(u32, u32),
    /// So many data from one on.
    Data(u32, u32),
}

/// Names with a meaning of their own, which no file may give to something else.
pub(super) const NAMES: [&str; 7] = ["pi", "inf", "true", "false", "and", "or", "not"];

/// Makes a graph of trees.
pub(super) struct Compiler<'a> {
    pub(super) names: &'a HashMap<String, Meaning>,
    /// The data that names stand for, and then the code of each coordinate's scale.
    pub(super) data: &'a [f64],
    /// The code of each coordinate's scale, if one is not 0.
    pub(super) codes: &'a [f64],
    pub(super) graph: Graph,
    /// Whether the graph may grow without end; it has been made before, with other scales.
    pub(super) is_checked: bool,
    work: usize,
    /// How far from each other the sides of an equation may be.
    tolerance: f64,
}

/// What the terms of a reduction are.
#[derive(Clone, Copy, Debug)]
enum Term {
    Number,
    /// What is asked of a condition, or of its opposite; all of them, or one, are to hold.
    Condition {
        measure: Measure,
        holds: bool,
        is_and: bool,
    },
}

/// A reduction over a range.
struct Fold {
    reduction: Reduction,
    index: String,
    range: std::ops::RangeInclusive<i64>,
    body: Tree,
}

/// The indices that are known where something is written.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// That of the reduction whose terms are computed.
    index: Option<Index>,
    /// Those of reductions that are written out.
    fixed: Vec<(String, i64)>,
}

/// An index and its range.
#[derive(Clone, Debug, PartialEq)]
struct Index {
    name: String,
    start: i64,
    terms: u32,
}

/// A whole number, perhaps after the index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear {
    indexed: bool,
    number: i64,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        names: &'a HashMap<String, Meaning>,
        data: &'a [f64],
        codes: &'a [f64],
        whole: Whole,
        is_checked: bool,
    ) -> Self {
        Compiler {
            names,
            data,
            codes,
            graph: Graph::new(whole),
            is_checked,
            work: 0,
            tolerance: 0.0,
        }
    }

    /// The value of an expression.
    pub(super) fn compile(&mut self, tree: &Tree) -> Result<Value, Mistake> {
        self.value(tree, &Scope::default())
    }

    /// Counts the parts of expressions that are gone through.
    fn count_work(&mut self, tree: &Tree) -> Result<(), Mistake> {
        self.work += 1;
        let is_much = self.graph.len() > MOST_VALUES || self.work > MOST_WORK;
        if is_much && !self.is_checked {
            let what = format!(
                "too long: more than {MOST_VALUES} operations (a reduction that depends on another's index is \
                 written out)"
            );
            return Err(Mistake::new(what, &tree.at));
        }
        Ok(())
    }

    /// A number; a condition is 1 where it holds, otherwise 0.
    fn value(&mut self, tree: &Tree, scope: &Scope) -> Result<Value, Mistake> {
        self.count_work(tree)?;
        if is_condition(tree) {
            return self.truth(tree, scope, true);
        }
        match &tree.kind {
            Kind::Number(number) => Ok(self.graph.constant(*number)),
            Kind::Name(name) => self.name(name, tree, scope),
            Kind::Negative(inner) => {
                let inner = self.value(inner, scope)?;
                Ok(self.graph.apply(Operation::Negate, &[inner]))
            }
            Kind::Power(base, exponent) => {
                let (base, exponent) = (self.value(base, scope)?, self.value(exponent, scope)?);
                Ok(self.graph.power(base, exponent))
            }
            Kind::Chain(first, rest) => {
                let mut left = self.value(first, scope)?;
                for (operator, right) in rest {
                    let right = self.value(right, scope)?;
                    left = self.operator(*operator, left, right);
                }
                Ok(left)
            }
            Kind::Element(name, index) => self.element(name, index, tree, scope),
            Kind::Call(name, arguments) => self.call(name, arguments, tree, scope),
            Kind::Compare(..) | Kind::Join(..) | Kind::Not(_) => self.truth(tree, scope, true),
        }
    }

    fn operator(&mut self, operator: Operator, left: Value, right: Value) -> Value {
        let operation = match operator {
            Operator::Add => Operation::Add,
            Operator::Subtract => Operation::Subtract,
            Operator::Multiply => Operation::Multiply,
            Operator::Divide => Operation::Divide,
        };
        self.graph.apply(operation, &[left, right])
    }

    fn name(&mut self, name: &str, tree: &Tree, scope: &Scope) -> Result<Value, Mistake> {
        if let Some(index) = scope.index.as_ref().filter(|index| index.name == name) {
            let (number, start) =
                (self.graph.add(Node::Index), self.graph.constant(index.start as f64));
            return Ok(self.graph.apply(Operation::Add, &[number, start]));
        }
        if let Some(number) = scope.fixed(name) {
            return Ok(self.graph.constant(number as f64));
        }
        match self.names.get(name) {
            Some(&Meaning::Constant(number)) => Ok(self.graph.constant(number)),
            Some(&Meaning::Coordinate(at)) => {
                let x = self.graph.add(Node::Coordinate(at));
                Ok(self.meant(x, (at, 1), false))
            }
            Some(_) => {
                let what = format!("`{name}` is many numbers; allowed: one of them, `{name}[i]`");
                Err(Mistake::new(what, &tree.at))
            }
            None => match name {
                "pi" => Ok(self.graph.constant(std::f64::consts::PI)),
                "tau" => Ok(self.graph.constant(std::f64::consts::TAU)),
                "inf" => Ok(self.graph.constant(f64::INFINITY)),
                _ if functions::names().any(|known| known == name) => {
                    let what = format!("`{name}` is a function; allowed: `{name}(...)`");
                    Err(Mistake::new(what, &tree.at))
                }
                _ => Err(self.unknown("name", name, tree, scope)),
            },
        }
    }

    /// What is meant by a coordinate, one of so many from one on.
    fn meant(&mut self, x: Value, (first, count): (u32, u32), indexed: bool) -> Value {
        let of = self.codes.get(first as usize..).unwrap_or_default();
        let of = &of[..of.len().min(count as usize)];
        let Some(&code) = of.first() else { return x };
        let code = if of.iter().all(|other| *other == code) {
            self.graph.constant(code)
        } else if indexed {
            self.graph.add(Node::Data((self.data.len() - self.codes.len()) as u32 + first))
        } else {
            self.graph.constant(code)
        };
        self.graph.natural(code, x)
    }

    fn element(
        &mut self,
        name: &str,
        index: &Tree,
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let (first, len) = self.array(name, tree, scope)?;
        let Linear { indexed, number } = self.linear(index, scope)?;
        let range = match &scope.index {
            Some(Index { start, terms, .. }) if indexed => {
                number + start..=number + start + i64::from(*terms) - 1
            }
            _ => number..=number,
        };
        if *range.start() < 1 || *range.end() > i64::from(len) {
            let is = match range.start() == range.end() {
                true => format!("is {}", range.start()),
                false => format!("goes from {} to {}", range.start(), range.end()),
            };
            let what = format!("the index {is}; allowed: 1 to {len}, as `{name}` has");
            return Err(Mistake::new(what, &index.at));
        }
        let at = first + (range.start() - 1) as u32;
        let count = (range.end() - range.start() + 1) as u32;
        let is_data = matches!(self.names.get(name), Some(Meaning::Data(..)));
        Ok(match (is_data, indexed) {
            (true, true) => self.graph.add(Node::Data(at)),
            (true, false) => self.graph.constant(self.data[at as usize]),
            (false, true) => {
                let x = self.graph.add(Node::Coordinates(at));
                self.meant(x, (at, count), true)
            }
            (false, false) => {
                let x = self.graph.add(Node::Coordinate(at));
                self.meant(x, (at, 1), false)
            }
        })
    }

    /// Where the numbers of a name are that stands for many, and how many there are.
    fn array(&self, name: &str, tree: &Tree, scope: &Scope) -> Result<(u32, u32), Mistake> {
        match self.names.get(name) {
            Some(&(Meaning::Coordinates(first, len) | Meaning::Data(first, len))) => {
                Ok((first, len))
            }
            Some(_) => {
                let what = format!("`{name}` is one number; allowed: `{name}` without an index");
                Err(Mistake::new(what, &tree.at))
            }
            None => Err(self.unknown("name", name, tree, scope)),
        }
    }

    fn unknown(&self, what: &str, name: &str, tree: &Tree, scope: &Scope) -> Mistake {
        let at = tree.at.start..tree.at.start + name.len();
        let like = if what == "function" {
            hint::function(name)
        } else {
            let indices = scope.index.iter().map(|index| &*index.name);
            let indices = indices.chain(scope.fixed.iter().map(|(name, _)| &**name));
            let known: Vec<&str> = self
                .names
                .keys()
                .map(String::as_str)
                .chain(["pi", "tau", "inf"])
                .chain(indices)
                .collect();
            hint::name(name, &known)
        };
        Mistake { what: format!("unknown {what} `{name}`{}", like.unwrap_or_default()), at }
    }

    /// Whether a name stands for many numbers.
    fn is_array(&self, name: &str) -> bool {
        matches!(self.names.get(name), Some(Meaning::Coordinates(..) | Meaning::Data(..)))
    }
}

/// The index of reductions over all numbers of a name, which nobody can write.
const EVERY: &str = "#";

/// A name with the index [`EVERY`].
fn element(name: &str, at: &Tree) -> Tree {
    let index = Tree { kind: Kind::Name(EVERY.into()), at: at.at.clone() };
    Tree { kind: Kind::Element(name.into(), Box::new(index)), at: at.at.clone() }
}

impl Scope {
    fn fixed(&self, name: &str) -> Option<i64> {
        self.fixed.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    fn knows(&self, name: &str) -> bool {
        self.fixed(name).is_some() || self.index.as_ref().is_some_and(|index| index.name == name)
    }
}
