//! GPU-FWA's kernels: amplitudes (Algorithm 1, lines 3 and 10), explosions (Algorithm 2), mutation (Algorithm 3).
//!
//! Section 3.3 of the paper: a firework is assigned to a warp, of which a lane generates a spark (the first half of the
//! lanes for 16 sparks); position and fitness of fireworks are in global memory, where a firework's data lie together;
//! while it explodes, a firework and its sparks are in shared memory, and global memory is not visited. The equations are
//! those of [`gpu_fwa`](warpswarm_core::gpu_fwa).
//!
//! **Deviations.** The amplitudes are a kernel of their own, because every firework needs the fitness of all others.
//! Random numbers come from Philox, not from cuRAND. More than 32 sparks take turns. At most
//! [`SparksLayout::DIMENSIONS`] dimensions.

use warpswarm_core::fwa::Range;
use warpswarm_core::gpu_fwa::{GpuFwa, Phase, Plan};
use warpswarm_core::launch::{MAX_BLOCK, MethodArgs, SparksLayout, column_place};
use warpswarm_core::method::{Individual, MAX_OTHERS, Method, Numbers, Own};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::{ColumnPoint, WarpPoint};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{thread, warp};

use crate::generation::place::Place;
use crate::generation::population::{Generation, draws_of, key_of_block};
use crate::generation::seen::{SeenByWarp, none};
use crate::run::count_not_finite;

/// A launch's arguments.
type Args<R> = MethodArgs<R, GpuFwa<R>>;

/// The run that this block works on.
#[inline(always)]
fn fireworks<R: DeviceReal>(launch: &Args<R>) -> Generation<'_, R> {
    let keeps = (<GpuFwa<R> as Method<R>>::OWN, <GpuFwa<R> as Method<R>>::NUMBERS);
    Generation::of_block(&launch.args, keeps, key_of_block(&launch.args))
}

/// Algorithm 1, lines 3 and 10: calculate A_i according to equation 1, a lane a firework.
#[inline(always)]
pub fn amplitudes<R: DeviceReal>(launch: &Args<R>) {
    max_block::<MAX_BLOCK>();
    let (generation, method) = (&fireworks(launch), &launch.method);
    let Some(iteration) = generation.next() else { return };
    if method.phase(iteration) != Phase::First {
        return;
    }
    let before = generation.read_by(iteration);
    let all = SeenByWarp::<R, true> { generation, before };
    let range = Range::of(launch.args.individuals, &all);
    let (first, end) = generation.of_this_block();
    let mut index = first + thread::index();
    while index < end {
        let fitness = before.fitness.get(index as usize);
        let amplitude = range.amplitude((method.amplitude, method.amplitude_floor), fitness);
        before.set_number(index, amplitude);
        index += thread::block_dim();
    }
}

/// A firework and its sparks in shared memory.
#[derive(Clone, Copy)]
struct Sparks<R> {
    layout: SparksLayout,
    /// Coordinates of each.
    dimensions: u32,
    /// The firework's, and behind them those of its sparks.
    places: SharedArray<R>,
}

/// Algorithm 2: search, a warp a firework. As many explosions as the launch asks for and as there are before the next
/// mutation.
#[inline(always)]
pub fn explosions<R: DeviceReal>(launch: &Args<R>) {
    max_block::<MAX_BLOCK>();
    let (generation, method, args) = (&fireworks(launch), &launch.method, &launch.args);
    let Some(first) = generation.next() else { return };
    let count = method.explosions_left(first).min(args.iterations);
    if count == 0 {
        return;
    }
    let (before, after) = (generation.read_by(first), generation.written_by(first + count - 1));
    let sparks = Sparks::<R>::of_warp(args.dimensions, method.sparks);
    let (mut mine, mut not_finite) = (Candidate::NONE, 0);
    generation.each(|index| {
        // The firework and its fitness are loaded from global memory, and come back after the last explosion.
        sparks.load(|i| before.row(index).get(i as usize));
        let (mut fitness, mut numbers) =
            (before.fitness.get(index as usize), before.numbers(index));
        let mut iteration = first;
        while iteration < first + count {
            let firework = generation.individual(iteration, index, fitness);
            let (best, bad) = sparks.explode(method, generation, &firework, &mut numbers);
            not_finite += bad;
            // Replace the firework by its best spark if that is better.
            if best.fitness.beats(fitness) {
                sparks.replace_by(best.index);
                fitness = best.fitness;
            }
            iteration += 1;
        }
        sparks.each_coordinate(|i| after.row(index).set(i as usize, sparks.places.get(i)));
        if thread::lane() == 0 {
            after.fitness.set(index as usize, fitness);
            after.set_numbers(index, numbers);
        }
        mine = mine.better(Candidate::new(fitness, index));
    });
    count_not_finite(generation.control, not_finite);
    end(launch, generation, (count, first + count - 1), mine);
}

impl<R: DeviceReal> Sparks<R> {
    /// Those of this warp.
    #[inline(always)]
    fn of_warp(dimensions: u32, sparks: u32) -> Self {
        let layout = SparksLayout::new(dimensions, sparks);
        let (block, len) = (thread::block_dim(), layout.len());
        // SAFETY: the host gives `SparksLayout::bytes` of shared memory.
        let all = unsafe { SharedArray::new(layout.start::<R>(block), block / 32 * len) };
        Sparks { layout, dimensions, places: all.part(thread::warp() * len, len) }
    }

