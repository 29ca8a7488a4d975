//! Problem files, compared with a second evaluator, with compiled problems, and given nonsense.

mod curves;
mod files;
mod language;
mod ode;
mod tables;

use proptest::prelude::*;
use warpswarm_core::Real;
use warpswarm_core::order::Fitness;
use warpswarm_core::sum::{Product, Sum, fold_buffered};

use super::ProblemFile;
use crate::error::Error;
use crate::problem::problems;

fn problem(minimise: &str, rest: &str) -> Result<ProblemFile, Error> {
    ProblemFile::parse(&format!("minimise = \"{minimise}\"\n{rest}"))
}

const VARIABLES: &str = "[variables]\na = { lower = -9, upper = 9 }\nb = { lower = -9, upper = 9 }\n\
    x = { count = 5, lower = -9, upper = 9 }\n[constants]\ng = 9.81\nh = \"g / 2\"\n";
const POINT: [f64; 7] = [0.75, -1.5, 1.25, -2.0, 3.5, 0.0, -0.625];

fn value(minimise: &str) -> f64 {
    let problem = problem(minimise, VARIABLES).unwrap_or_else(|error| panic!("{error}"));
    problem.evaluate(&POINT).unwrap().fitness.value
}

#[test]
fn expressions_by_hand() {
    let [a, b, x @ ..] = POINT;
    assert_eq!(value("a + 2 * b"), a + 2.0 * b);
    assert_eq!(value("-a^2"), -a * a);
    assert_eq!(value("a^-1 + b^3"), 1.0 / a + b * b * b);
    assert_eq!(value("h - g"), 9.81 / 2.0 - 9.81);
    assert_eq!(value("if(a > b, 1, 2) + (a <= b) + (a != b) + (a == a)"), 3.0);
    assert_eq!(value("max(a, b, 7) - min(a, b, 7)"), 8.5);
    assert_eq!(value("x[2] + x[len(x)]"), x[1] + x[4]);
    assert_eq!(value("sum(i, x[i])"), ((x[0] + x[1]) + (x[2] + x[3])) + x[4]);
    assert_eq!(value("sum(i, x[i + 1] - x[i])"), ((-3.25 + 5.5) + (-3.5 + -0.625)));
    assert_eq!(value("sum(i, x[i - 1])"), (x[0] + x[1]) + (x[2] + x[3]));
    assert_eq!(value("sum(i, x[i + 2] - x[i - 1])"), (0.0 - 1.25) + (-0.625 + 2.0));
    assert_eq!(value("sum(i, 2, len(x) - 1, i * x[i])"), (2.0 * -2.0 + 3.0 * 3.5) + 0.0);
    assert_eq!(value("prod(i, 1, 3, x[i])"), x[0] * x[1] * x[2]);
    assert_eq!(value("min(i, x[i]) + 10 * max(i, x[i])"), 33.0);
    assert_eq!(value("sum(i, (x[i] - sum(j, x[j]) / len(x))^2)"), {
        let mean = fold_buffered::<f64, Sum>(5, |i| x[i]) / 5.0;
        fold_buffered::<f64, Sum>(5, |i| (x[i] - mean) * (x[i] - mean))
    });
    assert_eq!(value("sum(i, sum(j, 1, i0, x[i] * x[j]))".replace("i0", "2").as_str()), {
        fold_buffered::<f64, Sum>(5, |i| x[i] * x[0] + x[i] * x[1])
    });
    assert_eq!(value("cos(2 * pi * a) + sin(tau * b)"), a.cos_turns() + b.sin_turns());
    assert_eq!(value("sqrt(abs(b)) + floor(b)"), 1.5_f64.sqrt() - 2.0);
    assert_eq!(value("pow(2, 10) + 2^0.5"), 1024.0 + Real::pow(2.0_f64, 0.5));
    assert!((value("tanh(a) + log10(1000) + tan(b)") - (a.tanh() + 3.0 + b.tan())).abs() < 1e-12);
    assert_eq!(value("round(2.5) + 10 * round(a) + 100 * trunc(b) + ceil(b) + sign(b)"), {
        2.0 + 10.0 * a.round_ties_even() + 100.0 * b.trunc() + b.ceil() - 1.0
    });
    assert_eq!(value("mod(-1, 3) + 10 * mod(7, -3) + 100 * mod(5.5, 2)"), 2.0 - 20.0 + 150.0);
    assert_eq!(value("atan2(1, -1) + hypot(3, 4) + cbrt(-27) + gamma(5)"), {
        0.75 * std::f64::consts::PI + 5.0 - 3.0 + 24.0
    });
    // Abramowitz and Stegun, tables 7.1, 9.1 and 6.1.
    for (function, right) in [
        ("erf(1)", 0.842_700_792_949_714_9),
        ("erfc(3)", 2.209_049_699_858_544e-5),
        ("j0(1)", 0.765_197_686_557_966_6),
        ("j1(1)", 0.440_050_585_744_933_5),
        ("y0(1)", 0.088_256_964_215_676_96),
        ("y1(1)", -0.781_212_821_300_288_7),
        ("lgamma(0.5)", 0.572_364_942_924_700_1),
    ] {
        assert!((value(function) / right - 1.0).abs() < 1e-15, "{function}");
    }
    assert_eq!(value("1 / 0"), f64::INFINITY);
    assert_eq!(value("log(a)"), Real::ln(a));
    assert_eq!(value("+a ** +2"), a * a);
    assert_eq!(value("sum(x) + 100 * prod(x) + 10 * max(x)"), value("sum(i, x[i])") + 35.0);
    assert_eq!(value("mean(x)"), value("sum(x) / len(x)"));
    assert_eq!(value("mean(i, 2, 3, x[i])"), (x[1] + x[2]) / 2.0);
    assert!(value("norm(x)^2 - dot(x, x)").abs() < 1e-12);
    assert_eq!(value("dot(x, x)"), value("sum(i, x[i]^2)"));
    assert_eq!(value("if(a > b and not a > 1 or false, 7, 8)"), 7.0);
    assert_eq!(value("if(b < 0 < a < 1, 7, 8)"), 7.0);
    assert_eq!(value("sum(i, x[i] > 0) + 10 * (a = b)"), 2.0);
    assert_eq!(value("if(any(i, x[i] > 3), 1, 0) + 2 * if(all(i, x[i] > -2), 1, 0)"), 1.0);
    assert_eq!(value("if(!(x[1] > 3), 1, 0)"), 1.0);
}

