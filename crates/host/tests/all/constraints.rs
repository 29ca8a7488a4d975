//! Constraints that leave little room: a violation level that falls to zero.

use crate::common::bounds;
use warpswarm::{
    Algorithm, AskTell, Constraints, Fitness, HostObjective, Optimiser, PsoParams, Settings, Stop,
    StopReason, algorithms, minimise,
};

/// The shortest way from 0 to a circle around (3, 4) of radius 1: 4, at (2.4, 3.2).
fn circle(x: &[f64]) -> Fitness<f64> {
    let off = ((x[0] - 3.0).hypot(x[1] - 4.0) - 1.0).abs();
    Fitness { value: x[0].hypot(x[1]), violation: (off - 1e-6).max(0.0) }
}

fn settings(iterations: u64) -> Settings {
    Settings {
        individuals: 40,
        runs: 3,
        constraints: Constraints::Epsilon,
        stop: Stop::iterations(iterations),
        polish: Some(false),
        ..Settings::default()
    }
}

fn optimiser(settings: &Settings, algorithm: &Algorithm) -> Optimiser<f64> {
    let objective = HostObjective::with_violation(circle);
    Optimiser::new(&objective, &bounds(2), algorithm, settings).unwrap()
}

/// The right answer, in a case in which the feasibility-first rule stays where it first met the circle.
#[test]
fn a_thin_region_is_searched() {
    for info in [algorithms::find("pso"), algorithms::find("de"), algorithms::find("cmepso")] {
        let algorithm = info.unwrap().algorithm();
        let found = |constraints| {
            let settings = Settings { constraints, individuals: 100, ..settings(1000) };
            let report = optimiser(&settings, &algorithm).run().unwrap();
            report.runs.iter().map(|run| run.best.clone()).collect::<Vec<_>>()
        };
        for best in found(Constraints::Epsilon) {
            assert_eq!(best.violation, 0.0);
            assert!((best.value - 4.0).abs() < 5e-3, "{best:?}");
        }
        let stays = |best: &warpswarm::Best<f64>| best.value > 4.01;
        assert!(found(Constraints::FeasibleFirst).iter().any(stays));
    }
}

/// A population that converges to (0.5, 0.5) within the level follows to (0.75, 0.25) when the level falls.
#[test]
fn a_population_follows_into_the_feasible_region() {
    let edge = HostObjective::with_violation(|x: &[f64]| Fitness {
        value: (x[0] - 0.5).powi(2) + (x[1] - 0.5).powi(2),
        violation: (0.75 - x[0]).max(0.0) + ((x[0] + x[1] - 1.0).abs() - 1e-6).max(0.0),
    });
    let bounds = warpswarm::Bounds::uniform(2, -1.0, 1.0).unwrap();
    for id in ["de", "shade", "pso"] {
        let algorithm = algorithms::find(id).unwrap().algorithm();
        let settings = Settings { individuals: 64, ..settings(400) };
        for run in minimise(&edge, &bounds, &algorithm, &settings).unwrap().runs {
            assert_eq!(run.best.violation, 0.0, "{id}");
            assert!((run.best.value - 0.125).abs() < 1e-3, "{id}: {:?}", run.best);
        }
    }
}

/// The last of eight individuals is strict, and the others are not.
#[test]
fn one_of_eight_is_judged_strictly() {
    for id in ["de", "shade", "pso", "epso", "sa", "gpu-fwa"] {
        let algorithm = algorithms::find(id).unwrap().algorithm();
        let mut optimiser = optimiser(&settings(1000), &algorithm);
        // Before the level falls for the first time, and directly after that.
        for (iterations, falls) in [(6, false), (1, true)] {
            optimiser.step(iterations).unwrap();
            for run in optimiser.state().unwrap() {
                let passes = |strict: bool| {
                    let of = run.best.iter().enumerate().filter(|(i, _)| (i % 8 == 7) == strict);
                    of.filter(|(_, fitness)| fitness.violation < 0.0).count()
                };
                assert_eq!(passes(true), 0, "{id}: {:?}", run.best);
                assert!(falls || passes(false) > 0, "{id}: {:?}", run.best);
            }
        }
    }
}

