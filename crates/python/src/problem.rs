//! Compiled objectives: problem files, and built-in problems.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use warpswarm::problem_file::{DiscreteValue, NamedNumbers, ProblemFile};
use warpswarm::problems::{self, Evaluation};
use warpswarm::{Algorithm, Bounds, Optimiser, Precise, Result, Scale, Settings};

use crate::errors::{raised, wrong};
use crate::within::Within;

/// The kind of objective.
#[derive(Clone, Debug)]
enum Kind {
    File(Box<ProblemFile>),
    BuiltIn { info: &'static problems::ProblemInfo, shift: f64, bounds: Bounds },
}

/// A problem in JSON.
#[derive(Debug, Deserialize, Serialize)]
enum Kept {
    File(Box<ProblemFile>),
    BuiltIn { name: String, dimensions: usize, shift: f64 },
}

/// A problem with a compiled objective: it runs on the CPU and on GPUs with the same bits.
#[pyclass(module = "pywarpswarm._native", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    kind: Kind,
}

#[pymethods]
impl Problem {
    /// Reads a problem from text, with arrays of one or two dimensions by name as further constants. For the names in
    /// `of_runs`, each run has its own numbers, along the first dimension of the array.
    #[staticmethod]
    #[pyo3(signature = (text, name="problem", data=None, of_runs=None))]
    fn parse(
        text: &str,
        name: &str,
        data: Option<&Bound<'_, PyDict>>,
        of_runs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut arrays = named(data, false)?;
        arrays.extend(named(of_runs, true)?);
        let data: Vec<_> = arrays.iter().map(Array::numbers).collect();
        let file = ProblemFile::parse_with_data(text, name, &data).map_err(raised)?;
        Ok(Problem { kind: Kind::File(file.into()) })
    }

    /// Reads a problem file. Its data files are relative to its folder.
    #[staticmethod]
    fn load(path: std::path::PathBuf) -> PyResult<Self> {
        Ok(Problem { kind: Kind::File(ProblemFile::load(path).map_err(raised)?.into()) })
    }

    /// A built-in problem, by its name.
    #[staticmethod]
    #[pyo3(signature = (name, dimensions, shift=0.0))]
    fn built_in(name: &str, dimensions: usize, shift: f64) -> PyResult<Self> {
        let info = problems::find(name).map_err(raised)?;
        let bounds = info.bounds(dimensions).map_err(raised)?;
        Ok(Problem { kind: Kind::BuiltIn { info, shift, bounds } })
    }

    /// A function of the BBOB suite, 1 to 24.
    #[staticmethod]
    fn bbob(function: u32, dimensions: usize, instance: u32) -> PyResult<Self> {
        let problem = warpswarm::bbob::problem(function, instance, dimensions).map_err(raised)?;
        Ok(Problem { kind: Kind::File(problem.file().clone().into()) })
    }

    /// Reads the text that `json` has written.
    #[staticmethod]
    fn of_json(text: &str) -> PyResult<Self> {
        let kept: Kept = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        match kept {
            Kept::File(file) => Ok(Problem { kind: Kind::File(file) }),
            Kept::BuiltIn { name, dimensions, shift } => Self::built_in(&name, dimensions, shift),
        }
    }

    /// Everything that the problem is created from, with its data, in JSON.
    fn json(&self) -> PyResult<String> {
        let kept = match &self.kind {
            Kind::File(file) => Kept::File(file.clone()),
            Kind::BuiltIn { info, shift, bounds } => Kept::BuiltIn {
                name: info.id.into(),
                dimensions: bounds.dimensions(),
                shift: *shift,
            },
        };
        serde_json::to_string(&kept).map_err(|error| wrong(error.to_string()))
    }

    #[getter]
    fn name(&self) -> &str {
        match &self.kind {
            Kind::File(file) => file.name(),
            Kind::BuiltIn { info, .. } => info.id,
        }
    }

    #[getter]
    fn formula(&self) -> &str {
        match &self.kind {
            Kind::File(file) => file.formula(),
            Kind::BuiltIn { info, .. } => info.formula,
        }
    }

