//! Compares the speed of expressions with that of the same objectives in compiled code.
//!
//! `cargo run --release -p warpswarm-benches --bin expressions [cpu|gpu|check]`
//!
//! PSO minimises each objective, with the numbers of individuals in the table. The output is nanoseconds per
//! evaluation, including the move of the individual, and their ratio. `check` compares CPU and GPU bit by bit.

use std::time::Instant;

use anyhow::{Result, ensure};
use warpswarm::problem_file::ProblemFile;
use warpswarm::problems::{self, Precise};
use warpswarm::{
    Algorithm, Backend, Bounds, Data, DeParams, Float, Objective, Optimiser, OwnObjective, Point,
    PsoParams, Real, Schedule, Settings, Stop, Table, difference,
};

/// The duration of a timing, in seconds.
const SECONDS: f64 = 0.4;

/// The model a exp(-t / tau), fitted to points.
#[derive(Clone, Copy)]
struct Decay {
    t: Table,
    y: Table,
}

impl<R: Real> Objective<R> for Decay {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let (a, tau) = (x.get(0), x.get(1));
        x.sum_rows([self.t, self.y], |[t, y]| {
            let missed = y - a * (-t / tau).exp();
            missed * missed
        })
    }
}

fn points(rows: usize) -> (Vec<f64>, Vec<f64>) {
    let t: Vec<f64> = (0..rows).map(|k| 0.1 * k as f64).collect();
    let y = t.iter().map(|t| 7.5 * (-t / 3.2).exp()).collect();
    (t, y)
}

/// A problem file with its data points.
fn file(text: &str, rows: usize) -> Result<ProblemFile> {
    let folder = tempfile::tempdir()?;
    let (t, y) = points(rows);
    let lines = t.iter().zip(&y).map(|(t, y)| format!("{t},{y}\n"));
    std::fs::write(
        folder.path().join("points.csv"),
        format!("t,y\n{}", lines.collect::<String>()),
    )?;
    let path = folder.path().join("problem.toml");
    std::fs::write(&path, text)?;
    Ok(ProblemFile::load(path)?)
}

const RASTRIGIN: &str = "minimise = \"10 * len(x) + sum(i, x[i]^2 - 10 * cos(2 * pi * x[i]))\"\n\
    [variables]\nx = { count = 30, lower = -5.12, upper = 5.12 }";
const ROSENBROCK: &str = "minimise = \"sum(i, 100 * (x[i+1] - x[i]^2)^2 + (1 - x[i])^2)\"\n\
    [variables]\nx = { count = 30, lower = -2.048, upper = 2.048 }";
const DECAY: &str = "minimise = \"sum(i, (y[i] - a * exp(-t[i] / tau))^2)\"\n\
    [variables]\na = { lower = 0, upper = 10 }\ntau = { lower = 0.1, upper = 100 }\n\
    [data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]";
const SPRING: &str = "minimise = \"(P + 2) * D * d^2\"\n[variables]\nd = { lower = 0.05, upper = 2 }\n\
    D = { lower = 0.25, upper = 1.3 }\nP = { lower = 2, upper = 15 }\n[constraints]\n\
    g1 = \"1 - D^3 * P / (71785 * d^4)\"\n\
    g2 = \"(4 * D^2 - d * D) / (12566 * (D * d^3 - d^4)) + 1 / (5108 * d^2) - 1\"\n\
    g3 = \"1 - 140.45 * d / (D^2 * P)\"\ng4 = \"(d + D) / 1.5 - 1\"";
/// NIST's model Gauss2; the values of its points do not matter here.
const GAUSS: &str = "minimise = \"sum(i, (y[i] - b1 * exp(-b2 * t[i]) - b3 * exp(-((t[i] - b4) / b5)^2) \
    - b6 * exp(-((t[i] - b7) / b8)^2))^2)\"\n[variables]\nb1 = { lower = 50, upper = 150 }\n\
    b2 = { lower = 0.001, upper = 0.05 }\nb3 = { lower = 50, upper = 150 }\n\
    b4 = { lower = 50, upper = 150 }\nb5 = { lower = 5, upper = 50 }\nb6 = { lower = 50, upper = 150 }\n\
    b7 = { lower = 100, upper = 200 }\nb8 = { lower = 5, upper = 50 }\n\
    [data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]";
