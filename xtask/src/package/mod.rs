//! Builds the crates in their published form, with the kernels inside, and uses them like a user: outside the
//! workspace, with and without a device toolchain.

mod readme;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use warpswarm_ptx_builder::toolchain::{NONE, RUSTC_VARIABLE, SETUP_COMMAND};
use warpswarm_ptx_builder::{DeviceToolchain, Kernels, Module, build_script};

use crate::shell::{self, program};
use crate::{build_ptx, check_ptx, setup, test};

/// The published packages.
const PACKAGES: [&str; 10] = [
    "warpswarm-core",
    "warpswarm-device",
    "warpswarm-kernels",
    "warpswarm-cpu-ref",
    "warpswarm-ptx-builder",
    "warpswarm-pictures",
    "warpswarm-statistics",
    "warpswarm",
    "warpswarm-islands",
    "warpswarm-cli",
];
/// The architecture for which the kernels are compiled.
const ARCH: &str = "sm_80";
/// The architecture for which the objective of the user's crate is assembled.
const ASSEMBLED_FOR: &str = "sm_90";
/// The largest package that a registry accepts.
const MOST_BYTES: u64 = 10 << 20;
/// The crate that `warpswarm new` writes.
const CRATE: &str = "my-fit";
/// Options for a fast build. All commands use the same profile, flags, features and folder, so that dependencies are
/// compiled only once.
const SHARED: [&str; 8] = [
    "--config=profile.release.codegen-units=16",
    "--config=profile.release.debug=false",
    "--config=profile.release.opt-level=0",
    "--config=profile.release.strip=\"symbols\"",
    "--offline",
    "--features=warpswarm/checkpoint",
    "--features=warpswarm/emulator",
    "--features=warpswarm/problem-files",
];
const FLAGS: &str = "-C debuginfo=0";
/// The build folder, inside the target folder.
const BUILD: &str = "tmp/new-user";

/// The folders of this task.
struct Folders {
    /// A copy of the workspace, with the kernels inside.
    stage: PathBuf,
    /// The output of `cargo package`.
    made: PathBuf,
    /// The unpacked packages, in one folder each.
    crates: PathBuf,
    /// The target folder for builds of the packages.
    build: PathBuf,
    /// The folder in which the ways of README.md begin.
    begin: PathBuf,
    /// The crate that `warpswarm new` writes there.
    own: PathBuf,
    /// The folder of the script that takes the place of cargo.
    script: PathBuf,
}

pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    let folder = shell::target()?.join("package");
    let folders = Folders {
        stage: folder.join("stage"),
        made: folder.join("made"),
        crates: folder.join("crates"),
        build: shell::target()?.join(BUILD),
        begin: folder.join("begin"),
        own: folder.join("begin").join(CRATE),
        script: folder.join("script"),
    };
    for old in [&folders.stage, &folders.made, &folders.begin] {
        shell::remove(old)?;
    }
    let kernels = build_ptx::build(ARCH)?;
    stage(&folders.stage, &kernels.package())?;
    make(&folders)?;

    check(&folders)?;
    let program = program_of_tests()?;
    has_kernels(&program)?;
    readme::follow(&folders, &program)?;
    without_toolchain(&folders)?;
    let modules = with_toolchain(&folders)?;
    assemble(kernels.modules, modules)?;
    println!("packages in {}, {:.0} s", folders.crates.display(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Copies the files of the repository, and adds the kernels.
fn stage(to: &Path, kernels: &Path) -> Result<()> {
    for path in shell::files()? {
        copy(&shell::root().join(&path), &to.join(&path))?;
    }
    copy(kernels, &to.join("crates/host/ptx").join(build_script::FILE))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder)?;
    fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Gives each file the time of the same file in another folder, if it has the same contents, so that cargo compiles only
/// what has changed.
fn keep_times(folder: &Path, of: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, before) = (entry.path(), of.join(entry.file_name()));
        if path.is_dir() {
            keep_times(&path, &before)?;
        } else if fs::read(&before).is_ok_and(|bytes| fs::read(&path).ok() == Some(bytes)) {
            let time = before.metadata()?.modified()?;
            File::options().append(true).open(&path)?.set_modified(time)?;
        }
    }
    Ok(())
}

