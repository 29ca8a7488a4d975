//! Measures microseconds per iteration on the GPU, in the folder created by `super::folder`, which contains this
//! program.
//!
//! * [`line`]: the output of programs; [`peers`]: the peers' programs; [`results`]: the table.
//! * [`targets`]: the time until a target is reached, compared with peers.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::GpuArgs as Args;
use super::publish;
use crate::shell;

mod line;
mod peers;
mod results;
mod targets;

use line::{Line, Measured};
use peers::{Compiling, PEERS, Peer, Said};
use results::Results;

/// Checks our program, then measures: ours, half of the peers, ours, the other half, ours.
pub(super) fn run(args: &Args) -> Result<()> {
    ensure!(shell::has_gpu(), "this machine has no NVIDIA GPU");
    let program = std::env::current_exe()?;
    let folder = program.parent().context("a program is in a folder")?;
    let out = args.out.as_deref().unwrap_or(folder);
    if args.choices {
        return aside(folder, &["schedules", "backends", "start-up"], out);
    }
    if args.devices {
        return aside(folder, &["devices"], out);
    }
    if args.growth {
        return aside(folder, &["growth"], out);
    }
    if args.targets {
        return targets::run(folder, args, out);
    }
    let asked: Vec<&Peer> =
        PEERS.iter().filter(|peer| !args.no_peers && peer.is_asked(args)).collect();
    let compiling = Compiling::begin(folder, &asked)?;
    shell::run(&mut ours(folder, args, &["--check"]))?;
    let failed = Said { versions: None, lines: compiling.end() };

    let mut results = Results { device: device(), quick: args.quick, ..Results::default() };
    let mut said = vec![failed];
    let (first, second) = asked.split_at(asked.len().div_ceil(2));
    for peers in [first, second, &[]] {
        results.ours.push(measure(folder, args)?);
        for peer in peers {
            eprintln!("{}", peer.name);
            said.push(peer.measure(folder, args));
        }
    }
    results.peers = (!args.no_peers).then_some(said);
    publish(out, &results.table(), &results.records())
}

/// Runs our program's other measurements, which are not in the table, as CSV; prints its summary.
fn aside(folder: &Path, all: &[&str], out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    for what in all {
        let text = shell::output(Command::new(folder.join("gpu")).arg(format!("--{what}")))?;
        text.lines().filter(|line| line.starts_with('#')).for_each(|line| println!("{line}"));
        let path = out.join(what).with_extension("csv");
        fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("written to {} as CSV", out.display());
    Ok(())
}

/// The command for our program.
fn ours(folder: &Path, args: &Args, words: &[&str]) -> Command {
    let mut command = Command::new(folder.join("gpu"));
    command.args(words);
    if !args.only.is_empty() {
        command.args(["--only", &args.only.join(",")]);
    }
    command
}

/// Measures one round of our program.
fn measure(folder: &Path, args: &Args) -> Result<Vec<Measured>> {
    let mut command = ours(folder, args, if args.quick { &["--quick"] } else { &[] });
    let text = shell::output(&mut command)?;
    eprint!("{text}");
    text.lines()
        .filter_map(Line::read)
        .map(|line| match line {
            Line::Measured(measured) => Ok(measured),
            Line::Missing { what, why } => anyhow::bail!("{what}: {why}"),
        })
        .collect()
}

/// The names of the first GPU and of its driver.
fn device() -> String {
    let query = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
    let said = shell::output(&mut shell::program("nvidia-smi", &query)).unwrap_or_default();
    match said.lines().next().and_then(|line| line.split_once(", ")) {
        Some((name, driver)) => format!("{name} (driver {driver})"),
        None => "this machine's GPU".into(),
    }
}
