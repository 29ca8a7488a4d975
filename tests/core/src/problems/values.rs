//! Values at points that were worked out by hand or by another program.

use std::f64::consts::{PI, SQRT_2};

use super::{Check, Tested, for_all, rounded, size, value};

#[test]
fn values_by_hand_and_by_other_programs() {
    struct Values;
    impl Check for Values {
        fn check<F: Tested>(&self) {
            let points: [(&[f64], f64); 2] = match F::ID {
                // 1 + 4 + 9; 1/4 + 9/4
                "sphere" => [(&[1.0, 2.0, 3.0], 14.0), (&[0.5, -1.5], 2.5)],
                // 1 + 2 * 4 + 3 * 9; 1 + 2 / 4
                "hyper-ellipsoid" => [(&[1.0, 2.0, 3.0], 36.0), (&[-1.0, 0.5], 1.5)],
                // 1 + 3^2 + 6^2; 1 + 1 + 1/4
                "schwefel-1.2" => [(&[1.0, 2.0, 3.0], 46.0), (&[1.0, -2.0, 0.5], 2.25)],
                // 100 (2 - 1)^2 + 2^2; 100 (2 - 2.25)^2 + 0.5^2 + 100 (3 - 4)^2 + 1
                "rosenbrock" => [(&[-1.0, 2.0], 104.0), (&[1.5, 2.0, 3.0], 107.5)],
                // Integers leave the sum of squares; at halves each cosine is -1.
                "rastrigin" => [(&[1.0, 2.0], 5.0), (&[0.5, -0.5], 40.5)],
                // sin(pi/2) = 1; sin(pi/6) = 1/2 with the sign of x
                "schwefel-2.26" => [
                    (&[PI * PI / 4.0, 0.0], -PI * PI / 4.0),
                    (&[-PI * PI / 36.0, PI * PI / 4.0], PI * PI * (1.0 / 72.0 - 1.0 / 4.0)),
                ],
                // cos(pi) in the first coordinate, and in the second, where x is divided by sqrt(2)
                "griewank" => [
                    (&[PI, 0.0], PI * PI / 4000.0 + 2.0),
                    (&[0.0, PI * SQRT_2], PI * PI / 2000.0 + 2.0),
                ],
                // 20 - 20 exp(-0.2); 20 - 20 exp(-0.1) + e - 1/e
                "ackley" => {
                    [(&[1.0, -1.0], 3.625_384_938_440_362_6), (&[0.5, 0.5], 4.253_654_026_568_413)]
                }
                // The triangles 3, 4, 5 and 1, 2, 2, 3
                "euclidean" => [(&[3.0, -4.0], 5.0), (&[1.0, 2.0, 2.0], 3.0)],
                // The following were computed with Python's mpmath in fifty digits.
                "levy" => [
                    (&[1.5, -2.25, 0.75], 7.577_415_767_281_229),
                    (&[-3.0, 2.5], 8.291_671_682_735_712),
                ],
                "zakharov" => [(&[1.5, -2.25, 0.75], 8.035_400_390_625), (&[-3.0, 2.5], 17.25)],
                "styblinski-tang" => {
                    [(&[1.5, -2.25, 0.75], -47.496_093_75), (&[-3.0, 2.5], -63.218_75)]
                }
                "dixon-price" => [(&[1.5, -2.25, 0.75], 183.203_125), (&[-3.0, 2.5], 496.5)],
                "michalewicz" => [
                    (&[1.5, 2.25, 0.75], -2.217_728_675_843_567_6e-4),
                    (&[2.0, 1.5], -1.193_246_289_342_509_3),
                ],
                "salomon" => [
                    (&[1.5, -2.25, 0.75], 0.934_548_274_804_133_6),
                    (&[-3.0, 2.5], 0.562_991_277_040_829),
                ],
                "alpine-1" => [
                    (&[1.5, -2.25, 0.75], 3.758_136_242_921_405),
                    (&[-3.0, 2.5], 1.869_540_384_439_493),
                ],
                "bent-cigar" => [(&[1.5, -2.25, 0.75], 5_625_002.25), (&[-3.0, 2.5], 6_250_009.0)],
                // (2 + P) D d^2, with exact numbers
                "spring" | "spring-cmepso" => {
                    [(&[0.0625, 0.5, 10.0], 0.023_437_5), (&[0.25, 1.0, 4.0], 0.375)]
                }
                // The others with mpmath again.
                "welded-beam" | "welded-beam-cmepso" => {
                    [(&[0.25, 3.0, 8.0, 0.25], 1.842_873_125), (&[0.5, 2.0, 6.0, 0.375], 2.284_315)]
                }
                "speed-reducer" | "speed-reducer-mezura" | "speed-reducer-cmepso" => [
                    (&[3.5, 0.75, 20.0, 8.0, 8.0, 3.0, 5.25], 3_777.535_288_653_75),
                    (&[3.0, 0.75, 24.0, 7.5, 8.25, 3.5, 5.0], 4_283.515_479_762_5),
                ],
                "pressure-vessel" => [
                    (&[1.0, 0.5, 50.0, 100.0], 6_643.235),
                    (&[0.8125, 0.4375, 42.0, 180.0], 6_121.657_401_562_5),
                ],
                // The same plates before rounding
                "pressure-vessel-mixed" => [
                    (&[1.03, 0.47, 50.0, 100.0], 6_643.235),
                    (&[0.782, 0.46, 42.0, 180.0], 6_121.657_401_562_5),
                ],
                // 100 (1.5 sqrt(2) + 0.5); 100 (sqrt(2) + 0.25)
                "three-bar-truss" => {
                    [(&[0.75, 0.5], 50.0 + 150.0 * SQRT_2), (&[0.5, 0.25], 25.0 + 100.0 * SQRT_2)]
                }
                // r^2 = 2: 4 (1/64 - 1/8); four atoms by mpmath
                "lennard-jones" => [
                    (&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0], -0.4375),
                    (
                        &[0.5, -0.25, 1.0, 1.5, 0.75, -0.5, -1.0, -1.25, 0.25, 0.125, 1.5, 1.75],
                        -0.211_318_238_817_288_04,
                    ),
                ],
                // At NIST's two starting values, with mpmath from NIST's data.
                "nist-thurber" => [
                    (&[1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03], 4_528_124.603_575_197),
                    (&[1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05], 85_873_749.823_136_24),
                ],
                "nist-mgh09" => [
                    (&[25.0, 39.0, 41.5, 39.0], 897.545_378_040_494_6),
                    (&[0.25, 0.39, 0.415, 0.39], 0.005_313_172_272_108_543),
                ],
                "nist-lanczos3" => [
                    (&[1.2, 0.3, 5.6, 5.5, 6.5, 7.6], 269.751_469_498_205_8),
                    (&[0.5, 0.7, 3.6, 4.2, 4.0, 6.3], 78.789_216_102_958_92),
                ],
                "nist-hahn1" => [
                    (&[10.0, -1.0, 0.05, -1e-05, -0.05, 0.001, -1e-06], 3_097_556.527_433_773_5),
                    (&[1.0, -0.1, 0.005, -1e-06, -0.005, 0.0001, -1e-07], 2_093_448.201_741_961_5),
                ],
                "nist-enso" => [
                    (&[11.0, 3.0, 0.5, 40.0, -0.7, -1.3, 25.0, -0.3, 1.4], 1_153.943_948_485_461_3),
                    (&[10.0, 3.0, 0.5, 44.0, -1.5, 0.5, 26.0, -0.1, 1.5], 914.975_527_046_655_5),
                ],
                "nist-gauss2" => [
                    (&[96.0, 0.009, 103.0, 106.0, 18.0, 72.0, 151.0, 18.0], 9_158.139_582_026_262),
                    (&[98.0, 0.0105, 103.0, 105.0, 20.0, 73.0, 150.0, 20.0], 4_683.130_709_123_02),
                ],
                // With mpmath from the formulas: the model in place, and moved, rotated, scaled and bent.
                "image-registration" => [
                    (
                        &[
                            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                            0.0, 0.0,
                        ],
                        2.530_140_587_411_304_3,
                    ),
                    (
                        &[
                            0.25, -0.5, -0.375, 1.25, 0.125, -0.25, 0.0625, 0.1875, -0.125, 0.25,
                            -0.1875, 0.0625, 0.25, -0.0625, -0.25, 0.125,
                        ],
                        5.451_176_711_398_366,
                    ),
                ],
                id => panic!(
                    "{id} has no entry in tests/core/src/problems/values.rs: see docs/how-to/add-a-problem.md"
                ),
            };
            for (x, expected) in points {
                let actual: f64 = value(&F::default(), x);
                assert!(
                    expected.is_finite(),
                    "{}: its value at {x:?} is {expected} in tests/core/src/problems/values.rs. Write there what you \
                     computed by hand or with another program.",
                    F::ID
                );
                let error = (actual - expected).abs();
                // Residuals are differences of larger numbers.
                let digits = if F::ID.starts_with("nist-") { 1e-12 } else { 1e-14 };
                let of_size =
                    size::<F>(x.len(), expected).map_or(f64::INFINITY, |size| digits * size);
                // The expected value is rounded, too.
                let of_operations = rounded::<F>(x).in_f64() + 0.5 * f64::EPSILON * expected.abs();
                let allowed = of_size.min(of_operations);
                assert!(
                    error <= allowed,
                    "{}: the value at {x:?} is {actual:?}, expected {expected:?}; they differ by {error:.1e}, but \
                     rounding changes it by at most {allowed:.1e}. Check the formula and the expected value.",
                    F::ID
                );
            }
        }
    }
    for_all(Values);
}
