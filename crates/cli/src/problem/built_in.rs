//! Problems of the library, with their bounds.

use serde::{Deserialize, Serialize};
use warpswarm::problems::{self, ProblemInfo};
use warpswarm::{Bounds, Error, MAX_DIMENSIONS};

use super::said::Said;
use crate::failure::Failure;

/// Memory per dimension of the bounds and a point. They are allocated first, and too many dimensions must end in an
/// error message.
const BYTES_PER_DIMENSION: usize = 64;

/// A problem of the library.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct BuiltIn {
    pub(super) info: &'static ProblemInfo,
    pub(super) shift: f64,
    pub(super) bounds: Bounds,
    /// The initial points that `bounds` contains.
    pub(super) start: Vec<Vec<f64>>,
}

/// The representation in `run.toml`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    dimensions: usize,
    shift: f64,
    lower: Each,
    upper: Each,
    /// Initial points of individuals, `[point][coordinate]`; NaN for a coordinate that is not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    start: Vec<Vec<f64>>,
}

/// A number for each coordinate, or one number if it is the same for all.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Each {
    All(f64),
    Of(Vec<f64>),
}

impl Each {
    fn of(all: &[f64]) -> Self {
        let same = all.iter().all(|x| x.to_bits() == all[0].to_bits());
        if same { Each::All(all[0]) } else { Each::Of(all.to_vec()) }
    }

    fn of_each(self, dimensions: usize) -> Vec<f64> {
        match self {
            Each::All(x) => vec![x; dimensions],
            Each::Of(all) => all,
        }
    }
}

impl From<BuiltIn> for Written {
    fn from(BuiltIn { info, shift, bounds, start }: BuiltIn) -> Self {
        let (lower, upper) = (Each::of(bounds.lower()), Each::of(bounds.upper()));
        let (name, dimensions) = (info.id.into(), bounds.dimensions());
        Written { name, dimensions, shift, lower, upper, start }
    }
}

impl TryFrom<Written> for BuiltIn {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let info = problems::find(&written.name)?;
        let dimensions = written.dimensions;
        if dimensions > MAX_DIMENSIONS {
            let (value, allowed) = (dimensions.to_string(), format!("at most {MAX_DIMENSIONS}"));
            return Err(Error::Setting { field: "dimensions", value, allowed });
        }
        info.check_dimensions(dimensions)?;
        let (lower, upper) = (written.lower.of_each(dimensions), written.upper.of_each(dimensions));
        if lower.len() != dimensions {
            return Err(Error::BoundLengths { lower: lower.len(), upper: dimensions });
        }
        let bounds = Bounds::new(lower, upper)?.beginning_at(&written.start)?;
        Ok(BuiltIn { info, shift: written.shift, bounds, start: written.start })
    }
}

/// The bounds from the options, by default those of the problem.
pub(super) fn bounds(said: &Said, problem: &ProblemInfo) -> Result<Bounds, Failure> {
    let dimensions = said.dim.map_or(problem.dimensions.usual(), |dim| dim as usize);
    problem.check_dimensions(dimensions)?;
    let needed = dimensions.saturating_mul(BYTES_PER_DIMENSION);
    if Vec::<u8>::new().try_reserve_exact(needed).is_err() {
        return Err(Failure::Running(format!(
            "out of memory: --dim is {dimensions}, for which even the bounds are too large here"
        )));
    }
    let own = problem.bounds(dimensions)?;
    let or_own = |given: Option<f64>, own: &[f64]| match given {
        Some(bound) => vec![bound; dimensions],
        None => own.to_vec(),
    };
    let (lower, upper) = (or_own(said.lower, own.lower()), or_own(said.upper, own.upper()));
    if let Some(i) = (0..dimensions).find(|&i| lower[i] > upper[i]) {
        let whose = match problem.coordinates.get(i) {
            Some(name) => format!(", the problem's own for {name}"),
            None => ", the problem's own".to_string(),
        };
        let origin = |given: Option<f64>| given.map_or(whose.as_str(), |_| "");
        return Err(Failure::Input(format!(
            "--lower is {:?}{}, above --upper, which is {:?}{}; allowed: lower <= upper",
            lower[i],
            origin(said.lower),
            upper[i],
            origin(said.upper)
        )));
    }
    Ok(Bounds::new(lower, upper)?)
}
