//! Constraints and derivatives of a problem file, for local searches.

use std::sync::OnceLock;

use warpswarm_core::Float;
use warpswarm_core::dual::{CHUNK, Dual};

use super::compile::Compiler;
use super::cpu::Machine;
use super::graph::Value;
use super::problem::ProblemFile;
use crate::machine::program::Program;
use crate::objective::bounds::Scales;
use crate::objective::slopes::{Slopes, in_chunks};

/// In more dimensions dual numbers are used, because each derivative of a sum over all coordinates is another sum.
const MOST_EXPRESSIONS: usize = 32;

/// A problem as it is searched: for coordinates with these scale codes, with the value negated when maximising.
pub(super) struct Searched<R> {
    problem: ProblemFile,
    codes: Vec<f64>,
    negated: bool,
    /// Compiled at first use.
    machines: OnceLock<Machines<R>>,
}

/// The machines for value, violation and constraints, without and with derivatives.
struct Machines<R> {
    numbers: Machine<R>,
    slopes: Derived<R>,
}

/// How derivatives are computed.
enum Derived<R> {
    /// Expressions: the derivatives by each coordinate, of each constraint and finally of the value.
    Expressions(Machine<R>),
    /// Dual numbers.
    Duals(Machine<Dual<R, CHUNK>>),
}

impl<R: Float> Searched<R> {
    pub(super) fn new(problem: &ProblemFile, scales: &Scales<R>) -> Self {
        let codes = scales.codes().iter().map(|code| code.to_f64()).collect();
        let (problem, negated) = (problem.clone(), scales.maximises);
        Searched { problem, codes, negated, machines: OnceLock::new() }
    }

    fn machines(&self) -> &Machines<R> {
        self.machines.get_or_init(|| {
            let (mut compiler, outputs) = self.problem.compiled(&self.codes, self.negated);
            let program = Program::new(&compiler.graph, &outputs);
            let (own, dimensions) = (&self.problem.names.own, self.problem.bounds.dimensions());
            let data = compiler.data();
            let slopes = match expressions(&mut compiler, &outputs, dimensions) {
                Some(slopes) => {
                    let data = compiler.data();
                    Derived::Expressions(Machine::new(&slopes, dimensions, (&data, own)))
                }
                None => Derived::Duals(Machine::new(&program, dimensions, (&data, own))),
            };
            Machines { numbers: Machine::new(&program, dimensions, (&data, own)), slopes }
        })
    }
}

/// The program for the derivatives of constraints and value, if they are expressions, and few.
fn expressions(
    compiler: &mut Compiler<'_>,
    outputs: &[Value],
    dimensions: usize,
) -> Option<Program> {
    if dimensions > MOST_EXPRESSIONS {
        return None;
    }
    let by: Vec<u32> = (0..dimensions as u32).collect();
    let mut slopes = Vec::new();
    // Value and violation come first.
    for &output in outputs[2..].iter().chain(&outputs[..1]) {
        slopes.extend(compiler.graph.derivatives(output, &by)?);
    }
    let program = Program::new(&compiler.graph, &slopes);
    program.fits().ok().map(|()| program)
}

impl<R: Float> Slopes<R> for Searched<R> {
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R)) {
        // Value and violation come first.
        self.machines().numbers.at((run, x), |outputs| outputs.skip(2).for_each(each));
    }

    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R)) {
        let machine = match &self.machines().slopes {
            Derived::Expressions(machine) => {
                return machine.at((run, x), |slopes| {
                    let each = slopes.enumerate();
                    each.for_each(|(k, slope)| partial(k / x.len(), k % x.len(), slope));
                });
            }
            Derived::Duals(machine) => machine,
        };
        in_chunks(x.len(), partial, |first, row| {
            let variable = |(i, &x): (usize, &R)| Dual::variable(x, i.wrapping_sub(first));
            let x: Vec<_> = x.iter().enumerate().map(variable).collect();
            machine.at((run, &x), |outputs| {
                let value = outputs.next().unwrap_or(Dual::constant(R::NAN));
                // The violation is the sum of the constraints that follow.
                outputs.skip(1).for_each(&mut *row);
                row(value);
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All rows of derivatives at a point, `[row][coordinate]`.
    fn rows(searched: &Searched<f64>, x: &[f64], rows: usize) -> Vec<Vec<f64>> {
        let mut all = vec![vec![f64::NAN; x.len()]; rows];
        searched.partials(0, x, &mut |row, i, slope| all[row][i] = slope);
        all
    }

    #[test]
    fn expressions_and_dual_numbers_agree() {
        let files = [
            "minimise = \"a^2 * exp(-b) + sum(i, (y[i] - a * t[i])^2)\"
             constraints = { one = \"a * b >= 1\", two = \"abs(a - b) <= max(a, 2)\", three = \"a + n == 3\" }
             variables = { a = { lower = 0.1, upper = 10, scale = \"log\" }, b = { lower = -2, upper = 2 }, n = { lower = 0, upper = 5, scale = \"integer\" } }
             data = { t = [1, 2, 4], y = [1, 3, 2] }",
            "maximise = \"-sum(i, 100 * (x[i+1] - x[i]^2)^2 + (1 - x[i])^2)\"
             variables.x = { count = 7, lower = -2, upper = 2 }",
        ];
        for text in files {
            let problem = ProblemFile::parse(text).unwrap();
            let scales = Scales::<f64>::new(&problem.bounds, problem.maximises);
            let by_expressions = Searched::new(&problem, &scales);
            assert!(matches!(by_expressions.machines().slopes, Derived::Expressions(_)), "{text}");
            let by_duals = Searched::new(&problem, &scales);
            let (program, data) = problem.program(&by_duals.codes, problem.maximises, true);
            let dimensions = problem.bounds.dimensions();
            let given = (&data[..], &problem.names.own);
            let slopes = Derived::Duals(Machine::new(&program, dimensions, given));
            let numbers = Machine::new(&program, dimensions, given);
            assert!(by_duals.machines.set(Machines { numbers, slopes }).is_ok());
            for step in 0..20 {
                let x: Vec<f64> =
                    (0..dimensions).map(|i| ((7 * step + 3 * i) as f64).sin() + 0.1).collect();
                let count = 1 + problem.constraints.len();
                let [ours, others] = [&by_expressions, &by_duals].map(|one| rows(one, &x, count));
                for (ours, other) in ours.iter().flatten().zip(others.iter().flatten()) {
                    let apart = (ours - other).abs();
                    assert!(apart <= 1e-12 * other.abs().max(1.0), "{text}: {ours}, {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_expression_or_too_many_goes_by_dual_numbers() {
        let files = [
            "minimise = \"sum(i, x[i]^2)\"\nvariables.x = { count = 33, lower = -1, upper = 1 }",
            "minimise = \"x[2]\"\nvariables.k = { lower = 0, upper = 9 }\nconstants.t = [0, 0.5]
             ode = { times = \"t\", method = \"rk4\", steps = 1, states = { x = { initial = 2, derivative = \"-k * x\" } } }",
            "minimise = \"prod(i, x[i])\"\nvariables.x = { count = 3, lower = 1, upper = 3 }",
        ];
        for text in files {
            let problem = ProblemFile::parse(text).unwrap();
            let searched = Searched::new(&problem, &Scales::<f64>::new(&problem.bounds, false));
            assert!(matches!(searched.machines().slopes, Derived::Duals(_)), "{text}");
            let x = vec![1.5; problem.bounds.dimensions()];
            assert!(rows(&searched, &x, 1)[0].iter().all(|slope| slope.is_finite()), "{text}");
        }
    }
}
