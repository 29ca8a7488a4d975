//! Runs with more than 2^31 coordinates.

use warpswarm::problem_file::ProblemFile;
use warpswarm::problems;
use warpswarm::{Algorithm, Optimiser, RunId, RunReport, Settings, Stop};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, Stream};

use crate::Place;

/// The coordinates of an individual. It is a power of two, so that rows have no padding.
pub const DIMENSIONS: usize = 128;
/// With this number of individuals, the coordinates of the last one are beyond 2^31.
pub const INDIVIDUALS: u64 = (1 << 24) + 1;
/// With this number of runs, each with a sixteenth of these individuals, the coordinates of the last run are beyond
/// 2^31.
pub const RUNS: u64 = 17;

const SEED: u64 = 7;
const BOUNDS: (f32, f32) = (-4.0, 5.0);

fn settings(individuals: u64, iterations: u64, place: Place) -> Settings {
    Settings {
        individuals,
        seed: SEED,
        stop: Stop::iterations(iterations),
        backend: place.backend,
        schedule: place.schedule,
        block_size: place.block_size,
        threads: place.threads,
        polish: Some(false),
        ..Settings::default()
    }
}

/// The initial point of an individual in the first run.
fn start(individual: u64) -> Vec<f32> {
    let key = RunId { seed: SEED, run: 0 }.key();
    let stream = Stream::new(key, Purpose::Move, 0, individual as u32);
    let coordinate = |i| pso::initial(BOUNDS, stream.draws_of(i), f32::NAN).0;
    (0..DIMENSIONS as u32).map(coordinate).collect()
}

/// Places the optimum at the initial point of the last individual, which is computed here from its random numbers. The
/// last individual must be the best from the first iteration on. This is only the case if its row is at the correct
/// address and is read completely.
///
/// # Panics
///
/// If it is not the best, or if the runs fail.
pub fn check_last_individual(algorithm: Algorithm, individuals: u64, place: Place) {
    let last = start(individuals - 1);
    let folder = tempfile::tempdir().expect("a folder");
    let points: String = last.iter().map(|x| format!("{}\n", f64::from(*x))).collect();
    std::fs::write(folder.path().join("last.csv"), format!("t\n{points}")).expect("a file");
    let (lower, upper) = BOUNDS;
    let text = format!(
        "minimise = \"sum(i, (x[i] - t[i])^2)\"\n\
         variables = {{ x = {{ count = {DIMENSIONS}, lower = {lower}, upper = {upper} }} }}\n\
         data = {{ file = \"last.csv\", columns = [\"t\"] }}\n"
    );
    let path = folder.path().join("last.toml");
    std::fs::write(&path, text).expect("a file");
    let file = ProblemFile::load(path).unwrap_or_else(|error| panic!("{error}"));
    let mut optimiser =
        file.optimiser::<f32>(&algorithm, &settings(individuals, 2, place)).unwrap();
    let check = |found: &RunReport<f32>, iterations| {
        assert_eq!((found.iterations, found.best.value), (iterations, 0.0), "{place:?}");
        assert_eq!(found.best.position, last, "{place:?}");
    };
    assert_eq!(optimiser.progress().unwrap().runs[0].best.value, 0.0, "{place:?}");
    check(&optimiser.run().unwrap().runs[0], 2);
}

/// Checks that the last of many runs has the same bits as alone on the CPU.
///
/// # Panics
///
/// If it does not, or if the runs fail.
pub fn check_last_run(algorithm: &Algorithm, (runs, individuals): (u64, u64), place: Place) {
    let info = problems::find("rastrigin").expect("a problem");
    let bounds = info.bounds(DIMENSIONS).expect("its dimensions");
    let run = |settings: &Settings| -> RunReport<f32> {
        let made: Optimiser<f32> = info.optimiser(0.75, &bounds, algorithm, settings).unwrap();
        let mut made = made;
        made.run().unwrap().runs.pop().expect("a run")
    };
    let batch = run(&Settings { runs, ..settings(individuals, 5, place) });
    let alone = Place { threads: None, ..Place::REFERENCE };
    let alone = run(&Settings { first_run: runs - 1, ..settings(individuals, 5, alone) });
    assert_eq!(batch, alone, "{place:?}");
}
