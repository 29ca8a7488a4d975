//! Runs this library or argmin once on the CPU, and prints seconds, evaluations and the best value.
//!
//! `cpu SYSTEM ALGORITHM INDIVIDUALS DIMENSIONS ITERATIONS THREADS`
//!
//! SYSTEM is `f32`, `f64` (this library in that precision) or `argmin`; ALGORITHM is one of this library's names. All
//! minimise Rastrigin's function with default parameters. `cargo xtask bench cpu` runs it together with its peers.

use std::cell::RefCell;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::particleswarm::ParticleSwarm;
use argmin::solver::simulatedannealing::{Anneal, SATempFunc, SimulatedAnnealing};
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;
use warpswarm::{Algorithm, Backend, Bounds, Settings, Stop, algorithms};
use warpswarm_core::problems::Rastrigin;
use warpswarm_core::{Float, Objective};

const RANGE: f64 = 5.12;

/// The run to execute.
struct Load {
    algorithm: Algorithm,
    individuals: u64,
    dimensions: usize,
    iterations: u64,
    threads: usize,
}

/// The cost and the result of a run.
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

fn ours<R: Float>(load: &Load) -> Result<Found>
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

/// Rastrigin's function, and annealing steps like ours, in the form that a user of argmin would write.
struct Function {
    random: RefCell<Xoshiro256PlusPlus>,
}

impl CostFunction for Function {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        let term = |x: &f64| x * x - 10.0 * (std::f64::consts::TAU * x).cos();
        Ok(10.0 * x.len() as f64 + x.iter().map(term).sum::<f64>())
    }
}

impl Anneal for Function {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Float = f64;

    fn anneal(&self, x: &Vec<f64>, _: f64) -> Result<Vec<f64>, Error> {
        let random = &mut *self.random.borrow_mut();
        let step = |x: &f64| x + 0.2 * RANGE * random.sample::<f64, _>(StandardNormal);
        Ok(x.iter().map(step).map(|x| x.clamp(-RANGE, RANGE)).collect())
    }
}

fn argmins(load: &Load) -> Result<Found> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let first = (0..load.dimensions).map(|_| random.random_range(-RANGE..RANGE)).collect();
    let function = Function { random: random.into() };
    let all = load.individuals * load.iterations;
    let start = Instant::now();
    let (evaluations, best) = match load.algorithm {
        Algorithm::Pso(_) => {
            let bounds = (vec![-RANGE; load.dimensions], vec![RANGE; load.dimensions]);
            let solver: ParticleSwarm<_, f64, _> =
                ParticleSwarm::new(bounds, load.individuals as usize);
            let executor = Executor::new(function, solver);
            let state = executor.configure(|state| state.max_iters(load.iterations)).run()?.state;
            (load.individuals * state.get_iter(), state.get_best_cost())
        }
        // One chain with the total length of all our chains.
        Algorithm::Sa(_) => {
            let solver =
                SimulatedAnnealing::new(100.0)?.with_temp_func(SATempFunc::Exponential(0.98));
            let executor = Executor::new(function, solver);
            let state = executor.configure(|state| state.param(first).max_iters(all)).run()?.state;
            (state.get_iter(), state.get_best_cost())
        }
        _ => bail!("argmin has pso and sa of these"),
    };
    Ok(Found { seconds: start.elapsed().as_secs_f64(), evaluations, best })
}
