//! Random configurations.

use proptest::prelude::*;
use proptest::strategy::Union;
use warpswarm::algorithms::{self, AlgorithmInfo, ParameterInfo, cmepso::Part, pso::Topology};
use warpswarm::{Algorithm, Backend, Bounds, RunSettings, Scale, Settings, Stop};

use super::wild::Wild;

/// An allowed optimisation.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) algorithm: Algorithm,
    pub(crate) bounds: Bounds,
    pub(crate) settings: Settings,
    pub(crate) wild: Wild,
    /// What evaluates: the host, or the CPU backend, with constraints or without.
    pub(crate) by: By,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum By {
    Host,
    Portable,
    Constrained,
}

/// A parameter's range, as declared: new parameters need no line here, new kinds of ranges one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Range {
    Names,
    Limit,
    Fifths { most: u32 },
    Whole { least: u32 },
    Number { least: f64, included: bool, most: f64 },
}

impl Range {
    pub(crate) fn of(parameter: &ParameterInfo) -> Self {
        const MOST: f64 = f64::MAX;
        let number = |least, included, most| Range::Number { least, included, most };
        match parameter.range.as_str() {
            "a finite number" => number(-MOST, true, MOST),
            "a finite number of at least 0" => number(0.0, true, MOST),
            "a finite number above 0" => number(0.0, false, MOST),
            "a number from 0 to 1" => number(0.0, true, 1.0),
            "a number from 0 to 1e30" => number(0.0, true, 1e30),
            "a number above 0, at most 1" => number(0.0, false, 1.0),
            "a number above 0, or none" => Range::Limit,
            "a number from 0 to 10, in steps of 0.2" => Range::Fifths { most: 50 },
            range if range.starts_with("a whole number from 1 to ") => Range::Whole { least: 1 },
            range if range.starts_with("a whole number up to ") => Range::Whole { least: 0 },
            range if range.contains(" or ") => Range::Names,
            range => panic!("{} has a range that is not known here: {range}", parameter.name),
        }
    }
}

/// The names that a range lists: "a, b or c".
fn names(range: &str) -> Vec<String> {
    range.split(", ").flat_map(|part| part.split(" or ")).map(String::from).collect()
}

/// Counts whose size does not affect the time.
const FREE: [&str; 5] =
    ["inertia_iterations", "improvement", "explosions", "successes", "failures"];

/// Values in the range of a parameter: mostly ordinary ones, sometimes the ends of the range of all precisions.
fn value(parameter: &ParameterInfo) -> BoxedStrategy<String> {
    let text = |x: f64| x.to_string();
    match Range::of(parameter) {
        Range::Names => prop::sample::select(names(&parameter.range)).boxed(),
        Range::Limit => prop_oneof![
            Just("none".to_string()),
            (0.01..2.0).prop_map(text),
            prop::sample::select(vec![1e-30, 1e30, f64::INFINITY]).prop_map(text),
        ]
        .boxed(),
        Range::Fifths { most } => (0..=most).prop_map(move |n| text(f64::from(n) / 5.0)).boxed(),
        Range::Whole { least } => {
            let most = if FREE.contains(&parameter.name) { u32::MAX } else { least };
            prop_oneof![9 => least..=8, 1 => Just(most)].prop_map(|n| n.to_string()).boxed()
        }
        Range::Number { least, included, most } => {
            let mut ends = vec![least.max(-1e30), most.min(1e30)];
            if !included {
                ends[0] = 1e-30;
            }
            let from = if included { least.max(-1.5) } else { 1e-3 };
            let usual = from..=most.min(3.0);
            prop_oneof![6 => usual, 1 => prop::sample::select(ends)].prop_map(text).boxed()
        }
    }
}

/// An algorithm with parameters in their ranges, which may be inconsistent.
pub(crate) fn of(info: &'static AlgorithmInfo) -> impl Strategy<Value = Algorithm> {
    let parameters = info.parameters();
    let values: Vec<_> = parameters.iter().map(value).collect();
    values.prop_map(move |values| {
        let mut algorithm = info.algorithm();
        for (parameter, value) in parameters.iter().zip(values) {
            // A range that depends on the precision or another parameter is checked later.
            algorithm.set(parameter.name, &value).unwrap();
        }
        algorithm
    })
}

