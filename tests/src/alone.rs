//! Tests in a process of their own, for what concerns a whole process.

use std::env;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Says that a process was started for one test.
const ALONE: &str = "WARPSWARM_TEST_ALONE";
/// What a process may take beyond the time that it is meant to.
const PATIENCE: Duration = Duration::from_secs(60);

/// Does a test's work in a process that is started for it, with these variables in its environment: `test`, which
/// calls this, is run in there again. What the process says, the test says.
///
/// # Panics
///
/// Where the work does, or takes a minute longer than `takes`.
pub fn alone(test: &str, takes: Duration, variables: &[(&str, &str)], work: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return work();
    }
    let said = tempfile::NamedTempFile::new().expect("a file");
    // One place in the file for both, so that neither writes over the other.
    let to_file = || said.as_file().try_clone().expect("a file");
    let mut child = Command::new(env::current_exe().expect("a program"))
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .envs(variables.iter().copied())
        .stdout(to_file())
        .stderr(to_file())
        .spawn()
        .expect("a process");
    let end = Instant::now() + takes + PATIENCE;
    let status = loop {
        let status = child.try_wait().expect("a process");
        if status.is_some() || Instant::now() > end {
            break status;
        }
        thread::sleep(Duration::from_millis(20));
    };
    if status.is_none() {
        child.kill().expect("a process");
        child.wait().expect("a process");
    }
    print!("{}", String::from_utf8_lossy(&fs::read(said.path()).expect("a file")));
    let status = status.unwrap_or_else(|| panic!("{test} has not ended after {takes:?}"));
    assert!(status.success(), "{test}: {status}");
}
