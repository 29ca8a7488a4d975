//! Problem files with all features of expressions, in all places.

use warpswarm::problem_file::{NamedNumbers, ProblemFile};
use warpswarm::problems::Precise;
use warpswarm::{Algorithm, Backend, DeParams, PsoParams, Settings, Swarm};

use crate::{Place, assert_same, by_precision};

/// Every operation and every reduction, with scales, data and constraints.
const ALL: &str = r#"
maximise = """
floor(a) * sin(b) + sum(i, if(x[i] < y[i], abs(x[i]), tan(x[i] / 4)) / (i + 1)) - prod(i, 1, len(x), 1 + x[i]^2 / 100)
+ min(i, x[i] * t[i]) - max(i, 1, len(t), t[i] * k - x[1]) + sum(i, cos(2 * pi * x[i]) * sin(2 * pi * y[i]))
+ sum(i, ln(1 + x[i]^2)) + abs(b)^1.5 + sqrt(a) + cos(a) + min(a, b, x[1]) - max(b, 3) + (a == b) + (a <= b)
+ tanh(x[1]) + sum(i, x[i] > 0 and x[i] < y[i]) + dot(t, y) + sum(i, sum(j, 1, 2, x[i] * t[j]))
+ sum(i, asin(x[i] / 5) + acos(x[i] / 6) * atan(x[i]) - atan2(x[i], b) + asinh(x[i]) * acosh(1 + t[i]) + atanh(x[i] / 7))
+ sum(i, sinh(x[i] / 2) - cosh(x[i] / 3) + expm1(x[i] / 9) * log1p(t[i]) - log2(t[i] + 1) * log10(t[i] + 2))
+ sum(i, cbrt(x[i]) - hypot(x[i], a) + sign(x[i]) * ceil(x[i]) + trunc(2 * x[i]) * round(3 * x[i]) - mod(x[i], y[i]))
+ sum(i, erf(x[i]) * erfc(x[i] / 2) + gamma(x[i] + 0.3) / 9 - lgamma(x[i] - 0.2) + j0(9 * x[i]) * j1(9 * x[i]) + y0(a) * y1(a + t[i]))
"""
[variables]
a = { lower = 0.5, upper = 40, scale = "log" }
k = { lower = 1, upper = 5, scale = "integer" }
b = { lower = -3, upper = 30 }
x = { count = COUNT, lower = -4, upper = 5 }
[data]
file = "points.csv"
columns = ["t", "y"]
[constraints]
first = "a - b^2"
second = "sum(i, x[i]) <= 3 * len(x)"
third = "k < 4 and not b == 7 or k != 5 and 1 < a <= 30"
fourth = "any(i, x[i] > t[i]) and all(i, 1, 2, if(x[i] < b, x[i] >= -3, true))"
fifth = { condition = "mean(x) == norm(y)", tolerance = 2 }
"#;

/// Similar, with one or two coordinates, which kernels store in another place.
const FEW: &str = r#"
minimise = "sum(i, (x[i] - t[1])^2 * y[i]) - prod(i, 1 + sin(x[i])) + exp(x[1] / 4) - min(i, x[i])"
[variables]
x = { count = COUNT, lower = -4, upper = 5 }
[data]
file = "points.csv"
columns = ["t", "y"]
[constraints]
first = "x[1] <= 3"
second = "not x[1] > 2 or sqrt(x[1]) == 1.5"
"#;

/// NaN for at least half of the individuals, and minus infinity for some, with any number of coordinates.
const SICK: &str = r#"
minimise = "sum(i, x[i]^2) + sqrt(x[1]) + if(x[1] > 4, ln(0), 0)"
[variables]
x = { count = COUNT, lower = -4, upper = 5 }
"#;

