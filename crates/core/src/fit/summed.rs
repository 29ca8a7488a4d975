//! The accumulator of each precision.

use super::accumulate::{Accumulator, BLOCK, Normal};
use super::triangular::Triangular;
use crate::real::Float;

/// A precision with its accumulator for fits, the same on every machine.
///
/// `f32` uses [`Normal`] equations, which cost least. `f64` uses [`Triangular`] factors, which keep all digits of the
/// data.
///
/// ```
/// use warpswarm_core::fit::{Normal, Summed, Triangular};
/// fn size<R: Summed>() -> usize {
///     size_of::<R::Sums<3>>()
/// }
/// assert_eq!(size::<f32>(), size_of::<Normal<f32, 3>>());
/// assert_eq!(size::<f64>(), size_of::<Triangular<f64, 3>>());
/// ```
pub trait Summed: Float {
    /// Sums over rows, with derivatives by `N` parameters.
    type Sums<const N: usize>: Accumulator<Self, N> + Send + Sync;
}

impl Summed for f32 {
    type Sums<const N: usize> = Normal<f32, N>;
}

impl Summed for f64 {
    type Sums<const N: usize> = Triangular<f64, N>;
}

/// Sums over all blocks of rows, where `part` returns a block's sums, in the order of [`sum_rows`](super::sum_rows).
///
/// ```
/// use warpswarm_core::fit::{BLOCK, Normal, Term, sum_all, sum_block, sum_rows};
/// let row = |k: usize| (Term::squared(k as f64, 1.0), [k as f64]);
/// let rows = 70_000_usize;
/// let by_blocks: Normal<f64, 1> = sum_all(rows.div_ceil(BLOCK), |block| sum_block(rows, block, &row));
/// let on_one_thread: Normal<f64, 1> = sum_rows(rows, &row);
/// assert_eq!(by_blocks, on_one_thread);
/// ```
pub fn sum_all<R: Float, A: Accumulator<R, N>, const N: usize>(
    blocks: usize,
    mut part: impl FnMut(usize) -> A,
) -> A {
    let mut sums = A::empty();
    for first in (0..blocks).step_by(BLOCK) {
        let mut group = part(first);
        for block in first + 1..blocks.min(first + BLOCK) {
            add(&mut group, &part(block));
        }
        if first == 0 {
            sums = group;
        } else {
            add(&mut sums, &group);
        }
    }
    sums
}

/// Adds sums to others, as a function that is not inlined: it is long for many parameters.
#[inline(never)]
fn add<R: Float, A: Accumulator<R, N>, const N: usize>(sums: &mut A, later: &A) {
    sums.combine(later);
}
