//! What the individuals of a run have in common: see [`warpswarm_core::method::Common`].

use warpswarm_core::method::{
    Common, Individual, Lessons, MAX_NUMBERS, Method, Numbers, archive_place,
};
use warpswarm_core::order::Fitness;
use warpswarm_core::real::Real;
use warpswarm_core::sum::{self, Operator};

use crate::swarm::Swarm;

/// The memory at the start, and an archive of which nothing is taken.
pub(super) fn first<R: Real, M: Method<R>>(swarm: &mut Swarm<R>, method: &M) {
    let Common { memory, archive, .. } = method.common(swarm.individuals() as u32);
    if M::SHARES {
        let remembered = (0..memory).map(|k| method.first_remembered(k));
        swarm.memory = remembered.chain([R::ZERO]).collect();
        swarm.archive = vec![R::ZERO; archive as usize * swarm.stride];
    }
}

/// How many places of the archive are taken: the last number of the memory.
pub(super) fn archived<R: Real>(memory: &[R]) -> u32 {
    memory.last().map_or(0, |taken| taken.to_f64() as u32)
}

/// The best so many individuals, in the order of their indices.
pub(super) fn elite<R: Real>(fitness: &[Fitness<R>], count: u32, into: &mut Vec<u32>) {
    into.clear();
    if count == 0 {
        return;
    }
    into.extend(0..fitness.len() as u32);
    let rank = |i: &u32| (fitness[*i as usize].ordered(), *i);
    if (count as usize) < into.len() {
        into.select_nth_unstable_by_key(count as usize, rank);
        into.truncate(count as usize);
    }
    into.sort_unstable();
}

/// Ends an iteration, before which the public points were `rows`: fills the archive, and learns.
pub(super) fn settle<R: Real, M: Method<R>>(swarm: &mut Swarm<R>, method: &M, rows: &[R]) {
    let individuals = swarm.individuals() as u32;
    let Common { memory, archive, .. } = method.common(individuals);
    let mut archived = archived(&swarm.memory);
    let after = Numbered { numbers: &swarm.numbers, count: M::NUMBERS };
    for i in (0..individuals).filter(|_| archive > 0) {
        if !method.leaves(&after.of(i as usize)) {
            continue;
        }
        let who = Individual {
            key: swarm.id.key(),
            iteration: swarm.control.iterations,
            index: i,
            individuals,
            dimensions: swarm.dimensions as u32,
            attempt: 0,
            fitness: swarm.best[i as usize],
        };
        let place = if archived < archive { archived } else { archive_place(&who, archive) };
        archived = (archived + 1).min(archive);
        let stride = swarm.stride;
        let row = &rows[i as usize * stride..][..stride];
        swarm.archive[place as usize * stride..][..stride].copy_from_slice(row);
    }
    let all = &mut swarm.memory[..memory as usize];
    method.learn(&mut Learning { memory: all, after, individuals });
    swarm.memory[memory as usize] = R::from_u32(archived);
}

/// The numbers of all individuals.
#[derive(Clone, Copy)]
struct Numbered<'a, R> {
    numbers: &'a [R],
    count: usize,
}

impl<R: Real> Numbered<'_, R> {
    fn of(&self, i: usize) -> Numbers<R> {
        let mut numbers = [R::ZERO; MAX_NUMBERS];
        numbers[..self.count].copy_from_slice(&self.numbers[i * self.count..][..self.count]);
        numbers
    }
}

struct Learning<'a, R> {
    memory: &'a mut [R],
    after: Numbered<'a, R>,
    individuals: u32,
}

impl<R: Real> Lessons<R> for Learning<'_, R> {
    fn remembered(&self, k: u32) -> R {
        self.memory[k as usize]
    }
    fn remember(&mut self, k: u32, number: R) {
        self.memory[k as usize] = number;
    }
    fn fold<O: Operator<R>>(&self, term: impl Fn(Numbers<R>) -> R) -> R {
        sum::fold_buffered::<R, O>(self.individuals as usize, |i| term(self.after.of(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elite_by_hand() {
        let fitness = |value| Fitness { violation: 0.0, value };
        let mut all: Vec<_> =
            [3.0, 1.0, f64::NAN, 1.0, 0.0, 1.0].into_iter().map(fitness).collect();
        all[4].violation = 0.5;
        let mut found = Vec::new();
        // Of three that are equal the first; what violates after all that do not, even after no number.
        for (count, best) in
            [(0, &[][..]), (1, &[1]), (2, &[1, 3]), (4, &[0, 1, 3, 5]), (5, &[0, 1, 2, 3, 5])]
        {
            elite(&all, count, &mut found);
            assert_eq!(found, best, "{count}");
        }
        elite(&all, 6, &mut found);
        assert_eq!(found, [0, 1, 2, 3, 4, 5]);
    }
}
