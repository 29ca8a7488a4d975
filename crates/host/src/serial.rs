//! Serialisation with serde: choices are written by name, parameters by the names of their tables, and numbers so that
//! reading them restores every bit.

use serde::de::{Deserializer, Error as _};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use warpswarm_core::Float;
use warpswarm_core::launch::{MethodTile, Tile};
use warpswarm_core::order::Fitness;

/// A number. In text formats, a number that is not finite is the string `NaN`, `Infinity` or `-Infinity`, because JSON
/// has no such numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<R>(pub(crate) R);

impl<R: Float + Serialize> Serialize for Number<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let x = self.0;
        if x.is_finite() || !serializer.is_human_readable() {
            x.serialize(serializer)
        } else if x == R::INFINITY {
            serializer.serialize_str("Infinity")
        } else if x == -R::INFINITY {
            serializer.serialize_str("-Infinity")
        } else {
            serializer.serialize_str("NaN")
        }
    }
}

impl<'de, R: Float + Deserialize<'de>> Deserialize<'de> for Number<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return R::deserialize(deserializer).map(Number);
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text<R> {
            Number(R),
            Name(String),
        }
        match Text::<R>::deserialize(deserializer)? {
            Text::Number(x) => Ok(Number(x)),
            Text::Name(name) => match name.as_str() {
                "Infinity" => Ok(Number(R::INFINITY)),
                "-Infinity" => Ok(Number(-R::INFINITY)),
                "NaN" => Ok(Number(R::NAN)),
                _ => Err(D::Error::custom(format!(
                    "`{name}`; allowed: a number, NaN, Infinity or -Infinity"
                ))),
            },
        }
    }
}

/// An integer. In text formats it is a string if it exceeds 2^63 - 1, the largest integer of TOML.
#[derive(Clone, Copy)]
struct Whole(u64);

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() && self.0 > i64::MAX as u64 {
            return serializer.collect_str(&self.0);
        }
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u64::deserialize(deserializer).map(Whole);
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Number(u64),
            Digits(String),
        }
        match Text::deserialize(deserializer)? {
            Text::Number(n) => Ok(Whole(n)),
            Text::Digits(digits) => digits.parse().map(Whole).map_err(D::Error::custom),
        }
    }
}

/// Violation and value.
#[derive(Deserialize, Serialize)]
#[serde(bound(serialize = "R: Float + Serialize", deserialize = "R: Float + Deserialize<'de>"))]
struct Judged<R> {
    violation: Number<R>,
    value: Number<R>,
}

/// Defines a module for `#[serde(with)]`, which serialises a type as another type.
macro_rules! as_other {
    ($(#[$doc:meta])* $name:ident<$($generic:ident)?>: $type:ty as $other:ty, $into:expr, $from:expr) => {
        $(#[$doc])*
        pub(crate) mod $name {
            #[allow(unused_imports)]
            use super::*;

            pub(crate) fn serialize<$($generic: Float + Serialize,)? S: Serializer>(
                this: &$type,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let into: fn(&$type) -> $other = $into;
                into(this).serialize(serializer)
            }

            pub(crate) fn deserialize<'de, $($generic: Float + Deserialize<'de>,)? D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$type, D::Error> {
                let from: fn($other) -> $type = $from;
                <$other>::deserialize(deserializer).map(from)
            }
        }
    };
}

as_other!(number<R>: R as Number<R>, |x| Number(*x), |x| x.0);
as_other!(
    optional_number<>: Option<f64> as Option<Number<f64>>, |x| x.map(Number), |x| x.map(|x| x.0)
);
as_other!(
    numbers<R>: Vec<R> as Vec<Number<R>>,
    |all| all.iter().copied().map(Number).collect(),
    |all| all.into_iter().map(|x| x.0).collect()
);
as_other!(whole<>: u64 as Whole, |n| Whole(*n), |n| n.0);
as_other!(optional_whole<>: Option<u64> as Option<Whole>, |n| n.map(Whole), |n| n.map(|n| n.0));
as_other!(
    fitness<R>: Fitness<R> as Judged<R>,
    |f| Judged { violation: Number(f.violation), value: Number(f.value) },
    |f| Fitness { violation: f.violation.0, value: f.value.0 }
);
as_other!(
    /// The name of a tile; a name that this version does not know is read as `None`.
    tile<>: Option<&'static str> as Option<String>,
    |name| name.map(String::from),
    |name| name.and_then(|name| tile_names().find(|known| *known == name))
);

fn tile_names() -> impl Iterator<Item = &'static str> {
    let tiles = Tile::all::<f32>().into_iter().chain([Tile::rows::<f32>(), Tile::columns::<f32>()]);
    tiles.map(|tile| tile.name).chain([
        MethodTile::THREAD.name,
        MethodTile::TILE.name,
        MethodTile::WARP.name,
    ])
}

/// Serialises the values of enums by name.
macro_rules! by_name {
    ($($type:ident),*) => {
        $(impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                let known = || $type::ALL.iter().map(|value| value.name()).collect();
                $type::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
                    let error = $crate::Error::UnknownName {
                        what: stringify!($type),
                        name: name.clone(),
                        known: known(),
                    };
                    serde::de::Error::custom(error)
                })
            }
        })*
    };
}
pub(crate) use by_name;

/// The serialised value of a parameter.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Parameter {
    Whole(u32),
    Number(f64),
    Name(String),
}

impl std::fmt::Display for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Parameter::Whole(n) => write!(f, "{n}"),
            // The shortest digits that read back to the same bits.
            Parameter::Number(x) => write!(f, "{x}"),
            Parameter::Name(name) => f.write_str(name),
        }
    }
}

/// Writes parameters by name, after the name of the algorithm if `id` gives it.
pub(crate) fn write_parameters<S: Serializer>(
    serializer: S,
    id: Option<&str>,
    parameters: Vec<(&'static str, Parameter)>,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(parameters.len() + usize::from(id.is_some())))?;
    if let Some(id) = id {
        map.serialize_entry(ID, id)?;
    }
    for (name, value) in parameters {
        map.serialize_entry(name, &value)?;
    }
    map.end()
}

/// The key of the algorithm's name among its parameters.
pub(crate) const ID: &str = "id";
