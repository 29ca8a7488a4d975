//! The web page of run folders: its data, which `page.js` draws.

use serde::Serialize;
use serde_json::{Value, json};
use warpswarm_pictures::{Along, Better, Curve, Final, Group, Measure, curves, limit, quantile};

use super::contours::Contours;
use super::folder::{COORDINATES, Folder, Frame, Run};
use crate::output::page::page;

const SCRIPT: &str = include_str!("page.js");

/// The largest number of runs of a folder whose best points and rows are shown. Charts include all runs.
const RUNS: usize = 5000;

/// The data of all folders.
#[derive(Serialize)]
struct Data<'a> {
    columns: [&'static str; 16],
    run_columns: [&'static str; 6],
    along: [&'static str; 3],
    /// The ends of the linear axes, for each quantity in `along`.
    limits: Vec<Option<f64>>,
    measure: &'static str,
    more_is_better: bool,
    /// A note on runs without a value; may be empty.
    missing: String,
    /// The largest number of runs of a folder that have rows.
    most_rows: usize,
    groups: Vec<Shown<'a>>,
}

/// The data of one folder.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    /// The definition of the run, as text.
    asked: String,
    /// A cell for each column.
    summary: Vec<Value>,
    /// A row for each run.
    rows: Vec<[Value; 6]>,
    /// Curves over iterations, evaluations and seconds.
    curves: Vec<Points>,
    /// The final value of each run; `None` if it has none.
    finals: Vec<Option<f64>>,
    /// Names of the coordinates.
    parameters: Vec<String>,
    /// The best point of each run.
    positions: Vec<Vec<f64>>,
    frames: &'a [Frame],
    contours: Option<&'a Contours>,
}

/// A curve. Numbers that are not finite are null.
#[derive(Serialize)]
struct Points {
    x: Vec<f64>,
    lower: Vec<f64>,
    median: Vec<f64>,
    upper: Vec<f64>,
}

impl From<Curve> for Points {
    fn from(Curve { x, lower, median, upper }: Curve) -> Points {
        Points { x, lower, median, upper }
    }
}

/// The complete page. Either all runs are maximised or none.
pub(crate) fn html(folders: &[Folder]) -> String {
    let better = match folders.iter().any(|folder| folder.result.maximised) {
        true => Better::More,
        false => Better::Less,
    };
    let note = format!("{better:?} is better; a feasible point is better than any other.");
    page("warpswarm report", &note, &data(folders, better), SCRIPT)
}

fn data(folders: &[Folder], better: Better) -> Data<'_> {
    let groups: Vec<Group> = folders
        .iter()
        .map(|folder| Group { name: folder.name.clone(), runs: folder.trace.clone() })
        .collect();
    let finals: Vec<Vec<Final>> =
        folders.iter().map(|folder| folder.result.runs.iter().map(last).collect()).collect();
    let measure = Measure::of(finals.iter().flatten(), better);
    let better = measure.better();
    let curves = Along::ALL.map(|along| curves(&groups, along, better).1);
    let limits = curves.iter().map(|curves| limit(curves, better)).collect();
    let mut along = curves.map(Vec::into_iter);
    let numbers: Vec<Vec<f64>> = finals
        .iter()
        .map(|finals| finals.iter().map(|best| measure.number(*best)).collect())
        .collect();
    let missing = numbers.iter().flatten().filter(|x| !x.is_finite()).count();
    let missing = match (measure, missing) {
        (Measure::Violation, _) => {
            "No run has found a feasible point: violations are shown.".into()
        }
        (_, 0) => String::new(),
        (_, n) => {
            format!("Runs without a feasible and finite value: {n}; they count as the worst.")
        }
    };
    let shown = |(folder, numbers): (_, &Vec<f64>)| {
        let curves = along.iter_mut().filter_map(Iterator::next).map(Points::from).collect();
        show(folder, numbers, better, curves)
    };
    Data {
        columns: [
            "problem",
            "dimensions",
            "bounds",
            "algorithm",
            "individuals",
            "limits",
            "precision",
            "seed",
            "runs",
            "best",
            "lower quartile",
            "median",
            "upper quartile",
            "evaluations",
            "seconds",
            "device",
        ],
        run_columns: [
            "run",
            measure.axis(),
            "violation",
            "iterations",
            "evaluations",
            "stopped by",
        ],
        along: Along::ALL.map(Along::axis),
        limits,
        measure: measure.axis(),
        more_is_better: better == Better::More,
        missing,
        most_rows: RUNS,
        groups: folders.iter().zip(&numbers).map(shown).collect(),
    }
}

fn last(run: &Run) -> Final {
    Final { value: run.best.value, violation: run.best.violation }
}

fn show<'a>(folder: &'a Folder, numbers: &[f64], better: Better, curves: Vec<Points>) -> Shown<'a> {
    let (result, settings) = (&folder.result, folder.settings.as_ref());
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let evaluations: u64 = result.runs.iter().map(|run| run.evaluations).sum();
    let mut summary = vec![
        json!(result.problem),
        json!(result.dimensions),
        json!(settings.map_or("", |of| &of.bounds)),
        json!(result.algorithm),
        json!(settings.map(|of| of.individuals)),
        json!(settings.map_or("", |of| &of.limits)),
        json!(result.precision),
        json!(result.seed),
        json!(result.runs.len()),
    ];
    let best = if better == Better::Less { 0.0 } else { 1.0 };
    summary.extend([best, 0.25, 0.5, 0.75].map(|p| json!(quantile(&sorted, p))));
    summary.extend([json!(evaluations), json!(result.seconds), json!(result.device)]);
    let row = |(number, run): (usize, &Run)| {
        let Run { best, iterations, evaluations, stop_reason } = run;
        let whole = [json!(iterations), json!(evaluations)];
        let [iterations, evaluations] = whole;
        [
            json!(number),
            json!(numbers[number]),
            json!(best.violation),
            iterations,
            evaluations,
            json!(stop_reason),
        ]
    };
    let position = |run: &Run| run.best.position.iter().take(COORDINATES).map(|x| x.0).collect();
    Shown {
        name: &folder.name,
        asked: asked(folder),
        summary,
        rows: result.runs.iter().take(RUNS).enumerate().map(row).collect(),
        curves,
        finals: numbers.iter().map(|x| x.is_finite().then_some(*x)).collect(),
        parameters: (0..result.dimensions.min(COORDINATES))
            .map(|i| coordinate(&folder.labels, i))
            .collect(),
        positions: result.runs.iter().take(RUNS).map(position).collect(),
        frames: &folder.frames,
        contours: folder.contours.as_ref(),
    }
}

/// The text of `run.toml`, or the parameters if it does not exist.
fn asked(folder: &Folder) -> String {
    if !folder.asked.is_empty() {
        return folder.asked.clone();
    }
    let parameters = &folder.result.parameters;
    parameters.iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
}

fn coordinate(labels: &[String], i: usize) -> String {
    labels.get(i).cloned().unwrap_or_else(|| format!("x{}", i + 1))
}
