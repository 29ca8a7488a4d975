//! How far each individual is from its nearest other, once all are placed.

use warpswarm_core::launch::{GenerationArgs, TILE_BLOCKS};
use warpswarm_core::objective::Point;
use warpswarm_core::solis_wets;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::population::{Generation, key_of_block};

/// Numbers of an individual of the methods that ask for it.
const NUMBERS: usize = 4;

/// Puts [`solis_wets::first_step`] into number 0 of every individual.
///
/// Work: a warp an individual, its lanes the coordinates of one other after the other; the blocks as
/// in the other kernels. The others of all warps of a block come from the cache, so that each is
/// fetched once a block; memory beyond the population is not needed.
#[inline(always)]
pub fn nearest<R: DeviceReal>(args: &GenerationArgs<R>) {
    max_block::<{ TILE_BLOCKS[0] }>();
    let generation = &Generation::of_block(args, (0, NUMBERS), key_of_block(args));
    if generation.next().is_none() {
        // It was not placed now.
        return;
    }
    let placed = generation.written_by(0);
    generation.each(|index| {
        let point = WarpPoint::new(placed.row(index), args.dimensions as usize);
        let mut nearest = R::INFINITY;
        let mut other = 0;
        while other < args.individuals {
            let row = placed.row(other);
            let square = point.sum(|i, x| {
                solis_wets::square_in_ranges(x, row.get(i), generation.bounds(i as u32))
            });
            if other != index && square < nearest {
                nearest = square;
            }
            other += 1;
        }
        if thread::lane() == 0 {
            placed.set_number(index, solis_wets::first_step(nearest));
        }
    });
}
