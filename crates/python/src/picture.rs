//! Pictures of results, for users without a plotting library.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use warpswarm_pictures::{
    Along, Axis, BLUE, Better, Format, Group, INK, Line, Mark, Panel, Picture, Record, Scale,
    VERMILION, convergence,
};

use crate::errors::wrong;

/// Iterations `[record]`; evaluations, best values and violations `[record][run]`.
type Trace<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray2<'py, u64>,
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray2<'py, f64>,
);

/// Points `[point][2]`, the best one, and the names of the two coordinates.
type Population<'py> = (PyReadonlyArray2<'py, f64>, (f64, f64), (String, String));

/// The history of the best value and the positions of the individuals, side by side, in panels of the given size in
/// pixels: SVG, or PNG.
#[pyfunction]
#[pyo3(signature = (title, trace, population, maximised, size, png))]
pub(crate) fn picture<'py>(
    py: Python<'py>,
    title: &str,
    trace: Option<Trace<'py>>,
    population: Option<Population<'py>>,
    maximised: bool,
    size: (u32, u32),
    png: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut all = Picture {
        title: title.into(),
        notes: Vec::new(),
        has_legend: population.is_some(),
        columns: 1,
        size,
        panels: Vec::new(),
    };
    if let Some(trace) = trace {
        let better = if maximised { Better::More } else { Better::Less };
        let group = Group { name: String::new(), runs: records(&trace) };
        let of_trace = convergence(title, &[group], Along::Evaluations, better);
        // The note for a single run is omitted.
        all.notes.extend(of_trace.notes.into_iter().filter(|note| note != "1 run"));
        all.panels.extend(of_trace.panels);
    }
    if let Some(population) = population {
        all.panels.push(panel(&population));
    }
    if all.panels.is_empty() {
        return Err(wrong("there is neither a trace nor a population to draw"));
    }
    all.columns = all.panels.len();
    let format = if png { Format::Png } else { Format::Svg };
    let bytes = py.detach(|| all.bytes(format)).map_err(|error| wrong(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The records of each run.
fn records((iterations, evaluations, values, violations): &Trace<'_>) -> Vec<Vec<Record>> {
    let (evaluations, values) = (evaluations.as_array(), values.as_array());
    let (iterations, violations) = (iterations.as_array(), violations.as_array());
    let of = |run: usize| {
        let record = |(at, &iteration): (usize, &u64)| {
            Some(Record {
                iteration,
                evaluations: *evaluations.get((at, run))?,
                seconds: 0.0,
                value: *values.get((at, run))?,
                violation: *violations.get((at, run))?,
            })
        };
        iterations.iter().enumerate().filter_map(record).collect()
    };
    (0..values.ncols()).map(of).collect()
}

/// The individuals, with the best point on top of them.
fn panel((points, best, names): &Population<'_>) -> Panel {
    let rows = points.as_array();
    let points = rows.rows().into_iter().filter_map(|row| Some((*row.first()?, *row.get(1)?)));
    let points: Vec<(f64, f64)> = points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    let all =
        || points.iter().copied().chain([*best].into_iter().filter(|(x, y)| (x + y).is_finite()));
    let axis = |name: &String, places: Vec<f64>| Axis::of(name, Scale::Linear, places.into_iter());
    let (x, y) = (
        axis(&names.0, all().map(|p| p.0).collect()),
        axis(&names.1, all().map(|p| p.1).collect()),
    );
    let mark =
        |color, mark, mark_size| Line { color, width: 0, mark, mark_size, ..Line::default() };
    let best = all().skip(points.len());
    let lines = vec![
        mark(BLUE, Mark::Disc, 3).through(points.iter().copied()).named("individuals"),
        mark(INK, Mark::Triangle, 7).through(best.clone()),
        mark(VERMILION, Mark::Triangle, 5).through(best).named("best point"),
    ];
    Panel { title: String::new(), x, y, areas: Vec::new(), lines }
}
