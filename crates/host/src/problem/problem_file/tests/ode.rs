//! Differential equations, compared with known solutions and with steps by hand.

use super::problem;
use crate::problem::problem_file::ProblemFile;

/// The objective of a file with these lines, at a point.
fn value(minimise: &str, rest: &str, point: &[f64]) -> f64 {
    problem(minimise, rest)
        .unwrap_or_else(|error| panic!("{error}"))
        .evaluate(point)
        .unwrap()
        .fitness
        .value
}

const K: &str = "variables.k = { lower = 0, upper = 9 }\n";
const DECAY: &str = "states.x = { initial = 2, derivative = \"-k * x\" }\n";

#[test]
fn a_step_of_rk4_by_hand() {
    let ode = "constants.t = [0, 0.5]\node = { times = \"t\", method = \"rk4\", steps = 1, states = \
        { x = { initial = 2, derivative = \"-k * x\" } } }";
    // 1 + z + z^2/2 + z^3/6 + z^4/24 with z = -1/2.
    let z = -0.5_f64;
    let right = 2.0 * (1.0 + z + z * z / 2.0 + z.powi(3) / 6.0 + z.powi(4) / 24.0);
    assert!((value("x[2]", &format!("{K}{ode}"), &[1.0]) - right).abs() < 1e-15);
    assert_eq!(value("x[1]", &format!("{K}{ode}"), &[1.0]), 2.0);
    assert_eq!(value("len(x)", &format!("{K}{ode}"), &[1.0]), 2.0);
}

/// The time in the equation, the two states of an oscillation, a variable initial value, and a start before the first
/// time.
#[test]
fn both_methods_come_to_known_solutions() {
    for method in
        ["method = \"rk4\"\nsteps = 2000", "method = \"rk45\"\ntolerance = 1e-11\nabsolute = 1e-12"]
    {
        let ode = |times: &str, from: &str| {
            format!("{K}constants.t = {times}\n[ode]\ntimes = \"t\"\n{from}\n{method}\n")
        };
        let decay = ode("[0, 0.5, 2, 2, 5]", "") + DECAY;
        let wrong = value("max(i, abs(x[i] - 2 * exp(-k * t[i])))", &decay, &[0.7]);
        assert!(wrong < 1e-9, "{method}: {wrong}");
        let before = ode("[1, 3]", "from = 0.5") + DECAY;
        let wrong = value("max(i, abs(x[i] - 2 * exp(-k * (t[i] - 0.5))))", &before, &[0.7]);
        assert!(wrong < 1e-9, "{method}: {wrong}");
        let driven = ode("\"i / 4 for i in 1 to 12\"", "from = 0")
            + "states.x = { initial = \"k\", derivative = \"cos(t) * x\" }";
        let wrong = value("max(i, abs(x[i] - k * exp(sin(t[i]))))", &driven, &[1.5]);
        assert!(wrong < 1e-9, "{method}: {wrong}");
        let swing = ode("[0, 1, 10]", "")
            + "[ode.let]\npull = \"-k^2 * x\"\n[ode.states]\nx = { initial = 1, derivative = \"v\" }\n\
               v = { initial = 0, derivative = \"pull\" }";
        let wrong = "max(i, abs(x[i] - cos(k * t[i])) + abs(v[i] / k + sin(k * t[i])))";
        let wrong = value(wrong, &swing, &[1.25]);
        assert!(wrong < 1e-8, "{method}: {wrong}");
    }
}

/// The error follows the tolerance: a hundredth of the tolerance leads to about a hundredth of the error.
#[test]
fn the_tolerance_says_how_exact_a_solution_is() {
    let of = |tolerance: f64| {
        let ode = format!(
            "{K}constants.t = [0, 20]\n[ode]\ntimes = \"t\"\ntolerance = {tolerance:?}\nabsolute = {tolerance:?}\n\
             [ode.states]\nx = {{ initial = 1, derivative = \"v\" }}\nv = {{ initial = 0, derivative = \"-x\" }}"
        );
        value("abs(x[2] - cos(20)) + 0 * k", &ode, &[1.0])
    };
    let errors = [1e-4, 1e-6, 1e-8, 1e-10].map(of);
    for (error, tolerance) in errors.into_iter().zip([1e-4, 1e-6, 1e-8, 1e-10]) {
        assert!(error < 100.0 * tolerance && error > 1e-3 * tolerance, "{tolerance}: {errors:?}");
    }
}

