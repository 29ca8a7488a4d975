//! The matrix for all algorithms that are a `Method`, without a GPU: variants, boundary modes, precisions,
//! batches, stop conditions, threads, schedules and block sizes.

use warpswarm::{
    Algorithm, Backend, CmepsoParams, DeParams, GpuFwaParams, Schedule, ShadeParams, Stop,
};
use warpswarm_core::boundary::Boundary;
use warpswarm_tests::{
    Case, Place, assert_same, check, check_against, check_orders, has_paper_kernels, methods,
    papers,
};

/// All places: several blocks that exchange data, one block, one launch per iteration, the host between two launches,
/// threads; and the kernels of the algorithm's paper, if it has any.
fn everywhere(algorithm: &Algorithm) -> Vec<Place> {
    let emulator = |schedule, block| Place::device(Backend::Emulator, schedule, block);
    let mut places = vec![
        emulator(Schedule::Resident, Some(32)),
        emulator(Schedule::Resident, Some(96)),
        emulator(Schedule::Resident, None),
        emulator(Schedule::Streaming, Some(64)),
        emulator(Schedule::Hosted, Some(64)),
        Place::threads(3),
    ];
    if has_paper_kernels(algorithm) {
        places.extend([Some(32), None].map(|block| emulator(Schedule::Stepwise, block)));
    }
    places
}

fn check_all(individuals: u64, case: impl Fn(Algorithm) -> Case) {
    for algorithm in methods(individuals) {
        let places = everywhere(&algorithm);
        check(&case(algorithm), &places);
    }
}

#[test]
fn small_populations_give_the_same_bits() {
    for (individuals, dimensions) in [(4, 1), (5, 2), (9, 31)] {
        check_all(individuals, |algorithm| {
            Case::new("rastrigin", dimensions, individuals).with(algorithm)
        });
    }
}

#[test]
fn populations_of_several_blocks_give_the_same_bits() {
    for (individuals, dimensions) in [(33, 2), (42, 7)] {
        check_all(individuals, |algorithm| {
            Case::new("rosenbrock", dimensions, individuals).with(algorithm)
        });
    }
}

/// One warp, eight lanes, or one thread per individual.
#[test]
fn orders_of_blocks_give_the_same_bits() {
    for (individuals, dimensions) in [(30, 9), (140, 9), (300, 5)] {
        for algorithm in methods(individuals) {
            let case = Case::new("rosenbrock", dimensions, individuals).with(algorithm);
            let place = Place::device(Backend::Emulator, Schedule::Resident, Some(32));
            check_orders(&Case { iterations: 7, ..case }, place);
        }
    }
}

/// Enough individuals for the planner to choose columns, with one thread per individual; also with several individuals
/// per thread.
#[test]
fn columns_give_the_same_bits() {
    of_many(&[
        ("sphere", 1, 36),
        ("rastrigin", 6, 172),
        ("rosenbrock", 9, 272),
        ("schwefel-1.2", 5, 144),
    ]);
}

/// Eight lanes per individual.
#[test]
fn tiles_give_the_same_bits() {
    of_many(&[("rastrigin", 30, 140), ("schwefel-1.2", 31, 99), ("griewank", 4, 50)]);
}

/// The kernels of the papers, in the papers' sizes, and in parts.
#[test]
fn kernels_of_the_papers_give_the_same_bits() {
    papers::check(Backend::Emulator, &[1, 9], &[1, 40], 5);
    papers::check_in_pieces(
        Backend::Emulator,
        GpuFwaParams { explosions: 4, sparks: 3, ..GpuFwaParams::paper() },
        9,
    );
    papers::check_in_pieces(
        Backend::Emulator,
        CmepsoParams { slaves: 3, ..CmepsoParams::default() },
        12,
    );
    let place = Place::device(Backend::Emulator, Schedule::Stepwise, None);
    let error = Case::new("sphere", 33, 9).with(GpuFwaParams::default()).start::<f32>(place);
    let error = error.map(drop).unwrap_err().to_string();
    assert!(error.starts_with("schedule stepwise is impossible: 33 dimensions"), "{error}");
}

