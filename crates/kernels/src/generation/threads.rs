//! A thread moves an individual: up to 32 coordinates.

use warpswarm_core::launch::{
    MAX_BLOCK, column_len, column_place, generation_stage, proposal_place, proposals_len,
};
use warpswarm_core::method::{Individual, MAX_OTHERS, Method, Numbers, With};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::ColumnPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use super::place::{Place, normals_of, places, set_places};
use super::population::{Generation, draws_of, hidden};
use super::proposal::Copied;
use super::resident::{IterationContext, Spread};
use super::seen::{SeenByLanes, SeenByWarp, looked, none};
use super::swarms::bests_of_swarms;

/// A thread moves an individual.
///
/// Each of the run's blocks has `individuals_per_block` neighbouring individuals; its threads stride over them. Shared
/// memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[derive(Clone, Copy)]
pub struct Threads<R> {
    /// The run's best point, `[coordinate]`
    leader: SharedArray<R>,
    /// This thread's proposal; [`column_place`] gives the place of a coordinate.
    proposal: SharedArray<R>,
    /// A candidate for each thread; the first ones belong to the [exchange](super::best_exchange).
    scratch: SharedArray<Candidate<R>>,
    /// Which of this thread's individuals have equal rows in both parities.
    copied: Copied,
}

