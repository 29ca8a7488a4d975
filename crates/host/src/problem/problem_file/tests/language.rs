//! Named expressions, elements and choices.

use crate::error::Error;
use crate::problem::problem_file::ProblemFile;

/// Variables `a` and `b`, integers `n` (1 to 4) and `k[1]`, `k[2]` (1 to 3), a choice, a value, and constants.
const GIVEN: &str = "[variables]\na = { lower = -9, upper = 9 }\nb = { lower = -9, upper = 9 }\n\
    n = { lower = 1, upper = 4, scale = 'integer' }\nk = { count = 2, lower = 1, upper = 3, scale = 'integer' }\n\
    metal = { choices = ['steel', 'brass', 'tin'] }\nbolt = { values = [10, 2, 5] }\n\
    [constants]\nt = [1, 2, 4, 8]\nw = { brass = 8.5, tin = 7.3, steel = 7.8 }\nA = [[1, 2, 3], [4, 5, 6]]\n\
    place = [4, 1, 3, 2]\nlag = 1\nsquares = 'i^2 for i in 1 to 5'\nhalf = 't[i] / 2 for i in t'\n";
/// `a`, `b`, `n`, `k`, `metal` (brass) and `bolt` (10).
const POINT: [f64; 7] = [0.5, -2.0, 3.0, 2.0, 3.0, 2.0, 3.0];

fn problem(minimise: &str, lets: &str) -> Result<ProblemFile, Error> {
    ProblemFile::parse(&format!("minimise = \"{minimise}\"\n{GIVEN}[let]\n{lets}"))
}

fn value_with(minimise: &str, lets: &str) -> f64 {
    let problem = problem(minimise, lets).unwrap_or_else(|error| panic!("{error}"));
    let single = problem.evaluate(&POINT.map(|x| x as f32)).unwrap().fitness.value;
    let value = problem.evaluate(&POINT).unwrap().fitness.value;
    assert!(
        (f64::from(single) - value).abs() <= 1e-5 * value.abs(),
        "{minimise}: {single} {value}"
    );
    value
}

fn value(minimise: &str) -> f64 {
    value_with(minimise, "")
}

