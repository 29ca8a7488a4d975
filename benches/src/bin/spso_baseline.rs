//! Compares serial SPSO in Rust with the same loop in C++: the baseline of the speed tables.
//!
//! `cargo run --release -p warpswarm-benches --bin spso_baseline`
//!
//! Both minimise the Euclidean distance in two dimensions in `f32`, with the same random numbers, and must
//! end with the same bits. This program compiles the C++ program, `cpp/spso.cpp`, with the first
//! compiler found; without a compiler, only Rust is timed. Times are the median of five
//! repetitions, in which the programs alternate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::StopRule;
use warpswarm_core::problems::Euclidean;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::random::philox4x32;
use warpswarm_cpu_ref::{Bounds, Halt, RunId, Start, StaticObjective, Swarm, Task, Threads, spso};

const SIZES: [u32; 3] = [32, 1024, 65_536];
const PARTICLE_ITERATIONS: u64 = 20_000_000;
const REPETITIONS: usize = 5;
const ID: RunId = RunId { seed: 20_250_101, run: 0 };
const COMPILERS: [&str; 3] = ["c++", "g++", "clang++"];

/// The paper's coefficients, with which swarms diverge.
///
/// With convergent coefficients, velocities would become subnormal numbers, because the optimum is at
/// the origin. Both programs would then measure how slow the processor is with subnormal numbers.
const COEFFICIENTS: Coefficients<f32> = Coefficients {
    inertia: 1.0,
    cognitive: 2.0,
    social: 2.0,
    velocity_limit: f32::INFINITY,
    correction: 0.0,
    boundary: Boundary::Clamp,
};

/// One timed run: nanoseconds per particle and iteration, and the bits of value and position.
#[derive(Clone, Copy, Debug)]
struct Timing {
    nanoseconds: f64,
    best: [u32; 3],
}

/// The load to time: the numbers of particles and iterations.
#[derive(Clone, Copy)]
struct Load {
    individuals: u32,
    iterations: u64,
}

/// A compiler and options for the C++ program.
struct Variant {
    name: &'static str,
    flags: &'static [&'static str],
    same_draws: bool,
}

const VARIANTS: [Variant; 3] = [
    Variant { name: "C++", flags: &["-march=x86-64-v3"], same_draws: true },
    Variant { name: "native", flags: &["-march=native"], same_draws: true },
    Variant { name: "xorshift", flags: &["-march=x86-64-v3", "-DCHEAP_RANDOM"], same_draws: false },
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let programs = build_all(folder.path())?;
    println!("\nSPSO, Euclidean, f32, 2 dimensions, w = 1, c1 = c2 = 2, clamped");
    println!("ns per particle and iteration, median of {REPETITIONS}; (of the fastest of each)");
    print!("{:>8} {:>9}", "N", "Rust");
    for variant in VARIANTS.iter().take(programs.len()) {
        print!(" {:>9}", variant.name);
    }
    println!(" {:>16}", if programs.is_empty() { "" } else { "Rust/C++" });
    for individuals in SIZES {
        let iterations = PARTICLE_ITERATIONS / u64::from(individuals);
        row(&programs, Load { individuals, iterations })?;
    }
    Ok(())
}

/// Times one load with every program, and prints its row.
fn row(programs: &[PathBuf], load: Load) -> Result<()> {
    let mut times = vec![Vec::new(); 1 + programs.len()];
    for _ in 0..REPETITIONS {
        let rust = time_rust(load);
        times[0].push(rust.nanoseconds);
        for (i, (program, variant)) in programs.iter().zip(&VARIANTS).enumerate() {
            let timing = time_cpp(program, load)?;
            ensure!(
                !variant.same_draws || timing.best == rust.best,
                "{} found {:08x?}, Rust {:08x?}",
                variant.name,
                timing.best,
                rust.best
            );
            times[1 + i].push(timing.nanoseconds);
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    print!("{:>8}", load.individuals);
    for times in &times {
        print!(" {:>9.2}", times[REPETITIONS / 2]);
    }
    match &times[..] {
        [rust, cpp, ..] => {
            let ratio = |i: usize| rust[i] / cpp[i];
            println!(" {:>7.3} ({:>6.3})", ratio(REPETITIONS / 2), ratio(0));
        }
        _ => println!(),
    }
    Ok(())
}

fn time_rust(load: Load) -> Timing {
    let bounds = Bounds { lower: &[-100.0_f32; 2], upper: &[100.0; 2] };
    let task = Task {
        objective: StaticObjective(Euclidean),
        bounds,
        start: Start::default(),
        stop: StopRule::NEVER,
        halt: Halt::NEVER,
    };
    let mut swarm = Swarm::new(&task, load.individuals, ID, Threads::Serial);
    let start = Instant::now();
    spso::run(&mut swarm, &task, &COEFFICIENTS, load.iterations);
    let took = start.elapsed().as_secs_f64() * 1e9;
    let [x, y] = [swarm.best_point()[0], swarm.best_point()[1]];
    Timing {
        nanoseconds: took / (f64::from(load.individuals) * load.iterations as f64),
        best: [swarm.global.fitness.value, x, y].map(f32::to_bits),
    }
}

fn time_cpp(program: &Path, load: Load) -> Result<Timing> {
    let RunId { seed, run } = ID;
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let [low, high] = halves(run);
    let [k0, k1, ..] = philox4x32::<10>([low, high, 0, 0], halves(seed));
    let Coefficients { inertia, cognitive, social, velocity_limit, .. } = COEFFICIENTS;
    let output = Command::new(program)
        .args([load.individuals.to_string(), load.iterations.to_string()])
        .args([inertia, cognitive, social, velocity_limit].map(|c| c.to_string()))
        .args([k0, k1].map(|k| k.to_string()))
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout)?;
    let words: Vec<&str> = output.split_whitespace().collect();
    let [nanoseconds, value, x, y] = words[..] else {
        anyhow::bail!("four words expected: {output}");
    };
    Ok(Timing { nanoseconds: nanoseconds.parse()?, best: [value.parse()?, x.parse()?, y.parse()?] })
}

/// Builds the C++ programs, one per variant; none without a compiler.
fn build_all(folder: &Path) -> Result<Vec<PathBuf>> {
    let works = |compiler: &&str| Command::new(compiler).arg("--version").output().is_ok();
    let Some(compiler) = COMPILERS.into_iter().find(works) else {
        println!("no C++ compiler found ({}): Rust alone", COMPILERS.join(", "));
        return Ok(Vec::new());
    };
    let version = Command::new(compiler).arg("--version").output()?;
    let version = String::from_utf8_lossy(&version.stdout);
    println!("C++ compiler: {}", version.lines().next().unwrap_or(compiler));
    VARIANTS.iter().map(|variant| build(compiler, variant, folder)).collect()
}

fn build(compiler: &str, variant: &Variant, folder: &Path) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp/spso.cpp");
    let program = folder.join(variant.name);
    let output = Command::new(compiler)
        .args(["-std=c++17", "-O3", "-ffp-contract=off"])
        .args(variant.flags)
        .args([source.as_os_str(), "-o".as_ref(), program.as_os_str()])
        .output()
        .with_context(|| format!("running {compiler}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    println!("  {}: -O3 -ffp-contract=off {}", variant.name, variant.flags.join(" "));
    Ok(program)
}
