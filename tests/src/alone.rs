//! Runs tests in a separate process, if they depend on properties of a whole process.

use std::env;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable of a process that was started for one test.
const ALONE: &str = "WARPSWARM_TEST_ALONE";
/// The additional time that a process may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Does a test's work in a new process with these environment variables. The process runs `test`, the caller of this
/// function, again. The output of the process becomes that of the test.
///
/// # Panics
///
/// If the work panics, or takes a minute longer than `takes`.
pub fn alone(test: &str, takes: Duration, variables: &[(&str, &str)], work: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return work();
    }
    let said = tempfile::NamedTempFile::new().expect("a file");
    // Both streams share one file position, so that they do not overwrite each other.
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
