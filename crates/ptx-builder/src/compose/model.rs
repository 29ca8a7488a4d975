//! Models of data: what all rows share is computed once, and the rest in each row.
//!
//! Coordinates are in the registers `%wm_x...`, and the number of the fit in `%wm_fit`. A row's number is in `%we_k`,
//! its prediction in `%wm_y`, and the derivatives in `%wm_d...`. The result is a module like an objective's, with
//! [`SHARED`] between the registers and the shared code, and [`ROW`] before the rows.

use super::{Composer, LinkError, Operand};
use crate::link::{ROW, SHARED};

/// The prediction for a row, and its derivatives.
type Outputs = Result<Vec<Operand>, LinkError>;

/// A model that is being built.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// The parameters of the kernel.
    parameters: u32,
    /// The code that all rows share, once it is complete.
    shared: String,
}

impl<'a> Composer<'a> {
    /// Begins a model of `f32` or `f64`, for a kernel with this number of parameters, from pieces that `module`
    /// returns.
    pub fn model(
        module: &'a dyn Fn(&str) -> Option<String>,
        real: &'a str,
        parameters: u32,
    ) -> Self {
        let model = Model { parameters, ..Model::default() };
        // A thread computes reductions, as in the form of that name.
        Composer { model: Some(model), ..Composer::empty(module, real, "thread") }
    }

    /// Groups of rows, one after another; `counts` has the number of rows in each. `row` writes the code of a row of
    /// the group with this number, and returns the prediction and its derivatives. `from` lists everything that rows
    /// read, except for results.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn rows(
        &mut self,
        counts: &[u32],
        from: impl IntoIterator<Item = Operand>,
        row: &mut dyn FnMut(&mut Self, usize) -> Outputs,
    ) -> Result<(), LinkError> {
        // Operands that are the same in all rows are read once.
        for operand in from.into_iter().filter(|operand| !operand.varies()) {
            self.operand(operand)?;
        }
        let (shared, read) = (std::mem::take(&mut self.body), self.read.clone());
        let parameters = self.model.as_ref().map_or(0, |model| model.parameters);
        let bits = self.bits();
        for (part, count) in counts.iter().enumerate() {
            let is_last = part + 1 == counts.len();
            if !is_last {
                self.line(format_args!("setp.ge.u32 %wm_is, %we_k, {count};"));
                self.line(format_args!("@%wm_is bra $wm_part{};", part + 1));
            }
            self.read.clone_from(&read);
            let mut outputs = row(self, part)?.into_iter();
            let mut output = || outputs.next().unwrap_or(Operand::Constant(0));
            let value = self.operand(output())?;
            self.line(format_args!("mov.{bits} %wm_y, {value};"));
            for i in 0..parameters {
                let partial = self.operand(output())?;
                self.line(format_args!("mov.{bits} %wm_d{i}, {partial};"));
            }
            if !is_last {
                self.line(format_args!("bra $wm_end;\n$wm_part{}:", part + 1));
                self.line(format_args!("sub.u32 %we_k, %we_k, {count};"));
            }
        }
        self.line(format_args!("$wm_end:"));
        if let Some(model) = &mut self.model {
            model.shared = shared;
        }
        Ok(())
    }

    /// Reads the coordinate whose number is in `%we_i`, by comparisons, because registers cannot be indexed at run
    /// time.
    pub(super) fn coordinate(&mut self) {
        let bits = self.bits();
        let parameters = self.model.as_ref().map_or(0, |model| model.parameters);
        for i in 0..parameters {
            self.line(format_args!("setp.eq.u32 %wm_is, %we_i, {i};"));
            self.line(format_args!("@%wm_is mov.{bits} %we_r, %wm_x{i};"));
        }
    }

    /// The model's module; `results` is above every number of a result.
    pub fn finish_model(mut self, results: u32) -> String {
        let Model { parameters, shared } = self.model.take().unwrap_or_default();
        let (bits, registers) = (self.bits(), self.declared(results));
        self.module(&format!(
            "{registers}.reg .pred %wm_is;\n.reg .b32 %wm_fit;\n\
             .reg .{bits} %wm_x<{parameters}>, %wm_d<{parameters}>, %wm_y;\n\
             {SHARED}\n{shared}{ROW}\n{}",
            self.body
        ))
    }
}
