//! What a file says of models that are fitted to data.

use warpswarm_core::fit::{Loss, Scatter};

use super::Reader;
use crate::error::{Result, meant};
use crate::problem_file::curves::{self, Curve, Curves, Spread};
use crate::problem_file::file::{File, Given};
use crate::problem_file::names::{Meaning, Names, on_one_line};
use crate::problem_file::syntax::{self, Mistake};

/// The losses by their names.
const LOSSES: [(&str, Option<Loss>); 5] = [
    ("linear", Some(Loss::Linear)),
    ("huber", Some(Loss::Huber)),
    ("soft-l1", Some(Loss::SoftL1)),
    ("cauchy", Some(Loss::Cauchy)),
    ("poisson", None),
];

impl Reader<'_> {
    /// The models, as they are written.
    pub(super) fn texts(&self, key: &str, given: &Given) -> Result<Vec<String>> {
        let all = match given {
            Given::List(all) if key == "fits" => all.iter().collect(),
            one => vec![one],
        };
        let text = |one: &&Given| match one {
            Given::Text(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Option<Vec<String>> = all.iter().map(text).collect();
        texts.filter(|all| !all.is_empty()).ok_or_else(|| {
            let allowed = if key == "fits" {
                "a list of models, such as `fits = [\"y ~ a * t\", \"z ~ a * t^2\"]`"
            } else {
                "a column, `~` and a model in quotes, such as `fit = \"y ~ a * exp(-t / b)\"`; several: fits = [...]"
            };
            self.said(format!("{key} is none; allowed: {allowed}"))
        })
    }

    /// The models that a file fits, if it does.
    pub(super) fn curves(&self, file: &File, names: &Names) -> Result<Option<Curves>> {
        let (key, given) = match (&file.fit, &file.fits) {
            (Some(given), _) => ("fit", given),
            (None, Some(given)) => ("fits", given),
            (None, None) => {
                let keys = [
                    ("sigma", file.sigma.is_some()),
                    ("weights", file.weights.is_some()),
                    ("loss", file.loss.is_some()),
                    ("loss_scale", file.loss_scale.is_some()),
                ];
                let Some((key, _)) = keys.into_iter().find(|(_, is_there)| *is_there) else {
                    return Ok(None);
                };
                return Err(self.said(format!("{key} belongs to a fit; allowed: with fit or fits")));
            }
        };
        let texts = self.texts(key, given)?;
        let scatter = self.scatter(file)?;
        let mut all = Vec::with_capacity(texts.len());
        for (number, text) in texts.iter().enumerate() {
            let key = if key == "fit" { "fit".into() } else { format!("fits[{}]", number + 1) };
            let (observed, rows, model) =
                Self::model(text, names).map_err(|mistake| self.mistake(&key, text, mistake))?;
            let spread = self.spread(file, number, texts.len(), names)?;
            if let Some(name) = spread.column()
                && let Some(&Meaning::Data(_, len)) = names.get(name)
                && len != rows
            {
                return Err(self.said(format!(
                    "`{}` has {len} numbers and `{}` has {rows}; allowed: as many",
                    on_one_line(name),
                    on_one_line(&observed)
                )));
            }
            all.push(Curve { key, text: text.clone(), observed, rows, spread, model });
        }
        if scatter == Scatter::Counts {
            self.counts(&all, names)?;
        }
        Ok(Some(Curves { all, scatter }))
    }

    /// The column that a model is beside, how many rows that has, and the model.
    fn model(
        text: &str,
        names: &Names,
    ) -> std::result::Result<(String, u32, syntax::Tree), Mistake> {
        let (name, model) = curves::parted(text)?;
        let rows = match names.get(name) {
            Some(&Meaning::Data(_, len)) => len,
            _ => {
                let columns = names.meanings.iter();
                let columns = columns.filter(|(_, of)| matches!(of, Meaning::Data(..)));
                let known: Vec<&str> = columns.map(|(name, _)| &**name).collect();
                let hint = meant(name, &known)
                    .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
                let what = format!(
                    "`{}` is no column of data{hint}; allowed before `~`: a column",
                    on_one_line(name)
                );
                return Err(Mistake::new(what, &(0..name.len().max(1))));
            }
        };
        let tree = syntax::parse(&model)?;
        Ok((name.into(), rows, curves::of_row(&tree, rows, names)?))
    }

    /// How what was observed scatters.
    fn scatter(&self, file: &File) -> Result<Scatter> {
        let name = file.loss.as_deref().unwrap_or("linear");
        let loss = LOSSES.iter().find(|(known, _)| *known == name.replace('_', "-"));
        let Some((_, loss)) = loss else {
            let known: Vec<&str> = LOSSES.iter().map(|(name, _)| *name).collect();
            return Err(self.said(format!(
                "loss is \"{}\"; allowed: {}",
                on_one_line(name),
                known.join(", ")
            )));
        };
        let scale = file.loss_scale.unwrap_or(1.0);
        if !(scale.is_finite() && scale > 0.0) {
            return Err(self.said(format!("loss_scale is {scale}; allowed: a number above 0")));
        }
        match loss {
            Some(Loss::Linear) | None if file.loss_scale.is_some() => Err(self.said(
                "loss_scale is for losses that grow more slowly; allowed: with huber, soft-l1 or cauchy",
            )),
            None if file.sigma.is_some() || file.weights.is_some() => Err(self.said(
                "counts have the standard deviation that their mean says; allowed: loss = \"poisson\" without sigma \
                 and weights",
            )),
            None => Ok(Scatter::Counts),
            Some(loss) => Ok(Scatter::Residuals { loss: *loss, scale }),
        }
    }

    /// How certain what the so-manieth model is beside is.
    fn spread(&self, file: &File, number: usize, of: usize, names: &Names) -> Result<Spread> {
        let (key, given) = match (&file.sigma, &file.weights) {
            (None, None) => return Ok(Spread::Unknown),
            (Some(given), None) => ("sigma", given),
            (None, Some(given)) => ("weights", given),
            (Some(_), Some(_)) => {
                return Err(self.said(
                    "sigma and weights say the same; allowed: one of them (a weight is 1 / sigma^2)",
                ));
            }
        };
        let is_sigma = key == "sigma";
        let least = if is_sigma { "a number above 0" } else { "a number from 0 on" };
        let given = match given {
            Given::List(all) if all.len() == of => &all[number],
            Given::List(all) => {
                return Err(self.said(format!(
                    "{key} has {} and there are {of} models; allowed: one for each",
                    all.len()
                )));
            }
            one => one,
        };
        match given {
            Given::Number(one) if one.is_finite() && *one > 0.0 => {
                Ok(Spread::Same(if is_sigma { *one } else { 1.0 / one.sqrt() }))
            }
            Given::Number(one) => {
                Err(self.said(format!("{key} is {one}; allowed: a number above 0")))
            }
            Given::Text(name) => {
                let name = name.trim();
                let Some(&Meaning::Data(first, len)) = names.get(name) else {
                    return Err(self.said(format!(
                        "{key} is \"{}\"; allowed: a column of data, or a number above 0",
                        on_one_line(name)
                    )));
                };
                let all = names.of_all_runs(first as usize, len as usize);
                let wrong = |one: &f64| one.is_nan() || *one < 0.0 || (is_sigma && *one == 0.0);
                match all.iter().position(wrong) {
                    None if is_sigma => Ok(Spread::Sigma(name.into())),
                    None => Ok(Spread::Weights(name.into())),
                    Some(at) => Err(self.said(format!(
                        "{key}: number {} of `{}` is {}; allowed: {least}",
                        at + 1,
                        on_one_line(name),
                        all[at]
                    ))),
                }
            }
            Given::List(_) | Given::Table(_) => Err(self.said(format!(
                "{key} is no number; allowed: a column of data, or a number above 0"
            ))),
        }
    }

    /// Sees that counts are none below zero.
    fn counts(&self, all: &[Curve], names: &Names) -> Result<()> {
        for curve in all {
            let Some(&Meaning::Data(first, len)) = names.get(&curve.observed) else { continue };
            let seen = names.of_all_runs(first as usize, len as usize);
            if let Some(at) = seen.iter().position(|count| *count < 0.0) {
                return Err(self.said(format!(
                    "number {} of `{}` is {}; allowed for loss = \"poisson\": counts from 0 on",
                    at + 1,
                    on_one_line(&curve.observed),
                    seen[at]
                )));
            }
        }
        Ok(())
    }
}
