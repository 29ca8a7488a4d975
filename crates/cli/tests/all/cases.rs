//! Problems as users write them. The program, with its default settings, must find the right answers.
//!
//! The answers were computed by other means: with SciPy, or by enumerating all integers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{program, run_in};

/// Fewer evaluations than by default, which suffice for the problems with data.
const SHORT: [&str; 2] = ["--evaluations", "51200"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn solved(file: &str) -> Value {
    let folder = folder();
    let has_data = fs::read_to_string(folder.join(file)).unwrap().contains("[data]");
    let size = if has_data { &SHORT[..] } else { &[] };
    let asked = ["solve", file, "--backend", "cpu", "--json", "-"];
    // With the default settings of `solve`.
    let output = program().args([&asked[..], size].concat()).current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks that the best value is within `off` of the right one, that the constraints are met, and that the first
/// coordinates are as close to `point` as that allows.
#[track_caller]
fn check(file: &str, value: f64, point: &[f64], off: f64) {
    let best = &solved(file)["runs"][0]["best"];
    let found = best["value"].as_f64().unwrap_or(f64::NAN);
    assert_eq!(best["violation"].as_f64(), Some(0.0), "{file}: {best}");
    assert!((found - value).abs() <= off * value.abs().max(1.0), "{file}: {best}");
    for (i, x) in point.iter().enumerate() {
        let found = best["position"][i].as_f64().unwrap();
        // The value changes little near an optimum, so coordinates are less precise.
        assert!((found - x).abs() <= off.sqrt() * x.abs().max(1e-12), "{file}: {best}");
    }
}

#[test]
fn conditions_mean_what_they_say() {
    check("differ.toml", 14.0, &[1.0, 2.0, 2.0], 0.0);
    check("strict.toml", 26.0, &[1.0, 2.0, 3.0], 0.0);
    check("paren.toml", 7.0, &[3.0, 4.0], 1e-9);
    // The minima (8, 4) and (9, 3) are equal; either may be found.
    check("implication.toml", 13.0, &[], 0.0);
    // Two at 3, two at 0: 2 * 9 + 10 * 2.
    check("counted.toml", 38.0, &[], 1e-6);
}

/// A crescent between two circles (G06 of the usual problems with constraints), whose best value is known to these
/// digits, and integers, which the local search does not change.
#[test]
fn a_local_search_has_all_digits() {
    let polished = |file: &str| -> Value {
        let asked = ["solve", file, "--algorithm", "de", "--iterations", "200", "--polish"];
        let asked = [&asked[..], &["--backend", "cpu", "--json", "-"]].concat();
        let output = program().args(asked).current_dir(folder()).output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["runs"][0].take()
    };
    let crescent = polished("crescent.toml");
    assert_eq!(crescent["best"]["violation"], 0.0);
    let value = crescent["best"]["value"].as_f64().unwrap();
    assert!((value + 6_961.813_875_580_15).abs() < 1e-10, "{crescent}");
    let from = crescent["polish"]["value"].as_f64().unwrap();
    assert!(from > value + 1.0 && crescent["polish"]["steps"].as_u64().unwrap() > 5, "{crescent}");
    let strict = polished("strict.toml");
    assert_eq!(
        (&strict["best"]["value"], &strict["best"]["position"]),
        (&json!(26.0), &json!([1.0, 2.0, 3.0]))
    );

    let islands = ["solve", "rastrigin", "--polish", "--islands", "ring"];
    assert_eq!(program().args(islands).output().unwrap().status.code(), Some(2));
}

/// An equality constraint, and a band of width 1e-4 around a sphere.
#[test]
fn thin_regions_are_searched() {
    check("shares.toml", 4.0, &[0.0, 0.0, 1.0, 0.0], 1e-5);
    check("hs71int.toml", 17.014, &[1.0, 4.743, 3.8211, 1.3794], 1e-3);
}

/// The best values of four runs of a method with 64 individuals and 30,000 evaluations. All of them meet the
/// constraints.
#[track_caller]
fn feasible(file: &str, method: &str) -> Vec<f64> {
    let asked = ["solve", file, "--backend", "cpu", "--algorithm", method, "--json", "-"];
    let size = ["--runs", "4", "--individuals", "64", "--evaluations", "30000"];
    let output = run_in(&folder(), &[&asked[..], &size].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
    let value = |run: &Value| {
        assert_eq!(run["best"]["violation"].as_f64(), Some(0.0), "{method}, {file}: {run}");
        run["best"]["value"].as_f64().unwrap()
    };
    solved["runs"].as_array().unwrap().iter().map(value).collect()
}

/// Without equality constraints there is no tolerance for violations: populations that had converged to an infeasible
/// point within one stayed there.
#[test]
fn edges_are_met_by_every_method() {
    for method in ["de", "shade", "pso", "auto"] {
        for (file, value) in [("edge.toml", 0.0625), ("crescent.toml", -6_961.813_875_6)] {
            let least = feasible(file, method).into_iter().fold(f64::MAX, f64::min);
            assert!((least - value).abs() <= 1e-3 * value.abs(), "{method}, {file}: {least}");
        }
    }
}

/// With an equality constraint some individuals are judged strictly, so that the population follows when the tolerance
/// falls to zero.
#[test]
fn equations_are_met_by_populations() {
    for method in ["de", "shade", "pso", "auto"] {
        for (file, value) in [("corner.toml", 0.125), ("parabola.toml", 0.75)] {
            let found = feasible(file, method);
            let least = found.iter().copied().fold(f64::MAX, f64::min);
            assert!((least - value).abs() <= 1e-3 * value, "{method}, {file}: {found:?}");
        }
    }
}

#[test]
fn what_has_no_minimum_says_where() {
    let run = &solved("minusinf.toml")["runs"][0];
    assert_eq!(run["stop_reason"], "unbounded");
    assert_eq!(run["best"]["value"], "-Infinity");
    assert_eq!(run["best"]["position"][0], 1.0);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let said = run_in(&folder, &["solve", "minusinf.toml", "--backend", "cpu"]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains("the objective is unbounded below at this point"), "{said}");
}

#[test]
fn data_and_constants_keep_their_digits() {
    check("cool.toml", 0.10995, &[20.015, 60.0, 239.758], 1e-4);
    check("units.toml", 0.0, &[1.00004e-9], 1e-9);
}

/// The answer is from SciPy's `RegularGridInterpolator`: on the line of the load 35, where the temperature is 420.
#[test]
fn tables_are_interpolated() {
    check("engine.toml", 2.651_539_654_287_904, &[1_357.971_014_492_754, 35.0], 1e-9);
}

#[test]
fn named_expressions_and_matrices_come_out_right() {
    check("let.toml", 0.75, &[0.25, 0.25], 1e-9);
    check("matrix.toml", 0.057_955_15, &[], 1e-7);
}

/// The best point of a run with few evaluations.
fn best(arguments: &[&str]) -> Value {
    let few = ["--individuals", "64", "--iterations", "60", "--json", "-"];
    let output = run_in(&folder(), &[&["solve"], arguments, &few[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
    solved["runs"][0]["best"].clone()
}

/// The named expressions of a file, in the summary and in the JSON: each number, no array, and of many the first four.
#[test]
fn named_expressions_are_shown_at_the_best_point() {
    let place = tempfile::tempdir().unwrap();
    let solved = |lets: &str, more: &[&str]| {
        let text = format!(
            "minimise = \"sum(i, (x[i] - 3)^2)\"\nvariables.x = {{ count = 2, lower = 0, upper = 3 }}\n\
            variables.m = {{ choices = [\"steel\"] }}\n[let]\n{lets}"
        );
        fs::write(place.path().join("p.toml"), text).unwrap();
        let words = [&["solve", "p.toml", "--individuals", "64", "--iterations", "60"], more];
        let output = run_in(place.path(), &words.concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let lets = "area = \"x[1] * x[2]\"\nsquares = \"x[i]^2 for i in x\"\ntotal = \"sum(i, squares[i])\"\n\
        price = \"if(m == 'steel', 7, 8)\"\n";
    let text = solved(lets, &[]);
    assert!(text.contains("\nlet         area = 9.0, total = 18.0, price = 7.0\n"), "{text}");
    for precision in ["f32", "f64"] {
        let json = solved(lets, &["--precision", precision, "--json", "-", "--quiet"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        let expected = json!({ "area": 9.0, "total": 18.0, "price": 7.0 });
        assert_eq!(json["runs"][0]["best"]["let"], expected, "{json}");
    }
    let many: String = (1..=11).map(|n| format!("n{n} = \"{n} * x[1]\"\n")).collect();
    let text = solved(&many, &[]);
    let first = "\nlet         n1 = 3.0, n2 = 6.0, n3 = 9.0, n4 = 12.0, and 7 more: --json FILE, or --out FOLDER\n";
    assert!(text.contains(first), "{text}");
    let arrays = solved("squares = \"x[i]^2 for i in x\"", &["--json", "-"]);
    assert!(!arrays.contains("\"let\"") && !arrays.contains("\nlet "), "{arrays}");
}

#[test]
fn variables_are_values_and_choices_with_bounds_of_their_own() {
    check("perbounds.toml", 0.0, &[0.0], 1e-9);
    check("values.toml", 1.0, &[3.0], 0.0);
    assert_eq!(solved("values.toml")["runs"][0]["best"]["variables"], json!({ "q": 5.0 }));
    let bracket = json!({ "metal": "steel", "thickness": 4.0, "depth": 80.0 });
    for backend in ["cpu", "emulator"] {
        let best = best(&["bracket.toml", "--backend", backend]);
        assert_eq!(best["variables"], bracket, "{backend}: {best}");
        assert_eq!(best["value"], 2496.0);
    }
    let output = run_in(&folder(), &["solve", "bracket.toml", "--backend", "cpu"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let shown = "(metal = steel, thickness = 4.0 mm, depth = 80.0 mm)";
    assert!(text.contains(shown), "{text}");
}

/// Elements, vectors and choices give the same bits on the CPU and under the emulator.
#[test]
fn new_parts_of_the_language_are_the_same_under_the_emulator() {
    for file in ["matrix.toml", "let.toml", "values.toml"] {
        for precision in ["f32", "f64"] {
            let [here, there] = ["cpu", "emulator"]
                .map(|backend| best(&[file, "--backend", backend, "--precision", precision]));
            assert_eq!(here, there, "{file} {precision}");
        }
    }
}

/// An epidemic with known rates. Every evaluation solves its differential equation.
#[test]
fn differential_equations_are_fitted_and_the_same_under_the_emulator() {
    let solved = |size: [&str; 4], place: [&str; 4]| {
        let asked = [&["solve", "sir.toml", "--json", "-"][..], &size, &place].concat();
        let output = run_in(&folder(), &asked);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
        solved["runs"][0]["best"].clone()
    };
    let long = ["--individuals", "64", "--iterations", "200"];
    let best = solved(long, ["--backend", "cpu", "--precision", "f64"]);
    assert!(best["value"].as_f64().unwrap() < 1e-5, "{best}");
    for (i, right) in [0.42, 7.5, 25.0, 0.3].into_iter().enumerate() {
        let found = best["position"][i].as_f64().unwrap();
        assert!((found / right - 1.0).abs() < 0.01, "{best}");
    }
    let short = ["--individuals", "32", "--iterations", "2"];
    for precision in ["f32", "f64"] {
        let of = |backend| solved(short, ["--backend", backend, "--precision", precision]);
        let (here, there) = (of("cpu"), of("emulator"));
        assert!(here == there && here["value"].is_number(), "{precision}: {here} {there}");
    }
}

/// Both angles are at the ends of their ranges, and the length is near its lower bound.
#[test]
fn what_is_periodic_has_no_seam() {
    check("periodic.toml", 0.0, &[359.9, 0.3, 0.02], 1e-9);
    let [here, there] =
        ["cpu", "emulator"].map(|backend| best(&["periodic.toml", "--backend", backend]));
    assert_eq!(here, there);
}

#[test]
fn a_guess_is_kept() {
    let none = ["--iterations", "0", "--individuals", "8", "--backend", "cpu", "--json", "-"];
    let at = |arguments: &[&str]| {
        let output = run_in(&folder(), &[&["solve"], arguments, &none[..]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
        solved["runs"][0]["best"].clone()
    };
    assert_eq!(at(&["start.toml"])["value"], 0.0);
    assert_eq!(at(&["start.toml"])["position"], json!([3.25, 7.2]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("guesses.csv");
    let path = path.to_str().unwrap();
    std::fs::write(path, "note,thickness,metal\na,3,brass\nb,4,steel\n").unwrap();
    let best = at(&["bracket.toml", "--start", path]);
    assert_eq!(best["variables"]["metal"], "steel", "{best}");
    std::fs::write(path, "x2,x1\n0.5,0\n0,0\n").unwrap();
    assert_eq!(at(&["rastrigin", "--dim", "2", "--start", path])["value"], 0.0);
    let refused = |text: &str, problem: &str, parts: &[&str]| {
        std::fs::write(path, text).unwrap();
        is_refused(&["solve", problem, "--start", path], parts);
    };
    refused("metal\ngold\n", "bracket.toml", &["line 2, `metal`: \"gold\"; allowed: one of tin"]);
    refused("thickness\n5\n", "bracket.toml", &["allowed: one of 1.5, 2, 3, 4, 6"]);
    refused(
        "a,b\n1,2\n",
        "bracket.toml",
        &["none of its columns is a variable", "metal,thickness"],
    );
    refused("x1\n99\n", "rastrigin", &["`x1` is 99; allowed: -5.12 to 5.12"]);
    refused("x1\n", "rastrigin", &["has no rows"]);
    is_refused(&["solve", "sphere", "--start", "/nowhere"], &["--start: /nowhere: is not a file"]);
}

#[track_caller]
fn is_refused(arguments: &[&str], parts: &[&str]) {
    let output = run_in(&folder(), arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
}

#[test]
fn what_is_not_offered_says_what_to_write_instead() {
    is_refused(
        &["solve", "tour.toml"],
        &["minimise: ", "permutation", "not supported", "i == j or"],
    );
    is_refused(&["solve", "two.toml"], &["two objectives", "not supported", "as constraints"]);
    is_refused(&["solve", "derived.toml"], &["`a` is a variable", "belongs in [let]", "1 - a - b"]);
    let wide = ["variable `x`: lower is -1e300 and upper is 1e300", "numbers that f32 has", "f64"];
    is_refused(&["solve", "wide.toml", "--precision", "f32"], &wide);
}

/// If the squares of most numbers within the bounds overflow, a search cannot find values near 0.
#[test]
fn bounds_that_are_too_far_apart_are_said() {
    let said = |arguments: &[&str]| {
        let output = run_in(&folder(), &[&["solve"], arguments, &["--iterations", "3"]].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let text = said(&["wide.toml"]);
    let parts = ["`x` goes from -1e300 to 1e300", "beyond 1e154", "narrower bounds", "\"log\""];
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(said(&["paren.toml"]), "");
}

#[test]
fn what_f32_loses_is_said() {
    let output = |arguments: &[&str]| {
        let few = ["--backend", "cpu", "--individuals", "128", "--iterations", "300"];
        let output = run_in(&folder(), &[&["solve"], arguments, &few[..]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (out, err)
    };
    let says = |file: &str, parts: &[&str]| {
        let (out, err) = output(&[file, "--precision", "f32"]);
        for part in parts {
            assert!(out.contains(part) || err.contains(part), "{part:?} is not in {out}{err}");
        }
        assert_eq!(output(&[file]).1, "", "{file}");
    };
    says(
        "tiny.toml",
        &["minimise: `1e-306` is 0 in f32", "the value is 0.0 in f32 at all of 1000"],
    );
    says("units.toml", &["minimise: `h^2`, which is 4.390", "is 0 in f32"]);
    says("cool.toml", &["`time`: 60 different numbers are only 4 in f32", "in f64      value "]);
    let (out, _) = output(&["beam.toml", "--precision", "f32"]);
    let json = best(&["beam.toml", "--precision", "f32", "--backend", "cpu"]);
    assert!(json["in_f64"]["value"].is_f64(), "{json}");
    let is_apart = json["violation"] != json["in_f64"]["violation"];
    assert!(!is_apart || out.contains("not feasible"), "{json} {out}");
    assert!(best(&["beam.toml", "--backend", "cpu"]).get("in_f64").is_none());
}

#[test]
fn check_says_what_is_wrong_with_a_file() {
    let check = |arguments: &[&str]| {
        let output = run_in(&folder(), &[&["check"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let says = |arguments: &[&str], parts: &[&str]| {
        let text = check(arguments);
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    };
    says(
        &["cool.toml", "--backend", "cpu"],
        &[
            "warning     `time`: 60 different numbers are only 4 in f32",
            "points      1003",
            "f32 and f64 differ by more than a thousandth at ",
            "on a thread, in f64",
            "\nverdict     no error was found, but look at the warnings, differences between f32 and f64\n",
        ],
    );
    says(
        &["bracket.toml", "--backend", "cpu"],
        &[
            "constraint  `holds` is met at ",
            "f32 and f64 agree",
            "time of an evaluation, for several numbers of individuals:",
            " individuals   ns on the CPU\n",
        ],
    );
    says(
        &["sphere", "--dim", "2", "--backend", "cpu"],
        &[
            "feasible    1003 of 1003",
            "there is no GPU or other device to compare with",
            "\nverdict     nothing wrong was found\n",
        ],
    );
}

#[test]
fn check_says_that_an_objective_has_no_values_or_no_bound() {
    let check = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.toml"), text).unwrap();
        let output = run_in(folder.path(), &["check", "x.toml", "--backend", "cpu"]);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = check("maximise = \"1 / x\"\nvariables.x = { lower = 0, upper = 1 }");
    let parts = [
        "not finite  1 of 1003, the first at (x = 0.0): value inf, violation 0\n",
        "unbounded   the value is inf at (x = 0.0)\n",
        "evaluations are not finite, the first at (0): value inf, violation 0\n",
        "          32               -\n",
        "look at values that are not finite, the objective, which is unbounded\n",
    ];
    assert_eq!((code, parts.map(|part| text.contains(part))), (Some(0), [true; 5]), "{text}");

    let (code, text) =
        check("minimise = \"sqrt(-1 - x^2)\"\nvariables.x = { lower = 0, upper = 1 }");
    assert_eq!((code, text.contains("agree")), (Some(1), false), "{text}");
    assert!(text.contains("the formula is undefined there"), "{text}");
    assert!(text.contains("feasible    1003 of 1003\n"), "{text}");
    assert!(
        text.ends_with("\nverdict     wrong: no value is finite; also look at the warnings\n"),
        "{text}"
    );

    // The derivatives of a wave that no difference resolves.
    let wave = "minimise = \"sum(i, (x[i] - 1)^2) + 0.1 * sin(1e6 * sum(i, i * x[i]))\"";
    let variables = "variables.x = { count = 10, lower = -5, upper = 5 }";
    let (code, text) = check(&format!("{wave}\n{variables}"));
    assert_eq!((code, text.contains("derivatives in f64")), (Some(1), true), "{text}");
    let advice = "\n            if the function is rough on purpose, ignore the derivatives, and solve it with \
                  --no-polish\n";
    assert!(text.ends_with(advice), "{text}");
}

#[test]
fn what_is_built_in_can_be_maximised() {
    let few = ["solve", "sphere", "--dim", "2", "--maximise", "--backend", "cpu", "--json", "-"];
    let output = run_in(&folder(), &few);
    let solved: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(solved["maximised"], true);
    // The corners of a cube from -5.12 to 5.12.
    assert_eq!(solved["runs"][0]["best"]["value"], 2.0 * 5.12 * 5.12);
    is_refused(&["solve", "let.toml", "--maximise"], &["--maximise: let.toml says `minimise`"]);
}

#[test]
fn fits_and_parts_come_out_right() {
    check("log.toml", 0.0, &[2.5, 0.7], 1e-9);
    check("conv.toml", 0.344_674, &[5.79572, 2.29065, 0.355299, 0.266321], 1e-5);
    check("portfolio6.toml", 0.057_955_15, &[], 1e-7);
    check("scales.toml", 250_000_250.0, &[2.5e8, 0.25], 1e-9);
}

/// A difference of almost equal numbers makes the rounding errors of functions visible.
#[test]
fn functions_of_small_numbers_keep_their_digits() {
    check("tanh.toml", 0.0, &[], 1e-9);
    // tanh(x) / x is at most 1, and is 1 if x^2 is less than the last place.
    check("tanh-small.toml", 1.0, &[], 0.0);
}

/// A point that the program reports as feasible is feasible when recomputed by hand.
#[test]
fn a_deflection_is_met_when_it_is_computed_again() {
    let best = &solved("beam.toml")["runs"][0]["best"];
    let x: Vec<f64> = (0..5).map(|i| best["position"][i].as_f64().unwrap()).collect();
    let [height, flange, web, tf, metal] = x[..] else { panic!("{best}") };
    let (length, load) = (4000.0_f64, 75e3);
    let stiff = if metal == 1.0 { 71.7e3 } else { 193e3 };
    let second = (flange * height.powi(3) - (flange - web) * (height - 2.0 * tf).powi(3)) / 12.0;
    let deflection = load * length.powi(3) / (3.0 * stiff * second);
    assert!(deflection <= 8.0 * (1.0 + 1e-14), "{deflection}: {best}");
}
