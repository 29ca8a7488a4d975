//! Every mistake in the input is an error that names the field, the value and what is allowed.

use crate::common::{bounds, optimiser, settings};
use warpswarm::problems::{self, Sphere};
use warpswarm::{
    Algorithm, Backend, Boundary, Bounds, Error, FwaParams, Optimiser, PsoParams, Schedule,
    Settings, Stop, Swarm, algorithms,
};

fn check_settings(settings: Settings, expected: &str) {
    let error = optimiser::<f32>(3, &settings).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert!(error.is_input(), "{error:?}");
}

#[test]
fn sizes() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = settings(32);
        change(&mut settings);
        settings
    };
    check_settings(
        with(|s| s.individuals = u64::from(u32::MAX)),
        "individuals is 4294967295; allowed: 1 to 2147483647, or 0 for as many as the algorithm usually has",
    );
    check_settings(with(|s| s.runs = 0), "runs is 0; allowed: 1 to 4294967295");
    check_settings(with(|s| s.runs = 1 << 32), "runs is 4294967296; allowed: 1 to 4294967295");
    check_settings(with(|s| s.threads = Some(0)), "threads is 0; allowed: 1 to 65536");
    check_settings(
        with(|s| s.record_every = Some(0)),
        "record_every is 0; allowed: 1 to 72057594037927935",
    );
    check_settings(
        with(|s| s.records_at_most = Some(1)),
        "records_at_most is 1; allowed: 2 to 72057594037927935",
    );
    for block in [0, 31, 33, 1056] {
        check_settings(
            Settings { block_size: Some(block), ..settings(32) },
            &format!("block_size is {block}; allowed: multiples of 32 from 32 to 1024"),
        );
    }
}

#[test]
fn sizes_that_cannot_be_multiplied() {
    let most = u64::from(u32::MAX);
    let settings = Settings { individuals: most / 2, runs: most, ..settings(1) };
    check_settings(
        settings,
        "runs x individuals x dimensions is 4294967295 x 2147483647 x 3; \
         allowed: an amount of memory that can be addressed",
    );
}

#[test]
fn more_memory_than_the_machine_has() {
    let settings = Settings { individuals: (1 << 31) - 1, runs: 1 << 12, ..settings(1) };
    let error = optimiser::<f64>(30, &settings).unwrap_err();
    assert!(matches!(error, Error::HostMemory { bytes } if bytes > 1 << 50), "{error:?}");
    assert!(!error.is_input());
}

#[test]
fn stops() {
    let with = |stop| Settings { stop, ..settings(32) };
    check_settings(
        with(Stop::iterations(1 << 56)),
        "iterations is 72057594037927936; allowed: 0 to 2^56 - 1",
    );
    check_settings(
        with(Stop::seconds(f64::NAN)),
        "seconds is NaN; allowed: a number of at least 0",
    );
    check_settings(with(Stop::seconds(-1.0)), "seconds is -1; allowed: a number of at least 0");
    check_settings(with(Stop::target(f64::NAN)), "target is NaN; allowed: a number");
    check_settings(with(Stop::stagnation(0)), "stagnation is 0; allowed: at least 1");
    check_settings(
        with(Stop::evaluations(31)),
        "evaluations is 31, fewer than the 32 individuals; allowed: at least one evaluation an individual",
    );
}

#[test]
fn bounds_name_the_index() {
    let check = |lower: &[f64], upper: &[f64], expected: &str| {
        let error = Bounds::new(lower.to_vec(), upper.to_vec()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.is_input());
    };
    check(&[], &[], "dimensions is 0; allowed: 1 to 4193280");
    check(
        &[0.0, 0.0],
        &[1.0],
        "there are 2 lower bounds and 1 upper bounds; allowed: as many of each",
    );
    check(
        &[0.0, 2.0],
        &[1.0, 1.0],
        "lower bound 1 is 2, above the upper bound 1; allowed: lower <= upper",
    );
    check(&[0.0, f64::NAN], &[1.0, 1.0], "lower bound 1 is NaN; allowed: a finite number");
    check(&[0.0], &[f64::INFINITY], "upper bound 0 is inf; allowed: a finite number");
    assert!(Bounds::uniform(0, 0.0, 1.0).is_err());
}

