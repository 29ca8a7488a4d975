//! Compiles a crate of kernels to one PTX text, with a separate call of cargo.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

use crate::{CutError, DeviceToolchain, Module, Version, cut, halves, package, words};

const TARGET: &str = "nvptx64-nvidia-cuda";

/// Loops of a known number of rounds are unrolled whatever their size: kernels keep arrays in registers, which cannot
/// be indexed at run time.
const UNROLL: &str = "llvm-args=-unroll-threshold=20000";

/// The profile for kernels, passed on the command line so that a user's workspace need not define it. Fat LTO merges
/// `core` into the one PTX file and optimises it there. Optimising it before only takes time; the PTX is the same.
const PROFILE: [&str; 8] = [
    "inherits=\"release\"",
    "opt-level=3",
    "lto=\"fat\"",
    "codegen-units=1",
    "panic=\"abort\"",
    "debug=false",
    "package.core.opt-level=0",
    "package.compiler_builtins.opt-level=0",
];

/// Replaces the linker. The PTX is written before a linker would run, but cargo expects the linker's output, and would
/// compile everything again each time without it.
const LINKER: &str = "#!/bin/sh
while [ $# -gt 0 ]; do
    if [ \"$1\" = -o ]; then : > \"$2\"; fi
    shift
done
";

/// Variables that start with `CARGO_` and belong to the user, not to an outer cargo.
const KEPT: [&str; 6] =
    ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_TERM_", "CARGO_REGISTR", "CARGO_SOURCE_"];

/// Other variables that an outer cargo, or a user who compiles for the host, may have set.
const CLEANED: [&str; 9] = [
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTUP_TOOLCHAIN",
    "TARGET",
    "HOST",
    "OUT_DIR",
    "PROFILE",
    "MAKEFLAGS",
];

/// A crate of kernels, and how to compile it.
#[derive(Clone, Debug)]
pub struct Kernels {
    /// Its `Cargo.toml`.
    pub manifest: PathBuf,
    /// The lowest architecture on which it has to run, such as `sm_80`.
    pub arch: String,
    /// The folder for compiled files. It must not be the target folder of a running cargo, such as the one that runs
    /// the calling build script: cargo would wait for its lock for ever.
    pub target_dir: PathBuf,
}

/// Why there is no PTX.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A file could not be read or written, or cargo could not be started.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// The compiler found errors.
    #[error("{manifest} does not compile for GPUs:\n{output}{}", notes(.output))]
    Compiler {
        /// The crate's `Cargo.toml`.
        manifest: PathBuf,
        /// What the compiler printed.
        output: String,
    },
    /// The crate compiles but exports nothing.
    #[error(
        "{manifest} exports nothing: its lib.rs needs a line `export_objective!` or `export_method!`"
    )]
    Nothing {
        /// The crate's `Cargo.toml`.
        manifest: PathBuf,
    },
    /// The crate compiles, but calls a function that does not exist on a GPU.
    #[error("{manifest} does not run on GPUs: `{caller}` calls `{name}`\nnote: {}", words::of_symbol(.name))]
    Undefined {
        /// The crate's `Cargo.toml`.
        manifest: PathBuf,
        /// The function that calls.
        caller: String,
        /// The missing function.
        name: String,
    },
    /// A function calls itself.
    #[error(
        "{manifest} does not run on GPUs: `{name}` calls itself\nnote: recursion does not exist on a GPU, where \
         calls have no stack that could grow: write a loop"
    )]
    Recursion {
        /// The crate's `Cargo.toml`.
        manifest: PathBuf,
        /// The function.
        name: String,
    },
    /// The PTX cannot be cut.
    #[error(transparent)]
    Cut(#[from] CutError),
}

/// Explanations of the compiler's output, to be printed below it.
fn notes(output: &str) -> String {
    words::of_output(output).iter().map(|sentence| format!("\nnote: {sentence}")).collect()
}

