//! The speed-up of several devices of a host over one device, for a batch of runs and for one large swarm that is
//! split. Prints CSV. It is an error if the results of a row do not have the same bits as those of one device.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use warpswarm::{
    Algorithm, Backend, Bounds, DeParams, Devices, Optimiser, PsoParams, RunReport, Schedule,
    Settings, Stop, problems, system,
};

/// The number of rounds; a row shows the median. Each round measures all numbers of devices.
const ROUNDS: usize = 5;

struct Case {
    name: &'static str,
    algorithm: Algorithm,
    individuals: u64,
    dimensions: usize,
    runs: u64,
    iterations: u64,
    split: bool,
}

/// The cases for this number of devices. The size of the split swarm is proportional to it.
fn cases(devices: u64) -> Vec<Case> {
    let pso: Algorithm = PsoParams::default().into();
    let batch = |name, algorithm, (individuals, runs), iterations| Case {
        name,
        algorithm,
        individuals,
        dimensions: 30,
        runs,
        iterations,
        split: false,
    };
    let split = |name, each: u64| Case {
        name,
        algorithm: pso,
        individuals: devices * each,
        dimensions: 100,
        runs: 1,
        iterations: 200,
        split: true,
    };
    vec![
        batch("pso, 100,000 runs of 64", pso, (64, 100_000), 1_000),
        batch("pso, 4,000 runs of 1,024", pso, (1_024, 4_000), 1_000),
        batch("de, 100,000 runs of 64", DeParams::default().into(), (64, 100_000), 500),
        split("split, 1,048,576 a device", 1 << 20),
        split("split, 262,144 a device", 1 << 18),
    ]
}

impl Case {
    /// Seconds and results on the first `devices` devices.
    fn measure(&self, devices: u32, seed: u64) -> Result<(f64, Vec<RunReport<f32>>)> {
        let bounds = Bounds::uniform(self.dimensions, -5.12, 0.9 * 5.12)?;
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed,
            stop: Stop::iterations(self.iterations + 1),
            backend: Backend::Gpu,
            devices: Devices::Of((0..devices).collect()),
            split: self.split,
            schedule: if self.split { Schedule::Streaming } else { Schedule::Auto },
            ..Settings::default()
        };
        let rastrigin = &problems::Rastrigin;
        let mut optimiser = Optimiser::<f32>::new(rastrigin, &bounds, &self.algorithm, &settings)?;
        optimiser.step(1)?;
        let start = Instant::now();
        optimiser.step(self.iterations)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok((seconds, optimiser.run()?.runs))
    }

    /// The median times of one device, two devices, and so on.
    fn row(&self, devices: u32) -> Result<Vec<f64>> {
        let counts = 1..=devices;
        let mut seconds = vec![Vec::new(); devices as usize];
        for round in 0..ROUNDS {
            let mut one = None;
            for count in counts.clone() {
                let (took, runs) = self.measure(count, round as u64)?;
                let one = one.get_or_insert_with(|| runs.clone());
                ensure!(*one == runs, "{count} devices gave other numbers than one");
                seconds[count as usize - 1].push(took);
            }
        }
        let median = |mut all: Vec<f64>| {
            all.sort_by(f64::total_cmp);
            all[ROUNDS / 2]
        };
        Ok(seconds.into_iter().map(median).collect())
    }
}

/// Prints the table.
pub(crate) fn table() -> Result<()> {
    let devices = system::report().devices;
    let count = devices.len() as u32;
    ensure!(count > 1, "there are {count} GPUs, and two at least are needed");
    println!("# {count} x {}", devices[0].name);
    println!("case,devices,seconds,times as fast as one");
    for case in cases(u64::from(count)) {
        let seconds = case.row(count).context(case.name)?;
        for (devices, took) in (1..).zip(&seconds) {
            println!("\"{}\",{devices},{took:.4},{:.3}", case.name, seconds[0] / took);
        }
    }
    Ok(())
}
