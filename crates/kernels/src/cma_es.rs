//! CMA-ES with restarts: several whole generations in one launch. One or several blocks work on a run.
//!
//! The order of all operations is that of `warpswarm_cpu_ref::cma_es`. A warp draws up to four samples together and
//! evaluates them one by one. Blocks that share a run share its samples and the sums over the samples. Each block then
//! computes the same update of the distribution in a copy of its own, which takes less time than to wait for one block
//! that computes it for all.

mod arrays;
mod factor;
mod learn;
mod ranks;
pub(crate) mod restart;
pub(crate) mod run_barrier;
mod samples;
pub(crate) mod search;

use warpswarm_core::launch::{CMA_ES_BLOCK, CmaEsArgs, Control, stopped};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::{count_not_finite, set_progress};
use restart::Leg;
use run_barrier::RunBarrier;
use search::{Holds, Matrices, Search, index, lane};

/// The progress of a run, the same in all its threads.
pub(crate) struct Progress<R> {
    pub(crate) iteration: u64,
    improved_at: u64,
    leader: Candidate<R>,
    /// Evaluations of this warp whose result was not finite.
    pub(crate) not_finite: u32,
    /// Why the run stops, [`stopped::NOT`] if it does not.
    pub(crate) reason: u32,
}

impl<R: DeviceReal> Progress<R> {
    /// The progress of a run that continues, or that is to be placed.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of<M: Holds<R>>(search: &Search<'_, R, M>, control: Control) -> Self {
        let leader = if search.args.places == 1 { Candidate::NONE } else { search.global().get(0) };
        let Control { iterations, improved_at, .. } = control;
        Progress { iteration: iterations, improved_at, leader, not_finite: 0, reason: stopped::NOT }
    }

    /// Takes the best sample of an iteration. `row` returns its point; it is called only if the sample is the best of
    /// the run so far.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn take<M: Holds<R>>(
        &mut self,
        search: &Search<'_, R, M>,
        best: Candidate<R>,
        row: impl FnOnce() -> View<R>,
    ) {
        if best.beats(self.leader) {
            if best.fitness.beats(self.leader.fitness) {
                self.improved_at = self.iteration;
            }
            self.leader = best;
            search.keep(row());
        }
    }

    /// Whether the run stops after this iteration. `next` is the number of evaluations that the next iteration would
    /// lead to.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn stops<M: Holds<R>>(&mut self, search: &Search<'_, R, M>, next: u64) -> bool {
        let stop = search.own_run().stop;
        self.reason = stop.check(self.leader.fitness, self.iteration, self.improved_at);
        if self.reason == stopped::NOT && next > search.args.evaluations {
            self.reason = stopped::EVALUATIONS;
        }
        self.reason != stopped::NOT
    }

    /// Stores the progress for the next launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn save<M: Holds<R>>(&self, search: &Search<'_, R, M>) {
        if lane() == 0 {
            count_not_finite(search.control(), self.not_finite);
        }
        if search.part == 0 && index() == 0 {
            search.global().set(0, self.leader);
            set_progress(search.control(), self.iteration, self.improved_at, self.reason);
        }
    }
}

/// Computes generation `age` of a leg. Returns whether the leg continues, and whether a sample of this warp violates a
/// constraint.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn generation<R: DeviceReal, M: Holds<R>>(
    search: &Search<'_, R, M>,
    leg: &Leg,
    matrices: &mut Matrices<M>,
    age: u64,
    progress: &mut Progress<R>,
    barrier: &mut RunBarrier,
) -> (bool, bool) {
    let (not_finite, is_violated) = search.anew().draw(leg, age, matrices.factor);
    progress.not_finite += not_finite;
    let ranked = search.anew().rank(leg, barrier);
    let best = ranked.get(0);
    progress.take(search, best, || search.point(best.index));
    search.anew().add_up(leg.individuals, ranked);
    barrier.wait();
    (search.anew().learn(leg.individuals, (age, best.fitness), matrices), is_violated)
}

/// Runs all iterations up to `args.until`, or places the first samples.
///
/// **Mapping.** `blocks_per_run` neighbouring blocks work on a run and divide its samples. A warp draws up to four
/// samples and evaluates each; warps and lanes stride over the columns and rows of the matrices.
///
/// **Arrays.** As [`CmaEsArgs`] describes them. Matrices are `[column][row]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most [`CMA_ES_BLOCK`]. Several blocks a
/// run need a cooperative launch.
///
/// **Shared memory.** The bytes of [`CmaEsLayout`](warpswarm_core::launch::CmaEsLayout), with the matrices for `held`;
/// or those of `args.near` if the samples are in shared memory as well.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn run<R: DeviceReal, M: Holds<R>>(args: &CmaEsArgs<R>) {
    max_block::<CMA_ES_BLOCK>();
    let search = &Search::<R, M>::of_block(args);
    let control = search.control().get(0);
    if control.stopped != stopped::NOT {
        return;
    }
    let places = args.places == 1;
    let goes_on = |leg: &Leg, iteration| iteration < args.until && leg.individuals <= args.room;
    let mut leg = Leg::of(search, &search.legs().get(0));
    if !places && !goes_on(&leg, control.iterations) {
        return;
    }
    let (mut barrier, mut matrices) = (search.barrier(), search.matrices());
    search.find_strategy(leg.individuals);
    if !leg.is_new {
        search.load(&matrices);
    }
    let mut progress = Progress::of(search, control);
    loop {
        if !places {
            if !goes_on(&leg, progress.iteration) {
                break;
            }
            progress.iteration += 1;
        }
        if leg.is_new {
            search.find_strategy(leg.individuals);
            search.begin(&mut leg, progress.iteration, &matrices);
        }
        let age = progress.iteration - leg.began;
        let (has_more, _) =
            generation(search, &leg, &mut matrices, age, &mut progress, &mut barrier);
        leg.evaluations += u64::from(leg.individuals);
        if args.restart_policy.ends(leg.evaluations, leg.limit, has_more) {
            leg = search.next(&leg, leg.number + 1, &mut barrier);
        }
        let next = leg.evaluations.saturating_add(u64::from(leg.individuals));
        if progress.stops(search, next) || places {
            break;
        }
    }
    progress.save(search);
    if search.part == 0 {
        search.save(&leg, &matrices, (true, true));
    }
}

warpswarm_device::entries! {
    /// The entries: [`run`] in both precisions. The matrices are in shared memory (`held`) or in global memory.
    pub fn common {
        "cma_es_f32_held" => |args: CmaEsArgs<f32>| run::<f32, SharedArray<f32>>(&args),
        "cma_es_f64_held" => |args: CmaEsArgs<f64>| run::<f64, SharedArray<f64>>(&args),
        "cma_es_f32" => |args: CmaEsArgs<f32>| run::<f32, View<f32>>(&args),
        "cma_es_f64" => |args: CmaEsArgs<f64>| run::<f64, View<f64>>(&args),
    }
}
