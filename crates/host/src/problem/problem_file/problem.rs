//! A problem that a file describes.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::expression::Operation;

use super::compile::Compiler;
use super::cpu::Machines;
use super::curves::Curves;
use super::file::Given;
use super::graph::Value;
use super::named_numbers::OfRuns;
use super::names::{Names, Ode, on_one_line};
use super::reader::{DataFrom, NO_PLACE, Reader};
use super::source::Source;
use super::syntax::{Mistake, Tree};
use crate::algorithms::Algorithm;
use crate::check::{self, CheckReport};
use crate::error::{Error, Result};
use crate::machine::program::Program;
use crate::objective::bounds::{Bounds, Scales};
use crate::problem::problems::Evaluation;
use crate::run::optimiser::Optimiser;
use crate::settings::Settings;
use crate::settings::precise::Precise;

/// The largest file, in bytes.
const MOST_BYTES: u64 = 1 << 24;

/// A problem from a file.
///
/// It runs on every backend, as an [`Objective`](crate::Objective) does, with the same bits.
///
/// ```
/// use warpswarm::problem_file::ProblemFile;
/// use warpswarm::{Algorithm, Settings, Stop};
/// let problem = ProblemFile::parse(
///     r#"
///     minimise = "sum(i, 100 * (x[i+1] - x[i]^2)^2 + (1 - x[i])^2)"
///     [variables]
///     x = { count = 2, lower = -2, upper = 2 }
///     "#,
/// )?;
/// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
/// let report = problem.optimiser::<f64>(&Algorithm::default(), &settings)?.run()?;
/// assert!(report.best().value < 1e-6);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "Source", into = "Source")]
pub struct ProblemFile {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) maximises: bool,
    /// The models that are fitted; the objective is their total cost.
    pub(super) curves: Option<Curves>,
    pub(super) bounds: Bounds,
    /// In the order of their coordinates.
    pub(super) variables: Vec<Named>,
    pub(super) constraints: Vec<(String, String)>,
    /// The tolerance of equations, for each constraint.
    pub(super) tolerances: Vec<f64>,
    /// Whether a constraint is an equation, or a narrow band.
    pub(super) is_tight: bool,
    pub(super) names: Names,
    /// The position of each file column among the names' data, and its length.
    pub(super) from_files: Vec<(u32, u32)>,
    /// Constants that are not in the text.
    pub(super) added: Arc<[(String, Given)]>,
    /// The per-run numbers among these constants.
    pub(super) of_runs: Arc<[OfRuns]>,
    /// The objective, followed by the constraints.
    pub(super) trees: Vec<Tree>,
    /// Starting points for individuals that replace those of the file.
    pub(super) given: Vec<Vec<f64>>,
    /// The text of the file.
    pub(super) text: String,
    /// The machines that [`evaluate`](ProblemFile::evaluate) uses.
    pub(super) machines: Machines,
    /// Those of [`let_values`](ProblemFile::let_values).
    pub(super) let_machines: Machines,
}

/// A variable: its first coordinate, and the number of coordinates if it is an array.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) first: u32,
    pub(super) count: Option<u32>,
    pub(super) unit: Option<String>,
}

/// Identifies an expression of a problem.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whose {
    /// The named expression with this index.
    Let(usize),
    /// The objective (0), or the constraint with this number, from 1.
    Tree(usize),
    /// The expression of the differential equation with this index.
    Ode(usize),
    /// The fitted model with this index.
    Curve(usize),
    /// The uncertainty of what the model with this index is fitted to.
    Spread(usize),
}

