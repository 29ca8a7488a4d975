//! Derivatives that are values, against those that dual numbers carry.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use warpswarm_core::Real;
use warpswarm_core::dual::{CHUNK, Dual};
use warpswarm_core::expression::{Operation, Reduction};

use crate::problem_file::cpu::Machine;
use crate::problem_file::graph::{Graph, Node, Value};
use crate::problem_file::names::Own;
use crate::problem_file::program::Program;

/// The data, one number a term.
const T: [f64; 7] = [0.0, 1.0, -1.0, 0.5, 2.25, -0.75, 3.0];
const TERMS: u32 = T.len() as u32;
/// Coordinates, of which the last is none of the terms'.
const BY: [u32; 4] = [0, 1, 2, 7];

/// What a graph's values are at a point.
fn numbers<R: Real>(graph: &Graph, values: &[Value], data: &[f64], x: &[R]) -> Vec<R> {
    let program = Program::new(graph, values);
    let machine = Machine::<R>::new(&program, x.len(), (data, &Own::default()));
    machine.at((0, x), |numbers| numbers.collect())
}

fn sum(graph: &mut Graph, term: Value, terms: u32) -> Value {
    graph.add(Node::Fold { reduction: Reduction::Sum, terms, term })
}

/// Derivatives by either way, and the value: at a point, of a sum over terms.
fn both(graph: &mut Graph, value: Value, data: &[f64], x: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
    let derivatives = graph.derivatives(value, &BY).expect("every part has one");
    let found = numbers(graph, &derivatives, data, x);
    let variable = |(i, &x)| Dual::<f64, CHUNK>::variable(x, i);
    let duals: Vec<_> = x.iter().enumerate().map(variable).collect();
    let dual = numbers(graph, &[value], data, &duals)[0];
    (found, BY.map(|by| dual.partials[by as usize]).to_vec(), dual.value)
}

/// Whether derivatives are the same, to so much beside the largest.
fn agree(found: &[f64], expected: &[f64], least: f64) -> bool {
    let finite = expected.iter().filter(|x| x.is_finite());
    let size = finite.fold(least, |size: f64, x| size.max(x.abs()));
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(&a, &b)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * size)
}

/// An expression of coordinates and a datum of the term's.
#[derive(Clone, Debug)]
enum Tree {
    Coordinate(u32),
    Coordinates(u32),
    Datum,
    Constant(f64),
    Apply(Operation, Vec<Tree>),
}

impl Tree {
    fn value(&self, graph: &mut Graph) -> Value {
        match self {
            Tree::Coordinate(at) => graph.add(Node::Coordinate(*at)),
            Tree::Coordinates(at) => graph.add(Node::Coordinates(*at)),
            Tree::Datum => graph.add(Node::Data(0)),
            Tree::Constant(number) => graph.constant(*number),
            Tree::Apply(operation, of) => {
                let of: Vec<Value> = of.iter().map(|tree| tree.value(graph)).collect();
                match operation {
                    Operation::Power => graph.power(of[0], of[1]),
                    _ => graph.apply(*operation, &of),
                }
            }
        }
    }

    /// Its value in a term, and the largest size of a number on the way to it; infinite where there is a NaN.
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

    fn has_indices(&self) -> bool {
        match self {
            Tree::Coordinates(_) => true,
            Tree::Apply(_, of) => of.iter().any(Tree::has_indices),
            _ => false,
        }
    }
}

/// All operations that files have.
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

/// Compares derivatives of a term where its parts are finite, and of its sum where they all are; says of how many terms.
fn compare(tree: &Tree, x: &[f64]) -> usize {
    let mut graph = Graph::default();
    let term = tree.value(&mut graph);
    let (mut compared, mut largest_of_all) = (0, 0.0);
    for (k, &t) in T.iter().enumerate() {
        let mut largest = 0.0;
        let value = tree.at(x, k, &mut largest);
        largest_of_all = f64::max(largest_of_all, largest);
        if largest > 1e6 {
            continue;
        }
        // A sum over this term alone, where it may come first.
        if tree.has_indices() {
            continue;
        }
        let alone = sum(&mut graph, term, 1);
        let (found, expected, plain) = both(&mut graph, alone, &[t], x);
        assert!(value == plain, "{value} {plain}: {tree:?}");
        let is_same = agree(&found, &expected, 1e-3 * largest.max(1.0));
        assert!(is_same, "{tree:?} at {x:?}, {t}: {found:?}, by duals {expected:?}");
        compared += 1;
    }
    if largest_of_all <= 1e6 {
        let whole = sum(&mut graph, term, TERMS);
        let (found, expected, _) = both(&mut graph, whole, &T, x);
        let is_same = agree(&found, &expected, 1e-3 * largest_of_all.max(1.0));
        assert!(is_same, "{tree:?} at {x:?}: {found:?}, by duals {expected:?}");
        compared += T.len();
    }
    compared
}

/// Numbers at kinks, zeros and ends, and between them.
const NUMBERS: [f64; 14] =
    [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.3, -0.7, 1.25, 3.0, -3.5, 5.0, 1e-3];

#[test]
fn every_operation_has_the_slope_of_duals() {
    let leaf = |i| Tree::Coordinate(i);
    // What goes in: a coordinate, what is 0 in a term, and what has a slope of 0 at 0.
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
                for (i, &x) in NUMBERS.iter().enumerate() {
                    for j in 0..NUMBERS.len() {
                        if operation.arity() == 1 && j > 0 {
                            continue;
                        }
                        // Both the same number, and others.
                        let y = NUMBERS[(i + j) % NUMBERS.len()];
                        let z = [0.0, 1.0][(i + first + second) % 2];
                        let point = [x, y, z, 0.1, 0.2, 0.3, 0.4, 0.5];
                        compared += compare(&tree, &point);
                    }
                }
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
        let terms = compare(&tree, &inner) + compare(&tree, &edge) + compare(&tree, &[0.0; 8]);
        compared += usize::from(terms > 0 && matches!(tree, Tree::Apply(..)));
    }
}
