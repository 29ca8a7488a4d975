//! Builds a folder with everything that the GPU tests need. It can be copied to a machine without Rust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// The largest size of the folder, in bytes, so that it can be copied quickly. It has two programs, each with every
/// kernel both as PTX and for the emulator.
const MOST_BYTES: u64 = 200_000_000;
const RUN_SH: &str = include_str!("gpu_test/run.sh");

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Build target/gpu-test and run nothing
    #[arg(long)]
    build_only: bool,
    /// Also run the tests with `sanitize` in their name under NVIDIA's compute-sanitizer
    #[arg(long)]
    sanitize: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = build()?;
    if args.build_only {
        return Ok(());
    }
    let mut run = Command::new(folder.join("run.sh"));
    shell::run(run.args(args.sanitize.then_some("--sanitize")))
}

fn build() -> Result<PathBuf> {
    let target = shell::target()?;
    let folder = target.join("gpu-test");
    shell::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let mut test = shell::cargo(&["test", "--release", "--package", "warpswarm-tests"]);
    test.args(["--features", "gpu", "--test", "gpu", "--no-run"]);
    test.arg("--message-format=json-render-diagnostics");
    println!("building the tests and the program");
    let tests = executable(&shell::output(&mut test)?, "gpu")?;
    shell::run(&mut shell::cargo(&["build", "--release", "--package", "warpswarm-cli"]))?;

    copy_stripped(&tests, &folder.join("gpu"))?;
    copy_stripped(&target.join("release/warpswarm"), &folder.join("warpswarm"))?;
    fs::write(folder.join("run.sh"), RUN_SH)?;
    shell::output(Command::new("chmod").arg("755").arg(folder.join("run.sh")))?;
    let bytes = size(&folder)?;
    println!("{}: {:.1} MB", folder.display(), bytes as f64 / 1e6);
    if bytes > MOST_BYTES {
        bail!("that is more than {} MB", MOST_BYTES / 1_000_000);
    }
    Ok(folder)
}

/// The path of the program that cargo built for a target, from its messages.
pub(crate) fn executable(messages: &str, target: &str) -> Result<PathBuf> {
    shell::messages(messages)
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| message["target"]["name"] == target)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .with_context(|| format!("cargo built no program for the target {target}"))
}

/// Copies a program without debug information, which is most of its size.
pub(crate) fn copy_stripped(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    if shell::output(Command::new("strip").arg("--strip-debug").arg(to)).is_err() {
        println!("`strip` is missing; {} keeps its debug information", to.display());
    }
    Ok(())
}

fn size(folder: &Path) -> Result<u64> {
    fs::read_dir(folder)?.map(|file| Ok(file?.metadata()?.len())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_in_cargos_messages() {
        let messages = "\
{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"gpu\"},\"executable\":null}
{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"other\"},\"executable\":\"/t/other\"}
{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"gpu\"},\"executable\":\"/t/gpu-0\"}
{\"reason\":\"build-finished\",\"success\":true}
";
        assert_eq!(executable(messages, "gpu").unwrap(), Path::new("/t/gpu-0"));
        assert!(executable(messages, "none").is_err());
    }
}
