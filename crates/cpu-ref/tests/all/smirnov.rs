//! Whether two samples have the same distribution, by the Kolmogorov-Smirnov statistic D: the largest distance of their
//! distribution functions.
//!
//! **Source.** N. Smirnov, "Table for estimating the goodness of fit of empirical distributions",
//! Annals of Mathematical Statistics 19, 1948: for n and m runs, P(D > c sqrt((n + m) / (n m))) tends
//! to 2 exp(-2 c^2) at most.

/// The probability with which equal distributions may be told apart.
pub(crate) const LEVEL: f64 = 1e-4;

/// The largest allowed D of samples of n and m from one distribution.
pub(crate) fn critical(n: u64, m: u64) -> f64 {
    let (n, m) = (n as f64, m as f64);
    (-0.5 * (LEVEL / 2.0).ln() * (n + m) / (n * m)).sqrt()
}

/// D of a sorted sample and of another one of which every k-th order statistic is known, up to the last.
pub(crate) fn statistic(ours: &[f64], theirs: &[f64]) -> f64 {
    assert!(!ours.is_empty() && !theirs.is_empty());
    let distances = theirs.iter().enumerate().map(|(k, x)| {
        let ours_below = ours.partition_point(|value| value <= x) as f64 / ours.len() as f64;
        (ours_below - (k + 1) as f64 / theirs.len() as f64).abs()
    });
    distances.fold(0.0, f64::max)
}

/// D of two sorted samples that are completely known.
pub(crate) fn distance(left: &[f64], right: &[f64]) -> f64 {
    assert!(!left.is_empty() && !right.is_empty());
    assert!(left.iter().chain(right).all(|x| !x.is_nan()), "a sample with a NaN");
    let below = |sample: &[f64], x| {
        sample.partition_point(|value| *value <= x) as f64 / sample.len() as f64
    };
    let distances = left.iter().chain(right).map(|&x| (below(left, x) - below(right, x)).abs());
    distances.fold(0.0, f64::max)
}

#[test]
fn distances_by_hand() {
    let ours = [1.0, 2.0, 3.0, 4.0];
    // Every second of eight is known: the distribution functions are 1/4, 2/4, 3/4, 1 there.
    assert_eq!(statistic(&ours, &[1.0, 2.0, 3.0, 4.0]), 0.0);
    assert_eq!(statistic(&ours, &[1.5, 1.7, 3.0, 4.0]), 0.25);
    assert_eq!(statistic(&ours, &[4.0, 4.0, 4.0, 4.0]), 0.75);
    assert_eq!(statistic(&ours, &[-1.0, 0.0, 0.0, 0.5]), 1.0);
    // NaN has the largest distance.
    assert_eq!(statistic(&ours, &[f64::NAN; 4]), 1.0);
    assert_eq!(statistic(&[f64::NAN; 4], &ours), 1.0);
    // Completely known: between 2 and 3 the distribution functions are 2/4 and 0.
    assert_eq!(distance(&ours, &ours), 0.0);
    assert_eq!(distance(&ours, &[3.0, 4.0]), 0.5);
    assert_eq!(distance(&[3.0, 4.0], &ours), 0.5);
    assert_eq!(distance(&ours, &[5.0, 5.0, 5.0]), 1.0);
    // 2 exp(-2 c^2) = 0.0001 for c = 2.2252
    assert!((critical(200, 200) - 0.22252).abs() < 1e-5);
}
