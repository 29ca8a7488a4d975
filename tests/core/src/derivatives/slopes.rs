//! The slope of each function at some points, computed with mpmath.

// Computed once with mpmath 1.4.1 in 60 digits, as central differences with a step of 1e-25, and rounded to the digits
// of an f64.
#![allow(clippy::approx_constant, clippy::excessive_precision)]

use warpswarm_core::Real;
use warpswarm_core::dual::{Dual, digamma};
use warpswarm_core::expression::Operation;

/// A function of one number: (x, slope).
const OF_ONE: &[(Operation, &[(f64, f64)])] = &[
    (Operation::Absolute, &[(-2.5, -1.0), (3.25, 1.0)]),
    (
        Operation::Root,
        &[
            (1e-10, 50000.0),
            (0.3, 0.9128709291752769),
            (2.0, 0.3535533905932738),
            (10000000000.0, 5e-06),
        ],
    ),
    (
        Operation::Sin,
        &[
            (-3.0, -0.9899924966004454),
            (0.0, 1.0),
            (0.7, 0.7648421872844885),
            (1000.0, 0.5623790762907029),
        ],
    ),
    (
        Operation::Cos,
        &[
            (-3.0, 0.1411200080598672),
            (0.3, -0.29552020666133955),
            (0.7, -0.644217687237691),
            (1000.0, -0.8268795405320025),
        ],
    ),
    (
        Operation::SinTurns,
        &[
            (-0.3, -1.9416110387254661),
            (0.0, 6.283185307179586),
            (0.1, 5.0832036923152595),
            (1.751, 0.03947815784728974),
        ],
    ),
    (
        Operation::CosTurns,
        &[
            (-0.3, 5.975664329483112),
            (0.2, -5.975664329483112),
            (0.1, -3.6931636609809138),
            (1.751, 6.283061282480891),
        ],
    ),
    (
        Operation::Tan,
        &[
            (-1.2, 7.615963967207052),
            (0.0, 1.0),
            (1.5, 199.85004452649247),
            (3.0, 1.0203195169424268),
        ],
    ),
    (
        Operation::Asin,
        &[
            (-0.999, 22.36627204212921),
            (0.0, 1.0),
            (0.5, 1.1547005383792515),
            (0.999999, 707.1069579531425),
        ],
    ),
    (
        Operation::Acos,
        &[
            (-0.999, -22.36627204212921),
            (0.0, -1.0),
            (0.5, -1.1547005383792515),
            (0.999999, -707.1069579531425),
        ],
    ),
    (
        Operation::Atan,
        &[(-3.0, 0.1), (0.0, 1.0), (0.2, 0.9615384615384616), (100000.0, 9.999999999e-11)],
    ),
    (
        Operation::Exp,
        &[
            (-20.0, 2.061153622438558e-09),
            (0.0, 1.0),
            (1.0, 2.718281828459045),
            (30.0, 10686474581524.463),
        ],
    ),
    (Operation::Ln, &[(1e-09, 999999999.9999999), (0.5, 2.0), (1.0, 1.0), (1000000000.0, 1e-09)]),
    (
        Operation::Sinh,
        &[
            (-3.0, 10.067661995777765),
            (0.0, 1.0),
            (0.1, 1.0050041680558035),
            (20.0, 242582597.70489514),
        ],
    ),
    (
        Operation::Cosh,
        &[
            (-3.0, -10.017874927409903),
            (0.01, 0.010000166667500003),
            (0.1, 0.10016675001984403),
            (20.0, 242582597.70489514),
        ],
    ),
    (
        Operation::Tanh,
        &[
            (-3.0, 0.00986603716544019),
            (0.0, 1.0),
            (0.1, 0.9900662908474398),
            (18.0, 9.278091320974273e-16),
        ],
    ),
    (
        Operation::Asinh,
        &[
            (-3.0, 0.31622776601683794),
            (0.0, 1.0),
            (0.1, 0.9950371902099892),
            (1000000.0, 9.999999999995e-07),
        ],
    ),
    (
        Operation::Acosh,
        &[
            (1.000001, 707.1066044390042),
            (1.5, 0.8944271909999159),
            (20.0, 0.05006261743217589),
            (1000000000.0, 1e-09),
        ],
    ),
    (
        Operation::Atanh,
        &[
            (-0.9, 5.263157894736843),
            (0.0, 1.0),
            (0.1, 1.0101010101010102),
            (0.99999, 50000.25000147756),
        ],
    ),
    (
        Operation::ExpM1,
        &[
            (-20.0, 2.061153622438558e-09),
            (1e-09, 1.000000001),
            (1.0, 2.718281828459045),
            (30.0, 10686474581524.463),
        ],
    ),
    (
        Operation::Ln1P,
        &[
            (-0.999, 999.9999999999991),
            (1e-09, 0.999999999),
            (1.0, 0.5),
            (1000000000.0, 9.99999999e-10),
        ],
    ),
    (
        Operation::Log2,
        &[
            (1e-09, 1442695040.8889632),
            (0.5, 2.8853900817779268),
            (3.0, 0.4808983469629878),
            (1000000000.0, 1.4426950408889634e-09),
        ],
    ),
    (
        Operation::Log10,
        &[
            (1e-09, 434294481.9032518),
            (0.5, 0.8685889638065036),
            (3.0, 0.14476482730108395),
            (1000000000.0, 4.342944819032518e-10),
        ],
    ),
    (
        Operation::CubeRoot,
        &[
            (-27.0, 0.037037037037037035),
            (1e-06, 3333.3333333333335),
            (0.3, 0.7438143889801884),
            (1000000000.0, 3.3333333333333335e-07),
        ],
    ),
    (
        Operation::Erf,
        &[
            (-2.0, 0.020666985354092053),
            (0.0, 1.1283791670955126),
            (0.5, 0.8787825789354448),
            (5.0, 1.5670866531017336e-11),
        ],
    ),
    (
        Operation::Erfc,
        &[
            (-2.0, -0.020666985354092053),
            (0.0, -1.1283791670955126),
            (0.5, -0.8787825789354448),
            (20.0, -2.1610374743867984e-174),
        ],
    ),
    (
        Operation::Gamma,
        &[
            (-2.5, -1.0428235924606153),
            (-0.3, -9.143976763306549),
            (0.1, -99.166472874637),
            (0.7, -1.5836580798332283),
            (3.3, 2.7768813508311028),
            (9.99, 798553.0319877961),
            (20.0, 3.6134968930314074e+17),
        ],
    ),
    (
        Operation::LnGamma,
        &[
            (-2.5, 1.103156640645243),
            (-0.3, 2.113309779635399),
            (0.1, -10.423754940411076),
            (0.7, -1.2200235536979347),
            (3.3, 1.0348224890596216),
            (9.99, 2.250700372831201),
            (1000000.0, 13.815510057964191),
        ],
    ),
    (
        Operation::J0,
        &[
            (-3.0, 0.3390589585259365),
            (0.1, -0.049937526036242),
            (5.0, 0.32757913759146523),
            (40.0, -0.126038318037585),
        ],
    ),
    (
        Operation::J1,
        &[
            (-3.0, -0.37307160774391224),
            (0.1, 0.49812630170362004),
            (5.0, -0.11208094379604526),
            (40.0, 0.004215932633297665),
        ],
    ),
    (
        Operation::Y0,
        &[
            (0.01, 63.67859628206065),
            (0.5, 1.471472392670243),
            (5.0, -0.14786314339122683),
            (40.0, 0.005793505821549633),
        ],
    ),
    (
        Operation::Y1,
        &[
            (0.01, 6364.854172568982),
            (0.5, 2.4984260518337797),
            (5.0, -0.33809025392727915),
            (40.0, 0.12608125470379966),
        ],
    ),
    (
        Operation::Digamma,
        &[
            (-0.5, 8.934802200544679),
            (0.5, 4.934802200544679),
            (1.0, 1.6449340668482264),
            (3.0, 0.3949340668482264),
            (12.0, 0.08690187287176839),
        ],
    ),
];
/// Two arguments, and the slopes by both.
type AtTwo = ([f64; 2], [f64; 2]);

