//! Runs all tests that need no GPU.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{dieharder, fuzz, miri, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also the tests that take hours, tests under Miri where it is installed, five minutes of fuzzing for every reader
    /// of files, and dieharder's battery on the random numbers
    #[arg(long)]
    long: bool,
}

/// The feature for tests of programs that use MPI. Everything is compiled once, either with or without it.
const MPI: &str = "warpswarm-cli/mpi";

/// The number of test programs that run at the same time. Each uses all cores, but not while its last tests run.
const AT_A_TIME: usize = 2;

pub(crate) fn run(args: &Args) -> Result<()> {
    if !has_mpi() {
        println!("without the ranks of mpirun: for them mpirun, mpicc and libclang are needed");
    }
    let mut build = cargo(&["test", "--no-run", "--message-format=json-render-diagnostics"]);
    let mut commands = vec![("examples of the documentation".into(), cargo(&["test", "--doc"]))];
    // Programs that are compiled last depend on most of the others, and take longest.
    let built = shell::output(build.stderr(Stdio::inherit()))?;
    commands.extend(programs(&built)?.into_iter().rev());
    if args.long {
        for (_, command) in &mut commands {
            command.env("WARPSWARM_LONG", "1");
        }
    }
    run_all(commands)?;
    if args.long {
        miri::run()?;
        fuzz::run(&fuzz::Args::all(300))?;
        dieharder::run()?;
    }
    Ok(())
}

/// The test programs in cargo's messages: a name, and the command that runs it in the folder of its package, as
/// `cargo test` does.
fn programs(messages: &str) -> Result<Vec<(String, Command)>> {
    let tests = shell::messages(messages).filter(|message| message["profile"]["test"] == true);
    let command = |message: Value| -> Option<(String, Command)> {
        let source = Path::new(message["target"]["src_path"].as_str()?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let mut command = Command::new(message["executable"].as_str()?);
        command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
        Some((source.strip_prefix(shell::root()).unwrap_or(source).display().to_string(), command))
    };
    let tests = tests.filter(|message| message["executable"].is_string());
    tests.map(|test| command(test).context("cargo describes a test incompletely")).collect()
}

/// Runs commands, [`AT_A_TIME`]. Prints the output of each when it has ended; returns an error that names all that
/// failed.
fn run_all(commands: Vec<(String, Command)>) -> Result<()> {
    let waiting = Mutex::new(commands.into_iter());
    let failed = Mutex::new(Vec::new());
    let next = || waiting.lock().expect("no thread panics").next();
    let work = || -> Result<()> {
        while let Some((name, mut command)) = next() {
            let start = Instant::now();
            let output = command.stdin(Stdio::null()).output().with_context(|| name.clone())?;
            let seconds = start.elapsed().as_secs_f64();
            let [said, errors] =
                [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
            println!("==== {name}, {seconds:.1} s\n{said}{errors}");
            if !output.status.success() {
                failed.lock().expect("no thread panics").push(name);
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    let failed = failed.into_inner().expect("no thread panics");
    ensure!(failed.is_empty(), "tests failed in {}", failed.join(", "));
    Ok(())
}

/// A cargo command for the whole workspace, with the features of its tests.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = shell::cargo(arguments);
    command.arg("--workspace");
    if has_mpi() {
        command.args(["--features", MPI]);
    }
    command
}

/// Whether programs that use MPI can be built and started.
fn has_mpi() -> bool {
    let there = |name| shell::succeeds(name, &["--version"]);
    there("mpirun") && there("mpicc") && has_libclang()
}

/// Whether bindings can be generated: looks for libclang (`libclang.so`, `libclang-14.so.1`, not `libclang-cpp.so`)
/// where distributions install it, or in the folder that the user has set.
fn has_libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    let is_it = |path: &Path| {
        folders(path).any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.strip_prefix("libclang").is_some_and(|rest| {
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                rest.starts_with(".so")
                    || rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(".so")
            })
        })
    };
    ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(Path::new).into_iter().any(|place| {
        let mut within = folders(place).map(|entry| entry.path());
        is_it(place) || within.any(|path| is_it(&path) || is_it(&path.join("lib")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_programs_are_found_in_cargos_messages() {
        let artifact = |test: bool, executable: &str| {
            let source = shell::root().join("crates/a/tests/b.rs");
            let manifest = shell::root().join("crates/a/Cargo.toml");
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":{manifest:?},\"target\":{{\"src_path\":{source:?}}},\
                \"profile\":{{\"test\":{test}}},\"executable\":{executable}}}\n"
            )
        };
        let messages = artifact(true, "\"/t/b-0\"")
            + &artifact(false, "\"/t/program\"")
            + &artifact(true, "null")
            + "{\"reason\":\"build-finished\",\"success\":true}\n";
        let found = programs(&messages).unwrap();
        let [(name, command)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(name, "crates/a/tests/b.rs");
        assert_eq!(command.get_program(), "/t/b-0");
        assert_eq!(command.get_current_dir(), Some(&*shell::root().join("crates/a")));
        assert!(programs("{\"profile\":{\"test\":true},\"executable\":\"/t/b-0\"}").is_err());
    }

    #[test]
    fn all_commands_run_and_those_that_fail_are_named() {
        let sh =
            |name: &str, script: &str| (name.to_owned(), shell::program("sh", &["-c", script]));
        assert!(run_all(vec![sh("a", "true"), sh("b", "true"), sh("c", "true")]).is_ok());
        let folder = tempfile::tempdir().unwrap();
        let mut last = sh("d", "touch ran");
        last.1.current_dir(folder.path());
        let error =
            run_all(vec![sh("b", "false"), sh("c", "exit 3"), last]).unwrap_err().to_string();
        assert!(error.ends_with("b, c") || error.ends_with("c, b"), "{error}");
        assert!(folder.path().join("ran").exists());
    }
}
