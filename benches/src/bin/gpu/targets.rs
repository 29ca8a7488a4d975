//! Measures the time of a whole solve until its best value reaches a target: `gpu --targets [--quick] [--only
//! PROBLEM,PROBLEM]`.
//!
//! Prints CSV with the header [`HEADER`]; lines that begin with `#` are remarks. `benches/peers/targets.py` prints the
//! same kind of rows for other libraries.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use warpswarm::{Backend, Optimiser, Settings, Stop, algorithms, problems, system};

use crate::together;

/// The header of the table. `tried` is the number of seeds, `succeeded` the number of successful ones, and `seconds`
/// the median time of these; it is empty if there are none.
const HEADER: &str =
    "system,method,problem,dimensions,device,polish,seconds,succeeded,tried,compile_seconds";
const SEEDS: u64 = 20;
/// The number of seeds with `--quick`.
const FEW_SEEDS: u64 = 5;
/// The time limit of a solve, in seconds.
const LIMIT: f64 = 10.0;
/// The time limit before a final local search, which may take another tenth of it.
const LIMIT_BEFORE_POLISH: f64 = LIMIT / 1.1;
/// Seconds for all rows. A row may take an equal share of the remaining time, or an eighth if that is more; it has at
/// least `LEAST_SEEDS` seeds.
const SECONDS: f64 = 170.0;
const PARTS: usize = 8;
const LEAST_SEEDS: u64 = 3;
/// The required distance of a value from the optimum; for engineering problems, the relative distance.
const NEAR: f64 = 1e-8;
const NEAR_PARTS: f64 = 1e-6;

/// A problem, and the method that `docs/how-to/choose-a-method.md` recommends for it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aim {
    problem: &'static str,
    dimensions: usize,
    shift: f64,
    method: &'static str,
}

/// The problems of `docs/how-to/choose-a-method.md` in 10 dimensions; Rastrigin's function also in 30, as in the
/// README; and the engineering design problems of `docs/quality.md`.
const AIMS: [Aim; 14] = [
    aim("sphere", 10, 0.0, "cma-es"),
    aim("rosenbrock", 10, 0.5, "cma-es"),
    aim("rastrigin", 10, 0.5, "shade"),
    aim("griewank", 10, 20.0, "cma-es"),
    aim("ackley", 10, 3.0, "cma-es"),
    aim("schwefel-2.26", 10, 0.0, "shade"),
    aim("levy", 10, 0.0, "cma-es"),
    aim("zakharov", 10, 0.0, "cma-es"),
    aim("rastrigin", 30, 0.5, "shade"),
    aim("spring", 3, 0.0, "shade"),
    aim("welded-beam", 4, 0.0, "shade"),
    aim("speed-reducer", 7, 0.0, "shade"),
    aim("pressure-vessel", 4, 0.0, "shade"),
    aim("three-bar-truss", 2, 0.0, "shade"),
];

const fn aim(problem: &'static str, dimensions: usize, shift: f64, method: &'static str) -> Aim {
    Aim { problem, dimensions, shift, method }
}

impl Aim {
    /// The value to reach.
    fn target(&self) -> Result<f64> {
        let info = problems::find(self.problem)?;
        let least = info.optimum_value(self.dimensions).context("its optimum is not known")?;
        Ok(if info.constraints.is_empty() {
            least + NEAR
        } else {
            least + NEAR_PARTS * least.abs()
        })
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    aim: Aim,
    method: &'static str,
    backend: Backend,
    polishes: bool,
}

impl Row {
    fn all(aims: &[Aim], backends: &[Backend]) -> Vec<Row> {
        let mut rows = Vec::new();
        for &aim in aims {
            for &backend in backends {
                for method in ["auto", aim.method] {
                    for polishes in [true, false] {
                        rows.push(Row { aim, method, backend, polishes });
                    }
                }
            }
        }
        rows
    }

