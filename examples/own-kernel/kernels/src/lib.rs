//! Your own kernel: the sum of many numbers, the smallest of them, and its index. Each level, thread, warp, block and
//! grid, reduces once.
//!
//! The grid may have any number of blocks of whole warps. The result has the same bits for every grid, because the
//! order of the sum depends only on the number of terms, and the order of candidates is total.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use warpswarm_core::launch::Ptr;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::sum::{LEAVES, Operator, Pairwise, Sum, TILE, TILE_LEVELS};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::View;
use warpswarm_device::{block, grid, thread, warp};

/// The kernel's arguments, set by the host. Every array is aligned to 16 bytes, as the driver's allocations are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Args {
    /// The numbers, `[number]`.
    pub numbers: Ptr<f32>,
    /// The sum of each tile of 1,024 numbers, `[tile]`; the kernel writes it.
    pub tiles: Ptr<f32>,
    /// The smallest number of each block, `[block]`; the kernel writes it.
    pub blocks: Ptr<Candidate<f32>>,
    /// A counter, zero before and after the launch.
    pub ticket: Ptr<u32>,
    /// The result; the kernel writes it.
    pub summary: Ptr<Summary>,
    /// The number of numbers, up to [`MAX_TERMS`](warpswarm_core::sum::MAX_TERMS).
    pub count: u32,
}

/// The kernel's result.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// The sum of all numbers.
    pub sum: f32,
    /// The smallest number.
    pub least: f32,
    /// Its index, the lowest one among equal numbers; `u32::MAX` if there are no numbers.
    pub index: u32,
}

/// The operator that selects the better of two candidates.
pub struct Least;

impl Operator<Candidate<f32>> for Least {
    #[inline(always)]
    fn identity() -> Candidate<f32> {
        Candidate::NONE
    }
    #[inline(always)]
    fn combine(a: Candidate<f32>, b: Candidate<f32>) -> Candidate<f32> {
        a.better(b)
    }
}

/// The kernel. Shared memory: one `Candidate<f32>` per thread of the block.
#[inline(always)]
pub fn summarise(args: &Args) {
    const TILE: u32 = self::TILE as u32;
    let (count, tile_count) = (args.count, args.count.div_ceil(TILE));
    let (this_block, block_count) = (thread::block_index(), thread::grid_dim());
    let warps = thread::block_dim() / 32;
    // SAFETY: the host allocates arrays of these lengths, and the shared memory.
    let (numbers, tiles, blocks, ticket, summary, scratch) = unsafe {
        (
            View::new(args.numbers, count as usize),
            View::new(args.tiles, tile_count as usize),
            View::new(args.blocks, block_count as usize),
            View::new(args.ticket, 1).atomic_u32(0, 0),
            View::new(args.summary, 1),
            SharedArray::new(0, thread::block_dim()),
        )
    };
    let (mut best, mut tile) = (Candidate::NONE, this_block * warps + thread::warp());
    while tile < tile_count {
        // Thread: lane l adds the terms l, l + 32, l + 64 and so on of the warp's tile.
        let (mut partial, mut i) = (0.0, tile * TILE + thread::lane());
        while i < count.min((tile + 1) * TILE) {
            let value = numbers.get(i as usize);
            partial += value;
            best = best.better(Candidate::new(Fitness { violation: 0.0, value }, i));
            i += LEAVES as u32;
        }
        // Warp: the 32 lanes add their partial sums, and all receive the result.
        let sum = warp::join::<f32, Sum, 32>(partial);
        if thread::lane() == 0 {
            tiles.set(tile as usize, sum);
        }
        tile += block_count * warps;
    }
    // Block: a tree reduction. Grid: the last block to arrive reduces the results that all blocks have written.
    let best = block::reduce::<_, Least>(best, scratch);
    let offered = (blocks, this_block);
    let best = grid::reduce::<_, Least>(best, offered, ticket, block_count, scratch);
    if let Some(Candidate { fitness, index, .. }) = best
        && thread::index() == 0
    {
        let mut sum = Pairwise::<f32, TILE_LEVELS>::new::<Sum>();
        for tile in 0..tile_count {
            sum.push::<Sum>(tiles.get(tile as usize));
        }
        let sum = Sum::finish(sum.result::<Sum>());
        summary.set(0, Summary { sum, least: fitness.value, index });
    }
}

warpswarm_device::entries! {
    /// The kernels that the emulator can launch. On a GPU, each is an entry with this name.
    pub fn entries { "summarise" => |args: Args| summarise(&args), }
}

/// A panic would abort the launch; no code here can panic.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    thread::abort()
}
