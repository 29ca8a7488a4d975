//! The matrix of tests on a GPU. Without a GPU, every test here fails on purpose.
//!
//! Tests whose name begins with `sanitize` also run under compute-sanitizer,
//! which slows down a launch by orders of magnitude.

use std::time::Duration;

use warpswarm::{
    Algorithm, Backend, DeParams, GpuFwaParams, SaParams, Schedule, Settings, ShadeParams, Stop,
};
use warpswarm_core::boundary::Boundary;
use warpswarm_tests::alone::alone;
use warpswarm_tests::{
    Case, DIMENSIONS, INDIVIDUALS, Place, check, check_against, dimensions_of, faults, fits,
    islands, large, lifetimes, methods, on_device, own, papers, problem_files, restarts, searches,
    traps,
};

fn everywhere() -> Vec<Place> {
    Place::devices(Backend::Gpu)
}

/// Takes `WARPSWARM_SOAK_SECONDS`, or 20 s.
#[test]
fn soak() {
    warpswarm_tests::soak::soak(Backend::Gpu, 20);
}

#[test]
fn the_matrix_of_sizes_and_dimensions() {
    for dimensions in DIMENSIONS {
        for individuals in INDIVIDUALS {
            let case = Case::new("rastrigin", dimensions, individuals);
            check(&Case { iterations: 40, ..case }, &everywhere());
        }
    }
}

#[test]
fn every_problem() {
    for info in warpswarm::problems::all() {
        for dimensions in dimensions_of(info, &[3, 5, 31, 40, 128]) {
            let case = Case::new(info.id, dimensions, 77);
            check(&Case { iterations: 40, ..case }, &everywhere());
        }
    }
}

#[test]
fn expressions() {
    problem_files::check(&[1, 2, 5, 29, 60, 125, 200, 1100], &everywhere());
}

#[test]
fn points_that_others_evaluate() {
    for size in [(4, 1), (12, 3), (77, 33), (300, 130), (5000, 30)] {
        on_device::check(Backend::Gpu, &methods(size.0), &[size]);
    }
    on_device::check_refused(Backend::Gpu);
}

#[test]
fn sanitize_points_that_others_evaluate() {
    for size in [(12, 3), (33, 40)] {
        on_device::check(Backend::Gpu, &methods(size.0), &[size]);
    }
}

#[test]
fn batches_of_expressions() {
    problem_files::check_batches(&[2, 5, 29, 60, 200], &everywhere());
}

#[test]
fn differential_equations() {
    problem_files::check_differential(&[1, 2, 5, 29, 60, 200, 1100], &everywhere());
}

#[test]
fn constraints() {
    for (problem, dimensions, target) in
        [("spring", 3, 0.05), ("three-bar-truss", 2, 270.0), ("pressure-vessel-mixed", 4, 9e3)]
    {
        for individuals in [70, 257] {
            let case = Case { runs: 20, ..Case::new(problem, dimensions, individuals) };
            let case = Case { stop: Stop::target(target), iterations: 100, ..case };
            check(&case, &everywhere());
        }
    }
}

/// Kernels lowered for compute capability 7.5, without clusters and bulk copies, on a GPU that is treated as such a
/// device.
#[test]
fn an_older_gpu() {
    let variables = [("WARPSWARM_PASSES_FOR", "7.5")];
    alone("an_older_gpu", Duration::from_secs(300), &variables, || {
        let devices = warpswarm::system::report().devices;
        assert!(devices.iter().all(|device| device.compute_capability == (7, 5)));
        // With less shared memory, fewer blocks are resident.
        check_columns(&[Place::device(Backend::Gpu, Schedule::Auto, None)]);
        constraints();
        large_swarms_that_stream();
        blocks_that_share_a_run_of_cma_es();
        problem_files::check(&[5], &everywhere());
        for algorithm in methods(255) {
            let places = Place::of_method(Backend::Gpu, &algorithm);
            let case = Case::new("rastrigin", 30, 255).with(algorithm);
            check(&Case { iterations: 40, ..case }, &places);
        }
    });
}

#[test]
fn every_boundary_mode() {
    for (_, boundary) in Boundary::ALL {
        for dimensions in [2, 7, 33] {
            let case = Case::new("sphere", dimensions, 141).with_boundary(boundary);
            check(&Case { iterations: 40, ..case }, &everywhere());
        }
    }
}

