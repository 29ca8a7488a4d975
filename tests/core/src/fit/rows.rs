//! Sums over rows: their order, and properties that hold for all data.

use proptest::prelude::*;
use warpswarm_core::Float;
use warpswarm_core::fit::{
    Accumulator, BLOCK, Bounds, Covariance, Loss, Normal, Parameters, Settings, Status, Term,
    Triangular, poisson, sum_block, sum_rows,
};

use super::{decay, run_within};

const LOSSES: [Loss; 4] = [Loss::Linear, Loss::Huber, Loss::SoftL1, Loss::Cauchy];

/// A row without a simple dependence on its number.
fn row<R: Float>(k: usize) -> (Term<R>, [R; 3]) {
    let number = |i: usize| R::from_f64(((k * 31 + i * 17) % 101) as f64 / 7.0 - 5.0);
    let loss = [Loss::Linear, Loss::Cauchy][k % 2];
    (loss.term(number(0), number(4).abs(), R::TWO), [number(1), number(2), number(3)])
}

/// The sums with blocks divided among threads: each thread sums its blocks, in any order; then all are combined in
/// sequence.
fn shared<R: Float, A: Accumulator<R, 3>>(rows: usize, threads: usize) -> A {
    let blocks = rows.div_ceil(BLOCK).max(1);
    let mut sums = vec![A::empty(); blocks];
    for thread in (0..threads).rev() {
        for block in (thread..blocks).step_by(threads) {
            sums[block] = sum_block(rows, block, &row::<R>);
        }
    }
    let mut all = sums[0];
    sums[1..].iter().for_each(|block| all.combine(block));
    all
}

#[test]
fn one_thread_and_many_get_the_same_bits() {
    fn check<R: Float, A: Accumulator<R, 3>>() {
        for rows in [0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 3000] {
            let alone: A = sum_rows(rows, &row::<R>);
            for threads in [1, 2, 3, 32] {
                assert_eq!(alone, shared::<R, A>(rows, threads), "{rows} rows, {threads} threads");
            }
        }
    }
    check::<f32, Normal<f32, 3>>();
    check::<f32, Triangular<f32, 3>>();
    check::<f64, Normal<f64, 3>>();
    check::<f64, Triangular<f64, 3>>();
}

/// Bits that must not change: seeded results depend on them.
#[test]
fn sums_are_what_they_were() {
    let sums: Normal<f32, 3> = sum_rows(1000, &row);
    let bits = [sums.chi_squared(), sums.gradient()[2], sums.element(2, 1)].map(f32::to_bits);
    assert_eq!(bits, [1192458286, 3323107277, 1190533433]);
}

