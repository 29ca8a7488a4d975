//! A level of violation that falls: all that a run keeps is judged anew, as `warpswarm_cpu_ref::Swarm::ease` does. A block a run.

use warpswarm_core::launch::{Control, EaseArgs, MIGRATION_BLOCK, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use crate::run::{Best, half_of, of_run, set_progress};

/// Has a run go on at its new level, unless it has stopped.
#[inline(always)]
pub fn ease<R: DeviceReal>(args: &EaseArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    let (runs, run) = (args.runs, thread::block_index() as usize);
    let (n, stride) = (args.individuals as usize, args.stride as usize);
    let control: View<Control> = of_run(args.control, runs, run, 1);
    let before = control.get(0);
    if before.stopped != stopped::NOT {
        return;
    }
    let halves = args.halves as usize;
    let half = if halves > 1 { (before.iterations & 1) as usize } else { 0 };
    let fitness: View<Fitness<R>> = half_of(args.fitness, (runs, run), (halves, half), n);
    let points = half_of(args.points, (runs, run), (halves, half), n * stride);
    let global: View<Candidate<R>> = of_run(args.global, runs, run, 1);
    let level: R = of_run(args.levels, runs, run, 1).get(0);

    let mut mine = Candidate::NONE;
    let mut i = thread::index();
    while i < args.individuals {
        let judged = fitness.get(i as usize).exact().within(level);
        fitness.set(i as usize, judged);
        mine = mine.better(Candidate::new(judged, i));
        i += thread::block_dim();
    }
    // SAFETY: the host gives `migration_shared_bytes`: a candidate a thread.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let best = block::reduce::<_, Best>(mine, scratch);
    let leader = global.get(0);
    let leader = Candidate { fitness: leader.fitness.exact().within(level), ..leader };
    let is_new = best.beats(leader);
    // All have read the old leader.
    block::sync();
    if is_new {
        let row = points.part(best.index as usize * stride, stride);
        let position: View<R> = of_run(args.global_positions, runs, run, stride);
        let mut i = thread::index();
        while i < args.stride {
            position.set(i as usize, row.get(i as usize));
            i += thread::block_dim();
        }
    }
    if thread::index() == 0 {
        let leader = if is_new { best } else { leader };
        global.set(0, leader);
        control.set(0, before.at_level(level));
        let at = before.iterations;
        let stop = if args.noticed == 0 || args.noticed == at {
            of_run(args.own_runs, runs, run, 1).get(0).stop.check(leader.fitness, at, at)
        } else {
            stopped::NOT
        };
        set_progress(control, at, at, stop);
    }
}

warpswarm_device::entries! {
    /// The kernels.
    pub fn common {
        "ease_f32" => |args: EaseArgs<f32>| ease(&args),
        "ease_f64" => |args: EaseArgs<f64>| ease(&args),
    }
}