/// The program is created at the first evaluation and used by all later ones in the same precision.
#[test]
fn evaluations_do_not_depend_on_those_before() {
    let problem = problem("a / 3 + sum(i, x[i])", VARIABLES).unwrap();
    let double = |a: f64| [a, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for a in [1.0, 2.0, 1.0] {
        let value = problem.evaluate(&double(a)).unwrap().fitness.value;
        assert_eq!(value, a / 3.0 + 1.0);
        let value = problem.evaluate(&double(a).map(|x| x as f32)).unwrap().fitness.value;
        assert_eq!(value, a as f32 / 3.0 + 1.0);
    }
    // Copies have the same program.
    assert!(std::ptr::eq(problem.machines.of::<f64>(|| unreachable!()), {
        problem.clone().machines.of::<f64>(|| unreachable!())
    }));
}

#[test]
fn mistakes_are_said_with_their_place() {
    let says = |minimise: &str, parts: &[&str]| {
        let message = problem(minimise, VARIABLES).unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message}");
        }
    };
    says("a + * b", &["minimise: expected a number", "\n  a + * b\n      ^"]);
    says("a + len2", &["unknown name `len2`\n", "\n      ^^^^"]);
    says("A + b", &["unknown name `A`; did you mean `a`?"]);
    says("sum(i, y[i])", &["unknown name `y`", "\n         ^"]);
    says("sqtr(a)", &["unknown function `sqtr`; did you mean `sqrt`?"]);
    says("sqr(a)", &["unknown function `sqr`; allowed: `x^2` or `sqrt(x)`"]);
    says("a <= b", &["a condition, where a number is needed; allowed: `if(condition, a, b)`"]);
    says("if(a, 1, 2)", &["a number where a condition is needed", "... != 0", "\n     ^"]);
    says("if(a > 0, b > 0, 2) + 1", &["a number where the other branch", "\n                   ^"]);
    says("a + (a > 0 and b)", &["a number where a condition is needed", "\n                 ^"]);
    says("dot(x, a)", &["`a` is one number"]);
    says("norm(a + 1)", &["the name of something with many numbers"]);
    says("a & b", &["allowed: `and`"]);
    says("x + a", &["`x` is many numbers; allowed: one of them, `x[i]` in `sum(i, ...)`"]);
    says("sum(k, 1, 2, x[k] * x)", &["`x` is many numbers; allowed: one of them, `x[k]`"]);
    says("a[1]", &["`a` is one number"]);
    says("x[0]", &["the index is 0; allowed: 1 to 5"]);
    says("x[1.5]", &["a whole number"]);
    says("x[a]", &["may be no whole number"]);
    says("sum(i, 1, 6, x[i])", &["the index goes from 1 to 6; allowed: 1 to 5"]);
    says(
        "sum(i, a)",
        &["nothing has the index `i`; allowed: `x[i]` for an `x` of many numbers, or"],
    );
    says("sum(a, x[a])", &["`a` has a meaning already"]);
    says("sum(i, 1, len(x), sum(i, x[i]))", &["`i` has a meaning already"]);
    says("sum(i, 3, 2, x[i])", &["from 3 to 2"]);
    says("sum(i, x[2 * i])", &["nothing has the index `i`; allowed: its range"]);
    says("sum(i, 1, 3, x[2 * i])", &["the index goes from 2 to 6"]);
    says("sum(i, sum(j, 1, i, x[j]))", &["nothing has the index `i`"]);
    says("sum(i, 1, 3, sum(j, 1, i, x[j]))", &["the range depends on another index"]);
    says("sum(i, 1, a, i)", &["no whole number; allowed: one that depends on no variable"]);
    says("sum(x[1])", &["allowed: `sum(i, ...)`"]);
    says("mean(a)", &["allowed: `mean(i, ...)`"]);
    says("sin(a, b)", &["2 arguments of `sin`; allowed: 1"]);
    says("min(a)", &["two or more"]);
    says("sin", &["`sin` is a function"]);
    says("sum(i, 1, 4000000, sum(j, 1, 4000000, i * j))", &["too long"]);
    says("sum(i, 1, 60, sum(j, 1, 60, sum(k, 1, 60, i * j + k)))", &["too long"]);
}

