//! Measures how the time of an iteration grows with individuals, dimensions and runs. Prints CSV; lines that begin with
//! `#` say which points are missing, and why.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use warpswarm::{Algorithm, Backend, Optimiser, Stop, algorithms};

use crate::cases::{Case, case};
use crate::together;

/// The largest number of measured iterations; the limit in seconds follows.
const ITERATIONS: u64 = 2000;
const MEASURED: f64 = 0.1;
/// The estimate of a point takes at least this many seconds or iterations.
const ESTIMATED: (f64, u64) = (0.01, 500);
/// The largest result of [`bytes`].
const MOST_BYTES: u64 = 8 << 30;
/// A series ends at the size at which an iteration takes this many seconds.
const SLOW: f64 = 0.5;
/// Kernels are compiled in advance for sizes with at most this many bytes.
const COMPILED_BYTES: u64 = 1 << 30;
/// Seconds for all algorithms. The remaining time is divided equally among the algorithms, and then among the points of
/// an algorithm. An algorithm may finish its current point in the additional seconds that follow.
const SECONDS: f64 = 320.0;
const GRACE: f64 = 20.0;
/// The dimensions in the series over individuals, and in the series over runs.
const DIMENSIONS: usize = 30;
const DIMENSIONS_OF_BATCHES: usize = 10;
/// The number of individuals in the series over dimensions.
const INDIVIDUALS: u64 = 1024;

/// A size: individuals, dimensions and runs.
type Size = (u64, usize, u64);

/// The names of the algorithms with kernels, except `auto`, which consists of two of the others.
fn names() -> impl Iterator<Item = &'static str> {
    let has_kernels = |info: &&algorithms::AlgorithmInfo| {
        info.backends.contains(&Backend::Gpu) && info.id != "auto"
    };
    algorithms::ALL.iter().filter(has_kernels).map(|info| info.id)
}

/// The algorithm with default parameters, except that it does not restart, and that individuals do not look at all
/// others before the first iteration.
fn algorithm(name: &str) -> Result<Algorithm> {
    let mut algorithm = algorithms::find(name)?.algorithm();
    match name {
        "cma-es" => algorithm.set("restarts", "never")?,
        "solis-wets" => algorithm.set("step", "0.1")?,
        _ => (),
    }
    Ok(algorithm)
}

/// The series of an algorithm, each from the smallest size to the largest. No size is in two series.
fn series(algorithm: &Algorithm) -> [Vec<Size>; 3] {
    // CMEPSO has ten swarms of equal size.
    let multiple = if algorithm.info().id == "cmepso" { 10 } else { 1 };
    let whole = |individuals: u64| individuals / multiple * multiple;
    let of_individuals = (5..=22).map(|power| (whole(1 << power), DIMENSIONS, 1));
    let mut dimensions: Vec<usize> = (1..=10).map(|power| 1 << power).collect();
    dimensions.extend([10, 100, 300, 1000]);
    dimensions.sort_unstable();
    let of_dimensions = dimensions.into_iter().map(|n| (whole(INDIVIDUALS), n, 1));
    let usual = algorithm.usual_individuals(DIMENSIONS_OF_BATCHES);
    let of_runs = (0..=5).map(|power| (usual, DIMENSIONS_OF_BATCHES, 10_u64.pow(power)));
    [of_individuals.collect(), of_dimensions.collect(), of_runs.collect()]
}

/// The number of bytes of positions, velocities and personal bests.
fn bytes((individuals, dimensions, runs): Size) -> u64 {
    12 * individuals * dimensions as u64 * runs
}

/// The case for an algorithm and a size.
fn sized(name: &'static str, algorithm: Algorithm, (individuals, dimensions, runs): Size) -> Case {
    let bounds = Some((-5.12, 0.9 * 5.12));
    Case { runs, bounds, algorithm, ..case(name, "rastrigin", individuals, dimensions, ITERATIONS) }
}

