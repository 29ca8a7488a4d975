//! Individuals that stay in global memory while they move: any number of coordinates, one iteration a launch.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs};
use warpswarm_core::method::{Individual, Method, Numbers, Own};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{thread, warp};

use super::in_common::stage;
use super::population::{Generation, Parity, key_of_block};
use super::seen::{SeenByWarp, looked};
use crate::run::count_not_finite;

/// Does one iteration, or, if `iterations` is zero, places the individuals.
///
/// **Mapping.** Each of the run's blocks has `individuals_per_block` neighbouring individuals. A warp works on an
/// individual and strides over those of its block; lanes stride over the coordinates.
///
/// **Arrays.** As [`GenerationArgs`](warpswarm_core::launch::GenerationArgs) describes them.
///
/// **Launch.** `runs * blocks_per_run` blocks of a multiple of 32 threads, at most [`MAX_BLOCK`].
///
/// **Shared memory.** [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn step<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    iterate(launch, |_, context, plan| evaluated(&launch.method, context, plan));
}

/// The fitness of a proposal.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn evaluated<R: DeviceReal, M: Method<R>>(
    method: &M,
    context: &ProposalContext<'_, R>,
    plan: &M::Plan,
) -> Fitness<R> {
    let row = context.after.row(context.who.index);
    // The proposal is written where the public point will be. After this barrier all lanes have read the attempt
    // before.
    warp::sync();
    context.propose(method, plan, row);
    let point = WarpPoint::new(row, context.who.dimensions as usize);
    objective::evaluate::<R, _, true>(&point)
}

/// Does iteration `iteration` of a leg inside another kernel; 0 places the individuals. The run's blocks synchronise
/// before and after. Returns how many evaluations of this warp were not finite.
#[cfg(feature = "built-in")]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn turn<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    iteration: u64,
) -> u32 {
    if iteration == 0 {
        generation.renew(method);
    }
    generation.learn(method, iteration, None);
    let judge = |_: &Generation<'_, R>, context: &ProposalContext<'_, R>, plan: &M::Plan| {
        evaluated(method, context, plan)
    };
    let (_, not_finite) = advance_all::<R, M>(method, generation, iteration, &judge);
    generation.teach(method, iteration, None);
    not_finite
}

/// Does one iteration of this warp's individuals. Returns the best of them, and how many evaluations were not finite.
///
/// A written-out loop instead of [`Generation::each`]: the compiler may not inline a closure, and code that evaluates
/// must be inlined.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn advance_all<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    iteration: u64,
    judge: &impl Fn(&Generation<'_, R>, &ProposalContext<'_, R>, &M::Plan) -> Fitness<R>,
) -> (Candidate<R>, u32) {
    let (first, end) = generation.of_this_block();
    let (mut mine, mut not_finite, mut index) = (Candidate::NONE, 0, first + thread::warp());
    while index < end {
        let (fitness, bad) = advance::<R, M>(method, generation, (iteration, index), judge);
        not_finite += bad;
        mine = mine.better(Candidate::new(fitness, index));
        index += thread::block_dim() / 32;
    }
    (mine, not_finite)
}

/// Does one iteration; `judge` returns the fitness of each attempt's proposal.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn iterate<R: DeviceReal, M: Method<R>>(
    launch: &MethodArgs<R, M>,
    judge: impl Fn(&Generation<'_, R>, &ProposalContext<'_, R>, &M::Plan) -> Fitness<R>,
) {
    max_block::<MAX_BLOCK>();
    let args = &launch.args;
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key_of_block(args));
    let Some(iteration) = generation.next() else { return };
    if iteration == 0 {
        generation.renew(&launch.method);
    }
    generation.learn(&launch.method, iteration, stage());
    let (mine, not_finite) = advance_all::<R, M>(&launch.method, generation, iteration, &judge);
    generation.teach(&launch.method, iteration, None);
    if thread::lane() == 0 {
        count_not_finite(generation.control, not_finite);
    }
    // SAFETY: the host gives `MethodTile::shared_bytes`: a candidate for each thread and one more.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let after = generation.written_by(iteration);
    let row = |index| after.row(index);
    let noticed = |iteration| launch.method.noticed(iteration);
    let done = u64::from(iteration != 0);
    generation.run().end_iterations(done, noticed, mine, row, args.stride, scratch);
}

/// An individual that proposes, and the data that it uses.
#[derive(Clone, Copy)]
pub(super) struct ProposalContext<'a, R> {
    pub(super) who: Individual<R>,
    generation: &'a Generation<'a, R>,
    before: Parity<R>,
    after: Parity<R>,
    /// The public point: its own, or one taken over.
    public: View<R>,
}

