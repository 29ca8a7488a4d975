//! What a run minimises: a problem by its name, with bounds, or one from a file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use warpswarm::problem_file::{Chosen, ProblemFile};
use warpswarm::problems::{self, ProblemInfo};
use warpswarm::{
    Algorithm, Bounds, Checked, Constraints, Error, Fitness, MAX_DIMENSIONS, Optimiser, Precise,
    Settings,
};

use crate::failure::Failure;
use crate::files;

/// What the bounds and a point take, before anything else does: too many dimensions must end in a
/// message.
const BYTES_PER_DIMENSION: usize = 64;

/// A problem with its size and bounds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub(crate) enum Problem {
    BuiltIn(BuiltIn),
    File(Box<ProblemFile>),
}

/// A problem of the library's.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct BuiltIn {
    info: &'static ProblemInfo,
    shift: f64,
    bounds: Bounds,
    /// The points at which `bounds` has individuals begin.
    start: Vec<Vec<f64>>,
}

/// The same as `run.toml` has it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    dimensions: usize,
    shift: f64,
    lower: Each,
    upper: Each,
    /// Points from which individuals begin, `[point][coordinate]`; NaN where nothing is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    start: Vec<Vec<f64>>,
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

/// What is said of a problem beside its name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    pub(crate) dim: Option<u64>,
    pub(crate) shift: f64,
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
}

impl Problem {
    /// Whether a name is a file's.
    pub(crate) fn is_file(name: &str) -> bool {
        name.ends_with(".toml")
    }

