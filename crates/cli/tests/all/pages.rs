//! Runs the commands of documentation pages one after the other in an empty folder, as a reader would.

use std::fs;
use std::path::Path;

use crate::common::{run_in, stderr};

/// The arguments of each line `$ warpswarm ...` of a page.
fn commands(page: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let page = fs::read_to_string(path).unwrap();
    let lines = page.lines().filter_map(|line| line.trim_start().strip_prefix("$ warpswarm "));
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn what_the_first_page_shows_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let commands = commands("README.md");
    assert!(commands.len() >= 9, "{commands:?}");
    // Tuning takes minutes and has separate tests.
    for arguments in commands.iter().filter(|arguments| arguments[0] != "tune") {
        let output = run_in(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
}
