//! Variables and data in files, and mistakes in them.

use crate::error::Error;
use crate::problem::problem_file::{DiscreteValue, ProblemFile};
use crate::{Algorithm, Backend, Scale, Settings, Stop};

fn parse(text: &str) -> Result<ProblemFile, Error> {
    ProblemFile::parse(text)
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    let message = parse(text).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

/// A file with this variable `x`, and some constants.
fn with(variable: &str) -> String {
    format!("minimise = \"1\"\n[variables]\nx = {variable}\n[constants]\nk = 3\nlow = [0, 1]\n")
}

/// The starting points of individuals.
fn beginnings(text: &str) -> Vec<f64> {
    let problem = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let bounds = problem.bounds().clone();
    let (lower, upper) = bounds.rounded::<f64>().unwrap();
    bounds.beginnings((&lower, &upper))
}

#[test]
fn bounds_are_numbers_expressions_or_lists() {
    let bounds = |variable: &str| {
        let problem = parse(&with(variable)).unwrap_or_else(|error| panic!("{error}"));
        (problem.bounds().lower().to_vec(), problem.bounds().upper().to_vec())
    };
    assert_eq!(bounds("{ lower = '-k', upper = '2 * k' }"), (vec![-3.0], vec![6.0]));
    assert_eq!(
        bounds("{ count = 2, lower = [0, 1], upper = 'k' }"),
        (vec![0.0, 1.0], vec![3.0; 2])
    );
    let by_index = "{ count = 'len(low)', lower = 'low', upper = 'low[i] + k for i in low' }";
    assert_eq!(bounds(by_index), (vec![0.0, 1.0], vec![3.0, 4.0]));
    assert_eq!(bounds("{ fixed = 'k' }"), (vec![3.0], vec![3.0]));
    assert_eq!(bounds("{ count = 2, fixed = [1, 2] }"), (vec![1.0, 2.0], vec![1.0, 2.0]));
    assert_eq!(bounds("{ values = [7, 3, 5] }"), (vec![1.0], vec![3.0]));
    assert_eq!(bounds("{ count = 2, choices = ['a', 'b'] }"), (vec![1.0; 2], vec![2.0; 2]));
}

#[test]
fn each_number_of_a_variable_may_have_a_scale_of_its_own() {
    let text = "minimise = \"sum(i, abs(x[i] - 2.5))\"\n[variables]\n\
        x = { count = 3, lower = 1, upper = 9, scale = ['linear', 'integer', 'log'] }\n";
    let problem = ProblemFile::parse(text).unwrap();
    assert_eq!(problem.bounds().scales(), [Scale::Linear, Scale::Integer, Scale::Log]);
    let settings = crate::Settings { backend: crate::Backend::Cpu, ..Default::default() };
    let report = problem.optimiser::<f64>(&Default::default(), &settings).unwrap().run().unwrap();
    let best = report.best();
    assert!((best.value - 0.5).abs() < 1e-9 && best.position[1].fract() == 0.0, "{best:?}");
}

#[test]
fn what_variables_say_is_checked() {
    let wrong = |variable: &str, part: &str| says(&with(variable), &[part]);
    wrong("{ lower = 0 }", "variable `x`: upper is missing");
    wrong("{ upper = 0 }", "lower is missing");
    wrong("{}", "nothing says what it may be; allowed: lower and upper, or one of fixed");
    wrong("{ lower = 0, upper = 1, fixed = 2 }", "more than one thing it may be");
    wrong("{ values = [1], choices = ['a'] }", "more than one thing it may be");
    wrong("{ values = [1, 2], scale = 'log' }", "a scale beside values");
    wrong(
        "{ lower = 1, upper = 4, scale = ['log'] }",
        "a list of 1 scales; allowed: one, in quotes",
    );
    wrong(
        "{ count = 2, lower = 1, upper = 4, scale = ['log', 'log', 'log'] }",
        "a list of 3 scales; allowed: one, or a list of 2",
    );
    wrong("{ count = 2, lower = 1, upper = 4, scale = ['log', 'cubic'] }", "cubic");
    wrong("{ count = 2, lower = [1, 0], upper = 4, scale = ['linear', 'log'] }", "`x[2]`");
    wrong("{ lower = [0, 1], upper = 3 }", "lower: 2 numbers; allowed: one for all, or 1");
    wrong("{ count = 3, lower = 'low', upper = 3 }", "2 numbers; allowed: one for all, or 3");
    wrong("{ count = 2, lower = [0, 4], upper = 3 }", "variable `x[2]`: lower is 4, above upper");
    wrong("{ count = 1.5, lower = 0, upper = 3 }", "count is 1.5");
    wrong("{ count = 5000000, lower = 0, upper = 3 }", "count is 5000000; allowed: 1 to 4193280");
    wrong("{ lower = 'x', upper = 3 }", "`x` is a variable, which is not known here");
    wrong("{ lower = 'm', upper = 3 }", "unknown name `m`");
    wrong("{ lower = '1/0', upper = 3 }", "lower is inf; allowed: a finite number");
    wrong("{ lower = { a = 1 }, upper = 3 }", "lower is a table");
    wrong("{ values = [] }", "values is empty");
    wrong("{ values = [1, 1] }", "1 is there twice");
    wrong("{ values = 3 }", "allowed: a list, as in [1, 2, 5, 10]");
    wrong("{ choices = [] }", "choices is empty");
    wrong("{ choices = ['a', 'a'] }", "\"a\" is there twice");
    wrong("{ choices = [\"it's\"] }", "without '");
    wrong(
        "{ lower = 1, upper = 4, scale = 'permutation' }",
        "permutation), which is not supported",
    );
    wrong("{ lower = 1, upper = 4, scale = 'cubic' }", "cubic");
    wrong("{ lower = 1, upper = 4, start = 5 }", "start is 5; allowed: 1 to 4, its bounds");
    wrong(
        "{ count = 2, lower = 1, upper = 4, start = [2, 3, 3] }",
        "start has 3 numbers; allowed: 2",
    );
    wrong("{ values = [1, 2], start = 3 }", "start is 3; allowed: one of 1, 2");
    wrong("{ choices = ['a', 'b'], start = 'c' }", "start is \"c\"; allowed: one of a, b");
}

#[test]
fn individuals_begin_at_guesses() {
    let two = |x: &str, y: &str| {
        format!(
            "minimise = '1'\n[variables]\nx = {{ lower = 0, upper = 9{x} }}\n\
             y = {{ count = 2, lower = 0, upper = 9{y} }}\n[constants]\ng = [4, 5]\n"
        )
    };
    assert_eq!(beginnings(&two("", "")), []);
    assert_eq!(beginnings(&two(", start = 3", ", start = [1, 2]")), [3.0, 1.0, 2.0]);
    assert_eq!(beginnings(&two(", start = '1 + 1'", ", start = 'g'")), [2.0, 4.0, 5.0]);
    assert_eq!(
        beginnings(&two(", start = [3, 4]", ", start = [[1, 2], [5, 6]]")),
        [3.0, 1.0, 2.0, 4.0, 5.0, 6.0]
    );
    let some = beginnings(&two(", start = 3", ""));
    assert!(some[0] == 3.0 && some[1].is_nan() && some[2].is_nan());
    let text = "minimise = '1'\n[variables]\nq = { values = [5, 2, 1], start = 5 }\n\
        metal = { choices = ['tin', 'steel'], start = 'steel' }\n";
    assert_eq!(beginnings(text), [3.0, 2.0]);
    // The other individuals are drawn: the guess alone is worse than the best of many draws, and all of them are within
    // bounds.
    let problem = parse(&two(", start = 3", "").replace("'1'", "'abs(x - 3) + abs(y[1] - 3)'"));
    let settings = Settings {
        individuals: 64,
        stop: Stop::iterations(0),
        backend: Backend::Cpu,
        ..Settings::default()
    };
    let problem = problem.unwrap();
    let best = |individuals| {
        let settings = Settings { individuals, ..settings.clone() };
        let report =
            problem.optimiser::<f64>(&Algorithm::Pso(Default::default()), &settings).unwrap().run();
        report.unwrap().best().clone()
    };
    assert_eq!(best(1).position[0], 3.0);
    assert!(best(1).value > 0.0 && best(64).value <= best(1).value);
}

#[test]
fn what_a_coordinate_stands_for_is_known() {
    let text = "minimise = '1'\n[variables]\nq = { count = 2, values = [5, 2], unit = 'mm' }\n\
        metal = { choices = ['tin', 'steel'] }\na = { lower = 0, upper = 1 }\n";
    let problem = parse(text).unwrap();
    assert_eq!(problem.coordinate(1).as_deref(), Some("q[2]"));
    assert_eq!(problem.discrete_value(1, 1.0_f32), Some(DiscreteValue::Value(2.0)));
    assert_eq!(problem.discrete_value(2, 2.0), Some(DiscreteValue::Name("steel")));
    assert_eq!(problem.discrete_value(2, f64::NAN), Some(DiscreteValue::Name("tin")));
    assert_eq!((problem.discrete_value(3, 0.5), problem.discrete_value(4, 0.5)), (None, None));
    assert_eq!((problem.unit(1), problem.unit(3)), (Some("mm"), None));
    assert_eq!(problem.coordinate_of(0, "5"), Ok(2.0));
    assert_eq!(problem.coordinate_of(0, "3"), Err("one of 2, 5".into()));
    assert_eq!(problem.coordinate_of(2, "steel"), Ok(2.0));
    assert_eq!(problem.coordinate_of(3, "nan"), Err("a finite number".into()));
}

#[test]
fn data_come_from_several_files_and_from_lists() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("one.csv", "t [s];y\n0,5;1\n1;2\n2;NA\n");
    write("two.csv", "s1,s2\n1,2\n3,4\n5,6\n");
    let text = "minimise = 'sum(i, t[i] * y[i]) + S[3, 2] * a + limits[2] + two[1, 2]'\n\
        [variables]\na = { lower = 0, upper = 1 }\n\
        [[data]]\nfile = 'one.csv'\ncolumns = { t = 't [s]', y = 'y' }\ndecimal = ','\nmissing = 'skip row'\n\
        [[data]]\nfile = 'two.csv'\ncolumns = { S = ['s1', 's2'] }\n\
        limits = [1, 2]\ntwo = [[7, 8]]\n";
    write("both.toml", text);
    let problem = ProblemFile::load(folder.path().join("both.toml")).unwrap();
    let value = |problem: &ProblemFile| problem.evaluate(&[1.0]).unwrap().fitness.value;
    assert_eq!(value(&problem), 2.5 + 6.0 + 2.0 + 8.0);
    // The serialised problem needs no files.
    let kept = toml::to_string(&problem).unwrap();
    drop(folder);
    let again: ProblemFile = toml::from_str(&kept).unwrap();
    assert_eq!(value(&again), value(&problem));
    let guessed = again.beginning_at(&[[0.5]]).unwrap().beginning_at(&[[f64::NAN], [0.25]]);
    let kept = toml::to_string(&guessed.unwrap()).unwrap();
    let again: ProblemFile = toml::from_str(&kept).unwrap();
    assert_eq!(again.given.len(), 2);
    assert_eq!(again.given[1], [0.25]);
}

