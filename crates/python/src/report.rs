//! Results for Python: dictionaries of numbers and NumPy arrays.

use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warpswarm::{Fitness, Float, Polish, Progress, Report, RunReport};

/// A matrix with `columns` columns, copied.
pub(crate) fn matrix<'py, R: Element + Copy>(
    py: Python<'py>,
    numbers: &[R],
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<R>>> {
    let rows = numbers.len() / columns.max(1);
    PyArray1::from_slice(py, numbers).reshape([rows, columns])
}

/// The results of runs.
pub(crate) fn report<'py, R: Float + Element>(
    py: Python<'py>,
    report: &Report<R>,
) -> PyResult<Bound<'py, PyDict>> {
    let runs = &report.runs;
    let out = PyDict::new(py);
    let positions: Vec<R> = runs.iter().flat_map(|run| run.best.position.iter().copied()).collect();
    let dimensions = runs.first().map_or(0, |run| run.best.position.len());
    out.set_item("xs", matrix(py, &positions, dimensions)?)?;
    out.set_item("funs", of_runs(py, runs.iter().map(|run| run.best.value)))?;
    out.set_item("violations", of_runs(py, runs.iter().map(|run| run.best.violation)))?;
    out.set_item("evaluations", of_runs(py, runs.iter().map(|run| run.evaluations)))?;
    out.set_item("iterations", of_runs(py, runs.iter().map(|run| run.iterations)))?;
    out.set_item("restarts", of_runs(py, runs.iter().map(|run| run.restarts)))?;
    out.set_item("not_finite", of_runs(py, runs.iter().map(|run| run.not_finite)))?;
    let reasons: Vec<&str> = runs.iter().map(|run| run.stop_reason.name()).collect();
    out.set_item("stop_reasons", reasons)?;
    if runs.iter().any(|run| run.polish.is_some()) {
        let polished: Vec<Polish<R>> = runs.iter().map(polished).collect();
        out.set_item("polish", polish(py, &polished)?)?;
    }
    let best = report.best();
    out.set_item("best", runs.iter().position(|run| std::ptr::eq(&run.best, best)))?;
    out.set_item("maximised", report.maximised)?;
    out.set_item("backend", report.backend.name())?;
    out.set_item("device", &report.device)?;
    out.set_item("schedule", report.schedule().map(|schedule| schedule.name()))?;
    out.set_item("seconds", report.seconds)?;
    out.set_item("polish_seconds", report.polish_seconds)?;
    out.set_item("setup_seconds", report.setup_seconds)?;
    out.set_item("trace", trace(py, &report.history, runs.len())?)?;
    Ok(out)
}

/// What a local search did in a run; no steps if there was none.
fn polished<R: Float>(run: &RunReport<R>) -> Polish<R> {
    let from = Fitness { violation: run.best.violation, value: run.best.value };
    run.polish.unwrap_or(Polish { from, steps: 0, evaluations: 0, gradients: 0 })
}

/// What local searches did, `[run]`.
fn polish<'py, R: Float + Element>(
    py: Python<'py>,
    all: &[Polish<R>],
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("funs", of_runs(py, all.iter().map(|polish| polish.from.value)))?;
    out.set_item("maxcv", of_runs(py, all.iter().map(|polish| polish.from.violation)))?;
    out.set_item("nit", of_runs(py, all.iter().map(|polish| polish.steps)))?;
    out.set_item("nfev", of_runs(py, all.iter().map(|polish| polish.evaluations)))?;
    out.set_item("njev", of_runs(py, all.iter().map(|polish| polish.gradients)))?;
    Ok(out)
}

/// Records: iterations and seconds `[record]`; for each run evaluations, best and violation `[record][run]`.
fn trace<'py, R: Float + Element>(
    py: Python<'py>,
    history: &[Progress<R>],
    runs: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let of_all = |each: fn(&Progress<R>) -> f64| history.iter().map(each).collect::<Vec<_>>();
    out.set_item("iterations", of_runs(py, history.iter().map(|record| record.iterations)))?;
    out.set_item("seconds", of_all(|record| record.seconds).into_pyarray(py))?;
    let each = || history.iter().flat_map(|record| &record.runs);
    let evaluations: Vec<u64> = each().map(|run| run.evaluations).collect();
    let values: Vec<R> = each().map(|run| run.best.value).collect();
    let violations: Vec<R> = each().map(|run| run.best.violation).collect();
    out.set_item("evaluations", matrix(py, &evaluations, runs)?)?;
    out.set_item("funs", matrix(py, &values, runs)?)?;
    out.set_item("violations", matrix(py, &violations, runs)?)?;
    Ok(out)
}

/// A number for each run.
pub(crate) fn of_runs<'py, T: Element>(
    py: Python<'py>,
    all: impl Iterator<Item = T>,
) -> Bound<'py, PyArray1<T>> {
    PyArray1::from_vec(py, all.collect())
}
