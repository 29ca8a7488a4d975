//! Fits as one page, to look at in a browser. It shows what the table and the pictures do, with charts to zoom into.

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

/// Fits that have a row, at most.
const ROWS: usize = 2000;
/// Fits of which there are histograms, at most; of more, those that are equally far apart.
const SPREAD: usize = 10_000;
/// Rows of each of many fits that are drawn, at most.
const DRAWN: usize = 500;

/// Of all fits.
#[derive(Serialize)]
struct Data<'a> {
    /// What charts are of: all fits.
    groups: [Group<'a>; 1],
    /// Names and what they say, before and after the parameters.
    before: Vec<(&'static str, String)>,
    after: Vec<(&'static str, String)>,
    /// Texts, the head first.
    parameters: Vec<Vec<String>>,
    /// Of one fit, `[row][column]`; none where there is none.
    correlation: Vec<Vec<Option<f64>>>,
    /// Of many fits how they have ended, and how many.
    statuses: Vec<(&'static str, u64)>,
    panels: Vec<Panel>,
    /// Of many fits the parameters and how well they fit.
    spread: Vec<Spread>,
    /// How far those are apart of which `spread` is.
    every: usize,
    columns: Vec<String>,
    /// Of many fits the first rows of the table.
    rows: Vec<Vec<Value>>,
    count: usize,
    /// What lies beside the page.
    files: Vec<&'static str>,
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
}

/// A model beside its data, `[row]`; what is not finite is null.
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

/// Numbers of fits.
#[derive(Serialize)]
struct Spread {
    name: String,
    values: Vec<f64>,
}

impl<R: Precise + Serialize> Done<'_, R> {
    /// The whole page, beside which these files lie.
    pub(super) fn page(&self, files: Vec<&'static str>) -> Result<String, Failure> {
        let note = match self.args.absolute_sigma {
            true => {
                "Errors are standard errors, for standard deviations of the data that are known."
            }
            false => "Errors are standard errors, scaled so that reduced chi-squared is 1.",
        };
        let many = self.fits.len() > 1;
        let Summary { before, mut parameters, mut after } = self.summary();
        if many {
            // They have a table of their own.
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

    /// Between which values each parameter may be, behind its unit; and there is room to say what errors are.
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

    /// The first rows of the table, with the names of its columns.
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

    /// Each parameter, and reduced chi-squared, of every so-manieth fit.
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
    /// A panel of which up to so many rows are drawn; of one fit it has no title.
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

/// Seven digits, which are enough for a bin.
fn rounded(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}
