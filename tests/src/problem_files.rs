//! Problem files with all that an expression can have, in all places.

use warpswarm::problem_file::ProblemFile;
use warpswarm::problems::Precise;
use warpswarm::{Algorithm, Backend, DeParams, PsoParams, Settings, difference};

use crate::Place;

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

/// The same in spirit, in one or two coordinates, which kernels keep elsewhere.
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

/// NaN for half of the individuals and more, minus infinity for some, in any number of coordinates.
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

/// A file with a vector of so many numbers, and with as many points beside it.
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

/// Demands the bits of one thread in each place, of vectors of so many numbers.
///
/// # Panics
///
/// Where a place differs.
pub fn check(counts: &[usize], places: &[Place]) {
    for &count in counts {
        let file = file(count);
        for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
            check_in::<f32>(&file, &algorithm, places);
            check_in::<f64>(&file, &algorithm, places);
        }
    }
}

/// The same where evaluations are not finite: NaN is never a best, minus infinity is, and all are counted.
///
/// # Panics
///
/// Where a place differs.
pub fn check_not_finite(counts: &[usize], places: &[Place]) {
    for &count in counts {
        let file = written(SICK, count);
        for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
            check_in::<f32>(&file, &algorithm, places);
            check_in::<f64>(&file, &algorithm, places);
        }
    }
}

/// The same of a differential equation, by steps of equal length and by others.
///
/// # Panics
///
/// Where a place differs.
pub fn check_differential(counts: &[usize], places: &[Place]) {
    for &count in counts {
        for method in ["method = \"rk4\"\nsteps = 3", "tolerance = 1e-4\nmost_steps = 40"] {
            let file = written(&ODE.replace("METHOD", method), count);
            for algorithm in [PsoParams::default().into(), DeParams::default().into()] {
                check_in::<f32>(&file, &algorithm, places);
                check_in::<f64>(&file, &algorithm, places);
            }
        }
    }
}

fn check_in<R: Precise>(file: &ProblemFile, algorithm: &Algorithm, places: &[Place]) {
    let state = |place: &Place| {
        let settings = Settings {
            individuals: 70,
            seed: 7,
            backend: place.backend,
            schedule: place.schedule,
            block_size: place.block_size,
            threads: place.threads,
            ..Settings::default()
        };
        let mut optimiser = match file.optimiser::<R>(algorithm, &settings) {
            // A method has no stepwise schedule, and what has no tile no resident one.
            Err(warpswarm::Error::Schedule { .. }) if place.backend != Backend::Cpu => return None,
            optimiser => optimiser.unwrap_or_else(|error| panic!("{place:?}: {error}")),
        };
        optimiser.step(6).unwrap_or_else(|error| panic!("{place:?}: {error}"));
        Some(optimiser.state().unwrap_or_else(|error| panic!("{place:?}: {error}")))
    };
    let expected = state(&Place::REFERENCE).expect("the reference");
    for place in places {
        let Some(found) = state(place) else { continue };
        if let Some(difference) = difference(&expected[0], &found[0]) {
            panic!("{algorithm:?} in {} at {place:?}: {difference}", R::NAME);
        }
    }
}