/// Every operation and every reduction, with a given number of coordinates and three more with scales.
const ALL: &str = "maximise = \"floor(a) * sin(b) + sum(i, if(x[i] < y[i], abs(x[i]), tan(x[i] / 4)) / (i + 1)) \
    - prod(i, 1, len(x), 1 + x[i]^2 / 100) + min(i, x[i] * t[i]) - max(i, 1, len(t), t[i] * k - x[1]) \
    + sum(i, cos(2 * pi * x[i]) * sin(2 * pi * y[i]) + ln(1 + x[i]^2)) + abs(b)^1.5 + sqrt(a) + cos(a) \
    + min(a, b, x[1]) - max(b, 3) + (a == b) + (a <= b) + tanh(x[1]) + sum(i, sum(j, 1, 2, x[i] * t[j])) \
    + sum(i, asin(x[i] / 5) + acos(x[i] / 6) * atan(x[i]) - atan2(x[i], b) + asinh(x[i]) * acosh(1 + t[i]) + atanh(x[i] / 7)) \
    + sum(i, sinh(x[i] / 2) - cosh(x[i] / 3) + expm1(x[i] / 9) * log1p(t[i]) - log2(t[i] + 1) * log10(t[i] + 2)) \
    + sum(i, cbrt(x[i]) - hypot(x[i], a) + sign(x[i]) * ceil(x[i]) + trunc(2 * x[i]) * round(3 * x[i]) - mod(x[i], y[i])) \
    + sum(i, erf(x[i]) * erfc(x[i] / 2) + gamma(x[i] + 0.3) / 9 - lgamma(x[i] - 0.2) + j0(9 * x[i]) * j1(9 * x[i]) \
    + y0(a) * y1(a + t[i]))\"\n\
    [variables]\na = { lower = 0.5, upper = 40, scale = \"log\" }\nk = { lower = 1, upper = 5, scale = \"integer\" }\n\
    b = { lower = -3, upper = 30 }\nx = { count = COUNT, lower = -4, upper = 5 }\n\
    [data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]\n\
    [constraints]\nfirst = \"a - b^2\"\nsecond = \"sum(i, x[i]) <= 3 * len(x)\"";

/// The same for one or two coordinates, which are stored in another place.
const FEW: &str = "minimise = \"sum(i, (x[i] - t[1])^2 * y[i]) - prod(i, 1 + sin(x[i])) + exp(x[1] / 4) - min(i, x[i])\"\n\
    [variables]\nx = { count = COUNT, lower = -4, upper = 5 }\n\
    [data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]\n[constraints]\nfirst = \"x[1] <= 3\"";

/// A function that creates an optimiser.
type Make<'a, R> = dyn Fn(&Settings) -> Result<Optimiser<R>> + 'a;

/// Nanoseconds per evaluation.
fn time<R: Float>(make: &Make<'_, R>, settings: &Settings) -> Result<f64> {
    let mut optimiser = make(settings)?;
    optimiser.step(5)?;
    let (mut iterations, mut done, start) = (5, 0, Instant::now());
    while start.elapsed().as_secs_f64() < SECONDS {
        optimiser.step(iterations)?;
        done += iterations;
        iterations *= 2;
    }
    Ok(1e9 * start.elapsed().as_secs_f64() / (done * settings.individuals) as f64)
}

fn compare<R: Precise>(
    name: &str,
    compiled: &Make<'_, R>,
    file: &ProblemFile,
    backend: Backend,
    sizes: &[u64],
) -> Result<()> {
    for &individuals in sizes {
        let settings = Settings { individuals, backend, threads: Some(1), ..Settings::default() };
        let algorithm = Algorithm::Pso(Default::default());
        let one = time(compiled, &settings)?;
        let other = time(&|settings| Ok(file.optimiser::<R>(&algorithm, settings)?), &settings)?;
        println!(
            "{name:12} {:4} {individuals:8} individuals: compiled {one:10.3} ns, file {other:10.3} ns, ratio {:.2}",
            R::NAME,
            other / one
        );
    }
    Ok(())
}

