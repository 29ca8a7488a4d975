//! The models of a problem at a point, with its data.

use std::collections::BTreeSet;

use super::compile::Compiler;
use super::cpu::Machine;
use super::graph::Value;
use super::names::{Meaning, Method, Ode};
use super::problem::ProblemFile;
use super::syntax::{Defined, Kind, Mistake, Operator, Over, Tree};
use crate::error::Result;
use crate::machine::program::Program;
use crate::settings::precise::Precise;

/// The approximate number of points of a model's curve.
const POINTS: usize = 400;
/// The largest number of models: the number of colours in plots.
const MODELS: usize = 8;

/// Models over the same column: see [`ProblemFile::fit`].
///
/// ```
/// use warpswarm::problem_file::{Fit, Model};
/// let model = Model { name: "line".into(), points: vec![(0.0, 1.0), (2.0, 5.0)], data: Vec::new() };
/// let fit = Fit { over: "t".into(), models: vec![model] };
/// assert_eq!(fit.models[0].points.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The name of this column, such as a time.
    pub over: String,
    /// The models, at least one.
    pub models: Vec<Model>,
}

/// A model at a point: see [`ProblemFile::fit`].
///
/// ```
/// use warpswarm::problem_file::Model;
/// let data = vec![("seen".to_string(), vec![(0.0, 0.9), (1.0, 3.2)])];
/// let model = Model { name: "line".into(), points: vec![(0.0, 1.0), (1.0, 3.0)], data };
/// assert!(model.data[0].1.iter().zip(&model.points).all(|(seen, line)| (seen.1 - line.1).abs() < 0.3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The name of a state, or of a named expression.
    pub name: String,
    /// The curve. A state is computed at more times than there are data: time and state.
    pub points: Vec<(f64, f64)>,
    /// The columns to which the model is compared, with their names, `[row]`.
    pub data: Vec<(String, Vec<(f64, f64)>)>,
}

/// A named expression or a state, and the columns to which it is compared.
struct Compared<'a> {
    name: &'a str,
    with: BTreeSet<&'a str>,
}

impl ProblemFile {
    /// The models at a point, `[coordinate]`, with the data; `None` if the file has no model.
    ///
    /// A model is a state of `[ode]` that another expression uses, over its times, or an array in `[let]` with an
    /// element for each element of a column, as in `model = "a * t[i] for i in t"`. If some are compared with columns
    /// of data, as in `y[i] - model[i]` or `y[i] / model[i]`, only these are returned. If there are models over several
    /// columns, those of `[ode]` are returned, or else those over the first column.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     r#"
    ///     minimise = "sum(i, (y[i] - line[i])^2)"
    ///     variables.a = { lower = 0, upper = 9 }
    ///     data = { t = [0, 1, 2], y = [0.1, 2, 3.9] }
    ///     let.line = "a * t[i] for i in t"
    ///     "#,
    /// )?;
    /// let fit = problem.fit(&[2.0])?.expect("a model");
    /// let line = &fit.models[0];
    /// assert_eq!((&*fit.over, &*line.name, &*line.data[0].0), ("t", "line", "y"));
    /// assert_eq!(line.points, [(0.0, 0.0), (1.0, 2.0), (2.0, 4.0)]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of coordinates of `x` is not the number of variables.
    pub fn fit(&self, x: &[f64]) -> Result<Option<Fit>> {
        self.check_dimensions(x.len())?;
        let Some((over, compared)) = self.compared() else { return Ok(None) };
        let mut models = Vec::with_capacity(compared.len());
        for one in compared {
            // Everything has been compiled before, so this cannot fail.
            let Ok(points) = self.points_of(one.name, over, x) else { continue };
            let along = self.column(over);
            let of = |name: &&str| {
                let column = self.column(name).iter().copied();
                ((*name).to_string(), along.iter().copied().zip(column).collect())
            };
            let data = one.with.iter().map(of).collect();
            models.push(Model { name: one.name.into(), points, data });
        }
        Ok((!models.is_empty()).then(|| Fit { over: over.into(), models }))
    }

