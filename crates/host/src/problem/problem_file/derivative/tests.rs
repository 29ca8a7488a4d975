//! Symbolic derivatives, compared with those of dual numbers.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use warpswarm_core::Real;
use warpswarm_core::dual::{CHUNK, Dual};
use warpswarm_core::expression::{Operation, Reduction};

use crate::machine::program::Program;
use crate::problem::problem_file::cpu::Machine;
use crate::problem::problem_file::graph::{Graph, Node, Value};
use crate::problem::problem_file::names::Own;

/// The data, one number for each term.
const T: [f64; 7] = [0.0, 1.0, -1.0, 0.5, 2.25, -0.75, 3.0];
const TERMS: u32 = T.len() as u32;
const DIMENSIONS: usize = 8;
/// Coordinates; the last one occurs in no term.
const BY: [u32; 4] = [0, 1, 2, 7];

/// Computes values of a graph.
fn machine<R: Real>(graph: &Graph, values: &[Value]) -> Machine<R> {
    Machine::new(&Program::new(graph, values), DIMENSIONS, (&T, &Own::default()))
}

fn sum(graph: &mut Graph, term: Value, terms: u32) -> Value {
    graph.add(Node::Fold { reduction: Reduction::Sum, terms, term })
}

/// Whether derivatives agree, relative to the largest one.
fn agree(found: &[f64], expected: &[f64], least: f64) -> bool {
    let finite = expected.iter().filter(|x| x.is_finite());
    let size = finite.fold(least, |size: f64, x| size.max(x.abs()));
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(&a, &b)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * size)
}

/// An expression of coordinates and a datum of the term.
#[derive(Clone, Debug)]
enum Tree {
    Coordinate(u32),
    Coordinates(u32),
    Datum,
    Constant(f64),
    Apply(Operation, Vec<Tree>),
}

impl Tree {
    /// The value in the term at this offset from the graph's index.
    fn value(&self, graph: &mut Graph, k: u32) -> Value {
        match self {
            Tree::Coordinate(at) => graph.add(Node::Coordinate(*at)),
            Tree::Coordinates(at) => graph.add(Node::Coordinates(*at + k)),
            Tree::Datum => graph.add(Node::Data(k)),
            Tree::Constant(number) => graph.constant(*number),
            Tree::Apply(operation, of) => {
                let of: Vec<Value> = of.iter().map(|tree| tree.value(graph, k)).collect();
                match operation {
                    Operation::Power => graph.power(of[0], of[1]),
                    _ => graph.apply(*operation, &of),
                }
            }
        }
    }

    /// Its value in a term, and the largest magnitude of an intermediate result; infinite if there is a NaN.
    fn at(&self, x: &[f64], k: usize, largest: &mut f64) -> f64 {
        let value = match self {
            Tree::Coordinate(at) => x[*at as usize],
            Tree::Coordinates(at) => x[*at as usize + k],
            Tree::Datum => T[k],
            Tree::Constant(number) => *number,
            Tree::Apply(operation, of) => {
                let mut numbers = [0.0; 3];
                for (number, tree) in numbers.iter_mut().zip(of) {
                    *number = tree.at(x, k, largest);
                }
                operation.apply(numbers)
            }
        };
        *largest = if value.is_nan() { f64::INFINITY } else { largest.max(value.abs()) };
        value
    }
}

/// All operations that files can use.
fn operations() -> Vec<Operation> {
    let all = Operation::ALL.iter().copied();
    all.filter(|operation| *operation != Operation::Digamma).collect()
}

fn trees() -> impl Strategy<Value = Tree> {
    use Operation::{Add, Choose, Divide, Exp, Ln, Multiply, Power, Root, Subtract};
    let common = [Add, Subtract, Multiply, Multiply, Divide, Power, Exp, Ln, Root, Choose];
    let operations = [&operations()[..], &common, &common].concat();
    let leaf = prop_oneof![
        4 => (0..3_u32).prop_map(Tree::Coordinate),
        1 => (0..2_u32).prop_map(Tree::Coordinates),
        2 => Just(Tree::Datum),
        1 => prop::sample::select(vec![-2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0]).prop_map(Tree::Constant),
    ];
    leaf.prop_recursive(5, 30, 3, move |inner| {
        let operation = prop::sample::select(operations.clone());
        (operation, prop::collection::vec(inner, 3)).prop_map(|(operation, mut of)| {
            of.truncate(operation.arity());
            Tree::Apply(operation, of)
        })
    })
}

