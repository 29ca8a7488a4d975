//! Value and gradient of an objective at many points; a thread computes those of a point.

use warpswarm_core::data::WithData;
use warpswarm_core::dual::{Differentiable, each_slope};
use warpswarm_core::launch::{GRADIENT_BLOCK, GradientArgs};
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::Scaled;
use warpswarm_device::data::DeviceData;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::ThreadPoint;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use crate::run::whole;

/// The arguments for an objective whose variables are scaled.
pub type Args<R, O> = GradientArgs<R, Scaled<O>>;

/// Computes the objective's value at each point, and its derivative by each coordinate. The bits are those that
/// [`each_slope`] gives on the CPU; the value is [canonical](Fitness::canonical).
///
/// **Mapping.** Threads stride over the points.
///
/// **Arrays.** Points and gradients are `[point][coordinate]`, values `[point]`.
///
/// **Launch.** Any number of blocks of at most [`GRADIENT_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn gradients<R, O>(args: &GradientArgs<R, O>)
where
    R: DeviceReal,
    O: Differentiable<R>,
{
    max_block::<GRADIENT_BLOCK>();
    let at = &args.at;
    let (count, dimensions) = (at.count as usize, at.dimensions as usize);
    let points = whole(at.points, count * dimensions);
    let (values, slopes) = (whole(at.values, count), whole(at.slopes, count * dimensions));
    let mut number = thread::global_index() as usize;
    while number < count {
        // SAFETY: the host upholds that the arrays are as `GradientPoints` says.
        let data = unsafe { DeviceData::of_run(&at.data, number as u32 / at.of_run.max(1)) };
        let row = points.part(number * dimensions, dimensions);
        let into = slopes.part(number * dimensions, dimensions);
        let point = WithData { point: ThreadPoint::new(row, dimensions), data };
        let value = each_slope(&args.objective, &point, dimensions, |i, slope| into.set(i, slope));
        values.set(number, Fitness { violation: R::ZERO, value }.canonical().value);
        number += (thread::grid_dim() * thread::block_dim()) as usize;
    }
}
