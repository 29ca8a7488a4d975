//! A problem file as an objective.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;

use super::cpu::Machine;
use super::interpreted::laid_out;
use super::observed::rounded;
use super::problem::ProblemFile;
use super::slopes::Searched;
use crate::machine::Parameter;
use crate::objective::any_objective::{AnyObjective, Known, Prepared};
use crate::objective::bounds::Scales;
use crate::objective::data::LaidOut;
use crate::objective::evaluator::{Evaluator, Portable};
use crate::objective::target::Target;
use crate::problem::problems::Dimensions;

impl<R: Float> AnyObjective<R> for ProblemFile {
    fn prepared(&self, scales: &Scales<R>) -> Prepared<R> {
        let codes: Vec<f64> = scales.codes().iter().map(|code| code.to_f64()).collect();
        let (program, data) = self.program(&codes, scales.maximises, false);
        let own = &self.names.own;
        let machine = Machine::<R>::new(&program, self.bounds.dimensions(), (&data, own));
        let evaluate = Arc::new(move |run, x: &[R]| {
            machine.at((run, x), |outputs| {
                let mut next = || outputs.next().unwrap_or(R::NAN);
                Fitness { value: next(), violation: next() }.canonical()
            })
        });
        let (objective, data) = laid_out(&program, (&data, own));
        let constrained = !self.constraints.is_empty();
        let target = Some(Target {
            name: "Expression".into(),
            objective: Parameter::of(objective),
            own: None,
            problem: Some(("the problem file", Dimensions::exactly(self.bounds.dimensions()))),
            program: Some(Arc::new(program)),
            constrained,
            gathers: true,
        });
        let of_runs = rounded(&own.numbers);
        let data = LaidOut::default().with(&data).with_runs(of_runs, (own.count, own.runs as u64));
        let data = Arc::new(data);
        Prepared(Evaluator::Portable(Portable { evaluate, constrained, target, data }))
    }

    fn known(&self, scales: &Scales<R>) -> Known<R> {
        Known(Some(Arc::new(Searched::new(self, scales))))
    }
}
