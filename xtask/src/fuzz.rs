//! Fuzzes every reader of files. Inputs are chosen by libFuzzer according to code coverage, if a C++ compiler is
//! available to build it; otherwise they are random.
//!
//! The targets are tests that use bolero. `cargo bolero` would have to be installed, and builds whole packages. This
//! task builds only the programs with targets, with libFuzzer's instrumentation.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::gpu_test::executable;
use crate::shell;

/// Package, arguments that select the test program, its name in cargo's output, the module of the targets, and the
/// targets.
type Program = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// All programs and their targets. A target has a name for users, the name of its test, and further words.
const PROGRAMS: [Program; 2] = [
    (
        "fuzz",
        &["--test", "targets"],
        "targets",
        "",
        &[
            ("checkpoints", "checkpoint reader"),
            ("problem_files", "problem files"),
            ("ptx", "PTX cutter"),
            ("ptx_packages", "PTX packages"),
        ],
    ),
    (
        "warpswarm-cli",
        &["--lib"],
        "warpswarm_cli",
        "fuzz::",
        &[("command_lines", "command lines"), ("folders", "folders of runs")],
    ),
];

/// The compiler flags of `cargo bolero`.
const FLAGS: [&str; 8] = [
    "--cfg=fuzzing",
    "--cfg=fuzzing_libfuzzer",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-sanitizer-coverage-stack-depth",
];
/// The target triple for libFuzzer. With an explicit target, the flags do not apply to build scripts.
const TARGET: &str = "x86_64-unknown-linux-gnu";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How long each target is fuzzed
    #[arg(long, default_value = "300")]
    seconds: u64,
    /// Only this target
    #[arg(long)]
    target: Option<String>,
}

impl Args {
    /// All targets, each for this many seconds.
    pub(crate) fn all(seconds: u64) -> Args {
        Args { seconds, target: None }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let is_target = format!("{ARCH}-unknown-{OS}-gnu") == TARGET;
    let has_engine = is_target && shell::succeeds("c++", &["--version"]);
    if !has_engine {
        println!("fuzz: no C++ compiler on {TARGET}, so no libFuzzer: inputs are random");
    }
    let mut crashes = 0;
    for (package, program, called, module, targets) in PROGRAMS {
        let wanted = |name: &str| args.target.as_deref().is_none_or(|only| only == name);
        let targets = targets.iter().filter(|(name, _)| wanted(name));
        let mut built = None;
        for (name, words) in targets {
            let test = format!("{module}{name}");
            if !has_engine {
                let mut tests = shell::cargo(&["test", "--package", package]);
                tests.args(program).args(["--", "--exact", "--nocapture", &test]);
                shell::run(tests.env("WARPSWARM_FUZZ_SECONDS", args.seconds.to_string()))?;
                continue;
            }
            if built.is_none() {
                built = Some(build(package, program, called)?);
            }
            let program = built.as_deref().context("it is built")?;
            crashes += usize::from(!fuzz(program, (name, &test, words), args.seconds)?);
        }
    }
    if crashes > 0 {
        bail!("fuzz: {crashes} targets failed");
    }
    Ok(())
}

/// Builds a test program with libFuzzer.
fn build(package: &str, program: &[&str], name: &str) -> Result<PathBuf> {
    println!("building the targets of {package}");
    let mut cargo = shell::cargo(&["test", "--profile", "fuzz", "--target", TARGET, "--no-run"]);
    cargo.args(["--message-format=json-render-diagnostics", "--package", package]).args(program);
    // Without kernels, because the targets need no GPU.
    cargo.env("RUSTFLAGS", FLAGS.join(" ")).env("BOLERO_FUZZER", "libfuzzer");
    cargo.env("WARPSWARM_PTX", "off").env("CARGO_TARGET_DIR", shell::target()?.join("fuzz"));
    executable(&shell::output(&mut cargo)?, name)
}

/// Fuzzes one target, starting from its stored inputs and those of earlier runs. Returns whether no input failed.
fn fuzz(program: &Path, (name, test, words): (&str, &str, &str), seconds: u64) -> Result<bool> {
    let folder = shell::target()?.join("fuzz/corpus").join(name);
    let (corpus, crashes) = (folder.join("corpus"), folder.join("crashes"));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&crashes)?;
    let mut arguments = vec![
        corpus.display().to_string(),
        format!("-artifact_prefix={}/", crashes.display()),
        format!("-max_total_time={seconds}"),
        "-print_final_stats=1".to_string(),
        "-max_len=4096".to_string(),
        "-len_control=0".to_string(),
        "-timeout=10".to_string(),
        "-rss_limit_mb=3000".to_string(),
    ];
    for source in ["tests/fuzz/tests/targets", "crates/cli/src"] {
        let kept = shell::root().join(source).join("__fuzz__").join(test.replace("::", "__"));
        let kept = ["corpus", "crashes"].map(|which| kept.join(which));
        arguments.extend(
            kept.iter().filter(|kept| kept.exists()).map(|kept| kept.display().to_string()),
        );
    }
    println!("fuzzing {name} for {seconds} s");
    let mut command = Command::new(program);
    command.args([test, "--exact", "--nocapture", "--quiet", "--test-threads", "1"]);
    command.env("BOLERO_LIBFUZZER_ARGS", arguments.join(" ")).env("BOLERO_TEST_NAME", test);
    command.env("BOLERO_LIBTEST_HARNESS", "1").current_dir(shell::root());
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let inputs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let inputs = inputs.map_or("unknown", str::trim);
    println!("reliability: inputs fuzzed, {words} = {inputs}");
    println!("reliability: crashes found, {words} = {}", usize::from(!output.status.success()));
    if !output.status.success() {
        let lines: Vec<&str> = said.lines().collect();
        println!("{}", lines[lines.len().saturating_sub(60)..].join("\n"));
        println!("the input is in {}", crashes.display());
    }
    Ok(output.status.success())
}
