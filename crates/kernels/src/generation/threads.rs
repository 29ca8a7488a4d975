//! A thread an individual: up to 8 coordinates.

use warpswarm_core::launch::{POINT_PLACES, generation_stage};
use warpswarm_core::method::{Individual, Method, Numbers, SiteDraws};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::Draw;
use warpswarm_device::objective;
use warpswarm_device::point::TilePoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::held::{Around, Spread};
use super::population::{Generation, hidden};
use super::seen::{SeenByThread, looked, none};

/// The most coordinates.
const PLACES: usize = 8;

/// A thread an individual.
///
/// Work: each of the run's blocks has as many neighbouring individuals as the others, its threads stride over
/// them. Shared memory: [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes).
#[derive(Clone, Copy)]
pub struct Threads<R> {
    /// The run's best point, `[coordinate]`
    leader: SharedArray<R>,
    /// This thread's proposal, `[coordinate]`
    proposal: SharedArray<R>,
}

impl<R: DeviceReal, M: Method<R>> Spread<R, M> for Threads<R> {
    const EACH_LANE: bool = true;

    #[inline(always)]
    fn of_block(_: &Generation<'_, R>, _: SharedArray<Candidate<R>>) -> Self {
        let (threads, places) = (thread::block_dim(), POINT_PLACES);
        // SAFETY: the host gives `MethodTile::shared_bytes`: after the scratch a point for the leader and
        // one a thread.
        let points = unsafe {
            SharedArray::<R>::new(generation_stage::<R>(threads), (threads + 1) * places)
        };
        let proposal = points.part((1 + thread::index()) * places, places);
        Threads { leader: points.part(0, places), proposal }
    }

    #[inline(always)]
    fn follow(&mut self, row: View<R>, stride: u32) {
        let i = thread::index();
        if i < stride {
            self.leader.set(i, row.get(i as usize));
        }
        block::sync();
    }

    #[inline(always)]
    fn tell(&self, row: View<R>, stride: u32) {
        let i = thread::index();
        if i < stride {
            row.set(i as usize, self.leader.get(i));
        }
    }

    #[inline(always)]
    fn advance<const CONSTRAINED: bool>(
        &self,
        method: &M,
        around: Around<'_, R>,
        iteration: u64,
    ) -> (Candidate<R>, u32) {
        let (first, end) = around.generation.of_this_block();
        let (mut mine, mut not_finite) = (none::<R, CONSTRAINED>(), 0);
        let mut index = first + thread::index();
        while index < end {
            let who = around.individual::<CONSTRAINED>(iteration, index);
            let (candidate, bad) = self.one::<M, CONSTRAINED>(method, around, who);
            not_finite += bad;
            mine = mine.better(candidate);
            index += thread::block_dim();
        }
        (mine, not_finite)
    }
}

/// An individual before it proposes.
#[derive(Clone, Copy)]
struct Standing<R> {
    who: Individual<R>,
    numbers: Numbers<R>,
    /// Whose public point it has.
    from: u32,
}

/// What a proposal was made with, and the numbers that go with it.
type Made<R, P> = (P, Numbers<R>);

impl<R: DeviceReal> Threads<R> {
    /// Moves an individual one iteration on, or places it; gives it with the fitness of its public point,
    /// and how many of its evaluations were not finite.
    ///
    /// Where it makes several attempts, the coordinates of the one that counts are computed once more at the
    /// end, so that own rows are written only then.
    #[inline(always)]
    fn one<M: Method<R>, const CONSTRAINED: bool>(
        &self,
        method: &M,
        around: Around<'_, R>,
        who: Individual<R>,
    ) -> (Candidate<R>, u32) {
        let Around { generation, before, .. } = around;
        let others = SeenByThread::<R, CONSTRAINED> { generation, before };
        let (numbers, seen, who, from) = looked(method, before, &others, who);
        let starts = who.iteration == 0;
        let attempts = if starts { 1 } else { method.attempts(who.iteration, who.index) };
        let (mut made, mut not_finite, mut round) = (None, 0, 0);
        // The best attempt so far.
        let mut best = none::<R, CONSTRAINED>();
        // With one attempt there is nothing to be computed again.
        let rounds = if attempts > 1 { attempts + 1 } else { attempts };
        while round < rounds {
            let again = round == attempts;
            let attempt = if again { best.index } else { round };
            let who = Individual { attempt, key: hidden(who.key), ..who };
            let mut tried = numbers;
            let plan = method.plan(&who, seen, &mut tried);
            let (mut i, mut drawn) = (0, [[Draw::of_one_to_two(R::ONE); 2]; 2]);
            while i < who.dimensions {
                // The two of a pair share their draws.
                if i % 2 == 0 {
                    drawn = SiteDraws::of(&who).of_pair(i / 2);
                }
                let (x, own) = generation.proposed(
                    method,
                    before,
                    (&who, &plan),
                    (i, Some(drawn[0])),
                    || before.row(from).get(i as usize),
                    || self.leader.get(i),
                );
                drawn[0] = drawn[1];
                self.proposal.set(i, x);
                if again || attempts == 1 {
                    generation.set_own::<M>(who.index, i, own);
                }
                // Hidden, so that the loop is not unrolled: it is long, and a processor holds but a few hundred
                // instructions ready.
                i = thread::opaque(i + 1);
            }
            made = Some((plan, tried));
            if !again {
                let fitness = self.evaluated::<CONSTRAINED>(who.dimensions);
                not_finite += u32::from(!fitness.is_finite());
                if round == 0 || fitness.beats(best.fitness) {
                    best = Candidate::new(fitness, round);
                }
            }
            round += 1;
        }
        let standing = Standing { who, numbers, from };
        (self.settle(method, around, standing, (made, best)), not_finite)
    }

    /// The fitness of this thread's proposal.
    #[inline(always)]
    fn evaluated<const CONSTRAINED: bool>(&self, dimensions: u32) -> Fitness<R> {
        let point = TilePoint::<R, 1, PLACES>::of_stage(dimensions as usize, self.proposal);
        objective::evaluate::<R, _, CONSTRAINED>(&point)
    }

    /// Writes an individual as it is after its best attempt, if it made any; gives it with its fitness.
    #[inline(always)]
    fn settle<M: Method<R>>(
        &self,
        method: &M,
        Around { before, after, .. }: Around<'_, R>,
        standing: Standing<R>,
        (made, best): (Option<Made<R, M::Plan>>, Candidate<R>),
    ) -> Candidate<R> {
        let Standing { who, mut numbers, from } = standing;
        let (mut fitness, mut accepted, proposed) = (who.fitness, false, made.is_some());
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
        let (row_before, row_after) = (before.row(from), after.row(who.index));
        let mut i = 0;
        while i < thread::opaque(who.dimensions) {
            // The proposal is looked at in any case: one load on a condition instead of a branch.
            let mut x = if proposed { self.proposal.get(i) } else { R::ZERO };
            if !accepted {
                x = row_before.get(i as usize);
            }
            row_after.set(i as usize, x);
            i += 1;
        }
        after.fitness.set(who.index as usize, fitness);
        after.set_numbers(who.index, numbers);
        Candidate::new(fitness, who.index)
    }
}
