//! GPU-FWA's kernels: amplitudes (Algorithm 1, lines 3 and 10), explosions (Algorithm 2), mutation (Algorithm 3).
//!
//! Section 3.3 of the paper: a warp works on a firework, and a lane generates a spark (the first half of the lanes for
//! 16 sparks). Position and fitness of fireworks are in global memory, where a firework's data are contiguous. During
//! its explosions a firework and its sparks are in shared memory, and global memory is not accessed. The equations are
//! those of [`gpu_fwa`](warpswarm_core::gpu_fwa).
//!
//! **Deviations.** The amplitudes are a kernel of their own, because every firework needs the fitness of all others.
//! Random numbers come from Philox, not from cuRAND. If there are more than 32 sparks, a lane generates several. There
//! are at most [`SparksLayout::DIMENSIONS`] dimensions.
//!
//! **Launch.** All three kernels take `runs * blocks_per_run` blocks of a multiple of 32 threads, at most
//! [`MAX_BLOCK`]. Arrays are those of [`GenerationArgs`](warpswarm_core::launch::GenerationArgs).

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

/// The arguments of a launch.
type Args<R> = MethodArgs<R, GpuFwa<R>>;

/// The run that this block works on.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fireworks<R: DeviceReal>(launch: &Args<R>) -> Generation<'_, R> {
    let keeps = (<GpuFwa<R> as Method<R>>::OWN, <GpuFwa<R> as Method<R>>::NUMBERS);
    Generation::of_block(&launch.args, keeps, key_of_block(&launch.args))
}

/// Algorithm 1, lines 3 and 10: calculate A_i according to equation 1. Lanes stride over the fireworks of their block.
/// Does nothing unless a cycle begins. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    /// The firework's coordinates, followed by those of its sparks.
    places: SharedArray<R>,
}

/// Algorithm 2: search. Does as many explosions as the launch asks for, but none after the next mutation is due. A warp
/// works on a firework, a lane generates a spark; warps stride over the fireworks of their block. Shared memory:
/// [`SparksLayout::bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        // The firework and its fitness are loaded from global memory, and stored there after the last explosion.
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
    /// The sparks of this warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_warp(dimensions: u32, sparks: u32) -> Self {
        let layout = SparksLayout::new(dimensions, sparks);
        let (block, len) = (thread::block_dim(), layout.len());
        // SAFETY: the host gives `SparksLayout::bytes` of shared memory.
        let all = unsafe { SharedArray::new(layout.start::<R>(block), block / 32 * len) };
        Sparks { layout, dimensions, places: all.part(thread::warp() * len, len) }
    }

    /// Calls `work` for the coordinates of this lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each_coordinate(&self, mut work: impl FnMut(u32)) {
        let mut i = thread::lane();
        while i < self.dimensions {
            work(i);
            i += 32;
        }
    }

    /// Sets the firework's coordinates; all lanes can read them afterwards.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load(&self, coordinate: impl Fn(u32) -> R) {
        // After this barrier all lanes have read the last firework's coordinates.
        warp::sync();
        self.each_coordinate(|i| self.places.set(i, coordinate(i)));
        warp::sync();
    }

    /// Lines 2 to 4: generates the sparks, one in each lane, evaluates them and finds the best, whose number is the
    /// candidate's index. Also returns how many of this lane's evaluations were not finite.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
            // The column is read four places at a time.
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

    /// Replaces the firework by a spark, after all lanes have evaluated theirs.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn replace_by(&self, number: u32) {
        warp::sync();
        self.each_coordinate(|i| self.places.set(i, self.places.get(self.layout.place(number, i))));
        warp::sync();
    }
}

/// Algorithm 3: the attract-repulse mutation, and the fitness of the new fireworks (Algorithm 1, lines 8 and 9), if a
/// mutation is due. A warp works on a firework; lanes stride over the coordinates. Shared memory:
/// [`MethodTile::ANY`](warpswarm_core::launch::MethodTile::ANY).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// Coordinate `i` of a firework or of one of its sparks, which is at `x`; the best point is at `best`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// Ends the fireworks' `count` iterations; `last` is the number of the last one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn end<R: DeviceReal>(
    launch: &Args<R>,
    generation: &Generation<'_, R>,
    (count, last): (u64, u64),
    mine: Candidate<R>,
) {
    let after = generation.written_by(last);
    // SAFETY: the host gives a candidate for each thread of shared memory, before all else.
    let scratch = unsafe { SharedArray::new(0, thread::block_dim()) };
    let (row, noticed) = (|index| after.row(index), |iteration| launch.method.noticed(iteration));
    generation.run().end_iterations(count, noticed, mine, row, launch.args.stride, scratch);
}
