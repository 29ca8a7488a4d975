//! Individuals that go from run to run: whoever is taken, and whoever comes, is the same in every place.

use warpswarm::migration::{Migrants, Replacement, Selection};
use warpswarm::problems::Precise;
use warpswarm::{Optimiser, Stop, difference};

use crate::{Case, Place, methods};

/// Migrants of a run that has so many individuals: some, and all.
fn counts(individuals: u64) -> [u64; 3] {
    [1, (individuals / 3).max(1), individuals]
}

/// What each run is offered: nothing for the first one, for others what those before have left.
fn offered<R: Precise>(emigrants: &[Migrants<R>]) -> Vec<Migrants<R>> {
    let none = || Migrants { fitness: Vec::new(), positions: Vec::new() };
    let before = |run: usize| if run == 0 { none() } else { emigrants[run - 1].clone() };
    let mut offered: Vec<_> = (0..emigrants.len()).map(before).collect();
    if let Some(third) = offered.get_mut(2) {
        // Fewer than others.
        let dimensions = third.positions.len() / third.fitness.len();
        third.fitness.truncate(1);
        third.positions.truncate(dimensions);
    }
    offered
}

/// Does the same with two optimisers, and demands the same.
fn check_one<R: Precise>(case: &Case, place: Place, what: &str) {
    let start = |place| case.start::<R>(place).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (mut expected, mut found) = (start(Place::REFERENCE), start(place));
    let same = |expected: &mut Optimiser<R>, found: &mut Optimiser<R>, when: &str| {
        let (expected, found) = (expected.state().unwrap(), found.state().unwrap());
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(difference(expected, found), None, "{what}: {when}");
        }
    };
    for (selection, replacement) in
        [(Selection::Best, Replacement::Worst), (Selection::Random, Replacement::Random)]
    {
        for count in counts(case.individuals) {
            let emigrants = expected.emigrants(count, selection).unwrap();
            let theirs = found.emigrants(count, selection).unwrap();
            assert_eq!(emigrants, theirs, "{what}: {count} of {selection:?}");
            let offered = offered(&emigrants);
            expected.immigrate(&offered, replacement).unwrap();
            found.immigrate(&offered, replacement).unwrap();
            same(&mut expected, &mut found, "when they have come");
            expected.step(case.iterations).unwrap();
            found.step(case.iterations).unwrap();
            same(&mut expected, &mut found, "some iterations later");
        }
    }
}

/// Lets individuals of several runs migrate in all places, and demands the reference's bits; in both precisions.
///
/// # Panics
///
/// Where a place differs.
pub fn check(individuals: &[u64], dimensions: &[usize], places: &[Place]) {
    let cases = individuals.iter().flat_map(|&individuals| {
        dimensions.iter().map(move |&dimensions| Case {
            runs: 4,
            iterations: 4,
            ..Case::new("rastrigin", dimensions, individuals)
        })
    });
    for case in cases {
        let others = if case.individuals < 4 { Vec::new() } else { methods(case.individuals) };
        let all = others.into_iter().map(|algorithm| case.clone().with(algorithm));
        let stops = [Stop::default(), Stop::target(60.0), Stop::stagnation(3)];
        let of_pso = stops.into_iter().map(|stop| Case { stop, ..case.clone() });
        let of_others = all.map(|other| Case { stop: Stop::target(60.0), ..other });
        for case in of_pso.chain(of_others) {
            for place in places {
                check_one::<f32>(&case, *place, &format!("{case:?} at {place:?} in f32"));
                check_one::<f64>(&case, *place, &format!("{case:?} at {place:?} in f64"));
            }
        }
    }
}
