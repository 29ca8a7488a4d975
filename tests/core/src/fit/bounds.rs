//! Solutions at bounds.

use approx::assert_relative_eq;
use proptest::prelude::*;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Normal, Parameters, Settings, Status, Term, Triangular,
};

use super::regressions::{Misra1a, Model};
use super::{Made, line, near, run_within};

const FREE: f64 = f64::INFINITY;

fn within<A: Accumulator<f64, 2>>(
    lower: [f64; 2],
    upper: [f64; 2],
    fixed: Parameters,
) -> Made<f64, A, 2> {
    let y = [2.1, 3.9, 6.2, 7.8, 10.1];
    let bounds = Bounds::new(lower, upper).unwrap().fixing(fixed);
    run_within([2.0, 1.0], &bounds, &Settings::new(2), 5, |p, k| {
        let (value, partials) = line(p, k as f64 + 1.0);
        (Term::squared(value - y[k], 1.0), partials)
    })
}

/// The line of `basics`, a = 0.05 and b = 1.99 without bounds. With a given, b = (110.2 - 15 a) / 55; with b given,
/// a = (30.1 - 15 b) / 5.
#[test]
fn a_line_within_bounds() {
    fn check<A: Accumulator<f64, 2>>() {
        // a at its lower bound.
        let made = within::<A>([1.0, -FREE], [FREE, FREE], Parameters::NONE);
        near(&made.best, &[1.0, (110.2 - 15.0) / 55.0], 1e-12);
        assert_eq!((made.at_bounds, made.best[0]), (Parameters(0b01), 1.0));
        assert!(made.evaluations <= 6, "{made:?}");
        // b at its upper bound.
        let made = within::<A>([-FREE, -FREE], [FREE, 1.5], Parameters::NONE);
        near(&made.best, &[(30.1 - 15.0 * 1.5) / 5.0, 1.5], 1e-12);
        assert_eq!((made.at_bounds, made.best[1]), (Parameters(0b10), 1.5));
        // Both: with a = 1, b would be less than 2.
        let made = within::<A>([1.0, 2.0], [FREE, FREE], Parameters::NONE);
        assert_eq!((made.best, made.at_bounds), ([1.0, 2.0], Parameters(0b11)));
        assert_eq!(made.status, Status::Gradient);
        // Inactive bounds, one of them at the start.
        let made = within::<A>([0.0, 0.0], [2.0, 9.0], Parameters::NONE);
        near(&made.best, &[0.05, 1.99], 1e-10);
        assert_eq!(made.at_bounds, Parameters::NONE);
        // Fixed parameters, by mask and by bounds; the covariance is that of the other one.
        for made in [
            within::<A>([-FREE; 2], [FREE; 2], Parameters(0b01)),
            within::<A>([2.0, -FREE], [2.0, FREE], Parameters::NONE),
        ] {
            assert_eq!(made.best[0], 2.0);
            near(&made.best, &[2.0, (110.2 - 30.0) / 55.0], 1e-12);
            let covariance = Covariance::of(&made.sums, Parameters(0b10), 2.0);
            assert_eq!(covariance.matrix[0], [0.0, 0.0]);
            assert_relative_eq!(covariance.matrix[1][1], 2.0 / 55.0, max_relative = 1e-14);
        }
        let made = within::<A>([-FREE; 2], [FREE; 2], Parameters(0b11));
        assert_eq!((made.best, made.status, made.evaluations), ([2.0, 1.0], Status::Gradient, 1));
    }
    check::<Normal<f64, 2>>();
    check::<Triangular<f64, 2>>();
}