    /// The optimiser, created as a user would.
    fn optimiser(&self, seed: u64, limit: f64) -> Result<Optimiser<f64>> {
        let settings = Settings {
            seed,
            stop: Stop::target(self.aim.target()?).or_seconds(limit),
            polish: if self.polishes { None } else { Some(false) },
            backend: self.backend,
            ..Settings::default()
        };
        let info = problems::find(self.aim.problem)?;
        let algorithm = algorithms::find(self.method)?.algorithm();
        let bounds = info.bounds(self.aim.dimensions)?;
        Ok(info.optimiser(self.aim.shift, &bounds, &algorithm, &settings)?)
    }

    /// The seconds of a whole solve, and whether it has reached the target.
    fn solve(&self, seed: u64, limit: f64) -> Result<(f64, bool)> {
        let start = Instant::now();
        let report = self.optimiser(seed, limit)?.run()?;
        let best = report.best();
        let is_there = best.violation == 0.0 && best.value <= self.aim.target()?;
        Ok((start.elapsed().as_secs_f64(), is_there))
    }

    /// Solves with each seed as long as there is time; stops if all of the first ones fail.
    fn tried(&self, seeds: u64, seconds: f64) -> Result<Tried> {
        let limit = if self.polishes { LIMIT_BEFORE_POLISH } else { LIMIT };
        // Warm-up: one solve that is not counted compiles everything.
        self.solve(seeds, 0.1)?;
        let start = Instant::now();
        let mut tried = Tried::default();
        while tried.tried < seeds {
            let least = tried.tried >= LEAST_SEEDS.min(seeds);
            if least && (tried.seconds.is_empty() || start.elapsed().as_secs_f64() > seconds) {
                break;
            }
            let (seconds, is_there) = self.solve(tried.tried, limit)?;
            tried.tried += 1;
            tried.seconds.extend(is_there.then_some(seconds));
        }
        Ok(tried)
    }

