//! Configurations that are not allowed are refused by name, before anything is evaluated.

use proptest::prelude::*;
use warpswarm::{
    Algorithm, Bounds, Devices, Error, HostObjective, MAX_DIMENSIONS, MAX_INDIVIDUALS,
    MAX_ITERATIONS, MAX_RUNS, Optimiser, Precise, RunSettings, Scale, Settings, Stop, algorithms,
};

use super::cases::{Range, any_algorithm, bounds};
use super::config;
use super::wild::{Wild, hosted, memory};

/// Starts a run whose objective fails the test if it is evaluated.
fn start<R: Precise>(
    bounds: &Bounds,
    algorithm: &Algorithm,
    settings: &Settings,
) -> Result<(), Error> {
    let asked = HostObjective::new(|_: &[R]| -> R { panic!("asked") });
    Optimiser::new(&asked, bounds, algorithm, settings).map(drop)
}

/// Fails unless this is refused, with a message that contains the name and the value.
#[track_caller]
fn assert_refused<T>(made: Result<T, Error>, name: &str, value: &str) {
    let error = made.err().unwrap_or_else(|| panic!("{name} = {value} is allowed"));
    assert!(error.is_input(), "{error:?}");
    let message = error.to_string();
    assert!(message.contains(name) && message.contains(value), "{name}, {value}: {message}");
    assert!(message.contains("allowed") || message.contains("known"), "{message}");
}

/// Settings with one field out of its range.
fn wrong_settings() -> impl Strategy<Value = (Settings, &'static str, String)> {
    // A new field does not compile here until it has a line below, or a reason for having none.
    let Settings {
        individuals: _,
        runs: _,
        first_run: _,
        seed: _, // Any.
        stop:
            Stop { iterations: _, evaluations: _, seconds: _, target: _, stagnation: _, interrupt: _ },
        of_runs: _,
        maximise: _,
        migrates: _,
        constraints: _, // Names.
        restart: _,     // Names.
        polish: _,      // Either.
        polish_until: _,
        backend: _, // Names.
        devices: _,
        split: _,
        peers: _,
        schedule: _, // Names.
        block_size: _,
        threads: _,
        record_every: _,
        records_at_most: _,
        record_statistics: _,
        populations_every: _,
    } = Settings::default();
    let whole = |range: std::ops::RangeInclusive<u64>| prop_oneof![3 => Just(0), 7 => range];
    let none_or_many = |most: u64| whole(most + 1..=u64::MAX);
    let with = |field: &'static str, value: u64, set: fn(&mut Settings, u64)| {
        let mut settings = Settings::default();
        set(&mut settings, value);
        (settings, field, value.to_string())
    };
    let number = |field: &'static str, value: f64, set: fn(&mut Settings, f64)| {
        let mut settings = Settings::default();
        set(&mut settings, value);
        (settings, field, value.to_string())
    };
    let negative = || prop_oneof![Just(f64::NAN), Just(f64::NEG_INFINITY), -1e300..-1e-300];
    prop_oneof![
        (MAX_INDIVIDUALS + 1..=u64::MAX)
            .prop_map(move |n| with("individuals", n, |s, n| s.individuals = n)),
        none_or_many(MAX_RUNS).prop_map(move |n| with("runs", n, |s, n| s.runs = n)),
        Just(u64::MAX).prop_map(move |n| with("first_run", n, |s, n| s.first_run = n)),
        none_or_many(65_536)
            .prop_map(move |n| with("threads", n, |s, n| s.threads = Some(n as usize))),
        none_or_many(MAX_ITERATIONS)
            .prop_map(move |n| with("record_every", n, |s, n| s.record_every = Some(n))),
        (0u64..2).prop_map(move |n| with("records_at_most", n, |s, n| s.records_at_most = Some(n))),
        none_or_many(MAX_ITERATIONS)
            .prop_map(move |n| with("populations_every", n, |s, n| s.populations_every = Some(n))),
        whole(1..=u64::from(u32::MAX))
            .prop_filter("a block", |n| *n == 0 || *n > 1024 || n % 32 != 0)
            .prop_map(move |n| with("block_size", n, |s, n| s.block_size = Some(n as u32))),
        (MAX_ITERATIONS + 1..=u64::MAX)
            .prop_map(move |n| with("iterations", n, |s, n| s.stop.iterations = Some(n))),
        (0u64..1024).prop_map(move |n| with("evaluations", n, |s, n| {
            (s.individuals, s.stop.evaluations) = (1024, Some(n));
        })),
        Just(0).prop_map(move |n| with("stagnation", n, |s, n| s.stop.stagnation = Some(n))),
        Just(0).prop_map(move |n| with("stagnation", n, |s, n| {
            s.of_runs = vec![RunSettings { stagnation: Some(n), ..RunSettings::default() }];
        })),
        Just(2)
            .prop_map(move |n| with("devices", n, |s, n| s.devices = Devices::of(&[n as u32; 2]))),
        (2u64..9).prop_map(move |n| with("runs", n, |s, n| {
            s.of_runs = vec![RunSettings::default(); n as usize];
        })),
        (2u64..9).prop_map(move |n| with("polish_until", n, |s, n| {
            s.polish_until = vec![[0; 2]; n as usize];
        })),
        negative().prop_map(move |x| number("seconds", x, |s, x| s.stop.seconds = Some(x))),
        Just(f64::NAN).prop_map(move |x| number("target", x, |s, x| s.stop.target = Some(x))),
        Just(f64::NAN).prop_map(move |x| number("target", x, |s, x| {
            s.of_runs = vec![RunSettings { target: Some(x), ..RunSettings::default() }];
        })),
    ]
}