#[test]
fn files_are_checked() {
    let says = |text: &str, part: &str| {
        let message = ProblemFile::parse(text).unwrap_err().to_string();
        assert!(message.contains(part), "{part:?} is not in {message}");
    };
    let one = "[variables]\na = { lower = 0, upper = 1 }\n";
    says("", "variables");
    says(one, "one of minimise, maximise, fit and fits");
    says(
        &format!("minimise = 'a'\nmaximise = 'a'\n{one}"),
        "two objectives; several are not supported",
    );
    says(
        &format!("minimise = ['a', '-a']\n{one}"),
        "several objectives; several are not supported",
    );
    says(&format!("minimise = 'a'\ncolour = 1\n{one}"), "colour");
    says(
        "minimise = 'a'\n[variables]\na = { lower = 1, upper = 0 }",
        "variable `a`: lower is 1, above",
    );
    says("minimise = 'a'\n[variables]\na = { lower = 1, uper = 2 }", "uper");
    says("minimise = 'a'\n[variables]\na = { lower = 0, upper = 2, scale = 'log' }", "positive");
    says("minimise = 'a'\n[variables]\na = { lower = 0, upper = 2, count = 0 }", "count is 0");
    says("minimise = 'a'\n[variables]\n'2a' = { lower = 0, upper = 2 }", "letters");
    says("minimise = 'a'\n[variables]\npi = { lower = 0, upper = 2 }", "which expressions have");
    says("minimise = 'a'\n[variables]\nand = { lower = 0, upper = 2 }", "which expressions have");
    says("minimise = 'a'\n[variables]\n", "empty");
    says(&format!("minimise = 'a'\n{one}[constants]\na = 1"), "`a`, which is also a variable");
    says(&format!("minimise = 'a'\n{one}[constants]\nc = 'a'"), "`a` is a variable");
    says(&format!("minimise = 'a'\n{one}[constants]\nc = '1/0'"), "constants.c is inf");
    says(&format!("minimise = 'a'\n{one}[data]\nfile = 'x'\ncolumns = ['t']"), "needs a file");
    says(
        &format!("minimise = 'a'\n{one}[constraints]\nc = '3 * (a > 1)'"),
        "a condition within a number",
    );
    says(
        &format!("minimise = 'a'\n{one}[constraints]\nc = 'sum(i, 1, 3, a > i)'"),
        "as in `... >= 1`",
    );
    says(
        &format!("minimise = 'a'\ntolerance = -1\n{one}[constraints]\nc = 'a == 1'"),
        "tolerance is -1",
    );
    says(
        &format!(
            "minimise = 'a'\n{one}[constraints]\nc = {{ condition = 'a == 1', tolerance = -1 }}"
        ),
        "constraints.c: tolerance is -1; allowed: a number from 0 on",
    );
    says(&format!("minimise = 'a'\n{one}[constraints]\nc = 1"), "a condition in quotes");
    says(
        &format!("minimise = 'a'\n{one}[constraints]\nc = '1 - d'"),
        "constraints.c: unknown name",
    );
}

