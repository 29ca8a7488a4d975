//! The error function and what it lacks of 1.
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

/// A polynomial, the constant first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        value = fused_f64(value, x, coefficients[k]);
    }
    value
}

/// erf(x) / x - 1 for |x| < 0.8, of x^2.
#[inline(always)]
fn near_zero(square: f64) -> f64 {
    const P: [f64; 5] = [
        1.28379167095512558561e-01,
        -3.25042107247001499370e-01,
        -2.84817495755985104766e-02,
        -5.77027029648944159157e-03,
        -2.37630166566501626084e-05,
    ];
    const Q: [f64; 6] = [
        1.0,
        3.97917223959155352819e-01,
        6.50222499887672944485e-02,
        5.08130628187576562776e-03,
        1.32494738004321644526e-04,
        -3.96022827877536812320e-06,
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
        -8.551899484432669e-5,
        0.0002000458188388684,
        -1.8808262757273957e-5,
        -2.3472353389320253e-5,
        6.083292987216223e-6,
    ];
    SLOPE.times(s).add(VALUE).plus(s * s * polynomial(REST, s))
}

/// R for 1.25 <= x < 1 / 0.35.
#[inline(always)]
fn exponent_near(s: f64) -> f64 {
    const P: [f64; 8] = [
        -9.86494403484714822705e-03,
        -6.93858572707181764372e-01,
        -1.05586262253232909814e+01,
        -6.23753324503260060396e+01,
        -1.62396669462573470355e+02,
        -1.84605092906711035994e+02,
        -8.12874355063065934246e+01,
        -9.81432934416914548592e+00,
    ];
    const Q: [f64; 9] = [
        1.0,
        1.96512716674392571292e+01,
        1.37657754143519042600e+02,
        4.34565877475229228821e+02,
        6.45387271733267880336e+02,
        4.29008140027567833386e+02,
        1.08635005541779435134e+02,
        6.57024977031928170135e+00,
        -6.04244152148580987438e-02,
    ];
    polynomial(P, s) / polynomial(Q, s)
}

/// R for 1 / 0.35 <= x < 28.
#[inline(always)]
fn exponent_far(s: f64) -> f64 {
    const P: [f64; 7] = [
        -9.86494292470009928597e-03,
        -7.99283237680523006574e-01,
        -1.77579549177547519889e+01,
        -1.60636384855821916062e+02,
        -6.37566443368389627722e+02,
        -1.02509513161107724954e+03,
        -4.83519191608651397019e+02,
    ];
    const Q: [f64; 8] = [
        1.0,
        3.03380607434824582924e+01,
        3.25792512996573918826e+02,
        1.53672958608443695994e+03,
        3.19985821950859553908e+03,
        2.55305040643316442583e+03,
        4.74528541206955367215e+02,
        -2.24409524465858183362e+01,
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
        // Of a product below the normal numbers there would be too little.
        if y < 1e-290 { y + 1.28379167095512586e-01 * y } else { fused_f64(y, near_zero(y * y), y) }
    } else if y < 1.25 {
        near_one(y - 1.0).negate().plus(1.0).value()
    } else if y < 6.0 {
        1.0 - tail(y)
    } else {
        if y >= 6.0 { 1.0 } else { f64::NAN }
    };
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// 1 - erf(x), also where that is small.
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
