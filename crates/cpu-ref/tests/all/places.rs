//! What a method reads at each place of a row.

use warpswarm_core::Objective;
use warpswarm_core::launch::StopRule;
use warpswarm_core::method::{Individual, Method, Numbers, Own, Population, Site, SiteDraws};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::problems::Sphere;
use warpswarm_core::real::Real;
use warpswarm_cpu_ref::generation::{self, Work};
use warpswarm_cpu_ref::{Bounds, Halt, Start, Swarm, Threads};

use crate::common::ID;

/// Moves to a draw that depends on the coordinate, at a place that depends on everything else that it reads.
#[derive(Clone, Copy)]
struct Curious {
    /// The individual that it reads.
    other: u32,
}

/// The draws that a coordinate uses.
#[derive(Clone, Copy)]
enum Asked {
    /// The second draw of a set.
    Set(u32),
    /// The draw with which it re-enters its bounds.
    Reentry,
    /// The normal number of another attempt.
    Normal,
}

fn asked(coordinate: u32) -> Asked {
    let all = [Asked::Set(0), Asked::Set(0), Asked::Set(5), Asked::Reentry, Asked::Normal];
    all[coordinate as usize % all.len()]
}

impl Asked {
    fn draw<S: Site<f64>>(self, site: &S) -> f64 {
        match self {
            Asked::Set(set) => site.draws(set)[1],
            Asked::Reentry => site.reentry(),
            Asked::Normal => site.normal(),
        }
    }
}

impl Method<f64> for Curious {
    const OWN: usize = 2;
    const NUMBERS: usize = 0;
    type Observation = ();
    type Plan = ();

    fn start(&self, x: f64, _: f64) -> Own<f64> {
        [x, 0.0]
    }
    fn observe<P: Population<f64>>(&self, _: &Individual<f64>, _: &P, _: &mut Numbers<f64>) {}
    fn plan(&self, _: &Individual<f64>, (): (), _: &mut Numbers<f64>) {}
    fn normals(&self, _: &Individual<f64>, (): &()) -> Option<u32> {
        Some(3)
    }
    fn propose<S: Site<f64>>(&self, (): &(), site: &S) -> (f64, Own<f64>) {
        let (lower, upper) = site.bounds();
        let draw = asked(site.coordinate()).draw(site);
        let seen = site.public() + site.of(self.other) + site.best() + site.own(0);
        (lower + (upper - lower) * draw, [seen, draw])
    }
    fn accept(&self, _: &Individual<f64>, (): &(), _: Fitness<f64>, _: &mut Numbers<f64>) -> bool {
        true
    }
}

/// Uses draws that it may not use: normal numbers without saying of which attempt, or a set that does not exist.
#[derive(Clone, Copy)]
struct Careless(Asked);

impl Method<f64> for Careless {
    const OWN: usize = 0;
    const NUMBERS: usize = 0;
    type Observation = ();
    type Plan = ();

    fn start(&self, _: f64, _: f64) -> Own<f64> {
        [0.0; 2]
    }
    fn observe<P: Population<f64>>(&self, _: &Individual<f64>, _: &P, _: &mut Numbers<f64>) {}
    fn plan(&self, _: &Individual<f64>, (): (), _: &mut Numbers<f64>) {}
    fn propose<S: Site<f64>>(&self, (): &(), site: &S) -> (f64, Own<f64>) {
        (self.0.draw(site).clamp_to(-1.0, 3.0), [0.0; 2])
    }
}

/// A population before and after an iteration.
fn moved(dimensions: usize, method: impl Method<f64>) -> [Swarm<f64>; 2] {
    let (lower, upper) = (vec![-1.0; dimensions], vec![3.0; dimensions]);
    let bounds = Bounds { lower: &lower, upper: &upper };
    let evaluate = |x: &[f64]| Sphere.evaluate(&SlicePoint(x));
    let (start, stop) = (Start::default(), StopRule::NEVER);
    let work = Work { evaluate: &evaluate, bounds, start, stop, halt: Halt::NEVER };
    let before = generation::start(&method, &work, 5, ID, Threads::Serial);
    let mut after = before.clone();
    generation::run(&mut after, &method, &work, 1, Threads::Serial);
    [before, after]
}

#[test]
fn each_place_is_told_what_is_there() {
    for dimensions in [1, 2, 3, 4, 5, 30, 31, 32, 33, 64, 70] {
        let [before, after] = moved(dimensions, Curious { other: 3 });
        for index in 0..5 {
            let who = Individual {
                key: ID.key(),
                iteration: 1,
                index: index as u32,
                individuals: 5,
                dimensions: dimensions as u32,
                attempt: 0,
                fitness: before.best[index],
            };
            let draws = SiteDraws::of(&who);
            let others = SiteDraws::of(&Individual { attempt: 3, ..who });
            for i in 0..before.stride {
                let place = index * before.stride + i;
                let (mut x, mut seen, mut draw) = (0.0, 0.0, 0.0);
                if i < dimensions {
                    let coordinate = i as u32;
                    draw = match asked(coordinate) {
                        Asked::Set(set) => draws.drawn::<f64>(coordinate, set)[1].open(),
                        Asked::Reentry => draws.reentry(coordinate),
                        Asked::Normal => others.normal(coordinate),
                    };
                    x = -1.0 + 4.0 * draw;
                    let public = before.best_positions[place];
                    let other = before.best_positions[3 * before.stride + i];
                    seen = public + other + before.global_position[i] + before.positions[place];
                }
                let found = [&after.best_positions, &after.positions, &after.velocities];
                assert_eq!(found.map(|row| row[place]), [x, seen, draw], "{dimensions} {place}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "a method looks at an individual that there is not")]
fn nobody_looks_at_an_individual_that_there_is_not() {
    moved(40, Curious { other: 5 });
}

#[test]
#[should_panic(expected = "implement `normals`")]
fn normal_numbers_must_be_announced() {
    moved(40, Careless(Asked::Normal));
}

#[test]
fn the_last_set_of_draws_is_there() {
    let [_, after] = moved(40, Careless(Asked::Set(7)));
    assert!(after.global.fitness.value.is_finite());
}

#[test]
#[should_panic(expected = "`Site::draws(8)`: sets go from 0 to 7")]
fn sets_of_draws_end_at_seven() {
    // In a release build, too: set 8 would be the draws with which coordinates re-enter their bounds.
    moved(40, Careless(Asked::Set(8)));
}
