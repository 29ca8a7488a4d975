//! The point at which an objective is evaluated, held by one thread or by several lanes.
//!
//! All forms give the same bits, because they follow the order of [`sum`].

mod column;
mod tile;

use warpswarm_core::sum::{self, LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};
use warpswarm_core::{Point, Real};

use crate::view::{DeviceReal, View};
use crate::{machine, thread, warp};

pub use column::ColumnPoint;
pub use tile::{TilePoint, coordinate};

/// A number of terms that is opaque to the compiler. If it knew the length of a table, it would unroll the loop over
/// hundreds of terms.
#[inline(always)]
fn hidden(n: usize) -> usize {
    thread::opaque(n as u32) as usize
}

/// Coordinate `i` of a point of `dimensions` dimensions. Fails if there is none, because an objective may pass any `i`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn coordinate_at<R: DeviceReal>(row: View<R>, dimensions: usize, i: usize) -> R {
    if i >= dimensions {
        machine::fail("a point has no such coordinate");
    }
    row.get(i)
}

/// Combines `n` terms in the order of [`sum`]; each lane holds a leaf. Collective in the warp.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn fold_by_warp<R: DeviceReal, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    let [folded] = folds_by_warp::<R, O, 1>(n, |i| [term(i)]);
    folded
}

/// The same for several folds, whose terms are loaded together, so that the warp waits for memory once.
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

/// The same for the terms `start..end` of one [tile](TILE), of several folds that load them together. The results are
/// not finished.
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
    /// Computes each prefix again, because the fold asks for them out of order, and registers hold no array.
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
/// A [`warp::sync`] before orders what the lanes wrote into the row.
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
