//! Individuals in registers while they move: up to 32 coordinates, one a lane.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs, generation_stage, stopped};
use warpswarm_core::method::{Individual, Method, Numbers, Own, SiteDraws};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::TilePoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{thread, warp};

use super::meeting::Meeting;
use super::population::{Generation, Parity, Place};
use crate::run::{count_not_finite, set_progress};

/// The best point that there ever was: fitness and index, and this lane's coordinate.
#[derive(Clone, Copy)]
struct Leader<R> {
    best: Candidate<R>,
    position: R,
}

/// A proposal and what it was made with; `x` and `own` are this lane's coordinate.
#[derive(Clone, Copy)]
struct Proposal<R, P> {
    x: R,
    own: Own<R>,
    numbers: Numbers<R>,
    plan: P,
    fitness: Fitness<R>,
    attempt: u32,
}

/// `args.iterations` iterations with a warp an individual, a coordinate a lane; zero places the
/// individuals.
///
/// Work: each of the run's blocks has as many neighbouring individuals as the others, its warps stride
/// over them. Shared memory: [`WarpTile::shared_bytes`](warpswarm_core::launch::WarpTile::shared_bytes).
/// Several iterations with several blocks a run need a cooperative launch.
#[inline(always)]
pub fn run<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(launch: &MethodArgs<R, M>) {
    max_block::<MAX_BLOCK>();
    let args = &launch.args;
    let generation = &Generation::of_block(args, M::OWN, M::NUMBERS);
    let control = generation.control.get(0);
    let starts = args.iterations == 0;
    if !starts && control.stopped != stopped::NOT {
        return;
    }
    let (scratch, stage) = shared::<R>();
    let mut leader = Leader { best: Candidate::NONE, position: R::ZERO };
    if !starts {
        leader.best = generation.global.get(0);
        leader.position =
            coordinate_of(generation.args.stride, |i| generation.global_position.get(i));
    }
    let mut iteration = if starts { 0 } else { control.iterations + 1 };
    let (mut improved_at, mut not_finite, mut done) = (control.improved_at, 0, 0);
    loop {
        let (before, after) =
            (generation.written_by(iteration + 1), generation.written_by(iteration));
        let mut mine = Candidate::NONE;
        generation.each(|index| {
            let who = generation.individual(iteration, index, before.fitness.get(index as usize));
            let moved = advance::<R, M, CONSTRAINED>(
                launch,
                generation,
                (before, after),
                &who,
                &leader,
                stage,
            );
            not_finite += moved.1;
            mine = mine.better(Candidate::new(moved.0, index));
        });
        done += 1;
        if args.iterations <= 1 {
            if thread::lane() == 0 {
                count_not_finite(generation.control, not_finite);
            }
            let row = |index| after.row(index);
            return generation.run().end_iteration(starts, mine, row, args.stride, scratch);
        }
        let old = leader.best.fitness;
        let tag = args.tag.wrapping_add(done);
        if Meeting::new::<CONSTRAINED>(generation, scratch).agree::<CONSTRAINED>(
            tag,
            mine,
            &mut leader.best,
        ) {
            let row_of_best = after.row(leader.best.index);
            leader.position = coordinate_of(args.stride, |i| row_of_best.get(i));
            if leader.best.fitness.beats(old) {
                improved_at = iteration;
            }
        }
        let reason = args.stop.check(leader.best.fitness, iteration, improved_at);
        if u64::from(done) == args.iterations || reason != stopped::NOT {
            if thread::lane() == 0 {
                count_not_finite(generation.control, not_finite);
            }
            return finish(generation, &leader, (iteration, improved_at, reason));
        }
        iteration += 1;
    }
}

/// The scratch of the block's reductions, and this warp's stage of its points.
#[inline(always)]
fn shared<R: DeviceReal>() -> (SharedArray<Candidate<R>>, SharedArray<R>) {
    let threads = thread::block_dim();
    let places = 32;
    // SAFETY: the host gives `WarpTile::shared_bytes`: a candidate a thread and one more, then the
    // stage, if the objective gathers.
    let (scratch, stage) = unsafe {
        (
            SharedArray::new(0, threads + 1),
            SharedArray::new(generation_stage::<R>(threads), threads / 32 * places),
        )
    };
    (scratch, stage.part(thread::warp() * places, places))
}

