//! The point at which an objective is evaluated, as one thread or several lanes hold it.
//!
//! All give the same bits: they follow the order of [`sum`].

mod column;

use warpswarm_core::sum::{self, LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};
use warpswarm_core::{Point, Real};

use crate::shared::SharedArray;
use crate::view::{DeviceReal, View};
use crate::{machine, thread, warp};

pub use column::ColumnPoint;

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
    let mut tiles = Pairwise::<R, TILE_LEVELS>::new::<O>();
    let mut folded = O::identity();
    let mut start = 0;
    while start < n {
        let end = (start + TILE).min(n);
        [folded] = fold_tile_by_warp::<R, O, 1>((start, end), |i| [term(i)]);
        if n > TILE {
            tiles.push::<O>(folded);
        }
        start = end;
    }
    O::finish(if n > TILE { tiles.result::<O>() } else { folded })
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

/// A point spread over `LANES` neighbouring lanes, `K` coordinates in each one's registers; its
/// methods are collective in the warp.
///
/// Lane l holds, of every 32 coordinates, the `32 / LANES` neighbours from `l * 32 / LANES` on: see
/// [`Tile`](warpswarm_core::launch::Tile).
#[derive(Clone, Copy, Debug)]
pub struct TilePoint<R, const LANES: u32, const K: usize> {
    /// The lane's own coordinates.
    pub own: [R; K],
    dimensions: usize,
    /// Where lanes that need each other's coordinates find them.
    pub(crate) stage: SharedArray<R>,
}

/// The coordinate that register `k` of lane `lane % LANES` holds.
#[inline(always)]
pub fn coordinate<const LANES: u32>(lane: u32, k: usize) -> usize {
    let together = (LEAVES as u32 / LANES) as usize;
    let first = (lane % LANES) as usize * together;
    LEAVES * (k / together) + first + k % together
}

impl<R: DeviceReal, const LANES: u32, const K: usize> TilePoint<R, LANES, K> {
    /// Coordinates that a lane holds side by side.
    const TOGETHER: usize = {
        let together = LEAVES / LANES as usize;
        if together < K { together } else { K }
    };

    /// The point with these coordinates; `stage` has a place for each coordinate of the tile, unless
    /// the point is never [shown](TilePoint::show), or a thread has it for itself and it has two at most. A thread that
    /// has more for itself has them in the stage already: see [`of_stage`](TilePoint::of_stage).
    #[inline(always)]
    pub fn new(own: [R; K], dimensions: usize, stage: SharedArray<R>) -> Self {
        TilePoint { own, dimensions, stage }
    }

    /// The point whose coordinates are in the stage, of a thread that has it for itself.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn of_stage(dimensions: usize, stage: SharedArray<R>) -> Self {
        const { assert!(LANES == 1) }
        let mut own = [R::ZERO; K];
        let mut k = 0;
        while k < K {
            if k < dimensions {
                own[k] = stage.get(k as u32);
            }
            k += 1;
        }
        TilePoint { own, dimensions, stage }
    }

    /// Shows the coordinates to the other lanes, for [`Point::get`] and
    /// [`Point::sum_of_prefixes`]; the stage may be used again after the next [`warp::sync`].
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn show(&self) {
        if LANES == 1 {
            return;
        }
        // The point before this one has been read by all.
        warp::sync();
        let mut k = 0;
        while k < K {
            self.stage.set(coordinate::<LANES>(thread::lane(), k) as u32, self.own[k]);
            k += 1;
        }
        warp::sync();
    }

    /// The leaves of this lane, joined within the lane and over the lanes.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn finish<O: Operator<R>>(leaves: [R; K]) -> R {
        // Registers beyond TOGETHER belong to later chunks and are not leaves.
        let mut leaves = leaves;
        let mut width = 1;
        while width < Self::TOGETHER {
            let mut i = 0;
            while i < Self::TOGETHER {
                leaves[i] = O::combine(leaves[i], leaves[i + width]);
                i += 2 * width;
            }
            width *= 2;
        }
        O::finish(warp::join::<R, O, LANES>(leaves[0]))
    }
}

impl<R: DeviceReal, const LANES: u32, const K: usize> Point<R> for TilePoint<R, LANES, K> {
    #[inline(always)]
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn get(&self, i: usize) -> R {
        // Registers have no index that is known only at run time: a choice among two is cheap.
        if LANES > 1 || K > 2 {
            return self.stage.get(i as u32);
        }
        let mut x = self.own[0];
        let mut k = 1;
        while k < K {
            if k == i {
                x = self.own[k];
            }
            k += 1;
        }
        x
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold<O: Operator<R>>(&self, term: impl Fn(usize, R) -> R) -> R {
        let mut leaves = [O::identity(); K];
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(thread::lane(), k);
            let leaf = k % Self::TOGETHER;
            // Places beyond the end go through the motions of the last coordinate: a choice at the end
            // lets the terms overlap, where a branch would part them.
            let term = term(i.min(self.dimensions - 1), self.own[k]);
            let is_there = (i as u32) < self.dimensions as u32;
            let term = if is_there { term } else { O::identity() };
            leaves[leaf] = if k == leaf { term } else { O::combine(leaves[leaf], term) };
            k += 1;
        }
        Self::finish::<O>(leaves)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn fold_terms<O: Operator<R>>(&self, n: usize, term: impl Fn(usize) -> R) -> R {
        if LANES == 1 {
            return sum::fold_in_groups::<R, O>(n, thread::opaque, term);
        }
        let n = hidden(n);
        let mut tiles = Pairwise::<R, TILE_LEVELS>::new::<O>();
        let together = LEAVES as u32 / LANES;
        let mut start = 0;
        while start < n {
            let end = (start + TILE).min(n);
            // Leaf by leaf, so that one register holds the lane's share of the join.
            let mut leaves = Pairwise::<R, 6>::new::<O>();
            let mut c = 0;
            while c < together {
                let mut leaf = O::identity();
                let mut i = start + (thread::lane() % LANES * together + c) as usize;
                while i < end {
                    leaf = O::combine(leaf, term(i));
                    i += LEAVES;
                }
                leaves.push::<O>(leaf);
                c += 1;
            }
            let joined = warp::join::<R, O, LANES>(leaves.result::<O>());
            // The join of many tiles is as long as all of this.
            if n <= TILE {
                return O::finish(joined);
            }
            tiles.push::<O>(joined);
            start = end;
        }
        O::finish(tiles.result::<O>())
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn sum_of_prefixes(&self, element: impl Fn(usize, R) -> R, term: impl Fn(usize, R) -> R) -> R {
        let mut leaves = [R::ZERO; K];
        let mut prefix = R::ZERO;
        let mut chunk = 0;
        while chunk < K / Self::TOGETHER {
            let mut lane = 0;
            // Hidden, so that the loop is not unrolled: it is long and waits for additions anyway.
            while lane < thread::opaque(LANES) {
                let mut c = 0;
                while c < Self::TOGETHER {
                    let k = chunk * Self::TOGETHER + c;
                    let i = coordinate::<LANES>(lane, k);
                    if i < self.dimensions {
                        let x = if LANES > 1 { self.stage.get(i as u32) } else { self.own[k] };
                        prefix += element(i, x);
                        if lane == thread::lane() % LANES {
                            leaves[c] += term(i, prefix);
                        }
                    }
                    c += 1;
                }
                lane += 1;
            }
            chunk += 1;
        }
        Self::finish::<Sum>(leaves)
    }
}
