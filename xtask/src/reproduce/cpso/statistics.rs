//! Minimum, maximum, mean, median and standard deviation of a few numbers.

/// What the paper's tables say of some repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    /// The middle value; of an even number of values the mean of the two in the middle.
    pub(crate) median: f64,
    /// The standard deviation of a sample (n - 1), as in the paper; 0 for a single value.
    pub(crate) deviation: f64,
}

impl Summary {
    /// Of at least one value, none of them NaN.
    pub(crate) fn of(values: &[f64]) -> Summary {
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

    /// In the order of the paper's columns.
    pub(crate) fn columns(&self) -> [f64; 5] {
        [self.min, self.max, self.mean, self.median, self.deviation]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 8.0]);
        // Deviations from the mean 4: 0, -3, -1, 4; their squares add up to 26.
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
}
