//! A warp moves an individual: up to 32 coordinates, one for each lane.

use warpswarm_core::launch::{MAX_BLOCK, generation_stage, team_scratch};
use warpswarm_core::method::{Individual, Method, Numbers, Own};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::TilePoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::population::{Generation, hidden};
use super::proposal::{Proposal, is_better};
use super::resident::{IterationContext, Spread};
use super::seen::{SeenByWarp, looked, none};

/// A warp moves an individual, or several warps divide its attempts.
///
/// Each of the run's blocks has `individuals_per_block` neighbouring individuals; its teams of warps stride over them.
/// Shared memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[derive(Clone, Copy)]
pub struct Warps<R> {
    team: Team,
    /// The memory through which the warps of a team compare their best attempts.
    scratch: SharedArray<Candidate<R>>,
    /// The memory through which the lanes of this warp exchange coordinates.
    stage: SharedArray<R>,
    /// This lane's coordinate of the run's best point.
    leader: R,
}

/// The warps that share the attempts of an individual.
#[derive(Clone, Copy)]
struct Team {
    /// Warps of the team.
    warps: u32,
    /// This team's index in the block.
    number: u32,
    /// Teams in the block.
    teams: u32,
    /// This warp's index in the team.
    rank: u32,
}

impl<R: DeviceReal, M: Method<R>> Spread<R, M> for Warps<R> {
    const EACH_LANE: bool = false;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn limit() {
        max_block::<MAX_BLOCK>();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_block(generation: &Generation<'_, R>, scratch: SharedArray<Candidate<R>>) -> Self {
        let threads = thread::block_dim();
        // Never zero; `max` removes the check for a division by zero.
        let warps = generation.args.team.max(1);
        let (number, rank) = (thread::warp() / warps, thread::warp() % warps);
        let places = 32;
        // SAFETY: the host gives `MethodTile::shared_bytes`: after the scratch the stage, if the objective gathers.
        let stage =
            unsafe { SharedArray::<R>::new(generation_stage::<R>(threads), threads / 32 * places) };
        Warps {
            team: Team { warps, number, teams: threads / 32 / warps, rank },
            scratch,
            stage: stage.part(thread::warp() * places, places),
            leader: R::ZERO,
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn follow(&mut self, row: View<R>, stride: u32) {
        self.leader = coordinate_of(stride, |i| row.get(i));
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell(&self, row: View<R>, stride: u32) {
        let i = thread::index();
        if i < stride && thread::warp() == 0 {
            row.set(i as usize, self.leader);
        }
    }

    /// All teams of a block do the same number of rounds, because they share barriers. A team that has no individual
    /// left only takes part in these.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn advance<const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        iteration: u64,
        (mut mine, mut not_finite): (Candidate<R>, u32),
    ) -> (Candidate<R>, u32) {
        let Warps { team, .. } = *self;
        let (first, end) = context.generation.of_this_block();
        let (mut start, mut number) = (first, 0);
        while start < end {
            let index = start + team.number;
            let who = (index < end).then(|| context.individual::<CONSTRAINED>(iteration, index));
            let shares = if team.warps == 1 {
                None
            } else {
                let at = team_scratch(thread::block_dim() / 32, number) + team.number * team.warps;
                Some((team, self.scratch.part(at, team.warps)))
            };
            let best = (self.leader, self.stage);
            let (candidate, bad) = advance::<R, M, CONSTRAINED>(method, context, who, best, shares);
            not_finite += bad;
            mine = mine.better(candidate);
            start += team.teams;
            number += 1;
        }
        (mine, not_finite)
    }
}

/// An individual before it proposes; `public` is this lane's coordinate.
#[derive(Clone, Copy)]
struct Parent<R, S> {
    who: Individual<R>,
    seen: S,
    numbers: Numbers<R>,
    public: R,
}

/// This lane's coordinate of a row of `stride` places; zero beyond its end.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn coordinate_of<R: DeviceReal>(stride: u32, get: impl Fn(usize) -> R) -> R {
    let i = thread::lane();
    if i < stride { get(i as usize) } else { R::ZERO }
}

/// Moves an individual by one iteration, or places it. Returns it with the fitness of its public point, and how many of
/// this warp's evaluations were not finite.
///
/// If a team divides the attempts, `shares` is the memory in which its warps compare their best ones. The warp with the
/// best attempt writes the individual and returns the candidate. The function is then collective in the block: a team
/// without an individual calls it too.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn advance<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    context: IterationContext<'_, R>,
    who: Option<Individual<R>>,
    (best, stage): (R, SharedArray<R>),
    shares: Option<(Team, SharedArray<Candidate<R>>)>,
) -> (Candidate<R>, u32) {
    let (mut kept, mut not_finite) = (None, 0);
    let parent = who.map(|who| {
        let generation = &context.generation.again::<M>();
        let before = generation.read_by(who.iteration);
        let others = SeenByWarp::<R, CONSTRAINED> { generation, before };
        let (numbers, seen, who, from) = looked(method, before, &others, who);
        let row = before.row(from);
        let public = coordinate_of(generation.args.stride, |i| row.get(i));
        Parent { who, seen, numbers, public }
    });
    if let Some(parent) = &parent {
        let turns = shares.map_or((0, 1), |(team, _)| (team.rank, team.warps));
        (kept, not_finite) =
            attempts::<R, M, CONSTRAINED>(method, context, parent, (best, stage), turns);
    }
    if let Some((team, place)) = shares {
        let mine = match &kept {
            None => none::<R, CONSTRAINED>(),
            Some(Proposal { fitness, attempt, .. }) => Candidate::new(*fitness, *attempt),
        };
        if thread::lane() == 0 {
            place.set(team.rank, mine);
        }
        block::sync();
        let theirs = if thread::lane() < team.warps {
            place.get(thread::lane())
        } else {
            none::<R, CONSTRAINED>()
        };
        let best = warp::best(theirs, CONSTRAINED).0.index;
        // Without any attempt, the first warp of the team writes.
        if best != mine.index || (best == u32::MAX && team.rank != 0) {
            return (none::<R, CONSTRAINED>(), not_finite);
        }
    }
    match parent {
        Some(parent) => (settle(method, context, parent, kept), not_finite),
        None => (none::<R, CONSTRAINED>(), not_finite),
    }
}

/// The best of the attempts `first`, `first + step` and so on, if there are any, and how many results were not finite.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn attempts<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    context: IterationContext<'_, R>,
    parent: &Parent<R, M::Observation>,
    (best, stage): (R, SharedArray<R>),
    (first, step): (u32, u32),
) -> (Option<Proposal<R, R, M::Plan>>, u32) {
    let Parent { who, seen, numbers, public } = parent;
    let (starts, dimensions) = (who.iteration == 0, who.dimensions as usize);
    let mut kept: Option<Proposal<R, R, M::Plan>> = None;
    let (mut attempt, mut not_finite) = (first, 0);
    let attempts = if starts { 1 } else { method.attempts(who.iteration, who.index) };
    while attempt < attempts {
        let who = Individual { attempt, key: hidden(who.key), ..*who };
        let mut tried = *numbers;
        let plan = method.plan(&who, *seen, &mut tried);
        let (x, own) = proposed(method, context, (&who, &plan), (*public, best));
        let level = context.generation.level_of::<CONSTRAINED>(who.index);
        let point = TilePoint::<R, 32, 1>::new([x], dimensions, stage);
        let fitness = objective::evaluate::<R, _, CONSTRAINED>(&point).within(level);
        not_finite += u32::from(!fitness.is_finite());
        if is_better(fitness, &kept) {
            let numbers = if starts { *numbers } else { tried };
            kept = Some(Proposal { x, own, numbers, plan, fitness, attempt });
        }
        attempt += step;
    }
    (kept, not_finite)
}

