//! CMA-ES with restarts: whole generations, one after the other in one launch; a block a run, or several.
//!
//! The order of all operations is that of `warpswarm_cpu_ref::cma_es`. A warp draws and evaluates a sample. Blocks that share a
//! run share its samples, and the sums over these; what follows from the sums each of them computes for itself, in its own
//! copy of the distribution, which takes less than to wait for one that does.

mod factor;
mod learn;
mod legs;
mod meetings;
mod ranks;
mod samples;
mod search;

use warpswarm_core::launch::{CMA_ES_BLOCK, CmaEsArgs, stopped};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::{count_not_finite, set_progress};
use legs::Leg;
use search::{Holds, Search};

/// Goes to iteration `args.until`, or places the first samples.
#[inline(always)]
pub fn run<R: DeviceReal, M: Holds<R>>(args: &CmaEsArgs<R>) {
    max_block::<CMA_ES_BLOCK>();
    let search = &Search::<R, M>::of_block(args);
    let control = search.control.get(0);
    if control.stopped != stopped::NOT {
        return;
    }
    let places = args.places == 1;
    let goes_on = |leg: &Leg, iteration| iteration < args.until && leg.individuals <= args.room;
    let mut leg = Leg::of(search, &search.legs.get(0));
    if !places && !goes_on(&leg, control.iterations) {
        return;
    }
    let mut meetings = search.meetings();
    let mut strategy = search.strategy(leg.individuals);
    if !leg.is_new {
        search.load();
    }
    let (mut iteration, mut improved_at) = (control.iterations, control.improved_at);
    let mut leader = if places { Candidate::NONE } else { search.global.get(0) };
    let (mut not_finite, mut reason) = (0, stopped::NOT);
    loop {
        if !places {
            if !goes_on(&leg, iteration) {
                break;
            }
            iteration += 1;
        }
        if leg.is_new {
            strategy = search.strategy(leg.individuals);
            search.begin(&mut leg, iteration);
        }
        let age = iteration - leg.began;
        not_finite += search.draw(&leg, age);
        let ranked = search.rank(&leg, &strategy, &mut meetings);
        let best = ranked.get(0);
        if best.beats(leader) {
            if best.fitness.beats(leader.fitness) {
                improved_at = iteration;
            }
            leader = best;
            search.keep(best.index);
        }
        search.add_up(&strategy, ranked);
        meetings.meet();
        let has_more = search.learn(&strategy, age, best.fitness);
        leg.evaluations += u64::from(leg.individuals);
        if args.succession.ends(leg.evaluations, leg.limit, has_more) {
            leg = search.next(&leg, &mut meetings);
        }
        reason = search.own_run().stop.check(leader.fitness, iteration, improved_at);
        let next = leg.evaluations.saturating_add(u64::from(leg.individuals));
        if reason == stopped::NOT && next > args.evaluations {
            reason = stopped::EVALUATIONS;
        }
        if places || reason != stopped::NOT {
            break;
        }
    }
    if thread::lane() == 0 {
        count_not_finite(search.control, not_finite);
    }
    if search.part == 0 {
        search.save(&leg);
        if thread::index() == 0 {
            search.global.set(0, leader);
            set_progress(search.control, iteration, improved_at, reason);
        }
    }
}

warpswarm_device::entries! {
    /// The kernels.
    pub fn common {
        "cma_es_f32_held" => |args: CmaEsArgs<f32>| run::<f32, SharedArray<f32>>(&args),
        "cma_es_f64_held" => |args: CmaEsArgs<f64>| run::<f64, SharedArray<f64>>(&args),
        "cma_es_f32" => |args: CmaEsArgs<f32>| run::<f32, View<f32>>(&args),
        "cma_es_f64" => |args: CmaEsArgs<f64>| run::<f64, View<f64>>(&args),
    }
}
