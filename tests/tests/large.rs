//! The GPU tests with 2^31 coordinates at a small size, and at full size on the CPU if memory and time are sufficient.

use warpswarm::{Algorithm, Backend, DeParams, Schedule};
use warpswarm_tests::Place;
use warpswarm_tests::large::{INDIVIDUALS, RUNS, check_last_individual, check_last_run};

fn places() -> [Place; 2] {
    [Place::threads(2), Place::device(Backend::Emulator, Schedule::Streaming, None)]
}

#[test]
fn the_last_individual_is_found() {
    for place in places() {
        for algorithm in [Algorithm::Pso(Default::default()), DeParams::default().into()] {
            check_last_individual(algorithm, 65, place);
        }
    }
}

#[test]
fn the_last_run_is_as_it_is_alone() {
    for place in places() {
        for algorithm in [Algorithm::Pso(Default::default()), DeParams::default().into()] {
            check_last_run(&algorithm, (RUNS, 9), place);
        }
    }
}

/// The available memory of the machine, in bytes.
fn free() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.unwrap_or(0) * 1024
}

/// Needs two copies of 2^31 coordinates; only in the long version of the tests.
#[test]
fn two_to_the_31_coordinates_on_the_cpu() {
    if !warpswarm_tests::long() || free() < 20 << 30 {
        return;
    }
    let all = Place { threads: None, ..Place::REFERENCE };
    check_last_individual(DeParams::default().into(), INDIVIDUALS, all);
}