/// Stores an individual as it is after its best attempt, if it made any. Returns it with its fitness.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn settle<R: DeviceReal, M: Method<R>>(
    method: &M,
    IterationContext { generation, .. }: IterationContext<'_, R>,
    parent: Parent<R, M::Observation>,
    kept: Option<Proposal<R, R, M::Plan>>,
) -> Candidate<R> {
    let generation = &generation.again::<M>();
    let after = generation.written_by(parent.who.iteration);
    let Parent { who, mut numbers, public, .. } = parent;
    let mut x = public;
    let (mut fitness, i) = (who.fitness, thread::lane());
    if let Some(kept) = kept {
        let who = &Individual { attempt: kept.attempt, ..who };
        numbers = kept.numbers;
        if who.iteration == 0 || method.accept(who, &kept.plan, kept.fitness, &mut numbers) {
            (x, fitness) = (kept.x, kept.fitness);
        }
        if i < who.dimensions {
            generation.set_own::<M>(who.index, i, kept.own);
        }
    }
    if i < who.dimensions {
        after.row(who.index).set(i as usize, x);
        if let Some(left) = generation.leaves(method, who.index, &numbers) {
            left.set(i as usize, public);
        }
    }
    // After this barrier all lanes have read what one lane writes.
    warp::sync();
    if thread::lane() == 0 {
        after.fitness.set(who.index as usize, fitness);
        after.set_numbers(who.index, numbers);
    }
    Candidate::new(fitness, who.index)
}

/// This lane's coordinate of a proposal, or of the first position, and of the own rows after it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn proposed<R: DeviceReal, M: Method<R>>(
    method: &M,
    IterationContext { generation, .. }: IterationContext<'_, R>,
    (who, plan): (&Individual<R>, &M::Plan),
    (public, best): (R, R),
) -> (R, Own<R>) {
    let generation = &generation.again::<M>();
    let before = generation.read_by(who.iteration);
    // Lanes beyond the last coordinate compute that coordinate again. The index is opaque, so that no address is kept
    // in registers over all attempts.
    let i = thread::opaque(thread::lane()).min(who.dimensions - 1);
    generation.proposed(method, before, (who, plan), i, || public, || best)
}
