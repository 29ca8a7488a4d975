//! The matrix of sizes, dimensions, precisions, threads, schedules and block sizes, without a GPU.

use warpswarm::problems::Precise;
use warpswarm::{Backend, Schedule, Stop};
use warpswarm_core::boundary::Boundary;
use warpswarm_tests::{
    Case, DIMENSIONS, INDIVIDUALS, Place, assert_same, check, check_orders, dimensions_of, methods,
};

fn everywhere() -> Vec<Place> {
    let mut places = Place::devices(Backend::Emulator);
    places.extend([2, 3].map(Place::threads));
    places
}

fn sizes(dimensions: usize) {
    for individuals in INDIVIDUALS {
        check(&Case::new("rastrigin", dimensions, individuals), &everywhere());
    }
}

#[test]
fn the_same_bits_in_one_dimension() {
    sizes(DIMENSIONS[0]);
}

#[test]
fn the_same_bits_in_two_dimensions() {
    sizes(DIMENSIONS[1]);
}

#[test]
fn the_same_bits_in_thirty_dimensions() {
    sizes(DIMENSIONS[2]);
}

#[test]
fn the_same_bits_in_thirty_three_dimensions() {
    sizes(DIMENSIONS[3]);
}

/// Uses the smallest block size and the planner's. Other block sizes are tested with other sizes, not with every
/// problem.
#[test]
fn every_problem_gives_the_same_bits() {
    let small_or_planned = |place: &Place| matches!(place.block_size, None | Some(32));
    let places: Vec<Place> = everywhere().into_iter().filter(small_or_planned).collect();
    for info in warpswarm::problems::all() {
        for dimensions in dimensions_of(info, &[3, 5, 31, 40]) {
            check(&Case::new(info.id, dimensions, 37), &places);
        }
    }
}

/// With constraints there is a violation in addition to the value: in registers, in the exchange between blocks, and in
/// targets.
#[test]
fn constraints_give_the_same_bits() {
    for (problem, dimensions, target) in
        [("spring", 3, 0.05), ("three-bar-truss", 2, 270.0), ("pressure-vessel-mixed", 4, 9e3)]
    {
        let case = Case { runs: 3, ..Case::new(problem, dimensions, 70) };
        let case = Case { stop: Stop::target(target), iterations: 15, ..case };
        check(&case, &everywhere());
        check(&case.eased(), &everywhere());
    }
}

#[test]
fn every_boundary_mode_gives_the_same_bits() {
    for (_, boundary) in Boundary::ALL {
        for dimensions in [2, 7, 33] {
            let case = Case::new("sphere", dimensions, 41).with_boundary(boundary);
            check(&Case { iterations: 8, ..case }, &everywhere());
        }
    }
}

#[test]
fn batches_give_the_same_bits() {
    for (individuals, dimensions) in [(33, 2), (70, 5), (9, 40)] {
        let case = Case { runs: 5, ..Case::new("griewank", dimensions, individuals) };
        check(&case, &everywhere());
    }
}

#[test]
fn swarms_that_fit_no_tile_stream() {
    for dimensions in [129, 132, 1025] {
        let places = [None, Some(32)]
            .map(|block| Place::device(Backend::Emulator, Schedule::Streaming, block));
        for problem in ["rosenbrock", "schwefel-1.2"] {
            check(&Case::new(problem, dimensions, 9), &places);
        }
    }
}

#[test]
fn runs_of_a_batch_stop_each_at_its_own_iteration() {
    for stop in [Stop::target(2.0), Stop::stagnation(2)] {
        let case = Case { runs: 6, iterations: 30, stop, ..Case::new("sphere", 2, 40) };
        check(&case, &everywhere());
    }
}

/// Windows: particles move for several iterations without an exchange. Improvements are frequent at first and rare
/// later, and may occur in the middle of a window; a run may also stop there.
#[test]
fn windows_give_the_same_bits() {
    let places = [Some(32), Some(96), None]
        .map(|block| Place::device(Backend::Emulator, Schedule::Resident, block));
    for (problem, dimensions, individuals) in
        [("rastrigin", 2, 40), ("sphere", 2, 200), ("griewank", 7, 33), ("rastrigin", 40, 9)]
    {
        let case = Case { iterations: 160, runs: 2, ..Case::new(problem, dimensions, individuals) };
        check(&case, &places);
        check(&Case { stop: Stop::stagnation(7), ..case }, &places);
    }
    // More blocks than a cluster has.
    check(&Case { iterations: 40, ..Case::new("rastrigin", 2, 530) }, &places[..1]);
    let constrained = Case { iterations: 160, ..Case::new("spring", 3, 70) };
    check(&constrained, &places);
}

#[test]
fn orders_of_blocks_give_the_same_bits() {
    for (dimensions, individuals, block) in
        [(2, 300, 32), (30, 70, 32), (30, 200, 64), (9, 700, 32)]
    {
        let case = Case::new("rastrigin", dimensions, individuals);
        let place = Place::device(Backend::Emulator, Schedule::Resident, Some(block));
        check_orders(&Case { iterations: 12, ..case }, place);
    }
}

/// A batch with so many particles that each particle has its own thread, and each run its own block; up to 16
/// dimensions are in registers.
#[test]
fn batches_in_registers_give_the_same_bits() {
    let places =
        [None, Some(64)].map(|block| Place::device(Backend::Emulator, Schedule::Resident, block));
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 3, 33, 5),
        ("rosenbrock", 4, 64, 3),
        ("schwefel-1.2", 7, 40, 7),
        ("griewank", 10, 64, 5),
        ("michalewicz", 13, 50, 9),
        ("rosenbrock", 16, 96, 5),
        ("spring", 3, 70, 3),
        ("welded-beam", 4, 64, 4),
        ("pressure-vessel", 4, 64, 4),
    ] {
        let case = Case::new(problem, dimensions, individuals);
        let case = Case { iterations: 120, runs, ..case };
        check(&case, &places);
        check(&Case { stop: Stop::stagnation(7), ..case }, &places);
    }
}