/// A name that is also a function: a bracket distinguishes them.
#[test]
fn numbers_may_have_the_names_of_functions() {
    let text = "minimise = \"mean * norm(x) + log(sum)\"\n[variables]\nmean = { lower = 0, upper = 1 }\n\
        sum = { lower = 1, upper = 2 }\nx = { count = 2, lower = 0, upper = 9 }";
    let at = ProblemFile::parse(text).unwrap().evaluate(&[2.0, 1.0, 3.0, 4.0]).unwrap();
    assert_eq!(at.fitness.value, 10.0);
}

/// The violation of a constraint at POINT, where `n` is 3 and `m` is 5, which are integers.
fn violation(condition: &str) -> f64 {
    let variables = VARIABLES.replace(
        "[constants]",
        "n = { lower = 1, upper = 9, scale = \"integer\" }\nm = { lower = 1, upper = 9, scale = \"integer\" }\n[constants]",
    );
    let rest = format!("{variables}[constraints]\nc = \"{condition}\"\n");
    let problem = problem("a", &rest).unwrap_or_else(|error| panic!("{error}"));
    let [a, b, p, q, r, s, t] = POINT;
    problem.evaluate(&[a, b, p, q, r, s, t, 3.0, 5.0]).unwrap().fitness.violation
}

#[test]
fn violations_by_hand() {
    // a = 0.75, b = -1.5, x = 1.25, -2, 3.5, 0, -0.625
    let check = |condition: &str, expected: f64| {
        assert_eq!(violation(condition), expected, "{condition}");
    };
    check("a <= b", 2.25);
    check("b <= a", 0.0);
    check("a >= 1", 0.25);
    check("b < a", 0.0);
    check("a - b", 2.25);
    check("b - a", 0.0);
    // Integers.
    check("n < m", 0.0);
    check("n > m", 3.0);
    check("n < 3", 1.0);
    check("2 * n < m + 1", 1.0);
    check("n == m", 2.0);
    check("n != m", 0.0);
    check("n != 3", 1.0);
    check("n + 2 = m", 0.0);
    // Other numbers.
    check("a < 0.75", f64::from(f32::MIN_POSITIVE));
    check("a < n/4", f64::from(f32::MIN_POSITIVE));
    check("a == 0.75 + 1e-7", 0.0);
    check("a == 1", 0.25 - 1e-6);
    check("a != 0.75", 1.0);
    check("a != 1", 0.0);
    // Chains, and combined conditions.
    check("-1 < b < 0", 0.5 + f64::from(f32::MIN_POSITIVE));
    check("1 <= a <= 2 <= b", 0.25 + 3.5);
    check("a <= b and b >= 0", 2.25 + 1.5);
    check("a <= b or b >= 0", 1.5);
    check("not (a <= b or b >= 0)", 0.0);
    check("not (b <= a)", 2.25 + f64::from(f32::MIN_POSITIVE));
    check("not n < m", 2.0);
    check("not (n == 3 and m == 5)", 1.0);
    check("(a <= 0) * (b >= 0)", 0.75 + 1.5);
    check("(n != m) * (n != 3)", 1.0);
    check("if(n == 3, a <= 0, b <= 0)", 0.75);
    check("if(n == 4, a <= 0, b <= 0)", 0.0);
    check("if(a > 0, b >= 0, true)", 1.5);
    check("if(a < 0, b >= 0, true)", 0.0);
    check("true", 0.0);
    check("not true", 1.0);
    check("all(i, x[i] <= 1)", 0.25 + 2.5);
    check("any(i, x[i] >= 4)", 0.5);
    check("not any(i, x[i] > 1)", 0.25 + 2.5);
    check("not all(i, x[i] >= -2)", f64::from(f32::MIN_POSITIVE));
    check("all(i, 1, 3, any(j, 1, 2, x[i] <= x[j]))", 2.25);
    check("(x[1] > 1) + (x[2] > 1) >= 2", 1.0);
    // NaN affects only what depends on it.
    assert!(violation("sqrt(b) <= 1").is_nan());
    assert!(violation("sqrt(b) != 1").is_nan());
    assert!(violation("sqrt(b) <= 1 and a > 0").is_nan());
    check("sqrt(b) <= 1 or a > 0", 0.0);
    check("a > 0 or sqrt(b) <= 1", 0.0);
    check("any(i, sqrt(x[i]) > 1)", 0.0);
    check("if(b >= 0, sqrt(b) <= 1, a > 0)", 0.0);
    // Infinite numbers can be compared.
    check("inf <= inf", 0.0);
    check("1 / 0 <= inf", 0.0);
}

