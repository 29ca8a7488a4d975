//! The observations of fits: columns, or expressions of columns.

use std::any::Any;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::fit::Scatter;

use super::cpu::Machine;
use super::names::{Meaning, on_one_line};
use super::problem::ProblemFile;
use super::syntax::{Kind, Tree};
use crate::fit::Numbers;
use crate::machine::program::Program;

impl ProblemFile {
    /// The observations, and their uncertainty if it is given, in the units of the file.
    pub(super) fn observed(&self) -> (Numbers<f64>, Option<Numbers<f64>>) {
        let all = self.curves.iter().flat_map(|curves| &curves.all);
        let has_spread = all.clone().any(|curve| curve.spread.is_some());
        let observed = self.data_of(all.clone().map(|curve| (curve.rows, &curve.observed)));
        let spread = has_spread.then(|| {
            let spreads = all
                .clone()
                .filter_map(|curve| curve.spread.as_ref().map(|spread| (curve.rows, &spread.tree)));
            self.data_of(spreads)
        });
        (observed, spread)
    }

    /// The values of expressions of data, row by row.
    fn data_of<'a>(&self, all: impl Iterator<Item = (u32, &'a Tree)> + Clone) -> Numbers<f64> {
        if let Some((_, tree)) = all.clone().next()
            && all.clone().count() == 1
            && let Kind::Element(name, _) = &tree.kind
            && let Some(&Meaning::Data(first, len)) = self.names.get(name)
        {
            // A plain column.
            let own = &self.names.own;
            return match own.place(first) {
                Some(place) => Numbers::among(own.numbers.clone(), place as usize, own.count),
                None => Numbers::shared(self.names.data[first as usize..][..len as usize].to_vec()),
            };
        }
        let mut compiler = self.compiler();
        let mut rows = 0;
        let values: Vec<_> = all
            .map(|(count, tree)| {
                rows += count as usize;
                let value = compiler.in_row(tree, count);
                (count, vec![value.unwrap_or_else(|mistake| unreachable!("{mistake:?}"))])
            })
            .collect();
        let program = Program::with_rows(&compiler.graph, &[], &values);
        let own = &self.names.own;
        let of_fit = program.reads_own();
        let fits = if of_fit { own.runs } else { 1 };
        // The coordinates are not read.
        let x = vec![0.0; self.bounds.dimensions()];
        let machine = Machine::<f64>::new(&program, x.len(), (&compiler.data(), own));
        let mut numbers = vec![0.0; fits * rows];
        for (fit, numbers) in numbers.chunks_mut(rows.max(1)).enumerate() {
            machine.rows((fit as u32, &x), 0, (numbers, rows));
        }
        if of_fit { Numbers::of_fits(numbers, rows) } else { Numbers::shared(numbers) }
    }

    /// Checks that observations are numbers, and that standard deviations or weights are allowed.
    /// `at` says where a row of a fit is in the file of data.
    pub(super) fn check_observed(&self, at: &dyn Fn(usize, usize) -> String) -> Result<(), String> {
        let Some(curves) = &self.curves else { return Ok(()) };
        let (observed, spreads) = self.observed();
        let rows: usize = curves.all.iter().map(|curve| curve.rows as usize).sum();
        let of = |mut row: usize| {
            let mut curve = 0;
            while row >= curves.all[curve].rows as usize {
                row -= curves.all[curve].rows as usize;
                curve += 1;
            }
            (&curves.all[curve], row + 1)
        };
        let of_fit = |fit: usize| {
            if self.runs().is_some() { format!(" of fit {fit}") } else { String::new() }
        };
        let fits = self.names.own.runs.max(1);
        let is_count = curves.scatter == Scatter::Counts;
        let wrong = |number: &f64| !number.is_finite() || (is_count && *number < 0.0);
        for fit in 0..if observed.are_of_fit() { fits } else { 1 } {
            let numbers = observed.of(fit, rows);
            if let Some(row) = numbers.iter().position(wrong) {
                let (curve, place) = of(row);
                let allowed = if is_count { "counts from 0 on" } else { "finite numbers" };
                return Err(format!(
                    "{}: `{}` is {} in row {place}{}{}; allowed: {allowed}",
                    curve.key,
                    on_one_line(&curve.left),
                    numbers[row],
                    of_fit(fit),
                    at(fit, place - 1)
                ));
            }
        }
        let Some(spreads) = spreads else { return Ok(()) };
        for fit in 0..if spreads.are_of_fit() { fits } else { 1 } {
            for (row, &found) in spreads.of(fit, rows).iter().enumerate() {
                let (curve, place) = of(row);
                let Some(spread) = &curve.spread else { continue };
                // An infinite standard deviation means that a row does not count.
                let (allowed, is_allowed) = if spread.is_sigma {
                    ("numbers above 0", found >= f64::MIN_POSITIVE)
                } else {
                    ("finite numbers from 0 on", found >= 0.0 && found.is_finite())
                };
                if !is_allowed {
                    return Err(format!(
                        "{}: `{}` is {found} in row {place}{}{}; allowed: {allowed}",
                        spread.key(),
                        on_one_line(&spread.text),
                        of_fit(fit),
                        at(fit, place - 1)
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Numbers in a precision; without a copy if it is already theirs.
pub(super) fn rounded<R: Float>(numbers: &Arc<Vec<f64>>) -> Arc<Vec<R>> {
    let any: Arc<dyn Any + Send + Sync> = numbers.clone();
    let round = |_| Arc::new(numbers.iter().map(|&number| R::from_f64(number)).collect());
    any.downcast().unwrap_or_else(round)
}