/// Enough particles for bulk copies, if the GPU has them; their number is not a multiple of any size.
#[test]
fn large_swarms_that_stream() {
    let places =
        [None, Some(32)].map(|block| Place::device(Backend::Gpu, Schedule::Streaming, block));
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 33, 50_003, 1),
        ("rosenbrock", 64, 50_003, 1),
        ("griewank", 100, 12_601, 4),
        ("rastrigin", 100, 50_001, 1),
        ("ackley", 128, 50_007, 1),
    ] {
        let case = Case { runs, iterations: 10, ..Case::new(problem, dimensions, individuals) };
        check(&case, &places);
    }
}

#[test]
fn batches() {
    for (individuals, dimensions) in [(33, 2), (70, 5), (9, 40)] {
        let case =
            Case { runs: 50, iterations: 40, ..Case::new("griewank", dimensions, individuals) };
        check(&case, &everywhere());
    }
}

#[test]
fn stops_of_single_runs() {
    for stop in [Stop::target(0.5), Stop::stagnation(3)] {
        let case = Case { runs: 20, iterations: 60, stop, ..Case::new("sphere", 2, 40) };
        check(&case, &everywhere());
    }
}

#[test]
fn many_dimensions() {
    for dimensions in [129, 1025, 3000] {
        let place = Place::device(Backend::Gpu, Schedule::Streaming, None);
        for problem in ["rosenbrock", "schwefel-1.2", "ackley"] {
            let case = Case::new(problem, dimensions, 33);
            check(&Case { iterations: 20, ..case }, &[place]);
        }
    }
}

#[test]
fn long_runs_and_large_swarms() {
    let auto = Place::device(Backend::Gpu, Schedule::Auto, None);
    let places = [auto, Place::device(Backend::Gpu, Schedule::Streaming, None)];
    let case = |individuals, iterations| {
        let paper = warpswarm::PsoParams::cpso_paper();
        Case { iterations, ..Case::new("euclidean", 2, individuals) }.with(paper)
    };
    check(&case(65, 5_000), &places);
    check(&case(1_024, 2_000), &places);
    check(&case(2_048, 1_000), &places);
    check(&case(65_536, 100), &places);
    check(&Case { iterations: 500, ..Case::new("rastrigin", 30, 2_000) }, &places);
    check(&Case { iterations: 10, ..Case::new("ackley", 100, 20_000) }, &places);
}

/// Ten million iterations of swarms on clusters, and the same number on grids with more blocks than a cluster. The
/// reference uses one launch per iteration, where blocks exchange nothing. A lost or torn value would change a swarm.
/// New swarms improve their best in at least a third of the iterations, so that exchanges contain positions.
#[test]
fn ten_million_exchanges() {
    let reference = Place::device(Backend::Gpu, Schedule::Stepwise, None);
    let place = Place::device(Backend::Gpu, Schedule::Resident, Some(64));
    for (dimensions, individuals) in [(2, 512), (5, 128), (2, 1_088), (5, 512)] {
        let case = Case::new("rastrigin", dimensions, individuals);
        let case = Case { runs: 20_000, iterations: 250, ..case };
        check_against::<f32>(&case, reference, &[place]);
    }
}

/// One particle per thread, in one block and in several, with every form of access to coordinates.
#[test]
fn columns() {
    check_columns(
        &[None, Some(64), Some(256)]
            .map(|block| Place::device(Backend::Gpu, Schedule::Resident, block)),
    );
}

fn check_columns(places: &[Place]) {
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 10, 64, 120),
        ("rosenbrock", 9, 33, 200),
        ("spring", 3, 100, 21),
        ("rastrigin", 30, 20_000, 1),
        ("schwefel-1.2", 31, 21_000, 1),
    ] {
        let iterations = if individuals < 1_000 { 150 } else { 20 };
        let case = Case { iterations, runs, ..Case::new(problem, dimensions, individuals) };
        check(&case, places);
    }
}

#[test]
fn methods_of_every_variant_and_size() {
    for individuals in [4, 33, 255, 768, 1_200] {
        for algorithm in methods(individuals) {
            let places = Place::of_method(Backend::Gpu, &algorithm);
            for dimensions in [2, 30, 32] {
                let case = Case::new("rastrigin", dimensions, individuals).with(algorithm);
                check(&Case { iterations: 40, ..case }, &places);
            }
        }
    }
}

