//! The quality of DE, L-SHADE, PSO, SA and CMA-ES compared with other libraries, whose results are from
//! `tests/peers/distributions.py`: the best values of many runs have the same distribution.
//!
//! Two samples are compared as described in [`smirnov`](crate::smirnov). Of the libraries' samples 32 order statistics
//! are stored, and D is computed at those. This can only make it smaller, so that equal distributions are told apart by
//! mistake no more often than the level says.

use std::collections::BTreeMap;

use rayon::prelude::*;
use warpswarm_core::Objective;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::de::{Base, Crossover, De};
use warpswarm_core::launch::StopRule;
use warpswarm_core::method::Method;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::problems::{Rastrigin, Rosenbrock, Sphere};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::{Pso, Topology};
use warpswarm_core::random::{Purpose, Stream};
use warpswarm_core::restart::{RestartPolicy, Restarts};
use warpswarm_core::sa::{Neighbour, Sa, Unit};
use warpswarm_core::shade::Shade;
use warpswarm_cpu_ref::generation::{self, Work};
use warpswarm_cpu_ref::population_reduction::{self, PopulationReduction};
use warpswarm_cpu_ref::portfolio::{self, Portfolio, Span};
use warpswarm_cpu_ref::{Halt, RunId, Start, Swarm, Threads};

use crate::common::Cube;
use crate::smirnov::{critical, statistic};

const PEERS: &str = include_str!("../peers/distributions.csv");
/// The number of columns before the order statistics.
const HEAD: usize = 11;
/// The number of our runs of a case; the libraries' number is in the file.
const RUNS: u64 = 256;
/// The distance of our bounds, in ranges, for cases without bounds.
const AWAY: f64 = 1000.0;

/// A library's runs with one set of settings.
#[derive(Clone)]
struct Case<'a> {
    library: &'a str,
    method: &'a str,
    function: &'a str,
    individuals: u32,
    dimensions: usize,
    bounds: (f64, f64),
    settings: BTreeMap<&'a str, &'a str>,
    runs: u64,
    /// Generations (of L-SHADE: evaluations), each with the order statistics of log10 of the best value at that point.
    checkpoints: Vec<(u64, Vec<f64>)>,
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
}

/// All cases of a method.
fn cases(method: &str) -> Vec<Case<'static>> {
    let mut cases = Vec::<Case<'_>>::new();
    let mut before: &[&str] = &[];
    let lines: Vec<Vec<&str>> = PEERS.lines().map(|line| line.split(',').collect()).collect();
    for line in lines.iter().filter(|line| line[2] == method) {
        assert_eq!(line.len(), lines[0].len(), "{line:?}");
        let [
            library,
            _,
            method,
            function,
            individuals,
            dimensions,
            lower,
            upper,
            settings,
            runs,
            generation,
        ] = line[..HEAD]
        else {
            panic!("too short: {line:?}")
        };
        let checkpoint =
            (number(generation) as u64, line[HEAD..].iter().map(|x| number(x)).collect());
        match cases.last_mut() {
            Some(case) if before == &line[..HEAD - 1] => case.checkpoints.push(checkpoint),
            _ => cases.push(Case {
                library,
                method,
                function,
                individuals: number(individuals) as u32,
                dimensions: number(dimensions) as usize,
                bounds: (number(lower), number(upper)),
                settings: settings.split(' ').filter_map(|s| s.split_once('=')).collect(),
                runs: number(runs) as u64,
                checkpoints: vec![checkpoint],
            }),
        }
        before = &line[..HEAD - 1];
    }
    assert!(!cases.is_empty(), "{method}");
    cases
}

impl<'a> Case<'a> {
    /// The same case with another setting.
    fn with(&self, name: &'a str, value: &'a str) -> Self {
        let mut case = self.clone();
        let old = case.settings.insert(name, value);
        assert!(old.is_some_and(|old| old != value), "{name}={value} changes nothing");
        case
    }

    fn number(&self, name: &str) -> f64 {
        number(self.settings[name])
    }

    fn named<T: Copy>(&self, name: &str, all: &[(&str, T)]) -> T {
        let wanted = self.settings[name];
        all.iter().find(|(name, _)| *name == wanted).unwrap_or_else(|| panic!("{wanted}")).1
    }

