//! The elementary functions where a sweep over `f32` does not reach: `f64`, edges, symmetries, bits.

mod common;

use common::{Dd, steps_f64, turns_f32, ulps_f32, ulps_f64};
use warpswarm_core::Real;
use warpswarm_core::math::*;
use warpswarm_core::random::{Purpose, RunKey, Stream};

/// Numbers at which functions of a real variable are most likely wrong, of both signs.
fn edges_f64() -> impl Iterator<Item = f64> {
    let powers = (-1074..1024).map(|e| 2f64.powi(e));
    let near_powers = (-60..64).flat_map(|e| {
        let power = 2f64.powi(e);
        [power.next_down(), power.next_up(), 3.0 * power, 5.0 * power]
    });
    let quarters = (0..4000).flat_map(|k| {
        let quarter = f64::from(k) * 0.25;
        [quarter, quarter.next_up(), quarter.next_down(), quarter + 1e-9, quarter - 1e-9]
    });
    let right_angles = (0..4000).flat_map(|k| {
        let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
        [angle, angle.next_up(), angle.next_down()]
    });
    let all = powers.chain(near_powers).chain(quarters).chain(right_angles).chain([0.0, f64::MAX]);
    all.flat_map(|x| [x, -x])
}

/// `count` numbers of both signs, with exponents uniform from 2^-40 to 2^`exponent`.
fn random_f64(count: u32, exponent: i32) -> impl Iterator<Item = f64> {
    let key = RunKey::new(41, 0);
    (0..count).map(move |i| {
        let [a, b, c, _] = Stream::new(key, Purpose::Move, 0, i).block(0);
        let e = -40 + (c >> 1) as i32 % (exponent + 40);
        let x = one_to_two_f64(a, b) * 2f64.powi(e);
        if c & 1 == 0 { x } else { -x }
    })
}

/// Computes every argument's error, and prints and checks the largest one.
fn check_f64(
    name: &str,
    bound: f64,
    arguments: impl Iterator<Item = f64>,
    function: fn(f64) -> f64,
    exact: impl Fn(f64) -> Dd,
) {
    let error = |x: f64| (ulps_f64(function(x), exact(x)), x);
    let (worst, x) = arguments.map(error).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
    println!("{name}: {worst:.4} ulp at {x:e}");
    assert!(worst <= bound, "{name}({x:e}): {worst} ulp");
}

#[test]
fn the_measure_of_errors_measures() {
    // 1 has neighbours one unit above and half a unit below; the smallest number is a unit.
    assert_eq!(ulps_f32(1.0f32.next_up(), 1.0), 1.0);
    assert_eq!(ulps_f32(1.0f32.next_down(), 1.0), 0.5);
    assert_eq!(ulps_f32(f32::from_bits(3), f64::from(f32::from_bits(1))), 2.0);
    assert_eq!(ulps_f32(f32::MAX, f64::INFINITY), 1.0);
    assert_eq!(ulps_f32(f32::NAN, 1.0), f64::INFINITY);
    assert_eq!(ulps_f32(1.0, f64::NAN), f64::INFINITY);
    assert_eq!(ulps_f64(1.0f64.next_up(), Dd(1.0, 0.0)), 1.0);
    assert_eq!(ulps_f64(1.0, Dd(1.0, f64::EPSILON / 4.0)), 0.25);
    assert_eq!(ulps_f64(f64::from_bits(3), Dd(f64::from_bits(1), 0.0)), 2.0);
    assert_eq!(ulps_f64(f64::NAN, Dd(1.0, 0.0)), f64::INFINITY);
    assert_eq!(steps_f64(1.0, 1.0f64.next_up()), 1);
    assert_eq!(steps_f64(-f64::from_bits(1), f64::from_bits(1)), 2);
    assert_eq!(steps_f64(f64::NAN, 1.0), u64::MAX);
}

