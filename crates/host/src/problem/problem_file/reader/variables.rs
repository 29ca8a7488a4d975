//! Reads variables: their bounds, options, and starting points.

use warpswarm_core::variable::Scale;

use super::Reader;
use super::permutations::PERMUTATION;
use super::quantities::Quantity;
use crate::error::{Error, Result};
use crate::objective::bounds::Bounds;
use crate::problem::problem_file::file::{Given, ScaleName, Scaling, Variable};
use crate::problem::problem_file::names::{Meaning, Names, Options};
use crate::problem::problem_file::problem::Named;

/// The coordinates of the variables read so far, `[coordinate]`.
#[derive(Default)]
struct Coordinates {
    lower: Vec<f64>,
    upper: Vec<f64>,
    scales: Vec<Scale>,
    /// `[variable][point]`, each with the numbers of the variable.
    starts: Vec<Vec<Vec<f64>>>,
}

/// The ways to define a variable, of which a file uses one.
const KINDS: &str = "lower and upper, or one of fixed, values and choices";

/// The scale of this name, or what is wrong with it.
fn scale_of(name: ScaleName) -> std::result::Result<Scale, String> {
    match name {
        ScaleName::Permutation => Err(PERMUTATION.into()),
        name => Ok(name.into()),
    }
}

impl Reader<'_> {
    pub(super) fn variables(
        &self,
        variables: &[(String, Variable)],
        names: &mut Names,
    ) -> Result<(Vec<Named>, Bounds)> {
        let mut all = Coordinates::default();
        let mut named = Vec::with_capacity(variables.len());
        for (name, variable) in variables {
            named.push(self.variable(name, variable, &mut all, names)?);
        }
        if all.lower.is_empty() {
            return Err(self.said("[variables] is empty; allowed: at least one variable"));
        }
        for of in &named {
            let meaning = match of.count {
                None => Meaning::Coordinate(of.first),
                Some(count) => Meaning::Coordinates(of.first, count),
            };
            names.meanings.insert(of.name.clone(), meaning);
        }
        let Coordinates { lower, upper, scales, starts } = all;
        let bounds = Bounds::new(lower, upper)?.with_scales(scales)?;
        let points = starts.iter().map(Vec::len).max().unwrap_or(0);
        // A variable with fewer points than others starts anywhere.
        let point = |number: usize| -> Vec<f64> {
            let of = starts.iter().zip(&named).flat_map(|(points, of)| {
                let count = of.count.unwrap_or(1) as usize;
                points.get(number).cloned().unwrap_or_else(|| vec![f64::NAN; count])
            });
            of.collect()
        };
        let points: Vec<Vec<f64>> = (0..points).map(point).collect();
        Ok((named, bounds.beginning_at(&points)?))
    }

    fn variable(
        &self,
        name: &str,
        variable: &Variable,
        all: &mut Coordinates,
        names: &mut Names,
    ) -> Result<Named> {
        let wrong = |what: String| self.said(format!("variable `{name}`: {what}"));
        let count = self.count(name, variable, names)?;
        let (first, len) = (all.lower.len(), count.unwrap_or(1) as usize);
        if first + len > crate::MAX_DIMENSIONS {
            let allowed = crate::MAX_DIMENSIONS;
            return Err(wrong(format!("{} numbers in all; allowed: {allowed}", first + len)));
        }
        let options = self.options(name, variable, names)?;
        let key = |side: &str| format!("variable `{name}`: {side}");
        let given = |side: &str, given: &Given| {
            let quantity = self.quantity(&key(side), given, names)?;
            quantity.of_each(len).map_err(|what| self.said(format!("{}: {what}", key(side))))
        };
        let (lower, upper) = match (&variable.lower, &variable.upper, &variable.fixed, &options) {
            (Some(lower), Some(upper), None, None) => {
                (given("lower", lower)?, given("upper", upper)?)
            }
            (None, None, Some(fixed), None) => {
                let fixed = given("fixed", fixed)?;
                (fixed.clone(), fixed)
            }
            (None, None, None, Some(options)) => {
                (vec![1.0; len], vec![options.count() as f64; len])
            }
            (Some(_), None, None, None) => {
                return Err(wrong("upper is missing; allowed: both bounds".into()));
            }
            (None, Some(_), None, None) => {
                return Err(wrong("lower is missing; allowed: both bounds".into()));
            }
            (None, None, None, None) => {
                return Err(wrong(format!("nothing says what it may be; allowed: {KINDS}")));
            }
            _ => return Err(wrong(format!("more than one thing it may be; allowed: {KINDS}"))),
        };
        let scales = match (&options, &variable.scale) {
            (Some(_), None) => vec![Scale::Integer; len],
            (Some(_), Some(_)) => {
                return Err(wrong("a scale beside values or choices; allowed: none".into()));
            }
            (None, None) => vec![Scale::Linear; len],
            (None, Some(Scaling::All(scale))) => vec![scale_of(*scale).map_err(wrong)?; len],
            (None, Some(Scaling::Each(all))) if count.is_some() && all.len() == len => {
                all.iter().map(|scale| scale_of(*scale).map_err(wrong)).collect::<Result<_>>()?
            }
            (None, Some(Scaling::Each(all))) => {
                let allowed = match count {
                    Some(count) => format!("one, or a list of {count}"),
                    None => "one, in quotes".into(),
                };
                return Err(wrong(format!("a list of {} scales; allowed: {allowed}", all.len())));
            }
        };
        let of = |at: usize| match count {
            None => name.to_string(),
            Some(_) => format!("{name}[{}]", at + 1),
        };
        for (at, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            self.check_bounds(&of(at), (lower, upper), scales[at])?;
        }
        if variable.periodic {
            let is_linear =
                scales.iter().all(|scale| *scale == Scale::Linear) && variable.fixed.is_none();
            if !is_linear || lower.iter().zip(&upper).any(|(lower, upper)| lower == upper) {
                let what = "periodic; allowed: of a linear variable with lower below upper";
                return Err(wrong(what.into()));
            }
            names.periodic.insert(name.into());
        }
        let starts = match &variable.start {
            None => Vec::new(),
            Some(start) => self.starts(name, (start, count), options.as_ref(), names)?,
        };
        for (at, &start) in starts.iter().flat_map(|point| point.iter().enumerate()) {
            if !(lower[at]..=upper[at]).contains(&start) {
                let (name, lower, upper) = (of(at), lower[at], upper[at]);
                let what = format!("start is {start}; allowed: {lower} to {upper}, its bounds");
                return Err(self.said(format!("variable `{name}`: {what}")));
            }
        }
        all.lower.extend(lower);
        all.upper.extend(upper);
        all.scales.extend(scales);
        all.starts.push(starts);
        names.options.extend(options.map(|options| (name.to_string(), options)));
        Ok(Named { name: name.into(), first: first as u32, count, unit: variable.unit.clone() })
    }

    fn count(&self, name: &str, variable: &Variable, names: &Names) -> Result<Option<u32>> {
        let Some(given) = &variable.count else { return Ok(None) };
        let key = format!("variable `{name}`: count");
        let count = self.number(&key, given, names)?;
        let most = crate::MAX_DIMENSIONS;
        if count.fract() != 0.0 || !(1.0..=most as f64).contains(&count) {
            return Err(self.said(format!("{key} is {count}; allowed: 1 to {most} in all")));
        }
        Ok(Some(count as u32))
    }

    /// What the integers of a variable stand for, if it has options.
    fn options(&self, name: &str, variable: &Variable, names: &Names) -> Result<Option<Options>> {
        let wrong = |what: String| self.said(format!("variable `{name}`: {what}"));
        match (&variable.values, &variable.choices) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err(wrong(format!("more than one thing it may be; allowed: {KINDS}")))
            }
            (Some(values), None) => {
                let key = format!("variable `{name}`: values");
                let Quantity::Many(mut values) = self.quantity(&key, values, names)? else {
                    return Err(self.said(format!("{key}: allowed: a list, as in [1, 2, 5, 10]")));
                };
                values.sort_by(f64::total_cmp);
                let twice = values.windows(2).find(|pair| pair[0] == pair[1]);
                match (twice, values.is_empty()) {
                    (Some(pair), _) => Err(self.said(format!("{key}: {} is there twice", pair[0]))),
                    (None, true) => Err(self.said(format!("{key} is empty; allowed: one or more"))),
                    (None, false) => Ok(Some(Options::Values(values))),
                }
            }
            (None, Some(choices)) => {
                let is_bad =
                    |name: &String| name.contains('\'') || name.chars().any(char::is_control);
                let is_twice = |at: usize| choices[..at].contains(&choices[at]);
                if choices.is_empty() {
                    return Err(wrong("choices is empty; allowed: one or more".into()));
                }
                if let Some(bad) = choices.iter().find(|name| name.is_empty() || is_bad(name)) {
                    return Err(wrong(format!(
                        "the choice {bad:?}; allowed: a name without ' and control characters"
                    )));
                }
                if let Some(at) = (0..choices.len()).find(|&at| is_twice(at)) {
                    return Err(wrong(format!("the choice {:?} is there twice", choices[at])));
                }
                Ok(Some(Options::Choices(choices.clone())))
            }
        }
    }

    fn check_bounds(&self, name: &str, (lower, upper): (f64, f64), scale: Scale) -> Result<()> {
        let wrong = |what: String| self.said(format!("variable `{name}`: {what}"));
        let one = Bounds::new(vec![lower], vec![upper]);
        let one = one.and_then(|bounds| bounds.with_scales([scale]));
        one.map(|_| ()).map_err(|error| match error {
            Error::BoundOrder { lower, upper, .. } => {
                wrong(format!("lower is {lower}, above upper, which is {upper}"))
            }
            Error::BoundNotFinite { side, value, .. } => {
                wrong(format!("{side} is {value}; allowed: a finite number"))
            }
            Error::BoundScale { value, allowed, .. } => {
                wrong(format!("{value}; allowed: {allowed}"))
            }
            error => wrong(error.to_string()),
        })
    }

    /// The starting points of a variable, each with all its numbers.
    fn starts(
        &self,
        name: &str,
        (start, count): (&Given, Option<u32>),
        options: Option<&Options>,
        names: &Names,
    ) -> Result<Vec<Vec<f64>>> {
        let key = format!("variable `{name}`: start");
        let len = count.unwrap_or(1) as usize;
        let one = |given: &Given| self.start_of(&key, given, options, names);
        let point = |given: &Given| -> Result<Vec<f64>> {
            match given {
                Given::List(all) if all.len() == len => all.iter().map(one).collect(),
                Given::List(all) => Err(self.said(format!(
                    "{key} has {} numbers; allowed: {len}, one for each element",
                    all.len()
                ))),
                Given::Text(_) if options.is_none() => {
                    let all = self.quantity(&key, given, names)?;
                    all.of_each(len).map_err(|what| self.said(format!("{key}: {what}")))
                }
                one_for_all => Ok(vec![one(one_for_all)?; len]),
            }
        };
        let is_list = |given: &Given| matches!(given, Given::List(_));
        match start {
            // For a single number, a list contains the points; for an array, a list of lists does.
            Given::List(all) if count.is_none() => {
                all.iter().map(|given| Ok(vec![one(given)?])).collect()
            }
            Given::List(all) if all.iter().any(is_list) => all.iter().map(point).collect(),
            given => Ok(vec![point(given)?]),
        }
    }

    /// A number of a starting point; for a variable with options the index of the option.
    fn start_of(
        &self,
        key: &str,
        given: &Given,
        options: Option<&Options>,
        names: &Names,
    ) -> Result<f64> {
        let said = |shown: String, allowed: String| {
            Err(self.said(format!("{key} is {shown}; allowed: one of {allowed}")))
        };
        match (options, given) {
            (Some(Options::Choices(names)), Given::Text(text)) => {
                match names.iter().position(|name| name == text) {
                    Some(at) => Ok((at + 1) as f64),
                    None => said(format!("{text:?}"), names.join(", ")),
                }
            }
            (Some(Options::Choices(names)), _) => said("no name".into(), names.join(", ")),
            (Some(Options::Values(values)), given) => {
                let number = self.number(key, given, names)?;
                match values.iter().position(|value| *value == number) {
                    Some(at) => Ok((at + 1) as f64),
                    None => {
                        let values: Vec<_> = values.iter().map(f64::to_string).collect();
                        said(number.to_string(), values.join(", "))
                    }
                }
            }
            (None, given) => self.number(key, given, names),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use crate::problem::problem_file::ProblemFile;

    /// The time for this many variables whose bounds are expressions.
    fn time(variables: usize) -> Duration {
        let mut text = "minimise = \"v1 + v2\"\nconstants.most = 9\n[variables]\n".to_string();
        for number in 1..=variables {
            writeln!(text, "v{number} = {{ lower = \"1 / 2\", upper = \"most + 1\" }}").unwrap();
        }
        let start = Instant::now();
        assert_eq!(ProblemFile::parse(&text).unwrap().bounds().upper(), vec![10.0; variables]);
        start.elapsed()
    }

    /// When the time was quadratic, eight times as many variables took 30 to 60 times as long.
    #[test]
    fn the_time_grows_with_the_variables() {
        // Repeated, because the machine may be busy with something else.
        let mut measured = (0..5).map(|_| (time(2_000), time(16_000)));
        assert!(
            measured.any(|(few, many)| many < few * 18),
            "eight times as many took 18 times as long"
        );
    }
}