    /// Whether there are bounds; for cases without them, ours are far away.
    fn is_bounded(&self) -> bool {
        self.settings["boundary"] != "none"
    }

    fn limits(&self) -> Limits<f64> {
        let bounded = self.is_bounded();
        let boundary =
            if bounded { self.named("boundary", &Boundary::ALL) } else { Boundary::default() };
        Limits { correction: 0.0, boundary }
    }

    fn de(&self) -> De<f64> {
        De {
            scale_factor: self.number("scale_factor"),
            crossover_rate: self.number("crossover_rate"),
            limits: self.limits(),
            base: self.named("base", &Base::ALL),
            crossover: self.named("crossover", &Crossover::ALL),
        }
    }

    fn pso(&self) -> Pso<f64> {
        let velocity_limit =
            if self.is_bounded() { self.number("velocity_limit") } else { f64::INFINITY };
        let coefficients = Coefficients {
            inertia: self.number("inertia"),
            cognitive: self.number("cognitive"),
            social: self.number("social"),
            velocity_limit,
            correction: 0.0,
            boundary: self.limits().boundary,
        };
        let topology = self.named("topology", &Topology::ALL);
        let width = if topology == Topology::Ring { self.number("width") as u32 } else { 0 };
        Pso { coefficients, final_inertia: 0.0, inertia_iterations: 0, topology, width }
    }

    fn sa(&self) -> Sa<f64> {
        // A step is measured in ranges, and without bounds the range is larger.
        let ranges = if self.is_bounded() { 1.0 } else { 2.0 * AWAY + 1.0 };
        Sa {
            temperature: self.number("temperature"),
            cooling: self.number("cooling"),
            step: self.number("step") / ranges,
            step_cooling: self.number("step_cooling"),
            limits: self.limits(),
            neighbour: self.named("neighbour", &Neighbour::ALL),
            unit: Unit::Ranges,
        }
    }

    /// Our own sample for each checkpoint, sorted.
    fn sample(&self) -> Vec<Vec<f64>> {
        match self.method {
            "de" => self.sample_of(&self.de()),
            "pso" => self.sample_of(&self.pso()),
            "sa" => self.sample_of(&self.sa()),
            "cma-es" => self.sample_of_cma_es(),
            "lshade" => self.sample_of_lshade(),
            other => panic!("{other}"),
        }
    }

