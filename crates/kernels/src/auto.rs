//! CMA-ES and SHADE in turns, in the order of `warpswarm_cpu_ref::portfolio`. One or several blocks work on a run.

use warpswarm_core::launch::{AutoArgs, CMA_ES_BLOCK, Turns, stopped};
use warpswarm_core::method::Method;
use warpswarm_core::order::Candidate;
use warpswarm_core::restart::{self, AHEAD_CONSTRAINED, CHECK_INTERVAL, RestartState, regime};
use warpswarm_core::shade::Shade;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{thread, warp};

use crate::cma_es::restart::Leg;
use crate::cma_es::run_barrier::RunBarrier;
use crate::cma_es::search::{Holds, Search};
use crate::cma_es::{Progress, generation};
use crate::convergence::Population;
use crate::generation::memory::turn;
use crate::generation::population::Generation;
use crate::run::of_run;

/// The state of both searches of a run, the same in all its threads.
struct Both {
    /// CMA-ES: its leg, and the leg's age in iterations.
    leg: Leg,
    age: u64,
    /// SHADE: its leg, and the leg's age in iterations.
    other: RestartState,
    others_age: u64,
    /// Whether it is SHADE's turn.
    is_others: bool,
}

impl Both {
    /// Whether the searches change turns now.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_time(&self, individuals: u32) -> bool {
        let Leg { number, evaluations, ahead, is_new, .. } = self.leg;
        let own = RestartState { number, evaluations, ahead, is_new, ..RestartState::default() };
        if self.is_others {
            restart::is_others_turn(&self.other, &own, self.others_age, individuals)
        } else {
            restart::is_others_turn(&own, &self.other, self.age, individuals)
        }
    }

    /// The evaluations of both searches after the next iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn next(&self, individuals: u32) -> u64 {
        let is_others = self.is_others != self.is_time(individuals);
        let each = if is_others { individuals } else { self.leg.individuals };
        (self.leg.evaluations + self.other.evaluations).saturating_add(u64::from(each))
    }

    /// The number of a leg that begins now.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn number(&self) -> u64 {
        self.leg.number.max(self.other.number) + 1
    }
}

/// Runs all iterations up to `until`, or places the first samples.
///
/// The mapping, the launch contract and the shared memory are those of [`cma_es::run`](crate::cma_es::run), in whose
/// arrays CMA-ES works. An iteration of SHADE uses the arrays of [`AutoArgs::shade`]: a warp moves an individual.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn run<R: DeviceReal, M: Holds<R>>(launch: &AutoArgs<R>) {
    max_block::<CMA_ES_BLOCK>();
    let args = &launch.cma_es;
    let search = &Search::<R, M>::of_block(args);
    let control = search.control().get(0);
    let places = args.places == 1;
    if control.stopped != stopped::NOT || (!places && control.iterations >= args.until) {
        return;
    }
    let individuals = launch.shade.individuals;
    let others = of_run(launch.legs, args.runs, search.number, 1);
    let turns = of_run(launch.turns, args.runs, search.number, 1);
    let mut both = {
        let (leg, other) = (Leg::of(search, &search.legs().get(0)), others.get(0));
        let Turns { age, active, .. } = turns.get(0);
        let is_others = active == 1;
        let of = |began, is_active| if is_active { control.iterations - began } else { age };
        let (age, others_age) = (of(leg.began, !is_others), of(other.began, is_others));
        Both { leg, age, other, others_age, is_others }
    };
    let (mut barrier, mut matrices) = (search.barrier(), search.matrices());
    search.find_strategy(both.leg.individuals.min(args.room));
    let (mut is_here, mut is_drawn) = (!both.leg.is_new, false);
    if is_here {
        search.load(&matrices);
    }
    let mut progress = Progress::of(search, control);
    loop {
        if !places {
            if progress.iteration >= args.until {
                break;
            }
            if both.is_time(individuals) {
                both.is_others = !both.is_others;
                let Both { age, others_age, .. } = both;
                if both.is_others {
                    both.other.began = progress.iteration - others_age;
                } else {
                    both.leg.began = progress.iteration - age;
                }
            }
            if !both.is_others && both.leg.individuals > args.room {
                break;
            }
            progress.iteration += 1;
        }
        if both.is_others {
            advance_shade(launch, search, &mut both, &mut progress, &mut barrier);
        } else {
            let leg = &mut both.leg;
            both.age += 1;
            if leg.is_new {
                search.find_strategy(leg.individuals);
                search.begin(leg, progress.iteration, &matrices);
                both.age = 0;
            }
            (is_here, is_drawn) = (true, true);
            let (has_more, is_violated) =
                generation(search, leg, &mut matrices, both.age, &mut progress, &mut barrier);
            leg.evaluations += u64::from(leg.individuals);
            if leg.ahead > 0 && barrier.any(is_violated) {
                leg.ahead = 0;
                both.other.ahead = AHEAD_CONSTRAINED * u64::from(args.dimensions);
            }
            if args.restart_policy.ends(leg.evaluations, leg.limit, has_more) {
                let number = both.number();
                both.leg = search.next(&both.leg, number, &mut barrier);
            }
        }
        if progress.stops(search, both.next(individuals)) || places {
            break;
        }
    }
    if !places && progress.iteration == control.iterations {
        // The run waits until the host gives it room for more samples. Nothing is stored, because other blocks may not
        // have read yet whose turn it was.
        return;
    }
    progress.save(search);
    if search.part == 0 {
        search.save(&both.leg, &matrices, (is_here, is_drawn));
        if thread::index() == 0 {
            others.set(0, both.other);
            let age = if both.is_others { both.age } else { both.others_age };
            turns.set(0, Turns { age, active: u32::from(both.is_others), reserved: 0 });
        }
    }
}

