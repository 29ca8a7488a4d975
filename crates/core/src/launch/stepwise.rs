//! What host and the papers' kernels of the schedule `stepwise` share; CPSO's are in
//! [`pso_kernels`](super::pso_kernels).

use super::{column_len, column_place, generation_stage, proposal_place, proposals_len};
use crate::real::Float;

/// The names and the launch contracts of the papers' own kernels for methods.
///
/// An entry's name consists of the method's name, the precision and the kernel's name, such as
/// `gpu_fwa_f32_explosions`. The arguments are [`MethodArgs`](super::MethodArgs). Blocks have a multiple of 32 threads,
/// at most [`MAX_BLOCK`](super::MAX_BLOCK). The kernel of the tile [`ANY`](super::MethodTile::ANY) with `iterations`
/// zero places the individuals.
pub mod stepwise_kernels {
    /// GPU-FWA, Algorithm 1, lines 3 and 10: the amplitudes of all fireworks, by equation 1. A lane for each firework,
    /// striding over the run's blocks; no shared memory. Before the first explosion of a cycle; at other times it does
    /// nothing.
    pub const AMPLITUDES: &str = "amplitudes";
    /// GPU-FWA, Algorithm 2: up to `iterations` explosions of every firework, until the next mutation. A warp for each
    /// firework, a lane for each spark; warps stride over the run's blocks; shared memory as in
    /// [`SparksLayout`](super::SparksLayout). Evaluates, in the form `column`.
    pub const EXPLOSIONS: &str = "explosions";
    /// GPU-FWA, Algorithm 3: the attract-repulse mutation, if one is due. A warp for each firework, with a coordinate
    /// in each lane at a time; shared memory as in [`MethodTile::ANY`](crate::launch::MethodTile::ANY). Evaluates, in
    /// the form `warp`.
    pub const MUTATION: &str = "mutation";
    /// CMEPSO, Algorithm 3, the part of an iteration for the particles of the slave swarms. A block for each swarm, a
    /// thread for each particle, striding; a grid has `runs` times as many blocks as there are slaves. Writes the best
    /// with which every slave began the iteration to `block_best`; shared memory:
    /// [`reduction_shared_bytes`](crate::launch::reduction_shared_bytes). Evaluates, in the form `thread`.
    pub const SLAVES: &str = "slaves";
    /// CMEPSO, Algorithm 3, the part of an iteration for the particles of the master swarm; it ends the iteration. A
    /// block for each run, a thread for each particle, striding, with the same arguments as [`SLAVES`] before it.
    /// Evaluates, in the form `thread`.
    pub const MASTER: &str = "master";
}

/// The shared memory of a block of GPU-FWA's explosions: a candidate for each thread, then for each warp its firework
/// and its sparks, each of them contiguous (section 3.3.2 of the paper, Figure 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparksLayout {
    /// The number of coordinates.
    dimensions: u32,
    /// The number of sparks of a firework.
    sparks: u32,
}

impl SparksLayout {
    /// The largest number of dimensions, that of a [column](super::column_place).
    pub const DIMENSIONS: u32 = super::MethodTile::THREAD.dimensions;

    /// The layout for fireworks with these numbers of coordinates and sparks.
    #[inline(always)]
    pub const fn new(dimensions: u32, sparks: u32) -> Self {
        SparksLayout { dimensions, sparks }
    }

    /// The offset of the fireworks, in bytes, in a block of `block` threads.
    #[inline(always)]
    pub const fn start<R: Float>(&self, block: u32) -> u32 {
        generation_stage::<R>(block)
    }

    /// The number of places of a firework; its sparks come after it.
    #[inline(always)]
    pub const fn firework_len(&self) -> u32 {
        self.dimensions.next_multiple_of(4)
    }

    /// The number of places of a firework and its sparks.
    #[inline(always)]
    pub const fn len(&self) -> u32 {
        self.firework_len() + proposals_len(self.sparks, self.dimensions)
    }

    /// Whether the layout is empty; never.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offset of a spark from its firework, and its number of places; [`column_place`] gives a coordinate's place
    /// in it.
    #[inline(always)]
    pub const fn spark(&self, number: u32) -> (u32, u32) {
        (self.firework_len() + proposal_place(number, self.dimensions), column_len(self.dimensions))
    }

    /// The offset of coordinate `i` of a spark from its firework.
    #[inline(always)]
    pub const fn place(&self, number: u32, i: u32) -> u32 {
        self.spark(number).0 + column_place(i)
    }

    /// Shared memory of a block of `block` threads, in bytes.
    pub const fn bytes<R: Float>(&self, block: u32) -> u32 {
        self.start::<R>(block) + block / 32 * self.len() * 4 * R::WORDS as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn sparks_lie_apart_and_in_their_warp() {
        for dimensions in 1..=SparksLayout::DIMENSIONS {
            for sparks in [1, 2, 16, 32, 64] {
                let layout = SparksLayout::new(dimensions, sparks);
                let mut places: Vec<u32> = (0..layout.firework_len()).collect();
                let of = |spark| (0..dimensions).map(move |i| layout.place(spark, i));
                places.extend((0..sparks).flat_map(of));
                let all = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), all, "{layout:?}");
                assert!(places.iter().all(|&place| place < layout.len()), "{layout:?}");
                let (start, len) = layout.spark(sparks - 1);
                assert!(
                    start + len <= layout.len() && layout.len().is_multiple_of(4),
                    "{layout:?}"
                );
            }
        }
    }

    #[test]
    fn shared_memory_by_hand() {
        // Two warps, each with a firework of 32 places and 16 sparks of 30 coordinates in six groups of 108 places.
        let each = 32 + 6 * 108 + 8;
        let layout = SparksLayout::new(30, 16);
        assert_eq!(layout.bytes::<f32>(64), 66 * 16 + 2 * each * 4);
        assert_eq!(layout.bytes::<f64>(32), 34 * 24 + each * 8);
    }
}
