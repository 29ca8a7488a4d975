//! Elementary and special functions at the exact values in `functions/points.txt`, which `functions/points.py`
//! generates, and at the special values of the C standard.

mod common;

use common::{Dd, ulps_f32, ulps_f64};
use warpswarm_core::{Float, Real};

/// Functions with their names in problem files.
type Named<F> = Vec<(&'static str, F)>;
type One<R> = fn(R) -> R;
type Two<R> = fn(R, R) -> R;

fn of_one<R: Float>() -> Named<One<R>> {
    vec![
        ("sin", R::sin),
        ("cos", R::cos),
        ("tan", R::tan),
        ("exp", R::exp),
        ("ln", R::ln),
        ("tanh", R::tanh),
        ("sinh", R::sinh),
        ("cosh", R::cosh),
        ("expm1", R::exp_m1),
        ("log1p", R::ln_1p),
        ("log2", R::log2),
        ("log10", R::log10),
        ("asin", R::asin),
        ("acos", R::acos),
        ("atan", R::atan),
        ("asinh", R::asinh),
        ("acosh", R::acosh),
        ("atanh", R::atanh),
        ("cbrt", R::cbrt),
        ("erf", R::erf),
        ("erfc", R::erfc),
        ("gamma", R::gamma),
        ("lgamma", R::ln_gamma),
        ("j0", R::j0),
        ("j1", R::j1),
        ("y0", R::y0),
        ("y1", R::y1),
    ]
}

fn of_two<R: Float>() -> Named<Two<R>> {
    vec![("atan2", R::atan2), ("hypot", R::hypot), ("pow", R::pow)]
}

/// The arguments of each line of a function, and the value.
fn points(name: &str) -> Vec<(Vec<f64>, Dd)> {
    let lines = include_str!("functions/points.txt").lines();
    let of = |line: &'static str| line.split(' ').collect::<Vec<_>>();
    let lines = lines.map(of).filter(|words| words[0] == name);
    let number = |word: &&str| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
    let points = lines.map(|words| {
        let mut numbers: Vec<f64> = words[1..].iter().map(number).collect();
        let low = numbers.pop().unwrap();
        let high = numbers.pop().unwrap();
        (numbers, Dd(high, low))
    });
    points.collect()
}

#[test]
fn f64_at_hard_points() {
    let one = of_one::<f64>().into_iter().map(|(name, function)| {
        let at = move |x: &[f64]| function(x[0]);
        (name, Box::new(at) as Box<dyn Fn(&[f64]) -> f64>)
    });
    let two = of_two::<f64>().into_iter().map(|(name, function)| {
        let at = move |x: &[f64]| function(x[0], x[1]);
        (name, Box::new(at) as Box<dyn Fn(&[f64]) -> f64>)
    });
    for (name, function) in one.chain(two) {
        let points = points(name);
        assert!(points.len() >= 100, "{name}");
        let errors = points.iter().map(|(x, exact)| (ulps_f64(function(x), *exact), x));
        let (worst, x) = errors.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        println!("{name}: {worst:.3} ulp at {x:?} of {}", points.len());
        assert!(worst <= 2.0, "{name}({x:?}) is {:e}: {worst} ulp", function(x));
    }
}

/// Includes functions that are computed in `f64` and rounded once; the others are also tested by a sweep.
#[test]
fn f32_at_hard_points() {
    let wide = of_one::<f64>();
    for ((name, function), (_, wide)) in of_one::<f32>().into_iter().zip(wide) {
        for (x, _) in points(name) {
            let x = x[0] as f32;
            let error = ulps_f32(function(x), wide(x.into()));
            assert!(error <= 2.0, "{name}({x:e}) is {:e}: {error} ulp", function(x));
        }
    }
    for ((name, function), (_, wide)) in of_two::<f32>().into_iter().zip(of_two::<f64>()) {
        for (x, _) in points(name) {
            let [x, y] = [x[0] as f32, x[1] as f32];
            let error = ulps_f32(function(x, y), wide(x.into(), y.into()));
            assert!(error <= 2.0, "{name}({x:e}, {y:e}) is {:e}: {error} ulp", function(x, y));
        }
    }
}

/// The same number, zeros with their sign, or both NaN.
fn same<R: Float>(found: R, expected: f64, what: &str) {
    let found = found.to_f64();
    let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{what} in {}: {found:e}, not {expected:e}", R::NAME);
}

fn edges<R: Float>() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    // At -inf, -0, 0, inf.
    let rows: [(&str, [f64; 4]); 23] = [
        ("tan", [NAN, -0.0, 0.0, NAN]),
        ("tanh", [-1.0, -0.0, 0.0, 1.0]),
        ("sinh", [-INF, -0.0, 0.0, INF]),
        ("cosh", [INF, 1.0, 1.0, INF]),
        ("expm1", [-1.0, -0.0, 0.0, INF]),
        ("log1p", [NAN, -0.0, 0.0, INF]),
        ("log2", [NAN, -INF, -INF, INF]),
        ("log10", [NAN, -INF, -INF, INF]),
        ("asin", [NAN, -0.0, 0.0, NAN]),
        ("atanh", [NAN, -0.0, 0.0, NAN]),
        ("asinh", [-INF, -0.0, 0.0, INF]),
        ("acosh", [NAN, NAN, NAN, INF]),
        ("cbrt", [-INF, -0.0, 0.0, INF]),
        ("erf", [-1.0, -0.0, 0.0, 1.0]),
        ("erfc", [2.0, 1.0, 1.0, 0.0]),
        ("gamma", [NAN, -INF, INF, INF]),
        ("lgamma", [INF, INF, INF, INF]),
        ("j0", [0.0, 1.0, 1.0, 0.0]),
        ("j1", [-0.0, -0.0, 0.0, 0.0]),
        ("y0", [NAN, -INF, -INF, 0.0]),
        ("y1", [NAN, -INF, -INF, 0.0]),
        ("exp", [0.0, 1.0, 1.0, INF]),
        ("ln", [NAN, -INF, -INF, INF]),
    ];
    for (name, function) in of_one::<R>() {
        same(function(R::NAN), NAN, &format!("{name}(NaN)"));
        let Some((_, values)) = rows.iter().find(|(known, _)| *known == name) else { continue };
        for (x, value) in [-INF, -0.0, 0.0, INF].into_iter().zip(values) {
            same(function(R::from_f64(x)), *value, &format!("{name}({x})"));
        }
    }
    let of = |name: &str, x: f64| {
        let (_, function) = of_one::<R>().into_iter().find(|(known, _)| *known == name).unwrap();
        function(R::from_f64(x))
    };
    for (name, x, value) in [
        ("acos", 1.0, 0.0),
        ("acos", 1.5, NAN),
        ("acos", f64::INFINITY, NAN),
        ("asin", -1.5, NAN),
        ("atanh", 1.0, INF),
        ("atanh", -1.0, -INF),
        ("atanh", 2.0, NAN),
        ("acosh", 1.0, 0.0),
        ("acosh", 0.5, NAN),
        ("log1p", -1.0, -INF),
        ("log1p", -2.0, NAN),
        ("log2", 1024.0, 10.0),
        ("log2", 0.125, -3.0),
        ("log10", 1000.0, 3.0),
        ("log10", -1.0, NAN),
        ("cbrt", -27.0, -3.0),
        ("cbrt", 1e9, 1000.0),
        ("gamma", 1.0, 1.0),
        ("gamma", 5.0, 24.0),
        ("gamma", -1.0, NAN),
        ("gamma", 1e6, INF),
        ("gamma", -1000.5, -0.0),
        ("gamma", -1001.5, 0.0),
        ("lgamma", 1.0, 0.0),
        ("lgamma", 2.0, 0.0),
        ("lgamma", -3.0, INF),
        ("y0", -1.0, NAN),
        ("y1", -1.0, NAN),
        ("sinh", 1000.0, INF),
        ("sinh", -1000.0, -INF),
        ("cosh", 1000.0, INF),
        ("expm1", 1000.0, INF),
        ("expm1", -1000.0, -1.0),
        ("erfc", 30.0, 0.0),
        ("tanh", 50.0, 1.0),
    ] {
        same(of(name, x), value, &format!("{name}({x})"));
    }
}