#[track_caller]
fn says(minimise: &str, lets: &str, parts: &[&str]) {
    let message = problem(minimise, lets).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

#[test]
fn named_expressions_by_hand() {
    assert_eq!(value_with("2 * c + c^2", "c = '1 - a - b'"), 2.0 * 2.5 + 6.25);
    assert_eq!(value_with("d", "c = 'a + 1'\nd = 'c * c'"), 2.25);
    // A vector, alone, beside others, and moved by one.
    let model = "model = 'a * t[i] + b for i in t'";
    assert_eq!(value_with("sum(i, model[i])", model), 0.5 * 15.0 - 8.0);
    assert_eq!(value_with("model[3]", model), 0.0);
    assert_eq!(value_with("sum(i, (model[i + 1] - model[i])^2)", model), 0.25 * (1.0 + 4.0 + 16.0));
    assert_eq!(value_with("sum(model) + max(model) + len(model)", model), -0.5 + 2.0 + 4.0);
    // One of another, and within a sum that depends on its index.
    let two = "u = 'a * i for i in 1 to 3'\nv = 'u[i] + sum(j, 1, 2, u[i] * j) for i in u'";
    assert_eq!(value_with("v[2]", two), 1.0 + 1.0 + 2.0);
    assert_eq!(value_with("sum(i, v[i])", two), 6.0 * 0.5 * 4.0);
    assert_eq!(value_with("sum(i, sum(j, v[i] * u[j]))", two), 12.0 * 3.0);
    // By an index that is a variable.
    assert_eq!(value_with("u[n] + u[k[1]]", two.replace("1 to 3", "1 to 4").as_str()), 1.5 + 1.0);
    // A name that is also an index elsewhere.
    assert_eq!(value_with("sum(i, p * t[i])", "p = 'sum(i, t[i])'"), 225.0);
    // Each doubles the last: compiled once, or never done.
    let mut many = "c0 = 'a'\n".to_string();
    (1..60).for_each(|i| many += &format!("c{i} = 'c{0} + c{0}'\n", i - 1));
    assert_eq!(value_with("c59", &many), 0.5 * 2_f64.powi(59));
    let mut many = "d0 = 'a * t[i] for i in t'\n".to_string();
    (1..40).for_each(|i| many += &format!("d{i} = 'd{0}[i] + d{0}[i] for i in t'\n", i - 1));
    assert_eq!(value_with("sum(i, d39[i])", &many), 7.5 * 2_f64.powi(39));
}

#[test]
fn elements_by_hand() {
    assert_eq!(value("A[2, 3] + 10 * A[1, lag]"), 16.0);
    assert_eq!(value("sum(i, 1, 3, A[2, i] * i)"), 4.0 + 10.0 + 18.0);
    assert_eq!(value("sum(i, A[i, 2])"), 7.0);
    assert_eq!(value("sum(i, 1, 2, A[i, i])"), 6.0);
    assert_eq!(value("sum(i, sum(j, A[i, j] * i * a))"), 0.5 * (6.0 + 30.0));
    assert_eq!(value("sum(A) + len(A) + max(A)"), 21.0 + 2.0 + 6.0);
    // Computed indices: of constants, and of variables.
    assert_eq!(value("t[place[1]] + t[2 * lag]"), 10.0);
    assert_eq!(value("sum(i, i * t[place[i]])"), 8.0 + 2.0 + 12.0 + 8.0);
    assert_eq!(value("sum(i, lag + 1, len(t), t[i - lag])"), 7.0);
    assert_eq!(value("sum(i, t[i] * t[i - lag])"), 2.0 + 8.0 + 32.0);
    assert_eq!(value("sum(i, 1, 2, t[2 * i])"), 10.0);
    assert_eq!(value("t[n] + t[min(4, n + k[1] - 1)]"), 4.0 + 8.0);
    assert_eq!(value("sum(i, t[k[i]] * i)"), 2.0 + 8.0);
    assert_eq!(value("k[max(1, 3 - k[1])] + 0 * a"), 2.0);
    assert_eq!(value("A[k[1], k[2]]".replace("k[1]", "max(1, k[1] - 1)").as_str()), 3.0);
    assert_eq!(value("sum(i, 1, 3, A[max(1, n - 2), i])"), 6.0);
    assert_eq!(value("squares[4] + half[3] + sum(half)"), 16.0 + 2.0 + 7.5);
    // An expression of data only is a constant.
    assert_eq!(value("mean(t) * a + sum(i, 1, floor(lag * 2.5), i)"), 3.75 * 0.5 + 3.0);
}

/// A table of five numbers, with a real `x` and integers `n` and `m`; `z` ends at 0.29, of which `100 * z` is 28.999... in
/// `f64` and 29 in `f32`.
fn of_table(index: &str) -> Result<ProblemFile, Error> {
    ProblemFile::parse(&format!(
        "minimise = 'e[{index}]'\n[variables]\nx = {{ lower = 0, upper = 4 }}\n\
         n = {{ lower = 0, upper = 4, scale = 'integer' }}\nm = {{ lower = -2, upper = 2, scale = 'integer' }}\n\
         z = {{ lower = 0, upper = 0.29 }}\n[data]\ne = [1, 10, 100, 1000, 10000]\n"
    ))
}

#[test]
fn computed_indices_select_the_element_that_they_mean() {
    type Index = fn(f64, f64, f64) -> f64;
    let all: [(&str, Index); 19] = [
        ("floor(x/2) + 1", |x, _, _| (x / 2.0).floor() + 1.0),
        ("floor(x/3) + 1", |x, _, _| (x / 3.0).floor() + 1.0),
        ("floor(n/2) + 1", |_, n, _| (n / 2.0).floor() + 1.0),
        ("floor(-x/2) + 3", |x, _, _| (-x / 2.0).floor() + 3.0),
        ("floor(4 / (n + 1)) + 1", |_, n, _| (4.0 / (n + 1.0)).floor() + 1.0),
        ("round(x) + 1", |x, _, _| x.round_ties_even() + 1.0),
        ("round(n) + 1", |_, n, _| n + 1.0),
        ("round(x/2 - 1) + 2", |x, _, _| (x / 2.0 - 1.0).round_ties_even() + 2.0),
        ("ceil(x) + 1", |x, _, _| x.ceil() + 1.0),
        ("trunc(x) + 1", |x, _, _| x.trunc() + 1.0),
        ("trunc(m / 2) + 2", |_, _, m| (m / 2.0).trunc() + 2.0),
        ("sign(x) + 1", |x, _, _| if x > 0.0 { 2.0 } else { 1.0 }),
        ("sign(m) + 2", |_, _, m| m.clamp(-1.0, 1.0) + 2.0),
        ("abs(n) + 1", |_, n, _| n + 1.0),
        ("abs(m) + 1", |_, _, m| m.abs() + 1.0),
        ("mod(n, 3) + 1", |_, n, _| n.rem_euclid(3.0) + 1.0),
        ("mod(m, 5) + 1", |_, _, m| m.rem_euclid(5.0) + 1.0),
        ("floor(mod(x, 4)) + 1", |x, _, _| x.rem_euclid(4.0).floor() + 1.0),
        ("floor(sqrt(n)) + 1", |_, n, _| n.sqrt().floor() + 1.0),
    ];
    for (text, index) in all {
        let problem = of_table(text).unwrap_or_else(|error| panic!("{error}"));
        for x in [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 2.875, 3.0, 3.5, 3.75, 4.0] {
            for [n, m] in [[0.0, -2.0], [1.0, -1.0], [2.0, 0.0], [3.0, 1.0], [4.0, 2.0]] {
                let expected = 10_f64.powf(index(x, n, m) - 1.0);
                let value = problem.evaluate(&[x, n, m, 0.0]).unwrap().fitness.value;
                assert_eq!(value, expected, "{text} at {x}, {n}, {m}");
                let point = [x, n, m, 0.0].map(|x| x as f32);
                let value = problem.evaluate(&point).unwrap().fitness.value;
                assert_eq!(f64::from(value), expected, "{text} at {x}, {n}, {m} in f32");
            }
        }
    }
}

#[test]
fn indices_that_may_leave_the_table_are_refused() {
    for (index, part) in [
        ("ceil(x) + 2", "the index goes from 2 to 6; allowed: 1 to 5, as `e` has"),
        ("round(x)", "the index goes from 0 to 4"),
        ("abs(m)", "the index goes from 0 to 2"),
        ("floor(x / 0.5) + 1", "the index goes from 1 to 9"),
        ("mod(m, 6) + 1", "the index goes from 1 to 6"),
        // The remainder of a tiny negative number is 5.
        ("floor(mod(x - 1, 5)) + 1", "the index goes from 1 to 6"),
        // What `f32` rounds up counts.
        ("trunc(100 * z) + 1", "the index goes from 1 to 30"),
        ("floor(1e300 * x)", "the index goes from 0.0 to 4e300; allowed: up to 1e15"),
        ("x / 2", "may be no whole number; allowed: whole numbers, such as `floor(x)`"),
        ("floor(1 / n)", "range is not known: it depends on a division by what may be 0; allowed"),
        ("mod(n, m)", "range is not known: it depends on `mod` by what may be 0 or less"),
        ("floor(sqrt(m))", "range is not known: it depends on `sqrt` of what may be below 0"),
        ("floor(exp(x))", "range is not known: it depends on `exp(...)`; allowed in an index: "),
        ("floor(2^x)", "range is not known: it depends on a power other than `^1` to `^8`"),
    ] {
        let message = of_table(index).unwrap_err().to_string();
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    // What a condition depends on does not matter.
    of_table("if(exp(x) > 2, 1, 5)").unwrap();
}

/// `min(pi, ...)` once took `pi` for an index.
#[test]
fn constants_that_are_built_in_are_no_indices() {
    use std::f64::consts::{PI, TAU};
    assert_eq!(value("min(pi, 7) + max(pi, 1, 2, 3) + min(tau, 9)"), 2.0 * PI + TAU);
    assert_eq!(value("min(inf, 3)"), 3.0);
    // `tau` is an index if an expression uses it as one.
    assert_eq!(value("sum(tau, 1, 3, tau) + max(tau, t[tau])"), 6.0 + 8.0);
    says("sum(pi, 1, 3, pi)", "", &["`pi` has a meaning already", "\n      ^^"]);
    says("a", "c = 't[pi] for pi in t'", &["`pi` has a meaning already"]);
}

#[test]
fn choices_and_values_by_hand() {
    assert_eq!(value("w[metal]"), 8.5);
    assert_eq!(value("w['tin']"), 7.3);
    assert_eq!(value("if(metal == 'brass', 1, 2) + 10 * (metal != 'tin')"), 11.0);
    assert_eq!(value("bolt * 2 + (bolt == 10)"), 21.0);
    assert_eq!(value("sum(i, 1, 2, bolt * i)"), 30.0);
}

#[test]
fn mistakes_in_them_are_said_with_their_place() {
    says("c", "c = 'a + q'", &["let.c: unknown name `q`", "\n  a + q\n      ^"]);
    says("c", "c = 'd'\nd = 'a'", &["let.c: `d` is not known yet; allowed: what stands above"]);
    says("c", "c = 'c'", &["`c` is not known yet"]);
    says("c", "c = 't[i] for i in t'", &["minimise: `c` is many numbers"]);
    says("c[1]", "c = 'a'", &["`c` is one number"]);
    says("c[5]", "c = 't[i] for i in t'", &["the index is 5; allowed: 1 to 4, as `c` has"]);
    says("a", "c = 't[i + 1] for i in t'", &["let.c: the index goes from 2 to 5", "\n    ^^^^^"]);
    says("a", "c = 't[i] for i in 2 to 3'", &["begins at 2; allowed: 1"]);
    says("a", "c = 't[i] for i in a'", &["`a` is one number"]);
    says("a", "c = 't[i] for i in 3 + 1'", &["allowed: the name of something with many numbers"]);
    says("a", "c = 't[a] for a in t'", &["`a` has a meaning already"]);
    says("a", "c = 'a < b'", &["let.c: a condition, where a number is needed"]);
    says("a", "c = 1", &["invalid type"]);
    says("a", "a = '1'", &["[let] has `a`, which is also a variable"]);
    says("a[1]", "", &["`a` is one number"]);
    says("t[1.5]", "", &["1.5; allowed: a whole number"]);
    says(
        "t[a]",
        "",
        &[
            "an index that may be no whole number; allowed: whole numbers, such as `floor(x)`",
            "\n    ^",
        ],
    );
    says("t[n + 1]", "", &["the index goes from 2 to 5; allowed: 1 to 4", "\n    ^^^^^"]);
    says("t[k[1] - 1]", "", &["goes from 0 to 2"]);
    says("sum(i, t[place[i] + 1])", "", &["goes from 2 to 5"]);
    says("A[1]", "", &["1 indices of `A`; allowed: `A[i, j]`, of 2 rows and 3 columns"]);
    says("t[1, 2]", "", &["2 indices of `t`; allowed: `t[i]`, of 4 numbers"]);
    says("A[3, 1]", "", &["the index is 3; allowed: 1 to 2"]);
    says("metal + 1", "", &["`metal` is a choice and no number; allowed: `metal == 'steel'`"]);
    says("if(metal < 'tin', 1, 2)", "", &["choices have no order"]);
    says("if(metal == 2, 1, 2)", "", &["not one of the same choices; allowed: 'steel', 'brass'"]);
    says(
        "if(metal == 'gold', 1, 2)",
        "",
        &["there is no 'gold'; allowed: 'steel', 'brass', 'tin'"],
    );
    says("'tin' * 2", "", &["'tin', where a number is needed"]);
    says("w[1]", "", &["an index that is not a choice; allowed: a variable with the `choices`"]);
    says("w['gold']", "", &["there is no 'gold'"]);
    says("sum(i, 1, 1000000000000, a)", "", &["1000000000000 terms", "1 to 4193280 terms"]);
}

#[test]
fn constants_that_depend_on_variables_are_said_to_belong_elsewhere() {
    let text = "minimise = \"r * a + c\"\n[variables]\na = { lower = 0, upper = 1 }\n\
        [constants]\nc = \"1 - a\"\nr = 2\n";
    let message = ProblemFile::parse(text).unwrap_err().to_string();
    for part in ["constants.c: `a` is a variable", "belongs in [let]", "\n  1 - a\n      ^"] {
        assert!(message.contains(part), "{message}");
    }
    let text = text.replace("c = \"1 - a\"", "c = \"r + 1\"");
    assert!(ProblemFile::parse(&text).unwrap_err().to_string().contains("`r` is not known yet"));
}
