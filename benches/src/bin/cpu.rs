//! One run on the CPU, of this library or of argmin: prints seconds, evaluations and the best value.
//!
//! `cpu SYSTEM ALGORITHM INDIVIDUALS DIMENSIONS ITERATIONS THREADS`
//!
//! SYSTEM is `f32`, `f64` (this library in that precision) or `argmin`, ALGORITHM one of this library's names. All
//! minimise Rastrigin's function with default parameters. `cargo xtask bench cpu` runs it beside its peers.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::particleswarm::ParticleSwarm;
use warpswarm::{Algorithm, Backend, Bounds, Settings, Stop, algorithms};
use warpswarm_core::problems::Rastrigin;
use warpswarm_core::{Objective, Real};

const RANGE: f64 = 5.12;

/// What is run.
struct Load {
    algorithm: Algorithm,
    individuals: u64,
    dimensions: usize,
    iterations: u64,
    threads: usize,
}

/// What it took, and what it found.
struct Found {
    seconds: f64,
    evaluations: u64,
    best: f64,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [system, name, sizes @ ..] = &arguments[..] else {
        bail!("SYSTEM ALGORITHM INDIVIDUALS DIMENSIONS ITERATIONS THREADS expected");
    };
    let sizes: Vec<u64> = sizes.iter().map(|size| size.parse()).collect::<Result<_, _>>()?;
    let [individuals, dimensions, iterations, threads] = sizes[..] else {
        bail!("four sizes expected, found {}", sizes.len());
    };
    let info = algorithms::ALL.iter().find(|info| info.id == name);
    let algorithm = info.with_context(|| format!("no algorithm {name}"))?.algorithm();
    let (dimensions, threads) = (dimensions as usize, threads as usize);
    let load = Load { algorithm, individuals, dimensions, iterations, threads };
    let Found { seconds, evaluations, best } = match &system[..] {
        "f32" => ours::<f32>(&load)?,
        "f64" => ours::<f64>(&load)?,
        "argmin" => argmins(&load)?,
        _ => bail!("system {system}: f32, f64 or argmin expected"),
    };
    println!("{seconds:.9} {evaluations} {best:.9e}");
    Ok(())
}

fn ours<R: Real>(load: &Load) -> Result<Found>
where
    Rastrigin: Objective<R>,
{
    let bounds = Bounds::new(vec![-RANGE; load.dimensions], vec![RANGE; load.dimensions])?;
    let settings = Settings {
        individuals: load.individuals,
        stop: Stop::iterations(load.iterations),
        backend: Backend::Cpu,
        threads: Some(load.threads),
        ..Settings::default()
    };
    let report = warpswarm::minimise::<R, _>(&Rastrigin, &bounds, &load.algorithm, &settings)?;
    let run = &report.runs[0];
    Ok(Found {
        seconds: report.seconds,
        evaluations: run.evaluations,
        best: run.best.value.to_f64(),
    })
}

/// Rastrigin's function as a user of argmin writes it.
struct Function;

impl CostFunction for Function {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let term = |x: &f64| x * x - 10.0 * (std::f64::consts::TAU * x).cos();
        Ok(10.0 * x.len() as f64 + x.iter().map(term).sum::<f64>())
    }
}

fn argmins(load: &Load) -> Result<Found> {
    ensure!(matches!(load.algorithm, Algorithm::Pso(_)), "argmin has PSO alone");
    let bounds = (vec![-RANGE; load.dimensions], vec![RANGE; load.dimensions]);
    let solver: ParticleSwarm<_, f64, _> = ParticleSwarm::new(bounds, load.individuals as usize);
    let executor =
        Executor::new(Function, solver).configure(|state| state.max_iters(load.iterations));
    let start = Instant::now();
    let result = executor.run()?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluations = load.individuals * result.state.get_iter();
    Ok(Found { seconds, evaluations, best: result.state.get_best_cost() })
}
