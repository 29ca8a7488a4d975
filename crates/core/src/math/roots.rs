//! The cube root, and the length of a vector with two components.
//!
//! x = 8^k m with m in [1, 8). A polynomial that is right to 1 % is improved twice by Halley's iteration, which triples
//! the digits, and at the end by the difference between m and its cube, computed as the sum of two numbers.

use core::f64;

use super::two::{Two, power_of_two};
use super::{fused_f64, magnitude_f32, magnitude_f64, sqrt_f64};

/// The cube root; negative for negative numbers.
#[inline(always)]
pub fn cbrt_f64(x: f64) -> f64 {
    const MANY: f64 = 18_014_398_509_481_984.0; // 2^54, whose root is 2^18.
    let size = magnitude_f64(x);
    let (y, offset) = if size < f64::MIN_POSITIVE { (size * MANY, 18) } else { (size, 0) };
    let exponent = (y.to_bits() >> 52) as i32;
    // 1023 is 3 * 341.
    let k = exponent / 3 - 341;
    let m = f64::from_bits(y.to_bits().wrapping_sub(((3 * i64::from(k)) << 52) as u64));
    let root = fused_f64(fused_f64(fused_f64(0.002316, m, -0.04335), m, 0.3647), m, 0.6815);
    let improved = |root: f64| {
        let cube = root * root * root;
        root * (fused_f64(2.0, m, cube) / fused_f64(2.0, cube, m))
    };
    let root = improved(improved(root));
    let square = Two::product(root, root);
    let missed = square.times(root).plus(-m);
    let root = root - missed.value() / (3.0 * square.0);
    let root = root * power_of_two(k - offset);
    // Zeros, infinities and NaN are returned unchanged.
    let is_usual = size > 0.0 && size < f64::INFINITY;
    if is_usual {
        f64::from_bits(root.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000))
    } else {
        x
    }
}

/// sqrt(x^2 + y^2) without intermediate overflow; infinity if one is infinite, even if the other is NaN.
#[inline(always)]
pub fn hypot_f64(x: f64, y: f64) -> f64 {
    let (x, y) = (magnitude_f64(x), magnitude_f64(y));
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    let [down, up] = [power_of_two(-600), power_of_two(600)];
    let [scale, back] = if large > power_of_two(500) {
        [down, up]
    } else if large < power_of_two(-400) {
        [up, down]
    } else {
        [1.0, 1.0]
    };
    let (large, small) = (large * scale, small * scale);
    let length = Two::product(large, large).add(Two::product(small, small)).sqrt().value() * back;
    if x == f64::INFINITY || y == f64::INFINITY {
        f64::INFINITY
    } else if large == 0.0 {
        // 0, or NaN, with which every comparison is false.
        small
    } else {
        length
    }
}

/// sqrt(x^2 + y^2); infinity if one is infinite, even if the other is NaN.
#[inline(always)]
pub fn hypot_f32(x: f32, y: f32) -> f32 {
    let [a, b] = [x, y].map(f64::from);
    let length = sqrt_f64(fused_f64(a, a, b * b)) as f32;
    let is_infinite = magnitude_f32(x) == f32::INFINITY || magnitude_f32(y) == f32::INFINITY;
    if is_infinite { f32::INFINITY } else { length }
}
