//! Chooses between CPU and GPU by the expected time.
//!
//! | | seconds |
//! |---|---|
//! | CPU | iterations x evaluations x (evaluation + coordinates x coordinate) / threads + iterations x spreading |
//! | GPU | set-up + iterations x (iteration + coordinates x dimension + evaluations x coordinates x coordinate) |
//!
//! It is an estimate from sizes and limits, for an objective that costs about as much as the move. Nothing is measured
//! at run time, so that the same call leads to the same choice, except that the cost of starting the driver does not
//! count if it is already running. `docs/performance.md` shows how good the estimate is, and `cargo xtask bench gpu
//! --choices` measures it.

use warpswarm_core::Float;

use crate::engine::{Job, Procedure};
use crate::machine::system;
use crate::settings::limit::Limit;
use crate::settings::{DEFAULT_ITERATIONS, Settings};

/// The costs of a kind of algorithm in f32, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Costs {
    /// On one CPU thread while all are busy: an evaluation, plus each of its coordinates.
    cpu: (f64, f64),
    /// On the GPU: an iteration with few coordinates, plus each dimension of a point, plus each coordinate of all
    /// points.
    gpu: (f64, f64, f64),
}

// Rastrigin, 2026-11-23: one H200 (132 multiprocessors), and 16 threads of its host's Xeon (Sapphire Rapids). An
// evaluation of PSO in 2, 30 and 100 dimensions took a thread 35, 145 and 375 ns, one of DE in 30 dimensions 200 ns; on
// another such machine, or under more load, a third more. An iteration of 32 particles in 2, 30 and 100 dimensions took
// the GPU 0.3, 0.8 and 1.0 to 2.5 us, a million in 2, 30 and 100 dimensions 10, 7 and 7 ps per coordinate; 32
// individuals of DE 2.8, 2.9 and 11 us, a million 24, 26 and 30 ps.

/// The kernels of PSO.
const PSO: Costs = Costs { cpu: (28e-9, 3.7e-9), gpu: (0.3e-6, 12e-9, 10e-12) };
/// The kernels of methods.
const METHOD: Costs = Costs { cpu: (50e-9, 5e-9), gpu: (2.6e-6, 20e-9, 30e-12) };
/// CMA-ES and `auto`, for which an evaluation also costs a matrix-vector product. In f64, 2026-11-29: `auto` took 1.1
/// us per evaluation in 30 dimensions on one thread. On an H200, 2026-11-27, a generation of 10 x 10 and 14 x 30 took
/// 15.2 and 20.6 us, of 1,000 runs 32.8 and 68.6 us; an iteration of `auto` in 30 dimensions took 11.2 us, and of 1,000
/// runs in 10 dimensions 513 us.
const PORTFOLIO: Costs = Costs { cpu: (50e-9, 17e-9), gpu: (5e-6, 0.05e-6, 0.15e-9) };
/// Dividing an iteration among the CPU's threads: 512 to 131,072 particles took 10 to 17 us more than their share.
const SPREADING: f64 = 14e-6;
/// From the start of the driver to the first iteration: 0.20 to 0.23 s with compiled kernels in the driver's cache. If
/// the driver is already running, the time to load these kernels.
const SETUP: f64 = 0.22;
const LOADING: f64 = 0.01;
/// The number of multiprocessors of the measured GPU.
pub(crate) const MEASURED_ON: u32 = 132;

/// The work of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    /// The largest number of iterations.
    iterations: f64,
    /// The largest number of seconds of stepping.
    seconds: f64,
    /// The evaluations of an iteration, of all runs.
    evaluations: f64,
    /// The number of dimensions, plus the count of data that an evaluation can read.
    coordinates: f64,
    /// The number of 32-bit words of a number.
    words: f64,
    threads: f64,
    costs: Costs,
}

impl Work {
    /// The work of a job whose objective has `data` numbers of data.
    pub(crate) fn new<R: Float>(job: &Job<R>, data: usize, settings: &Settings) -> Self {
        let stop = &settings.stop;
        let expected = |iterations| job.expected_evaluations(iterations);
        let limit = Limit::new(stop, |iterations| Some(expected(iterations))).given();
        // An unknown number: a run that stagnates does so after at least that many iterations.
        let unlimited = stop.stagnation.map(|least| least.max(DEFAULT_ITERATIONS));
        let iterations = limit.or(unlimited).map_or(f64::INFINITY, |iterations| iterations as f64);
        // Iterations may differ in evaluations: use the mean of some.
        let some = limit.unwrap_or(DEFAULT_ITERATIONS).clamp(1, DEFAULT_ITERATIONS);
        let all = expected(some).saturating_sub(job.individuals.into());
        Work {
            iterations,
            seconds: stop.seconds.unwrap_or(f64::INFINITY),
            evaluations: all as f64 / some as f64 * f64::from(job.runs),
            coordinates: (job.dimensions + data) as f64,
            words: R::WORDS as f64,
            threads: settings.threads.unwrap_or_else(system::threads) as f64,
            costs: match job.procedure {
                Procedure::Pso(_) => PSO,
                Procedure::Portfolio(_) => PORTFOLIO,
                _ => METHOD,
            },
        }
    }

    /// Seconds of an iteration on the CPU.
    fn on_cpu(&self) -> f64 {
        let (evaluation, coordinate) = self.costs.cpu;
        let serial = self.words * self.evaluations * (evaluation + coordinate * self.coordinates);
        serial.min(serial / self.threads + SPREADING)
    }

