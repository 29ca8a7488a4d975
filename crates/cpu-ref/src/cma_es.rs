//! A leg of CMA-ES, serial or on threads, with the same bits.
//!
//! **Equations, symbols and source** are those of [`warpswarm_core::cma_es`].
//!
//! **State.** In a [`Swarm`] the samples of the last generation are `best_positions`, with the fitness `best`. The
//! distribution is `memory`: some numbers, rows with a place for each coordinate, and the matrices, with a row for each
//! column.

mod update;

use warpswarm_core::cma_es::{Strategy, into_bounds, mirrored};
use warpswarm_core::launch::{DistributionLayout, head};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_core::real::Float;

use crate::generation::Work;
use crate::swarm::Swarm;
use crate::task::Bounds;
use crate::threads::{Outcome, Split, Threads, spread};
use crate::vectors::{self, Run};
use update::{Update, identity};

/// The distribution of a leg, in the memory of a [`Swarm`].
struct Distribution<'a, R> {
    head: &'a mut [R],
    mean: &'a mut [R],
    /// The path p, which adapts the step size.
    path: &'a mut [R],
    /// The path q, which adapts the matrix, in the coordinates of the factor.
    wide: &'a mut [R],
    /// The factor, `[column][row]`
    factor: &'a mut [R],
    /// The updates of the matrix since the factor's last update, in the coordinates of the factor, `[column][row]`;
    /// only the lower half is used.
    learned: &'a mut [R],
    /// The best fitnesses of the last generations, in a ring buffer.
    recent: &'a mut [R],
}

impl<'a, R: Float> Distribution<'a, R> {
    fn of(memory: &'a mut [R], dimensions: usize) -> Self {
        let at = DistributionLayout::new(dimensions as u32, 0);
        let stride = (at.path - at.mean) as usize;
        let (head, rest) = memory.split_at_mut(at.mean as usize);
        let (mean, rest) = rest.split_at_mut(stride);
        let (path, rest) = rest.split_at_mut(stride);
        let (wide, rest) = rest.split_at_mut(stride);
        let (factor, rest) = rest.split_at_mut(dimensions * stride);
        let (learned, recent) = rest.split_at_mut(dimensions * stride);
        Distribution { head, mean, path, wide, factor, learned, recent }
    }
}

/// The length of the memory of a leg, in numbers.
pub fn memory<R: Float>(strategy: &Strategy<R>) -> usize {
    DistributionLayout::new(strategy.dimensions, strategy.remembered()).len as usize
}

/// Begins a leg: initialises its distribution around a point within the bounds, with the step size `sigma` as a
/// fraction of the ranges. Evaluates nothing.
pub fn begin<R: Float>(swarm: &mut Swarm<R>, work: &Work<'_, R>, strategy: &Strategy<R>, sigma: R) {
    let n = swarm.dimensions;
    let (stride, samples) = (swarm.stride, strategy.individuals as usize);
    swarm.best_positions = vec![R::ZERO; samples * stride];
    swarm.best = vec![Fitness::WORST; samples];
    swarm.positions = Vec::new();
    swarm.velocities = Vec::new();
    swarm.numbers = Vec::new();
    swarm.archive = Vec::new();
    swarm.memory = vec![R::ZERO; memory(strategy)];
    let stream = Stream::new(swarm.key(), Purpose::Move, 0, u32::MAX);
    let is_first = swarm.legs.number == 0;
    let distribution = Distribution::of(&mut swarm.memory, n);
    (distribution.head[head::SIGMA], distribution.head[head::FIRST_SIGMA]) = (sigma, sigma);
    distribution.head[head::SAMPLES] = R::from_u32(strategy.individuals);
    for i in 0..n {
        let given = if is_first { work.start.of(0, i, n) } else { R::NAN };
        let [drawn, _] = stream.draws_of(i as u32);
        let (lower, upper) = work.bounds.of(i);
        let drawn = warpswarm_core::pso::uniform((lower, upper), drawn);
        // The first leg starts in the middle half of each range.
        let middle = lower * R::HALF + upper * R::HALF;
        let drawn = if is_first { (drawn - middle).fused(R::HALF, middle) } else { drawn };
        distribution.mean[i] = if given.is_nan() { drawn } else { given.clamp_to(lower, upper) };
    }
    identity(distribution.factor, n, stride);
    identity(distribution.learned, n, stride);
}

