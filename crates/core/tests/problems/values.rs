//! Values at points that were worked out by hand, or by another program.

use std::f64::consts::{PI, SQRT_2};

use warpswarm_core::Objective;
use warpswarm_core::problems::Problem;

use crate::{Check, for_all, scale, value};

#[test]
fn values_by_hand_and_by_other_programs() {
    struct Values;
    impl Check for Values {
        fn check<F: Problem + Objective<f32> + Objective<f64>>(&self) {
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
                // cos(pi) in the first coordinate; in the second, where x is divided by sqrt(2)
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
                // Those of the following eight by Python's mpmath with fifty digits.
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
                    (&[1.5, 2.25, 0.75], -2.217_728_675_643_567_6e-4),
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
                id => panic!("{id} has no values worked out by hand"),
            };
            for (x, expected) in points {
                let actual: f64 = value(&F::default(), x);
                let error = (actual - expected).abs();
                assert!(error <= 1e-14 * scale::<F>(x.len(), expected), "{}: {actual}", F::ID);
            }
        }
    }
    for_all(Values);
}
