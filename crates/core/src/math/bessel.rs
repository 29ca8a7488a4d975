//! Bessel functions of the first and second kind, of orders 0 and 1.
//!
//! They oscillate around zero. Near each of their zeros a result is as small as the distance from the zero, which must
//! be known to all its digits. So x is divided into quarter turns. Each has a series around its zero, or around its
//! middle. The first has the power series, with the logarithmic part separate. From 13 pi on modulus and phase are
//! used:
//!
//! ```text
//! J(x) = M cos(t), Y(x) = M sin(t),  t = x - (order / 2 + 1/4) pi + phase(1/x^2) / x
//! M = sqrt(2 / (pi x)) (1 + modulus(1/x^2) / x^2)
//! ```
//!
//! Where terms may cancel they are sums of two numbers, including the reduced angle.
//!
//! **Source.** NIST Digital Library of Mathematical Functions, 10.2, 10.8 and 10.18.

mod tables;

use core::f64::consts;

use super::radians::{reduce_two_f64, sine_and_cosine_f64};
use super::two::{Logarithm, Two};
use super::{fused_f64, magnitude_f64};
use tables::*;

/// Where the use of modulus and phase begins: 13 pi.
const FAR: f64 = 40.840704496667314;
/// Where the quarter turns begin.
const NEAR: f64 = consts::FRAC_PI_2;

/// A polynomial; the constant coefficient is the first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        value = fused_f64(value, x, coefficients[k]);
    }
    value
}

/// The series of a row of the table.
#[inline(always)]
fn in_row(row: &[f64; 29], x: f64) -> f64 {
    let &[centre, low, value, value_low, slope, slope_low, ref rest @ ..] = row;
    let d = Two::sum(x - centre, -low);
    let line = Two(slope, slope_low).multiply(d).add(Two(value, value_low));
    line.plus(d.0 * d.0 * polynomial(rest, d.0)).value()
}

/// The series of the quarter turn that contains x, between `NEAR` and `FAR`.
#[inline(always)]
fn in_quarter(table: &[[f64; 29]; 25], x: f64) -> f64 {
    let quarter = (x * consts::FRAC_2_PI) as usize;
    in_row(&table[quarter.saturating_sub(1).min(24)], x)
}

/// Modulus, cosine and sine of the phase, of order 0 or 1; x >= `FAR`.
#[inline(always)]
fn far(x: f64, order: u32) -> [Two; 2] {
    let over = Two(1.0, 0.0).divide(Two(x, 0.0));
    let square = over.multiply(over);
    let u = square.0;
    let (first, others, modulus) = if order == 0 {
        (&PHASE_0, &PHASE_0_REST, &MODULUS_0)
    } else {
        (&PHASE_1, &PHASE_1_REST, &MODULUS_1)
    };
    let mut phase = Two(polynomial(others, u), 0.0);
    for [high, low] in first.iter().rev() {
        phase = phase.multiply(square).add(Two(*high, *low));
    }
    let (quadrant, rest) = reduce_two_f64(x);
    let quarter = Two(QUARTER_PI[0], QUARTER_PI[1]);
    let angle = rest.add(quarter.negate()).add(phase.multiply(over));
    // Between slightly below -pi/2 and slightly above 0: shifted to between -pi/4 and pi/4.
    let is_low = angle.0 < -consts::FRAC_PI_4;
    let up = if is_low { quarter.scaled(2.0) } else { Two(0.0, 0.0) };
    let angle = angle.add(up);
    let quadrant = quadrant.wrapping_sub(order + u32::from(is_low)) & 3;
    let [sine, cosine] = sine_and_cosine_f64((angle.0, angle.1));
    let [sine, cosine] = [sine, cosine].map(|Two(high, low)| Two::quick_sum(high, low));
    let [cosine, sine] = match quadrant {
        0 => [cosine, sine],
        1 => [sine.negate(), cosine],
        2 => [cosine.negate(), sine.negate()],
        _ => [sine, cosine.negate()],
    };
    let size = Two(ROOT_TWO_OVER_PI[0], ROOT_TWO_OVER_PI[1]).divide(Two(x, 0.0).sqrt());
    let size = size.multiply(Two(1.0, 0.0).plus(u * polynomial(modulus, u)));
    [cosine, sine].map(|part| size.multiply(part))
}

