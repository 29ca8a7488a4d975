//! The results do not depend on the number of ranks.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::migration::{Replacement, Selection};
use warpswarm::{Backend, Precise, PsoParams, Schedule, Settings};
use warpswarm_islands::{Inhabitants, Islands, Topology};

use super::{assert_same, done, eight, on_ranks, until};

const RANKS: [u32; 3] = [2, 4, 8];

fn check<R: Precise + Serialize + DeserializeOwned>(islands: &Islands, settings: &Settings) {
    let alone = done::<R>(1, islands, settings);
    for ranks in RANKS {
        let what = format!("{ranks} ranks, {islands:?}");
        assert_same(&alone, &done::<R>(ranks, islands, settings), &what);
    }
}

/// Every topology, and all ways to choose emigrants and the individuals that they replace.
fn check_all<R: Precise + Serialize + DeserializeOwned>(algorithms: &[&str]) {
    for &topology in Topology::ALL {
        for (_, selection) in Selection::ALL {
            for (_, replacement) in Replacement::ALL {
                let islands = eight(topology, algorithms);
                // The last epoch is shorter.
                check::<R>(&Islands { selection, replacement, ..islands }, &until(22));
            }
        }
    }
}

#[test]
fn particle_swarms() {
    check_all::<f32>(&["pso"]);
    check_all::<f64>(&["pso"]);
}

#[test]
fn differential_evolution() {
    check_all::<f32>(&["de"]);
    check_all::<f64>(&["de"]);
}

#[test]
fn simulated_annealing() {
    check_all::<f32>(&["sa"]);
    check_all::<f64>(&["sa"]);
}

#[test]
fn scatter_search() {
    check_all::<f32>(&["scatter-search"]);
    check_all::<f64>(&["scatter-search"]);
}

#[test]
fn islands_that_differ() {
    check_all::<f32>(&["pso", "de"]);
    check_all::<f64>(&["pso", "de", "sa"]);
}

#[test]
fn every_other_algorithm() {
    for algorithm in ["spso", "solis-wets", "epso", "gpu-fwa", "fwa"] {
        for topology in [Topology::Ring, Topology::Full] {
            check::<f32>(&eight(topology, &[algorithm]), &until(22));
        }
    }
}

#[test]
fn a_number_of_ranks_that_does_not_divide_the_islands() {
    for &topology in Topology::ALL {
        let islands = Islands { count: 7, ..eight(topology, &["pso"]) };
        let alone = done::<f64>(1, &islands, &until(20));
        for ranks in [3, 5, 6] {
            assert_same(&alone, &done::<f64>(ranks, &islands, &until(20)), "seven islands");
        }
    }
}

#[test]
fn threads_of_a_rank_change_nothing() {
    let islands = eight(Topology::Torus, &["pso"]);
    let alone = done::<f32>(1, &islands, &until(20));
    let settings = Settings { threads: Some(3), ..until(20) };
    assert_same(&alone, &done::<f32>(1, &islands, &settings), "three threads");
    assert_same(&alone, &done::<f32>(2, &islands, &settings), "two ranks of three threads");
}

#[test]
fn the_emulator_has_the_same_bits() {
    for algorithms in [&["pso"][..], &["de", "sa"], &["scatter-search"]] {
        let islands = eight(Topology::Ring, algorithms);
        let cpu = done::<f32>(1, &islands, &until(14));
        let settings = Settings { backend: Backend::Emulator, ..until(14) };
        for ranks in [1, 2] {
            let emulator = done::<f32>(ranks, &islands, &settings);
            assert_same(&cpu, &emulator, &format!("{algorithms:?} on {ranks} ranks"));
        }
    }
}

#[test]
fn records_are_those_of_one_rank() {
    let settings = Settings { record_every: Some(3), record_statistics: true, ..until(22) };
    let islands = eight(Topology::Star, &["pso"]);
    let alone = done::<f64>(1, &islands, &settings).report.history;
    assert_eq!(
        alone.iter().map(|at| at.iterations).collect::<Vec<_>>(),
        [0, 3, 6, 9, 12, 15, 18, 21]
    );
    for ranks in RANKS {
        let history = done::<f64>(ranks, &islands, &settings).report.history;
        assert_eq!(history.len(), alone.len());
        for (there, here) in alone.iter().zip(&history) {
            assert_eq!((there.iterations, &there.runs), (here.iterations, &here.runs));
            assert!(here.runs.iter().all(|run| run.population.is_some()));
        }
    }
}

/// Swarms of several blocks, whose devices do several epochs in one launch: on as many ranks as there are islands, in
/// slices that end at records, with a partial epoch at the end.
#[test]
fn islands_that_go_by_themselves() {
    for (count, topology) in [(2, Topology::Full), (3, Topology::Ring)] {
        let inhabitants =
            vec![Inhabitants { algorithm: PsoParams::default().into(), individuals: 70 }];
        let islands = Islands { count, topology, every: 7, inhabitants, ..Islands::default() };
        for record_every in [None, Some(21), Some(10)] {
            let settings = Settings { record_every, ..until(150) };
            let emulated = Settings {
                backend: Backend::Emulator,
                schedule: Schedule::Resident,
                block_size: Some(32),
                ..settings.clone()
            };
            let alone = done::<f32>(1, &islands, &settings);
            let what = format!("{topology:?}, records every {record_every:?}");
            assert_same(&alone, &done::<f32>(count as u32, &islands, &emulated), &what);
            let goes = on_ranks::<f32, _>(count as u32, &islands, &emulated, |archipelago| {
                archipelago.run().unwrap();
                format!("{archipelago:?}")
            });
            assert!(goes.iter().all(|one| one.contains("by_itself: true")), "{goes:?}");
        }
    }
}