#[test]
fn bounds_must_fit_the_precision() {
    let run = |lower: f64, upper: f64| {
        let bounds = Bounds::new(vec![0.0, lower], vec![1.0, upper]).unwrap();
        let algorithm = Algorithm::Pso(Default::default());
        let single = Optimiser::<f32>::new(&Sphere, &bounds, &algorithm, &settings(4));
        let double = Optimiser::<f64>::new(&Sphere, &bounds, &algorithm, &settings(4));
        (single.map(drop), double.map(drop))
    };
    let (single, double) = run(-3e38, 3e38);
    assert_eq!(
        single.unwrap_err().to_string(),
        format!(
            "bounds 1 are {:?} and {:?}; allowed: both, and their difference, numbers that f32 has",
            -3e38, 3e38
        )
    );
    double.unwrap();
    let (single, double) = run(-1.7e308, 1.7e308);
    assert!(single.is_err());
    assert!(double.unwrap_err().to_string().ends_with("numbers that f64 has"));
}

#[test]
fn a_coordinate_whose_bounds_are_equal_is_frozen() {
    let bounds = Bounds::new(vec![-1.0, 0.5], vec![1.0, 0.5]).unwrap();
    for boundary in Boundary::ALL {
        let params = PsoParams { boundary: boundary.1, ..PsoParams::default() };
        let report =
            warpswarm::minimise::<f64, _>(&Sphere, &bounds, &params.into(), &settings(16)).unwrap();
        assert_eq!(report.best().position[1], 0.5, "{boundary:?}");
    }
}

#[test]
fn parameters_are_checked_however_they_were_set() {
    let params = PsoParams { inertia: f64::NAN, ..PsoParams::default() };
    let error = warpswarm::minimise::<f32, _>(&Sphere, &bounds(2), &params.into(), &settings(4))
        .unwrap_err();
    assert_eq!(error.to_string(), "parameter inertia is NaN; allowed: a finite number");
}

#[test]
fn a_parameter_that_is_refused_keeps_its_value() {
    let mut algorithm = Algorithm::Pso(Default::default());
    for value in ["NaN", "-1", "2", "x"] {
        algorithm.set("correction", value).unwrap_err();
        assert_eq!(algorithm, Algorithm::Pso(Default::default()), "correction = {value}");
    }
}