/// Compares derivatives at points: of each term with moderate intermediate results, and of the sum if all terms have.
/// Returns their number.
fn compare(tree: &Tree, points: &[[f64; DIMENSIONS]]) -> usize {
    let mut graph = Graph::default();
    let mut sums = Vec::new();
    for k in 0..TERMS {
        let term = tree.value(&mut graph, k);
        sums.push(sum(&mut graph, term, 1));
    }
    let term = tree.value(&mut graph, 0);
    sums.push(sum(&mut graph, term, TERMS));
    let derivatives = sums.iter().map(|&value| graph.derivatives(value, &BY));
    let derivatives: Vec<Value> = derivatives.flat_map(|all| all.expect("each has one")).collect();
    let (plain, dual) = (machine(&graph, &derivatives), machine(&graph, &sums));
    let mut compared = 0;
    for x in points {
        let variable = |i: usize| Dual::<f64, CHUNK>::variable(x[i], i);
        let duals: [_; DIMENSIONS] = std::array::from_fn(variable);
        let found: Vec<f64> = plain.at((0, x), |numbers| numbers.collect());
        let expected: Vec<_> = dual.at((0, &duals), |numbers| numbers.collect());
        let mut sizes = [0.0; T.len() + 1];
        for k in 0..T.len() {
            let value = tree.at(x, k, &mut sizes[k]);
            sizes[T.len()] = f64::max(sizes[T.len()], sizes[k]);
            let is_same = expected[k].value == value || value.is_nan();
            assert!(is_same, "{tree:?} at {x:?}, {k}: {value}");
        }
        for (k, (found, dual)) in found.chunks(BY.len()).zip(&expected).enumerate() {
            if sizes[k] <= 1e6 {
                let expected = BY.map(|by| dual.partials[by as usize]);
                let is_same = agree(found, &expected, 1e-3 * sizes[k].max(1.0));
                assert!(is_same, "{tree:?} at {x:?}, {k}: {found:?}, by duals {expected:?}");
                compared += 1;
            }
        }
    }
    compared
}

/// Numbers at kinks, zeros and ends of ranges, and between them.
const NUMBERS: [f64; 14] =
    [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.3, -0.7, 1.25, 3.0, -3.5, 5.0, 1e-3];

#[test]
fn every_operation_has_the_slope_of_duals() {
    let leaf = |i| Tree::Coordinate(i);
    // The operands: a coordinate, a value that is 0 in a term, and a value with slope 0 at 0.
    let scaled = |i| Tree::Apply(Operation::Multiply, vec![leaf(i), Tree::Datum]);
    let square = |i| Tree::Apply(Operation::Multiply, vec![leaf(i), leaf(i)]);
    let shifted = |i| Tree::Apply(Operation::Add, vec![leaf(i), Tree::Datum]);
    let constant = |_| Tree::Constant(0.75);
    let of: [&dyn Fn(u32) -> Tree; 5] = [&leaf, &scaled, &square, &shifted, &constant];
    for operation in operations() {
        let mut compared = 0;
        for (first, a) in of.iter().enumerate() {
            for (second, b) in
                of.iter().enumerate().filter(|(i, _)| *i == 0 || operation.arity() > 1)
            {
                let tree = match operation.arity() {
                    1 => vec![a(0)],
                    2 => vec![a(0), b(1)],
                    _ => vec![leaf(2), a(0), b(1)],
                };
                let tree = Tree::Apply(operation, tree);
                // All pairs of numbers as plain coordinates, and a third of them as other operands.
                let step = if first + second == 0 { 1 } else { 3 };
                let pairs = if operation.arity() == 1 { 1 } else { NUMBERS.len() };
                let mut points = Vec::new();
                for (i, &x) in NUMBERS.iter().enumerate() {
                    for j in (0..pairs).step_by(step) {
                        // The same number for both operands, and different ones.
                        let y = NUMBERS[(i + j) % NUMBERS.len()];
                        let z = [0.0, 1.0][(i + first + second) % 2];
                        points.push([x, y, z, 0.1, 0.2, 0.3, 0.4, 0.5]);
                    }
                }
                compared += compare(&tree, &points);
            }
        }
        assert!(compared > 100, "{operation:?}: {compared}");
    }
}

#[test]
fn random_expressions_have_the_derivatives_of_duals() {
    let mut runner = TestRunner::deterministic();
    let (mut compared, mut all) = (0, 0);
    while compared < 400 {
        all += 1;
        assert!(all < 20_000, "{compared} expressions with moderate numbers among {all}");
        let tree = trees().new_tree(&mut runner).unwrap().current();
        let inner = prop::array::uniform8(-2.0..2.0).new_tree(&mut runner).unwrap().current();
        let places = prop::array::uniform8(0..NUMBERS.len());
        let edge = places.new_tree(&mut runner).unwrap().current().map(|at| NUMBERS[at]);
        let terms = compare(&tree, &[inner, edge, [0.0; DIMENSIONS]]);
        compared += usize::from(terms > 0 && matches!(tree, Tree::Apply(..)));
    }
}