/// Named expressions on both sides of the equation, sums over data in a derivative, and states that nothing uses.
#[test]
fn a_solution_is_many_numbers_like_all_others() {
    let text = "[variables]\nk = { lower = 0, upper = 9 }\n[constants]\nt = [0, 1, 2]\nw = [1, 2, 3]\n\
        [let]\nrate = \"k * sum(i, w[i]) / 6\"\nboth = \"x[i] + y[i] for i in x\"\ntotal = \"sum(both)\"\n\
        [ode]\ntimes = \"t\"\nmethod = \"rk4\"\nsteps = 50\n[ode.states]\n\
        x = { initial = 1, derivative = \"-rate * x\" }\n\
        y = { initial = 0, derivative = \"rate * sum(i, w[i] * x) / 6\" }\n\
        unused = { initial = 3, derivative = \"x * y\" }\n";
    assert!((value("total", text, &[0.8]) - 3.0).abs() < 1e-12, "nothing is lost");
    assert!((value("x[3] - x[1] * exp(-k * 2)", text, &[0.8])).abs() < 1e-8);
    assert!((value("sum(i, x[i] * (i > 1)) - x[2] - x[3]", text, &[0.8])).abs() < 1e-15);
    assert!(
        (value("sum(i, (x[i] - x[1])^2) - (x[2] - x[1])^2 - (x[3] - x[1])^2", text, &[0.8])).abs()
            < 1e-15
    );
}

/// A solution that diverges is not a number, and takes a limited time.
#[test]
fn what_grows_beyond_all_numbers_is_no_number() {
    for method in ["method = \"rk4\"\nsteps = 100", "method = \"rk45\""] {
        let text = format!(
            "{K}constants.t = [0, 1, 2]\n[ode]\ntimes = \"t\"\n{method}\n\
             states.x = {{ initial = 1, derivative = \"k * x^2\" }}"
        );
        assert!((value("x[2]", &text, &[0.5]) - 2.0).abs() < 1e-4, "{method}");
        // The solution is infinite at t = 1 / k.
        let at = value("x[3]", &text, &[2.0]);
        assert!(!at.is_finite() || at.abs() > 1e10, "{method}: {at}");
    }
}

#[test]
fn mistakes_in_differential_equations_are_said() {
    let base = format!(
        "{K}[constants]\nt = [0, 1]\ndown = [1, 0]\none = 1\n[ode]\ntimes = \"t\"\nmethod = \"rk4\"\nsteps = 2\n\
         [ode.let]\nflow = \"k * x\"\n[ode.states]\nx = {{ initial = 1, derivative = \"-flow\" }}\n"
    );
    let says = |minimise: &str, from: &str, into: &str, parts: &[&str]| {
        assert!(base.contains(from), "{from}");
        let message = problem(minimise, &base.replace(from, into)).unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{part:?} in {message}");
        }
    };
    assert!(problem("x[2]", &base).is_ok());
    says("x[3]", "k", "k", &["minimise", "the index is 3; allowed: 1 to 2"]);
    says("x", "k", "k", &["`x` is many numbers; allowed: one of them, `x[i]`"]);
    says("flow", "k", "k", &["`flow` is in [ode.let]", "allowed"]);
    says(
        "x[2]",
        "\"-flow\"",
        "\"-x[1]\"",
        &["ode.states.x.derivative", "`x` at other times", "allowed: `x`"],
    );
    says("x[2]", "\"-flow\"", "\"-flaw\"", &["unknown name `flaw`", "`flow`"]);
    says(
        "x[2]",
        "initial = 1",
        "initial = \"x\"",
        &["ode.states.x.initial", "`x` is many numbers"],
    );
    says(
        "x[2]",
        "initial = 1",
        "initial = [1]",
        &["ode.states.x.initial", "a number, or an expression"],
    );
    says("x[2]", "times = \"t\"", "times = \"one\"", &["times = \"one\"", "the name of a column"]);
    says(
        "x[2]",
        "times = \"t\"",
        "times = \"down\"",
        &["number 1 is 1 and the next one 0", "ascend"],
    );
    says("x[2]", "times = \"t\"", "times = \"t\"\nfrom = 0.5", &["from = 0.5", "up to that"]);
    says("x[2]", "t = [0, 1]", "t = [0]", &["no other time"]);
    says("x[2]", "rk4", "euler", &["`euler`", "rk4"]);
    says("x[2]", "steps = 2", "tolerance = 1e-3", &["tolerance, which rk4 does not use"]);
    says("x[2]", "steps = 2", "", &["no steps", "steps = 10"]);
    says("x[2]", "steps = 2", "steps = 2.5", &["ode.steps is 2.5", "a whole number from 1"]);
    says("x[2]", "rk4", "rk45", &["steps, which rk45 does not use"]);
    says("x[2]", "flow = ", "x = ", &["[ode.let] has `x`, which is also a state of [ode]"]);
    let long =
        base.replace("t = [0, 1]", "t = \"i for i in 1 to 5000\"").replace("down = [1, 0]\n", "");
    let message = problem("x[2]", &long).unwrap_err().to_string();
    assert!(
        message.contains("5000 numbers of its solution are used") && message.contains("4096"),
        "{message}"
    );
}

