//! What a problem file fits, for the fits.

use std::sync::Arc;

use rayon::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::data::Table;
use warpswarm_core::dual::{CHUNK, Dual};
use warpswarm_core::expression::Expression;
use warpswarm_core::fit::{Observed, Scatter};
use warpswarm_core::launch::fit_size;

use super::compile::Compiler;
use super::cpu::Machine;
use super::graph::Value;
use super::interpreted::laid_out;
use super::names::{Meaning, on_one_line};
use super::problem::ProblemFile;
use super::program::Program;
use super::syntax::{Kind, Tree};
use crate::data::LaidOut;
use crate::error::{Error, Result};
use crate::fit::{FitSettings, Numbers, OnDevice, Sheet, Target, Work};
use crate::problems::Precise;

/// The models of a file, row after row.
struct OfFile<R> {
    parameters: usize,
    values: Machine<R>,
    slopes: Slopes<R>,
}

/// A program that computes rows, and its data.
type OfRows = (Program, Vec<f64>);

/// Who computes derivatives.
enum Slopes<R> {
    /// The derivatives of the expressions, behind what they predict.
    Derived(Machine<R>),
    /// Dual numbers, some coordinates at a time.
    Dual(Machine<Dual<R, CHUNK>>),
}

impl<R: Float> Sheet<R> for OfFile<R> {
    fn values(&self, fit: u32, x: &[R], first: usize, values: &mut [R]) {
        let count = values.len();
        self.values.rows((fit, x), first, (values, count));
    }

