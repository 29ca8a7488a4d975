//! Resuming from a stored epoch gives the bits of an uninterrupted run, on any number of ranks.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Precise, Settings};
use warpswarm_islands::{
    Archipelago, CheckpointFolder, Checkpointer, Event, Interval, Islands, Topology,
};

use super::{Done, assert_same, done, eight, on_ranks, until};

/// Resumes on `ranks` ranks from the epoch in a folder, if there is one, and stores epochs there.
fn go_on<R: Precise + Serialize + DeserializeOwned>(
    ranks: u32,
    islands: &Islands,
    settings: &Settings,
    folder: &Path,
) -> Done<R> {
    let all = on_ranks(ranks, islands, settings, |own: &mut Archipelago<'_, R>| {
        if folder.exists() {
            let kept = CheckpointFolder::open(folder).unwrap();
            own.resume(kept.checkpoint(own.own()).unwrap()).unwrap();
        }
        own.keep(Checkpointer::new(folder, Interval::Iterations(1), "about".into()));
        let report = own.run_observed(&mut |event| assert!(!matches!(event, Event::NotKept(_))));
        (report.unwrap(), own.states().unwrap())
    });
    let report = all[0].0.clone();
    let states = all.into_iter().flat_map(|(_, states)| states).collect();
    Done { states, runs: report.runs.clone(), report }
}

pub(crate) fn check<R: Precise + Serialize + DeserializeOwned>(islands: &Islands) {
    let end = until(10 * islands.every + 3);
    let straight = done::<R>(1, islands, &end);
    for epoch in 0..=10 {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("kept");
        // Interrupted with one number of ranks, resumed with another.
        let (left, other) = ([1, 2, 4][epoch as usize % 3], [4, 8, 1][epoch as usize % 3]);
        go_on::<R>(left, islands, &until(epoch * islands.every), &folder);
        let resumed = go_on::<R>(other, islands, &end, &folder);
        assert_same(&straight, &resumed, &format!("epoch {epoch}"));
    }
}

#[test]
fn every_epoch_can_be_gone_on_from() {
    check::<f64>(&eight(Topology::Ring, &["pso"]));
    check::<f32>(&eight(Topology::Full, &["de", "sa"]));
    check::<f64>(&eight(Topology::Torus, &["scatter-search"]));
    check::<f32>(&eight(Topology::Star, &["gpu-fwa"]));
}

/// The end of a run is within an epoch, so the stored epoch is the previous one. Resuming with more iterations gives
/// the bits of a run with more iterations from the start.
#[test]
fn a_rest_is_repeated() {
    let islands = eight(Topology::Ring, &["pso"]);
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("kept");
    go_on::<f64>(2, &islands, &until(23), &folder);
    let kept = CheckpointFolder::open(&folder).unwrap().checkpoint::<f64>(0..8).unwrap();
    assert!(kept.states.iter().all(|state| state.control.iterations == 20));
    let straight = done::<f64>(1, &islands, &until(41));
    assert_same(&straight, &go_on(4, &islands, &until(41), &folder), "a rest");
}

#[test]
fn records_go_on() {
    let islands = eight(Topology::Ring, &["pso"]);
    let settings = |iterations| Settings {
        record_every: Some(2),
        records_at_most: Some(6),
        ..until(iterations)
    };
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("kept");
    go_on::<f32>(2, &islands, &settings(16), &folder);
    let history = go_on::<f32>(4, &islands, &settings(32), &folder).report.history;
    let straight = done::<f32>(1, &islands, &settings(32)).report.history;
    let plain = |history: &[warpswarm::Progress<f32>]| {
        history.iter().map(|at| (at.iterations, at.runs.clone())).collect::<Vec<_>>()
    };
    assert_eq!(plain(&history), plain(&straight));
    assert!(history.is_sorted_by_key(|at| at.seconds));
}

/// A checkpoint from within an epoch lacks the migrants in transit.
#[test]
fn the_middle_of_an_epoch_is_no_place_to_go_on_from() {
    let islands = eight(Topology::Ring, &["pso"]);
    let states = done::<f64>(1, &islands, &until(6)).states;
    let all = on_ranks(1, &islands, &until(20), |own: &mut Archipelago<'_, f64>| {
        let checkpoint = own.checkpoint().unwrap();
        own.resume(warpswarm::Checkpoint { states: states.clone(), ..checkpoint }).unwrap();
        own.run().unwrap_err().to_string()
    });
    assert_eq!(
        all,
        ["the state has iterations 6; allowed: a multiple of 4, the iterations of an epoch"]
    );
}

#[test]
fn a_folder_that_cannot_be_written_costs_no_time() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("file");
    std::fs::write(&folder, "no folder").unwrap();
    let islands = eight(Topology::Ring, &["pso"]);
    let errors = on_ranks(2, &islands, &until(u64::MAX >> 8), |own: &mut Archipelago<'_, f64>| {
        own.keep(Checkpointer::new(&folder, Interval::default(), String::new()));
        own.run().unwrap_err().to_string()
    });
    assert!(errors[0].contains("file cannot be written"), "{errors:?}");
    assert_eq!(errors[0], errors[1]);
}
