//! Pictures of the pages: how an algorithm converges, what a problem looks like in two dimensions.

use anyhow::Result;
use warpswarm::algorithms::AlgorithmInfo;
use warpswarm::problems::{self, ProblemInfo};
use warpswarm::{Backend, Settings, Stop};
use warpswarm_pictures::{Along, Better, Group, Plane, Record, convergence};

/// What algorithms are shown on, in how many dimensions.
const SHOWN_ON: [&str; 3] = ["sphere", "rosenbrock", "rastrigin"];
const DIMENSIONS: usize = 10;
const RUNS: u64 = 15;
const EVALUATIONS: u64 = 30_000;
/// As a part of the upper bound: algorithms that find the centre by accident are not to look good.
const SHIFT: f64 = 0.1875;

/// How an algorithm with its default parameters converges.
///
/// # Errors
///
/// Where a run fails.
pub fn converging(info: &AlgorithmInfo) -> Result<String> {
    let individuals = if info.id == "fwa" { 5 } else { 60 };
    let mut groups = Vec::new();
    for id in SHOWN_ON {
        let problem = problems::find(id)?;
        let bounds = problem.bounds(DIMENSIONS)?;
        let settings = Settings {
            individuals,
            runs: RUNS,
            stop: Stop::evaluations(EVALUATIONS),
            backend: Backend::Cpu,
            record_every: Some(if info.id == "fwa" { 1 } else { EVALUATIONS / individuals / 100 }),
            ..Settings::default()
        };
        let shift = SHIFT * bounds.upper()[0];
        let mut optimiser =
            problem.optimiser::<f64>(shift, &bounds, &info.algorithm(), &settings)?;
        let report = optimiser.run()?;
        let records = |run: usize| {
            let record = |at: &warpswarm::Progress<f64>| {
                let progress = &at.runs[run];
                Record {
                    iteration: progress.iterations,
                    evaluations: progress.evaluations,
                    seconds: at.seconds,
                    value: progress.best.value,
                    violation: progress.best.violation,
                }
            };
            report.history.iter().map(record).collect()
        };
        groups.push(Group { name: id.into(), runs: (0..report.runs.len()).map(records).collect() });
    }
    let title = format!("{}, {DIMENSIONS} dimensions, {individuals} individuals, f64", info.id);
    Ok(convergence(&title, &groups, Along::Evaluations, Better::Less).svg()?)
}

/// A problem in two dimensions, with its best known point; none where it has no two.
///
/// # Errors
///
/// Where it cannot be drawn.
pub fn contours(problem: &ProblemInfo) -> Result<Option<String>> {
    let Ok(bounds) = problem.bounds(2) else { return Ok(None) };
    let corner = |bounds: &[f64]| [bounds[0], bounds[1]];
    let value = |point: [f64; 2]| match problem.evaluate(&point) {
        Ok(found) => (found.fitness.value, found.fitness.violation == 0.0),
        Err(_) => (f64::NAN, false),
    };
    let name = |i: usize| match problem.coordinates.get(i) {
        Some(name) => (*name).to_string(),
        None => format!("x{}", i + 1),
    };
    let (lower, upper) = (corner(bounds.lower()), corner(bounds.upper()));
    let plane = Plane::new([0, 1].map(name), lower, upper, value);
    let best = problem.optimum_position(2).map(|x| corner(&x));
    Ok(Some(warpswarm_pictures::contours(problem.id, &plane, best).svg()?))
}