/// Memory that is reused from generation to generation.
#[derive(Debug, Default)]
pub struct Scratch<R> {
    strategy: Option<Strategy<R>>,
    weights: Vec<R>,
    /// The standard normal samples, `[sample][stride]`.
    normals: Vec<R>,
    order: Vec<u32>,
    row: Vec<R>,
    mean: Vec<R>,
    step: Vec<R>,
    chunk: Vec<R>,
    taught: Taught<R>,
}

/// Numbers that are equal for all mirrored samples of a generation.
#[derive(Debug, Default)]
struct Taught<R> {
    /// The step size in each coordinate, `[coordinate]`.
    steps: Vec<R>,
    /// The reciprocals of the factor's diagonal.
    reciprocals: Vec<R>,
}

impl<R: Float> Taught<R> {
    fn prepare(
        &mut self,
        distribution: &Distribution<'_, R>,
        bounds: Bounds<'_, R>,
        stride: usize,
    ) {
        let (n, sigma) = (bounds.dimensions(), distribution.head[head::SIGMA]);
        let step = |i| {
            let (lower, upper) = bounds.of(i);
            sigma * (upper - lower)
        };
        self.steps.clear();
        self.steps.extend((0..n).map(step));
        let diagonal = (0..n).map(|k| distribution.factor[k * stride + k]);
        self.reciprocals.clear();
        self.reciprocals.extend(diagonal.map(|number| R::ONE / number));
    }
}

impl<R: Float> Scratch<R> {
    /// The strategy for these numbers of dimensions and samples.
    pub(crate) fn strategy(&self, dimensions: u32, individuals: u32, active: bool) -> Strategy<R> {
        let is_it = |known: &&Strategy<R>| {
            (known.dimensions, known.individuals) == (dimensions, individuals)
        };
        let known = self.strategy.as_ref().filter(is_it);
        known.copied().unwrap_or_else(|| Strategy::new(dimensions, individuals, active))
    }

    fn prepare(&mut self, strategy: &Strategy<R>, stride: usize) {
        if self.strategy.as_ref() == Some(strategy) {
            return;
        }
        let (samples, n) = (strategy.individuals as usize, strategy.dimensions as usize);
        self.weights = (0..strategy.individuals).map(|rank| strategy.weight(rank)).collect();
        self.normals = vec![R::ZERO; samples * stride];
        self.row = vec![R::ZERO; stride];
        self.mean = vec![R::ZERO; stride];
        self.step = vec![R::ZERO; stride];
        self.chunk = vec![R::ZERO; n * stride];
        self.strategy = Some(*strategy);
    }
}

/// One generation. Returns whether the leg continues; `None` if the generation was aborted.
pub fn generation<R: Float>(
    swarm: &mut Swarm<R>,
    work: &Work<'_, R>,
    strategy: &Strategy<R>,
    scratch: &mut Scratch<R>,
    threads: Threads,
) -> Option<bool> {
    let (n, stride) = (swarm.dimensions, swarm.stride);
    let generation = swarm.age();
    scratch.prepare(strategy, stride);
    let key = swarm.key();
    let given = if swarm.legs.number == 0 && generation == 0 { work.start.0.len() / n } else { 0 };
    let is_first = swarm.legs.number == 0;
    let outcome = {
        let distribution = Distribution::of(&mut swarm.memory, n);
        if !is_first {
            scratch.taught.prepare(&distribution, work.bounds, stride);
        }
        let taught = &scratch.taught;
        let samples = Samples {
            first: 0,
            stride,
            normals: &mut scratch.normals,
            rows: &mut swarm.best_positions,
            fitness: &mut swarm.best,
        };
        let tasks = threads.tasks(stride, work.halt);
        let draw = |samples: Samples<'_, R>| {
            let distribution = &distribution;
            vectors::run(Draw {
                samples,
                distribution,
                taught,
                work,
                key,
                generation,
                given,
                is_first,
            })
        };
        spread(samples, tasks, &draw)
    };
    // Points that have been placed are kept, even if the placement was aborted.
    let is_given_up = work.halt.is_due();
    if is_given_up && swarm.control.iterations > 0 {
        return None;
    }
    swarm.take(outcome);
    if is_given_up {
        return None;
    }
    let order = &mut scratch.order;
    order.clear();
    order.extend(0..strategy.individuals);
    order.sort_unstable_by(|&a, &b| {
        let of = |i: u32| Candidate::new(swarm.best[i as usize], i);
        if of(a).beats(of(b)) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
    });
    let best = swarm.best[order[0] as usize];
    let level = swarm.control.level();
    let distribution = Distribution::of(&mut swarm.memory, n);
    let update = Update { distribution, work, strategy, scratch, generation, best, level, stride };
    Some(vectors::run(update))
}

