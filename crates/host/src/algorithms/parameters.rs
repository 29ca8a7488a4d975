//! The parameters of an algorithm. Each is declared once; from the declaration follow its display, parsing, checks and
//! serialisation.

use super::{AlgorithmInfo, ParameterInfo, Value};
use crate::error::{Error, Result};
#[cfg(feature = "serde")]
use crate::serial;
use warpswarm_core::Float;
use warpswarm_core::method::MAX_ATTEMPTS;
use warpswarm_core::random::MAX_FACTORED;
use warpswarm_core::shade::{MAX_MEMORY, MAX_TOURNAMENT};

/// The parameters of an algorithm.
pub(super) trait Params: Copy + 'static {
    /// All parameters, in the order in which they are displayed and serialised.
    const PARAMETERS: &'static [Parameter<Self>];
}

/// The declaration of one parameter of `P`.
pub(super) struct Parameter<P> {
    /// The name by which users set the parameter: the name of its field.
    pub(super) name: &'static str,
    meaning: &'static str,
    pub(super) field: Field<P>,
}

/// The field of `P` that stores a parameter, and the values that are allowed.
pub(super) enum Field<P> {
    /// A number.
    Number(Range<f64>, At<P, f64>),
    /// A number above 0, or no limit.
    Limit(At<P, Option<f64>>),
    /// A whole number.
    Whole(Range<u32>, At<P, u32>),
    /// A whole number, or the number of iterations of the run.
    Iterations(At<P, Option<u32>>),
    /// One of several named values.
    Choice(ChoiceAt<P>),
}

/// A function that returns the field of a parameter.
pub(super) type At<P, T> = fn(&mut P) -> &mut T;
/// A function that returns the field of a choice with the names of its values: see [`one_of`].
pub(super) type ChoiceAt<P> = fn(&mut P) -> Box<dyn Choice + '_>;

/// The allowed numbers. Floating-point numbers must also be finite.
#[derive(Clone, Copy)]
pub(super) struct Range<T: 'static> {
    /// The range in words, for lists and error messages.
    text: &'static str,
    holds: fn(T) -> bool,
}

impl<T> Range<T> {
    pub(super) const fn new(text: &'static str, holds: fn(T) -> bool) -> Self {
        Range { text, holds }
    }
}

pub(super) const FINITE: Range<f64> = Range::new("a finite number", |_| true);
pub(super) const NOT_NEGATIVE: Range<f64> =
    Range::new("a finite number of at least 0", |x| x >= 0.0);
/// Coefficients that are multiplied by random factors.
pub(super) const PULL: Range<f64> =
    Range::new("a number from 0 to 1e30", |x| (0.0..=MAX_FACTORED).contains(&x));
pub(super) const POSITIVE: Range<f64> = Range::new("a finite number above 0", |x| x > 0.0);
pub(super) const PART: Range<f64> =
    Range::new("a number from 0 to 1", |x| (0.0..=1.0).contains(&x));
pub(super) const FACTOR: Range<f64> =
    Range::new("a number above 0, at most 1", |x| x > 0.0 && x <= 1.0);
pub(super) const ARCHIVE: Range<f64> = Range::new("a number from 0 to 10, in steps of 0.2", |x| {
    (0..=50).any(|fifths| x == f64::from(fifths) / 5.0)
});
pub(super) const MEMORY: Range<u32> =
    Range::new("a whole number from 1 to 100", |n| (1..=MAX_MEMORY).contains(&n));
pub(super) const TOURNAMENT: Range<u32> =
    Range::new("a whole number from 1 to 64", |n| (1..=MAX_TOURNAMENT).contains(&n));
/// The number of proposals of an individual in an iteration.
pub(super) const ATTEMPTS: Range<u32> =
    Range::new("a whole number from 1 to 64", |n| (1..=MAX_ATTEMPTS).contains(&n));
/// The same number without the individual's first proposal.
pub(super) const OTHER_ATTEMPTS: Range<u32> =
    Range::new("a whole number from 1 to 63", |n| (1..MAX_ATTEMPTS).contains(&n));
pub(super) const COUNT: Range<u32> = Range::new("a whole number from 1 to 4294967295", |n| n > 0);
pub(super) const COUNT_OR_ZERO: Range<u32> =
    Range::new("a whole number up to 4294967295", |_| true);
pub(super) const COUNT_OR_NONE: Range<u32> =
    Range::new("a whole number up to 4294967295; 0 for none", |_| true);

