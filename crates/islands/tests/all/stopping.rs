//! All ranks end after the same epoch, and none waits for a rank that has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use warpswarm::{Error, Optimiser, Settings, Stop, StopReason, problems::Rastrigin};
use warpswarm_islands::{Archipelago, Event, Inhabitants, Islands, Topology, agreed, threads};

use super::{assert_same, bounds, done, each_rank, eight, on_ranks, optimiser, until};

#[test]
fn a_target_ends_all_at_the_same_epoch_whatever_the_ranks() {
    for target in [30.0, 5.0, 1.0] {
        let settings = Settings { stop: Stop::target(target).or_iterations(400), ..until(0) };
        let islands = eight(Topology::Ring, &["pso", "de"]);
        let alone = done::<f64>(1, &islands, &settings);
        let last = alone.runs.iter().map(|run| run.iterations).max().unwrap();
        assert!(last.is_multiple_of(islands.every) && last < 400, "{last}");
        assert!(alone.runs.iter().any(|run| run.best.value <= target));
        assert!(alone.runs.iter().all(|run| run.stop_reason == StopReason::Target));
        for ranks in [2, 4, 8] {
            assert_same(&alone, &done(ranks, &islands, &settings), "a target");
        }
    }
}

#[test]
fn an_island_that_stagnates_still_sends() {
    let settings = Settings { stop: Stop::stagnation(6).or_iterations(300), ..until(0) };
    let islands = eight(Topology::Star, &["sa"]);
    let alone = done::<f32>(1, &islands, &settings);
    assert!(alone.runs.iter().all(|run| run.stop_reason == StopReason::Stagnation));
    assert!(alone.runs.windows(2).any(|runs| runs[0].iterations != runs[1].iterations));
    for ranks in [2, 4, 8] {
        assert_same(&alone, &done(ranks, &islands, &settings), "stagnation");
    }
}

#[test]
fn each_island_keeps_to_its_evaluations() {
    let mut islands = eight(Topology::Full, &["pso", "de"]);
    islands.inhabitants[1].individuals = 30;
    let settings = Settings { stop: Stop::evaluations(700), ..until(0) };
    let alone = done::<f64>(1, &islands, &settings);
    let spent = |of: usize| (alone.runs[of].iterations, alone.runs[of].evaluations);
    assert_eq!((spent(0), spent(1)), ((34, 700), (22, 690)));
    assert!(alone.runs.iter().all(|run| run.stop_reason == StopReason::Evaluations));
    for ranks in [2, 4, 8] {
        assert_same(&alone, &done(ranks, &islands, &settings), "evaluations");
    }
    let fireworks = eight(Topology::Ring, &["fwa"]);
    let settings = Settings { stop: Stop::evaluations(900), ..until(0) };
    let alone = done::<f64>(1, &fireworks, &settings);
    assert!(alone.runs.iter().all(|run| run.evaluations <= 900));
    assert_same(&alone, &done(4, &fireworks, &settings), "evaluations of fireworks");
}

#[test]
fn seconds_end_all_ranks_together() {
    let settings = Settings { stop: Stop::seconds(0.05), ..until(0) };
    let islands = eight(Topology::Ring, &["pso"]);
    for ranks in [1, 3] {
        let runs = done::<f32>(ranks, &islands, &settings).runs;
        assert!(runs.iter().all(|run| run.iterations == runs[0].iterations));
        assert!(runs.iter().all(|run| run.stop_reason == StopReason::Seconds));
        assert!(runs[0].iterations > 0 && runs[0].iterations.is_multiple_of(islands.every));
    }
}

#[test]
fn an_interrupt_of_one_rank_ends_all() {
    let islands = eight(Topology::Torus, &["pso"]);
    let all = each_rank(2, |others| {
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop::iterations(u64::MAX >> 8).or_interrupt(Arc::clone(&flag));
        let settings = Settings { stop, ..until(0) };
        let mut own =
            Archipelago::<f32>::new(&others, &islands, &settings, &mut optimiser).unwrap();
        let is_second = own.own().start == 4;
        let report = own.run_observed(&mut |event| {
            if let (true, Event::Progress(progress)) = (is_second, event) {
                flag.store(progress.iterations >= 40, Ordering::Relaxed);
            }
        });
        report.unwrap().runs
    });
    assert_eq!(all[0], all[1]);
    assert!(all[0].iter().all(|run| run.stop_reason == StopReason::Interrupted));
    assert!(all[0].iter().all(|run| run.iterations == all[0][0].iterations));
}

#[test]
fn no_iterations_are_the_best_of_the_first() {
    let islands = eight(Topology::Ring, &["pso"]);
    let runs = done::<f64>(4, &islands, &until(0)).runs;
    assert!(runs.iter().all(|run| (run.iterations, run.evaluations) == (0, 20)));
}

#[test]
fn what_one_rank_cannot_do_none_begins() {
    let islands = eight(Topology::Ring, &["pso"]);
    let all = each_rank(4, |others| {
        let mut make = |algorithm: &_, settings: &Settings| match settings.first_run {
            6 => Err(Error::NoDriver),
            _ => Optimiser::<f64>::new(&Rastrigin, &bounds(), algorithm, settings),
        };
        let made = Archipelago::new(&others, &islands, &until(5), &mut make);
        agreed(&others, "", made).map(|_| ()).unwrap_err().to_string()
    });
    assert!(
        all.iter().all(|message| message.starts_with("rank 3 on this machine: no NVIDIA driver"))
    );
}

#[test]
fn what_islands_cannot_do_is_refused() {
    let refused = |islands: &Islands, settings: &Settings| {
        let made =
            Archipelago::<f32>::new(&warpswarm_islands::Alone, islands, settings, &mut optimiser);
        made.map(|_| ()).unwrap_err().to_string()
    };
    let islands = eight(Topology::Ring, &["pso"]);
    let populations = Settings { populations_every: Some(5), ..until(9) };
    assert_eq!(
        refused(&islands, &populations),
        "populations_every is 5; allowed: none with islands"
    );
    let few = Islands { inhabitants: Inhabitants::all(1), ..islands.clone() };
    assert!(refused(&few, &until(9)).starts_with("migrants is 2; allowed: 1 to 1"));
    let made = on_ranks(1, &islands, &until(1), |own: &mut Archipelago<'_, f32>| own.own());
    assert_eq!(made[0], 0..8);
    let ranks = threads(9);
    let made = Archipelago::<f32>::new(&ranks[8], &islands, &until(9), &mut optimiser);
    let message = made.map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "island_count is 8; allowed: at least one island for each of the 9 ranks");
}
