use warpswarm_core::launch::{StopRule, stopped};

use super::*;
use crate::swarm::RunId;

fn fitness(value: f64) -> Fitness<f64> {
    Fitness { violation: 0.0, value }
}

/// A run in one dimension whose individual i is at 10 i and has value i of `values`.
fn swarm(values: &[f64]) -> Swarm<f64> {
    let mut swarm = Swarm::unplaced(1, values.len() as u32, RunId { seed: 3, run: 5 });
    swarm.best = values.iter().copied().map(fitness).collect();
    for (i, row) in swarm.best_positions.chunks_exact_mut(swarm.stride).enumerate() {
        row[0] = 10.0 * i as f64;
    }
    let candidates = (0..).zip(&swarm.best).map(|(i, &fitness)| Candidate::new(fitness, i));
    swarm.global = candidates.fold(Candidate::NONE, Candidate::better);
    swarm.global_position = swarm.best_position(swarm.global.index as usize).to_vec();
    swarm.control.iterations = 7;
    swarm
}

fn migrants(values: &[f64]) -> Migrants<f64> {
    Migrants {
        fitness: values.iter().copied().map(fitness).collect(),
        positions: values.iter().map(|value| 100.0 + value).collect(),
    }
}

/// Offers immigrants to the individuals that are to be replaced in a run's present state.
fn arrive(swarm: &mut Swarm<f64>, values: &[f64], replacement: Replacement, noticed: u64) {
    let places = places(swarm, values.len(), replacement);
    immigrate(swarm, &migrants(values), &places, noticed);
}

fn values(swarm: &Swarm<f64>) -> Vec<f64> {
    swarm.best.iter().map(|fitness| fitness.value).collect()
}

#[test]
fn the_best_leave_best_first_and_of_equals_the_first() {
    let swarm = swarm(&[4.0, 1.0, f64::NAN, 1.0, -2.0]);
    let all = emigrants(&swarm, 4, Selection::Best);
    assert_eq!(all.fitness, [-2.0, 1.0, 1.0, 4.0].map(fitness));
    assert_eq!(all.positions, [40.0, 10.0, 30.0, 0.0]);
    assert_eq!(emigrants(&swarm, 9, Selection::Best).positions, [40.0, 10.0, 30.0, 0.0, 20.0]);
    assert!(emigrants(&swarm, 0, Selection::Best).is_empty());
}

#[test]
fn feasible_ones_leave_before_better_values() {
    let mut swarm = swarm(&[4.0, 1.0, 2.0]);
    swarm.best[1].violation = 0.5;
    swarm.best[2].violation = 0.25;
    assert_eq!(emigrants(&swarm, 3, Selection::Best).positions, [0.0, 20.0, 10.0]);
}

#[test]
fn the_worst_is_offered_the_first_immigrant() {
    let mut swarm = swarm(&[4.0, 1.0, f64::NAN, 3.0, 3.0]);
    // NaN is last; then 4, and of the equal ones that with the higher index.
    arrive(&mut swarm, &[8.0, 5.0, 2.0], Replacement::Worst, 7);
    let after = values(&swarm);
    assert_eq!(after, [4.0, 1.0, 8.0, 3.0, 2.0]);
    assert_eq!(swarm.best_position(2)[0], 108.0);
    assert_eq!(swarm.best_position(4)[0], 102.0);
    assert_eq!(swarm.best_position(0)[0], 0.0);
    // No immigrant is better than the best.
    assert_eq!((swarm.global.index, swarm.global_position[0]), (1, 10.0));
    assert_eq!(swarm.control.improved_at, 0);
}

#[test]
fn an_immigrant_may_be_the_new_best() {
    let mut swarm = swarm(&[4.0, 1.0, 3.0]);
    swarm.positions.fill(-1.0);
    arrive(&mut swarm, &[0.5, 0.25], Replacement::Worst, 9);
    assert_eq!(values(&swarm), [0.5, 1.0, 0.25]);
    assert_eq!(swarm.global, Candidate::new(fitness(0.25), 2));
    assert_eq!((swarm.global_position[0], swarm.control.improved_at), (100.25, 9));
    // Position and velocity are not replaced.
    assert!(swarm.positions.iter().all(|x| *x == -1.0));
    assert_eq!(swarm.best_position(2).len(), swarm.stride);
}

