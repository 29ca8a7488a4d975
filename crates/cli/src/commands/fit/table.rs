//! The results of fits for people.

use std::fmt::Write;

use serde::Serialize;
use warpswarm::Precise;
use warpswarm::fit::{Fit, FitStatus};
use warpswarm_pictures::{counted, grouped, quantile, short};

use super::done::Done;
use crate::shown;

/// The summary of fits: lines of names and texts, and between them the parameters.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) before: Vec<(&'static str, String)>,
    /// The first row is the heading.
    pub(super) parameters: Vec<Vec<String>>,
    pub(super) after: Vec<(&'static str, String)>,
}

impl<R: Precise + Serialize> Done<'_, R> {
    /// A short table.
    pub(super) fn table(&self) -> String {
        let Summary { before, parameters, after } = self.summary();
        let mut text = String::new();
        before.iter().for_each(|(name, what)| line(&mut text, name, what));
        aligned(&parameters, &mut text);
        after.iter().for_each(|(name, what)| line(&mut text, name, what));
        text
    }

    /// The contents of the table.
    pub(super) fn summary(&self) -> Summary {
        let mut all = Summary::default();
        let formula = self.problem.formula();
        all.before.push(("model", format!("{}: {formula}", self.problem.name())));
        match self.fits.get(0) {
            Some(fit) if self.fits.len() == 1 => self.one(&fit, &mut all),
            _ => self.many(&mut all),
        }
        all.after.insert(0, ("errors", self.errors()));
        let count = self.fits.len() as u64;
        let seconds = self.fits.seconds();
        let speed = match count {
            1 => String::new(),
            _ => format!(", {} fits a second", grouped(count as f64 / seconds.max(1e-9), 0)),
        };
        all.after.push(("time", format!("{} s{speed}", short(seconds))));
        all.after.push(("ran on", self.fits.device().into()));
        all
    }

    /// Describes one fit: its parameters, and how well the model fits.
    fn one(&self, fit: &Fit<'_, R>, all: &mut Summary) {
        let name = self.names.first().map_or_else(String::new, |name| format!("{name}: "));
        let rows = self.rows.first().copied().unwrap_or(0);
        let rows = counted(rows.into(), "row");
        all.before.push(("data", format!("{name}{rows}{}", self.left_out())));
        all.parameters.push(["parameter", "value", "+- error", "unit"].map(String::from).into());
        let both = fit.parameters().into_iter().zip(fit.errors());
        for (i, (name, (value, error))) in self.fits.names().iter().zip(both).enumerate() {
            let (value, error) = (value.to_f64(), error.to_f64());
            let unit = self.problem.unit(i).unwrap_or_default().to_string();
            let bounds = self.problem.bounds();
            let shown = match error {
                _ if bounds.lower()[i] == bounds.upper()[i] => "fixed".into(),
                _ if error.is_infinite() => "unknown".into(),
                _ => digits(error, error),
            };
            all.parameters.push(vec![name.clone(), digits(value, error), shown, unit]);
        }
        let reduced = match fit.degrees_of_freedom() {
            0 => "no degrees of freedom".to_string(),
            n => format!(
                "reduced {}, {}",
                short(fit.reduced().to_f64()),
                if n == 1 {
                    "1 degree of freedom".into()
                } else {
                    format!("{n} degrees of freedom")
                }
            ),
        };
        let mut say = |name, what| all.after.push((name, what));
        say("chi-squared", format!("{}; {reduced}", precise(fit.chi_squared().to_f64())));
        if let Some(r_squared) = fit.r_squared() {
            say("R squared", format!("{:.6}", r_squared.to_f64()));
        }
        let (aic, bic) = (fit.aic().to_f64(), fit.bic().to_f64());
        say("AIC, BIC", format!("{}, {}", precise(aic), precise(bic)));
        say("status", status(fit));
    }

    /// Where the standard errors come from.
    fn errors(&self) -> String {
        let key = self.problem.uncertainty();
        match (self.fits.absolute_sigma(), key) {
            _ if self.fits.are_of_counts() => "from the counts".into(),
            (true, Some(key)) => format!("from {key}"),
            (true, None) => "as if sigma were 1".into(),
            (false, Some(key)) => {
                format!("scaled by the residuals; for errors from {key} give --absolute-sigma")
            }
            (false, None) => "scaled by the residuals".into(),
        }
    }

    /// How many rows were left out.
    fn left_out(&self) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!(", {} left out (missing values)", grouped(count as f64, 0)),
        }
    }

    /// Describes many fits: the distributions of their parameters.
    fn many(&self, all: &mut Summary) {
        let count = self.fits.len();
        let (least, most) = (self.rows.iter().min(), self.rows.iter().max());
        let rows = match (least, most) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most} rows each"),
            (Some(&rows), _) => format!("{} each", counted(rows.into(), "row")),
            _ => String::new(),
        };
        let fits = counted(count as u64, "fit");
        all.before.push(("data", format!("{fits}, {rows}{}", self.left_out())));
        let head =
            ["parameter", "median", "lower quartile", "upper quartile", "median error", "unit"];
        all.parameters.push(head.map(String::from).into());
        let errors: Vec<Vec<R>> = self.fits.iter().map(|fit| fit.errors()).collect();
        for (i, name) in self.fits.names().iter().enumerate() {
            let values = &self.fits.parameters()[i * count..][..count];
            let values = sorted(values.iter().map(|value| value.to_f64()));
            let errors = sorted(errors.iter().map(|of| of[i].to_f64()));
            let at = |p| short(quantile(&values, p));
            let unit = self.problem.unit(i).unwrap_or_default().to_string();
            let error = short(quantile(&errors, 0.5));
            let row = [name.clone(), at(0.5), at(0.25), at(0.75), error, unit];
            all.parameters.push(row.into());
        }
        let reduced: Vec<f64> = self.fits.iter().map(|fit| fit.reduced().to_f64()).collect();
        let worst = reduced.iter().enumerate().filter(|(_, x)| !x.is_nan());
        if let Some((at, worst)) = worst.max_by(|a, b| a.1.total_cmp(b.1)) {
            let median = short(quantile(&sorted(reduced.iter().copied()), 0.5));
            let what = format!("median {median}, largest {} ({})", short(*worst), self.name(at));
            all.after.push(("reduced chi-squared", what));
        }
        let statuses = self.statuses().into_iter();
        let statuses: Vec<String> = statuses
            .map(|(status, count)| format!("{} {}", grouped(count as f64, 0), status.name()))
            .collect();
        all.after.push(("status", statuses.join(", ")));
    }
}

