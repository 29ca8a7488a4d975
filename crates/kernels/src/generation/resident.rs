//! Individuals that are held in registers or shared memory while they move. One launch does any number of iterations.

use warpswarm_core::launch::{Control, GenerationArgs, MethodArgs, stopped};
use warpswarm_core::method::{Individual, Method};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::best_exchange::BestExchange;
use super::in_common::stage;
use super::population::{Generation, Parity, key_of_block, own_run};
use super::remembered::Remembered;
use super::seen::{known, none};
use crate::run::{count_not_finite, set_progress};

/// A run, its data as the iteration before left it (`before`), and the data that this iteration writes (`after`).
#[derive(Clone, Copy)]
pub struct IterationContext<'a, R> {
    pub(super) generation: &'a Generation<'a, R>,
    pub(super) before: Parity<R>,
    pub(super) after: Parity<R>,
}

impl<R: DeviceReal> IterationContext<'_, R> {
    /// An individual at an iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn individual<const CONSTRAINED: bool>(
        &self,
        iteration: u64,
        index: u32,
    ) -> Individual<R> {
        let fitness = known::<R, CONSTRAINED>(self.before.fitness.get(index as usize));
        self.generation.individual(iteration, index, fitness)
    }
}

/// A mapping of individuals to the threads of a block. All functions are collective in the block.
pub trait Spread<R: DeviceReal, M: Method<R>>: Sized {
    /// Whether every lane counts its own evaluations, instead of every warp.
    const EACH_LANE: bool;

    /// Declares the largest block: [`MethodTile::max_block`](warpswarm_core::launch::MethodTile).
    fn limit();

    /// This thread's part; `scratch` has a candidate for each thread.
    fn of_block(generation: &Generation<'_, R>, scratch: SharedArray<Candidate<R>>) -> Self;

    /// Loads the run's best point from a row. All threads can use it after the next barrier.
    fn follow(&mut self, row: View<R>, stride: u32);

    /// Stores the run's best point in a row.
    fn tell(&self, row: View<R>, stride: u32);

    /// Does one iteration of the block's individuals, or places them. Takes and returns the best candidate that this
    /// thread knows, and the number of its evaluations that were not finite.
    fn advance<const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        iteration: u64,
        known: (Candidate<R>, u32),
    ) -> (Candidate<R>, u32);
}