fn of_many(sizes: &[(&'static str, usize, u64)]) {
    let places = [
        (Schedule::Resident, Some(32)),
        (Schedule::Resident, None),
        (Schedule::Streaming, Some(64)),
    ]
    .map(|(schedule, block)| Place::device(Backend::Emulator, schedule, block));
    for &(problem, dimensions, individuals) in sizes {
        for algorithm in methods(individuals) {
            let case = Case::new(problem, dimensions, individuals).with(algorithm);
            check(&case, &places);
        }
    }
}

/// Sums over the successful individuals use groups of groups, on several levels. The blocks of the last two cases have
/// parts of 32 and of four groups. In 25 dimensions, eight lanes process an individual, and plan for several.
#[test]
fn large_populations_that_learn_give_the_same_bits() {
    for (dimensions, individuals, iterations) in
        [(1, 1_100, 4), (1, 33_000, 2), (1, 65_536, 2), (25, 2_000, 3)]
    {
        let case = Case::new("sphere", dimensions, individuals).with(ShadeParams::default());
        let places = [
            (Schedule::Resident, Some(32)),
            (Schedule::Resident, None),
            (Schedule::Streaming, Some(64)),
        ]
        .map(|(schedule, block)| Place::device(Backend::Emulator, schedule, block));
        check(&Case { iterations, ..case }, &places);
    }
}

#[test]
fn every_boundary_mode_gives_the_same_bits() {
    for (_, boundary) in Boundary::ALL {
        check_all(12, |algorithm| {
            Case::new("sphere", 3, 12).with(algorithm).with_boundary(boundary)
        });
    }
}

#[test]
fn constraints_give_the_same_bits() {
    for (problem, dimensions, individuals) in
        [("three-bar-truss", 2, 8), ("spring", 3, 24), ("speed-reducer", 7, 8)]
    {
        check_all(individuals, |algorithm| {
            Case::new(problem, dimensions, individuals).with(algorithm)
        });
        check_all(8, |algorithm| {
            let case = Case { iterations: 8, ..Case::new(problem, dimensions, 8) };
            case.with(algorithm).eased()
        });
    }
}

#[test]
fn batches_give_the_same_bits() {
    check_all(12, |algorithm| Case { runs: 5, ..Case::new("griewank", 5, 12).with(algorithm) });
}

#[test]
fn runs_of_a_batch_stop_each_at_its_own_iteration() {
    for stop in [Stop::target(2.0), Stop::stagnation(2)] {
        check_all(12, |algorithm| {
            let case = Case::new("sphere", 2, 12).with(algorithm);
            Case { runs: 4, iterations: 20, stop: stop.clone(), ..case }
        });
    }
}

#[test]
fn points_that_others_evaluate_give_the_same_bits() {
    warpswarm_tests::on_device::check(Backend::Emulator, &methods(12), &[(12, 3)]);
    warpswarm_tests::on_device::check_refused(Backend::Emulator);
}

#[test]
fn many_dimensions_stream() {
    let places = [Schedule::Streaming, Schedule::Hosted]
        .map(|schedule| Place::device(Backend::Emulator, schedule, Some(32)));
    for algorithm in methods(9) {
        for dimensions in [129, 1025] {
            check(&Case::new("rosenbrock", dimensions, 9).with(algorithm), &places);
        }
    }
}

/// CMA-ES: generations with one chunk of ranks and with several, with matrices that fit in a block and with larger
/// ones.
#[test]
fn generations_of_cma_es_give_the_same_bits() {
    let sizes = [(4, 1), (5, 2), (10, 7), (33, 3), (14, 33), (150, 4)];
    warpswarm_tests::searches::check_generations(Backend::Emulator, &sizes, 4);
}

#[test]
fn orders_of_blocks_of_cma_es_give_the_same_bits() {
    warpswarm_tests::searches::check_orders_of_generations();
}

#[test]
fn legs_of_cma_es_give_the_same_bits() {
    warpswarm_tests::searches::check_legs(Backend::Emulator, 120);
    warpswarm_tests::searches::check_mirrored(Backend::Emulator, &[33], 400);
}

#[test]
fn turns_of_cma_es_and_shade_give_the_same_bits() {
    warpswarm_tests::searches::check_turns(Backend::Emulator, 260);
}

#[test]
fn runs_that_begin_anew_give_the_same_bits() {
    warpswarm_tests::restarts::check_methods(Backend::Emulator, &[("sphere", 1, 12)], 270);
    warpswarm_tests::restarts::check_one_by_one(Backend::Emulator, 1_500);
    warpswarm_tests::restarts::check_stops(Backend::Emulator, 400);
}

#[test]
fn blocks_that_share_a_run_of_cma_es_give_the_same_bits() {
    warpswarm_tests::searches::check_blocks(Backend::Emulator, &[(300, 3, 1), (257, 9, 2)], 3);
}

/// Every algorithm in all places, with sizes around the largest number of threads in a block.
#[test]
fn a_thousand_individuals_give_the_same_bits() {
    for (individuals, slaves) in [(1023, "3"), (1024, "2"), (1025, "5")] {
        for info in warpswarm::algorithms::ALL {
            let mut algorithm = info.algorithm();
            match info.id {
                // The slaves have equal numbers of individuals.
                "cmepso" => algorithm.set("slaves", slaves).unwrap(),
                // With a fixed step, the distances between all pairs need not be computed.
                "solis-wets" => algorithm.set("step", "0.2").unwrap(),
                _ => {}
            }
            let mut places = vec![Place::threads(3)];
            if info.backends.contains(&Backend::Emulator) {
                places.push(Place::device(Backend::Emulator, Schedule::Auto, None));
            }
            if individuals == 1025 && matches!(algorithm, Algorithm::De(_)) {
                // One warp per individual is slow in the emulator.
                let device = |schedule| Place::device(Backend::Emulator, schedule, None);
                places.extend([Schedule::Streaming, Schedule::Hosted].map(device));
            }
            let case = Case::new("rastrigin", 3, individuals);
            let case = Case { iterations: 2, algorithm, ..case };
            check_against::<f32>(&case, Place::REFERENCE, &places);
        }
    }
}

/// After a population has shrunk, a run can continue from a state with a larger population, also if the shrinking began
/// with a small population.
#[test]
fn populations_that_fell_come_back() {
    let falls = ShadeParams { budget: Some(900.0), ..ShadeParams::lshade() };
    let case = Case { runs: 3, ..Case::new("rastrigin", 2, 40).with(falls) };
    let mut whole = case.start::<f64>(Place::REFERENCE).unwrap();
    let [early, late, last] = [5, 20, 25].map(|iterations| {
        whole.step(iterations).unwrap();
        whole.state().unwrap()
    });
    let individuals = [&early, &late, &last].map(|swarms| swarms[0].individuals());
    assert!(individuals[0] > individuals[1] && individuals[1] > individuals[2], "{individuals:?}");
    for schedule in [Schedule::Resident, Schedule::Streaming, Schedule::Hosted] {
        let place = Place::device(Backend::Emulator, schedule, Some(32));
        let mut other = case.start::<f64>(place).unwrap();
        for (state, iterations) in [(&late, 25), (&early, 45), (&late, 25)] {
            other.restore(state).unwrap();
            other.step(iterations).unwrap();
            let what = format_args!("{schedule:?}, {iterations}");
            assert_same(&last, &other.state().unwrap(), what);
        }
    }
}

/// In all places, differential evolution needs an individual and three others.
#[test]
fn differential_evolution_needs_four() {
    let places =
        [Backend::Cpu, Backend::Emulator].map(|backend| Place { backend, ..Place::REFERENCE });
    for individuals in 1..=3 {
        let case = Case::new("sphere", 2, individuals).with(DeParams::default());
        let allowed = "allowed: at least 4 for differential evolution";
        for place in places {
            let error = case.start::<f32>(place).unwrap_err();
            assert_eq!(error.to_string(), format!("individuals is {individuals}; {allowed}"));
        }
    }
    check(&Case::new("sphere", 2, 4).with(DeParams::default()), &places);
}

/// Migration of individuals between runs, by kernels.
#[test]
fn migrants_give_the_same_bits() {
    let place = |schedule| Place::device(Backend::Emulator, schedule, Some(32));
    let places = [place(Schedule::Resident), place(Schedule::Streaming).over("0,1")];
    warpswarm_tests::islands::check(&[1, 5, 33], &[2], &places);
    warpswarm_tests::islands::check(&[9], &[33], &[place(Schedule::Streaming)]);
    warpswarm_tests::islands::check(&[12], &[3], &[place(Schedule::Hosted)]);
}

/// Epochs in one launch: in columns, with one thread per particle, and with several lanes per particle.
#[test]
fn epochs_in_one_launch_give_the_same_bits() {
    let place = |block| Place::device(Backend::Emulator, Schedule::Resident, block);
    let check = warpswarm_tests::islands::check_epochs;
    check(&[("rastrigin", 3, 70), ("spring", 3, 70)], place(Some(32)), 210);
    check(&[("rastrigin", 2, 600)], place(None), 70);
    check(&[("rastrigin", 33, 40), ("rastrigin", 30, 100)], place(Some(32)), 70);
}

/// If a message cannot be delivered, the kernel ends, and the original error is returned.
#[test]
fn epochs_end_where_letters_do() {
    let place = Place::device(Backend::Emulator, Schedule::Resident, Some(32));
    let case = Case { migrates: true, ..Case::new("rastrigin", 3, 70) };
    let mut optimiser = case.start::<f32>(place).unwrap();
    assert!(optimiser.prepare_epochs().unwrap().is_some());
    let mut left = 3;
    let done = optimiser.step_epochs(5, 10, &mut |one| {
        left -= 1;
        if left == 0 { Err(warpswarm::Error::NoDriver) } else { Ok(one) }
    });
    assert_eq!(done, Err(warpswarm::Error::NoDriver));
    assert_eq!(optimiser.step(1), Err(warpswarm::Error::NoDriver));
}
