//! Elements of arrays, and the positions that indices select.

use warpswarm_core::expression::Operation;

use super::{Compiler, EVERY, Linear, Scope, lets};
use crate::problem::problem_file::graph::{Node, Value};
use crate::problem::problem_file::names::{Matrix, Meaning};
use crate::problem::problem_file::syntax::{Kind, Mistake, Tree};

/// The largest number of elements from which an index that depends on variables selects.
const MOST_CHOSEN: i64 = 1024;

/// What an index that depends on variables may be made of.
const IN_INDICES: &str = "variables, data, +, -, *, /, if, comparisons, and the functions floor, ceil, round, trunc, abs, \
    sign, sqrt, mod, min and max";

/// The position of an element, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Fixed(i64),
    /// This position in the first term, and the next one in each following term; with the number of terms.
    Moving(i64, u32),
    /// One position for each term.
    Listed(Vec<i64>),
    /// The position given by a value between two numbers.
    Selected(Value, i64, i64),
}

/// The kinds of arrays.
#[derive(Clone, Copy, Debug)]
enum Array {
    Coordinates(u32),
    Data(u32),
    Let(u32),
    /// The numbers of the differential equation's solution from this position on.
    Solution(u32),
}

impl Compiler<'_> {
    pub(super) fn element(
        &mut self,
        name: &str,
        indices: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let sizes = self.sizes(name, indices, tree, scope)?;
        let mut places = Vec::with_capacity(2);
        for (index, &size) in indices.iter().zip(&sizes) {
            places.push(self.place(name, index, size, scope)?);
        }
        let place = match (places.pop(), places.pop()) {
            (Some(column), Some(row)) => self.flat(row, column, sizes[1]),
            (Some(only), None) => only,
            (None, _) => return Err(Mistake::new("an index is missing", &tree.at)),
        };
        let array = match self.names.get(name) {
            Some(&Meaning::Coordinates(first, _)) => Array::Coordinates(first),
            Some(&(Meaning::Data(first, _) | Meaning::Matrix(Matrix { first, .. }))) => {
                Array::Data(first)
            }
            Some(&Meaning::Let(number)) => Array::Let(number),
            Some(&Meaning::State(number, _)) => Array::Solution(self.first_of_state(number)),
            _ => return Err(self.unknown("name", name, tree, scope)),
        };
        match (place, array) {
            (Place::Listed(all), Array::Data(first)) if self.names.own.place(first).is_none() => {
                Ok(self.listed(first, &all))
            }
            (Place::Listed(all), _) => {
                // The position differs between terms without a pattern: it is selected as if it depended on variables.
                let (least, most) = ends(&all);
                let number = self.listed_numbers(&all);
                self.chosen(name, array, number, (least, most), tree)
            }
            (Place::Selected(number, least, most), _) => {
                self.chosen(name, array, number, (least, most), tree)
            }
            (place, _) => self.at(name, array, &place, tree),
        }
    }

    /// The number of elements in each dimension.
    pub(super) fn sizes(
        &self,
        name: &str,
        indices: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Vec<u32>, Mistake> {
        let is_every = matches!(indices, [Tree { kind: Kind::Name(index), .. }] if index == EVERY);
        let sizes = match self.names.get(name) {
            Some(&(Meaning::Coordinates(_, len) | Meaning::Data(_, len))) => vec![len],
            Some(&Meaning::Matrix(Matrix { rows, columns, .. })) if is_every => {
                vec![rows * columns]
            }
            Some(&Meaning::Matrix(Matrix { rows, columns, .. })) => vec![rows, columns],
            Some(&Meaning::Later(why)) => {
                return Err(Mistake::new(format!("`{name}` {why}"), &tree.at));
            }
            Some(&Meaning::Let(number)) => match self.lets.get(number as usize) {
                Some(lets::Ready::Vector { len, .. }) => vec![*len],
                Some(lets::Ready::Number(_)) => return Err(one(name, tree)),
                None => return Err(lets::not_yet(name, tree)),
            },
            Some(&Meaning::State(_, len)) => {
                if self.is_at_moment() {
                    let what = format!(
                        "`{name}` at other times is not known within [ode]; allowed: `{name}`, what it is then"
                    );
                    return Err(Mistake::new(what, &tree.at));
                }
                vec![len]
            }
            Some(_) => return Err(one(name, tree)),
            None => return Err(self.unknown("name", name, tree, scope)),
        };
        if !indices.is_empty() && indices.len() != sizes.len() {
            let allowed = match sizes[..] {
                [rows, columns] => format!("`{name}[i, j]`, of {rows} rows and {columns} columns"),
                _ => format!("`{name}[i]`, of {} numbers", sizes[0]),
            };
            let what = format!("{} indices of `{name}`; allowed: {allowed}", indices.len());
            return Err(Mistake::new(what, &tree.at));
        }
        Ok(sizes)
    }

    /// The position that an index selects among `size` elements.
    fn place(
        &mut self,
        name: &str,
        index: &Tree,
        size: u32,
        scope: &Scope,
    ) -> Result<Place, Mistake> {
        let terms = scope.index.as_ref().map_or(1, |index| index.terms);
        let is_every = matches!(&index.kind, Kind::Name(index) if index == EVERY);
        let linear = match self.names.labels.contains_key(name) && !is_every {
            true => None,
            false => self.linear(index, scope)?,
        };
        let place = match linear {
            Some(Linear { indexed: false, number }) => Place::Fixed(number),
            Some(Linear { indexed: true, number }) => {
                let start = scope.index.as_ref().map_or(0, |index| index.start);
                Place::Moving(start.saturating_add(number), terms)
            }
            None => {
                let value = self.index(name, index, scope)?;
                self.place_of(value, terms, index)?
            }
        };
        let (least, most) = match &place {
            Place::Fixed(number) => (*number, *number),
            Place::Moving(start, terms) => (*start, start.saturating_add(i64::from(*terms) - 1)),
            Place::Listed(all) => ends(all),
            Place::Selected(_, least, most) => (*least, *most),
        };
        if least < 1 || most > i64::from(size) {
            let is = match least == most {
                true => format!("is {least}"),
                false => format!("goes from {least} to {most}"),
            };
            let what = format!("the index {is}; allowed: 1 to {size}, as `{name}` has");
            return Err(Mistake::new(what, &index.at));
        }
        Ok(place)
    }

    /// The position that a value selects.
    fn place_of(&self, value: Value, terms: u32, index: &Tree) -> Result<Place, Mistake> {
        let graph = &self.graph;
        if let Some(all) = self.numbers(value, terms) {
            let wrong = all.iter().find(|number| number.fract() != 0.0 || number.abs() > 1e15);
            if let Some(number) = wrong {
                let what = format!("the index is {number}; allowed: whole numbers");
                return Err(Mistake::new(what, &index.at));
            }
            let all: Vec<i64> = all.into_iter().map(|number| number as i64).collect();
            return Ok(match all.windows(2).all(|pair| pair[1] == pair[0] + 1) {
                _ if !graph.varies(value) => Place::Fixed(all[0]),
                true => Place::Moving(all[0], terms),
                false => Place::Listed(all),
            });
        }
        if !graph.is_whole(value) {
            let what = "an index that may be no whole number; allowed: whole numbers, such as `floor(x)`, or a variable \
                        with scale = \"integer\"";
            return Err(Mistake::new(what, &index.at));
        }
        let (least, most) = self.range_of(value, terms).map_err(|part| {
            let what = format!(
                "an index whose range is not known: it depends on {}; allowed in an index: {IN_INDICES}",
                self.described(part)
            );
            Mistake::new(what, &index.at)
        })?;
        if least.abs().max(most.abs()) > 1e15 {
            let what = format!("the index goes from {least:?} to {most:?}; allowed: up to 1e15");
            return Err(Mistake::new(what, &index.at));
        }
        Ok(Place::Selected(value, least as i64, most as i64))
    }

    /// The position in a matrix with this number of columns, stored row by row.
    fn flat(&mut self, row: Place, column: Place, columns: u32) -> Place {
        let step = i64::from(columns);
        let listed = |place: &Place| match place {
            Place::Fixed(number) => Some(vec![*number]),
            Place::Moving(start, terms) => Some((*start..).take(*terms as usize).collect()),
            Place::Listed(all) => Some(all.clone()),
            Place::Selected(..) => None,
        };
        if let (Place::Fixed(row), Place::Moving(start, terms)) = (&row, &column) {
            return Place::Moving((row - 1) * step + start, *terms);
        }
        if let (Some(rows), Some(all)) = (listed(&row), listed(&column)) {
            let terms = rows.len().max(all.len());
            let (rows, all) = (rows.into_iter().cycle(), all.into_iter().cycle());
            let mut flat: Vec<i64> =
                rows.zip(all).take(terms).map(|(row, column)| (row - 1) * step + column).collect();
            return match (flat.len(), flat.pop()) {
                (1, Some(only)) => Place::Fixed(only),
                (_, last) => {
                    flat.extend(last);
                    Place::Listed(flat)
                }
            };
        }
        let mut number = |place: &Place| match place {
            Place::Selected(value, least, most) => (*value, *least, *most),
            place => {
                let all = listed(place).unwrap_or_default();
                let (least, most) = ends(&all);
                (self.listed_numbers(&all), least, most)
            }
        };
        let (row, column) = (number(&row), number(&column));
        let graph = &mut self.graph;
        let [one, step_value] = [1.0, f64::from(columns)].map(|number| graph.constant(number));
        let above = graph.apply(Operation::Subtract, &[row.0, one]);
        let above = graph.apply(Operation::Multiply, &[above, step_value]);
        let value = graph.apply(Operation::Add, &[above, column.0]);
        Place::Selected(value, (row.1 - 1) * step + column.1, (row.2 - 1) * step + column.2)
    }

    /// The element at a position that does not depend on variables.
    fn at(
        &mut self,
        name: &str,
        array: Array,
        place: &Place,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        let (number, count, indexed) = match *place {
            Place::Fixed(number) => (number, 1, false),
            Place::Moving(start, terms) => (start, terms, true),
            Place::Listed(_) | Place::Selected(..) => unreachable!("these are chosen"),
        };
        let place_of = |first: u32| first + (number - 1) as u32;
        Ok(match array {
            Array::Let(of) => self.named_element(of, place, tree)?,
            Array::Solution(first) if indexed => self.graph.add(Node::Solutions(place_of(first))),
            Array::Solution(first) => {
                let number = self.graph.add(Node::Solution(place_of(first)));
                self.graph.copied(number)
            }
            Array::Data(first) => self.datum(place_of(first), indexed),
            Array::Coordinates(first) => {
                let at = place_of(first);
                let x = match indexed {
                    true => Node::Coordinates(at),
                    false => Node::Coordinate(at),
                };
                let x = self.graph.add(x);
                self.meant(name, x, (at, count), indexed)
            }
        })
    }

    /// A datum, or the datum at this offset from the index of the term.
    pub(super) fn datum(&mut self, at: u32, indexed: bool) -> Value {
        match (self.names.own.place(at), indexed) {
            (None, true) => self.graph.add(Node::Data(at)),
            (None, false) => self.graph.constant(self.names.data[at as usize]),
            (Some(own), true) => self.graph.add(Node::Owns(own)),
            (Some(own), false) => {
                let number = self.graph.add(Node::Own(own));
                self.graph.copied(number)
            }
        }
    }

    /// The element that a number selects from a range of positions.
    fn chosen(
        &mut self,
        name: &str,
        array: Array,
        number: Value,
        (least, most): (i64, i64),
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        let count = most - least + 1;
        if count > MOST_CHOSEN {
            let what = format!(
                "one of {count} numbers by an index that depends on variables; allowed: one of up to {MOST_CHOSEN}"
            );
            return Err(Mistake::new(what, &tree.at));
        }
        let entries = (least..=most)
            .map(|at| Ok((at, self.at(name, array, &Place::Fixed(at), tree)?)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.select(number, &entries))
    }

    /// The entry for an integer, from entries with ascending numbers.
    pub(super) fn select(&mut self, number: Value, entries: &[(i64, Value)]) -> Value {
        let first = entries[0].1;
        if entries.iter().all(|(_, value)| *value == first) {
            return first;
        }
        let (below, above) = entries.split_at(entries.len() / 2);
        let [below_value, above_value] = [below, above].map(|part| self.select(number, part));
        let from = self.graph.constant(above[0].0 as f64);
        let is_below = self.graph.apply(Operation::Less, &[number, from]);
        self.graph.apply(Operation::Choose, &[is_below, below_value, above_value])
    }

    /// The data at these positions, one for each term.
    fn listed(&mut self, first: u32, all: &[i64]) -> Value {
        let places: Vec<u32> = all.iter().map(|&at| at as u32).collect();
        let at = |place: u32| self.names.data[(first + place - 1) as usize];
        let numbers: Vec<f64> = places.iter().map(|&place| at(place)).collect();
        self.row((first, places), numbers)
    }

    /// Integers, one for each term.
    fn listed_numbers(&mut self, all: &[i64]) -> Value {
        if let [only] = all {
            return self.graph.constant(*only as f64);
        }
        let places = all.iter().map(|&at| at as u32).collect();
        self.row((u32::MAX, places), all.iter().map(|&at| at as f64).collect())
    }

    /// Numbers, one for each term; a constant if all are equal.
    pub(super) fn of_each(&mut self, numbers: Vec<f64>) -> Value {
        if numbers.iter().all(|number| *number == numbers[0]) {
            return self.graph.constant(numbers[0]);
        }
        let bits = numbers.iter().flat_map(|number| {
            let bits = number.to_bits();
            [bits as u32, (bits >> 32) as u32]
        });
        let key = (u32::MAX - 1, bits.collect());
        self.row(key, numbers)
    }

    /// Data of the graph itself; equal rows are stored once.
    fn row(&mut self, key: (u32, Vec<u32>), numbers: Vec<f64>) -> Value {
        let end = (self.names.data.len() + self.codes.len() + self.own_data.len()) as u32;
        let at = *self.rows.entry(key).or_insert(end);
        if at == end {
            let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
            self.graph.know_data(end, numbers.len(), is_whole);
            self.own_data.extend(numbers);
        }
        self.graph.add(Node::Data(at))
    }
}

fn ends(all: &[i64]) -> (i64, i64) {
    (all.iter().copied().min().unwrap_or(0), all.iter().copied().max().unwrap_or(0))
}

fn one(name: &str, tree: &Tree) -> Mistake {
    let what = format!("`{name}` is one number; allowed: `{name}` without an index");
    Mistake::new(what, &tree.at)
}
