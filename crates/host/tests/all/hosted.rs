//! Objectives that the host or the caller evaluates give the same bits as those that are evaluated with the moves.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{assert_same, bounds, long, settings};
use warpswarm::problems::Rastrigin;
use warpswarm::{
    Algorithm, AskTell, Backend, Bounds, Constraints, DeParams, DevicePoints, DeviceValues, Error,
    Fitness, HostObjective, Objective, Optimiser, Point, Points, Real, Scale, Settings, Stop,
    StopReason, Swarm, algorithms, minimise,
};
use warpswarm_core::objective::SlicePoint;

/// The algorithms of a backend whose points can be evaluated elsewhere.
fn all(backend: Backend) -> impl Iterator<Item = Algorithm> {
    let of_backend = move |info: &&algorithms::AlgorithmInfo| {
        let stays = backend != Backend::Cpu && ["auto", "cma-es"].contains(&info.id);
        info.backends.contains(&backend) && !stays
    };
    algorithms::ALL.iter().filter(of_backend).map(|info| info.algorithm())
}

fn rastrigin(x: &[f64]) -> Fitness<f64> {
    Objective::<f64>::evaluate(&Rastrigin, &SlicePoint(x))
}

fn of_population(points: &Points<'_, f64>) -> Vec<Fitness<f64>> {
    points.iter().map(rastrigin).collect()
}

fn state(optimiser: &mut Optimiser<f64>, iterations: u64) -> Vec<Swarm<f64>> {
    optimiser.step(iterations).unwrap();
    optimiser.state().unwrap()
}

/// Compares the states with an objective, with closures, and with ask and tell.
fn check(backend: Backend) {
    // Some runs stop on their own, others do not.
    let stop = Stop::target(20.0).or_iterations(9);
    for algorithm in all(backend) {
        let cpu = Settings {
            runs: 3,
            first_run: 2,
            stop: stop.clone(),
            threads: Some(2),
            ..settings(40)
        };
        let other = Settings { backend, ..cpu.clone() };
        let what = format!("{algorithm:?}");
        let make =
            |by: &HostObjective<f64>| Optimiser::new(by, &bounds(4), &algorithm, &other).unwrap();
        let mut straight = Optimiser::new(&Rastrigin, &bounds(4), &algorithm, &cpu).unwrap();
        let expected = state(&mut straight, 9);
        let mut by_point = make(&HostObjective::with_violation(rastrigin));
        assert_same(&expected, &state(&mut by_point, 9), &what);
        let mut by_population = make(&HostObjective::of_population(of_population));
        assert_same(&expected, &state(&mut by_population, 9), &what);

        let mut search = AskTell::new(&bounds(4), &algorithm, &other).unwrap();
        assert_eq!(search.state().unwrap_err(), Error::NotPlaced);
        let mut asked = 0;
        while let Some(points) = search.ask().unwrap() {
            assert!((0..points.len()).all(|i| (2..5).contains(&points.run(i))));
            asked += points.len() as u64;
            let told = of_population(&points);
            search.tell(&told).unwrap();
        }
        assert_same(&expected, &search.state().unwrap(), &what);
        let report = search.report().unwrap();
        let straight = straight.run().unwrap();
        assert_eq!(report.runs, straight.runs, "{what}");
        let evaluations: u64 = report.runs.iter().map(|run| run.evaluations).sum();
        assert_eq!(asked, evaluations, "{what}");
    }
}

#[test]
fn on_the_cpu_every_algorithm_asks() {
    assert_eq!(all(Backend::Cpu).count(), algorithms::ALL.len());
    check(Backend::Cpu);
}

