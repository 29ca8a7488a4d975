//! CMEPSO-GPU's kernels: the slave swarms (Figure 3: a block a swarm, a thread a particle) and the master swarm (Figure
//! 4: one block, a thread a particle).
//!
//! An iteration of the paper's Algorithm 3 is a launch of [`slaves`] and one of [`master`]. The equations are those of
//! [`cmepso`](warpswarm_core::cmepso).
//!
//! **Deviations.** A particle and its replicas move at the same time (see [`epso`](warpswarm_core::epso)), and so do
//! all swarms: the master reads the state of its slaves at the beginning of the iteration. Threads stride if a swarm
//! has more particles than a block has threads.

use warpswarm_core::cmepso::{Cmepso, Observation, Plan};
use warpswarm_core::launch::{MAX_BLOCK, MethodArgs};
use warpswarm_core::method::{Individual, Method, Numbers, Own};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::objective;
use warpswarm_device::point::ThreadPoint;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use crate::generation::population::{Generation, Parity, key_of_run};
use crate::run::{Best, Run, count_not_finite, of_run};

/// The arguments of a launch.
type Args<R> = MethodArgs<R, Cmepso<R>>;

/// A run of the launch, and a block's index among its blocks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn swarms<R: DeviceReal>(launch: &Args<R>, (run, part): (u32, u32)) -> Generation<'_, R> {
    let keeps = (<Cmepso<R> as Method<R>>::OWN, <Cmepso<R> as Method<R>>::NUMBERS);
    Generation::of_run(&launch.args, keeps, key_of_run(&launch.args, run), (run, part))
}

/// The bests of a run's slaves.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn bests_of_slaves<R: DeviceReal>(launch: &Args<R>, run: u32) -> View<Candidate<R>> {
    let (args, slaves) = (&launch.args, launch.method.slaves as usize);
    of_run(args.block_best, args.runs, run as usize, slaves)
}

/// The scratch of a candidate for each thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn scratch<R: DeviceReal>() -> SharedArray<Candidate<R>> {
    // SAFETY: the host gives `reduction_shared_bytes` of shared memory.
    unsafe { SharedArray::new(0, thread::block_dim()) }
}

/// Calls `work` for this thread's numbers of `first..end`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn each(first: u32, end: u32, mut work: impl FnMut(u32)) {
    let mut index = first + thread::index();
    while index < end {
        work(index);
        index += thread::block_dim();
    }
}

/// Algorithm 3, "run in parallel for each particle of the slave swarms".
///
/// **Mapping.** A block works on a slave swarm; threads stride over its particles (Figure 3).
///
/// **Arrays.** As [`GenerationArgs`](warpswarm_core::launch::GenerationArgs) describes them; writes the best that every
/// slave began with to `block_best: [run][slave]`.
///
/// **Launch.** `runs` times as many blocks as slaves, of a multiple of 32 threads, at most [`MAX_BLOCK`].
///
/// **Shared memory.** [`reduction_shared_bytes`](warpswarm_core::launch::reduction_shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn slaves<R: DeviceReal>(launch: &Args<R>) {
    max_block::<MAX_BLOCK>();
    let method = &launch.method;
    let (block, slaves) = (thread::block_index(), method.slaves.max(1));
    let (run, slave) = (block / slaves, block % slaves);
    let generation = &swarms(launch, (run, slave));
    let Some(iteration) = generation.next() else { return };
    let (first, end) = (slave * method.of_slave(), (slave + 1) * method.of_slave());
    // b_g, the best of this swarm, by a tree reduction.
    let fitness = generation.read_by(iteration).fitness;
    let mut mine = Candidate::NONE;
    each(first, end, |i| mine = mine.better(Candidate::new(fitness.get(i as usize), i)));
    let best = block::reduce::<_, Best>(mine, scratch());
    if thread::index() == 0 {
        bests_of_slaves(launch, run).set(slave as usize, best);
    }
    let mut not_finite = 0;
    each(first, end, |i| {
        let slave = best.index;
        let seen = Observation { personal: i, slave, slaves: slave, master: false };
        not_finite += compete(method, generation, (iteration, i), seen);
    });
    count_not_finite(generation.control, not_finite);
}

