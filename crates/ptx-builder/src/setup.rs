//! Installs a device toolchain: with rustup, or from Debian's packages.

use std::io;
use std::process::{Command, ExitStatus};

use crate::build_script;
use crate::toolchain::{DeviceToolchain, NIGHTLY, RUSTC_VARIABLE, ToolchainError};

/// Debian's compiler and the library sources that belong to it.
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// Why something was not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no usable device toolchain.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A program could not be started.
    #[error("cannot start `{command}`: {error}")]
    Start {
        /// The command as a user would type it.
        command: String,
        /// The system's message.
        error: io::Error,
    },
    /// A program failed and has printed the reason.
    #[error("`{command}` failed ({status})")]
    Failed {
        /// The command as a user would type it.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The system has no Debian packages.
    #[error("there is no apt-get")]
    NoApt,
    /// Packages cannot be installed by this user.
    #[error("apt-get needs root, and sudo asks for a password")]
    NoRoot,
    /// No way of installing a toolchain succeeded.
    #[error(
        "no device toolchain could be installed (with rustup: {rustup}; from Debian's packages: {debian}); \
         install a nightly Rust with the component rust-src, or Debian 12's packages rustc-web and \
         rust-web-src, or name a rustc with library sources in {RUSTC_VARIABLE}"
    )]
    Neither {
        /// The result with rustup.
        rustup: String,
        /// The result with the packages.
        debian: Box<SetupError>,
    },
}

/// The device toolchain, installed now if there is none. Reports its steps line by line.
pub fn toolchain(say: &mut dyn FnMut(&str)) -> Result<DeviceToolchain, SetupError> {
    let (toolchain, is_new) = match DeviceToolchain::find() {
        Err(ToolchainError::NotFound { .. }) => {
            say("there is no device toolchain yet");
            (install(say)?, true)
        }
        found => (found?, false),
    };
    let DeviceToolchain { version, origin, rustc, .. } = &toolchain;
    say(&format!("device toolchain: {version}, {origin} ({})", rustc.display()));
    build_script::look_again(&toolchain, is_new);
    Ok(toolchain)
}

fn install(say: &mut dyn FnMut(&str)) -> Result<DeviceToolchain, SetupError> {
    let mut rustup = "there is none".to_owned();
    if succeeds("rustup", &["--version"]) {
        let mut command = Command::new("rustup");
        command.args(["toolchain", "install", NIGHTLY, "--no-self-update"]);
        command.args(["--profile", "minimal", "--component", "rust-src"]);
        command.env_remove("RUSTUP_TOOLCHAIN").env("RUST_BACKTRACE", "0");
        match run(&mut command, say).and_then(|()| Ok(DeviceToolchain::find()?)) {
            Ok(toolchain) => return Ok(toolchain),
            Err(error) => rustup = error.to_string(),
        }
        say(&format!("rustup could not install it: {rustup}"));
    }
    let debian = apt(&DEBIAN_PACKAGES, say).and_then(|()| Ok(DeviceToolchain::find()?));
    debian.map_err(|debian| SetupError::Neither { rustup, debian: Box::new(debian) })
}

/// Installs packages on a system of the Debian kind, as root or with sudo.
pub fn apt(packages: &[&str], say: &mut dyn FnMut(&str)) -> Result<(), SetupError> {
    if !succeeds("apt-get", &["--version"]) {
        return Err(SetupError::NoApt);
    }
    let user = Command::new("id").arg("-u").output();
    let root = user.is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !root && !succeeds("sudo", &["-n", "true"]) {
        return Err(SetupError::NoRoot);
    }
    let mut apt_get = |arguments: &[&str]| {
        let environment = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let words = [&["sudo", "-n"][if root { 2 } else { 0 }..], &environment, arguments].concat();
        run(Command::new(words[0]).args(&words[1..]), say)
    };
    apt_get(&["update", "-q"])?;
    apt_get(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}

/// Reports a command, runs it, and fails if the command fails.
fn run(command: &mut Command, say: &mut dyn FnMut(&str)) -> Result<(), SetupError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let typed = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    say(&format!("$ {typed}"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(SetupError::Failed { command: typed, status }),
        Err(error) => Err(SetupError::Start { command: typed, error }),
    }
}

/// Whether a command runs and succeeds; its output is ignored.
fn succeeds(name: &str, arguments: &[&str]) -> bool {
    Command::new(name).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_what_was_tried_and_what_to_do() {
        let error = SetupError::Neither {
            rustup: "no network".into(),
            debian: Box::new(SetupError::NoApt),
        };
        let text = error.to_string();
        for part in ["no network", "there is no apt-get", "rust-src", RUSTC_VARIABLE] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }

    #[test]
    fn what_is_run_is_said() {
        let mut said = Vec::new();
        let mut say = |line: &str| said.push(line.to_owned());
        let error = run(Command::new("/nowhere/rustup").arg("install"), &mut say).unwrap_err();
        assert!(matches!(error, SetupError::Start { .. }), "{error}");
        assert_eq!(said, ["$ /nowhere/rustup install"]);
    }
}
