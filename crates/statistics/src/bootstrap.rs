//! Confidence intervals by resampling.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The number of resamples.
const DRAWS: usize = 2000;

/// The interval that contains 95 % of the values of `statistic` over 2,000 resamples. Each sample is resampled
/// separately, with replacement, to its own size. The same seed gives the same interval.
///
/// **Source.** B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979: the
/// percentile interval.
///
/// ```
/// use warpswarm_statistics::bootstrap;
/// let evaluations = [1200.0, 900.0, 1500.0, 1100.0, 1300.0];
/// let mean = |drawn: &[Vec<f64>]| drawn[0].iter().sum::<f64>() / 5.0;
/// let (low, high) = bootstrap(&[&evaluations], 7, mean);
/// assert!(900.0 < low && low < 1200.0 && 1200.0 < high && high < 1500.0);
/// assert_eq!(bootstrap(&[&evaluations], 7, mean), (low, high));
/// ```
///
/// # Panics
///
/// Panics if a sample is empty.
pub fn bootstrap(
    samples: &[&[f64]],
    seed: u64,
    mut statistic: impl FnMut(&[Vec<f64>]) -> f64,
) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn: Vec<Vec<f64>> = samples.iter().map(|sample| sample.to_vec()).collect();
    let mut found: Vec<f64> = (0..DRAWS)
        .map(|_| {
            for (to, from) in drawn.iter_mut().zip(samples) {
                to.fill_with(|| from[random.random_range(0..from.len())]);
            }
            statistic(&drawn)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    (found[DRAWS / 40], found[DRAWS - 1 - DRAWS / 40])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(of: &[f64]) -> f64 {
        of.iter().sum::<f64>() / of.len() as f64
    }

    /// The mean of 100 numbers, half of them 0 and half of them 1, has the interval 0.5 +- 1.96 x 0.05, in whole
    /// hundredths, of which the bootstrap may miss one.
    #[test]
    fn of_a_mean() {
        let sample: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap(&[&sample], 1, |drawn| mean(&drawn[0]));
        assert!((low - 0.4).abs() < 0.015 && (high - 0.6).abs() < 0.015, "{low} to {high}");
        assert_eq!(bootstrap(&[&sample], 1, |drawn| mean(&drawn[0])), (low, high));
    }

    #[test]
    fn each_sample_is_drawn_from_itself() {
        let (low, high) =
            bootstrap(&[&[1.0, 2.0], &[10.0]], 0, |drawn| mean(&drawn[0]) + mean(&drawn[1]));
        assert_eq!((low, high), (11.0, 12.0));
    }
}
