//! Individuals in memory while they move: any number of coordinates, one iteration a launch.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs, stopped};
use warpswarm_core::method::{Individual, Method, Numbers, Own, SiteDraws};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::WarpPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{thread, warp};

use super::population::{Generation, Parity, Place, key_of_block};
use super::seen::{SeenByWarp, looked};
use crate::run::count_not_finite;

/// One iteration with a warp an individual, a coordinate a lane at a time; with `iterations` zero
/// places the individuals.
///
/// Work: each of the run's blocks has as many neighbouring individuals as the others, its warps stride
/// over them. Shared memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[inline(always)]
pub fn step<R: DeviceReal, M: Method<R>>(launch: &MethodArgs<R, M>) {
    max_block::<MAX_BLOCK>();
    let args = &launch.args;
    let key = key_of_block(args);
    let generation = &Generation::of_block(args, (M::OWN, M::NUMBERS), key);
    let control = generation.control.get(0);
    let starts = args.iterations == 0;
    if !starts && control.stopped != stopped::NOT {
        return;
    }
    let iteration = if starts { 0 } else { control.iterations + 1 };
    let (before, after) = (generation.written_by(iteration + 1), generation.written_by(iteration));
    let (mut mine, mut not_finite) = (Candidate::NONE, 0);
    generation.each(|index| {
        let who = generation.individual(iteration, index, before.fitness.get(index as usize));
        let (fitness, bad) = advance::<R, M>(launch, generation, (before, after), &who);
        not_finite += bad;
        mine = mine.better(Candidate::new(fitness, index));
    });
    if thread::lane() == 0 {
        count_not_finite(generation.control, not_finite);
    }
    // SAFETY: the host gives `MethodTile::shared_bytes`: a candidate a thread and one more.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let row = |index| after.row(index);
    let noticed = |iteration| launch.method.noticed(iteration);
    generation.run().end_iteration(starts, noticed, mine, row, args.stride, scratch);
}

/// The coordinates of this lane.
#[inline(always)]
fn coordinates(dimensions: u32, mut work: impl FnMut(u32)) {
    let mut i = thread::lane();
    while i < dimensions {
        work(i);
        i += 32;
    }
}

/// The best attempt so far: its number, its fitness, and what it was made with.
type Kept<R, P> = (u32, Fitness<R>, P, Numbers<R>);

/// Moves an individual one iteration on, or places it; gives the fitness of its public point, and how
/// many of its evaluations were not finite.
///
/// A proposal is written where the public point will be, and taken back if it is refused. The own rows
/// change once the attempts are over, so the coordinates of the one that counts are computed again.
#[inline(always)]
fn advance<R: DeviceReal, M: Method<R>>(
    launch: &MethodArgs<R, M>,
    generation: &Generation<'_, R>,
    (before, after): (Parity<R>, Parity<R>),
    who: &Individual<R>,
) -> (Fitness<R>, u32) {
    let method = &launch.method;
    let (starts, dimensions) = (who.iteration == 0, who.dimensions);
    let others = SeenByWarp::<R, true> { generation, before };
    let (first, seen, who, from) = looked(method, before, &others, *who);
    let who = &who;
    let (row_before, row_after) = (before.row(from), after.row(who.index));
    let around = (generation, before, row_before);
    let attempts = if starts { 1 } else { method.attempts(who.iteration, who.index) };
    let mut kept: Option<Kept<R, M::Plan>> = None;
    let (mut attempt, mut not_finite) = (0, 0);
    while attempt < attempts {
        let who = Individual { attempt, ..*who };
        let mut tried = first;
        let plan = method.plan(&who, seen, &mut tried);
        // The attempt before has been read by all.
        warp::sync();
        coordinates(dimensions, |i| {
            row_after.set(i as usize, proposed(method, around, (&who, &plan), i).0);
        });
        warp::sync();
        let fitness =
            objective::evaluate::<R, _, true>(&WarpPoint::new(row_after, dimensions as usize));
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
    let Some((attempt, fitness, plan, mut numbers)) = kept else {
        coordinates(dimensions, |i| row_after.set(i as usize, row_before.get(i as usize)));
        if thread::lane() == 0 {
            after.fitness.set(who.index as usize, who.fitness);
            after.set_numbers(who.index, first);
        }
        return (who.fitness, 0);
    };
    let who = &Individual { attempt, ..*who };
    let accepted = starts || method.accept(who, &plan, fitness, &mut numbers);
    warp::sync();
    coordinates(dimensions, |i| {
        let (x, own) = proposed(method, around, (who, &plan), i);
        row_after.set(i as usize, if accepted { x } else { row_before.get(i as usize) });
        generation.set_own::<M>(who.index, i, own);
    });
    let fitness = if accepted { fitness } else { who.fitness };
    if thread::lane() == 0 {
        after.fitness.set(who.index as usize, fitness);
        after.set_numbers(who.index, if starts { first } else { numbers });
    }
    (fitness, not_finite)
}

/// A coordinate of a proposal, or of the first position, and of the own rows after it.
#[inline(always)]
fn proposed<R: DeviceReal, M: Method<R>>(
    method: &M,
    (generation, before, row_before): (&Generation<'_, R>, Parity<R>, View<R>),
    (who, plan): (&Individual<R>, &M::Plan),
    i: u32,
) -> (R, Own<R>) {
    if who.iteration == 0 {
        let (position, velocity) = generation.initial(who, i);
        return (position, method.start(position, velocity));
    }
    let place = Place {
        generation,
        before,
        draws: SiteDraws::of(who),
        coordinate: i,
        public: row_before.get(i as usize),
        own: generation.own::<M>(who.index, i),
        best: generation.global_position.get(i as usize),
    };
    method.propose(plan, &place)
}