    fn slopes(&self, fit: u32, x: &[R], first: usize, values: &mut [R], partials: &mut [R]) {
        let count = values.len();
        match &self.slopes {
            Slopes::Derived(machine) => {
                let mut all = vec![R::ZERO; (self.parameters + 1) * count];
                machine.rows((fit, x), first, (&mut all, count));
                values.copy_from_slice(&all[..count]);
                partials.copy_from_slice(&all[count..]);
            }
            Slopes::Dual(machine) => {
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

    /// Everything that there is to be fitted.
    pub(super) fn work<R: Precise>(&self, settings: &FitSettings) -> Result<Work<R>> {
        let Some(curves) = &self.curves else {
            return Err(self.refused(
                "there is no model to fit; allowed: fit = \"y ~ ...\" in place of minimise or maximise",
            ));
        };
        if let Some((name, _)) = self.constraints.first() {
            return Err(self.refused(format!(
                "a fit knows no constraints, and there is `{name}`; allowed: bounds of the variables, or `warpswarm solve`, \
                 which minimises the same sum"
            )));
        }
        let own = &self.names.own;
        let fits = own.runs.max(1);
        let rows = curves.all.iter().map(|curve| curve.rows as usize).sum();
        let names = (0..).map_while(|i| self.coordinate(i)).collect();
        let (sheet, program, ignored) = self.sheet::<R>();
        let mut work = Work::new(names, sheet, fits, rows);
        let (observed, spread) = self.observed();
        work.values = rounded(observed);
        work.sigma = spread.map(|mut spread| {
            if !curves.all.iter().flat_map(|curve| &curve.spread).all(|spread| spread.is_sigma) {
                spread.numbers.iter_mut().for_each(|weight| *weight = 1.0 / weight.sqrt());
            }
            rounded(spread)
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
                work.on_device = self.on_device(&work, program, &data);
                work.no_device = "cpu, where there are more than 12 parameters";
            }
        }
        Ok(work)
    }

    /// Who does the fits on a device, where there are kernels for so many parameters.
    fn on_device<R: Precise>(
        &self,
        work: &Work<R>,
        program: Program,
        data: &[f64],
    ) -> Option<Box<dyn OnDevice<R>>> {
        let own = &self.names.own;
        let (model, mut all) = laid_out(&program, (data, own));
        // What each fit has for itself: the model's numbers, observations and standard deviations, one behind the other.
        let of_fits = |numbers: &Numbers<R>| if numbers.of_fit { work.rows } else { 0 };
        let parts = [of_fits(&work.values), work.sigma.as_ref().map_or(0, of_fits)];
        let per_fit = own.count + parts[0] + parts[1];
        let mut of_fit = vec![R::ZERO; per_fit * work.fits];
        let fill = |(fit, into): (usize, &mut [R])| {
            let (of_model, rest) = into.split_at_mut(own.count);
            for (into, &number) in of_model.iter_mut().zip(own.of(fit)) {
                *into = R::from_f64(number);
            }
            let (values, sigma) = rest.split_at_mut(parts[0]);
            if !values.is_empty() {
                values.copy_from_slice(work.values.of(fit, work.rows));
            }
            if let Some(numbers) = work.sigma.as_ref().filter(|_| !sigma.is_empty()) {
                sigma.copy_from_slice(numbers.of(fit, work.rows));
            }
        };
        of_fit.par_chunks_mut(per_fit.max(1)).enumerate().for_each(fill);
        let len = work.rows as u32;
        let mut placed = |numbers: &Numbers<R>, first: usize| {
            if numbers.of_fit {
                return Table::new(first as u32, len, 1, true);
            }
            all.extend_from_slice(&numbers.numbers);
            Table::new(all.len() as u32 - len, len, 1, false)
        };
        let values = placed(&work.values, own.count);
        let sigma = work.sigma.as_ref();
        let sigma = sigma.map_or_else(Table::default, |sigma| placed(sigma, own.count + parts[0]));
        let observed = Observed { values, sigma, scatter: work.scatter };
        let fits = if per_fit == 0 { 0 } else { work.fits as u64 };
        let data = LaidOut::default().with(&all).with_runs(of_fit, (per_fit, fits));
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

    /// What was observed, and how certain it is, where that is said: as the file says it.
    fn observed(&self) -> (Numbers<f64>, Option<Numbers<f64>>) {
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

    /// What is computed of data alone, row after row.
    fn data_of<'a>(&self, all: impl Iterator<Item = (u32, &'a Tree)> + Clone) -> Numbers<f64> {
        if let Some((_, tree)) = all.clone().next()
            && all.clone().count() == 1
            && let Kind::Element(name, _) = &tree.kind
            && let Some(&Meaning::Data(first, len)) = self.names.get(name)
        {
            // A column as it is.
            let numbers = self.names.of_all_runs(first as usize, len as usize);
            return Numbers { numbers, of_fit: self.names.own.place(first).is_some() };
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
        // No coordinate is read.
        let x = vec![0.0; self.bounds.dimensions()];
        let machine = Machine::<f64>::new(&program, x.len(), (&compiler.data(), own));
        let mut numbers = vec![0.0; fits * rows];
        for (fit, numbers) in numbers.chunks_mut(rows.max(1)).enumerate() {
            machine.rows((fit as u32, &x), 0, (numbers, rows));
        }
        Numbers { numbers, of_fit }
    }

    /// A compiler that knows all names.
    fn compiler(&self) -> Compiler<'_> {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(&[]);
        // It has been compiled once, so that nothing can be wrong now.
        let defined = compiler.define();
        defined.unwrap_or_else(|(_, mistake)| unreachable!("{mistake:?}"));
        compiler
    }

    /// The models; where derivatives are expressions, the program of both with its data, and the parameters whose derivatives
    /// are zero everywhere.
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
        let values = Machine::new(&plain, parameters, given);
        let derived = derived.filter(|program| program.fits().is_ok());
        let slopes = match &derived {
            Some(program) => Slopes::Derived(Machine::new(program, parameters, given)),
            None => Slopes::Dual(Machine::new(&plain, parameters, given)),
        };
        let sheet = Arc::new(OfFile { parameters, values, slopes });
        let program = derived.filter(|program| program.solution() == 0);
        (sheet, program.map(|program| (program, data)), ignored)
    }

    /// Sees that what was observed are numbers, and their spreads are above 0.
    pub(super) fn check_observed(&self) -> Result<(), String> {
        let Some(curves) = &self.curves else { return Ok(()) };
        let (observed, spreads) = self.observed();
        let rows: usize = curves.all.iter().map(|curve| curve.rows as usize).sum();
        let of = |at: usize| {
            let (mut within, mut curve) = (at % rows, 0);
            while within >= curves.all[curve].rows as usize {
                within -= curves.all[curve].rows as usize;
                curve += 1;
            }
            let fit = if self.runs().is_some() {
                format!(" of fit {}", at / rows)
            } else {
                String::new()
            };
            (&curves.all[curve], format!("row {}{fit}", within + 1))
        };
        let is_count = curves.scatter == Scatter::Counts;
        let wrong = |number: &f64| !number.is_finite() || (is_count && *number < 0.0);
        if let Some(at) = observed.numbers.iter().position(wrong) {
            let (curve, place) = of(at);
            let allowed = if is_count { "counts from 0 on" } else { "finite numbers" };
            return Err(format!(
                "{}: `{}` is {} in {place}; allowed: {allowed}",
                curve.key,
                on_one_line(&curve.left),
                observed.numbers[at]
            ));
        }
        let Some(spreads) = spreads else { return Ok(()) };
        for (at, &found) in spreads.numbers.iter().enumerate() {
            let (curve, place) = of(at);
            let Some(spread) = &curve.spread else { continue };
            let least = if spread.is_sigma { f64::MIN_POSITIVE } else { 0.0 };
            if found.is_nan() || found < least {
                let allowed = if spread.is_sigma { "numbers above 0" } else { "numbers from 0 on" };
                return Err(format!(
                    "{}: `{}` is {found} in {place}; allowed: {allowed}",
                    spread.key(),
                    on_one_line(&spread.text)
                ));
            }
        }
        Ok(())
    }
}

fn rounded<R: Float>(numbers: Numbers<f64>) -> Numbers<R> {
    let Numbers { numbers, of_fit } = numbers;
    Numbers { numbers: numbers.into_iter().map(R::from_f64).collect(), of_fit }
}
