//! NIST's regressions at their certified parameters and their starting values.

use super::{Check, Tested, for_all, optimum, value};

#[test]
fn certified_sums_of_squares() {
    struct Certified;
    impl Check for Certified {
        fn check<F: Tested>(&self) {
            // The relative error in f32: Lanczos3's residuals are in the sixth digit of its observations.
            let narrow = match F::ID {
                "nist-thurber" | "nist-hahn1" => 5e-6,
                "nist-mgh09" | "nist-enso" | "nist-gauss2" => 1e-6,
                "nist-lanczos3" => 2e-3,
                id => return assert!(!id.starts_with("nist-"), "{id} is not in this test"),
            };
            let dimensions = F::DIMENSIONS.usual();
            let (x, sum) =
                (optimum::<F>(dimensions).unwrap(), F::optimum_value(dimensions).unwrap());
            let wide: f64 = value(&F::default(), &x);
            assert!((wide - sum).abs() <= 1e-9 * sum, "{}: {wide:?}, certified {sum:?}", F::ID);
            let x: Vec<f32> = x.iter().map(|&x| x as f32).collect();
            // The same rounded parameters for both, because rounding them changes the sum too.
            let rounded: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            let (single, wide) = (value(&F::default(), &x), value(&F::default(), &rounded));
            let error = (f64::from(single) - wide).abs() / wide;
            println!("{}: {error:.1e}", F::ID);
            assert!(error <= narrow, "{}: {single:?}, in f64 {wide:?}", F::ID);
        }
    }
    for_all(Certified);
}

/// No parameter is left out or confused with another: the sum increases with a change of each.
#[test]
fn every_parameter_counts() {
    struct Counts;
    impl Check for Counts {
        fn check<F: Tested>(&self) {
            if !F::ID.starts_with("nist-") {
                return;
            }
            let x = optimum::<F>(F::DIMENSIONS.usual()).unwrap();
            let best: f64 = value(&F::default(), &x);
            for i in 0..x.len() {
                let mut moved = x.clone();
                moved[i] *= 1.1;
                let moved = value(&F::default(), &moved);
                assert!(moved > best * (1.0 + 1e-6), "{}: b{}", F::ID, i + 1);
            }
        }
    }
    for_all(Counts);
}
