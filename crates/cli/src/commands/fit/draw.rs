//! Pictures of fits.

use serde::Serialize;
use warpswarm::Precise;
use warpswarm::problem_file::Fitted;
use warpswarm_pictures::{
    Beside, Panelled, Parameter, Picture, beside, counted, fitted_parameters, fitted_sheet, short,
};

use super::done::Done;
use super::table::digits;
use crate::failure::Failure;

/// For one fit: data and model, with the residuals below.
pub(super) const ONE: &str = "fit.svg";
/// For many fits: the worst fits and those around the median.
pub(super) const MANY: &str = "fits.svg";
/// For many fits: the distributions of the parameters.
pub(super) const PARAMETERS: &str = "parameters.svg";

/// The largest number of panels for many fits.
const PANELS: usize = 12;
/// The number of these panels that show the worst fits.
const WORST: usize = 8;
/// The largest number of rows that are drawn for a fit.
const ROWS: usize = 4000;

impl<R: Precise + Serialize> Done<'_, R> {
    /// The pictures, with the names of their files.
    pub(super) fn pictures(&self) -> Result<Vec<(&'static str, Picture)>, Failure> {
        let name = self.problem.name();
        if self.fits.len() == 1 {
            let found = self.at(0)?;
            let title = match self.names.first() {
                Some(group) => format!("{name}, {group}"),
                None => name.to_string(),
            };
            return Ok(vec![(ONE, beside(&title, &[self.note(0)], &found))]);
        }
        let panels = self.panels()?;
        let count = counted(self.fits.len() as u64, "fit");
        let title = format!("{name}: the worst and the median of {count}");
        let sheet = fitted_sheet(&title, &panels);
        let bounds = self.problem.bounds();
        let count = self.fits.len();
        let parameter = |(i, name): (usize, &String)| Parameter {
            name: match self.problem.unit(i) {
                Some(unit) => format!("{name} ({unit})"),
                None => name.clone(),
            },
            bounds: (bounds.lower()[i], bounds.upper()[i]),
            values: self.fits.parameters()[i * count..][..count]
                .iter()
                .map(|x| x.to_f64())
                .collect(),
        };
        let parameters: Vec<Parameter> =
            self.fits.names().iter().enumerate().map(parameter).collect();
        let spread = fitted_parameters(&format!("{name}: parameters"), &parameters);
        Ok(vec![(MANY, sheet), (PARAMETERS, spread)])
    }

    /// The panels of some of many fits, or of all models of a single fit.
    pub(super) fn panels(&self) -> Result<Vec<Panelled>, Failure> {
        let most = if self.fits.len() > 1 { PANELS } else { usize::MAX };
        let mut panels = Vec::new();
        for (fit, what) in self.shown() {
            let title = format!("{} ({what})", self.name(fit));
            let models = self.at(fit)?.into_iter();
            panels.extend(models.map(|of| Panelled { title: title.clone(), of }));
            if panels.len() >= most {
                break;
            }
        }
        panels.truncate(most);
        Ok(panels)
    }

    /// The fits that have panels, and the reason: the worst by reduced chi-squared, then those around the median.
    fn shown(&self) -> Vec<(usize, String)> {
        let mut all: Vec<(usize, f64)> =
            self.fits.iter().map(|fit| (fit.number(), fit.reduced().to_f64())).collect();
        // NaN counts as the worst.
        let key = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        all.sort_by(|a, b| key(b.1).total_cmp(&key(a.1)).then(a.0.cmp(&b.0)));
        let of = |what: &str, &(fit, reduced): &(usize, f64)| {
            (fit, format!("{what}, reduced chi-squared {}", short(reduced)))
        };
        let worst = all.len().min(if all.len() <= PANELS { PANELS } else { WORST });
        let first = (all.len() / 2).saturating_sub((PANELS - WORST) / 2).max(worst);
        let last = (first + PANELS - worst).min(all.len());
        let few = all.len() <= PANELS;
        let worst = all[..worst].iter().map(|one| match few {
            true => (one.0, format!("reduced chi-squared {}", short(one.1))),
            false => of("worst", one),
        });
        worst.chain(all[first..last].iter().map(|one| of("median", one))).collect()
    }

    /// The models of a fit, together with the data.
    fn at(&self, fit: usize) -> Result<Vec<Beside>, Failure> {
        let found = self.fits.get(fit).map(|fit| fit.parameters()).unwrap_or_default();
        let x: Vec<f64> = found.iter().map(|x| x.to_f64()).collect();
        // With several models all rows are shown.
        let models = self.problem.fitted(fit as u64, &x)?;
        let rows = match models.len() {
            1 => self.rows.get(fit).map_or(usize::MAX, |&rows| rows as usize),
            _ => usize::MAX,
        };
        Ok(models.into_iter().map(|of| drawn(of, rows)).collect())
    }

    fn note(&self, fit: usize) -> String {
        let Some(fit) = self.fits.get(fit) else { return String::new() };
        let both = fit.parameters().into_iter().zip(fit.errors());
        let all: Vec<String> = self
            .fits
            .names()
            .iter()
            .zip(both)
            .map(|(name, (value, error))| {
                format!(
                    "{name} = {} ± {}",
                    digits(value.to_f64(), error.to_f64()),
                    digits(error.to_f64(), error.to_f64())
                )
            })
            .collect();
        format!(
            "{}; reduced chi-squared {}, {}",
            all.join(", "),
            short(fit.reduced().to_f64()),
            fit.status().name()
        )
    }
}

/// The first `rows` rows, thinned to at most `ROWS`.
fn drawn(of: Fitted, rows: usize) -> Beside {
    let rows = rows.min(of.observed.len());
    let every = rows.div_ceil(ROWS).max(1);
    let taken = |numbers: &[f64]| -> Vec<f64> {
        numbers.iter().take(rows).step_by(every).copied().collect()
    };
    Beside {
        name: of.name,
        over: of.over,
        along: taken(&of.along),
        observed: taken(&of.observed),
        predicted: taken(&of.predicted),
        sigma: taken(&of.sigma),
        line: of.line,
    }
}
