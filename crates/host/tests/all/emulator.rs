//! The device's sequence of kernels, under the emulator, equals the CPU bit for bit.
#![cfg(feature = "emulator")]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{assert_same, bounds, optimiser, run, settings};
use warpswarm::problems::{self, Euclidean, ProblemInfo, Rastrigin, Shifted};
use warpswarm::{
    Algorithm, Backend, Boundary, DeParams, Devices, Error, GpuFwaParams, Objective, Optimiser,
    Point, Precise, PsoParams, Real, Restart, SaParams, Schedule, Settings, Stop, StopReason,
    minimise,
};

const SCHEDULES: [Schedule; 4] =
    [Schedule::Stepwise, Schedule::Resident, Schedule::Streaming, Schedule::Hosted];

fn emulated(schedule: Schedule, settings: &Settings) -> Settings {
    Settings { backend: Backend::Emulator, schedule, ..settings.clone() }
}

/// Compares the states after 0, 1 and 7 more iterations.
fn check<R: Precise>(dimensions: usize, schedule: Schedule, settings: &Settings) {
    let what = format!(
        "{} {schedule} {} x {} x {dimensions}, block {:?}",
        R::NAME,
        settings.runs,
        settings.individuals,
        settings.block_size
    );
    let cpu = Settings { block_size: None, ..settings.clone() };
    let mut cpu = optimiser::<R>(dimensions, &cpu).unwrap();
    let mut device = optimiser::<R>(dimensions, &emulated(schedule, settings)).unwrap();
    assert_eq!(device.plan().unwrap().schedule, schedule);
    for iterations in [0, 1, 7] {
        cpu.step(iterations).unwrap();
        device.step(iterations).unwrap();
        assert_same(&cpu.state().unwrap(), &device.state().unwrap(), &what);
    }
}

#[test]
fn every_schedule_and_tile() {
    for schedule in SCHEDULES {
        for (individuals, dimensions) in [(1, 1), (33, 2), (31, 30), (17, 33), (5, 128)] {
            check::<f32>(dimensions, schedule, &settings(individuals));
            check::<f64>(dimensions, schedule, &settings(individuals));
        }
    }
    for schedule in [Schedule::Stepwise, Schedule::Streaming, Schedule::Hosted] {
        check::<f32>(150, schedule, &settings(9));
    }
}

#[test]
fn several_blocks_a_run() {
    for schedule in SCHEDULES {
        let settings = Settings { block_size: Some(32), ..settings(70) };
        check::<f32>(2, schedule, &settings);
        check::<f64>(6, schedule, &settings);
    }
    let plan = optimiser::<f32>(40, &emulated(Schedule::Auto, &settings(200))).unwrap().plan();
    let plan = plan.unwrap();
    assert_eq!((plan.schedule, plan.blocks_per_run > 1), (Schedule::Resident, true));
}

#[test]
fn batches_in_one_launch_and_in_waves() {
    for schedule in SCHEDULES {
        check::<f32>(3, schedule, &Settings { runs: 3, ..settings(9) });
    }
    // 250 particles of 16 lanes take 125 blocks of 32 threads; 256 blocks run at the same time.
    let waves = Settings { runs: 5, block_size: Some(32), ..settings(250) };
    let plan = optimiser::<f32>(33, &emulated(Schedule::Resident, &waves)).unwrap().plan();
    assert_eq!(plan.unwrap().runs_per_launch, 2);
    check::<f32>(33, Schedule::Resident, &waves);
}

#[test]
fn stops_are_decided_at_the_same_iteration() {
    for stop in [Stop::target(1.0), Stop::stagnation(4), Stop::evaluations(40 * 33)] {
        let settings =
            Settings { stop: stop.or_iterations(60), runs: 3, first_run: 5, ..settings(40) };
        let cpu = run::<f32>(2, &settings);
        for schedule in SCHEDULES {
            let report = run::<f32>(2, &emulated(schedule, &settings));
            assert_eq!(report.runs, cpu.runs, "{schedule}");
            assert_eq!(report.backend, Backend::Emulator);
        }
    }
}

