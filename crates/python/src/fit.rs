//! Fits of models to data.

use numpy::{Element, IntoPyArray, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use serde::Deserialize;
use warpswarm::fit::{Ended, Fit, FitSettings, Fits};
use warpswarm::problem_file::ProblemFile;
use warpswarm::{Backend, Precise};

use crate::callbacks::{Going, Shared};
use crate::errors::{raised, wrong};
use crate::problem::Problem;

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
    let (fits, said) = py
        .detach(|| -> warpswarm::Result<_> {
            let fits: Fits<R> = file.fit_models(settings)?;
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
    out.set_item("statuses", Ended::ALL.map(Ended::name))?;
    out.set_item("at_bounds", is_there(said.at_bounds)?)?;
    out.set_item("undetermined", is_there(said.undetermined)?)?;
    out.set_item("device", fits.device())?;
    out.set_item("seconds", fits.seconds())?;
    Ok(out)
}

/// What all fits say, an entry each, or one each for each parameter, or for each two.
struct Said<R> {
    parameters: Vec<R>,
    errors: Vec<R>,
    covariance: Vec<R>,
    correlation: Vec<R>,
    numbers: [Vec<R>; 6],
    degrees: Vec<u64>,
    evaluations: Vec<u32>,
    converged: Vec<bool>,
    /// Places in [`Ended::ALL`].
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
        let place = |ended: Ended| Ended::ALL.iter().position(|known| *known == ended);
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
            converged: all(fits, 1, false, |fit, into| into[0] = fit.ended().is_converged()),
            ended: all(fits, 1, 0, |fit, into| into[0] = place(fit.ended()).unwrap_or(0) as u8),
            at_bounds: all(fits, n, false, |fit, into| mark(into, &mut fit.at_bounds())),
            undetermined: all(fits, n, false, |fit, into| mark(into, &mut fit.undetermined())),
        }
    }
}

/// So many entries for each fit, on all threads of the pool.
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
