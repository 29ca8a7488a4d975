//! Reads the folder of a run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use csv::{Reader, StringRecord};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use warpswarm::Stop;
use warpswarm_pictures::Record;

use super::contours::Contours;
use crate::commands::fit;
use crate::failure::Failure;
use crate::output::number::Number;
use crate::output::population;
use crate::output::run_folder::{POPULATION, RESULT, RUN, TRACE};
use crate::problem::Problem;
use crate::run;

/// The files that are read.
pub(crate) const FILES: [&str; 4] = [RUN, RESULT, TRACE, POPULATION];

/// The largest number of coordinates of best points that the page shows.
pub(super) const COORDINATES: usize = 100;

/// The contents of a folder.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The name on the page.
    pub(crate) name: String,
    /// The text of `run.toml`; empty if it does not exist.
    pub(crate) asked: String,
    pub(crate) result: Solved,
    /// The records of each run.
    pub(crate) trace: Vec<Vec<Record>>,
    /// What `run.toml` says of the run, if it exists.
    pub(crate) settings: Option<Settings>,
    /// The names of the coordinates. If `run.toml` exists, they include the meanings of discrete numbers.
    pub(crate) labels: Vec<String>,
    /// The individuals of the best run, if there are two dimensions and populations were stored.
    pub(crate) frames: Vec<Frame>,
    /// The background of the frames, if `run.toml` exists.
    pub(crate) contours: Option<Contours>,
}

/// The settings that the page compares.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) individuals: u64,
    pub(crate) bounds: String,
    /// The limits of the run.
    pub(crate) limits: String,
}

impl Settings {
    fn of(run: &run::Run) -> Settings {
        let bounds = run.problem.bounds();
        let mut all = bounds.lower().iter().zip(bounds.upper());
        let bounds = match all.next() {
            Some((lower, upper)) if all.all(|other| other == (lower, upper)) => {
                format!("{lower} to {upper}")
            }
            _ => "differ by coordinate".into(),
        };
        let Stop { iterations, evaluations, seconds, target, stagnation, .. } = &run.settings.stop;
        let limits = [
            iterations.map(|n| format!("{n} iterations")),
            evaluations.map(|n| format!("{n} evaluations")),
            seconds.map(|n| format!("{n} s")),
            target.map(|value| format!("target {value}")),
            stagnation.map(|n| format!("{n} iterations without progress")),
        ];
        let limits = limits.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Settings { individuals: run.settings.individuals, bounds, limits }
    }
}

/// The individuals at an iteration.
#[derive(Debug, Serialize)]
pub(crate) struct Frame {
    iteration: u64,
    points: Vec<[f64; 2]>,
}

/// The parts of `result.json` that the page shows.
#[derive(Debug, Deserialize)]
pub(crate) struct Solved {
    pub(crate) problem: String,
    pub(crate) dimensions: usize,
    #[serde(default)]
    pub(crate) maximised: bool,
    #[serde(default)]
    pub(crate) coordinates: Vec<String>,
    pub(crate) algorithm: String,
    pub(crate) parameters: BTreeMap<String, Value>,
    pub(crate) device: String,
    pub(crate) precision: String,
    pub(crate) seed: u64,
    pub(crate) runs: Vec<Run>,
    pub(crate) seconds: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub(crate) best: Best,
    pub(crate) evaluations: u64,
    pub(crate) iterations: u64,
    pub(crate) stop_reason: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Best {
    #[serde(deserialize_with = "number")]
    pub(crate) value: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) violation: f64,
    pub(crate) position: Vec<Number<f64>>,
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Number::deserialize(deserializer).map(|number| number.0)
}

impl Folder {
    /// Reads a folder that `solve --out` has written.
    pub(crate) fn read(path: &Path) -> Result<Folder, Failure> {
        let shown = path.display();
        if !path.is_dir() {
            let what = if path.exists() { "is not a folder" } else { "does not exist" };
            return Err(refused(format!("DIR is {shown}, which {what}")));
        }
        if path.join(fit::JSON).is_file() && !path.join(RESULT).exists() {
            return Err(refused(format!(
                "DIR is {shown}, a folder of `fit`; its page is {}",
                path.join(fit::PAGE).display()
            )));
        }
        for file in [RESULT, TRACE] {
            if !path.join(file).is_file() {
                return Err(refused(format!("DIR is {shown}, which has no {file}")));
            }
        }
        let file = path.join(RESULT);
        let result: Solved = serde_json::from_str(&text(&file)?)
            .map_err(|error| refused(format!("{} cannot be read: {error}", file.display())))?;
        if result.runs.is_empty() {
            return Err(refused(format!("{} has no runs", file.display())));
        }
        let asked = path.join(RUN);
        let asked = if asked.is_file() { text(&asked)? } else { String::new() };
        let trace = trace(&path.join(TRACE), result.runs.len())?;
        let population = path.join(POPULATION);
        let has_frames = result.dimensions == 2 && population.is_file();
        let run = run::Run::from_toml(&asked, path).ok();
        let problem = run.as_ref().map(|run| &run.problem);
        let frames = match has_frames {
            true => frames(&population, result.best() as u64, problem)?,
            false => Vec::new(),
        };
        let contours = run.as_ref().filter(|_| !frames.is_empty()).and_then(Contours::of);
        let labels = match problem.filter(|problem| problem.dimensions() == result.dimensions) {
            Some(problem) => {
                (0..result.dimensions.min(COORDINATES)).map(|i| problem.labelled(i)).collect()
            }
            None => result.coordinates.clone(),
        };
        let settings = run.as_ref().map(Settings::of);
        let name = shown.to_string();
        Ok(Folder { name, asked, result, trace, settings, labels, frames, contours })
    }
}

