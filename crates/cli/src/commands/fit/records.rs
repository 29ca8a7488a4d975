//! The results of fits for programs. Users rely on the names of the fields, so they must not change.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use warpswarm::Precise;
use warpswarm::fit::{Fit, FitStatus};

use super::done::Done;
use crate::output::number::Number;
use crate::run::VERSION;
use crate::shown;

/// The largest number of fits for which correlation matrices are written.
const WITH_CORRELATION: usize = 100;

/// A column of the table: texts, whole numbers, or numbers that may be missing.
pub(super) enum Column<R> {
    Text(Vec<String>),
    Whole(Vec<u64>),
    Numbers(Vec<Option<R>>),
}

/// The contents of the JSON file.
#[derive(Serialize)]
#[serde(bound = "R: Precise + Serialize")]
struct All<'a, R> {
    version: &'a str,
    model: &'a str,
    formula: &'a str,
    precision: &'a str,
    seed: u64,
    absolute_sigma: bool,
    polish_only: bool,
    /// Options without a value have their default.
    starts: Option<u64>,
    samples: Option<u64>,
    ftol: Option<f64>,
    xtol: Option<f64>,
    gtol: Option<f64>,
    evaluations: Option<u64>,
    device: &'a str,
    seconds: f64,
    rows_left_out: usize,
    parameters: Vec<Value>,
    /// Each status that occurs, and the number of fits that have it.
    statuses: BTreeMap<&'a str, u64>,
    fits: Each<'a, R>,
}

/// All fits, serialised one after the other.
struct Each<'a, R>(&'a Done<'a, R>);

impl<R: Precise + Serialize> Serialize for Each<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.fits.iter().map(|fit| self.0.of(&fit)))
    }
}

