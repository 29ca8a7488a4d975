//! Islands on one rank and on many, which are threads, give the same bits.

#![allow(missing_docs)]

mod equal;
mod kept;
mod master;
mod order;
mod split;
mod stopping;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::problems::Rastrigin;
use warpswarm::{
    Algorithm, Bounds, Communicator, Optimiser, Precise, Report, Result, RunReport, Settings, Stop,
    Swarm, algorithms, difference,
};
use warpswarm_islands::{Archipelago, Inhabitants, Islands, Threads, Topology, threads};

/// The results of all ranks.
struct Done<R> {
    /// `[island]`
    states: Vec<Swarm<R>>,
    runs: Vec<RunReport<R>>,
    report: Report<R>,
}

fn optimiser<R: Precise>(algorithm: &Algorithm, settings: &Settings) -> Result<Optimiser<R>> {
    Optimiser::new(&Rastrigin, &bounds(), algorithm, settings)
}

fn bounds() -> Bounds {
    // The optimum is off the centre.
    Bounds::uniform(3, -4.0, 5.5).unwrap()
}

/// Calls `with` with the islands of each of `ranks` ranks, and returns the results, `[rank]`.
fn on_ranks<R, T>(
    ranks: u32,
    islands: &Islands,
    settings: &Settings,
    with: impl Fn(&mut Archipelago<'_, R>) -> T + Sync,
) -> Vec<T>
where
    R: Precise + Serialize + DeserializeOwned,
    T: Send,
{
    each_rank(ranks, |others| {
        let made = Archipelago::new(&others, islands, settings, &mut optimiser::<R>);
        with(&mut made.unwrap())
    })
}

/// The results of a function on each of `ranks` ranks, `[rank]`.
fn each_rank<T: Send>(ranks: u32, rank: impl Fn(Threads) -> T + Sync) -> Vec<T> {
    let rank = &rank;
    std::thread::scope(|scope| {
        let spawn = |others| scope.spawn(move || rank(others));
        let all: Vec<_> = threads(ranks).into_iter().map(spawn).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// Runs islands to their end on `ranks` ranks.
fn done<R>(ranks: u32, islands: &Islands, settings: &Settings) -> Done<R>
where
    R: Precise + Serialize + DeserializeOwned,
{
    let all = on_ranks(ranks, islands, settings, |archipelago: &mut Archipelago<'_, R>| {
        let report = archipelago.run().unwrap();
        (report, archipelago.states().unwrap())
    });
    let report = all[0].0.clone();
    assert!(all.iter().all(|(other, _)| other.runs == report.runs), "ranks say different things");
    let states = all.into_iter().flat_map(|(_, states)| states).collect();
    Done { states, runs: report.runs.clone(), report }
}

/// Panics with the first difference unless the bits are equal.
fn assert_same<R: Precise>(a: &Done<R>, b: &Done<R>, what: &str) {
    assert_states(&a.states, &b.states, what);
    assert_eq!(a.runs, b.runs, "{what}");
}

fn assert_states<R: Precise>(a: &[Swarm<R>], b: &[Swarm<R>], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (island, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(difference(a, b), None, "{what}, island {island}");
    }
}

/// Eight islands with 20 individuals each, or with the smallest allowed number.
fn eight(topology: Topology, algorithms: &[&str]) -> Islands {
    let one = |id: &&str| Inhabitants {
        algorithm: algorithms::find(id).unwrap().algorithm(),
        individuals: if *id == "scatter-search" { 30 } else { 20 },
    };
    let inhabitants = algorithms.iter().map(one).collect();
    Islands { count: 8, topology, every: 4, migrants: 2, inhabitants, ..Islands::default() }
}

fn until(iterations: u64) -> Settings {
    Settings {
        seed: 11,
        stop: Stop::iterations(iterations),
        threads: Some(1),
        polish: Some(false),
        ..Settings::default()
    }
}

#[test]
fn ranks_are_numbered() {
    let islands = eight(Topology::Ring, &["pso"]);
    let own = on_ranks(3, &islands, &until(1), |archipelago: &mut Archipelago<'_, f32>| {
        archipelago.own()
    });
    assert_eq!(own, [0..2, 2..5, 5..8]);
    assert_eq!(threads(3).iter().map(Communicator::rank).collect::<Vec<_>>(), [0, 1, 2]);
}