#[test]
fn a_run_is_handed_from_backend_to_backend() {
    let mut straight = optimiser::<f32>(5, &settings(40)).unwrap();
    straight.step(25).unwrap();
    let mut state = optimiser::<f32>(5, &settings(40)).unwrap().state().unwrap();
    for schedule in SCHEDULES {
        let mut device = optimiser::<f32>(5, &emulated(schedule, &settings(40))).unwrap();
        device.step(2).unwrap();
        device.restore(&state).unwrap();
        device.step(5).unwrap();
        state = device.state().unwrap();
    }
    // Over several devices, which share the particles or, with several runs, the runs.
    let split = Settings {
        devices: Devices::of(&[0, 2, 1]),
        split: true,
        ..emulated(Schedule::Auto, &settings(40))
    };
    let mut devices = optimiser::<f32>(5, &split).unwrap();
    assert_eq!(devices.device(), "3 x emulated GPU");
    devices.step(2).unwrap();
    devices.restore(&state).unwrap();
    devices.step(3).unwrap();
    state = devices.state().unwrap();
    let mut cpu = optimiser::<f32>(5, &settings(40)).unwrap();
    cpu.restore(&state).unwrap();
    cpu.step(2).unwrap();
    assert_same(&straight.state().unwrap(), &cpu.state().unwrap(), "handed on");
}

/// The report's counts, in addition to the state: for runs on one device and on several, which restart on their own or
/// on request.
#[test]
fn reports_count_what_began_anew() {
    for (id, iterations) in [("auto", 150), ("cma-es", 150), ("de", 300)] {
        let algorithm = warpswarm::algorithms::find(id).unwrap().algorithm();
        let restart = Restart::Converged;
        let stop = Stop::iterations(iterations);
        let on_cpu = Settings { runs: 3, restart, stop, ..settings(6) };
        let reported = |settings: &Settings| {
            Optimiser::<f32>::new(&Rastrigin, &bounds(1), &algorithm, settings)
                .and_then(|mut optimiser| optimiser.run())
                .unwrap()
        };
        let expected = reported(&on_cpu).runs;
        assert!(expected.iter().all(|run| run.restarts > 0), "{id}");
        let devices = if id == "auto" { Devices::of(&[0]) } else { Devices::of(&[0, 2]) };
        let there = Settings { devices, ..emulated(Schedule::Auto, &on_cpu) };
        assert_eq!(reported(&there).runs, expected, "{id} on {}", there.devices);
    }
    for schedule in [Schedule::Stepwise, Schedule::Hosted] {
        let settings =
            Settings { restart: Restart::Converged, ..emulated(schedule, &settings(40)) };
        let algorithm = warpswarm::algorithms::find("cmepso").unwrap().algorithm();
        let refused = Optimiser::<f32>::new(&Rastrigin, &bounds(2), &algorithm, &settings);
        let error = refused.map(|_| ()).unwrap_err();
        let said = "restart is converged; allowed: `never` on a device with schedules hosted and stepwise, and where the host evaluates; or the CPU";
        assert_eq!(error.to_string(), said);
    }
}

/// Starting points are for the first individuals only, not for those of a run that restarts while others are in their
/// first legs.
#[test]
fn given_points_are_for_the_first_leg() {
    let algorithm = warpswarm::algorithms::find("de").unwrap().algorithm();
    let given = bounds(3).beginning_at(&[[3.5, 1.0, 2.5], [-2.25, 0.5, 4.0]]).unwrap();
    let states = |settings: &Settings| -> Vec<_> {
        let mut optimiser =
            Optimiser::<f32>::new(&Rastrigin, &given, &algorithm, settings).unwrap();
        let mut next = || {
            optimiser.step(140).unwrap();
            optimiser.state().unwrap()
        };
        (0..4).map(|_| next()).collect()
    };
    let of = |seed| Settings { runs: 4, restart: Restart::Converged, seed, ..settings(10) };
    let lags = |states: &Vec<Vec<_>>| {
        let lags = |runs: &Vec<warpswarm::Swarm<f32>>| {
            runs[0].restarts() == 0 && runs.iter().any(|run| run.restarts() > 0)
        };
        states.iter().any(lags)
    };
    let seed = (0..60).find(|seed| lags(&states(&of(*seed)))).expect("a first run that is late");
    let device = states(&emulated(Schedule::Auto, &of(seed)));
    for (expected, found) in states(&of(seed)).iter().zip(&device) {
        assert_same(expected, found, "given points");
    }
}

