//! Checks whether `auto` chooses the fastest schedule, and the faster of CPU and GPU, for a grid of sizes. Prints CSV.
//! Lines that begin with `#` state how often it does, and for which sizes it does not.

use std::io::Write;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use warpswarm::{Algorithm, Backend, DeParams, Plan, PsoParams, Schedule, Stop};

use crate::cases::{Case, case};

/// A choice counts as the fastest if it takes at most this many times longer than the fastest.
const ENOUGH: f64 = 1.05;
const ALGORITHMS: [&str; 2] = ["pso", "de"];
const SCHEDULES: [Schedule; 3] = [Schedule::Resident, Schedule::Streaming, Schedule::Stepwise];
/// The largest number of bytes of positions, velocities and personal bests.
const MOST_BYTES: u64 = 1 << 31;
/// The usual number of iterations, which is reduced if they would take too long. The rough estimate of an iteration is
/// a constant plus a time per coordinate. The first iterations are different, because many particles improve.
const ITERATIONS: u64 = 1000;
const MEASURED: f64 = 0.1;
const GUESS: (f64, f64) = (2e-6, 10e-12);
/// A schedule that takes this many times longer than another is measured only once.
const HOPELESS: f64 = 2.0;

/// Whole solves are stopped after this many seconds of iterations.
const PATIENCE: f64 = 2.0;
/// The largest number of coordinate moves in a solve, which limits the iterations of large swarms.
const MOST_MOVED: f64 = 5e11;

/// The case for an algorithm, by its name, and a size.
fn sized(
    name: &'static str,
    (individuals, dimensions, runs): (u64, usize, u64),
    iterations: u64,
) -> Result<Case> {
    let algorithm: Algorithm = match name {
        "pso" => PsoParams::default().into(),
        "de" => DeParams::default().into(),
        _ => bail!("{name}: allowed are {}", ALGORITHMS.join(", ")),
    };
    let bounds = Some((-5.12, 0.9 * 5.12));
    let swarm = case(name, "rastrigin", individuals, dimensions, iterations);
    Ok(Case { runs, bounds, algorithm, ..swarm })
}

/// All combinations that fit into memory.
fn grid(
    individuals: &[u64],
    dimensions: &[usize],
    runs: &[u64],
) -> impl Iterator<Item = (u64, usize, u64)> {
    let sizes = individuals.iter().flat_map(move |&individuals| {
        dimensions.iter().flat_map(move |&dimensions| {
            runs.iter().map(move |&runs| (individuals, dimensions, runs))
        })
    });
    sizes.filter(|&(individuals, dimensions, runs)| {
        12 * individuals * dimensions as u64 * runs <= MOST_BYTES
    })
}

/// The points of a grid whose choice is slower than [`ENOUGH`] times the best.
#[derive(Default)]
struct Score {
    points: usize,
    missed: Vec<String>,
}

impl Score {
    fn add(&mut self, point: &Case, taken: f64, best: f64, words: &str) {
        self.points += 1;
        if taken > ENOUGH * best {
            self.missed.push(format!("{point}: {:.2} times as long, {words}", taken / best));
        }
    }

    fn print(&self, what: &str) {
        let right = self.points - self.missed.len();
        let share = 100.0 * right as f64 / self.points as f64;
        println!("# {what}: the fastest in {right} of {} points, {share:.1} %", self.points);
        self.missed.iter().for_each(|missed| println!("#   {missed}"));
    }
}

/// Measures every possible schedule, and reports which one `auto` chooses.
pub(crate) fn schedules() -> Result<()> {
    let individuals = [32, 128, 512, 2048, 8192, 32_768, 131_072, 1 << 20];
    println!(
        "algorithm,individuals,dimensions,runs,iterations,schedule,tile,block,blocks_per_run,us,auto"
    );
    for name in ALGORITHMS {
        let mut score = Score::default();
        for size in grid(&individuals, &[2, 5, 10, 30, 100], &[1, 30, 1000]) {
            let (individuals, dimensions, runs) = size;
            let coordinates = (individuals * dimensions as u64 * runs) as f64;
            let guess = GUESS.0 + GUESS.1 * coordinates;
            let point = sized(name, size, ((MEASURED / guess) as u64).clamp(10, ITERATIONS))?;
            let (taken, mut all, mut least) = (plan(&point)?, Vec::new(), f64::INFINITY);
            for schedule in SCHEDULES {
                let forced = Case { schedule, ..point.clone() };
                // Not every schedule is possible.
                let Ok(plan) = plan(&forced) else { continue };
                let seconds = seconds(&forced, HOPELESS * least)?;
                least = least.min(seconds);
                let us = 1e6 * seconds / point.iterations as f64;
                let tile = plan.tile.unwrap_or("any");
                println!(
                    "{name},{individuals},{dimensions},{runs},{},{schedule},{tile},{},{},{us:.3},{}",
                    point.iterations,
                    plan.block,
                    plan.blocks_per_run,
                    plan == taken
                );
                all.push((us, plan));
            }
            let of_auto = all.iter().find(|(_, plan)| *plan == taken);
            let &(us, _) =
                of_auto.with_context(|| format!("{point}: {taken:?} is not among them"))?;
            let &(best, fastest) = all.iter().min_by(|a, b| a.0.total_cmp(&b.0)).context("one")?;
            score.add(
                &point,
                us,
                best,
                &format!("{} instead of {}", taken.schedule, fastest.schedule),
            );
            std::io::stdout().flush()?;
        }
        score.print(name);
    }
    Ok(())
}