/// So large that a run is divided among threads; asking does not change the run.
#[test]
fn runs_that_threads_share_ask() {
    // With velocities, without additional state, with an archive, with several attempts, with iterations of several
    // kinds.
    for id in ["pso", "de", "shade", "epso", "gpu-fwa"] {
        let algorithm = algorithms::find(id).unwrap().algorithm();
        let what = format!("{algorithm:?}");
        let settings = Settings { threads: Some(3), stop: Stop::iterations(4), ..settings(9_000) };
        let mut straight = Optimiser::new(&Rastrigin, &bounds(7), &algorithm, &settings).unwrap();
        let mut search = AskTell::new(&bounds(7), &algorithm, &settings).unwrap();
        let told = of_population(&search.ask().unwrap().unwrap());
        search.tell(&told).unwrap();
        let mut done = 0;
        while let Some(points) = search.ask().unwrap() {
            let told = of_population(&points);
            // Iterations without evaluations ask nothing.
            let iterations = search.progress().unwrap().iterations;
            let expected = state(&mut straight, iterations - done);
            assert_same(&expected, &search.state().unwrap(), &what);
            done = iterations;
            search.tell(&told).unwrap();
        }
        assert_same(&state(&mut straight, 4 - done), &search.state().unwrap(), &what);
    }
}

#[cfg(feature = "emulator")]
#[test]
fn on_a_device_every_method_asks() {
    check(Backend::Emulator);
}

/// A state contains negative violations if a level lets them count as none; negative violations from an evaluation are
/// not stored.
#[test]
fn a_violation_below_zero_is_none() {
    /// The signed distance of a point to the border, negative inside, as a careless constraint returns it.
    #[derive(Clone, Copy, Debug)]
    struct Careless {
        least: f64,
    }
    impl<R: Real> Objective<R> for Careless {
        const CONSTRAINED: bool = true;
        fn value<P: Point<R>>(&self, x: &P) -> R {
            x.sum(|_, x| x * x)
        }
        fn violation<P: Point<R>>(&self, x: &P) -> R {
            (R::ONE - x.get(0)).larger(R::from_f64(self.least))
        }
    }
    let (right, careless) = (Careless { least: 0.0 }, Careless { least: f64::NEG_INFINITY });
    let closure = |of: Careless| move |x: &[f64]| of.judge(&SlicePoint(x));
    let backends: &[Backend] = match cfg!(feature = "emulator") {
        true => &[Backend::Cpu, Backend::Emulator],
        false => &[Backend::Cpu],
    };
    for (&backend, constraints) in backends.iter().flat_map(|backend| {
        [(backend, Constraints::FeasibleFirst), (backend, Constraints::Epsilon)]
    }) {
        for algorithm in all(backend) {
            let stop = Stop::iterations(9);
            let settings = Settings { backend, constraints, stop, ..settings(40) };
            let what = format!("{algorithm:?} on {backend}, {constraints}");
            let new = |by: &HostObjective<f64>| {
                Optimiser::new(by, &bounds(2), &algorithm, &settings).unwrap()
            };
            let expected = state(&mut new(&HostObjective::with_violation(closure(right))), 9);
            let found = state(&mut new(&HostObjective::with_violation(closure(careless))), 9);
            assert_same(&expected, &found, &what);
            if backend == Backend::Cpu {
                let moves = Optimiser::new(&careless, &bounds(2), &algorithm, &settings);
                assert_same(&expected, &state(&mut moves.unwrap(), 9), &what);
            }
            let mut search = AskTell::new(&bounds(2), &algorithm, &settings).unwrap();
            while let Some(points) = search.ask().unwrap() {
                let told: Vec<_> = points.iter().map(closure(careless)).collect();
                search.tell(&told).unwrap();
            }
            assert_same(&expected, &search.state().unwrap(), &what);
        }
    }
}

#[test]
fn a_search_goes_on_from_a_state() {
    let settings = settings(16);
    let algorithm = Algorithm::Pso(Default::default());
    let mut straight = Optimiser::new(&Rastrigin, &bounds(3), &algorithm, &settings).unwrap();
    let middle = state(&mut straight, 4);
    let mut search = AskTell::new(&bounds(3), &algorithm, &settings).unwrap();
    search.ask().unwrap();
    search.restore(&middle).unwrap();
    for _ in 0..3 {
        let told = of_population(&search.ask().unwrap().unwrap());
        search.tell(&told).unwrap();
    }
    assert_same(&state(&mut straight, 3), &search.state().unwrap(), "restored");
    assert_eq!(search.report().unwrap().runs[0].stop_reason, StopReason::Interrupted);
}