/// Functions of two numbers.
const OF_TWO: &[(Operation, &[AtTwo])] = &[
    (
        Operation::Power,
        &[
            ([2.5, 3.0], [18.75, 14.317042685533673]),
            ([0.3, -1.5], [-30.42903097250923, -7.3271451505785405]),
            ([-2.0, 3.0], [12.0, f64::NAN]),
            ([0.001, 0.5], [15.811388300841896, -0.21844240200635404]),
            ([7.0, 0.0], [0.0, 1.9459101490553132]),
        ],
    ),
    (
        Operation::Atan2,
        &[
            ([1.0, 2.0], [0.4, -0.2]),
            ([-3.0, 0.5], [0.05405405405405406, 0.32432432432432434]),
            ([0.1, -4.0], [-0.24984384759525297, -0.006246096189881325]),
            ([1e-08, -2e-08], [-40000000.0, -20000000.0]),
        ],
    ),
    (
        Operation::Hypot,
        &[
            ([3.0, 4.0], [0.6, 0.8]),
            ([-1e+200, 2e+200], [-0.4472135954999579, 0.8944271909999159]),
            ([1e-05, 7.0], [1.4285714285699709e-06, 0.9999999999989796]),
        ],
    ),
    (
        Operation::Modulo,
        &[([7.3, 2.0], [1.0, -3.0]), ([-7.3, 2.0], [1.0, 4.0]), ([5.5, -1.75], [1.0, 4.0])],
    ),
];

