//! Interpolation in tables, by hand.

use crate::problem::problem_file::ProblemFile;

/// Rows in no order. The curve is 4 at 1, 6 at 2, 0 at 4. The surface is x * y on an uneven grid.
const GIVEN: &str = "[variables]\na = { lower = -99, upper = 99 }\nb = { lower = -99, upper = 99 }\n\
    [constants]\nat = [2, 4, 1]\nheight = [6, 0, 4]\nflat = [3, 3, 3]\none = [7]\nonly = [5]\n\
    x = [1, 5, 2, 1, 2, 5]\ny = [10, 40, 10, 40, 40, 10]\nz = [10, 200, 20, 40, 80, 50]\n\
    rows = [5, 1, 2]\ncolumns = [40, 10]\ngrid = [[200, 50], [40, 10], [80, 20]]\n\
    hole = [1, 5, 2, 1, 2, 2]\n";

fn problem(minimise: &str, rest: &str) -> Result<ProblemFile, crate::error::Error> {
    ProblemFile::parse(&format!("minimise = \"{minimise}\"\n{GIVEN}{rest}"))
}

#[track_caller]
fn value(minimise: &str, point: [f64; 2]) -> f64 {
    let problem = problem(minimise, "").unwrap_or_else(|error| panic!("{error}"));
    let single = problem.evaluate(&point.map(|x| x as f32)).unwrap().fitness.value;
    let value = problem.evaluate(&point).unwrap().fitness.value;
    assert!((f64::from(single) - value).abs() <= 1e-5 * value.abs(), "{single} {value}");
    value
}

#[test]
fn a_curve_by_hand() {
    for (a, right) in [
        (1.0, 4.0),
        (1.25, 4.5),
        (2.0, 6.0),
        (3.0, 3.0),
        (4.0, 0.0),
        (-99.0, 4.0),
        (0.5, 4.0),
        (4.5, 0.0),
        (99.0, 0.0),
    ] {
        assert_eq!(value("interp(a, at, height)", [a, 0.0]), right, "at {a}");
    }
    assert_eq!(value("interp(a, at, flat) + interp(b, one, only)", [1.5, 9.0]), 8.0);
    assert_eq!(value("interp(3, at, height)", [0.0; 2]), 3.0);
    let nan = problem("interp(a / b, at, height)", "").unwrap().evaluate(&[0.0_f64; 2]).unwrap();
    assert!(nan.fitness.value.is_nan());
}

#[test]
fn a_surface_by_hand() {
    // Between four points the surface is x * y itself, because that is linear in each.
    for (a, b, right) in [
        (1.0, 10.0, 10.0),
        (5.0, 40.0, 200.0),
        (2.0, 25.0, 50.0),
        (1.5, 16.0, 24.0),
        (3.5, 32.0, 112.0),
        (0.0, 0.0, 10.0),
        (9.0, 20.0, 100.0),
        (3.0, 99.0, 120.0),
    ] {
        for table in ["interp(a, b, x, y, z)", "interp(a, b, rows, columns, grid)"] {
            let found = value(table, [a, b]);
            assert!((found - right).abs() < 1e-13 * right, "{table} at {a}, {b}: {found}");
        }
    }
    assert_eq!(value("interp(a, b, one, only, one)", [1.0, 2.0]), 7.0);
}

/// Within a reduction, within a named list, within another table, and within a differential equation.
#[test]
fn tables_stand_wherever_numbers_do() {
    let over_rows = "sum(i, interp(at[i] + a, at, height) * at[i])";
    assert_eq!(value(over_rows, [1.0, 0.0]), 6.0 * 1.0 + 3.0 * 2.0 + 0.0 * 4.0);
    assert_eq!(value("sum(i, interp(a, at, height) * at[i])", [1.25, 0.0]), 4.5 * 7.0);
    assert_eq!(value("interp(interp(a, at, height) - 1, at, height)", [3.0, 0.0]), 6.0);
    let named = problem("sum(model)", "[let]\nmodel = \"interp(at[i], b, x, y, z) for i in at\"\n");
    assert_eq!(named.unwrap().evaluate(&[0.0, 10.0]).unwrap().fitness.value, 20.0 + 40.0 + 10.0);
    // The area below the curve, whose pieces are exact for the method's order.
    let ode = "[ode]\ntimes = \"t\"\nmethod = \"rk4\"\nsteps = 1\n\
        [ode.states]\narea = { initial = 0, derivative = \"interp(t, at, height)\" }\n";
    let with_times = GIVEN.replace("[constants]\n", "[constants]\nt = [1, 2, 4]\n");
    let text = format!("minimise = \"area[3] + 0 * a\"\n{with_times}{ode}");
    let area = ProblemFile::parse(&text).unwrap().evaluate(&[0.0_f64; 2]).unwrap().fitness.value;
    assert!((area - (5.0 + 6.0)).abs() < 1e-14, "{area}");
}

#[test]
fn tables_that_are_none_are_mistakes() {
    for (minimise, said) in [
        ("interp(a, at)", "2 arguments of `interp`; allowed: `interp(x, xs, ys)`, or"),
        ("interp(a, at, z)", "`at` has 3 numbers and `z` has 6; allowed: as many in both"),
        ("interp(a, flat, at)", "`flat` has 3 twice; allowed: once"),
        ("interp(a, b, x, y, at)", "`x` has 6 numbers and `at` has 3; allowed: as many in both"),
        ("interp(a, b, hole, y, z)", "two rows have hole = 2 and y = 10; allowed: one"),
        (
            "interp(a, b, at, height, flat)",
            "no row has at = 1 and height = 0; allowed: one row for each pair",
        ),
        (
            "interp(a, b, columns, rows, grid)",
            "`grid` has 3 rows and 2 columns, `columns` has 2 numbers and `rows` 3",
        ),
        ("interp(a, b, at)", "`b` is one number; allowed: the name of a column"),
        ("interp(a, 2 * at[1], at)", "allowed: the name of a column, or of a list of constants"),
        ("interp(a, heights, at)", "unknown name `heights`; did you mean `height`?"),
        ("lookup(a, at, height)", "unknown function `lookup`; allowed: `interp(x, xs, ys)`"),
    ] {
        let message = problem(minimise, "").unwrap_err().to_string();
        assert!(message.contains(said), "{minimise}: {message}");
    }
    let mistyped =
        "u = [1, 1, 1, 2, 2, 2, 2.5]\nv = [5, 6, 7, 5, 6, 7, 5]\nw = [0, 0, 0, 0, 0, 0, 0]\n";
    let message = problem("interp(a, b, u, v, w)", mistyped).unwrap_err().to_string();
    let said =
        "no row has u = 2.5 and v = 6; allowed: one row for each pair; only one row has u = 2.5";
    assert!(message.contains(said), "{message}");
    let endless = "[let]\nendless = \"1 / (at[i] - 2) for i in at\"\n";
    let message = problem("interp(a, endless, at)", endless).unwrap_err().to_string();
    assert!(message.contains("`endless` has inf; allowed: finite numbers"), "{message}");
    let moving = problem("interp(a, at, moving)", "[let]\nmoving = \"a * at[i] for i in at\"\n");
    let message = moving.unwrap_err().to_string();
    assert!(
        message.contains("`moving` is not the same at every point and in every run"),
        "{message}"
    );
}