#[test]
fn methods_in_every_boundary_mode_and_in_batches() {
    for algorithm in methods(30) {
        let places = Place::of_method(Backend::Gpu, &algorithm);
        for (_, boundary) in Boundary::ALL {
            // Eight lanes per individual, and one thread.
            for runs in [50, 250] {
                let case = Case::new("griewank", 7, 30).with(algorithm).with_boundary(boundary);
                check(&Case { iterations: 40, runs, ..case }, &places);
            }
        }
    }
}

#[test]
fn methods_with_constraints() {
    for (problem, dimensions) in [("spring", 3), ("three-bar-truss", 2), ("speed-reducer", 7)] {
        for algorithm in methods(36) {
            let places = Place::of_method(Backend::Gpu, &algorithm);
            for runs in [1, 250] {
                let case = Case::new(problem, dimensions, 36).with(algorithm);
                let case = Case { iterations: 40, runs, ..case };
                check(&case, &places);
                check(&case.eased(), &places);
            }
        }
    }
}

#[test]
fn generations_of_cma_es() {
    let sizes = [4, 10, 31, 33, 255, 257]
        .map(|individuals| [1, 2, 7, 30, 33, 100].map(|n| (individuals, n)));
    searches::check_generations(Backend::Gpu, sizes.as_flattened(), 40);
    // Matrices that are too large for a block.
    searches::check_generations(Backend::Gpu, &[(14, 257), (300, 180)], 10);
}

#[test]
fn legs_of_cma_es() {
    searches::check_legs(Backend::Gpu, 2_000);
    searches::check_mirrored(Backend::Gpu, &[7, 31, 33, 70], 1_200);
}

#[test]
fn runs_that_begin_anew() {
    let sizes =
        [("sphere", 1, 12), ("rastrigin", 2, 33), ("rosenbrock", 5, 256), ("spring", 3, 30)];
    restarts::check_methods(Backend::Gpu, &sizes, 3_000);
    restarts::check_one_by_one(Backend::Gpu, 5_000);
    restarts::check_stops(Backend::Gpu, 5_000);
}

#[test]
fn sanitize_runs_that_begin_anew() {
    restarts::check_methods(Backend::Gpu, &[("sphere", 1, 12)], 270);
}

#[test]
fn turns_of_cma_es_and_shade() {
    searches::check_turns(Backend::Gpu, 5_000);
}

#[test]
fn blocks_that_share_a_run_of_cma_es() {
    let sizes = [
        (257, 9, 2),
        (300, 3, 1),
        (1_000, 30, 7),
        (4_096, 100, 1),
        (16_384, 30, 1),
        (60_001, 5, 3),
    ];
    searches::check_blocks(Backend::Gpu, &sizes, 40);
}

#[test]
fn sanitize_cma_es() {
    searches::check_generations(Backend::Gpu, &[(5, 2), (33, 7)], 3);
    searches::check_blocks(Backend::Gpu, &[(257, 9, 2)], 3);
    searches::check_legs(Backend::Gpu, 60);
    searches::check_mirrored(Backend::Gpu, &[33], 130);
    searches::check_turns(Backend::Gpu, 60);
}

/// The kernels of the papers, in the papers' sizes and similar ones.
#[test]
fn kernels_of_the_papers() {
    papers::check(Backend::Gpu, &[1, 3, 31, 48, 144, 1_000], &[1, 10, 40, 100], 65);
}

#[test]
fn sanitize_kernels_of_the_papers() {
    papers::check(Backend::Gpu, &[3, 9], &[3], 7);
}

#[test]
fn methods_of_many_dimensions() {
    let place = Place::device(Backend::Gpu, Schedule::Streaming, None);
    for algorithm in methods(12) {
        for dimensions in [33, 129, 1025] {
            let case = Case::new("ackley", dimensions, 12).with(algorithm);
            check(&Case { iterations: 20, ..case }, &[place]);
        }
    }
}

#[test]
fn methods_that_stop_and_large_populations() {
    for algorithm in methods(40) {
        let places = Place::of_method(Backend::Gpu, &algorithm);
        for stop in [Stop::target(0.5), Stop::stagnation(3)] {
            let case = Case::new("sphere", 2, 40).with(algorithm);
            let case = Case { runs: 20, iterations: 60, stop, ..case };
            check(&case, &places);
        }
    }
    let auto = [Place::device(Backend::Gpu, Schedule::Auto, None)];
    let falls = ShadeParams { budget: Some(1e6), ..ShadeParams::lshade() };
    let large: [Algorithm; 4] = [
        DeParams::default().into(),
        SaParams::default().into(),
        ShadeParams::default().into(),
        falls.into(),
    ];
    for algorithm in large {
        // More individuals than the device processes at once with eight lanes or one thread each.
        for (dimensions, individuals) in [(30, 20_000), (12, 40_000), (31, 70_000)] {
            let case = Case::new("rosenbrock", dimensions, individuals).with(algorithm);
            check(&Case { iterations: 20, ..case }, &auto);
        }
    }
}

