//! Your own objectives, with all per-run settings, without a GPU.

use warpswarm::{Backend, Schedule};
use warpswarm_tests::{Place, own};

use Schedule::{Hosted, Resident, Streaming};

fn device(schedule: Schedule, block_size: Option<u32>) -> Place {
    Place::device(Backend::Emulator, schedule, block_size)
}

#[test]
fn an_own_objective_gives_the_same_bits_on_threads_and_in_resident_blocks() {
    own::check(&[1, 2, 5, 30], &[Place::threads(2), device(Resident, Some(32))]);
}

#[test]
fn an_own_objective_gives_the_same_bits_over_several_devices() {
    own::check(
        &[2, 5],
        &[device(Resident, Some(32)).over("0,1"), device(Streaming, None).over("all")],
    );
}

#[test]
fn an_own_objective_gives_the_same_bits_where_it_streams() {
    own::check(&[2, 5, 30], &[device(Streaming, None)]);
}

#[test]
fn an_own_objective_gives_the_same_bits_where_the_host_evaluates() {
    own::check(&[2, 33], &[device(Hosted, None)]);
}

#[test]
fn an_own_objective_gives_the_same_bits_where_no_tile_holds_it() {
    own::check(&[33, 140], &[Place::threads(2), device(Streaming, None)]);
}

#[test]
fn fits_of_an_own_model_give_the_same_bits() {
    warpswarm_tests::fits::check(Backend::Emulator).unwrap();
}

#[test]
fn an_own_objective_gives_the_same_gradients_on_a_device() {
    own::check_gradients(&[1, 2, 7, 8, 9, 33, 140], Backend::Emulator);
}

#[test]
fn a_kernel_that_traps_is_an_error() {
    warpswarm_tests::traps::check_emulated();
}

#[test]
fn local_searches_of_an_own_objective_give_the_same_bits() {
    own::check_polish(&[1, 2, 7, 33], 3, Backend::Emulator);
}