fn plan(case: &Case) -> Result<Plan> {
    case.optimiser::<f32>(Backend::Gpu, None, 0)?.plan().context("a GPU has a plan")
}

/// The median time of three repetitions from the start, or only the first if it takes longer than `enough`.
fn seconds(case: &Case, enough: f64) -> Result<f64> {
    let mut found = Vec::new();
    while found.len() < 3 && found.iter().all(|&seconds| seconds < enough) {
        let mut optimiser = case.optimiser::<f32>(Backend::Gpu, None, 0)?;
        optimiser.step(1)?;
        let start = Instant::now();
        optimiser.step(case.iterations)?;
        found.push(start.elapsed().as_secs_f64());
    }
    found.sort_by(f64::total_cmp);
    Ok(found[found.len() / 2])
}

/// Times whole solves in separate processes: on the CPU, on the GPU, and with `auto`.
pub(crate) fn backends() -> Result<()> {
    println!(
        "algorithm,individuals,dimensions,runs,iterations,cpu_seconds,gpu_seconds,auto_seconds,auto"
    );
    let mut score = Score::default();
    for name in ALGORITHMS {
        let dimensions: &[usize] = if name == "pso" { &[2, 30, 100] } else { &[30] };
        for size in grid(&[32, 512, 8192, 131_072], dimensions, &[1, 1000]) {
            for iterations in [100, 1000, 100_000] {
                let (individuals, dimensions, runs) = size;
                let coordinates = (individuals * dimensions as u64 * runs) as f64;
                if coordinates * iterations as f64 > MOST_MOVED {
                    continue;
                }
                let point = sized(name, size, iterations)?;
                let [cpu, gpu, auto] = [Backend::Cpu, Backend::Gpu, Backend::Auto]
                    .map(|backend| fresh(&point, backend));
                let ((_, cpu), (_, gpu), (taken, auto)) = (cpu?, gpu?, auto?);
                println!(
                    "{name},{individuals},{dimensions},{runs},{iterations},{cpu:.4},{gpu:.4},{auto:.4},{taken}"
                );
                let (its, best) = (if taken == "cpu" { cpu } else { gpu }, cpu.min(gpu));
                if best == f64::INFINITY {
                    continue;
                }
                score.add(&point, its, best, &format!("{taken}, {iterations} iterations"));
                std::io::stdout().flush()?;
            }
        }
    }
    score.print("cpu or gpu");
    Ok(())
}

/// Solves a case in a new process; returns the device, and the seconds including set-up.
fn fresh(case: &Case, backend: Backend) -> Result<(String, f64)> {
    let Case { name, individuals, dimensions, runs, iterations, .. } = case;
    let mut command = Command::new(std::env::current_exe()?);
    let numbers = [*individuals, *dimensions as u64, *runs, *iterations].map(|n| n.to_string());
    command.args(["--solve", name, backend.name()]).args(numbers);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (taken, seconds) = said.trim().split_once(' ').context("where, and seconds")?;
    Ok((taken.into(), seconds.parse()?))
}

/// Solves one case: `--solve ALGORITHM BACKEND INDIVIDUALS DIMENSIONS RUNS ITERATIONS`. Prints the device and the
/// seconds, which are infinite if the solve was stopped.
pub(crate) fn solve(words: &[String]) -> Result<()> {
    let [name, backend, numbers @ ..] = words else { bail!("--solve wants six words") };
    let name = ALGORITHMS.iter().find(|known| *known == name).context("no such algorithm")?;
    let numbers: Vec<u64> = numbers.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [individuals, dimensions, runs, iterations] = numbers[..] else {
        bail!("--solve wants four numbers")
    };
    let case = sized(name, (individuals, dimensions as usize, runs), iterations)?;
    let stop = Stop::iterations(iterations).or_seconds(PATIENCE);
    let start = Instant::now();
    let report = case.stopping::<f32>(backend.parse()?, None, 0, stop)?.run()?;
    let done = report.runs[0].iterations == iterations;
    let seconds = if done { start.elapsed().as_secs_f64() } else { f64::INFINITY };
    println!("{} {seconds:.6}", report.backend);
    Ok(())
}
