//! PSO in matrices by cuBLAS and cuRAND, as the PSO notes propose it: microseconds of an iteration.
//!
//! `matrix_cublas [--quick] [--check]`
//!
//! Prints a line of JSON for each size and way: how elements are multiplied, and who compares, for neither of which there
//! is a call in cuBLAS; `us` is null where a library refuses, with the reason as `error`. The problem is the sphere, in f32.
//! `--check` measures nothing and compares a few iterations with a reference on the CPU, which is done before each
//! measurement, too. `cargo xtask reproduce notes` puts the lines beside `warpswarm`.
//!
//! cuBLAS and cuRAND are loaded at run time; where they, the driver or a GPU are missing, the program says so and fails.

mod blas;
mod library;
mod reference;
mod swarm;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use blas::{Blas, Buffer};
use library::Gpu;
use reference::Reference;
use swarm::{Bests, Product, Swarm, Way};

/// Dimensions and particles.
const SIZES: [(usize, usize); 3] = [(10, 1_024), (30, 65_536), (100, 1_048_576)];
/// What is compared with the reference: neither side is of a round size.
const CHECKED: (usize, usize) = (7, 257);
/// Seconds of an iteration beyond which a size is left out.
const LONGEST: f64 = 5.0;
const WAYS: [Way; 4] = [
    Way { product: Product::Sbmv, bests: Bests::Kernels },
    Way { product: Product::Dgmm, bests: Bests::Kernels },
    Way { product: Product::Sbmv, bests: Bests::Host },
    Way { product: Product::Dgmm, bests: Bests::Host },
];

fn main() -> ExitCode {
    match run_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, which `cargo xtask reproduce notes` shows.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_all() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(word) = words.iter().find(|word| !["--quick", "--check"].contains(&word.as_str())) {
        bail!("unknown {word}; allowed: --quick, --check");
    }
    let asked = |name: &str| words.iter().any(|word| word == name);
    let (device, version) = library::describe()?;
    for way in WAYS {
        let checked = Gpu::new(CHECKED).and_then(|mut gpu| compare(&mut gpu, way));
        if asked("--check") {
            println!(
                "{way:?}: {}",
                match checked {
                    Ok(widest) => format!("at most {widest:.1e} from the reference"),
                    Err(error) => bail!("{way:?}: {error:#}"),
                }
            );
            continue;
        }
        // Microseconds of an iteration of the size before, for each coordinate.
        let mut each = 0.0;
        for size in SIZES {
            let span = Duration::from_millis(if asked("--quick") { 50 } else { 500 });
            let coordinates = (size.0 * size.1) as f64;
            let expected = each * coordinates / 1e6;
            let measured = match &checked {
                Ok(_) if expected > LONGEST => Err(anyhow::anyhow!(
                    "not measured: {expected:.0} s an iteration, in proportion to the smaller swarm"
                )),
                Ok(_) => measure(size, way, span),
                Err(error) => Err(anyhow::anyhow!("{error:#}")),
            };
            each = measured.as_ref().map_or(each, |(us, _)| us / coordinates);
            println!("{}", line(&device, version, size, way, &measured));
        }
    }
    Ok(())
}

/// Microseconds of an iteration, and how many were measured.
fn measure(size: (usize, usize), way: Way, span: Duration) -> Result<(f64, u32)> {
    let mut gpu = Gpu::new(size)?;
    let mut draw = |gpu: &mut Gpu, out: Buffer| gpu.uniform(out);
    let mut swarm = Swarm::new(&mut gpu, size, way, &mut draw)?;
    let mut steps = |count: u32| {
        for _ in 0..count {
            swarm.step(&mut draw)?;
        }
        swarm.blas.wait()
    };
    steps(1)?;
    let (mut iterations, mut at_once) = (0, 1);
    let start = Instant::now();
    while start.elapsed() < span || iterations == 0 {
        steps(at_once)?;
        iterations += at_once;
        // So many that the clock and the wait do not count, but not where one takes seconds.
        at_once = (2 * at_once).min(16);
    }
    Ok((1e6 * start.elapsed().as_secs_f64() / f64::from(iterations), iterations))
}

fn line(
    device: &str,
    version: i32,
    (d, n): (usize, usize),
    Way { product, bests }: Way,
    measured: &Result<(f64, u32)>,
) -> String {
    let product = format!("{product:?}").to_lowercase();
    let bests = format!("{bests:?}").to_lowercase();
    let rest = match measured {
        Ok((us, iterations)) => format!("\"us\": {us:.3}, \"iterations\": {iterations}"),
        Err(error) => format!("\"us\": null, \"error\": {:?}", format!("{error:#}")),
    };
    format!(
        "{{\"device\": {device:?}, \"cublas\": {version}, \"individuals\": {n}, \"dimensions\": {d}, \"product\": \
         {product:?}, \"bests\": {bests:?}, {rest}}}"
    )
}

/// Does five iterations there and by the reference, of the same draws; returns how far apart they are.
fn compare<B: Blas>(blas: &mut B, way: Way) -> Result<f32> {
    let states = [run(blas, way)?, run(&mut Reference::new(CHECKED), way)?];
    let mut widest = 0.0_f32;
    for (buffer, (ours, theirs)) in STATE.iter().zip(states[0].iter().zip(&states[1])) {
        for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            let apart = (ours - theirs).abs() / theirs.abs().max(1.0);
            ensure!(apart < 1e-3, "{buffer:?}, number {i}: {ours}, and {theirs} by the reference");
            widest = widest.max(apart);
        }
    }
    Ok(widest)
}

/// What the next iteration depends on.
const STATE: [Buffer; 5] =
    [Buffer::Position, Buffer::Velocity, Buffer::PersonalBest, Buffer::GlobalBest, Buffer::Values];

/// The state after five iterations, of draws that the host makes.
fn run<B: Blas>(blas: &mut B, way: Way) -> Result<Vec<Vec<f32>>> {
    let mut host = Reference::new(CHECKED);
    let mut draw = move |blas: &mut B, out: Buffer| {
        host.uniform(out)?;
        blas.write(out, &host.read(out)?)
    };
    let mut swarm = Swarm::new(blas, CHECKED, way, &mut draw)?;
    for _ in 0..5 {
        swarm.step(&mut draw)?;
    }
    STATE.iter().map(|&buffer| swarm.blas.read(buffer)).collect()
}

#[cfg(test)]
mod tests;
