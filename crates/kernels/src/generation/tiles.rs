//! Eight lanes move an individual, with four neighbouring coordinates for each lane: up to 32 coordinates.

use warpswarm_core::launch::{MAX_BLOCK, TILE_BLOCKS, generation_stage};
use warpswarm_core::method::{Individual, MAX_OTHERS, Method, Planning, With};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::TilePoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::warp::Word;
use warpswarm_device::{objective, thread, warp};

use super::place::{Place, normals_of};
use super::population::{Generation, draws_of, hidden};
use super::proposal::{Copied, Proposal, is_better};
use super::resident::{IterationContext, Spread};
use super::seen::{SeenByLanes, known, looked, none, numbers_before};

/// Lanes of an individual.
const LANES: u32 = 8;
/// Coordinates of a lane.
const K: usize = 4;

/// Eight lanes move an individual. They read and write whole rows, 16 bytes or more for each lane, so that accesses are
/// coalesced.
///
/// Each of the run's blocks has `individuals_per_block` neighbouring individuals; its tiles stride over them. Shared
/// memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[derive(Clone, Copy)]
pub struct Tiles<R> {
    /// The run's best point, `[coordinate]`
    leader: SharedArray<R>,
    /// The memory through which the lanes of this tile exchange coordinates.
    stage: SharedArray<R>,
    /// Which of this tile's individuals have equal rows in both parities.
    copied: Copied,
}

/// This lane's first coordinate.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn first() -> u32 {
    thread::lane() % LANES * K as u32
}

/// This lane's coordinates of a row of `stride` places, a multiple of four; zero beyond its end.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn places<R: DeviceReal>(row: View<R>, stride: u32) -> [R; K] {
    if first() < stride { row.get4(first() as usize) } else { [R::ZERO; K] }
}

/// Writes this lane's coordinates of a row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn set_places<R: DeviceReal>(row: View<R>, stride: u32, x: [R; K]) {
    if first() < stride {
        row.set4(first() as usize, x);
    }
}

impl<R: DeviceReal, M: Method<R>> Spread<R, M> for Tiles<R> {
    const EACH_LANE: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn limit() {
        if R::WORDS == 2 {
            max_block::<MAX_BLOCK>();
        } else if M::FRUGAL {
            max_block::<{ TILE_BLOCKS[0] }>();
        } else {
            max_block::<{ TILE_BLOCKS[1] }>();
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_block(_: &Generation<'_, R>, _: SharedArray<Candidate<R>>) -> Self {
        let (threads, places) = (thread::block_dim(), LANES * K as u32);
        let points = 1 + threads / LANES;
        // SAFETY: the host gives `MethodTile::shared_bytes`: after the scratch a point for the leader, and the stage,
        // if the objective gathers.
        let points =
            unsafe { SharedArray::<R>::new(generation_stage::<R>(threads), points * places) };
        let stage = points.part((1 + thread::index() / LANES) * places, places);
        Tiles { leader: points.part(0, places), stage, copied: Copied::NONE }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn follow(&mut self, row: View<R>, stride: u32) {
        if thread::index() < LANES {
            self.leader.set4(first(), places(row, stride));
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell(&self, row: View<R>, stride: u32) {
        if thread::index() < LANES {
            set_places(row, stride, self.leader.get4(first()));
        }
    }

    /// All tiles of a block do the same number of rounds, because collectives need all lanes of a warp. A tile that has
    /// no individual left computes with the block's last one and writes nothing.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn advance<const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        iteration: u64,
        (mut mine, mut not_finite): (Candidate<R>, u32),
    ) -> (Candidate<R>, u32) {
        let mut round = 0;
        while let Some(turn) = turn(context, round) {
            if M::PLANNING != Planning::IndividualEach {
                let at = (iteration, round);
                let (candidate, bad) =
                    self.take::<M, CONSTRAINED>(method, context, at, (turn, None));
                not_finite += bad;
                mine = mine.better(candidate);
                round += 1;
                continue;
            }
            let plan = planned::<R, M, CONSTRAINED>(method, context, (iteration, round), turn);
            let until = round + LANES;
            while let Some(turn) = self::turn(context, round)
                && round < until
            {
                let (at, plan) = ((iteration, round), of_lane::<R, M>(plan, round % LANES));
                let (candidate, bad) =
                    self.take::<M, CONSTRAINED>(method, context, at, (turn, Some(plan)));
                not_finite += bad;
                mine = mine.better(candidate);
                round += 1;
            }
        }
        (mine, not_finite)
    }
}

/// The individual of this tile in a round, and whether there is one; beyond the end the block's last individual. None
/// if no tile of the block has an individual.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn turn<R: DeviceReal>(context: IterationContext<'_, R>, round: u32) -> Option<(u32, bool)> {
    let (first, end) = context.generation.of_this_block();
    let start = first + round * (thread::block_dim() / LANES);
    let index = start + thread::index() / LANES;
    (start < end).then_some((index.min(end - 1), index < end))
}

/// The plan of this lane. Each lane plans for one of the next [`LANES`] rounds. If only one round is left, the lanes
/// look at the others together for it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn planned<R: DeviceReal, M: Method<R>, const CONSTRAINED: bool>(
    method: &M,
    context: IterationContext<'_, R>,
    (iteration, round): (u64, u32),
    now: (u32, bool),
) -> M::Plan {
    let alone = turn(context, round + 1).is_some();
    let ahead = if alone { thread::lane() % LANES } else { 0 };
    let (index, _) = turn(context, round + ahead).unwrap_or(now);
    let who = context.individual::<CONSTRAINED>(iteration, index);
    let IterationContext { generation, before, .. } = context;
    let (mut numbers, seen, who, _) = if alone {
        let others = SeenByLanes::<R, CONSTRAINED, 1, 16> { generation, before, bests: None };
        looked(method, before, &others, who)
    } else {
        let others = SeenByLanes::<R, CONSTRAINED, LANES, 2> { generation, before, bests: None };
        looked(method, before, &others, who)
    };
    // Opaque, so that values computed from the key are not kept in registers in between.
    method.plan(&Individual { key: hidden(who.key), ..who }, seen, &mut numbers)
}

/// The plan of lane `lane` of this tile. Collective in the warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn of_lane<R: DeviceReal, M: Method<R>>(plan: M::Plan, lane: u32) -> M::Plan {
    let lane = thread::lane() / LANES * LANES + lane;
    M::mapped(plan, |word| word.shuffle(lane), |number| warp::shuffle(number, lane))
}

impl<R: DeviceReal> Tiles<R> {
    /// Moves the individual of this round: see [`one`](Tiles::one).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take<M: Method<R>, const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        (iteration, round): (u64, u32),
        ((index, is_there), plan): ((u32, bool), Option<M::Plan>),
    ) -> (Candidate<R>, u32) {
        let who = context.individual::<CONSTRAINED>(iteration, index);
        let bit = 1_u32.checked_shl(round).unwrap_or(0);
        self.one::<M, CONSTRAINED>(method, context, (who, plan), (is_there, bit))
    }

