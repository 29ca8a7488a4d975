//! The data of a run between iterations, for a block that has the run to itself.

use warpswarm_core::launch::{Control, Ptr, RunStateArgs, StopRule};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::of_run;

/// The data of this block's run.
#[derive(Clone, Copy)]
pub(crate) struct RunState<'a, R> {
    pub(crate) args: &'a RunStateArgs<R>,
    /// `[individual][place]`
    pub(crate) points: View<R>,
    /// `[individual]`
    pub(crate) fitness: View<Fitness<R>>,
    pub(crate) global: View<Candidate<R>>,
    /// `[place]`
    pub(crate) global_position: View<R>,
    pub(crate) control: View<Control>,
}

impl<'a, R: DeviceReal> RunState<'a, R> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of_block(args: &'a RunStateArgs<R>) -> Self {
        let (runs, run) = (args.runs, thread::block_index() as usize);
        let (n, stride) = (args.individuals as usize, args.stride as usize);
        let control: View<Control> = of_run(args.control, runs, run, 1);
        let halves = args.halves as usize;
        let half = if halves > 1 { (control.get(0).iterations & 1) as usize } else { 0 };
        RunState {
            args,
            points: half_of(args.points, (runs, run), (halves, half), n * stride),
            fitness: half_of(args.fitness, (runs, run), (halves, half), n),
            global: of_run(args.global, runs, run, 1),
            global_position: of_run(args.global_positions, runs, run, stride),
            control,
        }
    }

    /// This run's part of an array of the launch; `len` items belong to a run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn own<T: Copy>(&self, array: Ptr<T>, len: u32) -> View<T> {
        of_run(array, self.args.runs, thread::block_index() as usize, len as usize)
    }

    /// A row of points.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn row(&self, array: View<R>, number: u32) -> View<R> {
        array.part(number as usize * self.args.stride as usize, self.args.stride as usize)
    }

    /// Copies a row; each thread copies a place at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn copy(&self, from: View<R>, to: View<R>) {
        let mut i = thread::index();
        while i < self.args.stride {
            to.set(i as usize, from.get(i as usize));
            i += thread::block_dim();
        }
    }

    /// When the run stops by itself.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn stop(&self) -> StopRule<R> {
        self.own(self.args.own_runs, 1).get(0).stop
    }
}

/// A run's half of an array.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn half_of<T: Copy>(
    array: Ptr<T>,
    (runs, run): (u32, usize),
    (halves, half): (usize, usize),
    len: usize,
) -> View<T> {
    of_run(array, runs, run, halves * len).part(half * len, len)
}
