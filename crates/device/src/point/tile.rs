//! A point that neighbouring lanes have together, or a thread for itself, in registers.

use warpswarm_core::Point;
use warpswarm_core::sum::{self, LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};

use super::hidden;
use crate::shared::SharedArray;
use crate::view::DeviceReal;
use crate::{thread, warp};

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
    /// the point is never [shown](TilePoint::show), or a thread has it for itself and it has 16 at most. A thread that
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
        // Registers have no index that is known only at run time: it is a choice among all, which the assembler makes where it
        // knows the index.
        if LANES > 1 || K > 16 {
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
        let mut first = 0;
        while first < K {
            // A thread that has the point for itself leaves out what is beyond the end, four after four.
            if LANES > 1 || K <= 4 || first < self.dimensions {
                let mut k = first;
                while k < K && k < first + 4 {
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
            }
            first += 4;
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
