//! The fireworks algorithm through the library: batches, threads, resuming, and counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Counted, assert_same, bounds, settings};
use warpswarm::problems::{Rastrigin, WeldedBeamCmepso};
use warpswarm::{
    Algorithm, Bounds, FwaParams, Mapping, Optimiser, Precise, Settings, Stop, StopReason, Swarm,
};

fn optimiser<R: Precise>(params: FwaParams, settings: &Settings) -> Optimiser<R> {
    Optimiser::new(&Rastrigin, &bounds(5), &params.into(), settings).unwrap()
}

fn state<R: Precise>(params: FwaParams, settings: &Settings) -> Vec<Swarm<R>> {
    let mut optimiser = optimiser::<R>(params, settings);
    optimiser.step(25).unwrap();
    optimiser.state().unwrap()
}

#[test]
fn a_batch_is_its_runs_one_by_one_on_any_threads() {
    fn check<R: Precise>() {
        for (name, boundary) in Mapping::ALL {
            let params = FwaParams { boundary, amplitude: 1.0, ..FwaParams::default() };
            let batch = Settings { runs: 3, ..settings(6) };
            let all = state::<R>(params, &batch);
            for threads in [2, 3] {
                let spread =
                    state::<R>(params, &Settings { threads: Some(threads), ..batch.clone() });
                assert_same(&all, &spread, &format!("{} {name}, {threads} threads", R::NAME));
            }
            for run in 0..3 {
                let one = state::<R>(params, &Settings { first_run: run, ..settings(6) });
                assert_same(&one, &all[run as usize..][..1], &format!("{name}, run {run}"));
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn constraints_change_nothing_of_that() {
    let bounds = Bounds::new(vec![0.1; 4], vec![2.0, 10.0, 10.0, 2.0]).unwrap();
    let state = |settings: &Settings| {
        let algorithm = Algorithm::from(FwaParams::default());
        let mut optimiser =
            Optimiser::<f64>::new(&WeldedBeamCmepso, &bounds, &algorithm, settings).unwrap();
        optimiser.step(200).unwrap();
        optimiser.state().unwrap()
    };
    let batch = Settings { runs: 2, ..settings(5) };
    let all = state(&batch);
    assert_same(&all, &state(&Settings { threads: Some(2), ..batch }), "threads");
    assert_same(&state(&settings(5)), &all[..1], "alone");
    assert!(all.iter().all(|swarm| swarm.global.fitness.violation == 0.0));
}

#[test]
fn a_split_run_is_the_run() {
    let whole = optimiser::<f32>(FwaParams::default(), &settings(7)).run().unwrap();
    for split in [0, 1, 13, 20] {
        let mut first = optimiser::<f32>(FwaParams::default(), &settings(7));
        first.step(split).unwrap();
        let mut second = optimiser::<f32>(FwaParams::default(), &settings(7));
        second.restore(&first.state().unwrap()).unwrap();
        assert_eq!(second.run().unwrap().runs, whole.runs, "split at {split}");
    }
    let mut torn = optimiser::<f32>(FwaParams::default(), &settings(7)).state().unwrap();
    torn[0].numbers.pop();
    let error = optimiser::<f32>(FwaParams::default(), &settings(7)).restore(&torn).unwrap_err();
    assert_eq!(error.to_string(), "the state has numbers 13; allowed: 14");
}

#[test]
fn the_evaluations_of_a_report_are_those_that_were_made() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let settings = Settings { runs: 3, record_every: Some(5), ..settings(6) };
    let algorithm = FwaParams::default().into();
    let mut optimiser =
        Optimiser::<f32>::new(&Counted(&MADE), &bounds(4), &algorithm, &settings).unwrap();
    let report = optimiser.run().unwrap();
    let counted: u64 = report.runs.iter().map(|run| run.evaluations).sum();
    assert_eq!(counted, MADE.load(Ordering::Relaxed));
    assert!(report.runs.iter().all(|run| run.iterations == 20 && run.evaluations > 20 * 50));
    let history: Vec<_> = report.history.iter().map(|at| at.runs[1].evaluations).collect();
    assert_eq!((history[0], history.len()), (6, 5));
    assert!(history.is_sorted_by(|a, b| a < b) && history[4] == report.runs[1].evaluations);
}

#[test]
fn each_run_ends_before_it_exceeds_its_evaluations() {
    let stop = |limit| Stop::evaluations(limit);
    let batch = Settings { runs: 4, stop: stop(3_000), ..settings(8) };
    let report = optimiser::<f64>(FwaParams::default(), &batch).run().unwrap();
    for run in &report.runs {
        assert_eq!(run.stop_reason, StopReason::Evaluations);
        assert!(run.evaluations <= 3_000 && run.evaluations > 2_920, "{run:?}");
        let one = Settings { first_run: run.run, stop: stop(3_000), ..settings(8) };
        let alone = optimiser::<f64>(FwaParams::default(), &one).run().unwrap();
        assert_eq!(&alone.runs[0], run);
    }
    // A state whose runs have ended at different iterations can be restored, and continues with other limits.
    let mut first = optimiser::<f64>(FwaParams::default(), &batch);
    first.run().unwrap();
    let mut second = optimiser::<f64>(FwaParams::default(), &batch);
    second.restore(&first.state().unwrap()).unwrap();
    assert_same(&first.state().unwrap(), &second.state().unwrap(), "taken back");
    assert_eq!(second.run().unwrap().runs, report.runs);
    let one = |limit| Settings { stop: stop(limit), ..settings(8) };
    let mut first = optimiser::<f64>(FwaParams::default(), &one(1_000));
    first.run().unwrap();
    let mut second = optimiser::<f64>(FwaParams::default(), &one(3_000));
    second.restore(&first.state().unwrap()).unwrap();
    assert_eq!(second.run().unwrap().runs[0], report.runs[0]);
    // Other limits work as usual; a run may consist of the initial individuals only.
    let none = optimiser::<f64>(FwaParams::default(), &one(8)).run().unwrap();
    assert_eq!((none.runs[0].iterations, none.runs[0].evaluations), (0, 8));
    let both = Settings { stop: stop(3_000).or_iterations(4), ..settings(8) };
    let both = optimiser::<f64>(FwaParams::default(), &both).run().unwrap();
    assert_eq!(both.runs[0].stop_reason, StopReason::Iterations);
    let flag = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let interrupted = Settings { stop: stop(3_000).or_interrupt(flag), ..settings(8) };
    let report = optimiser::<f64>(FwaParams::default(), &interrupted).run().unwrap();
    assert_eq!(report.runs[0].stop_reason, StopReason::Interrupted);
}

#[test]
fn the_papers_sizes() {
    let run = |params: FwaParams, individuals| {
        let report = optimiser::<f64>(params, &settings(individuals)).run().unwrap();
        (report.runs[0].evaluations - individuals) as f64 / 20.0
    };
    let five = run(FwaParams::tan_zhu_2010(), 5);
    assert!((55.0..=60.0).contains(&five), "{five}");
    let sixty_four = run(FwaParams::gpu_fwa_paper(), 64);
    assert!((690.0..=730.0).contains(&sixty_four), "{sixty_four}");
}
