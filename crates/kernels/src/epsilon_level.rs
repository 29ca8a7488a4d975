//! Applies a lower violation level: every stored fitness of a run is judged again, as in
//! `warpswarm_cpu_ref::Swarm::set_level`.

use warpswarm_core::launch::{EpsilonLevelArgs, MIGRATION_BLOCK, stopped};
use warpswarm_core::order::{Candidate, level_of};
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread};

use crate::run::{Best, set_progress};
use crate::run_state::RunState;

/// Judges the individuals and the global best of each run at its new level, unless the run has stopped.
///
/// **Mapping.** A block works on a run; its threads stride over the individuals.
///
/// **Arrays.** As [`EpsilonLevelArgs`] and `RunStateArgs` describe them; `levels: [run]`.
///
/// **Launch.** `runs` blocks of a multiple of 32 threads, at most [`MIGRATION_BLOCK`].
///
/// **Shared memory.** [`migration_shared_bytes`](warpswarm_core::launch::migration_shared_bytes): a candidate for each
/// thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn set_levels<R: DeviceReal>(args: &EpsilonLevelArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    let state = &RunState::of_block(&args.state);
    let before = state.control.get(0);
    if before.stopped != stopped::NOT {
        return;
    }
    let level: R = state.own(args.levels, 1).get(0);

    let mut mine = Candidate::NONE;
    let mut i = thread::index();
    while i < args.state.individuals {
        let judged = state.fitness.get(i as usize).exact().within(level_of(level, i));
        state.fitness.set(i as usize, judged);
        mine = mine.better(Candidate::new(judged, i));
        i += thread::block_dim();
    }
    // SAFETY: the host gives `migration_shared_bytes`: a candidate for each thread.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let best = block::reduce::<_, Best>(mine, scratch);
    let leader = state.global.get(0);
    let own = level_of(level, leader.index);
    let leader = Candidate { fitness: leader.fitness.exact().within(own), ..leader };
    let is_new = best.beats(leader);
    // After this barrier all threads have read the old leader.
    block::sync();
    if is_new {
        state.copy(state.row(state.points, best.index), state.global_position);
    }
    if thread::index() == 0 {
        let leader = if is_new { best } else { leader };
        state.global.set(0, leader);
        state.control.set(0, before.at_level(level));
        let at = before.iterations;
        let stop = if args.state.noticed == 0 || args.state.noticed == at {
            state.stop().check(leader.fitness, at, at)
        } else {
            stopped::NOT
        };
        set_progress(state.control, at, at, stop);
    }
}

warpswarm_device::entries! {
    /// The entries: [`ease`] in both precisions.
    pub fn common {
        "ease_f32" => |args: EpsilonLevelArgs<f32>| set_levels(&args),
        "ease_f64" => |args: EpsilonLevelArgs<f64>| set_levels(&args),
    }
}
