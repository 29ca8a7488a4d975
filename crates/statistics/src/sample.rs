//! Summaries of a few numbers, and a test of whether their means differ.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Minimum, maximum, mean, median and standard deviation of some repetitions.
///
/// ```
/// use warpswarm_statistics::Summary;
/// let summary = Summary::of(&[2.0, 4.0, 9.0]);
/// assert_eq!((summary.min, summary.max, summary.mean, summary.median), (2.0, 9.0, 5.0, 4.0));
/// // The squares of -3, -1 and 4 over 2.
/// assert_eq!(summary.deviation, 13.0_f64.sqrt());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The sum divided by the number of values.
    pub mean: f64,
    /// The middle value; for an even number of values the mean of the two middle ones.
    pub median: f64,
    /// The standard deviation of a sample (n - 1), as in the papers; 0 for a single value.
    pub deviation: f64,
}

/// The statistics of a sample that a t-test uses.
///
/// ```
/// use warpswarm_statistics::Sample;
/// let slow = Sample::of(&[10.1, 9.9, 10.0, 10.2]);
/// // From a paper that gives no more than these.
/// let fast = Sample { mean: 8.0, deviation: 0.2, size: 30 };
/// assert!(slow.welch(&fast).is_some_and(|p| p < 1e-4));
/// // With one value there is no deviation.
/// assert_eq!(Sample::of(&[8.0]).welch(&fast), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, as [`Summary::deviation`].
    pub deviation: f64,
    /// The number of values.
    pub size: usize,
}

impl Sample {
    /// The statistics of at least one value, none of them NaN.
    ///
    /// # Panics
    ///
    /// Panics if there are no values.
    pub fn of(values: &[f64]) -> Sample {
        let Summary { mean, deviation, .. } = Summary::of(values);
        Sample { mean, deviation, size: values.len() }
    }

    /// The two-sided p-value of Welch's t-test, for samples whose variances may differ. `None` if neither sample has a
    /// variance, or one has fewer than two values.
    ///
    /// **Source.** B. Welch, "The generalization of 'Student's' problem when several different population
    /// variances are involved", Biometrika 34, 1947.
    pub fn welch(&self, other: &Sample) -> Option<f64> {
        if self.size.min(other.size) < 2 {
            return None;
        }
        let part = |sample: &Sample| sample.deviation * sample.deviation / sample.size as f64;
        let (a, b) = (part(self), part(other));
        let t = (self.mean - other.mean) / (a + b).sqrt();
        let freedom =
            (a + b) * (a + b) / (a * a / (self.size - 1) as f64 + b * b / (other.size - 1) as f64);
        Some(2.0 * StudentsT::new(0.0, 1.0, freedom).ok()?.sf(t.abs()))
    }
}

impl Summary {
    /// The summary of at least one value, none of them NaN.
    ///
    /// # Panics
    ///
    /// Panics if there are no values.
    pub fn of(values: &[f64]) -> Summary {
        assert!(!values.is_empty(), "there is no summary of nothing");
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|x| (x - mean) * (x - mean)).sum();
        Summary {
            min: sorted[0],
            max: sorted[n - 1],
            mean,
            median: (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
            deviation: if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 },
        }
    }

    /// The statistics in the order of the CPSO paper's columns.
    pub fn columns(&self) -> [f64; 5] {
        [self.min, self.max, self.mean, self.median, self.deviation]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 8.0]);
        // Deviations from the mean 4: 0, -3, -1, 4; the sum of their squares is 26.
        let deviation = (26.0_f64 / 3.0).sqrt();
        let expected = Summary { min: 1.0, max: 8.0, mean: 4.0, median: 3.5, deviation };
        assert_eq!(summary, expected);
        assert_eq!(Summary::of(&[1.0, 5.0, 2.0]).median, 2.0);
    }

    #[test]
    fn of_one_value() {
        let expected = Summary { min: 2.5, max: 2.5, mean: 2.5, median: 2.5, deviation: 0.0 };
        assert_eq!(Summary::of(&[2.5]), expected);
    }
    /// The yields of two varieties, with the p-value that scipy 1.17.1's `ttest_ind(a, b, equal_var=False)`
    /// gives.
    #[test]
    fn welchs_test() {
        let a = Sample::of(&[27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6]);
        let b = Sample::of(&[27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2]);
        let p = a.welch(&b).unwrap();
        approx::assert_relative_eq!(p, 0.059_253_737_007_745_15, max_relative = 1e-10);
        assert_eq!(a.welch(&b), b.welch(&a));
        approx::assert_relative_eq!(a.welch(&a).unwrap(), 1.0, max_relative = 1e-12);
    }

    /// If one sample varies much more than the other, the degrees of freedom are that sample's, n - 1 = 1, and
    /// Student's distribution is the Cauchy distribution: p = 1 - 2 atan(t) / pi.
    #[test]
    fn welchs_test_by_hand() {
        let wide = Sample { mean: 1.0, deviation: 2.0_f64.sqrt(), size: 2 };
        let point = Sample { mean: 0.0, deviation: 0.0, size: 20 };
        approx::assert_relative_eq!(wide.welch(&point).unwrap(), 0.5, max_relative = 1e-12);
        assert_eq!(point.welch(&point), None);
        assert_eq!(Sample::of(&[1.0]).welch(&wide), None);
    }
}