/// Algorithm 3, "run in parallel for each particle of the master swarm"; also ends the iteration. Launched after
/// [`slaves`] with the same arguments.
///
/// **Mapping.** A block works on a run; threads stride over the particles of the master swarm (Figure 4).
///
/// **Launch.** `runs` blocks of a multiple of 32 threads, at most [`MAX_BLOCK`].
///
/// **Shared memory.** [`reduction_shared_bytes`](warpswarm_core::launch::reduction_shared_bytes).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn master<R: DeviceReal>(launch: &Args<R>) {
    max_block::<MAX_BLOCK>();
    let (method, args, run) = (&launch.method, &launch.args, thread::block_index());
    let generation = &swarms(launch, (run, 0));
    let Some(iteration) = generation.next() else { return };
    // b_g of every slave, and b_g^S, the best of them.
    let bests = bests_of_slaves(launch, run);
    let mut mine = Candidate::NONE;
    each(0, method.slaves, |slave| mine = mine.better(bests.get(slave as usize)));
    let slaves = block::reduce::<_, Best>(mine, scratch()).index;
    let (fitness, first) =
        (generation.read_by(iteration).fitness, method.slaves * method.of_slave());
    let mut not_finite = 0;
    each(first, args.individuals, |i| {
        // b_i^M becomes b_g of its slave where that is better.
        let slave = bests.get((i - first) as usize);
        let takes_over = slave.fitness.beats(fitness.get(i as usize));
        let personal = if takes_over { slave.index } else { i };
        let seen = Observation { personal, slave: slave.index, slaves, master: true };
        not_finite += compete(method, generation, (iteration, i), seen);
    });
    count_not_finite(generation.control, not_finite);
    // b_g^M, the best of all.
    block::sync();
    let after = generation.written_by(iteration);
    let mut mine = Candidate::NONE;
    each(0, args.individuals, |i| {
        mine = mine.better(Candidate::new(after.fitness.get(i as usize), i));
    });
    let one = Run { blocks: 1, ..generation.run() };
    one.end_iterations(1, |t| t, mine, |index| after.row(index), args.stride, scratch());
}

/// A particle, the data that it uses, and what it sees of its swarm.
#[derive(Clone, Copy)]
struct Particle<'a, R> {
    method: &'a Cmepso<R>,
    generation: &'a Generation<'a, R>,
    before: Parity<R>,
    who: Individual<R>,
    seen: Observation,
}

/// A particle, or a replica of it, with its weights.
type Competitor<R> = (Individual<R>, Plan<R>);

impl<R: DeviceReal> Particle<'_, R> {
    /// The particle itself, number 0, or a replica with mutated weights (equations 7 to 9 and 14).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn competitor(&self, attempt: u32) -> Competitor<R> {
        let who = Individual { attempt, ..self.who };
        (who, self.method.plan(&who, self.seen, &mut Numbers::default()))
    }

    /// Coordinate `i` of a competitor's position after its move, and of its own rows, position and velocity.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn moved(&self, (who, plan): &Competitor<R>, i: u32) -> (R, Own<R>) {
        let best = || self.generation.global_position.get(i as usize);
        let public = || self.before.row(who.index).get(i as usize);
        self.generation.proposed(self.method, self.before, (who, plan), i, public, best)
    }
}

/// Moves a particle and its replicas by equations 1, 2, 4, 5 and 11 (12 and 13 in the master swarm), and keeps the best
/// ("select the best particles for the next iteration"). Returns how many of their evaluations were not finite.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn compete<R: DeviceReal>(
    method: &Cmepso<R>,
    generation: &Generation<'_, R>,
    (iteration, index): (u64, u32),
    seen: Observation,
) -> u32 {
    let (before, after) = (generation.read_by(iteration), generation.written_by(iteration));
    let (old, row) = (before.fitness.get(index as usize), after.row(index));
    let who = generation.individual(iteration, index, old);
    let particle = Particle { method, generation, before, who, seen };
    let (mut best, mut attempt, mut not_finite) = (Candidate::NONE, 0, 0);
    while attempt < method.attempts(iteration, index) {
        let competitor = particle.competitor(attempt);
        let mut i = 0;
        while i < who.dimensions {
            row.set(i as usize, particle.moved(&competitor, i).0);
            i = thread::opaque(i + 1);
        }
        let point = ThreadPoint::new(row, who.dimensions as usize);
        let fitness =
            objective::evaluate::<R, _, true>(&point).within(generation.level_of::<true>(index));
        not_finite += u32::from(!fitness.is_finite());
        best = best.better(Candidate::new(fitness, attempt));
        attempt += 1;
    }
    let is_better = best.fitness.beats(old);
    // The position of the best is computed again, together with its velocity.
    let moves = attempt > 0;
    let winner = particle.competitor(if moves { best.index } else { 0 });
    let mut i = 0;
    while i < who.dimensions {
        let mut x = before.row(index).get(i as usize);
        if moves {
            let (position, own) = particle.moved(&winner, i);
            generation.set_own::<Cmepso<R>>(index, i, own);
            x = if is_better { position } else { x };
        }
        row.set(i as usize, x);
        i = thread::opaque(i + 1);
    }
    after.fitness.set(index as usize, if is_better { best.fitness } else { old });
    not_finite
}
