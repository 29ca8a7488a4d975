//! Runs of this library: the searches of `warpswarm solve bbob-fN`, with a closure in place of the function that logs
//! the values in the order of evaluation.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;
use warpswarm::{
    Algorithm, Backend, Fitness, HostObjective, Points, Report, Settings, Stop, algorithms, bbob,
};

use super::record::{Kept, Record};
use super::suite::{Case, Log};
use crate::shell;

/// The last commit that changed the library, and whether files differ from it. In the latter case, no stored run
/// belongs to these sources.
pub(super) fn source() -> (String, bool) {
    let git = |words: &[&str]| {
        let output = shell::output(shell::program("git", words).current_dir(shell::root()));
        output.map(|text| text.trim().to_string())
    };
    let commit = git(&["log", "-1", "--format=%h", "--abbrev=12", "--", "crates"]);
    match (commit, git(&["status", "--porcelain", "--", "crates"])) {
        (Ok(commit), Ok(changed)) if !commit.is_empty() && changed.is_empty() => {
            (format!("commit {commit}"), false)
        }
        (Ok(commit), Ok(_)) if !commit.is_empty() => {
            (format!("commit {commit} with changes"), true)
        }
        _ => ("unknown commit".into(), true),
    }
}

/// Runs an algorithm on these problems, `jobs` at a time.
pub(super) fn measure(id: &str, cases: &[Case], jobs: usize, kept: &mut Kept) -> Result<()> {
    let algorithm = algorithms::find(id)?.algorithm();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let kept = Mutex::new(kept);
    let one = |case: &Case| {
        let record = run(&algorithm, *case).with_context(|| format!("{id} on {case:?}"))?;
        kept.lock().unwrap_or_else(PoisonError::into_inner).add(record)
    };
    pool.install(|| cases.par_iter().with_max_len(1).try_for_each(one))
}

fn run(algorithm: &Algorithm, case: Case) -> Result<Record> {
    let (_, log) = logged(algorithm, case, case.budget())?;
    let (evaluations, hits) = log.ended();
    Ok(Record { case, evaluations, hits })
}

/// A run of at most `most` evaluations, and its log.
fn logged(algorithm: &Algorithm, case: Case, most: u64) -> Result<(Report<f64>, Log)> {
    let problem = bbob::problem(case.function, case.instance, case.dimensions)?;
    let log = Arc::new(Mutex::new(Log::new(problem.optimum_value(), most)));
    let (file, noted) = (problem.file().clone(), log.clone());
    // One call for all points of an iteration, in the order of their indices; threads would evaluate them in any order.
    let objective = HostObjective::of_population(move |points: &Points<'_, f64>| {
        let mut log = noted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut evaluate = |x: &[f64]| {
            let value = file.evaluate(x).map_or(f64::NAN, |found| found.fitness.value);
            log.note(value);
            Fitness { violation: 0.0, value }
        };
        points.iter().map(&mut evaluate).collect()
    });
    let target = log.lock().unwrap_or_else(PoisonError::into_inner).end();
    let report = warpswarm::minimise(
        &objective,
        problem.file().bounds(),
        algorithm,
        &settings(most, target),
    )?;
    let log = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok((report, log))
}

/// The default settings of `warpswarm solve`.
fn settings(most: u64, target: f64) -> Settings {
    Settings {
        stop: Stop::evaluations(most).or_target(target),
        backend: Backend::Cpu,
        threads: Some(1),
        polish: Some(false),
        ..Settings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::bbob::searches;

    /// A run with the logging closure has the same bits as a run with the function.
    #[test]
    fn runs_are_those_without_a_log() {
        for search in searches::ALL.iter().filter(|search| search.package.is_none()) {
            let algorithm = algorithms::find(search.id).unwrap().algorithm();
            for (function, dimensions) in [(3, 5), (8, 2), (21, 3)] {
                let case = Case { function, instance: 2, dimensions };
                let (report, log) = logged(&algorithm, case, 3_000).unwrap();
                let problem = bbob::problem(function, 2, dimensions).unwrap();
                let settings = settings(3_000, log.end());
                let plain = problem.file().optimiser::<f64>(&algorithm, &settings);
                let plain = plain.unwrap().run().unwrap();
                assert_eq!(report.runs, plain.runs, "{} on f{function}", search.id);
                let (evaluations, hits) = log.ended();
                let reported = report.runs[0].evaluations;
                let value = report.best().value - problem.optimum_value();
                match hits.len() {
                    super::super::suite::TARGETS => assert!(evaluations <= reported),
                    reached => {
                        assert_eq!(evaluations, reported, "{} on f{function}", search.id);
                        assert!(value > super::super::suite::target(reached) * (1.0 - 1e-6));
                    }
                }
            }
        }
    }
}
