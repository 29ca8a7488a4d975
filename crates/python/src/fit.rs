//! Fits of models to data.

use numpy::{Element, IntoPyArray, PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use warpswarm::fit::{Ended, Fit, FitSettings, Fits};
use warpswarm::problem_file::ProblemFile;
use warpswarm::{Backend, Precise};

use crate::callbacks::{Going, Shared};
use crate::errors::{raised, wrong};
use crate::problem::Problem;
use crate::report::{matrix, of_runs};

/// How fits are done, as JSON has it.
#[derive(Deserialize)]
struct Given {
    absolute_sigma: bool,
    ftol: Option<f64>,
    xtol: Option<f64>,
    gtol: Option<f64>,
    evaluations: Option<u32>,
    starts: Option<u32>,
    samples: Option<u32>,
    /// As a text, since JSON has no large whole numbers.
    seed: String,
    backend: Backend,
    threads: Option<usize>,
}

/// Fits what a problem says by `fit`, and returns all arrays: those of `[fit]`, `[fit][parameter]` and
/// `[fit][parameter][parameter]`. `start` is of `[fit][parameter]`, or of `[parameter]`, or empty where starts are searched
/// for; `limits` are lower and upper ones; `rows` are how many each fit has, where some have fewer than the data.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    problem: &Problem,
    settings: &str,
    start: PyReadonlyArray1<'py, f64>,
    limits: Vec<[f64; 2]>,
    rows: PyReadonlyArray1<'py, u32>,
    single: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let given: Given = serde_json::from_str(settings).map_err(|error| wrong(error.to_string()))?;
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
    let file = problem.file()?;
    let _going = Going::begin(&Shared::default())?;
    if single { done::<f32>(py, file, &settings) } else { done::<f64>(py, file, &settings) }
}

fn done<'py, R: Precise + Element>(
    py: Python<'py>,
    file: &ProblemFile,
    settings: &FitSettings,
) -> PyResult<Bound<'py, PyDict>> {
    let fits: Fits<R> = py.detach(|| file.fit_models(settings)).map_err(raised)?;
    let n = fits.names().len();
    let out = PyDict::new(py);
    let parameters: Vec<R> = fits.iter().flat_map(|fit| fit.parameters()).collect();
    out.set_item("parameters", matrix(py, &parameters, n)?)?;
    let errors: Vec<R> = fits.iter().flat_map(|fit| fit.errors()).collect();
    out.set_item("errors", matrix(py, &errors, n)?)?;
    out.set_item("covariance", square(py, &fits, n, Fit::covariance)?)?;
    out.set_item("correlation", square(py, &fits, n, Fit::correlation)?)?;
    out.set_item("chi_squared", each(py, &fits, Fit::chi_squared))?;
    out.set_item("reduced_chi_squared", each(py, &fits, Fit::reduced))?;
    out.set_item("r_squared", each(py, &fits, |fit| fit.r_squared().unwrap_or(R::NAN)))?;
    out.set_item("aic", each(py, &fits, Fit::aic))?;
    out.set_item("bic", each(py, &fits, Fit::bic))?;
    out.set_item("other_minimum", each(py, &fits, |fit| fit.other_minimum().unwrap_or(R::NAN)))?;
    let degrees = fits.iter().map(|fit| fit.degrees_of_freedom());
    out.set_item("degrees_of_freedom", of_runs(py, degrees))?;
    out.set_item("evaluations", of_runs(py, fits.iter().map(|fit| fit.evaluations())))?;
    let ended: Vec<Ended> = fits.iter().map(|fit| fit.ended()).collect();
    let converged: Vec<bool> = ended.iter().map(|ended| ended.is_converged()).collect();
    out.set_item("converged", converged.into_pyarray(py))?;
    out.set_item("status", ended.iter().map(|ended| ended.name()).collect::<Vec<_>>())?;
    let is_there = |names: &mut dyn Iterator<Item = &str>| {
        let there: Vec<&str> = names.collect();
        fits.names().iter().map(|name| there.contains(&&**name)).collect::<Vec<bool>>()
    };
    let at: Vec<bool> = fits.iter().flat_map(|fit| is_there(&mut fit.at_bounds())).collect();
    out.set_item("at_bounds", matrix(py, &at, n)?)?;
    let not: Vec<bool> = fits.iter().flat_map(|fit| is_there(&mut fit.undetermined())).collect();
    out.set_item("undetermined", matrix(py, &not, n)?)?;
    out.set_item("device", fits.device())?;
    out.set_item("seconds", fits.seconds())?;
    Ok(out)
}

/// A number of each fit.
fn each<'py, 'f, R: Precise + Element>(
    py: Python<'py>,
    fits: &'f Fits<R>,
    of: fn(&Fit<'f, R>) -> R,
) -> Bound<'py, PyArray1<R>> {
    of_runs(py, fits.iter().map(|fit| of(&fit)))
}

/// A number for each two parameters of each fit.
fn square<'py, 'f, R: Precise + Element>(
    py: Python<'py>,
    fits: &'f Fits<R>,
    n: usize,
    of: fn(&Fit<'f, R>, usize, usize) -> R,
) -> PyResult<Bound<'py, PyArray3<R>>> {
    let mut all = Vec::with_capacity(fits.len() * n * n);
    for fit in fits.iter() {
        all.extend((0..n * n).map(|at| of(&fit, at / n, at % n)));
    }
    all.into_pyarray(py).reshape([fits.len(), n, n])
}
