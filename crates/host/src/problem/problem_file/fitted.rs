//! Models at fitted parameters, with the observations.

use super::compile::Compiler;
use super::cpu::Machine;
use super::curves::{Curve, ROW};
use super::names::{Meaning, Names};
use super::problem::ProblemFile;
use super::syntax::{Kind, Over, Tree};
use crate::error::Result;
use crate::machine::program::Program;

/// The number of points of a curve.
const POINTS: u32 = 240;

/// A model at given parameters, with the observations: see [`ProblemFile::fitted`].
///
/// ```
/// use warpswarm::problem_file::Fitted;
/// let of = Fitted { name: "y".into(), observed: vec![1.0], predicted: vec![0.5], ..Fitted::default() };
/// assert_eq!(of.observed[0] - of.predicted[0], 0.5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// The observed quantity, as the file writes it before `~`.
    pub name: String,
    /// The column that the model depends on; `row` if it uses none.
    pub over: String,
    /// The numbers of that column, or of the rows from 1, `[row]`.
    pub along: Vec<f64>,
    /// The observations, `[row]`.
    pub observed: Vec<f64>,
    /// What the model predicts, `[row]`.
    pub predicted: Vec<f64>,
    /// Standard deviations of the observations, `[row]`; empty if the file has none.
    pub sigma: Vec<f64>,
    /// The model between the rows, from left to right; empty if it depends on several columns.
    pub line: Vec<(f64, f64)>,
}

impl ProblemFile {
    /// Each model of the file at parameters `x`, with the data of fit `fit`, counted from 0.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let line = ProblemFile::parse(
    ///     "fit = \"y ~ a * t\"\nvariables.a = { lower = 0, upper = 9 }\ndata = { t = [1, 2, 3], y = [2, 4, 7] }",
    /// )?;
    /// let of = line.fitted(0, &[2.0])?.remove(0);
    /// assert_eq!((&*of.over, &of.predicted[..], &of.observed[..]), ("t", &[2.0, 4.0, 6.0][..], &[2.0, 4.0, 7.0][..]));
    /// assert!(of.line.iter().all(|(t, y)| (y - 2.0 * t).abs() < 1e-12));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of parameters is not the number of variables.
    pub fn fitted(&self, fit: u64, x: &[f64]) -> Result<Vec<Fitted>> {
        self.check_dimensions(x.len())?;
        let fit = fit.min(self.runs().unwrap_or(1) - 1) as u32;
        let curves = self.curves.iter().flat_map(|curves| &curves.all);
        Ok(curves.map(|curve| self.fitted_of(curve, fit, x)).collect())
    }

    /// The starting points in the file, `[guess][coordinate]`; NaN in a coordinate without one.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let text = "minimise = \"a + b\"\n[variables]\na = { lower = 0, upper = 9, start = 2 }\nb = { lower = 0, upper = 9 }";
    /// let problem = ProblemFile::parse(text)?;
    /// assert!(problem.guesses()[0][0] == 2.0 && problem.guesses()[0][1].is_nan());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn guesses(&self) -> Vec<Vec<f64>> {
        let (_, _, first) = self.bounds.by_run().next().unwrap_or_default();
        first.chunks(self.bounds.dimensions()).map(<[f64]>::to_vec).collect()
    }

    fn fitted_of(&self, curve: &Curve, fit: u32, x: &[f64]) -> Fitted {
        let over = over(&curve.model, &self.names);
        let mut trees = vec![curve.observed.clone(), curve.model.clone()];
        trees.extend(over.as_deref().map(|over| in_row(over, &curve.model)));
        trees.extend(curve.spread.as_ref().map(|spread| spread.tree.clone()));
        // The models have been compiled before, so this cannot fail.
        let mut all =
            self.in_rows(&self.names, &trees, curve.rows, (fit, x)).unwrap_or_default().into_iter();
        let mut next = || all.next().unwrap_or_default();
        let (observed, predicted) = (next(), next());
        let along = match over {
            Some(_) => next(),
            None => (1..=curve.rows).map(f64::from).collect(),
        };
        let mut sigma = next();
        if curve.spread.as_ref().is_some_and(|spread| !spread.is_sigma) {
            sigma.iter_mut().for_each(|weight| *weight = 1.0 / weight.sqrt());
        }
        let line = match &over {
            Some(over) if is_over_alone(&curve.model, over, &self.names) => {
                self.line(curve, over, &along, (fit, x))
            }
            Some(over) if names_others(&curve.model, over, &self.names) => Vec::new(),
            _ => {
                let mut line: Vec<_> =
                    along.iter().copied().zip(predicted.iter().copied()).collect();
                line.sort_by(|a, b| a.0.total_cmp(&b.0));
                line
            }
        };
        let over = over.unwrap_or_else(|| "row".into());
        Fitted { name: curve.left.clone(), over, along, observed, predicted, sigma, line }
    }

    /// A model that depends on one column, at more points of it.
    fn line(&self, curve: &Curve, over: &str, along: &[f64], at: (u32, &[f64])) -> Vec<(f64, f64)> {
        let low = along.iter().copied().fold(f64::INFINITY, f64::min);
        let high = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let part = |number: u32| f64::from(number) / f64::from(POINTS - 1);
        let places: Vec<f64> =
            (0..POINTS).map(|number| low + (high - low) * part(number)).collect();
        let mut names = self.names.clone();
        let meaning = Meaning::Data(names.data.len() as u32, POINTS);
        names.add_data(&places);
        names.meanings.insert(over.into(), meaning);
        let found = self.in_rows(&names, std::slice::from_ref(&curve.model), POINTS, at);
        let values = found.unwrap_or_default().into_iter().next().unwrap_or_default();
        places.into_iter().zip(values).collect()
    }

    /// The values of trees in all rows, `[tree][row]`.
    fn in_rows(
        &self,
        names: &Names,
        trees: &[Tree],
        rows: u32,
        (fit, x): (u32, &[f64]),
    ) -> Option<Vec<Vec<f64>>> {
        let mut compiler = Compiler::new(names, Some(&self.bounds)).of_scales(&[]);
        compiler.define().ok()?;
        let values = trees.iter().map(|tree| compiler.in_row(tree, rows).ok());
        let values = values.collect::<Option<Vec<_>>>()?;
        let program = Program::with_rows(&compiler.graph, &[], &[(rows, values)]);
        let machine = Machine::<f64>::new(&program, x.len(), (&compiler.data(), &names.own));
        let rows = rows as usize;
        let mut numbers = vec![0.0; trees.len() * rows];
        machine.rows((fit, x), 0, (&mut numbers, rows));
        Some(numbers.chunks(rows.max(1)).map(<[f64]>::to_vec).collect())
    }
}