impl<'a, R: DeviceReal> ProposalContext<'a, R> {
    /// Prepares an individual: what it looks at, its numbers, and what it has seen.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn observe<M: Method<R>>(
        method: &M,
        generation: &'a Generation<'a, R>,
        (iteration, index): (u64, u32),
    ) -> (Self, Numbers<R>, M::Observation) {
        let (before, after) = (generation.read_by(iteration), generation.written_by(iteration));
        let who = generation.individual(iteration, index, before.fitness.get(index as usize));
        let others = SeenByWarp::<R, true> { generation, before };
        let (numbers, seen, who, from) = looked(method, before, &others, who);
        (
            ProposalContext { who, generation, before, after, public: before.row(from) },
            numbers,
            seen,
        )
    }

    /// The same for an attempt.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn attempt(&self, attempt: u32) -> Self {
        ProposalContext { who: Individual { attempt, ..self.who }, ..*self }
    }

    /// How many attempts the individual makes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn attempts<M: Method<R>>(&self, method: &M) -> u32 {
        let Individual { iteration, index, .. } = self.who;
        if iteration == 0 { 1 } else { method.attempts(iteration, index) }
    }

    /// Writes the proposal to a row; by the whole warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn propose<M: Method<R>>(&self, method: &M, plan: &M::Plan, row: View<R>) {
        coordinates(self.who.dimensions, |i| row.set(i as usize, self.proposed(method, plan, i).0));
    }

    /// A coordinate of a proposal, or of the first position, and of the own rows after it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn proposed<M: Method<R>>(&self, method: &M, plan: &M::Plan, i: u32) -> (R, Own<R>) {
        let ProposalContext { who, generation, before, public, .. } = self;
        let best = || generation.global_position.get(i as usize);
        let public = || public.get(i as usize);
        generation.proposed(method, *before, (who, plan), i, public, best)
    }
}

/// Calls `work` for the coordinates of this lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn coordinates(dimensions: u32, mut work: impl FnMut(u32)) {
    let mut i = thread::lane();
    while i < dimensions {
        work(i);
        i += 32;
    }
}

/// The best attempt so far: its number, its fitness, its plan and its numbers.
type BestAttempt<R, P> = (u32, Fitness<R>, P, Numbers<R>);

/// Moves an individual by one iteration, or places it. Returns the fitness of its public point, and how many of its
/// evaluations were not finite.
///
/// The own rows change only after all attempts, so the coordinates of the best attempt are computed a second time.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn advance<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    at: (u64, u32),
    judge: &impl Fn(&Generation<'_, R>, &ProposalContext<'_, R>, &M::Plan) -> Fitness<R>,
) -> (Fitness<R>, u32) {
    let (context, first, seen) = ProposalContext::observe(method, generation, at);
    let (who, after) = (&context.who, context.after);
    let (starts, dimensions) = (who.iteration == 0, who.dimensions);
    let attempts = context.attempts(method);
    let mut kept: Option<BestAttempt<R, M::Plan>> = None;
    let (mut attempt, mut not_finite) = (0, 0);
    while attempt < attempts {
        let context = context.attempt(attempt);
        let mut tried = first;
        let plan = method.plan(&context.who, seen, &mut tried);
        let level = generation.level_of::<true>(who.index);
        let fitness = judge(generation, &context, &plan).within(level);
        not_finite += u32::from(!fitness.is_finite());
        let better = match kept {
            None => true,
            Some((_, best, ..)) => fitness.beats(best),
        };
        if better {
            kept = Some((attempt, fitness, plan, tried));
        }
        attempt += 1;
    }
    let row = after.row(who.index);
    let Some((attempt, fitness, plan, mut numbers)) = kept else {
        coordinates(dimensions, |i| row.set(i as usize, context.public.get(i as usize)));
        if thread::lane() == 0 {
            after.fitness.set(who.index as usize, who.fitness);
            after.set_numbers(who.index, first);
        }
        return (who.fitness, 0);
    };
    let context = context.attempt(attempt);
    let who = &context.who;
    let accepted = starts || method.accept(who, &plan, fitness, &mut numbers);
    warp::sync();
    coordinates(dimensions, |i| {
        let (x, own) = context.proposed(method, &plan, i);
        row.set(i as usize, if accepted { x } else { context.public.get(i as usize) });
        generation.set_own::<M>(who.index, i, own);
    });
    let fitness = if accepted { fitness } else { who.fitness };
    let numbers = if starts { first } else { numbers };
    if let Some(left) = generation.leaves(method, who.index, &numbers) {
        coordinates(dimensions, |i| left.set(i as usize, context.public.get(i as usize)));
    }
    if thread::lane() == 0 {
        after.fitness.set(who.index as usize, fitness);
        after.set_numbers(who.index, numbers);
    }
    (fitness, not_finite)
}
