//! Cooperative evolutionary multi-swarm optimisation, with an island for each swarm.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::problems::{self, Precise};
use warpswarm::{Algorithm, Backend, CmepsoParams, Optimiser, Settings, Stop, Swarm};
use warpswarm_islands::{Alone, Archipelago, Islands, Topology};

use super::{assert_same, assert_states, done, eight, kept, optimiser, until};

const SLAVES: usize = 7;

/// Slaves of five particles.
pub(crate) fn swarms() -> Islands {
    let params = CmepsoParams { slaves: SLAVES as u32, ..CmepsoParams::converging(40) };
    Islands { every: 4, ..Islands::cmepso(params, 6 * SLAVES as u64).unwrap() }
}

fn check<R: Precise + Serialize + DeserializeOwned>() {
    let alone = done::<R>(1, &swarms(), &until(22));
    for ranks in [2, 3, 4, 8] {
        assert_same(&alone, &done(ranks, &swarms(), &until(22)), &format!("{ranks} ranks"));
    }
    let emulated = Settings { backend: Backend::Emulator, ..until(22) };
    for ranks in [1, 4] {
        assert_same(&alone, &done(ranks, &swarms(), &emulated), &format!("emulated on {ranks}"));
    }
}

#[test]
fn ranks_and_the_emulator_have_the_same_bits() {
    check::<f32>();
    check::<f64>();
}

#[test]
fn every_epoch_can_be_gone_on_from() {
    kept::check::<f32>(&swarms());
    kept::check::<f64>(&swarms());
}

#[test]
fn nothing_flows_back() {
    let islands = swarms();
    let slave = islands.of(1);
    let settings =
        Settings { first_run: 1, runs: SLAVES as u64, individuals: slave.individuals, ..until(40) };
    let mut alone = optimiser::<f64>(&slave.algorithm, &settings).unwrap();
    alone.run().unwrap();
    assert_states(&done(3, &islands, &until(40)).states[1..], &alone.state().unwrap(), "slaves");
}

fn point(swarm: &Swarm<f64>, individual: usize) -> &[f64] {
    &swarm.best_positions[individual * swarm.stride..][..swarm.stride]
}

/// At the end of an epoch the master has the slaves' bests of the beginning of the epoch.
#[test]
fn the_master_keeps_the_best_of_each_slave() {
    let after = |epochs: u64| done::<f64>(1, &swarms(), &until(4 * epochs)).states;
    let first = after(0);
    for epochs in 1..=8 {
        let (before, now) = (after(epochs - 1), after(epochs));
        for slave in 0..SLAVES {
            let best = before[slave + 1].global.fitness;
            let placed = first[0].best[slave];
            let (expected, from) = match best.beats(placed) {
                true => (best, before[slave + 1].best_point()),
                false => (placed, point(&first[0], slave)),
            };
            assert_eq!(now[0].best[slave], expected, "epoch {epochs}, slave {slave}");
            assert_eq!(point(&now[0], slave)[..3], from[..3]);
        }
        assert_ne!(now[0].positions, before[0].positions);
    }
}

/// An individual that stores a slave's best is evaluated once, when it is placed.
#[test]
fn evaluations_are_those_that_are_made() {
    let runs = done::<f32>(2, &swarms(), &until(10)).runs;
    let (master, slave) = (14 + 10 * 7 * 6, 5 + 10 * 5 * 6);
    let evaluations: Vec<_> = runs.iter().map(|run| run.evaluations).collect();
    assert_eq!(evaluations, [&[master][..], &[slave; SLAVES]].concat());
    // The master's ninth iteration would exceed the limit; an iteration of the slaves takes more evaluations.
    let settings = Settings {
        stop: Stop { evaluations: Some(14 + 9 * 42 - 1), ..Stop::iterations(40) },
        ..until(40)
    };
    let runs = done::<f32>(2, &swarms(), &settings).runs;
    assert_eq!([0, 1].map(|run| runs[run].iterations), [8, 12]);
}

fn best_of(states: &[Swarm<f64>], island: usize) -> warpswarm::Fitness<f64> {
    states[island].global.fitness
}

/// The welded beam of the paper, at whose optimum constraints are active.
#[test]
fn the_master_is_at_least_as_good_as_its_slaves() {
    let problem = problems::find("welded-beam-cmepso").unwrap();
    let bounds = problem.bounds(4).unwrap();
    let params = CmepsoParams { slaves: 4, ..CmepsoParams::converging(300) };
    let islands = Islands { every: 5, ..Islands::cmepso(params, 84).unwrap() };
    let states = |iterations| {
        let mut make =
            |algorithm: &Algorithm, settings: &Settings| -> warpswarm::Result<Optimiser<f64>> {
                problem.optimiser(0.0, &bounds, algorithm, settings)
            };
        let mut all = Archipelago::new(&Alone, &islands, &until(iterations), &mut make).unwrap();
        all.run().unwrap();
        all.states().unwrap()
    };
    let (before, end) = (states(295), states(300));
    let master = best_of(&end, 0);
    let slaves = (1..=4).map(|slave| best_of(&before, slave));
    for slave in slaves.clone() {
        assert!(!slave.beats(master), "{slave:?} {master:?}");
    }
    assert!(slaves.into_iter().any(|slave| master.beats(slave)), "{master:?}");
    assert!(master.violation == 0.0 && master.value < 1.458_883_194_843 * 1.001, "{master:?}");
}

/// The master topology works with all populations.
#[test]
fn others_have_a_master_too() {
    let islands = Islands { migrants: 1, ..eight(Topology::Master, &["de", "pso"]) };
    let (before, end) =
        (done::<f64>(1, &islands, &until(16)), done::<f64>(4, &islands, &until(20)));
    let master = best_of(&end.states, 0);
    assert!((1..8).all(|island| !best_of(&before.states, island).beats(master)));
}
