//! Every program, in small: it ends well, says what is expected of it, and draws.

use std::fs;
use std::process::Command;

/// Runs a program with `--small` and `--picture`; its output has to have these words, its picture so many marks.
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
