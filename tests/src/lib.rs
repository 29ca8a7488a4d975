//! Checks one statement over a matrix of cases: the bits of a run depend only on the problem, the
//! parameters and the seed.
//!
//! A [`Case`] is what to run, and a [`Place`] is where. [`check`] runs a case on one thread of the CPU and in
//! other places, and compares the complete states bit by bit.

pub mod alone;
// The random configurations from the library's property tests.
#[path = "../../crates/host/tests/all/properties/cases.rs"]
#[allow(dead_code, unreachable_pub)]
mod cases;
pub mod faults;
pub mod fits;
pub mod islands;
pub mod large;
pub mod lifetimes;
pub mod on_device;
pub mod own;
pub mod papers;
pub mod problem_files;
pub mod process;
pub mod restarts;
pub mod searches;
pub mod soak;
pub mod traps;
mod variants;
#[path = "../../crates/host/tests/all/properties/wild.rs"]
#[allow(dead_code)]
mod wild;

use std::alloc::System;
use std::fmt::{Debug, Display};

use cap::Cap;

use warpswarm::problems::{self, Precise, ProblemInfo};
use warpswarm::{
    Algorithm, Backend, Constraints, Optimiser, Plan, Restart, Schedule, Settings, Stop,
};
use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_cpu_ref::{Swarm, difference};

pub use variants::methods;

/// The allocator of every program of these tests, which counts the heap.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// A case to run.
#[derive(Clone, Debug)]
pub struct Case {
    /// The problem's name.
    pub problem: &'static str,
    /// The number of coordinates.
    pub dimensions: usize,
    /// The number of individuals.
    pub individuals: u64,
    /// The number of runs in one batch.
    pub runs: u64,
    /// The number of iterations.
    pub iterations: u64,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The stop conditions of a run.
    pub stop: Stop,
    /// The treatment of constraint violations.
    pub constraints: Constraints,
    /// Whether individuals migrate between runs.
    pub migrates: bool,
    /// Whether a run restarts after convergence.
    pub restart: Restart,
}

/// Where and how a case is run.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The backend.
    pub backend: Backend,
    /// The devices, as text for [`Devices`](warpswarm::Devices).
    pub devices: &'static str,
    /// Whether the devices share the particles of each run.
    pub split: bool,
    /// The schedule on a device.
    pub schedule: Schedule,
    /// The block size on a device.
    pub block_size: Option<u32>,
    /// The number of threads on the CPU.
    pub threads: Option<usize>,
}

impl Case {
    /// A few iterations of PSO with default parameters.
    pub fn new(problem: &'static str, dimensions: usize, individuals: u64) -> Self {
        Case {
            problem,
            dimensions,
            individuals,
            runs: 1,
            iterations: 5,
            algorithm: Algorithm::Pso(Default::default()),
            stop: Stop::default(),
            constraints: Constraints::default(),
            migrates: false,
            restart: Restart::Never,
        }
    }

    /// The same with a level of ignored violations that falls to zero halfway.
    pub fn eased(self) -> Self {
        let stop = self.stop.clone().or_iterations(self.iterations);
        Case { constraints: Constraints::Epsilon, stop, ..self }
    }

    /// The same with another algorithm.
    pub fn with(mut self, algorithm: impl Into<Algorithm>) -> Self {
        self.algorithm = algorithm.into();
        if matches!(self.algorithm, Algorithm::ScatterSearch(_)) {
            // Two cycles of the algorithm.
            self.iterations = self.iterations.max(16);
        }
        self
    }

    /// The same with another boundary mode, and with moves that are large enough to need it.
    pub fn with_boundary(mut self, boundary: Boundary) -> Self {
        let mode = boundary_name(boundary);
        let fast: &[(&str, &str)] = match self.algorithm {
            Algorithm::De(_) => &[("scale_factor", "2")],
            Algorithm::Shade(_) => &[("initial", "1")],
            Algorithm::Sa(_) => &[("step", "0.8")],
            Algorithm::GpuFwa(_) => &[("amplitude", "12")],
            Algorithm::SolisWets(_) => &[("step", "0.8")],
            Algorithm::ScatterSearch(_) => &[("step", "0.8"), ("alpha", "2")],
            _ => &[("inertia", "1.2"), ("velocity_limit", "3")],
        };
        for (key, value) in fast.iter().copied().chain([("boundary", mode)]) {
            self.algorithm.set(key, value).expect("a parameter of the algorithm");
        }
        self
    }

