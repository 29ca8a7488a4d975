//! Problem files in the emulator, for every form in which kernels store points.

use warpswarm::{Backend, Schedule};
use warpswarm_tests::{Place, problem_files};

fn device(schedule: Schedule) -> Place {
    Place::device(Backend::Emulator, schedule, None)
}

#[test]
fn a_problem_file_gives_the_same_bits_in_resident_blocks() {
    problem_files::check(&[1, 2, 5, 29, 60], &[Place::threads(2), device(Schedule::Resident)]);
}

#[test]
fn a_problem_file_gives_the_same_bits_where_it_streams() {
    problem_files::check(&[2, 29, 140], &[device(Schedule::Streaming), device(Schedule::Stepwise)]);
}

#[test]
fn a_problem_that_is_not_finite_gives_the_same_bits() {
    let places = [Place::threads(2), device(Schedule::Resident), device(Schedule::Streaming)];
    problem_files::check_not_finite(&[2, 5, 29, 40], &places);
}

#[test]
fn a_differential_equation_gives_the_same_bits() {
    let places = [Place::threads(2), device(Schedule::Resident), device(Schedule::Streaming)];
    problem_files::check_differential(&[2], &places);
}

#[test]
fn runs_with_numbers_of_their_own_give_the_same_bits() {
    let places = [Place::threads(2), device(Schedule::Resident), device(Schedule::Streaming)];
    problem_files::check_batches(&[2, 5], &places);
}