impl Solved {
    /// The index of the run with the best point.
    fn best(&self) -> usize {
        // NaN counts as the worst.
        let turned = |value: f64| match self.maximised {
            _ if value.is_nan() => f64::INFINITY,
            true => -value,
            false => value,
        };
        let key = |run: &Run| (run.best.violation, turned(run.best.value));
        let better = |a: (f64, f64), b: (f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        let runs = self.runs.iter().map(key).enumerate();
        runs.min_by(|(_, a), (_, b)| better(*a, *b)).map_or(0, |(place, _)| place)
    }
}

fn refused(why: String) -> Failure {
    Failure::Input(format!("{why}; allowed: a folder as `warpswarm solve --out DIR` writes it"))
}

fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| refused(format!("{} cannot be read: {error}", path.display())))
}

fn unreadable(path: &Path, error: csv::Error) -> Failure {
    let line = error.position().map_or(0, |position| position.line());
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} has {len} columns, not the {expected_len} of the heading")
        }
        csv::ErrorKind::Utf8 { .. } => format!("line {line} is not text"),
        csv::ErrorKind::Io(error) => format!("it cannot be read: {error}"),
        _ => format!("it cannot be read: {error}"),
    };
    refused(format!("{}: {why}", path.display()))
}

/// A CSV file with a heading. Its columns are found by name.
struct Table {
    path: PathBuf,
    reader: Reader<File>,
    columns: Vec<(&'static str, usize)>,
    row: StringRecord,
}

impl Table {
    fn open(path: &Path, columns: &[&'static str]) -> Result<Table, Failure> {
        let unreadable = |error| unreadable(path, error);
        let mut reader = Reader::from_path(path).map_err(unreadable)?;
        let head = reader.headers().map_err(unreadable)?;
        let find = |&name: &&'static str| match head.iter().position(|column| column == name) {
            Some(place) => Ok((name, place)),
            None => Err(refused(format!("{}, line 1 has no column `{name}`", path.display()))),
        };
        let columns = columns.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Table { path: path.into(), reader, columns, row: StringRecord::new() })
    }

    /// Reads the next row; false at the end.
    fn next(&mut self) -> Result<bool, Failure> {
        let read = self.reader.read_record(&mut self.row);
        read.map_err(|error| unreadable(&self.path, error))
    }

    /// The cell of the row in the `number`-th requested column.
    fn text(&self, number: usize) -> &str {
        self.row.get(self.columns[number].1).unwrap_or("").trim()
    }

    /// The same cell, parsed.
    fn cell<T: FromStr>(&self, number: usize, allowed: &str) -> Result<T, Failure> {
        let ((name, place), cell) = (self.columns[number], self.text(number));
        cell.parse().map_err(|_| {
            let line = self.row.position().map_or(0, |position| position.line());
            let at = format!("{}, line {line}, column {} ({name})", self.path.display(), place + 1);
            Failure::Input(format!("{at} is `{cell}`; allowed: {allowed}"))
        })
    }

    fn whole(&self, number: usize) -> Result<u64, Failure> {
        self.cell(number, "a whole number")
    }

    fn number(&self, number: usize) -> Result<f64, Failure> {
        self.cell(number, "a number")
    }
}

fn trace(path: &Path, runs: usize) -> Result<Vec<Vec<Record>>, Failure> {
    let columns = ["run", "iteration", "evaluations", "seconds", "best", "violation"];
    let mut table = Table::open(path, &columns)?;
    let mut records: BTreeMap<u64, Vec<Record>> = BTreeMap::new();
    while table.next()? {
        let record = Record {
            iteration: table.whole(1)?,
            evaluations: table.whole(2)?,
            seconds: table.number(3)?,
            value: table.number(4)?,
            violation: table.number(5)?,
        };
        records.entry(table.whole(0)?).or_default().push(record);
    }
    if records.len() != runs {
        let (path, found) = (path.display(), records.len());
        return Err(refused(format!("{path} has rows of {found} runs, but {RESULT} has {runs}")));
    }
    Ok(records.into_values().collect())
}

/// The largest number of individuals that the page shows in a frame.
const INDIVIDUALS: usize = 1000;
/// The largest number of frames.
const FRAMES: usize = 200;

/// The individuals of the wanted run, or of the first one if the wanted run was not stored.
fn frames(path: &Path, wanted: u64, problem: Option<&Problem>) -> Result<Vec<Frame>, Failure> {
    let coordinate = |table: &Table, i: usize| {
        let meant = problem.and_then(|problem| population::read(problem, i, table.text(2 + i)));
        meant.map_or_else(|| table.number(2 + i), Ok)
    };
    let mut table = Table::open(path, &["run", "iteration", "x1", "x2"])?;
    let mut kept: BTreeMap<u64, Vec<[f64; 2]>> = BTreeMap::new();
    let mut kept_run = None;
    while table.next()? {
        let (run, iteration) = (table.whole(0)?, table.whole(1)?);
        let point = [coordinate(&table, 0)?, coordinate(&table, 1)?];
        if run == wanted && kept_run != Some(run) {
            kept_run = None;
            kept.clear();
        }
        if *kept_run.get_or_insert(run) == run {
            kept.entry(iteration).or_default().push(point);
        }
    }
    let every = kept.len().div_ceil(FRAMES).max(1);
    let frame = |(iteration, points): (u64, Vec<[f64; 2]>)| {
        let shown = points.len().div_ceil(INDIVIDUALS).max(1);
        let points: Vec<[f64; 2]> = points.into_iter().step_by(shown).collect();
        Frame { iteration, points }
    };
    Ok(kept.into_iter().step_by(every).map(frame).collect())
}
