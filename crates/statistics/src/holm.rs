//! Adjusting p-values for several tests.

/// The p-values adjusted for multiple tests, in the order of the given ones, none of them NaN. If those of at most 0.05
/// are called significant, the probability that at least one of them is a false positive is at most 0.05.
///
/// The i-th smallest of m, with i from 0, is multiplied by m - i; none is smaller than the previous one or above 1.
///
/// **Source.** S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6, 1979.
///
/// ```
/// use warpswarm_statistics::holm;
/// // 2 x 0.01, and 1 x 0.04.
/// assert_eq!(holm(&[0.04, 0.01]), [0.04, 0.02]);
/// assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, &i) in order.iter().enumerate() {
        least = least.max(p[i] * (p.len() - rank) as f64).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.01 x 4, 0.02 x 3, 0.03 x 2; 0.04 x 1 is less than the previous one. The same as statsmodels 0.15.0.
    #[test]
    fn by_hand() {
        assert_eq!(holm(&[0.03, 0.01, 0.04, 0.02]), [0.06, 0.04, 0.06, 0.06]);
        assert_eq!(holm(&[0.5, 0.75]), [1.0, 1.0]);
        assert_eq!(holm(&[0.5]), [0.5]);
        assert!(holm(&[]).is_empty());
    }
}
