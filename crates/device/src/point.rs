//! The point at which an objective is evaluated, as one thread or several lanes hold it.
//!
//! All give the same bits: they follow the order of [`sum`].

mod column;
mod tile;

use warpswarm_core::sum::{self, LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};
use warpswarm_core::{Point, Real};

use crate::view::{DeviceReal, View};
use crate::{machine, thread, warp};

pub use column::ColumnPoint;
pub use tile::{TilePoint, coordinate};

/// A number of terms that the compiler does not know: where it is that of a table, the compiler would
/// write out the loop, hundreds of terms long.
#[inline(always)]
fn hidden(n: usize) -> usize {
    thread::opaque(n as u32) as usize
}

/// Coordinate `i` of a point of so many dimensions, for an objective, which may ask for what is not there.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn coordinate_at<R: DeviceReal>(row: View<R>, dimensions: usize, i: usize) -> R {
    if i >= dimensions {
        machine::fail("a point has no such coordinate");
    }
    row.get(i)
}

/// Combines `n` terms in the order of [`sum`], a leaf a lane. Collective in the warp.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn fold_by_warp<R: DeviceReal, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    let [folded] = folds_by_warp::<R, O, 1>(n, |i| [term(i)]);
    folded
}

/// The same for several folds, which load their terms together: the warp waits for memory once.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn folds_by_warp<R: DeviceReal, O: Operator<R>, const N: usize>(
    n: usize,
    terms: impl Fn(usize) -> [R; N],
) -> [R; N] {
    let mut tiles = [Pairwise::<R, TILE_LEVELS>::new::<O>(); N];
    let mut folded = [O::identity(); N];
    let mut start = 0;
    while start < n {
        let end = (start + TILE).min(n);
        folded = fold_tile_by_warp::<R, O, N>((start, end), &terms);
        let mut k = 0;
        while n > TILE && k < N {
            tiles[k].push::<O>(folded[k]);
            k += 1;
        }
        start = end;
    }
    let mut k = 0;
    while k < N {
        folded[k] = O::finish(if n > TILE { tiles[k].result::<O>() } else { folded[k] });
        k += 1;
    }
    folded
}

/// The same of the terms of one [tile](TILE), from the first to the one before the end, of several folds that ask for them together; the
/// results are not finished.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn fold_tile_by_warp<R: DeviceReal, O: Operator<R>, const N: usize>(
    (start, end): (usize, usize),
    terms: impl Fn(usize) -> [R; N],
) -> [R; N] {
    let mut leaves = [O::identity(); N];
    let mut i = start + thread::lane() as usize;
    while i < end {
        let terms = terms(i);
        let mut k = 0;
        while k < N {
            leaves[k] = O::combine(leaves[k], terms[k]);
            k += 1;
        }
        i += LEAVES;
    }
    let mut k = 0;
    while k < N {
        leaves[k] = warp::join::<R, O, 32>(leaves[k]);
        k += 1;
    }
    leaves
}

/// A point in a row of global memory, evaluated by one thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadPoint<R> {
    pub(crate) row: View<R>,
    dimensions: usize,
}

impl<R: DeviceReal> ThreadPoint<R> {
    /// The point in the first `dimensions` places of `row`.
    #[inline(always)]
    pub fn new(row: View<R>, dimensions: usize) -> Self {
        ThreadPoint { row, dimensions }
    }
}

impl<R: DeviceReal> Point<R> for ThreadPoint<R> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn get(&self, i: usize) -> R {
        coordinate_at(self.row, self.dimensions, i)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        sum::fold_in_registers::<R, O>(self.dimensions, |i| term(i, self.row.get(i)))
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        sum::fold_in_groups::<R, O>(n, thread::opaque, term)
    }
    /// Adds each prefix anew: the fold asks for them out of order, and registers hold no array.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        self.sum_of_other_prefixes(self.dimensions, |i| element(i, self.row.get(i)), term)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold_others<T: Real, O: Operator<T>>(&self, n: usize, term: impl Fn(usize) -> T) -> T {
        sum::fold_in_groups::<T, O>(n, thread::opaque, term)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sum_of_other_prefixes<T: Real>(
        &self,
        n: usize,
        element: impl Fn(usize) -> T,
        term: impl Fn(usize, T) -> T,
    ) -> T {
        sum::fold_in_registers::<T, Sum>(n, |i| {
            let mut prefix = T::ZERO;
            let mut j = 0;
            while j <= i {
                prefix += element(j);
                j += 1;
            }
            term(i, prefix)
        })
    }
}

/// A point in a row of global memory, evaluated by a warp; its methods are collective.
///
/// What the lanes wrote into the row is ordered by a [`warp::sync`] before.
#[derive(Clone, Copy, Debug)]
pub struct WarpPoint<R> {
    pub(crate) row: View<R>,
    dimensions: usize,
}

impl<R: DeviceReal> WarpPoint<R> {
    /// The point in the first `dimensions` places of `row`.
    #[inline(always)]
    pub fn new(row: View<R>, dimensions: usize) -> Self {
        WarpPoint { row, dimensions }
    }
}

impl<R: DeviceReal> Point<R> for WarpPoint<R> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.dimensions
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn get(&self, i: usize) -> R {
        coordinate_at(self.row, self.dimensions, i)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        fold_by_warp::<R, O>(self.dimensions, |i| term(i, self.row.get(i)))
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        fold_by_warp::<R, O>(hidden(n), term)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        let mut tiles = Pairwise::<R, TILE_LEVELS>::new::<Sum>();
        let (mut prefix, mut i) = (R::ZERO, 0);
        while i < self.dimensions {
            let end = (i + TILE).min(self.dimensions);
            let mut leaf = R::ZERO;
            while i < end {
                prefix += element(i, self.row.get(i));
                if i % LEAVES == thread::lane() as usize {
                    leaf += term(i, prefix);
                }
                i += 1;
            }
            tiles.push::<Sum>(warp::join::<R, Sum, 32>(leaf));
        }
        <Sum as Operator<R>>::finish(tiles.result::<Sum>())
    }
}
