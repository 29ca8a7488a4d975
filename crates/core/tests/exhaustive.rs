//! The `f32` functions at every number.
//!
//! With `WARPSWARM_LONG=1` in the environment all 2^32 bit patterns are tried. Without it every 1009th is, which still
//! covers every exponent 8,000 times.

mod common;

use common::{turns_f32, ulps_f32};
use rayon::prelude::*;
use warpswarm_core::math;

/// The largest error over the sweep, and its argument.
fn sweep(function: fn(f32) -> f32, reference: impl Fn(f32) -> f64 + Sync) -> (f64, f32) {
    let long = std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1");
    let stride = if long { 1 } else { 1009 };
    let all = 1_u64 << 32;
    (0..4096_u64)
        .into_par_iter()
        .map(|part| {
            let (start, end) = (part * (all / 4096), (part + 1) * (all / 4096));
            let mut worst = (0.0, 0.0);
            for bits in (start.next_multiple_of(stride)..end).step_by(stride as usize) {
                let x = f32::from_bits(bits as u32);
                let error = ulps_f32(function(x), reference(x));
                if error > worst.0 {
                    worst = (error, x);
                }
            }
            worst
        })
        .reduce(|| (0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
}

fn check(name: &str, bound: f64, function: fn(f32) -> f32, reference: impl Fn(f32) -> f64 + Sync) {
    let (error, x) = sweep(function, reference);
    println!("{name}: {error:.4} ulp at {x:e} ({:#010x})", x.to_bits());
    assert!(error <= bound, "{name}({x:e}): {error} ulp");
}

#[test]
fn sin_turns() {
    check("sin_turns", 2.0, math::sin_turns_f32, |x| turns_f32(x, false));
}

#[test]
fn cos_turns() {
    check("cos_turns", 2.0, math::cos_turns_f32, |x| turns_f32(x, true));
}

#[test]
fn sin() {
    check("sin", 2.0, math::sin_f32, |x| f64::from(x).sin());
}

#[test]
fn cos() {
    check("cos", 2.0, math::cos_f32, |x| f64::from(x).cos());
}

#[test]
fn exp() {
    check("exp", 2.0, math::exp_f32, |x| f64::from(x).exp());
}

#[test]
fn ln() {
    check("ln", 1.0, math::ln_f32, |x| f64::from(x).ln());
}

/// The functions that are computed in `f32`, against those of `f64`, whose relative errors are 2^-28 of the `f32` ones.
macro_rules! against_f64 {
    ($($name:ident: $bound:literal, $narrow:ident, $wide:ident;)*) => { $(
        #[test]
        fn $name() {
            check(stringify!($name), $bound, math::$narrow, |x| math::$wide(x.into()));
        }
    )* };
}

against_f64! {
    tan: 2.0, tan_f32, tan_f64;
    tanh: 2.0, tanh_f32, tanh_f64;
    sinh: 2.0, sinh_f32, sinh_f64;
    cosh: 2.0, cosh_f32, cosh_f64;
    expm1: 2.0, expm1_f32, expm1_f64;
    log2: 1.0, log2_f32, log2_f64;
    log10: 1.0, log10_f32, log10_f64;
    log1p: 2.0, log1p_f32, log1p_f64;
}

#[test]
fn cosines_and_sines_never_leave_the_unit_interval() {
    for function in [math::cos_turns_f32, math::sin_turns_f32, math::cos_f32, math::sin_f32] {
        // The excess of |y| over 1, in units of the last place below 1: zero if |y| <= 1.
        let (excess, x) = sweep(
            |_| 0.0,
            |x| {
                let y = f64::from(function(x));
                if y.abs() > 1.0 { y.abs() } else { 0.0 }
            },
        );
        assert!(excess == 0.0, "at {x:e}");
    }
}