    /// Whether [`fit`](Self::fit) returns models.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse("minimise = \"x\"\nvariables.x = { lower = 0, upper = 9 }")?;
    /// assert!(!problem.has_fit());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn has_fit(&self) -> bool {
        self.compared().is_some()
    }

    /// The numbers of a column or list; empty for any other name.
    fn column(&self, name: &str) -> &[f64] {
        self.names.numbers(name).unwrap_or_default()
    }

    /// The column over which there are models, and the models.
    fn compared(&self) -> Option<(&str, Vec<Compared<'_>>)> {
        let lets = || self.names.lets.iter().filter_map(|of| Some((&*of.name, over(&of.defined)?)));
        let lets = || lets().filter(|(_, over)| !self.column(over).is_empty());
        let ode = self.names.ode.as_ref();
        let over = ode.map(|ode| &*ode.time).or_else(|| lets().next().map(|(_, over)| over))?;
        let rows = self.column(over).len();
        let states = ode.iter().flat_map(|ode| &ode.states).map(|state| &*state.name);
        let states = states.filter(|name| self.trees_outside().any(|tree| tree.names(name)));
        let names: Vec<&str> =
            states.chain(lets().filter(|(_, of)| *of == over).map(|(name, _)| name)).collect();
        let mut models: Vec<_> =
            names.into_iter().map(|name| Compared { name, with: BTreeSet::new() }).collect();
        let is_data = |name: &str| name != over && self.column(name).len() == rows;
        for tree in self.trees_outside() {
            for model in &mut models {
                comparisons(tree, model.name, &is_data, &mut model.with);
            }
        }
        if models.iter().any(|model| !model.with.is_empty()) {
            models.retain(|model| !model.with.is_empty());
        }
        models.truncate(MODELS);
        (!models.is_empty()).then_some((over, models))
    }

    /// All expressions except those of the differential equation.
    fn trees_outside(&self) -> impl Iterator<Item = &Tree> {
        let lets = self.names.lets.iter().map(|of| &of.defined.tree);
        lets.chain(&self.trees)
    }

    /// The curve of a model at a point.
    fn points_of(
        &self,
        name: &str,
        over: &str,
        x: &[f64],
    ) -> std::result::Result<Vec<(f64, f64)>, Mistake> {
        match (self.names.get(name), &self.names.ode) {
            (Some(&Meaning::State(number, _)), Some(ode)) => {
                let finer = self.solved_at_more(ode);
                let times = finer.names.ode.as_ref().map_or(&[][..], |ode| &ode.times);
                let numbers = finer.numbers_of(x, |compiler| {
                    let all = 0..times.len() as u32;
                    Ok(all.map(|at| compiler.state_at(number, at)).collect())
                })?;
                Ok(times.iter().copied().zip(numbers).collect())
            }
            (Some(&Meaning::Let(number)), _) => {
                let along = self.column(over);
                let every = along.len().div_ceil(POINTS).max(1);
                let rows: Vec<usize> = (0..along.len()).step_by(every).collect();
                let numbers = self.numbers_of(x, |compiler| {
                    rows.iter().map(|&row| compiler.let_at(number, row as u32 + 1)).collect()
                })?;
                Ok(rows.iter().map(|&row| along[row]).zip(numbers).collect())
            }
            _ => Err(Mistake::new("no model", &(0..0))),
        }
    }

    /// The same problem with more times in between, which are also steps of `rk4`.
    fn solved_at_more(&self, ode: &Ode) -> ProblemFile {
        let most = (POINTS / ode.times.len()).max(1) as u32;
        let (parts, method) = match ode.method {
            Method::Rk4 { steps } => {
                let parts = (1..=most.min(steps)).rev().find(|parts| steps % parts == 0);
                let parts = parts.unwrap_or(1);
                (parts, Method::Rk4 { steps: steps / parts })
            }
            method => (most, method),
        };
        let mut times = Vec::with_capacity(ode.times.len() * parts as usize);
        for pair in ode.times.windows(2) {
            let part = |part| f64::from(part) / f64::from(parts);
            times.extend((0..parts).map(|at| pair[0] + (pair[1] - pair[0]) * part(at)));
        }
        times.extend(ode.times.last());
        let mut finer = self.clone();
        finer.names.ode = Some(Ode { times, first: 0, method, ..ode.clone() });
        finer
    }

    /// The numbers of values at a point.
    fn numbers_of(
        &self,
        x: &[f64],
        values: impl FnOnce(&mut Compiler<'_>) -> std::result::Result<Vec<Value>, Mistake>,
    ) -> std::result::Result<Vec<f64>, Mistake> {
        let machine = self.machine_of(values)?;
        Ok(machine.at((0, x), |numbers| numbers.collect()))
    }

    /// A machine that computes values.
    pub(super) fn machine_of<R: Precise>(
        &self,
        values: impl FnOnce(&mut Compiler<'_>) -> std::result::Result<Vec<Value>, Mistake>,
    ) -> std::result::Result<Machine<R>, Mistake> {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(&[]);
        compiler.define().map_err(|(_, mistake)| mistake)?;
        let values = values(&mut compiler)?;
        let program = Program::new(&compiler.graph, &values);
        let data = (&compiler.data()[..], &self.names.own);
        Ok(Machine::new(&program, self.bounds.dimensions(), data))
    }
}

/// The column over whose elements an expression is defined.
fn over(defined: &Defined) -> Option<&str> {
    match &defined.over {
        Some(Over { from: Tree { kind: Kind::Name(name), .. }, to: None, .. }) => Some(name),
        _ => None,
    }
}

/// The columns of data that a tree subtracts from, or divides by, an expression with the model, or the other way round.
fn comparisons<'a>(
    tree: &'a Tree,
    model: &str,
    is_data: &impl Fn(&str) -> bool,
    found: &mut BTreeSet<&'a str>,
) {
    if let Kind::Chain(first, rest) = &tree.kind {
        let has = |wanted: &[Operator]| rest.iter().any(|(operator, _)| wanted.contains(operator));
        let is_difference = has(&[Operator::Subtract]);
        let is_model = |tree: &Tree| match is_difference {
            true => tree.names(model),
            false => matches!(&tree.kind, Kind::Element(name, _) if name == model),
        };
        let parts = || rest.iter().map(|(_, part)| part).chain([&**first]);
        if (is_difference || has(&[Operator::Divide])) && parts().any(is_model) {
            for part in parts().filter(|part| !part.names(model)) {
                let mut part = part;
                // The column may be inside a function, such as the logarithm of a measured number.
                while let Kind::Call(_, arguments) = &part.kind
                    && let [argument] = &arguments[..]
                {
                    part = argument;
                }
                if let Kind::Element(name, _) = &part.kind
                    && is_data(name)
                {
                    found.insert(name);
                }
            }
        }
    }
    tree.parts().into_iter().for_each(|part| comparisons(part, model, is_data, found));
}