#[test]
fn f32_warns_of_a_tolerance_that_it_has_not() {
    let text = |tolerance: &str| {
        format!(
            "minimise = \"x[2]\"\n{K}constants.t = [0, 1]\n[ode]\ntimes = \"t\"\ntolerance = {tolerance}\n{DECAY}"
        )
    };
    let of = |tolerance: &str| ProblemFile::parse(&text(tolerance)).unwrap();
    assert!(of("1e-6").warnings::<f32>().is_empty());
    assert!(of("1e-9").warnings::<f64>().is_empty());
    let warnings = of("1e-9").warnings::<f32>();
    assert!(warnings.iter().any(|warning| warning.contains("tolerance = 1e-9")), "{warnings:?}");
}

/// The models for plots: states that are compared with columns, at more times than there are data; otherwise those in
/// `[let]`.
#[test]
fn a_fit_has_the_models_and_what_they_are_compared_with() {
    let of = |minimise: &str, method: &str| {
        let text = format!(
            "minimise = \"{minimise}\"\n{K}[data]\nt = [0, 1, 2]\nseen = [2, 1, 0.5]\nsigma = [1, 1, 2]\n[let]\n\
             line = \"k * t[i] for i in t\"\nhalf = \"x[i] / 2 for i in t\"\n\
             [ode]\ntimes = \"t\"\n{method}\n[ode.states]\nx = {{ initial = 2, derivative = \"-k * x\" }}\n\
             y = {{ initial = 0, derivative = \"k * x\" }}"
        );
        ProblemFile::parse(&text).unwrap().fit(&[0.5]).unwrap().unwrap()
    };
    for method in ["method = \"rk45\"", "method = \"rk4\"\nsteps = 12"] {
        let fit = of("sum(i, ((seen[i] - x[i]) / sigma[i])^2)", method);
        assert_eq!((&*fit.over, fit.models.len()), ("t", 1));
        let model = &fit.models[0];
        assert_eq!(
            (&*model.name, model.data.len()),
            ("x", 1),
            "neither times nor weights are compared"
        );
        assert_eq!(model.data[0], ("seen".into(), vec![(0.0, 2.0), (1.0, 1.0), (2.0, 0.5)]));
        assert!(model.points.len() > 20, "{}", model.points.len());
        for &(t, x) in &model.points {
            assert!((x - 2.0 * (-0.5 * t).exp()).abs() < 1e-5, "{method}: {t} {x}");
        }
    }
    let names = |minimise: &str| {
        let fit = of(minimise, "");
        fit.models.into_iter().map(|model| model.name).collect::<Vec<_>>()
    };
    assert_eq!(names("sum(i, ln(seen[i] / x[i])^2)"), ["x"]);
    assert_eq!(names("sum(i, (ln(seen[i]) - ln(half[i]))^2)"), ["half"]);
    assert_eq!(names("sum(i, (seen[i] - 3 * line[i] - y[i])^2)"), ["y", "line"]);
    assert_eq!(names("x[3]"), ["x", "line", "half"]);
}
