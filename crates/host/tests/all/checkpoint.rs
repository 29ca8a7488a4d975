//! Checkpoints in files: an interrupted and resumed run has the same bits as an uninterrupted one.
#![cfg(feature = "checkpoint")]

use std::path::Path;

use crate::common::{assert_same, bounds, long, settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::problems::Rastrigin;
use warpswarm::{
    Algorithm, AskTell, Backend, Checkpoint, CheckpointFile, Error, Event, Fitness, Optimiser,
    Precise, Report, Settings, Stop, StopReason, algorithms,
};

const ITERATIONS: u64 = 50;

fn optimiser<R: Precise>(algorithm: &Algorithm, settings: &Settings) -> Optimiser<R> {
    Optimiser::new(&Rastrigin, &bounds(3), algorithm, settings).unwrap()
}

/// The checkpoint after writing and reading a file.
fn through<R: Precise + Serialize + DeserializeOwned>(
    checkpoint: Checkpoint<R>,
    path: &Path,
) -> Checkpoint<R> {
    checkpoint.write("", path).unwrap();
    CheckpointFile::open(path).unwrap().checkpoint().unwrap()
}

/// The records without their times.
fn records<R: Precise>(report: &Report<R>) -> Vec<(u64, Vec<warpswarm::RunProgress<R>>)> {
    report.history.iter().map(|record| (record.iterations, record.runs.clone())).collect()
}

/// Interrupts a run at every iteration, and resumes from each checkpoint.
fn split_everywhere<R: Precise + Serialize + DeserializeOwned>(
    algorithm: &Algorithm,
    (first, second): (&Settings, &Settings),
    at: impl Fn(u64) -> bool,
) {
    let what = algorithm.info().id;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    // Slices of one iteration.
    let slices = Settings { populations_every: Some(1), ..first.clone() };
    let mut straight = optimiser::<R>(algorithm, &slices);
    let mut left = Vec::new();
    let report = straight
        .run_observed(&mut |event, runs| {
            if let Event::Progress(progress) = event {
                left.push((progress.iterations, runs.checkpoint().unwrap()));
            }
        })
        .unwrap();
    assert_eq!(left.len() as u64, ITERATIONS + 1);
    for (iteration, checkpoint) in left.into_iter().filter(|(iteration, _)| at(*iteration)) {
        let mut again = optimiser::<R>(algorithm, second);
        again.resume(through(checkpoint, &path)).unwrap();
        let resumed = again.run().unwrap();
        assert_eq!(resumed.runs, report.runs, "{what} left at {iteration}");
        assert_eq!(records(&resumed), records(&report), "{what} left at {iteration}");
        let (there, here) = (straight.state().unwrap(), again.state().unwrap());
        assert_same(&here, &there, &format!("{what} left at {iteration}"));
    }
}

fn all() -> Settings {
    Settings {
        stop: Stop::iterations(ITERATIONS),
        runs: 2,
        record_every: Some(7),
        record_statistics: true,
        ..settings(30)
    }
}

#[test]
fn every_algorithm_split_at_every_iteration() {
    let settings = all();
    // Each algorithm at every fourth iteration, and each iteration with some of the algorithms.
    for (number, info) in (0..).zip(algorithms::ALL) {
        let at = |iteration: u64| long() || (iteration + number).is_multiple_of(4);
        split_everywhere::<f32>(&info.algorithm(), (&settings, &settings), at);
    }
}

#[test]
fn in_double_precision_too() {
    for info in algorithms::ALL {
        let settings = all();
        split_everywhere::<f64>(&info.algorithm(), (&settings, &settings), |k| k % 10 == 3);
    }
}

#[test]
fn with_records_that_are_thinned() {
    let settings = Settings { record_every: Some(3), records_at_most: Some(5), ..all() };
    split_everywhere::<f64>(&Algorithm::Pso(Default::default()), (&settings, &settings), |_| true);
}

#[test]
fn with_other_threads() {
    let (one, many) = (all(), Settings { threads: Some(3), ..all() });
    for info in algorithms::ALL {
        split_everywhere::<f32>(&info.algorithm(), (&one, &many), |k| k == 23);
    }
}

#[cfg(feature = "emulator")]
#[test]
fn from_one_backend_to_another() {
    use warpswarm::Schedule;
    let cpu = Settings { record_statistics: false, ..all() };
    for info in algorithms::ALL.iter().filter(|info| info.backends.contains(&Backend::Emulator)) {
        let there = Settings { backend: Backend::Emulator, ..cpu.clone() };
        split_everywhere::<f32>(&info.algorithm(), (&cpu, &there), |k| [0, 1, 26, 50].contains(&k));
    }
    let emulator = |schedule| Settings { backend: Backend::Emulator, schedule, ..cpu.clone() };
    let (resident, streaming) = (emulator(Schedule::Resident), emulator(Schedule::Streaming));
    let pso = Algorithm::Pso(Default::default());
    split_everywhere::<f32>(&pso, (&resident, &cpu), |k| [0, 1, 26, 50].contains(&k));
    split_everywhere::<f64>(&pso, (&streaming, &resident), |k| [0, 7, 31, 50].contains(&k));
}

#[test]
fn time_goes_on_from_where_it_was() {
    let stop = Stop::seconds(1e6).or_iterations(10);
    let mut first =
        optimiser::<f32>(&Algorithm::Pso(Default::default()), &Settings { stop, ..all() });
    first.run().unwrap();
    let checkpoint = Checkpoint { seconds: 2e6, ..first.checkpoint().unwrap() };
    let stop = Stop::seconds(1e6);
    let mut again =
        optimiser::<f32>(&Algorithm::Pso(Default::default()), &Settings { stop, ..all() });
    again.resume(checkpoint).unwrap();
    let report = again.run().unwrap();
    assert_eq!((report.runs[0].iterations, report.runs[0].stop_reason), (10, StopReason::Seconds));
    assert_eq!(report.seconds, 2e6);
}

#[test]
fn records_that_would_not_be_made_are_dropped() {
    let mut first = optimiser::<f32>(&Algorithm::Pso(Default::default()), &all());
    let report = first.run().unwrap();
    let checkpoint = Checkpoint { history: report.history, ..first.checkpoint().unwrap() };
    let other = Settings { record_every: Some(14), ..all() };
    let mut again = optimiser::<f32>(&Algorithm::Pso(Default::default()), &other);
    again.resume(checkpoint.clone()).unwrap();
    let recorded: Vec<u64> =
        again.run().unwrap().history.iter().map(|record| record.iterations).collect();
    assert_eq!(recorded, [0, 14, 28, 42]);

    let mut wrong = checkpoint;
    wrong.history[1].runs.pop();
    let error = again.resume(wrong).unwrap_err();
    assert!(matches!(error, Error::State { what: "runs of a record", .. }), "{error}");
}

#[test]
fn a_search_that_is_told_goes_on_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let settings = Settings { backend: Backend::Cpu, ..all() };
    let search =
        || AskTell::<f64>::new(&bounds(3), &Algorithm::Pso(Default::default()), &settings).unwrap();
    let evaluate = |x: &[f64]| Fitness { violation: 0.0, value: x.iter().map(|x| x * x).sum() };
    let step = |search: &mut AskTell<f64>| {
        let Some(points) = search.ask().unwrap() else { return false };
        let fitness: Vec<_> = points.iter().map(evaluate).collect();
        search.tell(&fitness).unwrap();
        true
    };
    let mut first = search();
    assert_eq!(first.checkpoint().unwrap_err(), Error::NotPlaced);
    for _ in 0..20 {
        step(&mut first);
    }
    let checkpoint = through(first.checkpoint().unwrap(), &path);
    let mut second = search();
    second.resume(checkpoint).unwrap();
    while step(&mut first) {}
    while step(&mut second) {}
    assert_eq!(first.report().unwrap().runs, second.report().unwrap().runs);
}
