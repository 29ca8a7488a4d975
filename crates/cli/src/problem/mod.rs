//! The problem of a run: a problem of the library with its bounds, or one from a file.

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

/// The type that evaluates a problem.
#[derive(Clone, Copy, Debug)]
enum Evaluated<'a> {
    BuiltIn(&'a BuiltIn),
    File(&'a ProblemFile),
}

/// The end of the message if `--instance` is used with another problem.
const INSTANCE: &str = ", which only bbob-f1 to bbob-f24 have";

impl Problem {
    /// Whether a name is the path of a file.
    pub(crate) fn is_file(name: &str) -> bool {
        name.ends_with(".toml")
    }

    /// Whether a name is that of a BBOB function, or resembles one.
    pub(crate) fn is_bbob(name: &str) -> bool {
        name.to_lowercase().starts_with("bbob")
    }

    /// The data files of a problem file: every text in its table `data` that is the path of a file, relative to the
    /// problem file.
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
        // Errors in the file are reported by the code that reads the problem.
        let text = input::text(path).unwrap_or_default();
        let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
        table.get("data").iter().for_each(|data| texts(data, &mut found));
        found.iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
    }

    /// The problem with this name. If the name ends in `.toml`, it is a file.
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

    /// The problem that a file describes or a caller supplies.
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

    /// The name by which users refer to it.
    pub(crate) fn id(&self) -> &str {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.id,
            Evaluated::File(file) => file.name(),
        }
    }

    /// The instance, for a BBOB function.
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

    /// Whether the problem is maximised.
    pub(crate) fn maximises(&self) -> bool {
        matches!(self, Problem::File(file) if file.maximises())
    }

    /// The default rule for comparing points that violate constraints. Equations and narrow bands leave `FeasibleFirst`
    /// almost no feasible points. Other problems do not use `Epsilon`: a population that has converged to a point
    /// within the current tolerance may not move when the tolerance is reduced.
    pub(crate) fn usual_constraints(&self) -> Constraints {
        match self.evaluated() {
            Evaluated::File(file) if file.is_tight() => Constraints::Epsilon,
            _ => Constraints::FeasibleFirst,
        }
    }

    /// The problem file, if it has models over data, which a picture can show.
    pub(crate) fn with_models(&self) -> Option<&ProblemFile> {
        match self.evaluated() {
            Evaluated::File(file) if file.has_fit() => Some(file),
            _ => None,
        }
    }

    /// The best known value.
    pub(crate) fn optimum(&self) -> Option<f64> {
        match self {
            Problem::BuiltIn(problem) => problem.info.optimum_value(self.dimensions()),
            Problem::Bbob(of) => Some(of.optimum_value()),
            Problem::File(_) => None,
        }
    }

    /// The number that is added to every coordinate; `None` for a problem file.
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

    /// The name of a coordinate; `x1` and so on if it has none.
    pub(crate) fn coordinate(&self, i: usize) -> String {
        self.coordinate_name(i).unwrap_or_else(|| format!("x{}", i + 1))
    }

    /// The same with the meanings of its numbers, if the coordinate is discrete and has only a few values.
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

    /// The names of the coordinates; empty if they have none.
    pub(crate) fn coordinate_names(&self) -> Vec<String> {
        (0..self.dimensions()).map_while(|i| self.coordinate_name(i)).collect()
    }

    fn coordinate_name(&self, i: usize) -> Option<String> {
        match self {
            Problem::BuiltIn(problem) => problem.info.coordinates.get(i).map(|&name| name.into()),
            // All coordinates are elements of one vector.
            Problem::Bbob(_) => None,
            Problem::File(file) => file.coordinate(i),
        }
    }

    /// The same problem with these initial points.
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

    /// Parses a text as coordinate `i`; the error says what is allowed.
    pub(crate) fn coordinate_of(&self, i: usize, text: &str) -> Result<f64, String> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => text.parse().map_err(|_| "a number".into()),
            Evaluated::File(file) => file.coordinate_of(i, text),
        }
    }

    /// The name or value that `x` stands for, if coordinate `i` is discrete.
    pub(crate) fn discrete_value<R: Precise>(&self, i: usize, x: R) -> Option<DiscreteValue<'_>> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => None,
            Evaluated::File(file) => file.discrete_value(i, x),
        }
    }

    /// The meaning of `x` in coordinate `i`, with its unit, for people.
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

    /// Properties that look like mistakes in this precision.
    pub(crate) fn warnings<R: Precise>(&self) -> Vec<String> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => Vec::new(),
            Evaluated::File(file) => file.warnings::<R>(),
        }
    }

    /// Compares the results and the speed of CPU and device.
    pub(crate) fn check<R: Precise>(&self, settings: &Settings) -> Result<CheckReport<R>, Error> {
        match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.check(&problem.bounds, settings),
            Evaluated::File(file) => file.check(settings),
        }
    }

    pub(crate) fn constraint_names(&self) -> Vec<&str> {
        match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, .. }) => {
                info.constraints.iter().map(|constraint| constraint.name).collect()
            }
            Evaluated::File(file) => file.constraints().map(|(name, _)| name).collect(),
        }
    }

    /// Value and violation at a point.
    pub(crate) fn fitness(&self, x: &[f64]) -> Fitness<f64> {
        let found = match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, shift, .. }) => {
                info.evaluate(&x.iter().map(|x| x - shift).collect::<Vec<_>>())
            }
            Evaluated::File(file) => file.evaluate(x),
        };
        found.map_or(Fitness::WORST, |found| found.fitness)
    }

    /// The same, evaluated in another precision.
    pub(crate) fn fitness_in<R: Precise>(&self, x: &[R]) -> Fitness<f64> {
        let found = match self.evaluated() {
            Evaluated::BuiltIn(BuiltIn { info, .. }) => info.evaluate(x),
            Evaluated::File(file) => file.evaluate(x),
        };
        let wide =
            |of: Fitness<R>| Fitness { violation: of.violation.to_f64(), value: of.value.to_f64() };
        found.map_or(Fitness::WORST, |found| wide(found.fitness))
    }

    /// Value and violation at the best point of a run in `f32`, recomputed in `f64`.
    pub(crate) fn again_in_f64<R: Precise>(&self, best: &Best<R>) -> Option<Fitness<f64>> {
        if R::PRECISION != Precision::F32 {
            return None;
        }
        let point: Vec<f64> = best.position.iter().map(|x| x.to_f64()).collect();
        Some(self.fitness(&point))
    }

    /// The optimiser for this problem.
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

    /// The single numbers of a problem file's `[let]` at `x`, with their names.
    pub(crate) fn let_values<R: Precise>(&self, x: &[R]) -> Vec<(&str, R)> {
        match self.evaluated() {
            Evaluated::BuiltIn(_) => Vec::new(),
            Evaluated::File(file) => file.let_values(x).unwrap_or_default(),
        }
    }

    /// Each constraint at `x` with its name; at most zero if it is met. Problems with constraints cannot be shifted, so
    /// the shift is ignored here.
    pub(crate) fn constraints<R: Precise>(&self, x: &[R]) -> Vec<(&str, R)> {
        let found = match self.evaluated() {
            Evaluated::BuiltIn(problem) => problem.info.evaluate(x),
            Evaluated::File(file) => file.evaluate(x),
        };
        let values = found.map_or(Vec::new(), |found| found.constraints);
        self.constraint_names().into_iter().zip(values).collect()
    }
}
