//! Populations that shrink over the evaluations of a run.
//!
//! **Idea.** Many individuals find the region of the minimum, few find it exactly. So a population starts large and
//! shrinks linearly over the evaluations of a run: after s of S evaluations it should have round(N - (N - M) s / S)
//! individuals, with N at the start and M at the end. The worst are removed.
//!
//! **Source.** R. Tanabe, A. Fukunaga, "Improving the search performance of SHADE using linear population size
//! reduction", IEEE CEC 2014, equation 10.
//!
//! **Deviations.** Theirs shrinks after every iteration. Here it shrinks once a 32nd, and at least one individual, is
//! to be removed, so that a device is stopped less often. The remaining individuals keep their places, except those
//! after the last place, who take the places of removed ones. What the removed ones found in the previous iteration is
//! not used for learning.

use warpswarm_core::method::Method;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;

use crate::generation::{self, Work};
use crate::swarm::Swarm;
use crate::threads::Threads;

/// A population shrinks once one of this many individuals is to be removed.
const PART: u32 = 32;

/// When a population shrinks, and to how many individuals.
///
/// ```
/// use warpswarm_cpu_ref::population_reduction::PopulationReduction;
/// // From 8 individuals to 4 over 60 evaluations, of which 8 were spent before the first iteration.
/// let reduction = PopulationReduction::new(8, 4, 60);
/// let individuals: Vec<u32> = (1..=9).map(|iteration| reduction.individuals(iteration)).collect();
/// assert_eq!(individuals, [8, 7, 6, 6, 6, 5, 5, 5, 4]);
/// assert_eq!((reduction.evaluations(1), reduction.evaluations(3)), (8, 21));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopulationReduction(Vec<Step>);

/// The number of individuals after some iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The iteration after which this number is valid.
    after: u64,
    individuals: u32,
    /// The evaluations of all iterations until then.
    evaluations: u64,
}

impl PopulationReduction {
    /// From `first` individuals to `last`, at least 1, over `evaluations`, which include those of the first
    /// individuals.
    ///
    /// # Panics
    ///
    /// Panics if `last` is zero, or there are no evaluations.
    pub fn new(first: u32, last: u32, evaluations: u64) -> Self {
        assert!(
            last > 0 && evaluations > 0,
            "there is somebody at the end, and something to spend"
        );
        let mut steps = vec![Step { after: 0, individuals: first, evaluations: 0 }];
        let mut now = steps[0];
        while now.individuals > last {
            let n = now.individuals;
            let next = n.saturating_sub((n / PART).max(1)).max(last);
            let enough = spent_until(first - next, first - last, evaluations);
            let left = enough.saturating_sub(now.evaluations.saturating_add(u64::from(first)));
            let iterations = left.div_ceil(u64::from(n)).max(1);
            now.after = now.after.saturating_add(iterations);
            let spent = iterations.saturating_mul(u64::from(n));
            now.evaluations = now.evaluations.saturating_add(spent);
            let all = now.evaluations.saturating_add(u64::from(first));
            now.individuals = wanted(first, last, (all, evaluations)).min(next);
            steps.push(now);
        }
        PopulationReduction(steps)
    }

    /// The step that is valid in iteration `iteration`.
    fn step(&self, iteration: u64) -> Step {
        let after = self.0.partition_point(|step| step.after < iteration);
        self.0[after.max(1) - 1]
    }

    /// The number of individuals that do iteration `iteration`, from 1, and remain after it; at 0, the number that is
    /// placed.
    pub fn individuals(&self, iteration: u64) -> u32 {
        self.step(iteration).individuals
    }

    /// The evaluations of the first `iterations` iterations, without those of the first individuals.
    pub fn evaluations(&self, iterations: u64) -> u64 {
        let Step { after, individuals, evaluations } = self.step(iterations);
        (iterations - after).saturating_mul(u64::from(individuals)).saturating_add(evaluations)
    }