#[test]
fn a_run_that_met_its_target_goes_on_under_another_one() {
    let to = |target| Settings { stop: Stop::target(target).or_iterations(100), ..settings(33) };
    for schedule in SCHEDULES {
        let mut first = optimiser::<f64>(2, &emulated(schedule, &to(2.0))).unwrap();
        assert_eq!(first.run().unwrap().runs[0].stop_reason, StopReason::Target);
        let mut second = optimiser::<f64>(2, &emulated(schedule, &to(1e-2))).unwrap();
        second.restore(&first.state().unwrap()).unwrap();
        assert_eq!(second.run().unwrap().runs, run::<f64>(2, &to(1e-2)).runs, "{schedule}");
    }
}

#[test]
fn every_problem_has_its_kernels() {
    /// Three dimensions if possible, so that no problem takes long.
    fn dimensions_of(problem: &ProblemInfo) -> usize {
        if problem.dimensions.allows(3) { 3 } else { problem.dimensions.least }
    }
    fn check<R: Precise>() {
        for problem in problems::all() {
            let state = |settings: &Settings| {
                let algorithm = Algorithm::Pso(Default::default());
                let shift = if problem.dimensions.is_fixed() { 0.0 } else { 0.5 };
                let bounds = problem.bounds(dimensions_of(problem)).unwrap();
                let made = problem.optimiser::<R>(shift, &bounds, &algorithm, settings);
                let mut optimiser = made.unwrap();
                optimiser.step(3).unwrap();
                optimiser.state().unwrap()
            };
            let cpu = state(&settings(7));
            for schedule in SCHEDULES {
                let device = state(&emulated(schedule, &settings(7)));
                assert_same(&cpu, &device, &format!("{} {} {schedule}", problem.id, R::NAME));
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn boundaries_presets_and_shifts() {
    for (_, boundary) in Boundary::ALL {
        let params = PsoParams { boundary, ..PsoParams::cpso_paper() };
        let algorithm = Algorithm::from(params);
        let objective = Shifted { shift: 3.0_f32, problem: Euclidean };
        let state = |settings: &Settings| {
            let mut optimiser =
                Optimiser::<f32>::new(&objective, &bounds(3), &algorithm, settings).unwrap();
            optimiser.step(15).unwrap();
            optimiser.state().unwrap()
        };
        let cpu = state(&settings(20));
        for schedule in SCHEDULES {
            let device = state(&emulated(schedule, &settings(20)));
            assert_same(&cpu, &device, &format!("{boundary:?} {schedule}"));
        }
    }
}

#[test]
fn the_history_is_the_same() {
    let settings =
        Settings { record_every: Some(3), records_at_most: Some(4), runs: 2, ..settings(20) };
    let records = |settings: &Settings| {
        let history = run::<f32>(4, settings).history;
        history.into_iter().map(|record| (record.iterations, record.runs)).collect::<Vec<_>>()
    };
    for schedule in SCHEDULES {
        assert_eq!(records(&emulated(schedule, &settings)), records(&settings));
    }
}

#[test]
fn what_does_not_fit_is_an_error_and_the_next_run_works() {
    let large = emulated(Schedule::Auto, &settings(1 << 26));
    let error = optimiser::<f64>(30, &large).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { bytes, free } if bytes > free), "{error:?}");
    check::<f64>(30, Schedule::Resident, &settings(4));
    let wide = emulated(Schedule::Resident, &settings(4));
    let error =
        Optimiser::<f32>::new(&Rastrigin, &bounds(129), &Algorithm::Pso(Default::default()), &wide);
    assert!(matches!(error.unwrap_err(), Error::Schedule { .. }));
}

/// An objective without kernels, with a counter of its evaluations.
#[derive(Clone, Copy)]
struct Counted(&'static AtomicU64);

impl<R: Real> Objective<R> for Counted {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        self.0.fetch_add(1, Ordering::Relaxed);
        Objective::<R>::value(&Rastrigin, x)
    }
}

#[test]
fn an_objective_without_kernels_is_evaluated_by_the_host() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let algorithms: [Algorithm; 3] =
        [PsoParams::default().into(), GpuFwaParams::paper().into(), SaParams::default().into()];
    for algorithm in algorithms {
        for threads in [1, 3] {
            let stop = Stop::target(12.0).or_iterations(30);
            let settings = Settings { runs: 3, stop, threads: Some(threads), ..settings(40) };
            let run = |objective: Counted, settings: &Settings| {
                minimise::<f64, _>(&objective, &bounds(2), &algorithm, settings).unwrap()
            };
            let before = ASKED.load(Ordering::Relaxed);
            let report = run(Counted(&ASKED), &emulated(Schedule::Auto, &settings));
            let asked = ASKED.load(Ordering::Relaxed) - before;
            assert_eq!(report.plan.unwrap().schedule, Schedule::Hosted);
            assert_eq!(report.runs, run(Counted(&ASKED), &settings).runs);
            // A run that has stopped is not evaluated any more.
            let evaluations: u64 = report.runs.iter().map(|run| run.evaluations).sum();
            assert_eq!(asked, evaluations, "{algorithm:?}");
        }
    }
}

#[test]
fn an_objective_without_kernels_has_no_other_schedule() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let settings = emulated(Schedule::Resident, &settings(40));
    let algorithm = Algorithm::Pso(Default::default());
    let error = minimise::<f32, _>(&Counted(&ASKED), &bounds(2), &algorithm, &settings);
    assert_eq!(
        error.unwrap_err().to_string(),
        "schedule resident is impossible: the objective has no GPU kernels (built-in ones have none for scales, nor \
         to be maximised); allowed: auto, hosted"
    );
}