/// J0 below `NEAR`.
#[inline(always)]
fn j0_near(x: f64) -> Two {
    let Two(u, low) = Two::product(x, x);
    Two::quick_sum(1.0, -0.25 * u).plus(fused_f64(u * u, polynomial(&J0_SMALL, u), -0.25 * low))
}

/// J1 below `NEAR`.
#[inline(always)]
fn j1_near(x: f64) -> Two {
    let square = Two::product(x, x);
    let u = square.0;
    let cubic = square.times(x).scaled(-0.0625);
    Two::quick_sum(0.5 * x, cubic.0).plus(fused_f64(u * u, x * polynomial(&J1_SMALL, u), cubic.1))
}

/// The Bessel function of the first kind and order 0.
#[inline(always)]
pub fn j0_f64(x: f64) -> f64 {
    let x = magnitude_f64(x);
    if x < NEAR {
        j0_near(x).value()
    } else if x < FAR {
        in_quarter(&J0, x)
    } else if x < f64::INFINITY {
        far(x, 0)[0].value()
    } else {
        1.0 / x
    }
}

/// The Bessel function of the first kind and order 1.
#[inline(always)]
pub fn j1_f64(x: f64) -> f64 {
    let y = magnitude_f64(x);
    let value = if y < NEAR {
        j1_near(y).value()
    } else if y < FAR {
        in_quarter(&J1, y)
    } else if y < f64::INFINITY {
        far(y, 1)[0].value()
    } else {
        1.0 / y
    };
    f64::from_bits(value.to_bits() ^ (x.to_bits() & 0x8000_0000_0000_0000))
}

/// 2 / pi
const TWICE_OVER_PI: Two = Two(TWO_OVER_PI[0], TWO_OVER_PI[1]);

/// The Bessel function of the second kind and order 0; -infinity at zero, NaN for negative numbers.
#[inline(always)]
pub fn y0_f64(x: f64) -> f64 {
    if x > 0.7 && x < 1.125 {
        in_row(&Y0_ZERO, x)
    } else if x > 0.0 && x < NEAR {
        let [constant, low, slope, slope_low, ref rest @ ..] = Y0_SMALL;
        let logarithm = Logarithm::of(x).natural().multiply(j0_near(x)).multiply(TWICE_OVER_PI);
        let square = Two::product(x, x);
        let line = Two(slope, slope_low).multiply(square).add(Two(constant, low));
        let u = square.0;
        logarithm.add(line).plus(u * u * polynomial(rest, u)).value()
    } else if (NEAR..FAR).contains(&x) {
        in_quarter(&Y0, x)
    } else if (FAR..f64::INFINITY).contains(&x) {
        far(x, 0)[1].value()
    } else {
        of_no_number(x)
    }
}

/// The Bessel function of the second kind and order 1; -infinity at zero, NaN for negative numbers.
#[inline(always)]
pub fn y1_f64(x: f64) -> f64 {
    if x > 0.0 && x < 1e-20 {
        -TWO_OVER_PI[0] / x
    } else if (1e-20..NEAR).contains(&x) {
        let logarithm = Logarithm::of(x).natural().multiply(j1_near(x));
        let pole = Two(-1.0, 0.0).divide(Two(x, 0.0));
        let part = logarithm.add(pole).multiply(TWICE_OVER_PI);
        part.plus(x * polynomial(&Y1_SMALL, x * x)).value()
    } else if (NEAR..FAR).contains(&x) {
        in_quarter(&Y1, x)
    } else if (FAR..f64::INFINITY).contains(&x) {
        far(x, 1)[1].value()
    } else {
        of_no_number(x)
    }
}

/// A function of the second kind at zero, at infinity, and where it is NaN.
#[inline(always)]
fn of_no_number(x: f64) -> f64 {
    let other = if x == f64::INFINITY { 0.0 } else { f64::NAN };
    if x == 0.0 { f64::NEG_INFINITY } else { other }
}
