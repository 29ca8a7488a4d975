//! From a file's text to a problem, with everything checked.

use std::collections::HashMap;
use std::path::Path;

use warpswarm_core::variable::Scale;

use super::columns;
use super::compile::{Compiler, Meaning, NAMES};
use super::cpu::Machines;
use super::file::{self, Constant, File, Variable};
use super::graph::Whole;
use super::problem::ProblemFile;
use super::syntax::{self, Mistake};
use crate::bounds::{Bounds, Scales};
use crate::error::{Error, Result};

/// What is known of a file besides its text.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    pub(super) data: DataFrom<'a>,
    /// What it is called unless it says otherwise.
    pub(super) name: &'a str,
}

/// How far from each other the sides of an equation may be where a file does not say.
const TOLERANCE: f64 = 1e-6;

/// Where a file's data are.
pub(super) enum DataFrom<'a> {
    /// There may be none.
    Nowhere,
    /// In a file in this folder.
    Folder(&'a Path),
    /// Here, `[column][row]`.
    Here(&'a [Vec<f64>]),
}

impl Reader<'_> {
    fn said(&self, message: impl Into<String>) -> Error {
        Error::ProblemFile { file: self.file.into(), message: message.into() }
    }

    fn mistake(&self, key: &str, text: &str, mistake: Mistake) -> Error {
        Error::Expression {
            file: self.file.into(),
            key: key.into(),
            text: text.into(),
            at: mistake.at,
            message: mistake.what,
        }
    }

    pub(super) fn read(&self, text: &str) -> Result<ProblemFile> {
        let file: File =
            toml::from_str(text).map_err(|error| self.said(error.to_string().trim_end()))?;
        let (key, formula, maximises) = match (file.minimise, file.maximise) {
            (Some(formula), None) => ("minimise", formula, false),
            (None, Some(formula)) => ("maximise", formula, true),
            _ => return Err(self.said("allowed: either minimise or maximise")),
        };
        let mut names = HashMap::new();
        let bounds = self.variables(&file.variables.0, &mut names)?;
        let mut first = 0;
        let variables = file.variables.0.iter().map(|(name, variable)| {
            first += variable.count.unwrap_or(1);
            (name.clone(), first - variable.count.unwrap_or(1), variable.count)
        });
        let variables = variables.collect();
        self.constants(&file.constants.0, &mut names)?;
        let mut data = Vec::new();
        if let Some(of) = &file.data {
            data = self.data(of, &mut names)?;
        }
        let keys: Vec<String> = std::iter::once(key.to_string())
            .chain(file.constraints.0.iter().map(|(name, _)| format!("constraints.{name}")))
            .collect();
        let texts: Vec<&str> = std::iter::once(&*formula)
            .chain(file.constraints.0.iter().map(|(_, constraint)| constraint.condition()))
            .collect();
        let tolerances = self.tolerances(&file.constraints.0, file.tolerance)?;
        let in_file = |(number, mistake): (usize, Mistake)| {
            self.mistake(&keys[number], texts[number], mistake)
        };
        let trees = texts.iter().enumerate().map(|(number, text)| {
            syntax::parse(text).map_err(|mistake| in_file((number, mistake)))
        });
        let trees = trees.collect::<Result<Vec<_>>>()?;
        let name = file.name.as_deref().unwrap_or(self.name).to_string();
        let constraints = file.constraints.0.iter();
        let problem = ProblemFile {
            name,
            formula: formula.clone(),
            maximises,
            bounds,
            variables,
            constraints: constraints
                .map(|(name, of)| (name.clone(), of.condition().into()))
                .collect(),
            tolerances,
            names,
            data,
            trees,
            text: text.into(),
            machines: Machines::default(),
        };
        let scales = Scales::<f64>::new(&problem.bounds, maximises);
        let (program, _) =
            problem.compile(scales.codes(), maximises, true, false).map_err(in_file)?;
        if !program.fits() {
            return Err(self.said("too many results are needed at a time; allowed: 256"));
        }
        Ok(problem)
    }

    /// How far from each other the sides of an equation may be, of each constraint.
    fn tolerances(
        &self,
        constraints: &[(String, file::Constraint)],
        of_all: Option<f64>,
    ) -> Result<Vec<f64>> {
        let of_all = of_all.unwrap_or(TOLERANCE);
        let of = |(name, constraint): &(String, file::Constraint)| {
            (name.clone(), constraint.tolerance())
        };
        let all = constraints.iter().map(of);
        let checked = |(name, tolerance): (String, Option<f64>)| {
            let (tolerance, key) = match tolerance {
                Some(tolerance) => (tolerance, format!("constraints.{name}: tolerance")),
                None => (of_all, "tolerance".into()),
            };
            if tolerance.is_finite() && tolerance >= 0.0 {
                return Ok(tolerance);
            }
            Err(self.said(format!("{key} is {tolerance}; allowed: a number from 0 on")))
        };
        all.map(checked).collect()
    }

    /// Checks that a name can stand for something.
    fn name(&self, table: &str, name: &str, names: &HashMap<String, Meaning>) -> Result<()> {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word = name.chars().all(letters) && !name.starts_with(|c: char| c.is_ascii_digit());
        let wrong = if name.is_empty() || !is_word {
            "allowed: letters, digits and _, a letter first"
        } else if names.contains_key(name) {
            "which has a meaning already; allowed: each name once"
        } else if NAMES.contains(&name) {
            "which expressions have already; allowed: another name"
        } else {
            return Ok(());
        };
        Err(self.said(format!("{table} has `{name}`; {wrong}").replace("; which", ", which")))
    }

    fn variables(
        &self,
        variables: &[(String, Variable)],
        names: &mut HashMap<String, Meaning>,
    ) -> Result<Bounds> {
        let (mut lower, mut upper, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for (name, variable) in variables {
            self.name("[variables]", name, names)?;
            let wrong = |what: String| self.said(format!("variable `{name}`: {what}"));
            let count = variable.count.unwrap_or(1) as usize;
            if count == 0 || lower.len() + count > crate::MAX_DIMENSIONS {
                let allowed = crate::MAX_DIMENSIONS;
                return Err(wrong(format!("count is {count}; allowed: 1 to {allowed} in all")));
            }
            let one = Bounds::new(vec![variable.lower], vec![variable.upper]);
            let scale = Scale::from(variable.scale);
            let one = one.and_then(|bounds| bounds.with_scales([scale]));
            if let Err(error) = one {
                return Err(match error {
                    Error::BoundOrder { lower, upper, .. } => {
                        wrong(format!("lower is {lower}, above upper, which is {upper}"))
                    }
                    Error::BoundNotFinite { side, value, .. } => {
                        wrong(format!("{side} is {value}; allowed: a finite number"))
                    }
                    Error::BoundScale { value, allowed, .. } => {
                        wrong(format!("{value}; allowed: {allowed}"))
                    }
                    error => wrong(error.to_string()),
                });
            }
            let first = lower.len() as u32;
            let meaning = match variable.count {
                None => Meaning::Coordinate(first),
                Some(count) => Meaning::Coordinates(first, count),
            };
            names.insert(name.clone(), meaning);
            lower.resize(lower.len() + count, variable.lower);
            upper.resize(upper.len() + count, variable.upper);
            scales.resize(scales.len() + count, scale);
        }
        if lower.is_empty() {
            return Err(self.said("[variables] is empty; allowed: at least one variable"));
        }
        Bounds::new(lower, upper)?.with_scales(scales)
    }

    fn constants(
        &self,
        constants: &[(String, Constant)],
        names: &mut HashMap<String, Meaning>,
    ) -> Result<()> {
        for (name, constant) in constants {
            self.name("[constants]", name, names)?;
            let number = match constant {
                Constant::Number(number) => *number,
                Constant::Expression(text) => {
                    let key = format!("constants.{name}");
                    let mistake = |mistake| self.mistake(&key, text, mistake);
                    let tree = syntax::parse(text).map_err(mistake)?;
                    let mut compiler = Compiler::new(names, &[], &[], Whole::default(), false);
                    let value = compiler.compile(&tree).map_err(mistake)?;
                    let depends = || Mistake::new("depends on a variable", &tree.at);
                    compiler.graph.number(value).ok_or_else(|| mistake(depends()))?
                }
            };
            if !number.is_finite() {
                let what = format!("constant `{name}` is {number}; allowed: a finite number");
                return Err(self.said(what));
            }
            names.insert(name.clone(), Meaning::Constant(number));
        }
        Ok(())
    }

    fn data(&self, data: &file::Data, names: &mut HashMap<String, Meaning>) -> Result<Vec<f64>> {
        if data.columns.is_empty() {
            return Err(self.said("[data] has no columns; allowed: at least one"));
        }
        let columns = match self.data {
            DataFrom::Nowhere => return Err(self.said("[data] needs a file; allowed: none")),
            DataFrom::Folder(folder) => {
                let path = folder.join(&data.file);
                columns::read(&path, &data.columns).map_err(|message| {
                    let file = path.display().to_string();
                    Error::ProblemFile { file, message }
                })?
            }
            DataFrom::Here(columns) => {
                let check = columns::check(columns, data.columns.len());
                check.map_err(|message| self.said(message))?;
                columns.to_vec()
            }
        };
        let rows = columns[0].len() as u32;
        for (number, name) in data.columns.iter().enumerate() {
            self.name("[data] columns", name, names)?;
            names.insert(name.clone(), Meaning::Data(number as u32 * rows, rows));
        }
        Ok(columns.concat())
    }
}