/// Whether two numbers agree in nearly all digits: a few steps of `f64`, more where arguments are far from exact (the
/// sine of 1,000, a Bessel function near a zero of its slope).
#[track_caller]
fn agree(found: f64, expected: f64, what: &str) {
    let is_same = found.is_nan() && expected.is_nan();
    let near = (found - expected).abs() <= 4e-15 * expected.abs().max(1e-3);
    assert!(is_same || near, "{what}: {found:e}, not {expected:e}");
}

#[test]
fn functions_of_one_number() {
    for (operation, points) in OF_ONE {
        for &(x, slope) in *points {
            let [single, double] = [x as f32 as f64, x];
            let f = operation.apply([Dual::<f64, 1>::variable(double, 0); 3]);
            let alone = operation.apply([double; 3]);
            assert_eq!(f.value.to_bits(), alone.to_bits(), "{operation:?} of {x}");
            agree(f.partials[0], slope, &format!("{operation:?} at {x}"));
            // Also in single precision, if the argument is exact in it.
            if single == double {
                let f = operation.apply([Dual::<f32, 1>::variable(x as f32, 0); 3]);
                let near = f64::from(f.partials[0] - slope as f32).abs();
                assert!(near <= 2e-6 * slope.abs().max(1e-3), "{operation:?} at {x}: {f:?}");
            }
        }
    }
}

#[test]
fn functions_of_two_numbers() {
    for (operation, points) in OF_TWO {
        for &([x, y], slopes) in *points {
            let by = |i| Dual::<f64, 2>::variable([x, y][i], i);
            let f = operation.apply([by(0), by(1), by(1)]);
            assert_eq!(f.value.to_bits(), operation.apply([x, y, y]).to_bits());
            agree(f.partials[0], slopes[0], &format!("{operation:?} at {x}, {y} by the first"));
            agree(f.partials[1], slopes[1], &format!("{operation:?} at {x}, {y} by the second"));
        }
    }
}