#[test]
fn the_references_agree_with_libm() {
    for x in random_f64(2000, 15) {
        assert!(steps_f64(libm::sin(x), Dd::sin(x, 0).0) <= 1, "sin({x:e})");
        assert!(steps_f64(libm::cos(x), Dd::sin(x, 1).0) <= 1, "cos({x:e})");
        assert!(steps_f64(libm::exp(x % 700.0), Dd::exp(x % 700.0).0) <= 1, "exp({x:e})");
        let r = x - x.round_ties_even();
        assert!((Dd::sin_turns(x, 0).0 - libm::sin(std::f64::consts::TAU * r)).abs() < 1e-15);
        assert!((Dd::sin_turns(x, 1).0 - libm::cos(std::f64::consts::TAU * r)).abs() < 1e-15);
    }
}

#[test]
fn f64_turns() {
    let arguments = || edges_f64().filter(|x| x.abs() < 1e15).chain(random_f64(200_000, 50));
    check_f64("sin_turns", 2.0, arguments(), sin_turns_f64, |x| Dd::sin_turns(x, 0));
    check_f64("cos_turns", 2.0, arguments(), cos_turns_f64, |x| Dd::sin_turns(x, 1));
}

#[test]
fn f64_radians() {
    let arguments = || edges_f64().filter(|x| x.abs() < 1e6).chain(random_f64(200_000, 19));
    check_f64("sin", 2.0, arguments(), sin_f64, |x| Dd::sin(x, 0));
    check_f64("cos", 2.0, arguments(), cos_f64, |x| Dd::sin(x, 1));
}

#[test]
fn f64_radians_far_away() {
    // The f64 that is nearest to a multiple of pi/2 (J.-M. Muller, "Elementary functions").
    let nearest = 6_381_956_970_095_103.0 * 2f64.powi(797);
    assert_eq!(cos_f64(nearest), -4.687_165_924_254_628e-19);
    for x in edges_f64().chain(random_f64(200_000, 1023)).chain([nearest, -nearest]) {
        assert!(steps_f64(sin_f64(x), libm::sin(x)) <= 1, "sin({x:e})");
        assert!(steps_f64(cos_f64(x), libm::cos(x)) <= 1, "cos({x:e})");
    }
}

#[test]
fn f64_exp() {
    let arguments = || edges_f64().filter(|x| x.abs() < 708.0).chain(random_f64(200_000, 9));
    check_f64("exp", 2.0, arguments(), exp_f64, Dd::exp);
    // Subnormal results, and both ends of the range.
    for x in (0..100_000).map(|i| -708.0 - 4e-4 * f64::from(i)) {
        assert!(steps_f64(exp_f64(x), libm::exp(x)) <= 1, "exp({x:e})");
    }
    let largest = 709.782_712_893_384;
    assert!(exp_f64(largest) > 1.797e308 && exp_f64(largest).is_finite());
    assert_eq!(exp_f64(largest.next_up()), f64::INFINITY);
    assert_eq!(exp_f64(-745.2), 0.0);
    assert_eq!(exp_f64(-745.1), f64::from_bits(1));
}

#[test]
fn in_turns_every_large_number_is_known() {
    // From 2^53 on (2^24 in f32) a number is an even integer, from a quarter of that on a multiple of one half.
    for e in 22..128 {
        for m in 0..64 {
            let x = f32::from_bits(((e + 127) << 23) | (m * 0x0002_0820) | (m & 3));
            assert_eq!(sin_turns_f32(x), turns_f32(x, false) as f32, "{x:e}");
            assert_eq!(cos_turns_f32(x), turns_f32(x, true) as f32, "{x:e}");
        }
    }
    for e in 51..1024 {
        for m in 0..64 {
            let x = f64::from_bits(((e + 1023) << 52) | (m * 0x0000_4104_1041_0410) | (m & 3));
            let quarters = if e > 51 { 0.0 } else { 4.0 * (x % 1.0) };
            assert_eq!(sin_turns_f64(-x), 0.0, "{x:e}");
            assert_eq!(cos_turns_f64(x), if quarters == 2.0 { -1.0 } else { 1.0 }, "{x:e}");
        }
    }
}

