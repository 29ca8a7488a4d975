//! An epoch, implemented again without ranks: one optimiser for each island, and migrants moved by the test.

use warpswarm::migration::{self, Migrants, Migration};
use warpswarm::{Optimiser, Settings, Swarm};
use warpswarm_islands::{Islands, Topology};

use super::{assert_states, done, eight, master, optimiser, until};

fn states(optimisers: &mut [Optimiser<f64>]) -> Vec<Swarm<f64>> {
    let state = |optimiser: &mut Optimiser<f64>| optimiser.state().unwrap().remove(0);
    optimisers.iter_mut().map(state).collect()
}

/// Ten epochs: emigrants of the end of one arrive at the end of the next, before others leave.
fn by_hand(islands: &Islands, settings: &Settings) -> Vec<Swarm<f64>> {
    let count = islands.count as u32;
    let island = |island: u32| {
        let inhabitants = islands.of(island);
        let individuals = inhabitants.individuals;
        let settings = Settings { individuals, first_run: island.into(), ..settings.clone() };
        optimiser(&inhabitants.algorithm, &settings).unwrap()
    };
    let mut all: Vec<Optimiser<f64>> = (0..count).map(island).collect();
    for epoch in 1..=10 {
        let Islands { migrants, selection, replacement, .. } = *islands;
        let migration = Migration { emigrants: migrants, selection, replacement };
        // More places than needed: the first ones are the same.
        let leaving: Vec<_> = states(&mut all)
            .iter()
            .map(|state| migration::departure(state, &migration, state.best.len()))
            .collect();
        all.iter_mut().for_each(|optimiser| optimiser.step(islands.every).unwrap());
        for (island, mut state) in (0..count).zip(states(&mut all)) {
            let sources = islands.topology.sources(count, island).into_iter();
            let coming =
                Migrants::joined(sources.map(|source| leaving[source as usize].emigrants.clone()));
            let places = &leaving[island as usize].places;
            migration::immigrate(&mut state, &coming, places, epoch * islands.every);
            all[island as usize].restore(&[state]).unwrap();
        }
    }
    states(&mut all)
}

#[test]
fn epochs_are_as_they_are_by_hand() {
    for &topology in Topology::ALL {
        for algorithms in [&["pso"][..], &["de"], &["sa", "epso"]] {
            let islands = eight(topology, algorithms);
            let settings = until(10 * islands.every);
            let there = by_hand(&islands, &settings);
            assert_states(&there, &done::<f64>(2, &islands, &settings).states, topology.name());
        }
    }
}

#[test]
fn a_master_and_its_slaves_are_as_they_are_by_hand() {
    let islands = master::swarms();
    let settings = until(10 * islands.every);
    let there = by_hand(&islands, &settings);
    assert_states(&there, &done::<f64>(2, &islands, &settings).states, "cmepso");
}

#[test]
fn islands_to_which_nobody_comes_are_the_runs_of_a_batch() {
    let islands = Islands { every: 100, ..eight(Topology::Full, &["pso"]) };
    let settings = Settings { individuals: 20, runs: 8, ..until(99) };
    let mut batch = optimiser::<f64>(&islands.of(0).algorithm, &settings).unwrap();
    let report = batch.run().unwrap();
    let islands = done::<f64>(3, &islands, &settings);
    assert_states(&batch.state().unwrap(), &islands.states, "a batch");
    assert_eq!(report.runs, islands.runs);
}

#[test]
fn those_that_come_change_what_comes_of_it() {
    let with =
        |every| done::<f64>(1, &Islands { every, ..eight(Topology::Full, &["pso"]) }, &until(40));
    let (often, never) = (with(4), with(41));
    assert!(often.states.iter().zip(&never.states).any(|(a, b)| a.best != b.best));
    // The best migrates around the ring: in the end all islands have it, or something better.
    let values = |runs: &[warpswarm::RunReport<f64>]| {
        runs.iter().map(|run| run.best.value).fold(f64::NEG_INFINITY, f64::max)
    };
    assert!(values(&often.runs) < values(&never.runs));
}

#[test]
fn the_best_of_an_island_never_worsens() {
    let islands = eight(Topology::Torus, &["de", "sa"]);
    let settings = Settings { record_every: Some(1), ..until(60) };
    let history = done::<f64>(1, &islands, &settings).report.history;
    for island in 0..8 {
        let values = history.iter().map(|record| record.runs[island].best.value);
        assert!(values.is_sorted_by(|earlier, later| earlier >= later), "island {island}");
    }
}
