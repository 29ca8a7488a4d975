//! Bounds as serde writes and reads them.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use warpswarm_core::variable::Scale;

use super::Bounds;
use crate::error::{Error, Result};
use crate::serial::Number;

/// Bounds without the names of their coordinates.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Ranges {
    /// One for each run with its own bounds; a single one if all runs have the same.
    runs: Vec<Range>,
    /// `[coordinate]`; empty if all are linear.
    #[serde(default)]
    scales: Vec<ScaleName>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Range {
    lower: Vec<f64>,
    upper: Vec<f64>,
    #[serde(default)]
    first: Vec<Vec<Number<f64>>>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ScaleName {
    Linear,
    Log,
    Integer,
}

impl Serialize for Bounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = |scale: &Scale| match scale {
            Scale::Linear => ScaleName::Linear,
            Scale::Log => ScaleName::Log,
            Scale::Integer => ScaleName::Integer,
        };
        let linear = self.scales().iter().all(|scale| *scale == Scale::Linear);
        let scales = if linear { Vec::new() } else { self.scales().iter().map(name).collect() };
        let range = |(lower, upper, first): (&[f64], &[f64], &[f64])| {
            // A missing point consists of NaN.
            let given = first.chunks(lower.len()).filter(|point| !point.iter().all(|x| x.is_nan()));
            let first = given.map(|point| point.iter().copied().map(Number).collect()).collect();
            Range { lower: lower.to_vec(), upper: upper.to_vec(), first }
        };
        Ranges { runs: self.by_run().map(range).collect(), scales }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Ranges { runs, scales } = Ranges::deserialize(deserializer)?;
        let scale = |name: &ScaleName| match name {
            ScaleName::Linear => Scale::Linear,
            ScaleName::Log => Scale::Log,
            ScaleName::Integer => Scale::Integer,
        };
        let bounds = |range: Range| -> Result<Bounds> {
            let bounds = Bounds::new(range.lower, range.upper)?;
            let bounds = match scales.is_empty() {
                true => bounds,
                false => bounds.with_scales(scales.iter().map(scale))?,
            };
            let point = |point: &Vec<Number<f64>>| point.iter().map(|x| x.0).collect::<Vec<_>>();
            bounds.beginning_at(&range.first.iter().map(point).collect::<Vec<_>>())
        };
        let read = |runs: Vec<Range>| -> Result<Bounds> {
            let runs = runs.into_iter().map(bounds).collect::<Result<Vec<_>>>()?;
            Bounds::of_runs(runs)
        };
        read(runs).map_err(|error: Error| D::Error::custom(error))
    }
}