pub(crate) fn any_algorithm() -> impl Strategy<Value = Algorithm> {
    Union::new(algorithms::ALL.iter().map(|info| of(info).boxed()))
}

/// The algorithm and a similar number of individuals, made consistent.
fn fitting(mut algorithm: Algorithm, individuals: u64) -> (Algorithm, u64) {
    let individuals = match &mut algorithm {
        Algorithm::Pso(p) if p.topology == Topology::Ring => {
            p.neighbours = 2 * p.neighbours.div_ceil(2);
            individuals.max(u64::from(p.neighbours) + 1)
        }
        Algorithm::Pso(p) if p.topology == Topology::VonNeumann => {
            p.columns = if p.columns == 0 { 0 } else { p.columns.max(3) };
            u64::from(p.columns.max(3)) * (3 + individuals % 5)
        }
        Algorithm::Spso(p) => {
            (p.topology, p.inertia_iterations) = (Topology::Star, 0);
            individuals
        }
        Algorithm::De(_) | Algorithm::CmaEs(_) | Algorithm::Auto(_) => individuals.max(4),
        Algorithm::Shade(p) => {
            let last = p.final_individuals;
            p.final_individuals = if last == 0 { 0 } else { last.max(4) };
            // Stepping has no known end, so the population needs a budget over which it shrinks.
            p.budget = p.budget.or(Some(60.0));
            individuals.max(4).max(u64::from(p.final_individuals))
        }
        Algorithm::ScatterSearch(p) => {
            individuals.max(u64::from(p.best_set) + 2 * u64::from(p.diverse_set))
        }
        Algorithm::Cmepso(p) if p.part == Part::Master => 2 * u64::from(p.slaves),
        Algorithm::Cmepso(p) if p.part == Part::Slave => individuals,
        Algorithm::Cmepso(p) => u64::from(p.slaves) * (2 + individuals % 3),
        Algorithm::Fwa(p) => {
            p.fewest = p.fewest.min(p.most);
            individuals
        }
        _ => individuals,
    };
    (algorithm, individuals)
}

/// A coordinate's bounds and scale: ordinary, equal, huge, and so close that a precision cannot distinguish them.
fn side() -> impl Strategy<Value = (f64, f64, Scale)> {
    let linear = |(lower, range): (f64, f64)| (lower, lower + range, Scale::Linear);
    let odd = [
        (0.0, 0.0),
        (0.0, -0.0),
        (-0.0, 1.0),
        (-1e38, 1e38),
        (1e37, 1.1e37),
        (1.0, 1.0 + f64::EPSILON),
        (0.0, 1e-320),
        (-1e-40, 1e-40),
        (3.3, 3.3),
    ];
    prop_oneof![
        6 => (-10.0..10.0, 0.0..10.0).prop_map(linear),
        2 => prop::sample::select(odd.to_vec()).prop_map(|(l, u)| (l, u, Scale::Linear)),
        1 => (1e-6..10.0, 1.0..1e6).prop_map(|(lower, times)| (lower, lower * times, Scale::Log)),
        1 => (1e-6..1e6).prop_map(|value| (value, value, Scale::Log)),
        1 => (-5..5, 0..5).prop_map(|(lower, range)| {
            (f64::from(lower), f64::from(lower + range), Scale::Integer)
        }),
    ]
}

