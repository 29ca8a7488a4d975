//! Python functions that searches call: objectives and observers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{panic, thread};

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warpswarm::{Fitness, Float, HostObjective, Points};

use crate::device_points::{DevicePoints, Found, found};
use crate::errors::wrong;
use crate::report::matrix;

/// The state that a search shares with the Python functions that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// The exception of a Python function that has ended the search.
    raised: Arc<Mutex<Option<PyErr>>>,
    /// The library's interrupt flag: a search ends soon after it is set.
    pub(crate) interrupt: Arc<AtomicBool>,
    /// Set while first individuals are placed that a checkpoint will replace: their values are not needed.
    pub(crate) values_are_unused: Arc<AtomicBool>,
}

impl Shared {
    /// Stores an exception, unless there is an earlier one, and ends the search.
    pub(crate) fn end(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Whether an exception has ended the search.
    pub(crate) fn has_ended(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Takes the exception that has ended the search, so that the search may continue.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.interrupt.store(false, Ordering::Relaxed);
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The running searches, and whether no more may start.
static RUNNING: Mutex<Running> = Mutex::new(Running { flags: Vec::new(), has_left: false });

struct Running {
    flags: Vec<Arc<AtomicBool>>,
    has_left: bool,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks a search as running as long as this value exists.
pub(crate) struct Going(Arc<AtomicBool>);

impl Going {
    /// Registers a search, so that Python does not exit before it has ended; fails if Python is about to exit.
    pub(crate) fn begin(shared: &Shared) -> PyResult<Self> {
        let mut running = running();
        if running.has_left {
            return Err(PyRuntimeError::new_err("Python is about to end"));
        }
        running.flags.push(shared.interrupt.clone());
        Ok(Going(shared.interrupt.clone()))
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        running().flags.retain(|flag| !Arc::ptr_eq(flag, &self.0));
    }
}

/// Ends all searches, and waits until they have ended, for at most this many seconds. A thread that returns to Python
/// after the interpreter's end would crash.
#[pyfunction]
pub(crate) fn leave(py: Python<'_>, seconds: f64) {
    py.detach(|| {
        let start = Instant::now();
        loop {
            let mut running = running();
            running.has_left = true;
            running.flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
            if running.flags.is_empty() || start.elapsed().as_secs_f64() > seconds {
                return;
            }
            drop(running);
            thread::sleep(Duration::from_millis(5));
        }
    });
}

/// Called in a forked process, in which the searches of other threads do not exist.
#[pyfunction]
pub(crate) fn forked() {
    running().flags.clear();
}

/// An objective that is a Python function: from points `[point][coordinate]` and the run of each, to values, or values
/// and violations, one for each point.
pub(crate) fn objective<R: Float + Element>(
    function: Py<PyAny>,
    shared: Shared,
) -> HostObjective<R> {
    HostObjective::of_population(move |points: &Points<'_, R>| {
        if shared.values_are_unused.load(Ordering::Relaxed) {
            return vec![Fitness { violation: R::ZERO, value: R::ZERO }; points.len()];
        }
        let called = Python::attach(|py| called(function.bind(py), points));
        called.unwrap_or_else(|error| {
            shared.end(error);
            // The library treats this as a panic of the objective, and keeps the state of the runs. Nothing is printed.
            panic::resume_unwind(Box::new("an exception in Python"));
        })
    })
}

/// An objective that is a Python function of points on a GPU.
pub(crate) fn on_device<R: Float>(function: Py<PyAny>, shared: Shared) -> HostObjective<R> {
    // The last result must be kept until the next points have been requested.
    let kept = Mutex::new(None);
    HostObjective::on_device(move |points| {
        let called = Python::attach(|py| -> PyResult<_> {
            py.check_signals()?;
            let points = DevicePoints::new(points.clone(), size_of::<R>() == 4);
            let given: Found = function.bind(py).call1((points,))?.extract()?;
            let found = found(&given);
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(given);
            Ok(found)
        });
        called.unwrap_or_else(|error| {
            shared.end(error);
            panic::resume_unwind(Box::new("an exception in Python"));
        })
    })
}

fn called<R: Float + Element>(
    function: &Bound<'_, PyAny>,
    points: &Points<'_, R>,
) -> PyResult<Vec<Fitness<R>>> {
    let py = function.py();
    py.check_signals()?;
    let runs = (0..points.len()).map(|i| points.run(i)).collect();
    let rows = matrix(py, points.as_slice(), points.dimensions())?;
    let result = function.call1((rows, PyArray1::<u64>::from_vec(py, runs)))?;
    let (values, violations) = match result.cast::<PyTuple>() {
        Ok(both) if both.len() == 2 => (both.get_item(0)?, Some(both.get_item(1)?)),
        _ => (result, None),
    };
    fitness(&values, violations.as_ref(), points.len())
}

/// One fitness for each point, from arrays in the precision of the search.
pub(crate) fn fitness<R: Float + Element>(
    values: &Bound<'_, PyAny>,
    violations: Option<&Bound<'_, PyAny>>,
    count: usize,
) -> PyResult<Vec<Fitness<R>>> {
    let numbers = |array: &Bound<'_, PyAny>, what: &str| -> PyResult<Vec<R>> {
        let array: PyReadonlyArray1<'_, R> = array.extract()?;
        let found = array.len()?;
        match found == count {
            true => Ok(array.as_array().iter().copied().collect()),
            false => Err(wrong(format!("{found} {what} for {count} points; allowed: one a point"))),
        }
    };
    let values = numbers(values, "values")?;
    let violations = match violations {
        Some(violations) => numbers(violations, "violations")?,
        None => vec![R::ZERO; count],
    };
    let both = values.into_iter().zip(violations);
    Ok(both.map(|(value, violation)| Fitness { value, violation }).collect())
}