#[test]
fn parameters_of_methods() {
    let check = |id: &str, set: &[(&str, &str)], individuals, expected: &str| {
        let mut algorithm = algorithms::find(id).unwrap().algorithm();
        let set = set.iter().try_for_each(|(key, value)| algorithm.set(key, value));
        let start =
            |()| Optimiser::<f32>::new(&Sphere, &bounds(2), &algorithm, &settings(individuals));
        let error = set.and_then(start).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.is_input(), "{error:?}");
    };
    let part = "a number from 0 to 1";
    let count = "a whole number from 1 to 4294967295";
    let positive = "a finite number above 0";
    check("de", &[], 3, "individuals is 3; allowed: at least 4 for differential evolution");
    check(
        "de",
        &[("crossover_rate", "1.5")],
        9,
        &format!("parameter crossover_rate is 1.5; allowed: {part}"),
    );
    check(
        "de",
        &[("crossover_rate", "-0.1")],
        9,
        &format!("parameter crossover_rate is -0.1; allowed: {part}"),
    );
    check(
        "pso",
        &[("topology", "ring"), ("neighbours", "10")],
        10,
        "neighbours is 10; allowed: even numbers of at least 2, fewer than the individuals, of which there \
         are 10",
    );
    for (last, individuals) in [("3", 9), ("10", 9)] {
        let set = [("final_individuals", last)];
        let expected = format!(
            "final_individuals is {last}; allowed: 4 to 9, as many as at first, or 0 where all stay"
        );
        check("shade", &set, individuals, &expected);
    }
    for temperature in ["0", "-3"] {
        let expected = format!("parameter temperature is {temperature}; allowed: {positive}");
        check("sa", &[("temperature", temperature)], 9, &expected);
    }
    for id in ["epso", "cmepso"] {
        for value in ["0", "64"] {
            let expected =
                format!("parameter replicas is {value}; allowed: a whole number from 1 to 63");
            check(id, &[("replicas", value)], 20, &expected);
        }
    }
    check("cmepso", &[("slaves", "0")], 10, &format!("parameter slaves is 0; allowed: {count}"));
    for individuals in [10, 25] {
        let expected = format!(
            "individuals is {individuals}; allowed: a multiple of the slaves, of which there are 10: the \
             particles of each, at least one, and one of the master"
        );
        check("cmepso", &[], individuals, &expected);
    }
    let expected = "individuals is 30; allowed: 20 for a master alone, which has 10 slaves: one that keeps the \
                    best of each, and one of the master";
    check("cmepso", &[("part", "master")], 30, expected);
    for set in ["best_set", "diverse_set"] {
        let expected = format!("parameter {set} is 0; allowed: {count}");
        check("scatter-search", &[(set, "0")], 100, &expected);
    }
    check(
        "scatter-search",
        &[],
        29,
        "individuals is 29; allowed: at least 30: a best set of 10, a diverse set of 10, and a pool that is not \
         smaller than that",
    );
    check("gpu-fwa", &[("delta", "1.5")], 9, &format!("parameter delta is 1.5; allowed: {part}"));
    check(
        "gpu-fwa",
        &[("sparks", "65")],
        9,
        "parameter sparks is 65; allowed: a whole number from 1 to 64",
    );
    check(
        "gpu-fwa",
        &[("amplitude", "0")],
        9,
        &format!("parameter amplitude is 0; allowed: {positive}"),
    );
}

#[test]
fn parameters_of_fireworks() {
    let check = |individuals, change: fn(&mut FwaParams), expected: &str| {
        let mut params = FwaParams::default();
        change(&mut params);
        let made =
            Optimiser::<f32>::new(&Sphere, &bounds(2), &params.into(), &settings(individuals));
        let error = made.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.is_input(), "{error:?}");
    };
    let above = "a finite number above 0";
    check(5, |p| p.amplitude = 0.0, &format!("parameter amplitude is 0; allowed: {above}"));
    check(5, |p| p.amplitude = f64::NAN, &format!("parameter amplitude is NaN; allowed: {above}"));
    check(
        5,
        |p| p.amplitude = 1e-60,
        &format!(
            "parameter amplitude is {}; allowed: a number that is finite in the run's precision",
            1e-60
        ),
    );
    check(
        5,
        |p| p.amplitude_floor = -0.5,
        "parameter amplitude_floor is -0.5; allowed: a finite number of at least 0",
    );
    check(
        5,
        |p| p.sparks = 0,
        "parameter sparks is 0; allowed: a whole number from 1 to 4294967295",
    );
    check(5, |p| p.fewest = -0.1, "parameter fewest is -0.1; allowed: a number from 0 to 1");
    check(
        5,
        |p| p.fewest = 0.9,
        "parameter fewest is 0.9; allowed: a number from 0 to the parameter most",
    );
    check(5, |p| p.most = 0.0, "parameter most is 0; allowed: a number above 0, at most 1");
    check(5, |p| p.most = 1.5, "parameter most is 1.5; allowed: a number above 0, at most 1");
    check(5, |p| p.correction = 2.0, "parameter correction is 2; allowed: a number from 0 to 1");
    let most = "so few that they and their sparks are at most 4294967295";
    check((1 << 31) - 1, |_| (), &format!("individuals is 2147483647; allowed: {most}"));
    check(5, |p| p.gaussian_sparks = u32::MAX, &format!("individuals is 5; allowed: {most}"));
    let mut fwa = algorithms::find("fwa").unwrap().algorithm();
    let names = "modulo, clamp, reflect, wrap, random or reverse";
    assert_eq!(
        fwa.set("boundary", "mod").unwrap_err().to_string(),
        format!("parameter boundary is `mod`; allowed: {names}")
    );
    assert!(fwa.set("gaussian_sparks", "-1").is_err() && fwa.set("sparks", "1.5").is_err());
    fwa.set("gaussian_sparks", "0").unwrap();
    fwa.set("boundary", "reflect").unwrap();
}