/// A differential equation with two states, solved by a METHOD.
const ODE: &str = r#"
minimise = "sum(i, (u[i] - y[i])^2 + abs(v[i]) * t[i]) + u[len(u)]^2 + sum(i, x[i]^2 - v[2]) / 9"
[variables]
x = { count = COUNT, lower = -4, upper = 5 }
[data]
t = [0.5, 1, 1.75, 4]
y = [1, 1.5, 0.25, -1]
[constraints]
low = "u[3] <= 2"
[ode]
times = "t"
from = 0
METHOD
[ode.let]
pull = "cos(t) * x[1] - v / 3"
[ode.states]
u = { initial = "x[1] / 2", derivative = "v" }
v = { initial = 1, derivative = "pull - 2 * sin(u) + sum(i, x[i]) / (9 * len(x)) + x[1] * u / 99" }
"#;

/// A file with a vector of `count` numbers, and with the same number of data points.
pub(crate) fn file(count: usize) -> ProblemFile {
    written(if count > 2 { ALL } else { FEW }, count)
}

fn written(text: &str, count: usize) -> ProblemFile {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = (0..count).map(|k| format!("{k}.25,{}\n", 7.5 / (k as f64 + 1.5)));
    let points = format!("t,y\n{}", lines.collect::<String>());
    let text = text.replace("COUNT", &count.to_string());
    let path = folder.path().join("problem.toml");
    std::fs::write(folder.path().join("points.csv"), points).expect("a writable folder");
    std::fs::write(&path, text).expect("a writable folder");
    ProblemFile::load(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Requires the bits of one thread in each place, for vectors with these numbers of elements.
///
/// # Panics
///
/// If a place differs.
pub fn check(counts: &[usize], places: &[Place]) {
    for &count in counts {
        let file = file(count);
        for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
            check_in_both(&file, &algorithm, places);
        }
    }
}

/// The same for values that are not finite: NaN is never a best, minus infinity is, and all evaluations count.
///
/// # Panics
///
/// If a place differs.
pub fn check_not_finite(counts: &[usize], places: &[Place]) {
    for &count in counts {
        let file = written(SICK, count);
        for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
            check_in_both(&file, &algorithm, places);
        }
    }
}

/// The same for a differential equation, with fixed and adaptive steps.
///
/// # Panics
///
/// If a place differs.
pub fn check_differential(counts: &[usize], places: &[Place]) {
    for &count in counts {
        for method in ["method = \"rk4\"\nsteps = 3", "tolerance = 1e-4\nmost_steps = 40"] {
            let file = written(&ODE.replace("METHOD", method), count);
            for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
                check_in_both(&file, &algorithm, places);
            }
        }
    }
}

/// Per-run data in all forms: a list, a matrix and a number; in sums, with fixed, running and selected indices, in
/// constraints, and in a differential equation.
const BATCH: &str = r#"
minimise = """
sum(i, (x[i] - y[i])^2 * t[i]) + y[2] * x[1] + sum(i, W[2, i] * x[i]) + k * dot(y, x) + mean(y) + sum(i, y[place[i]] * x[i])
+ sum(i, sum(j, 1, 2, W[j, i] * y[j])) + max(y) * x[1]^2 + sum(i, u[i] * y[i]) + y[n] - k^2 + prod(i, 1 + W[1, i] / 9)
"""
[variables]
n = { lower = 1, upper = 2, scale = "integer" }
x = { count = COUNT, lower = -4, upper = 5 }
[constraints]
first = "x[1] <= y[1] + k"
second = "all(i, x[i] <= 9 * k + y[i] or n == 1)"
[ode]
times = "t"
from = 0
method = "rk4"
steps = 2
[ode.states]
u = { initial = "x[1] / 2 + y[1]", derivative = "k - u * y[2]" }
"#;

