//! Reads a file's text as a problem, and checks everything.

mod curves;
mod data;
mod ode;
mod permutations;
mod quantities;
mod variables;

use std::collections::HashMap;
use std::path::Path;

use super::compile::NAMES;
use super::cpu::Machines;
use super::curves::Curves;
use super::file::{self, File, Given};
use super::named_numbers::OfRuns;
use super::names::{Let, Meaning, Names, on_one_line};
use super::problem::{ProblemFile, Whose};
use super::syntax::{self, Mistake};
use crate::error::{Error, Result};
use quantities::Quantity;

/// The context of a file besides its text.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    pub(super) data: DataFrom<'a>,
    /// The default name of the problem.
    pub(super) name: &'a str,
    /// Constants that are not in the text; they are defined before its own.
    pub(super) constants: &'a [(String, Given)],
    /// The per-run numbers among these constants.
    pub(super) of_runs: &'a [OfRuns],
    /// Where a row of a fit is, for messages; empty if it is not known.
    pub(super) place: &'a dyn Fn(usize, usize) -> String,
}

/// The place of rows that are in no file.
pub(super) const NO_PLACE: &dyn Fn(usize, usize) -> String = &|_, _| String::new();

/// The default tolerance of equations.
const TOLERANCE: f64 = 1e-6;