/// Does `args.iterations` iterations; zero places the individuals.
///
/// **Mapping.** `blocks_per_run` neighbouring blocks work on a run; each has `individuals_per_block` neighbouring
/// individuals. `S` assigns a thread, eight lanes or a warp to an individual.
///
/// **Arrays.** As [`GenerationArgs`] describes them: public points `[run][parity][individual][coordinate]`, fitness
/// `[run][parity][individual]`.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most
/// [`MethodTile::max_block`](warpswarm_core::launch::MethodTile::max_block). Several iterations with several blocks a
/// run need a cooperative launch.
///
/// **Shared memory.** [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn run<R: DeviceReal, M: Method<R>, S: Spread<R, M>, const CONSTRAINED: bool>(
    launch: &MethodArgs<R, M>,
) {
    S::limit();
    let (args, method) = (&launch.args, &launch.method);
    let key = key_of_block(args);
    let this_block = || Generation::of_block(args, (M::OWN, M::NUMBERS), key);
    let generation = &this_block();
    let control = generation.control.get(0);
    let starts = args.iterations == 0;
    let first = |control: Control| if starts { 0 } else { control.iterations + 1 };
    if control.stopped == stopped::WAITS || (!starts && control.stopped != stopped::NOT) {
        return;
    }
    if starts {
        generation.renew(method);
    }
    // SAFETY: the host gives `MethodTile::shared_bytes`: a candidate for each thread, and what is remembered.
    let (scratch, remembered) =
        unsafe { (SharedArray::new(0, thread::block_dim()), Remembered::<R>::new()) };
    let mut spread = S::of_block(generation, scratch);
    if !starts {
        spread.follow(generation.global_position, args.stride);
    }
    let mut iteration = first(control);
    if thread::index() == 0 {
        remembered.set_best(if starts { Candidate::NONE } else { generation.global.get(0) });
        remembered.set_improved_at(control.improved_at);
    }
    block::sync();
    // A method whose individuals look at no others starts the next iteration before the results of the other blocks
    // have arrived. If such a result ends the run, own rows are one iteration ahead.
    let goes_on = M::ALONE && args.blocks_per_run > 1 && (M::OWN == 0 || args.never_stops != 0);
    let mut not_finite = 0;
    let (mut done, mut exchanges, mut mine) = (0, 0, none::<R, CONSTRAINED>());
    let (reason, until) = loop {
        let generation = &this_block();
        let (before, after) = (generation.read_by(iteration), generation.written_by(iteration));
        let context = IterationContext { generation, before, after };
        generation.learn(method, iteration, stage());
        let known_not_finite = not_finite;
        (mine, not_finite) =
            spread.advance::<CONSTRAINED>(method, context, iteration, (mine, not_finite));
        this_block().teach(method, iteration, stage());
        if args.iterations <= 1 {
            break (stopped::NOT, 0);
        }
        done += 1;
        let (noticed, last) = (method.noticed(iteration), done == args.iterations as u32);
        let waits = last || iteration == noticed || method.observes(iteration);
        if args.blocks_per_run > 1 && !waits {
            // The next iteration reads nothing that another block has written, and no thread still reads what it
            // writes.
            block::sync();
            iteration += 1;
            continue;
        }
        let mut leader = remembered.best::<CONSTRAINED>();
        exchanges += 1;
        let best_exchange = BestExchange::new::<CONSTRAINED>(&this_block(), scratch);
        let tag = args.tag.wrapping_add(exchanges);
        if M::ALONE && goes_on {
            // The results of all blocks of the iteration before, and, if this iteration is the last, of this one too.
            let (mut ago, mut kept, mut reason) = (1, false, stopped::NOT);
            loop {
                if ago == 0 {
                    best_exchange.offer::<CONSTRAINED>(tag, (mine, kept), leader);
                    mine = none::<R, CONSTRAINED>();
                    if !last {
                        break;
                    }
                }
                if done > ago {
                    let at = iteration - u64::from(ago);
                    let improved = leader.fitness;
                    if best_exchange.hear::<CONSTRAINED>(tag.wrapping_sub(ago), &mut leader) {
                        kept = keep::<R, M, S>(&this_block(), &mut spread, (leader.index, at));
                        if thread::index() == 0 {
                            remembered.set_best(leader);
                            if leader.fitness.beats(improved) {
                                remembered.set_improved_at(at);
                            }
                        }
                        block::sync();
                    }
                    reason = stop_of(args, leader.fitness, at, remembered);
                }
                if reason != stopped::NOT || ago == 0 {
                    break;
                }
                ago -= 1;
            }
            if reason != stopped::NOT || last {
                if ago != 0 {
                    not_finite = known_not_finite;
                }
                break (reason, thread::opaque_wide(iteration) - u64::from(ago));
            }
            iteration += 1;
            continue;
        }
        let old = leader.fitness;
        if best_exchange.agree::<CONSTRAINED>(tag, mine, &mut leader) {
            let after = this_block().written_by(thread::opaque_wide(iteration));
            spread.follow(after.row(leader.index), args.stride);
            if thread::index() == 0 {
                remembered.set_best(leader);
                if leader.fitness.beats(old) {
                    remembered.set_improved_at(noticed);
                }
            }
            block::sync();
        }
        mine = none::<R, CONSTRAINED>();
        let reason = if iteration == noticed {
            stop_of(args, leader.fitness, iteration, remembered)
        } else {
            stopped::NOT
        };
        iteration += 1;
        if last || reason != stopped::NOT {
            // Opaque, so that the compiler does not keep `iteration - 1` in registers besides `iteration`.
            break (reason, thread::opaque_wide(iteration) - 1);
        }
    };
    let generation = &this_block();
    if S::EACH_LANE || thread::lane() == 0 {
        count_not_finite(generation.control, not_finite);
    }
    if args.iterations <= 1 {
        // After this barrier no thread still reads what the block's individuals exchanged.
        block::sync();
        // Read again, so that the first iteration is not kept in registers throughout.
        let after = generation.written_by(first(generation.control.get(0)));
        let (row, noticed) = (|index| after.row(index), |iteration| method.noticed(iteration));
        let done = u64::from(!starts);
        generation.run().end_iterations(done, noticed, mine, row, args.stride, scratch);
    } else if generation.part == 0 {
        if !goes_on {
            spread.tell(generation.global_position, args.stride);
        }
        if thread::index() == 0 {
            generation.global.set(0, remembered.best::<CONSTRAINED>());
            set_progress(generation.control, until, remembered.improved_at(), reason);
        }
    }
}

/// If the individual is one of this block's, stores its public point after an iteration as the run's best. Returns
/// whether it is. Collective in the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn keep<R: DeviceReal, M: Method<R>, S: Spread<R, M>>(
    generation: &Generation<'_, R>,
    spread: &mut S,
    (index, iteration): (u32, u64),
) -> bool {
    let (first, end) = generation.of_this_block();
    let is_ours = first <= index && index < end;
    if is_ours {
        let after = generation.written_by(thread::opaque_wide(iteration));
        spread.follow(after.row(index), generation.args.stride);
        block::sync();
        spread.tell(generation.global_position, generation.args.stride);
    }
    is_ours
}

/// Why a run with this best after an iteration stops by itself: a code of [`stopped`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn stop_of<R: DeviceReal>(
    args: &GenerationArgs<R>,
    best: Fitness<R>,
    iteration: u64,
    remembered: Remembered<R>,
) -> u32 {
    // A value that nothing can beat always ends a run.
    if args.never_stops == 0 || best.value == R::ZERO - R::INFINITY {
        own_run(args).stop.check(best, iteration, remembered.improved_at())
    } else {
        stopped::NOT
    }
}
