//! The tangent and the inverse trigonometric functions.
//!
//! The tangent is the quotient of the sine and the cosine of [`radians`](super::radians), each as the sum of two
//! numbers of which the first is exact, so that only the quotient rounds; for `f32` it is r + r^3 T(r^2), or -1 over
//! that. The inverse functions are FreeBSD's: asin(x) = x + x R(x^2), or by the half angle if x is above 1/2. The angle
//! of a point is an angle whose tangent t is at most tan(pi/8), plus 0, pi/4 or pi/2; it is t + t^3 A(t^2).
//!
//! **Source.** FreeBSD's msun, `e_asin.c` and `e_acos.c`, Sun Microsystems 1993, for R.

use core::f64;

use super::radians::{reduce_f32, reduce_f64, sine_and_cosine_f64};
use super::two::{Two, power_of_two};
use super::{fused_f32, fused_f64, magnitude_f32, magnitude_f64};

/// (tan(r) - r) / r^3 as a polynomial in r^2; relative error of the tangent 2^-29.
const T32: [f32; 7] = [
    0.333_333_52,
    0.133_326_14,
    0.054_065_69,
    0.021_251_464,
    0.010_917_721,
    -1.702_892_8e-5,
    0.004_430_120_3,
];

/// The tangent of `x` radians.
#[inline(always)]
pub fn tan_f32(x: f32) -> f32 {
    let (quadrant, r, rest) = reduce_f32(magnitude_f32(x));
    let u = r * r;
    let high = fused_f32(fused_f32(fused_f32(T32[6], u, T32[5]), u, T32[4]), u, T32[3]);
    let t = fused_f32(fused_f32(fused_f32(high, u, T32[2]), u, T32[1]), u, T32[0]);
    // The second part of the remainder times the derivative, 1 + tan(r)^2.
    let low = fused_f32(r * u, t, fused_f32(rest, u, rest));
    let even = r + low;
    let lost = (r - even) + low;
    let over = 1.0 / even;
    let odd = fused_f32(over, fused_f32(over, even, -1.0) + over * lost, -over);
    let size = if quadrant & 1 == 0 { even } else { odd };
    f32::from_bits(size.to_bits() ^ (x.to_bits() & 0x8000_0000))
}

/// The tangent of `x` radians.
#[inline(always)]
pub fn tan_f64(x: f64) -> f64 {
    let (quadrant, r, tail) = reduce_f64(magnitude_f64(x));
    let [sine, cosine] = sine_and_cosine_f64((r, tail));
    let is_even = quadrant & 1 == 0;
    let (Two(above, above_low), Two(below, below_low)) =
        if is_even { (sine, cosine) } else { (cosine, sine) };
    let ratio = above / below;
    let rest = fused_f64(-ratio, below, above) + fused_f64(-ratio, below_low, above_low);
    let size = ratio + rest / (below + below_low);
    let size = if is_even { size } else { -size };
    f64::from_bits(size.to_bits() ^ (x.to_bits() & 0x8000_0000_0000_0000))
}

/// R of the module's equation.
#[inline(always)]
fn arc(z: f64) -> f64 {
    const P: [f64; 6] = [
        0.16666666666666666,
        -0.3255658186224009,
        0.20121253213486293,
        -0.04005553450067941,
        0.0007915349942898145,
        3.479331075960212e-05,
    ];
    const Q: [f64; 4] =
        [-2.403394911734414, 2.0209457602335057, -0.6882839716054533, 0.07703815055590194];
    let p = z * (P[0] + z * (P[1] + z * (P[2] + z * (P[3] + z * (P[4] + z * P[5])))));
    let q = 1.0 + z * (Q[0] + z * (Q[1] + z * (Q[2] + z * Q[3])));
    p / q
}