/// The source of a file's data.
pub(super) enum DataFrom<'a> {
    /// There may be no data files.
    Nowhere,
    /// Files in this folder.
    Folder(&'a Path),
    /// These numbers, `[column][row]`, file after file.
    Here(&'a [Vec<f64>]),
}

/// Errors for names that are not known in this place.
const A_VARIABLE: &str = "is a variable, which is not known here; allowed: numbers and constants (what depends on variables \
    belongs in [let])";
const A_CONSTANT: &str = "is not known yet; allowed: constants above this one";
const A_STATE: &str =
    "is a state of [ode], which is not known here; allowed: numbers and constants";
const OF_ODE: &str = "is in [ode.let], which is known in [ode] alone, below its own line; allowed: an expression of its own in \
    [let], with states such as `x[i]`";
const A_LET: &str =
    "is not known here; allowed: numbers and constants (what is in [let] depends on variables)";

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
        let mut file: File =
            toml::from_str(text).map_err(|error| self.said(error.to_string().trim_end()))?;
        file.constants.0.splice(0..0, self.constants.iter().cloned());
        let (formula, maximises) = self.objective(&file)?;
        let mut names = Names::default();
        self.register(&file, &mut names)?;
        let from_files = self.all_data(&file.data.0, &mut names)?;
        self.constants(&file.constants.0, &mut names)?;
        for of in self.of_runs {
            names.give_runs(&of.name, &of.numbers, of.runs);
        }
        let (variables, bounds) = self.variables(&file.variables.0, &mut names)?;
        self.ode(file.ode.as_ref(), &mut names)?;
        self.lets(&file.r#let.0, &mut names)?;
        let curves = self.curves(&file, &names)?;

        let tolerances = self.tolerances(&file.constraints.0, file.tolerance)?;
        let constraints = file.constraints.0.iter();
        let mut problem = ProblemFile {
            name: file.name.as_deref().unwrap_or(self.name).to_string(),
            formula,
            maximises,
            curves,
            bounds,
            variables,
            constraints: constraints
                .map(|(name, of)| (name.clone(), of.condition().into()))
                .collect(),
            tolerances,
            is_tight: false,
            names,
            from_files,
            added: self.constants.into(),
            of_runs: self.of_runs.into(),
            trees: Vec::new(),
            given: Vec::new(),
            text: text.into(),
            machines: Machines::default(),
            let_machines: Machines::default(),
        };
        problem.trees.extend(problem.curves.as_ref().and_then(Curves::cost));
        for number in problem.trees.len()..=problem.constraints.len() {
            let (_, text) = problem.written(Whose::Tree(number));
            let tree = syntax::parse(text)
                .map_err(|mistake| self.wrong(&problem, Whose::Tree(number), mistake))?;
            problem.trees.push(tree);
        }
        let wrong = |(of, mistake)| self.wrong(&problem, of, mistake);
        permutations::asked_for(&problem).map_or(Ok(()), |asked| Err(wrong(asked)))?;
        let (program, is_tight) = problem.first_compiled().map_err(wrong)?;
        program.fits().map_err(|message| self.said(message))?;
        problem.is_tight = is_tight;
        problem.check_observed(self.place).map_err(|message| self.said(message))?;
        Ok(problem)
    }

    /// The error for a mistake in one of a problem's expressions.
    fn wrong(&self, problem: &ProblemFile, of: Whose, mistake: Mistake) -> Error {
        let (key, text) = problem.written(of);
        self.mistake(&key, text, mistake)
    }

    /// The formula, and whether it is maximised.
    fn objective(&self, file: &File) -> Result<(String, bool)> {
        let keys = [
            ("minimise", &file.minimise),
            ("maximise", &file.maximise),
            ("fit", &file.fit),
            ("fits", &file.fits),
        ];
        let mut there = keys.iter().filter_map(|(key, given)| Some((*key, given.as_ref()?)));
        let Some((key, given)) = there.next() else {
            return Err(self.said("allowed: one of minimise, maximise, fit and fits"));
        };
        if let Some((other, _)) = there.next() {
            return Err(self.said(format!("{key} and {other} are two objectives; {ONE}")));
        }
        if key.starts_with("fit") {
            let texts = self.texts(key, given)?;
            return Ok((texts.join("; "), false));
        }
        let maximises = key == "maximise";
        match given {
            Given::Text(formula) => Ok((formula.clone(), maximises)),
            Given::Number(number) => {
                Err(self.said(format!("{key} is {number}; allowed: a formula in quotes")))
            }
            Given::List(_) | Given::Table(_) => {
                Err(self.said(format!("{key} has several objectives; {ONE}")))
            }
        }
    }

    /// Checks all names, none of which is known yet.
    fn register(&self, file: &File, names: &mut Names) -> Result<()> {
        let of = |table, why| move |name| (table, name, why);
        let variables = file.variables.0.iter().map(|(name, _)| name);
        let constants = file.constants.0.iter().map(|(name, _)| name);
        let data = file.data.0.iter().flat_map(data::names_of);
        let lets = file.r#let.0.iter().map(|(name, _)| name);
        let all = variables.map(of("[variables]", A_VARIABLE));
        let all = all.chain(constants.map(of("[constants]", A_CONSTANT)));
        let all = all.chain(data.map(of("[data]", A_CONSTANT)));
        let ode = file.ode.iter();
        let states = ode.clone().flat_map(|ode| ode.states.0.iter().map(|(name, _)| name));
        let of_ode = ode.flat_map(|ode| ode.r#let.0.iter().map(|(name, _)| name));
        let all = all.chain(states.map(of("[ode.states]", A_STATE)));
        let all = all.chain(of_ode.map(of("[ode.let]", OF_ODE)));
        let mut tables = HashMap::new();
        for (table, name, why) in all.chain(lets.map(of("[let]", A_LET))) {
            let other = tables.insert(name, table).map(|other| {
                let renamed = data::renamed(&file.data.0, name).filter(|_| table == "[data]");
                (other, renamed.unwrap_or_default())
            });
            self.name(table, name, other)?;
            names.meanings.insert(name.clone(), Meaning::Later(why));
        }
        Ok(())
    }

    /// Checks that a name is valid, and that there is no other table that has it, which comes with how to rename it.
    fn name(&self, table: &str, name: &str, other: Option<(&str, String)>) -> Result<()> {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word = name.chars().all(letters) && !name.starts_with(|c: char| c.is_ascii_digit());
        let wrong = if name.is_empty() || !is_word {
            "; allowed: letters, digits and _, a letter first".into()
        } else if let Some((other, renamed)) = other {
            format!(", which is also {}; allowed: each name once{renamed}", in_words(other))
        } else if NAMES.contains(&name) {
            ", which expressions have already; allowed: another name".into()
        } else {
            return Ok(());
        };
        Err(self.said(format!("{table} has `{}`{wrong}", on_one_line(name))))
    }

    fn constants(&self, constants: &[(String, Given)], names: &mut Names) -> Result<()> {
        for (name, given) in constants {
            match given {
                Given::List(_) => self.many("[constants]", name, given, names)?,
                Given::Table(all) => {
                    let key = format!("constant `{name}`");
                    if all.is_empty() {
                        return Err(
                            self.said(format!("{key} is empty; allowed: names with numbers"))
                        );
                    }
                    let number = |(_, given): &(_, Given)| self.number(&key, given, names);
                    let numbers = all.iter().map(number).collect::<Result<Vec<_>>>()?;
                    let labels = all.iter().map(|(label, _)| label.clone()).collect();
                    self.keep("[constants]", name, numbers, None, names)?;
                    names.labels.insert(name.clone(), labels);
                }
                Given::Number(_) | Given::Text(_) => {
                    let key = match given {
                        Given::Text(_) => format!("constants.{name}"),
                        _ => format!("constant `{name}`"),
                    };
                    match self.quantity(&key, given, names)? {
                        Quantity::One(number) => {
                            names.meanings.insert(name.clone(), Meaning::Constant(number));
                        }
                        Quantity::Many(all) => {
                            self.keep("[constants]", name, all, None, names)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn lets(&self, lets: &[(String, String)], names: &mut Names) -> Result<()> {
        for (number, (name, text)) in (0..).zip(lets) {
            let wrong = |mistake| self.mistake(&format!("let.{name}"), text, mistake);
            let defined = syntax::parse_defined(text).map_err(wrong)?;
            names.lets.push(Let { name: name.clone(), text: text.clone(), defined });
            names.meanings.insert(name.clone(), Meaning::Let(number));
        }
        Ok(())
    }

    /// The tolerance of equations, for each constraint.
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
                Some(tolerance) => {
                    (tolerance, format!("constraints.{}: tolerance", on_one_line(&name)))
                }
                None => (of_all, "tolerance".into()),
            };
            if tolerance.is_finite() && tolerance >= 0.0 {
                return Ok(tolerance);
            }
            Err(self.said(format!("{key} is {tolerance}; allowed: a number from 0 on")))
        };
        all.map(checked).collect()
    }
}

/// What the names of a table are.
fn in_words(table: &str) -> String {
    match table {
        "[variables]" => "a variable".into(),
        "[constants]" => "a constant".into(),
        "[ode.states]" => "a state of [ode]".into(),
        table => format!("in {table}"),
    }
}

/// The error for several objectives.
const ONE: &str = "several are not supported; allowed: one of them, with the others as constraints, such as \
    `y >= 0.5`, or their weighted sum";
