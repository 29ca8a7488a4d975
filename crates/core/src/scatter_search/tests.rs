//! A cycle, worked out by hand.

use super::*;
use crate::boundary::{Boundary, Limits};
use crate::method::Fitnesses;
use crate::method::tests::{Still, feasible, individual};

const LIMITS: Limits<f64> = Limits { correction: 0.22, boundary: Boundary::Clamp };
const SCATTER: ScatterSearch<f64> = ScatterSearch {
    search: SolisWets {
        step: 0.0,
        smallest_step: 1e-12,
        limits: LIMITS,
        successes: 5,
        failures: 3,
        mirror: solis_wets::Mirror::Failure,
    },
    alpha: 0.5,
    best_set: 2,
    diverse_set: 2,
    improvement: 2,
    update: Update::Diverse,
};

/// Eight individuals on a line.
struct Line {
    values: [f64; 8],
    places: [f64; 8],
    numbers: [Numbers<f64>; 8],
}

impl Fitnesses<f64> for Line {
    fn fitness(&self, i: u32) -> Fitness<f64> {
        feasible(self.values[i as usize])
    }
}

impl Population<f64> for Line {
    fn numbers(&self, i: u32) -> Numbers<f64> {
        self.numbers[i as usize]
    }
    fn remembered(&self, _: u32) -> f64 {
        0.0
    }
    fn squared_distance(&self, a: u32, b: u32) -> f64 {
        (self.places[a as usize] - self.places[b as usize]).powi(2)
    }
}

fn line() -> Line {
    Line {
        values: [5.0, 3.0, 4.0, 9.0, 7.0, 1.0, 2.0, 8.0],
        places: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        numbers: [[0.0; 4]; 8],
    }
}

/// What each individual sees in an iteration, and its numbers afterwards.
fn look(
    scatter: ScatterSearch<f64>,
    iteration: u64,
    line: &Line,
) -> [(Observation, Numbers<f64>); 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|index| {
        let who = individual(line.fitness(index));
        let who = Individual { iteration, index, individuals: 8, ..who };
        let mut numbers = line.numbers(index);
        (scatter.observe(&who, line, &mut numbers), numbers)
    })
}

fn keys(keys: [f64; 8]) -> [Numbers<f64>; 8] {
    keys.map(|key| [key, 0.0, 0.0, 0.0])
}

#[test]
fn a_cycle_is_six_iterations_and_the_improvement() {
    use Phase::*;
    let phases = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|iteration| SCATTER.phase(iteration));
    let expected = [Rank, Best, Measure, RankFarthest, Diverse, Combine, Improve, Improve, Rank];
    assert_eq!(phases, expected);
    assert_eq!([5, 6, 7, 8, 9].map(|i| SCATTER.attempts(i, 4)), [0, 1, 1, 1, 0]);
    assert_eq!([5, 6, 7, 8, 9].map(|i| SCATTER.attempts(i, 3)), [0; 5]);
    assert_eq!([0, 5, 6, 7, 8, 9].map(|i| SCATTER.noticed(i)), [0, 5, 6, 8, 8, 9]);
    // The first try is iteration 7, the last one 8.
    assert_eq!(
        [6, 7, 8, 9, 15, 16].map(|i| SCATTER.observes(i)),
        [true, true, false, true, true, false]
    );
    for improvement in [0, 1, 2] {
        let scatter = ScatterSearch { improvement, ..SCATTER };
        for iterations in 0..30 {
            let of = |index| -> u32 { (1..=iterations).map(|i| scatter.attempts(i, index)).sum() };
            let sum: u32 = (0..8).map(of).sum();
            assert_eq!(scatter.evaluations(8, iterations), u64::from(sum));
        }
    }
}

