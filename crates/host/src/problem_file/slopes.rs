//! Constraints and derivatives of a problem file, for local searches.

use std::sync::OnceLock;

use warpswarm_core::Float;
use warpswarm_core::dual::{CHUNK, Dual};

use super::cpu::Machine;
use super::problem::ProblemFile;
use crate::bounds::Scales;
use crate::polish::{Slopes, in_chunks};

/// A problem as it is searched: of coordinates of these scales, its value negated where it is maximised.
pub(super) struct Searched<R> {
    problem: ProblemFile,
    codes: Vec<f64>,
    negated: bool,
    /// Compiled when they are first asked: numbers alone, and with derivatives.
    machines: OnceLock<(Machine<R>, Machine<Dual<R, CHUNK>>)>,
}

impl<R: Float> Searched<R> {
    pub(super) fn new(problem: &ProblemFile, scales: &Scales<R>) -> Self {
        let codes = scales.codes().iter().map(|code| code.to_f64()).collect();
        let (problem, negated) = (problem.clone(), scales.maximises);
        Searched { problem, codes, negated, machines: OnceLock::new() }
    }

    fn machines(&self) -> &(Machine<R>, Machine<Dual<R, CHUNK>>) {
        self.machines.get_or_init(|| {
            let (program, data) = self.problem.program(&self.codes, self.negated, true);
            let (own, dimensions) = (&self.problem.names.own, self.problem.bounds.dimensions());
            let given = (&data[..], own);
            (Machine::new(&program, dimensions, given), Machine::new(&program, dimensions, given))
        })
    }
}

impl<R: Float> Slopes<R> for Searched<R> {
    fn constraints(&self, run: u32, x: &[R], each: &mut dyn FnMut(R)) {
        // Value and violation come first.
        self.machines().0.at((run, x), |outputs| outputs.skip(2).for_each(each));
    }

    fn partials(&self, run: u32, x: &[R], partial: &mut dyn FnMut(usize, usize, R)) {
        in_chunks(x.len(), partial, |first, row| {
            let variable = |(i, &x): (usize, &R)| Dual::variable(x, i.wrapping_sub(first));
            let x: Vec<_> = x.iter().enumerate().map(variable).collect();
            self.machines().1.at((run, &x), |outputs| {
                let value = outputs.next().unwrap_or(Dual::constant(R::NAN));
                // The violation is the sum of what follows.
                outputs.skip(1).for_each(&mut *row);
                row(value);
            });
        });
    }
}