#[test]
fn of_equals_the_lower_index_is_the_best_without_being_an_improvement() {
    let mut swarm = swarm(&[4.0, 1.0]);
    arrive(&mut swarm, &[1.0], Replacement::Worst, 7);
    assert_eq!((swarm.global.index, swarm.global_position[0]), (0, 101.0));
    assert_eq!(swarm.control.improved_at, 0);
    // An immigrant that equals the individual is dropped.
    arrive(&mut swarm, &[1.0], Replacement::Worst, 7);
    assert_eq!(swarm.best_positions[swarm.stride], 10.0);
}

#[test]
fn nan_and_infinity_never_replace_a_number() {
    let mut swarm = swarm(&[f64::INFINITY, f64::NAN, 1.0]);
    let before = swarm.clone();
    arrive(&mut swarm, &[f64::NAN, f64::INFINITY], Replacement::Worst, 7);
    assert_eq!(crate::difference(&before, &swarm), None);
    arrive(&mut swarm, &[f64::INFINITY], Replacement::Worst, 7);
    assert_eq!(values(&swarm)[..2], [f64::INFINITY, f64::INFINITY]);
}

#[test]
fn a_run_that_has_stopped_sends_and_takes_none() {
    let mut swarm = swarm(&[4.0, 1.0]);
    swarm.settle(&StopRule { target: 1.0, stagnation: 0 });
    assert_eq!(swarm.control.stopped, stopped::TARGET);
    let before = swarm.clone();
    arrive(&mut swarm, &[0.0], Replacement::Worst, 7);
    assert_eq!(swarm, before);
    assert_eq!(emigrants(&swarm, 1, Selection::Best).fitness, [fitness(1.0)]);
}

#[test]
fn drawn_ones_are_different_and_follow_from_run_and_iteration() {
    let key = RunId { seed: 3, run: 5 }.key();
    for count in [0, 1, 2, 9, 10] {
        let mut all = shuffled(key, 7, 10, count, 0);
        assert_eq!(all, shuffled(key, 7, 10, 10, 0)[..count as usize]);
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == count as usize && all.iter().all(|i| *i < 10), "{all:?}");
    }
    assert_ne!(shuffled(key, 7, 10, 10, 0), shuffled(key, 8, 10, 10, 0));
    assert_ne!(shuffled(key, 7, 10, 10, 0), shuffled(key, 7, 10, 10, 1));
}

/// Worked out by hand: the swaps given by the draws, place after place.
#[test]
fn drawing_is_a_shuffle() {
    let swarm = swarm(&[0.0, 1.0, 2.0, 3.0]);
    let mut all = [0, 1, 2, 3];
    for k in 0..4 {
        let stream = Stream::new(swarm.id.key(), Purpose::Migration, 7, k);
        all.swap(k as usize, (k + stream.below(4 - k, 0)) as usize);
    }
    let drawn = emigrants(&swarm, 4, Selection::Random).positions;
    assert_eq!(drawn, all.map(|i| 10.0 * f64::from(i)));
}

#[test]
fn random_places_are_offered_whatever_their_rank() {
    let mut swarm = swarm(&[9.0; 8]);
    let offered = drawn_places(swarm.id, 7, 8, 3);
    arrive(&mut swarm, &[1.0, 2.0, 3.0], Replacement::Random, 7);
    for (value, place) in [1.0, 2.0, 3.0].into_iter().zip(offered) {
        assert_eq!(swarm.best[place as usize], fitness(value));
    }
    assert_eq!(values(&swarm).iter().filter(|value| **value == 9.0).count(), 5);
}

/// The second immigrant is no better than the individual.
#[test]
fn the_first_are_offered_those_of_their_number() {
    let mut swarm = swarm(&[9.0, 1.0, 9.0, 0.5]);
    arrive(&mut swarm, &[3.0, 2.0, 0.25], Replacement::First, 7);
    assert_eq!(values(&swarm), [3.0, 1.0, 0.25, 0.5]);
    assert_eq!((swarm.global.index, swarm.control.improved_at), (2, 7));
}

/// All draws of `below` are equally likely, so all ways to choose two of four are.
#[test]
fn each_is_drawn_as_often_as_the_others() {
    let mut counts = [0_u32; 5];
    for run in 0..4000 {
        let key = RunId { seed: 1, run }.key();
        shuffled(key, 3, 5, 2, 1).into_iter().for_each(|i| counts[i as usize] += 1);
    }
    // 1600 each, with a standard deviation of 31.
    assert!(counts.iter().all(|count| count.abs_diff(1600) < 155), "{counts:?}");
}
