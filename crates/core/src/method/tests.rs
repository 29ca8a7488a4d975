//! Individuals, populations and coordinates with given surroundings.

use super::*;
use crate::random::FromWords;
use crate::random::RunKey;

/// The fitness of a feasible point.
pub(crate) fn feasible(value: f64) -> Fitness<f64> {
    Fitness { violation: 0.0, value }
}

/// A population with given fitnesses only.
pub(crate) struct Known<'a>(pub(crate) &'a [Fitness<f64>]);

impl Fitnesses<f64> for Known<'_> {
    fn fitness(&self, individual: u32) -> Fitness<f64> {
        self.0[individual as usize]
    }
}

impl Population<f64> for Known<'_> {
    fn numbers(&self, _: u32) -> Numbers<f64> {
        panic!("only fitnesses are known")
    }
    fn squared_distance(&self, _: u32, _: u32) -> f64 {
        panic!("only fitnesses are known")
    }
    fn remembered(&self, _: u32) -> f64 {
        panic!("only fitnesses are known")
    }
}

/// An individual with this fitness.
pub(crate) fn individual(fitness: Fitness<f64>) -> Individual<f64> {
    Individual {
        key: RunKey::new(1, 0),
        iteration: 1,
        index: 0,
        individuals: 10,
        dimensions: 2,
        attempt: 0,
        fitness,
    }
}

/// One coordinate with given surroundings.
#[derive(Default)]
pub(crate) struct Still {
    pub(crate) public: f64,
    pub(crate) own: Own<f64>,
    pub(crate) others: [f64; 3],
    pub(crate) best: f64,
    pub(crate) bounds: (f64, f64),
    pub(crate) draws: [[f64; 2]; 3],
    pub(crate) normal: f64,
    pub(crate) reentry: f64,
}

impl Site<f64> for Still {
    fn coordinate(&self) -> u32 {
        0
    }
    fn public(&self) -> f64 {
        self.public
    }
    fn own(&self, row: usize) -> f64 {
        self.own[row]
    }
    fn of(&self, individual: u32) -> f64 {
        self.others[individual as usize]
    }
    fn best(&self) -> f64 {
        self.best
    }
    fn bounds(&self) -> (f64, f64) {
        self.bounds
    }
    fn factors(&self) -> [Factor<f64>; 2] {
        self.draws[0].map(|r| Factor::of_offset(f64::FACTOR_OFFSET + r))
    }
    fn drawn(&self, set: u32) -> [Draw<f64>; 2] {
        self.draws[set as usize].map(|r| Draw::of_one_to_two(1.0 + r))
    }
    /// Without the half step of `open`, so that results by hand are exact.
    fn draws(&self, set: u32) -> [f64; 2] {
        self.draws[set as usize]
    }
    fn normal(&self) -> f64 {
        self.normal
    }
    fn reentry(&self) -> f64 {
        self.reentry
    }
}

#[test]
fn cycles_by_hand() {
    assert_eq!([0, 1, 2, 3, 4].map(|iteration| step_of_cycle(iteration, 3)), [0, 0, 1, 2, 0]);
    assert_eq!(step_of_cycle((7 << 40) + 3, 7), 2);
    assert_eq!(step_of_cycle(5, 7 << 40), 4);
}

#[test]
fn attempts_draw_apart() {
    let first = individual(feasible(1.0));
    let second = Individual { attempt: 1, ..first };
    let site = |who| SiteDraws::of::<f64>(who);
    assert_ne!(first.uniform(0), second.uniform(0));
    assert_ne!(site(&first).drawn::<f64>(0, 0), site(&second).drawn::<f64>(0, 0));
    assert_ne!(site(&first).drawn::<f64>(0, 0), site(&first).drawn::<f64>(0, 1));
    assert_ne!(site(&first).factors::<f64>(0), site(&second).factors::<f64>(0));
    let pair = site(&second).of_pair::<f64>(3);
    assert_eq!(pair, [6, 7].map(|i| site(&second).drawn(i, 0)));
    assert_ne!(site(&first).reentry::<f64>(0), site(&second).reentry::<f64>(0));
    assert_ne!(site(&first).normal::<f64>(0), site(&second).normal::<f64>(0));
    let quad = site(&second).normals_of_quad::<f64>(1);
    assert_eq!(quad, [4, 5, 6, 7].map(|i| site(&second).normal(i)));
    assert_eq!(site(&second).normals_of_pair::<f64>(3), [quad[2], quad[3]]);
    assert_eq!(site(&second).normals_of_row::<f64>(4, 4)[..4], quad);
    assert_ne!(first.normals(0), first.normals(1));
    assert_ne!(first.below(1 << 31, 0), second.below(1 << 31, 0));
}