#[test]
fn points_stay_the_same_until_they_have_been_told_of() {
    let mut search =
        AskTell::<f64>::new(&bounds(3), &Algorithm::Pso(Default::default()), &settings(16))
            .unwrap();
    let first = search.ask().unwrap().unwrap().as_slice().to_vec();
    assert_eq!(search.ask().unwrap().unwrap().as_slice(), first);
    let fitness = Fitness { violation: 0.0, value: 1.0 };
    let error = search.tell(&[fitness; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3 fitnesses for 16 points; allowed: one for each point asked for"
    );
    search.tell(&[fitness; 16]).unwrap();
    assert_eq!(search.tell(&[fitness; 16]).unwrap_err(), Error::Told { expected: 0, found: 16 });
    assert_ne!(search.ask().unwrap().unwrap().as_slice(), first);
}

#[test]
fn a_panic_is_an_error_and_the_runs_are_where_they_were() {
    static LEFT: AtomicU64 = AtomicU64::new(0);
    let algorithm = Algorithm::Pso(Default::default());
    let panicking = HostObjective::new(|x: &[f64]| {
        assert!(LEFT.fetch_sub(1, Ordering::Relaxed) > 0, "no more of {} numbers", x.len());
        rastrigin(x).value
    });
    for threads in [1, 2] {
        let settings = Settings { threads: Some(threads), ..settings(16) };
        LEFT.store(16 * 6 + 5, Ordering::Relaxed);
        let mut optimiser = Optimiser::new(&panicking, &bounds(3), &algorithm, &settings).unwrap();
        let error = optimiser.step(9).unwrap_err();
        assert_eq!(error, Error::Objective { message: "no more of 3 numbers".into() });
        LEFT.store(u64::MAX, Ordering::Relaxed);
        let mut straight = Optimiser::new(&Rastrigin, &bounds(3), &algorithm, &settings).unwrap();
        assert_same(&state(&mut straight, 5), &optimiser.state().unwrap(), "after the panic");
        assert_same(&state(&mut straight, 2), &state(&mut optimiser, 2), "and on");
    }
}

/// An objective that is a type, and panics after `LEFT_OF_TYPE` evaluations.
#[derive(Clone, Copy)]
struct Panicking;

static LEFT_OF_TYPE: AtomicU64 = AtomicU64::new(u64::MAX);

impl<R: Real> Objective<R> for Panicking {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let left = LEFT_OF_TYPE.fetch_sub(1, Ordering::Relaxed);
        assert!(left > 0, "no more of {} numbers", x.dimensions());
        Rastrigin.value(x)
    }
}

/// For every algorithm, alone and in batches, on one thread and on several: the error contains the objective's message,
/// and the runs are lost until a state is restored.
#[test]
fn a_type_that_panics_is_an_error_and_its_runs_are_lost() {
    for algorithm in all(Backend::Cpu) {
        for (threads, runs) in [(1, 1), (2, 1), (2, 40)] {
            let settings = Settings { threads: Some(threads), runs, ..settings(40) };
            let what = format!("{algorithm:?}, {runs} runs in {threads} threads");
            let make = || Optimiser::new(&Panicking, &bounds(3), &algorithm, &settings);
            LEFT_OF_TYPE.store(5, Ordering::Relaxed);
            let panicked = Error::Objective { message: "no more of 3 numbers".into() };
            assert_eq!(make().map(drop).unwrap_err(), panicked, "{what}");

            LEFT_OF_TYPE.store(u64::MAX, Ordering::Relaxed);
            let mut optimiser = make().unwrap();
            let middle = state(&mut optimiser, 4);
            let end = state(&mut optimiser, 5);
            optimiser.restore(&middle).unwrap();
            LEFT_OF_TYPE.store(11, Ordering::Relaxed);
            assert_eq!(optimiser.step(9).unwrap_err(), panicked, "{what}");
            LEFT_OF_TYPE.store(u64::MAX, Ordering::Relaxed);
            assert_eq!(optimiser.step(1).unwrap_err(), panicked, "{what}");
            assert_eq!(optimiser.state().unwrap_err(), panicked, "{what}");
            assert_eq!(optimiser.run().unwrap_err(), panicked, "{what}");
            optimiser.restore(&middle).unwrap();
            assert_same(&end, &state(&mut optimiser, 5), &what);
        }
    }
    a_type_that_the_host_evaluates();
}

