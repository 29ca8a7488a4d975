//! Variables with scales, maximisation, starting points, and per-run settings, on the CPU.

use crate::common::settings;
use warpswarm::{
    Algorithm, AskTell, Backend, Bounds, DeParams, Error, Fitness, HostObjective, Objective,
    Optimiser, Point, Points, Real, RunSettings, Scale, Settings, Stop, StopReason, Variable,
    algorithms, check, maximise, minimise,
};

/// Its maximum is 7, at (2, 0.001, 3, 0.5).
#[derive(Clone, Copy)]
struct Hill;

impl<R: Real> Objective<R> for Hill {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let square = |x: R| x * x;
        let number = |x: f64| R::from_f64(x);
        number(7.0)
            - square(x.get(0) - R::TWO)
            - square(x.get(1) * number(1000.0) - R::ONE)
            - square(x.get(2) - number(3.2))
            - x.get(3) * R::ZERO
    }
}

fn hill(x: &[f64]) -> f64 {
    7.0 - (x[0] - 2.0).powi(2) - (x[1] * 1000.0 - 1.0).powi(2) - (x[2] - 3.2).powi(2)
}

fn variables() -> Bounds {
    Bounds::of(&[
        Variable::linear("a", -4.0, 4.0),
        Variable::log("b", 1e-6, 1e3),
        Variable::integer("c", -10.3, 10.8),
        Variable::fixed("d", 0.5),
    ])
    .unwrap()
}

#[test]
fn every_algorithm_searches_scales_and_reports_what_they_mean() {
    for info in algorithms::ALL {
        let settings =
            Settings { maximise: true, runs: 2, stop: Stop::iterations(60), ..settings(40) };
        let report = minimise::<f64, _>(&Hill, &variables(), &info.algorithm(), &settings).unwrap();
        for run in &report.runs {
            let x = &run.best.position;
            assert_eq!((x[2], x[3]), (x[2].round(), 0.5), "{}: {x:?}", info.id);
            assert!((1e-6..=1e3).contains(&x[1]) && x[2].abs() <= 10.0, "{}: {x:?}", info.id);
            let value = hill(x);
            assert!((run.best.value - value).abs() <= 1e-9 * value.abs(), "{}: {run:?}", info.id);
        }
        assert!(report.best().value > 0.0, "{}: {:?}", info.id, report.best());
        let greatest = report.runs.iter().map(|run| run.best.value).fold(f64::MIN, f64::max);
        assert_eq!(report.best().value, greatest);
    }
}

#[test]
fn a_maximum_of_zero_has_no_sign() {
    let zero = HostObjective::new(|_: &[f64]| 0.0);
    let stop = Stop::iterations(2);
    let settings = Settings { individuals: 8, maximise: true, stop, ..Settings::default() };
    let bounds = Bounds::uniform(2, 0.0, 1.0).unwrap();
    let report = minimise(&zero, &bounds, &Algorithm::Pso(Default::default()), &settings).unwrap();
    assert_eq!(report.best().value.to_bits(), 0);
}

#[test]
fn a_maximum_is_found_and_its_target_met() {
    let stop = Stop::target(6.95).or_iterations(3000);
    let settings = Settings { stop, record_every: Some(50), ..settings(60) };
    let report =
        maximise::<f64, _>(&Hill, &variables(), &DeParams::default().into(), &settings).unwrap();
    assert!(report.maximised && report.best().value >= 6.95, "{report:?}");
    assert_eq!(report.runs[0].stop_reason, StopReason::Target);
    let shown: Vec<f64> = report.history.iter().map(|progress| progress.best().value).collect();
    assert!(shown.is_sorted() && shown[0] < 6.95, "{shown:?}");
}

#[test]
fn whoever_evaluates_sees_what_is_meant() {
    let settings = Settings { maximise: true, stop: Stop::iterations(20), ..settings(20) };
    let algorithm = Algorithm::Pso(Default::default());
    let by = |objective: &HostObjective<f64>| {
        minimise(objective, &variables(), &algorithm, &settings).unwrap().runs
    };
    let one = by(&HostObjective::new(hill));
    let all = |points: &Points<'_, f64>| {
        points.iter().map(|x| Fitness { violation: 0.0, value: hill(x) }).collect()
    };
    assert_eq!(one, by(&HostObjective::of_population(all)));
    let mut search = AskTell::<f64>::new(&variables(), &algorithm, &settings).unwrap();
    while let Some(points) = search.ask().unwrap() {
        let (told, shown) = (all(&points), points.as_slice().to_vec());
        assert_eq!(search.ask().unwrap().unwrap().as_slice(), shown);
        search.tell(&told).unwrap();
    }
    assert_eq!(one, search.report().unwrap().runs);
}

