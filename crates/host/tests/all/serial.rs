//! Serialisation of parameters, settings, bounds and results as JSON and TOML, which keeps all bits.
#![cfg(feature = "serde")]

use crate::common::{run, settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Algorithm, Backend, Bounds, Constraints, DeParams, Devices, PsoParams, Report, Restart,
    RunSettings, Schedule, Settings, Stop, Variable, algorithms,
};

/// The value after writing and reading JSON and TOML.
fn round<T: Serialize + DeserializeOwned>(value: &T) -> [T; 2] {
    let json = serde_json::to_string(value).unwrap();
    let toml = toml::to_string(value).unwrap();
    [serde_json::from_str(&json).unwrap(), toml::from_str(&toml).unwrap()]
}

#[test]
fn every_algorithm_and_preset_comes_back() {
    for info in algorithms::ALL {
        let presets = info.presets.iter().map(|preset| preset.algorithm());
        for algorithm in presets.chain([info.algorithm()]) {
            assert_eq!(round(&algorithm), [algorithm; 2]);
        }
    }
    let odd = PsoParams {
        inertia: f64::from_bits(0x3fe7_5a31_a4bd_ba0a),
        velocity_limit: None,
        cognitive: 5e-324,
        social: 1e30,
        final_inertia: -0.0,
        neighbours: u32::MAX,
        ..PsoParams::default()
    };
    for back in round(&odd) {
        assert_eq!(back, odd);
        assert!(back.final_inertia.is_sign_negative());
    }
}

#[test]
fn parameters_have_the_names_of_their_tables() {
    let json = serde_json::to_value(Algorithm::Pso(PsoParams::default())).unwrap();
    assert_eq!(json["id"], "pso");
    assert_eq!((&json["inertia"], &json["topology"]), (&0.7298.into(), &"star".into()));
    assert_eq!(json["neighbours"], 2);
    let names = json.as_object().unwrap().len();
    assert_eq!(names, algorithms::find("pso").unwrap().parameters().len() + 1);

    let read = |text: &str| toml::from_str::<Algorithm>(text);
    let expected = PsoParams { inertia: 0.5, ..PsoParams::cpso_paper() };
    let text = "id = 'pso'\ninertia = 0.5\npreset = 'cpso-paper'";
    assert_eq!(read(text).unwrap(), Algorithm::Pso(expected));
    let wrong = |text: &str, part: &str| {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    wrong("id = 'psso'", "unknown algorithm `psso`; did you mean pso");
    wrong("inertia = 0.5", "missing field `id`");
    wrong("id = 'pso'\nweight = 1", "no parameter `weight`");
    wrong("id = 'pso'\ncorrection = 1.5", "parameter correction is 1.5");
    wrong("id = 'pso'\nneighbours = 0.5", "parameter neighbours");
    assert_eq!(toml::from_str::<DeParams>("").unwrap(), DeParams::default());
}

#[test]
fn settings_come_back() {
    let all = Settings {
        constraints: Constraints::Epsilon,
        restart: Restart::Converged,
        polish: Some(true),
        polish_until: vec![[100, 7], [0, 0], [1 << 40, 3]],
        migrates: true,
        individuals: 77,
        runs: 3,
        first_run: u64::MAX - 3,
        seed: u64::MAX,
        stop: Stop::iterations(9)
            .or_evaluations(u64::MAX)
            .or_seconds(f64::INFINITY)
            .or_target(f64::NEG_INFINITY)
            .or_stagnation(u64::MAX - 1),
        of_runs: vec![
            RunSettings { seed: Some(1 << 63), target: Some(-0.0), stagnation: Some(4) },
            RunSettings::default(),
            RunSettings { target: Some(0.1), ..RunSettings::default() },
        ],
        maximise: true,
        backend: Backend::Emulator,
        devices: Devices::of(&[3, 0]),
        split: true,
        peers: None,
        schedule: Schedule::Streaming,
        block_size: Some(64),
        threads: Some(2),
        record_every: Some(5),
        records_at_most: Some(1001),
        record_statistics: true,
        populations_every: Some(6),
    };
    for settings in [all, Settings::default()] {
        for back in round(&settings) {
            assert_eq!(format!("{back:?}"), format!("{settings:?}"));
        }
    }
    assert!(toml::from_str::<Settings>("individual = 7").is_err());
    assert_eq!(toml::from_str::<Settings>("individuals = 7").unwrap().individuals, 7);
}

#[test]
fn bounds_come_back_checked() {
    let uniform = Bounds::uniform(3, -5.12, 5.12).unwrap();
    let variables = [Variable::log("a", 1e-6, 1e-3), Variable::integer("b", 1.0, 5.0)];
    // Names are not serialised.
    let scaled = Bounds::new(vec![1e-6, 1.0], vec![1e-3, 5.0])
        .unwrap()
        .with_scales(variables.map(|variable| variable.scale))
        .unwrap()
        .beginning_at(&[[1e-5, 2.0], [1e-4, 3.0]])
        .unwrap();
    let named = Bounds::of(&variables).unwrap();
    let other = Bounds::new(vec![0.1, -0.0], vec![0.2, 1.0]).unwrap();
    let first = other.clone().beginning_at(&[[0.15, 0.5]]).unwrap();
    let of_runs = Bounds::of_runs([other, first]).unwrap();
    for bounds in [uniform, scaled, of_runs] {
        for back in round(&bounds) {
            // NaN, where no point is given, is not equal to itself.
            assert_eq!(format!("{back:?}"), format!("{bounds:?}"));
        }
    }
    assert_eq!(round(&named)[0].scales(), named.scales());
    let error = toml::from_str::<Bounds>("[[runs]]\nlower = [2.0]\nupper = [1.0]").unwrap_err();
    assert!(error.to_string().contains("lower bound 0 is 2"), "{error}");
    assert!(toml::from_str::<Bounds>("runs = []").is_err());
}

#[test]
fn reports_come_back() {
    fn check<R>(settings: &Settings)
    where
        R: warpswarm::Precise + Serialize + DeserializeOwned,
    {
        let report: Report<R> = run::<R>(3, settings);
        assert!(!report.history.is_empty());
        for back in round(&report) {
            assert_eq!(back, report);
        }
    }
    let settings = Settings { record_every: Some(7), record_statistics: true, ..settings(33) };
    check::<f32>(&settings);
    check::<f64>(&settings);
}

/// NaN and infinities, which JSON cannot represent.
#[test]
fn what_is_not_finite_comes_back() {
    let mut report = run::<f32>(2, &Settings { record_every: Some(20), ..settings(8) });
    report.runs[0].best.position = vec![f32::INFINITY, f32::NEG_INFINITY];
    report.history[0].runs[0].best.violation = f32::INFINITY;
    assert_eq!(round(&report), [report.clone(), report.clone()]);
    report.runs[0].best.value = f32::NAN;
    for back in round(&report) {
        assert_eq!(back.runs[0].best.value.to_bits(), f32::NAN.to_bits());
    }
}