/// Kernels with the number of dimensions as a constant, for which the driver compiles different code: all numbers with
/// tiles, for each algorithm and each kind of tile. `WARPSWARM_KNOWN_TEXTS` is the largest number of kernels with
/// constants; the default is four.
#[test]
fn every_number_of_dimensions_as_a_constant() {
    let auto = [Place::device(Backend::Gpu, Schedule::Resident, None)];
    for dimensions in 1..=32 {
        let mut done = Vec::new();
        for (individuals, runs) in [(100, 1), (64, 500)] {
            let case = Case::new("rosenbrock", dimensions.max(2), individuals);
            check(&Case { iterations: 30, runs, ..case }, &auto);
        }
        for algorithm in methods(36) {
            if done.contains(&algorithm.info().id) {
                continue;
            }
            done.push(algorithm.info().id);
            for (individuals, runs) in [(36, 1), (36, 100), (36, 700)] {
                let case = Case::new("rastrigin", dimensions, individuals).with(algorithm);
                check(&Case { iterations: 4, runs, ..case }, &auto);
            }
        }
    }
}

/// Blocks that are larger than the default of the kernels, and kernels with constant parameters, for each method. Cases
/// are checked in both precisions.
#[test]
fn large_blocks_of_tiles() {
    let auto = [Place::device(Backend::Gpu, Schedule::Auto, None)];
    for algorithm in methods(9_000) {
        for (problem, dimensions) in [("rastrigin", 30), ("spring", 3), ("ackley", 12)] {
            let case = Case::new(problem, dimensions, 9_000).with(algorithm);
            check(&Case { iterations: 12, ..case }, &auto);
        }
    }
}

/// The mean best value of twenty runs is at least as good as in Table 2 of the GPU-FWA paper.
#[test]
fn fireworks_are_as_good_as_in_their_paper() {
    let paper = [
        ("sphere", 1.31e-9),
        ("hyper-ellipsoid", 1.49e-7),
        ("schwefel-1.2", 3.46),
        ("rosenbrock", 19.2),
        ("rastrigin", 7.02),
        ("schwefel-2.26", -8.09e3),
        ("griewank", 1.33),
        ("ackley", 3.63e-2),
    ];
    let settings = Settings {
        individuals: 48,
        runs: 20,
        // This corresponds to the paper's 1,000 iterations.
        stop: Stop::iterations(31_000),
        backend: Backend::Gpu,
        polish: Some(false),
        ..Settings::default()
    };
    for (id, theirs) in paper {
        let problem = warpswarm::problems::find(id).unwrap();
        let bounds = problem.bounds(30).unwrap();
        let algorithm = GpuFwaParams::paper().into();
        let mut optimiser = problem.optimiser::<f64>(0.0, &bounds, &algorithm, &settings).unwrap();
        let report = optimiser.run().unwrap();
        let mean = report.runs.iter().map(|run| run.best.value).sum::<f64>() / 20.0;
        assert!(mean <= theirs, "{id}: {mean:e}, in the paper {theirs:e}");
    }
}

#[test]
fn own_objectives_with_everything_that_runs_have_for_themselves() {
    let schedules = [Schedule::Resident, Schedule::Streaming, Schedule::Hosted];
    let places = schedules.map(|schedule| Place::device(Backend::Gpu, schedule, None));
    own::check(&[1, 2, 5, 30], &places);
    own::check(&[5, 30], &[Place::device(Backend::Gpu, Schedule::Resident, Some(32))]);
    own::check(&[33, 140], &places[1..]);
}

#[test]
fn fits_of_own_models() {
    fits::check(Backend::Gpu).unwrap();
    fits::check_many(Backend::Gpu).unwrap();
}

#[test]
fn gradients_of_own_objectives() {
    own::check_gradients(&[1, 2, 5, 7, 8, 9, 31, 33, 140, 1100], Backend::Gpu);
}

