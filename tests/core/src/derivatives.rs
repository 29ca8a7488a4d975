//! Derivatives of functions, problems and random expressions, compared with other methods.

mod slopes;
mod step;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use warpswarm_core::dual::{CHUNK, Differentiable, Dual, DualPoint, gradient};
use warpswarm_core::expression::Operation;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::*;
use warpswarm_core::{Objective, Real, for_each_problem};

use step::Step;

/// The largest difference of two gradients, relative to the largest derivative, or to `least` if that is larger.
fn difference(found: &[f64], expected: &[f64], least: f64) -> f64 {
    let size = expected.iter().fold(least, |size, x| size.max(x.abs()));
    found.iter().zip(expected).fold(0.0, |largest, (a, b)| f64::max(largest, (a - b).abs() / size))
}

/// A point within the bounds, away from the middle, which depends on `number`.
fn point_of<F: Problem>(dimensions: usize, number: usize) -> Vec<f64> {
    let place = |i: usize| {
        let (lower, upper) = F::bounds(i);
        let part = (0.137 + 0.618_034 * (i + 1) as f64 + 0.367 * number as f64).fract();
        lower + (upper - lower) * part
    };
    (0..dimensions).map(place).collect()
}

/// Compares gradients by dual numbers with those by complex steps, for the value and the violation.
fn compare<F>()
where
    F: Problem + Differentiable<f64> + Objective<Step>,
{
    let problem = F::default();
    let wanted = [1, 2, 7, 8, 9, 33];
    let dimensions = wanted.into_iter().filter(|&n| F::DIMENSIONS.allows(n));
    let dimensions: Vec<_> = dimensions.chain([F::DIMENSIONS.usual()]).collect();
    for (number, &n) in dimensions.iter().cycle().take(12).enumerate() {
        let x = point_of::<F>(n, number);
        let what = format!("{} at {x:?}", F::ID);
        let mut found = vec![f64::NAN; n];
        let value = gradient(&problem, &SlicePoint(&x), &mut found);
        let plain = Objective::<f64>::value(&problem, &SlicePoint(&x));
        assert_eq!(value.to_bits(), plain.to_bits(), "{what}");

        let by = |i| (0..n).map(|k| Step::new(x[k], k == i)).collect::<Vec<_>>();
        let steps = |of: &dyn Fn(&[Step]) -> Step| -> Vec<f64> {
            (0..n).map(|i| of(&by(i)).slope()).collect()
        };
        let expected = steps(&|x| Objective::<Step>::value(&problem, &SlicePoint(x)));
        let apart = difference(&found, &expected, f64::MIN_POSITIVE);
        let differ = "derivatives by dual numbers and by complex steps differ by this part of the largest one, and \
                      at most 1e-10 is allowed; if terms cancel at this point, see the end of \
                      docs/how-to/add-a-problem.md";
        assert!(apart < 1e-10, "{what}: {apart:e}: {differ}\n{found:?}\n{expected:?}");

        let expected = steps(&|x| Objective::<Step>::violation(&problem, &SlicePoint(x)));
        let chunks = (0..n).step_by(CHUNK).flat_map(|first| {
            let point = DualPoint::<_, CHUNK> { point: SlicePoint(&x), first };
            let violation: Dual<f64, CHUNK> = problem.violation(&point);
            violation.partials
        });
        let found: Vec<_> = chunks.take(n).collect();
        let apart = difference(&found, &expected, f64::MIN_POSITIVE);
        assert!(apart < 1e-10, "violation of {what}: {apart:e}: {differ}\n{found:?}\n{expected:?}");
    }
}

#[test]
fn gradients_of_all_problems() {
    macro_rules! each {
        (() $($problem:ident: $kernels:ident),*) => { $( compare::<$problem>(); )* };
    }
    for_each_problem!(each);
}

/// An expression of four variables.
#[derive(Clone, Debug)]
enum Tree {
    Variable(usize),
    Constant(f64),
    Operation(Operation, Vec<Tree>),
}

impl Tree {
    /// The value, and the largest absolute value of an intermediate result.
    fn value<R: Real>(&self, x: &[R; 4], largest: &mut f64) -> R {
        let value = match self {
            Tree::Variable(i) => x[*i],
            Tree::Constant(value) => R::from_f64(*value),
            Tree::Operation(operation, of) => {
                let mut numbers = [R::ZERO; 3];
                for (number, tree) in numbers.iter_mut().zip(of) {
                    *number = tree.value(x, largest);
                }
                operation.apply(numbers)
            }
        };
        let size = value.to_f64().abs();
        *largest = if size.is_nan() { f64::INFINITY } else { largest.max(size) };
        value
    }
}

/// Operations that exist for complex numbers.
fn operations() -> impl Strategy<Value = Operation> {
    use Operation::*;
    proptest::sample::select(vec![
        Negate, Absolute, Root, Exp, Ln, Sin, Cos, SinTurns, CosTurns, Tan, Sinh, Cosh, Tanh, Log2,
        Log10, Sign, Floor, Excess, Add, Add, Subtract, Subtract, Multiply, Multiply, Multiply,
        Divide, Divide, Power, Hypot, Modulo, Least, Greatest, Less, AtMost, Choose,
    ])
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        3 => (0..4_usize).prop_map(Tree::Variable),
        1 => (-3.0..3.0).prop_map(Tree::Constant),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        (operations(), prop::collection::vec(inner, 3)).prop_map(|(operation, mut of)| {
            of.truncate(operation.arity());
            Tree::Operation(operation, of)
        })
    })
}

#[test]
fn gradients_of_a_thousand_random_expressions() {
    let mut runner = TestRunner::deterministic();
    let (mut compared, mut all) = (0, 0);
    while compared < 1_000 {
        all += 1;
        assert!(all < 40_000, "{compared} expressions with moderate numbers among {all}");
        let tree = trees().new_tree(&mut runner).unwrap().current();
        let at = prop::array::uniform4(-2.0..2.0).new_tree(&mut runner).unwrap().current();
        let mut largest = 0.0;
        let value = tree.value(&at, &mut largest);
        let duals: [Dual<f64, 4>; 4] = std::array::from_fn(|i| Dual::variable(at[i], i));
        let found = tree.value(&duals, &mut 0.0);
        assert_eq!(found.value.to_bits(), value.to_bits(), "{tree:?} at {at:?}");
        let sizes = found.partials.iter().fold(largest, |size: f64, x| size.max(x.abs()));
        // Only where both methods keep their digits, and where the value depends on a variable.
        if sizes.is_nan() || sizes > 1e3 || found.partials == [0.0; 4] {
            continue;
        }
        let expected: [f64; 4] = std::array::from_fn(|i| {
            let x = std::array::from_fn(|k| Step::new(at[k], k == i));
            tree.value(&x, &mut 0.0).slope()
        });
        // If terms cancel, the rest is their rounding error.
        let apart = difference(&found.partials, &expected, 1e-3 * largest.max(1.0));
        assert!(apart < 1e-10, "{apart:e}: {tree:?} at {at:?}: {found:?}, {expected:?}");
        compared += 1;
    }
}