fn edges_of_two<R: Float>() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let pi = |parts: f64| R::from_f64(parts * std::f64::consts::PI).to_f64();
    let atan2 = |y: f64, x: f64| R::from_f64(y).atan2(R::from_f64(x));
    for sign in [1.0, -1.0] {
        for (y, x, value) in [
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.0, -0.0, pi(1.0)),
            (0.0, -2.0, pi(1.0)),
            (3.0, 0.0, pi(0.5)),
            (3.0, -0.0, pi(0.5)),
            (1.0, 1.0, pi(0.25)),
            (1.0, -1.0, pi(0.75)),
            (INF, 5.0, pi(0.5)),
            (5.0, INF, 0.0),
            (5.0, -INF, pi(1.0)),
            (INF, INF, pi(0.25)),
            (INF, -INF, pi(0.75)),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ] {
            same(atan2(sign * y, x), sign * value, &format!("atan2({y}, {x})"));
        }
    }
    let hypot = |x: f64, y: f64| R::from_f64(x).hypot(R::from_f64(y));
    let most = R::MAX.to_f64();
    for (x, y, value) in [
        (3.0, -4.0, 5.0),
        (0.0, -0.0, 0.0),
        (INF, NAN, INF),
        (NAN, -INF, INF),
        (NAN, 1.0, NAN),
        (most, most, INF),
        (most, 1.0, most),
    ] {
        same(hypot(x, y), value, &format!("hypot({x}, {y})"));
    }
    // The remainder of Python 3.11's math.fmod, with the divisor's sign; numpy 2 returns the same.
    let modulo = |x: f64, y: f64| R::from_f64(x).modulo(R::from_f64(y));
    for (x, y, value) in [
        (7.0, 3.0, 1.0),
        (-7.0, 3.0, 2.0),
        (7.0, -3.0, -2.0),
        (-7.0, -3.0, -1.0),
        (5.5, 1.25, 0.5),
        (6.0, 3.0, 0.0),
        (-6.0, 3.0, 0.0),
        (6.0, -3.0, -0.0),
        (5.0, INF, 5.0),
        (-5.0, INF, INF),
        (5.0, -INF, -INF),
        (INF, 3.0, NAN),
        (5.0, 0.0, NAN),
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (2f64.powi(100), 3.0, 1.0),
        (2f64.powi(127), 2f64.powi(-126) * 3.0, 2f64.powi(-126) * 2.0),
    ] {
        same(modulo(x, y), value, &format!("mod({x}, {y})"));
    }
}

