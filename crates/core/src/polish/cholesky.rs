//! The Cholesky factor of a symmetric matrix, and equations solved with it.

use super::store::{Store, sum};
use crate::real::Float;

/// The number of elements in the lower half of an n by n matrix.
pub(super) const fn half(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The offset of row `i` in a lower half; its elements of columns 0 to i follow.
#[inline(always)]
pub(super) fn row(i: usize) -> usize {
    half(i)
}

/// Replaces the lower half of a positive definite matrix A by its factor L, A = L L^T. Returns whether A is positive
/// definite.
///
/// A pivot that is lost in rounding becomes infinite, so that [`solve`] returns zero for its unknown: rows that depend
/// on those before them are left out.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn factor<R: Float, S: Store<R>>(n: usize, matrix: S) -> bool {
    let mut regular = true;
    let smallest = R::from_f64(16.0) * R::from_u32(n as u32) * R::HALF_EPSILON;
    for i in 0..n {
        let own = row(i);
        for j in 0..i {
            let other = row(j);
            let rest =
                matrix.get(own + j) - sum(j, |k| matrix.get(own + k) * matrix.get(other + k));
            matrix.set(own + j, rest / matrix.get(other + j));
        }
        let diagonal = matrix.get(own + i);
        let pivot = diagonal - sum(i, |k| matrix.get(own + k) * matrix.get(own + k));
        let good = pivot > smallest * diagonal && pivot.is_finite();
        matrix.set(own + i, if good { pivot.sqrt() } else { R::INFINITY });
        regular &= good;
    }
    regular
}

/// Replaces b in `vector` by the solution of L L^T x = b.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub(super) fn solve<R: Float, S: Store<R>>(n: usize, matrix: S, vector: S) {
    for i in 0..n {
        let rest = vector.get(i) - sum(i, |k| matrix.get(row(i) + k) * vector.get(k));
        vector.set(i, rest / matrix.get(row(i) + i));
    }
    for i in (0..n).rev() {
        let later = sum(n - 1 - i, |k| {
            let k = i + 1 + k;
            matrix.get(row(k) + i) * vector.get(k)
        });
        vector.set(i, (vector.get(i) - later) / matrix.get(row(i) + i));
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::cells;
    use super::*;

    #[test]
    fn solves_by_hand() {
        // [4 2; 2 5] x = [8; 8]
        let (mut matrix, mut vector) = ([4.0_f64, 2.0, 5.0], [8.0, 8.0]);
        assert!(factor(2, cells(&mut matrix)));
        assert_eq!(matrix, [2.0, 1.0, 2.0]);
        solve(2, cells(&mut matrix), cells(&mut vector));
        assert_eq!(vector, [1.5, 1.0]);
    }

    #[test]
    fn rows_that_depend_on_others_are_left_out() {
        let (mut matrix, mut vector) = ([4.0_f64, 2.0, 1.0, 0.0, 0.0, 2.0], [8.0, 4.0, 6.0]);
        assert!(!factor(3, cells(&mut matrix)));
        solve(3, cells(&mut matrix), cells(&mut vector));
        assert!((vector[0] - 2.0_f64).abs() + vector[1].abs() + (vector[2] - 3.0).abs() < 1e-15);
    }
}
