//! Code shared by the program and its test: launches of the kernel [in the emulator](emulated) and [on a GPU](gpu), and
//! the same reduction on one thread.

pub mod emulated;
pub mod gpu;

pub use summary::Summary;
use warpswarm_core::order::Candidate;
use warpswarm_core::sum::{LEAVES, TILE};
use warpswarm_device::shared::Stored;

/// The grid of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The number of blocks, at least 1.
    pub blocks: u32,
    /// The number of threads per block, a multiple of 32 up to 1,024.
    pub threads: u32,
}

impl Grid {
    /// The shared memory per block that the kernel needs, in bytes.
    fn shared_bytes(self) -> u32 {
        self.threads * Candidate::<f32>::BYTES
    }
}

/// Deterministic numbers of both signs and of various magnitudes.
pub fn numbers(count: usize) -> Vec<f32> {
    let number = |i: u64| {
        let mut z = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z ^= z >> 32;
        let size = [1e-3, 1.0, 7.0, 1e4][(z >> 40) as usize % 4];
        ((z % 2_000_001) as f32 - 1e6) * 1e-6 * size
    };
    (0..count as u64).map(number).collect()
}

/// The same reduction on one thread, with plain loops.
pub fn serially(numbers: &[f32]) -> Summary {
    let tiles = numbers.chunks(TILE).map(|tile| {
        let mut leaves = vec![0.0; LEAVES];
        for (i, x) in tile.iter().enumerate() {
            leaves[i % LEAVES] += x;
        }
        pairwise(leaves)
    });
    let sum = pairwise(tiles.collect()) + 0.0;
    let (mut least, mut index) = (f32::NAN, u32::MAX);
    for (i, &x) in (0..).zip(numbers) {
        if index == u32::MAX || x < least || (least.is_nan() && !x.is_nan()) {
            (least, index) = (x, i);
        }
    }
    Summary { sum, least, index }
}

/// Adds pairs of neighbours until one number is left.
fn pairwise(mut row: Vec<f32>) -> f32 {
    while row.len() > 1 {
        row = row.chunks(2).map(|pair| pair[0] + pair.get(1).unwrap_or(&0.0)).collect();
    }
    row.first().copied().unwrap_or(0.0)
}

/// Whether two results have the same bits.
pub fn is_same(a: Summary, b: Summary) -> bool {
    let bits = |s: Summary| (s.sum.to_bits(), s.least.to_bits(), s.index);
    bits(a) == bits(b)
}
