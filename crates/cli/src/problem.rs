//! The problem that `solve` is asked to minimise: a built-in one, or one from a file.

use warpswarm::problem_file::ProblemFile;
use warpswarm::problems::{self, ProblemInfo};
use warpswarm::{Algorithm, Bounds, Error, Optimiser, Precise, Settings};

use crate::args::SolveArgs;
use crate::failure::Failure;

/// A problem, wherever it is from.
#[derive(Debug)]
pub(crate) enum Problem {
    BuiltIn(&'static ProblemInfo),
    File(Box<ProblemFile>),
}

impl Problem {
    /// The problem that the arguments name: a file where that ends in `.toml`.
    pub(crate) fn find(args: &SolveArgs) -> Result<Problem, Failure> {
        if !args.problem.ends_with(".toml") {
            return Ok(Problem::BuiltIn(problems::find(&args.problem)?));
        }
        // A file says by itself what these would.
        let shift = (args.shift != 0.0).then_some(args.shift);
        let given = [("--lower", args.lower), ("--upper", args.upper), ("--shift", shift)];
        let given = given.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let given = args.dim.map(|dim| ("--dim", dim as f64)).into_iter().chain(given).next();
        if let Some((option, value)) = given {
            let file = &args.problem;
            return Err(Failure::Input(format!(
                "{option} is {value}; allowed: nothing beside {file}, which gives its variables and their bounds"
            )));
        }
        Ok(Problem::File(Box::new(ProblemFile::load(&args.problem)?)))
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Problem::BuiltIn(info) => info.id,
            Problem::File(file) => file.name(),
        }
    }

    pub(crate) fn optimiser<R: Precise>(
        &self,
        shift: f64,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>, Error> {
        match self {
            Problem::BuiltIn(info) => info.optimiser(shift, bounds, algorithm, settings),
            Problem::File(file) => file.optimiser(algorithm, settings),
        }
    }

    /// The constraints' names, and their values at `x`. No problem with constraints can be shifted, so none is here.
    pub(crate) fn constraints<R: Precise>(&self, x: &[R]) -> Vec<(&str, R)> {
        let (names, at): (Vec<&str>, _) = match self {
            Problem::BuiltIn(info) => (
                info.constraints.iter().map(|constraint| constraint.name).collect(),
                info.evaluate(x),
            ),
            Problem::File(file) => {
                (file.constraints().map(|(name, _)| name).collect(), file.evaluate(x))
            }
        };
        names.into_iter().zip(at.map_or(Vec::new(), |at| at.constraints)).collect()
    }
}
