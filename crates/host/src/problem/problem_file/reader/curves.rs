//! Reads the models that are fitted to data.

use warpswarm_core::fit::Scatter;

use super::Reader;
use crate::error::{Result, meant};
use crate::fit::scatter;
use crate::problem::problem_file::curves::{self, Curve, Curves, Spread};
use crate::problem::problem_file::file::{File, Given};
use crate::problem::problem_file::names::{Meaning, Names, on_one_line};
use crate::problem::problem_file::syntax::{self, Kind, Mistake};

impl Reader<'_> {
    /// The texts of the models.
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

    /// The models that the file fits, if there are any.
    pub(super) fn curves(&self, file: &File, names: &Names) -> Result<Option<Curves>> {
        let (key, given) = match (&file.fit, &file.fits) {
            (Some(given), _) => ("fit", given),
            (None, Some(given)) => ("fits", given),
            (None, None) => {
                let keys = [
                    ("sigma", file.sigma.is_some()),
                    ("weights", file.weights.is_some()),
                    ("absolute_sigma", file.absolute_sigma.is_some()),
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
            let mut curve =
                model(&key, text, names).map_err(|mistake| self.mistake(&key, text, mistake))?;
            curve.spread = self.spread(file, (number, texts.len()), curve.rows, names)?;
            all.push(curve);
        }
        let absolute_sigma = file.absolute_sigma.unwrap_or(false);
        Ok(Some(Curves { all, scatter, absolute_sigma }))
    }

    /// How observations scatter around the models.
    fn scatter(&self, file: &File) -> Result<Scatter> {
        let name = file.loss.as_deref().unwrap_or("linear");
        let scatter =
            scatter(name, file.loss_scale).map_err(|error| self.said(error.to_string()))?;
        if scatter == Scatter::Counts && (file.sigma.is_some() || file.weights.is_some()) {
            return Err(self.said(
                "counts have the standard deviation that their mean says; allowed: loss = \"poisson\" without sigma \
                 and weights",
            ));
        }
        Ok(scatter)
    }

    /// The uncertainty of a model's observations: model `number` of `of`.
    fn spread(
        &self,
        file: &File,
        (number, of): (usize, usize),
        rows: u32,
        names: &Names,
    ) -> Result<Option<Spread>> {
        let (key, given) = match (&file.sigma, &file.weights) {
            (None, None) => return Ok(None),
            (Some(given), None) => ("sigma", given),
            (None, Some(given)) => ("weights", given),
            (Some(_), Some(_)) => {
                return Err(self.said(
                    "sigma and weights say the same; allowed: one of them (a weight is 1 / sigma^2)",
                ));
            }
        };
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
        let text = match given {
            Given::Number(one) => one.to_string(),
            Given::Text(text) => text.clone(),
            Given::List(_) | Given::Table(_) => {
                return Err(self.said(format!(
                    "{key} is not a number; allowed: a column of data, a number above 0, or what is computed of them"
                )));
            }
        };
        let tree = syntax::parse(&text).and_then(|tree| {
            curves::columns(&tree, names)?;
            curves::of_row(&tree, rows, names)
        });
        let tree = tree.map_err(|mistake| self.mistake(key, &text, mistake))?;
        Ok(Some(Spread { is_sigma: key == "sigma", text, tree }))
    }
}

/// A model and its observations.
fn model(key: &str, text: &str, names: &Names) -> std::result::Result<Curve, Mistake> {
    let (left, model) = curves::parted(text)?;
    let observed = syntax::parse(left)?;
    let columns = curves::columns(&observed, names)?;
    let Some((_, rows)) = columns.into_iter().max_by_key(|(_, len)| *len) else {
        let all = names.meanings.iter().filter(|(_, of)| matches!(of, Meaning::Data(..)));
        let known: Vec<&str> = all.map(|(name, _)| &**name).collect();
        let like = match &observed.kind {
            Kind::Element(name, _) if known.contains(&&**name) => Some(&**name),
            _ => meant(left.trim(), &known),
        };
        let hint = like.map_or_else(String::new, |like| format!("; did you mean `{like}`?"));
        let what = format!(
            "`{}` has no column of data in it{hint}; allowed before `~`: a column, or what is computed of some",
            on_one_line(left.trim())
        );
        return Err(Mistake::new(what, &(0..left.len().max(1))));
    };
    let observed = curves::of_row(&observed, rows, names)?;
    let model = curves::of_row(&syntax::parse(&model)?, rows, names)?;
    let (key, text, left) = (key.into(), text.into(), left.trim().into());
    Ok(Curve { key, text, rows, left, observed, spread: None, model })
}
