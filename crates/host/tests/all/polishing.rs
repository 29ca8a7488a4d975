//! Local searches at the end of runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use warpswarm::problems::{self, Rosenbrock};
use warpswarm::{
    Algorithm, AskTell, Backend, Bounds, DeParams, Error, Fitness, HostObjective, PsoParams,
    Report, RunSettings, Settings, Stop, StopReason, Variable, algorithms, maximise, minimise,
};

/// Settings for this many iterations and a local search.
fn polishing(iterations: u64) -> Settings {
    Settings { polish: Some(true), stop: Stop::iterations(iterations), ..Settings::default() }
}

/// The report of `de` with a local search on a built-in problem.
fn polished(id: &str, dimensions: usize, settings: &Settings) -> Report<f64> {
    let problem = problems::find(id).unwrap();
    let bounds = problem.bounds(dimensions).unwrap();
    let algorithm = DeParams::default().into();
    problem.optimiser::<f64>(0.0, &bounds, &algorithm, settings).unwrap().run().unwrap()
}

#[test]
fn engineering_problems_reach_their_best_known_values() {
    let problems = [
        ("pressure-vessel", 4),
        ("spring", 3),
        ("speed-reducer", 7),
        ("welded-beam", 4),
        ("three-bar-truss", 2),
        ("pressure-vessel-mixed", 4),
    ];
    for (id, dimensions) in problems {
        let known = problems::find(id).unwrap().optimum_value(dimensions).unwrap();
        let report = polished(id, dimensions, &polishing(300));
        let run = &report.runs[0];
        assert_eq!(run.best.violation, 0.0, "{id}");
        let apart = (run.best.value - known) / known;
        let what = format!("{id}: {}, not {known}: {apart:e}, {:?}", run.best.value, run.polish);
        assert!(apart.abs() < 1e-12, "{what}");
    }
}

/// As a repetition of a run does whose local search a limit of seconds has ended.
#[test]
fn a_search_that_was_ended_is_repeated() {
    for (id, dimensions) in [("rosenbrock", 30), ("spring", 3), ("pressure-vessel", 4)] {
        let settings = Settings { polish: None, runs: 3, ..polishing(20) };
        let counts = |report: &Report<f64>| -> Vec<[u64; 2]> {
            let polish = report.runs.iter().map(|run| run.polish.unwrap());
            polish.map(|polish| [polish.evaluations, polish.gradients]).collect()
        };
        let whole = polished(id, dimensions, &settings);
        let all = counts(&whole);
        let until = |polish_until| Settings { polish_until, ..settings.clone() };
        let results = |report: Report<f64>| report.runs;
        // The counts of a search that ended by itself change nothing.
        let again = polished(id, dimensions, &until(all.clone()));
        assert_eq!(results(again), results(whole), "{id}");
        for part in [2, 5, 9] {
            let cut = all.iter().map(|count| count.map(|count| count / part)).collect();
            let ended = polished(id, dimensions, &until(cut));
            let counted = counts(&ended);
            assert!(counted.iter().zip(&all).all(|(cut, all)| cut[0] < all[0]), "{counted:?}");
            let again = polished(id, dimensions, &until(counted));
            assert_eq!(results(again), results(ended), "{id}, {part}");
        }
    }
}

#[test]
fn rosenbrock_in_a_hundred_dimensions() {
    // The other minimum has its first coordinate at -1.
    let bounds = Bounds::uniform(100, 0.0, 2.0).unwrap();
    let algorithm = Algorithm::Pso(PsoParams::default());
    let report = minimise::<f64, _>(&Rosenbrock, &bounds, &algorithm, &polishing(100)).unwrap();
    let run = &report.runs[0];
    assert!(run.polish.unwrap().from.value > 1.0 && run.best.value < 1e-20, "{run:?}");
}