    fn evaluate(&self) -> &'static (dyn Fn(&[f64]) -> Fitness<f64> + Sync) {
        match self.function {
            "sphere" => &|x| Sphere.evaluate(&SlicePoint(x)),
            "rosenbrock" => &|x| Rosenbrock.evaluate(&SlicePoint(x)),
            "rastrigin" => &|x| Rastrigin.evaluate(&SlicePoint(x)),
            other => panic!("{other}"),
        }
    }

    /// The function, within these bounds.
    fn work<'b>(&self, cube: &'b Cube<f64>) -> Work<'b, f64> {
        Work {
            evaluate: self.evaluate(),
            bounds: cube.bounds(),
            start: Start::default(),
            stop: StopRule::NEVER,
            halt: Halt::NEVER,
        }
    }

    /// Within bounds that are not reached.
    fn sample_of_cma_es(&self) -> Vec<Vec<f64>> {
        let restart_policy = RestartPolicy {
            step: self.number("step"),
            restarts: Restarts::Never,
            individuals: self.individuals,
            active: self.named("active", &[("on", true), ("off", false)]),
        };
        let searches = Portfolio { restart_policy, shade: None };
        let cube = Cube::new(self.dimensions, self.bounds.0, self.bounds.1);
        let work = self.work(&cube);
        self.sorted(&|run| {
            let id = RunId { seed: 1, run };
            let mut swarm = portfolio::start(&searches, &work, id, Threads::Serial);
            let go_on_to = |(generation, _): &(u64, Vec<f64>)| {
                let span = Span::iterations(generation - swarm.control.iterations);
                portfolio::run(&mut swarm, &searches, &work, span, Threads::Serial);
                swarm.global.fitness.value.log10()
            };
            self.checkpoints.iter().map(go_on_to).collect()
        })
    }

    /// With the parameters of the preset, except for the bounds.
    fn sample_of_lshade(&self) -> Vec<Vec<f64>> {
        let shade = Shade {
            initial: 0.5,
            limits: self.limits(),
            midpoint: 0,
            memory: self.number("memory") as u32,
            tournament: 12,
            weights: [5, 13],
        };
        let [last, budget] = ["final_individuals", "budget"].map(|name| self.number(name) as u64);
        let reduction = PopulationReduction::new(self.individuals, last as u32, budget);
        let spent = |iterations| reduction.evaluations(iterations) + u64::from(self.individuals);
        let cube = Cube::new(self.dimensions, self.bounds.0, self.bounds.1);
        let work = self.work(&cube);
        self.sorted(&|run| {
            let id = RunId { seed: 1, run };
            let mut swarm = generation::start(&shade, &work, self.individuals, id, Threads::Serial);
            let go_on_to = |(evaluations, _): &(u64, Vec<f64>)| {
                while spent(swarm.control.iterations + 1) <= *evaluations {
                    population_reduction::run(
                        &mut swarm,
                        (&shade, &reduction),
                        &work,
                        1,
                        Threads::Serial,
                    );
                }
                swarm.global.fitness.value.log10()
            };
            self.checkpoints.iter().map(go_on_to).collect()
        })
    }

    /// The values of all runs at each checkpoint, sorted.
    fn sorted(&self, values_of: &(dyn Fn(u64) -> Vec<f64> + Sync)) -> Vec<Vec<f64>> {
        let values: Vec<Vec<f64>> = (0..RUNS).into_par_iter().map(values_of).collect();
        let sorted = |checkpoint: usize| {
            let mut sample: Vec<f64> = values.iter().map(|values| values[checkpoint]).collect();
            sample.sort_by(f64::total_cmp);
            sample
        };
        (0..self.checkpoints.len()).map(sorted).collect()
    }

    fn sample_of<M: Method<f64>>(&self, method: &M) -> Vec<Vec<f64>> {
        let evaluate = self.evaluate();
        let (lower, upper) = self.bounds;
        let away = if self.is_bounded() { 0.0 } else { AWAY * (upper - lower) };
        let near = Cube::new(self.dimensions, lower, upper);
        let far = Cube::new(self.dimensions, lower - away, upper + away);
        let work = Work {
            evaluate,
            bounds: near.bounds(),
            start: Start::default(),
            stop: StopRule::NEVER,
            halt: Halt::NEVER,
        };
        let beyond = Work { bounds: far.bounds(), ..work };

        self.sorted(&|run| {
            let id = RunId { seed: 1, run };
            let mut swarm = generation::start(method, &work, self.individuals, id, Threads::Serial);
            self.set_velocities(&mut swarm);
            let go_on_to = |(generation, _): &(u64, Vec<f64>)| {
                let iterations = generation - swarm.control.iterations;
                generation::run(&mut swarm, method, &beyond, iterations, Threads::Serial);
                swarm.global.fitness.value.log10()
            };
            self.checkpoints.iter().map(go_on_to).collect()
        })
    }

    /// Gives particles the first velocities of the library.
    fn set_velocities(&self, swarm: &mut Swarm<f64>) {
        let range = self.bounds.1 - self.bounds.0;
        match self.settings.get("start") {
            // A method without velocities, or our own start.
            None | Some(&"half") => {}
            Some(&"rest") => swarm.velocities.fill(0.0),
            Some(&"limit") => {
                let limit = self.number("velocity_limit") * range;
                for (index, row) in swarm.velocities.chunks_mut(swarm.stride).enumerate() {
                    let stream = Stream::new(swarm.id.key(), Purpose::Choice, 0, index as u32);
                    for (i, v) in row[..self.dimensions].iter_mut().enumerate() {
                        *v = limit * (2.0 * stream.draws_of::<f64>(i as u32)[0].open() - 1.0);
                    }
                }
            }
            Some(other) => panic!("{other}"),
        }
    }

    /// D for each checkpoint, relative to the largest allowed value at [`LEVEL`](crate::smirnov::LEVEL).
    fn distances(&self) -> Vec<f64> {
        self.distances_of(&self.sample())
    }

    /// The same for a given sample.
    fn distances_of(&self, samples: &[Vec<f64>]) -> Vec<f64> {
        let most = critical(RUNS, self.runs);
        let pairs = samples.iter().zip(&self.checkpoints);
        let distances: Vec<f64> =
            pairs.map(|(ours, (_, theirs))| statistic(ours, theirs) / most).collect();
        println!("{} {} {:?}: {distances:.2?}", self.library, self.function, self.settings);
        distances
    }
}

