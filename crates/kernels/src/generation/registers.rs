//! Individuals in registers while they move: up to 32 coordinates, one a lane.

use warpswarm_core::launch::{MAX_BLOCK, MethodArgs, generation_stage, stopped, team_scratch};
use warpswarm_core::method::{Individual, Method, Numbers, Own, SiteDraws};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::TilePoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread, warp};

use super::meeting::Meeting;
use super::population::{Generation, Parity, Place, Team};
use crate::run::{count_not_finite, set_progress};

/// The best point that there ever was: fitness and index, and this lane's coordinate.
#[derive(Clone, Copy)]
struct Leader<R> {
    best: Candidate<R>,
    position: R,
}

/// A proposal and what it was made with; `x`, `own` and the old `public` point are this lane's coordinate.
#[derive(Clone, Copy)]
struct Proposal<R, P> {
    x: R,
    public: R,
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
    let team = Team::of(args);
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
        generation.each_of_team(&team, |index, number| {
            let who = index.map(|index| {
                generation.individual(iteration, index, before.fitness.get(index as usize))
            });
            let shares = if team.warps == 1 {
                None
            } else {
                let at = team_scratch(thread::block_dim() / 32, number) + team.number * team.warps;
                Some((team, scratch.part(at, team.warps)))
            };
            let around = (generation, before, after);
            let (candidate, bad) = advance::<R, M, CONSTRAINED>(
                &launch.method,
                around,
                who,
                (leader.position, stage),
                shares,
            );
            not_finite += bad;
            mine = mine.better(candidate);
        });
        done += 1;
        if args.iterations <= 1 {
            if thread::lane() == 0 {
                count_not_finite(generation.control, not_finite);
            }
            if team.warps > 1 {
                // Teams have read what the reduction writes over.
                block::sync();
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

/// A run, and its public points as the iteration before left them and as this one writes them.
type Around<'a, R> = (&'a Generation<'a, R>, Parity<R>, Parity<R>);

/// Moves an individual one iteration on, or places it; gives it with the fitness of its public point, and
/// how many of this warp's evaluations were not finite.
///
/// Where a team shares the attempts, all its warps come here, with the place in which they tell each other
/// their best; the one whose attempt counts writes, and gives the candidate. Collective in the block
/// then: a team without an individual comes, too.
#[inline(always)]
fn advance<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    around: Around<'_, R>,
    who: Option<Individual<R>>,
    (best, stage): (R, SharedArray<R>),
    shares: Option<(Team, SharedArray<Candidate<R>>)>,
) -> (Candidate<R>, u32) {
    let (mut kept, mut not_finite) = (None, 0);
    if let Some(who) = &who {
        let turns = shares.map_or((0, 1), |(team, _)| (team.rank, team.warps));
        (kept, not_finite) =
            attempts::<R, M, CONSTRAINED>(method, around, who, (best, stage), turns);
    }
    if let Some((team, place)) = shares {
        let mine = match &kept {
            None => Candidate::NONE,
            Some(Proposal { fitness, attempt, .. }) => Candidate::new(*fitness, *attempt),
        };
        if thread::lane() == 0 {
            place.set(team.rank, mine);
        }
        block::sync();
        let theirs =
            if thread::lane() < team.warps { place.get(thread::lane()) } else { Candidate::NONE };
        if warp::best(theirs, true).0.index != mine.index {
            return (Candidate::NONE, not_finite);
        }
    }
    match (who, kept) {
        (Some(who), Some(kept)) => {
            (Candidate::new(settle(method, around, &who, kept), who.index), not_finite)
        }
        _ => (Candidate::NONE, not_finite),
    }
}

/// The best of the attempts `first`, `first + step` and so on, if there are any, and how many were not
/// finite.
#[inline(always)]
fn attempts<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    (generation, before, _): Around<'_, R>,
    who: &Individual<R>,
    (best, stage): (R, SharedArray<R>),
    (first, step): (u32, u32),
) -> (Option<Proposal<R, M::Plan>>, u32) {
    let (starts, dimensions) = (who.iteration == 0, who.dimensions as usize);
    let numbers =
        if starts { method.numbers(who) } else { generation.numbers(M::NUMBERS, who.index) };
    let row = before.row(who.index);
    let public = coordinate_of(generation.args.stride, |i| row.get(i));
    let seen = method.look(who, &before);
    let mut kept: Option<Proposal<R, M::Plan>> = None;
    let (mut attempt, mut not_finite) = (first, 0);
    let attempts = if starts { 1 } else { method.attempts(who.iteration) };
    while attempt < attempts {
        let who = Individual { attempt, ..*who };
        let mut tried = numbers;
        let plan = method.plan(&who, seen, &mut tried);
        let (x, own) = proposed(method, generation, before, (&who, &plan), public, best);
        let point = TilePoint::<R, 32, 1>::new([x], dimensions, stage);
        let fitness = objective::evaluate::<R, _, CONSTRAINED>(&point);
        not_finite += u32::from(!fitness.is_finite());
        let better = match &kept {
            None => true,
            Some(Proposal { fitness: best, .. }) => fitness.beats(*best),
        };
        if better {
            let numbers = if starts { numbers } else { tried };
            kept = Some(Proposal { x, public, own, numbers, plan, fitness, attempt });
        }
        attempt += step;
    }
    (kept, not_finite)
}

/// Writes an individual as it is after its best attempt; gives the fitness of its public point.
#[inline(always)]
fn settle<R: DeviceReal, M: Method<R>>(
    method: &M,
    (generation, _, after): Around<'_, R>,
    who: &Individual<R>,
    kept: Proposal<R, M::Plan>,
) -> Fitness<R> {
    let Proposal { x, public, own, mut numbers, plan, fitness, attempt } = kept;
    let who = &Individual { attempt, ..*who };
    let accepted = who.iteration == 0 || method.accept(who, &plan, fitness, &mut numbers);
    let (row_after, i) = (after.row(who.index), thread::lane());
    if i < who.dimensions {
        row_after.set(i as usize, if accepted { x } else { public });
        generation.set_own::<M>(who.index, i, own);
    }
    let fitness = if accepted { fitness } else { who.fitness };
    // What all lanes have read is written by one of them.
    warp::sync();
    if thread::lane() == 0 {
        after.fitness.set(who.index as usize, fitness);
        generation.set_numbers(M::NUMBERS, who.index, numbers);
    }
    fitness
}

/// This lane's coordinate of a proposal, or of the first position, and of the own rows after it.
#[inline(always)]
fn proposed<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    before: Parity<R>,
    (who, plan): (&Individual<R>, &M::Plan),
    public: R,
    best: R,
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
        best,
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