/// Every algorithm, in both precisions, on a smooth problem, a rough one, and one with constraints.
#[test]
fn no_run_becomes_worse_and_the_bits_do_not_depend_on_threads() {
    fn check<R: warpswarm::Precise>(algorithm: &Algorithm) {
        for (id, dimensions) in [("rosenbrock", 5), ("schwefel-2.26", 3), ("welded-beam", 4)] {
            let problem = problems::find(id).unwrap();
            let bounds = problem.bounds(dimensions).unwrap();
            let report = |polish, threads| {
                let (polish, threads) = (Some(polish), Some(threads));
                let settings = Settings { polish, threads, runs: 5, ..polishing(20) };
                problem.optimiser::<R>(0.0, &bounds, algorithm, &settings).unwrap().run().unwrap()
            };
            let (plain, finished, again) = (report(false, 1), report(true, 1), report(true, 3));
            assert_eq!(finished.runs, again.runs, "{id}, {algorithm:?}");
            for (plain, finished) in plain.runs.iter().zip(&finished.runs) {
                let fitness = |best: &warpswarm::Best<R>| Fitness {
                    violation: best.violation,
                    value: best.value,
                };
                let (before, after) = (fitness(&plain.best), fitness(&finished.best));
                assert!(!before.beats(after), "{id}, {algorithm:?}: {before:?}, {after:?}");
                assert_eq!(finished.polish.unwrap().from, before);
                let judged = problem.evaluate(&finished.best.position).unwrap().fitness;
                assert_eq!(judged, after, "{id}: the value at the point");
                assert_eq!(plain.polish, None);
            }
        }
    }
    for info in algorithms::ALL {
        check::<f32>(&info.algorithm());
        check::<f64>(&info.algorithm());
    }
}

/// Default settings of polishing.
fn unasked(iterations: u64) -> Settings {
    Settings { polish: None, ..polishing(iterations) }
}

/// A quadratic function as a closure with its gradient; `seen` gets the number of evaluations.
fn bowl(seen: impl Fn(u64) + Send + Sync + 'static) -> HostObjective<f64> {
    let count = AtomicU64::new(0);
    let value = move |x: &[f64]| {
        seen(count.fetch_add(1, Relaxed) + 1);
        x.iter().map(|x| (x - 0.3).powi(4)).sum()
    };
    HostObjective::new(value).with_gradient(|x, slopes| {
        slopes.iter_mut().zip(x).for_each(|(slope, x)| *slope = 4.0 * (x - 0.3).powi(3));
    })
}

#[test]
fn runs_are_polished_unless_something_speaks_against_it() {
    let algorithm = DeParams::default().into();
    let bounds = |dimensions| Bounds::uniform(dimensions, -2.0, 2.0).unwrap();
    let of_rosenbrock = |dimensions, settings: &Settings| {
        minimise::<f64, _>(&Rosenbrock, &bounds(dimensions), &algorithm, settings).unwrap().runs
    };
    assert_eq!(of_rosenbrock(5, &unasked(60)), of_rosenbrock(5, &polishing(60)));
    assert!(of_rosenbrock(5, &unasked(60))[0].best.value < 1e-20);
    let not = Settings { polish: Some(false), ..unasked(60) };
    assert_eq!(of_rosenbrock(5, &not)[0].polish, None);

    // One of two runs has reached its target.
    let of_run = |target| RunSettings { target: Some(target), ..RunSettings::default() };
    let of_runs = vec![of_run(1e9), of_run(0.0)];
    let runs = of_rosenbrock(5, &Settings { runs: 2, of_runs, ..unasked(60) });
    assert_eq!(runs[0].stop_reason, StopReason::Target);
    assert!(runs[0].polish.is_none() && runs[1].polish.is_some(), "{runs:?}");

    assert!(of_rosenbrock(1000, &unasked(1))[0].polish.unwrap().evaluations <= 20_000 / 1001);
    assert_eq!(of_rosenbrock(1001, &unasked(1))[0].polish, None);
    let migrates = Settings { migrates: true, ..unasked(1) };
    assert_eq!(of_rosenbrock(2, &migrates)[0].polish, None);

    let of_bowl = |objective: &HostObjective<f64>| {
        minimise(objective, &bounds(3), &algorithm, &unasked(5)).unwrap().runs.remove(0)
    };
    assert!(of_bowl(&bowl(|_| ())).polish.unwrap().gradients > 0);
    let unknown = HostObjective::new(|x: &[f64]| x.iter().map(|x| x * x).sum());
    assert_eq!(of_bowl(&unknown).polish, None);
    assert!(AskTell::<f64>::new(&bounds(3), &algorithm, &unasked(5)).is_ok());
}

#[test]
fn a_limit_of_time_holds_for_what_was_not_asked_for() {
    let bounds = Bounds::uniform(30, -2.0, 2.0).unwrap();
    let slow = bowl(|_| std::thread::sleep(Duration::from_millis(4)));
    let polish = |polish| {
        let settings = Settings {
            individuals: 8,
            stop: Stop::seconds(0.1),
            threads: Some(1),
            polish,
            ..Settings::default()
        };
        let report = minimise(&slow, &bounds, &DeParams::default().into(), &settings).unwrap();
        report.runs[0].polish.unwrap()
    };
    // The start, and three more evaluations in a tenth of the time.
    let (short, whole) = (polish(None), polish(Some(true)));
    assert!(short.evaluations <= 4 && whole.evaluations > 4, "{short:?}, {whole:?}");
}