#[test]
fn names() {
    let error = algorithms::find("psso").unwrap_err();
    assert_eq!(error.to_string(), "unknown algorithm `psso`; did you mean pso, spso?");
    let error = problems::find("spere").unwrap_err();
    assert!(
        error.to_string().starts_with("unknown problem `spere`; did you mean sphere"),
        "{error}"
    );
    for info in algorithms::ALL {
        assert_eq!(algorithms::find(info.id).unwrap().algorithm().info().id, info.id);
    }
}

/// A matrix with more numbers than can be counted.
#[test]
fn so_many_dimensions_have_no_matrix() {
    for id in ["cma-es", "auto"] {
        let algorithm = algorithms::find(id).unwrap().algorithm();
        let new = Optimiser::<f32>::new(&Sphere, &bounds(50_000), &algorithm, &settings(4));
        // With this many dimensions, auto uses another algorithm.
        assert_eq!(matches!(new, Err(Error::TooLarge { .. })), id == "cma-es");
    }
}

#[test]
fn what_does_not_run_where_it_was_asked_to() {
    let on_cpu = ["spso", "fwa"].map(|id| algorithms::find(id).unwrap().algorithm());
    for (algorithm, backend) in on_cpu
        .iter()
        .flat_map(|algorithm| [Backend::Gpu, Backend::Emulator].map(|backend| (algorithm, backend)))
    {
        let settings = Settings { backend, ..settings(4) };
        let error = Optimiser::<f32>::new(&Sphere, &bounds(2), algorithm, &settings).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "algorithm {} does not run on backend {backend}; allowed: cpu, auto",
                algorithm.info().id
            )
        );
        assert!(error.is_input());
    }
    #[cfg(feature = "emulator")]
    {
        let settings = Settings { backend: Backend::Emulator, ..settings(4) };
        let closure = warpswarm::HostObjective::new(|x: &[f32]| x[0]);
        let cma_es = algorithms::find("cma-es").unwrap().algorithm();
        let error = Optimiser::<f32>::new(&closure, &bounds(2), &cma_es, &settings).unwrap_err();
        let expected = "algorithm cma-es of an objective that has no GPU kernels, or with schedule hosted, does not run on backend \
                        emulator; allowed: cpu, or algorithm shade";
        assert_eq!(error.to_string(), expected);
    }
    let resident = Settings { schedule: Schedule::Resident, ..settings(4) };
    check_settings(
        resident,
        "schedule resident does not run on backend cpu; allowed: gpu, emulator, auto",
    );
    let block = Settings { block_size: Some(64), ..settings(4) };
    check_settings(
        block,
        "block size 64 does not run on backend cpu; allowed: gpu, emulator, auto",
    );
}

#[test]
fn an_objective_without_kernels_runs_on_the_cpu_unless_asked_otherwise() {
    #[derive(Clone, Copy)]
    struct Mine;
    impl<R: warpswarm::Real> warpswarm::Objective<R> for Mine {
        fn value<P: warpswarm::Point<R>>(&self, x: &P) -> R {
            x.get(0) * x.get(1)
        }
    }
    let settings = Settings { backend: Backend::Auto, ..settings(64) };
    let algorithm = Algorithm::Pso(Default::default());
    let report = warpswarm::minimise::<f32, _>(&Mine, &bounds(2), &algorithm, &settings).unwrap();
    assert_eq!(report.backend, Backend::Cpu);
    assert!(report.best().value < -20.0);
}

#[test]
fn a_shift_that_is_not_finite() {
    let problem = problems::find("sphere").unwrap();
    let make = |shift| {
        problem
            .optimiser::<f32>(shift, &bounds(2), &Algorithm::Pso(Default::default()), &settings(4))
            .map(drop)
    };
    assert_eq!(
        make(1e300).unwrap_err().to_string(),
        format!("shift is {}; allowed: a number that is finite in f32", 1e300)
    );
    assert!(make(f64::NAN).is_err());
    make(1.5).unwrap();
}

