//! The power: at special values, at many pairs, and where it is hardest. A sweep over all pairs is impossible.
//!
//! With `WARPSWARM_LONG=1` in the environment a hundred times as many pairs are tried, which takes some minutes of a
//! core.

mod common;

use common::{steps_f64, ulps_f32};
use rayon::prelude::*;
use warpswarm_core::math::pow_f32;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::{Float, Real};

/// Numbers in [0, 1), four at a time.
fn draws(number: u32) -> [f64; 4] {
    let words = Stream::new(RunKey::new(43, 0), Purpose::Move, 0, number).block(0);
    words.map(|word| f64::from(word) * 2f64.powi(-32))
}

/// Computes the largest error over pairs made from draws, and prints and checks it.
fn check(name: &str, pair: impl Fn([f64; 4]) -> (f32, f32) + Sync) {
    let long = std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1");
    let pairs: u32 = if long { 100_000_000 } else { 1_000_000 };
    let (error, x, y) = (0..pairs)
        .into_par_iter()
        .map(|number| {
            let (x, y) = pair(draws(number));
            (ulps_f32(pow_f32(x, y), f64::from(x).powf(f64::from(y))), x, y)
        })
        .reduce(|| (0.0, 0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
    println!(
        "{name}: {error:.4} ulp at {x:e} ({:#010x}), {y:e} ({:#010x})",
        x.to_bits(),
        y.to_bits()
    );
    assert!(error <= 2.0, "{name}: {x:e}^{y:e}: {error} ulp");
}

/// A positive number with uniform bits.
fn any(draw: f64) -> f32 {
    f32::from_bits((draw * f64::from(0x7f80_0000)) as u32)
}

/// The exponent y with x^y = 2^z.
fn exponent(x: f32, z: f64) -> f32 {
    (z / f64::from(x).log2()) as f32
}

#[test]
fn any_numbers() {
    check("any bits", |[a, b, c, _]| {
        let y = any(b);
        (any(a), if c < 0.5 { y } else { -y })
    });
    check("any bits, any power", |[a, b, ..]| (any(a), exponent(any(a), b * 280.0 - 151.0)));
    check("from 1/2 to 2", |[a, b, ..]| {
        let x = (2.0 * a - 1.0).exp2() as f32;
        (x, exponent(x, b * 280.0 - 151.0))
    });
    check("from 0 to 100, exponents to 10", |[a, b, ..]| {
        ((100.0 * a) as f32, (20.0 * b - 10.0) as f32)
    });
}

#[test]
fn beside_one() {
    check("beside 1", |[a, b, c, _]| {
        let distance = (-24.0 * a).exp2();
        let x = (if b < 0.5 { 1.0 + distance } else { 1.0 - 0.5 * distance }) as f32;
        (x, exponent(x, c * 280.0 - 151.0))
    });
}

#[test]
fn where_the_logarithm_is_worst() {
    // On both sides of the two places where the polynomial's argument changes, and at its ends. The powers are just
    // below a distant power of two, which magnifies the logarithm's error most.
    check("worst logarithms", |[a, b, c, d]| {
        let place = [0.889, 1.1034, 0.6923, 1.3846][(4.0 * a) as usize];
        let x = (place * (1.0 + 0.01 * (b - 0.5))) as f32;
        (x, exponent(x, if c < 0.5 { 128.0 - 0.1 * d } else { -125.0 - 0.1 * d }))
    });
}

#[test]
fn at_both_ends() {
    check("next to overflow", |[a, b, ..]| (any(a), exponent(any(a), 127.9 + 0.2 * b)));
    check("below the normal numbers", |[a, b, ..]| (any(a), exponent(any(a), -125.5 - 25.5 * b)));
    check("next to zero", |[a, b, ..]| (any(a), exponent(any(a), -150.1 + 1.2 * b)));
}

#[test]
fn usual_exponents() {
    let usual = [
        1.0 / 3.0,
        0.5,
        2.0 / 3.0,
        0.75,
        1.0,
        1.25,
        1.5,
        2.0,
        2.2,
        2.5,
        3.0,
        4.0,
        5.0,
        7.0,
        10.0,
        12.0,
        100.0,
        1e-3,
    ];
    for y in usual.into_iter().flat_map(|y: f32| [y, -y]) {
        check(&format!("exponent {y}"), |[a, ..]| (any(a), y));
    }
}

#[test]
fn powers_of_two_are_exact() {
    for e in -149..128 {
        for n in -150..128 {
            let exact = 2f64.powi(e * n) as f32;
            assert_eq!(pow_f32(2f64.powi(e) as f32, n as f32), exact, "2^({e} * {n})");
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            assert_eq!(pow_f32(-2f64.powi(e) as f32, n as f32), sign * exact, "(-2)^({e} * {n})");
        }
    }
}

/// The special values of the C standard (C17, F.10.4.4).
fn special_values<R: Float>() {
    let pow = |x: f64, y: f64| R::from_f64(x).pow(R::from_f64(y)).to_f64();
    let is = |x: f64, y: f64, z: f64| {
        let found = pow(x, y);
        let same = if z.is_nan() { found.is_nan() } else { found.to_bits() == z.to_bits() };
        assert!(same, "{}: {x:e}^{y:e} is {found:e}, not {z:e}", R::NAME);
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let (least, most) =
        (if R::WORDS == 1 { 2f64.powi(-149) } else { 2f64.powi(-1074) }, R::MAX.to_f64());
    let odd = [1.0, 3.0, 5.0, 16_777_215.0, if R::WORDS == 1 { 3.0 } else { 2f64.powi(53) - 1.0 }];
    let even = [2.0, 4.0, 16_777_216.0, 33_554_432.0, 1e30, most];
    let broken = [least, 1e-9, 0.5, 0.75, 1.5, 2.5, 100.25, 4_194_303.5];
    for y in odd {
        is(0.0, -y, inf);
        is(-0.0, -y, -inf);
        is(0.0, y, 0.0);
        is(-0.0, y, -0.0);
        is(-inf, -y, -0.0);
        is(-inf, y, -inf);
        is(-1.0, y, -1.0);
        is(-1.0, -y, -1.0);
    }
    for y in even.into_iter().chain(broken) {
        for zero in [0.0, -0.0] {
            is(zero, -y, inf);
            is(zero, y, 0.0);
        }
        is(-inf, -y, 0.0);
        is(-inf, y, inf);
    }
    for y in odd.into_iter().chain(even).chain(broken) {
        is(inf, -y, 0.0);
        is(inf, y, inf);
        is(1.0, y, 1.0);
        is(1.0, -y, 1.0);
        is(nan, y, nan);
    }
    for y in even {
        is(-1.0, y, 1.0);
        is(-1.0, -y, 1.0);
    }
    for x in [least, 0.3, 1.0, 1.5, 7.0, most] {
        for y in broken {
            is(-x, y, nan);
            is(-x, -y, nan);
        }
    }
    for x in [0.0, least, 0.5, 1.0, 2.0, most, inf, nan] {
        for x in [x, -x] {
            is(x, 0.0, 1.0);
            is(x, -0.0, 1.0);
            is(x, nan, if x == 1.0 { 1.0 } else { nan });
        }
    }
    for x in [0.0, least, 0.5, 1.0 - 2.0 * R::HALF_EPSILON.to_f64()] {
        for x in [x, -x] {
            is(x, -inf, inf);
            is(x, inf, 0.0);
        }
    }
    for x in [1.0 + 2.0 * R::HALF_EPSILON.to_f64(), 2.0, most, inf] {
        for x in [x, -x] {
            is(x, -inf, 0.0);
            is(x, inf, inf);
        }
    }
    for y in [inf, -inf] {
        is(1.0, y, 1.0);
        is(-1.0, y, 1.0);
        is(nan, y, nan);
    }
    // Overflow and underflow.
    is(most, 2.0, inf);
    is(-most, 3.0, -inf);
    is(-most, -3.0, -0.0);
    is(least, 2.0, 0.0);
    is(-least, -3.0, -inf);
    is(0.5, most, 0.0);
    is(2.0, most, inf);
    is(-2.0, -most, 0.0);
    is(least, -least, 1.0);
}

#[test]
fn special_values_in_both_precisions() {
    special_values::<f32>();
    special_values::<f64>();
}

#[test]
fn negative_numbers_have_the_powers_of_positive_ones() {
    for number in 0..100_000 {
        let [a, b, ..] = draws(number);
        let (x, y) = ((10.0 * a) as f32, (80.0 * b - 40.0).round() as f32);
        let sign = if y % 2.0 == 0.0 { 1.0 } else { -1.0 };
        assert_eq!(pow_f32(-x, y), sign * pow_f32(x, y), "{x:e}^{y:e}");
    }
}

#[test]
fn f64_pow() {
    for number in 0..200_000 {
        let [a, b, c, d] = draws(number);
        let x = (a + b * 2f64.powi(-32)) * (2000.0 * c - 1000.0).exp2();
        let y = (2140.0 * d - 1074.0) / x.log2();
        assert!(steps_f64(Real::pow(x, y), x.powf(y)) <= 1, "{x:e}^{y:e}");
    }
}

/// Bits that are the same on every machine and in every version; changing one changes all results.
#[test]
fn values_are_stable() {
    let pairs = [
        (0.1, 3.7),
        (2.718_281_7, 10.5),
        (50.5, -0.3),
        (0.999, 1e4),
        (3e30, 1.0 / 3.0),
        (-7.0, 5.0),
    ];
    let bits = pairs.map(|(x, y): (f32, f32)| pow_f32(x, y).to_bits());
    assert_eq!(
        bits,
        [0x3951_37ea, 0x470d_db7e, 0x3e9d_dd21, 0x383d_7ec3, 0x5056_e97e, 0xc683_4e00]
    );
    let bits = pairs.map(|(x, y): (f32, f32)| Real::pow(f64::from(x), f64::from(y)).to_bits());
    assert_eq!(
        bits,
        [
            0x3f2a_26fd_2f2b_be00,
            0x40e1_bb6f_b70c_0354,
            0x3fd3_bba4_2c83_66ff,
            0x3f07_afd8_64f2_9cd6,
            0x420a_dd2f_c39d_c016,
            0xc0d0_69c0_0000_0000
        ]
    );
}
