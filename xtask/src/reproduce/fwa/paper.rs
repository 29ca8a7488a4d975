//! The numbers in Tables 2, 3 and 4 of the GPU-FWA paper, as printed.

use warpswarm_statistics::Sample;

pub(crate) const DIMENSIONS: u64 = 30;
/// n, the number of fireworks in Tables 2 and 3.
pub(crate) const FIREWORKS: u64 = 48;
/// m, the number of sparks of each firework.
const SPARKS: u64 = 16;
/// L, the number of explosions between two mutations.
pub(crate) const EXPLOSIONS: u64 = 30;
/// The values of L that the paper compared.
pub(crate) const EXPLOSIONS_STUDIED: [u64; 5] = [10, 20, 30, 40, 50];
/// The values of delta that the paper compared.
pub(crate) const DELTAS: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// Iterations of Algorithm 1.
pub(crate) const ITERATIONS: u64 = 1_000;
pub(crate) const TRIALS: u64 = 20;
/// The number of trials with `--quick`.
pub(crate) const FEW_TRIALS: u64 = 4;
/// The significance level of the t-tests.
pub(crate) const SIGNIFICANCE: f64 = 0.01;

/// The number of evaluations according to the paper, n m 1,000: those of 1,000 explosions.
pub(crate) fn evaluations_counted(fireworks: u64) -> u64 {
    fireworks * SPARKS * ITERATIONS
}

/// The number of evaluations in 1,000 iterations of Algorithm 1: at the start, and in each iteration those of all
/// sparks of L explosions and of the mutated fireworks.
pub(crate) fn evaluations_made(fireworks: u64) -> u64 {
    fireworks * (1 + ITERATIONS * (EXPLOSIONS * SPARKS + 1))
}

