//! Slopes of functions, as in [`dual`](warpswarm_core::dual).

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10, TAU};

use warpswarm_core::expression::Operation;

use crate::problem::problem_file::graph::{Graph, Value};

impl Graph {
    /// The slope of a function of one number `x` with value `f`, and whether the slope may be infinite or NaN.
    pub(super) fn slope(&mut self, operation: Operation, x: Value, f: Value) -> (Value, bool) {
        let [zero, one] = [0.0, 1.0].map(|number| self.constant(number));
        let mut of = |operation, x| self.apply(operation, &[x]);
        match operation {
            Operation::Absolute => (of(Operation::Sign, x), false),
            Operation::Exp => (f, false),
            Operation::ExpM1 => (of(Operation::Exp, x), false),
            Operation::Sin => (of(Operation::Cos, x), false),
            Operation::Sinh => (of(Operation::Cosh, x), false),
            Operation::Cosh => (of(Operation::Sinh, x), false),
            Operation::LnGamma => (of(Operation::Digamma, x), true),
            Operation::Cos | Operation::J0 | Operation::Y0 => {
                let (opposite, has_pole) = match operation {
                    Operation::Cos => (Operation::Sin, false),
                    Operation::J0 => (Operation::J1, false),
                    _ => (Operation::Y1, true),
                };
                let opposite = of(opposite, x);
                (self.minus(zero, opposite), has_pole)
            }
            Operation::SinTurns => {
                let cosine = of(Operation::CosTurns, x);
                (self.scaled(TAU, cosine), false)
            }
            Operation::CosTurns => {
                let sine = of(Operation::SinTurns, x);
                (self.scaled(-TAU, sine), false)
            }
            Operation::J1 | Operation::Y1 => {
                let is_first = operation == Operation::J1;
                let before = of(if is_first { Operation::J0 } else { Operation::Y0 }, x);
                let quotient = self.apply(Operation::Divide, &[f, x]);
                let slope = self.minus(before, quotient);
                let half = self.constant(0.5);
                (if is_first { self.choose(x, slope, half) } else { slope }, !is_first)
            }
            Operation::Gamma => {
                let digamma = of(Operation::Digamma, x);
                (self.times(f, digamma), true)
            }
            Operation::Erf | Operation::Erfc => {
                let square = self.times(x, x);
                let power = self.minus(zero, square);
                let bell = self.apply(Operation::Exp, &[power]);
                let sign = if operation == Operation::Erf { 1.0 } else { -1.0 };
                (self.scaled(sign * FRAC_2_SQRT_PI, bell), false)
            }
            Operation::Tan | Operation::Tanh => {
                let square = self.times(f, f);
                let is_tan = operation == Operation::Tan;
                (if is_tan { self.plus(one, square) } else { self.minus(one, square) }, false)
            }
            Operation::Root => {
                let half = self.constant(0.5);
                (self.apply(Operation::Divide, &[half, f]), true)
            }
            _ => {
                let (slope, is_finite) = self.one_over(operation, x, f);
                (slope, !is_finite)
            }
        }
    }

    /// The slope of a function whose slope is the inverse of an expression, and whether the slope is always finite.
    fn one_over(&mut self, operation: Operation, x: Value, f: Value) -> (Value, bool) {
        let one = self.constant(1.0);
        let (below, is_finite) = match operation {
            Operation::Ln => (x, false),
            Operation::Ln1P => (self.plus(one, x), false),
            Operation::Log2 => (self.scaled(LN_2, x), false),
            Operation::Log10 => (self.scaled(LN_10, x), false),
            Operation::CubeRoot => {
                let square = self.times(f, f);
                (self.scaled(3.0, square), false)
            }
            Operation::Atan => {
                let square = self.times(x, x);
                (self.plus(one, square), true)
            }
            Operation::Asinh => (self.apply(Operation::Hypot, &[one, x]), true),
            Operation::Acosh => {
                let [before, behind] = [self.minus(x, one), self.plus(x, one)]
                    .map(|part| self.apply(Operation::Root, &[part]));
                (self.times(before, behind), false)
            }
            // Asin, Acos, Atanh
            _ => {
                let (before, behind) = (self.minus(one, x), self.plus(one, x));
                let product = self.times(before, behind);
                let is_root = operation != Operation::Atanh;
                let root = |graph: &mut Graph| graph.apply(Operation::Root, &[product]);
                (if is_root { root(self) } else { product }, false)
            }
        };
        let above = self.constant(if operation == Operation::Acos { -1.0 } else { 1.0 });
        (self.apply(Operation::Divide, &[above, below]), is_finite)
    }

    /// The derivative of `f`, which is `x` to the power of `y`.
    pub(super) fn derivative_of_power(
        &mut self,
        f: Value,
        [x, y]: [Value; 2],
        [of_x, of_y]: [Value; 2],
    ) -> Value {
        let zero = self.constant(0.0);
        let mut by_x = zero;
        if of_x != zero {
            let slope = self.slope_of_power(f, x, y);
            by_x = match self.number(y).is_some_and(|y| y > 1.0) {
                true => self.chain(slope, of_x),
                false => self.chain_unless_zero(slope, of_x),
            };
        }
        let mut by_y = zero;
        if of_y != zero {
            let logarithm = self.apply(Operation::Ln, &[x]);
            let slope = self.times(f, logarithm);
            let slope = self.choose(f, slope, zero);
            by_y = self.chain_unless_zero(slope, of_y);
        }
        self.plus(by_x, by_y)
    }

    /// The slope by `x` of `f`, which is `x` to the power of `y`: `y f / x`, and its limit at 0.
    fn slope_of_power(&mut self, f: Value, x: Value, y: Value) -> Value {
        let [zero, one, infinity] = [0.0, 1.0, f64::INFINITY].map(|number| self.constant(number));
        let exponent = self.number(y);
        if let Some(exponent) = exponent.filter(|y| y.fract() == 0.0 && (2.0..=9.0).contains(y)) {
            let lower = self.constant(exponent - 1.0);
            let power = self.power(x, lower);
            return self.times(y, power);
        }
        let quotient = self.apply(Operation::Divide, &[f, x]);
        let slope = self.times(y, quotient);
        if exponent.is_some_and(|y| y < 0.0) {
            return slope;
        }
        let is_above = self.apply(Operation::Less, &[one, y]);
        let is_one = self.apply(Operation::Equal, &[one, y]);
        let below = self.times(y, infinity);
        let below = self.choose(y, below, zero);
        let at_most_one = self.choose(is_one, one, below);
        let at_zero = self.choose(is_above, zero, at_most_one);
        self.choose(x, slope, at_zero)
    }
}