    /// The files of data that a problem file names: every text in its table of data that is a file beside it.
    pub(crate) fn data_files(path: &Path) -> Vec<PathBuf> {
        fn texts(value: &toml::Value, found: &mut Vec<String>) {
            match value {
                toml::Value::String(text) => found.push(text.clone()),
                toml::Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
                toml::Value::Table(all) => all.values().for_each(|one| texts(one, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        let folder = path.parent().unwrap_or(Path::new(""));
        // What is wrong with it is said by whoever reads the problem.
        let text = files::text(path).unwrap_or_default();
        let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
        table.get("data").iter().for_each(|data| texts(data, &mut found));
        found.iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
    }

    /// The problem of a name: a file where it ends in `.toml`.
    pub(crate) fn of(name: &str, said: &Said) -> Result<Self, Failure> {
        if !Problem::is_file(name) {
            let info = problems::find(name)?;
            let bounds = bounds(said, info)?;
            let start = Vec::new();
            return Ok(Problem::BuiltIn(BuiltIn { info, shift: said.shift, bounds, start }));
        }
        // A file says by itself what these would.
        let shift = (said.shift != 0.0).then_some(said.shift);
        let given = [("--lower", said.lower), ("--upper", said.upper), ("--shift", shift)];
        let given = given.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let given = said.dim.map(|dim| ("--dim", dim as f64)).into_iter().chain(given).next();
        if let Some((option, value)) = given {
            return Err(Failure::Input(format!(
                "{option} is {value}; allowed: nothing beside {name}, which gives its variables and their bounds"
            )));
        }
        Ok(Problem::File(Box::new(ProblemFile::load(name)?)))
    }

    /// The name that users give it.
    pub(crate) fn id(&self) -> &str {
        match self {
            Problem::BuiltIn(problem) => problem.info.id,
            Problem::File(file) => file.name(),
        }
    }

    /// Whether more is better.
    pub(crate) fn maximises(&self) -> bool {
        matches!(self, Problem::File(file) if file.maximises())
    }

    /// What counts of its constraints, unless that is said: those of a file may be equations, which have no room for the
    /// other rule, and those of papers are searched as papers do.
    pub(crate) fn usual_constraints(&self) -> Constraints {
        match self {
            Problem::File(_) if !self.constraint_names().is_empty() => Constraints::Epsilon,
            _ => Constraints::FeasibleFirst,
        }
    }

    /// The file that has models which a picture can show beside data.
    pub(crate) fn with_models(&self) -> Option<&ProblemFile> {
        match self {
            Problem::File(file) if file.has_fit() => Some(file),
            _ => None,
        }
    }

    /// The best value that is known of it.
    pub(crate) fn optimum(&self) -> Option<f64> {
        match self {
            Problem::BuiltIn(problem) => problem.info.optimum_value(self.dimensions()),
            Problem::File(_) => None,
        }
    }

    /// What is added to every coordinate; nothing is said of a file's.
    pub(crate) fn shift(&self) -> Option<f64> {
        match self {
            Problem::BuiltIn(problem) => Some(problem.shift),
            Problem::File(_) => None,
        }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.bounds().dimensions()
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        match self {
            Problem::BuiltIn(problem) => &problem.bounds,
            Problem::File(file) => file.bounds(),
        }
    }

    /// What a coordinate is called; `x1` and so on where it has no name.
    pub(crate) fn coordinate(&self, i: usize) -> String {
        self.coordinate_name(i).unwrap_or_else(|| format!("x{}", i + 1))
    }

    /// The same with what its numbers stand for, where that are a few names or values.
    pub(crate) fn labelled(&self, i: usize) -> String {
        const MOST: usize = 8;
        let name = self.coordinate(i);
        let count = self.bounds().upper()[i] as usize;
        let stands_for = |number: usize| match self.chosen(i, number as f64)? {
            Chosen::Name(name) => Some(format!("{number} {name}")),
            Chosen::Value(value) => Some(format!("{number} is {value:?}")),
        };
        let all: Vec<String> = (1..=count.min(MOST)).map_while(stands_for).collect();
        match all.len() {
            0 => name,
            some if some < count => name,
            _ => format!("{name} ({})", all.join(", ")),
        }
    }

    /// What the coordinates are called; none where they have no names.
    pub(crate) fn coordinate_names(&self) -> Vec<String> {
        (0..self.dimensions()).map_while(|i| self.coordinate_name(i)).collect()
    }

    fn coordinate_name(&self, i: usize) -> Option<String> {
        match self {
            Problem::BuiltIn(problem) => problem.info.coordinates.get(i).map(|&name| name.into()),
            Problem::File(file) => file.coordinate(i),
        }
    }

    /// The same, whose first individuals begin at these points.
    pub(crate) fn beginning_at(self, points: Vec<Vec<f64>>) -> Result<Self, Error> {
        Ok(match self {
            Problem::BuiltIn(of) => {
                let bounds = of.bounds.beginning_at(&points)?;
                Problem::BuiltIn(BuiltIn { bounds, start: points, ..of })
            }
            Problem::File(file) => Problem::File(Box::new(file.beginning_at(&points)?)),
        })
    }

    /// The number of coordinate `i` that a text stands for, or what is allowed.
    pub(crate) fn coordinate_of(&self, i: usize, text: &str) -> Result<f64, String> {
        match self {
            Problem::BuiltIn(_) => text.parse().map_err(|_| "a number".into()),
            Problem::File(file) => file.coordinate_of(i, text),
        }
    }

    /// What `x` in coordinate `i` stands for, where it is not itself.
    pub(crate) fn chosen<R: Precise>(&self, i: usize, x: R) -> Option<Chosen<'_>> {
        match self {
            Problem::BuiltIn(_) => None,
            Problem::File(file) => file.chosen(i, x),
        }
    }

    /// What `x` in coordinate `i` means, with its unit, for people.
    pub(crate) fn shown<R: Precise>(&self, i: usize, x: R) -> String {
        let number = match self.chosen(i, x) {
            Some(Chosen::Name(name)) => name.into(),
            Some(Chosen::Value(value)) => format!("{value:?}"),
            None => format!("{x:?}"),
        };
        let unit = match self {
            Problem::BuiltIn(_) => None,
            Problem::File(file) => file.unit(i),
        };
        unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
    }

    /// What looks like a mistake in this precision.
    pub(crate) fn warnings<R: Precise>(&self) -> Vec<String> {
        match self {
            Problem::BuiltIn(_) => Vec::new(),
            Problem::File(file) => file.warnings::<R>(),
        }
    }

    /// Whether CPU and device agree, and how fast they are.
    pub(crate) fn check<R: Precise>(&self, settings: &Settings) -> Result<Checked<R>, Error> {
        match self {
            Problem::BuiltIn(problem) => problem.info.check(&problem.bounds, settings),
            Problem::File(file) => file.check(settings),
        }
    }

    /// The names of the constraints.
    pub(crate) fn constraint_names(&self) -> Vec<&str> {
        match self {
            Problem::BuiltIn(BuiltIn { info, .. }) => {
                info.constraints.iter().map(|constraint| constraint.name).collect()
            }
            Problem::File(file) => file.constraints().map(|(name, _)| name).collect(),
        }
    }

    /// Violation and value at a point.
    pub(crate) fn fitness(&self, x: &[f64]) -> Fitness<f64> {
        let found = match self {
            Problem::BuiltIn(BuiltIn { info, shift, .. }) => {
                info.evaluate(&x.iter().map(|x| x - shift).collect::<Vec<_>>())
            }
            Problem::File(file) => file.evaluate(x),
        };
        found.map_or(Fitness::WORST, |found| found.fitness)
    }

    /// The same as it is computed in another precision.
    pub(crate) fn fitness_in<R: Precise>(&self, x: &[R]) -> Fitness<f64> {
        let found = match self {
            Problem::BuiltIn(BuiltIn { info, .. }) => info.evaluate(x),
            Problem::File(file) => file.evaluate(x),
        };
        let wide =
            |of: Fitness<R>| Fitness { violation: of.violation.to_f64(), value: of.value.to_f64() };
        found.map_or(Fitness::WORST, |found| wide(found.fitness))
    }

    /// What minimises it.
    pub(crate) fn optimiser<R: Precise>(
        &self,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>, Error> {
        let BuiltIn { info, shift, bounds, .. } = match self {
            Problem::BuiltIn(problem) => problem,
            Problem::File(file) => return file.optimiser(algorithm, settings),
        };
        if !R::from_f64(*shift).is_finite() {
            let allowed = format!("a number that is finite in {} (--precision)", R::PRECISION);
            return Err(Error::Setting { field: "shift", value: format!("{shift:?}"), allowed });
        }
        info.optimiser::<R>(*shift, bounds, algorithm, settings)
    }

    /// Each constraint at `x` with its name, at most zero where it is met. No problem with constraints can be shifted,
    /// so none is here.
    pub(crate) fn constraints<R: Precise>(&self, x: &[R]) -> Vec<(&str, R)> {
        let found = match self {
            Problem::BuiltIn(problem) => problem.info.evaluate(x),
            Problem::File(file) => file.evaluate(x),
        };
        let values = found.map_or(Vec::new(), |found| found.constraints);
        self.constraint_names().into_iter().zip(values).collect()
    }
}

/// The problem's own bounds, where nothing else is said.
fn bounds(said: &Said, problem: &ProblemInfo) -> Result<Bounds, Failure> {
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
