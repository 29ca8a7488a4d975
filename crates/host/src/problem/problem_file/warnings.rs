//! Warnings: what a file asks of a number type that it cannot represent, or what looks like a mistake.

use warpswarm_core::variable::Scale;

use super::compile::Compiler;
use super::names::{Matrix, Meaning, Method, Ode};
use super::problem::{ProblemFile, Whose};
use super::syntax::Tree;
use crate::machine::program::Step;
use crate::settings::choices::Precision;
use crate::settings::precise::Precise;

/// The number of points at which values are compared.
const POINTS: usize = 1000;
/// The smallest relative error of a state that `f32` distinguishes from rounding, in a solution by steps.
const LEAST_TOLERANCE: f64 = 1e-6;
/// The assumed number of rounds of an adaptive solution in an interval.
const ROUNDS: u32 = 10;
/// The largest number of operations at all these points together: some milliseconds.
const MOST_OPERATIONS: usize = 20_000_000;

impl ProblemFile {
    /// Warnings about what does not work in the precision `R`, or looks like a mistake: each a text.
    ///
    /// For `f32`: different data that round to the same number, and data and constants that it cannot represent. For
    /// both precisions: bounds so far apart that squares are infinite, and values that are the same at a thousand
    /// points.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse("minimise = \"1e-50 * x\"\nvariables.x = { lower = 0, upper = 1 }")?;
    /// assert!(problem.warnings::<f64>().is_empty());
    /// assert!(problem.warnings::<f32>()[0].starts_with("minimise: `1e-50` is 0 in f32"));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn warnings<R: Precise>(&self) -> Vec<String> {
        let mut all = Vec::new();
        if R::PRECISION == Precision::F32 {
            self.lost_constants(&mut all);
            self.lost_data(&mut all);
            self.lost_steps(&mut all);
        }
        all.extend(self.wide::<R>());
        all.extend(self.flat::<R>());
        all
    }

    /// Variables on a linear scale whose squares are mostly infinite, because nearly all points between their bounds
    /// are too large.
    fn wide<R: Precise>(&self) -> impl Iterator<Item = String> {
        let most = R::MAX.to_f64().sqrt();
        self.variables.iter().filter_map(move |of| {
            let all = of.first as usize..(of.first + of.count.unwrap_or(1)) as usize;
            let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
            let is_wide = |&i: &usize| {
                let is_searched = self.bounds.scales()[i] == Scale::Linear && lower[i] < upper[i];
                is_searched && lower[i].abs().max(upper[i].abs()) > most
            };
            let i = all.into_iter().find(is_wide)?;
            Some(format!(
                "variable `{}` goes from {:e} to {:e}, where nearly all numbers are beyond {most:.0e}, whose squares are \
                 infinite in {}, so that the search finds next to nothing near 0; allowed: narrower bounds, or, of a \
                 positive variable, scale = \"log\"",
                of.name, lower[i], upper[i], R::PRECISION
            ))
        })
    }

    /// Constants that `f32` cannot represent.
    fn lost_constants(&self, all: &mut Vec<String>) {
        let mut compiler = Compiler::new(&self.names, Some(&self.bounds)).of_scales(&[]);
        if compiler.define().is_err() {
            return;
        }
        let lets = self.names.lets.iter().map(|of| &of.defined.tree).enumerate();
        let lets = lets.map(|(number, tree)| (Whose::Let(number), tree));
        let of_ode = self.names.ode.iter().flat_map(Ode::parts).map(|part| &part.tree).enumerate();
        let lets = lets.chain(of_ode.map(|(number, tree)| (Whose::Ode(number), tree)));
        let trees = self.trees.iter().enumerate();
        for (of, tree) in lets.chain(trees.map(|(number, tree)| (Whose::Tree(number), tree))) {
            let (key, text) = self.written(of);
            let mut said = |part: &Tree, number: f64| {
                let text = text.get(part.at.clone()).unwrap_or_default();
                let shown = match text == format!("{number:?}") || text == format!("{number}") {
                    true => format!("{key}: `{text}`"),
                    false => format!("{key}: `{text}`, which is {number:e},"),
                };
                let what = lost(number).map(|is| format!("{shown} {is}"));
                all.extend(what.filter(|what| !all.contains(what)));
            };
            constants(&mut compiler, tree, &mut said);
        }
    }

    /// Data that `f32` cannot represent, or different data that round to the same number.
    fn lost_data(&self, all: &mut Vec<String>) {
        let mut arrays: Vec<(&String, usize, usize)> = Vec::new();
        for (name, meaning) in &self.names.meanings {
            let (first, len) = match *meaning {
                Meaning::Data(first, len) => (first, len),
                Meaning::Matrix(Matrix { first, rows, columns }) => (first, rows * columns),
                _ => continue,
            };
            arrays.push((name, first as usize, len as usize));
        }
        arrays.sort_unstable_by_key(|(_, first, _)| *first);
        for (name, first, len) in arrays {
            let mut numbers = self.names.of_all_runs(first, len);
            if let Some(at) = numbers.iter().position(|&number| lost(number).is_some()) {
                let is = lost(numbers[at]).unwrap_or_default();
                all.push(format!("`{name}`: number {} is {:e} and {is}", at + 1, numbers[at]));
            }
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            let same = |pair: &&[f64]| pair[0] as f32 == pair[1] as f32;
            let pairs: Vec<_> = numbers.windows(2).filter(same).collect();
            if let Some(pair) = pairs.first() {
                all.push(format!(
                    "`{name}`: {} different numbers are only {} in f32, where {:?} and {:?} are the same",
                    numbers.len(),
                    numbers.len() - pairs.len(),
                    pair[0],
                    pair[1]
                ));
            }
        }
    }

    /// A differential equation whose tolerance `f32` cannot reach.
    fn lost_steps(&self, all: &mut Vec<String>) {
        if let Some(Ode { method: Method::Rk45 { tolerance, .. }, .. }) = self.names.ode
            && tolerance < LEAST_TOLERANCE
        {
            all.push(format!(
                "[ode] has tolerance = {tolerance:e}, which f32 does not have: steps are refused for its rounding"
            ));
        }
    }

    /// A warning if values are the same at all sampled points.
    fn flat<R: Precise>(&self) -> Option<String> {
        let count = POINTS.min(MOST_OPERATIONS / self.operations().max(1));
        let (lower, upper) = (self.bounds.lower(), self.bounds.upper());
        if count < POINTS.min(10) || lower == upper {
            return None;
        }
        let points = self.bounds.points(count).ok()?;
        let values = points.iter().filter_map(|point| {
            let point: Vec<R> = point.iter().map(|&x| R::from_f64(x)).collect();
            self.evaluate(&point).ok()
        });
        let values: Vec<R> = values.map(|at| at.fitness.value).collect();
        let first = *values.first()?;
        let is_same = values.iter().all(|value| value.to_bits64() == first.to_bits64());
        let precision = R::PRECISION;
        let cause = match first.to_f64().is_nan() {
            true => "the formula is undefined there, as a root or logarithm of a negative number, or 0/0".into(),
            false => format!(
                "either it depends on nothing that is searched, or its numbers are beyond {precision}"
            ),
        };
        let is = format!("the value is {first:?} in {precision} at all of {count} points");
        is_same.then(|| format!("{is} between the bounds: {cause}"))
    }

    /// The approximate number of operations of an evaluation.
    pub(super) fn operations(&self) -> usize {
        let steps = self.program(&[], false, true).0.steps;
        let of = |step: &Step| match step {
            Step::Once(_) => 1,
            Step::Fold { terms, body, .. } => (*terms as usize).saturating_mul(1 + body.len()),
            Step::Solve(solve) => {
                let rounds =
                    if solve.going.is_some() { solve.rounds.min(ROUNDS) } else { solve.rounds };
                let of_interval = (rounds as usize).saturating_mul(solve.body.len());
                (solve.intervals as usize).saturating_mul(of_interval + solve.closing.len())
            }
        };
        steps.iter().map(of).fold(0, usize::saturating_add)
    }
}

/// What a number becomes in `f32`, if that is a completely different number.
fn lost(number: f64) -> Option<&'static str> {
    let single = number as f32;
    if !number.is_finite() || number == 0.0 {
        return None;
    }
    match single {
        0.0 => Some("is 0 in f32"),
        single if single.is_infinite() => Some("is infinite in f32"),
        single if (f64::from(single) - number).abs() > 1e-6 * number.abs() => {
            Some("has few of its digits in f32")
        }
        _ => None,
    }
}

/// Visits the largest parts of a tree that are constant.
fn constants(compiler: &mut Compiler<'_>, tree: &Tree, said: &mut dyn FnMut(&Tree, f64)) {
    match compiler.constant(tree) {
        Some(number) => said(tree, number),
        None => tree.parts().into_iter().for_each(|part| constants(compiler, part, said)),
    }
}
