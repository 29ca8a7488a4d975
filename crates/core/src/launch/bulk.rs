//! Sizes of the streaming schedule that loads and stores rows by bulk copies.

use super::Tile;
use crate::real::Float;

/// The number of particles that a warp loads into shared memory together: a stage.
pub const BULK_PARTICLES: u32 = 8;
/// The number of stages of a warp: one is being copied while the warp computes with the other.
pub const BULK_STAGES: u32 = 2;

/// The shared memory of a block that streams by bulk copies, as offsets in bytes. It begins with the rows,
/// `[warp][stage][array][particle][place]`, of positions, velocities and personal bests. When all particles have moved,
/// the candidates of [`reduction_shared_bytes`](super::reduction_shared_bytes) replace them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkLayout {
    /// 8-byte words, `[warp][stage]`.
    pub barriers: u32,
    /// The coordinates that lanes exchange, `[group of lanes][coordinate]`.
    pub points: u32,
    /// The size of all parts together.
    pub bytes: u32,
}

impl BulkLayout {
    /// The layout for blocks of `block` threads, with particles of this many lanes and coordinates, whose rows have
    /// `stride` places.
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

    /// Whether these kernels exist for a tile.
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