#[test]
fn devices_that_are_not_there_and_what_they_cannot_share_is_refused() {
    let on = |devices: Devices, settings: &Settings| {
        optimiser::<f32>(2, &Settings { devices, ..emulated(settings.schedule, settings) })
            .map(drop)
            .unwrap_err()
    };
    let many = Settings { runs: 3, ..settings(9) };
    for (devices, said) in [
        (Devices::of(&[1, 4]), "devices is 1,4; allowed: 0 to 3, the devices that there are"),
        (Devices::of(&[]), "devices is ; allowed: at least one number, each once"),
        (Devices::of(&[2, 2]), "devices is 2,2; allowed: at least one number, each once"),
    ] {
        let error = on(devices, &many);
        assert!(error.is_input() && error.to_string() == said, "{error}");
    }
    let both = || Devices::of(&[0, 1]);
    let error = on(both(), &Settings { split: true, schedule: Schedule::Hosted, ..many.clone() });
    assert!(error.to_string().starts_with("split is true; allowed: with an objective"), "{error}");
    let cpu = Settings { backend: Backend::Cpu, devices: both(), ..many.clone() };
    let error = optimiser::<f32>(2, &cpu).map(drop).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("devices, 0,1,"), "{error}");
    let cpu = Settings { backend: Backend::Cpu, split: true, ..many };
    let error = optimiser::<f32>(2, &cpu).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("split is true; allowed: with backend gpu"), "{error}");
}

#[test]
fn only_particles_that_know_nothing_but_the_best_are_split() {
    let settings = Settings { split: true, ..emulated(Schedule::Auto, &settings(9)) };
    let sphere = problems::find("sphere").unwrap();
    let ring = PsoParams { inertia_iterations: 7, ..PsoParams::default() };
    for algorithm in [DeParams::default().into(), ring.into()] {
        let made = sphere.optimiser::<f32>(0.0, &bounds(2), &algorithm, &settings);
        let error = made.map(drop).unwrap_err().to_string();
        assert!(error.starts_with("split is true; allowed: with algorithm pso"), "{error}");
    }
}