impl<R: DeviceReal, M: Method<R>> Spread<R, M> for Threads<R> {
    const EACH_LANE: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn limit() {
        max_block::<MAX_BLOCK>();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_block(generation: &Generation<'_, R>, scratch: SharedArray<Candidate<R>>) -> Self {
        let (threads, dimensions) = (thread::block_dim(), generation.args.dimensions);
        let (leader, proposals) =
            (dimensions.next_multiple_of(4), proposals_len(threads, dimensions));
        let first = proposal_place(thread::index(), dimensions);
        // SAFETY: the host gives `MethodTile::shared_bytes`: after the scratch a point for the leader and the columns.
        let points =
            unsafe { SharedArray::<R>::new(generation_stage::<R>(threads), leader + proposals) };
        let proposal = points.part(leader + first, column_len(dimensions));
        Threads { leader: points.part(0, leader), proposal, scratch, copied: Copied::NONE }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn follow(&mut self, row: View<R>, stride: u32) {
        let i = thread::index();
        if i < stride.next_multiple_of(4) {
            self.leader.set(i, if i < stride { row.get(i as usize) } else { R::ZERO });
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell(&self, row: View<R>, stride: u32) {
        let i = thread::index();
        if i < stride {
            row.set(i as usize, self.leader.get(i));
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn advance<const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        iteration: u64,
        (mut mine, mut not_finite): (Candidate<R>, u32),
    ) -> (Candidate<R>, u32) {
        let IterationContext { generation, before, .. } = context;
        let seen = SeenByWarp::<R, CONSTRAINED> { generation, before };
        let bests = bests_of_swarms(method, seen, self.scratch);
        let (first, end) = generation.of_this_block();
        let (mut index, mut bit) = (first + thread::index(), 1);
        while index < end {
            let who = context.individual::<CONSTRAINED>(iteration, index);
            let (candidate, bad) = self.one::<M, CONSTRAINED>(method, context, (who, bests), bit);
            not_finite += bad;
            mine = mine.better(candidate);
            index += thread::block_dim();
            bit <<= 1;
        }
        (mine, not_finite)
    }
}

/// An individual before it proposes.
#[derive(Clone, Copy)]
struct Parent<R> {
    who: Individual<R>,
    numbers: Numbers<R>,
    /// The index of the individual whose public point it has.
    from: u32,
    /// Its bit in `copied`.
    bit: u32,
}

/// The plan of a proposal, and the numbers that belong to it.
type Made<R, P> = (P, Numbers<R>);

impl<R: DeviceReal> Threads<R> {
    /// Moves an individual by one iteration, or places it. Returns it with the fitness of its public point, and how
    /// many of its evaluations were not finite.
    ///
    /// If it makes several attempts, the coordinates of the best one are computed again at the end, so that own rows
    /// are written only then. `bit` is its bit in `copied`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn one<M: Method<R>, const CONSTRAINED: bool>(
        &mut self,
        method: &M,
        context: IterationContext<'_, R>,
        (who, bests): (Individual<R>, Option<SharedArray<Candidate<R>>>),
        bit: u32,
    ) -> (Candidate<R>, u32) {
        let IterationContext { generation, before, .. } = context;
        let others = SeenByLanes::<R, CONSTRAINED, 1, 4> { generation, before, bests };
        let (numbers, seen, who, from) = looked(method, before, &others, who);
        let starts = who.iteration == 0;
        let attempts = if starts { 1 } else { method.attempts(who.iteration, who.index) };
        let (mut made, mut not_finite, mut round) = (None, 0, 0);
        // The best attempt so far.
        let mut best = none::<R, CONSTRAINED>();
        // A single attempt is not computed again.
        let rounds = if attempts > 1 { attempts + 1 } else { attempts };
        while round < rounds {
            let again = round == attempts;
            let attempt = if again { best.index } else { round };
            let who = Individual { attempt, key: hidden(who.key), ..who };
            let mut tried = numbers;
            let plan = method.plan(&who, seen, &mut tried);
            let writes = again || attempts == 1;
            if starts {
                self.start(method, generation, &who);
            } else if R::WORDS > 1 || generation.args.stride < 4 {
                self.propose::<M, 2>(method, context, (who, plan), (from, writes));
            } else {
                self.propose::<M, 4>(method, context, (who, plan), (from, writes));
            }
            made = Some((plan, tried));
            if !again {
                let fitness = self.evaluated::<CONSTRAINED>(generation, &who);
                not_finite += u32::from(!fitness.is_finite());
                if round == 0 || fitness.beats(best.fitness) {
                    best = Candidate::new(fitness, round);
                }
            }
            round += 1;
        }
        let parent = Parent { who, numbers, from, bit };
        (self.settle(method, context, parent, (made, best)), not_finite)
    }

    /// Stores the first position as the proposal, and writes the own rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn start<M: Method<R>>(&self, method: &M, generation: &Generation<'_, R>, who: &Individual<R>) {
        let mut i = 0;
        while i < who.dimensions {
            let (x, own) = generation.started(method, who, i);
            self.proposal.set(column_place(i), x);
            generation.set_own::<M>(who.index, i, own);
            i = thread::opaque(i + 1);
        }
        while i % 4 != 0 {
            self.proposal.set(column_place(i), R::ZERO);
            i += 1;
        }
    }

    /// Computes a proposal, and writes the own rows if `writes` is set.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn propose<M: Method<R>, const N: usize>(
        &self,
        method: &M,
        context: IterationContext<'_, R>,
        (who, plan): (Individual<R>, M::Plan),
        (from, writes): (u32, bool),
    ) {
        let threads = self;
        method.specialised(Proposing::<R, M::Plan, N> {
            threads,
            context,
            who,
            plan,
            from,
            writes,
        });
    }

    /// The fitness of this thread's proposal.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn evaluated<const CONSTRAINED: bool>(
        &self,
        generation: &Generation<'_, R>,
        who: &Individual<R>,
    ) -> Fitness<R> {
        let level = generation.level_of::<CONSTRAINED>(who.index);
        let point = ColumnPoint::new(self.proposal, who.dimensions as usize);
        objective::evaluate::<R, _, CONSTRAINED>(&point).within(level)
    }

    /// Stores an individual as it is after its best attempt, if it made any. Returns it with its fitness.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn settle<M: Method<R>>(
        &mut self,
        method: &M,
        IterationContext { generation, before, after }: IterationContext<'_, R>,
        parent: Parent<R>,
        (made, best): (Option<Made<R, M::Plan>>, Candidate<R>),
    ) -> Candidate<R> {
        let Parent { who, mut numbers, from, bit } = parent;
        let (mut fitness, mut accepted) = (who.fitness, false);
        if let Some((plan, tried)) = made {
            let who = &Individual { attempt: best.index, ..who };
            if who.iteration > 0 {
                numbers = tried;
            }
            accepted = who.iteration == 0 || method.accept(who, &plan, best.fitness, &mut numbers);
            if accepted {
                fitness = best.fitness;
            }
        }
        // In f64 the registers do not suffice to keep this.
        let stays = R::WORDS == 1 && !accepted && from == who.index;
        if !stays || !self.copied.has(bit) {
            let rows = (before.row(from), after.row(who.index));
            if generation.args.stride < 4 {
                self.write::<2>(rows, who.dimensions, accepted);
            } else {
                self.write::<4>(rows, who.dimensions, accepted);
            }
        }
        self.copied.note(bit, stays);
        if let Some(left) = generation.leaves(method, who.index, &numbers) {
            let rows = (before.row(from), left);
            if generation.args.stride < 4 {
                self.write::<2>(rows, who.dimensions, false);
            } else {
                self.write::<4>(rows, who.dimensions, false);
            }
        }
        after.fitness.set(who.index as usize, fitness);
        after.set_numbers(who.index, numbers);
        Candidate::new(fitness, who.index)
    }