/// Does an iteration of SHADE, or places its individuals.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn advance_shade<R: DeviceReal, M: Holds<R>>(
    launch: &AutoArgs<R>,
    search: &Search<'_, R, M>,
    both: &mut Both,
    progress: &mut Progress<R>,
    barrier: &mut RunBarrier,
) {
    let search = &search.anew();
    let key = search.key().of_leg(both.other.number);
    let kept = (<Shade<R> as Method<R>>::OWN, <Shade<R> as Method<R>>::NUMBERS);
    let place = (search.number as u32, search.part);
    let population = &Generation::of_run(&launch.shade, kept, key, place);
    both.others_age += 1;
    if both.other.is_new {
        both.others_age = 0;
        (both.other.is_new, both.other.began) = (false, progress.iteration);
    }
    let age = both.others_age;
    progress.not_finite += turn(&launch.method, population, age);
    barrier.wait();
    let individuals = launch.shade.individuals;
    let after = population.written_by(age);
    let mut mine = Candidate::NONE;
    Search::<R, M>::each_lane(0, individuals, |i| {
        mine = mine.better(Candidate::new(after.fitness.get(i as usize), i));
    });
    let (best, _) = warp::best(mine, true);
    progress.take(search, best, || after.row(best.index));
    both.other.evaluations += u64::from(individuals);
    let population = Population {
        fitness: after.fitness,
        points: after.rows,
        individuals,
        dimensions: search.args.dimensions,
        stride: launch.shade.stride,
    };
    let is_time = age > 0 && age.is_multiple_of(CHECK_INTERVAL);
    if is_time && population.has_converged(|c| search.bounds(c)) {
        // The next leg overwrites these points, which other blocks may still be reading.
        barrier.wait();
        both.other.number = both.number();
        (both.other.limit, both.other.is_new) = (0, true);
        both.other.regime = regime::SHADE;
    }
}

warpswarm_device::entries! {
    /// The entries: [`run`] in both precisions. The matrices are in shared memory (`held`) or in global memory.
    pub fn common {
        "auto_f32_held" => |args: AutoArgs<f32>| run::<f32, SharedArray<f32>>(&args),
        "auto_f64_held" => |args: AutoArgs<f64>| run::<f64, SharedArray<f64>>(&args),
        "auto_f32" => |args: AutoArgs<f32>| run::<f32, View<f32>>(&args),
        "auto_f64" => |args: AutoArgs<f64>| run::<f64, View<f64>>(&args),
    }
}
