//! Programs on a GPU: composed as PTX, from pieces that were compiled with the kernels.

use warpswarm_core::{Float, Real};
use warpswarm_ptx_builder::LinkError;
use warpswarm_ptx_builder::compose::{self, Composer};

use super::{Instruction, Operand, Program, Rows, Solve, Step};

impl Program {
    /// The module of the objective `objective_Expression_REAL_FORM`, composed from modules with these names.
    pub(crate) fn text(
        &self,
        name: &str,
        module: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, LinkError> {
        let mut words = name.rsplit('_');
        let (form, real) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let of = |operand: &Operand| in_precision(*operand, real);
        let mut composer = Composer::new(module, real, form)?;
        self.write_steps(&mut composer, real)?;
        composer.finish(of(&self.outputs[0]), of(&self.outputs[1]), self.slots)
    }

    /// The module of a model for the kernel `fit_Expression_REAL_nN`, or another kernel whose name ends like this,
    /// composed from modules with these names.
    pub(crate) fn model_text(
        &self,
        name: &str,
        module: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, LinkError> {
        if self.solution() > 0 {
            return Err(LinkError::NoModel { part: "a differential equation" });
        }
        let mut words = name.rsplit('_');
        let (size, real) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let parameters = size.strip_prefix('n').and_then(|size| size.parse().ok()).unwrap_or(0);
        let of = |operand: &Operand| in_precision(*operand, real);
        let mut composer = Composer::model(module, real, parameters);
        self.write_steps(&mut composer, real)?;
        let counts: Vec<u32> = self.rows.iter().map(|rows| rows.rows).collect();
        let read = |rows: &Rows| {
            let from = rows.body.iter().flat_map(Instruction::operands).chain(&rows.outputs);
            from.map(of).collect::<Vec<_>>()
        };
        let from = self.rows.iter().flat_map(read).filter(|from| !is_result(from));
        composer.rows(&counts, from, &mut |composer, number| {
            let rows = &self.rows[number];
            rows.body.iter().try_for_each(|one| apply(composer, one, real))?;
            Ok(rows.outputs.iter().map(of).collect())
        })?;
        Ok(composer.finish_model(self.slots))
    }

    fn write_steps(&self, composer: &mut Composer<'_>, real: &str) -> Result<(), LinkError> {
        let of = |operand: &Operand| in_precision(*operand, real);
        for step in &self.steps {
            match step {
                Step::Once(instruction) => apply(composer, instruction, real)?,
                Step::Fold { reduction, terms, body, term, into } => {
                    let from = body.iter().flat_map(Instruction::operands).chain([term]);
                    let from: Vec<_> = from.map(of).filter(|from| !is_result(from)).collect();
                    let reduction = (reduction.name(), *terms);
                    composer.fold(reduction, from, *into, &mut |composer| {
                        body.iter().try_for_each(|one| apply(composer, one, real))?;
                        Ok(of(term))
                    })?;
                }
                Step::Solve(solve) => write(composer, solve, self.solution() as u32, real)?,
            }
        }
        Ok(())
    }
}

fn apply(
    composer: &mut Composer<'_>,
    instruction: &Instruction,
    real: &str,
) -> Result<(), LinkError> {
    let from = instruction.operands().iter().map(|&operand| in_precision(operand, real));
    let from: Vec<_> = from.collect();
    composer.apply(instruction.operation.name(), &from, instruction.into)
}

/// Composes a differential equation, with this count of numbers in its solution.
fn write(
    composer: &mut Composer<'_>,
    solve: &Solve,
    numbers: u32,
    real: &str,
) -> Result<(), LinkError> {
    let of = |operand: Operand| in_precision(operand, real);
    composer.solution(numbers);
    for (place, (first, _)) in (0..).step_by(solve.rows() as usize).zip(&solve.kept) {
        composer.keep(of(*first), place, false)?;
    }
    for one in &solve.carried {
        composer.copy(of(one.first), one.slot)?;
    }
    let read: Vec<_> = solve.operands().map(of).filter(|from| !is_result(from)).collect();
    composer.intervals(solve.intervals, read, &mut |composer| {
        for one in &solve.carried {
            if let Some(opening) = one.opening {
                composer.copy(of(opening), one.slot)?;
            }
        }
        composer.rounds(solve.rounds, &mut |composer| {
            solve.body.iter().try_for_each(|one| apply(composer, one, real))?;
            for one in &solve.carried {
                composer.copy(of(one.next), one.slot)?;
            }
            Ok(solve.going.map(of))
        })?;
        solve.closing.iter().try_for_each(|one| apply(composer, one, real))?;
        for (place, (_, last)) in (1..).step_by(solve.rows() as usize).zip(&solve.kept) {
            composer.keep(of(*last), place, true)?;
        }
        Ok(())
    })
}

fn is_result(operand: &compose::Operand) -> bool {
    matches!(operand, compose::Operand::Result(_))
}

fn in_precision(operand: Operand, real: &str) -> compose::Operand {
    match operand {
        Operand::Slot(slot) => compose::Operand::Result(slot),
        Operand::Constant(bits) if real == f32::NAME => {
            compose::Operand::Constant(f32::from_f64(f64::from_bits(bits)).to_bits64())
        }
        Operand::Constant(bits) => compose::Operand::Constant(bits),
        Operand::Coordinate(at) => compose::Operand::Coordinate(at),
        Operand::Coordinates(at) => compose::Operand::Coordinates(at),
        Operand::Data(at) => compose::Operand::Data(at),
        Operand::Own(at) => compose::Operand::Own(at),
        Operand::Owns(at) => compose::Operand::Owns(at),
        Operand::Index => compose::Operand::Index,
        Operand::Solution(at) => compose::Operand::Solution(at),
        Operand::Solutions(at) => compose::Operand::Solutions(at),
    }
}
