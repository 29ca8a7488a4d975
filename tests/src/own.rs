//! The same statement for your own objective, with separate data, bounds, scales, initial points, seeds and stop
//! conditions for each run.

use probe::Probe;
use warpswarm::{
    Algorithm, Backend, Bounds, Data, DeParams, GpuFwaParams, Kernels, Optimiser, OwnObjective,
    Precise, PsoParams, RunSettings, Scale, Settings, Stop, faults, minimise,
};
use warpswarm_cpu_ref::Swarm;

use crate::{Place, assert_same, by_precision};

pub(crate) const KERNELS: Kernels =
    Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")))
        .with_emulated_objectives(&[
            probe::probe::f32,
            probe::probe::f64,
            probe::beyond::f32,
            probe::beyond::f64,
        ])
        .with_emulated(&[probe::decay::all, probe::probe::gradients]);

const RUNS: u64 = 3;

/// A case to run.
#[derive(Clone, Copy, Debug)]
struct Case {
    dimensions: usize,
    individuals: u64,
    runs: u64,
    /// Whether the runs differ in every per-run setting.
    differ: bool,
    /// Whether coordinates have other scales, and the objective is maximised.
    scaled: bool,
}

impl Case {
    fn objective<R: Precise>(self) -> OwnObjective<R, Probe> {
        let (mut data, runs) = (Data::new(), self.runs as usize);
        let numbers = |count: usize, by: f64| -> Vec<R> {
            (0..count).map(|i| R::from_f64(1.0 + by * (i % 11) as f64)).collect()
        };
        let axis = [4.3, 0.7, 2.6, 5.1];
        let pairs = |of: fn(f64, f64) -> f64| -> Vec<f64> {
            axis.iter().flat_map(|&a| axis.map(|b| of(a, b))).collect()
        };
        let tables = (|| {
            Ok::<_, warpswarm::Error>(Probe {
                curve: data.curve(&axis, &[0.3, 0.1, 0.4, 0.2])?,
                surface: data.surface(
                    &pairs(|a, _| a),
                    &pairs(|_, b| b),
                    &pairs(|a, b| a * b / 16.0),
                )?,
                near: data.table_of_runs(numbers(runs * 5, 0.25), self.runs)?,
                weights: data.table(numbers(70, 0.01))?,
                values: data.table_of_runs(numbers(runs * 70, 0.125), self.runs)?,
            })
        })();
        let probe = tables.expect("whole runs of numbers");
        OwnObjective::new("Probe", probe).with_data(data).with_kernels(KERNELS)
    }

    fn bounds(self) -> Result<Bounds, warpswarm::Error> {
        let of_run = |run: usize| {
            let (lower, upper) =
                (vec![0.5; self.dimensions], vec![4.0 + (run % 3) as f64; self.dimensions]);
            let scale = |i| match i % 3 {
                _ if !self.scaled => Scale::Linear,
                0 => Scale::Log,
                1 => Scale::Integer,
                _ => Scale::Linear,
            };
            let bounds = Bounds::new(lower, upper)?.with_scales((0..self.dimensions).map(scale))?;
            if !self.differ {
                return bounds.beginning_at(&[vec![2.0; self.dimensions]]);
            }
            let first: Vec<_> =
                (0..run % 3).map(|k| vec![1.0 + k as f64; self.dimensions]).collect();
            bounds.beginning_at(&first)
        };
        if self.differ {
            Bounds::of_runs((0..self.runs as usize).map(of_run).collect::<Result<Vec<_>, _>>()?)
        } else {
            of_run(0)
        }
    }