/// Both accumulators give the same results for the same rows.
#[test]
fn both_accumulators_agree() {
    let normal: Normal<f64, 3> = sum_rows(700, &row);
    let triangular: Triangular<f64, 3> = sum_rows(700, &row);
    let p = [0.3, -1.0, 2.0];
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-10 * a.abs(), "{a} {b}");
    assert_eq!(normal.chi_squared(), triangular.chi_squared());
    near(normal.quadratic(&p), triangular.quadratic(&p));
    for i in 0..3 {
        near(normal.gradient()[i], triangular.gradient()[i]);
        near(normal.squared_norms()[i], triangular.squared_norms()[i]);
    }
    let free = Parameters(0b101);
    let damping = [10.0, 20.0, 30.0];
    let (a, b) = (normal.damped(&damping, free, &p), triangular.damped(&damping, free, &p));
    for i in 0..3 {
        near(a.step[i], b.step[i]);
        for j in 0..3 {
            let (a, b) = (a.factor.inverted()[i][j], b.factor.inverted()[i][j]);
            assert!((a - b).abs() <= 1e-12 * 1e-2, "{a} {b}");
        }
    }
    assert_eq!((a.step[1], b.step[1]), (-1.0, -1.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// For all data: the result is never worse than the start, never out of bounds, and within the allowed evaluations.
    #[test]
    fn no_fit_is_worse_than_its_start(
        y in prop::collection::vec(-100.0..100.0_f64, 1..40),
        start in prop::array::uniform3(-20.0..20.0_f64),
        lower in prop::array::uniform3(-30.0..0.0_f64),
        width in prop::array::uniform3(0.0..40.0_f64),
        loss in 0..4_usize,
        fixed in 0..8_u32,
    ) {
        fn check<R: Float, A: Accumulator<R, 3>>(
            y: &[f64],
            start: [f64; 3],
            bounds: &Bounds<R, 3>,
            loss: Loss,
        ) {
            let row = |p: &[R; 3], k: usize| {
                let (value, partials) = decay(p, R::from_f64(k as f64 / 10.0));
                (loss.term(value - R::from_f64(y[k]), R::ONE, R::TWO), partials)
            };
            let settings = Settings { evaluations: 60, ..Settings::new(3) };
            let first = bounds.clamp(start.map(R::from_f64));
            let before: A = sum_rows(y.len(), &|k| row(&first, k));
            let made = run_within::<R, A, 3>(first, bounds, &settings, y.len(), row);
            assert!(made.evaluations <= 60);
            if before.is_finite() {
                let after: A = sum_rows(y.len(), &|k| row(&made.best, k));
                assert_eq!(after, made.sums);
                assert!(made.chi_squared <= before.chi_squared(), "{made:?}");
            } else {
                assert_eq!((made.status, made.best), (Status::NotFinite, first));
            }
            for i in 0..3 {
                assert!(bounds.free().contains(i) || made.best[i] == first[i]);
            }
        }
        let mut upper = lower;
        upper.iter_mut().zip(width).for_each(|(upper, width)| *upper += width);
        let loss = LOSSES[loss];
        let fixed = Parameters(fixed);
        let bounds = Bounds::new(lower, upper).unwrap().fixing(fixed);
        check::<f64, Normal<f64, 3>>(&y, start, &bounds, loss);
        check::<f64, Triangular<f64, 3>>(&y, start, &bounds, loss);
        let narrow = |bounds: [f64; 3]| bounds.map(|bound| bound as f32);
        let bounds = Bounds::new(narrow(lower), narrow(upper)).unwrap().fixing(fixed);
        check::<f32, Normal<f32, 3>>(&y, start, &bounds, loss);
        check::<f32, Triangular<f32, 3>>(&y, start, &bounds, loss);
    }

    /// Numbers of every size, also NaN and infinite ones: no panic, the fit ends, and the bounds are kept.
    #[test]
    fn no_numbers_are_too_much(
        rows in prop::collection::vec(prop::array::uniform4(prop::num::f32::ANY), 1..6),
        loss in 0..5_usize,
        start in prop::array::uniform3(prop::num::f32::ANY),
    ) {
        let settings = Settings { evaluations: 30, ..Settings::new(3) };
        let bounds = Bounds::new([f32::NEG_INFINITY, -1.0, 0.0], [f32::INFINITY; 3]).unwrap();
        let row = |p: &[f32; 3], k: usize| {
            let [a, b, c, y] = rows[k];
            let value = a * p[0] + b * p[1] + c * p[2];
            let term = match LOSSES.get(loss) {
                Some(loss) => loss.term(value - y, a, b),
                None => poisson(value, y),
            };
            (term, [a, b, c])
        };
        let normal = run_within::<f32, Normal<f32, 3>, 3>(start, &bounds, &settings, rows.len(), row);
        let triangular =
            run_within::<f32, Triangular<f32, 3>, 3>(start, &bounds, &settings, rows.len(), row);
        prop_assert!(normal.evaluations <= 30 && triangular.evaluations <= 30);
        let all = Parameters::first(3);
        let errors = Covariance::of(&normal.sums, all, 1.0).standard_errors();
        prop_assert!(errors.iter().all(|&error| error >= 0.0 || error.is_nan()));
        let errors = Covariance::of(&triangular.sums, all, 1.0).standard_errors();
        prop_assert!(errors.iter().all(|&error| error >= 0.0 || error.is_nan()));
    }
}