impl<R: Precise + Serialize> Done<'_, R> {
    /// The table of all fits with one row per fit: names and columns.
    pub(super) fn columns(&self) -> Vec<(String, Column<R>)> {
        let fits = || self.fits.iter();
        let numbers = |of: &dyn Fn(&Fit<'_, R>) -> Option<R>| {
            Column::Numbers(fits().map(|fit| of(&fit)).collect())
        };
        let group = match self.fits.len() {
            1 if self.names.is_empty() => vec![String::new()],
            count => (0..count).map(|fit| self.name(fit).to_string()).collect(),
        };
        let mut all = vec![("group".to_string(), Column::Text(group))];
        let names = self.fits.names();
        let count = self.fits.len();
        let errors: Vec<Vec<R>> = fits().map(|fit| fit.errors()).collect();
        for (i, name) in names.iter().enumerate() {
            let values = self.fits.parameters()[i * count..][..count].iter();
            let errors = errors.iter().map(|of| Some(of[i]));
            all.push((name.clone(), Column::Numbers(values.map(|&value| Some(value)).collect())));
            all.push((format!("{name}_error"), Column::Numbers(errors.collect())));
        }
        let whole =
            |of: &dyn Fn(&Fit<'_, R>) -> u64| Column::Whole(fits().map(|fit| of(&fit)).collect());
        let status = fits().map(|fit| fit.status().name().to_string()).collect();
        let more: [(&str, Column<R>); 10] = [
            ("rows", Column::Whole(self.rows.iter().map(|&rows| rows.into()).collect())),
            ("chi_squared", numbers(&|fit| Some(fit.chi_squared()))),
            ("reduced_chi_squared", numbers(&|fit| Some(fit.reduced()))),
            ("degrees_of_freedom", whole(&|fit| fit.degrees_of_freedom())),
            ("r_squared", numbers(&|fit| fit.r_squared())),
            ("aic", numbers(&|fit| Some(fit.aic()))),
            ("bic", numbers(&|fit| Some(fit.bic()))),
            ("status", Column::Text(status)),
            ("other_minimum", numbers(&|fit| fit.other_minimum())),
            ("evaluations", whole(&|fit| fit.evaluations().into())),
        ];
        all.extend(more.map(|(name, column)| (name.to_string(), column)));
        all
    }

    /// The table as CSV.
    pub(super) fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
        let mut writer = csv::Writer::from_writer(out);
        let names = columns.iter().map(|(name, _)| shown::cell(name));
        writer.write_record(names).map_err(io::Error::from)?;
        for fit in 0..self.fits.len() {
            let cell = |(_, column): &(String, Column<R>)| match column {
                Column::Text(all) => shown::cell(&all[fit]),
                Column::Whole(all) => all[fit].to_string(),
                Column::Numbers(all) => {
                    all[fit].map_or_else(String::new, |number| format!("{number:?}"))
                }
            };
            writer.write_record(columns.iter().map(cell)).map_err(io::Error::from)?;
        }
        writer.flush()
    }

    /// Writes everything as JSON in one line.
    pub(super) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let args = self.args;
        let bounds = self.problem.bounds();
        let parameter = |(i, name): (usize, &String)| {
            let (lower, upper) = (bounds.lower()[i], bounds.upper()[i]);
            json!({ "name": name, "unit": self.problem.unit(i), "lower": lower, "upper": upper })
        };
        let parameters: Vec<Value> = self.fits.names().iter().enumerate().map(parameter).collect();
        let statuses = self.statuses().into_iter();
        let all = All {
            version: VERSION,
            model: self.problem.name(),
            formula: self.problem.formula(),
            precision: R::PRECISION.name(),
            seed: args.seed,
            absolute_sigma: self.fits.absolute_sigma(),
            polish_only: args.polish_only,
            starts: args.starts,
            samples: args.samples,
            ftol: args.ftol,
            xtol: args.xtol,
            gtol: args.gtol,
            evaluations: args.evaluations,
            device: self.fits.device(),
            seconds: self.fits.seconds(),
            rows_left_out: self.left_out,
            parameters,
            statuses: statuses.map(|(status, count)| (status.name(), count)).collect(),
            fits: Each(self),
        };
        serde_json::to_writer(&mut *out, &all).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// A fit as JSON.
    fn of(&self, fit: &Fit<'_, R>) -> Value {
        let names = self.fits.names();
        let named = |numbers: Vec<R>| -> Map<String, Value> {
            names.iter().cloned().zip(numbers.into_iter().map(number)).collect()
        };
        let mut all = json!({
            "group": self.names.get(fit.number()),
            "rows": self.rows.get(fit.number()),
            "status": fit.status().name(),
            "evaluations": fit.evaluations(),
            "parameters": named(fit.parameters()),
            "errors": named(fit.errors()),
            "chi_squared": number(fit.chi_squared()),
            "reduced_chi_squared": number(fit.reduced()),
            "degrees_of_freedom": fit.degrees_of_freedom(),
            "r_squared": fit.r_squared().map(number),
            "aic": number(fit.aic()),
            "bic": number(fit.bic()),
            "other_minimum": fit.other_minimum().map(number),
            "at_bounds": fit.at_bounds().collect::<Vec<_>>(),
            "undetermined": fit.undetermined().collect::<Vec<_>>(),
        });
        if self.fits.len() <= WITH_CORRELATION {
            let row = |i| {
                (0..names.len())
                    .map(|j| match i == j {
                        true => json!(1),
                        false => number(fit.correlation(i, j)),
                    })
                    .collect::<Vec<_>>()
            };
            all["correlation"] = (0..names.len()).map(row).collect();
        }
        all
    }

    /// The statuses that occur, with the number of fits.
    pub(super) fn statuses(&self) -> Vec<(FitStatus, u64)> {
        let mut counts = FitStatus::ALL.map(|status| (status, 0_u64));
        for fit in self.fits.iter() {
            let ended = fit.status();
            counts
                .iter_mut()
                .filter(|(status, _)| *status == ended)
                .for_each(|(_, count)| *count += 1);
        }
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

fn number<R: Precise + Serialize>(x: R) -> Value {
    serde_json::to_value(Number(x)).unwrap_or(Value::Null)
}