    fn line(&self, tried: &Tried) -> String {
        let Row { aim: Aim { problem, dimensions, .. }, method, backend, polishes } = self;
        let polish = if *polishes { "yes" } else { "no" };
        let seconds = tried.median().map_or_else(String::new, |seconds| format!("{seconds:.6}"));
        let (succeeded, all) = (tried.seconds.len(), tried.tried);
        format!(
            "warpswarm,{method},{problem},{dimensions},{backend},{polish},{seconds},{succeeded},{all},"
        )
    }
}

/// The results of a row.
#[derive(Clone, Debug, Default)]
struct Tried {
    /// The times of the solves that have reached the target.
    seconds: Vec<f64>,
    tried: u64,
}

impl Tried {
    fn median(&self) -> Option<f64> {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let (low, high) =
            (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
        Some(0.5 * (low + high))
    }
}

/// Prints the table.
pub(crate) fn table(words: &[String]) -> Result<()> {
    let (aims, seeds) = asked(words)?;
    let start = Instant::now();
    let mut backends = vec![Backend::Cpu];
    match system::report().devices.first() {
        Some(device) => {
            backends.insert(0, Backend::Gpu);
            println!("# gpu: {}", device.name);
            warm_up(&Row::all(&aims, &[Backend::Gpu]));
        }
        None => println!("# there is no GPU: the CPU alone"),
    }
    println!(
        "# cpu: {} threads; {:.1} s to compile kernels",
        std::thread::available_parallelism().map_or(1, usize::from),
        start.elapsed().as_secs_f64()
    );
    println!("{HEADER}");
    let rows = Row::all(&aims, &backends);
    for (number, row) in rows.iter().enumerate() {
        let left = SECONDS - start.elapsed().as_secs_f64();
        match row.tried(seeds, left / (rows.len() - number).min(PARTS) as f64) {
            Ok(tried) => println!("{}", row.line(&tried)),
            Err(error) => {
                let Row { aim, method, backend, .. } = row;
                println!("# {} by {method} on {backend}: {error:#}", aim.problem);
            }
        }
    }
    Ok(())
}

/// Compiles all kernels in parallel. Errors are ignored, because they occur again later and are reported then.
fn warm_up(rows: &[Row]) {
    let one_of_two: Vec<&Row> = rows.iter().filter(|row| !row.polishes).collect();
    together::each(&one_of_two, |row| drop(row.optimiser(0, LIMIT)));
}

/// The requested problems and number of seeds.
fn asked(words: &[String]) -> Result<(Vec<Aim>, u64)> {
    let (mut aims, mut seeds) = (AIMS.to_vec(), SEEDS);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match &word[..] {
            "--quick" => seeds = FEW_SEEDS,
            "--only" => {
                let names = words.next().context("--only wants names, with commas between them")?;
                let names: Vec<&str> = names.split(',').collect();
                let known = |name: &&&str| AIMS.iter().any(|aim| aim.problem == **name);
                if let Some(name) = names.iter().find(|name| !known(name)) {
                    let mut all: Vec<&str> = AIMS.iter().map(|aim| aim.problem).collect();
                    all.sort_unstable();
                    all.dedup();
                    bail!("no problem {name}; allowed: {}", all.join(", "));
                }
                aims.retain(|aim| names.contains(&aim.problem));
            }
            _ => bail!("{word}: allowed are --quick and --only PROBLEM,PROBLEM"),
        }
    }
    Ok((aims, seeds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_near_the_optima() {
        let target =
            |name: &str| AIMS.iter().find(|aim| aim.problem == name).unwrap().target().unwrap();
        assert_eq!(target("sphere"), 1e-8);
        assert!((target("schwefel-2.26") - -4_189.828_872_714_337).abs() < 1e-9);
        // 1.724852308597365 plus one millionth of it.
        assert!((target("welded-beam") - 1.724_854_033_449_673_6).abs() < 1e-14);
        assert!(AIMS.iter().all(|aim| aim.target().is_ok()));
    }

    #[test]
    fn a_solve_comes_to_its_target_or_not() {
        let of = |name| *AIMS.iter().find(|aim| aim.problem == name).unwrap();
        let row =
            |name, method, polishes| Row { aim: of(name), method, backend: Backend::Cpu, polishes };
        let tried = row("rosenbrock", "cma-es", false).tried(2, 0.0).unwrap();
        assert_eq!((tried.seconds.len(), tried.tried), (2, 2));
        let tried = row("three-bar-truss", "shade", true).tried(1, 0.0).unwrap();
        assert_eq!(tried.seconds.len(), 1);
        // Without time, there are only the initial points.
        assert!(!row("rastrigin", "auto", true).solve(0, 0.0).unwrap().1);
    }

    #[test]
    fn medians_are_of_those_that_succeed() {
        let row = Row { aim: AIMS[0], method: "auto", backend: Backend::Cpu, polishes: false };
        let line = |seconds: &[f64]| row.line(&Tried { seconds: seconds.to_vec(), tried: 3 });
        assert_eq!(line(&[0.5, 0.25]), "warpswarm,auto,sphere,10,cpu,no,0.375000,2,3,");
        assert_eq!(line(&[3.0, 1.0, 2.0]), "warpswarm,auto,sphere,10,cpu,no,2.000000,3,3,");
        assert_eq!(line(&[]), "warpswarm,auto,sphere,10,cpu,no,,0,3,");
        assert_eq!(line(&[]).matches(',').count(), HEADER.matches(',').count());
    }

    #[test]
    fn problems_are_asked_for_by_name() {
        let read =
            |words: &str| asked(&words.split_whitespace().map(String::from).collect::<Vec<_>>());
        assert_eq!(read("").unwrap(), (AIMS.to_vec(), SEEDS));
        let (aims, seeds) = read("--quick --only rastrigin,spring").unwrap();
        assert_eq!((aims.len(), seeds), (3, FEW_SEEDS));
        assert!(read("--only rastrgin").unwrap_err().to_string().contains("allowed: ackley, "));
        assert!(read("--only").is_err() && read("--check").is_err());
    }
}