/// The level is part of a state, also in ask-and-tell runs.
#[test]
fn a_level_goes_on_from_a_state() {
    for (number, info) in algorithms::ALL.iter().enumerate() {
        let algorithm = info.algorithm();
        let settings = settings(90);
        let mut straight = optimiser(&settings, &algorithm);
        straight.step(60).unwrap();
        let before = [1, 17, 59][number % 3];
        let mut first = optimiser(&settings, &algorithm);
        first.step(before).unwrap();
        let mut second = optimiser(&settings, &algorithm);
        second.restore(&first.state().unwrap()).unwrap();
        second.step(60 - before).unwrap();
        assert_eq!(second.state().unwrap(), straight.state().unwrap(), "{}", info.id);
        let mut asked = AskTell::<f64>::new(&bounds(2), &algorithm, &settings).unwrap();
        while let Some(points) = asked.ask().unwrap() {
            let told: Vec<_> = points.iter().map(circle).collect();
            asked.tell(&told).unwrap();
        }
        straight.run().unwrap();
        assert_eq!(asked.state().unwrap(), straight.state().unwrap(), "{}", info.id);
    }
}

/// If all runs have stopped, their remaining iterations take no time.
#[test]
fn runs_that_have_stopped_take_no_time() {
    // Values decrease towards the ring, so that it is reached while there is still a level.
    let ring = HostObjective::with_violation(|x: &[f64]| {
        let off = (circle(x).violation - 0.2).max(0.0);
        Fitness { value: off, violation: off }
    });
    let settings = Settings { stop: Stop::iterations(1000).or_target(0.0), ..settings(1000) };
    let algorithm = Algorithm::Pso(Default::default());
    let mut optimiser = Optimiser::<f64>::new(&ring, &bounds(2), &algorithm, &settings).unwrap();
    while optimiser.status().unwrap().goes_on {
        optimiser.step(1).unwrap();
    }
    let state = optimiser.state().unwrap();
    assert!(state.iter().all(|run| run.control.iterations < 100));
    optimiser.step(1 << 50).unwrap();
    assert_eq!(optimiser.state().unwrap(), state);
}

/// Intermediate results have their true violation, and at the end every violation counts.
#[test]
fn results_have_their_true_violation() {
    let mut optimiser = optimiser(&settings(1000), &PsoParams::default().into());
    optimiser.step(20).unwrap();
    let progress = optimiser.progress().unwrap();
    let report = optimiser.report(StopReason::Interrupted).unwrap();
    for (at, run) in progress.runs.iter().zip(&report.runs) {
        assert!(at.best.violation > 0.0, "{at:?}");
        let again = circle(&run.best.position);
        assert_eq!((run.best.value, run.best.violation), (again.value, again.violation));
        // The level was then above the remaining violation.
        assert!(run.best.violation < at.best.violation);
    }
    // The report does not change the runs.
    assert_eq!(optimiser.progress().unwrap(), progress);
}

/// If a fifth of the first individuals are feasible, there is no level.
#[test]
fn where_there_is_room_it_is_feasibility_first() {
    let room = |x: &[f64]| Fitness {
        value: (x[0] - 3.0).powi(2) + x[1] * x[1],
        violation: (x[0] + x[1] - 1.0).max(0.0),
    };
    let run = |constraints| {
        let settings = Settings { constraints, ..settings(50) };
        let objective = HostObjective::with_violation(room);
        minimise(&objective, &bounds(2), &Algorithm::Pso(Default::default()), &settings)
            .unwrap()
            .runs
    };
    assert_eq!(run(Constraints::Epsilon), run(Constraints::FeasibleFirst));
}
