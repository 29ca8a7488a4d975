//! Every problem of the registry: its optimum, points worked out by hand, its symmetry, its
//! precision, and that no way of holding a point changes its value.

use std::f64::consts::{PI, SQRT_2};

use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::*;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::sum::{self, Operator, Sum};
use warpswarm_core::{Objective, Point, Real, for_each_problem};

/// What the tests of this file do with each problem.
trait Check {
    fn check<F: Problem + Objective<f32> + Objective<f64>>(&self);
}

fn for_all(check: impl Check) {
    macro_rules! each {
        (($check:ident) $($problem:ident),*) => { $( $check.check::<$problem>(); )* };
    }
    for_each_problem!(each, check);
}

fn value<R: Real, F: Objective<R>>(objective: &F, x: &[R]) -> R {
    objective.evaluate(&SlicePoint(x)).value
}

/// A random point within a problem's bounds, exact in both precisions.
fn random_point<F: Problem>(dimensions: usize, index: u32) -> Vec<f32> {
    let (lower, upper) = F::bounds();
    let stream = Stream::new(RunKey::new(77, 0), Purpose::Move, 0, index);
    let place = |u: f32| (lower + (upper - lower) * f64::from(u)) as f32;
    (0..dimensions as u32).map(|i| place(stream.draws_of::<f32>(i)[0])).collect()
}

fn widened(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

fn optimum<F: Problem>(dimensions: usize) -> Vec<f64> {
    (0..dimensions).map(|i| F::optimum_position(dimensions, i)).collect()
}

/// The size of a problem's terms: what rounding errors are to be measured against.
fn scale<F: Problem>(dimensions: usize, value: f64) -> f64 {
    let terms = match F::ID {
        "rastrigin" => 20.0 * dimensions as f64,
        "schwefel-2.26" => 500.0 * dimensions as f64,
        // x_{i+1} and x_i^2, of up to 4, cancel where the value is small.
        "rosenbrock" => 100.0 * dimensions as f64,
        "griewank" => 2.0,
        "ackley" => 20.0 + std::f64::consts::E,
        _ => 0.0,
    };
    value.abs() + terms
}

#[test]
fn identifiers_are_unique_and_well_formed() {
    let mut ids = Vec::new();
    macro_rules! collect {
        (() $($problem:ident),*) => { $( ids.push($problem::ID); )* };
    }
    for_each_problem!(collect);
    let good = |id: &&str| id.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-' | '.'));
    assert!(ids.iter().all(good), "{ids:?}");
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn the_optimum_is_where_it_is_said_to_be() {
    struct Optimum;
    impl Check for Optimum {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            for dimensions in [1, 2, 3, 30, 31, 100, 1500] {
                if dimensions < F::MIN_DIMENSIONS {
                    continue;
                }
                let (x, best) = (optimum::<F>(dimensions), F::optimum_value(dimensions));
                let (lower, upper) = F::bounds();
                assert!(x.iter().all(|&x| lower <= x && x <= upper));
                let close = |value: f64| (value - best).abs() <= 1e-12 * best.abs();
                assert!(close(value(&F::default(), &x)), "{} in {dimensions}", F::ID);

                // The same, moved. The shift is a power of two: x + shift - shift is x again.
                let shift = 0.5;
                let moved: Vec<f64> = x.iter().map(|x| x + shift).collect();
                let shifted = Shifted { shift, problem: F::default() };
                assert!(close(value(&shifted, &moved)), "{} in {dimensions}, shifted", F::ID);
                assert!(!close(value(&shifted, &x)), "{} in {dimensions}, not moved", F::ID);

                // A minimum of zero is zero in f32 too, so that a target of zero can be reached.
                let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
                let narrow = value(&F::default(), &narrow);
                let error = (f64::from(narrow) - best).abs();
                assert!(error <= 1e-6 * best.abs(), "{} in {dimensions}: {narrow}", F::ID);
            }
        }
    }
    for_all(Optimum);
}

#[test]
fn no_point_is_better_than_the_optimum() {
    struct Lower;
    impl Check for Lower {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            for dimensions in [2, 3, 30] {
                let best = F::optimum_value(dimensions);
                let near = optimum::<F>(dimensions);
                for i in 0..500 {
                    let far = widened(&random_point::<F>(dimensions, i));
                    assert!(value(&F::default(), &far) >= best, "{}: {far:?}", F::ID);
                    // Close by, where rounding could win: zero is a bound that nothing crosses.
                    let near: Vec<f32> =
                        near.iter().zip(&far).map(|(a, b)| (a + 1e-4 * (b - a)) as f32).collect();
                    let close = f64::from(value(&F::default(), &near));
                    let slack = 1e-6 * best.abs();
                    assert!(close >= best - slack, "{}: {close} at {near:?}", F::ID);
                }
            }
        }
    }
    for_all(Lower);
}