#[test]
fn sums_of_elements_by_hand() {
    let mut graph = Graph::default();
    // The sum of (x[k + 1] - x[k])^2 over 1, 3, 6, 10, by x[0], x[1] and x[4], which is in no term.
    let [here, next] = [0, 1].map(|at| graph.add(Node::Coordinates(at)));
    let step = graph.apply(Operation::Subtract, &[next, here]);
    let square = graph.apply(Operation::Multiply, &[step, step]);
    let whole = sum(&mut graph, square, 3);
    // Also a sum whose terms contain the sum of all x.
    let all = sum(&mut graph, here, 4);
    let datum = graph.add(Node::Data(0));
    let term = graph.apply(Operation::Multiply, &[datum, all]);
    let nested = sum(&mut graph, term, 5);
    let by = [0, 1, 4];
    let derivatives = [whole, nested].map(|value| graph.derivatives(value, &by).unwrap()).concat();
    let found: Vec<f64> = machine(&graph, &derivatives)
        .at((0, &[1.0, 3.0, 6.0, 10.0, 7.0, 0.0, 0.0, 0.0]), |numbers| numbers.collect());
    let of_data: f64 = T[..5].iter().sum();
    assert_eq!(found, [-4.0, 4.0 - 6.0, 0.0, of_data, of_data, 0.0]);
}

#[test]
fn what_has_no_derivative_says_so() {
    let mut graph = Graph::default();
    let [x, y] = [0, 1].map(|at| graph.add(Node::Coordinate(at)));
    let t = graph.add(Node::Data(0));
    let term = graph.apply(Operation::Multiply, &[t, x]);
    let zero = graph.constant(0.0);
    for reduction in [Reduction::Product, Reduction::Least, Reduction::Greatest] {
        let fold = graph.add(Node::Fold { reduction, terms: 3, term });
        let value = graph.apply(Operation::Multiply, &[fold, y]);
        assert_eq!(graph.derivatives(value, &[0]), None);
        assert_eq!(graph.derivatives(value, &[1, 2]), Some(vec![fold, zero]));
        // A condition has no slope.
        let chosen = graph.apply(Operation::Choose, &[fold, y, x]);
        assert!(graph.derivatives(chosen, &[0, 1]).is_some());
    }
    let solution = graph.add(Node::Solution(0));
    assert_eq!(graph.derivatives(solution, &[0]), None);
    // The slope of the slope of the log-gamma function is not an operation.
    let gamma = graph.apply(Operation::LnGamma, &[x]);
    let slope = graph.derivatives(gamma, &[0]).unwrap()[0];
    assert_eq!(graph.node(slope), Node::Apply(Operation::Digamma, [x, 0, 0]));
    assert_eq!(graph.derivatives(slope, &[0]), None);
    assert_eq!(graph.derivatives(slope, &[1]), Some(vec![zero]));
}

/// `a exp(-t / b) + c exp(-t / d) + e`, as in files.
fn decays(graph: &mut Graph) -> Value {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|at| graph.add(Node::Coordinate(at)));
    let t = graph.add(Node::Data(0));
    let mut decay = |size, time| {
        let negative = graph.apply(Operation::Negate, &[t]);
        let exponent = graph.apply(Operation::Divide, &[negative, time]);
        let power = graph.apply(Operation::Exp, &[exponent]);
        graph.apply(Operation::Multiply, &[size, power])
    };
    let (first, second) = (decay(a, b), decay(c, d));
    let both = graph.apply(Operation::Add, &[first, second]);
    graph.apply(Operation::Add, &[both, e])
}

#[test]
fn derivatives_share_what_is_computed() {
    let mut graph = Graph::default();
    let value = decays(&mut graph);
    let derivatives = graph.derivatives(value, &[0, 1, 2, 3, 4, 5]).unwrap();
    assert_eq!([4, 5].map(|i| graph.number(derivatives[i])), [Some(1.0), Some(0.0)]);
    let rows = |values: Vec<Value>| {
        let program = Program::with_rows(&graph, &[], &[(25, values)]);
        (program.steps.len(), program.rows[0].body.len())
    };
    // Each exponential is a derivative; those by the time constants take two multiplications each.
    assert_eq!(rows(vec![value]), (0, 9));
    assert_eq!(rows([&[value][..], &derivatives].concat()), (4, 13));
}
