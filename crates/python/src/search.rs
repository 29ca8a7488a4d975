//! Runs of an algorithm.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::{Element, PyArray1, PyArray2};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Algorithm, AskTell, Bounds, Checkpoint, CheckpointFile, DeviceValues, Error, Event,
    HostObjective, Optimiser, Population, Precise, Result, Runs, Settings, StopReason,
};

use crate::callbacks::{self, Going, Shared};
use crate::device_points::{DevicePoints, Found, found};
use crate::errors::{raised, wrong};
use crate::problem::Problem;
use crate::report;
use crate::saver::Saver;
use crate::within::{OwnRun, OwnRuns, Within};

/// Runs of an algorithm, in progress.
///
/// The objective is a `Problem`, a function of points `[point][coordinate]` and the run of each, or none: then the
/// caller asks and tells. Only one thread at a time can use a search.
#[pyclass(module = "pywarpswarm._native", frozen)]
pub(crate) struct Search {
    running: Mutex<Box<dyn Running>>,
    shared: Shared,
}

/// Points and values of each run, as arrays.
type PopulationOfRuns = Vec<(Py<PyAny>, Py<PyAny>)>;

/// The operations in both precisions.
trait Running: Send {
    fn run(
        &mut self,
        py: Python<'_>,
        shared: &Shared,
        observer: Option<&Py<PyAny>>,
        every: u64,
        saver: Option<&mut Saver>,
    ) -> Result<Py<PyDict>, PyErr>;
    fn report(&mut self, py: Python<'_>) -> PyResult<Py<PyDict>>;
    fn ask(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>>;
    fn tell(
        &mut self,
        values: &Bound<'_, PyAny>,
        violations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()>;
    fn ask_on_device(&mut self, py: Python<'_>) -> PyResult<Option<Py<DevicePoints>>>;
    fn tell_on_device(&mut self, found: &DeviceValues) -> PyResult<()>;
    fn population(&mut self, py: Python<'_>) -> PyResult<Option<PopulationOfRuns>>;
    fn save(&mut self, about: &str, path: &Path) -> Result<()>;
    fn resume(&mut self, path: &Path) -> Result<()>;
}

/// What evaluates the points.
enum Driven<R: Precise> {
    Optimiser(Optimiser<R>),
    Caller(AskTell<R>),
}

#[pymethods]
impl Search {
    /// Places the individuals. `bounds` are those of the variables if there is no `Problem`: lower and upper bounds,
    /// and the scale of each variable. `begin` contains starting points for all runs; `runs` replaces it with per-run
    /// bounds, or none, and starting points. `checkpoint` is a file to continue from: then a function is not called for
    /// the first individuals. With `on_device`, the function takes `DevicePoints`.
    #[new]
    #[pyo3(signature = (objective, bounds, begin, algorithm, settings, single, checkpoint=None, runs=None, on_device=false))]
    #[expect(clippy::too_many_arguments, reason = "of Python, where they are named")]
    fn new(
        py: Python<'_>,
        objective: Option<Bound<'_, PyAny>>,
        bounds: Option<(Vec<f64>, Vec<f64>, Vec<String>)>,
        begin: Vec<Vec<f64>>,
        algorithm: &str,
        settings: &str,
        single: bool,
        checkpoint: Option<PathBuf>,
        runs: Option<Vec<OwnRun>>,
        on_device: bool,
    ) -> PyResult<Self> {
        let json = |error: serde_json::Error| wrong(error.to_string());
        let algorithm: Algorithm = serde_json::from_str(algorithm).map_err(json)?;
        let mut settings: Settings = serde_json::from_str(settings).map_err(json)?;
        let shared = Shared::default();
        settings.stop.interrupt = Some(shared.interrupt.clone());
        let runs = runs.map(OwnRuns);
        let within = runs.as_ref().map_or(Within::Begin(&begin), Within::Own);
        let bounds = bounds.map(|bounds| within.bounds(bounds)).transpose().map_err(raised)?;
        let wanted =
            Wanted { objective, bounds, within, algorithm, settings, shared: &shared, on_device };
        let _going = Going::begin(&shared)?;
        shared.values_are_unused.store(checkpoint.is_some(), Ordering::Relaxed);
        let mut running: Box<dyn Running> = match single {
            true => wanted.start::<f32>(py)?,
            false => wanted.start::<f64>(py)?,
        };
        if let Some(path) = checkpoint {
            let running = &mut *running;
            py.detach(|| running.resume(&path)).map_err(raised)?;
            shared.values_are_unused.store(false, Ordering::Relaxed);
        }
        Ok(Search { running: Mutex::new(running), shared })
    }

    /// Runs until a condition of the settings is met. The observer is called with the report so far after each `every`
    /// iterations, or about 20 times a second for 0. If it raises `StopIteration`, the runs end.
    ///
    /// `checkpoint` contains a path, the interval in seconds at which the state is written there, and the caller's
    /// text. The state is also written at the end, whatever ends the runs.
    #[pyo3(signature = (observer=None, every=0, checkpoint=None))]
    fn run(
        &self,
        py: Python<'_>,
        observer: Option<Py<PyAny>>,
        every: u64,
        checkpoint: Option<(PathBuf, f64, String)>,
    ) -> PyResult<Py<PyDict>> {
        let mut running = self.locked()?;
        let _going = Going::begin(&self.shared)?;
        let mut saver = checkpoint.map(|(path, seconds, about)| Saver::new(path, seconds, about));
        running.run(py, &self.shared, observer.as_ref(), every, saver.as_mut())
    }

    /// The report of the runs so far.
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.locked()?.report(py)
    }

    /// The next points to evaluate, `[point][coordinate]`; none if all runs have ended.
    fn ask(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.locked()?.ask(py)
    }

    /// As `ask`, on the GPU on which individuals move.
    fn ask_on_device(&self, py: Python<'_>) -> PyResult<Option<Py<DevicePoints>>> {
        self.locked()?.ask_on_device(py)
    }

    /// Takes the results for points that were requested on the GPU; the caller must keep them until the next points are
    /// requested.
    fn tell_on_device(&self, given: Found) -> PyResult<()> {
        self.locked()?.tell_on_device(&found(&given))
    }

    /// Takes values, and violations of constraints, for the requested points.
    #[pyo3(signature = (values, violations=None))]
    fn tell(
        &self,
        values: &Bound<'_, PyAny>,
        violations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.locked()?.tell(values, violations)
    }

    /// The points of each run's individuals, and their values; none before the first have been evaluated.
    fn population(&self, py: Python<'_>) -> PyResult<Option<PopulationOfRuns>> {
        self.locked()?.population(py)
    }

    /// Writes everything that is needed to continue, completely or not at all, with the caller's text.
    fn save(&self, py: Python<'_>, path: PathBuf, about: &str) -> PyResult<()> {
        let mut running = self.locked()?;
        let running = &mut **running;
        py.detach(|| running.save(about, &path)).map_err(raised)
    }

    /// Continues from a written state.
    fn resume(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut running = self.locked()?;
        let running = &mut **running;
        py.detach(|| running.resume(&path)).map_err(raised)
    }

    /// The text that was written with a search, and the name of its precision.
    #[staticmethod]
    fn about(path: PathBuf) -> PyResult<(String, String)> {
        let file = CheckpointFile::open(&path).map_err(raised)?;
        Ok((file.about().into(), file.precision().into()))
    }
}

impl Search {
    fn locked(&self) -> PyResult<MutexGuard<'_, Box<dyn Running>>> {
        match self.running.try_lock() {
            Ok(running) => Ok(running),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the search is running: it belongs to one thread at a time, and an objective or a callback cannot use it",
            )),
        }
    }
}

/// Calls an observer with the report so far.
fn observed<R: Number>(observer: &Bound<'_, PyAny>, runs: &mut Runs<'_, R>) -> PyResult<()> {
    let py = observer.py();
    let so_far = py.detach(|| runs.report()).map_err(raised)?;
    observer.call1((report::report(py, &so_far)?,)).map(|_| ())
}

/// Everything from which a search is created.
struct Wanted<'a, 'py> {
    objective: Option<Bound<'py, PyAny>>,
    bounds: Option<Bounds>,
    within: Within<'a>,
    algorithm: Algorithm,
    settings: Settings,
    shared: &'a Shared,
    on_device: bool,
}

impl Wanted<'_, '_> {
    fn start<R: Number>(self, py: Python<'_>) -> PyResult<Box<dyn Running>> {
        let Wanted { objective, bounds, within, algorithm, settings, shared, on_device } = self;
        let no_bounds = || wrong("bounds are missing");
        let driven = match objective {
            None => {
                let bounds = bounds.ok_or_else(no_bounds)?;
                AskTell::<R>::new(&bounds, &algorithm, &settings).map(Driven::Caller)
            }
            Some(objective) => match objective.cast::<Problem>() {
                Ok(problem) => {
                    let problem = problem.get();
                    py.detach(|| problem.optimiser(within, &algorithm, &settings))
                        .map(Driven::Optimiser)
                }
                Err(_) => {
                    let bounds = bounds.ok_or_else(no_bounds)?;
                    let made = if on_device { callbacks::on_device } else { callbacks::objective };
                    let objective: HostObjective<R> = made(objective.unbind(), shared.clone());
                    py.detach(|| Optimiser::new(&objective, &bounds, &algorithm, &settings))
                        .map(Driven::Optimiser)
                }
            },
        };
        // An exception of the objective during the placement is reported instead of the library's error.
        let driven = driven.map_err(|error| shared.take().unwrap_or_else(|| raised(error)))?;
        Ok(Box::new(driven))
    }
}

/// The two precisions.
trait Number: Precise + Element + Serialize + DeserializeOwned {}

impl<R: Precise + Element + Serialize + DeserializeOwned> Number for R {}

impl<R: Number> Driven<R> {
    fn caller(&mut self) -> PyResult<&mut AskTell<R>> {
        match self {
            Driven::Caller(search) => Ok(search),
            Driven::Optimiser(_) => {
                Err(wrong("a search with an objective evaluates by itself; allowed: run"))
            }
        }
    }
}

impl<R: Number> Running for Driven<R> {
    fn run(
        &mut self,
        py: Python<'_>,
        shared: &Shared,
        observer: Option<&Py<PyAny>>,
        every: u64,
        mut saver: Option<&mut Saver>,
    ) -> PyResult<Py<PyDict>> {
        let optimiser = match self {
            Driven::Optimiser(optimiser) => optimiser,
            Driven::Caller(_) => return Err(wrong("without an objective, ask and tell")),
        };
        let done = py.detach(|| {
            optimiser.run_observed(&mut |event, runs| {
                let saved = saver.as_mut().map_or(Ok(()), |saver| saver.see(&event, runs));
                saved.unwrap_or_else(|error| shared.end(error));
                if let Event::Progress(progress) = event {
                    if every > 0 {
                        runs.look_at(progress.iterations - progress.iterations % every + every);
                    }
                    let is_due = every == 0 || progress.iterations.is_multiple_of(every);
                    let is_due = is_due && !shared.has_ended();
                    let seen = Python::attach(|py| {
                        py.check_signals()?;
                        match observer.filter(|_| is_due) {
                            Some(observer) => observed(observer.bind(py), runs),
                            None => Ok(()),
                        }
                    });
                    seen.unwrap_or_else(|error| shared.end(error));
                }
            })
        });
        match (done, shared.take()) {
            (Ok(done), None) => Ok(report::report(py, &done)?.unbind()),
            (Ok(done), Some(error)) => {
                let done = report::report(py, &done)?;
                if error.is_instance_of::<PyStopIteration>(py) {
                    done.set_item("stopped_by_callback", true)?;
                    return Ok(done.unbind());
                }
                error.value(py).setattr("_report", done)?;
                Err(error)
            }
            (Err(_), Some(error)) => {
                // The exception comes from the function: the runs keep their state from before that iteration.
                if let Some(saver) = saver {
                    py.detach(|| saver.save_left(optimiser.checkpoint()))?;
                }
                if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    let so_far = optimiser.report(StopReason::Interrupted).map_err(raised)?;
                    error.value(py).setattr("_report", report::report(py, &so_far)?)?;
                }
                Err(error)
            }
            (Err(error), None) => Err(raised(error)),
        }
    }

