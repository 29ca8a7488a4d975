//! Events of observers, and statistics in records, on the CPU backend.

use crate::common::{bounds, optimiser, run, settings};
use warpswarm::{Algorithm, AskTell, Event, Optimiser, Progress, Settings, Stop, problems::Sphere};

/// The events, abbreviated.
fn told(settings: &Settings) -> (Vec<String>, warpswarm::Report<f32>) {
    let mut told = Vec::new();
    let report = optimiser::<f32>(3, settings)
        .unwrap()
        .run_observed(&mut |event, runs| {
            told.push(match event {
                Event::Started(progress) => format!("started {}", progress.iterations),
                Event::Progress(_) => "progress".into(),
                Event::Improved { run, .. } => format!("improved {run}"),
                Event::Recorded(progress) => format!("recorded {}", progress.iterations),
                Event::Populations(populations) => {
                    assert_eq!(populations.len(), runs.state().unwrap().len());
                    format!("populations {}", populations[0].iterations)
                }
                Event::Finished(report) => format!("finished {}", report.runs[0].iterations),
                _ => "something else".into(),
            });
        })
        .unwrap();
    (told, report)
}

#[test]
fn events_come_in_order() {
    let settings = Settings {
        record_every: Some(10),
        populations_every: Some(8),
        stop: Stop::iterations(20),
        runs: 2,
        ..settings(33)
    };
    let (told, report) = told(&settings);
    let of = |what: &str| -> Vec<&String> {
        told.iter().filter(|event| event.starts_with(what)).collect()
    };
    assert_eq!((told[0].as_str(), told.last().unwrap().as_str()), ("started 0", "finished 20"));
    assert_eq!(of("recorded"), ["recorded 0", "recorded 10", "recorded 20"]);
    assert_eq!(
        of("populations"),
        ["populations 0", "populations 8", "populations 16", "populations 20"]
    );
    assert!(of("improved 0").len() > 1 && of("improved 1").len() > 1, "{told:?}");
    assert_eq!((of("started").len(), of("finished").len()), (1, 1));
    let plain = Settings { record_every: None, populations_every: None, ..settings };
    assert_eq!(run::<f32>(3, &plain).runs, report.runs);
}

#[test]
fn an_observer_sees_every_improvement_until_the_end() {
    let mut seen: Vec<(u64, f32)> = Vec::new();
    let mut best = f32::INFINITY;
    let mut optimiser = optimiser::<f32>(3, &settings(33)).unwrap();
    let report = optimiser
        .run_observed(&mut |event, _| match event {
            Event::Started(progress) => best = progress.best().value,
            Event::Improved { at, .. } => {
                assert!(at.best.value < best);
                best = at.best.value;
            }
            Event::Progress(progress) => {
                assert_eq!((progress.limit, progress.runs.len()), (Some(20), 1));
                assert_eq!(progress.best().value, best);
                seen.push((progress.iterations, best));
            }
            _ => {}
        })
        .unwrap();
    assert_eq!(seen[0].0, 0);
    assert_eq!(*seen.last().unwrap(), (20, report.best().value));
    assert!(seen.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1), "{seen:?}");
}

/// When maximising, improvements go upwards.
#[test]
fn improvements_have_the_right_direction() {
    let settings = Settings { maximise: true, ..settings(33) };
    let mut optimiser =
        Optimiser::<f64>::new(&Sphere, &bounds(3), &Algorithm::Pso(Default::default()), &settings)
            .unwrap();
    let (mut best, mut improved) = (f64::NEG_INFINITY, 0);
    optimiser
        .run_observed(&mut |event, _| {
            if let Event::Improved { at, .. } = event {
                assert!(at.best.value > best);
                (best, improved) = (at.best.value, improved + 1);
            }
        })
        .unwrap();
    assert!(improved > 0);
}

#[test]
fn records_say_how_populations_lie_where_asked() {
    let settings = Settings { record_every: Some(5), runs: 2, ..settings(40) };
    assert!(run::<f32>(3, &settings).history[0].runs[0].population.is_none());
    let asked = Settings { record_statistics: true, stop: Stop::iterations(23), ..settings };
    let report = run::<f32>(3, &asked);
    let spread = |at: &Progress<f32>| at.runs[1].population.unwrap().spread;
    assert!(report.history.iter().all(|at| (0.0..=1.0).contains(&spread(at))));
    let (first, last) = (&report.history[0], report.history.last().unwrap());
    assert!(spread(first) > spread(last) && spread(last) > 0.0);
    assert_eq!(last.iterations, 20);
    // The report has the statistics of the end, although there is no record of it.
    let end = report.runs[1].population.unwrap();
    let recorded = run::<f32>(3, &Settings { record_every: Some(23), ..asked });
    assert_eq!(recorded.history[1].runs[1].population, Some(end));
    assert!(end.mean.unwrap() >= f64::from(report.runs[1].best.value));
}

#[test]
fn intervals_must_be_in_range() {
    for (field, settings) in [
        ("record_every", Settings { record_every: Some(0), ..settings(8) }),
        ("populations_every", Settings { populations_every: Some(0), ..settings(8) }),
    ] {
        let error = optimiser::<f32>(2, &settings).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with(field), "{error}");
    }
}

#[test]
fn handles_go_from_thread_to_thread() {
    fn is_send<T: Send>() {}
    is_send::<Optimiser<f32>>();
    is_send::<Optimiser<f64>>();
    is_send::<AskTell<f32>>();
    is_send::<AskTell<f64>>();
}
