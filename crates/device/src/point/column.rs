//! A point of one thread in shared memory.

use warpswarm_core::launch::column_place;
use warpswarm_core::objective::Point;
use warpswarm_core::sum::{self, Operator, Pairwise, Sum};

use crate::shared::SharedArray;
use crate::thread;
use crate::view::DeviceReal;

/// A point of up to [`LEAVES`](sum::LEAVES) coordinates in a thread's own column of shared memory.
///
/// Column: `[quad][3][4]`. The first four places of each quad are coordinates; those beyond the dimensions may have any
/// value.
#[derive(Clone, Copy, Debug)]
pub struct ColumnPoint<R> {
    pub(crate) column: SharedArray<R>,
    dimensions: usize,
}

impl<R: DeviceReal> ColumnPoint<R> {
    /// The point of `dimensions` dimensions in `column`, which begins at a multiple of 16 bytes and has at least
    /// [`column_len`](warpswarm_core::launch::column_len) places.
    #[inline(always)]
    pub fn new(column: SharedArray<R>, dimensions: usize) -> Self {
        ColumnPoint { column, dimensions }
    }
}

impl<R: DeviceReal> Point<R> for ColumnPoint<R> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn get(&self, i: usize) -> R {
        self.column.get(column_place(i as u32))
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        // A loop: unrolled, the terms of a long objective would take a hundred kilobytes of code.
        let four = |first| self.column.get4(column_place(first));
        sum::fold_few::<R, O>(self.dimensions, thread::opaque, four, term)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        sum::fold_in_groups::<R, O>(n, thread::opaque, term)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        let mut leaves = Pairwise::<R, 6>::new::<Sum>();
        let mut prefix = R::ZERO;
        let mut i = 0;
        while i < self.dimensions {
            prefix += element(i, self.get(i));
            leaves.push::<Sum>(term(i, prefix));
            i += 1;
        }
        <Sum as Operator<R>>::finish(leaves.result::<Sum>())
    }
}
