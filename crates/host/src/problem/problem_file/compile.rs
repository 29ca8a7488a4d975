//! Compiles syntax trees to a graph: resolves names and functions, and the ranges of reductions.

mod choices;
mod conditions;
mod elements;
mod functions;
mod hint;
mod interval;
mod lets;
mod ode;
mod periods;
mod ranges;
mod room;
mod tables;

use conditions::{Measure, is_condition};

use std::collections::HashMap;

use warpswarm_core::expression::{Operation, Reduction};

use crate::objective::bounds::Bounds;

use super::curves::ROW;
use super::graph::{Graph, Node, Value};
use super::names::{Meaning, Names, Options, on_one_line};
use super::syntax::{Kind, Mistake, Operator, Tree};

/// The largest number of values in a problem.
const MOST_VALUES: usize = 4096;
/// The largest number of parts of expressions that are compiled; a part of an expanded reduction counts once for each
/// term.
const MOST_WORK: usize = 1 << 20;

/// Reserved names, which a file may not define.
pub(super) const NAMES: [&str; 7] = ["pi", "inf", "true", "false", "and", "or", "not"];

/// Compiles trees to a graph.
pub(super) struct Compiler<'a> {
    names: &'a Names,
    /// The bounds of the variables, if expressions may depend on variables.
    bounds: Option<&'a Bounds>,
    /// The code of each coordinate's scale, if one is not 0.
    codes: &'a [f64],
    /// Data of this graph alone, stored after those of the names and the codes.
    own_data: Vec<f64>,
    /// The positions of rows in these data, by their contents.
    rows: HashMap<(u32, Vec<u32>), u32>,
    pub(super) graph: Graph,
    /// Whether the graph may grow without limit: it has been compiled before, with other scales.
    is_checked: bool,
    work: usize,
    /// The tolerance of equations.
    tolerance: f64,
    /// The named expressions compiled so far, and the elements of those that are arrays.
    lets: Vec<lets::Ready>,
    elements: HashMap<(u32, elements::Place), Value>,
    /// The smallest and largest number that coordinates stand for, by their values.
    ranges: HashMap<Value, (f64, f64)>,
    /// The meanings of names within the differential equation.
    moment: Option<ode::Moment>,
    /// How much room the constraints leave.
    room: room::Room,
}

/// The kind of a reduction's terms.
#[derive(Clone, Copy, Debug)]
enum Term {
    Number,
    /// A measure of a condition, or of its opposite if it must not hold; the conditions are joined by `and` or `or`.
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

/// The indices that are defined where an expression stands.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// The index of the reduction whose terms are compiled.
    index: Option<Index>,
    /// The indices of expanded reductions.
    fixed: Vec<(String, i64)>,
}

/// An index and its range.
#[derive(Clone, Debug, PartialEq)]
struct Index {
    name: String,
    start: i64,
    terms: u32,
}

/// An integer, optionally added to the index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear {
    indexed: bool,
    number: i64,
}

impl<'a> Compiler<'a> {
    /// Whether one of the constraints so far is an equation, or a narrow band.
    pub(super) fn is_tight(&self) -> bool {
        self.room.is_tight
    }

    pub(super) fn new(names: &'a Names, bounds: Option<&'a Bounds>) -> Self {
        Compiler {
            names,
            bounds,
            codes: &[],
            own_data: Vec::new(),
            rows: HashMap::new(),
            graph: Graph::new(names.whole(bounds)),
            is_checked: false,
            work: 0,
            tolerance: 0.0,
            lets: Vec::new(),
            elements: HashMap::new(),
            ranges: HashMap::new(),
            moment: None,
            room: room::Room::default(),
        }
    }

    /// This compiler for coordinates with these scale codes, for a problem that has been compiled before.
    pub(super) fn of_scales(self, codes: &'a [f64]) -> Self {
        Compiler { codes, is_checked: true, ..self }
    }

    /// The data to which the graph's positions refer.
    pub(super) fn data(&self) -> Vec<f64> {
        [&self.names.data, self.codes, &self.own_data].concat()
    }

    /// The number of an expression, if it is the same at every point.
    pub(super) fn constant(&mut self, tree: &Tree) -> Option<f64> {
        let value = self.value(tree, &Scope::default()).ok()?;
        self.graph.number(value)
    }

    /// The value of an expression in the row of data with the index of the term, for `rows` rows.
    pub(super) fn in_row(&mut self, tree: &Tree, rows: u32) -> Result<Value, Mistake> {
        let index = Some(Index { name: ROW.into(), start: 1, terms: rows });
        self.value(tree, &Scope { index, fixed: Vec::new() })
    }

    /// Counts the parts of expressions that are compiled.
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

