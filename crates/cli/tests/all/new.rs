//! `warpswarm new` as users see it: the files, the messages, and nothing left behind after a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::run_in;

fn new(folder: &Path, arguments: &[&str]) -> Output {
    run_in(folder, &[&["new"], arguments].concat())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// All files in a folder and its subfolders, including hidden ones, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// Checks for exit code 2, a single message that contains all parts, and an unchanged folder.
#[track_caller]
fn fails(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let before = files(folder);
    let output = new(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    for part in parts.iter().chain(&["allowed"]) {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
    assert_eq!(files(folder), before);
}

#[test]
fn a_crate_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = new(folder.path(), &["deep/my-fit"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in [
        "`my-fit`",
        "cd deep/my-fit",
        "cargo run --release",
        "warpswarm setup",
        "objective/src/lib.rs",
    ] {
        assert!(text(&output.stdout).contains(part), "{part:?} is not in {}", text(&output.stdout));
    }
    let written = folder.path().join("deep/my-fit");
    let names: Vec<_> = files(&written)
        .iter()
        .map(|file| file.strip_prefix(&written).unwrap().to_owned())
        .collect();
    let expected = [
        ".gitignore",
        "Cargo.toml",
        "README.md",
        "build.rs",
        "objective",
        "objective/Cargo.toml",
        "objective/src",
        "objective/src/lib.rs",
        "points.csv",
        "src",
        "src/lib.rs",
        "src/main.rs",
        "tests",
        "tests/same_bits.rs",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    assert_eq!(files(folder.path()).len(), expected.len() + 2, "nothing else is left");
    let read = |file: &str| fs::read_to_string(written.join(file)).unwrap();
    assert!(read("Cargo.toml").contains("name = \"my-fit\"\n"), "{}", read("Cargo.toml"));
    // In a common target folder, cargo confuses the objectives of two crates if they have the same name.
    let package = "objective = { path = \"objective\", package = \"my-fit-objective\" }\n";
    assert!(read("Cargo.toml").contains(package), "{}", read("Cargo.toml"));
    assert!(read("objective/Cargo.toml").contains("\nname = \"my-fit-objective\"\n"));
    // NaN is a violation.
    assert!(read("objective/src/lib.rs").contains("if over <= R::ZERO { R::ZERO } else { over }"));
    assert!(read("src/main.rs").contains("not feasible"));
    assert!(read("Cargo.toml").contains("\n[workspace]\n"));
    // The program was built in the repository and therefore uses the library in it.
    assert!(read("Cargo.toml").contains("\n[patch.crates-io]\n"));
    assert!(read("Cargo.toml").contains("\nwarpswarm = \"0."));
    assert!(read("src/main.rs").contains("use my_fit::{bounds, fit, objective}"));
    // Another fit has another number of variables.
    assert!(
        read("README.md").contains("`two` is 1 or 2, `few` is 3 to 32"),
        "{}",
        read("README.md")
    );
    assert!(
        read("objective/src/lib.rs")
            .ends_with("export_objective! { few exported, \"Peak\", Peak, Peak }\n")
    );
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let fit = folder.path().join("fit");
    fs::create_dir(&fit).unwrap();
    let output = new(&fit, &["."]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(fit.join("objective/src/lib.rs").exists());
    assert!(fs::read_to_string(fit.join("Cargo.toml")).unwrap().contains("name = \"fit\""));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/x"), "x").unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    fails(folder.path(), &["full"], &["PATH is full, a folder that is not empty"]);
    fails(folder.path(), &["."], &["PATH"]);
    fails(folder.path(), &["file"], &["PATH is file, which is not a folder"]);
    fails(folder.path(), &["file/fit"], &["PATH is file/fit"]);
}

#[test]
fn names_are_those_that_cargo_takes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["2fit", "my fit", "fit.rs", "fn", "test", "objective", "warpswarm"] {
        fails(folder.path(), &[name], &[&format!("PATH ends with `{name}`")]);
    }
    fails(folder.path(), &["fit", "--library", "nowhere"], &["--library is nowhere"]);
    fails(folder.path(), &["fit", "--library", "."], &["--library is ., where warpswarm,"]);
}

#[test]
fn the_library_may_be_a_folder_or_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    for (name, library) in [("a", root.to_str().unwrap()), ("b", "=0.1.0")] {
        let output = new(folder.path(), &[name, "--library", library]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let manifest =
        |name: &str| fs::read_to_string(folder.path().join(name).join("Cargo.toml")).unwrap();
    assert!(
        manifest("a").contains("[patch.crates-io]\nwarpswarm = { path = \""),
        "{}",
        manifest("a")
    );
    assert!(manifest("b").contains("warpswarm = \"=0.1.0\"\n"), "{}", manifest("b"));
}