/// Measures all algorithms, each in its own process, so that a failure does not affect the others.
pub(crate) fn table() -> Result<()> {
    println!("algorithm,precision,individuals,dimensions,runs,schedule,microseconds,iterations");
    let start = Instant::now();
    let all: Vec<&str> = names().collect();
    for (number, name) in all.iter().enumerate() {
        let left = SECONDS - start.elapsed().as_secs_f64();
        let seconds = (left / (all.len() - number) as f64).max(1.0);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--growth-of", name, &seconds.to_string()]);
        match ended(&mut command.spawn()?, seconds + GRACE)? {
            Some(status) if status.success() => {}
            Some(status) => println!("# {name}: the rest is missing: {status}"),
            None => println!("# {name}: the rest is missing: its time was over"),
        }
    }
    Ok(())
}

/// The exit status of a process; `None` if it had to be killed after this many seconds.
fn ended(child: &mut Child, seconds: f64) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed().as_secs_f64() > seconds {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Measures one algorithm: `--growth-of ALGORITHM SECONDS`.
pub(crate) fn one(words: &[String]) -> Result<()> {
    let [name, seconds] = words else { anyhow::bail!("--growth-of wants two words") };
    let name = names().find(|known| known == name).context("no such algorithm")?;
    let start = Instant::now();
    let algorithm = algorithm(name)?;
    let sizes: Vec<Size> = series(&algorithm).concat();
    together::each(&sizes, |&size| {
        if bytes(size) <= COMPILED_BYTES {
            drop(made(&sized(name, algorithm, size), Backend::Gpu));
        }
    });
    println!("# {name}: {:.1} s to compile kernels", start.elapsed().as_secs_f64());
    let seconds: f64 = seconds.parse()?;
    lines(name, Backend::Gpu, seconds - start.elapsed().as_secs_f64(), |line| println!("{line}"))
}

/// Measures and prints the lines of an algorithm.
fn lines(
    name: &'static str,
    backend: Backend,
    seconds: f64,
    mut say: impl FnMut(String),
) -> Result<()> {
    let algorithm = algorithm(name)?;
    let start = Instant::now();
    let all = series(&algorithm);
    for (number, sizes) in all.iter().enumerate() {
        let points: usize = all[number..].iter().map(Vec::len).sum();
        let left = seconds - start.elapsed().as_secs_f64();
        let (begun, share) = (Instant::now(), left * sizes.len() as f64 / points as f64);
        for (place, &size) in sizes.iter().enumerate() {
            let point = sized(name, algorithm, size);
            let rest = sizes.len() - place;
            if begun.elapsed().as_secs_f64() > share {
                say(format!("# {point}: left out, and {} more: the time was over", rest - 1));
                break;
            }
            let (individuals, dimensions, runs) = size;
            if bytes(size) > MOST_BYTES {
                say(format!("# {point}: left out: more than {} GiB", MOST_BYTES >> 30));
                continue;
            }
            match measure(&point, backend) {
                Ok(Measured { schedule, seconds, iterations }) => {
                    let us = 1e6 * seconds;
                    say(format!(
                        "{name},f32,{individuals},{dimensions},{runs},{schedule},{us:.3},{iterations}"
                    ));
                    if seconds > SLOW && rest > 1 {
                        say(format!("# {point}: {seconds:.1} s; {} more left out", rest - 1));
                        break;
                    }
                }
                // Not every method supports every size.
                Err(error) => say(format!("# {point}: {}", one_line(&error))),
            }
        }
    }
    Ok(())
}

fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}").lines().collect::<Vec<_>>().join(" ")
}

/// The time of an iteration.
struct Measured {
    schedule: String,
    /// Seconds per iteration, the median of three repetitions from the start.
    seconds: f64,
    /// The number of iterations of a repetition.
    iterations: u64,
}

