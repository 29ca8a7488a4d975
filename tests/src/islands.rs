//! Migration of individuals between runs: emigrants and accepted immigrants are the same in every place.

use warpswarm::migration::{Migrants, Migration, Replacement, Selection};
use warpswarm::problems::Precise;
use warpswarm::{Optimiser, Stop};

use crate::{Case, Place, assert_same, by_precision, falls, methods};

/// Numbers of migrants for a run with this number of individuals: some, and all.
fn counts(individuals: u64) -> [u64; 3] {
    [1, (individuals / 3).max(1), individuals]
}

/// The immigrants of each run: none for the first run, and for each other run the emigrants of the previous one.
fn offered<R: Precise>(emigrants: &[Migrants<R>]) -> Vec<Migrants<R>> {
    let none = || Migrants { fitness: Vec::new(), positions: Vec::new() };
    let before = |run: usize| if run == 0 { none() } else { emigrants[run - 1].clone() };
    let mut offered: Vec<_> = (0..emigrants.len()).map(before).collect();
    if let Some(third) = offered.get_mut(2) {
        // One run gets fewer immigrants than the others.
        let dimensions = third.positions.len() / third.fitness.len();
        third.fitness.truncate(1);
        third.positions.truncate(dimensions);
    }
    offered
}

/// Runs two optimisers with the same migrations, and requires the same results.
fn check_one<R: Precise>(case: &Case, place: Place, what: &str) {
    let start = |place| case.start::<R>(place).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (mut expected, mut found) = (start(Place::REFERENCE), start(place));
    let same = |expected: &mut Optimiser<R>, found: &mut Optimiser<R>, when: &str| {
        let (expected, found) = (expected.state().unwrap(), found.state().unwrap());
        assert_same(&expected, &found, format_args!("{what}: {when}"));
    };
    for (selection, replacement) in [
        (Selection::Best, Replacement::Worst),
        (Selection::Random, Replacement::Random),
        (Selection::Best, Replacement::First),
    ] {
        for count in counts(case.individuals) {
            let migration = Migration { emigrants: count, selection, replacement };
            let immigrants = [0, count as usize, 1, count as usize];
            let departures = expected.depart(&migration, &immigrants).unwrap();
            let theirs = found.depart(&migration, &immigrants).unwrap();
            assert_eq!(departures, theirs, "{what}: {count} of {selection:?}");
            let emigrants: Vec<_> = departures.iter().map(|one| one.emigrants.clone()).collect();
            let places: Vec<_> = departures.into_iter().map(|one| one.places).collect();
            let offered = offered(&emigrants);
            expected.step(case.iterations).unwrap();
            found.step(case.iterations).unwrap();
            expected.immigrate(&offered, &places).unwrap();
            found.immigrate(&offered, &places).unwrap();
            same(&mut expected, &mut found, "when they have come");
        }
    }
}

/// Lets individuals of several runs migrate in all places, and requires the reference's bits, in the precisions of
/// [`by_precision`].
///
/// # Panics
///
/// If a place differs.
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
        let others = others.into_iter().filter(|algorithm| !falls(algorithm));
        let all = others.map(|algorithm| case.clone().with(algorithm));
        let stops = [Stop::default(), Stop::target(60.0), Stop::stagnation(3)];
        let of_pso = stops.into_iter().map(|stop| Case { stop, ..case.clone() });
        let of_others = all.map(|other| Case { stop: Stop::target(60.0), ..other });
        for case in of_pso.chain(of_others) {
            let [single, double] = by_precision(&case, places);
            for place in single {
                check_one::<f32>(&case, place, &format!("{case:?} at {place:?} in f32"));
            }
            for place in double {
                check_one::<f64>(&case, place, &format!("{case:?} at {place:?} in f64"));
            }
        }
    }
}

/// The immigrants of an island instead of its own best ones. They alternate: the same one, one that is not accepted,
/// one that is better than all, and one that is better than most.
fn visitor<R: Precise>(epoch: u64, mut best: Migrants<R>) -> Migrants<R> {
    let value = &mut best.fitness[0].value;
    let shifted = |by: f64| R::from_f64(value.to_f64() + by);
    *value = match epoch % 7 {
        0 | 4 => R::NAN,
        1 => shifted(-0.25),
        3 | 5 => shifted(0.5),
        _ => *value,
    };
    best.positions.reverse();
    best
}

/// Runs epochs in one call, and one by one in the reference.
fn check_epochs_of<R: Precise>(case: &Case, place: Place, (every, epochs): (u64, u64)) {
    let case = &Case { migrates: true, ..case.clone() };
    let what = format!("{case:?} at {place:?} in {}, {epochs} epochs of {every}", R::NAME);
    let start = |place| case.start::<R>(place).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (mut expected, mut found) = (start(Place::REFERENCE), start(place));
    // Use two launches.
    for part in [epochs / 3, epochs - epochs / 3] {
        let mut sent = Vec::new();
        for epoch in 0..part {
            let departure = expected.depart(&Migration::default(), &[1]).unwrap().remove(0);
            sent.push(departure.emigrants.clone());
            expected.step(every).unwrap();
            let visitor = visitor(epoch, departure.emigrants);
            expected.immigrate(&[visitor], &[departure.places]).unwrap();
        }
        let mut seen = Vec::new();
        let done = found.step_epochs(every, part, &mut |one| {
            seen.push(one.clone());
            Ok(visitor(seen.len() as u64 - 1, one))
        });
        assert_eq!(done, Ok(true), "{what}");
        assert_eq!(sent, seen, "{what}: who set out");
        let (expected, found) = (expected.state().unwrap(), found.state().unwrap());
        assert_same(&expected, &found, &what);
    }
}

/// Runs epochs of an island in one call in this place, for swarms of these sizes, and requires the reference's bits in
/// both precisions.
///
/// # Panics
///
/// If the place differs, or if it runs the epochs one by one.
pub fn check_epochs(sizes: &[(&'static str, usize, u64)], place: Place, iterations: u64) {
    for &(problem, dimensions, individuals) in sizes {
        let case = Case::new(problem, dimensions, individuals);
        for every in [1, 3, 10, 70] {
            let epochs = iterations / every;
            check_epochs_of::<f32>(&case, place, (every, epochs));
            check_epochs_of::<f64>(&case, place, (every, epochs));
        }
    }
}