/// Creates and unpacks the packages.
fn make(folders: &Folders) -> Result<()> {
    let mut package =
        shell::cargo(&["package", "--quiet", "--no-verify", "--offline", "--allow-dirty"]);
    package.args(PACKAGES.iter().flat_map(|name| ["--package", name]));
    package.arg("--target-dir").arg(&folders.made).current_dir(&folders.stage);
    shell::run(&mut package)?;
    let before = folders.made.join("before");
    if folders.crates.exists() {
        fs::rename(&folders.crates, &before)?;
    }
    fs::create_dir_all(&folders.crates)?;
    for entry in fs::read_dir(folders.made.join("package"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "crate") {
            let bytes = path.metadata()?.len();
            println!("{}: {} KB", path.file_name().unwrap_or_default().display(), bytes / 1000);
            ensure!(bytes <= MOST_BYTES, "{} is larger than {MOST_BYTES} bytes", path.display());
            // Use the current time: the times inside the packages are always the same, so cargo would not rebuild.
            shell::output(program("tar", &["-xzmf"]).arg(&path).arg("-C").arg(&folders.crates))?;
        }
    }
    let unpacked = fs::read_dir(&folders.crates)?.count();
    ensure!(unpacked == PACKAGES.len(), "{unpacked} packages, not {}", PACKAGES.len());
    keep_times(&folders.crates, &before)
}

/// The folder of an unpacked package.
fn unpacked(folders: &Folders, name: &str) -> PathBuf {
    folders.crates.join(format!("{name}-{}", env!("CARGO_PKG_VERSION")))
}

/// A cargo command in a folder outside the workspace, with the common target folder.
fn cargo(folders: &Folders, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = shell::cargo(arguments);
    command.arg("--release").args(SHARED);
    command.arg("--target-dir").arg(&folders.build);
    command.current_dir(folder).env("RUSTFLAGS", FLAGS);
    command
}

/// Checks that the program can be compiled from its package, with the other packages, without a device toolchain.
fn check(folders: &Folders) -> Result<()> {
    let folder = unpacked(folders, "warpswarm-cli");
    // Use the locked versions of the workspace.
    copy(&shell::root().join("Cargo.lock"), &folder.join("Cargo.lock"))?;
    let mut check = cargo(folders, &folder, &["check", "--quiet"]);
    for name in PACKAGES.iter().filter(|name| **name != "warpswarm-cli") {
        let path = unpacked(folders, name);
        check.arg("--config").arg(format!("patch.crates-io.{name}.path={path:?}"));
    }
    shell::run(check.env(RUSTC_VARIABLE, NONE))
}

/// The program that the tests use. Compiling the library once more, from its package, would take a minute.
fn program_of_tests() -> Result<PathBuf> {
    shell::run(&mut test::cargo(&["build", "--quiet", "--bin", "warpswarm", "--tests"]))?;
    Ok(shell::target()?.join("debug/warpswarm"))
}

/// Checks that the program contains the kernels.
fn has_kernels(program: &Path) -> Result<()> {
    let mut doctor = Command::new(program);
    let said = shell::output(doctor.args(["doctor", "--json"]).env(RUSTC_VARIABLE, NONE))?;
    let said: Value = serde_json::from_str(&said)?;
    let count = said["kernels"]["count"].as_u64().unwrap_or(0);
    ensure!(count > 0, "the program has no kernels: {said}");
    ensure!(said["device_toolchain"]["fix"] == SETUP_COMMAND, "there is a toolchain: {said}");
    println!("{count} kernels in the program, without a device toolchain");
    Ok(())
}

/// Checks that the user's crate runs on the CPU and says what a GPU would need.
fn without_toolchain(folders: &Folders) -> Result<()> {
    // rustfmt's default settings, not those of this repository.
    let plain = ["fmt", "--check", "--", "--config", "use_small_heuristics=Default"];
    shell::run(shell::cargo(&plain).current_dir(&folders.own))?;
    let mut test = cargo(folders, &folders.own, &["test"]);
    let output = test.env(RUSTC_VARIABLE, NONE).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "the tests of a new crate fail:\n{said}");
    let warns = said.matches("without GPU kernels").count() == 1 && said.contains(SETUP_COMMAND);
    ensure!(
        warns,
        "not one warning that says how an objective of one's own gets to a GPU, but none for the library:\n{said}"
    );
    println!(
        "a new crate passes its tests, and says that `{SETUP_COMMAND}` brings its objective to a GPU"
    );
    Ok(())
}

