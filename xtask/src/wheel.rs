//! Builds the Python package `pywarpswarm` as a wheel, and tests it in the way that users install it: in new
//! environments, outside the repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::shell::{self, program};
use crate::test;

/// The largest allowed size of the wheel, in bytes.
const MOST_BYTES: u64 = 15_000_000;
/// The compatibility tag for glibc 2.17, of distributions since 2014.
const COMPATIBILITY: &str = "manylinux2014";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install it with the oldest and the newest Python of this machine, and run its tests
    #[arg(long)]
    test: bool,
    /// Build it for this machine only, and as fast as other tests
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = shell::target()?.join("wheel");
    let wheel = build(&folder, args.quick)?;
    let bytes = fs::metadata(&wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    ensure!(
        args.quick || bytes <= MOST_BYTES,
        "the wheel has {bytes} bytes; allowed: {MOST_BYTES}"
    );
    if args.test {
        let pythons = pythons();
        ensure!(!pythons.is_empty(), "no Python from 3.10 on was found");
        let tested = oldest_and_newest(&pythons);
        for (number, python) in (1..).zip(&tested) {
            test(&folder, &wheel, python, number == tested.len())?;
        }
    }
    Ok(())
}

fn package() -> PathBuf {
    shell::root().join("crates/python")
}

/// Builds the wheel with maturin. What users get is optimised, and linked by zig against an old glibc. For tests it
/// contains the library that the other tests use, with their features.
///
/// Maturin is installed in the same folder for all checkouts.
fn build(folder: &Path, quick: bool) -> Result<PathBuf> {
    let (major, minor) =
        version(Path::new("python3")).context("python3 does not run, or is older than 3.10")?;
    let bin = environment(&shell::cache()?.join(format!("maturin-{major}.{minor}")), "python3")?;
    install(&bin, &["--requirement", &text(&package().join("requirements-build.txt"))])?;
    let made = folder.join("made");
    shell::remove(&made)?;
    let path = env::join_paths(
        std::iter::once(bin.clone())
            .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut maturin = program(&text(&bin.join("maturin")), &["build", "--locked"]);
    if quick {
        maturin.args(["--profile", "dev", "--compatibility", "linux"]);
        maturin.env("CARGO", put_script(folder)?);
    } else {
        maturin.args(["--profile", "wheel", "--compatibility", COMPATIBILITY, "--zig"]);
    }
    maturin.arg("--manifest-path").arg(package().join("Cargo.toml"));
    maturin.arg("--target-dir").arg(shell::target()?).arg("--out").arg(&made);
    maturin.env("PATH", path).current_dir(shell::root());
    shell::run(&mut maturin)?;
    let mut wheels = fs::read_dir(&made)?.flatten().map(|entry| entry.path());
    wheels.next().with_context(|| format!("no wheel in {}", made.display()))
}

/// Writes the script that takes the place of cargo. Where maturin builds the library of the package, it builds the
/// libraries of the whole workspace, as the tests do: with the package alone, dependencies have fewer features, so most of
/// them would be compiled again.
fn put_script(folder: &Path) -> Result<PathBuf> {
    let build =
        test::cargo(&["build", "--lib", "--tests", "--message-format=json-render-diagnostics"]);
    let script = format!(
        "#!/bin/sh\n\
        if [ \"$1\" = rustc ]; then set -- {}; fi\n\
        exec {} \"$@\"\n",
        build.get_args().map(shell::quoted).collect::<Vec<_>>().join(" "),
        shell::quoted(build.get_program()),
    );
    let file = folder.join("cargo");
    fs::create_dir_all(folder)?;
    shell::put_script(&file, &script)?;
    Ok(file)
}

/// Checks the type annotations with mypy, those of the Python code and those of the compiled part.
fn check_types(bin: &Path) -> Result<()> {
    let outside = tempfile::tempdir()?;
    let run = |name: &str, arguments: &[&str]| {
        shell::run(program(&text(&bin.join(name)), arguments).current_dir(outside.path()))
    };
    run("mypy", &["--strict", "--package", "pywarpswarm"])?;
    run("stubtest", &["pywarpswarm._native"])
}

/// The tests that run with only one Python: samples of pages, pictures, the program, and what is mostly compiled code.
const WITH_ONE_PYTHON: [&str; 6] = [
    "test_pages.py",
    "test_picture.py",
    "test_commands.py",
    "test_checkpoint.py",
    "test_each.py",
    "test_problem.py",
];

/// Runs the tests with the installed wheel. With one Python also those that take a while, the check of types and the
/// notebooks.
fn test(folder: &Path, wheel: &Path, python: &Path, all: bool) -> Result<()> {
    let bin = environment_of_tests(folder, python)?;
    install(&bin, &[&text(wheel)])?;
    if all {
        check_types(&bin)?;
    }
    let outside = tempfile::tempdir()?;
    let tests = fs::read_dir(package().join("tests"))?.flatten().map(|entry| entry.path());
    // Copy the pages whose samples are tested.
    let pages = [package().join("README.md")].into_iter().chain(pages_with_samples()?);
    for file in tests.chain(pages).filter(|path| path.is_file()) {
        let name = file.file_name().unwrap_or_default();
        fs::copy(&file, outside.path().join(name)).with_context(|| file.display().to_string())?;
    }
    // Rename it, because the package also has a README.md.
    fs::copy(shell::root().join("README.md"), outside.path().join("first-page.md"))?;
    let mut tests =
        program(&text(&bin.join("python")), &["-m", "pytest", "-q", "-n", "2", "-W", "error"]);
    if all {
        copy_notebooks(&outside.path().join("notebooks"))?;
    } else {
        tests.args(WITH_ONE_PYTHON.iter().flat_map(|file| ["--deselect", file]));
    }
    tests.env("PYTHONDEVMODE", "1").env_remove("PYTHONPATH").current_dir(outside.path());
    shell::run(&mut tests)
}

/// The book's pages with Python samples, except the pages of notebooks, which are tested separately.
fn pages_with_samples() -> Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for part in ["tutorials", "how-to", "explanation", "reference"] {
        let folder = shell::root().join("docs").join(part);
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            if text.contains("```python\n") {
                pages.push(path);
            }
        }
    }
    Ok(pages)
}

