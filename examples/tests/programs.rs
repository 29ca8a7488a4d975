//! Runs every program with `--small`: it succeeds, prints the expected words, and draws a picture.

use std::fs;
use std::process::Command;

/// Runs a program with `--small` and `--picture`. Its output must contain these words, and its picture this number of
/// marks.
fn check(program: &str, words: &[&str], mark: &str, marks: usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("picture.svg");
    let output = Command::new(program).arg("--small").arg("--picture").arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}{errors}");
    for word in words {
        assert!(said.contains(word), "{program} does not say {word}: {said}");
    }
    assert!(!said.contains("NaN") && !said.contains("inf"), "{program}: {said}");
    let svg = fs::read_to_string(&file).unwrap();
    let found = svg.matches(mark).count();
    assert!(found >= marks, "{program}: {found} of {mark}");
    assert!(!svg.contains("NaN"), "{program}: a mark is nowhere");
}

#[test]
fn nist() {
    let names = ["nist-thurber", "nist-mgh09", "nist-hahn1", "nist-enso", "nist-gauss2"];
    check(env!("CARGO_BIN_EXE_nist"), &names, "<polyline", 12);
    check(env!("CARGO_BIN_EXE_nist"), &["nist-lanczos3", "5.6427082397e3"], "relative error", 6);
}

#[test]
fn decay_curves() {
    let words = ["50 curves", "tau1", "all parameters"];
    check(env!("CARGO_BIN_EXE_decay-curves"), &words, "<polyline", 4);
}

#[test]
fn lennard_jones() {
    check(env!("CARGO_BIN_EXE_lennard-jones"), &["-44.326801"], "<circle", 13);
}

#[test]
fn registration() {
    check(env!("CARGO_BIN_EXE_registration"), &["truth", "found"], "<rect", 500);
}

#[test]
fn spots() {
    let words = ["200 fits", "not converged: 0.0000 %", "one standard error"];
    check(env!("CARGO_BIN_EXE_spots"), &words, "<circle", 10);
}

#[test]
fn spring() {
    check(env!("CARGO_BIN_EXE_spring"), &["g1", "0.0126652"], "<polyline", 10);
}

#[test]
fn simulator() {
    let words = ["birth", "lynxes", "3 calibrations"];
    check(env!("CARGO_BIN_EXE_simulator"), &words, "<circle", 42);
}

#[test]
fn custom_objective() {
    let output = Command::new(env!("CARGO_BIN_EXE_custom_objective")).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("exactly: radius 3.7449"));
}

/// The output of `matrix_pso --compare` for a small swarm.
fn beside(words: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_matrix_pso"));
    program.args(["--compare", "--individuals", "40", "--seed", "5"]);
    if !words.contains("--iterations") {
        program.args(["--dim", "7", "--iterations", "30"]);
    }
    let output = program.args(words.split(' ')).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn matrix_pso_has_the_librarys_bits() {
    const SAME: &str = "30 of 30 iterations have the same bits";
    for problem in ["sphere", "rosenbrock", "rastrigin"] {
        for preset in ["clerc-kennedy-2002", "cpso-paper"] {
            let words = format!("--problem {problem} --preset {preset}");
            let said = beside(&words);
            assert!(said.contains(SAME), "{words}: {said}");
        }
    }
    // Equal until several particles have the same best value: the library then takes the lowest index, the notes the
    // first particle that found it.
    let late = "--problem rastrigin --dim 2 --iterations 200";
    assert!(beside(late).contains("200 of 200 iterations have the same bits"));
    let said = beside(&format!("{late} --ties first-to-come"));
    assert!(said.contains("after 200, "), "{said}");
    // Any other difference is detected.
    for words in ["--rounding each", "--factors one-to-two", "--start zero"] {
        let said = beside(words);
        assert!(said.contains("; 0 of 30 iterations") && said.contains("after 30, "), "{said}");
    }
}
