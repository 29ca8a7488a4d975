//! The compared implementations. The library runs them in this process, because each set of solutions has its own data
//! and bounds, which the program's command line cannot express.

use anyhow::{Result, anyhow, ensure};
use warpswarm::problems::ImageRegistration;
use warpswarm::{
    Algorithm, Backend, Bounds, OwnObjective, Report, Schedule, Settings, Stop, algorithms,
};

use super::models::{self, MODELS};
use crate::reproduce::Options;
use crate::reproduce::measure::Load;
use crate::reproduce::program::{Place, Run, Solved};

/// The place where the swarm is moved, and where it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Both on one thread, as in the paper's C++ program.
    Cpu,
    /// Both on all threads; not in the paper.
    Threads,
    /// The swarm on the GPU, its evaluation on one thread.
    Hosted,
    /// Both on the GPU.
    Gpu,
}

impl Method {
    pub(crate) const ALL: [Method; 4] = [Method::Cpu, Method::Threads, Method::Hosted, Method::Gpu];
    const ON_CPU: [Method; 2] = [Method::Cpu, Method::Threads];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Cpu => "CPU",
            Method::Threads => "CPU, threads",
            Method::Hosted => "CPU + GPU",
            Method::Gpu => "GPU",
        }
    }

    /// Backend, schedule, and number of threads.
    fn place(self, gpu: Backend) -> (Backend, Schedule, Option<usize>) {
        match self {
            Method::Cpu => (Backend::Cpu, Schedule::Auto, Some(1)),
            Method::Threads => (Backend::Cpu, Schedule::Auto, None),
            Method::Hosted => (gpu, Schedule::Hosted, Some(1)),
            Method::Gpu => (gpu, Schedule::Auto, None),
        }
    }
}

/// A position on the axes of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) generations: u64,
    pub(crate) particles: u64,
}

/// The sets of solutions that are optimised at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sets {
    Both,
    /// One set, with the same random numbers as in a run of both.
    Alone(usize),
}

/// The objective and its bounds.
type Fit = (OwnObjective<f32, ImageRegistration>, Bounds);

/// The methods that can run on this machine.
#[derive(Debug)]
pub(crate) struct Bench {
    algorithm: Algorithm,
    both: Fit,
    alone: [Fit; 2],
    /// The backend of the GPU; `None` without a GPU.
    gpu: Option<Backend>,
}

impl Bench {
    /// A bench with the backend of the options as the GPU, unless it is the CPU.
    pub(crate) fn new(options: &Options) -> Result<Bench> {
        let backend: Backend = options.backend.parse()?;
        let mut algorithm = algorithms::find("pso")?.algorithm();
        algorithm.set("preset", "libcudaoptimize")?;
        let [first, second] = MODELS;
        Ok(Bench {
            algorithm,
            both: models::objective(&MODELS)?,
            alone: [models::objective(&[first])?, models::objective(&[second])?],
            gpu: (backend != Backend::Cpu).then_some(backend),
        })
    }

    pub(crate) fn methods(&self) -> &'static [Method] {
        if self.gpu.is_some() { &Method::ALL } else { &Method::ON_CPU }
    }

    /// Runs a method, and checks that all iterations were executed.
    pub(crate) fn ask(
        &self,
        method: Method,
        sets: Sets,
        particles: u64,
        load: Load,
    ) -> Result<Solved> {
        let (backend, schedule, threads) = method.place(self.gpu.unwrap_or(Backend::Gpu));
        let ((objective, bounds), first_run) = match sets {
            Sets::Both => (&self.both, 0),
            Sets::Alone(set) => (&self.alone[set], set as u64),
        };
        let settings = Settings {
            individuals: particles,
            runs: if sets == Sets::Both { MODELS.len() as u64 } else { 1 },
            first_run,
            seed: load.seed,
            stop: Stop::iterations(load.work),
            backend,
            schedule,
            threads,
            polish: Some(false),
            ..Settings::default()
        };
        let report = warpswarm::minimise(objective, bounds, &self.algorithm, &settings)
            .map_err(|error| anyhow!("{}: {error}", method.name()))?;
        let done = report.runs.iter().all(|run| run.iterations == load.work);
        ensure!(done, "{}: not all iterations were done, {load:?}", method.name());
        Ok(solved(&report))
    }
}

/// The report in the form of the program's output.
fn solved(report: &Report<f32>) -> Solved {
    let run = |run: &warpswarm::RunReport<f32>| Run {
        value: f64::from(run.best.value),
        violation: f64::from(run.best.violation),
        position: run.best.position.iter().map(|&x| f64::from(x)).collect(),
        constraints: Vec::new(),
        evaluations: run.evaluations,
        iterations: run.iterations,
    };
    Solved {
        seconds: report.seconds,
        place: Place {
            backend: report.backend.name().into(),
            device: report.device.clone(),
            schedule: report
                .schedule()
                .map_or_else(|| "-".into(), |schedule| schedule.name().into()),
            block_size: report.plan.map(|plan| plan.block.into()),
        },
        runs: report.runs.iter().map(run).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::models::DIMENSIONS;
    use super::*;
    use crate::reproduce::tests::long;

    fn bench(backend: &str) -> Bench {
        let options = Options { quick: true, backend: backend.into(), budget: 1.0 };
        Bench::new(&options).unwrap()
    }

    #[test]
    fn the_sets_have_the_same_bits_everywhere() {
        let bench = bench("emulator");
        let load = Load { work: 4, seed: 3 };
        let by = |method| bench.ask(method, Sets::Both, 20, load).unwrap().runs;
        let expected = by(Method::Cpu);
        for method in Method::ALL {
            assert_eq!(by(method), expected, "{}", method.name());
        }
        // Each set has the same result as alone.
        for (set, run) in expected.iter().enumerate() {
            for method in [Method::Cpu, Method::Gpu] {
                let alone = bench.ask(method, Sets::Alone(set), 20, load).unwrap();
                assert_eq!(alone.runs, std::slice::from_ref(run), "{}", method.name());
            }
        }
        // Each set fits another model; the second one has two parameters less.
        let [first, second] = &expected[..] else { panic!("{expected:?}") };
        assert_ne!(first.value, second.value);
        for (run, model) in [first, second].into_iter().zip(MODELS) {
            assert_eq!(run.position.len(), DIMENSIONS);
            assert!(run.position[model.parameters..].iter().all(|&x| x == 0.0), "{run:?}");
        }
    }

    /// This is not true for all seeds: with one of three others, the first set is still in a local minimum at 0.5 after
    /// 5,000 generations. It takes half a minute, so it is tested only with `WARPSWARM_LONG=1` in the environment.
    #[test]
    fn each_set_finds_its_model() {
        if !long() {
            return;
        }
        let found =
            bench("cpu").ask(Method::Threads, Sets::Both, 64, Load { work: 4_000, seed: 4 });
        for (run, model) in found.unwrap().runs.iter().zip(MODELS) {
            assert!(run.value < 1e-3, "{run:?}");
            for (x, truth) in run.position.iter().zip(model.placement()) {
                assert!((x - truth).abs() < 0.05, "{run:?}");
            }
        }
    }

    #[test]
    fn places_of_methods() {
        let places = Method::ALL.map(|method| method.place(Backend::Gpu));
        assert_eq!(places[0], (Backend::Cpu, Schedule::Auto, Some(1)));
        assert_eq!(places[2], (Backend::Gpu, Schedule::Hosted, Some(1)));
        assert_eq!((bench("cpu").methods().len(), bench("emulator").methods().len()), (2, 4));
    }
}
