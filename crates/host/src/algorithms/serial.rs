//! Serialisation of algorithms and their parameters with serde, as a map of names. The map of an algorithm also
//! contains its name as `id`. A value that is missing from a map is that of the `preset`, if the map names one, or the
//! default.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::*;
use crate::serial::{ID, Parameter, write_parameters};

impl Algorithm {
    fn written(&self) -> Vec<(&'static str, Parameter)> {
        with_params!(self, params => parameters::written(params))
    }

    fn with(mut self, mut values: BTreeMap<String, Parameter>) -> Result<Self> {
        // The other values override the preset, so it is set first.
        if let Some(preset) = values.remove("preset") {
            self.set("preset", &preset.to_string())?;
        }
        for (name, value) in values {
            self.set(&name, &value.to_string())?;
        }
        Ok(self)
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_parameters(serializer, Some(self.info().id), self.written())
    }
}

impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = BTreeMap::<String, Parameter>::deserialize(deserializer)?;
        let id = values.remove(ID).ok_or_else(|| D::Error::missing_field(ID))?;
        let algorithm = find(&id.to_string()).map_err(D::Error::custom)?.algorithm();
        algorithm.with(values).map_err(D::Error::custom)
    }
}

macro_rules! params {
    ($($params:ident => $algorithm:ident),*) => { $(
        impl Serialize for $params {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write_parameters(serializer, None, parameters::written(self))
            }
        }

        impl<'de> Deserialize<'de> for $params {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let values = BTreeMap::<String, Parameter>::deserialize(deserializer)?;
                let read = Algorithm::from($params::default()).with(values);
                match read.map_err(D::Error::custom)? {
                    Algorithm::$algorithm(params) => Ok(params),
                    _ => Err(D::Error::custom("parameters of another algorithm")),
                }
            }
        }
    )* };
}

params!(
    AutoParams => Auto, CmaEsParams => CmaEs, PsoParams => Pso, DeParams => De, ShadeParams => Shade, SaParams => Sa, SolisWetsParams => SolisWets,
    ScatterSearchParams => ScatterSearch, EpsoParams => Epso, CmepsoParams => Cmepso,
    FwaParams => Fwa, GpuFwaParams => GpuFwa
);
