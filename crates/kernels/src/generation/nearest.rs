//! The distance of each individual to the nearest other one, after all are placed.

use warpswarm_core::launch::{GenerationArgs, TILE_BLOCKS};
use warpswarm_core::objective::Point;
use warpswarm_core::solis_wets;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::population::{Generation, key_of_block};

/// Numbers of an individual in the methods that use this kernel.
const NUMBERS: usize = 4;

/// Stores [`solis_wets::first_step`] as number 0 of every individual.
///
/// **Mapping.** A warp works on an individual; its lanes compute the distance to one other individual after the other.
/// The warps of a block read the same rows at about the same time, so that each row is fetched once for a block.
///
/// **Arrays.** As [`GenerationArgs`] describes them; memory beyond the population is not needed.
///
/// **Launch.** Any grid, with the arguments of the kernel that placed the individuals. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn nearest<R: DeviceReal>(args: &GenerationArgs<R>) {
    max_block::<{ TILE_BLOCKS[0] }>();
    let generation = &Generation::of_block(args, (0, NUMBERS), key_of_block(args));
    if generation.next().is_none() {
        // The run was not placed in this launch.
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