/// A function's name as its author wrote it.
fn plain(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

impl Kernels {
    /// Compiles the crate and cuts it into one module per entry, in the order of their names.
    pub fn build(&self, toolchain: &DeviceToolchain) -> Result<Vec<Module>, CompileError> {
        let text = halves::permuted(&self.compile(toolchain)?);
        let mut modules =
            cut(&text, Some(Version::LOWEST)).map_err(|error| self.in_words(error))?;
        if modules.is_empty() {
            return Err(CompileError::Nothing { manifest: self.manifest.clone() });
        }
        modules.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(modules)
    }

    /// The files of the last compilation, including those of other crates on this machine; none if cargo has not listed
    /// them.
    pub fn sources(&self) -> Vec<PathBuf> {
        let crates = fs::read_to_string(&self.manifest).unwrap_or_default();
        let name = crates.lines().find_map(|line| line.trim().strip_prefix("name = \""));
        let name = name.and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let folder = self.target_dir.join(TARGET).join("device");
        let said = fs::read_to_string(folder.join(format!("{}.d", name.replace('-', "_"))));
        paths(&said.unwrap_or_default())
    }

    fn in_words(&self, error: CutError) -> CompileError {
        let manifest = self.manifest.clone();
        match error {
            CutError::Missing { caller, name } => {
                CompileError::Undefined { manifest, caller: plain(&caller), name: plain(&name) }
            }
            CutError::Recursion { name } => {
                CompileError::Recursion { manifest, name: plain(&name) }
            }
            error => CompileError::Cut(error),
        }
    }

    /// Compiles the crate to one PTX text. If nothing has changed, only reads the text.
    fn compile(&self, toolchain: &DeviceToolchain) -> Result<String, CompileError> {
        let target_dir = std::path::absolute(&self.target_dir).map_err(at(&self.target_dir))?;
        let manifest = fs::canonicalize(&self.manifest).map_err(at(&self.manifest))?;
        // Kernels of another crate may share the folder, so the file is named after this crate's path.
        let place = package::checksum(manifest.as_os_str().as_encoded_bytes());
        let ptx = target_dir.join(TARGET).join(format!("{}-{place:016x}.s", self.arch));
        fs::create_dir_all(&target_dir).map_err(at(&target_dir))?;
        // Cargo's own lock ends with cargo; this one is held until the text has been read.
        let lock_path = target_dir.join("ptx.lock");
        let lock = File::create(&lock_path).map_err(at(&lock_path))?;
        lock.lock().map_err(at(&lock_path))?;
        let linker = linker(&target_dir)?;
        let mut command = self.command(toolchain, &target_dir, &ptx);
        command.env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", linker);
        let output = command.output().map_err(at(&toolchain.cargo))?;
        if !output.status.success() {
            let output = String::from_utf8_lossy(&output.stderr).into_owned();
            let output = output.trim_end().to_owned();
            return Err(CompileError::Compiler { manifest: self.manifest.clone(), output });
        }
        fs::read_to_string(&ptx).map_err(at(&ptx))
    }

    fn command(&self, toolchain: &DeviceToolchain, target_dir: &Path, ptx: &Path) -> Command {
        let mut command = Command::new(&toolchain.cargo);
        for (name, _) in env::vars_os().filter(|(name, _)| is_cleaned(name)) {
            command.env_remove(name);
        }
        command
            .env("RUSTC", &toolchain.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            // This also overrides configuration files. Warnings are shown by the build for the CPU; here they would
            // precede an error.
            .env("CARGO_ENCODED_RUSTFLAGS", "-Awarnings")
            .env("RUSTC_WRAPPER", "");
        command
            .args(PROFILE.iter().flat_map(|s| ["--config".into(), format!("profile.device.{s}")]));
        command
            .args([
                "rustc",
                "--quiet",
                "--color=never",
                "--lib",
                "--profile",
                "device",
                "--target",
                TARGET,
                "-Zbuild-std=core",
            ])
            .args(["--crate-type", "cdylib", "--manifest-path"])
            .arg(&self.manifest)
            .arg("--target-dir")
            .arg(target_dir);
        command
            .arg("--")
            .arg(format!("--emit=asm={}", ptx.display()))
            .args(["-C", &format!("target-cpu={}", self.arch)])
            .args(["-C", UNROLL]);
        command
    }
}

/// The files that a rule of make depends on. A space in a name is written `\ `.
fn paths(rule: &str) -> Vec<PathBuf> {
    let files = rule.split_once(": ").map_or("", |(_, files)| files).trim().replace("\\ ", "\0");
    files.split_whitespace().map(|file| file.replace('\0', " ").into()).collect()
}

/// Writes the linker, if it does not exist.
fn linker(target_dir: &Path) -> Result<PathBuf, CompileError> {
    let linker = target_dir.join("linker.sh");
    if fs::read_to_string(&linker).is_ok_and(|text| text == LINKER) {
        return Ok(linker);
    }
    fs::write(&linker, LINKER).map_err(at(&linker))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).map_err(at(&linker))?;
    }
    Ok(linker)
}

fn is_cleaned(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let cargo = name == "CARGO" || name.starts_with("CARGO_");
    (cargo && !KEPT.iter().any(|kept| name.starts_with(kept))) || CLEANED.contains(&name)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CompileError {
    let path = path.to_owned();
    |error| CompileError::Io { path, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_from_a_rule() {
        let rule = "/t/my\\ own.ptx: /a/src/lib.rs /my\\ own/src/lib.rs\n";
        assert_eq!(paths(rule), ["/a/src/lib.rs", "/my own/src/lib.rs"].map(PathBuf::from));
        assert_eq!(paths(""), Vec::<PathBuf>::new());
    }

    #[test]
    fn an_outer_cargo_leaves_no_trace() {
        for name in ["CARGO", "CARGO_TARGET_DIR", "CARGO_PKG_NAME", "RUSTFLAGS", "RUSTUP_TOOLCHAIN"]
        {
            assert!(is_cleaned(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_NET_OFFLINE", "PATH", "RUSTUP_HOME", "CARGOES"] {
            assert!(!is_cleaned(OsStr::new(name)), "{name}");
        }
    }
}