#[test]
fn edges_in_both_precisions() {
    edges::<f32>();
    edges::<f64>();
    edges_of_two::<f32>();
    edges_of_two::<f64>();
}

/// Halves are rounded to even; integers, infinities and zeros are unchanged, with their sign.
fn roundings<R: Float>() {
    for (x, floor, ceil, trunc, round, sign) in [
        (2.5, 2.0, 3.0, 2.0, 2.0, 1.0),
        (3.5, 3.0, 4.0, 3.0, 4.0, 1.0),
        (-2.5, -3.0, -2.0, -2.0, -2.0, -1.0),
        (0.5, 0.0, 1.0, 0.0, 0.0, 1.0),
        (-0.5, -1.0, -0.0, -0.0, -0.0, -1.0),
        (-0.0, -0.0, -0.0, -0.0, -0.0, -0.0),
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (1e30, 1e30, 1e30, 1e30, 1e30, 1.0),
        (f64::NEG_INFINITY, -f64::INFINITY, -f64::INFINITY, -f64::INFINITY, -f64::INFINITY, -1.0),
        (f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN),
    ] {
        let as_given = |x: f64| R::from_f64(x).to_f64();
        let number = R::from_f64(x);
        same(number.floor(), as_given(floor), &format!("floor({x})"));
        same(number.ceil(), as_given(ceil), &format!("ceil({x})"));
        same(number.trunc(), as_given(trunc), &format!("trunc({x})"));
        same(number.round_ties_even(), as_given(round), &format!("round({x})"));
        same(number.sign(), sign, &format!("sign({x})"));
    }
}

#[test]
fn roundings_in_both_precisions() {
    roundings::<f32>();
    roundings::<f64>();
}

/// The remainder of a division, compared with integer arithmetic, over many binades.
#[test]
fn rests_are_exact() {
    let mut state = 7_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..20_000 {
        let (a, b) = (next() + 1, next() % 100_000 + 1);
        let shift = (next() % 60) as u32;
        let large = u128::from(a) << shift;
        let rest = (large % u128::from(b)) as f64;
        assert_eq!((large as f64).modulo(b as f64), rest, "{a} 2^{shift} mod {b}");
        let tiny = f64::from_bits(1 << 20);
        assert_eq!((large as f64 * tiny).modulo(b as f64 * tiny), rest * tiny);
        let (huge, rest) = (a as f64 * 2f64.powi(900), (a as f64 * 2f64.powi(900)) % (b as f64));
        assert_eq!(huge.modulo(b as f64), rest, "{a} 2^900 mod {b}");
    }
}

/// Even and odd functions are exactly so, and no function leaves its range.
#[test]
fn symmetries_and_ranges() {
    for i in 0..40_000 {
        let x = 2f64.powf(f64::from(i) * 0.003 - 60.0);
        let odd: [fn(f64) -> f64; 9] = [
            Real::tan,
            Real::tanh,
            Real::sinh,
            Real::asinh,
            Real::atan,
            Real::cbrt,
            Real::erf,
            Real::j1,
            Real::trunc,
        ];
        for (k, odd) in odd.into_iter().enumerate() {
            assert_eq!(odd(-x).to_bits(), (-odd(x)).to_bits(), "function {k} at {x:e}");
        }
        for even in [Real::cosh as fn(f64) -> f64, Real::j0] {
            assert_eq!(even(-x).to_bits(), even(x).to_bits(), "{x:e}");
        }
        assert!(Real::tanh(x) <= 1.0 && Real::tanh(x as f32) <= 1.0);
        assert!(Real::erf(x) <= 1.0 && Real::erfc(x) >= 0.0 && Real::erfc(-x) <= 2.0);
        assert!(Real::cosh(x) >= 1.0 && Real::cosh(x as f32) >= 1.0);
    }
}