    /// Moves an individual by one iteration, or places it. Returns it with the fitness of its public point, and, in one
    /// lane, how many of its evaluations were not finite.
    ///
    /// If `is_there` is false, the lanes execute every step for the sake of the collectives and write nothing. `bit` is
    /// the individual's bit in `copied`. Collective in the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn one<M: Method<R>, const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        (who, decided): (Individual<R>, Option<M::Plan>),
        (is_there, bit): (bool, u32),
    ) -> (Candidate<R>, u32) {
        let IterationContext { generation, before, after } = context;
        let stride = generation.args.stride;
        let (mut numbers, seen, who, from) = if decided.is_some() {
            (numbers_before(method, before, &who), None, who, who.index)
        } else {
            let others =
                SeenByLanes::<R, CONSTRAINED, LANES, 2> { generation, before, bests: None };
            let (numbers, seen, who, from) = looked(method, before, &others, who);
            (numbers, Some(seen), who, from)
        };
        let starts = who.iteration == 0;
        let public = places(before.row(from), stride);
        let mut own = [[R::ZERO; K]; 2];
        let mut r = 0;
        while r < M::OWN {
            own[r] = places(generation.own_row(r, who.index), stride);
            r += 1;
        }
        let (most, attempts) = if starts {
            (1, 1)
        } else {
            (method.most_attempts(), method.attempts(who.iteration, who.index))
        };
        let attempts = if is_there { attempts } else { 0 };
        let mut kept: Option<Proposal<[R; K], R, M::Plan>> = None;
        // This lane's plan: the lanes plan for the next [`LANES`] attempts, one each.
        let mut ahead = None;
        let (mut attempt, mut not_finite) = (0, 0);
        while attempt < most && warp::any(attempt < attempts) {
            let who = Individual { attempt, key: hidden(who.key), ..who };
            let mut tried = numbers;
            let plan = match (seen, decided) {
                (Some(seen), _) if M::PLANNING == Planning::AttemptEach => {
                    if attempt.is_multiple_of(LANES) {
                        let attempt = attempt + thread::lane() % LANES;
                        let who = Individual { attempt, ..who };
                        ahead = Some(method.plan(&who, seen, &mut { numbers }));
                    }
                    match ahead {
                        Some(plans) => of_lane::<R, M>(plans, attempt % LANES),
                        None => break,
                    }
                }
                (Some(seen), _) => method.plan(&who, seen, &mut tried),
                (None, Some(decided)) => decided,
                (None, None) => break,
            };
            let (x, own) = if starts {
                first_position(method, generation, &who)
            } else {
                let leader = self.leader;
                method.specialised(Proposing { context, who, plan, public, own, leader })
            };
            let level = generation.level_of::<CONSTRAINED>(who.index);
            let point = TilePoint::<R, LANES, K>::new(x, who.dimensions as usize, self.stage);
            let fitness = objective::evaluate::<R, _, CONSTRAINED>(&point).within(level);
            if attempt < attempts {
                not_finite += u32::from(!fitness.is_finite() && first() == 0);
                if is_better(fitness, &kept) {
                    let numbers = if starts { numbers } else { tried };
                    kept = Some(Proposal { x, own, numbers, plan, fitness, attempt });
                }
            }
            attempt += 1;
        }
        if !is_there {
            return (none::<R, CONSTRAINED>(), 0);
        }
        let (mut fitness, mut accepted, mut x) = (who.fitness, false, public);
        if let Some(kept) = kept {
            let who = &Individual { attempt: kept.attempt, ..who };
            numbers = kept.numbers;
            accepted = starts || method.accept(who, &kept.plan, kept.fitness, &mut numbers);
            if accepted {
                (x, fitness) = (kept.x, kept.fitness);
            }
            r = 0;
            while r < M::OWN {
                set_places(generation.own_row(r, who.index), stride, kept.own[r]);
                r += 1;
            }
        }
        // With constraints the registers do not suffice to keep this.
        let stays = !CONSTRAINED && !accepted && from == who.index;
        if !stays || !self.copied.has(bit) {
            set_places(after.row(who.index), stride, x);
        }
        self.copied.note(bit, stays);
        if let Some(left) = generation.leaves(method, who.index, &numbers) {
            set_places(left, stride, public);
        }
        if first() == 0 {
            after.fitness.set(who.index as usize, fitness);
            after.set_numbers(who.index, numbers);
        }
        (Candidate::new(known::<R, CONSTRAINED>(fitness), who.index), not_finite)
    }
}

