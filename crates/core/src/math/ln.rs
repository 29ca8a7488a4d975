//! The natural logarithm: ln(x) = k ln(2) + ln(1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
//!
//! **Source.** e_log.c and e_logf.c of FreeBSD, with the same operations in the same order, so the same bits as libm's; but
//! with choices in place of branches. Their notice: Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software
//! is freely granted, provided that this notice is preserved.

/// The polynomial of the series, least degree first.
const L32: [f32; 4] = [0.666_666_6, 0.400_009_72, 0.284_987_87, 0.242_790_79];

/// The polynomial of the series, least degree first.
const L64: [f64; 7] = [
    0.6666666666666735,
    0.3999999999940942,
    0.2857142874366239,
    0.22222198432149784,
    0.1818357216161805,
    0.15313837699209373,
    0.14798198605116586,
];

/// The natural logarithm of `x`; -inf of zero, NaN of what is below.
#[inline(always)]
pub fn ln_f32(x: f32) -> f32 {
    const LN2: [f32; 2] = [0.693_138_1, 9.058_001e-6];
    const HALF_ROOT: u32 = 0x3f35_04f3; // sqrt(1/2)
    // Below the normal numbers, by 2^25 more.
    let small = x < f32::MIN_POSITIVE;
    let scaled = if small { x * 33_554_432.0 } else { x };
    let bits = scaled.to_bits().wrapping_add(0x3f80_0000 - HALF_ROOT);
    let k = (bits >> 23) as i32 - if small { 0x7f + 25 } else { 0x7f };
    let f = f32::from_bits((bits & 0x007f_ffff) + HALF_ROOT) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = w * (L32[1] + w * L32[3]);
    let even = z * (L32[0] + w * L32[2]);
    let r = even + odd;
    let half_square = 0.5 * f * f;
    let k = k as f32;
    let ln = s * (half_square + r) + k * LN2[1] - half_square + f + k * LN2[0];
    if x > 0.0 && x < f32::INFINITY { ln } else { edge_f32(x) }
}

/// The logarithm of what is not above zero, or not finite.
#[inline(always)]
fn edge_f32(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { f32::NAN };
    if x == 0.0 { -f32::INFINITY } else { above }
}

/// The natural logarithm of `x`; -inf of zero, NaN of what is below.
#[inline(always)]
pub fn ln_f64(x: f64) -> f64 {
    const LN2: [f64; 2] = [0.6931471803691238, 1.9082149292705877e-10];
    const HALF_ROOT: u64 = 0x3fe6_a09e << 32; // sqrt(1/2)
    // Below the normal numbers, by 2^54 more.
    let small = x < f64::MIN_POSITIVE;
    let scaled = if small { x * 18_014_398_509_481_984.0 } else { x };
    let bits = scaled.to_bits().wrapping_add((0x3ff0_0000 << 32) - HALF_ROOT);
    let k = (bits >> 52) as i32 - if small { 0x3ff + 54 } else { 0x3ff };
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + HALF_ROOT) - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = w * (L64[1] + w * (L64[3] + w * L64[5]));
    let even = z * (L64[0] + w * (L64[2] + w * (L64[4] + w * L64[6])));
    let r = even + odd;
    let k = f64::from(k);
    let ln = s * (half_square + r) + k * LN2[1] - half_square + f + k * LN2[0];
    if x > 0.0 && x < f64::INFINITY { ln } else { edge_f64(x) }
}

/// The logarithm of what is not above zero, or not finite.
#[inline(always)]
fn edge_f64(x: f64) -> f64 {
    let above = if x > 0.0 { x } else { f64::NAN };
    if x == 0.0 { -f64::INFINITY } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_libms() {
        let edges =
            [0, 1, 0x7f_ffff, 0x80_0000, 0x3f35_04f2, 0x3f35_04f3, 0x3f80_0000, 0x7f7f_ffff];
        for bits in (0..=0x7f80_0000).step_by(1009).chain(edges).chain([0x7f80_0000]) {
            let x = f32::from_bits(bits);
            assert_eq!(ln_f32(x).to_bits(), libm::logf(x).to_bits(), "{x:e}");
        }
        let mut x = 1_u64;
        for i in 0..1_000_000_u64 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Of all magnitudes, and near one.
            let bits = if i % 2 == 0 { x >> 1 } else { (0x3fe << 52) + (x >> 11) };
            let x = f64::from_bits(bits);
            let bits = |x: f64| if x.is_nan() { 0 } else { x.to_bits() };
            assert_eq!(bits(ln_f64(x)), bits(libm::log(x)), "{x:e}");
        }
        for x in [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, 1.0, f64::MAX, f64::INFINITY] {
            assert_eq!(ln_f64(x).to_bits(), libm::log(x).to_bits(), "{x:e}");
            assert_eq!(ln_f32(x as f32).to_bits(), libm::logf(x as f32).to_bits(), "{x:e}");
        }
        assert!(ln_f32(-1.0).is_nan() && ln_f64(-1e-310).is_nan());
        assert!(ln_f32(f32::NAN).is_nan() && ln_f64(-f64::INFINITY).is_nan());
    }
}