    #[getter]
    fn maximises(&self) -> bool {
        matches!(&self.kind, Kind::File(file) if file.maximises())
    }

    /// The number of runs, if each run has its own numbers.
    #[getter]
    fn runs(&self) -> Option<u64> {
        match &self.kind {
            Kind::File(file) => file.runs(),
            Kind::BuiltIn { .. } => None,
        }
    }

    /// Whether a constraint is an equation, or a narrow band.
    #[getter]
    fn is_tight(&self) -> bool {
        matches!(&self.kind, Kind::File(file) if file.is_tight())
    }

    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.bounds().lower())
    }

    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.bounds().upper())
    }

    /// The scale of each variable: "linear", "log" or "integer".
    #[getter]
    fn scales(&self) -> Vec<&'static str> {
        let name = |scale: &Scale| match scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
            Scale::Integer => "integer",
        };
        self.bounds().scales().iter().map(name).collect()
    }

    /// The name of each coordinate.
    #[getter]
    fn variables(&self) -> Vec<String> {
        let dimensions = self.bounds().dimensions();
        let unnamed = |i: usize| format!("x{}", i + 1);
        match &self.kind {
            Kind::File(file) => {
                (0..dimensions).map(|i| file.coordinate(i).unwrap_or_else(|| unnamed(i))).collect()
            }
            Kind::BuiltIn { info, .. } => {
                let named = |i: usize| info.coordinates.get(i).map(|name| (*name).into());
                (0..dimensions).map(|i| named(i).unwrap_or_else(|| unnamed(i))).collect()
            }
        }
    }

    /// Names of the constraints.
    #[getter]
    fn constraints(&self) -> Vec<String> {
        match &self.kind {
            Kind::File(file) => file.constraints().map(|(name, _)| name.into()).collect(),
            Kind::BuiltIn { info, .. } => {
                info.constraints.iter().map(|of| of.name.into()).collect()
            }
        }
    }

    /// The best known value, if one is known.
    #[getter]
    fn optimum(&self) -> Option<f64> {
        match &self.kind {
            Kind::File(_) => None,
            Kind::BuiltIn { info, bounds, .. } => info.optimum_value(bounds.dimensions()),
        }
    }

    /// The values or names of choices that a point's coordinates stand for; the coordinates themselves if they have no
    /// options.
    fn chosen<'py>(&self, py: Python<'py>, point: Vec<f64>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let stands_for = |(i, x): (usize, f64)| {
            let chosen = match &self.kind {
                Kind::File(file) => file.discrete_value(i, x),
                Kind::BuiltIn { .. } => None,
            };
            Ok(match chosen {
                Some(DiscreteValue::Value(value)) => value.into_pyobject(py)?.into_any(),
                Some(DiscreteValue::Name(name)) => name.into_pyobject(py)?.into_any(),
                None => x.into_pyobject(py)?.into_any(),
            })
        };
        point.into_iter().enumerate().map(stands_for).collect()
    }

    /// Value, violation and each constraint at points of a run, `[point][coordinate]`, in double precision.
    #[pyo3(signature = (points, run=0))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
        run: u64,
    ) -> PyResult<Evaluated<'py, f64>> {
        self.evaluated(py, &points, run)
    }

    /// As `evaluate`, in single precision.
    #[pyo3(signature = (points, run=0))]
    fn evaluate_single<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f32>,
        run: u64,
    ) -> PyResult<Evaluated<'py, f32>> {
        self.evaluated(py, &points, run)
    }

    /// The named expressions of a problem file at a point of a run, without those that are arrays.
    #[pyo3(signature = (point, run=0))]
    fn let_values(&self, point: Vec<f64>, run: u64) -> PyResult<Vec<(String, f64)>> {
        let Kind::File(file) = &self.kind else { return Ok(Vec::new()) };
        let found = file.let_values_in_run(run, &point).map_err(raised)?;
        Ok(found.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    fn __repr__(&self) -> String {
        format!("Problem({:?}, dimensions={})", self.name(), self.bounds().dimensions())
    }
}

/// Named numbers from Python.
struct Array {
    name: String,
    numbers: Vec<f64>,
    columns: Option<usize>,
    of_runs: Option<u64>,
}

impl Array {
    fn numbers(&self) -> NamedNumbers<'_> {
        let Array { name, numbers, columns, of_runs } = self;
        NamedNumbers { name, numbers, columns: *columns, of_runs: *of_runs }
    }
}

