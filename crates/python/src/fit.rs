//! Fits of models to data.

use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use serde::Deserialize;
use warpswarm::fit::{Fit, FitSettings, FitStatus, Fits, HostModel, scatter};
use warpswarm::{Backend, Bounds, Precise, Scale};

use crate::callbacks::{Going, Shared};
use crate::errors::{raised, wrong};
use crate::problem::Problem;

/// The settings of fits in JSON.
#[derive(Deserialize)]
struct Given {
    absolute_sigma: bool,
    ftol: Option<f64>,
    xtol: Option<f64>,
    gtol: Option<f64>,
    evaluations: Option<u32>,
    starts: Option<u32>,
    samples: Option<u32>,
    /// A string, because JSON has no large integers.
    seed: String,
    backend: Backend,
    threads: Option<usize>,
}

/// The settings of fits: settings in JSON; starting values, `[fit][parameter]` or `[parameter]`, or none to search for
/// them; lower and upper limits; the number of rows of each fit, if some have fewer than the data; whether in single
/// precision.
#[derive(FromPyObject)]
pub(crate) struct How<'py>(
    String,
    PyReadonlyArray1<'py, f64>,
    Vec<[f64; 2]>,
    PyReadonlyArray1<'py, u32>,
    bool,
);

impl How<'_> {
    /// The settings, and whether they are in single precision.
    fn settings(self) -> PyResult<(FitSettings, bool)> {
        let How(text, start, limits, rows, single) = self;
        let given: Given = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let seed = given.seed.parse().map_err(|_| wrong("seed is no whole number"))?;
        let settings = FitSettings {
            start: start.as_array().to_vec(),
            limits,
            absolute_sigma: given.absolute_sigma,
            rows: rows.as_array().to_vec(),
            ftol: given.ftol,
            xtol: given.xtol,
            gtol: given.gtol,
            evaluations: given.evaluations,
            starts: given.starts,
            samples: given.samples,
            seed,
            backend: given.backend,
            threads: given.threads,
        };
        Ok((settings, single))
    }
}

/// Fits the models in `fit` of a problem, and returns all arrays: `[fit]`, `[fit][parameter]` and
/// `[fit][parameter][parameter]`.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    problem: &Problem,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (settings, single) = how.settings()?;
    let file = problem.file()?;
    let _going = Going::begin(&Shared::default())?;
    if single {
        done::<f32>(py, &settings, || file.fit_models(&settings))
    } else {
        done::<f64>(py, &settings, || file.fit_models(&settings))
    }
}

/// The data of a called model: observations `[fit][row]`, the number of fits, standard deviations `[row]` or
/// `[fit][row]` or none, and the loss of residuals.
#[derive(FromPyObject)]
pub(crate) struct Seen<'py>(
    PyReadonlyArray1<'py, f64>,
    usize,
    Option<PyReadonlyArray1<'py, f64>>,
    String,
    Option<f64>,
);

/// As `fit`, for a function that is called in this thread: `function(fit, parameters)` returns a number for each row.
/// `parameters` contains names, the bounds within which starting values are searched for, and scales.
#[pyfunction]
pub(crate) fn fit_called<'py>(
    py: Python<'py>,
    function: Py<PyAny>,
    parameters: Vec<(String, f64, f64, String)>,
    seen: Seen<'py>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (mut settings, single) = how.settings()?;
    // Only one thread at a time runs Python code.
    settings.threads = Some(1);
    let (mut names, [mut lower, mut upper]) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut scales = Vec::new();
    for (name, low, high, scale) in parameters {
        names.push(name);
        lower.push(low);
        upper.push(high);
        scales.push(if scale == "log" { Scale::Log } else { Scale::Linear });
    }
    let bounds = Bounds::new(lower, upper).and_then(|bounds| bounds.with_scales(scales));
    let bounds = bounds.map_err(raised)?;
    let shared = Shared::default();
    let _going = Going::begin(&shared)?;
    let called = Called { function, names, seen, bounds, shared: shared.clone() };
    let found = if single {
        called.fitted::<f32>(py, &settings)
    } else {
        called.fitted::<f64>(py, &settings)
    };
    shared.take().map_or(found, Err)
}

/// A function and its data.
struct Called<'py> {
    function: Py<PyAny>,
    names: Vec<String>,
    seen: Seen<'py>,
    bounds: Bounds,
    shared: Shared,
}

impl<'py> Called<'py> {
    fn fitted<R: Precise + Element>(
        self,
        py: Python<'py>,
        settings: &FitSettings,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Called { function, names, seen, bounds, shared } = self;
        let Seen(observed, fits, sigma, loss, scale) = seen;
        let numbers = |given: &PyReadonlyArray1<'_, f64>| -> Vec<R> {
            given.as_array().iter().map(|&number| R::from_f64(number)).collect()
        };
        let scatter = scatter(&loss, scale).map_err(raised)?;
        let predict = move |fit: usize, x: &[R], into: &mut [R]| {
            let x: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
            let call = |py: Python<'_>| -> PyResult<()> {
                py.check_signals()?;
                let found = function.bind(py).call1((fit, PyArray1::from_vec(py, x)))?;
                let found: PyReadonlyArray1<'_, f64> = found.extract()?;
                let pairs = into.iter_mut().zip(found.as_array());
                pairs.for_each(|(into, &found)| *into = R::from_f64(found));
                Ok(())
            };
            let found = if shared.has_ended() { Ok(()) } else { Python::attach(call) };
            if let Err(error) = found {
                shared.end(error);
            }
            // Fits with non-finite predictions end soon.
            if shared.has_ended() {
                into.fill(R::NAN);
            }
        };
        let mut model = HostModel::of_fits(numbers(&observed), fits, predict)
            .with_scatter(scatter)
            .with_names(names);
        if let Some(sigma) = &sigma {
            model = model.with_sigma(numbers(sigma));
        }
        done(py, settings, || warpswarm::fit(&model, &bounds, settings))
    }
}