#[test]
fn tolerances_are_of_the_file_or_of_a_constraint() {
    let text = "minimise = \"a\"\ntolerance = 0.5\n[variables]\na = { lower = 0, upper = 1 }\n[constraints]\n\
        one = \"a == 2\"\ntwo = { condition = \"a == 2\", tolerance = 0.25 }\n";
    let at = ProblemFile::parse(text).unwrap().evaluate(&[1.0]).unwrap();
    assert_eq!((at.fitness.violation, at.constraints), (0.5 + 0.75, vec![0.5, 0.75]));
}

#[test]
fn scales_maximising_and_constraints() {
    let text = "maximise = \"a + x[1]\"\n[variables]\na = { lower = 1, upper = 9, scale = \"log\" }\n\
        x = { count = 2, lower = 0, upper = 9, scale = \"integer\" }\n[constraints]\n\
        below = \"a - 2\"\nnear = \"x[1] >= x[2]\"\n";
    let problem = ProblemFile::parse(text).unwrap();
    assert!(problem.maximises());
    assert_eq!(problem.constraints().map(|(name, _)| name).collect::<Vec<_>>(), ["below", "near"]);
    let at = problem.evaluate(&[2.5, 3.0, 4.0]).unwrap();
    assert_eq!((at.fitness.value, at.fitness.violation), (5.5, 1.5));
    assert_eq!(at.constraints, [0.5, 1.0]);
    let settings =
        crate::Settings { backend: crate::Backend::Cpu, individuals: 64, ..Default::default() };
    let report = problem.optimiser::<f64>(&Default::default(), &settings).unwrap().run().unwrap();
    let best = report.best();
    assert_eq!((best.violation, best.position[1]), (0.0, 9.0));
    assert!((best.value - 11.0).abs() < 1e-6, "{best:?}");
}