impl ProblemFile {
    /// Reads a problem file. Its data files are relative to its folder.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let folder = std::env::temp_dir().join(format!("warpswarm-line-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("points.csv"), "t,y\n1,3\n2,5\n")?;
    /// let text = r#"
    ///     minimise = "sum(i, (y[i] - a - b * t[i])^2)"
    ///     variables = { a = { lower = -9, upper = 9 }, b = { lower = -9, upper = 9 } }
    ///     data = { file = "points.csv", columns = ["t", "y"] }
    /// "#;
    /// std::fs::write(folder.join("line.toml"), text)?;
    /// let line = ProblemFile::load(folder.join("line.toml"))?;
    /// assert_eq!((line.name(), line.evaluate(&[1.0, 2.0])?.fitness.value), ("line", 0.0));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or something in it is not allowed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (shown, text) = (path.display().to_string(), ProblemFile::text_at(path)?);
        let name = path.file_stem().map_or("problem".into(), |stem| stem.to_string_lossy());
        let data = path.parent().map_or(DataFrom::Nowhere, DataFrom::Folder);
        Reader { file: &shown, data, name: &name, constants: &[], of_runs: &[], place: NO_PLACE }
            .read(&text)
    }

    /// The text of a problem file.
    pub(super) fn text_at(path: &Path) -> Result<String> {
        let file = path.display().to_string();
        let said = |message: String| Error::ProblemFile { file: file.clone(), message };
        let unreadable = |error: std::io::Error| said(format!("cannot be read ({error})"));
        let there = fs::metadata(path).map_err(unreadable)?;
        // Something other than a file, such as a pipe, may never end.
        if !there.is_file() {
            return Err(said("cannot be read (it is not a file)".into()));
        }
        let bytes = there.len();
        if bytes > MOST_BYTES {
            return Err(said(format!("{bytes} bytes; allowed: {MOST_BYTES}")));
        }
        fs::read_to_string(path).map_err(unreadable)
    }

    /// Reads a problem from text, without data.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let text = "maximise = \"x * (2 - x)\"\nvariables.x = { lower = 0, upper = 2 }";
    /// let problem = ProblemFile::parse(text)?;
    /// assert!(problem.maximises());
    /// assert_eq!((problem.formula(), problem.bounds().upper()), ("x * (2 - x)", &[2.0][..]));
    /// let error = ProblemFile::parse(&text.replace("2 - x", "2 - z")).unwrap_err().to_string();
    /// assert!(error.contains("z"));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something in it is not allowed, such as data.
    pub fn parse(text: &str) -> Result<Self> {
        ProblemFile::parse_with(text, "problem", &[], &[])
    }

    /// Reads a problem from text, without data, with further constants before its `[constants]`: numbers that Rust has
    /// computed.
    pub(crate) fn parse_with(
        text: &str,
        name: &str,
        constants: &[(String, Given)],
        of_runs: &[OfRuns],
    ) -> Result<Self> {
        let data = DataFrom::Nowhere;
        Reader { file: "the problem", data, name, constants, of_runs, place: NO_PLACE }.read(text)
    }

    /// The name of the problem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The expression that is minimised or maximised.
    pub fn formula(&self) -> &str {
        &self.formula
    }

    /// Whether it is maximised.
    pub fn maximises(&self) -> bool {
        self.maximises
    }

    /// The variables' bounds and scales.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Names and expressions of the constraints.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.constraints.iter().map(|(name, text)| (&**name, &**text))
    }

    /// Whether a constraint leaves little room: an equation such as `a == b`, or a band whose width is at most a
    /// thousandth of the number at its centre, or of 1, such as `abs(a - 40) <= 0.01`. For such a problem
    /// [`Constraints::Epsilon`](crate::Constraints::Epsilon) finds better points.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let with = |constraint: &str| {
    ///     let variables = "variables = { a = { lower = 0, upper = 90 }, b = { lower = 0, upper = 9 } }";
    ///     let text = format!("minimise = \"a * b\"\n{variables}\nconstraints.c = \"{constraint}\"");
    ///     ProblemFile::parse(&text).map(|problem| problem.is_tight())
    /// };
    /// assert!(with("a + b == 5")? && with("not (a < 1 or a + b != 5)")? && with("abs(a * b - 40) <= 0.01")?);
    /// assert!(with("39.99 <= a * b <= 40.01")? && !with("39 <= a * b <= 41")? && !with("abs(a) <= 0.01")?);
    /// assert!(!with("a + b >= 5")? && !with("if(a == 1, b >= 2, b >= 3)")? && !with("a != b")?);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn is_tight(&self) -> bool {
        self.is_tight
    }

    /// Value, violation, and each constraint at `x`, `[coordinate]`, in the users' units.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     r#"
    ///     minimise = "a * b"
    ///     variables = { a = { lower = 0, upper = 9 }, b = { lower = 0, upper = 9 } }
    ///     constraints = { sum = "a + b >= 5" }
    ///     "#,
    /// )?;
    /// assert_eq!(problem.constraints().next(), Some(("sum", "a + b >= 5")));
    /// let at = problem.evaluate(&[1.0_f64, 3.0])?;
    /// assert_eq!((at.fitness.value, at.fitness.violation, &at.constraints[..]), (3.0, 1.0, &[1.0][..]));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of coordinates of `x` is not the number of variables.
    pub fn evaluate<R: Precise>(&self, x: &[R]) -> Result<Evaluation<R>> {
        self.evaluate_in_run(0, x)
    }

    /// Checks that a point has a coordinate for each variable.
    pub(super) fn check_dimensions(&self, found: usize) -> Result<()> {
        let wanted = self.bounds.dimensions();
        if found == wanted {
            return Ok(());
        }
        let (value, allowed) = (found.to_string(), format!("{wanted} for {}", self.name));
        Err(Error::Setting { field: "dimensions", value, allowed })
    }

    /// An optimiser of the problem within its bounds; it maximises if the file does.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`].
    pub fn optimiser<R: Float>(
        &self,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        self.started(&self.searched(), algorithm, settings)
    }

    /// Evaluates the problem on the CPU and on a device, and compares bits and time: see [`check`](fn@crate::check).
    ///
    /// # Errors
    ///
    /// As [`check`](fn@crate::check).
    pub fn check<R: Float>(&self, settings: &Settings) -> Result<CheckReport<R>> {
        let settings = Settings { maximise: self.maximises, ..settings.clone() };
        let checked = check::with(&self.searched(), &settings, &|bounds, algorithm, settings| {
            Optimiser::new(self, bounds, algorithm, settings)
        })
        .map_err(|error| self.named_in(error))?;
        let constraint = |i: usize| self.constraints.get(i).map(|(name, _)| name.to_string());
        let derivatives = checked.derivatives.named(|i| self.coordinate(i), constraint);
        Ok(CheckReport { derivatives, ..checked })
    }

    /// The program and its data, for coordinates with these scale codes. The value can be negated, and the constraints
    /// can follow value and violation.
    pub(super) fn program(
        &self,
        codes: &[f64],
        negated: bool,
        with_constraints: bool,
    ) -> (Program, Vec<f64>) {
        let (compiler, mut outputs) = self.compiled(codes, negated);
        outputs.truncate(if with_constraints { outputs.len() } else { 2 });
        (Program::new(&compiler.graph, &outputs), compiler.data())
    }

    /// The compiler and its values for value, violation and constraints, in this order, for coordinates with these
    /// scale codes.
    pub(super) fn compiled<'a>(
        &'a self,
        codes: &'a [f64],
        negated: bool,
    ) -> (Compiler<'a>, Vec<Value>) {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(codes);
        // The problem has been compiled before, so this cannot fail.
        let outputs = self.compile(&mut compiler, negated);
        let outputs = outputs.unwrap_or_else(|(_, mistake)| unreachable!("{mistake:?}"));
        (compiler, outputs)
    }

    /// Compiles the problem for the first time; returns the program, and whether a constraint leaves little room.
    pub(super) fn first_compiled(&self) -> Result<(Program, bool), (Whose, Mistake)> {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds));
        self.compile(&mut compiler, false)?;
        let scales = Scales::<f64>::new(&self.bounds, self.maximises);
        Ok((self.program(scales.codes(), self.maximises, true).0, compiler.is_tight()))
    }

    /// Value, violation and constraints.
    fn compile(
        &self,
        compiler: &mut Compiler<'_>,
        negated: bool,
    ) -> Result<Vec<Value>, (Whose, Mistake)> {
        compiler.define()?;
        for (number, curve) in self.curves.iter().flat_map(|curves| &curves.all).enumerate() {
            let of_curve = [&curve.observed, &curve.model].map(|tree| (Whose::Curve(number), tree));
            let spread = curve.spread.iter().map(|spread| (Whose::Spread(number), &spread.tree));
            for (of, tree) in of_curve.into_iter().chain(spread) {
                compiler.in_row(tree, curve.rows).map_err(|mistake| (of, mistake))?;
            }
        }
        let wrong = |number| move |mistake| (Whose::Tree(number), mistake);
        let mut value = compiler.number(&self.trees[0]).map_err(wrong(0))?;
        let mut constraints = Vec::with_capacity(self.tolerances.len());
        for ((tree, &tolerance), number) in self.trees[1..].iter().zip(&self.tolerances).zip(1..) {
            constraints.push(compiler.constraint(tree, tolerance).map_err(wrong(number))?);
        }
        let graph = &mut compiler.graph;
        if negated {
            value = graph.apply(Operation::Negate, &[value]);
        }
        let mut violation = graph.constant(0.0);
        for constraint in &constraints {
            violation = graph.apply(Operation::Add, &[violation, constraint.violation]);
        }
        let mut outputs = vec![value, violation];
        outputs.extend(constraints.iter().map(|of| of.shown));
        Ok(outputs)
    }

    /// The key and the text of an expression.
    pub(super) fn written(&self, of: Whose) -> (String, &str) {
        let key = if self.maximises { "maximise" } else { "minimise" };
        match of {
            Whose::Let(number) => {
                let of = &self.names.lets[number];
                (format!("let.{}", of.name), &of.text)
            }
            Whose::Ode(number) => {
                let part = self.names.ode.iter().flat_map(Ode::parts).nth(number);
                part.map_or_else(Default::default, |part| (part.key.clone(), &*part.text))
            }
            Whose::Tree(0) => match &self.curves {
                Some(curves) => curves.written(0),
                None => (key.into(), &self.formula),
            },
            Whose::Curve(number) => {
                self.curves.as_ref().map_or_else(Default::default, |curves| curves.written(number))
            }
            Whose::Spread(number) => {
                let curve = self.curves.as_ref().and_then(|curves| curves.all.get(number));
                let spread = curve.and_then(|curve| curve.spread.as_ref());
                spread.map_or_else(Default::default, |of| (of.key().into(), &*of.text))
            }
            Whose::Tree(number) => {
                let (name, text) = &self.constraints[number - 1];
                (format!("constraints.{}", on_one_line(name)), text)
            }
        }
    }
}