/// Checks that every case of a method agrees with its library at every checkpoint.
fn check(method: &str, count: usize) {
    let cases = cases(method);
    assert_eq!(cases.len(), count);
    for case in cases {
        let distances = case.distances();
        let what = (case.library, case.function, &case.settings);
        assert!(distances.iter().all(|&distance| distance <= 1.0), "{what:?}: {distances:?}");
    }
}

/// Fails unless a case with wrong settings differs significantly from its library.
#[track_caller]
fn assert_apart(case: &Case<'_>) {
    let distances = case.distances();
    let what = (case.library, case.function, &case.settings);
    assert!(distances.iter().any(|&distance| distance > 1.0), "{what:?}: {distances:?}");
}

/// Checks that every case of the method and the function that has another value of a setting differs significantly with
/// this one.
fn check_wrong(method: &str, function: &str, name: &'static str, value: &'static str) {
    let cases = cases(method).into_iter().filter(|case| case.function == function);
    let mut wrong = cases.filter(|case| case.settings.get(name).is_some_and(|&old| old != value));
    let first = wrong.next().unwrap_or_else(|| panic!("{method} {function} {name}"));
    assert_apart(&first.with(name, value));
    wrong.for_each(|case| assert_apart(&case.with(name, value)));
}

#[test]
fn de_does_as_in_scipy() {
    check("de", 18);
}

#[test]
fn pso_does_as_in_pagmo_pyswarms_and_inspyred() {
    check("pso", 15);
}

#[test]
fn sa_does_as_in_simanneal_and_mealpy() {
    check("sa", 6);
}

#[test]
fn cma_es_does_as_in_pycma() {
    check("cma-es", 6);
}

#[test]
fn lshade_does_as_in_minion() {
    let cases = cases("lshade");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let ours = case.sample();
        let mut distances = case.distances_of(&ours);
        let what = (case.library, case.function);
        if case.function == "rastrigin" {
            // At the very end ours is ahead, by some 2 % of the evaluations.
            assert!(distances.pop().is_some_and(|last| last < 1.5), "{what:?}");
            let (_, theirs) = &case.checkpoints[2];
            assert!(ours[2][ours[2].len() / 2] < theirs[theirs.len() / 2], "{what:?}");
        }
        assert!(distances.iter().all(|&distance| distance <= 1.0), "{what:?}: {distances:?}");
    }
}

#[test]
fn wrong_parameters_are_told_apart() {
    check_wrong("cma-es", "sphere", "step", "0.04");
    check_wrong("lshade", "sphere", "final_individuals", "45");
    check_wrong("de", "sphere", "scale_factor", "0.6");
    check_wrong("de", "rastrigin", "crossover_rate", "0.8");
    check_wrong("de", "rastrigin", "crossover", "binomial");
    check_wrong("pso", "sphere", "inertia", "0.65");
    check_wrong("pso", "sphere", "social", "1.1");
    check_wrong("pso", "sphere", "velocity_limit", "0.3");
    check_wrong("pso", "sphere", "topology", "star");
    check_wrong("pso", "sphere", "width", "4");
    check_wrong("sa", "sphere", "cooling", "0.95");
    check_wrong("sa", "sphere", "temperature", "100.0");
    check_wrong("sa", "sphere", "step", "0.07");
    check_wrong("sa", "sphere", "step_cooling", "0.98");
    check_wrong("sa", "sphere", "neighbour", "gaussian");
}

#[test]
fn exchanged_pulls_are_told_apart() {
    let mut cases = cases("pso");
    cases.retain(|case| case.function == "sphere");
    cases.retain(|case| case.settings["cognitive"] != case.settings["social"]);
    assert_eq!(cases.len(), 2);
    for case in cases {
        let [cognitive, social] = ["cognitive", "social"].map(|name| case.settings[name]);
        assert_apart(&case.with("cognitive", social).with("social", cognitive));
    }
}
