//! Functions that the tests of the program share.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_warpswarm"))
}

/// Adds an algorithm that runs on every backend to the arguments of `solve`, if they name none. The tests that use this
/// do not depend on the algorithm.
pub(crate) fn everywhere<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let has = |option: &str| arguments.contains(&option);
    let mut all = arguments.to_vec();
    let is_said = ["--algorithm", "--island-set", "--help"].into_iter().any(has);
    if all.first() == Some(&"solve") && !is_said {
        all.extend(["--algorithm", "pso"]);
        if !has("--individuals") {
            all.extend(["--individuals", "1024"]);
        }
    }
    all
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    program().args(everywhere(arguments)).stdin(Stdio::null()).output().unwrap()
}

/// Runs the program in a folder, with the same addition.
pub(crate) fn run_in(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Output {
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let texts: Option<Vec<&str>> = arguments.iter().map(|argument| argument.to_str()).collect();
    let all = texts.map(|texts| everywhere(&texts).into_iter().map(OsStr::new).collect());
    program()
        .args(all.unwrap_or(arguments))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The standard output of a command that must succeed.
#[track_caller]
pub(crate) fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output).into()
}

/// Checks for this exit code and a single message that contains all parts.
#[track_caller]
pub(crate) fn fails(arguments: &[&str], code: i32, parts: &[&str]) {
    let output = run(arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert_eq!(message.matches("error:").count(), 1, "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: {part:?} is not in {message:?}");
    }
}

/// The text of `runs` in the output of `--json`.
#[track_caller]
pub(crate) fn runs(json: &str) -> &str {
    let (start, end) = (json.find("\"runs\":").unwrap(), json.rfind(",\"seconds\":").unwrap());
    &json[start..end]
}

/// Parses the JSON in a file.
pub(crate) fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
