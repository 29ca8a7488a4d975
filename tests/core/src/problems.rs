//! Every problem of the registry: its optimum, points worked out by hand, its symmetry, its precision, and that its
//! value does not depend on how a point is stored.

mod clusters;
mod engineering;
mod regressions;
mod rounded;
mod values;

use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::problems::*;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::sum::{self, Operator, Sum};
use warpswarm_core::{Float, Objective, Point, Real, for_each_problem};

use rounded::Rounded;

/// A problem with the number types of the tests.
trait Tested: Problem + Objective<f32> + Objective<f64> + Objective<Rounded> {}
impl<F: Problem + Objective<f32> + Objective<f64> + Objective<Rounded>> Tested for F {}

/// A check that a test of this file applies to each problem.
trait Check {
    fn check<F: Tested>(&self);
}

fn for_all(check: impl Check) {
    macro_rules! each {
        (($check:ident) $($problem:ident: $kernels:ident),*) => { $( $check.check::<$problem>(); )* };
    }
    for_each_problem!(each, check);
}

/// Compiled once for each problem and precision, not at every call.
#[inline(never)]
fn fitness<R: Real, F: Objective<R>>(objective: &F, x: &[R]) -> Fitness<R> {
    objective.evaluate(&SlicePoint(x))
}

fn value<R: Real, F: Objective<R>>(objective: &F, x: &[R]) -> R {
    fitness(objective, x).value
}

/// Those of the wanted numbers of dimensions that a problem allows; its default if it allows none.
fn dimensions_of<F: Problem>(wanted: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut found: Vec<_> = wanted.into_iter().filter(|&n| F::DIMENSIONS.allows(n)).collect();
    if found.is_empty() {
        found.push(F::DIMENSIONS.usual());
    }
    found
}

/// A random point within a problem's bounds, exact in both precisions.
fn random_point<F: Problem>(dimensions: usize, index: u32) -> Vec<f32> {
    let stream = Stream::new(RunKey::new(77, 0), Purpose::Move, 0, index);
    let place = |i: u32| {
        let (lower, upper) = F::bounds(i as usize);
        (lower + (upper - lower) * f64::from(stream.draws_of::<f32>(i)[0].open())) as f32
    };
    (0..dimensions as u32).map(place).collect()
}

