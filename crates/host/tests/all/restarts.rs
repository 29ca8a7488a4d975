//! Runs that restart when they have converged: batches, threads, resuming, evaluators, and counts.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Counted, assert_same, bounds, settings};
use warpswarm::problems::{Rastrigin, Sphere};
use warpswarm::{
    Algorithm, AskTell, Fitness, HostObjective, Objective, Optimiser, Precise, Restart, Settings,
    Stop, StopReason, Swarm, algorithms,
};
use warpswarm_core::objective::SlicePoint;

fn algorithm(id: &str) -> Algorithm {
    algorithms::find(id).unwrap().algorithm()
}

/// The methods whose runs may restart.
const METHODS: [&str; 9] =
    ["pso", "de", "shade", "sa", "solis-wets", "scatter-search", "epso", "gpu-fwa", "cmepso"];

fn anew(individuals: u64) -> Settings {
    Settings { restart: Restart::Converged, ..settings(individuals) }
}

fn optimiser<R: Precise>(id: &str, settings: &Settings) -> Optimiser<R> {
    Optimiser::new(&Rastrigin, &bounds(2), &algorithm(id), settings).unwrap()
}

fn state<R: Precise>(id: &str, settings: &Settings, iterations: u64) -> Vec<Swarm<R>> {
    let mut optimiser = optimiser::<R>(id, settings);
    optimiser.step(iterations).unwrap();
    optimiser.state().unwrap()
}

#[test]
fn a_batch_is_its_runs_one_by_one_on_any_threads() {
    for id in METHODS {
        let batch = Settings { runs: 3, ..anew(30) };
        let all = state::<f32>(id, &batch, 700);
        let spread = state::<f32>(id, &Settings { threads: Some(3), ..batch.clone() }, 700);
        assert_same(&all, &spread, id);
        let converges = !["sa", "scatter-search", "gpu-fwa"].contains(&id);
        assert!(!converges || all.iter().all(|swarm| swarm.restarts() > 0), "{id}");
        for run in 0..3 {
            let one = state::<f32>(id, &Settings { first_run: run, ..anew(30) }, 700);
            assert_same(&one, &all[run as usize..][..1], id);
        }
    }
}

/// Around the iterations at which convergence is checked, and for some methods at all iterations.
#[test]
fn a_split_run_is_the_run() {
    for (id, around) in METHODS.map(|id| (id, 1)).into_iter().chain([("de", 9)]) {
        let mut first = optimiser::<f64>(id, &anew(30));
        let mut splits = Vec::new();
        for at in 1..300 {
            first.step(1).unwrap();
            if 128_u64.abs_diff(at) <= around || 256_u64.abs_diff(at) <= around {
                splits.push((at, first.state().unwrap()));
            }
        }
        let whole = state::<f64>(id, &anew(30), 299);
        assert_same(&first.state().unwrap(), &whole, id);
        for (at, state) in splits {
            let mut second = optimiser::<f64>(id, &anew(30));
            second.restore(&state).unwrap();
            second.step(299 - at).unwrap();
            assert_same(&second.state().unwrap(), &whole, &format!("{id}, split at {at}"));
        }
    }
}

#[test]
fn the_best_of_all_legs_is_kept() {
    let settings = Settings { stop: Stop::iterations(3_000), record_every: Some(50), ..anew(8) };
    let report = optimiser::<f64>("de", &settings).run().unwrap();
    let run = &report.runs[0];
    assert!(run.restarts >= 3, "{}", run.restarts);
    let bests: Vec<f64> = report.history.iter().map(|at| at.runs[0].best.value).collect();
    assert!(bests.is_sorted_by(|a, b| a >= b), "{bests:?}");
    assert_eq!(run.best.value, *bests.last().unwrap());
    let there = Objective::<f64>::evaluate(&Rastrigin, &SlicePoint(&run.best.position));
    assert_eq!(there.value, run.best.value);
    // Until it converges, the run equals one without restarts, which then stays where it is.
    let never = Settings { restart: Restart::Never, ..settings };
    let one = optimiser::<f64>("de", &never).run().unwrap();
    assert_eq!(one.history[2].runs[0].best, report.history[2].runs[0].best);
    assert!(run.best.value <= one.runs[0].best.value && one.runs[0].restarts == 0);
}