    /// Seconds of an iteration on a GPU.
    fn on_gpu(&self, multiprocessors: u32) -> f64 {
        let (iteration, dimension, coordinate) = self.costs.gpu;
        let share = f64::from(MEASURED_ON) / f64::from(multiprocessors);
        let all = coordinate * share * self.evaluations * self.coordinates;
        self.words * (iteration + dimension * self.coordinates + all)
    }

    /// Whether a GPU with this number of multiprocessors is expected to finish first; `started` says whether its driver
    /// is running.
    pub(crate) fn is_for_gpu(&self, multiprocessors: u32, started: bool) -> bool {
        let cpu = self.on_cpu();
        // As many iterations as the CPU does within the time limit.
        let iterations = self.iterations.min(self.seconds / cpu);
        let before = if started { LOADING } else { SETUP };
        before + iterations * self.on_gpu(multiprocessors) < iterations * cpu
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rastrigin in 30 dimensions for 1,000 iterations of 512 particles, 16 threads.
    const WORK: Work = Work {
        iterations: 1000.0,
        seconds: f64::INFINITY,
        evaluations: 512.0,
        coordinates: 30.0,
        words: 1.0,
        threads: 16.0,
        costs: PSO,
    };

    fn gpu(work: Work) -> bool {
        work.is_for_gpu(MEASURED_ON, false)
    }

    /// Whole solves in separate processes (one H200, 16 threads, 2026-11-23): individuals of all runs, dimensions,
    /// iterations, seconds on the CPU and on the GPU.
    #[test]
    fn who_was_first_is_expected_to_be() {
        let pso = [
            (32, 2, 1000, 0.0024, 0.234),
            (32, 2, 100_000, 0.167, 0.263),
            (32, 30, 1000, 0.0073, 0.221),
            (32, 30, 100_000, 0.625, 0.277),
            (32, 100, 100_000, 1.329, 0.290),
            (32_000, 2, 1000, 0.107, 0.238),
            (32_000, 30, 100, 0.0485, 0.244),
            (32_000, 30, 1000, 0.395, 0.248),
            (32_000, 100, 100, 0.105, 0.230),
            (32_000, 100, 1000, 0.999, 0.243),
            (512, 30, 1000, 0.0259, 0.239),
            (512, 30, 100_000, 1.971, 0.368),
            (512_000, 2, 100, 0.165, 0.221),
            (512_000, 2, 1000, 1.526, 0.335),
            (512_000, 30, 100, 0.660, 0.248),
            (8192, 2, 1000, 0.043, 0.236),
            (8192, 30, 1000, 0.126, 0.227),
            (8192, 100, 100, 0.0327, 0.240),
            (131_072, 2, 1000, 0.441, 0.230),
            (131_072, 30, 100, 0.183, 0.241),
            (131_072, 100, 100, 0.467, 0.258),
        ];
        let de = [
            (32, 30, 1000, 0.0098, 0.242),
            (32, 30, 100_000, 0.855, 0.517),
            (32_000, 30, 100, 0.0589, 0.221),
            (32_000, 30, 1000, 0.539, 0.260),
            (512, 30, 1000, 0.0393, 0.263),
            (512_000, 30, 100, 0.833, 0.253),
            (8192, 30, 100, 0.036, 0.235),
        ];
        for (costs, measured) in [(PSO, &pso[..]), (METHOD, &de)] {
            for &(evaluations, coordinates, iterations, cpu, device) in measured {
                let [evaluations, coordinates, iterations] =
                    [evaluations, coordinates, iterations].map(f64::from);
                let work = Work { evaluations, coordinates, iterations, costs, ..WORK };
                assert_eq!(gpu(work), device < cpu, "{work:?}");
            }
        }
    }

    /// The program's default, a million evaluations of `auto` in f64, and more runs or evaluations of it.
    #[test]
    fn many_runs_of_auto_are_for_the_gpu() {
        let work = |runs: f64, evaluations: f64| Work {
            iterations: evaluations / 100.0,
            evaluations: 100.0 * runs,
            words: 2.0,
            costs: PORTFOLIO,
            ..WORK
        };
        assert!(!gpu(work(1.0, 1e6)) && gpu(work(1.0, 1e8)));
        assert!(gpu(work(1000.0, 1e6)));
        assert!(!gpu(work(100.0, 1e4)));
    }

    #[test]
    fn what_counts_besides_sizes() {
        assert!(!gpu(WORK));
        // 1,000 iterations in f32 are estimated at 18.4 ms on the CPU, and at 0.8 ms on the GPU plus its set-up.
        assert!(WORK.is_for_gpu(MEASURED_ON, true));
        assert!(!WORK.is_for_gpu(1, true));
        let long = Work { iterations: 12_600.0, ..WORK };
        assert!(gpu(long) && !gpu(Work { iterations: 12_400.0, ..WORK }));
        assert!(!gpu(Work { threads: 64.0, ..long }));
        assert!(gpu(Work { words: 2.0, iterations: 12_400.0, ..WORK }));
        // With a limit of one second, as many iterations are done earlier on the GPU; with a tenth of a second, on the
        // CPU.
        let seconds = |seconds| Work { iterations: f64::INFINITY, seconds, ..WORK };
        assert!(gpu(seconds(1.0)) && !gpu(seconds(0.1)));
        assert!(!gpu(Work { iterations: 0.0, ..long }));
    }
}