#[test]
fn local_searches_of_own_objectives() {
    own::check_polish(&[1, 2, 5, 8, 9, 31, 33, 140], 300, Backend::Gpu);
}

/// All devices of the machine; at least two are needed for a meaningful test.
#[test]
fn all_devices() {
    for device in warpswarm::system::report().devices {
        println!("reliability: devices, {} = 1", device.name);
    }
    let over = |schedule, block| Place::device(Backend::Gpu, schedule, block).over("all");
    let shared = [Schedule::Resident, Schedule::Streaming].map(|schedule| over(schedule, None));
    for (individuals, runs) in [(33, 1), (33, 7), (64, 5_000), (1_000, 3)] {
        let case = Case { runs, iterations: 60, ..Case::new("rastrigin", 5, individuals) };
        check(&case, &shared);
        check(&case.clone().with(DeParams::default()), &shared);
        check(&Case { stop: Stop::target(5.0), ..case }, &shared);
    }
    own::check(&[2, 5, 30], &shared);
    let split = [
        over(Schedule::Auto, None).split(),
        over(Schedule::Streaming, Some(64)).split(),
        over(Schedule::Stepwise, None).split(),
    ];
    for (problem, dimensions, individuals, runs) in [
        ("rastrigin", 2, 1, 3),
        ("rastrigin", 30, 3, 1),
        ("spring", 3, 70, 20),
        ("rosenbrock", 64, 5_003, 1),
        ("rastrigin", 100, 60_001, 1),
        ("ackley", 140, 1_001, 2),
    ] {
        let case = Case { runs, ..Case::new(problem, dimensions, individuals) };
        check(&Case { iterations: 25, ..case.clone() }, &split);
        check(&Case { iterations: 60, stop: Stop::stagnation(3), ..case }, &split[..1]);
    }
}

/// Migration of individuals between runs.
#[test]
fn migrants() {
    let place = |schedule| Place::device(Backend::Gpu, schedule, None);
    let all = [place(Schedule::Auto), place(Schedule::Streaming).over("all")];
    islands::check(&[1, 5, 33, 300], &[2, 30], &all);
    islands::check(&[700], &[33], &[place(Schedule::Streaming)]);
    islands::check(&[12], &[3], &[place(Schedule::Hosted)]);
}

/// Epochs of an island on the GPU, while the host exchanges messages.
#[test]
fn epochs_in_one_launch() {
    let place = |block| Place::device(Backend::Gpu, Schedule::Resident, block);
    let check = islands::check_epochs;
    check(&[("rastrigin", 3, 2100), ("spring", 3, 2100)], place(Some(32)), 420);
    check(&[("rastrigin", 2, 1000), ("rastrigin", 33, 500)], place(None), 420);
    check(&[("rastrigin", 30, 500), ("rastrigin", 30, 20_000)], place(None), 210);
    check(&[("rastrigin", 30, 33_000)], place(None), 70);
}

/// The same with small sizes: in tiles of every kind, with constraints, and in columns.
#[test]
fn sanitize_epochs() {
    let place = |block| Place::device(Backend::Gpu, Schedule::Resident, block);
    let check = islands::check_epochs;
    check(&[("rastrigin", 3, 700), ("spring", 3, 700)], place(Some(32)), 70);
    check(&[("rastrigin", 2, 1000), ("rastrigin", 100, 70)], place(Some(32)), 12);
    check(&[("rastrigin", 30, 20_000)], place(None), 12);
}

#[test]
fn sanitize_migrants() {
    islands::check(&[5, 33], &[3], &[Place::device(Backend::Gpu, Schedule::Auto, None)]);
}

/// Copies between devices, and the code that combines their records.
#[test]
fn sanitize_devices() {
    let over = |schedule| Place::device(Backend::Gpu, schedule, None).over("all");
    let case = Case { runs: 3, iterations: 4, ..Case::new("rastrigin", 33, 37) };
    check(&case, &[over(Schedule::Auto), over(Schedule::Streaming).split()]);
    let many = Case { iterations: 3, ..Case::new("rastrigin", 100, 60_001) };
    check(&many, &[over(Schedule::Auto).split()]);
}