/// Copies the notebooks, and the book's pages of them.
fn copy_notebooks(to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for folder in ["examples/python", "docs/notebooks"].map(|folder| shell::root().join(folder)) {
        let files = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
        for file in files.filter(|path| path.is_file()) {
            let name = file.file_name().unwrap_or_default();
            fs::copy(&file, to.join(name)).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// The program folder of a virtual environment, which is created if necessary.
fn environment(at: &Path, python: &str) -> Result<PathBuf> {
    let bin = at.join("bin");
    if !bin.join("pip").exists() {
        shell::run(&mut program(python, &["-m", "venv", &text(at)]))?;
    }
    Ok(bin)
}

/// A virtual environment with what the tests need, but without the package. It is made again if the requirements have
/// changed.
fn environment_of_tests(folder: &Path, python: &Path) -> Result<PathBuf> {
    let name = version(python).map_or("python".into(), |(major, minor)| format!("{major}.{minor}"));
    let at = folder.join(format!("test-{name}"));
    let required = package().join("requirements-test.txt");
    let (requirements, installed) = (fs::read(&required)?, at.join("requirements-test.txt"));
    let is_kept = fs::read(&installed).is_ok_and(|installed| installed == requirements);
    if !is_kept {
        shell::remove(&at)?;
    }
    let bin = environment(&at, &text(python))?;
    if is_kept {
        let remove = ["uninstall", "--quiet", "--yes", "pywarpswarm"];
        shell::run(&mut program(&text(&bin.join("pip")), &remove))?;
    } else {
        install(&bin, &["--requirement", &text(&required)])?;
        fs::write(&installed, requirements)?;
    }
    Ok(bin)
}

fn install(bin: &Path, what: &[&str]) -> Result<()> {
    let mut pip =
        program(&text(&bin.join("pip")), &["install", "--quiet", "--disable-pip-version-check"]);
    // Python compiles the few modules that are imported when it imports them.
    shell::run(pip.arg("--no-compile").args(what))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// All installed versions of Python from 3.10 on: in `PATH`, and from pyenv.
fn pythons() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let versions = env::home_dir().map(|home| home.join(".pyenv/versions"));
    let installed = versions.into_iter().flat_map(fs::read_dir).flatten().flatten();
    folders.extend(installed.map(|entry| entry.path().join("bin")));
    let names = || (10..30).map(|minor| format!("python3.{minor}"));
    let all = folders.iter().flat_map(|folder| names().map(move |name| folder.join(name)));
    all.filter(|python| python.is_file() && version(python).is_some()).collect()
}

/// The version that a Python reports; `None` if it does not run.
fn version(python: &Path) -> Option<(u32, u32)> {
    let ask = "import ensurepip, sys; print(*sys.version_info[:2])";
    let said = shell::output(&mut program(&text(python), &["-c", ask])).ok()?;
    let (major, minor) = said.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?)).filter(|version| *version >= (3, 10))
}

fn oldest_and_newest(pythons: &[PathBuf]) -> Vec<&Path> {
    let by_version = |python: &&PathBuf| version(python);
    let (oldest, newest) =
        (pythons.iter().min_by_key(by_version), pythons.iter().max_by_key(by_version));
    let mut both: Vec<&Path> = oldest.into_iter().chain(newest).map(PathBuf::as_path).collect();
    both.dedup_by_key(|python| version(python));
    both
}
