//! The models and data of a problem file in the form that fits use.

use std::sync::Arc;

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::data::Table;
use warpswarm_core::dual::{CHUNK, Dual};
use warpswarm_core::expression::Expression;
use warpswarm_core::fit::Observed;
use warpswarm_core::launch::fit_size;

use super::compile::Compiler;
use super::cpu::Machine;
use super::graph::Value;
use super::interpreted::laid_out;
use super::observed::rounded;
use super::problem::ProblemFile;
use crate::error::{Error, Result};
use crate::fit::{FitSettings, LARGE, Numbers, OnDevice, Sheet, Target, Work};
use crate::machine::program::Program;
use crate::objective::data::LaidOut;
use crate::settings::precise::Precise;

/// The models of a file, evaluated row by row.
struct OfFile<R> {
    parameters: usize,
    /// `None` with many rows: it would contain a second copy of all data.
    values: Option<Machine<R>>,
    slopes: Slopes<R>,
}

/// A program that computes rows, and its data.
type OfRows = (Program, Vec<f64>);

/// How derivatives are computed.
enum Slopes<R> {
    /// Expressions for the derivatives, after those for the predictions.
    Derived(Machine<R>),
    /// Dual numbers, some coordinates at a time.
    Dual(Machine<Dual<R, CHUNK>>),
}

impl<R: Float> Sheet<R> for OfFile<R> {
    fn values(&self, fit: u32, x: &[R], first: usize, values: &mut [R]) {
        let count = values.len();
        if let Some(machine) = &self.values {
            return machine.rows((fit, x), first, (values, count));
        }
        let mut all = vec![R::ZERO; (1 + self.parameters) * count];
        self.slopes(fit, x, first, &mut all);
        values.copy_from_slice(&all[..count]);
    }

    fn slopes(&self, fit: u32, x: &[R], first: usize, into: &mut [R]) {
        let count = into.len() / (1 + self.parameters);
        match &self.slopes {
            Slopes::Derived(machine) => machine.rows((fit, x), first, (into, count)),
            Slopes::Dual(machine) => {
                let (values, partials) = into.split_at_mut(count);
                let mut row = vec![Dual::constant(R::ZERO); count];
                for (chunk, partials) in partials.chunks_mut(CHUNK * count).enumerate() {
                    let variable =
                        |(i, &x): (usize, &R)| Dual::variable(x, i.wrapping_sub(chunk * CHUNK));
                    let x: Vec<_> = x.iter().enumerate().map(variable).collect();
                    machine.rows((fit, &x), first, (&mut row, count));
                    for (i, partials) in partials.chunks_mut(count).enumerate() {
                        for (into, dual) in partials.iter_mut().zip(&row) {
                            *into = dual.partials[i];
                        }
                    }
                }
                for (value, dual) in values.iter_mut().zip(&row) {
                    *value = dual.value;
                }
            }
        }
    }
}

impl ProblemFile {
    fn refused(&self, message: impl Into<String>) -> Error {
        Error::ProblemFile { file: self.name.clone(), message: message.into() }
    }