/// A batch of `runs` runs, and the problem of each run as a separate file with its data.
fn batch(runs: usize, count: usize) -> (ProblemFile, Vec<ProblemFile>) {
    let text = BATCH.replace("COUNT", &count.to_string());
    let number = |run: usize, k: usize| (3.0 + (run * 37 + k * 11 % 17) as f64).sin() + 2.5;
    let t: Vec<f64> = (0..count).map(|k| 0.5 + k as f64 / 4.0).collect();
    let place: Vec<f64> = (0..count).map(|k| (count - k) as f64).collect();
    let of = |run: usize, len: usize, from: usize| (0..len).map(move |k| number(run, from + k));
    let read = |which: &[usize]| {
        let all = |len: usize, from| which.iter().flat_map(|&run| of(run, len, from)).collect();
        let (y, w, k): (Vec<f64>, Vec<f64>, Vec<f64>) =
            (all(count, 0), all(2 * count, 50), all(1, 9));
        let shared = |name, numbers| NamedNumbers { name, numbers, columns: None, of_runs: None };
        let of_runs = (which.len() > 1).then_some(which.len() as u64);
        let own = |name, numbers, columns| NamedNumbers { name, numbers, columns, of_runs };
        let mut data = vec![shared("t", &t[..]), shared("place", &place)];
        data.extend([own("y", &y, None), own("W", &w, Some(count))]);
        if which.len() > 1 {
            data.push(own("k", &k, None));
        }
        let text = match which.len() {
            1 => format!("{text}[constants]\nk = {:?}\n", k[0]),
            _ => text.clone(),
        };
        let file = ProblemFile::parse_with_data(&text, "batch", &data);
        file.unwrap_or_else(|error| panic!("{error}"))
    };
    let all: Vec<usize> = (0..runs).collect();
    (read(&all), all.iter().map(|&run| read(&[run])).collect())
}

/// The same for a batch with per-run data. Each run has the bits of a single run with its data.
///
/// # Panics
///
/// If a place differs.
pub fn check_batches(counts: &[usize], places: &[Place]) {
    for &count in counts {
        let (file, alone) = batch(3, count);
        assert_eq!(file.runs(), Some(3));
        for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
            let expected = state_of::<f64>(&file, &algorithm, &Place::REFERENCE, (0, 3));
            let expected = expected.expect("the reference");
            for (run, (one, expected)) in (0..).zip(alone.iter().zip(expected.chunks(1))) {
                let place = &Place::REFERENCE;
                let found =
                    state_of::<f64>(one, &algorithm, place, (run, 1)).expect("the reference");
                assert_same(expected, &found, format_args!("{algorithm:?}: {run} of {count}"));
            }
            check_in_both(&file, &algorithm, places);
        }
    }
}

/// Checks a problem in the precisions of [`by_precision`].
fn check_in_both(file: &ProblemFile, algorithm: &Algorithm, places: &[Place]) {
    let [single, double] = by_precision(&(file.bounds().dimensions(), algorithm), places);
    check_in::<f32>(file, algorithm, &single);
    check_in::<f64>(file, algorithm, &double);
}

fn check_in<R: Precise>(file: &ProblemFile, algorithm: &Algorithm, places: &[Place]) {
    if places.is_empty() {
        return;
    }
    let runs = file.runs().unwrap_or(1);
    let expected = state_of::<R>(file, algorithm, &Place::REFERENCE, (0, runs));
    let expected = expected.expect("the reference");
    for place in places {
        let Some(found) = state_of(file, algorithm, place, (0, runs)) else { continue };
        let what = format_args!("{algorithm:?} in {} at {place:?}", R::NAME);
        assert_same(&expected, &found, what);
    }
}

/// The state of some runs, from a given one on, after some iterations; `None` if a place cannot run them.
fn state_of<R: Precise>(
    file: &ProblemFile,
    algorithm: &Algorithm,
    place: &Place,
    (first_run, runs): (u64, u64),
) -> Option<Vec<Swarm<R>>> {
    let settings = Settings {
        individuals: 70,
        seed: 7,
        first_run,
        runs,
        backend: place.backend,
        schedule: place.schedule,
        block_size: place.block_size,
        threads: place.threads,
        polish: Some(false),
        ..Settings::default()
    };
    let mut optimiser = match file.optimiser::<R>(algorithm, &settings) {
        // A method has no stepwise schedule, and without a tile there is no resident one.
        Err(warpswarm::Error::Schedule { .. }) if place.backend != Backend::Cpu => return None,
        optimiser => optimiser.unwrap_or_else(|error| panic!("{place:?}: {error}")),
    };
    optimiser.step(6).unwrap_or_else(|error| panic!("{place:?}: {error}"));
    Some(optimiser.state().unwrap_or_else(|error| panic!("{place:?}: {error}")))
}
