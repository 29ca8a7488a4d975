//! Iterations that are abandoned at the time limit or an interrupt: the placement, and later ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use warpswarm::{
    Algorithm, Backend, Bounds, Error, FwaParams, HostObjective, Objective, Optimiser, Point, Real,
    Report, Settings, Stop, StopReason, algorithms,
};

/// A sphere function that takes this many microseconds.
#[derive(Clone, Copy)]
struct Slow(u64);

impl<R: Real> Objective<R> for Slow {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        thread::sleep(Duration::from_micros(self.0));
        x.sum(|_, x| x * x)
    }
}

fn settings(individuals: u64, stop: Stop) -> Settings {
    let backend = Backend::Cpu;
    Settings {
        individuals,
        stop,
        backend,
        threads: Some(4),
        polish: Some(false),
        ..Settings::default()
    }
}

fn bounds() -> Bounds {
    Bounds::uniform(3, -1.0, 2.0).unwrap()
}

fn optimiser(micros: u64, algorithm: &Algorithm, settings: &Settings) -> Optimiser<f64> {
    Optimiser::new(&Slow(micros), &bounds(), algorithm, settings).unwrap()
}

/// The same objective on the host, point by point.
fn hosted(micros: u64, settings: &Settings) -> Optimiser<f64> {
    let objective = HostObjective::new(move |x: &[f64]| {
        thread::sleep(Duration::from_micros(micros));
        x.iter().map(|x| x * x).sum()
    });
    Optimiser::new(&objective, &bounds(), &Algorithm::Pso(Default::default()), settings).unwrap()
}

/// How late a run with these stops ends, and its report.
#[track_caller]
fn check_first(make: impl Fn(&Settings) -> Optimiser<f64>) {
    // 20,000 milliseconds on four threads.
    let settings = settings(20_000, Stop::seconds(0.15));
    let start = Instant::now();
    let mut given_up = make(&settings);
    let report = given_up.run().unwrap();
    let late = start.elapsed().as_secs_f64() - 0.15;
    assert!((0.0..0.5).contains(&late), "{late}");
    let run = &report.runs[0];
    assert_eq!((run.stop_reason, run.iterations, run.not_finite), (StopReason::Seconds, 0, 0));
    assert!((1..20_000).contains(&run.evaluations), "{}", run.evaluations);
    assert!(run.best.value > 0.0 && run.best.value < 12.0, "{:?}", run.best);
    assert_eq!(run.best.position.iter().map(|x| x * x).sum::<f64>(), run.best.value);
    // There is no state until one is restored.
    for error in [given_up.state().unwrap_err(), given_up.step(1).unwrap_err()] {
        assert_eq!(error, Error::Stopped);
    }
    let whole = optimiser(
        0,
        &Algorithm::Pso(Default::default()),
        &Settings { stop: Stop::default(), ..settings },
    );
    let state = { whole }.state().unwrap();
    given_up.restore(&state).unwrap();
    assert_eq!(given_up.state().unwrap(), state);
}

#[test]
fn the_first_individuals_are_given_up() {
    check_first(|settings| optimiser(1000, &Algorithm::Pso(Default::default()), settings));
    check_first(|settings| hosted(1000, settings));
}

#[test]
fn an_interrupt_comes_while_the_first_individuals_are_placed() {
    let flag = Arc::new(AtomicBool::new(false));
    let raiser = flag.clone();
    let raised = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        raiser.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let stop = Stop::iterations(5).or_interrupt(flag);
    // Nor is a batch of many runs evaluated to its end.
    let settings = Settings { runs: 500, ..settings(40, stop) };
    let report = optimiser(1000, &Algorithm::Pso(Default::default()), &settings).run().unwrap();
    let late = raised.join().unwrap().elapsed().as_secs_f64();
    assert!(late < 0.5, "{late}");
    let is_interrupted =
        |run: &warpswarm::RunReport<f64>| run.stop_reason == StopReason::Interrupted;
    assert!(report.runs.iter().all(is_interrupted));
    let unseen = report.runs.iter().find(|run| run.evaluations == 0).unwrap();
    assert!(unseen.best.value.is_nan() && unseen.best.position == [-1.0; 3], "{:?}", unseen.best);
    assert!(report.best().value < 12.0);
}

/// An abandoned iteration has no effect, for any algorithm.
fn check_later(algorithm: &Algorithm, individuals: u64, micros: u64) {
    let cut = settings(individuals, Stop::seconds(0.4));
    let start = Instant::now();
    let mut given_up = optimiser(micros, algorithm, &cut);
    let report: Report<f64> = given_up.run().unwrap();
    let late = start.elapsed().as_secs_f64() - 0.4;
    let id = algorithm.info().id;
    assert!((0.0..0.3).contains(&late), "{id}: {late}");
    assert_eq!(report.runs[0].stop_reason, StopReason::Seconds, "{id}");
    let done = report.runs[0].iterations;
    let mut straight = optimiser(0, algorithm, &Settings { stop: Stop::default(), ..cut });
    straight.step(done).unwrap();
    assert_eq!(given_up.state().unwrap(), straight.state().unwrap(), "{id}, {done} iterations");
    assert_eq!(straight.progress().unwrap().runs[0].best.value, report.runs[0].best.value);
}

#[test]
fn later_iterations_are_given_up() {
    // An iteration takes 40 ms, after 160 ms for the first individuals.
    for id in ["pso", "de", "solis-wets", "epso", "sa"] {
        check_later(&algorithms::find(id).unwrap().algorithm(), 150, 1_000);
    }
    check_later(&algorithms::find("spso").unwrap().algorithm(), 100, 1_000);
    check_later(&FwaParams::default().into(), 20, 2_000);
}
