//! Problems as people write them, with their right answers, as the program solves them by default.
//!
//! The answers were computed by other means: by SciPy, or by going through all whole numbers.

use std::path::Path;

use serde_json::Value;

use crate::common::run_in;

/// Fewer evaluations than by default, which suffice where there are data.
const SHORT: [&str; 4] = ["--individuals", "128", "--iterations", "400"];

fn solved(file: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let has_data = std::fs::read_to_string(folder.join(file)).unwrap().contains("[data]");
    let size = if has_data { &SHORT[..] } else { &[] };
    let asked = ["solve", file, "--backend", "cpu", "--json", "-"];
    let output = run_in(&folder, &[&asked[..], size].concat());
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The best value is within `off` of the right one, the constraints are met, and so many coordinates are as near to
/// what they should be.
#[track_caller]
fn check(file: &str, value: f64, point: &[f64], off: f64) {
    let best = &solved(file)["runs"][0]["best"];
    let found = best["value"].as_f64().unwrap_or(f64::NAN);
    assert_eq!(best["violation"].as_f64(), Some(0.0), "{file}: {best}");
    assert!((found - value).abs() <= off * value.abs().max(1.0), "{file}: {best}");
    for (i, x) in point.iter().enumerate() {
        let found = best["position"][i].as_f64().unwrap();
        // Near an optimum, the value is flat.
        assert!((found - x).abs() <= off.sqrt() * x.abs().max(1e-12), "{file}: {best}");
    }
}

#[test]
fn conditions_mean_what_they_say() {
    check("differ.toml", 14.0, &[1.0, 2.0, 2.0], 0.0);
    check("strict.toml", 26.0, &[1.0, 2.0, 3.0], 0.0);
    check("paren.toml", 7.0, &[3.0, 4.0], 1e-9);
    // (8, 4) and (9, 3): of equals any.
    check("implication.toml", 13.0, &[], 0.0);
    // Two at 3, two at 1, which is not above it: 2 * 4 + 10 * 2.
    check("counted.toml", 28.0, &[], 1e-6);
}

/// An equation, and a band of 1e-4 around a sphere.
#[test]
fn thin_regions_are_searched() {
    check("shares.toml", 4.0, &[0.0, 0.0, 1.0, 0.0], 1e-5);
    check("hs71int.toml", 17.014, &[1.0, 4.743, 3.8211, 1.3794], 1e-3);
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

#[test]
fn fits_and_parts_come_out_right() {
    check("log.toml", 0.0, &[2.5, 0.7], 1e-9);
    check("conv.toml", 0.344_674, &[5.79572, 2.29065, 0.355299, 0.266321], 1e-5);
    check("portfolio6.toml", 0.057_955_15, &[], 1e-7);
    check("scales.toml", 250_000_250.0, &[2.5e8, 0.25], 1e-9);
}

/// A difference of numbers that are almost equal leaves what a function got wrong.
#[test]
fn functions_of_small_numbers_keep_their_digits() {
    check("tanh.toml", 0.0, &[], 1e-9);
    // tanh(x) / x is never above 1, and 1 where x^2 is below the last place.
    check("tanh-small.toml", 1.0, &[], 0.0);
}

/// What the program calls feasible is so when it is computed again by hand.
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
