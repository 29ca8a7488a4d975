//! Functions of the BBOB suite as problems of runs.

use serde::{Deserialize, Serialize};
use warpswarm::problem_file::ProblemFile;
use warpswarm::{Error, bbob};

use super::said::Said;

/// An instance of a BBOB function.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct Bbob {
    of: bbob::Bbob,
    /// The same function with initial points, if there are any.
    file: Option<ProblemFile>,
    start: Vec<Vec<f64>>,
}

/// The representation in `run.toml`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    dimensions: usize,
    instance: u32,
    /// Initial points of individuals, `[point][coordinate]`; NaN for a coordinate that is not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    start: Vec<Vec<f64>>,
}

impl From<Bbob> for Written {
    fn from(Bbob { of, start, .. }: Bbob) -> Self {
        let dimensions = of.optimum_position().len();
        Written { name: of.function().id.into(), dimensions, instance: of.instance(), start }
    }
}

impl TryFrom<Written> for Bbob {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { name, dimensions, instance, start } = written;
        let of = bbob::find(&name)?.instance(instance, dimensions)?;
        let problem = Bbob { of, file: None, start: Vec::new() };
        if start.is_empty() { Ok(problem) } else { problem.beginning_at(start) }
    }
}

impl Bbob {
    /// The function with this name. The defaults are ten dimensions and the first instance.
    pub(super) fn of(name: &str, said: &Said) -> Result<Self, Error> {
        let dimensions = said.dim.map_or(bbob::USUAL_DIMENSIONS, |dim| dim as usize);
        let of = bbob::find(name)?.instance(said.instance.unwrap_or(1), dimensions)?;
        Ok(Bbob { of, file: None, start: Vec::new() })
    }

    pub(super) fn file(&self) -> &ProblemFile {
        self.file.as_ref().unwrap_or(self.of.file())
    }

    pub(super) fn instance(&self) -> u32 {
        self.of.instance()
    }

    pub(super) fn optimum_value(&self) -> f64 {
        self.of.optimum_value()
    }

    /// The same function with these initial points.
    pub(super) fn beginning_at(self, start: Vec<Vec<f64>>) -> Result<Self, Error> {
        let file = Some(self.of.file().clone().beginning_at(&start)?);
        Ok(Bbob { file, start, ..self })
    }
}
