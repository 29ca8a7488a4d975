//! How close the algorithms come to known optima. `docs/quality.md` has more measurements.

use warpswarm::algorithms;
use warpswarm::problems;
use warpswarm::{Backend, Settings, Stop};

use crate::common::long;

/// The engineering problems, with the best known values.
const KNOWN: [(&str, f64); 8] = [
    ("spring-cmepso", 0.002_820_229_765_17),
    ("welded-beam-cmepso", 1.458_883_194_843),
    ("speed-reducer-cmepso", 2_896.259_284_0),
    ("spring", 0.012_665_232_788),
    ("welded-beam", 1.724_852_308_597),
    ("speed-reducer", 2_994.471_066_1),
    ("pressure-vessel", 5_885.332_773_6),
    ("three-bar-truss", 263.895_843_376_5),
];

/// Whether a problem is one of the first three, those of CMEPSO's paper.
fn is_of_cmepso(problem: &str) -> bool {
    problem.ends_with("cmepso")
}

/// The best feasible value of several runs, relative to the best known value.
fn best(algorithm: &str, problem: &str, known: f64, sizes: (u64, u64, u64)) -> f64 {
    let (runs, individuals, iterations) = sizes;
    let info = problems::find(problem).unwrap();
    let bounds = info.bounds(info.dimensions.least).unwrap();
    let (backend, stop) = (Backend::Cpu, Stop::iterations(iterations));
    let settings =
        Settings { runs, individuals, stop, backend, polish: Some(false), ..Settings::default() };
    let algorithm = algorithms::find(algorithm).unwrap().algorithm();
    let mut optimiser = info.optimiser::<f64>(0.0, &bounds, &algorithm, &settings).unwrap();
    let best = optimiser.run().unwrap().best().clone();
    assert_eq!(best.violation, 0.0, "{problem}");
    best.value / known - 1.0
}

#[test]
fn differential_evolution_sizes_parts() {
    for (problem, known) in KNOWN {
        let above = best("de", problem, known, (2, 100, 2000));
        assert!(above.abs() < 1e-6, "{problem}: {above:e}");
    }
}

#[test]
fn multi_swarms_size_parts() {
    for (problem, known) in KNOWN.into_iter().filter(|(id, _)| long() || is_of_cmepso(id)) {
        let above = best("cmepso", problem, known, (1, 410, 1000));
        let allowed = if is_of_cmepso(problem) { 1e-6 } else { 1e-4 };
        assert!(above.abs() < allowed, "{problem}: {above:e}");
    }
}

#[test]
fn scatter_search_sizes_parts() {
    for (problem, known) in KNOWN.into_iter().filter(|(id, _)| long() || !is_of_cmepso(id)) {
        let above = best("scatter-search", problem, known, (4, 210, 1300));
        assert!(above.abs() < 0.05, "{problem}: {above:e}");
    }
}