    /// An optimiser with placed individuals.
    ///
    /// # Errors
    ///
    /// If the case cannot run in this place.
    pub fn start<R: Precise>(&self, place: Place) -> Result<Optimiser<R>, warpswarm::Error> {
        let info = problems::find(self.problem)?;
        let bounds = info.bounds(self.dimensions)?;
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed: 7,
            stop: self.stop.clone(),
            constraints: self.constraints,
            migrates: self.migrates,
            restart: self.restart,
            backend: place.backend,
            devices: place.devices.parse()?,
            split: place.split,
            schedule: place.schedule,
            block_size: place.block_size,
            threads: place.threads,
            polish: Some(false),
            ..Settings::default()
        };
        // Shift the optimum: with symmetric bounds and limited velocities, swarms hit a centred optimum by accident.
        let shift = if info.dimensions.is_fixed() { 0.0 } else { 0.1875 * bounds.upper()[0] };
        info.optimiser::<R>(shift, &bounds, &self.algorithm, &settings)
    }

    /// The plan of the case on a device.
    ///
    /// # Panics
    ///
    /// If the case cannot run in this place, or if the place is not a device.
    pub fn plan<R: Precise>(&self, place: Place) -> Plan {
        self.start::<R>(place).unwrap().plan().expect("a device")
    }

    fn run<R: Precise>(&self, place: Place) -> Result<Vec<Swarm<R>>, warpswarm::Error> {
        let mut optimiser = self.start::<R>(place)?;
        optimiser.step(self.iterations)?;
        optimiser.state()
    }
}

impl Place {
    /// One thread of the CPU, with which all other places are compared.
    pub const REFERENCE: Place = Place {
        backend: Backend::Cpu,
        devices: "0",
        split: false,
        schedule: Schedule::Auto,
        block_size: None,
        threads: Some(1),
    };

    /// This number of CPU threads.
    pub fn threads(threads: usize) -> Self {
        Place { threads: Some(threads), ..Place::REFERENCE }
    }

    /// A device with a schedule and a block size.
    pub fn device(backend: Backend, schedule: Schedule, block_size: Option<u32>) -> Self {
        Place { backend, devices: "0", split: false, schedule, block_size, threads: None }
    }

    /// The same on these devices.
    pub fn over(self, devices: &'static str) -> Self {
        Place { devices, ..self }
    }

    /// The same, with each swarm split over the devices.
    pub fn split(self) -> Self {
        Place { split: true, ..self }
    }

    /// The places on a device: every schedule, with several block sizes.
    pub fn devices(backend: Backend) -> Vec<Place> {
        use Schedule::{Hosted, Resident, Stepwise, Streaming};
        Place::schedules(backend, &[Stepwise, Resident, Streaming, Hosted])
    }

    /// The same for an algorithm that is a `Method`. It has the stepwise schedule only if its paper has kernels.
    pub fn of_method(backend: Backend, algorithm: &Algorithm) -> Vec<Place> {
        use Schedule::{Hosted, Resident, Stepwise, Streaming};
        let schedules = [Resident, Streaming, Hosted, Stepwise];
        let count = if has_paper_kernels(algorithm) { 4 } else { 3 };
        Place::schedules(backend, &schedules[..count])
    }

    fn schedules(backend: Backend, schedules: &[Schedule]) -> Vec<Place> {
        let with = |schedule| {
            let blocks: &[_] = match schedule {
                // Its kernels have no tiles, so one block size is sufficient.
                Schedule::Hosted => &[Some(64), None],
                _ => &[Some(32), Some(128), Some(256), None],
            };
            blocks.iter().map(move |&block| Place::device(backend, schedule, block))
        };
        schedules.iter().copied().flat_map(with).collect()
    }
}

/// Runs the case in all places, and requires the reference's bits, in the precisions of [`by_precision`].
///
/// # Panics
///
/// If a place cannot run it, or if it differs; the message names the first array and element that differ.
pub fn check(case: &Case, places: &[Place]) {
    let [single, double] = by_precision(case, places);
    check_against::<f32>(case, Place::REFERENCE, &single);
    check_against::<f64>(case, Place::REFERENCE, &double);
}