#[test]
fn evaluations_are_those_that_were_made_and_never_exceed_the_limit() {
    static MADE: AtomicU64 = AtomicU64::new(0);
    for id in METHODS {
        for limit in [30, 31, 8_000, 15_001] {
            MADE.store(0, Ordering::Relaxed);
            let settings = Settings { stop: Stop::evaluations(limit), ..anew(30) };
            let new =
                || Optimiser::<f32>::new(&Counted(&MADE), &bounds(1), &algorithm(id), &settings);
            let mut optimiser = new().unwrap();
            let run = optimiser.run().unwrap().runs[0].clone();
            assert_eq!(run.evaluations, MADE.load(Ordering::Relaxed), "{id}");
            assert_eq!(
                (run.stop_reason, run.evaluations <= limit),
                (StopReason::Evaluations, true)
            );
            // A restored state has the same count.
            let mut second = new().unwrap();
            second.restore(&optimiser.state().unwrap()).unwrap();
            assert_eq!(second.run().unwrap().runs[0], run, "{id}");
        }
    }
}

#[test]
fn whoever_evaluates_the_bits_are_the_same() {
    let rastrigin = |x: &[f64]| -> Fitness<f64> { Rastrigin.evaluate(&SlicePoint(x)) };
    let settings = Settings { stop: Stop::iterations(300), ..anew(30) };
    for id in METHODS {
        let whole = state::<f64>(id, &settings, 300);
        let closure = HostObjective::with_violation(rastrigin);
        let mut by_closure =
            Optimiser::new(&closure, &bounds(2), &algorithm(id), &settings).unwrap();
        by_closure.step(300).unwrap();
        assert_same(&by_closure.state().unwrap(), &whole, id);
        let mut asking = AskTell::<f64>::new(&bounds(2), &algorithm(id), &settings).unwrap();
        while let Some(points) = asking.ask().unwrap() {
            let told: Vec<_> = points.iter().map(rastrigin).collect();
            asking.tell(&told).unwrap();
        }
        assert_same(&asking.state().unwrap(), &whole, id);
    }
}

/// Settings that do not allow restarts, and states with restarts, are refused.
#[test]
fn mistakes() {
    let refused = |id: &str, settings: Settings, expected: &str| {
        let made = Optimiser::<f64>::new(&Sphere, &bounds(2), &algorithm(id), &settings);
        let error = made.map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), format!("restart is converged; allowed: `never` {expected}"));
        assert!(error.is_input());
    };
    refused("fwa", anew(8), "with algorithm fwa, or another algorithm");
    refused("spso", anew(8), "with algorithm spso, or another algorithm");
    refused(
        "de",
        Settings { migrates: true, ..anew(8) },
        "between islands, or runs that are not islands",
    );
    refused(
        "pso",
        Settings { split: true, ..anew(8) },
        "for a swarm that devices share, or a swarm on one device",
    );
    refused(
        "de",
        Settings { stop: Stop::stagnation(9), ..anew(8) },
        "with a limit of stagnation, or no such limit: a run cannot both restart and stop",
    );
    let later = state::<f64>("de", &anew(8), 1_000);
    assert!(later[0].restarts() > 0);
    let error = optimiser::<f64>("de", &settings(8)).restore(&later).unwrap_err();
    let number = later[0].legs.number + u64::from(later[0].legs.is_new);
    assert_eq!(error.to_string(), format!("the state has restarts {number}; allowed: 0"));
}

#[test]
fn what_begins_anew_by_itself_does_so_in_any_case() {
    for id in ["auto", "cma-es"] {
        let settings = Settings { stop: Stop::iterations(2_000), ..anew(6) };
        let never = Settings { restart: Restart::Never, ..settings.clone() };
        let [anew, never] =
            [settings, never].map(|settings| optimiser::<f64>(id, &settings).run().unwrap().runs);
        assert_eq!(anew, never);
        assert!(anew[0].restarts > 1, "{id}: {}", anew[0].restarts);
    }
}