/// Values out of a parameter's range, as text.
fn wrong_values(range: Range) -> BoxedStrategy<String> {
    let text = |x: f64| x.to_string();
    let nonsense = prop::sample::select(vec!["", "x", "nan", "-", "1,5", "0x10"]);
    let nonsense = nonsense.prop_map(String::from);
    match range {
        Range::Names => nonsense.boxed(),
        Range::Limit => prop_oneof![
            nonsense,
            prop::sample::select(vec![0.0, -0.0, f64::NAN, f64::NEG_INFINITY]).prop_map(text),
            (-1e300..0.0).prop_map(text),
        ]
        .boxed(),
        Range::Whole { least } => prop_oneof![
            nonsense,
            (-9i64..i64::from(least)).prop_map(|n| n.to_string()),
            (u64::from(u32::MAX) + 1..).prop_map(|n| n.to_string()),
            (0.1..0.9).prop_map(text),
        ]
        .boxed(),
        Range::Fifths { most } => prop_oneof![
            nonsense,
            (0..most).prop_map(move |n| text((f64::from(n) + 0.5) / 5.0)),
            (-1e300..-f64::MIN_POSITIVE).prop_map(text),
            (f64::from(most) / 5.0 + 0.2..1e300).prop_map(text),
        ]
        .boxed(),
        Range::Number { least, included, most } => {
            let infinite = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            let mut all =
                vec![nonsense.boxed(), prop::sample::select(infinite).prop_map(text).boxed()];
            if least > -f64::MAX {
                let next = if included { -f64::MIN_POSITIVE } else { 0.0 };
                all.push((-1e300..=next).prop_map(text).boxed());
                all.push(Just(next.to_string()).boxed());
            }
            if most < f64::MAX {
                all.push((most.next_up()..=1e300).prop_map(text).boxed());
                all.push(Just(most.next_up().to_string()).boxed());
            }
            prop::strategy::Union::new(all).boxed()
        }
    }
}

/// A parameter of an algorithm and a value out of its range.
fn wrong_parameters() -> impl Strategy<Value = (Algorithm, &'static str, String)> {
    let all = algorithms::ALL.iter().flat_map(|info| {
        info.parameters().into_iter().map(move |parameter| {
            let algorithm = info.algorithm();
            wrong_values(Range::of(&parameter))
                .prop_map(move |value| (algorithm, parameter.name, value))
                .boxed()
        })
    });
    prop::strategy::Union::new(all)
}

