//! Parameters by name: how they are shown, set and checked, from one table an algorithm.

use super::{AlgorithmInfo, ParameterInfo, Value};
use crate::error::{Error, Result};
#[cfg(feature = "serde")]
use crate::serial::Parameter;
use warpswarm_core::Float;
use warpswarm_core::random::MAX_FACTORED;

pub(super) const FINITE: &str = "a finite number";
pub(super) const NOT_NEGATIVE: &str = "a finite number of at least 0";
/// What random factors multiply: at most [`MAX_FACTORED`](warpswarm_core::random::MAX_FACTORED).
pub(super) const PULL: &str = "a number from 0 to 1e30";
pub(super) const POSITIVE: &str = "a finite number above 0";
pub(super) const LIMIT: &str = "a number above 0, or none";
pub(super) const PART: &str = "a number from 0 to 1";
pub(super) const FACTOR: &str = "a number above 0, at most 1";
/// As [`MAX_MEMORY`](warpswarm_core::shade::MAX_MEMORY) has it.
pub(super) const MEMORY: &str = "a whole number from 1 to 100";
/// As [`MAX_TOURNAMENT`](warpswarm_core::shade::MAX_TOURNAMENT) has it.
pub(super) const TOURNAMENT: &str = "a whole number from 1 to 64";
pub(super) const ARCHIVE: &str = "a number from 0 to 10, in steps of 0.2";
pub(super) const COUNT: &str = "a whole number from 1 to 4294967295";
pub(super) const COUNT_OR_NONE: &str = "a whole number up to 4294967295; 0 for none";

pub(super) const ITERATIONS: &str =
    "a whole number up to 4294967295; 0 for never, run for the iterations of the run";

/// The row of the boundary mode.
pub(super) const fn boundary(default: &'static str) -> ParameterInfo {
    ParameterInfo {
        name: "boundary",
        meaning: "what happens to a coordinate that leaves its bounds",
        range: "clamp, reflect, wrap, random or reverse",
        default,
    }
}

/// The row of the boundary's correction.
pub(super) const CORRECTION: ParameterInfo = ParameterInfo {
    name: "correction",
    meaning: "reach of the boundary mode reverse, as a part of the range",
    range: PART,
    default: "0.22",
};

/// Access to a field whose values have names in a table.
macro_rules! named {
    ($table:expr, $($field:ident).+) => {
        Access::Name(
            |p| parameters::name_of(&$table, &p.$($field).+),
            |p, name| parameters::choose(&$table, name, &mut p.$($field).+),
        )
    };
}
pub(super) use named;

/// How a parameter of `P` is read and written.
pub(super) enum Access<P> {
    /// A number; its range is the row's.
    Number(fn(&P) -> f64, fn(&mut P, f64)),
    /// A number above 0, or none.
    Limit(fn(&P) -> Option<f64>, fn(&mut P, Option<f64>)),
    /// A whole number; its range is the row's.
    Whole(fn(&P) -> u32, fn(&mut P, u32)),
    /// A whole number, or as many as the run has iterations.
    Iterations(fn(&P) -> Option<u32>, fn(&mut P, Option<u32>)),
    /// One of several names; the second says no where it knows none such.
    Name(fn(&P) -> &'static str, fn(&mut P, &str) -> bool),
}

/// What stands for as many as the run has iterations.
const OF_RUN: &str = "run";

/// The parameters of an algorithm.
pub(super) trait Params: Copy + Sized + 'static {
    /// What is known of each.
    const ROWS: &'static [ParameterInfo];
    /// How each is read and written, in the same order.
    const ACCESS: &'static [Access<Self>];
}

/// The name of a value in a table of names.
pub(super) fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