fn widened(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

fn optimum<F: Problem>(dimensions: usize) -> Option<Vec<f64>> {
    (0..dimensions).map(|i| F::optimum_position(dimensions, i)).collect()
}

/// The value at a point, with bounds on its rounding errors.
fn rounded<F: Tested>(x: &[f64]) -> Rounded {
    let x: Vec<_> = x.iter().map(|&x| Rounded::from_f64(x)).collect();
    value(&F::default(), &x)
}

/// The size of the terms of some problems, or of the phases of their waves times their heights. Their rounding errors
/// are also limited relative to it; a new problem need not be here.
fn size<F: Problem>(dimensions: usize, value: f64) -> Option<f64> {
    let terms = match F::ID {
        "rastrigin" => 20.0 * dimensions as f64,
        "schwefel-2.26" => 500.0 * dimensions as f64,
        // x_{i+1} and x_i^2, of up to 4, cancel if the value is small.
        "rosenbrock" => 100.0 * dimensions as f64,
        "griewank" => 2.0,
        "ackley" => 20.0 + std::f64::consts::E,
        // Waves of a phase of some turns on a bowl of up to 8.
        "levy" => 20.0 * dimensions as f64,
        // The sum s has terms of up to 5 i, which half cancel; its error counts four times.
        "zakharov" => 4.0 * value.powf(0.75) * (dimensions * dimensions) as f64,
        "styblinski-tang" => 100.0 * dimensions as f64,
        // 2 x_i^2 and x_{i-1}, of about 50, cancel if the value is small.
        "dixon-price" => 50.0 * dimensions as f64 * value.sqrt(),
        // The phase i x^2 / pi, of up to i pi, has an effect through the twentieth power of its sine.
        "michalewicz" => (dimensions * dimensions) as f64,
        // The phase, in turns, is ten times the value.
        "salomon" => 20.0 * value,
        "alpine-1" => 4.0 * dimensions as f64,
        // The twelfth power of the inverse distance of two close atoms; a few units if none are close.
        "lennard-jones" => value.abs() + dimensions as f64,
        "speed-reducer" | "speed-reducer-mezura" | "speed-reducer-cmepso" => 3000.0,
        "sphere"
        | "hyper-ellipsoid"
        | "schwefel-1.2"
        | "euclidean"
        | "bent-cigar"
        | "spring"
        | "spring-cmepso"
        | "welded-beam"
        | "welded-beam-cmepso"
        | "pressure-vessel"
        | "pressure-vessel-mixed"
        | "three-bar-truss"
        | "image-registration" => 0.0,
        id if id.starts_with("nist-") => 0.0,
        _ => return None,
    };
    Some(value.abs() + terms)
}

/// The accuracy of the value at the optimum's position: relative in f64 and in f32.
fn accuracy<F: Problem>() -> [f64; 2] {
    match F::ID {
        // Certified to ten digits; `regressions` tests the loss in single precision.
        id if id.starts_with("nist-") => [1e-9, 2e-3],
        _ => [1e-12, 1e-6],
    }
}

/// How far a minimum of zero may be from zero at a rounded position, in f64 and in f32.
fn lost<F: Tested>(x: &[f64]) -> [f64; 2] {
    let most = match F::ID {
        "dixon-price" => 1e-7,
        // The residual of the rounded image: 64 squares of a few units of the last place.
        "image-registration" => 1e-12,
        _ if x.iter().all(|&x| f64::from(x as f32) == x) => 0.0,
        _ => f64::INFINITY,
    };
    let value = rounded::<F>(x);
    [value.in_f64().min(1e-16 * most), value.in_f32().min(most)]
}

#[test]
fn identifiers_are_unique_and_well_formed() {
    let mut ids = Vec::new();
    macro_rules! collect {
        (() $($problem:ident: $kernels:ident),*) => { $( ids.push($problem::ID); )* };
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
fn kernels_are_those_of_the_dimensions() {
    macro_rules! compare {
        (() $($problem:ident: $kernels:ident),*) => { $(
            let kernels = stringify!($kernels);
            let right = $problem::DIMENSIONS.kernels();
            assert!(
                kernels == right,
                "{}: its `DIMENSIONS` need the word `{right}` in `for_each_problem!`, not `{kernels}`",
                $problem::ID
            );
        )* };
    }
    for_each_problem!(compare);
}

#[test]
fn the_optimum_is_where_it_is_said_to_be() {
    struct Optimum;
    impl Check for Optimum {
        fn check<F: Tested>(&self) {
            for dimensions in dimensions_of::<F>([1, 2, 3, 30, 31, 100, 1500]) {
                let (Some(x), Some(best)) =
                    (optimum::<F>(dimensions), F::optimum_value(dimensions))
                else {
                    continue;
                };
                for (i, x) in x.iter().enumerate() {
                    let (lower, upper) = F::bounds(i);
                    let within = (lower..=upper).contains(x);
                    assert!(
                        within,
                        "{}: optimum_position({dimensions}, {i}) is {x}, out of bounds",
                        F::ID
                    );
                }
                let name = format!("{} in {dimensions} dimensions", F::ID);
                let hint = if best == 0.0 {
                    "check the formula and the position, whose `i` begins at 0"
                } else {
                    "check the formula and the position, whose `i` begins at 0; if only some digits of the minimum \
                     are known, add a line to `accuracy`: see the end of docs/how-to/add-a-problem.md"
                };
                let [digits, narrow_digits] = accuracy::<F>();
                let [lost, narrow_lost] = if best == 0.0 { lost::<F>(&x) } else { [0.0; 2] };
                let close = |value: f64| (value - best).abs() <= digits * best.abs() + lost;
                let at_best = value(&F::default(), &x);
                assert!(
                    close(at_best),
                    "{name}: the value at optimum_position is {at_best:?} in f64, optimum_value says {best:?}; {hint}"
                );

                // The same for a shifted problem. The shift is a power of two: x + shift - shift is exactly x.
                if !F::DIMENSIONS.is_fixed() {
                    let shift = 0.5;
                    let moved: Vec<f64> = x.iter().map(|x| x + shift).collect();
                    let shifted = Shifted { shift, problem: F::default() };
                    let at_moved = value(&shifted, &moved);
                    assert!(
                        close(at_moved),
                        "{name}, shifted by {shift}: the value at the shifted optimum_position is {at_moved:?}, \
                         optimum_value says {best:?}; {hint}"
                    );
                    assert!(
                        !close(value(&shifted, &x)),
                        "{name}, shifted by {shift}: optimum_position without the shift has the value {best:?}, \
                         too, so the test cannot see the shift; name another minimum, or allow more dimensions only"
                    );
                }

                // A minimum of zero is zero in f32 too, so that a target of zero can be reached.
                let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
                let narrow = value(&F::default(), &narrow);
                let error = (f64::from(narrow) - best).abs();
                let allowed = narrow_digits * best.abs() + narrow_lost;
                assert!(
                    error <= allowed,
                    "{name}: the value at optimum_position is {narrow:?} in f32, optimum_value says {best:?}; {hint}"
                );
            }
        }
    }
    for_all(Optimum);
}

#[test]
fn no_point_is_better_than_the_optimum() {
    struct Lower;
    impl Check for Lower {
        fn check<F: Tested>(&self) {
            for dimensions in dimensions_of::<F>([2, 3, 30]) {
                let Some(best) = F::optimum_value(dimensions) else { continue };
                let near = optimum::<F>(dimensions).unwrap_or_default();
                for i in 0..500 {
                    let far = widened(&random_point::<F>(dimensions, i));
                    let found = fitness(&F::default(), &far);
                    let worse = found.violation > 0.0 || found.value >= best;
                    assert!(worse, "{}: {found:?} at {far:?}", F::ID);
                    // Near the optimum, where rounding matters: no value is below zero.
                    let near: Vec<f32> =
                        near.iter().zip(&far).map(|(a, b)| (a + 1e-4 * (b - a)) as f32).collect();
                    if near.is_empty() {
                        continue;
                    }
                    let close = fitness(&F::default(), &near);
                    let slack = 1e-6 * best.abs();
                    let worse = close.violation > 0.0 || f64::from(close.value) >= best - slack;
                    assert!(worse, "{}: {close:?} at {near:?}", F::ID);
                }
            }
        }
    }
    for_all(Lower);
}

/// The symmetry of the problems that are listed here; a new one need not be.
#[test]
fn symmetry() {
    struct Symmetry;
    impl Check for Symmetry {
        fn check<F: Tested>(&self) {
            let alike = match F::ID {
                "sphere" | "rastrigin" | "schwefel-2.26" | "ackley" | "euclidean"
                | "styblinski-tang" | "salomon" | "alpine-1" => true,
                "hyper-ellipsoid" | "schwefel-1.2" | "rosenbrock" | "griewank" | "levy"
                | "zakharov" | "dixon-price" | "michalewicz" | "bent-cigar" => false,
                _ => return,
            };
            let mut all_same = true;
            for i in 0..200 {
                let x = random_point::<F>(30, i);
                let mirrored: Vec<f32> = x.iter().map(|x| -x).collect();
                let (here, there) = (value(&F::default(), &x), value(&F::default(), &mirrored));
                match F::ID {
                    "rosenbrock" | "levy" | "styblinski-tang" | "dixon-price" | "alpine-1" => {
                        assert_ne!(here, there, "{}: f(x) and f(-x), which should differ", F::ID);
                    }
                    "schwefel-2.26" | "michalewicz" => {
                        assert_eq!(here, -there, "{}: f(x) and -f(-x)", F::ID);
                    }
                    _ => assert_eq!(here, there, "{}: f(x) and f(-x)", F::ID),
                }
                // Problems that treat coordinates alike do not depend on their order.
                let x = widened(&random_point::<F>(3, i));
                let reversed: Vec<f64> = x.iter().rev().copied().collect();
                let here: f64 = value(&F::default(), &x);
                let there: f64 = value(&F::default(), &reversed);
                let allowed = size::<F>(3, here).map_or(f64::INFINITY, |size| 1e-14 * size);
                let allowed = allowed.min(2.0 * rounded::<F>(&x).in_f64());
                all_same &= (here - there).abs() <= allowed;
            }
            assert_eq!(all_same, alike, "{}: whether f treats coordinates alike", F::ID);
        }
    }
    for_all(Symmetry);
}

#[test]
fn single_precision_is_close_to_double() {
    struct Precision;
    impl Check for Precision {
        fn check<F: Tested>(&self) {
            if F::ID.starts_with("nist-") {
                // If a model's denominator is nearly zero, any error is possible.
                return;
            }
            for dimensions in dimensions_of::<F>([2, 3, 30, 33, 100]) {
                let mut worst: f64 = 0.0;
                for i in 0..500 {
                    let x = random_point::<F>(dimensions, i);
                    let narrow = f64::from(value(&F::default(), &x));
                    let wide: f64 = value(&F::default(), &widened(&x));
                    let apart = (narrow - wide).abs();
                    // Relative to the size, two or three units in the last place for the terms' own errors, and one
                    // for every level of the tree that adds them.
                    let units = |size| 8.0 * f64::from(f32::EPSILON) * size;
                    let of_size = size::<F>(dimensions, wide).map_or(f64::INFINITY, units);
                    let bound = rounded::<F>(&widened(&x)).in_f32().min(of_size);
                    assert!(bound.is_finite(), "{}: nothing limits rounding at {x:?}", F::ID);
                    worst = worst.max(apart / bound);
                    assert!(
                        apart <= bound,
                        "{}: the value is {narrow:?} in f32 and {wide:?} in f64, at {x:?}; they differ by {apart:.1e}, \
                         but rounding changes it by at most {bound:.1e}. See the end of docs/how-to/add-a-problem.md.",
                        F::ID
                    );
                }
                println!("{} in {dimensions} dimensions: {worst:.2} of the bound", F::ID);
            }
        }
    }
    for_all(Precision);
}

/// A point as one thread of a GPU may store it: strided coordinates, sums in registers.
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
        // By definition: each prefix is computed separately.
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
        fn check<F: Tested>(&self) {
            fn same<R: Float, F: Problem + Objective<R>>(x: &[R], stride: usize) {
                let mut places = vec![R::NAN; x.len() * stride];
                x.iter().enumerate().for_each(|(i, &x)| places[i * stride] = x);
                let apart = F::default().evaluate(&Strided { places: &places, stride });
                let together = fitness(&F::default(), x);
                let bits = |f: Fitness<R>| (f.violation.to_bits64(), f.value.to_bits64());
                assert_eq!(bits(apart), bits(together), "{}", F::ID);
            }
            for dimensions in dimensions_of::<F>((1..70).chain([1023, 1024, 1025, 2500])) {
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
        fn check<F: Tested>(&self) {
            let mut x = vec![1.0; dimensions_of::<F>([3])[0]];
            x[1] = f64::NAN;
            let found = fitness(&F::default(), &x);
            assert!(!found.is_finite(), "{} of {x:?} is {found:?}", F::ID);
            if F::DIMENSIONS.kernels() != "any" {
                // Infinite coordinates are allowed here: an atom at infinity attracts nothing, a load on infinite steel
                // bends nothing.
                return;
            }
            for bad in [f64::INFINITY, f64::NEG_INFINITY] {
                x[1] = bad;
                let actual: f64 = value(&F::default(), &x);
                assert!(
                    !actual.is_finite(),
                    "{} of {x:?} is {actual}; for an infinite coordinate it must be NaN or infinite: see the end of \
                     docs/how-to/add-a-problem.md",
                    F::ID
                );
            }
        }
    }
    for_all(Nan);
}