fn compare_all<R: Precise>(backend: Backend) -> Result<()> {
    let algorithm = Algorithm::Pso(Default::default());
    let sizes: &[u64] = if backend == Backend::Cpu { &[256] } else { &[1024, 65_536] };
    for (id, text, rows) in [
        ("rastrigin", RASTRIGIN, 1),
        ("rosenbrock", ROSENBROCK, 1),
        ("spring", SPRING, 1),
        ("nist-gauss2", GAUSS, 250),
    ] {
        let (info, file) = (problems::find(id)?, file(text, rows)?);
        let bounds = info.bounds(file.bounds().dimensions())?;
        let compiled =
            |settings: &Settings| Ok(info.optimiser::<R>(0.0, &bounds, &algorithm, settings)?);
        compare::<R>(id, &compiled, &file, backend, sizes)?;
    }
    if backend != Backend::Cpu {
        return Ok(());
    }
    let (t, y) = points(100);
    let of = |numbers: &[f64]| numbers.iter().map(|&x| R::from_f64(x)).collect::<Vec<R>>();
    let mut data = Data::new();
    let decay = Decay { t: data.table(of(&t))?, y: data.table(of(&y))? };
    let decay = OwnObjective::new("Decay", decay).with_data(data);
    let bounds = Bounds::new(vec![0.0, 0.1], vec![10.0, 100.0])?;
    let compiled =
        |settings: &Settings| Ok(Optimiser::<R>::new(&decay, &bounds, &algorithm, settings)?);
    compare::<R>("decay", &compiled, &file(DECAY, 100)?, backend, sizes)
}

/// Compares states of CPU and GPU bit by bit.
fn check<R: Precise>(text: &str, count: usize) -> Result<()> {
    let file = file(&text.replace("COUNT", &count.to_string()), count)?;
    let mut runs = 0;
    let algorithms: [Algorithm; 2] = [PsoParams::default().into(), DeParams::default().into()];
    for algorithm in algorithms {
        for (schedule, individuals) in
            [(Schedule::Resident, 33), (Schedule::Resident, 3000), (Schedule::Streaming, 70)]
        {
            let settings = |backend, schedule| Settings {
                individuals,
                backend,
                schedule,
                stop: Stop::default(),
                ..Settings::default()
            };
            let mut cpu =
                file.optimiser::<R>(&algorithm, &settings(Backend::Cpu, Schedule::Auto))?;
            let gpu = file.optimiser::<R>(&algorithm, &settings(Backend::Gpu, schedule));
            let mut gpu = match gpu {
                Err(warpswarm::Error::Schedule { .. }) => continue,
                gpu => gpu?,
            };
            cpu.step(25)?;
            gpu.step(25)?;
            for (here, there) in cpu.state()?.iter().zip(gpu.state()?) {
                let found = difference(here, &there);
                ensure!(found.is_none(), "{count} {} {schedule} {individuals}: {found:?}", R::NAME);
            }
            runs += 1;
        }
    }
    let coordinates = file.bounds().dimensions();
    println!("{coordinates} coordinates, {}: the same bits in {runs} runs", R::NAME);
    Ok(())
}

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("check") => {
            for (text, count) in [(FEW, 1), (FEW, 2), (ALL, 2), (ALL, 29), (ALL, 125), (ALL, 200)] {
                check::<f32>(text, count)?;
                check::<f64>(text, count)?;
            }
            Ok(())
        }
        Some("gpu") => {
            compare_all::<f32>(Backend::Gpu)?;
            compare_all::<f64>(Backend::Gpu)
        }
        _ => {
            compare_all::<f32>(Backend::Cpu)?;
            compare_all::<f64>(Backend::Cpu)
        }
    }
}