fn measure(point: &Case, backend: Backend) -> Result<Measured> {
    let (schedule, each) = estimate(point, backend)?;
    let iterations = ((MEASURED / each) as u64).clamp(1, ITERATIONS);
    let mut found = Vec::new();
    for _ in 0..3 {
        let mut optimiser = begun(point, backend)?;
        found.push(seconds(&mut optimiser, iterations)?);
    }
    found.sort_by(f64::total_cmp);
    Ok(Measured { schedule, seconds: found[1] / iterations as f64, iterations })
}

/// The schedule, and an estimate of the seconds per iteration. This also compiles the kernel and warms up the device.
fn estimate(point: &Case, backend: Backend) -> Result<(String, f64)> {
    let mut optimiser = begun(point, backend)?;
    let schedule = optimiser.plan().map_or_else(String::new, |plan| plan.schedule.to_string());
    let mut iterations = 1;
    loop {
        let seconds = seconds(&mut optimiser, iterations)?;
        if seconds > ESTIMATED.0 || iterations >= ESTIMATED.1 {
            return Ok((schedule, seconds / iterations as f64));
        }
        iterations *= 8;
    }
}

/// An optimiser before its first iteration.
fn made(point: &Case, backend: Backend) -> Result<Optimiser<f32>> {
    // Parameters that change during a run change over the largest number of measured iterations.
    point.stopping(backend, None, 0, Stop::iterations(ITERATIONS))
}

/// An optimiser after its first iteration.
fn begun(point: &Case, backend: Backend) -> Result<Optimiser<f32>> {
    let mut optimiser = made(point, backend)?;
    optimiser.step(1)?;
    Ok(optimiser)
}

fn seconds(optimiser: &mut Optimiser<f32>, iterations: u64) -> Result<f64> {
    let start = Instant::now();
    optimiser.step(iterations)?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(seconds > 0.0, "{iterations} iterations in no time");
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_with_kernels_has_its_series() {
        let mut all: Vec<&str> = names().collect();
        all.sort_unstable();
        assert_eq!(
            all,
            [
                "cma-es",
                "cmepso",
                "de",
                "epso",
                "gpu-fwa",
                "pso",
                "sa",
                "scatter-search",
                "shade",
                "solis-wets"
            ]
        );
        let of = |name| series(&algorithm(name).unwrap());
        let [individuals, dimensions, runs] = of("pso");
        assert_eq!((individuals[0], individuals[17]), ((32, 30, 1), (4_194_304, 30, 1)));
        assert_eq!(dimensions[..4], [2, 4, 8, 10].map(|n| (1024, n, 1)));
        assert_eq!(dimensions[12..], [1000, 1024].map(|n| (1024, n, 1)));
        assert_eq!((runs[0], runs[5]), ((64, 10, 1), (64, 10, 100_000)));
        // Ten swarms with two, and with 102 particles each; 110 is its usual total.
        let [individuals, dimensions, runs] = of("cmepso");
        assert_eq!((individuals[0].0, dimensions[0].0, runs[0].0), (30, 1020, 110));
    }

    #[test]
    fn every_method_is_measured() {
        for name in names() {
            let algorithm = algorithm(name).unwrap();
            let usual = algorithm.usual_individuals(2);
            let point = sized(name, algorithm, (usual, 2, 2));
            let measured = measure(&point, Backend::Cpu).unwrap();
            assert!(measured.seconds > 0.0, "{name}");
            assert!((1..=ITERATIONS).contains(&measured.iterations), "{name}");
        }
    }

    #[test]
    fn what_a_method_refuses_is_a_hole() {
        let mut said = Vec::new();
        lines("scatter-search", Backend::Cpu, 1e-9, |line| said.push(line)).unwrap();
        assert!(said.iter().all(|line| line.starts_with("# scatter-search ")), "{said:?}");
        let algorithm = algorithm("cma-es").unwrap();
        // CMA-ES needs at least four samples.
        assert!(measure(&sized("cma-es", algorithm, (2, 2, 1)), Backend::Cpu).is_err());
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(ended(&mut child, 0.05).unwrap().is_none());
        let mut child = Command::new("true").spawn().unwrap();
        assert!(ended(&mut child, 20.0).unwrap().unwrap().success());
    }
}