/// NIST's Misra1a with b1 of at most 230: SciPy 1.18.1's `least_squares` from [200, 5e-4], with bounds ([0, 0], [230,
/// inf]), x_scale [200, 5e-4] and tolerances of 1e-15, stops at b2 = 0.0005752257705207695 and a sum of squares of
/// 0.24762196990652208. With x_scale 'jac' and tolerances of 1e-8, it evaluates 14, 40 and 56 times from these starts
/// (trf), or 4, 38 and 5 times (dogbox).
#[test]
fn a_nonlinear_fit_at_a_bound() {
    fn check<A: Accumulator<f64, 2>>() {
        let rows = Misra1a::regression().rows;
        let bounds = Bounds::new([0.0, 0.0], [230.0, FREE]).unwrap();
        for start in [[200.0, 5e-4], [1.0, 1e-3], [1e5, 0.1]] {
            let made: Made<f64, A, 2> =
                run_within(start, &bounds, &Settings::new(2), rows.len(), |b, k| {
                    let (value, partials) = Misra1a::at(b, rows[k][0]);
                    (Term::squared(value - rows[k][1], 1.0), partials)
                });
            println!("{} evaluations from {start:?}", made.evaluations);
            assert!(made.status.converged() && made.evaluations < 40, "{made:?}");
            assert_eq!((made.best[0], made.at_bounds), (230.0, Parameters(0b01)));
            assert_relative_eq!(made.best[1], 0.0005752257705207695, max_relative = 1e-7);
            assert_relative_eq!(made.chi_squared, 0.24762196990652208, max_relative = 1e-8);
        }
    }
    check::<Normal<f64, 2>>();
    check::<Triangular<f64, 2>>();
}

#[test]
fn bounds_that_are_none_are_refused() {
    assert!(Bounds::new([f64::NAN], [1.0]).is_none());
    assert!(Bounds::new([0.0], [f64::NAN]).is_none());
    assert!(Bounds::new([2.0], [1.0]).is_none());
    assert!(Bounds::new([FREE], [FREE]).is_none());
    assert_eq!(Bounds::new([-0.0], [1.0_f32]).unwrap().lower()[0].to_bits(), 0);
    assert_eq!(Bounds::<f32, 2>::unbounded().free(), Parameters(0b11));
}

proptest! {
    /// Linear models in four parameters with bounds. At the end the gradient vanishes for parameters between bounds,
    /// and pushes outwards at bounds; this is sufficient because the sum of squares is convex. Also if one column is a
    /// difference of two others.
    #[test]
    fn linear_problems_end_where_their_optimum_is(
        dependent in any::<bool>(),
        mut matrix in prop::array::uniform10(prop::array::uniform4(-1.0..1.0_f64)),
        data in prop::array::uniform10(-3.0..3.0_f64),
        lower in prop::array::uniform4(-1.0..0.2_f64),
        width in prop::array::uniform4(0.05..1.0_f64),
    ) {
        fn check<A: Accumulator<f64, 4>>(
            (matrix, data): (&[[f64; 4]; 10], &[f64; 10]),
            bounds: &Bounds<f64, 4>,
        ) {
            let settings = Settings { ftol: 1e-15, xtol: 1e-15, gtol: 1e-8, ..Settings::new(4) };
            let made: Made<f64, A, 4> = run_within([0.0; 4], bounds, &settings, 10, |p, k| {
                let value = (0..4).map(|i| matrix[k][i] * p[i]).sum::<f64>();
                (Term::squared(value - data[k], 1.0), matrix[k])
            });
            assert!(made.status.converged(), "{made:?}");
            assert!(made.evaluations < 30, "{}", made.evaluations);
            let gradient = made.sums.gradient();
            for i in 0..4 {
                let (low, high) = (made.best[i] == bounds.lower()[i], made.best[i] == bounds.upper()[i]);
                let still = gradient[i].abs() <= 1e-6;
                assert!(still || (low && gradient[i] > 0.0) || (high && gradient[i] < 0.0));
            }
        }
        if dependent {
            matrix.iter_mut().for_each(|row| row[2] = row[0] - row[1]);
        }
        let mut upper = lower;
        upper.iter_mut().zip(width).for_each(|(upper, width)| *upper += width);
        let bounds = Bounds::new(lower, upper).unwrap();
        check::<Normal<f64, 4>>((&matrix, &data), &bounds);
        check::<Triangular<f64, 4>>((&matrix, &data), &bounds);
    }
}
