//! The identity of a thread.

use crate::machine;

/// The thread's index in its block.
#[inline(always)]
pub fn index() -> u32 {
    machine::thread_index()
}

/// The block's index in the grid.
#[inline(always)]
pub fn block_index() -> u32 {
    machine::block_index()
}

/// Threads in a block.
#[inline(always)]
pub fn block_dim() -> u32 {
    machine::block_dim()
}

/// Blocks in the grid.
#[inline(always)]
pub fn grid_dim() -> u32 {
    machine::grid_dim()
}

/// The thread's index in the grid.
#[inline(always)]
pub fn global_index() -> u64 {
    u64::from(block_index()) * u64::from(block_dim()) + u64::from(index())
}

/// The thread's lane in its warp.
#[inline(always)]
pub fn lane() -> u32 {
    index() % 32
}

/// The thread's warp in its block.
#[inline(always)]
pub fn warp() -> u32 {
    index() / 32
}

/// The run of this block, and the block's index among the run's, in a launch of `runs` runs with `blocks_per_run`
/// neighbouring blocks each; see [`opaque`].
#[inline(always)]
pub fn run_and_part(runs: u32, blocks_per_run: u32) -> (u32, u32) {
    let block = opaque(block_index());
    // A division takes some twenty instructions, and most launches need none.
    if runs == 1 {
        return (0, block);
    }
    if blocks_per_run <= 1 {
        return (block, 0);
    }
    (block / blocks_per_run, block % blocks_per_run)
}

/// Ends the launch with an error that the host sees.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn abort() -> ! {
    machine::fail("the kernel gave up")
}

/// The same number, opaque to the compiler: values computed from it are computed again.
#[inline(always)]
pub fn opaque(value: u32) -> u32 {
    machine::opaque(value)
}

/// [`opaque`] for a number of two words.
#[inline(always)]
pub fn opaque_wide(value: u64) -> u64 {
    u64::from(opaque((value >> 32) as u32)) << 32 | u64::from(opaque(value as u32))
}
