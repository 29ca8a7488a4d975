//! Numbers as the sum of two `f64`, with some 105 bits, for functions whose last step would magnify a rounding error.
//!
//! **Source.** T. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik
//! 18, 1971; D. Knuth, "The Art of Computer Programming", volume 2, 4.2.2.

use core::f64;

use super::{fused_f64, sqrt_f64};

/// The sum of a number and another one that is at most half a unit in its last place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two(pub(super) f64, pub(super) f64);

impl Two {
    /// a + b, exactly.
    #[inline(always)]
    pub(super) fn sum(a: f64, b: f64) -> Two {
        let sum = a + b;
        let part = sum - a;
        Two(sum, (a - (sum - part)) + (b - part))
    }

    /// a + b, exactly, if b is not larger than a.
    #[inline(always)]
    pub(super) fn quick_sum(a: f64, b: f64) -> Two {
        let sum = a + b;
        Two(sum, b - (sum - a))
    }

    /// a b, exactly unless it is below 2^-969.
    #[inline(always)]
    pub(super) fn product(a: f64, b: f64) -> Two {
        let product = a * b;
        Two(product, fused_f64(a, b, -product))
    }

    #[inline(always)]
    pub(super) fn plus(self, other: f64) -> Two {
        let Two(high, low) = Two::sum(self.0, other);
        Two::quick_sum(high, low + self.1)
    }

    #[inline(always)]
    pub(super) fn add(self, other: Two) -> Two {
        let Two(high, low) = Two::sum(self.0, other.0);
        let Two(more, rest) = Two::sum(self.1, other.1);
        let Two(high, low) = Two::quick_sum(high, low + more);
        Two::quick_sum(high, low + rest)
    }

    #[inline(always)]
    pub(super) fn negate(self) -> Two {
        Two(-self.0, -self.1)
    }

    #[inline(always)]
    pub(super) fn times(self, factor: f64) -> Two {
        let Two(high, low) = Two::product(self.0, factor);
        Two::quick_sum(high, fused_f64(self.1, factor, low))
    }

    #[inline(always)]
    pub(super) fn multiply(self, other: Two) -> Two {
        let Two(high, low) = Two::product(self.0, other.0);
        let low = fused_f64(self.0, other.1, fused_f64(self.1, other.0, low));
        Two::quick_sum(high, low)
    }

    #[inline(always)]
    pub(super) fn divide(self, other: Two) -> Two {
        let high = self.0 / other.0;
        let rest = fused_f64(-high, other.0, self.0) + fused_f64(-high, other.1, self.1);
        Two::quick_sum(high, rest / other.0)
    }

    /// The square root of a nonnegative number.
    #[inline(always)]
    pub(super) fn sqrt(self) -> Two {
        let high = sqrt_f64(self.0);
        let low = (fused_f64(-high, high, self.0) + self.1) / (2.0 * high);
        Two::quick_sum(high, if high > 0.0 { low } else { 0.0 })
    }

    /// Both parts times a power of two.
    #[inline(always)]
    pub(super) fn scaled(self, power: f64) -> Two {
        Two(self.0 * power, self.1 * power)
    }

    /// The nearest `f64`.
    #[inline(always)]
    pub(super) fn value(self) -> f64 {
        self.0 + self.1
    }
}

/// The parts of ln(2). The first has 32 bits, so that its product with an exponent is exact.
const LN2: [f64; 3] = [0.6931471803691238, 1.9082149292705877e-10, 1.1612227229362532e-26];
/// 1 / ln(2)
const LOG2_E: Two = Two(f64::consts::LOG2_E, 2.0355273740931033e-17);
/// log10(e)
const LOG10_E: Two = Two(f64::consts::LOG10_E, 1.098319650216765e-17);
/// log10(2), the first part of 40 bits.
const LOG10_2: [f64; 2] = [0.301029995663157, 8.241712586023572e-13];

/// C of exp(r) = 1 + r + r^2/2 + r^3 C(r); relative error of exp(r) - 1 2^-59.8.
const C: [f64; 10] = [
    0.16666666666666669,
    0.04166666666666667,
    0.008333333333329793,
    0.0013888888888880292,
    0.0001984126986438321,
    2.4801587335924584e-5,
    2.7557266415090055e-6,
    2.7557262106206804e-7,
    2.5101348365700135e-8,
    2.091896228697882e-9,
];

/// P of ln(1 + f) = 2 s + 2/3 s^3 + s^5 P(s^2), s = f / (2 + f); relative error of the logarithm 2^-70.
const P: [f64; 8] = [
    0.4,
    0.2857142857142943,
    0.2222222222161587,
    0.18181818344303657,
    0.1538459402514525,
    0.13334854971275759,
    0.11704906808173754,
    0.11736922214427781,
];

/// An exponential as 2^k (1 + p).
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponential {
    pub(super) k: i32,
    pub(super) p: Two,
}

/// 2^k, for -1022 <= k <= 1023.
#[inline(always)]
pub(super) fn power_of_two(k: i32) -> f64 {
    f64::from_bits((k.wrapping_add(1023) as u64) << 52)
}

