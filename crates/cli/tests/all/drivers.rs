//! Drivers and GPUs that cannot be used. Each test replaces the driver by a library of its own.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{everywhere, program, stderr, stdout};
use serde_json::Value;

/// The functions of the driver that are called before a GPU is used.
const DRIVER: &str = r#"
#include <stddef.h>
#include <string.h>
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) { return INIT; }
int cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device) { strncpy(name, "Test GPU", length); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = 1u << 30; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == 75 ? MAJOR : attribute == 76 ? 0 : 1;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return 2; }
int cuGetErrorString(int error, const char **text) { *text = "as the test says"; return 0; }
"#;

/// The answers of the driver. The other answers are those of a new driver with one GPU.
#[derive(Clone, Copy)]
struct Driver {
    version: u32,
    init: u32,
    count: u32,
    major: u32,
}

const NEW: Driver = Driver { version: 13_000, init: 0, count: 1, major: 9 };

impl Driver {
    fn compile(self, folder: &Path) {
        let source = folder.join("driver.c");
        std::fs::write(&source, DRIVER).unwrap();
        let Driver { version, init, count, major } = self;
        let defined = [("VERSION", version), ("INIT", init), ("COUNT", count), ("MAJOR", major)];
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .arg(folder.join("libcuda.so"))
            .args(defined.map(|(name, value)| format!("-D{name}={value}")))
            .arg(&source)
            .status();
        assert!(compiled.unwrap().success());
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = program();
    program.args(everywhere(arguments)).env("LD_LIBRARY_PATH", folder).stdin(Stdio::null());
    program.output().unwrap()
}

/// Checks that the backend `gpu` fails with this message and that `auto` uses the CPU. Returns what `doctor` reports
/// for the GPU.
#[track_caller]
fn check(folder: &Path, words: &str) -> Value {
    let solve = ["solve", "rastrigin", "--iterations", "30", "--json", "-", "--backend"];
    let failed = run(folder, &[&solve[..], &["gpu"]].concat());
    let said = stderr(&failed);
    assert_eq!(failed.status.code(), Some(1), "{words}: {said}");
    assert_eq!(stdout(&failed), "", "{words}");
    assert!(said.contains(words), "{words:?} is not in {said:?}");
    assert!(!said.contains("panicked") && said.matches("error:").count() == 1, "{said}");

    let runs = |arguments: &[&str]| {
        let output = run(folder, &[&solve[..], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["backend"], "cpu", "{words}");
        json["runs"].clone()
    };
    // A schedule is for GPUs, so here `auto` tries to use one.
    assert_eq!(runs(&["auto", "--schedule", "streaming"]), runs(&["cpu"]), "{words}");

    let doctor = run(folder, &["doctor", "--json"]);
    assert_eq!(doctor.status.code(), Some(0), "{words}: {}", stderr(&doctor));
    let json: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    json["backends"]["gpu"].clone()
}

/// The same for this driver; also checks that `doctor` reports the message.
#[track_caller]
fn check_driver(driver: Driver, words: &str) {
    let folder = tempfile::tempdir().unwrap();
    driver.compile(folder.path());
    let said = check(folder.path(), words);
    let missing = said["missing"].as_str().unwrap();
    assert!(missing.contains(words), "{words:?} is not in {missing:?}");
}

/// Whether the program contains GPU kernels.
fn has_kernels() -> bool {
    let doctor = program().args(["doctor", "--json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    json["kernels"]["count"].is_u64()
}

/// The files with the driver's names are not libraries. They hide the driver of a machine that has one.
#[test]
fn no_driver() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::fs::write(folder.path().join(name), "no library").unwrap();
    }
    check(folder.path(), "no NVIDIA driver: the library libcuda was not found");
    // The stub library for linking, which is not a driver.
    check_driver(Driver { init: 34, ..NEW }, "no NVIDIA driver");
}

#[test]
fn no_device() {
    check_driver(Driver { init: 100, ..NEW }, "no NVIDIA GPU: the driver shows no device");
    check_driver(Driver { count: 0, ..NEW }, "no NVIDIA GPU: the driver shows no device");
    check_driver(Driver { init: 999, ..NEW }, "the driver shows no device (as the test says)");
}

#[test]
fn an_old_driver() {
    let words = "the NVIDIA driver supports CUDA 11.4; needed: CUDA 12.0 or later";
    check_driver(Driver { version: 11_040, ..NEW }, words);
    // A driver whose parts have different versions.
    check_driver(Driver { init: 803, ..NEW }, "needed: CUDA 12.0 or later");
}

#[test]
fn an_old_device_or_no_kernels() {
    let words = match has_kernels() {
        true => "Test GPU has architecture sm_50; the kernels need sm_",
        false => "built without GPU kernels",
    };
    check_driver(Driver { major: 5, ..NEW }, words);
}

/// A GPU whose first call fails, if the program has kernels for it.
#[test]
fn a_device_that_fails() {
    let words = match has_kernels() {
        true => "cuDevicePrimaryCtxRetain failed: as the test says (code 2)",
        false => "built without GPU kernels",
    };
    let folder = tempfile::tempdir().unwrap();
    NEW.compile(folder.path());
    check(folder.path(), words);
}
