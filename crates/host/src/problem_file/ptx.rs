//! Programs on a GPU: written down as PTX, from pieces that were compiled with the kernels.

use warpswarm_core::Real;
use warpswarm_ptx_builder::LinkError;
use warpswarm_ptx_builder::compose::{self, Composer};

use super::program::{Instruction, Operand, Program, Step};

impl Program {
    /// The module of the objective `objective_Expression_REAL_FORM`, from modules of these names.
    pub(crate) fn text(
        &self,
        name: &str,
        module: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, LinkError> {
        let mut words = name.rsplit('_');
        let (form, real) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let of = |operand: &Operand| in_precision(*operand, real);
        let mut composer = Composer::new(module, real, form)?;
        for step in &self.steps {
            match step {
                Step::Once(instruction) => apply(&mut composer, instruction, real)?,
                Step::Fold { reduction, terms, body, term, into } => {
                    let from = body.iter().flat_map(Instruction::operands).chain([term]);
                    let from: Vec<_> = from.map(of).filter(|from| !is_result(from)).collect();
                    let reduction = (reduction.name(), *terms);
                    composer.fold(reduction, from, *into, &mut |composer| {
                        body.iter().try_for_each(|one| apply(composer, one, real))?;
                        Ok(of(term))
                    })?;
                }
            }
        }
        composer.finish(of(&self.outputs[0]), of(&self.outputs[1]), self.slots)
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
        Operand::Index => compose::Operand::Index,
    }
}