/// For a device, the host evaluates the type between iterations: the runs keep their state.
fn a_type_that_the_host_evaluates() {
    if !cfg!(feature = "emulator") {
        return;
    }
    let hosted = Settings { backend: Backend::Emulator, ..settings(16) };
    let pso = Algorithm::Pso(Default::default());
    let mut optimiser = Optimiser::<f64>::new(&Panicking, &bounds(3), &pso, &hosted).unwrap();
    let before = optimiser.state().unwrap();
    LEFT_OF_TYPE.store(7, Ordering::Relaxed);
    let panicked = Error::Objective { message: "no more of 3 numbers".into() };
    assert_eq!(optimiser.step(1).unwrap_err(), panicked);
    LEFT_OF_TYPE.store(u64::MAX, Ordering::Relaxed);
    assert_same(&before, &optimiser.state().unwrap(), "after the panic");
    optimiser.step(1).unwrap();
}

#[test]
fn a_population_of_the_wrong_length() {
    let short = HostObjective::<f64>::of_population(|_| Vec::new());
    let error = minimise(&short, &bounds(2), &Algorithm::Pso(Default::default()), &settings(7))
        .unwrap_err();
    assert_eq!(error, Error::Told { expected: 7, found: 0 });
}

#[test]
fn nothing_counts_before_it_has_been_told_of() {
    let backends: &[Backend] = match cfg!(feature = "emulator") {
        true => &[Backend::Cpu, Backend::Emulator],
        false => &[Backend::Cpu],
    };
    for &backend in backends {
        for algorithm in all(backend) {
            let settings = Settings { backend, runs: 2, stop: Stop::iterations(3), ..settings(40) };
            let mut search = AskTell::<f64>::new(&bounds(3), &algorithm, &settings).unwrap();
            let counted = |search: &mut AskTell<f64>| -> u64 {
                search.report().unwrap().runs.iter().map(|run| run.evaluations).sum()
            };
            for when in ["question", "answer"] {
                let what = format!("{algorithm:?} on {backend:?}, before the first {when}");
                for run in search.report().unwrap().runs {
                    assert_eq!(
                        (run.evaluations, run.iterations, run.not_finite),
                        (0, 0, 0),
                        "{what}"
                    );
                    assert!(run.best.value.is_nan() && run.best.violation.is_nan(), "{what}");
                    assert_eq!(run.best.position, [0.0; 3], "{what}");
                    assert_eq!(run.stop_reason, StopReason::Interrupted, "{what}");
                }
                let progress = search.progress().unwrap();
                assert!(progress.runs.iter().all(|run| run.evaluations == 0), "{what}");
                assert!(progress.runs.iter().all(|run| run.best.value.is_nan()), "{what}");
                search.ask().unwrap();
            }
            let mut told = 0;
            while let Some(points) = search.ask().unwrap() {
                let fitness = of_population(&points);
                // Runs keep their state from after the last complete iteration.
                assert!(counted(&mut search) <= told, "{algorithm:?}");
                search.tell(&fitness).unwrap();
                told += fitness.len() as u64;
            }
            assert_eq!(counted(&mut search), told, "{algorithm:?}");
        }
    }
}

/// The value of point `i` is number `i` of all coordinates in sequence: the memory of the points.
fn from_their_memory(points: &DevicePoints) -> DeviceValues {
    DeviceValues { count: points.len(), values: points.address(), violations: None, stream: None }
}

fn from_their_coordinates(points: &Points<'_, f64>) -> Vec<Fitness<f64>> {
    let values = points.as_slice().iter().take(points.len());
    values.map(|&value| Fitness { violation: 0.0, value }).collect()
}

