//! What a run minimises: a problem by its name, with bounds.

use serde::{Deserialize, Serialize};
use warpswarm::problems::{self, ProblemInfo};
use warpswarm::{Algorithm, Bounds, Error, Fitness, Optimiser, Precise, Settings};

use crate::args::SolveArgs;
use crate::failure::Failure;

/// What the bounds and a point take, before anything else does: too many dimensions must end in a
/// message.
const BYTES_PER_DIMENSION: usize = 64;

/// A problem with its size and bounds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct Problem {
    info: &'static ProblemInfo,
    shift: f64,
    bounds: Bounds,
}

/// A problem as `run.toml` has it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    dimensions: usize,
    shift: f64,
    lower: Each,
    upper: Each,
}

/// A number for each coordinate; one where all have the same.
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

impl From<Problem> for Written {
    fn from(Problem { info, shift, bounds }: Problem) -> Self {
        let (lower, upper) = (Each::of(bounds.lower()), Each::of(bounds.upper()));
        Written { name: info.id.into(), dimensions: bounds.dimensions(), shift, lower, upper }
    }
}

impl TryFrom<Written> for Problem {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let info = problems::find(&written.name)?;
        let dimensions = written.dimensions;
        info.check_dimensions(dimensions)?;
        let (lower, upper) = (written.lower.of_each(dimensions), written.upper.of_each(dimensions));
        if lower.len() != dimensions {
            return Err(Error::BoundLengths { lower: lower.len(), upper: dimensions });
        }
        Ok(Problem { info, shift: written.shift, bounds: Bounds::new(lower, upper)? })
    }
}

impl Problem {
    /// The problem that the arguments say.
    pub(crate) fn of(args: &SolveArgs) -> Result<Self, Failure> {
        let info = problems::find(&args.problem)?;
        Ok(Problem { info, shift: args.shift, bounds: bounds(args, info)? })
    }

    /// The name that users give it.
    pub(crate) fn id(&self) -> &str {
        self.info.id
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.bounds.dimensions()
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What a coordinate is called; `x1` and so on where it has no name.
    pub(crate) fn coordinate(&self, i: usize) -> String {
        self.info.coordinates.get(i).map_or_else(|| format!("x{}", i + 1), |&name| name.into())
    }

    /// The names of the constraints.
    pub(crate) fn constraint_names(&self) -> Vec<&str> {
        self.info.constraints.iter().map(|constraint| constraint.name).collect()
    }

    /// Violation and value at a point.
    pub(crate) fn fitness(&self, x: &[f64]) -> Fitness<f64> {
        let x: Vec<_> = x.iter().map(|x| x - self.shift).collect();
        self.info.evaluate(&x).map_or(Fitness::WORST, |found| found.fitness)
    }

    /// What minimises it.
    pub(crate) fn optimiser<R: Precise>(
        &self,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>, Failure> {
        if !R::from_f64(self.shift).is_finite() {
            let (shift, name) = (self.shift, R::PRECISION);
            let allowed = format!("allowed: a number that is finite in {name} (--precision)");
            return Err(Failure::Input(format!("--shift is {shift:?}; {allowed}")));
        }
        Ok(self.info.optimiser::<R>(self.shift, &self.bounds, algorithm, settings)?)
    }

    /// Each constraint at `x` with its name, at most zero where it is met. No problem with constraints can be shifted,
    /// so none is here.
    pub(crate) fn constraints<R: Precise>(&self, x: &[R]) -> Vec<(&'static str, R)> {
        let values = self.info.evaluate(x).map_or(Vec::new(), |found| found.constraints);
        self.info.constraints.iter().map(|constraint| constraint.name).zip(values).collect()
    }
}

/// The problem's own bounds, where the arguments do not say otherwise.
fn bounds(args: &SolveArgs, problem: &ProblemInfo) -> Result<Bounds, Failure> {
    let dimensions = args.dim.map_or(problem.dimensions.usual(), |dim| dim as usize);
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
    let (lower, upper) = (or_own(args.lower, own.lower()), or_own(args.upper, own.upper()));
    if let Some(i) = (0..dimensions).find(|&i| lower[i] > upper[i]) {
        let whose = match problem.coordinates.get(i) {
            Some(name) => format!(", the problem's own for {name}"),
            None => ", the problem's own".to_string(),
        };
        let origin = |given: Option<f64>| given.map_or(whose.as_str(), |_| "");
        return Err(Failure::Input(format!(
            "--lower is {:?}{}, above --upper, which is {:?}{}; allowed: lower <= upper",
            lower[i],
            origin(args.lower),
            upper[i],
            origin(args.upper)
        )));
    }
    Ok(Bounds::new(lower, upper)?)
}
