//! Quartiles of ordered values.

/// The quartiles of some runs.
///
/// ```
/// use warpswarm_statistics::{Quartiles, quartiles};
/// let values: [f64; 5] = [1.0, 2.0, 3.0, 5.0, 8.0];
/// let found = quartiles(&values, |better, worse, part| better + part * (worse - better));
/// assert_eq!(found, Some(Quartiles { best: 1.0, first: 2.0, median: 3.0, third: 5.0, worst: 8.0 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles<T> {
    /// The best.
    pub best: T,
    /// A quarter of the runs is at least as good.
    pub first: T,
    /// The median.
    pub median: T,
    /// Three quarters of the runs are at least as good.
    pub third: T,
    /// The worst.
    pub worst: T,
}

/// The quartiles of values that are sorted, best first; `None` if there are no values.
///
/// The quantile q of n values is at place (n - 1) q, as in R's type 7 and NumPy. `between` interpolates between two
/// neighbours: from the better, the worse, and the fraction of the way from the better to the worse.
///
/// ```
/// use warpswarm_statistics::quartiles;
/// // Between two results there is none: the worse one counts.
/// let found = quartiles(&["gold", "silver", "bronze", "wood"], |_, worse, _| worse).expect("there are some");
/// assert_eq!((found.first, found.median, found.third), ("silver", "bronze", "wood"));
/// assert!(quartiles::<f64>(&[], |better, _, _| better).is_none());
/// ```
pub fn quartiles<T: Copy>(sorted: &[T], between: impl Fn(T, T, f64) -> T) -> Option<Quartiles<T>> {
    let last = sorted.len().checked_sub(1)?;
    let at = |quarters: usize| {
        let (place, rest) = (last * quarters / 4, last * quarters % 4);
        match rest {
            0 => sorted[place],
            _ => between(sorted[place], sorted[place + 1], rest as f64 / 4.0),
        }
    };
    Some(Quartiles { best: at(0), first: at(1), median: at(2), third: at(3), worst: at(4) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(a: f64, b: f64, part: f64) -> f64 {
        a + (b - a) * part
    }

    /// NumPy 2.4.6's `quantile([1, 2, 4, 8, 16, 32], [0, 0.25, 0.5, 0.75, 1])` is [1, 2.5, 6, 14, 32].
    #[test]
    fn between_neighbours() {
        let of = quartiles(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], linear).unwrap();
        assert_eq!([of.best, of.first, of.median, of.third, of.worst], [1.0, 2.5, 6.0, 14.0, 32.0]);
        let of = quartiles(&[1.0, 2.0, 4.0, 8.0, 16.0], linear).unwrap();
        assert_eq!([of.best, of.first, of.median, of.third, of.worst], [1.0, 2.0, 4.0, 8.0, 16.0]);
    }

    #[test]
    fn of_one_and_of_none() {
        let of = quartiles(&[7.0], linear).unwrap();
        assert_eq!([of.best, of.first, of.median, of.third, of.worst], [7.0; 5]);
        assert_eq!(quartiles::<f64>(&[], linear), None);
    }
}