#[cfg(feature = "emulator")]
#[test]
fn on_a_device_others_evaluate_with_the_same_bits() {
    // Some algorithms minimise, and the others maximise until a target is reached.
    for (number, algorithm) in all(Backend::Emulator).enumerate() {
        for maximise in [false, true] {
            if !long() && maximise != number.is_multiple_of(2) {
                continue;
            }
            let stop = Stop::iterations(9);
            let stop = if maximise { stop.or_target(3.9) } else { stop };
            let cpu =
                Settings { runs: 3, first_run: 2, stop: stop.clone(), maximise, ..settings(40) };
            let device = Settings { backend: Backend::Emulator, ..cpu.clone() };
            let what = format!("{algorithm:?}");
            let by = HostObjective::of_population(from_their_coordinates);
            let expected = minimise(&by, &bounds(4), &algorithm, &cpu).unwrap();
            let by = HostObjective::on_device(from_their_memory);
            let report = minimise(&by, &bounds(4), &algorithm, &device).unwrap();
            assert_eq!(report.runs, expected.runs, "{what}");

            let mut search = AskTell::<f64>::new(&bounds(4), &algorithm, &device).unwrap();
            let mut on_host = AskTell::<f64>::new(&bounds(4), &algorithm, &cpu).unwrap();
            while let Some(points) = search.ask_on_device().unwrap() {
                let asked = on_host.ask().unwrap().unwrap();
                let runs: Vec<u64> = (0..asked.len()).map(|i| asked.run(i)).collect();
                assert_eq!((points.runs(), points.dimensions()), (runs, 4), "{what}");
                let told = from_their_coordinates(&asked);
                on_host.tell(&told).unwrap();
                search.tell_on_device(&from_their_memory(&points)).unwrap();
            }
            assert_same(&on_host.state().unwrap(), &search.state().unwrap(), &what);
            assert_eq!(search.report().unwrap().runs, expected.runs, "{what}");
        }
    }
}

/// Scales, a maximum, and violations, which are also the memory of the points.
#[cfg(feature = "emulator")]
#[test]
fn on_a_device_points_are_as_they_are_meant() {
    let scales = vec![Scale::Integer, Scale::Log, Scale::Linear];
    let bounds = Bounds::new(vec![1.0, 0.01, -2.0], vec![9.0, 10.0, 2.0]).unwrap();
    let bounds = bounds.with_scales(scales).unwrap();
    let cpu = Settings { maximise: true, stop: Stop::iterations(30), ..settings(30) };
    let device = Settings { backend: Backend::Emulator, ..cpu.clone() };
    let algorithm = Algorithm::from(DeParams::default());
    let violated = HostObjective::of_population(|points: &Points<'_, f64>| {
        let told = from_their_coordinates(points);
        told.into_iter().map(|one| Fitness { violation: one.value, ..one }).collect()
    });
    let by_memory = HostObjective::on_device(|points: &DevicePoints| DeviceValues {
        violations: Some(points.address()),
        ..from_their_memory(points)
    });
    let expected = minimise(&violated, &bounds, &algorithm, &cpu).unwrap();
    let report = minimise(&by_memory, &bounds, &algorithm, &device).unwrap();
    assert_eq!(report.runs, expected.runs);
    assert!(report.best().position[0].fract() == 0.0);
}

#[cfg(feature = "emulator")]
#[test]
fn what_is_no_memory_of_the_device_is_refused() {
    let emulated = Settings { backend: Backend::Emulator, ..settings(20) };
    let algorithm = Algorithm::from(DeParams::default());
    let run = |settings: &Settings, found: fn(&DevicePoints) -> DeviceValues| {
        let by = HostObjective::<f64>::on_device(found);
        minimise(&by, &bounds(2), &algorithm, settings).unwrap_err()
    };
    let nowhere = run(&emulated, |points| DeviceValues { values: 64, ..from_their_memory(points) });
    assert!(matches!(nowhere, Error::Driver { .. }), "{nowhere}");
    let fewer = run(&emulated, |points| DeviceValues { count: 19, ..from_their_memory(points) });
    assert_eq!(fewer, Error::Told { expected: 20, found: 19 });
    let panics = run(&emulated, |_| panic!("too hot"));
    assert_eq!(panics, Error::Objective { message: "too hot".into() });
    let cpu = Settings { backend: Backend::Cpu, ..emulated };
    let error = run(&cpu, from_their_memory).to_string();
    assert!(error.contains("an objective that evaluates on a GPU"), "{error}");
    let mut search = AskTell::<f64>::new(&bounds(2), &algorithm, &cpu).unwrap();
    assert!(search.ask_on_device().is_err());
}