    /// Everything that fits need.
    pub(super) fn work<'a, R: Precise>(&self, settings: &'a FitSettings) -> Result<Work<'a, R>> {
        let Some(curves) = &self.curves else {
            return Err(self.refused(
                "there is no model to fit; allowed: fit = \"y ~ ...\" in place of minimise or maximise",
            ));
        };
        if let Some((name, _)) = self.constraints.first() {
            return Err(self.refused(format!(
                "a fit cannot have constraints, and there is `{name}`; allowed: bounds of the variables, or `warpswarm solve`, \
                 which minimises the same sum"
            )));
        }
        let own = &self.names.own;
        let fits = own.runs.max(1);
        let rows = curves.all.iter().map(|curve| curve.rows as usize).sum();
        let names = (0..).map_while(|i| self.coordinate(i)).collect();
        let (sheet, program, ignored) = self.sheet::<R>();
        let mut work = Work::new(names, sheet, fits, rows);
        let of_fits = rounded(&own.numbers);
        // Numbers that are among the per-fit numbers are not copied.
        let known = |numbers: Numbers<f64>| match numbers.place_in(&own.numbers) {
            Some(first) => Numbers::among(of_fits.clone(), first, own.count),
            None => numbers.map(rounded),
        };
        let (observed, spread) = self.observed();
        work.values = known(observed);
        work.sigma = spread.map(|spread| {
            if curves.all.iter().flat_map(|curve| &curve.spread).all(|spread| spread.is_sigma) {
                return known(spread);
            }
            let sigma = |weights: &Arc<Vec<f64>>| {
                Arc::new(weights.iter().map(|weight| R::from_f64(1.0 / weight.sqrt())).collect())
            };
            spread.map(sigma)
        });
        work.scatter = curves.scatter;
        work.within(&self.bounds, settings)?;
        if let Some(at) = work.free().find(|at| ignored.contains(at)) {
            return Err(self.refused(format!(
                "`{}` does not change what the model predicts, or only in jumps; allowed: a model that depends on each \
                 parameter, or `fixed` with its value in place of its bounds",
                work.names[at]
            )));
        }
        match program {
            None => {
                work.no_device = "cpu, where a model has a differential equation or no derivative as an expression"
            }
            Some((program, data)) => {
                work.on_device = self.on_device(&work, program, (&data, &of_fits));
                work.no_device = "cpu, where there are more than 12 parameters";
            }
        }
        Ok(work)
    }

    /// The device that carries out the fits, if there are kernels for this number of parameters.
    fn on_device<R: Precise>(
        &self,
        work: &Work<'_, R>,
        program: Program,
        (data, own_numbers): (&[f64], &Arc<Vec<R>>),
    ) -> Option<Box<dyn OnDevice<R>>> {
        let own = &self.names.own;
        let (model, mut all) = laid_out(&program, (data, own));
        // The per-fit numbers: those of the file and, unless they are among these, observations and standard
        // deviations, one after the other.
        let (mut per_fit, len) = (own.count, work.rows as u32);
        let mut others: Vec<&Numbers<R>> = Vec::new();
        let mut placed = |numbers: &'_ Numbers<R>| {
            let (first, of_fit) = if let Some(first) = numbers.place_in(own_numbers) {
                (first, true)
            } else if numbers.are_of_fit() {
                per_fit += work.rows;
                (per_fit - work.rows, true)
            } else {
                all.extend_from_slice(numbers.of(0, work.rows));
                (all.len() - work.rows, false)
            };
            Table::new(first as u32, len, 1, of_fit)
        };
        let values = placed(&work.values);
        let sigma = work.sigma.as_ref().map_or_else(Table::default, placed);
        let observed = Observed { values, sigma, scatter: work.scatter };
        let is_other =
            |numbers: &&Numbers<R>| numbers.are_of_fit() && numbers.place_in(own_numbers).is_none();
        others.extend(
            [Some(&work.values), work.sigma.as_ref()].into_iter().flatten().filter(is_other),
        );
        let of_fits = if others.is_empty() {
            own_numbers.clone()
        } else {
            let mut of_fits = vec![R::ZERO; per_fit * work.fits];
            let fill = |(fit, into): (usize, &mut [R])| {
                let (in_file, rest) = into.split_at_mut(own.count);
                in_file.copy_from_slice(&own_numbers[fit * own.count..][..own.count]);
                for (into, numbers) in rest.chunks_exact_mut(work.rows).zip(&others) {
                    into.copy_from_slice(numbers.of(fit, work.rows));
                }
            };
            of_fits.par_chunks_mut(per_fit).enumerate().for_each(fill);
            Arc::new(of_fits)
        };
        let fits = if per_fit == 0 { 0 } else { work.fits as u64 };
        let data = LaidOut::default().with(&all).with_runs(of_fits, (per_fit, fits));
        let (program, data) = (Some(Arc::new(program)), Arc::new(data));
        macro_rules! sized {
            ($($n:literal)*) => {
                match fit_size(work.names.len())? {
                    $($n => Some(Box::new(Target::<R, Expression, $n> {
                        name: format!("Expression_{}_n{}", R::NAME, $n),
                        combine: format!("combine_{}_n{}", R::NAME, $n),
                        own: None,
                        program,
                        model,
                        observed,
                        data,
                    })),)*
                    _ => None,
                }
            };
        }
        sized! { 2 3 4 5 6 8 12 }
    }

    /// A compiler that knows all names.
    pub(super) fn compiler(&self) -> Compiler<'_> {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(&[]);
        // The problem has been compiled before, so this cannot fail.
        let defined = compiler.define();
        defined.unwrap_or_else(|(_, mistake)| unreachable!("{mistake:?}"));
        compiler
    }

    /// The models; if derivatives are expressions, also the program of both with its data; and the parameters whose
    /// derivatives are zero everywhere.
    fn sheet<R: Precise>(&self) -> (Arc<dyn Sheet<R>>, Option<OfRows>, Vec<usize>) {
        let mut compiler = self.compiler();
        let all = self.curves.iter().flat_map(|curves| &curves.all);
        let predicted = all.map(|curve| {
            let value = compiler.in_row(&curve.model, curve.rows);
            (curve.rows, value.unwrap_or_else(|mistake| unreachable!("{mistake:?}")))
        });
        let predicted: Vec<_> = predicted.collect();
        let parameters = self.bounds.dimensions();
        let plain: Vec<_> = predicted.iter().map(|&(rows, value)| (rows, vec![value])).collect();
        let by: Vec<u32> = (0..parameters as u32).collect();
        let derived = predicted.iter().map(|&(rows, value)| {
            let slopes = compiler.graph.derivatives(value, &by)?;
            Some((rows, [vec![value], slopes].concat()))
        });
        let derived: Option<Vec<_>> = derived.collect();
        let is_zero = |i: &usize, rows: &Vec<(u32, Vec<Value>)>| {
            rows.iter().all(|(_, values)| compiler.graph.number(values[i + 1]) == Some(0.0))
        };
        let ignored = derived
            .as_ref()
            .map_or_else(Vec::new, |rows| (0..parameters).filter(|i| is_zero(i, rows)).collect());
        let derived = derived.map(|rows| Program::with_rows(&compiler.graph, &[], &rows));
        let plain = Program::with_rows(&compiler.graph, &[], &plain);
        let data = compiler.data();
        let given = (&data[..], &self.names.own);
        let rows: u32 = predicted.iter().map(|&(rows, _)| rows).sum();
        let derived = derived.filter(|program| program.fits().is_ok());
        let has_values = derived.is_none() || (rows as usize) < LARGE;
        let values = has_values.then(|| Machine::new(&plain, parameters, given));
        let slopes = match &derived {
            Some(program) => Slopes::Derived(Machine::new(program, parameters, given)),
            None => Slopes::Dual(Machine::new(&plain, parameters, given)),
        };
        let sheet = Arc::new(OfFile { parameters, values, slopes });
        let program = derived.filter(|program| program.solution() == 0);
        (sheet, program.map(|program| (program, data)), ignored)
    }
}
