//! What a problem file fits, for the fits.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::dual::{CHUNK, Dual};

use super::compile::Compiler;
use super::cpu::Machine;
use super::curves::{Curve, Spread};
use super::names::Meaning;
use super::problem::ProblemFile;
use super::program::Program;
use crate::error::{Error, Result};
use crate::fit::{FitSettings, Fits, Numbers, Sheet, Work};
use crate::problems::Precise;

/// The models of a file, row after row.
struct OfFile<R> {
    parameters: usize,
    values: Machine<R>,
    slopes: Slopes<R>,
}

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
    /// Whether it fits models to data: whether it says `fit` or `fits`.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     "fit = \"y ~ a * t\"\nvariables.a = { lower = 0, upper = 9 }\ndata = { t = [1, 2, 3], y = [2, 4, 6] }",
    /// )?;
    /// assert!(problem.fits_models());
    /// // What is minimised is the sum of squares.
    /// assert_eq!(problem.evaluate(&[1.0])?.fitness.value, 1.0 + 4.0 + 9.0);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn fits_models(&self) -> bool {
        self.curves.is_some()
    }

    /// Fits the models that the file says by `fit` or `fits`, of each run of its data: parameters with their errors.
    ///
    /// ```
    /// use warpswarm::fit::FitSettings;
    /// use warpswarm::problem_file::ProblemFile;
    /// let decay = ProblemFile::parse(
    ///     r#"
    ///     fit = "y ~ height * exp(-t / lifetime)"
    ///     variables.height = { lower = 0, upper = 100 }
    ///     variables.lifetime = { lower = 1e-3, upper = 1e3, scale = "log" }
    ///     data = { t = [0, 1, 2, 3, 4], y = [10.1, 6.0, 3.8, 2.1, 1.4] }
    ///     "#,
    /// )?;
    /// let fits = decay.fit_models::<f64>(&FitSettings::default())?;
    /// let fit = fits.get(0).expect("one");
    /// assert!((fit.parameters()[0] - 10.0793).abs() < 1e-4 && (fit.errors()[0] - 0.1108).abs() < 1e-4);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the file fits nothing, has constraints or whole numbers, or as [`fit`](crate::fit()).
    pub fn fit_models<R: Precise>(&self, settings: &FitSettings) -> Result<Fits<R>> {
        self.work::<R>(settings).and_then(|work| work.done(settings))
    }

    fn refused(&self, message: impl Into<String>) -> Error {
        Error::ProblemFile { file: self.name.clone(), message: message.into() }
    }

    /// Everything that there is to be fitted.
    fn work<R: Precise>(&self, settings: &FitSettings) -> Result<Work<R>> {
        let Some(curves) = &self.curves else {
            return Err(self.refused(
                "there is no model to fit; allowed: fit = \"y ~ ...\" in place of minimise or maximise",
            ));
        };
        if let Some((name, _)) = self.constraints.first() {
            return Err(self.refused(format!(
                "a fit knows no constraints, and there is `{name}`; allowed: bounds of the variables, or `warpswarm run`, \
                 which minimises the same sum"
            )));
        }
        let own = &self.names.own;
        let fits = own.runs.max(1);
        let mut values = Vec::new();
        let mut sigma = Vec::new();
        for curve in &curves.all {
            values.push(self.of_each(&curve.observed));
            sigma.push(self.sigma(curve));
        }
        let rows = curves.all.iter().map(|curve| curve.rows as usize).sum();
        let plain = sigma.iter().all(Option::is_none);
        let ones = |(sigma, curve): (Option<Each>, &Curve)| {
            sigma.unwrap_or_else(|| Each { numbers: vec![1.0; curve.rows as usize], own: false })
        };
        let sigma = sigma.into_iter().zip(&curves.all).map(ones).collect();
        let names = (0..).map_while(|i| self.coordinate(i)).collect();
        let mut work = Work::new(names, self.sheet::<R>(curves.all.len()), fits, rows);
        work.values = joined(values, fits);
        work.sigma = (!plain).then(|| joined(sigma, fits));
        work.scatter = curves.scatter;
        work.within(&self.bounds, settings)?;
        Ok(work)
    }

    /// The numbers of a column, those of each fit where it has its own.
    fn of_each(&self, name: &str) -> Each {
        let Some(&Meaning::Data(first, len)) = self.names.get(name) else {
            return Each { numbers: Vec::new(), own: false };
        };
        let numbers = self.names.of_all_runs(first as usize, len as usize);
        Each { numbers, own: self.names.own.place(first).is_some() }
    }

    fn sigma(&self, curve: &Curve) -> Option<Each> {
        match &curve.spread {
            Spread::Unknown => None,
            Spread::Same(sigma) => {
                Some(Each { numbers: vec![*sigma; curve.rows as usize], own: false })
            }
            Spread::Sigma(name) => Some(self.of_each(name)),
            Spread::Weights(name) => {
                let mut each = self.of_each(name);
                each.numbers.iter_mut().for_each(|weight| *weight = 1.0 / weight.sqrt());
                Some(each)
            }
        }
    }

    fn sheet<R: Precise>(&self, curves: usize) -> Arc<dyn Sheet<R>> {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(&[]);
        // It has been compiled once, so that nothing can be wrong now.
        let defined = compiler.define();
        defined.unwrap_or_else(|(_, mistake)| unreachable!("{mistake:?}"));
        let all = self.curves.iter().flat_map(|curves| &curves.all);
        let predicted = all.map(|curve| {
            let value = compiler.predicted(curve);
            (curve.rows, value.unwrap_or_else(|mistake| unreachable!("{mistake:?}")))
        });
        let predicted: Vec<_> = predicted.collect();
        debug_assert_eq!(predicted.len(), curves);
        let parameters = self.bounds.dimensions();
        let plain: Vec<_> = predicted.iter().map(|&(rows, value)| (rows, vec![value])).collect();
        let program = Program::with_rows(&compiler.graph, &[], &plain);
        let data = compiler.data();
        let given = (&data[..], &self.names.own);
        let values = Machine::new(&program, parameters, given);
        let slopes = Slopes::Dual(Machine::new(&program, parameters, given));
        Arc::new(OfFile { parameters, values, slopes })
    }
}

/// Numbers, all the same or `[fit][number]`.
struct Each {
    numbers: Vec<f64>,
    own: bool,
}

/// Columns one after the other.
fn joined<R: Float>(all: Vec<Each>, fits: usize) -> Numbers<R> {
    let of_fit = all.iter().any(|each| each.own);
    let times = if of_fit { fits } else { 1 };
    let mut numbers = Vec::new();
    for fit in 0..times {
        for each in &all {
            let len = each.numbers.len() / if each.own { fits } else { 1 };
            let first = if each.own { fit * len } else { 0 };
            let of = &each.numbers[first..first + len];
            numbers.extend(of.iter().map(|&number| R::from_f64(number)));
        }
    }
    Numbers { numbers, of_fit }
}
