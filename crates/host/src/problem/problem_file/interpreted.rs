//! Programs as the emulator's objective interprets them.

use warpswarm_core::Float;
use warpswarm_core::data::{DataSlices, Table, WithData};
use warpswarm_core::expression::Expression;
use warpswarm_core::objective::{Objective, SlicePoint};
use warpswarm_core::order::Fitness;

use super::cpu::Machine;
use super::names::Own;
use super::problem::ProblemFile;
use crate::machine::program::Program;
use crate::objective::bounds::Scales;

/// A program as the emulator's objective reads it, and the numbers that contain program, constants and data.
pub(super) fn laid_out<R: Float>(
    program: &Program,
    (data, own): (&[f64], &Own),
) -> (Expression, Vec<R>) {
    let (code, constants) = program.encoded::<R>();
    let data: Vec<R> = data.iter().map(|&number| R::from_f64(number)).collect();
    let mut start = 0;
    let [program, constants_at, data_at] = [&code, &constants, &data].map(|numbers| {
        start += numbers.len() as u32;
        Table::new(start - numbers.len() as u32, numbers.len() as u32, 1, false)
    });
    let own = Table::new(0, own.count as u32, 1, true);
    let objective = Expression { program, constants: constants_at, data: data_at, own };
    (objective, [code, constants, data].concat())
}

impl ProblemFile {
    /// Value and violation at a point, from the CPU's machine and from the emulator's objective; optionally for the
    /// individuals' coordinates. For tests, which require the same bits; `None` if it would take long.
    #[doc(hidden)]
    pub fn evaluate_twice<R: Float>(&self, x: &[R], as_searched: bool) -> Option<[Fitness<R>; 2]> {
        const MOST_OPERATIONS: usize = 20_000;
        if self.operations() > MOST_OPERATIONS {
            return None;
        }
        let scales = Scales::<R>::new(&self.bounds, self.maximises);
        let codes: Vec<f64> = scales.codes().iter().map(|code| code.to_f64()).collect();
        let (program, data) = match as_searched {
            true => self.program(&codes, self.maximises, false),
            false => self.program(&[], false, false),
        };
        let own = &self.names.own;
        let by_machine = Machine::new(&program, x.len(), (&data, own)).at((0, x), |outputs| {
            let mut next = || outputs.next().unwrap_or(R::NAN);
            Fitness { value: next(), violation: next() }
        });
        let (objective, data) = laid_out(&program, (&data, own));
        let of_run: Vec<R> = own.of(0).iter().map(|&number| R::from_f64(number)).collect();
        let data = DataSlices { all: &data, of_run: &of_run };
        let by_objective = objective.judge(&WithData { point: SlicePoint(x), data });
        Some([by_machine, by_objective].map(Fitness::canonical))
    }
}