/// Particles in registers with one run per block: enough runs for the planner to choose this.
#[test]
fn sanitize_batches_in_registers() {
    let place = Place::device(Backend::Gpu, Schedule::Resident, None);
    for (problem, dimensions, individuals) in [
        ("rastrigin", 3, 33),
        ("rosenbrock", 4, 64),
        ("schwefel-1.2", 7, 40),
        ("griewank", 10, 64),
        ("michalewicz", 13, 200),
        ("rosenbrock", 16, 96),
        ("spring", 3, 70),
        ("welded-beam", 4, 64),
    ] {
        let runs = (dimensions as u64 * 700).div_ceil(individuals);
        let case = Case::new(problem, dimensions, individuals);
        check(&Case { iterations: 100, runs, ..case }, &[place]);
    }
}

/// Your own objectives, for compute-sanitizer.
#[test]
fn sanitize_own_objectives() {
    own::check(&[2, 5, 30], &[Place::device(Backend::Gpu, Schedule::Auto, None)]);
    own::check_gradients(&[2, 9, 33], Backend::Gpu);
    own::check_polish(&[2, 9, 33], 300, Backend::Gpu);
}

#[test]
fn sanitize_fits_of_own_models() {
    fits::check(Backend::Gpu).unwrap();
}

#[test]
fn sanitize_problem_files() {
    let schedules = [Schedule::Resident, Schedule::Streaming];
    let places = schedules.map(|schedule| Place::device(Backend::Gpu, schedule, None));
    problem_files::check(&[2, 29], &places);
    problem_files::check_differential(&[2, 29], &places);
    problem_files::check_batches(&[2, 29], &places);
}

#[test]
fn sanitize_methods_of_odd_sizes() {
    for algorithm in methods(9) {
        let case = Case::new("rosenbrock", 3, 9).with(algorithm);
        let places = Place::of_method(Backend::Gpu, &algorithm);
        check(&Case { iterations: 3, runs: 2, ..case }, &places);
        // Enough individuals for one thread per individual.
        let many = Case { iterations: 3, runs: 400, ..Case::new("rosenbrock", 3, 9) };
        check(&many.with(algorithm), &[Place::device(Backend::Gpu, Schedule::Resident, None)]);
        let place = Place::device(Backend::Gpu, Schedule::Streaming, None);
        check(&Case { iterations: 3, ..Case::new("ackley", 33, 9).with(algorithm) }, &[place]);
    }
}

#[test]
fn sanitize_levels_that_fall() {
    for algorithm in methods(9) {
        let case = Case { iterations: 6, runs: 2, ..Case::new("spring", 3, 9) };
        check(&case.with(algorithm).eased(), &Place::of_method(Backend::Gpu, &algorithm));
    }
    check(&Case { iterations: 6, runs: 2, ..Case::new("spring", 3, 70) }.eased(), &everywhere());
}

#[test]
fn sanitize_every_problem() {
    for info in warpswarm::problems::all() {
        for dimensions in dimensions_of(info, &[5, 33]) {
            let case = Case { iterations: 2, ..Case::new(info.id, dimensions, 9) };
            check(&case, &everywhere());
            let places = if dimensions > 32 {
                vec![Place::device(Backend::Gpu, Schedule::Streaming, None)]
            } else {
                Place::of_method(Backend::Gpu, &DeParams::default().into())
            };
            check(&case.with(DeParams::default()), &places);
        }
    }
}

#[test]
fn sanitize_odd_sizes() {
    for (dimensions, individuals) in [(1, 33), (2, 257), (30, 33), (33, 65)] {
        let case = Case {
            iterations: 3,
            runs: 2,
            ..Case::new("rosenbrock", dimensions.max(2), individuals)
        };
        check(&case, &everywhere());
    }
    let place = Place::device(Backend::Gpu, Schedule::Streaming, None);
    check(&Case { iterations: 3, ..Case::new("ackley", 129, 9) }, &[place]);
    // In columns, with enough iterations for windows.
    let place = Place::device(Backend::Gpu, Schedule::Resident, None);
    for (individuals, runs) in [(20, 100), (2_100, 1)] {
        let case = Case { iterations: 40, runs, ..Case::new("rastrigin", 3, individuals) };
        check(&case, &[place]);
    }
}

/// Enough particles for bulk copies, if the GPU has them.
#[test]
fn sanitize_bulk_copies() {
    let place = Place::device(Backend::Gpu, Schedule::Streaming, None);
    let case = Case { iterations: 2, ..Case::new("rosenbrock", 33, 34_003) };
    check(&case, &[place]);
}