#[test]
fn individuals_begin_where_they_are_told_to() {
    for info in algorithms::ALL {
        let first = [[2.0, 1e-3, 3.0, 0.5], [1.0, 1.0, 1.0, 0.5]];
        let bounds = variables().beginning_at(&first).unwrap();
        let settings = Settings { maximise: true, stop: Stop::iterations(0), ..settings(40) };
        let report = minimise::<f64, _>(&Hill, &bounds, &info.algorithm(), &settings).unwrap();
        let best = report.best();
        assert!((best.value - 6.96).abs() < 1e-9, "{}: {best:?}", info.id);
        assert!((best.position[1] - 1e-3).abs() < 1e-15, "{}: {best:?}", info.id);
    }
}

#[test]
fn a_run_alone_is_that_of_the_batch() {
    let own = [
        RunSettings { seed: Some(11), ..RunSettings::default() },
        RunSettings { target: Some(6.0), ..RunSettings::default() },
        RunSettings { stagnation: Some(3), ..RunSettings::default() },
    ];
    let bounds = |run: f64| {
        Bounds::new(vec![-4.0, 1e-4, 0.0, 0.5], vec![4.0 + run, 1.0, 9.0, 0.5])
            .unwrap()
            .beginning_at(&[[1.0, 1e-3, run, 0.5]])
            .unwrap()
    };
    let stop = Stop::iterations(200);
    let batch = Settings { runs: 3, of_runs: own.to_vec(), maximise: true, stop, ..settings(30) };
    let each = Bounds::of_runs([0.0, 1.0, 2.0].map(bounds)).unwrap();
    let algorithm = DeParams::default().into();
    let all = minimise::<f64, _>(&Hill, &each, &algorithm, &batch).unwrap().runs;
    for (run, own) in own.iter().enumerate() {
        let alone = Settings {
            runs: 1,
            first_run: run as u64,
            seed: own.seed.unwrap_or(batch.seed),
            stop: Stop { target: own.target, stagnation: own.stagnation, ..batch.stop.clone() },
            of_runs: Vec::new(),
            ..batch.clone()
        };
        let alone =
            minimise::<f64, _>(&Hill, &bounds(run as f64), &algorithm, &alone).unwrap().runs;
        assert_eq!(alone, all[run..=run]);
    }
    let reasons: Vec<_> = all.iter().map(|run| run.stop_reason).collect();
    assert_eq!(reasons, [StopReason::Iterations, StopReason::Target, StopReason::Stagnation]);
}

#[test]
fn what_is_wrong_is_said() {
    let error = |variable| Bounds::of(&[variable]).unwrap_err().to_string();
    assert_eq!(
        error(Variable::log("a", 0.0, 1.0)),
        "variable 0 is a log scale from 0 to 1; allowed: positive bounds"
    );
    assert_eq!(
        error(Variable::integer("a", 0.2, 0.8)),
        "variable 0 is an integer scale from 0.2 to 0.8; allowed: bounds with a whole number between"
    );
    assert_eq!(
        error(Variable::integer("a", 0.0, 1e9)),
        "variable 0 is an integer scale from 0 to 1000000000; allowed: whole numbers up to 2^22"
    );
    let error = |point: &[f64]| variables().beginning_at(&[point]).unwrap_err().to_string();
    assert_eq!(
        error(&[0.0, 1.0, f64::INFINITY, 0.5]),
        "coordinate 2 of first point 0 is inf; allowed: -10 to 10, its bounds"
    );
    assert_eq!(error(&[0.0]), "number of coordinates of a first point is 1; allowed: 4");
    let other = Bounds::uniform(4, 0.0, 1.0).unwrap();
    let mixed = Bounds::of_runs([variables(), other.clone()]).unwrap_err().to_string();
    assert_eq!(
        mixed,
        "variable 1 is Log in one run and Linear in another; allowed: the same scale in all runs"
    );
    assert_eq!(
        other.with_scales([Scale::Log]).unwrap_err().to_string(),
        "number of scales is 1; allowed: 4, one a coordinate"
    );
    let settings =
        Settings { runs: 3, of_runs: vec![RunSettings::default(); 2], ..Settings::default() };
    let error =
        Optimiser::<f64>::new(&Hill, &variables(), &Algorithm::Pso(Default::default()), &settings);
    assert_eq!(error.unwrap_err(), Error::Runs { what: "settings", given: 2, runs: 3 });
}

#[test]
fn a_check_finds_what_is_no_number() {
    #[derive(Clone, Copy)]
    struct Root;
    impl<R: Real> Objective<R> for Root {
        fn value<P: Point<R>>(&self, x: &P) -> R {
            x.get(0).sqrt() + x.get(1)
        }
    }
    let bounds = Bounds::uniform(2, -1.0, 3.0).unwrap();
    let settings = Settings { backend: Backend::Cpu, ..settings(50) };
    let checked = check::<f64, _>(&Root, &bounds, &settings).unwrap();
    assert_eq!((checked.device.clone(), checked.difference.clone()), (None, None));
    // The first point is the lower corner.
    assert_eq!(checked.first_not_finite.clone().unwrap().0, [-1.0, -1.0]);
    assert!(checked.not_finite > 10 && checked.worthwhile().is_none());
    let text = checked.to_string();
    assert!(
        text.contains("evaluations are not finite, the first at (-1, -1): value NaN"),
        "{text}"
    );
}
