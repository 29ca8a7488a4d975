//! Migration between runs: which individuals emigrate, and which are replaced. The equations are those of the CPU's
//! loops, `warpswarm_cpu_ref::migration`.
//!
//! A block works on a run. The best, or worst, individuals are found one after the other, each by a reduction over all
//! individuals that come after the last one in the order. Migrants are few.

use warpswarm_core::launch::{MIGRATION_BLOCK, MigrationArgs, stopped};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::sum::Operator;
use warpswarm_device::entry::max_block;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use crate::run::{Best, set_progress};
use crate::run_state::RunState;

/// Fitnesses that a thread loads at the same time.
const AT_ONCE: usize = 4;

/// A run and its migrants.
#[derive(Clone, Copy)]
struct Island<'a, R> {
    state: RunState<'a, R>,
    /// Number of migrants.
    count: u32,
    /// `[migrant]`
    chosen: View<u32>,
    /// `[migrant]`
    migrant_fitness: View<Fitness<R>>,
    /// `[migrant][place]`
    migrant_points: View<R>,
}

impl<'a, R: DeviceReal> Island<'a, R> {
    /// The island of this block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_block(args: &'a MigrationArgs<R>) -> Self {
        let (state, m) = (RunState::of_block(&args.state), args.migrants);
        Island {
            state,
            count: state.own(args.counts, 1).get(0),
            chosen: state.own(args.chosen, m),
            migrant_fitness: state.own(args.migrant_fitness, m),
            migrant_points: state.own(args.migrant_points, m * args.state.stride),
        }
    }

    /// Finds the first individuals in an order. Collective in the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn choose<O: Order<R>>(&self) {
        // SAFETY: the host gives `migration_shared_bytes`.
        let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
        let mut last = O::identity();
        let mut k = 0;
        while k < self.count {
            last =
                block::reduce::<_, O>(self.first_of_thread::<O>((k > 0).then_some(last)), scratch);
            // After this barrier all threads have read the result.
            block::sync();
            if thread::index() == 0 {
                self.chosen.set(k as usize, last.index);
            }
            k += 1;
        }
        block::sync();
    }

    /// The first, in the order, of this thread's individuals that come after `last`, if there is a last one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn first_of_thread<O: Order<R>>(&self, last: Option<Candidate<R>>) -> Candidate<R> {
        let mut mine = O::identity();
        let mut first = thread::index();
        while first < self.state.args.individuals {
            // Several loads are issued together.
            let mut some = [O::identity(); AT_ONCE];
            let mut j = 0;
            while j < AT_ONCE {
                let i = first + j as u32 * thread::block_dim();
                // Beyond the last individual, that one is loaded again.
                let i = i.min(self.state.args.individuals - 1);
                some[j] = Candidate::new(self.state.fitness.get(i as usize), i);
                j += 1;
            }
            let mut j = 0;
            while j < AT_ONCE {
                if last.is_none_or(|last| O::comes_before(last, some[j])) {
                    mine = O::combine(mine, some[j]);
                }
                j += 1;
            }
            first += AT_ONCE as u32 * thread::block_dim();
        }
        mine
    }
}

/// An order in which individuals are chosen: an operator that returns the one that comes first.
trait Order<R: DeviceReal>: Operator<Candidate<R>> {
    /// Whether `a` comes before `b`.
    fn comes_before(a: Candidate<R>, b: Candidate<R>) -> bool;
}

impl<R: DeviceReal> Order<R> for Best {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn comes_before(a: Candidate<R>, b: Candidate<R>) -> bool {
        a.beats(b)
    }
}

/// The worse of two candidates.
#[derive(Clone, Copy, Debug)]
struct Worst;

