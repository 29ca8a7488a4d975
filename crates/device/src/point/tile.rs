//! A point in the registers of neighbouring lanes, or of one thread.

use warpswarm_core::Point;
use warpswarm_core::sum::{self, LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};

use super::hidden;
use crate::shared::SharedArray;
use crate::view::DeviceReal;
use crate::{thread, warp};

/// A point spread over `LANES` neighbouring lanes, with `K` coordinates in the registers of each; its methods are
/// collective in the warp.
///
/// Of every 32 coordinates, lane l holds the `32 / LANES` neighbours from `l * 32 / LANES` on: see
/// [`Tile`](warpswarm_core::launch::Tile).
#[derive(Clone, Copy, Debug)]
pub struct TilePoint<R, const LANES: u32, const K: usize> {
    /// The lane's own coordinates.
    pub own: [R; K],
    dimensions: usize,
    /// The memory through which lanes exchange coordinates.
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
    /// Neighbouring coordinates in a lane.
    const TOGETHER: usize = {
        let together = LEAVES / LANES as usize;
        if together < K { together } else { K }
    };

    /// The point with these coordinates. `stage` has a place for each coordinate of the tile, except if the point is
    /// never [shown](TilePoint::show), or if it belongs to one thread and has at most 16 coordinates. A thread with
    /// more coordinates has them in the stage already: see [`of_stage`](TilePoint::of_stage).
    #[inline(always)]
    pub fn new(own: [R; K], dimensions: usize, stage: SharedArray<R>) -> Self {
        TilePoint { own, dimensions, stage }
    }

    /// The point of one thread whose coordinates are in the stage.
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

    /// Stores the coordinates in the stage for the other lanes, for [`Point::get`] and [`Point::sum_of_prefixes`]. The
    /// stage may be used again after the next [`warp::sync`].
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn show(&self) {
        if LANES == 1 {
            return;
        }
        // After this barrier all lanes have read the point before this one.
        warp::sync();
        let mut k = 0;
        while k < K {
            self.stage.set(coordinate::<LANES>(thread::lane(), k) as u32, self.own[k]);
            k += 1;
        }
        warp::sync();
    }

    /// The leaves of this lane, joined within the lane and then over the lanes.
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
        // Registers cannot be indexed at run time. This is a selection among all of them, which the assembler resolves
        // if it knows the index.
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
            // A thread with its own point skips places beyond the end, four at a time.
            if LANES > 1 || K <= 4 || first < self.dimensions {
                let mut k = first;
                while k < K && k < first + 4 {
                    let i = coordinate::<LANES>(thread::lane(), k);
                    let leaf = k % Self::TOGETHER;
                    // Places beyond the end compute the term of the last coordinate, and a selection at the end
                    // discards it: the terms then overlap, where a branch would separate them.
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
            // Leaf by leaf, so that one register holds the lane's part of the join.
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
            // The join of many tiles is as much code as everything before it.
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
            // Opaque, so that the loop is not unrolled: it is long and limited by the latency of additions.
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