#[test]
fn exact_values() {
    macro_rules! check {
        ($float:ident, $sin:ident, $cos:ident, $sin_turns:ident, $cos_turns:ident, $exp:ident) => {
            for k in -40..40 {
                let k = k as $float;
                assert_eq!([$cos_turns(k), $cos_turns(k + 0.5)], [1.0, -1.0]);
                assert_eq!([$cos_turns(k + 0.25), $cos_turns(k + 0.75)], [0.0, 0.0]);
                assert_eq!([$sin_turns(k + 0.25), $sin_turns(k + 0.75)], [1.0, -1.0]);
                assert_eq!([$sin_turns(k), $sin_turns(k + 0.5)], [0.0, 0.0]);
            }
            assert_eq!([$cos(0.0), $cos(-0.0), $exp(0.0), $exp(-0.0)], [1.0; 4]);
            for odd in [$sin, $sin_turns] {
                assert_eq!(odd(0.0).to_bits(), (0.0 as $float).to_bits());
                assert_eq!(odd(-0.0).to_bits(), (-0.0 as $float).to_bits());
            }
            for function in [$sin, $cos, $sin_turns, $cos_turns] {
                assert!(function($float::NAN).is_nan());
                assert!(function($float::INFINITY).is_nan());
                assert!(function($float::NEG_INFINITY).is_nan());
                assert!(function($float::MAX).abs() <= 1.0);
            }
            assert!($exp($float::NAN).is_nan());
            assert_eq!($exp($float::INFINITY), $float::INFINITY);
            assert_eq!($exp($float::NEG_INFINITY), 0.0);
            assert_eq!($exp($float::MAX), $float::INFINITY);
            assert_eq!($exp($float::MIN), 0.0);
        };
    }
    check!(f32, sin_f32, cos_f32, sin_turns_f32, cos_turns_f32, exp_f32);
    check!(f64, sin_f64, cos_f64, sin_turns_f64, cos_turns_f64, exp_f64);
}

#[test]
fn logarithms_at_the_edges() {
    fn check<R: Real>(least: f64) {
        let ln = |x: f64| R::from_f64(x).ln().to_f64();
        assert_eq!(ln(1.0).to_bits(), 0.0f64.to_bits());
        assert_eq!(
            [ln(0.0), ln(-0.0), ln(f64::INFINITY)],
            [-f64::INFINITY, -f64::INFINITY, f64::INFINITY]
        );
        for x in [-least, -1.0, -R::MAX.to_f64(), -f64::INFINITY, f64::NAN] {
            assert!(ln(x).is_nan(), "{x:e}");
        }
        for x in [least, 3.0 * least, R::MAX.to_f64()] {
            assert!((ln(x) / x.ln() - 1.0).abs() < 1e-7, "{x:e}");
        }
    }
    check::<f32>(f32::from_bits(1).into());
    check::<f64>(f64::from_bits(1));
}

#[test]
fn exp_does_not_turn_back_where_ackley_needs_it() {
    // Ackley's minimum is a difference of exponentials; it must not become negative by rounding.
    for one in [0.0_f64, 1.0] {
        let (mut narrow, mut wide) = (one as f32, one);
        for _ in 0..200_000 {
            (narrow, wide) = (narrow.next_down(), wide.next_down());
            assert!(exp_f32(narrow) <= exp_f32(one as f32), "{narrow:e}");
            assert!(exp_f64(wide) <= exp_f64(one), "{wide:e}");
        }
        for i in 0..200_000 {
            let below = one - f64::from(i) * 1e-6;
            assert!(exp_f32(below as f32) <= exp_f32(one as f32), "{below:e}");
            assert!(exp_f64(below) <= exp_f64(one), "{below:e}");
        }
    }
}

#[test]
fn symmetry_and_range() {
    for x in edges_f64().chain(random_f64(20_000, 1023)) {
        for odd in [sin_f64, sin_turns_f64] {
            assert_eq!(odd(-x).to_bits(), (-odd(x)).to_bits(), "{x:e}");
            assert!(odd(x).abs() <= 1.0, "{x:e}");
        }
        for even in [cos_f64, cos_turns_f64] {
            assert_eq!(even(-x).to_bits(), even(x).to_bits(), "{x:e}");
            assert!(even(x).abs() <= 1.0, "{x:e}");
        }
        let x = x as f32;
        for odd in [sin_f32, sin_turns_f32] {
            assert!(x.is_infinite() || odd(-x).to_bits() == (-odd(x)).to_bits(), "{x:e}");
        }
        for even in [cos_f32, cos_turns_f32] {
            assert!(x.is_infinite() || even(-x).to_bits() == even(x).to_bits(), "{x:e}");
        }
    }
}

