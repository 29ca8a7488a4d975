//! Models of data that are built from a formula at run time.

use super::objective::INSTRUCTION;
use super::{Expression, SLOTS, SOLUTION, step};
use crate::fit::Curve;
use crate::objective::Point;
use crate::real::Float;

impl Expression {
    /// A row, with room for `ROOM` numbers of a solution: NaN if the program has no such row.
    #[inline(never)]
    fn row_with_room<R: Float, P: Point<R>, const ROOM: usize, const N: usize>(
        &self,
        x: &P,
        mut row: usize,
    ) -> (R, [R; N]) {
        let mut slots = [R::ZERO; SLOTS];
        let mut solution = [R::ZERO; ROOM];
        let mut at = self.steps(x, &mut slots, &mut solution);
        while self.read(x, at) == step::ROWS {
            let [rows, len, outputs] = [1, 2, 3].map(|k| self.read(x, at + k) as usize);
            let first = at + 4;
            let body = first + 2 * outputs;
            if row < rows {
                for number in 0..len {
                    self.carry_out(x, body + number * INSTRUCTION, &mut slots, &solution, row);
                }
                let output = |k: usize| {
                    if k < outputs {
                        self.operand(x, first + 2 * k, &slots, &solution, row)
                    } else {
                        R::ZERO
                    }
                };
                return (output(0), core::array::from_fn(|i| output(i + 1)));
            }
            row -= rows;
            at = body + len * INSTRUCTION;
        }
        (R::NAN, [R::NAN; N])
    }
}

/// For the emulator: everything is computed anew for each row.
impl<R: Float, const N: usize> Curve<R, N> for Expression {
    #[inline(always)]
    fn begin<P: Point<R> + Copy>(&self, _: &P) {}

    #[inline(always)]
    fn row<P: Point<R> + Copy>(&self, x: &P, row: usize) -> (R, [R; N]) {
        match self.read(x, 0) {
            0 => self.row_with_room::<R, P, 0, N>(x, row),
            _ => self.row_with_room::<R, P, SOLUTION, N>(x, row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    use crate::data::{DataSlices, Table, WithData};
    use crate::expression::{Operation, operand};
    use crate::objective::SlicePoint;

    /// a t + b for three rows, then a b for one; with their derivatives, except that by b of the first.
    #[test]
    fn rows_are_those_of_one_body_after_the_other() {
        let [multiply, add] = [Operation::Multiply as u32, Operation::Add as u32];
        let (slot, a, b) = ([operand::SLOT, 0], [operand::COORDINATE, 0], [operand::COORDINATE, 1]);
        let (t, none) = ([operand::DATA, 1], [operand::INDEX, 0]);
        let code = [
            &[0, step::ONCE, multiply, 1][..],
            &[a, b, none].concat(),
            &[step::ROWS, 3, 2, 2],
            &[slot, t].concat(),
            &[multiply, 0],
            &[a, t, none].concat(),
            &[add, 0],
            &[slot, b, none].concat(),
            &[step::ROWS, 1, 0, 3],
            &[[operand::SLOT, 1], b, a].concat(),
            &[step::END],
        ]
        .concat();
        let times = [9.0, 1.0, 2.0, 4.0];
        let all: Vec<f64> = code.iter().map(|&number| number.into()).chain(times).collect();
        let len = code.len() as u32;
        let table = |start, len| Table::new(start, len, 1, false);
        let expression = Expression {
            program: table(0, len),
            constants: table(0, 0),
            data: table(len, 4),
            own: table(0, 0),
        };
        let data = DataSlices { all: &all, of_run: &[] };
        let x = WithData { point: SlicePoint(&[3.0, 5.0]), data };
        let row = |k| -> (f64, [f64; 3]) { expression.row(&x, k) };
        assert_eq!(row(0), (3.0 + 5.0, [1.0, 0.0, 0.0]));
        assert_eq!(row(2), (3.0 * 4.0 + 5.0, [4.0, 0.0, 0.0]));
        assert_eq!(row(3), (15.0, [5.0, 3.0, 0.0]));
        assert!(row(4).0.is_nan());
    }
}
