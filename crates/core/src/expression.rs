//! Expressions: objectives that are built from a formula at run time.
//!
//! **Idea.** A formula is a list of operations on numbers, among them reductions (sums over terms, and the like) in the
//! order of [`sum`](crate::sum). [`Operation::apply`] defines what an operation does, in one place. Programs are
//! executed in three ways: by [`machine`] on the CPU, many terms side by side; by [`Expression`], an objective that
//! reads its program from its data, in the emulator; and on a GPU as PTX, into which the operations are compiled one
//! after the other.

pub mod machine;
mod objective;
mod rows;

pub use objective::{Expression, SLOTS, SOLUTION, operand, step};

use crate::dual::digamma;
use crate::real::Real;
use crate::sum::Operator;

/// Calls a macro with all operations and the number of operands of each.
#[macro_export]
macro_rules! for_each_operation {
    ($then:ident) => {
        $then! {
            Negate: 1,
            Absolute: 1,
            Root: 1,
            Exp: 1,
            Ln: 1,
            Sin: 1,
            Cos: 1,
            SinTurns: 1,
            CosTurns: 1,
            Tan: 1,
            Asin: 1,
            Acos: 1,
            Atan: 1,
            Sinh: 1,
            Cosh: 1,
            Tanh: 1,
            Asinh: 1,
            Acosh: 1,
            Atanh: 1,
            ExpM1: 1,
            Ln1P: 1,
            Log2: 1,
            Log10: 1,
            CubeRoot: 1,
            Sign: 1,
            Floor: 1,
            Ceil: 1,
            Truncate: 1,
            Round: 1,
            Erf: 1,
            Erfc: 1,
            Gamma: 1,
            LnGamma: 1,
            J0: 1,
            J1: 1,
            Y0: 1,
            Y1: 1,
            Digamma: 1,
            Excess: 1,
            Add: 2,
            Subtract: 2,
            Multiply: 2,
            Divide: 2,
            Power: 2,
            Atan2: 2,
            Hypot: 2,
            Modulo: 2,
            Least: 2,
            Greatest: 2,
            Less: 2,
            AtMost: 2,
            Equal: 2,
            Choose: 3
        }
    };
}

macro_rules! operations {
    ($($operation:ident: $arity:literal),*) => {
        /// An operation on one to three numbers: see [`apply`](Operation::apply).
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Operation { $($operation),* }

        impl Operation {
            /// All operations, in the order of their codes.
            pub const ALL: &[Operation] = &[$(Operation::$operation),*];

            /// The number of operands.
            pub const fn arity(self) -> usize {
                match self { $(Operation::$operation => $arity),* }
            }

            /// The name of the operation.
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$operation => stringify!($operation)),* }
            }
        }
    };
}

for_each_operation!(operations);

impl Operation {
    /// The result for these operands; those after the arity are not used.
    ///
    /// True is 1 and false is 0; every number except 0 counts as true. The smaller and the larger of two numbers are
    /// NaN if one of them is.
    #[inline(always)]
    pub fn apply<R: Real>(self, [a, b, c]: [R; 3]) -> R {
        let truth = |is: bool| if is { R::ONE } else { R::ZERO };
        match self {
            Operation::Negate => -a,
            Operation::Absolute => a.abs(),
            Operation::Root => a.sqrt(),
            Operation::Exp => a.exp(),
            Operation::Ln => a.ln(),
            Operation::Sin => a.sin(),
            Operation::Cos => a.cos(),
            Operation::SinTurns => a.sin_turns(),
            Operation::CosTurns => a.cos_turns(),
            Operation::Tan => a.tan(),
            Operation::Asin => a.asin(),
            Operation::Acos => a.acos(),
            Operation::Atan => a.atan(),
            Operation::Sinh => a.sinh(),
            Operation::Cosh => a.cosh(),
            Operation::Tanh => a.tanh(),
            Operation::Asinh => a.asinh(),
            Operation::Acosh => a.acosh(),
            Operation::Atanh => a.atanh(),
            Operation::ExpM1 => a.exp_m1(),
            Operation::Ln1P => a.ln_1p(),
            Operation::Log2 => a.log2(),
            Operation::Log10 => a.log10(),
            Operation::CubeRoot => a.cbrt(),
            Operation::Sign => a.sign(),
            Operation::Floor => a.floor(),
            Operation::Ceil => a.ceil(),
            Operation::Truncate => a.trunc(),
            Operation::Round => a.round_ties_even(),
            Operation::Erf => a.erf(),
            Operation::Erfc => a.erfc(),
            Operation::Gamma => a.gamma(),
            Operation::LnGamma => a.ln_gamma(),
            Operation::J0 => a.j0(),
            Operation::J1 => a.j1(),
            Operation::Y0 => a.y0(),
            Operation::Y1 => a.y1(),
            Operation::Digamma => digamma(a),
            // Not `larger`, which would treat a NaN as a satisfied constraint.
            Operation::Excess => {
                if a <= R::ZERO {
                    R::ZERO
                } else {
                    a
                }
            }
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
            Operation::Power => a.pow(b),
            Operation::Atan2 => a.atan2(b),
            Operation::Hypot => a.hypot(b),
            Operation::Modulo => a.modulo(b),
            Operation::Least => Least::combine(a, b),
            Operation::Greatest => Greatest::combine(a, b),
            Operation::Less => truth(a < b),
            Operation::AtMost => truth(a <= b),
            Operation::Equal => truth(a == b),
            Operation::Choose => {
                if a != R::ZERO {
                    b
                } else {
                    c
                }
            }
        }
    }
}

