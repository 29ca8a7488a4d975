//! Sizes of the streaming schedule whose rows come and go by bulk copies.

use super::Tile;
use crate::real::Float;

/// Particles that a warp brings into shared memory together: a stage.
pub const BULK_PARTICLES: u32 = 8;
/// Stages of a warp: one comes and goes while the other is worked on.
pub const BULK_STAGES: u32 = 2;

/// Where a block that streams by bulk copies keeps things in its shared memory, in bytes. At the beginning are rows,
/// `[warp][stage][array][particle][place]`, for positions, velocities and personal bests; when all particles have moved,
/// the candidates of [`reduction_shared_bytes`](super::reduction_shared_bytes) are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkLayout {
    /// 8-byte words, `[warp][stage]`.
    pub barriers: u32,
    /// The coordinates that lanes show each other, `[group of lanes][coordinate]`.
    pub points: u32,
    /// All of it.
    pub bytes: u32,
}

impl BulkLayout {
    /// The layout for blocks of `block` threads with particles over so many lanes and coordinates, whose rows have `stride`
    /// places.
    #[inline(always)]
    pub const fn new<R: Float>(
        (lanes, dimensions): (u32, u32),
        (block, stride): (u32, u32),
        gathers: bool,
    ) -> Self {
        let number = 4 * R::WORDS as u32;
        let warps = block / 32;
        let barriers = warps * BULK_STAGES * 3 * BULK_PARTICLES * stride * number;
        let points = barriers + warps * BULK_STAGES * 8;
        let shown = if gathers { block / lanes * dimensions * number } else { 0 };
        BulkLayout { barriers, points, bytes: points + shown }
    }

    /// Whether there are such kernels for a tile.
    pub const fn is_for(tile: &Tile) -> bool {
        tile.lanes == 16
    }
}

#[cfg(test)]
mod tests {
    use super::super::reduction_shared_bytes;
    use super::*;

    #[test]
    fn a_block_fits_in_a_multiprocessor_and_candidates_where_rows_were() {
        let bytes = |gathers| BulkLayout::new::<f32>((16, 128), (256, 100), gathers).bytes;
        assert_eq!(bytes(false), 8 * 2 * (3 * 8 * 400 + 8));
        assert_eq!(bytes(true), bytes(false) + 16 * 512);
        assert!(bytes(false) <= 227 * 1024);
        for block in [32, 64, 256] {
            let layout = BulkLayout::new::<f64>((16, 128), (block, 36), true);
            assert!(reduction_shared_bytes::<f64>(block) <= layout.barriers);
            assert!(layout.barriers.is_multiple_of(16) && layout.points.is_multiple_of(16));
        }
    }
}