#[test]
fn what_data_and_constants_say_is_checked() {
    let head = "minimise = '1'\n[variables]\na = { lower = 0, upper = 1 }\n";
    let wrong = |rest: &str, parts: &[&str]| says(&format!("{head}{rest}"), parts);
    wrong("[data]\n", &["[data] says nothing"]);
    wrong("[data]\ncolumns = ['t']\n", &["columns and no file"]);
    wrong("[data]\nfile = 'x.csv'\n", &["no columns"]);
    wrong("[data]\ncolums = 't'\n", &["[data] has `colums`; allowed: file, columns, separator"]);
    wrong("[data]\nfile = 1\n", &["file is not a text"]);
    wrong("[data]\ncolumns = 't'\n", &["columns: allowed: headings"]);
    wrong("[data]\nseparator = '::'\n", &["separator is \"::\"; allowed: "]);
    wrong("[data]\ndecimal = ';'\n", &["decimal is \";\""]);
    wrong(
        "[data]\nmissing = 'skip'\n",
        &["missing is \"skip\"; allowed: \"error\" or \"skip row\""],
    );
    wrong("[data]\ncomment = '//'\n", &["comment is \"//\""]);
    wrong("[data]\nt = []\n", &["[data] t is empty"]);
    wrong("[data]\nt = [[1, 2], [3]]\n", &["[data] t has rows of different lengths"]);
    wrong("[data]\nt = [1, 'a']\n", &["`a` is a variable"]);
    wrong("[data]\nt = [1]\n[[data]]\nt = [1]\n", &["data"]);
    wrong(
        "[[data]]\nt = [1]\n[[data]]\nt = [1]\n",
        &["[data] has `t`, which is also in [data]; allowed: each name once"],
    );
    wrong(
        "[data]\nfile = 'x.csv'\ncolumns = ['t', 'a']\n",
        &[
            "[data] has `a`, which is also a variable; allowed: each name once, as with columns = { a_data = \"a\", ... }",
        ],
    );
    wrong("[let]\nt = 'a'\n[data]\nt = [1]\n", &["[let] has `t`, which is also in [data]"]);
    wrong("[constants]\nc = {}\n", &["constant `c` is empty"]);
    wrong("[constants]\nc = { x = 'a' }\n", &["`a` is a variable"]);
    wrong("[constants]\nc = true\n", &["a number, an expression in quotes"]);
    wrong("[constants]\nc = 'd'\nd = 1\n", &["constants.c: `d` is not known yet"]);
    wrong("[constants]\nc = 'i for i in 1 to 0'\n", &["the index goes up to 0"]);
}