/// Every call of the GPU fails once. Its free memory must be the same as before.
#[test]
fn faults_on_the_gpu() {
    let scenarios = faults::scenarios(Backend::Gpu);
    // The driver keeps some memory: kernels, and pages for later allocations.
    faults::check(&scenarios[..1]);
    for scenario in &scenarios {
        scenario.plan();
    }
    let before = warpswarm::faults::free_on_gpu().unwrap();
    let injected = faults::check(&scenarios);
    let after = warpswarm::faults::free_on_gpu().unwrap();
    assert!(before.abs_diff(after) < before / 100, "{before} bytes were free, {after} are");
    assert!(injected.went_on > 0 && injected.restored > 0, "{injected:?}");
    println!("reliability: faults injected on a GPU = {}", injected.faults);
    println!("reliability: faults survived on a GPU = {}", injected.survived);
}

/// After ten thousand optimisers the GPU's free memory is the same as before, and two threads do not disturb each
/// other.
#[test]
fn create_and_drop() {
    let free = || warpswarm::faults::free_on_gpu().unwrap();
    let [early, late] = lifetimes::create_and_drop(Backend::Gpu, 10_000, free);
    println!("reliability: optimisers made and dropped on a GPU = 10000");
    println!("reliability: bytes free on a GPU after a tenth of them = {early}");
    println!("reliability: bytes free on a GPU after all of them = {late}");
    assert!(early.abs_diff(late) <= early / 100, "{early} bytes were free, {late} are");
    lifetimes::two_at_once(Backend::Gpu, 60);
}

/// Arrays of more than 2^31 numbers. For differential evolution, the whole state has the CPU's bits. PSO has a state
/// that is three times as large; checks the last individual of a run and the last run of a batch.
#[test]
fn two_to_the_31_coordinates() {
    let streaming = Place::device(Backend::Gpu, Schedule::Streaming, None);
    large::check_last_individual(Algorithm::Pso(Default::default()), large::INDIVIDUALS, streaming);
    let batch = (large::RUNS, large::INDIVIDUALS / 16 + 1);
    large::check_last_run(&Algorithm::Pso(Default::default()), batch, streaming);
    let case = Case::new("rastrigin", large::DIMENSIONS, large::INDIVIDUALS);
    let case = Case { iterations: 1, ..case }.with(DeParams::default());
    check_against::<f32>(&case, Place { threads: None, ..Place::REFERENCE }, &[streaming]);
    let coordinates = large::INDIVIDUALS * large::DIMENSIONS as u64;
    println!("reliability: coordinates of the largest run on a GPU = {coordinates}");
}

#[test]
fn problems_that_are_not_finite() {
    problem_files::check_not_finite(&[2, 5, 29, 40], &everywhere());
}

#[test]
fn a_kernel_that_traps_loses_the_gpu_to_its_process() {
    let test = "a_kernel_that_traps_loses_the_gpu_to_its_process";
    alone(test, Duration::ZERO, &[], traps::lose_the_gpu);
}

/// A grid whose blocks cannot all be resident is rejected, and another schedule is chosen.
#[test]
fn a_grid_that_does_not_fit() {
    let case = Case { iterations: 3, ..Case::new("rastrigin", 30, 1 << 21) };
    let forced = Place::device(Backend::Gpu, Schedule::Resident, Some(32));
    let error = case.start::<f64>(forced).map(drop).unwrap_err();
    assert!(matches!(error, warpswarm::Error::Schedule { .. }), "{error}");
    let auto = Place::device(Backend::Gpu, Schedule::Auto, None);
    assert_eq!(case.plan::<f64>(auto).schedule, Schedule::Streaming);
}

/// A time limit is noticed within 100 ms, or within one launch.
#[test]
fn a_time_limit() {
    for (dimensions, individuals) in [(2, 32), (30, 768), (30, 65_536), (100, 1 << 20)] {
        let seconds = 0.5;
        let stop = Stop { seconds: Some(seconds), ..Stop::default() };
        let case = Case { stop, ..Case::new("rastrigin", dimensions, individuals) };
        let mut optimiser =
            case.start::<f32>(Place::device(Backend::Gpu, Schedule::Auto, None)).unwrap();
        let begin = std::time::Instant::now();
        let report = optimiser.run().unwrap();
        let taken = begin.elapsed().as_secs_f64();
        assert!(report.runs[0].iterations > 100, "{individuals}: {}", report.runs[0].iterations);
        assert!((0.4..seconds + 0.1).contains(&taken), "{individuals}: {taken} s");
    }
}