/// The status of a fit in words.
fn status<R: Precise>(fit: &Fit<'_, R>) -> String {
    let listed = |names: &mut dyn Iterator<Item = &str>| names.collect::<Vec<_>>().join(", ");
    let ended = fit.status();
    let mut text = ended.name().to_string();
    match ended {
        FitStatus::AtBound => {
            let _ = write!(
                text,
                " of {}: the model would fit better beyond it",
                listed(&mut fit.at_bounds())
            );
        }
        FitStatus::Undetermined => {
            let _ = write!(text, ": the data do not determine {}", listed(&mut fit.undetermined()));
        }
        FitStatus::Stopped => {
            let _ = write!(
                text,
                ": the {} evaluations were used up; allow more by --evaluations, or begin nearer",
                fit.evaluations()
            );
        }
        FitStatus::NotFinite => {
            text += ": the model or its derivatives are not finite where the fit begins; choose other bounds or starts";
        }
        FitStatus::Converged | FitStatus::SeveralMinima => {}
    }
    if let Some(other) = fit.other_minimum() {
        let (other, this) = (other.to_f64(), fit.chi_squared().to_f64());
        let _ = if other <= 1.01 * this {
            write!(text, "; another minimum, at other parameters, fits as well")
        } else {
            write!(text, "; the best other minimum has chi-squared {}", precise(other))
        };
    }
    text
}

fn line(text: &mut String, name: &str, what: &str) {
    let _ = writeln!(
        text,
        "{name:<12}{}{}",
        if name.len() < 12 { "" } else { "  " },
        shown::escaped(what)
    );
}

/// Aligns columns: the first and the last to the left, numbers to the right.
fn aligned(rows: &[Vec<String>], text: &mut String) {
    let columns = rows.first().map_or(0, Vec::len);
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut shown = String::new();
        for (column, cell) in row.iter().enumerate() {
            let cell = shown::escaped(cell);
            let width = widths[column];
            let _ = match column {
                0 => write!(shown, "{cell:<width$}"),
                _ if column == columns - 1 => write!(shown, "   {cell}"),
                _ => write!(shown, "   {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "  {}", shown.trim_end());
    }
}

fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = numbers.filter(|x| !x.is_nan()).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// A number up to the second significant digit of its error, or with eight digits if there is no error.
pub(super) fn digits(x: f64, error: f64) -> String {
    if !(x.is_finite() && error.is_finite() && error > 0.0) {
        return precise(x);
    }
    let last = error.log10().floor() as i32 - 1;
    let first = if x == 0.0 { last } else { x.abs().log10().floor() as i32 };
    if (-8..=0).contains(&last) && first < 7 {
        format!("{x:.*}", -last as usize)
    } else {
        format!("{x:.*e}", (first - last).clamp(0, 15) as usize)
    }
}

/// A number with up to eight digits.
fn precise(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let first = x.abs().log10().floor() as i32;
    if (-4..7).contains(&first) {
        format!("{x:.*}", (7 - first).max(0) as usize)
    } else {
        format!("{x:.7e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_digits_of_their_errors() {
        let shown = digits;
        assert_eq!(shown(3.214_159, 0.021), "3.214");
        assert_eq!(shown(0.021, 0.021), "0.021");
        assert_eq!(shown(123.456, 12.0), "123");
        assert_eq!(shown(123_456.0, 1_200.0), "1.235e5");
        assert_eq!(shown(6.4e-10, 3e-12), "6.400e-10");
        assert_eq!(shown(3.5, f64::INFINITY), "3.5000000");
        assert_eq!((precise(0.0), precise(1e-9)), ("0".into(), "1.0000000e-9".into()));
    }
}