    fn report(&mut self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let done = match self {
            Driven::Optimiser(optimiser) => optimiser.report(StopReason::Interrupted),
            Driven::Caller(search) => search.report(),
        };
        Ok(report::report(py, &done.map_err(raised)?)?.unbind())
    }

    fn ask(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let points = self.caller()?.ask().map_err(raised)?;
        let Some(points) = points else { return Ok(None) };
        let rows = report::matrix(py, points.as_slice(), points.dimensions())?;
        Ok(Some(rows.into_any().unbind()))
    }

    fn tell(
        &mut self,
        values: &Bound<'_, PyAny>,
        violations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let search = self.caller()?;
        let count = search.ask().map_err(raised)?.map_or(0, |points| points.len());
        let told = callbacks::fitness::<R>(values, violations, count)?;
        search.tell(&told).map_err(raised)
    }

    fn ask_on_device(&mut self, py: Python<'_>) -> PyResult<Option<Py<DevicePoints>>> {
        let points = self.caller()?.ask_on_device().map_err(raised)?;
        points.map(|points| Py::new(py, DevicePoints::new(points, size_of::<R>() == 4))).transpose()
    }

    fn tell_on_device(&mut self, found: &DeviceValues) -> PyResult<()> {
        self.caller()?.tell_on_device(found).map_err(raised)
    }