/// Enough particles for the planner to choose bulk copies; streaming with fewer particles does not use them.
#[test]
fn bulk_copies_give_the_same_bits() {
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 33, 4229, 1),
        ("rosenbrock", 64, 2591, 1),
        ("schwefel-1.2", 100, 1543, 1),
        ("griewank", 100, 387, 4),
        // Here the last stage of the bulk copies is full.
        ("ackley", 128, 1160, 1),
    ] {
        let case = Case { iterations: 3, runs, ..Case::new(problem, dimensions, individuals) };
        let places = [Some(32), None]
            .map(|block| Place::device(Backend::Emulator, Schedule::Streaming, block));
        for place in places {
            let taken = [case.plan::<f32>(place), case.plan::<f64>(place)];
            assert!(taken.iter().all(|plan| plan.bulk_copies), "{case:?}: {taken:?}");
        }
        check(&case, &places);
    }
    let few = Case::new("rastrigin", 100, 257);
    let place = Place::device(Backend::Emulator, Schedule::Streaming, Some(32));
    assert!(!few.plan::<f32>(place).bulk_copies);
}

/// Enough particles for the planner to choose columns, with one particle per thread.
#[test]
fn columns_give_the_same_bits() {
    let places = [Some(32), Some(64), None]
        .map(|block| Place::device(Backend::Emulator, Schedule::Resident, block));
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 3, 130, 1),
        ("sphere", 10, 30, 14),
        ("rastrigin", 30, 600, 1),
        ("griewank", 32, 40, 16),
        ("rosenbrock", 9, 200, 1),
        ("schwefel-1.2", 31, 620, 1),
        ("spring", 3, 100, 2),
    ] {
        let iterations = if individuals < 500 { 60 } else { 12 };
        let case = Case { iterations, runs, ..Case::new(problem, dimensions, individuals) };
        check(&case, &places);
    }
}

/// Launches start and end at any iteration; the first and the last particles are in different blocks.
#[test]
fn steps_of_any_length_give_the_same_bits() {
    fn check<R: Precise>() {
        let case = Case { runs: 2, ..Case::new("rastrigin", 5, 33) };
        let state = |place: Place, first: u64, second: u64| {
            let mut optimiser = case.start::<R>(place).unwrap();
            for count in [first, second, 20 - first - second] {
                optimiser.step(count).unwrap();
            }
            optimiser.state().unwrap()
        };
        let expected = state(Place::REFERENCE, 20, 0);
        for place in everywhere() {
            for (first, second) in [(1, 6), (2, 5), (13, 4)] {
                let what = format_args!("{place:?} in {}, {first} and {second}", R::NAME);
                assert_same(&expected, &state(place, first, second), what);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Runs that are distributed over several devices, executed in parts.
#[test]
fn any_number_of_devices_gives_the_same_bits() {
    let over = |schedule| {
        let place = Place::device(Backend::Emulator, schedule, Some(32));
        [place.over("all"), place.over("2,0"), place.over("1")]
    };
    let places = [Schedule::Resident, Schedule::Streaming, Schedule::Stepwise].map(over);
    for (individuals, runs) in [(33, 1), (33, 7), (5, 40), (70, 3)] {
        let case = Case { runs, iterations: 20, ..Case::new("rastrigin", 5, individuals) };
        check(&case, places.as_flattened());
    }
    let of_methods = [Schedule::Resident, Schedule::Streaming].map(over);
    for algorithm in methods(32) {
        let case = Case { runs: 9, ..Case::new("rastrigin", 5, 32) }.with(algorithm);
        check(&Case { stop: Stop::target(40.0), ..case }, of_methods.as_flattened());
    }
}

/// Swarms whose particles are distributed over several devices, with every streaming kernel.
#[test]
fn swarms_that_are_split_give_the_same_bits() {
    let over = |devices: &'static str| {
        let of = |(schedule, block)| {
            Place::device(Backend::Emulator, schedule, block).over(devices).split()
        };
        use Schedule::{Auto, Stepwise, Streaming};
        [(Auto, None), (Streaming, Some(32)), (Stepwise, Some(64))].map(of)
    };
    let places = ["0", "0,1", "3,1,0", "all"].map(over);
    let places = places.as_flattened();
    for dimensions in [1, 30, 33, 140] {
        for individuals in [1, 3, 5, 33, 257] {
            let case = Case::new("rastrigin", dimensions, individuals);
            let iterations = if dimensions == 140 { 4 } else { 6 };
            check(&Case { runs: 2, iterations, ..case }, places);
        }
    }
    for (_, boundary) in Boundary::ALL {
        check(&Case::new("sphere", 7, 41).with_boundary(boundary), places);
    }
    for stop in [Stop::target(40.0), Stop::stagnation(2)] {
        let case = Case { runs: 8, iterations: 40, stop, ..Case::new("spring", 3, 40) };
        check(&case, places);
        check(&Case { problem: "rastrigin", dimensions: 5, ..case }, places);
    }
    // Enough particles for bulk copies.
    let many = Case { iterations: 3, ..Case::new("rastrigin", 100, 3301) };
    let places = ["0,1", "2,0"].map(|devices| over(devices)[1]);
    assert!(places.map(|place| many.plan::<f32>(place).bulk_copies) == [true; 2]);
    check(&many, &places);
}
