//! Wilcoxon's rank sum test, also called the Mann-Whitney test.

use std::cmp::Ordering;

use statrs::distribution::{ContinuousCDF, Normal};

/// The two-sided p-value of Wilcoxon's rank sum test of two independent samples: the probability of ranks that differ
/// as much if both came from the same distribution. 1 if one sample is empty or all values are equal.
///
/// It uses the normal approximation, corrected for ties and for continuity; with a handful of runs it is somewhat
/// larger than the exact value. Tied values get their mean rank. The values are compared only by `order`.
///
/// **Source.** F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; H. Mann,
/// D. Whitney, Annals of Mathematical Statistics 18, 1947.
///
/// ```
/// use warpswarm_statistics::rank_sum;
/// let (low, high): (Vec<f64>, Vec<f64>) = (0..20).map(|i| (f64::from(i), f64::from(i + 10))).unzip();
/// assert!(rank_sum(&low, &high, f64::total_cmp) < 0.001);
/// assert_eq!(rank_sum(&low, &low, f64::total_cmp), 1.0);
/// ```
pub fn rank_sum<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> f64 {
    let ranks = Ranks::of(a, b, order);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let all = n + m;
    // The variance of U; ties reduce it.
    let spread = n * m / 12.0 * (all + 1.0 - ranks.ties / (all * (all - 1.0)));
    let from_mean = (ranks.u - n * m / 2.0).abs();
    if from_mean == 0.0 || spread.is_nan() || spread <= 0.0 {
        return 1.0;
    }
    let z = (from_mean - 0.5) / spread.sqrt();
    (2.0 * Normal::standard().sf(z)).min(1.0)
}

/// The probability that a value of `a` comes before a value of `b` in the order, with ties counted half; 0.5 if one is
/// empty.
///
/// **Source.** A. Vargha, H. Delaney, "A critique and improvement of the CL common language effect size statistics",
/// Journal of Educational and Behavioral Statistics 25, 2000: their measure A.
///
/// ```
/// use warpswarm_statistics::superiority;
/// // 1 comes before 2 and 3; 3 after 2, and beside 3: 2.5 of 4 pairs.
/// assert_eq!(superiority(&[1, 3], &[2, 3], i32::cmp), 0.625);
/// assert_eq!(superiority(&[1, 2], &[3, 4], i32::cmp), 1.0);
/// ```
pub fn superiority<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> f64 {
    let pairs = a.len() * b.len();
    match pairs {
        0 => 0.5,
        _ => 1.0 - Ranks::of(a, b, order).u / pairs as f64,
    }
}

/// The rank statistics of two samples.
struct Ranks {
    /// The Mann-Whitney U: the number of pairs in which the value of the first sample comes later, with ties counted
    /// half.
    u: f64,
    /// The sum of t^3 - t over all groups of t equal values.
    ties: f64,
}

impl Ranks {
    fn of<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> Ranks {
        let of_first = a.iter().map(|x| (x, true));
        let mut all: Vec<(&T, bool)> = of_first.chain(b.iter().map(|x| (x, false))).collect();
        all.sort_by(|x, y| order(x.0, y.0));
        let (mut sum, mut ties, mut before) = (0.0, 0.0, 0);
        for equal in all.chunk_by(|x, y| order(x.0, y.0) == Ordering::Equal) {
            let t = equal.len();
            // Ranks count from 1.
            let rank = before as f64 + (t as f64 + 1.0) / 2.0;
            sum += rank * equal.iter().filter(|(_, first)| *first).count() as f64;
            ties += (t * t * t - t) as f64;
            before += t;
        }
        let n = a.len() as f64;
        Ranks { u: sum - n * (n + 1.0) / 2.0, ties }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn p(a: &[f64], b: &[f64]) -> f64 {
        rank_sum(a, b, f64::total_cmp)
    }

    /// U is 0; its mean is 4.5, its variance 9 x 7 / 12 = 5.25: z = 4 / 2.2913, twice the tail beyond 1.7457.
    #[test]
    fn by_hand() {
        assert_relative_eq!(
            p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]),
            0.080_855_598,
            max_relative = 1e-7
        );
    }

    /// The p-values of scipy 1.17.1's `mannwhitneyu(a, b, method="asymptotic")`: with a few ties, with many, for 50
    /// runs, and for so few that the exact value, 0.0079, differs.
    #[test]
    fn as_scipy_has_it() {
        let check = |a: &[f64], b: &[f64], expected: f64| {
            assert_relative_eq!(p(a, b), expected, max_relative = 1e-9);
            assert_relative_eq!(p(b, a), expected, max_relative = 1e-9);
        };
        check(
            &[27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6],
            &[27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2],
            0.063_822_184_191_836_08,
        );
        check(
            &[0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 5.0],
            &[0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 8.0],
            0.211_644_501_771_968_14,
        );
        let fifty = |factor: u32| (0..50).map(move |i| i * factor % 50);
        let a: Vec<f64> = fifty(7).map(|i| f64::from(i) / 10.0).collect();
        let b: Vec<f64> = fifty(11).map(|i| f64::from(i) / 10.0 + 0.7).collect();
        check(&a, &b, 0.025_952_332_268_285_395);
        let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        check(&low, &high, 0.012_185_780_355_344_813);
    }

    #[test]
    fn of_nothing_and_of_equals() {
        assert_eq!(p(&[], &[1.0]), 1.0);
        assert_eq!(p(&[], &[]), 1.0);
        assert_eq!(p(&[2.0; 5], &[2.0; 7]), 1.0);
        assert_eq!(p(&[1.0], &[2.0]), 1.0);
    }

    #[test]
    fn which_is_better_in_how_many_pairs() {
        let of = |a: &[f64], b: &[f64]| superiority(a, b, f64::total_cmp);
        // 1 before 2 and 3; 2 with 2, before 3; 4 before none: 3.5 of 6.
        assert_relative_eq!(of(&[1.0, 2.0, 4.0], &[2.0, 3.0]), 3.5 / 6.0);
        assert_relative_eq!(of(&[2.0, 3.0], &[1.0, 2.0, 4.0]), 2.5 / 6.0);
        assert_eq!((of(&[1.0], &[2.0]), of(&[2.0], &[1.0]), of(&[], &[1.0])), (1.0, 0.0, 0.5));
    }
}
