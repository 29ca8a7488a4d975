//! Measures the reliability of the library.
//!
//! Tests that measure a number print a line `reliability: NAME = NUMBER`. This task runs these tests on the CPU and in
//! the emulator, and collects the lines. `gpu-test` prints those of tests that need a GPU.

mod planted;

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

use crate::{shell, tidy};

const LINE: &str = "reliability: ";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds in which random configurations are created, run, interrupted, continued and dropped
    #[arg(long, default_value = "3600")]
    soak_seconds: u64,
    /// How long each reader of files is fuzzed
    #[arg(long, default_value = "300")]
    fuzz_seconds: u64,
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Plant these faults alone, by their numbers
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    plant: Option<Vec<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Unsafe code, counted
    Unsafe,
    /// Calls to devices and for files that fail, deadlines, Ctrl-C, optimisers made and dropped
    Faults,
    /// Faults in the kernels that the tests must notice
    Planted,
    /// Random inputs
    Fuzz,
    /// Random configurations
    Soak,
}

/// Tests that print numbers: package, arguments that select the test program, and a part of their names.
const TESTS: [(&str, &[&str], &str); 5] = [
    ("warpswarm-tests", &["--test", "faults"], ""),
    ("warpswarm-tests", &["--test", "lifetimes"], ""),
    ("warpswarm", &["--test", "all"], "running::"),
    ("warpswarm-cli", &["--lib"], "folder::"),
    ("warpswarm-cli", &["--test", "all"], "interrupt"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let in_turn = |parts: &[Part]| -> Vec<Outcome> {
        let wanted = |part: &&Part| args.only.is_empty() || args.only.contains(part);
        parts.iter().filter(wanted).map(|&part| outcome(part, args)).collect()
    };
    // `Faults` has time limits, so it runs before the parallel parts. Random configurations take an hour on one thread.
    let mut outcomes = in_turn(&[Part::Unsafe, Part::Faults]);
    thread::scope(|scope| {
        let soak = scope.spawn(|| in_turn(&[Part::Soak]));
        outcomes.extend(in_turn(&[Part::Fuzz, Part::Planted]));
        outcomes.extend(soak.join().map_err(|_| anyhow!("the soak's thread panicked"))?);
        anyhow::Ok(())
    })?;
    let figures: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.figures).collect();
    let width = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    println!("== figures");
    figures.iter().for_each(|(name, number)| println!("{name:width$}  {number}"));
    let failed: Vec<_> = outcomes.into_iter().filter_map(|outcome| outcome.failed).collect();
    if !failed.is_empty() {
        bail!("{}", failed.join("; "));
    }
    Ok(())
}

/// Measured numbers by name.
type Figures = Vec<(String, String)>;

/// The result of a part: the figures that it found, even if it failed later.
struct Outcome {
    figures: Figures,
    failed: Option<String>,
}

fn outcome(part: Part, args: &Args) -> Outcome {
    println!("== {part:?}");
    let mut figures = Vec::new();
    let done = find(part, args, &mut figures);
    let failed = done.err().map(|error| format!("{part:?}: {error:#}"));
    Outcome { figures, failed }
}

fn find(part: Part, args: &Args, figures: &mut Figures) -> Result<()> {
    match part {
        Part::Unsafe => {
            for (package, count) in tidy::unsafe_counts()? {
                let name = format!("unsafe blocks, functions and implementations, {package}");
                figures.push((name, count.to_string()));
            }
            Ok(())
        }
        Part::Fuzz => {
            let mut fuzz = Command::new(env::current_exe()?);
            fuzz.args(["fuzz", "--seconds", &args.fuzz_seconds.to_string()]);
            listen(&mut fuzz, figures)
        }
        Part::Faults => TESTS.iter().try_for_each(|(package, program, tests)| {
            listen(test(package, program).args(["--", "--nocapture", tests]), figures)
        }),
        Part::Soak => {
            let seconds = args.soak_seconds.to_string();
            let mut soak = test("warpswarm-tests", &["--test", "soak"]);
            soak.env("WARPSWARM_SOAK_SECONDS", seconds).args(["--", "--nocapture"]);
            listen(&mut soak, figures)
        }
        Part::Planted => {
            let outcome = planted::run(args.plant.as_deref())?;
            outcome.missed.iter().for_each(|missed| println!("not noticed: {missed}"));
            figures.push(("faults planted in kernels".into(), outcome.planted.to_string()));
            figures.push(("faults noticed in kernels".into(), outcome.caught.to_string()));
            Ok(())
        }
    }
}

fn test(package: &str, program: &[&str]) -> Command {
    let mut command = shell::cargo(&["test", "--package", package]);
    command.args(program);
    command
}

/// Runs a command, shows its output, and collects the figures in it. There must be at least one.
fn listen(command: &mut Command, figures: &mut Figures) -> Result<()> {
    let before = figures.len();
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    for line in BufReader::new(child.stdout.take().context("it is piped")?).lines() {
        let line = line?;
        println!("{line}");
        figures.extend(figure(&line));
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    if figures.len() == before {
        bail!("{command:?}: printed no figure");
    }
    Ok(())
}

/// The figure in a line; the name of a test may precede it.
fn figure(line: &str) -> Option<(String, String)> {
    let (_, figure) = line.split_once(LINE)?;
    let (name, number) = figure.split_once(" = ")?;
    Some((name.into(), number.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_behind_names_of_tests() {
        let pair = |name: &str, number: &str| Some((name.to_owned(), number.to_owned()));
        assert_eq!(figure("reliability: leaks = 0"), pair("leaks", "0"));
        assert_eq!(
            figure("test soak ... reliability: soak, hours = 1.0"),
            pair("soak, hours", "1.0")
        );
        assert_eq!(figure("test soak ... ok"), None);
    }
}
