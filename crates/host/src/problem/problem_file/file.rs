//! The contents of a problem file, before they are checked.

mod data;
mod given;
mod ode;

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use warpswarm_core::variable::Scale;

pub(super) use data::{Column, Data, Format, Tables};
pub(crate) use given::Given;
pub(super) use ode::{Method, Ode};

/// A problem file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Option<String>,
    #[serde(alias = "minimize")]
    pub(super) minimise: Option<Given>,
    #[serde(alias = "maximize")]
    pub(super) maximise: Option<Given>,
    /// Instead of an objective: a model of a column, `y ~ ...`, or several models.
    pub(super) fit: Option<Given>,
    pub(super) fits: Option<Given>,
    /// The uncertainty of the observations: standard deviations, or weights instead.
    pub(super) sigma: Option<Given>,
    pub(super) weights: Option<Given>,
    /// Whether the uncertainty has its true size, so that standard errors are not scaled.
    pub(super) absolute_sigma: Option<bool>,
    /// The loss of residuals, and its scale.
    pub(super) loss: Option<String>,
    pub(super) loss_scale: Option<f64>,
    pub(super) variables: Ordered<Variable>,
    #[serde(default)]
    pub(super) constants: Ordered<Given>,
    #[serde(default)]
    pub(super) data: Tables,
    #[serde(default)]
    pub(super) r#let: Ordered<String>,
    pub(super) ode: Option<Ode>,
    #[serde(default)]
    pub(super) constraints: Ordered<Constraint>,
    /// For equations without their own tolerance.
    pub(super) tolerance: Option<f64>,
}

impl File {
    /// Whether it has data: files or lists of numbers.
    pub(super) fn has_data(&self) -> bool {
        let is_list = |(_, given): &(String, Given)| matches!(given, Given::List(_));
        !self.data.0.is_empty() || self.constants.0.iter().any(is_list)
    }
}

/// A variable, or an array of variables.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub(super) struct Variable {
    pub(super) lower: Option<Given>,
    pub(super) upper: Option<Given>,
    pub(super) scale: Option<Scaling>,
    pub(super) count: Option<Given>,
    /// The starting point of the search.
    pub(super) start: Option<Given>,
    /// Instead of bounds: a fixed value.
    pub(super) fixed: Option<Given>,
    /// Instead of bounds: the allowed numbers.
    pub(super) values: Option<Given>,
    /// Instead of bounds: the allowed names.
    pub(super) choices: Option<Vec<String>>,
    /// Whether it is periodic: after its upper bound it continues at the lower bound.
    #[serde(default)]
    pub(super) periodic: bool,
    /// Its unit, for readers of results.
    pub(super) unit: Option<String>,
}

impl<'de> Deserialize<'de> for Variable {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Variable;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table; write { lower = 0, upper = 1 }, or { fixed = 1 }")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Variable, A::Error> {
                Variable::deserialize(MapAccessDeserializer::new(map))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<Variable, A::Error> {
                let all = Vec::<Given>::deserialize(SeqAccessDeserializer::new(all))?;
                let table = match &all[..] {
                    [Given::Number(lower), Given::Number(upper)] => {
                        format!("{{ lower = {lower}, upper = {upper} }}")
                    }
                    _ => "{ lower = 0, upper = 1 }".into(),
                };
                Err(A::Error::custom(format!("a list is not a variable; write {table}")))
            }
        }
        from.deserialize_any(Table)
    }
}

/// A [`Scale`].
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScaleName {
    Linear,
    Log,
    Integer,
    /// Not supported; known for a specific error message.
    Permutation,
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Self {
        match name {
            ScaleName::Linear => Scale::Linear,
            ScaleName::Log => Scale::Log,
            ScaleName::Integer | ScaleName::Permutation => Scale::Integer,
        }
    }
}

/// The scale of a variable, or of each of its numbers.
#[derive(Clone, Debug)]
pub(super) enum Scaling {
    All(ScaleName),
    Each(Vec<ScaleName>),
}

impl<'de> Deserialize<'de> for Scaling {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Scaling;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("linear, log or integer in quotes, or a list of those")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Scaling, E> {
                ScaleName::deserialize(name.into_deserializer()).map(Scaling::All)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<Scaling, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(all)).map(Scaling::Each)
            }
        }
        from.deserialize_any(Either)
    }
}

/// A condition, optionally with its own tolerance.
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

/// A TOML table in the order of the file.
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
