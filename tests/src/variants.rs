//! The variants of the algorithms that tests compare.

use warpswarm::Algorithm;
use warpswarm::algorithms::cmepso::Part;
use warpswarm::algorithms::shade::Rebound;
use warpswarm::{
    CmepsoParams, DeParams, EpsoParams, GpuFwaParams, PsoParams, SaParams, ScatterSearchParams,
    ShadeParams, SolisWetsParams,
};
use warpswarm_core::boundary::Boundary;
use warpswarm_core::de::{Base, Crossover};
use warpswarm_core::pso_topology::Topology;
use warpswarm_core::scatter_search::Update;

/// All variants of the algorithms that are methods, for this number of individuals (at least 4). With the environment
/// variable `WARPSWARM_METHOD=de`, only those of that algorithm.
pub fn methods(individuals: u64) -> Vec<Algorithm> {
    let mut all = every_method(individuals);
    if let Ok(id) = std::env::var("WARPSWARM_METHOD") {
        all.retain(|algorithm| algorithm.info().id == id);
        assert!(!all.is_empty(), "WARPSWARM_METHOD is {id}");
    }
    all
}

fn every_method(individuals: u64) -> Vec<Algorithm> {
    let mut all = Vec::new();
    let pso = PsoParams { inertia_iterations: 7, ..PsoParams::default() };
    all.push(pso.into());
    for neighbours in [2, 4].into_iter().filter(|&n| u64::from(n) < individuals) {
        let params = PsoParams { neighbours, ..PsoParams::bratton_kennedy_2007() };
        all.push(params.into());
    }
    if individuals.is_multiple_of(3) && individuals >= 9 {
        let topology = Topology::VonNeumann;
        all.push(PsoParams { topology, columns: 3, ..PsoParams::default() }.into());
    }
    // Test each base and each crossover once, because they are independent.
    for (base, crossover) in [
        (Base::Rand, Crossover::Binomial),
        (Base::Best, Crossover::Exponential),
        (Base::TargetToBest, Crossover::Binomial),
    ] {
        all.push(DeParams { base, crossover, ..DeParams::default() }.into());
    }
    all.push(ShadeParams::default().into());
    let short = ShadeParams { memory: 1, tournament: 2, ..ShadeParams::default() };
    all.push(ShadeParams { boundary: Rebound::Mode(Boundary::Reflect), ..short }.into());
    all.push(ShadeParams { archive: 0.0, memory: 3, ..ShadeParams::default() }.into());
    let falls = ShadeParams { budget: Some(5.0 * individuals as f64), ..ShadeParams::lshade() };
    all.push(falls.into());
    all.push(SaParams::default().into());
    all.push(SaParams::libcudaoptimize().into());
    all.push(SolisWetsParams::default().into());
    all.push(SolisWetsParams { step: 0.2, failures: 1, ..SolisWetsParams::default() }.into());
    all.push(
        SolisWetsParams { successes: 2, failures: 1, ..SolisWetsParams::libcudaoptimize() }.into(),
    );
    for (_, update) in Update::ALL {
        let sets = ScatterSearchParams { best_set: 1, diverse_set: 1, ..Default::default() };
        all.push(ScatterSearchParams { improvement: 2, update, ..sets }.into());
    }
    all.push(EpsoParams { replicas: 2, ..EpsoParams::cmepso_paper(7) }.into());
    all.push(GpuFwaParams { sparks: 3, explosions: 2, ..GpuFwaParams::paper() }.into());
    let slaves = (1..=individuals as u32 / 2).rev().find(|&n| individuals.is_multiple_of(n.into()));
    for slaves in [1, slaves.expect("one slave at least")] {
        let params = CmepsoParams { slaves, ..CmepsoParams::paper(7) };
        all.push(params.into());
        all.push(CmepsoParams { part: Part::Slave, ..params }.into());
        if u64::from(slaves) * 2 == individuals {
            all.push(CmepsoParams { part: Part::Master, ..params }.into());
        }
    }
    all
}