impl Exponential {
    /// e to the power of `x`, which is between -1100 and 1100; relative error of p 2^-57.
    #[inline(always)]
    pub(super) fn of(x: Two) -> Exponential {
        const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: a sum near it is an integer.
        let shifted = fused_f64(x.0, f64::consts::LOG2_E, SHIFT);
        let k = shifted - SHIFT;
        let Two(high, low) = Two::sum(x.0 - k * LN2[0], -k * LN2[1]);
        let Two(r, rest) = Two::quick_sum(high, low + x.1);
        let even = fused_f64(fused_f64(C[9], r, C[8]), r, C[7]);
        let high = fused_f64(fused_f64(fused_f64(even, r, C[6]), r, C[5]), r, C[4]);
        let high = fused_f64(fused_f64(high, r, C[3]), r, C[2]);
        let c = fused_f64(fused_f64(high, r, C[1]), r, C[0]);
        let square = Two::product(r, 0.5 * r);
        let cubic = fused_f64(r * r * r, c, fused_f64(r, rest, square.1));
        let Two(high, low) = Two::quick_sum(r, square.0);
        Exponential { k: shifted.to_bits() as i32, p: Two::quick_sum(high, low + (rest + cubic)) }
    }

    /// The number; infinity on overflow; a subnormal result is rounded once more.
    #[inline(always)]
    pub(super) fn value(self) -> f64 {
        let Two(high, low) = Two::quick_sum(1.0, self.p.0);
        let half = self.k >> 1;
        (high + (low + self.p.1)) * power_of_two(half) * power_of_two(self.k - half)
    }

    /// The number times `factor`; infinity on overflow; a subnormal result is rounded once more.
    #[inline(always)]
    pub(super) fn times(self, factor: Two) -> f64 {
        let value = self.p.multiply(factor).add(factor);
        let half = self.k >> 1;
        value.value() * power_of_two(half) * power_of_two(self.k - half)
    }
}

/// k and m of x = 2^k m, m in [sqrt(1/2), sqrt(2)), for a positive finite `x`.
#[inline(always)]
pub(super) fn parts(x: f64) -> (i32, f64) {
    const MANY: f64 = 18_014_398_509_481_984.0; // 2^54, which makes the smallest number a normal one.
    let (x, offset) = if x < f64::MIN_POSITIVE { (x * MANY, -54) } else { (x, 0) };
    let least = f64::consts::FRAC_1_SQRT_2.to_bits();
    let k = (x.to_bits().wrapping_sub(least) as i64) >> 52;
    (k as i32 + offset, f64::from_bits(x.to_bits().wrapping_sub((k as u64) << 52)))
}

/// A logarithm as k and the natural logarithm of the rest m, which is between sqrt(1/2) and sqrt(2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Logarithm {
    k: i32,
    rest: Two,
}

impl Logarithm {
    /// The logarithm of a positive finite `x`; relative error 2^-65.
    #[inline(always)]
    pub(super) fn of(x: f64) -> Logarithm {
        let (k, m) = parts(x);
        Logarithm { k, rest: Logarithm::near_one(Two(m - 1.0, 0.0)) }
    }

    /// The logarithm of a positive finite sum of two numbers.
    #[inline(always)]
    pub(super) fn of_two(x: Two) -> Logarithm {
        let (k, m) = parts(x.0);
        let low = x.1 * power_of_two(-k.clamp(-1000, 1000));
        Logarithm { k, rest: Logarithm::near_one(Two::sum(m - 1.0, low)) }
    }

    /// The logarithm of 1 + `f` for f > -1, with the relative error of `of` also for small f.
    #[inline(always)]
    pub(super) fn of_one_plus(f: Two) -> Logarithm {
        let Two(high, low) = Two::sum(1.0, f.0);
        let sum = Two(high, low + f.1);
        let (k, m) = parts(high);
        let other = Two::sum(m - 1.0, sum.1 * power_of_two(-k.clamp(-1000, 1000)));
        Logarithm { k, rest: Logarithm::near_one(if k == 0 { f } else { other }) }
    }

    /// ln(1 + f).
    #[inline(always)]
    fn near_one(f: Two) -> Two {
        const TWO_THIRDS: Two = Two(2.0 / 3.0, 3.700743415417188e-17);
        let s = f.divide(f.plus(2.0));
        let square = s.multiply(s);
        let u = square.0;
        let even = fused_f64(fused_f64(P[7], u, P[6]), u, P[5]);
        let p = fused_f64(fused_f64(fused_f64(even, u, P[4]), u, P[3]), u, P[2]);
        let p = fused_f64(fused_f64(p, u, P[1]), u, P[0]);
        let factor = square.multiply(TWO_THIRDS.plus(u * p));
        Two(2.0 * s.0, 2.0 * s.1).add(factor.multiply(s))
    }

    /// The natural logarithm.
    #[inline(always)]
    pub(super) fn natural(self) -> Two {
        let k = f64::from(self.k);
        let Two(high, low) = Two::product(k, LN2[1]);
        let whole = Two::quick_sum(k * LN2[0], high);
        Two(whole.0, whole.1 + fused_f64(k, LN2[2], low)).add(self.rest)
    }

    /// The logarithm to base 2.
    #[inline(always)]
    pub(super) fn binary(self) -> Two {
        self.rest.multiply(LOG2_E).plus(f64::from(self.k))
    }

    /// The logarithm to base 10.
    #[inline(always)]
    pub(super) fn decimal(self) -> Two {
        let k = f64::from(self.k);
        Two::quick_sum(k * LOG10_2[0], k * LOG10_2[1]).add(self.rest.multiply(LOG10_E))
    }
}