/// [`Operation::apply`], compiled once: the functions are long, and the emulator has many kernels.
#[inline(never)]
fn apply<R: Real>(operation: Operation, from: [R; 3]) -> R {
    operation.apply(from)
}

/// How the terms of a reduction are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Reduction {
    /// [`Sum`](crate::sum::Sum)
    Sum,
    /// [`Product`](crate::sum::Product)
    Product,
    /// [`Least`]
    Least,
    /// [`Greatest`]
    Greatest,
}

impl Reduction {
    /// All reductions, in the order of their codes.
    pub const ALL: [Reduction; 4] =
        [Reduction::Sum, Reduction::Product, Reduction::Least, Reduction::Greatest];

    /// The name of the reduction.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "Sum",
            Reduction::Product => "Product",
            Reduction::Least => "Least",
            Reduction::Greatest => "Greatest",
        }
    }
}

/// The smallest of the numbers; NaN if one is NaN, and never -0.
#[derive(Clone, Copy, Debug)]
pub struct Least;

/// The largest of the numbers; NaN if one is NaN, and never -0.
#[derive(Clone, Copy, Debug)]
pub struct Greatest;

// Both are commutative in every bit that counts: of -0 and +0 they return +0, in either order.
impl<R: Real> Operator<R> for Least {
    #[inline(always)]
    fn identity() -> R {
        R::INFINITY
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        (if a < b || a.is_nan() { a } else { b }) + R::ZERO
    }
    #[inline(always)]
    fn finish(result: R) -> R {
        result + R::ZERO
    }
}

impl<R: Real> Operator<R> for Greatest {
    #[inline(always)]
    fn identity() -> R {
        -R::INFINITY
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        (if a > b || a.is_nan() { a } else { b }) + R::ZERO
    }
    #[inline(always)]
    fn finish(result: R) -> R {
        result + R::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_hand() {
        let of = |operation: Operation, a: f64, b: f64, c: f64| operation.apply([a, b, c]);
        assert_eq!(of(Operation::Subtract, 5.0, 2.0, 9.0), 3.0);
        assert_eq!(of(Operation::Power, 2.0, 3.0, 9.0), 8.0);
        assert_eq!(of(Operation::Excess, -2.0, 0.0, 0.0), 0.0);
        assert_eq!(of(Operation::Excess, 2.0, 0.0, 0.0), 2.0);
        assert!(of(Operation::Excess, f64::NAN, 0.0, 0.0).is_nan());
        assert_eq!(of(Operation::Choose, 1.0, 2.0, 3.0), 2.0);
        assert_eq!(of(Operation::Choose, 0.0, 2.0, 3.0), 3.0);
        assert_eq!(of(Operation::Less, 1.0, 1.0, 0.0), 0.0);
        assert_eq!(of(Operation::AtMost, 1.0, 1.0, 0.0), 1.0);
        assert_eq!(of(Operation::CosTurns, 0.5, 0.0, 0.0), -1.0);
        assert_eq!(Operation::ALL[Operation::Choose as usize], Operation::Choose);
        assert_eq!(Reduction::ALL[Reduction::Greatest as usize], Reduction::Greatest);
    }

    #[test]
    fn the_lesser_and_the_greater_do_not_depend_on_the_order() {
        let numbers = [-1.5, -0.0, 0.0, 2.0, f64::INFINITY, f64::NAN];
        for a in numbers {
            for b in numbers {
                let (least, greatest) = (Least::combine(a, b), Greatest::combine(a, b));
                assert_eq!(least.to_bits(), Least::combine(b, a).to_bits());
                assert_eq!(greatest.to_bits(), Greatest::combine(b, a).to_bits());
                let is_nan = a.is_nan() || b.is_nan();
                assert!(if is_nan { least.is_nan() } else { least <= a && least <= b });
                assert!(if is_nan { greatest.is_nan() } else { greatest >= a && greatest >= b });
            }
        }
        assert_eq!(Least::combine(-0.0_f64, -0.0).to_bits(), 0);
    }

    #[test]
    fn what_depends_on_nan_is_nan() {
        fn check<R: Real>() {
            // Comparisons return truth values. `x^0` and `1^x` are 1, and the length of an infinite vector is infinite,
            // even for a NaN.
            let is_other = |operation, [a, b]: [R; 2]| match operation {
                Operation::Less | Operation::AtMost | Operation::Equal | Operation::Choose => true,
                Operation::Power => a == R::ONE || b == R::ZERO,
                Operation::Hypot => a.abs() == R::INFINITY || b.abs() == R::INFINITY,
                _ => false,
            };
            let zero_and_more = [R::ZERO, -R::ZERO, R::ONE, -R::ONE, R::HALF, R::MAX, R::INFINITY];
            for &operation in Operation::ALL {
                for other in zero_and_more {
                    for from in [[R::NAN, other], [other, R::NAN], [R::NAN, R::NAN]] {
                        let from_nan = from[..operation.arity().min(2)].iter().any(|a| a.is_nan());
                        if from_nan && !is_other(operation, from) {
                            let result = operation.apply([from[0], from[1], R::ZERO]);
                            assert!(result.is_nan(), "{operation:?} {from:?} is {result:?}");
                        }
                    }
                }
            }
        }
        check::<f32>();
        check::<f64>();
    }
}