#[test]
fn a_fused_product_has_its_value_and_slopes() {
    for [a, b, c] in [[2.0, 3.0, -5.0], [-1e-200, 1e-200, -0.0], [0.1, 0.1, -0.01]] {
        let by = |x, i| Dual::<f64, 3>::variable(x, i);
        let f = by(a, 0).fused(by(b, 1), by(c, 2));
        assert_eq!(f.value.to_bits(), Real::fused(a, b, c).to_bits(), "{a} {b} {c}");
        assert_eq!(f.partials, [b, a, 1.0]);
    }
}

/// Each row of the table in the documentation of [`dual`](warpswarm_core::dual).
#[test]
fn kinks_and_jumps() {
    let x = |value| Dual::<f64, 2>::variable(value, 0);
    let y = |value| Dual::<f64, 2>::variable(value, 1);
    let zero = Dual::constant(0.0);
    assert_eq!((x(0.0).abs().partials, x(-0.0).abs().partials), ([0.0; 2], [0.0; 2]));
    assert_eq!(x(2.0).smaller(y(2.0)).partials, [1.0, 0.0]);
    assert_eq!(x(2.0).larger(y(2.0)).partials, [0.0, 1.0]);
    assert_eq!(x(-1.0).larger(zero).partials, [0.0; 2]);
    assert_eq!(x(f64::NAN).smaller(y(2.0)).partials, [0.0, 1.0]);
    for flat in [Real::sign, Real::floor, Real::ceil, Real::trunc, Real::round_ties_even] {
        let flat: fn(Dual<f64, 2>) -> Dual<f64, 2> = flat;
        assert_eq!((flat(x(2.0)).partials, flat(x(2.5)).partials), ([0.0; 2], [0.0; 2]));
    }
    assert_eq!(x(6.0).modulo(y(2.0)).partials, [1.0, -3.0]);
    assert_eq!(x(-5.0).modulo(y(2.0)).partials, [1.0, 3.0]);
    assert_eq!(
        (x(0.0).hypot(y(0.0)).partials, x(0.0).atan2(y(0.0)).partials),
        ([0.0; 2], [0.0; 2])
    );
    assert_eq!(x(0.0).sqrt().partials, [f64::INFINITY, 0.0]);
    assert_eq!((x(0.0) * x(0.0)).sqrt().partials, [0.0; 2]);
    assert_eq!(zero.cbrt().partials, [0.0; 2]);
    // Powers for which a logarithm or a quotient of the general rule is undefined.
    let to = |x: Dual<f64, 2>, exponent| x.pow(Dual::constant(exponent)).partials[0];
    assert_eq!([to(x(0.0), 0.0), to(x(0.0), 1.0), to(x(0.0), 2.0)], [0.0, 1.0, 0.0]);
    assert_eq!([to(x(0.0), 0.5), to(x(-2.0), 3.0), to(x(-2.0), 0.0)], [f64::INFINITY, 12.0, 0.0]);
    assert_eq!(x(0.0).pow(y(2.0)).partials, [0.0, 0.0]);
    assert!(to(x(-2.0), 0.5).is_nan());
}

#[test]
fn second_derivatives() {
    // sin(x) y^3 at (1, 2), by both variables.
    let variable = |value: f64, i| Dual {
        value: Dual::<f64, 2>::variable(value, i),
        partials: core::array::from_fn::<_, 2, _>(|k| Dual::constant(f64::from(u8::from(i == k)))),
    };
    let (x, y) = (variable(1.0, 0), variable(2.0, 1));
    let f = x.sin() * y * y * y;
    let [[xx, xy], [yx, yy]] = f.partials.map(|first| first.partials);
    let (sin, cos) = (1.0_f64.sin(), 1.0_f64.cos());
    agree(xx, -8.0 * sin, "by x twice");
    agree(xy, 12.0 * cos, "by x and y");
    agree(yx, 12.0 * cos, "by y and x");
    agree(yy, 12.0 * sin, "by y twice");
    // The trigamma function at 1 is pi^2 / 6.
    let slope = digamma(Dual::<f64, 1>::variable(1.0, 0)).partials[0];
    agree(slope, std::f64::consts::PI.powi(2) / 6.0, "trigamma");
}