/// Compiles the crate's objective; prints the time, and returns the modules that its build script creates.
fn with_toolchain(folders: &Folders) -> Result<Vec<Module>> {
    let toolchain = setup::toolchain()?;
    let (first, edited) = measure(folders, &toolchain)?;
    println!("an objective is compiled in {first:.1} s, {edited:.1} s after an edit");

    let build = ["build", "--quiet", "--message-format=json"];
    let mut build = cargo(folders, &folders.own, &build);
    let said = shell::output(build.env_remove(RUSTC_VARIABLE))?;
    let own = |message: &Value| {
        let of = message["package_id"].as_str().unwrap_or_default().contains(CRATE);
        message["reason"] == "build-script-executed" && of
    };
    let message = shell::messages(&said).find(own).context("cargo ran no build script")?;
    let out = message["out_dir"].as_str().context("a build script has a folder")?;
    let bytes = fs::read(Path::new(out).join(build_script::FILE))?;
    build_ptx::modules(&bytes).context("the objective was not compiled")
}

/// The build time of the objective, in seconds: the first time, and after an edit. What the objective depends on is
/// compiled only if it is not there yet.
fn measure(folders: &Folders, toolchain: &DeviceToolchain) -> Result<(f64, f64)> {
    let target_dir = folders.build.join(build_script::FOLDER);
    let folder = folders.own.join("objective");
    let kernels = Kernels { manifest: folder.join("Cargo.toml"), arch: ARCH.into(), target_dir };
    let seconds = || -> Result<f64> {
        let start = Instant::now();
        kernels.build(toolchain)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let first = seconds()?;
    let source = folder.join("src/lib.rs");
    let text = fs::read_to_string(&source)?;
    let edit = text.replace(").exp()", ").exp().exp()");
    ensure!(edit != text, "{} has no exponential to edit", source.display());
    fs::write(&source, edit)?;
    let edited = seconds()?;
    fs::write(&source, text)?;
    Ok((first, edited))
}

/// Links some kernels with the objective and assembles them.
fn assemble(kernels: Vec<Module>, objectives: Vec<Module>) -> Result<()> {
    let ptxas = setup::ptxas()?;
    let folder = shell::target()?.join("package/ptx");
    fs::create_dir_all(&folder)?;
    let of_kernels =
        kernels.into_iter().filter(|module| !module.name.starts_with(check_ptx::OBJECTIVE));
    let evaluating = |module: &Module| module.text.contains(warpswarm_ptx_builder::link::MARK);
    let modules: Vec<_> = of_kernels.filter(evaluating).chain(objectives).collect();
    let pairs = check_ptx::linked(&modules, true)?;
    if pairs.is_empty() {
        bail!("no kernel takes the objective of a new crate");
    }
    for (number, pair) in pairs.iter().enumerate() {
        let file = folder.join(format!("{number}.ptx"));
        fs::write(&file, &pair.text)?;
        ptxas.assemble(ASSEMBLED_FOR, &file).with_context(|| pair.name.clone())?;
    }
    println!(
        "{} kernels with the objective of a new crate assembled for {ASSEMBLED_FOR}",
        pairs.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn only_files_that_have_changed_get_a_new_time() {
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
        for (name, at, text) in [
            ("same.rs", &before, "same"),
            ("same.rs", &after, "same"),
            ("src/edited.rs", &before, "before"),
            ("src/edited.rs", &after, "after"),
            ("src/same.rs", &before, "same"),
            ("src/same.rs", &after, "same"),
            ("new.rs", &after, "new"),
        ] {
            let path = at.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if *at == before {
                let file = File::options().append(true).open(&path).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }
        }
        keep_times(&after, &before).unwrap();
        let is_old = |name: &str| {
            after.join(name).metadata().unwrap().modified().unwrap() == SystemTime::UNIX_EPOCH
        };
        let files = ["same.rs", "src/edited.rs", "src/same.rs", "new.rs"];
        assert_eq!(files.map(is_old), [true, false, true, false]);
    }
}
