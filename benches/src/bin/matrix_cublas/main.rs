//! PSO with matrices in cuBLAS and cuRAND, as proposed in the PSO notes: microseconds per iteration.
//!
//! `matrix_cublas [--quick] [--check]`
//!
//! Prints a line of JSON for each size and variant. The variants differ in the element-wise product and in the
//! comparison of values, for which cuBLAS has no calls. `us` is null if a library reports an error, and `error` is then
//! its reason. The problem is the sphere, in f32. `--check` measures nothing; it compares a few iterations with a
//! reference on the CPU, which also precedes each measurement. `cargo xtask reproduce notes` compares the results with
//! `warpswarm`.
//!
//! cuBLAS and cuRAND are loaded at run time. If they, the driver or a GPU are missing, the program fails with a
//! message.

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

/// The sizes: dimensions and particles.
const SIZES: [(usize, usize); 3] = [(10, 1_024), (30, 65_536), (100, 1_048_576)];
/// The size for the comparison with the reference; neither number is round.
const CHECKED: (usize, usize) = (7, 257);
/// A size is skipped if an iteration would take more than this many seconds.
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
            // Print one line, because `cargo xtask reproduce notes` shows it.
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
        // Microseconds per iteration and coordinate at the previous size.
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

/// Microseconds per iteration, and the number of measured iterations.
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
        // Measure several at once, so that the overhead of the clock and the wait is small, but not if one takes
        // seconds.
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

/// Runs five iterations with `blas` and with the reference, with the same random numbers; returns the largest
/// difference.
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

/// The buffers on which the next iteration depends.
const STATE: [Buffer; 5] =
    [Buffer::Position, Buffer::Velocity, Buffer::PersonalBest, Buffer::GlobalBest, Buffer::Values];

/// The state after five iterations, with random numbers from the host.
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