/// The arrays of a dict; the first dimension may be that of runs.
fn named(dict: Option<&Bound<'_, PyDict>>, are_of_runs: bool) -> PyResult<Vec<Array>> {
    let array = |(name, array): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
        let array = array.as_array();
        let of_runs = are_of_runs.then(|| array.shape().first().copied().unwrap_or(0) as u64);
        let columns = array.shape().get(1 + usize::from(are_of_runs)).copied();
        let one_by_one = || array.iter().copied().collect();
        let numbers = array.as_slice().map_or_else(one_by_one, <[f64]>::to_vec);
        Ok(Array { name: name.extract()?, numbers, columns, of_runs })
    };
    dict.into_iter().flat_map(|dict| dict.iter()).map(array).collect()
}

/// Values, violations, and constraints, `[point][constraint]`.
type Evaluated<'py, R> =
    (Bound<'py, PyArray1<R>>, Bound<'py, PyArray1<R>>, Bound<'py, PyArray2<R>>);

impl Problem {
    /// The problem file.
    pub(crate) fn file(&self) -> PyResult<&ProblemFile> {
        match &self.kind {
            Kind::File(file) => Ok(file),
            Kind::BuiltIn { info, .. } => Err(wrong(format!("{} goes by its name", info.id))),
        }
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        match &self.kind {
            Kind::File(file) => file.bounds(),
            Kind::BuiltIn { bounds, .. } => bounds,
        }
    }

    /// An optimiser within bounds with starting points; within the problem's own bounds if none are given.
    pub(crate) fn optimiser<R: Precise>(
        &self,
        within: Within<'_>,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        let bounds = match within {
            Within::Own(runs) => Some(runs.bounds(self.bounds())?),
            Within::Begin([]) => None,
            Within::Begin(points) => match &self.kind {
                Kind::File(file) => {
                    let file = (**file).clone().beginning_at(points)?;
                    return file.optimiser(algorithm, settings);
                }
                Kind::BuiltIn { bounds, .. } => Some(bounds.clone().beginning_at(points)?),
            },
        };
        match (&self.kind, bounds) {
            (Kind::File(file), None) => file.optimiser(algorithm, settings),
            (Kind::File(file), Some(bounds)) => file.optimiser_within(&bounds, algorithm, settings),
            (Kind::BuiltIn { info, shift, bounds }, within) => info.optimiser(
                *shift,
                &within.unwrap_or_else(|| bounds.clone()),
                algorithm,
                settings,
            ),
        }
    }

    fn evaluated<'py, R: Precise + numpy::Element>(
        &self,
        py: Python<'py>,
        points: &PyReadonlyArray2<'py, R>,
        run: u64,
    ) -> PyResult<Evaluated<'py, R>> {
        let points = points.as_array();
        let mut constraints = Vec::new();
        let (mut values, mut violations) = (Vec::new(), Vec::new());
        for point in points.rows() {
            let Evaluation { fitness, constraints: each } =
                self.at(&point.to_vec(), run).map_err(raised)?;
            values.push(fitness.value);
            violations.push(fitness.violation);
            constraints.push(each);
        }
        let constraints = match constraints.is_empty() {
            true => PyArray2::zeros(py, [0, self.constraints().len()], false),
            false => {
                PyArray2::from_vec2(py, &constraints).map_err(|error| wrong(error.to_string()))?
            }
        };
        Ok((PyArray1::from_vec(py, values), PyArray1::from_vec(py, violations), constraints))
    }

    fn at<R: Precise>(&self, point: &[R], run: u64) -> Result<Evaluation<R>> {
        match &self.kind {
            Kind::File(file) => file.evaluate_in_run(run, point),
            Kind::BuiltIn { info, shift, .. } => {
                let point: Vec<R> = point.iter().map(|x| *x - R::from_f64(*shift)).collect();
                info.evaluate(&point)
            }
        }
    }
}