const LIMIT: &str = "a number above 0, or none";
const ITERATIONS: &str =
    "a whole number up to 4294967295; 0 for never, run for the iterations of the run";
/// The text that stands for the number of iterations of the run.
const OF_RUN: &str = "run";

const _: () = assert!(
    MAX_MEMORY == 100 && MAX_TOURNAMENT == 64 && MAX_ATTEMPTS == 64,
    "the texts above say so"
);

/// Declares a number.
pub(super) const fn number<P>(
    name: &'static str,
    meaning: &'static str,
    range: Range<f64>,
    at: At<P, f64>,
) -> Parameter<P> {
    Parameter { name, meaning, field: Field::Number(range, at) }
}

/// Declares a number above 0 that may be unset.
pub(super) const fn limit<P>(
    name: &'static str,
    meaning: &'static str,
    at: At<P, Option<f64>>,
) -> Parameter<P> {
    Parameter { name, meaning, field: Field::Limit(at) }
}

/// Declares a whole number.
pub(super) const fn whole<P>(
    name: &'static str,
    meaning: &'static str,
    range: Range<u32>,
    at: At<P, u32>,
) -> Parameter<P> {
    Parameter { name, meaning, field: Field::Whole(range, at) }
}

/// Declares a number of iterations; its default may be that of the run.
pub(super) const fn iterations<P>(
    name: &'static str,
    meaning: &'static str,
    at: At<P, Option<u32>>,
) -> Parameter<P> {
    Parameter { name, meaning, field: Field::Iterations(at) }
}

/// Declares one of several named values; its field is returned by [`one_of`].
pub(super) const fn choice<P>(
    name: &'static str,
    meaning: &'static str,
    at: ChoiceAt<P>,
) -> Parameter<P> {
    Parameter { name, meaning, field: Field::Choice(at) }
}

/// Declares the boundary mode.
pub(super) const fn boundary<P>(at: ChoiceAt<P>) -> Parameter<P> {
    choice("boundary", "what happens to a coordinate that leaves its bounds", at)
}

/// Declares the reach of the boundary mode `reverse`.
pub(super) const fn correction<P>(at: At<P, f64>) -> Parameter<P> {
    number("correction", "reach of the boundary mode reverse, as a part of the range", PART, at)
}

/// A field whose values are named.
pub(super) trait Choice {
    /// The names of all values.
    fn names(&self) -> Vec<&'static str>;
    /// The name of its value.
    fn name(&self) -> &'static str;
    /// Sets it to the value with this name; `None` if there is no such value.
    fn choose(&mut self, name: &str) -> Option<()>;
}

/// The table of names and values, and the field that stores one of them.
struct OneOf<'a, T: 'static>(&'static [(&'static str, T)], &'a mut T);

impl<T: Copy + PartialEq> Choice for OneOf<'_, T> {
    fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    fn name(&self) -> &'static str {
        name_of(self.0, self.1)
    }

    fn choose(&mut self, name: &str) -> Option<()> {
        *self.1 = self.0.iter().find(|(known, _)| *known == name)?.1;
        Some(())
    }
}

/// A field that stores one of the named values of a table.
pub(super) fn one_of<'a, T: Copy + PartialEq>(
    names: &'static [(&'static str, T)],
    field: &'a mut T,
) -> Box<dyn Choice + 'a> {
    Box::new(OneOf(names, field))
}

/// The name of a value in a table of names.
pub(super) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

impl<P: Params> Parameter<P> {
    /// The value of this parameter in `params`.
    fn value(&self, mut params: P) -> Value {
        let params = &mut params;
        let whole = |n: u32| Value::Number(f64::from(n));
        match &self.field {
            Field::Number(_, at) => Value::Number(*at(params)),
            Field::Limit(at) => at(params).map_or(Value::Unset, Value::Number),
            Field::Whole(_, at) => whole(*at(params)),
            Field::Iterations(at) => at(params).map_or(Value::Name(OF_RUN), whole),
            Field::Choice(at) => Value::Name(at(params).name()),
        }
    }

    /// Parses the text and stores the value; `None` if the text is not a value of this kind.
    fn read(&self, params: &mut P, text: &str) -> Option<()> {
        match &self.field {
            Field::Number(_, at) => *at(params) = text.parse().ok()?,
            Field::Limit(at) if text == "none" => *at(params) = None,
            Field::Limit(at) => *at(params) = Some(text.parse().ok()?),
            Field::Whole(_, at) => *at(params) = text.parse().ok()?,
            Field::Iterations(at) if text == OF_RUN => *at(params) = None,
            Field::Iterations(at) => *at(params) = Some(text.parse().ok()?),
            Field::Choice(at) => at(params).choose(text)?,
        }
        Some(())
    }