#[test]
fn values_by_hand() {
    struct Values;
    impl Check for Values {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            let points: [(&[f64], f64); 2] = match F::ID {
                // 1 + 4 + 9; 1/4 + 9/4
                "sphere" => [(&[1.0, 2.0, 3.0], 14.0), (&[0.5, -1.5], 2.5)],
                // 1 + 2 * 4 + 3 * 9; 1 + 2 / 4
                "hyper-ellipsoid" => [(&[1.0, 2.0, 3.0], 36.0), (&[-1.0, 0.5], 1.5)],
                // 1 + 3^2 + 6^2; 1 + 1 + 1/4
                "schwefel-1.2" => [(&[1.0, 2.0, 3.0], 46.0), (&[1.0, -2.0, 0.5], 2.25)],
                // 100 (2 - 1)^2 + 2^2; 100 (2 - 2.25)^2 + 0.5^2 + 100 (3 - 4)^2 + 1
                "rosenbrock" => [(&[-1.0, 2.0], 104.0), (&[1.5, 2.0, 3.0], 107.5)],
                // Integers leave the sum of squares; at halves each cosine is -1.
                "rastrigin" => [(&[1.0, 2.0], 5.0), (&[0.5, -0.5], 40.5)],
                // sin(pi/2) = 1; sin(pi/6) = 1/2 with the sign of x
                "schwefel-2.26" => [
                    (&[PI * PI / 4.0, 0.0], -PI * PI / 4.0),
                    (&[-PI * PI / 36.0, PI * PI / 4.0], PI * PI * (1.0 / 72.0 - 1.0 / 4.0)),
                ],
                // cos(pi) in the first coordinate; in the second, where x is divided by sqrt(2)
                "griewank" => [
                    (&[PI, 0.0], PI * PI / 4000.0 + 2.0),
                    (&[0.0, PI * SQRT_2], PI * PI / 2000.0 + 2.0),
                ],
                // 20 - 20 exp(-0.2); 20 - 20 exp(-0.1) + e - 1/e
                "ackley" => {
                    [(&[1.0, -1.0], 3.625_384_938_440_362_6), (&[0.5, 0.5], 4.253_654_026_568_413)]
                }
                // The triangles 3, 4, 5 and 1, 2, 2, 3
                "euclidean" => [(&[3.0, -4.0], 5.0), (&[1.0, 2.0, 2.0], 3.0)],
                id => panic!("{id} has no values worked out by hand"),
            };
            for (x, expected) in points {
                let actual: f64 = value(&F::default(), x);
                let error = (actual - expected).abs();
                assert!(error <= 1e-14 * scale::<F>(x.len(), expected), "{}: {actual}", F::ID);
            }
        }
    }
    for_all(Values);
}

