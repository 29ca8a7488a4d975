//! What a problem file says, as it is written.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use warpswarm_core::variable::Scale;

/// A problem file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Option<String>,
    #[serde(alias = "minimize")]
    pub(super) minimise: Option<String>,
    #[serde(alias = "maximize")]
    pub(super) maximise: Option<String>,
    pub(super) variables: Ordered<Variable>,
    #[serde(default)]
    pub(super) constants: Ordered<Constant>,
    pub(super) data: Option<Data>,
    #[serde(default)]
    pub(super) constraints: Ordered<Constraint>,
    /// Of equations that have none of their own.
    pub(super) tolerance: Option<f64>,
}

/// A variable, or so many.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variable {
    pub(super) lower: f64,
    pub(super) upper: f64,
    #[serde(default)]
    pub(super) scale: ScaleName,
    pub(super) count: Option<u32>,
}

/// A [`Scale`].
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScaleName {
    #[default]
    Linear,
    Log,
    Integer,
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Self {
        match name {
            ScaleName::Linear => Scale::Linear,
            ScaleName::Log => Scale::Log,
            ScaleName::Integer => Scale::Integer,
        }
    }
}

/// A number, or an expression of those before it.
#[derive(Debug)]
pub(super) enum Constant {
    Number(f64),
    Expression(String),
}

impl<'de> Deserialize<'de> for Constant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Constant;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or an expression in quotes")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Constant, E> {
                Ok(Constant::Number(number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Constant, E> {
                Ok(Constant::Number(number as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Constant, E> {
                Ok(Constant::Expression(text.into()))
            }
        }
        from.deserialize_any(Either)
    }
}

/// A condition, perhaps with a tolerance of its own.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    Plain(String),
    Table(Condition),
}

/// A condition with a tolerance.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    condition: String,
    tolerance: Option<f64>,
}

impl Constraint {
    pub(super) fn condition(&self) -> &str {
        match self {
            Constraint::Plain(condition) | Constraint::Table(Condition { condition, .. }) => {
                condition
            }
        }
    }

    pub(super) fn tolerance(&self) -> Option<f64> {
        match self {
            Constraint::Plain(_) => None,
            Constraint::Table(of) => of.tolerance,
        }
    }
}

impl<'de> Deserialize<'de> for Constraint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Constraint;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a condition in quotes, or { condition = \"...\", tolerance = 1e-6 }")
            }
            fn visit_str<E>(self, text: &str) -> Result<Constraint, E> {
                Ok(Constraint::Plain(text.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Constraint, A::Error> {
                Condition::deserialize(MapAccessDeserializer::new(map)).map(Constraint::Table)
            }
        }
        from.deserialize_any(Either)
    }
}

/// Columns of a CSV file beside the problem file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    pub(super) file: String,
    pub(super) columns: Vec<String>,
}

/// A table of TOML in the order in which it is written.
#[derive(Debug)]
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        from.deserialize_map(Entries(PhantomData))
    }
}