/// Bounds of 1 to 40 coordinates, with up to two starting points.
pub(crate) fn bounds() -> impl Strategy<Value = Bounds> {
    let dimensions = prop_oneof![3 => 1usize..=6, 1 => 7usize..=40, 1 => 29usize..=33];
    let sides = dimensions.prop_flat_map(|n| prop::collection::vec(side(), n));
    let scaled = prop_oneof![2 => Just(false), 1 => Just(true)];
    (sides, scaled, prop::collection::vec(0.0..=1.0, 0..3)).prop_map(|(sides, scaled, first)| {
        let lower: Vec<f64> = sides.iter().map(|side| side.0).collect();
        let upper: Vec<f64> = sides.iter().map(|side| side.1).collect();
        let at = |t: f64| -> Vec<f64> {
            let place = |(&l, &u): (&f64, &f64)| (l + t * (u - l)).clamp(l, u);
            lower.iter().zip(&upper).map(place).collect()
        };
        let first: Vec<_> = first.into_iter().map(at).collect();
        let bounds = Bounds::new(lower.clone(), upper.clone()).unwrap();
        let scales = sides.iter().map(|side| if scaled { side.2 } else { Scale::Linear });
        bounds.with_scales(scales).unwrap().beginning_at(&first).unwrap()
    })
}

fn target() -> impl Strategy<Value = Option<f64>> {
    let ends = [f64::NEG_INFINITY, -1.0, 0.0, 1e30, f64::INFINITY];
    prop_oneof![
        4 => Just(None),
        2 => (0.0..500.0).prop_map(Some),
        1 => prop::sample::select(ends.to_vec()).prop_map(Some),
    ]
}

fn stop(individuals: u64) -> impl Strategy<Value = Stop> {
    let evaluations = prop::option::of(individuals..individuals * 20);
    let stagnation = prop::option::weighted(0.3, 1u64..10);
    let seconds = prop::sample::select(vec![None, None, None, Some(0.0), Some(1e6)]);
    (0u64..=20, evaluations, seconds, target(), stagnation).prop_map(
        |(iterations, evaluations, seconds, target, stagnation)| Stop {
            iterations: Some(iterations),
            evaluations,
            seconds,
            target,
            stagnation,
            interrupt: None,
        },
    )
}

fn of_run() -> impl Strategy<Value = RunSettings> {
    (prop::option::of(any::<u64>()), target(), prop::option::of(1u64..10))
        .prop_map(|(seed, target, stagnation)| RunSettings { seed, target, stagnation })
}

fn settings(individuals: u64) -> impl Strategy<Value = Settings> {
    let runs = 1u64..=3;
    let of_runs = prop_oneof![Just(0), runs.clone().prop_map(|runs| runs as usize)];
    let first_run = prop_oneof![3 => 0u64..100, 1 => Just(u64::MAX - 3)];
    let recording = (1u64..=7, prop::option::of(2u64..=5), any::<bool>());
    (
        stop(individuals),
        runs,
        of_runs,
        first_run,
        any::<u64>(),
        any::<bool>(),
        1usize..=3,
        recording,
    )
        .prop_flat_map(
            move |(
                stop,
                runs,
                own,
                first_run,
                seed,
                maximise,
                threads,
                (every, at_most, statistics),
            )| {
                let runs = if own == 0 { runs } else { own as u64 };
                prop::collection::vec(of_run(), own).prop_map(move |of_runs| Settings {
                    individuals,
                    runs,
                    first_run,
                    seed,
                    stop: stop.clone(),
                    of_runs,
                    maximise,
                    backend: Backend::Cpu,
                    threads: Some(threads),
                    record_every: Some(every),
                    records_at_most: at_most,
                    record_statistics: statistics,
                    polish: Some(false),
                    ..Settings::default()
                })
            },
        )
}

pub(crate) fn wild() -> impl Strategy<Value = Wild> {
    let share = || prop_oneof![2 => Just(0u64), 2 => 1u64..16, 1 => Just(16u64)];
    (share(), share(), 1usize..=3).prop_map(|(values, violations, kinds)| Wild {
        values,
        violations,
        kinds,
    })
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let individuals = prop_oneof![4 => 1u64..=12, 1 => 13u64..=40];
    let by = prop::sample::select(vec![By::Host, By::Portable, By::Constrained]);
    let sizes = (any_algorithm(), individuals).prop_map(|(a, n)| fitting(a, n));
    (sizes, bounds(), wild(), by).prop_flat_map(|((algorithm, individuals), bounds, wild, by)| {
        settings(individuals).prop_map(move |settings| Case {
            algorithm,
            bounds: bounds.clone(),
            settings,
            wild,
            by,
        })
    })
}