    /// How many iterations are done after this one until the population shrinks again.
    pub fn until_next(&self, iteration: u64) -> u64 {
        let next = self.0.iter().find(|step| step.after > iteration);
        next.map_or(u64::MAX, |step| step.after - iteration)
    }
}

/// The number of evaluations after which `leave` of the `all` that are to be removed over the run have to be removed:
/// the smallest s at which the line rounds up to that.
fn spent_until(leave: u32, all: u32, evaluations: u64) -> u64 {
    let [leave, all, evaluations] = [u128::from(leave), u128::from(all), u128::from(evaluations)];
    let spent = ((2 * leave - 1) * evaluations).div_ceil(2 * all);
    u64::try_from(spent).unwrap_or(u64::MAX)
}

/// The number of individuals that there should be after `spent` of `all` evaluations.
fn wanted(first: u32, last: u32, (spent, all): (u64, u64)) -> u32 {
    let [leave, spent, all] =
        [u128::from(first - last), u128::from(spent.min(all)), u128::from(all)];
    let left = (2 * leave * spent + all) / (2 * all);
    first - u32::try_from(left).unwrap_or(first - last)
}

/// Removes the worst, so that `individuals` remain.
pub fn reduce<R: Float>(swarm: &mut Swarm<R>, individuals: usize) {
    let (n, stride) = (swarm.individuals(), swarm.stride);
    if individuals == 0 || individuals >= n {
        return;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.select_nth_unstable_by(individuals, |&a, &b| {
        let of = |i: usize| Candidate::new(swarm.best[i], i as u32);
        if of(a).beats(of(b)) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
    });
    let mut stays = vec![false; n];
    order[..individuals].iter().for_each(|&i| stays[i] = true);
    let left = (0..individuals).filter(|&i| !stays[i]);
    let moves: Vec<(usize, usize)> = left.zip((individuals..n).filter(|&i| stays[i])).collect();
    let numbers = swarm.numbers.len() / n;
    fall_in(&mut swarm.best, (1, &moves), individuals);
    fall_in(&mut swarm.best_positions, (stride, &moves), individuals);
    fall_in(&mut swarm.numbers, (numbers, &moves), individuals);
    for own in [&mut swarm.positions, &mut swarm.velocities] {
        let row = if own.is_empty() { 0 } else { stride };
        fall_in(own, (row, &moves), individuals);
    }
    if !swarm.archive.is_empty() {
        let mut places = Vec::with_capacity(2 * individuals * stride);
        for place in swarm.archive.chunks(n * stride) {
            let mut place = place.to_vec();
            fall_in(&mut place, (stride, &moves), individuals);
            places.append(&mut place);
        }
        swarm.archive = places;
    }
}

/// The same for one array with `each` elements of each individual.
fn fall_in<T: Copy>(
    all: &mut Vec<T>,
    (each, moves): (usize, &[(usize, usize)]),
    individuals: usize,
) {
    for &(to, from) in moves {
        all.copy_within(from * each..(from + 1) * each, to * each);
    }
    all.truncate(individuals * each);
}

/// Grows a population to at least `individuals`; the contents of the added ones are undefined.
pub fn fill<R: Float>(swarm: &mut Swarm<R>, individuals: usize) {
    let (n, stride) = (swarm.individuals(), swarm.stride);
    if individuals <= n {
        return;
    }
    let archive = swarm.archive.len() / n;
    swarm.best.resize(individuals, Fitness::WORST);
    swarm.best_positions.resize(individuals * stride, R::ZERO);
    for all in [&mut swarm.numbers, &mut swarm.positions, &mut swarm.velocities] {
        let each = all.len() / n;
        all.resize(each * individuals, R::ZERO);
    }
    swarm.archive.resize(archive * individuals, R::ZERO);
}

/// Removes the individuals that do not take part in the next iteration.
pub fn reduce_if_due<R: Float>(swarm: &mut Swarm<R>, reduction: &PopulationReduction) {
    let individuals = reduction.individuals(swarm.control.iterations + 1) as usize;
    reduce(swarm, individuals);
}

/// Does up to `iterations` iterations of a population that shrinks, fewer if the run stops.
///
/// N and then M iterations give the same bits as N + M, with any [`Threads`].
pub fn run<R: Float, M: Method<R>>(
    swarm: &mut Swarm<R>,
    (method, reduction): (&M, &PopulationReduction),
    work: &Work<'_, R>,
    iterations: u64,
    threads: Threads,
) {
    let mut left = iterations;
    while left > 0 && !swarm.has_stopped() {
        let before = swarm.control.iterations;
        reduce_if_due(swarm, reduction);
        let now = left.min(reduction.until_next(before));
        generation::run(swarm, method, work, now, threads);
        left -= now;
        if swarm.control.iterations - before < now {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::RunId;

    /// Compared with a run that shrinks after every iteration: never fewer individuals, and at most a 32nd more.
    #[test]
    fn populations_fall_along_a_line() {
        for (first, last, all) in
            [(540, 4, 300_000), (90, 4, 20_000), (7, 5, 10), (1000, 990, 90_000)]
        {
            let reduction = PopulationReduction::new(first, last, all);
            let mut spent = u64::from(first);
            for iteration in 1..2_000 {
                let n = reduction.individuals(iteration);
                assert_eq!(reduction.evaluations(iteration - 1) + u64::from(first), spent);
                let wanted = if iteration == 1 { first } else { wanted(first, last, (spent, all)) };
                let is_near =
                    n == wanted || (wanted < n && n < wanted + (n / PART).max(1) && wanted > last);
                assert!(is_near, "{first} {iteration}: {n}, {wanted}");
                spent += u64::from(n);
            }
            assert_eq!(reduction.individuals(u64::MAX), last);
            assert_eq!(reduction.until_next(u64::MAX - 1), u64::MAX);
        }
        // With more evaluations than can be counted, no individual is removed too early.
        let endless = PopulationReduction::new(u32::MAX, 1, u64::MAX);
        assert_eq!(endless.individuals(1 << 20), u32::MAX);
        assert_eq!(endless.evaluations(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_worst_leave_and_the_last_take_their_places() {
        let mut swarm = Swarm::<f64>::unplaced(1, 6, RunId::default());
        let stride = swarm.stride;
        for (i, value) in [3.0, 9.0, 1.0, f64::NAN, 2.0, 2.0].into_iter().enumerate() {
            swarm.best[i] = Fitness { violation: 0.0, value };
            swarm.best_positions[i * stride] = i as f64;
        }
        swarm.velocities = Vec::new();
        swarm.numbers = (0..12).map(f64::from).collect();
        swarm.archive = (0..12 * stride).map(|k| (k / stride) as f64).collect();
        reduce(&mut swarm, 4);
        let values: Vec<f64> = swarm.best.iter().map(|best| best.value).collect();
        assert_eq!(values, [3.0, 2.0, 1.0, 2.0]);
        let first = |all: &[f64]| -> Vec<f64> { all.iter().step_by(stride).copied().collect() };
        assert_eq!(first(&swarm.best_positions), [0.0, 4.0, 2.0, 5.0]);
        assert_eq!(swarm.numbers, [0.0, 1.0, 8.0, 9.0, 4.0, 5.0, 10.0, 11.0]);
        assert_eq!(first(&swarm.archive), [0.0, 4.0, 2.0, 5.0, 6.0, 10.0, 8.0, 11.0]);
        assert_eq!((swarm.positions.len(), swarm.velocities.len()), (4 * stride, 0));
        // Of equal ones the first remains.
        reduce(&mut swarm, 2);
        assert_eq!(first(&swarm.best_positions), [2.0, 4.0]);
    }
}
