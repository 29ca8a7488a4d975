//! Errors in units of the last place, and references that are more precise than the type under test.

// Every test file is a separate crate and uses only a part of this.
#![allow(dead_code)]

use std::f64::consts::TAU;

/// |actual - exact| in units of the last place of an `f32` near `exact`.
///
/// If one is NaN, both must be; infinity counts as the number after the largest one.
pub(crate) fn ulps_f32(actual: f32, exact: f64) -> f64 {
    const BEYOND: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0; // 2^128
    if actual.is_nan() || exact.is_nan() {
        return if actual.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let actual = f64::from(actual).clamp(-BEYOND, BEYOND);
    let exact = exact.clamp(-BEYOND, BEYOND);
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    let ulp_exponent = exponent.clamp(-126, 127) - 23;
    (actual - exact).abs() / f64::from_bits(((ulp_exponent + 1023) as u64) << 52)
}

/// |actual - exact| in units of the last place of an `f64` near `exact`.
pub(crate) fn ulps_f64(actual: f64, exact: Dd) -> f64 {
    if actual.is_nan() || exact.0.is_nan() {
        return if actual.is_nan() && exact.0.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if actual.is_infinite() || exact.0.is_infinite() {
        return if actual == exact.0 { 0.0 } else { f64::INFINITY };
    }
    let exponent = (((exact.0.to_bits() >> 52) & 0x7ff) as i64 - 1023).clamp(-1022, 1023);
    // In two steps, because the smallest unit is subnormal.
    let difference = ((actual - exact.0) - exact.1).abs();
    difference * 2f64.powi(52) / 2f64.powi(exponent as i32)
}

/// The number of `f64` from one number to another, which is 0 if they are equal; if one is NaN, both must be.
pub(crate) fn steps_f64(a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
    }
    let line = |x: f64| {
        let bits = x.to_bits() as i64;
        i128::from(if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits })
    };
    line(a).abs_diff(line(b)) as u64
}

/// sin(2 pi x) or cos(2 pi x) of an `f32`, with an exact reduction.
pub(crate) fn turns_f32(x: f32, cosine: bool) -> f64 {
    let x = f64::from(x);
    let r = x - x.round_ties_even();
    if cosine {
        // Near its zero the cosine is the sine of an angle that is also exact.
        let (r, away) = (r.abs(), 0.25 - r.abs());
        if away.abs() < 0.125 { (TAU * away).sin() } else { (TAU * r).cos() }
    } else if r.abs() > 0.25 {
        (TAU * (0.5f64.copysign(r) - r)).sin()
    } else {
        (TAU * r).sin()
    }
}

/// A number as an unevaluated sum of two `f64`: about 106 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dd(pub(crate) f64, pub(crate) f64);

impl Dd {
    const PI: Dd = Dd(std::f64::consts::PI, 1.224_646_799_147_353_2e-16);
    const LN_2: Dd = Dd(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

    fn of_sum(a: f64, b: f64) -> Dd {
        let sum = a + b;
        let part = sum - a;
        Dd(sum, (a - (sum - part)) + (b - part))
    }
    pub(crate) fn add(self, other: Dd) -> Dd {
        let Dd(high, low) = Dd::of_sum(self.0, other.0);
        let Dd(high2, low2) = Dd::of_sum(self.1, other.1);
        let Dd(high, low) = Dd::of_sum(high, low + high2);
        Dd::of_sum(high, low + low2)
    }
    pub(crate) fn mul(self, other: Dd) -> Dd {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high);
        Dd::of_sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }
    fn scaled(self, factor: f64) -> Dd {
        self.mul(Dd(factor, 0.0))
    }
    fn over(self, divisor: f64) -> Dd {
        let high = self.0 / divisor;
        let rest = high.mul_add(-divisor, self.0) + self.1;
        Dd::of_sum(high, rest / divisor)
    }

    /// The sum of x^k / k! for k in `first`, `first + step`, ..., with alternating signs if `step` is 2.
    fn series(self, first: u32, step: u32) -> Dd {
        let mut term = if first == 0 { Dd(1.0, 0.0) } else { self };
        let mut sum = term;
        let factor = if step == 2 { self.mul(self).scaled(-1.0) } else { self };
        let mut k = first;
        while k < 30 {
            for i in 1..=step {
                term = term.over(f64::from(k + i));
            }
            term = term.mul(factor);
            k += step;
            sum = sum.add(term);
        }
        sum
    }

    /// Sine of q pi/2 + self, `self` at most pi/4.
    fn sine(self, q: i64) -> Dd {
        let value = if q & 1 == 0 { self.series(1, 2) } else { self.series(0, 2) };
        if q & 2 == 0 { value } else { value.scaled(-1.0) }
    }

    /// sin(2 pi x), with `quadrants` more quarter turns; `x` below 2^50.
    pub(crate) fn sin_turns(x: f64, quadrants: i64) -> Dd {
        let q = (4.0 * x).round_ties_even();
        Dd::PI.scaled(2.0 * (x - 0.25 * q)).sine(q as i64 + quadrants)
    }

    /// sin(x), with `quadrants` more quarter turns; `x` below 2^20.
    pub(crate) fn sin(x: f64, quadrants: i64) -> Dd {
        let q = (x * std::f64::consts::FRAC_2_PI).round_ties_even();
        // Near a multiple of pi/2 almost all digits cancel: 159 bits of pi, in exact products.
        let rest = [Dd::PI.0, Dd::PI.1, -2.994_769_809_718_339_7e-33]
            .map(|part| Dd(part, 0.0).scaled(-0.5 * q))
            .into_iter()
            .fold(Dd(x, 0.0), Dd::add);
        rest.sine(q as i64 + quadrants)
    }

    /// exp(x).
    pub(crate) fn exp(x: f64) -> Dd {
        let k = (x / std::f64::consts::LN_2).round_ties_even().clamp(-1100.0, 1100.0);
        let Dd(high, low) = Dd(x, 0.0).add(Dd::LN_2.scaled(-k)).over(16.0).series(0, 1).sixteenth();
        let (half, rest) = (2f64.powi(k as i32 / 2), 2f64.powi(k as i32 - k as i32 / 2));
        Dd(high * half * rest, low * half * rest)
    }

    fn sixteenth(self) -> Dd {
        (0..4).fold(self, |x, _| x.mul(x))
    }
}
