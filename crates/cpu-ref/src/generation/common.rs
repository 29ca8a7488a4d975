//! What the individuals of a run share: see [`Method::learn`] and [`Method::leaves`].

use warpswarm_core::method::{
    GROUP, LESSONS, Lessons, MAX_NUMBERS, Memory, Method, Numbers, sum_of_group, sum_of_groups,
};
use warpswarm_core::real::Float;

use crate::swarm::Swarm;

/// The memory at the start, and an archive without points.
pub(super) fn first<R: Float, M: Method<R>>(swarm: &mut Swarm<R>, method: &M) {
    if M::SHARES {
        swarm.memory = (0..method.memory()).map(|k| method.first_remembered(k)).collect();
        swarm.archive = vec![R::ZERO; 2 * swarm.best_positions.len()];
    }
}

struct Remembered<'a, R>(&'a mut [R]);

impl<R: Float> Memory<R> for Remembered<'_, R> {
    fn get(&self, k: u32) -> R {
        self.0[k as usize]
    }
    fn set(&mut self, k: u32, number: R) {
        self.0[k as usize] = number;
    }
}

/// The sums over the lessons of individuals, from all their numbers one after the other, `[group]`.
pub fn lessons<R: Float, M: Method<R>>(method: &M, numbers: &[R]) -> Vec<Lessons<R>> {
    let groups = numbers.chunks(GROUP as usize * M::NUMBERS.max(1));
    let of_group = |group: &[R]| {
        sum_of_group(|i| match group.chunks(M::NUMBERS).nth(i as usize) {
            Some(own) => {
                let mut numbers: Numbers<R> = [R::ZERO; MAX_NUMBERS];
                numbers[..M::NUMBERS].copy_from_slice(own);
                method.lesson(&numbers)
            }
            None => [R::ZERO; LESSONS],
        })
    };
    groups.map(of_group).collect()
}

/// Updates the memory after the previous iteration, from all numbers that it left.
pub(super) fn learn<R: Float, M: Method<R>>(method: &M, numbers: &[R], memory: &mut [R]) {
    if M::SHARES {
        let groups = lessons(method, numbers);
        let sums = sum_of_groups(groups.len() as u32, |group| groups[group as usize]);
        method.learn(sums, &mut Remembered(memory));
    }
}

/// Stores replaced points in the archive and in `rows`, which holds the public points and then the archive.
pub(super) fn leave<R: Float, M: Method<R>>(swarm: &mut Swarm<R>, method: &M, rows: &mut [R]) {
    let (individuals, stride) = (swarm.individuals(), swarm.stride);
    let all = individuals * stride;
    for i in 0..individuals {
        let mut numbers: Numbers<R> = [R::ZERO; MAX_NUMBERS];
        numbers[..M::NUMBERS].copy_from_slice(&swarm.numbers[i * M::NUMBERS..][..M::NUMBERS]);
        let Some(place) = method.leaves(&numbers).checked_sub(1) else { continue };
        let place = place as usize * all + i * stride;
        swarm.archive[place..][..stride].copy_from_slice(&rows[i * stride..][..stride]);
        rows.copy_within(i * stride..(i + 1) * stride, all + place);
    }
}
