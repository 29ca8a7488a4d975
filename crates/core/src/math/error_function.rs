//! The error function and its complement.
//!
//! ```text
//! erf(x) = x + x P(x^2) / Q(x^2),                    |x| < 0.8
//! erf(x) = 0.845... + P(|x| - 1) / Q(|x| - 1),       |x| < 1.25
//! erfc(x) = exp(-x^2 - 0.5625 + R(1/x^2)) / x,       x >= 1.25
//! ```
//!
//! The exponent is a sum of two numbers, since its rounding would be magnified by x^2.
//!
//! **Source.** FreeBSD's msun, `s_erf.c`, Sun Microsystems 1993, for the quotients of polynomials.

use super::two::{Exponential, Two};
use super::{fused_f64, magnitude_f64};

/// A polynomial; the constant coefficient is the first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        value = fused_f64(value, x, coefficients[k]);
    }
    value
}

/// erf(x) / x - 1 for |x| < 0.8, from x^2.
#[inline(always)]
fn near_zero(square: f64) -> f64 {
    const P: [f64; 5] = [
        0.12837916709551256,
        -0.3250421072470015,
        -0.02848174957559851,
        -0.005770270296489442,
        -2.3763016656650163e-05,
    ];
    const Q: [f64; 6] = [
        1.0,
        0.39791722395915535,
        0.0650222499887673,
        0.005081306281875766,
        0.00013249473800432164,
        -3.960228278775368e-06,
    ];
    polynomial(P, square) / polynomial(Q, square)
}

/// erfc(1 + s), for s from -0.2 to 0.25.
#[inline(always)]
fn near_one(s: f64) -> Two {
    const VALUE: Two = Two(0.15729920705028513, -2.954563826510312e-18);
    const SLOPE: Two = Two(-0.4151074974205947, 1.4333923293314243e-17);
    /// Relative error of erfc 2^-62.
    const REST: [f64; 14] = [
        0.4151074974205947,
        -0.1383691658068649,
        -0.06918458290343239,
        0.06918458290342333,
        -0.004612305526906859,
        -0.015154718158143666,
        0.004777030724078262,
        0.0018851882400650797,
        -0.0012262874388127125,
        -8.551899484432669e-05,
        0.0002000458188388684,
        -1.8808262757273957e-05,
        -2.3472353389320253e-05,
        6.083292987216223e-06,
    ];
    SLOPE.times(s).add(VALUE).plus(s * s * polynomial(REST, s))
}

/// R for 1.25 <= x < 1 / 0.35.
#[inline(always)]
fn exponent_near(s: f64) -> f64 {
    const P: [f64; 8] = [
        -0.009864944034847148,
        -0.6938585727071818,
        -10.558626225323291,
        -62.375332450326006,
        -162.39666946257347,
        -184.60509290671104,
        -81.2874355063066,
        -9.814329344169145,
    ];
    const Q: [f64; 9] = [
        1.0,
        19.651271667439257,
        137.65775414351904,
        434.56587747522923,
        645.3872717332679,
        429.00814002756783,
        108.63500554177944,
        6.570249770319282,
        -0.0604244152148581,
    ];
    polynomial(P, s) / polynomial(Q, s)
}

/// R for 1 / 0.35 <= x < 28.
#[inline(always)]
fn exponent_far(s: f64) -> f64 {
    const P: [f64; 7] = [
        -0.0098649429247001,
        -0.799283237680523,
        -17.757954917754752,
        -160.63638485582192,
        -637.5664433683896,
        -1025.0951316110772,
        -483.5191916086514,
    ];
    const Q: [f64; 8] = [
        1.0,
        30.33806074348246,
        325.7925129965739,
        1536.729586084437,
        3199.8582195085955,
        2553.0504064331644,
        474.52854120695537,
        -22.44095244658582,
    ];
    polynomial(P, s) / polynomial(Q, s)
}

/// erfc(x) for x >= 1.25.
#[inline(always)]
fn tail(x: f64) -> f64 {
    if x >= 28.0 {
        return 0.0;
    }
    let s = 1.0 / (x * x);
    let r = if x < 1.0 / 0.35 { exponent_near(s) } else { exponent_far(s) };
    let exponent = Two::product(-x, x).plus(-0.5625).plus(r);
    Exponential::of(exponent).times(Two(1.0, 0.0).divide(Two(x, 0.0)))
}

/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to `x`.
#[inline(always)]
pub fn erf_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let size = if y < 0.8 {
        // A subnormal product would lose digits.
        if y < 1e-290 { y + 0.1283791670955126 * y } else { fused_f64(y, near_zero(y * y), y) }
    } else if y < 1.25 {
        near_one(y - 1.0).negate().plus(1.0).value()
    } else if y < 6.0 {
        1.0 - tail(y)
    } else {
        if y >= 6.0 { 1.0 } else { f64::NAN }
    };
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// 1 - erf(x), accurate also where it is small.
#[inline(always)]
pub fn erfc_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    if y < 0.8 {
        Two::sum(1.0, -x).plus(-x * near_zero(y * y)).value()
    } else if y < 1.25 {
        let near = near_one(y - 1.0);
        if x > 0.0 { near.value() } else { near.negate().plus(2.0).value() }
    } else if y >= 1.25 {
        if x > 0.0 { tail(y) } else { 2.0 - tail(y) }
    } else {
        f64::NAN
    }
}
