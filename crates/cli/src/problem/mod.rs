//! What a run minimises: a problem by its name, with bounds, or one from a file.

mod bbob;
mod built_in;
mod said;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use warpswarm::problem_file::{DiscreteValue, ProblemFile};
use warpswarm::problems;
use warpswarm::{
    Algorithm, Best, Bounds, CheckReport, Constraints, Error, Fitness, Optimiser, Precise,
    Precision, Settings,
};

use crate::failure::Failure;
use crate::input;
use bbob::Bbob;
use built_in::{BuiltIn, bounds};
pub(crate) use said::Said;

/// A problem with its size and bounds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub(crate) enum Problem {
    BuiltIn(BuiltIn),
    Bbob(Box<Bbob>),
    File(Box<ProblemFile>),
}

/// What a problem is evaluated by.
#[derive(Clone, Copy, Debug)]
enum Evaluated<'a> {
    BuiltIn(&'a BuiltIn),
    File(&'a ProblemFile),
}

/// What is said where `--instance` belongs to no problem.
const INSTANCE: &str = ", which only bbob-f1 to bbob-f24 have";

impl Problem {
    /// Whether a name is a file's.
    pub(crate) fn is_file(name: &str) -> bool {
        name.ends_with(".toml")
    }

    /// Whether a name is that of a function of the BBOB suite, or looks like one.
    pub(crate) fn is_bbob(name: &str) -> bool {
        name.to_lowercase().starts_with("bbob")
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
        let text = input::text(path).unwrap_or_default();
        let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
        table.get("data").iter().for_each(|data| texts(data, &mut found));
        found.iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
    }

    /// The problem of a name: a file where it ends in `.toml`.
    pub(crate) fn of(name: &str, said: &Said) -> Result<Self, Failure> {
        if Problem::is_file(name) {
            return Problem::of_file(name, said, || ProblemFile::load(name));
        }
        if Problem::is_bbob(name) {
            let whose = format!(" beside {name}, which is within -5 and 5");
            said.refuse(&["--lower", "--upper", "--shift"], &whose)?;
            return Ok(Problem::Bbob(Box::new(Bbob::of(name, said)?)));
        }
        said.refuse(&["--instance"], INSTANCE)?;
        let info = problems::find(name)?;
        let bounds = bounds(said, info)?;
        Ok(Problem::BuiltIn(BuiltIn { info, shift: said.shift, bounds, start: Vec::new() }))
    }

    /// The problem that a file describes, or a caller.
    pub(crate) fn of_file(
        name: &str,
        said: &Said,
        file: impl FnOnce() -> Result<ProblemFile, Error>,
    ) -> Result<Self, Failure> {
        let whose = format!(" beside {name}, which gives its variables and their bounds");
        said.refuse(&["--dim", "--lower", "--upper", "--shift"], &whose)?;
        said.refuse(&["--instance"], INSTANCE)?;
        Ok(Problem::File(Box::new(file()?)))
    }

    /// The name that users give it.
    pub(crate) fn id(&self) -> &str {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.id,
            Evaluated::File(file) => file.name(),
        }
    }

    /// Which instance it is, of a function of the BBOB suite.
    pub(crate) fn instance(&self) -> Option<u32> {
        match self {
            Problem::Bbob(of) => Some(of.instance()),
            _ => None,
        }
    }

    fn evaluated(&self) -> Evaluated<'_> {
        match self {
            Problem::BuiltIn(problem) => Evaluated::BuiltIn(problem),
            Problem::Bbob(of) => Evaluated::File(of.file()),
            Problem::File(file) => Evaluated::File(file),
        }
    }

    /// Whether more is better.
    pub(crate) fn maximises(&self) -> bool {
        matches!(self, Problem::File(file) if file.maximises())
    }

    /// What counts of its constraints, unless that is said. Equations and narrow bands leave the usual rule no room; without them, a
    /// population that has closed in on a point where a level allows it may not follow when the level falls.
    pub(crate) fn usual_constraints(&self) -> Constraints {
        match self.evaluated() {
            Evaluated::File(file) if file.is_tight() => Constraints::Epsilon,
            _ => Constraints::FeasibleFirst,
        }
    }

    /// The file that has models which a picture can show beside data.
    pub(crate) fn with_models(&self) -> Option<&ProblemFile> {
        match self.evaluated() {
            Evaluated::File(file) if file.has_fit() => Some(file),
            _ => None,
        }
    }

    /// The best value that is known of it.
    pub(crate) fn optimum(&self) -> Option<f64> {
        match self {
            Problem::BuiltIn(problem) => problem.info.optimum_value(self.dimensions()),
            Problem::Bbob(of) => Some(of.optimum_value()),
            Problem::File(_) => None,
        }
    }

    /// What is added to every coordinate; nothing is said of a file's.
    pub(crate) fn shift(&self) -> Option<f64> {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => Some(problem.shift),
            Evaluated::File(_) => None,
        }
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.bounds().dimensions()
    }

    pub(crate) fn bounds(&self) -> &Bounds {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => &problem.bounds,
            Evaluated::File(file) => file.bounds(),
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
        let stands_for = |number: usize| match self.discrete_value(i, number as f64)? {
            DiscreteValue::Name(name) => Some(format!("{number} {name}")),
            DiscreteValue::Value(value) => Some(format!("{number} is {value:?}")),
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
            // All are elements of one vector.
            Problem::Bbob(_) => None,
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
            Problem::Bbob(of) => Problem::Bbob(Box::new(of.beginning_at(points)?)),
            Problem::File(file) => Problem::File(Box::new(file.beginning_at(&points)?)),
        })
    }

    /// The number of coordinate `i` that a text stands for, or what is allowed.
    pub(crate) fn coordinate_of(&self, i: usize, text: &str) -> Result<f64, String> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => text.parse().map_err(|_| "a number".into()),
            Evaluated::File(file) => file.coordinate_of(i, text),
        }
    }

    /// What `x` in coordinate `i` stands for, where it is not itself.
    pub(crate) fn discrete_value<R: Precise>(&self, i: usize, x: R) -> Option<DiscreteValue<'_>> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => None,
            Evaluated::File(file) => file.discrete_value(i, x),
        }
    }

    /// What `x` in coordinate `i` means, with its unit, for people.
    pub(crate) fn shown<R: Precise>(&self, i: usize, x: R) -> String {
        let number = match self.discrete_value(i, x) {
            Some(DiscreteValue::Name(name)) => name.into(),
            Some(DiscreteValue::Value(value)) => format!("{value:?}"),
            None => format!("{x:?}"),
        };
        let unit = match self.evaluated() {
            Evaluated::BuiltIn(_) => None,
            Evaluated::File(file) => file.unit(i),
        };
        unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
    }

    /// What looks like a mistake in this precision.
    pub(crate) fn warnings<R: Precise>(&self) -> Vec<String> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => Vec::new(),
            Evaluated::File(file) => file.warnings::<R>(),
        }
    }

    /// Whether CPU and device agree, and how fast they are.
    pub(crate) fn check<R: Precise>(&self, settings: &Settings) -> Result<CheckReport<R>, Error> {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.check(&problem.bounds, settings),
            Evaluated::File(file) => file.check(settings),
        }
    }

    /// The names of the constraints.
    pub(crate) fn constraint_names(&self) -> Vec<&str> {
        match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, .. }) => {
                info.constraints.iter().map(|constraint| constraint.name).collect()
            }
            Evaluated::File(file) => file.constraints().map(|(name, _)| name).collect(),
        }
    }

    /// Violation and value at a point.
    pub(crate) fn fitness(&self, x: &[f64]) -> Fitness<f64> {
        let found = match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, shift, .. }) => {
                info.evaluate(&x.iter().map(|x| x - shift).collect::<Vec<_>>())
            }
            Evaluated::File(file) => file.evaluate(x),
        };
        found.map_or(Fitness::WORST, |found| found.fitness)
    }

    /// The same as it is computed in another precision.
    pub(crate) fn fitness_in<R: Precise>(&self, x: &[R]) -> Fitness<f64> {
        let found = match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, .. }) => info.evaluate(x),
            Evaluated::File(file) => file.evaluate(x),
        };
        let wide =
            |of: Fitness<R>| Fitness { violation: of.violation.to_f64(), value: of.value.to_f64() };
        found.map_or(Fitness::WORST, |found| wide(found.fitness))
    }

    /// Value and violation at the best point of a run in `f32`, computed again in `f64`.
    pub(crate) fn again_in_f64<R: Precise>(&self, best: &Best<R>) -> Option<Fitness<f64>> {
        if R::PRECISION != Precision::F32 {
            return None;
        }
        let point: Vec<f64> = best.position.iter().map(|x| x.to_f64()).collect();
        Some(self.fitness(&point))
    }

    /// What minimises it.
    pub(crate) fn optimiser<R: Precise>(
        &self,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>, Error> {
        let BuiltIn { info, shift, bounds, .. } = match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem,
            Evaluated::File(file) => return file.optimiser(algorithm, settings),
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
        let found = match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.evaluate(x),
            Evaluated::File(file) => file.evaluate(x),
        };
        let values = found.map_or(Vec::new(), |found| found.constraints);
        self.constraint_names().into_iter().zip(values).collect()
    }
}