/// The same formula in Rust and in a file has the same bits, if both use the same operations.
#[test]
fn values_are_those_of_compiled_problems() {
    let of = |id: &str, minimise: &str, constraints: &str, dimensions: usize| {
        let info = problems::find(id).unwrap();
        let bounds = info.bounds(dimensions).unwrap();
        let mut text = format!("minimise = \"{minimise}\"\n{constraints}[variables]\n");
        let names: Vec<String> = match info.coordinates {
            [] => {
                let (lower, upper) = (bounds.lower()[0], bounds.upper()[0]);
                text +=
                    &format!("x = {{ count = {dimensions}, lower = {lower}, upper = {upper} }}");
                Vec::new()
            }
            names => names.iter().map(|name| name.to_string()).collect(),
        };
        for (i, name) in names.iter().enumerate() {
            let (lower, upper) = (bounds.lower()[i], bounds.upper()[i]);
            text += &format!("{name} = {{ lower = {lower}, upper = {upper} }}\n");
        }
        let file = ProblemFile::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        fn compare<R: problems::Precise>(
            info: &problems::ProblemInfo,
            file: &ProblemFile,
            tolerance: f64,
        ) {
            for k in 0..50_u32 {
                let bounds = file.bounds();
                let x: Vec<R> = (0..bounds.dimensions())
                    .map(|i| {
                        let part = f64::from((k * 7919 + i as u32 * 104_729) % 1009) / 1008.0;
                        let (lower, upper) = (bounds.lower()[i], bounds.upper()[i]);
                        R::from_f64(lower + part * (upper - lower))
                    })
                    .collect();
                let (here, there) = (file.evaluate(&x).unwrap(), info.evaluate(&x).unwrap());
                let [here, there] = [here, there].map(|at| at.fitness.value.to_f64());
                assert!((here - there).abs() <= tolerance * there.abs(), "{here} {there}");
            }
        }
        // The compiled terms of Rastrigin's function use fused operations.
        let tolerance = if id == "rastrigin" { 1e-5 } else { 0.0 };
        compare::<f32>(info, &file, tolerance);
        compare::<f64>(info, &file, tolerance);
    };
    for dimensions in [2, 3, 4, 30, 31, 32, 33, 34, 65, 1024, 1026, 3000] {
        of("sphere", "sum(i, x[i]^2)", "", dimensions);
        let rosenbrock = "sum(i, 100 * (x[i+1] - x[i]^2)^2 + (1 - x[i])^2)";
        of("rosenbrock", rosenbrock, "", dimensions);
        let rastrigin = "10 * len(x) + sum(i, x[i]^2 - 10 * cos(2*pi*x[i]))";
        of("rastrigin", rastrigin, "", dimensions);
    }
}

/// An expression, as text and as a function.
#[derive(Clone, Debug)]
struct Random {
    text: String,
    /// The value at a point; within a sum, for the term with this index from 0.
    value: fn(&[Random], &[f64], usize) -> f64,
    parts: Vec<Random>,
}

impl Random {
    fn at(&self, x: &[f64], k: usize) -> f64 {
        (self.value)(&self.parts, x, k)
    }
}

fn leaf(in_sum: bool) -> BoxedStrategy<Random> {
    macro_rules! leaf {
        ($text:expr, $value:expr) => {
            Just(Random { text: $text.into(), value: $value, parts: Vec::new() })
        };
    }
    let plain = prop_oneof![
        leaf!("a", |_, x, _| x[0]),
        leaf!("b", |_, x, _| x[1]),
        leaf!("x[2]", |_, x, _| x[3]),
        leaf!("0.125", |_, _, _| 0.125),
        leaf!("3", |_, _, _| 3.0),
        leaf!("g", |_, _, _| 9.81),
    ];
    let of_term = prop_oneof![
        leaf!("x[i]", |_, x, k| x[2 + k]),
        leaf!("x[i+1]", |_, x, k| x[3 + k]),
        leaf!("i", |_, _, k| k as f64 + 1.0),
    ];
    if in_sum { prop_oneof![plain, of_term].boxed() } else { plain.boxed() }
}