#[test]
fn an_order_is_said_to_be_unsupported_unless_it_is_kept() {
    let tour = "minimise = 'sum(i, 1, 2, abs(place[city[i]] - place[city[i+1]]))'\n[variables]\n\
        city = { count = 3, lower = 1, upper = 3, scale = 'integer' }\n[constants]\nplace = [1, 5, 3]\n";
    says(
        tour,
        &[
            "minimise: `city` asks for an order",
            "city[i] != city[j]",
            "\n                         ^^^^^^^",
        ],
    );
    let apart = "[constraints]\napart = 'all(i, all(j, i == j or city[i] != city[j]))'\n";
    let problem = parse(&format!("{tour}{apart}")).unwrap();
    let at = |x: [f64; 3]| problem.evaluate(&x).unwrap().fitness;
    assert_eq!((at([1.0, 3.0, 2.0]).value, at([1.0, 3.0, 2.0]).violation), (4.0, 0.0));
    assert_eq!(at([1.0, 1.0, 2.0]).violation, 2.0);
    // With two values for three places, each value may occur more than once.
    assert!(parse(&tour.replace("upper = 3", "upper = 2")).is_ok());
}

#[test]
fn warnings_say_what_f32_loses() {
    let text = "minimise = 'sum(i, y[i] * 1e-60 / (c * c)) + 0 * a'\n[variables]\na = { lower = 0, upper = 1 }\n\
        [constants]\nc = 1e-30\ny = [1, 1e39, 2e-50, 16777217, 16777216]\n\
        [constraints]\nbig = 'a * 1e-42 <= 1e39'\n";
    let problem = parse(text).unwrap();
    assert_eq!(problem.warnings::<f64>().len(), 1);
    let warnings = problem.warnings::<f32>();
    let has =
        |part: &str| assert!(warnings.iter().any(|w| w.contains(part)), "{part}: {warnings:?}");
    has("`y`: number 2 is 1e39 and is infinite in f32");
    has("`y`: 5 different numbers are only 4 in f32, where 16777216.0 and 16777217.0");
    has("constraints.big: `1e-42` has few of its digits");
    has("constraints.big: `1e39` is infinite in f32");
    has("the value is inf in f32 at all of 1000 points");
    let slow =
        "minimise = 'sum(i, 1, 4000000, sin(i * a))'\n[variables]\na = { lower = 0, upper = 1 }";
    let start = std::time::Instant::now();
    assert!(parse(slow).unwrap().warnings::<f64>().is_empty());
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn what_is_periodic_has_no_seam_whatever_the_boundary() {
    let text = |periodic: bool| {
        let angle = format!("{{ lower = 0, upper = 360, periodic = {periodic} }}");
        format!(
            "minimise = '2 - cos(pi/180*(phi - 359.9)) - cos(pi/180*(x[1] - 0.3)) + (x[2] - 0.2)^2 + (len - 5)^2'\n\
             [variables]\nphi = {angle}\nlen = {{ lower = 0, upper = 10 }}\n\
             x = {{ count = 2, lower = [0, -1], upper = [360, 1], periodic = {periodic} }}\n"
        )
    };
    let problem = parse(&text(true)).unwrap();
    let value = |x: [f64; 4]| problem.evaluate(&x).unwrap().fitness.value;
    assert_eq!(value([-0.25, 0.5, 45.0, 0.0]), value([359.75, 0.5, 45.0, 2.0]));
    assert_eq!(value([719.75, 0.5, 405.0, -2.0]), value([359.75, 0.5, 45.0, 0.0]));
    assert!(value([359.9, 5.0, 0.3, 0.2]) < 1e-15);
    let settings = Settings {
        individuals: 256,
        stop: Stop::iterations(400),
        backend: Backend::Cpu,
        ..Settings::default()
    };
    for id in ["pso", "de"] {
        for mode in ["clamp", "reflect", "wrap", "random", "reverse"] {
            let mut algorithm = crate::algorithms::find(id).unwrap().algorithm();
            algorithm.set("boundary", mode).unwrap();
            let report = problem.optimiser::<f64>(&algorithm, &settings).unwrap().run().unwrap();
            let best = report.best();
            assert!(best.value < 1e-2, "{id} {mode}: {best:?}");
            // Places are between the bounds, and evaluate to what was found there.
            let apart = (best.position[0] - 359.9).abs();
            assert!(
                apart.min(360.0 - apart) < 10.0 && best.position[0] >= 0.0,
                "{id} {mode}: {best:?}"
            );
            let again = problem.evaluate(&best.position).unwrap().fitness.value;
            assert_eq!(again.to_bits(), best.value.to_bits(), "{id} {mode}");
        }
    }
    let wrong =
        |variable: &str| says(&with(variable), &["periodic; allowed: of a linear variable"]);
    wrong("{ lower = 1, upper = 2, scale = 'log', periodic = true }");
    wrong("{ fixed = 2, periodic = true }");
    wrong("{ values = [1, 2], periodic = true }");
}

#[test]
fn names_are_on_one_line() {
    let file = |rest: &str| {
        format!("minimise = \"a\"\n[variables]\na = {{ lower = 0, upper = 1 }}\n{rest}")
    };
    says(&file("\"b\\nc\" = { lower = 0, upper = 1 }\n"), &["[variables] has `b\\nc`; allowed"]);
    says(&file("[constraints]\n\"b\\nc\" = \"d\"\n"), &["constraints.b\\nc: unknown name"]);
    let tight = "[constraints]\n\"b\\nc\" = { condition = \"a == 1\", tolerance = -1 }\n";
    says(&file(tight), &["constraints.b\\nc: tolerance is -1"]);
    let choice =
        "m = { choices = ['x'] }\n[constants]\nw = { \"b\\nc\" = 1 }\n[let]\nu = \"w[m]\"\n";
    says(&file(choice), &["`w` has no 'x'"]);
    says(&file(&choice.replace("[m]", "['x']")), &["there is no 'x'; allowed: 'b\\nc'"]);
}