type Row<T, Bits> = (fn(T) -> T, [Bits; 5]);

/// Bits that are the same on every machine and in every version; changing one changes all results.
#[test]
fn values_are_stable() {
    let x32 = [0.1_f32, -2.7182817, 50.5, 1e5, 3e30];
    let f32s: [Row<f32, u32>; 6] = [
        (sin_f32, [0x3dcc_7577, 0xbed2_51ef, 0x3e6d_f363, 0x3d12_6d55, 0xbf76_6adb]),
        (cos_f32, [0x3f7e_b898, 0xbf69_6765, 0x3f78_fe0e, 0xbf7f_d61c, 0xbe8a_c5c8]),
        (sin_turns_f32, [0x3f16_7918, 0x3f7a_eeda, 0x8000_0000, 0x0000_0000, 0x8000_0000]),
        (cos_turns_f32, [0x3f4f_1bbd, 0xbe4a_b9fa, 0xbf80_0000, 0x3f80_0000, 0x3f80_0000]),
        (|x| exp_f32(x % 89.0), [0x3f8d_763e, 0x3d87_24bd, 0x63e7_b299, 0x65b0_6a7b, 0x7b56_546b]),
        (|x| ln_f32(x.abs()), [0xc013_5d8e, 0x3f80_0000, 0x407b_019c, 0x4138_34f1, 0x428c_5a32]),
    ];
    for (i, (function, bits)) in f32s.into_iter().enumerate() {
        assert_eq!(x32.map(|x| function(x).to_bits()), bits, "f32 function {i}");
    }
    let x64 = [0.1, -std::f64::consts::E, 50.5, 1e7, 3e300];
    let f64s: [Row<f64, u64>; 7] = [
        (
            sin_f64,
            [
                0x3fb9_8eae_cb8b_cb2c,
                0xbfda_4a3d_9c21_31df,
                0x3fcd_be6c_6561_2085,
                0x3fda_ea41_4a8a_3352,
                0xbfd0_f95d_8b77_03f3,
            ],
        ),
        (
            cos_f64,
            [
                0x3fef_d712_f9a8_17c1,
                0xbfed_2cec_9a55_4007,
                0x3fef_1fc1_bef9_2911,
                0xbfed_085b_e7a8_f4a1,
                0x3fee_daa0_9963_e8e4,
            ],
        ),
        (
            sin_turns_f64,
            [
                0x3fe2_cf23_0475_5a5e,
                0x3fef_5ddb_671e_f456,
                0x8000_0000_0000_0000,
                0x0000_0000_0000_0000,
                0x8000_0000_0000_0000,
            ],
        ),
        (
            cos_turns_f64,
            [
                0x3fe9_e377_9b97_f4a7,
                0xbfc9_573a_faa7_822f,
                0xbff0_0000_0000_0000,
                0x3ff0_0000_0000_0000,
                0x3ff0_0000_0000_0000,
            ],
        ),
        (
            |x| exp_f64(x % 709.0),
            [
                0x3ff1_aec7_b35a_00d4,
                0x3fb0_e497_87e2_0548,
                0x447c_f653_19c5_751a,
                0x57bd_45d8_d0a2_8247,
                0x55a9_cdbd_e389_32e0,
            ],
        ),
        (
            |x| ln_f64(x.abs()),
            [
                0xc002_6bb1_bbb5_5515,
                0x3ff0_0000_0000_0000,
                0x400f_6033_8e78_e5e6,
                0x4030_1e3b_843e_aa73,
                0x4085_9efe_3d35_d637,
            ],
        ),
        (
            |x| pow_f64(x.abs(), 0.7),
            [
                0x3fc9_8a13_577c_93c1,
                0x4000_1c2a_6126_8986,
                0x402f_241f_2eac_a8b2,
                0x40f3_648d_2cf1_6cbd,
                0x6b9a_4098_d40a_290b,
            ],
        ),
    ];
    for (i, (function, bits)) in f64s.into_iter().enumerate() {
        assert_eq!(x64.map(|x| function(x).to_bits()), bits, "f64 function {i}");
    }
}