/// Lower and upper bounds and scales with one mistake, and the parts of the message.
fn wrong_bounds() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Scale, String, String)> {
    let good = bounds().prop_map(|b| (b.lower().to_vec(), b.upper().to_vec()));
    (good, any::<prop::sample::Index>(), 0usize..9, 1e-6..1e6_f64).prop_map(
        |((mut lower, mut upper), at, kind, x)| {
            let i = at.index(lower.len());
            let mut scale = Scale::Linear;
            let (name, value) = match kind {
                0..3 => {
                    lower[i] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][kind];
                    (format!("lower bound {i}"), lower[i].to_string())
                }
                3..6 => {
                    upper[i] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][kind - 3];
                    (format!("upper bound {i}"), upper[i].to_string())
                }
                6 => {
                    (lower[i], upper[i]) = (x, -x);
                    (format!("lower bound {i}"), format!("{x}, above the upper bound {}", -x))
                }
                7 => {
                    lower.push(x);
                    (format!("{} lower bounds", lower.len()), format!("{} upper", upper.len()))
                }
                _ => {
                    // The first coordinate that the scale does not allow.
                    lower.fill(-x);
                    upper.fill(x);
                    scale = Scale::Log;
                    ("variable 0".into(), format!("a log scale from {} to {x}", -x))
                }
            };
            (lower, upper, scale, name, value)
        },
    )
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn settings_out_of_range((settings, field, value) in wrong_settings()) {
        let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap();
        assert_refused(start::<f32>(&bounds, &Algorithm::Pso(Default::default()), &settings), field, &value);
        assert_refused(start::<f64>(&bounds, &Algorithm::Pso(Default::default()), &settings), field, &value);
        assert_refused(settings.check(), field, &value);
    }

    #[test]
    fn parameters_out_of_range((algorithm, name, value) in wrong_parameters()) {
        let mut set = algorithm;
        let said = value.parse::<f64>().map_or(value.clone(), |x| x.to_string());
        let said = if value.parse::<f64>().is_ok() && said != "NaN" { said } else { String::new() };
        let refused = set.set(name, &value);
        let exact = refused.as_ref().err().is_some_and(|error| error.to_string().contains(&format!("`{value}`")));
        assert_refused(refused, name, if exact { "" } else { &said });
        prop_assert_eq!(set, algorithm, "what is refused changes nothing");
    }

    #[test]
    fn bounds_out_of_range((lower, upper, scale, name, value) in wrong_bounds()) {
        let scales = vec![scale; upper.len()];
        let made = Bounds::new(lower, upper).and_then(|bounds| bounds.with_scales(scales));
        assert_refused(made, &name, &value);
    }

    #[test]
    fn bounds_beyond_the_precision(bounds in bounds(), at: prop::sample::Index, wide in 3e38..1e300_f64) {
        let (mut lower, mut upper) = (bounds.lower().to_vec(), bounds.upper().to_vec());
        let i = at.index(lower.len());
        let settings = Settings { individuals: 4, ..Settings::default() };
        (lower[i], upper[i]) = (-wide, wide);
        let single = Bounds::new(lower.clone(), upper.clone()).unwrap();
        let started = start::<f32>(&single, &Algorithm::Pso(Default::default()), &settings);
        assert_refused(started, &format!("bounds {i}"), &format!("{:?} and {wide:?}", -wide));
        (lower[i], upper[i]) = (-1.7e308, 1.7e308);
        let double = Bounds::new(lower, upper).unwrap();
        let started = start::<f64>(&double, &Algorithm::Pso(Default::default()), &settings);
        assert_refused(started, &format!("bounds {i}"), &format!("{:?} and {:?}", -1.7e308, 1.7e308));
    }

    #[test]
    fn first_points_elsewhere(bounds in bounds(), at: prop::sample::Index, odd in 0usize..4) {
        let mut point = bounds.lower().to_vec();
        let i = at.index(point.len());
        // A NaN coordinate is drawn at random.
        let values = [f64::INFINITY, f64::NEG_INFINITY];
        if let Some(value) = values.get(odd) {
            point[i] = *value;
            let name = format!("coordinate {i} of first point 1");
            let points = [bounds.upper().to_vec(), point];
            assert_refused(bounds.beginning_at(&points), &name, &value.to_string());
        } else {
            if odd == 2 { point.push(0.0) } else { point.clear() }
            let len = point.len().to_string();
            assert_refused(bounds.beginning_at(&[point]), "coordinates of a first point", &len);
        }
    }

    /// Values in range that are inconsistent with others are also refused by name; otherwise they run.
    #[test]
    fn what_does_not_fit_is_refused_by_name(
        algorithm in any_algorithm(), individuals in 1u64..40, evaluations in 40u64..200,
    ) {
        let stop = Stop::evaluations(evaluations).or_iterations(3);
        let settings = Settings { individuals, stop, threads: Some(1), ..Settings::default() };
        let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap();
        let wild = Wild { values: 4, violations: 0, kinds: 3 };
        let seen = memory(1);
        let made = Optimiser::<f32>::new(&hosted(wild, seen, false), &bounds, &algorithm, &settings);
        match made {
            Ok(mut optimiser) => {
                optimiser.run().unwrap();
            }
            Err(error) => {
                prop_assert!(error.is_input(), "{:?}", error);
                let (name, value) = match &error {
                    Error::Parameter { name, value, .. } => (*name, value),
                    Error::Setting { field, value, .. } => (*field, value),
                    error => panic!("{error}"),
                };
                let mut known = algorithm.parameters();
                known.push(("individuals", algorithms::Value::Number(individuals as f64)));
                let same = known.iter().any(|(known, is)| *known == name && is.to_string() == *value);
                prop_assert!(same, "{}", error);
                prop_assert_eq!(seen[0].lock().unwrap().evaluations, 0);
            }
        }
    }
}

#[test]
fn numbers_of_dimensions() {
    for dimensions in [0, MAX_DIMENSIONS + 1] {
        let made = Bounds::uniform(dimensions, 0.0, 1.0);
        assert_refused(made, "dimensions", &dimensions.to_string());
    }
}