    /// Writes the proposal to `to` if it was accepted, otherwise the row `from`; `N` (2 or 4) coordinates at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<const N: usize>(
        &self,
        (from, to): (View<R>, View<R>),
        dimensions: u32,
        accepted: bool,
    ) {
        // Several loads are issued before the first store, so that their latencies overlap.
        let together = 4 / R::WORDS;
        let mut k = 0;
        while k < thread::opaque(dimensions) {
            let mut x = [[R::ZERO; 4]; 4];
            let mut j = 0;
            while j < together {
                let k = k + 4 * j as u32;
                if k < dimensions {
                    x[j] = if accepted {
                        self.proposal.get4(column_place(k))
                    } else {
                        places::<R, N>(from, k)
                    };
                }
                j += 1;
            }
            j = 0;
            while j < together {
                let k = k + 4 * j as u32;
                if k < dimensions {
                    set_places::<R, N>(to, k, x[j]);
                }
                j += 1;
            }
            k += 4 * together as u32;
        }
    }
}

/// A proposal to be computed, `N` (2 or 4) coordinates at a time; rows have a multiple of `N` places.
struct Proposing<'a, R, P, const N: usize> {
    threads: &'a Threads<R>,
    context: IterationContext<'a, R>,
    who: Individual<R>,
    plan: P,
    /// The index of the individual whose public point it has.
    from: u32,
    /// Whether own rows are written as well.
    writes: bool,
}

impl<R: DeviceReal, M: Method<R>, const N: usize> With<M> for Proposing<'_, R, M::Plan, N> {
    type Output = ();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn with(self, method: M) {
        let Proposing { threads, context, ref who, ref plan, from, writes } = self;
        let IterationContext { generation, before, .. } = context;
        let others = method.others(plan);
        let (mut first, width) = (0, N as u32);
        // Not unrolled: the body is long, and a multiprocessor holds only a few hundred instructions ready.
        while first < thread::opaque(who.dimensions) {
            let k = width * thread::opaque(first / width);
            let row = |row: View<R>| places::<R, N>(row, k);
            let (lower, upper) = (row(generation.lower), row(generation.upper));
            let public = row(before.row(thread::opaque(from)));
            let best = if N == 4 {
                threads.leader.get4(k)
            } else {
                [threads.leader.get(k), threads.leader.get(k + 1), R::ZERO, R::ZERO]
            };
            let mut own = [[R::ZERO; 4]; 2];
            let mut r = 0;
            while r < M::OWN {
                own[r] = row(generation.own_row(r, who.index));
                r += 1;
            }
            let mut theirs = [[R::ZERO; 4]; MAX_OTHERS];
            r = 0;
            while r < M::OTHERS {
                theirs[r] = row(generation.other::<M>(before, thread::opaque(others[r])));
                r += 1;
            }
            let draws = draws_of(who);
            // The compiler removes those that the method does not use.
            let factors = if N == 4 {
                draws.factors_of_quad(k / 4)
            } else {
                let [even, odd] = draws.factors_of_pair(k / 2);
                [even, odd, even, odd]
            };
            let even = draws.of_pair(k / 2);
            let drawn = [even, if N == 4 { draws.of_pair(k / 2 + 1) } else { even }];
            let normals = normals_of::<R, M, N>(&method, (who, plan), k);
            let mut x = [R::ZERO; 4];
            let mut j = 0;
            while j < N {
                let place = Place {
                    coordinate: k + j as u32,
                    draws,
                    known: Some((factors[j], drawn[j / 2][j % 2])),
                    normal: normals[j],
                    bounds: (lower[j], upper[j]),
                    public: public[j],
                    own: [own[0][j], own[1][j]],
                    best: best[j],
                    theirs: [theirs[0][j], theirs[1][j], theirs[2][j]],
                    of: |individual| before.row(individual).get(k as usize + j),
                };
                let proposed = method.propose(plan, &place);
                // Places beyond the last coordinate stay zero.
                let is_there = k + (j as u32) < who.dimensions;
                x[j] = if is_there { proposed.0 } else { R::ZERO };
                own[0][j] = if is_there { proposed.1[0] } else { R::ZERO };
                own[1][j] = if is_there { proposed.1[1] } else { R::ZERO };
                j += 1;
            }
            if N == 4 {
                threads.proposal.set4(column_place(k), x);
            } else {
                threads.proposal.set(column_place(k), x[0]);
                threads.proposal.set(column_place(k + 1), x[1]);
            }
            r = 0;
            while writes && r < M::OWN {
                set_places::<R, N>(generation.own_row(r, who.index), k, own[r]);
                r += 1;
            }
            first += width;
        }
        // The column is read four places at a time; the last group may have only two of its own.
        if N == 2 && first % 4 != 0 {
            threads.proposal.set(column_place(first), R::ZERO);
            threads.proposal.set(column_place(first + 1), R::ZERO);
        }
    }
}
