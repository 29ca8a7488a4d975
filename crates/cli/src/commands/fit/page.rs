//! Fits as a web page. It shows the contents of the table and the pictures, with charts that can be zoomed.

use serde::Serialize;
use serde_json::{Value, json};
use warpswarm::Precise;
use warpswarm_pictures::{Beside, Panelled};

use super::done::Done;
use super::records::Column;
use super::table::Summary;
use crate::failure::Failure;
use crate::output::page::page;

const SCRIPT: &str = include_str!("page.js");

/// The largest number of fits that have a row.
const ROWS: usize = 2000;
/// The largest number of fits in the histograms; of more fits, equally spaced ones are used.
const SPREAD: usize = 10_000;
/// The largest number of rows that are drawn for each of many fits.
const DRAWN: usize = 500;

/// The data of the page.
#[derive(Serialize)]
struct Data<'a> {
    /// A single group: all fits.
    groups: [Group<'a>; 1],
    /// The lines of the summary before and after the parameters: names and texts.
    before: Vec<(&'static str, String)>,
    after: Vec<(&'static str, String)>,
    /// Texts; the first row is the heading.
    parameters: Vec<Vec<String>>,
    /// For one fit, `[row][column]`; `None` if a correlation is unknown.
    correlation: Vec<Vec<Option<f64>>>,
    /// For many fits: each status and the number of fits that have it.
    statuses: Vec<(&'static str, u64)>,
    panels: Vec<Panel>,
    /// For many fits: the values of each parameter and of reduced chi-squared.
    spread: Vec<Spread>,
    /// `spread` contains every `every`-th fit.
    every: usize,
    columns: Vec<String>,
    /// For many fits: the first rows of the table.
    rows: Vec<Vec<Value>>,
    count: usize,
    /// The other files in the folder.
    files: Vec<&'static str>,
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
}

/// A model and its data, `[row]`; numbers that are not finite are null.
#[derive(Serialize)]
struct Panel {
    title: String,
    name: String,
    over: String,
    along: Vec<f64>,
    observed: Vec<f64>,
    predicted: Vec<f64>,
    sigma: Vec<f64>,
    line: Vec<(f64, f64)>,
}

/// One number of each fit.
#[derive(Serialize)]
struct Spread {
    name: String,
    values: Vec<f64>,
}

impl<R: Precise + Serialize> Done<'_, R> {
    /// The complete page. `files` are the other files in its folder.
    pub(super) fn page(&self, files: Vec<&'static str>) -> Result<String, Failure> {
        let note = match self.fits.absolute_sigma() {
            true => {
                "Errors are standard errors, for standard deviations of the data that are known."
            }
            false => "Errors are standard errors, scaled so that reduced chi-squared is 1.",
        };
        let many = self.fits.len() > 1;
        let Summary { before, mut parameters, mut after } = self.summary();
        if many {
            // The page has a separate table for statuses.
            after.retain(|(name, _)| *name != "status");
        } else {
            self.add_bounds(&mut parameters);
        }
        let most = if many { DRAWN } else { usize::MAX };
        let panels = self.panels()?.into_iter().map(|panel| Panel::of(panel, most, many));
        let (columns, rows) = if many { self.first_rows() } else { Default::default() };
        let every = self.fits.len().div_ceil(SPREAD).max(1);
        let statuses = self.statuses().into_iter().map(|(status, count)| (status.name(), count));
        let data = Data {
            groups: [Group { name: self.problem.name() }],
            before,
            after,
            parameters,
            correlation: if many { Vec::new() } else { self.correlation() },
            statuses: if many { statuses.collect() } else { Vec::new() },
            panels: panels.collect(),
            spread: if many { self.spread(every) } else { Vec::new() },
            every,
            columns,
            rows,
            count: self.fits.len(),
            files,
        };
        Ok(page("warpswarm fit", note, &data, SCRIPT))
    }

    /// Adds the bounds of each parameter as columns, and writes "standard error" in full in the heading.
    fn add_bounds(&self, parameters: &mut [Vec<String>]) {
        let bounds = self.problem.bounds();
        let numbers = bounds.lower().iter().zip(bounds.upper());
        let texts = numbers.map(|(lower, upper)| [lower.to_string(), upper.to_string()]);
        let head = ["lower bound", "upper bound"].map(String::from);
        for (row, texts) in parameters.iter_mut().zip([head].into_iter().chain(texts)) {
            row.extend(texts);
        }
        let heads = parameters.iter_mut().take(1).flatten();
        heads.filter(|head| *head == "+- error").for_each(|head| *head = "standard error".into());
    }

    fn correlation(&self) -> Vec<Vec<Option<f64>>> {
        let Some(fit) = self.fits.get(0) else { return Vec::new() };
        let count = self.fits.names().len();
        let of = |i, j| match i == j {
            true => Some(1.0),
            false => Some(fit.correlation(i, j).to_f64()).filter(|x| x.is_finite()),
        };
        (0..count).map(|i| (0..count).map(|j| of(i, j)).collect()).collect()
    }

    /// The names of the table's columns, and its first rows.
    fn first_rows(&self) -> (Vec<String>, Vec<Vec<Value>>) {
        let (names, columns): (Vec<String>, Vec<Column<R>>) = self.columns().into_iter().unzip();
        let cell = |fit: usize, column: &Column<R>| match column {
            Column::Text(all) => json!(all[fit]),
            Column::Whole(all) => json!(all[fit]),
            Column::Numbers(all) => json!(all[fit].map(|x| x.to_f64())),
        };
        let row = |fit| columns.iter().map(|column| cell(fit, column)).collect();
        (names, (0..self.fits.len().min(ROWS)).map(row).collect())
    }

    /// Each free parameter, and reduced chi-squared, of every `every`-th fit.
    fn spread(&self, every: usize) -> Vec<Spread> {
        let count = self.fits.len();
        let taken = |numbers: &mut dyn Iterator<Item = R>| -> Vec<f64> {
            numbers.step_by(every).map(|x| rounded(x.to_f64())).collect()
        };
        let of = |(i, name): (usize, &String)| Spread {
            name: self.problem.unit(i).map_or(name.clone(), |unit| format!("{name} ({unit})")),
            values: taken(&mut self.fits.parameters()[i * count..][..count].iter().copied()),
        };
        let bounds = self.problem.bounds();
        let is_free = |(i, _): &(usize, &String)| bounds.lower()[*i] < bounds.upper()[*i];
        let mut all: Vec<Spread> =
            self.fits.names().iter().enumerate().filter(is_free).map(of).collect();
        let values = taken(&mut self.fits.iter().map(|fit| fit.reduced()));
        all.push(Spread { name: "reduced chi-squared".into(), values });
        all
    }
}

impl Panel {
    /// A panel with at most `most` rows. The panel of a single fit has no title.
    fn of(Panelled { title, of }: Panelled, most: usize, many: bool) -> Self {
        let Beside { name, over, along, observed, predicted, sigma, line } = of;
        let every = observed.len().div_ceil(most).max(1);
        let taken = |numbers: Vec<f64>| numbers.into_iter().step_by(every).collect();
        Panel {
            title: if many { title } else { String::new() },
            name,
            over,
            along: taken(along),
            observed: taken(observed),
            predicted: taken(predicted),
            sigma: taken(sigma),
            line,
        }
    }
}

/// Rounded to seven digits, which are enough for a histogram.
fn rounded(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}