fn random(in_sum: bool) -> BoxedStrategy<Random> {
    leaf(in_sum)
        .prop_recursive(6, 40, 3, move |inner| {
            macro_rules! call {
                ($format:literal, [$($part:ident),*], $value:expr) => {
                    ($(call!(@ $part inner),)*).prop_map(|($($part,)*)| Random {
                        text: format!($format, $($part.text),*),
                        value: $value,
                        parts: vec![$($part),*],
                    })
                };
                (@ $part:ident $inner:ident) => { $inner.clone() };
            }
            let plain = prop_oneof![
                call!("({} + {})", [p, q], |p, x, k| p[0].at(x, k) + p[1].at(x, k)),
                call!("({} - {})", [p, q], |p, x, k| p[0].at(x, k) - p[1].at(x, k)),
                call!("({} * {})", [p, q], |p, x, k| p[0].at(x, k) * p[1].at(x, k)),
                call!("(({}) / ({}))", [p, q], |p, x, k| p[0].at(x, k) / p[1].at(x, k)),
                call!("(-({}))", [p], |p, x, k| -p[0].at(x, k)),
                call!("({})^2", [p], |p, x, k| p[0].at(x, k) * p[0].at(x, k)),
                call!("abs({})^1.5", [p], |p, x, k| Real::pow(Real::abs(p[0].at(x, k)), 1.5)),
                call!("sin({})", [p], |p, x, k| Real::sin(p[0].at(x, k))),
                call!("exp({})", [p], |p, x, k| Real::exp(p[0].at(x, k))),
                call!("ln({})", [p], |p, x, k| Real::ln(p[0].at(x, k))),
                call!("sqrt({})", [p], |p, x, k| Real::sqrt(p[0].at(x, k))),
                call!("floor({})", [p], |p, x, k| Real::floor(p[0].at(x, k))),
                call!("if({} < {}, {}, 1)", [p, q, r], |p, x, k| {
                    if p[0].at(x, k) < p[1].at(x, k) { p[2].at(x, k) } else { 1.0 }
                }),
            ];
            if in_sum {
                return plain.boxed();
            }
            let sums = prop_oneof![
                random(true).prop_map(|part| Random {
                    text: format!("sum(i, 1, 4, {})", part.text),
                    value: |p, x, _| fold_buffered::<f64, Sum>(4, |k| p[0].at(x, k)),
                    parts: vec![part],
                }),
                random(true).prop_map(|part| Random {
                    text: format!("prod(i, 1, 4, {})", part.text),
                    value: |p, x, _| fold_buffered::<f64, Product>(4, |k| p[0].at(x, k)),
                    parts: vec![part],
                }),
            ];
            prop_oneof![3 => plain, 1 => sums].boxed()
        })
        .boxed()
}

proptest! {
    #[test]
    fn random_expressions_have_the_value_of_a_plain_evaluator(random in random(false)) {
        let text = &random.text;
        let problem = problem(text, VARIABLES);
        prop_assume!(!matches!(&problem, Err(error) if error.to_string().contains("brackets")));
        let problem = problem.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for x in [POINT, POINT.map(|x| 3.0 - 2.0 * x), [0.0; 7]] {
            let found = problem.evaluate(&x).unwrap().fitness.value;
            let expected = Fitness { violation: 0.0, value: random.at(&x, 0) }.canonical().value;
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
        }
    }

    #[test]
    fn nonsense_is_an_error_and_no_panic(text in "\\PC{0,60}") {
        let _ = problem(&text.replace(['"', '\\'], "'"), VARIABLES);
        let _ = ProblemFile::parse(&text);
    }

    #[test]
    fn almost_sense_is_a_value_or_an_error(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "a", "x", "i", "j", "x[i]", "x[i+1]", "x[", "]", "(", ")", ",", "+", "-", "*", "/", "^", "<=", "==",
                "sum(i,", "sum(j, 1, 3,", "prod(i, 1, 4,", "min(", "if(", "len(x)", "sin(", "1", "2.5", "1e3", "-", "pi",
                "1e308", "ä", "x[j]", "x[i-j]",
            ]),
            0..25,
        )
    ) {
        if let Ok(problem) = problem(&words.join(" "), VARIABLES) {
            problem.evaluate(&POINT).unwrap();
            problem.evaluate(&POINT.map(|x| x as f32)).unwrap();
        }
    }
}