    fn population(&mut self, py: Python<'_>) -> PyResult<Option<PopulationOfRuns>> {
        let populations = match self {
            Driven::Optimiser(optimiser) => optimiser.populations(),
            Driven::Caller(search) => search.populations(),
        };
        let populations = match populations {
            // The time limit ended the placement, or no fitness has been told yet.
            Err(Error::Stopped | Error::NotPlaced) => return Ok(None),
            populations => populations.map_err(raised)?,
        };
        let of = |population: &Population<R>| {
            let count = population.fitness.len();
            let dimensions = population.positions.len() / count.max(1);
            let points: Bound<'_, PyArray2<R>> =
                report::matrix(py, &population.positions, dimensions)?;
            let values = population.fitness.iter().map(|of| of.value).collect();
            let values = PyArray1::<R>::from_vec(py, values);
            Ok((points.into_any().unbind(), values.into_any().unbind()))
        };
        populations.iter().map(of).collect::<PyResult<_>>().map(Some)
    }

    fn save(&mut self, about: &str, path: &Path) -> Result<()> {
        let checkpoint: Checkpoint<R> = match self {
            Driven::Optimiser(optimiser) => optimiser.checkpoint()?,
            Driven::Caller(search) => search.checkpoint()?,
        };
        checkpoint.write(about, path)
    }

    fn resume(&mut self, path: &Path) -> Result<()> {
        let checkpoint = CheckpointFile::open(path)?.checkpoint::<R>()?;
        match self {
            Driven::Optimiser(optimiser) => optimiser.resume(checkpoint),
            Driven::Caller(search) => search.resume(checkpoint),
        }
    }
}