/// Mean and standard deviation in Table 2.
pub(crate) type Precision = [&'static str; 2];

/// One of the eight functions, with its row of Table 2 and its column of Table 3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    /// f1 to f8.
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// The program's name of the problem.
    pub(crate) problem: &'static str,
    /// Half the side length of the box, whose centre is zero.
    pub(crate) reach: f64,
    pub(crate) gpu_fwa: Precision,
    pub(crate) fwa: Precision,
    pub(crate) pso: Precision,
    /// p-values of GPU-FWA against FWA and PSO.
    pub(crate) against: [&'static str; 2],
}

const fn function(
    (id, name, problem, reach): (&'static str, &'static str, &'static str, f64),
    gpu_fwa: Precision,
    fwa: Precision,
    pso: Precision,
    against: [&'static str; 2],
) -> Function {
    Function { id, name, problem, reach, gpu_fwa, fwa, pso, against }
}

#[rustfmt::skip]
pub(crate) const FUNCTIONS: [Function; 8] = [
    function(("f1", "Sphere", "sphere", 5.12),
        ["1.31E-09", "1.85E-09"], ["7.41E+00", "1.98E+01"], ["3.81E-08", "7.42E-07"], ["1.00E-06", "3.46E-01"]),
    function(("f2", "Hyper-ellipsoid", "hyper-ellipsoid", 5.12),
        ["1.49E-07", "6.04E-07"], ["9.91E+01", "2.01E+02"], ["3.52E-11", "1.15E-10"], ["0.00E+00", "1.21E-04"]),
    function(("f3", "Schwefel 1.2", "schwefel-1.2", 65.536),
        ["3.46E+00", "6.75E+01"], ["3.63E+02", "7.98E+02"], ["2.34E+04", "1.84E+04"], ["0.00E+00", "0.00E+00"]),
    function(("f4", "Rosenbrock", "rosenbrock", 2.048),
        ["1.92E+01", "3.03E+00"], ["4.01E+02", "5.80E+02"], ["1.31E+02", "8.68E+02"], ["0.00E+00", "2.15E-02"]),
    function(("f5", "Rastrigin", "rastrigin", 5.12),
        ["7.02E+00", "1.36E+01"], ["2.93E+01", "2.92E+00"], ["3.16E+02", "1.11E+02"], ["0.00E+00", "0.00E+00"]),
    function(("f6", "Schwefel", "schwefel-2.26", 500.0),
        ["-8.09E+03", "2.89E+03"], ["-1.03E+04", "3.77E+03"], ["-6.49E+03", "9.96E+03"], ["0.00E+00", "6.50E-03"]),
    function(("f7", "Griewank", "griewank", 600.0),
        ["1.33E+00", "1.78E+01"], ["7.29E-01", "1.24E+00"], ["1.10E+00", "1.18E+00"], ["5.16E-01", "8.03E-01"]),
    function(("f8", "Ackley", "ackley", 32.768),
        ["3.63E-02", "7.06E-01"], ["7.48E+00", "7.12E+00"], ["1.83E+00", "1.26E+01"], ["0.00E+00", "1.21E-02"]),
];

/// A row of Table 4: times on Rosenbrock's function in seconds, and the speed-up of GPU-FWA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    pub(crate) fireworks: u64,
    pub(crate) fwa: &'static str,
    pub(crate) pso: &'static str,
    pub(crate) gpu_fwa: &'static str,
    pub(crate) over_fwa: &'static str,
    pub(crate) over_pso: &'static str,
}

#[rustfmt::skip]
pub(crate) const SPEEDS: [Speed; 4] = [
    Speed { fireworks: 48, fwa: "36.420", pso: "84.615", gpu_fwa: "0.615", over_fwa: "59.2", over_pso: "137.6" },
    Speed { fireworks: 72, fwa: "55.260", pso: "78.225", gpu_fwa: "0.624", over_fwa: "88.6", over_pso: "125.4" },
    Speed { fireworks: 96, fwa: "65.595", pso: "103.485", gpu_fwa: "0.722", over_fwa: "90.8", over_pso: "143.3" },
    Speed { fireworks: 144, fwa: "100.005", pso: "155.400", gpu_fwa: "0.831", over_fwa: "120.3", over_pso: "187.0" },
];

/// Parses a printed number.
pub(crate) fn number(printed: &str) -> f64 {
    printed.parse().expect("the tables above hold numbers")
}

/// The sample of one method on one function, from Table 2.
pub(crate) fn sample([mean, deviation]: Precision) -> Sample {
    Sample { mean: number(mean), deviation: number(deviation), size: TRIALS as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_in_order() {
        for (i, function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(function.id, format!("f{}", i + 1));
            for printed in [function.gpu_fwa, function.fwa, function.pso] {
                assert!(sample(printed).deviation > 0.0);
            }
            for p in function.against {
                assert!((0.0..=1.0).contains(&number(p)));
            }
        }
    }

    #[test]
    fn evaluations() {
        assert_eq!(evaluations_counted(48), 768_000);
        assert_eq!(evaluations_made(48), 48 + 1_000 * (30 * 16 * 48 + 48));
    }

    #[test]
    fn the_speed_ups_of_table_4_follow_from_its_times() {
        for row in &SPEEDS {
            for (time, speedup) in [(row.fwa, row.over_fwa), (row.pso, row.over_pso)] {
                let ratio = number(time) / number(row.gpu_fwa);
                assert!((ratio - number(speedup)).abs() <= 0.0521, "{} {ratio}", row.fireworks);
            }
        }
    }

    /// With the paper's 20 trials, the means and deviations in Table 2 are much less
    /// significant than the p-values in Table 3 claim.
    #[test]
    fn table_3_does_not_follow_from_table_2() {
        let p = |f: &Function, other| sample(f.gpu_fwa).welch(&sample(other)).unwrap();
        let [f1, f2, .., f6, _, f8] = &FUNCTIONS;
        approx::assert_relative_eq!(p(f1, f1.fwa), 0.111, max_relative = 0.01);
        approx::assert_relative_eq!(p(f2, f2.pso), 0.284, max_relative = 0.01);
        approx::assert_relative_eq!(p(f6, f6.fwa), 0.0447, max_relative = 0.01);
        approx::assert_relative_eq!(p(f8, f8.pso), 0.533, max_relative = 0.01);
    }
}