#[test]
fn an_interrupted_polish_ends_with_the_best_so_far() {
    let bounds = Bounds::uniform(30, -2.0, 2.0).unwrap();
    let settings = |interrupt: &Arc<AtomicBool>| Settings {
        individuals: 8,
        threads: Some(1),
        stop: Stop::iterations(2).or_interrupt(interrupt.clone()),
        ..polishing(2)
    };
    let never = Arc::new(AtomicBool::new(false));
    let run = |objective: &HostObjective<f64>, interrupt: &Arc<AtomicBool>| {
        let algorithm = DeParams::default().into();
        let mut report = minimise(objective, &bounds, &algorithm, &settings(interrupt)).unwrap();
        report.runs.remove(0)
    };
    let whole = run(&bowl(|_| ()), &never);
    let (flag, at) = (Arc::new(AtomicBool::new(false)), whole.evaluations + 4);
    let interrupt = flag.clone();
    let cut = run(&bowl(move |count| interrupt.store(count >= at, Relaxed)), &flag);
    assert_eq!(cut.evaluations, whole.evaluations);
    let (polish, all) = (cut.polish.unwrap(), whole.polish.unwrap());
    assert!(polish.from == all.from && polish.gradients < all.gradients, "{polish:?}, {all:?}");
    assert!(whole.best.value < cut.best.value && cut.best.value < polish.from.value);
}

#[test]
fn closures_go_by_differences_and_a_simplex() {
    let valley =
        HostObjective::new(|x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2));
    let bounds = Bounds::uniform(2, -2.0, 2.0).unwrap();
    let report = minimise(&valley, &bounds, &DeParams::default().into(), &polishing(10)).unwrap();
    let polish = report.runs[0].polish.unwrap();
    assert!(polish.from.value > 1e-6 && report.best().value < 1e-15, "{report:?}");
    // The nearest point to the origin beyond a line, with one violation value.
    let far = HostObjective::with_violation(|x: &[f64]| Fitness {
        violation: (1.0 - x[0] - x[1]).max(0.0),
        value: x[0] * x[0] + x[1] * x[1],
    });
    let report = minimise(&far, &bounds, &DeParams::default().into(), &polishing(10)).unwrap();
    let best = report.best();
    assert!(best.violation == 0.0 && (best.value - 0.5).abs() < 1e-9, "{report:?}");
    // A closure over all points also evaluates a single one.
    let many = HostObjective::of_population(|points: &warpswarm::Points<'_, f64>| {
        points.iter().map(|x| Fitness { violation: 0.0, value: (x[0] - 0.3).powi(2) }).collect()
    });
    let settings = Settings { runs: 3, ..polishing(3) };
    let report = minimise(&many, &bounds, &DeParams::default().into(), &settings).unwrap();
    assert!(report.runs.iter().all(|run| run.best.value < 1e-20), "{report:?}");
}

/// A closure's gradient replaces differences, and a simplex search follows only if a violation was in the way.
#[test]
fn closures_go_along_their_own_gradient() {
    let valley = |calls: &Arc<AtomicU64>| {
        let calls = calls.clone();
        HostObjective::new(move |x: &[f64]| {
            calls.fetch_add(1, Relaxed);
            -100.0 * (x[1] - x[0].ln().powi(2)).powi(2) - (1.0 - x[0].ln()).powi(2)
        })
    };
    let slopes = |x: &[f64], slopes: &mut [f64]| {
        let off = x[1] - x[0].ln().powi(2);
        slopes[0] = (400.0 * off * x[0].ln() + 2.0 * (1.0 - x[0].ln())) / x[0];
        slopes[1] = -200.0 * off;
    };
    let variables = [Variable::log("a", 0.1, 50.0), Variable::linear("b", -2.0, 2.0)];
    let bounds = Bounds::of(&variables).unwrap();
    let found = |with_gradient: bool| {
        let calls = Arc::new(AtomicU64::new(0));
        let closure = match with_gradient {
            true => valley(&calls).with_gradient(slopes),
            false => valley(&calls),
        };
        let report =
            maximise(&closure, &bounds, &DeParams::default().into(), &polishing(10)).unwrap();
        assert!(report.best().value > -1e-15, "{report:?}");
        (report.runs[0].polish.unwrap(), calls.load(Relaxed) - report.runs[0].evaluations)
    };
    let (polish, calls) = found(true);
    assert!(polish.evaluations > 5 && calls <= polish.evaluations + 2, "{polish:?}, {calls} calls");
    let (polish, calls) = found(false);
    assert!(calls > polish.evaluations + 3 * polish.gradients, "{polish:?}, {calls} calls");
    // Beyond a line: derivatives lead out of the feasible region.
    let far = HostObjective::with_violation(|x: &[f64]| Fitness {
        violation: (1.0 - x[0] - x[1]).max(0.0),
        value: x[0] * x[0] + x[1] * x[1],
    })
    .with_gradient(|x, slopes| slopes.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]));
    let bounds = Bounds::uniform(2, -2.0, 2.0).unwrap();
    let report = minimise(&far, &bounds, &DeParams::default().into(), &polishing(10)).unwrap();
    let best = report.best();
    assert!(best.violation == 0.0 && (best.value - 0.5).abs() < 1e-9, "{report:?}");
}