    /// The value of a number; a condition is 1 if it holds, otherwise 0.
    fn value(&mut self, tree: &Tree, scope: &Scope) -> Result<Value, Mistake> {
        self.count_work(tree)?;
        if is_condition(tree) {
            return self.truth(tree, scope, true);
        }
        match &tree.kind {
            Kind::Number(number) => Ok(self.graph.constant(*number)),
            Kind::Name(name) | Kind::Element(name, _) if self.names.choices(name).is_some() => {
                Err(self.no_number(name, tree))
            }
            Kind::Name(name) => self.name(name, tree, scope),
            Kind::Text(text) => {
                let what = format!(
                    "'{}', where a number is needed; allowed: only beside a variable with `choices`, as in \
                     `metal == 'steel'`",
                    on_one_line(text)
                );
                Err(Mistake::new(what, &tree.at))
            }
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
            Kind::Element(name, indices) => self.element(name, indices, tree, scope),
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
        if let Some(number) = self.at_moment(name) {
            return Ok(number);
        }
        match self.names.get(name) {
            Some(&Meaning::Constant(number)) => Ok(self.graph.constant(number)),
            Some(&Meaning::Coordinate(at)) => {
                let x = self.graph.add(Node::Coordinate(at));
                Ok(self.meant(name, x, (at, 1), false))
            }
            Some(&Meaning::Let(number)) => self.named(number, name, tree, scope),
            // The only number of the array in each run.
            Some(&Meaning::Data(at, 1)) if self.names.own.place(at).is_some() => {
                Ok(self.datum(at, false))
            }
            Some(&Meaning::Later(why)) => Err(Mistake::new(format!("`{name}` {why}"), &tree.at)),
            Some(_) => Err(self.many(name, tree, scope)),
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

    /// The users' value of a coordinate of a variable with `count` coordinates from `first` on.
    fn meant(&mut self, name: &str, x: Value, (first, count): (u32, u32), indexed: bool) -> Value {
        let of = self.codes.get(first as usize..).unwrap_or_default();
        let of = &of[..of.len().min(count as usize)];
        let mut number = x;
        if let Some(&code) = of.first() {
            let code = if of.iter().all(|other| *other == code) || !indexed {
                self.graph.constant(code)
            } else {
                self.graph.add(Node::Data(self.names.data.len() as u32 + first))
            };
            number = self.graph.natural(code, x);
        }
        if self.names.periodic.contains(name) {
            number = self.place_in_period(number, (first, count));
        }
        if let Some(bounds) = self.bounds {
            let all = first as usize..(first + count) as usize;
            let (lower, upper) = (&bounds.lower()[all.clone()], &bounds.upper()[all]);
            let least = lower.iter().copied().fold(f64::INFINITY, f64::min);
            let most = upper.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            self.ranges.insert(number, (least, most));
        }
        match self.names.options.get(name) {
            Some(Options::Values(values)) => {
                let entries: Vec<_> = (1..)
                    .zip(values)
                    .map(|(number, &value)| (number, self.graph.constant(value)))
                    .collect();
                self.select(number, &entries)
            }
            _ => number,
        }
    }

    fn unknown(&self, what: &str, name: &str, tree: &Tree, scope: &Scope) -> Mistake {
        let at = tree.at.start..tree.at.start + name.len();
        let like = if what == "function" {
            hint::function(name)
        } else {
            let indices = scope.index.iter().map(|index| &*index.name);
            let indices = indices.chain(scope.fixed.iter().map(|(name, _)| &**name));
            let known = self.names.meanings.keys().map(String::as_str);
            let known: Vec<&str> = known.chain(["pi", "tau", "inf"]).chain(indices).collect();
            let is_row = scope.index.as_ref().is_some_and(|index| index.name == ROW);
            hint::name(name, &known, is_row)
        };
        Mistake { what: format!("unknown {what} `{name}`{}", like.unwrap_or_default()), at }
    }

    /// The mistake of using an array as a number.
    fn many(&self, name: &str, tree: &Tree, scope: &Scope) -> Mistake {
        let fixed = scope.fixed.last().map(|(name, _)| name);
        let index = scope.index.as_ref().map(|index| &index.name).or(fixed);
        // A file does not name the indices of rows and of whole arrays.
        let index = index.filter(|name| ![EVERY, ROW].contains(&&***name));
        let one = match (self.names.get(name), index) {
            (Some(Meaning::Matrix(_)), _) => format!("`{name}[i, j]`"),
            (_, Some(index)) => format!("`{name}[{index}]`"),
            (_, None) => format!("`{name}[i]` in `sum(i, ...)`"),
        };
        Mistake::new(format!("`{name}` is many numbers; allowed: one of them, {one}"), &tree.at)
    }

    /// Whether a name is not defined, so that it may be an index.
    fn may_be_index(&self, name: &str, scope: &Scope) -> bool {
        self.names.get(name).is_none() && !scope.knows(name) && !NAMES.contains(&name)
    }

    /// Whether a name stands for an array.
    fn is_array(&self, name: &str) -> bool {
        match self.names.get(name) {
            Some(Meaning::Coordinates(..) | Meaning::Data(..) | Meaning::Matrix(..)) => true,
            Some(Meaning::State(..)) => !self.is_at_moment(),
            Some(Meaning::Let(number)) => {
                matches!(self.lets.get(*number as usize), Some(lets::Ready::Vector { .. }))
            }
            _ => false,
        }
    }
}

/// The index of reductions over all numbers of a name; a file cannot contain this name.
const EVERY: &str = "#";

/// A name with the index [`EVERY`].
fn element(name: &str, at: &Tree) -> Tree {
    let index = Tree { kind: Kind::Name(EVERY.into()), at: at.at.clone() };
    Tree { kind: Kind::Element(name.into(), vec![index]), at: at.at.clone() }
}

impl Scope {
    fn fixed(&self, name: &str) -> Option<i64> {
        self.fixed.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    fn knows(&self, name: &str) -> bool {
        self.fixed(name).is_some() || self.index.as_ref().is_some_and(|index| index.name == name)
    }
}
