//! One statement, checked over a matrix: a run's bits depend on nothing but the problem, the
//! parameters and the seed.
//!
//! A [`Case`] says what is run, a [`Place`] where; [`check`] runs it on one thread of the CPU and in
//! other places, and compares the whole state, bit for bit.

use warpswarm::problems::{self, Precise, ProblemInfo};
use warpswarm::{Algorithm, Backend, Optimiser, PsoParams, Schedule, Settings, Stop};
use warpswarm_core::boundary::Boundary;
use warpswarm_cpu_ref::{Swarm, difference};

/// Something to run.
#[derive(Clone, Debug)]
pub struct Case {
    /// The problem's name.
    pub problem: &'static str,
    /// Coordinates.
    pub dimensions: usize,
    /// Particles.
    pub individuals: u64,
    /// Runs, as one batch.
    pub runs: u64,
    /// Iterations.
    pub iterations: u64,
    /// The parameters.
    pub params: PsoParams,
    /// When a run stops by itself.
    pub stop: Stop,
}

/// Where and how it is run.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The backend.
    pub backend: Backend,
    /// The schedule, on a device.
    pub schedule: Schedule,
    /// The block size, on a device.
    pub block_size: Option<u32>,
    /// Threads, on the CPU.
    pub threads: Option<usize>,
}

impl Case {
    /// A few iterations of PSO as it is by default.
    pub fn new(problem: &'static str, dimensions: usize, individuals: u64) -> Self {
        Case {
            problem,
            dimensions,
            individuals,
            runs: 1,
            iterations: 5,
            params: PsoParams::default(),
            stop: Stop::default(),
        }
    }

    /// The same with another boundary mode, and a swarm so fast that it is needed.
    pub fn with_boundary(mut self, boundary: Boundary) -> Self {
        self.params.boundary = boundary;
        self.params.inertia = 1.2;
        self.params.velocity_limit = Some(3.0);
        self
    }

    fn optimiser<R: Precise>(&self, place: Place) -> Result<Optimiser<R>, warpswarm::Error> {
        let info = problems::find(self.problem)?;
        let bounds = info.bounds(self.dimensions)?;
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed: 7,
            stop: self.stop.clone(),
            backend: place.backend,
            schedule: place.schedule,
            block_size: place.block_size,
            threads: place.threads,
            ..Settings::default()
        };
        let algorithm = Algorithm::from(self.params);
        // Off the centre: a symmetric box with limited velocities hits a centred optimum by accident.
        let shift = if info.dimensions.is_fixed() { 0.0 } else { 0.1875 * bounds.upper()[0] };
        info.optimiser::<R>(shift, &bounds, &algorithm, &settings)
    }

    fn run<R: Precise>(&self, place: Place) -> Result<Vec<Swarm<R>>, warpswarm::Error> {
        let mut optimiser = self.optimiser::<R>(place)?;
        optimiser.step(self.iterations)?;
        optimiser.state()
    }
}

impl Place {
    /// One thread of the CPU: what everything else is compared with.
    pub const REFERENCE: Place = Place {
        backend: Backend::Cpu,
        schedule: Schedule::Auto,
        block_size: None,
        threads: Some(1),
    };

    /// So many threads of the CPU.
    pub fn threads(threads: usize) -> Self {
        Place { threads: Some(threads), ..Place::REFERENCE }
    }

    /// A device with a schedule and a block size.
    pub fn device(backend: Backend, schedule: Schedule, block_size: Option<u32>) -> Self {
        Place { backend, schedule, block_size, threads: None }
    }

    /// A device with every schedule and several block sizes.
    pub fn devices(backend: Backend) -> Vec<Place> {
        let schedules = [Schedule::Stepwise, Schedule::Resident, Schedule::Streaming];
        let blocks = [Some(32), Some(128), Some(256), None];
        let with = |schedule| blocks.map(|block| Place::device(backend, schedule, block));
        schedules.into_iter().flat_map(with).collect()
    }
}

/// Runs the case in all places and demands the reference's bits in each; in both precisions.
///
/// # Panics
///
/// Where a place differs, with the first array and element that do, or cannot run it.
pub fn check(case: &Case, places: &[Place]) {
    check_in::<f32>(case, places);
    check_in::<f64>(case, places);
}

fn check_in<R: Precise>(case: &Case, places: &[Place]) {
    let expected = case.run::<R>(Place::REFERENCE).unwrap();
    assert_eq!(expected.len() as u64, case.runs);
    for &place in places {
        let found = case
            .run::<R>(place)
            .unwrap_or_else(|error| panic!("{case:?} in {} at {place:?}: {error}", R::NAME));
        assert_eq!(found.len(), expected.len());
        for (run, (expected, found)) in expected.iter().zip(&found).enumerate() {
            if let Some(difference) = difference(expected, found) {
                panic!("{case:?} in {} at {place:?}, run {run}: {difference}", R::NAME);
            }
        }
    }
}

/// The sizes of the matrix: they straddle warps and blocks.
pub const INDIVIDUALS: [u64; 7] = [1, 31, 32, 33, 255, 256, 257];
/// The dimensions of the matrix: they straddle tiles.
pub const DIMENSIONS: [usize; 4] = [1, 2, 30, 33];

/// Those of some numbers of dimensions that a problem has, and its smallest.
pub fn dimensions_of(problem: &ProblemInfo, wanted: &[usize]) -> Vec<usize> {
    let least = problem.dimensions.least;
    let others = wanted.iter().copied().filter(|&n| n != least && problem.dimensions.allows(n));
    [least].into_iter().chain(others).collect()
}