/// pi/2
const HALF_PI: Two = Two(f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// asin(sqrt((1 - y) / 2)), which is half of acos(y), for y in [1/2, 1].
#[inline(always)]
fn half_arccosine(y: f64) -> Two {
    let z = 0.5 * (1.0 - y);
    let Two(root, rest) = Two(z, 0.0).sqrt();
    Two::quick_sum(root, fused_f64(arc(z), root, rest))
}

/// The angle in radians, between -pi/2 and pi/2, whose sine is `x`.
#[inline(always)]
pub fn asin_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let size = if y < 0.5 {
        fused_f64(y, arc(y * y), y)
    } else if y <= 1.0 {
        HALF_PI.add(half_arccosine(y).scaled(-2.0)).value()
    } else {
        f64::NAN
    };
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// The angle in radians, between 0 and pi, whose cosine is `x`.
#[inline(always)]
pub fn acos_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    if y < 0.5 {
        let Two(high, low) = Two::sum(HALF_PI.0, -x);
        high + (low + (HALF_PI.1 - x * arc(x * x)))
    } else if y <= 1.0 {
        let half = half_arccosine(y);
        if x > 0.0 { 2.0 * half.value() } else { 2.0 * HALF_PI.add(half.negate()).value() }
    } else {
        f64::NAN
    }
}

/// (atan(t) - t) / t^3 as a polynomial in t^2, for t up to tan(pi/8); relative error of the angle 2^-62.
const A: [f64; 12] = [
    -0.3333333333333333,
    0.19999999999999796,
    -0.14285714285657608,
    0.11111111104918407,
    -0.09090908740825622,
    0.07692295986767844,
    -0.06666417574881232,
    0.05878841574876801,
    -0.05229788812642007,
    0.04548471595585693,
    -0.0344883362715383,
    0.01619273631117229,
];

/// The angle in radians, between 0 and pi/2, of the point (`x`, `y`), with both nonnegative and one positive.
#[inline(always)]
fn angle(y: f64, x: f64) -> Two {
    // tan(pi/8) and its inverse.
    const LIMIT: [f64; 2] = [0.414_213_562_373_095_03, 2.414_213_562_373_095];
    let (is_small, is_large) = (y <= LIMIT[0] * x, y > LIMIT[1] * x);
    let (above, below) = (Two::sum(y, -x), Two::sum(y, x));
    let from = HALF_PI.scaled(0.5);
    let (above, below, from) = if is_small {
        (Two(y, 0.0), Two(x, 0.0), Two(0.0, 0.0))
    } else if is_large {
        (Two(-x, 0.0), Two(y, 0.0), HALF_PI)
    } else {
        (above, below, from)
    };
    let Two(t, rest) = above.divide(below);
    let u = t * t;
    let high = fused_f64(fused_f64(fused_f64(A[11], u, A[10]), u, A[9]), u, A[8]);
    let high = fused_f64(fused_f64(fused_f64(high, u, A[7]), u, A[6]), u, A[5]);
    let high = fused_f64(fused_f64(fused_f64(high, u, A[4]), u, A[3]), u, A[2]);
    let series = fused_f64(fused_f64(high, u, A[1]), u, A[0]);
    let Two(high, low) = Two::quick_sum(from.0, t);
    // If the angle starts at 0, the sum is t and exact.
    let sum = if is_small { Two(t, 0.0) } else { Two(high, low) };
    Two::quick_sum(sum.0, sum.1 + (from.1 + fused_f64(t * u, series, rest)))
}

/// The angle in radians, between -pi/2 and pi/2, whose tangent is `x`.
#[inline(always)]
pub fn atan_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    // Above this it is pi/2; a NaN is kept.
    let size = angle(if y > 1e300 { 1e300 } else { y }, 1.0).value();
    f64::from_bits(size.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
}

/// The angle in radians, between -pi and pi, of the point (`x`, `y`).
#[inline(always)]
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    let (height, width) = (magnitude_f64(y), magnitude_f64(x));
    let most = if height > width { height } else { width };
    let one = |is: bool| if is { 1.0 } else { 0.0 };
    // Two infinities count as equal; for two zeros the angle is that of (1, 0). Other numbers are scaled, so that their
    // sum is finite and the rounding error of a quotient is not subnormal.
    let (height, width) = if most == f64::INFINITY {
        (one(height == most), one(width == most))
    } else if most == 0.0 {
        (0.0, 1.0)
    } else {
        let down = if most > power_of_two(1000) { 0.0625 } else { 1.0 };
        let scale = if most < power_of_two(-400) { power_of_two(600) } else { down };
        (height * scale, width * scale)
    };
    let acute = angle(height, width);
    let obtuse = HALF_PI.scaled(2.0).add(acute.negate());
    let size = if x.is_sign_negative() { obtuse.value() } else { acute.value() };
    let size = if x.is_nan() || y.is_nan() { f64::NAN } else { size };
    f64::from_bits(size.to_bits() | (y.to_bits() & 0x8000_0000_0000_0000))
}