    /// Whether the value in `params` is in the range.
    fn is_allowed(&self, mut params: P) -> bool {
        let params = &mut params;
        match &self.field {
            Field::Number(range, at) => {
                let x = *at(params);
                x.is_finite() && (range.holds)(x)
            }
            Field::Limit(at) => at(params).is_none_or(|limit| limit > 0.0),
            Field::Whole(range, at) => (range.holds)(*at(params)),
            Field::Iterations(_) | Field::Choice(_) => true,
        }
    }

    /// The range in words.
    pub(super) fn range(&self, mut params: P) -> String {
        match &self.field {
            Field::Number(range, _) => range.text.into(),
            Field::Limit(_) => LIMIT.into(),
            Field::Whole(range, _) => range.text.into(),
            Field::Iterations(_) => ITERATIONS.into(),
            Field::Choice(at) => match at(&mut params).names().as_slice() {
                [others @ .., last] if !others.is_empty() => {
                    format!("{} or {last}", others.join(", "))
                }
                names => names.concat(),
            },
        }
    }

    fn refused(&self, params: P, value: String) -> Error {
        Error::Parameter { name: self.name, value, allowed: self.range(params) }
    }
}

/// Information about the parameters; `defaults` supplies their default values.
pub(super) fn described<P: Params>(defaults: &P) -> Vec<ParameterInfo> {
    let described = |parameter: &Parameter<P>| ParameterInfo {
        name: parameter.name,
        meaning: parameter.meaning,
        range: parameter.range(*defaults),
        default: parameter.value(*defaults),
    };
    P::PARAMETERS.iter().map(described).collect()
}

/// The names and values of the parameters.
pub(super) fn list<P: Params>(params: &P) -> Vec<(&'static str, Value)> {
    P::PARAMETERS.iter().map(|parameter| (parameter.name, parameter.value(*params))).collect()
}

/// The names and values of the parameters for serialisation. Whole numbers are written without a decimal point.
#[cfg(feature = "serde")]
pub(super) fn written<P: Params>(params: &P) -> Vec<(&'static str, serial::Parameter)> {
    let written = |parameter: &Parameter<P>| {
        let is_whole = matches!(parameter.field, Field::Whole(..) | Field::Iterations(_));
        let value = match parameter.value(*params) {
            Value::Number(n) if is_whole => serial::Parameter::Whole(n as u32),
            Value::Number(x) => serial::Parameter::Number(x),
            name @ (Value::Name(_) | Value::Unset) => serial::Parameter::Name(name.to_string()),
        };
        (parameter.name, value)
    };
    P::PARAMETERS.iter().map(written).collect()
}

/// Sets a parameter by name. If the value is refused, nothing changes.
pub(super) fn set<P: Params>(
    params: &mut P,
    info: &AlgorithmInfo,
    key: &str,
    value: &str,
) -> Result<()> {
    let Some(parameter) = P::PARAMETERS.iter().find(|parameter| parameter.name == key) else {
        let known = P::PARAMETERS.iter().map(|parameter| parameter.name);
        return Err(Error::UnknownParameter {
            algorithm: info.id,
            key: key.into(),
            known: known.chain(["preset"]).collect(),
        });
    };
    let mut changed = *params;
    let read = parameter.read(&mut changed, value);
    read.ok_or_else(|| parameter.refused(*params, format!("`{value}`")))?;
    check(&changed)?;
    *params = changed;
    Ok(())
}

/// Checks that every parameter is in its range.
pub(super) fn check<P: Params>(params: &P) -> Result<()> {
    match P::PARAMETERS.iter().find(|parameter| !parameter.is_allowed(*params)) {
        Some(wrong) => Err(wrong.refused(*params, wrong.value(*params).to_string())),
        None => Ok(()),
    }
}

/// Rounds a parameter to the number type of the run.
pub(super) fn rounded<R: Float>(name: &'static str, value: f64) -> Result<R> {
    let rounded = R::from_f64(value);
    // A value above zero must not round to zero: a factor or a step of zero would mean something else.
    if rounded.is_finite() && (value == 0.0 || rounded != R::ZERO) {
        return Ok(rounded);
    }
    let allowed = "a number that is finite in the run's precision".into();
    Err(Error::Parameter { name, value: value.to_string(), allowed })
}
