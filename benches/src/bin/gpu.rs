//! What an iteration costs on the GPU: CPSO's table and the streaming schedule, for each block size.
//!
//! Prints one line a measurement, `case individuals dimensions plan iterations seconds ...`. With
//! `--quick` a tenth of the iterations. Run the peers in the same sitting and compare.

use std::time::Instant;

use anyhow::Result;
use warpswarm::problems;
use warpswarm::{Algorithm, Backend, Bounds, DeParams, Optimiser, PsoParams, Schedule, Settings};

/// One swarm, to be timed.
struct Case {
    name: &'static str,
    problem: &'static str,
    individuals: u64,
    dimensions: usize,
    runs: u64,
    iterations: u64,
    bounds: (f64, f64),
    algorithm: Algorithm,
    schedule: Schedule,
}

impl Case {
    fn optimiser(&self, block_size: Option<u32>, seed: u64) -> Result<Optimiser<f32>> {
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed,
            backend: Backend::Gpu,
            schedule: self.schedule,
            block_size,
            ..Settings::default()
        };
        let (lower, upper) = self.bounds;
        let bounds = Bounds::uniform(self.dimensions, lower, upper)?;
        let info = problems::find(self.problem)?;
        Ok(info.optimiser::<f32>(0.0, &bounds, &self.algorithm, &settings)?)
    }

    /// Seconds of three repetitions, after a warm-up, sorted.
    fn time(&self, block_size: Option<u32>) -> Result<(String, [f64; 3])> {
        let mut seconds = [0.0; 3];
        let mut plan = String::new();
        for (seed, slot) in (0..).zip(&mut seconds) {
            // From the start, as the peers do: improvements are many at first and few later.
            let mut optimiser = self.optimiser(block_size, seed)?;
            optimiser.step(1)?;
            let start = Instant::now();
            optimiser.step(self.iterations)?;
            *slot = start.elapsed().as_secs_f64();
            plan = optimiser.plan().map_or_else(String::new, |plan| {
                let tile = plan.tile.unwrap_or("any");
                format!("{}/{tile}/b{}/t{}", plan.schedule, plan.blocks_per_run, plan.block)
            });
        }
        seconds.sort_by(f64::total_cmp);
        Ok((plan, seconds))
    }

    fn print(&self, block_size: Option<u32>) {
        let Case { name, individuals, dimensions, iterations, .. } = self;
        match self.time(block_size) {
            Ok((plan, [least, median, most])) => {
                let each = median / *iterations as f64 * 1e6;
                let bytes = 20.0 * (self.runs * individuals * *dimensions as u64) as f64;
                let rate = bytes / each * 1e-6;
                println!(
                    "{name} {individuals} {dimensions} {plan} {iterations} {least:.6} {median:.6} \
                     {most:.6} s, {each:.3} us/iteration, {rate:.2} TB/s"
                );
            }
            Err(error) => println!("{name} {individuals} {dimensions} {block_size:?}: {error}"),
        }
    }
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let tenth = |iterations: u64| if quick { iterations / 10 } else { iterations };
    let blocks = [Some(32), Some(64), Some(128), Some(256), Some(512), Some(1024), None];
    for power in 5..17 {
        let case = Case {
            name: "cpso_paper",
            problem: "euclidean",
            individuals: 1 << power,
            dimensions: 2,
            runs: 1,
            iterations: tenth(100_000),
            bounds: (-100.0, 100.0),
            algorithm: PsoParams::cpso_paper().into(),
            schedule: Schedule::Resident,
        };
        case.print(None);
    }
    let small = |name, problem, individuals, dimensions, runs, iterations| Case {
        name,
        problem,
        individuals,
        dimensions,
        runs,
        iterations: tenth(iterations),
        bounds: if problem == "sphere" { (-100.0, 90.0) } else { (-5.12, 0.9 * 5.12) },
        algorithm: PsoParams::default().into(),
        schedule: Schedule::Resident,
    };
    let cases = [
        small("n32_d2", "sphere", 32, 2, 1, 10_000),
        small("n1k_d2", "sphere", 1_024, 2, 1, 10_000),
        small("n64k_d2", "sphere", 65_536, 2, 1, 10_000),
        small("n768_d30", "rastrigin", 768, 30, 1, 1_000),
        small("batch1000", "rastrigin", 64, 10, 1_000, 1_000),
        Case {
            algorithm: DeParams::default().into(),
            ..small("de_n768_d30", "rastrigin", 768, 30, 1, 10_000)
        },
        Case { schedule: Schedule::Auto, ..small("n64k_d30", "rastrigin", 65_536, 30, 1, 1_000) },
        Case {
            schedule: Schedule::Streaming,
            ..small("n1m_d100", "rastrigin", 1 << 20, 100, 1, 500)
        },
    ];
    for case in &cases {
        case.print(None);
    }
    if std::env::args().any(|argument| argument == "--tune") {
        for power in [10, 11, 12, 13, 14, 15, 16] {
            for block in blocks {
                let case = Case {
                    name: "tune",
                    problem: "euclidean",
                    individuals: 1 << power,
                    dimensions: 2,
                    runs: 1,
                    iterations: 5_000,
                    bounds: (-100.0, 100.0),
                    algorithm: PsoParams::cpso_paper().into(),
                    schedule: Schedule::Resident,
                };
                case.print(block);
            }
        }
        for case in &cases[3..] {
            for block in blocks {
                case.print(block);
            }
        }
    }
}