fn done<'py, R: Precise + Element>(
    py: Python<'py>,
    settings: &FitSettings,
    fit: impl FnOnce() -> warpswarm::Result<Fits<R>> + Send,
) -> PyResult<Bound<'py, PyDict>> {
    let (fits, said) = py
        .detach(|| -> warpswarm::Result<_> {
            let fits = fit()?;
            let threads = settings.threads.unwrap_or(0);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let said = match pool {
                Ok(pool) => pool.install(|| Said::of(&fits)),
                Err(_) => Said::of(&fits),
            };
            Ok((fits, said))
        })
        .map_err(raised)?;
    let (n, count) = (fits.names().len(), fits.len());
    let out = PyDict::new(py);
    let square = |all: Vec<R>| all.into_pyarray(py).reshape([count, n, n]);
    let row = |all: Vec<R>| all.into_pyarray(py).reshape([count, n]);
    let is_there = |all: Vec<bool>| all.into_pyarray(py).reshape([count, n]);
    out.set_item("parameters", row(said.parameters)?)?;
    out.set_item("errors", row(said.errors)?)?;
    out.set_item("covariance", square(said.covariance)?)?;
    out.set_item("correlation", square(said.correlation)?)?;
    let numbers =
        ["chi_squared", "reduced_chi_squared", "r_squared", "aic", "bic", "other_minimum"];
    for (name, numbers) in numbers.into_iter().zip(said.numbers) {
        out.set_item(name, numbers.into_pyarray(py))?;
    }
    out.set_item("degrees_of_freedom", said.degrees.into_pyarray(py))?;
    out.set_item("evaluations", said.evaluations.into_pyarray(py))?;
    out.set_item("converged", said.converged.into_pyarray(py))?;
    out.set_item("ended", said.ended.into_pyarray(py))?;
    out.set_item("statuses", FitStatus::ALL.map(FitStatus::name))?;
    out.set_item("at_bounds", is_there(said.at_bounds)?)?;
    out.set_item("undetermined", is_there(said.undetermined)?)?;
    out.set_item("device", fits.device())?;
    out.set_item("seconds", fits.seconds())?;
    Ok(out)
}

/// The results of all fits: one entry for each fit, for each of its parameters, or for each pair of them.
struct Said<R> {
    parameters: Vec<R>,
    errors: Vec<R>,
    covariance: Vec<R>,
    correlation: Vec<R>,
    numbers: [Vec<R>; 6],
    degrees: Vec<u64>,
    evaluations: Vec<u32>,
    converged: Vec<bool>,
    /// Indices in [`FitStatus::ALL`].
    ended: Vec<u8>,
    at_bounds: Vec<bool>,
    undetermined: Vec<bool>,
}

impl<R: Precise> Said<R> {
    fn of(fits: &Fits<R>) -> Self {
        let n = fits.names().len();
        let number =
            |of: fn(&Fit<'_, R>) -> R| all(fits, 1, R::ZERO, |fit, into| into[0] = of(fit));
        let pairs = |of: fn(&Fit<'_, R>, usize, usize) -> R| {
            all(fits, n * n, R::ZERO, |fit, into| {
                into.iter_mut().enumerate().for_each(|(at, into)| *into = of(fit, at / n, at % n));
            })
        };
        let mark = |into: &mut [bool], there: &mut dyn Iterator<Item = &str>| {
            for name in there {
                let at = fits.names().iter().position(|known| known == name);
                at.into_iter().for_each(|at| into[at] = true);
            }
        };
        let place = |ended: FitStatus| FitStatus::ALL.iter().position(|known| *known == ended);
        Said {
            parameters: all(fits, n, R::ZERO, |fit, into| into.copy_from_slice(&fit.parameters())),
            errors: all(fits, n, R::ZERO, |fit, into| into.copy_from_slice(&fit.errors())),
            covariance: pairs(|fit, i, j| fit.covariance(i, j)),
            correlation: pairs(|fit, i, j| fit.correlation(i, j)),
            numbers: [
                number(|fit| fit.chi_squared()),
                number(|fit| fit.reduced()),
                number(|fit| fit.r_squared().unwrap_or(R::NAN)),
                number(|fit| fit.aic()),
                number(|fit| fit.bic()),
                number(|fit| fit.other_minimum().unwrap_or(R::NAN)),
            ],
            degrees: all(fits, 1, 0, |fit, into| into[0] = fit.degrees_of_freedom()),
            evaluations: all(fits, 1, 0, |fit, into| into[0] = fit.evaluations()),
            converged: all(fits, 1, false, |fit, into| into[0] = fit.status().is_converged()),
            ended: all(fits, 1, 0, |fit, into| into[0] = place(fit.status()).unwrap_or(0) as u8),
            at_bounds: all(fits, n, false, |fit, into| mark(into, &mut fit.at_bounds())),
            undetermined: all(fits, n, false, |fit, into| mark(into, &mut fit.undetermined())),
        }
    }
}

/// `each` entries for each fit, computed on all threads of the pool.
fn all<R: Precise, T: Clone + Send>(
    fits: &Fits<R>,
    each: usize,
    zero: T,
    of: impl Fn(&Fit<'_, R>, &mut [T]) + Sync,
) -> Vec<T> {
    let mut entries = vec![zero; each * fits.len()];
    let pieces = entries.par_chunks_mut(each.max(1)).enumerate().with_min_len(1024);
    pieces.for_each(|(number, into)| {
        if let Some(fit) = fits.get(number) {
            of(&fit, into);
        }
    });
    entries
}
