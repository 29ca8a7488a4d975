//! Properties that hold for any start, any budget and any function.

use proptest::prelude::*;
use warpswarm_core::polish::Settings;

use super::functions::*;

fn functions(n: usize) -> Vec<Function> {
    let mut wild = sphere(n);
    // A useless gradient.
    wild.gradient = |x| x.iter().map(|x| (1e3 * x).sin() * 1e3).collect();
    let mut steep = sphere(n);
    steep.value = |x| x.iter().map(|x| (50.0 * x).exp()).sum();
    steep.gradient = |x| x.iter().map(|x| 50.0 * (50.0 * x).exp()).collect();
    vec![
        sphere(n),
        ellipsoid(n.max(2)),
        rosenbrock(n),
        zakharov(n),
        dixon_price(n),
        bounded_quadratic(n),
        logarithms(n),
        cliff(n),
        wild,
        steep,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// `descended` and `simplex` check that the reported result belongs to its point and is not worse than the start.
    #[test]
    fn never_worse_and_the_same_bits_twice(
        n in 2_usize..40,
        which in 0_usize..10,
        evaluations in 0_u32..300,
        parts in proptest::collection::vec(-0.1_f64..1.1, 40),
        fixed in proptest::collection::vec(proptest::bool::weighted(0.2), 40),
    ) {
        let mut function = functions(n).swap_remove(which);
        let start: Vec<f64> = (function.bounds.iter().zip(&parts))
            .map(|((lower, upper), part)| lower + part * (upper - lower))
            .collect();
        function.fixed = fixed[..function.dimensions()].to_vec();
        let settings = Settings { evaluations, ..Settings::default() };
        for search in [descended::<f64, Function>, simplex::<f64, Function>] {
            let (x, report) = search(&function, &settings, &start);
            prop_assert!(report.evaluations <= evaluations.max(1));
            prop_assert!(report.gradients <= report.evaluations);
            for i in 0..x.len() {
                prop_assert!(!function.fixed[i] || x[i].to_bits() == start[i].to_bits());
            }
            let (again, other) = search(&function, &settings, &start);
            prop_assert!(x.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
            prop_assert_eq!(report.best.ordered(), other.best.ordered());
            prop_assert_eq!(report.evaluations, other.evaluations);
        }
        let settings = Settings { evaluations, ..Settings::default() };
        let narrow: Vec<f32> = start.iter().map(|x| *x as f32).collect();
        let (x, _) = descended::<f32, Function>(&function, &settings, &narrow);
        let (again, _) = descended::<f32, Function>(&function, &settings, &narrow);
        prop_assert!(x.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