/// Samples to be drawn and evaluated.
struct Draw<'a, 'w, R> {
    samples: Samples<'w, R>,
    distribution: &'a Distribution<'a, R>,
    taught: &'a Taught<R>,
    work: &'a Work<'a, R>,
    key: warpswarm_core::random::RunKey,
    generation: u64,
    /// The number of samples of the first generation whose points are given.
    given: usize,
    /// Whether this is the run's first leg.
    is_first: bool,
}

impl<R: Float> Run for Draw<'_, '_, R> {
    type Output = Outcome<R>;

    #[inline(always)]
    fn call(self) -> Outcome<R> {
        let Draw { samples, distribution, taught, work, key, generation, given, is_first } = self;
        let n = work.bounds.dimensions();
        let Samples { first, stride, normals: all, rows, fitness } = samples;
        let sigma = distribution.head[head::SIGMA];
        let mut rest = if is_first { Vec::new() } else { vec![R::ZERO; n] };
        let mut outcome = Outcome::NONE;
        let each = all.chunks_exact_mut(stride).zip(rows.chunks_exact_mut(stride)).zip(fitness);
        for (index, ((z, x), fitness)) in (first..).zip(each) {
            let stream = Stream::new(key, Purpose::Move, generation, index);
            for pair in 0..n.div_ceil(2) {
                let [even, odd] = stream.pair_normals(pair as u32);
                z[2 * pair] = even;
                if 2 * pair + 1 < n {
                    z[2 * pair + 1] = odd;
                }
            }
            let is_given = (index as usize) < given;
            if is_given {
                // The factor is still the identity.
                for i in 0..n {
                    let (lower, upper) = work.bounds.of(i);
                    let given = work.start.of(index, i, n);
                    let range = sigma * (upper - lower);
                    if !given.is_nan() && range > R::ZERO {
                        z[i] = (given.clamp_to(lower, upper) - distribution.mean[i]) / range;
                    }
                }
            }
            times(distribution.factor, z, &mut x[..n], stride);
            let mut is_outside = false;
            for i in 0..n {
                let (lower, upper) = work.bounds.of(i);
                let range = sigma * (upper - lower);
                let drawn = range.fused(x[i], distribution.mean[i]);
                if is_first {
                    x[i] = into_bounds(drawn, (lower, upper));
                } else {
                    x[i] = mirrored(drawn, (lower, upper));
                    is_outside |= x[i] != drawn;
                }
                let given = if is_given { work.start.of(index, i, n) } else { R::NAN };
                if !given.is_nan() {
                    x[i] = given.clamp_to(lower, upper);
                }
            }
            if is_outside {
                teach_point(distribution, taught, (z, &*x), &mut rest, stride);
            }
            *fitness = (work.evaluate)(&x[..n]);
            let not_finite = u64::from(!fitness.is_finite());
            outcome = outcome.join(Outcome { best: Candidate::new(*fitness, index), not_finite });
        }
        outcome
    }
}