#[test]
fn scales_whole_numbers_and_maxima() {
    let variables = [
        Variable::log("rate", 1e-6, 1e3),
        Variable::integer("count", 0.0, 9.0),
        Variable::linear("x", -1.0, 1.0),
    ];
    let bounds = Bounds::of(&variables).unwrap();
    #[derive(Clone, Copy)]
    struct Hill;
    impl<R: warpswarm::Real> warpswarm::Objective<R> for Hill {
        fn value<P: warpswarm::Point<R>>(&self, x: &P) -> R {
            let [rate, count, x] = [0, 1, 2].map(|i| x.get(i));
            let off = (rate * R::from_f64(1000.0)).ln() + count - R::from_f64(4.0);
            R::ONE - off * off - (x - R::from_f64(0.25)) * (x - R::from_f64(0.25))
        }
    }
    let algorithm = DeParams::default().into();
    let report = maximise::<f64, _>(&Hill, &bounds, &algorithm, &polishing(15)).unwrap();
    let best = report.best();
    assert!(best.value == 1.0 && report.runs[0].polish.unwrap().from.value < 1.0, "{report:?}");
    assert_eq!(best.position[1].fract(), 0.0);
    assert!((best.position[2] - 0.25).abs() < 1e-8);
}

#[cfg(feature = "problem-files")]
#[test]
fn problem_files_have_their_constraints_one_by_one() {
    // x^2 + y^2 on the line x + 2 y = 5 is least at (1, 2); with x = 3 as well, nearly, at (3, 1).
    let text = r#"
        minimise = "x^2 + y^2"
        variables = { x = { lower = -10, upper = 10 }, y = { lower = -10, upper = 10 } }
        constraints = { line = "x + 2 * y >= 5" }
    "#;
    let with_equation = text.replace("y >= 5", "y >= 5\", three = \"x = 3");
    let problem = warpswarm::problem_file::ProblemFile::parse(text).unwrap();
    let mut optimiser =
        problem.optimiser::<f64>(&DeParams::default().into(), &polishing(20)).unwrap();
    let report = optimiser.run().unwrap();
    let best = report.best();
    assert!(best.violation == 0.0 && (best.value - 5.0).abs() < 1e-13, "{report:?}");
    assert!(report.runs[0].polish.unwrap().from.value > 5.0 + 1e-6);

    // An equation is satisfied to 1e-4 of its sides, so the best point is at this distance from it.
    let problem = warpswarm::problem_file::ProblemFile::parse(&with_equation).unwrap();
    let mut optimiser =
        problem.optimiser::<f64>(&DeParams::default().into(), &polishing(60)).unwrap();
    let report = optimiser.run().unwrap();
    let best = report.best();
    assert!(best.violation == 0.0 && (9.99..10.0).contains(&best.value), "{report:?}");
    assert!((best.position[0] + 2.0 * best.position[1] - 5.0).abs() < 1e-9, "{report:?}");
}

#[cfg(feature = "emulator")]
#[test]
fn the_bits_do_not_depend_on_the_backend() {
    let at = |backend| {
        polished("spring", 3, &Settings { backend, individuals: 40, runs: 2, ..polishing(10) }).runs
    };
    assert_eq!(at(Backend::Cpu), at(Backend::Emulator));
}

#[test]
fn it_is_refused_where_nobody_can_evaluate_a_point() {
    let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap();
    let asked = AskTell::<f64>::new(&bounds, &Algorithm::default(), &polishing(3));
    let error = asked.err().unwrap();
    assert!(matches!(&error, Error::Setting { field: "polish", .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("allowed: false, where points are evaluated by whoever is asked")
    );
}