    /// The coordinates of this lane.
    #[inline(always)]
    fn each_coordinate(&self, mut work: impl FnMut(u32)) {
        let mut i = thread::lane();
        while i < self.dimensions {
            work(i);
            i += 32;
        }
    }

    /// Makes the firework's coordinates; there for all lanes.
    #[inline(always)]
    fn load(&self, coordinate: impl Fn(u32) -> R) {
        // The last firework's have been read by all.
        warp::sync();
        self.each_coordinate(|i| self.places.set(i, coordinate(i)));
        warp::sync();
    }

    /// Lines 2 to 4: generates the sparks, a lane each, evaluates them and finds the best, its number for its index; and how
    /// many of this lane's were not finite.
    #[inline(always)]
    fn explode(
        &self,
        method: &GpuFwa<R>,
        generation: &Generation<'_, R>,
        firework: &Individual<R>,
        numbers: &mut Numbers<R>,
    ) -> (Candidate<R>, u32) {
        let (mut mine, mut not_finite) = (none::<R, true>(), 0);
        let mut number = thread::lane();
        while number < method.sparks {
            let spark = Individual { attempt: number, ..*firework };
            let plan = method.plan(&spark, Phase::Explosion, numbers);
            let (start, len) = self.layout.spark(number);
            let column = self.places.part(start, len);
            let mut i = 0;
            while i < self.dimensions {
                let at = place(generation, &spark, i, self.places.get(i), R::ZERO);
                column.set(column_place(i), method.propose(&plan, &at).0);
                i = thread::opaque(i + 1);
            }
            // Fours are read.
            while i % 4 != 0 {
                column.set(column_place(i), R::ZERO);
                i += 1;
            }
            let point = ColumnPoint::new(column, self.dimensions as usize);
            let fitness = objective::evaluate::<R, _, true>(&point)
                .within(generation.level_of::<true>(firework.index));
            not_finite += u32::from(!fitness.is_finite());
            mine = mine.better(Candidate::new(fitness, number));
            number += 32;
        }
        (warp::best(mine, true).0, not_finite)
    }

    /// Makes a spark the firework; all lanes have evaluated theirs.
    #[inline(always)]
    fn replace_by(&self, number: u32) {
        warp::sync();
        self.each_coordinate(|i| self.places.set(i, self.places.get(self.layout.place(number, i))));
        warp::sync();
    }
}

/// Algorithm 3: the attract-repulse mutation, and the fitness of the new fireworks (Algorithm 1, lines 8 and 9), a warp a
/// firework, a lane a coordinate at a time.
#[inline(always)]
pub fn mutation<R: DeviceReal>(launch: &Args<R>) {
    max_block::<MAX_BLOCK>();
    let (generation, method) = (&fireworks(launch), &launch.method);
    let Some(iteration) = generation.next() else { return };
    if method.phase(iteration) != Phase::Mutation {
        return;
    }
    let (before, after) = (generation.read_by(iteration), generation.written_by(iteration));
    let (mut mine, mut not_finite) = (Candidate::NONE, 0);
    generation.each(|index| {
        let old = before.fitness.get(index as usize);
        let firework = generation.individual(iteration, index, old);
        let mut numbers = before.numbers(index);
        let plan: Plan<R> = method.plan(&firework, Phase::Mutation, &mut numbers);
        let (x, new) = (before.row(index), after.row(index));
        let mut i = thread::lane();
        while i < firework.dimensions {
            let best = generation.global_position.get(i as usize);
            let at = place(generation, &firework, i, x.get(i as usize), best);
            new.set(i as usize, method.propose(&plan, &at).0);
            i += 32;
        }
        let point = WarpPoint::new(new, firework.dimensions as usize);
        let fitness: Fitness<R> =
            objective::evaluate::<R, _, true>(&point).within(generation.level_of::<true>(index));
        if thread::lane() == 0 {
            not_finite += u32::from(!fitness.is_finite());
            after.fitness.set(index as usize, fitness);
            after.set_numbers(index, numbers);
        }
        mine = mine.better(Candidate::new(fitness, index));
    });
    count_not_finite(generation.control, not_finite);
    end(launch, generation, (1, iteration), mine);
}

/// Coordinate `i` of a firework, or of a spark of it, that is at `x` where the best is at `best`.
#[inline(always)]
fn place<'a, R: DeviceReal>(
    generation: &'a Generation<'_, R>,
    who: &Individual<R>,
    i: u32,
    x: R,
    best: R,
) -> Place<R, impl Fn(u32) -> R + use<'a, R>> {
    Place {
        coordinate: i,
        draws: draws_of(who),
        known: None,
        normal: R::NAN,
        bounds: generation.bounds(i),
        public: x,
        own: Own::default(),
        best,
        theirs: [R::ZERO; MAX_OTHERS],
        of: |_| R::ZERO,
    }
}

/// The fireworks' `count` iterations, of which the last is said, are done.
#[inline(always)]
fn end<R: DeviceReal>(
    launch: &Args<R>,
    generation: &Generation<'_, R>,
    (count, last): (u64, u64),
    mine: Candidate<R>,
) {
    let after = generation.written_by(last);
    // SAFETY: the host gives a candidate a thread of shared memory, before all else.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let (row, noticed) = (|index| after.row(index), |iteration| launch.method.noticed(iteration));
    generation.run().end_iterations(count, noticed, mine, row, launch.args.stride, scratch);
}
