//! Shrinking populations: resuming, threads, batches, evaluators, counts, and combinations that are refused.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Counted, assert_same, bounds, settings};
use warpswarm::problems::{Rastrigin, Sphere};
use warpswarm::{
    Algorithm, AskTell, Fitness, HostObjective, Objective, Optimiser, Restart, Settings,
    ShadeParams, Stop, StopReason, Swarm,
};
use warpswarm_core::objective::SlicePoint;

fn lshade(budget: Option<f64>) -> Algorithm {
    ShadeParams { budget, ..ShadeParams::lshade() }.into()
}

fn optimiser(settings: &Settings) -> Optimiser<f64> {
    Optimiser::new(&Rastrigin, &bounds(2), &lshade(Some(900.0)), settings).unwrap()
}

fn state(settings: &Settings, iterations: u64) -> Vec<Swarm<f64>> {
    let mut optimiser = optimiser(settings);
    optimiser.step(iterations).unwrap();
    optimiser.state().unwrap()
}

/// Split at every iteration, with any number of threads; and each run of a batch equals the run on its own.
#[test]
fn a_split_run_is_the_run() {
    let batch = Settings { runs: 2, ..settings(40) };
    let whole = state(&batch, 60);
    assert_eq!(whole[0].individuals(), 4);
    assert_same(&state(&Settings { threads: Some(3), ..batch.clone() }, 60), &whole, "threads");
    let one = state(&Settings { first_run: 1, ..settings(40) }, 60);
    assert_same(&one, &whole[1..], "run 1");
    let mut first = optimiser(&batch);
    for at in 1..60 {
        first.step(1).unwrap();
        let mut second = optimiser(&batch);
        second.restore(&first.state().unwrap()).unwrap();
        second.step(60 - at).unwrap();
        assert_same(&second.state().unwrap(), &whole, &format!("split at {at}"));
    }
    // A state with a different number of individuals than at its iteration.
    let early = state(&settings(40), 1);
    let error = optimiser(&settings(60)).restore(&early).unwrap_err().to_string();
    assert!(error.contains("individuals"), "{error}");
}

#[test]
fn whoever_evaluates_the_bits_are_the_same() {
    let rastrigin = |x: &[f64]| -> Fitness<f64> { Rastrigin.evaluate(&SlicePoint(x)) };
    let whole = state(&settings(40), 50);
    let closure = HostObjective::with_violation(rastrigin);
    let mut by_closure =
        Optimiser::new(&closure, &bounds(2), &lshade(Some(900.0)), &settings(40)).unwrap();
    by_closure.step(50).unwrap();
    assert_same(&by_closure.state().unwrap(), &whole, "a closure");
    let settings = Settings { stop: Stop::iterations(50), ..settings(40) };
    let mut asking = AskTell::<f64>::new(&bounds(2), &lshade(Some(900.0)), &settings).unwrap();
    while let Some(points) = asking.ask().unwrap() {
        let told: Vec<_> = points.iter().map(rastrigin).collect();
        asking.tell(&told).unwrap();
    }
    assert_same(&asking.state().unwrap(), &whole, "ask and tell");
}

/// By default the population shrinks over the evaluations of the run, also over an approximate number of them.
#[test]
fn evaluations_are_those_that_were_made_and_never_exceed_the_limit() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    for limit in [20, 21, 500, 7_001] {
        MADE.store(0, Ordering::Relaxed);
        let settings = Settings { stop: Stop::evaluations(limit), ..settings(20) };
        let mut optimiser =
            Optimiser::<f32>::new(&Counted(&MADE), &bounds(1), &lshade(None), &settings).unwrap();
        let run = optimiser.run().unwrap().runs[0].clone();
        assert_eq!(run.evaluations, MADE.load(Ordering::Relaxed));
        assert_eq!((run.stop_reason, run.evaluations <= limit), (StopReason::Evaluations, true));
        let left = optimiser.state().unwrap()[0].individuals();
        assert!(limit < 500 || left == 4, "{left} of {limit}");
    }
    let of_iterations = Settings { stop: Stop::iterations(200), ..settings(40) };
    let mut optimiser =
        Optimiser::<f64>::new(&Sphere, &bounds(2), &lshade(None), &of_iterations).unwrap();
    let run = optimiser.run().unwrap().runs[0].clone();
    // 200 (40 - 4) / ln(10) are 3,127.
    assert!((2_900..3_300).contains(&run.evaluations), "{}", run.evaluations);
    assert!(optimiser.state().unwrap()[0].individuals() < 6);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = |algorithm: Algorithm, settings: Settings, expected: &str| {
        let error = Optimiser::<f64>::new(&Sphere, &bounds(2), &algorithm, &settings).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with(expected), "{error}");
    };
    let falls = || lshade(Some(900.0));
    let anew = Settings { restart: Restart::Converged, ..settings(40) };
    refused(falls(), anew, "restart is converged; allowed: `never` for a population that shrinks");
    let island = Settings { migrates: true, ..settings(40) };
    refused(falls(), island, "final_individuals is above 0; allowed: 0 between islands");
    let timed = Settings { stop: Stop::seconds(1.0), ..settings(40) };
    refused(lshade(None), timed, "budget is none; allowed: a number of evaluations");
}