impl<R: DeviceReal> Operator<Candidate<R>> for Worst {
    /// Beats every candidate: no violation is less than zero.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn identity() -> Candidate<R> {
        let least = -R::INFINITY;
        Candidate::new(Fitness { violation: least, value: least }, 0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn combine(a: Candidate<R>, b: Candidate<R>) -> Candidate<R> {
        if a.beats(b) { b } else { a }
    }
}

impl<R: DeviceReal> Order<R> for Worst {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn comes_before(a: Candidate<R>, b: Candidate<R>) -> bool {
        b.beats(a)
    }
}

/// Copies the individuals that emigrate: the best ones, or those that were drawn.
///
/// **Mapping.** A block works on a run. All threads search for the migrants; to copy a row, they stride over its
/// places.
///
/// **Arrays.** As [`MigrationArgs`] describes them: reads `counts: [run]`; reads or writes `chosen: [run][migrant]`;
/// writes `migrant_fitness: [run][migrant]` and `migrant_points: [run][migrant][place]`.
///
/// **Launch.** `runs` blocks of a multiple of 32 threads, at most [`MIGRATION_BLOCK`].
///
/// **Shared memory.** [`migration_shared_bytes`](warpswarm_core::launch::migration_shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn emigrate<R: DeviceReal>(args: &MigrationArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    let island = &Island::of_block(args);
    if args.drawn == 0 {
        island.choose::<Best>();
    }
    let mut k = 0;
    while k < island.count {
        let individual = island.chosen.get(k as usize);
        let state = &island.state;
        state.copy(state.row(state.points, individual), state.row(island.migrant_points, k));
        if thread::index() == 0 {
            let fitness = state.fitness.get(individual as usize);
            island.migrant_fitness.set(k as usize, fitness);
        }
        k += 1;
    }
}

/// Finds the worst individuals of each run, to which migrants are offered; writes `chosen: [run][migrant]`. Otherwise
/// as [`emigrate`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn offer<R: DeviceReal>(args: &MigrationArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    Island::of_block(args).choose::<Worst>();
}

/// Replaces each chosen individual by its migrant if the migrant is better, and updates the global best. A run that has
/// stopped takes no migrant. Mapping, arrays and launch are those of [`emigrate`]; uses no shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn immigrate<R: DeviceReal>(args: &MigrationArgs<R>) {
    max_block::<MIGRATION_BLOCK>();
    let island = &Island::of_block(args);
    let state = &island.state;
    let control = state.control.get(0);
    if control.stopped != stopped::NOT || island.count == 0 {
        return;
    }
    let before = state.global.get(0);
    let (mut best, mut best_migrant) = (before, 0);
    let mut k = 0;
    while k < island.count {
        let individual = island.chosen.get(k as usize);
        let fitness = island.migrant_fitness.get(k as usize);
        // No individual is offered two migrants, so that nothing read here is written before the barrier.
        let comes = fitness.beats(state.fitness.get(individual as usize));
        block::sync();
        if comes {
            state.copy(state.row(island.migrant_points, k), state.row(state.points, individual));
            if thread::index() == 0 {
                state.fitness.set(individual as usize, fitness);
            }
            let candidate = Candidate::new(fitness, individual);
            if candidate.beats(best) {
                (best, best_migrant) = (candidate, k);
            }
        }
        k += 1;
    }
    if best.beats(before) {
        state.copy(state.row(island.migrant_points, best_migrant), state.global_position);
    }
    // Every thread has read the old state before the first migrant's barrier.
    if thread::index() == 0 {
        state.global.set(0, best);
        let iterations = control.iterations;
        let noticed = if args.state.noticed == 0 { iterations } else { args.state.noticed };
        let improved = best.fitness.beats(before.fitness);
        let improved_at = if improved { noticed } else { control.improved_at };
        let stop = if noticed == iterations {
            state.stop().check(best.fitness, iterations, improved_at)
        } else {
            stopped::NOT
        };
        set_progress(state.control, iterations, improved_at, stop);
    }
}

macro_rules! kernels {
    ($($real:ident),*) => {
        warpswarm_device::entries! {
            /// The entries: [`emigrate`], [`offer`] and [`immigrate`] in both precisions.
            pub fn common {
                $(concat!("migration_emigrate_", stringify!($real)) =>
                    |args: MigrationArgs<$real>| emigrate(&args),
                concat!("migration_offer_", stringify!($real)) =>
                    |args: MigrationArgs<$real>| offer(&args),
                concat!("migration_immigrate_", stringify!($real)) =>
                    |args: MigrationArgs<$real>| immigrate(&args),)*
            }
        }
    };
}

kernels! { f32, f64 }
