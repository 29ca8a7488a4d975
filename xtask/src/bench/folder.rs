//! Creates the folder for measurements on a GPU. It can be copied to a machine without Rust and network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::GpuArgs;
use crate::gpu_test::copy_stripped;
use crate::shell;

const RUN_SH: &str = include_str!("run.sh");
/// The peers from PyPI, with fixed versions, so that tables are comparable. Their dependencies come with JAX and
/// PyTorch.
const PACKAGES: [&str; 4] = ["evox==1.4.0", "evosax==0.3.2", "dotmap==1.3.30", "cma==4.5.0"];
const PYTHON: [&str; 6] =
    ["gpu.py", "jax_pso.py", "torch_pso.py", "evox_pso.py", "evosax_pso.py", "targets.py"];

#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct FolderArgs {
    /// The folder that is made [default: target/bench/gpu]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Make the folder and run nothing
    #[arg(long)]
    build_only: bool,
}

pub(super) fn run(args: &GpuArgs) -> Result<()> {
    let folder = match &args.folder.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => shell::target()?.join("bench/gpu"),
    };
    make(&folder)?;
    if args.folder.build_only {
        return Ok(());
    }
    let mut run = Command::new(folder.join("run.sh"));
    run.args(args.quick.then_some("--quick")).args(args.no_peers.then_some("--no-peers"));
    run.args(args.choices.then_some("--choices")).args(args.devices.then_some("--devices"));
    run.args(args.growth.then_some("--growth")).args(args.targets.then_some("--targets"));
    if !args.only.is_empty() {
        run.arg("--only").args(&args.only);
    }
    if let Some(out) = &args.out {
        run.arg("--out").arg(out);
    }
    shell::run(&mut run)
}

fn make(folder: &Path) -> Result<()> {
    let build =
        |what: &[&str]| shell::run(shell::cargo(&["build", "--release", "--package"]).args(what));
    build(&["warpswarm-benches", "--bin", "gpu"])?;
    build(&["xtask", "--features", "reproduce"])?;
    let (peers, cuda) = (folder.join("peers"), folder.join("cuda"));
    for folder in [&peers, &cuda] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    for program in ["gpu", "xtask"] {
        copy_stripped(&shell::target()?.join("release").join(program), &folder.join(program))?;
    }
    let benches = shell::root().join("benches");
    for file in PYTHON {
        copy(&benches.join("peers").join(file), &peers)?;
    }
    for file in fs::read_dir(benches.join("cuda"))? {
        copy(&file?.path(), &cuda)?;
    }
    packages(&peers.join("site"));
    let script = folder.join("run.sh");
    fs::write(&script, RUN_SH)?;
    shell::output(Command::new("chmod").arg("755").arg(&script))?;
    println!("{}: copy it to a machine with a GPU and call run.sh", folder.display());
    Ok(())
}

fn copy(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("a file has a name")?;
    fs::copy(file, folder.join(name)).with_context(|| file.display().to_string())?;
    Ok(())
}

/// Installs the packages. They contain no machine code, so they run on any machine.
fn packages(site: &Path) {
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    let mut pip = Command::new("python3");
    pip.args(install).args(["--no-deps", "--upgrade", "--target"]).arg(site).args(PACKAGES);
    if let Err(error) = shell::run(&mut pip) {
        println!("without EvoX, evosax and pycma: {error:#}");
    }
}
