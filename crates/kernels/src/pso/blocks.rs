//! The blocks that share a run, and the memory (a board) through which they exchange results.

use warpswarm_core::launch::{cluster_board_len, pso_slots_len};
use warpswarm_device::cluster::{self, NearBoard};
use warpswarm_device::grid::Board;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};

use super::Swarm;
use crate::run::of_run;

/// The blocks of a run.
pub trait Blocks {
    /// Whether there are several.
    const SEVERAL: bool;
    /// The board of their exchange, divided as [`pso_slots_len`] describes.
    type Board: Board;

    /// Words of shared memory for the board, for rows of at most `row` places.
    fn board_len<R: DeviceReal>(row: u32) -> u32 {
        let _ = row;
        0
    }

    /// The board; `near` is its place in shared memory.
    fn board<R: DeviceReal, const CONSTRAINED: bool>(
        swarm: &Swarm<'_, R>,
        near: SharedArray<u64>,
    ) -> Self::Board;

    /// Prepares the board before its first use; collective among the blocks.
    fn begin<R: DeviceReal>(swarm: &Swarm<'_, R>, near: SharedArray<u64>, row: u32) {
        let _ = (swarm, near, row);
    }

    /// Called after the last use of the board; collective among the blocks.
    fn end() {}
}

/// Blocks whose board is in global memory. Tags continue from launch to launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Far<const SEVERAL: bool>;

/// A single block, which exchanges nothing.
pub(super) type One = Far<false>;

/// The blocks of a cooperative grid.
pub(super) type Grid = Far<true>;

/// The blocks of a cluster: each has a copy of the board in its shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cluster;

impl<const SEVERAL: bool> Blocks for Far<SEVERAL> {
    const SEVERAL: bool = SEVERAL;
    type Board = View<u64>;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn board<R: DeviceReal, const CONSTRAINED: bool>(
        swarm: &Swarm<'_, R>,
        _near: SharedArray<u64>,
    ) -> View<u64> {
        let (blocks, stride) = (u64::from(swarm.args.blocks_per_run), swarm.args.stride);
        let words = pso_slots_len::<R>(CONSTRAINED, 1, blocks, stride);
        of_run(swarm.args.slots, swarm.args.runs, swarm.run, words as usize)
    }
}

impl Blocks for Cluster {
    const SEVERAL: bool = true;
    type Board = NearBoard;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn board_len<R: DeviceReal>(row: u32) -> u32 {
        cluster_board_len::<R>(row)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn board<R: DeviceReal, const CONSTRAINED: bool>(
        swarm: &Swarm<'_, R>,
        near: SharedArray<u64>,
    ) -> NearBoard {
        NearBoard::new(near, swarm.args.blocks_per_run)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn begin<R: DeviceReal>(swarm: &Swarm<'_, R>, near: SharedArray<u64>, row: u32) {
        cluster::needed();
        NearBoard::new(near, swarm.args.blocks_per_run).clear(Self::board_len::<R>(row));
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn end() {
        cluster::sync();
    }
}
