//! What the kernels of all algorithms share: a run's part of a launch's arrays, and the end of an iteration.

use core::mem::offset_of;

use warpswarm_core::launch::{Control, Ptr, StartArgs, StopRule, stopped};
use warpswarm_core::order::{self, Candidate};
use warpswarm_core::sum::Operator;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, grid, thread};

/// The part of a launch's array that belongs to one run.
///
/// The SAFETY of all views of this crate: the host allocates every array of a launch's arguments with
/// the shape that their documentation gives, for as long as the launch runs.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn of_run<T: Copy>(ptr: Ptr<T>, runs: u32, run: usize, len: usize) -> View<T> {
    // SAFETY: the host upholds it, see above.
    unsafe { View::new(ptr, runs as usize * len) }.part(run * len, len)
}

/// An array of a launch; without elements it may be absent.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn whole<T: Copy>(array: Ptr<T>, len: usize) -> View<T> {
    if len == 0 { View::EMPTY } else { of_run(array, 1, 0, len) }
}

/// A run's part of an array, such as bounds, that has `bounds_runs` parts: one for each run, or one for all runs.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn bounds_of_run<T: Copy>(
    ptr: Ptr<T>,
    bounds_runs: u32,
    run: usize,
    stride: usize,
) -> View<T> {
    of_run(ptr, bounds_runs, if bounds_runs > 1 { run } else { 0 }, stride)
}

/// Coordinate `i` of the given start of an individual; NaN if it is not given.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn given<R: DeviceReal>(
    start: &StartArgs<R>,
    (run, individual, i): (usize, u32, u32),
    stride: u32,
) -> R {
    if individual >= start.individuals {
        return R::NAN;
    }
    let len = start.individuals as usize * stride as usize;
    let points = bounds_of_run(start.points, start.runs, run, len);
    points.get(individual as usize * stride as usize + i as usize)
}

/// A run's violation level, if there are constraints. Loaded before an evaluation, so that it has arrived when that
/// ends.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn level<R: DeviceReal, const CONSTRAINED: bool>(control: View<Control>) -> R {
    if CONSTRAINED {
        R::from_bits64(control.field::<u64>(0, offset_of!(Control, level_bits)).get(0))
    } else {
        R::ZERO
    }
}

/// The level of an individual, from the [`level`] of its run.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn level_of<R: DeviceReal, const CONSTRAINED: bool>(
    control: View<Control>,
    individual: u32,
) -> R {
    if CONSTRAINED { order::level_of(level::<R, true>(control), individual) } else { R::ZERO }
}

/// Adds to the run's count of evaluations that were not finite.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn count_not_finite(control: View<Control>, count: u32) {
    if count != 0 {
        let field = control.atomic_u64(0, offset_of!(Control, not_finite));
        field.add_relaxed(u64::from(count));
    }
}

/// Stores the run's progress: everything except the count of evaluations that were not finite.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn set_progress(
    control: View<Control>,
    iterations: u64,
    improved_at: u64,
    stopped: u32,
) {
    control.field(0, offset_of!(Control, iterations)).set(0, iterations);
    control.field(0, offset_of!(Control, improved_at)).set(0, improved_at);
    control.field(0, offset_of!(Control, stopped)).set(0, stopped);
}

/// The data of one run other than its individuals.
#[derive(Clone, Copy)]
pub struct Run<R> {
    /// The best so far.
    pub global: View<Candidate<R>>,
    /// `[place]`
    pub global_position: View<R>,
    /// The run's progress.
    pub control: View<Control>,
    /// The best of every block, `[block]`
    pub block_best: View<Candidate<R>>,
    /// Blocks that share the run.
    pub blocks: u32,
    /// This block's index among them.
    pub part: u32,
    /// When the run stops by itself.
    pub stop: StopRule<R>,
}

impl<R: DeviceReal> Run<R> {
    /// Ends `done` iterations over the grid, or the initialisation if `done` is zero; `mine` is this thread's best
    /// candidate. The last block to arrive makes the best of all candidates the global best if it beats that, with the
    /// position that `row` returns for it. It counts the iterations and applies the stop rule, unless an improvement in
    /// the last one is `noticed` only in a later one.
    ///
    /// Collective in the block; `scratch` has an element for every thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn end_iterations(
        &self,
        done: u64,
        noticed: impl Fn(u64) -> u64,
        mine: Candidate<R>,
        row: impl Fn(u32) -> View<R>,
        stride: u32,
        scratch: SharedArray<Candidate<R>>,
    ) {
        let block_best = block::reduce::<_, Best>(mine, scratch);
        let ticket = self.control.atomic_u32(0, offset_of!(Control, ticket));
        let (blocks, offered) = (self.blocks, (self.block_best, self.part));
        let best = grid::reduce::<_, Best>(block_best, offered, ticket, blocks, scratch);
        let Some(best) = best else { return };

        let control = self.control.get(0);
        let old = self.global.get(0);
        // Every thread has read the old state before one of them writes the new.
        block::sync();
        let moved = done == 0 || best.beats(old);
        if moved {
            let row = row(best.index);
            let mut i = thread::index();
            while i < stride {
                self.global_position.set(i as usize, row.get_shared(i as usize));
                i += thread::block_dim();
            }
        }
        if thread::index() == 0 {
            let iterations = if done == 0 { 0 } else { control.iterations + done };
            let new = if moved { best } else { old };
            let improved = done != 0 && new.fitness.beats(old.fitness);
            let noticed = noticed(iterations);
            let improved_at = if improved { noticed } else { control.improved_at };
            self.global.set(0, new);
            let stop = if noticed == iterations {
                self.stop.check(new.fitness, iterations, improved_at)
            } else {
                stopped::NOT
            };
            set_progress(self.control, iterations, improved_at, stop);
        }
    }
}

/// The better of two candidates.
#[derive(Clone, Copy, Debug)]
pub struct Best;

impl<R: DeviceReal> Operator<Candidate<R>> for Best {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn identity() -> Candidate<R> {
        Candidate::NONE
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn combine(a: Candidate<R>, b: Candidate<R>) -> Candidate<R> {
        a.better(b)
    }
}