#[test]
fn the_best_set_takes_over_the_best_in_their_order() {
    let ranks = look(SCATTER, 1, &line()).map(|(_, numbers)| numbers[KEY]);
    assert_eq!(ranks, [4.0, 2.0, 3.0, 7.0, 5.0, 0.0, 1.0, 6.0]);

    let mut line = Line { numbers: keys(ranks), ..line() };
    let from = |found: [(Observation, Numbers<f64>); 8]| found.map(|(seen, _)| seen.from);
    // At first nothing has been taken over, as if the search were stuck: the diverse set waits.
    for update in [Update::Best, Update::Diverse] {
        let found = look(ScatterSearch { update, ..SCATTER }, 2, &line);
        assert_eq!(from(found), [5, 6, 2, 3, 4, 5, 6, 7]);
        let flags = found.map(|(_, numbers)| [numbers[REPLACED], numbers[RENEWED]]);
        assert_eq!(flags[..4], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]);
    }
    line.numbers[3][REPLACED] = 1.0;
    assert_eq!(from(look(SCATTER, 2, &line)), [5, 6, 2, 3, 4, 5, 6, 7]);
    let found = look(ScatterSearch { update: Update::Best, ..SCATTER }, 2, &line);
    assert_eq!(from(found), [5, 6, 1, 2, 4, 5, 6, 7]);
    // The third and fourth best were in the reference set.
    assert_eq!(found.map(|(_, numbers)| numbers[REPLACED])[..4], [1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn the_diverse_set_takes_over_the_farthest() {
    let far = |renewed: f64| {
        let mut line = Line { places: [5.0, 6.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], ..line() };
        line.numbers[2][RENEWED] = renewed;
        line.numbers[3][RENEWED] = renewed;
        let squares = look(SCATTER, 3, &line).map(|(_, numbers)| numbers[KEY]);
        assert_eq!(squares, [0.0, 0.0, 9.0, 4.0, 1.0, 0.0, 0.0, 1.0]);
        (0..8).for_each(|i| line.numbers[i][KEY] = squares[i]);
        let ranks = look(SCATTER, 4, &line).map(|(_, numbers)| numbers[KEY]);
        (0..8).for_each(|i| line.numbers[i][KEY] = ranks[i]);
        let found = look(SCATTER, 5, &line);
        let replaced = found.map(|(_, numbers)| numbers[REPLACED]);
        (ranks, found.map(|(seen, _)| seen.from), replaced)
    };
    let (ranks, from, replaced) = far(0.0);
    assert_eq!(ranks[2..], [0.0, 1.0, 2.0, 4.0, 5.0, 3.0]);
    assert_eq!((from, replaced), ([0, 1, 2, 3, 4, 5, 6, 7], [0.0; 8]));
    // With a pool that was placed anew.
    let (ranks, from, replaced) = far(1.0);
    assert_eq!(ranks[2..], [8.0, 8.0, 0.0, 2.0, 3.0, 1.0]);
    assert_eq!(from, [0, 1, 4, 7, 4, 5, 6, 7]);
    assert_eq!(replaced[2..4], [1.0, 1.0]);
    // If the diverse set takes over the best, distances are used only after the pool was placed anew.
    let best = ScatterSearch { update: Update::Best, ..SCATTER };
    assert_eq!(look(best, 3, &line()).map(|(_, numbers)| numbers), line().numbers);
    assert_eq!(look(best, 5, &line()).map(|(seen, _)| seen.from), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn all_pairs_are_combined_one_after_the_other() {
    let pairs = [0, 1, 2, 3, 4, 5, 6].map(|number| SCATTER.parents(number));
    assert_eq!(pairs, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [0, 1]]);
    let smallest = ScatterSearch { best_set: 1, diverse_set: 1, ..SCATTER };
    assert_eq!([0, 1].map(|number| smallest.parents(number)), [[0, 1]; 2]);

    let mut line = line();
    let parents = |line: &Line, iteration| {
        look(SCATTER, iteration, line).map(|(seen, _)| seen.parents)[4..].to_vec()
    };
    assert_eq!(parents(&line, 6), [None; 4], "stuck");
    line.numbers[1][REPLACED] = 1.0;
    assert_eq!(parents(&line, 6), [[0, 1], [0, 2], [0, 3], [1, 2]].map(Some));
    assert_eq!(parents(&line, 14), [[1, 3], [2, 3], [0, 1], [0, 2]].map(Some));
}

#[test]
fn offspring_by_hand() {
    let site = Still {
        others: [3.0, 1.0, 9.0],
        bounds: (-10.0, 10.0),
        draws: [[0.25, 0.0]; 3],
        ..Still::default()
    };
    // Parents 1 and 3, with a margin of 1: 0 + 0.25 * 4.
    assert_eq!(SCATTER.propose(&Plan::Combined([0, 1]), &site).0, 1.0);
    assert_eq!(SCATTER.propose(&Plan::Combined([1, 0]), &site).0, 1.0);
    let narrow = ScatterSearch { alpha: 0.0, ..SCATTER };
    assert_eq!(narrow.propose(&Plan::Combined([0, 1]), &site).0, 1.5);
    assert_eq!(SCATTER.propose(&Plan::Anew, &site).0, -5.0);
    // Parents 1 and 9: from -3 to 13, where 0.875 is 11.
    let high = Still { draws: [[0.875, 0.0]; 3], ..site };
    assert_eq!(SCATTER.propose(&Plan::Combined([1, 2]), &high).0, 10.0);
}

#[test]
fn the_pool_improves_from_half_the_distance_to_the_reference_set() {
    let found = look(SCATTER, 7, &line());
    let steps = found.map(|(_, numbers)| numbers[0]);
    assert_eq!(steps[4..], [0.5, 1.0, 1.5, 2.0]);
    let fixed = SolisWets { step: 0.25, ..SCATTER.search };
    let found = look(ScatterSearch { search: fixed, ..SCATTER }, 7, &line());
    assert_eq!(found[5].1, [0.25, 0.0, 0.0, 0.0]);
    let who = individual(feasible(2.0));
    let accepts =
        |plan, value| SCATTER.accept(&who, &plan, feasible(value), &mut [1.0, 0.0, 0.0, 0.0]);
    let improved = Plan::Improved(solis_wets::Plan { rho: 1.0, mirror: false });
    assert!(accepts(Plan::Anew, 3.0) && accepts(Plan::Combined([0, 1]), 3.0));
    assert!(accepts(improved, 1.0) && !accepts(improved, 2.0));
}