/// y = A z, with a lower triangular matrix A stored by columns.
#[inline(always)]
fn times<R: Float>(factor: &[R], z: &[R], y: &mut [R], stride: usize) {
    let n = y.len();
    y.fill(R::ZERO);
    for k in 0..n {
        let (column, factor) = (&factor[k * stride..][k..n], z[k]);
        for (y, &a) in y[k..].iter_mut().zip(column) {
            *y = a.fused(factor, *y);
        }
    }
}

/// Replaces the normal numbers of a sample by those that the factor maps to its point, which was mirrored into the
/// bounds; except for coordinates without a range.
#[inline(always)]
fn teach_point<R: Float>(
    distribution: &Distribution<'_, R>,
    taught: &Taught<R>,
    (z, x): (&mut [R], &[R]),
    rest: &mut [R],
    stride: usize,
) {
    let n = rest.len();
    let Taught { steps, reciprocals } = taught;
    let (steps, mean, x) = (&steps[..n], &distribution.mean[..n], &x[..n]);
    for i in 0..n {
        rest[i] = (x[i] - mean[i]) / steps[i];
    }
    for k in 0..n {
        let column = &distribution.factor[k * stride..][..n];
        if steps[k] > R::ZERO {
            z[k] = rest[k] * reciprocals[k];
        }
        let number = -z[k];
        for (rest, &a) in rest[k + 1..].iter_mut().zip(&column[k + 1..]) {
            *rest = a.fused(number, *rest);
        }
    }
}

/// Consecutive samples to be drawn and evaluated, borrowed.
struct Samples<'a, R> {
    first: u32,
    stride: usize,
    normals: &'a mut [R],
    rows: &'a mut [R],
    fitness: &'a mut [Fitness<R>],
}

impl<R: Float> Split for Samples<'_, R> {
    fn len(&self) -> usize {
        self.fitness.len()
    }

    fn split_at(self, samples: usize) -> (Self, Self) {
        let Samples { first, stride, normals, rows, fitness } = self;
        let (normals, more_normals) = normals.split_at_mut(samples * stride);
        let (rows, more_rows) = rows.split_at_mut(samples * stride);
        let (fitness, more_fitness) = fitness.split_at_mut(samples);
        let more = first + samples as u32;
        let right = Samples {
            first: more,
            stride,
            normals: more_normals,
            rows: more_rows,
            fitness: more_fitness,
        };
        (Samples { first, stride, normals, rows, fitness }, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor maps the replaced numbers to the mirrored point; a coordinate without a range keeps its number.
    #[test]
    fn a_mirrored_sample_teaches_what_its_point_does() {
        let (n, stride) = (5, 8);
        let at = DistributionLayout::new(n as u32, 0);
        let mut memory = vec![0.0; at.len as usize];
        let distribution = Distribution::of(&mut memory, n);
        distribution.head[head::SIGMA] = 0.5;
        for k in 0..n {
            distribution.mean[k] = k as f64 - 1.5;
            for i in k..n {
                distribution.factor[k * stride + i] = if i == k { 1.25 + k as f64 } else { 0.3 };
            }
        }
        let (lower, upper) = ([-2.0, -1.0, -4.0, 1.5, -3.0], [3.0, 4.0, 5.0, 1.5, 6.0]);
        let bounds = Bounds { lower: &lower, upper: &upper };
        let mut z = [0.9, -0.7, 1.3, 0.4, -0.6];
        let x = [-1.75, 3.5, 4.0, 1.5, -2.5];
        let mut taught = Taught::default();
        taught.prepare(&distribution, bounds, stride);
        teach_point(&distribution, &taught, (&mut z, &x), &mut vec![0.0; n], stride);
        let mut y = [0.0; 5];
        times(distribution.factor, &z, &mut y, stride);
        for i in 0..n {
            let made = distribution.mean[i] + 0.5 * (upper[i] - lower[i]) * y[i];
            assert!((made - x[i]).abs() < 1e-14, "{i}: {made}");
        }
        assert_eq!(z[3], 0.4);
    }
}
