//! Whether a population has converged, as `warpswarm_cpu_ref::restarts` decides it on the CPU.

use warpswarm_core::cma_es::comparable;
use warpswarm_core::launch::{ConvergenceArgs, MIGRATION_BLOCK};
use warpswarm_core::order::Fitness;
use warpswarm_core::restart;
use warpswarm_core::sum::{Largest, Least};
use warpswarm_device::entry::max_block;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use crate::run::bounds_of_run;
use crate::run_state::RunState;

/// The points and the fitness that individuals keep.
#[derive(Clone, Copy)]
pub(crate) struct Population<R> {
    /// `[individual]`
    pub(crate) fitness: View<Fitness<R>>,
    /// `[individual][place]`
    pub(crate) points: View<R>,
    pub(crate) individuals: u32,
    pub(crate) dimensions: u32,
    /// Places in a row.
    pub(crate) stride: u32,
}

impl<R: DeviceReal> Population<R> {
    /// Whether the population has [come together](restart::is_one_value) within these bounds. By the whole block; all its
    /// threads get the same result.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn has_converged(&self, bounds: impl Fn(u32) -> (R, R)) -> bool {
        // First only up to 32 individuals are compared: if these are apart, the population has not converged.
        let mut n = self.individuals.min(32);
        loop {
            let violations = spread(n, |i| self.fitness.get(i as usize).counted());
            let values = spread(n, |i| self.fitness.get(i as usize).value);
            let mut is_apart = false;
            if !restart::is_one_value(violations, values) {
                let mut c = thread::warp();
                while c < self.dimensions {
                    let place =
                        |i: u32| self.points.get(i as usize * self.stride as usize + c as usize);
                    is_apart |= !restart::is_one_place(spread(n, place), bounds(c));
                    c += thread::block_dim() / 32;
                }
            }
            if block::sync_or(is_apart) {
                return false;
            }
            if n == self.individuals {
                return true;
            }
            n = self.individuals;
        }
    }
}

/// The least and the largest of `count` numbers; by one warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn spread<R: DeviceReal>(count: u32, of: impl Fn(u32) -> R) -> (R, R) {
    let (mut least, mut most) = (R::INFINITY, R::ZERO - R::INFINITY);
    let mut i = thread::lane();
    while i < count {
        let x = comparable(of(i));
        (least, most) = (least.smaller(x), most.larger(x));
        i += 32;
    }
    (warp::join::<R, Least, 32>(least), warp::join::<R, Largest, 32>(most))
}

/// Decides for each run whether its population has converged.
///
/// **Mapping.** A block works on a run; a warp compares one coordinate at a time, its lanes stride over the
/// individuals.
///
/// **Arrays.** As [`ConvergenceArgs`] and `RunStateArgs` describe them; writes `come_together: [run]`.
///
/// **Launch.** `runs` blocks of a multiple of 32 threads, at most [`MIGRATION_BLOCK`]. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn check_convergence<R: DeviceReal>(args: &ConvergenceArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    let state = &RunState::of_block(&args.state);
    let (run, stride) = (thread::block_index() as usize, args.state.stride);
    let side = |bounds| bounds_of_run(bounds, args.bounds_runs, run, stride as usize);
    let (lower, upper) = (side(args.lower), side(args.upper));
    let population = Population {
        fitness: state.fitness,
        points: state.points,
        individuals: args.state.individuals,
        dimensions: args.dimensions,
        stride,
    };
    let bounds = |c: u32| (lower.get(c as usize), upper.get(c as usize));
    let converged = population.has_converged(bounds);
    if thread::index() == 0 {
        state.own(args.converged, 1).set(0, u32::from(converged));
    }
}

warpswarm_device::entries! {
    /// The entries: [`look`] in both precisions.
    pub fn common {
        "look_f32" => |args: ConvergenceArgs<f32>| check_convergence(&args),
        "look_f64" => |args: ConvergenceArgs<f64>| check_convergence(&args),
    }
}
