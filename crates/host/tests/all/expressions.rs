//! Random files whose expressions are also evaluated by Python: its parser defines the precedence, and the scripts in
//! `expressions` define the meaning.
#![cfg(feature = "problem-files")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use warpswarm::problem_file::ProblemFile;

use crate::common::long;

/// The number of files that are compared, each with an objective and a constraint. With `WARPSWARM_LONG=1` in the
/// environment there are twenty times as many.
const FILES: u32 = 500;
/// Selects other files, by this seed.
const SEED: &str = "WARPSWARM_EXPRESSIONS_SEED";

#[derive(serde::Deserialize)]
struct Case {
    file: String,
    point: Vec<f64>,
    value: Option<[String; 2]>,
    violation: Option<[String; 2]>,
}

#[test]
fn random_files_have_the_values_that_python_finds() {
    let seed = std::env::var(SEED).unwrap_or("0".into());
    let files = if long() { 20 * FILES } else { FILES };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/expressions/expressions.py");
    let mut python = Command::new("python3");
    python.arg("-B").arg(script).args([&seed, &files.to_string()]).stdout(Stdio::piped());
    let mut python = match python.spawn() {
        Err(_) if std::env::var_os("CI").is_none() => {
            return println!("without Python's reading of problem files: for it python3 is needed");
        }
        python => python.expect("python3 can be started"),
    };
    let (mut compared, mut numbers) = (0, 0);
    let mut wrong = Vec::new();
    for line in BufReader::new(python.stdout.take().unwrap()).lines() {
        let Case { file, point, value, violation } = serde_json::from_str(&line.unwrap()).unwrap();
        let found = ProblemFile::parse(&file).and_then(|file| file.evaluate(&point));
        let found = match found {
            Ok(found) => [found.fitness.value, found.fitness.violation],
            Err(error) => {
                wrong.push(format!("{file}{error}"));
                continue;
            }
        };
        for (found, expected) in found.into_iter().zip([value, violation]) {
            let Some(expected) = expected else { continue };
            let [expected, error] = expected.map(|text| text.parse().unwrap());
            compared += 1;
            numbers += u32::from(f64::is_finite(expected));
            if !is_near(found, expected, error) {
                wrong.push(format!("{file}at {point:?}: {found}, Python: {expected} +- {error:e}"));
            }
        }
    }
    assert!(python.wait().unwrap().success(), "Python's reading failed");
    println!("{compared} expressions were compared, {numbers} of which are finite");
    assert!(wrong.is_empty(), "{}\n{} are wrong (seed {seed})", wrong.join("\n\n"), wrong.len());
    // Few results depend on rounding, and few are not finite.
    assert!(compared > files * 17 / 10 && numbers > files * 15 / 10, "{compared} {numbers}");
}

/// Whether two numbers agree, up to the error that one of them may have.
fn is_near(found: f64, expected: f64, error: f64) -> bool {
    match (found.is_finite(), expected.is_finite()) {
        (true, true) => (found - expected).abs() <= error + 1e-12 * expected.abs(),
        _ => found == expected || found.is_nan() && expected.is_nan(),
    }
}