    fn run<R: Precise>(
        self,
        algorithm: &Algorithm,
        place: Place,
    ) -> Result<Vec<Swarm<R>>, warpswarm::Error> {
        let own = [
            RunSettings { seed: Some(5), ..RunSettings::default() },
            RunSettings { stagnation: Some(2), ..RunSettings::default() },
            RunSettings {
                target: Some(if self.scaled { 9.0 } else { 60.0 }),
                ..RunSettings::default()
            },
        ];
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed: 7,
            stop: Stop::default(),
            of_runs: if self.differ { own.to_vec() } else { Vec::new() },
            maximise: self.scaled,
            backend: place.backend,
            devices: place.devices.parse()?,
            schedule: place.schedule,
            block_size: place.block_size,
            threads: place.threads,
            polish: Some(false),
            ..Settings::default()
        };
        let mut optimiser =
            Optimiser::new(&self.objective::<R>(), &self.bounds()?, algorithm, &settings)?;
        optimiser.step(6)?;
        optimiser.state()
    }

    /// Computes gradients on a device, and compares their bits with the CPU's, and these with finite differences.
    fn check_gradients<R: Precise>(self, backend: Backend) {
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            maximise: self.scaled,
            backend,
            polish: Some(true),
            ..Settings::default()
        };
        let bounds = self.bounds().unwrap();
        let algorithm = PsoParams::default().into();
        let mut optimiser =
            Optimiser::new(&self.objective::<R>(), &bounds, &algorithm, &settings).unwrap();
        let found = optimiser.derivatives().unwrap();
        let what = format!("{self:?} in {}: {found}", R::NAME);
        assert!(found.compared > 0 && found.are_fine(), "{what}");
        let each = 1 + self.dimensions as u64;
        assert_eq!(found.on_device, self.runs * self.individuals * each, "{what}");
    }

    /// Runs local searches on a device, and compares the bits of the results with the CPU's; returns how many runs have
    /// moved.
    fn check_polish<R: Precise>(self, backend: Backend) -> usize {
        let runs = |backend| {
            let settings = Settings {
                individuals: self.individuals,
                runs: self.runs,
                maximise: self.scaled,
                stop: Stop::iterations(6),
                backend,
                polish: Some(true),
                ..Settings::default()
            };
            let (bounds, algorithm) = (self.bounds().unwrap(), PsoParams::default().into());
            let objective = self.objective::<R>();
            minimise(&objective, &bounds, &algorithm, &settings).unwrap().runs
        };
        let expected = runs(Backend::Cpu);
        let found = faults::polishing_on_device(|| runs(backend));
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(expected, found, "{self:?} in {}", R::NAME);
        }
        expected.iter().filter(|run| run.polish.is_some_and(|of| of.steps > 1)).count()
    }

    fn check_in<R: Precise>(self, algorithm: &Algorithm, places: &[Place]) {
        if places.is_empty() {
            return;
        }
        let expected = self.run::<R>(algorithm, Place::REFERENCE).unwrap();
        if self.differ {
            let seeds: Vec<_> = expected.iter().map(|swarm| swarm.id.seed).collect();
            assert_eq!(seeds, [5, 7, 7]);
        }
        for &place in places {
            let what = format!("{self:?} in {} at {place:?} by {algorithm:?}", R::NAME);
            let found =
                self.run::<R>(algorithm, place).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_same(&expected, &found, what);
        }
    }
}

/// Runs several algorithms in all places, and requires the reference's bits, in the precisions of [`by_precision`].
///
/// # Panics
///
/// If a place cannot run it, or if it differs; the message names the first array and element that differ.
pub fn check(dimensions: &[usize], places: &[Place]) {
    let algorithms: [Algorithm; 3] =
        [PsoParams::default().into(), DeParams::default().into(), GpuFwaParams::default().into()];
    for (&dimensions, individuals) in dimensions.iter().zip([5, 33, 70].into_iter().cycle()) {
        for (differ, scaled) in [(true, false), (false, true), (true, true)] {
            let case = Case { dimensions, individuals, runs: RUNS, differ, scaled };
            for algorithm in &algorithms {
                let [single, double] = by_precision(&(case, algorithm), places);
                case.check_in::<f32>(algorithm, &single);
                case.check_in::<f64>(algorithm, &double);
            }
        }
    }
}

/// Requires the CPU's bits for the gradients of a device, in both precisions.
///
/// # Panics
///
/// If a gradient differs, or is not the gradient of the evaluated function.
pub fn check_gradients(dimensions: &[usize], backend: Backend) {
    for (&dimensions, individuals) in dimensions.iter().zip([5, 33, 70].into_iter().cycle()) {
        for (differ, scaled) in [(true, false), (false, true), (true, true)] {
            let case = Case { dimensions, individuals, runs: RUNS, differ, scaled };
            case.check_gradients::<f32>(backend);
            case.check_gradients::<f64>(backend);
        }
    }
}

/// Requires the CPU's results for this number of local searches on a device, in both precisions.
///
/// # Panics
///
/// If a result differs.
pub fn check_polish(dimensions: &[usize], runs: u64, backend: Backend) {
    let (mut moved, mut all) = (0, 0);
    for (&dimensions, individuals) in dimensions.iter().zip([5, 33, 70].into_iter().cycle()) {
        for (differ, scaled) in [(true, false), (false, true), (true, true)] {
            let case = Case { dimensions, individuals, runs, differ, scaled };
            moved += case.check_polish::<f32>(backend) + case.check_polish::<f64>(backend);
            all += 2 * runs as usize;
        }
    }
    assert!(3 * moved > all, "{moved} of {all} runs have moved");
}