/// This lane's coordinate of a row of `stride` places; zero beyond its end.
#[inline(always)]
fn coordinate_of<R: DeviceReal>(stride: u32, get: impl Fn(usize) -> R) -> R {
    let i = thread::lane();
    if i < stride { get(i as usize) } else { R::ZERO }
}

/// Moves an individual one iteration on, or places it; gives the fitness of its public point, and how
/// many of its evaluations were not finite.
#[inline(always)]
fn advance<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    launch: &MethodArgs<R, M>,
    generation: &Generation<'_, R>,
    (before, after): (Parity<R>, Parity<R>),
    who: &Individual<R>,
    leader: &Leader<R>,
    stage: SharedArray<R>,
) -> (Fitness<R>, u32) {
    let method = &launch.method;
    let (starts, dimensions) = (who.iteration == 0, who.dimensions as usize);
    let numbers =
        if starts { method.numbers(who) } else { generation.numbers(M::NUMBERS, who.index) };
    let row_before = before.row(who.index);
    let public = coordinate_of(generation.args.stride, |i| row_before.get(i));
    let seen = method.look(who, &before);
    let mut kept = None;
    let (mut attempt, mut not_finite) = (0, 0);
    loop {
        let who = Individual { attempt, ..*who };
        let mut tried = numbers;
        let plan = method.plan(&who, &seen, &mut tried);
        let (x, own) = proposed(method, generation, before, (&who, &plan), public, leader);
        let point = TilePoint::<R, 32, 1>::new([x], dimensions, stage);
        let fitness = objective::evaluate::<R, _, CONSTRAINED>(&point);
        not_finite += u32::from(!fitness.is_finite());
        let better = match &kept {
            None => true,
            Some(Proposal { fitness: best, .. }) => fitness.beats(*best),
        };
        if better {
            kept = Some(Proposal { x, own, numbers: tried, plan, fitness, attempt });
        }
        attempt += 1;
        if starts || attempt >= method.attempts(who.iteration) {
            break;
        }
    }
    let Some(Proposal { x, own, numbers: mut tried, plan, fitness, attempt }) = kept else {
        thread::abort()
    };
    let who = &Individual { attempt, ..*who };
    let accepted = starts || method.accept(who, &plan, fitness, &mut tried);
    let row_after = after.row(who.index);
    let i = thread::lane();
    if i < who.dimensions {
        row_after.set(i as usize, if accepted { x } else { public });
        generation.set_own::<M>(who.index, i, own);
    }
    let fitness = if accepted { fitness } else { who.fitness };
    // What all lanes have read is written by one of them.
    warp::sync();
    if thread::lane() == 0 {
        after.fitness.set(who.index as usize, fitness);
        generation.set_numbers(M::NUMBERS, who.index, if starts { numbers } else { tried });
    }
    (fitness, not_finite)
}

/// This lane's coordinate of a proposal, or of the first position, and of the own rows after it.
#[inline(always)]
fn proposed<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    before: Parity<R>,
    (who, plan): (&Individual<R>, &M::Plan),
    public: R,
    leader: &Leader<R>,
) -> (R, Own<R>) {
    // Lanes beyond the last coordinate go through its motions.
    let i = thread::lane().min(who.dimensions - 1);
    if who.iteration == 0 {
        let (position, velocity) = generation.initial(who, i);
        return (position, method.start(position, velocity));
    }
    let place = Place {
        generation,
        before,
        draws: SiteDraws::of(who),
        coordinate: i,
        public,
        own: generation.own::<M>(who.index, i),
        best: leader.position,
    };
    method.propose(plan, &place)
}

/// Writes where the run is, by its first block.
#[inline(always)]
fn finish<R: DeviceReal>(
    generation: &Generation<'_, R>,
    leader: &Leader<R>,
    (iteration, improved_at, reason): (u64, u64, u32),
) {
    if generation.part != 0 || thread::warp() != 0 {
        return;
    }
    let i = thread::lane();
    if i < generation.args.stride {
        generation.global_position.set(i as usize, leader.position);
    }
    if thread::lane() == 0 {
        generation.global.set(0, leader.best);
        set_progress(generation.control, iteration, improved_at, reason);
    }
}
