//! Interpolation in tables of measured values.

use warpswarm_core::expression::{Operation, Reduction};
use warpswarm_core::sum::MAX_TERMS;

use super::{Compiler, EVERY, Index, Scope, element};
use crate::objective::grid::{Flaw, Grid, grid, line};
use crate::problem::problem_file::graph::{Graph, Value};
use crate::problem::problem_file::names::Meaning;
use crate::problem::problem_file::syntax::{Kind, Mistake, Tree};

/// An array that is an argument: its name, its numbers, and where it stands.
struct Listed<'a> {
    name: &'a str,
    numbers: Vec<f64>,
    tree: &'a Tree,
}

/// A number that is looked up: its value, and whether sums that contain it are written out, because it differs between
/// the terms of a reduction or between the moments of a differential equation.
#[derive(Clone, Copy)]
struct Sought {
    value: Value,
    is_written_out: bool,
}

impl Compiler<'_> {
    /// `interp(x, xs, ys)` or `interp(x, y, xs, ys, values)`: linear between the rows of a table, and constant outside.
    pub(super) fn interpolated(
        &mut self,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        match arguments {
            [x, xs, ys] => {
                let (xs, ys) = (self.listed_in(xs, scope)?, self.listed_in(ys, scope)?);
                same_length(&xs, &ys)?;
                let x = self.sought(x, scope)?;
                self.on_line(x, &xs, &ys, tree)
            }
            [x, y, xs, ys, values] => {
                let [xs, ys, of] = [xs, ys, values].map(|of| self.listed_in(of, scope));
                let (mut xs, mut ys, of) = (xs?, ys?, of?);
                if let Some(&Meaning::Matrix(matrix)) = self.names.get(of.name) {
                    let (rows, columns) = (matrix.rows as usize, matrix.columns as usize);
                    if (xs.numbers.len(), ys.numbers.len()) != (rows, columns) {
                        let what = format!(
                            "`{}` has {rows} rows and {columns} columns, `{}` has {} numbers and `{}` {}; allowed: \
                             a row for each of the former and a column for each of the latter",
                            of.name,
                            xs.name,
                            xs.numbers.len(),
                            ys.name,
                            ys.numbers.len()
                        );
                        return Err(Mistake::new(what, &values.at));
                    }
                    let of_rows = |x: &f64| std::iter::repeat_n(*x, columns);
                    xs.numbers = xs.numbers.iter().flat_map(of_rows).collect();
                    ys.numbers = ys.numbers.repeat(rows);
                }
                same_length(&xs, &of)?;
                same_length(&ys, &of)?;
                let (x, y) = (self.sought(x, scope)?, self.sought(y, scope)?);
                self.on_grid((x, y), (&xs, &ys), &of, tree)
            }
            _ => {
                let what = format!(
                    "{} arguments of `interp`; allowed: `interp(x, xs, ys)`, or `interp(x, y, xs, ys, values)`",
                    arguments.len()
                );
                Err(Mistake::new(what, &tree.at))
            }
        }
    }

    fn sought(&mut self, tree: &Tree, scope: &Scope) -> Result<Sought, Mistake> {
        let value = self.value(tree, scope)?;
        let is_written_out = self.graph.varies(value) || self.is_of_moment(tree);
        Ok(Sought { value, is_written_out })
    }

    /// The numbers of an array, which are finite and the same at every point.
    fn listed_in<'a>(&mut self, tree: &'a Tree, scope: &Scope) -> Result<Listed<'a>, Mistake> {
        let allowed = "the name of a column, or of a list of constants";
        let name = match &tree.kind {
            Kind::Name(name) if self.is_array(name) => name,
            Kind::Name(name) => {
                self.value(tree, scope)?;
                return Err(Mistake::new(
                    format!("`{name}` is one number; allowed: {allowed}"),
                    &tree.at,
                ));
            }
            _ => return Err(Mistake::new(format!("allowed: {allowed}"), &tree.at)),
        };
        let terms = self.sizes(name, &[], tree, scope)?.iter().product();
        let index = Some(Index { name: EVERY.into(), start: 1, terms });
        let value =
            self.value(&element(name, tree), &Scope { index, fixed: scope.fixed.clone() })?;
        let Some(numbers) = self.numbers(value, terms) else {
            let what = format!(
                "`{name}` is not the same at every point and in every run; allowed: {allowed}"
            );
            return Err(Mistake::new(what, &tree.at));
        };
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            let what = format!("`{name}` has {number}; allowed: finite numbers");
            return Err(Mistake::new(what, &tree.at));
        }
        // Equal numbers are one constant. Minus zero is zero.
        let numbers = numbers.into_iter().map(|number| number + 0.0).cycle();
        Ok(Listed { name, numbers: numbers.take(terms as usize).collect(), tree })
    }

    fn on_line(
        &mut self,
        x: Sought,
        xs: &Listed<'_>,
        ys: &Listed<'_>,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        let [axis, heights] = line(&xs.numbers, &ys.numbers).map_err(|place| {
            let what = format!("`{}` has {place} twice; allowed: once", xs.name);
            Mistake::new(what, &xs.tree.at)
        })?;
        let first = self.graph.constant(heights[0]);
        let rises = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let rise = self.steps(x, &axis, rises, tree)?;
        Ok(self.graph.apply(Operation::Add, &[first, rise]))
    }

    fn on_grid(
        &mut self,
        (x, y): (Sought, Sought),
        (xs, ys): (&Listed<'_>, &Listed<'_>),
        of: &Listed<'_>,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        let Grid { axes: [x_axis, y_axis], values } = grid(&xs.numbers, &ys.numbers, &of.numbers)
            .map_err(|flaw| {
            let pair = |[x, y]: [f64; 2]| format!("{} = {x} and {} = {y}", xs.name, ys.name);
            let what = match flaw {
                Flaw::Twice(at) => format!("two rows have {}; allowed: one", pair(at)),
                Flaw::Missing { pair: at, alone } => {
                    let alone = [(xs, alone[0]), (ys, alone[1])].map(|(axis, alone)| {
                        alone.map_or_else(String::new, |alone| {
                            format!("; only one row has {} = {alone}", axis.name)
                        })
                    });
                    format!(
                        "no row has {}; allowed: one row for each pair{}",
                        pair(at),
                        alone.concat()
                    )
                }
            };
            Mistake::new(what, &of.tree.at)
        })?;
        // How many steps of the grid the point is from its first corner, and the place of each cell.
        let of_x = self.steps(x, &x_axis, vec![1.0; x_axis.len() - 1], tree)?;
        let of_y = self.steps(y, &y_axis, vec![1.0; y_axis.len() - 1], tree)?;
        let places = |of: fn(usize, usize) -> usize| {
            (0..values.len()).map(|cell| of(cell, y_axis.len()) as f64).collect()
        };
        let [rows, columns] = [|cell, count| cell / count, |cell, count| cell % count].map(places);
        let columns = [values, rows, columns];
        let is_written_out = x.is_written_out || y.is_written_out;
        self.sum_of_rows(&columns, is_written_out, tree, |graph, [value, i, j]| {
            let (at_x, at_y) = (hat(graph, of_x, i), hat(graph, of_y, j));
            let weight = graph.apply(Operation::Multiply, &[at_x, at_y]);
            graph.apply(Operation::Multiply, &[value, weight])
        })
    }

    /// The sum of the rises over the steps of an axis, each in proportion to the part of the step that lies below `x`.
    fn steps(
        &mut self,
        x: Sought,
        axis: &[f64],
        rises: Vec<f64>,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        let lengths = axis.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let columns = [axis[..axis.len() - 1].to_vec(), lengths, rises];
        self.sum_of_rows(&columns, x.is_written_out, tree, |graph, [from, length, rise]| {
            let [none, all] = [0.0, 1.0].map(|number| graph.constant(number));
            let above = graph.apply(Operation::Subtract, &[x.value, from]);
            let part = graph.apply(Operation::Divide, &[above, length]);
            let part = graph.apply(Operation::Greatest, &[part, none]);
            let part = graph.apply(Operation::Least, &[part, all]);
            graph.apply(Operation::Multiply, &[rise, part])
        })
    }

    /// The sum of a term over rows of numbers, given by columns.
    fn sum_of_rows(
        &mut self,
        columns: &[Vec<f64>; 3],
        is_written_out: bool,
        tree: &Tree,
        term: impl Fn(&mut Graph, [Value; 3]) -> Value,
    ) -> Result<Value, Mistake> {
        let count = columns[0].len();
        if count == 0 {
            return Ok(self.graph.constant(0.0));
        }
        if count > MAX_TERMS {
            let what = format!("a table of {count} numbers; allowed: up to {MAX_TERMS}");
            return Err(Mistake::new(what, &tree.at));
        }
        if !is_written_out {
            let row = columns.each_ref().map(|column| self.of_each(column.clone()));
            let term = term(&mut self.graph, row);
            return Ok(self.folded(Reduction::Sum, count as u32, term));
        }
        let mut sum = None;
        for row in 0..count {
            self.count_work(tree)?;
            let row = columns.each_ref().map(|column| self.graph.constant(column[row]));
            let next = term(&mut self.graph, row);
            let add = |sum| self.graph.apply(Operation::Add, &[sum, next]);
            sum = Some(sum.map_or(next, add));
        }
        Ok(sum.unwrap_or_else(|| self.graph.constant(0.0)))
    }
}

/// 1 at `place`, and less by 1 for each step from there, but at least 0.
fn hat(graph: &mut Graph, at: Value, place: Value) -> Value {
    let [none, all] = [0.0, 1.0].map(|number| graph.constant(number));
    let distance = graph.apply(Operation::Subtract, &[at, place]);
    let distance = graph.apply(Operation::Absolute, &[distance]);
    let rest = graph.apply(Operation::Subtract, &[all, distance]);
    graph.apply(Operation::Greatest, &[rest, none])
}

fn same_length(a: &Listed<'_>, b: &Listed<'_>) -> Result<(), Mistake> {
    let (count, other) = (a.numbers.len(), b.numbers.len());
    if count == other {
        return Ok(());
    }
    let what = format!(
        "`{}` has {count} numbers and `{}` has {other}; allowed: as many in both",
        a.name, b.name
    );
    Err(Mistake::new(what, &a.tree.at))
}