/// This lane's coordinates of the first position, and of the own rows.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn first_position<R: DeviceReal, M: Method<R>>(
    method: &M,
    generation: &Generation<'_, R>,
    who: &Individual<R>,
) -> ([R; K], [[R; K]; 2]) {
    let (mut x, mut after) = ([R::ZERO; K], [[R::ZERO; K]; 2]);
    let mut j = 0;
    while j < K {
        let coordinate = first() + j as u32;
        if coordinate < who.dimensions {
            let (position, own) = generation.started(method, who, coordinate);
            x[j] = position;
            after[0][j] = own[0];
            after[1][j] = own[1];
        }
        j += 1;
    }
    (x, after)
}

/// A proposal to be computed: this lane's coordinates.
struct Proposing<'a, R, P> {
    context: IterationContext<'a, R>,
    who: Individual<R>,
    plan: P,
    public: [R; K],
    own: [[R; K]; 2],
    /// The run's best point.
    leader: SharedArray<R>,
}

impl<R: DeviceReal, M: Method<R>> With<M> for Proposing<'_, R, M::Plan> {
    /// The point, and the own rows after it.
    type Output = ([R; K], [[R; K]; 2]);

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn with(self, method: M) -> Self::Output {
        let Proposing { context, ref who, ref plan, public, own, leader } = self;
        let IterationContext { generation, before, .. } = context;
        // Opaque, so that values computed from it are not kept in registers throughout.
        let (stride, first) = (generation.args.stride, thread::opaque(first()));
        let best = leader.get4(first);
        let others = method.others(plan);
        let mut theirs = [[R::ZERO; K]; MAX_OTHERS];
        let mut r = 0;
        while r < M::OTHERS {
            theirs[r] = places(generation.other::<M>(before, others[r]), stride);
            r += 1;
        }
        let (lower, upper) = (places(generation.lower, stride), places(generation.upper, stride));
        let draws = draws_of(who);
        // The compiler removes those that the method does not use.
        let factors = draws.factors_of_quad(first / 4);
        let drawn = [draws.of_pair(first / 2), draws.of_pair(first / 2 + 1)];
        let normals = normals_of::<R, M, K>(&method, (who, plan), first);
        let (mut x, mut after) = ([R::ZERO; K], [[R::ZERO; K]; 2]);
        let mut j = 0;
        while j < K {
            let coordinate = first + j as u32;
            let place = Place {
                coordinate,
                draws,
                known: Some((factors[j], drawn[j / 2][j % 2])),
                normal: normals[j],
                bounds: (lower[j], upper[j]),
                public: public[j],
                own: [own[0][j], own[1][j]],
                best: best[j],
                theirs: [theirs[0][j], theirs[1][j], theirs[2][j]],
                of: |individual| {
                    let i = coordinate.min(who.dimensions - 1);
                    before.row(individual).get(i as usize)
                },
            };
            let proposed = method.propose(plan, &place);
            // Places beyond the last coordinate stay zero.
            if coordinate < who.dimensions {
                x[j] = proposed.0;
                after[0][j] = proposed.1[0];
                after[1][j] = proposed.1[1];
            }
            j += 1;
        }
        (x, after)
    }
}
