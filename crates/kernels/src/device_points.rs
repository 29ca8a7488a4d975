//! Points that other code evaluates on the same device: the kernels before and after.

use warpswarm_core::launch::{DEVICE_POINTS_BLOCK, HandOutArgs, Ptr, TakeInArgs};
use warpswarm_core::order::Fitness;
use warpswarm_core::variable::{SHOWN, shown};
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::whole;

/// Writes the points in the user's scales and without gaps, for other code to evaluate.
///
/// **Mapping.** Warps stride over the points; lanes stride over the coordinates.
///
/// **Arrays.** As [`HandOutArgs`] describes them: `asked: [place][coordinate]` in rows of `stride`, `points:
/// [point][coordinate]`.
///
/// **Launch.** Any number of blocks of a multiple of 32 threads, at most [`DEVICE_POINTS_BLOCK`]. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn hand_out<R: DeviceReal>(args: &HandOutArgs<R>) {
    max_block::<DEVICE_POINTS_BLOCK>();
    let [count, all, dimensions, stride] =
        [args.count, args.all, args.dimensions, args.stride].map(|n| n as usize);
    let asked = whole(args.asked, all * stride);
    let points = whole(args.points, count * dimensions);
    let places = Places::new(args.places, count);
    let scaled = args.shown.address != 0;
    let scales = whole(args.shown, if scaled { dimensions * SHOWN } else { 0 });
    let warps_of_block = (thread::block_dim() / 32) as usize;
    let mut point = thread::block_index() as usize * warps_of_block + thread::warp() as usize;
    while point < count {
        let row = places.of(point) * stride;
        let mut i = thread::lane() as usize;
        while i < dimensions {
            let x = asked.get(row + i);
            let x = if scaled {
                shown(core::array::from_fn(|k| scales.get(i * SHOWN + k)), x)
            } else {
                x
            };
            points.set(point * dimensions + i, x);
            i += 32;
        }
        point += thread::grid_dim() as usize * warps_of_block;
    }
}

/// Reads the values that other code has computed, and stores them as fitness.
///
/// **Mapping.** Threads stride over the points.
///
/// **Arrays.** As [`TakeInArgs`] describes them: `values` and `violations: [point]`, `told: [place]`.
///
/// **Launch.** Any number of blocks of at most [`DEVICE_POINTS_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn take_in<R: DeviceReal>(args: &TakeInArgs<R>) {
    max_block::<DEVICE_POINTS_BLOCK>();
    let (count, all) = (args.count as usize, args.all as usize);
    let values = whole(args.values, count);
    let constrained = args.violations.address != 0;
    let violations = whole(args.violations, if constrained { count } else { 0 });
    let places = Places::new(args.places, count);
    let told = whole(args.told, all);
    let mut point = thread::global_index() as usize;
    while point < count {
        let value = values.get(point);
        // A subtraction, so that zero stays +0.
        let value = if args.maximises != 0 { R::ZERO - value } else { value };
        let violation = if constrained { violations.get(point) } else { R::ZERO };
        told.set(places.of(point), Fitness { violation, value }.canonical());
        point += thread::grid_dim() as usize * thread::block_dim() as usize;
    }
}

/// The place of each point.
#[derive(Clone, Copy)]
struct Places {
    listed: bool,
    list: View<u32>,
}

impl Places {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(list: Ptr<u32>, count: usize) -> Self {
        let listed = list.address != 0;
        Places { listed, list: whole(list, if listed { count } else { 0 }) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(&self, point: usize) -> usize {
        if self.listed { self.list.get(point) as usize } else { point }
    }
}

warpswarm_device::entries! {
    /// The entries: [`hand_out`] and [`take_in`] in both precisions.
    pub fn common {
        "hand_out_f32" => |args: HandOutArgs<f32>| hand_out(&args),
        "hand_out_f64" => |args: HandOutArgs<f64>| hand_out(&args),
        "take_in_f32" => |args: TakeInArgs<f32>| take_in(&args),
        "take_in_f64" => |args: TakeInArgs<f64>| take_in(&args),
    }
}