#[test]
fn symmetry() {
    struct Symmetry;
    impl Check for Symmetry {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            for i in 0..200 {
                let x = random_point::<F>(30, i);
                let mirrored: Vec<f32> = x.iter().map(|x| -x).collect();
                let (here, there) = (value(&F::default(), &x), value(&F::default(), &mirrored));
                match F::ID {
                    "rosenbrock" => assert_ne!(here, there),
                    "schwefel-2.26" => assert_eq!(here, -there),
                    _ => assert_eq!(here, there, "{}", F::ID),
                }
                // Those that treat coordinates alike do not care for their order.
                let x = widened(&random_point::<F>(3, i));
                let reversed: Vec<f64> = x.iter().rev().copied().collect();
                let here: f64 = value(&F::default(), &x);
                let there: f64 = value(&F::default(), &reversed);
                let same = (here - there).abs() <= 1e-14 * scale::<F>(3, here);
                let alike = !matches!(
                    F::ID,
                    "hyper-ellipsoid" | "schwefel-1.2" | "rosenbrock" | "griewank"
                );
                assert_eq!(same, alike, "{}: {here}, {there}", F::ID);
            }
        }
    }
    for_all(Symmetry);
}

#[test]
fn single_precision_is_close_to_double() {
    struct Precision;
    impl Check for Precision {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            // In units of the last place of the largest terms: two or three for their own errors,
            // and one for every level of the tree that adds them.
            let bound = 8.0;
            let mut worst = 0.0;
            for dimensions in [2, 3, 30, 33, 100] {
                for i in 0..500 {
                    let x = random_point::<F>(dimensions, i);
                    let narrow = f64::from(value(&F::default(), &x));
                    let wide: f64 = value(&F::default(), &widened(&x));
                    let unit = f64::from(f32::EPSILON) * scale::<F>(dimensions, wide);
                    worst = f64::max(worst, (narrow - wide).abs() / unit);
                }
            }
            println!("{}: {worst:.2}", F::ID);
            assert!(worst <= bound, "{}: {worst}", F::ID);
        }
    }
    for_all(Precision);
}

/// A point as one thread of a GPU may hold it: coordinates apart, sums in registers.
struct Strided<'a, R> {
    places: &'a [R],
    stride: usize,
}

impl<R: Real> Point<R> for Strided<'_, R> {
    fn dimensions(&self) -> usize {
        self.places.len() / self.stride
    }
    fn get(&self, i: usize) -> R {
        self.places[i * self.stride]
    }
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        sum::fold_in_registers::<R, O>(self.dimensions(), |i| term(i, self.get(i)))
    }
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        sum::fold_in_registers::<R, O>(n, term)
    }
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        // By definition, each prefix anew.
        sum::fold_in_registers::<R, Sum>(self.dimensions(), |i| {
            let prefix = (0..=i).fold(R::ZERO, |prefix, j| prefix + element(j, self.get(j)));
            term(i, prefix)
        })
    }
}

#[test]
fn a_value_does_not_depend_on_how_the_point_is_held() {
    struct Same;
    impl Check for Same {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            fn same<R: Real, F: Problem + Objective<R>>(x: &[R], stride: usize) {
                let mut places = vec![R::NAN; x.len() * stride];
                x.iter().enumerate().for_each(|(i, &x)| places[i * stride] = x);
                let apart = F::default().evaluate(&Strided { places: &places, stride });
                let together = F::default().evaluate(&SlicePoint(x));
                assert_eq!(apart.value.to_bits64(), together.value.to_bits64(), "{}", F::ID);
            }
            for dimensions in (F::MIN_DIMENSIONS..70).chain([1023, 1024, 1025, 2500]) {
                let x = random_point::<F>(dimensions, dimensions as u32);
                same::<f32, F>(&x, 3);
                same::<f64, F>(&widened(&x), 2);
            }
        }
    }
    for_all(Same);
}

#[test]
fn what_is_not_a_number_stays_one() {
    struct Nan;
    impl Check for Nan {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let x = [1.0, bad, 1.0];
                let actual: f64 = value(&F::default(), &x);
                assert!(!actual.is_finite(), "{} of {x:?} is {actual}", F::ID);
            }
        }
    }
    for_all(Nan);
}