/// Puts the value of that name into `to`; false where there is none.
pub(super) fn choose<T: Copy>(table: &[(&'static str, T)], name: &str, to: &mut T) -> bool {
    let found = table.iter().find(|(known, _)| *known == name);
    if let Some((_, value)) = found {
        *to = *value;
    }
    found.is_some()
}

/// The parameters as they are written: those that are counted without a point.
#[cfg(feature = "serde")]
pub(super) fn written<P: Params>(params: &P) -> Vec<(&'static str, Parameter)> {
    let value = |access: &Access<P>| match access {
        Access::Number(get, _) => Parameter::Number(get(params)),
        Access::Limit(get, _) => {
            get(params).map_or(Parameter::Name("none".into()), Parameter::Number)
        }
        Access::Whole(get, _) => Parameter::Whole(get(params)),
        Access::Iterations(get, _) => {
            get(params).map_or(Parameter::Name(OF_RUN.into()), Parameter::Whole)
        }
        Access::Name(get, _) => Parameter::Name(get(params).into()),
    };
    rows::<P>().map(|(row, access)| (row.name, value(access))).collect()
}

fn rows<P: Params>() -> impl Iterator<Item = (&'static ParameterInfo, &'static Access<P>)> {
    P::ROWS.iter().zip(P::ACCESS)
}

pub(super) fn list<P: Params>(params: &P) -> Vec<(&'static str, Value)> {
    let value = |access: &Access<P>| match access {
        Access::Number(get, _) => Value::Number(get(params)),
        Access::Limit(get, _) => get(params).map_or(Value::Unset, Value::Number),
        Access::Whole(get, _) => Value::Number(f64::from(get(params))),
        Access::Iterations(get, _) => {
            get(params).map_or(Value::Name(OF_RUN), |count| Value::Number(f64::from(count)))
        }
        Access::Name(get, _) => Value::Name(get(params)),
    };
    rows::<P>().map(|(row, access)| (row.name, value(access))).collect()
}

pub(super) fn set<P: Params>(
    params: &mut P,
    info: &AlgorithmInfo,
    key: &str,
    value: &str,
) -> Result<()> {
    let Some((row, access)) = rows::<P>().find(|(row, _)| row.name == key) else {
        let known = P::ROWS.iter().map(|row| row.name);
        return Err(Error::UnknownParameter {
            algorithm: info.id,
            key: key.into(),
            known: known.chain(["preset"]).collect(),
        });
    };
    let wrong =
        || Error::Parameter { name: row.name, value: format!("`{value}`"), allowed: row.range };
    // A value that is refused changes nothing.
    let mut changed = *params;
    match access {
        Access::Number(_, put) => put(&mut changed, value.parse().map_err(|_| wrong())?),
        Access::Limit(_, put) if value == "none" => put(&mut changed, None),
        Access::Limit(_, put) => put(&mut changed, Some(value.parse().map_err(|_| wrong())?)),
        Access::Whole(_, put) => put(&mut changed, value.parse().map_err(|_| wrong())?),
        Access::Iterations(_, put) if value == OF_RUN => put(&mut changed, None),
        Access::Iterations(_, put) => {
            put(&mut changed, Some(value.parse().map_err(|_| wrong())?));
        }
        Access::Name(_, put) => {
            if !put(&mut changed, value) {
                return Err(wrong());
            }
        }
    }
    check(&changed)?;
    *params = changed;
    Ok(())
}

/// Whether every parameter is in its range.
pub(super) fn check<P: Params>(params: &P) -> Result<()> {
    for (row, access) in rows::<P>() {
        let (value, good) = match access {
            Access::Number(get, _) => (get(params), number_is_good(row.range, get(params))),
            Access::Limit(get, _) => {
                let limit = get(params).unwrap_or(f64::INFINITY);
                (limit, limit > 0.0)
            }
            Access::Whole(get, _) => {
                let value = get(params);
                let good = match row.range {
                    COUNT => value > 0,
                    MEMORY => (1..=100).contains(&value),
                    TOURNAMENT => (1..=64).contains(&value),
                    _ => true,
                };
                (f64::from(value), good)
            }
            Access::Iterations(..) | Access::Name(..) => continue,
        };
        if !good {
            let value = value.to_string();
            return Err(Error::Parameter { name: row.name, value, allowed: row.range });
        }
    }
    Ok(())
}

/// Whether a number is in one of the ranges above.
fn number_is_good(range: &'static str, value: f64) -> bool {
    value.is_finite()
        && match range {
            NOT_NEGATIVE => value >= 0.0,
            PULL => (0.0..=MAX_FACTORED).contains(&value),
            POSITIVE => value > 0.0,
            PART => (0.0..=1.0).contains(&value),
            FACTOR => value > 0.0 && value <= 1.0,
            ARCHIVE => (0..=50).any(|fifths| value == f64::from(fifths) / 5.0),
            _ => true,
        }
}

/// A parameter in the run's number type.
pub(super) fn rounded<R: Float>(name: &'static str, value: f64) -> Result<R> {
    let rounded = R::from_f64(value);
    let allowed = "a number that is finite in the run's precision";
    // What is above zero stays so: a factor or a step of zero would mean something else.
    if rounded.is_finite() && (value == 0.0 || rounded != R::ZERO) {
        return Ok(rounded);
    }
    Err(Error::Parameter { name, value: value.to_string(), allowed })
}
