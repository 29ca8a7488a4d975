//! The Python of a virtual environment with peers from PyPI.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell;

/// Installs these packages, and returns the path of the environment's Python.
pub(super) fn with(packages: &[&str]) -> Result<PathBuf> {
    let environment = shell::target()?.join("bench/python");
    let python = environment.join("bin/python");
    if !python.is_file() {
        let at = environment.display().to_string();
        shell::run(&mut shell::program("python3", &["-m", "venv", &at]))?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    shell::run(Command::new(&python).args(install).args(packages))?;
    Ok(python)
}