#[test]
fn a_problem_that_exists_in_some_numbers_of_dimensions_only() {
    let run = |problem: &str, dimensions, shift| {
        let problem = problems::find(problem).unwrap();
        let settings = settings(4);
        problem.optimiser::<f64>(
            shift,
            &bounds(dimensions),
            &Algorithm::Pso(Default::default()),
            &settings,
        )
    };
    let check = |problem: &str, dimensions, shift, expected: &str| {
        let error = run(problem, dimensions, shift).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.is_input());
    };
    check("rosenbrock", 1, 0.0, "dimensions is 1; allowed: at least 2 for rosenbrock");
    check("spring", 5, 0.0, "dimensions is 5; allowed: exactly 3 for spring");
    check("spring", 3, 0.5, "shift is 0.5; allowed: 0 for spring, whose optimum cannot be moved");
    let expected = "dimensions is 7; allowed: multiples of 3 from 6 to 8688 for lennard-jones";
    check("lennard-jones", 7, 0.0, expected);
    run("spring", 3, 0.0).unwrap();
    run("lennard-jones", 9, 0.5).unwrap();
    let error = problems::find("nist-enso").unwrap().bounds(8).unwrap_err();
    assert_eq!(error.to_string(), "dimensions is 8; allowed: exactly 9 for nist-enso");
}

#[test]
fn a_state_of_another_run_is_refused() {
    let state = optimiser::<f32>(3, &settings(8)).unwrap().state().unwrap();
    let check = |dimensions, settings: Settings, expected: &str| {
        let error = optimiser::<f32>(dimensions, &settings).unwrap().restore(&state).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(error.is_input());
    };
    check(3, settings(9), "the state has individuals 8; allowed: 9");
    check(4, settings(8), "the state has dimensions 3; allowed: 4");
    check(3, Settings { runs: 2, ..settings(8) }, "the state has runs 1; allowed: 2");
    check(3, Settings { seed: 8, ..settings(8) }, "the state has seed 7; allowed: 8");
    check(3, Settings { first_run: 1, ..settings(8) }, "the state has run number 0; allowed: 1");
    let mut torn = state.clone();
    torn[0].velocities.pop();
    let error = optimiser::<f32>(3, &settings(8)).unwrap().restore(&torn).unwrap_err();
    assert_eq!(error.to_string(), "the state has velocities 31; allowed: 32");
}

#[test]
fn a_state_that_no_run_has_is_refused() {
    let settings = Settings { runs: 2, ..settings(8) };
    let mut first = optimiser::<f32>(3, &settings).unwrap();
    first.step(5).unwrap();
    let state = first.state().unwrap();
    let mut check = |change: fn(&mut [Swarm<f32>]), expected: &str| {
        let mut state = state.clone();
        change(&mut state);
        assert_eq!(first.restore(&state).unwrap_err().to_string(), expected);
    };
    check(
        |runs| runs[1].control.iterations = 1 << 60,
        "the state has iterations 1152921504606846976; allowed: at most 72057594037927935",
    );
    check(
        |runs| runs[0].control.improved_at = 6,
        "the state has last improvement at iteration 6; allowed: at most 5",
    );
    check(
        |runs| runs[1].global.index = 8,
        "the state has global best of individual 8; allowed: at most 7",
    );
    check(|runs| runs[1].control.iterations = 7, "the state has a run at iteration 7; allowed: 5");
    // Rows of three coordinates are padded to four.
    check(
        |runs| runs[1].positions[4 * 5 + 2] = f32::NAN,
        "the state has position NaN (run 1, individual 5, coordinate 2); allowed: numbers",
    );
    check(
        |runs| runs[0].best_positions[0] = f32::NAN,
        "the state has best position NaN (run 0, individual 0, coordinate 0); allowed: numbers",
    );
    check(
        |runs| (runs[0].global.index, runs[0].global_position[1]) = (6, f32::NAN),
        "the state has global best position NaN (run 0, individual 6, coordinate 1); allowed: numbers",
    );
}