/// The places in which a case is checked in `f32`, and those in which it is checked in `f64`. With a GPU, and with
/// `WARPSWARM_LONG=1` in the environment, these are all places. Otherwise a case is checked in one of the precisions,
/// in a quarter of the places. The choice depends on the case: over many cases, each place is checked in both
/// precisions.
pub fn by_precision(case: &impl Debug, places: &[Place]) -> [Vec<Place>; 2] {
    if long() || places.iter().any(|place| place.backend == Backend::Gpu) {
        return [places.to_vec(), places.to_vec()];
    }
    let number = number_of(case);
    let parts = places.len().clamp(1, 4);
    let some = places.iter().copied().skip(number / 2 % parts).step_by(parts).collect();
    if number.is_multiple_of(2) { [some, Vec::new()] } else { [Vec::new(), some] }
}

/// A number that differs between cases.
fn number_of(case: &impl Debug) -> usize {
    crc32fast::hash(format!("{case:?}").as_bytes()) as usize
}

/// Whether tests may take hours: `WARPSWARM_LONG=1` in the environment.
pub fn long() -> bool {
    std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1")
}

/// Runs the case in the emulator, in `f32`. Its threads and blocks run in a random order, some of them far ahead of
/// others. With `WARPSWARM_LONG=1` in the environment, there are three orders.
///
/// # Panics
///
/// As [`check`].
pub fn check_orders(case: &Case, place: Place) {
    let some = number_of(case) as u64 % 3;
    for seed in if long() { 0..3 } else { some..some + 1 } {
        let run = || check_against::<f32>(case, Place::REFERENCE, &[place]);
        warpswarm::faults::shuffled(seed, run);
    }
}

/// Runs the case in all places, and requires the bits of `reference`; for cases that are too large for one thread.
///
/// # Panics
///
/// As [`check`].
pub fn check_against<R: Precise>(case: &Case, reference: Place, places: &[Place]) {
    if places.is_empty() {
        return;
    }
    let expected = case.run::<R>(reference).unwrap();
    assert_eq!(expected.len() as u64, case.runs);
    for &place in places {
        let found = case
            .run::<R>(place)
            .unwrap_or_else(|error| panic!("{case:?} in {} at {place:?}: {error}", R::NAME));
        assert_same(&expected, &found, format_args!("{case:?} in {} at {place:?}", R::NAME));
    }
}

/// Checks that two states, `[run]`, have the same bits.
///
/// # Panics
///
/// If they differ; the message contains `what`, and the first array and element that differ.
pub fn assert_same<R: Float>(expected: &[Swarm<R>], found: &[Swarm<R>], what: impl Display) {
    assert_eq!(found.len(), expected.len(), "{what}: runs");
    for (run, (expected, found)) in expected.iter().zip(found).enumerate() {
        if let Some(difference) = difference(expected, found) {
            panic!("{what}, run {run}: {difference}");
        }
    }
}

/// The sizes of the matrix, around the sizes of warps and blocks.
pub const INDIVIDUALS: [u64; 7] = [1, 31, 32, 33, 255, 256, 257];
/// The dimensions of the matrix, around the sizes of tiles.
pub const DIMENSIONS: [usize; 4] = [1, 2, 30, 33];

fn boundary_name(boundary: Boundary) -> &'static str {
    Boundary::ALL.iter().find(|(_, mode)| *mode == boundary).expect("a mode").0
}

/// Whether a method has the kernels of its paper, for the stepwise schedule.
pub fn has_paper_kernels(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::GpuFwa(_) | Algorithm::Cmepso(_))
}

/// Whether the population of an algorithm shrinks.
pub fn falls(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::Shade(params) if params.final_individuals > 0)
}

/// The wanted numbers of dimensions that a problem supports, and its smallest one.
pub fn dimensions_of(problem: &ProblemInfo, wanted: &[usize]) -> Vec<usize> {
    let least = problem.dimensions.least;
    let others = wanted.iter().copied().filter(|&n| n != least && problem.dimensions.allows(n));
    [least].into_iter().chain(others).collect()
}
