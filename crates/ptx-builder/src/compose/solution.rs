//! Differential equations: two loops, and the thread's own memory for the solution.

use super::{Composer, LinkError, Operand};

impl Composer<'_> {
    /// Reserves memory for this many numbers of a differential equation's solution; there is one solution.
    pub fn solution(&mut self, numbers: u32) {
        self.solution = numbers;
    }

    /// The address of a number of the solution; if it `moves`, the number of the term is added.
    pub(super) fn place(&mut self, at: u32, moves: bool) -> String {
        let bytes = self.bytes();
        let at = at * bytes;
        if !moves {
            return format!("we_solution+{at}");
        }
        self.line(format_args!("mul.lo.u32 %we_i, %we_k, {bytes};"));
        self.line(format_args!("cvt.u64.u32 %we_p, %we_i;"));
        self.line(format_args!("mov.u64 %we_q, we_solution;"));
        self.line(format_args!("add.u64 %we_p, %we_p, %we_q;"));
        format!("%we_p+{at}")
    }

    /// Stores a number of the solution; if the place `moves`, the number of the interval is added.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn keep(&mut self, from: Operand, at: u32, moves: bool) -> Result<(), LinkError> {
        let from = self.operand(from)?;
        let bits = self.bits();
        // A store takes no constant as its operand.
        self.line(format_args!("mov.{bits} %we_r, {from};"));
        let place = self.place(at, moves);
        self.line(format_args!("st.local.{bits} [{place}], %we_r;"));
        Ok(())
    }

    /// Copies an operand to a result.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn copy(&mut self, from: Operand, into: u32) -> Result<(), LinkError> {
        let (from, bits) = (self.operand(from)?, self.bits());
        self.line(format_args!("mov.{bits} %we_v{into}, {from};"));
        Ok(())
    }

    /// A loop over `count` intervals, at least 1; their number is that of the term. `from` lists everything that they
    /// read, except for results.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn intervals(
        &mut self,
        count: u32,
        from: impl IntoIterator<Item = Operand>,
        interval: &mut dyn FnMut(&mut Self) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        let (each, once): (Vec<_>, Vec<_>) = from.into_iter().partition(|from| from.varies());
        for operand in once {
            self.operand(operand)?;
        }
        let outside = self.read.clone();
        self.line(format_args!(
            "mov.u32 %we_k, 0;
$we_interval:"
        ));
        for operand in each {
            self.operand(operand)?;
        }
        interval(self)?;
        self.line(format_args!("add.u32 %we_k, %we_k, 1;"));
        self.line(format_args!("setp.lt.u32 %we_again, %we_k, {count};"));
        self.line(format_args!("@%we_again bra $we_interval;"));
        self.read = outside;
        Ok(())
    }

    /// A loop of up to `count` rounds, at least 1, within an interval. A round reads no operand that has not been read
    /// before. It is repeated while the operand that `round` returns is not 0.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn rounds(
        &mut self,
        count: u32,
        round: &mut dyn FnMut(&mut Self) -> Result<Option<Operand>, LinkError>,
    ) -> Result<(), LinkError> {
        self.line(format_args!(
            "mov.u32 %we_n, 0;
$we_round:"
        ));
        if let Some(going) = round(self)? {
            let (going, bits) = (self.operand(going)?, self.bits().replace('b', "f"));
            let zero = if self.real == "f32" { "0f00000000" } else { "0d0000000000000000" };
            self.line(format_args!("setp.eq.{bits} %we_again, {going}, {zero};"));
            self.line(format_args!("@%we_again bra $we_rounds;"));
        }
        self.line(format_args!("add.u32 %we_n, %we_n, 1;"));
        self.line(format_args!("setp.lt.u32 %we_again, %we_n, {count};"));
        self.line(format_args!(
            "@%we_again bra $we_round;
$we_rounds:"
        ));
        Ok(())
    }

    /// The declarations for a solution, if there is one.
    pub(super) fn memory(&self) -> String {
        let bytes = self.bytes();
        match self.solution * bytes {
            0 => String::new(),
            all => format!(
                ".reg .b64 %we_p, %we_q;\n.reg .pred %we_again;\n\
                 .local .align {bytes} .b8 we_solution[{all}];\n"
            ),
        }
    }
}