/// A column in row [`ROW`].
fn in_row(name: &str, at: &Tree) -> Tree {
    let row = Tree { kind: Kind::Name(ROW.into()), at: at.at.clone() };
    Tree { kind: Kind::Element(name.into(), vec![row]), at: at.at.clone() }
}

fn is_row(indices: &[Tree]) -> bool {
    matches!(indices, [Tree { kind: Kind::Name(name), .. }] if name == ROW)
}

/// The first column that a model uses row by row.
fn over(tree: &Tree, names: &Names) -> Option<String> {
    if let Kind::Element(name, indices) = &tree.kind
        && is_row(indices)
    {
        match names.get(name) {
            Some(Meaning::Data(..)) => return Some(name.clone()),
            Some(Meaning::State(..)) => return names.ode.as_ref().map(|ode| ode.time.clone()),
            Some(&Meaning::Let(number)) => {
                let defined = &names.lets[number as usize].defined;
                if let Some(Over { from: Tree { kind: Kind::Name(name), .. }, to: None, .. }) =
                    &defined.over
                    && matches!(names.get(name), Some(Meaning::Data(..)))
                {
                    return Some(name.clone());
                }
            }
            _ => {}
        }
    }
    tree.parts().into_iter().find_map(|part| over(part, names))
}

/// Whether a model depends on the row only through this column, and on nothing else of the column.
fn is_over_alone(tree: &Tree, over: &str, names: &Names) -> bool {
    let of_parts = || tree.parts().into_iter().all(|part| is_over_alone(part, over, names));
    match &tree.kind {
        Kind::Name(name) if name == over => false,
        Kind::Name(name) | Kind::Element(name, _)
            if matches!(names.get(name), Some(Meaning::State(..))) =>
        {
            false
        }
        Kind::Name(name) | Kind::Element(name, _)
            if let Some(&Meaning::Let(number)) = names.get(name) =>
        {
            let defined = &names.lets[number as usize].defined;
            defined.over.is_none() && !tree_uses(&defined.tree, over, names) && of_parts()
        }
        Kind::Element(name, indices) if is_row(indices) => name == over,
        Kind::Element(name, _) if name == over => false,
        _ => of_parts(),
    }
}

/// Whether a model uses another column row by row.
fn names_others(tree: &Tree, over: &str, names: &Names) -> bool {
    let is_other = match &tree.kind {
        Kind::Element(name, indices) if is_row(indices) => {
            name != over && matches!(names.get(name), Some(Meaning::Data(..)))
        }
        _ => false,
    };
    is_other || tree.parts().into_iter().any(|part| names_others(part, over, names))
}

/// Whether an expression uses a column, possibly through other expressions.
fn tree_uses(tree: &Tree, column: &str, names: &Names) -> bool {
    let by_let = match &tree.kind {
        Kind::Name(name) | Kind::Element(name, _) if name == column => true,
        Kind::Name(name) | Kind::Element(name, _) => match names.get(name) {
            Some(&Meaning::Let(number)) => {
                tree_uses(&names.lets[number as usize].defined.tree, column, names)
            }
            Some(Meaning::State(..)) => true,
            _ => false,
        },
        _ => false,
    };
    by_let || tree.parts().into_iter().any(|part| tree_uses(part, column, names))
}
