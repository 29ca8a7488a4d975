//! `cargo xtask reproduce`: a paper's tables and figures, ours beside theirs.
//!
//! Drawing needs libraries that no other task needs, so it is behind the feature `reproduce`: this
//! file builds the program with that feature, and the program `warpswarm`, both optimised, and
//! runs them. The two lie side by side in `target/release`, and nothing else is needed to run them:
//! copied to another machine, `xtask reproduce cpso` works there without cargo and sources.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

#[cfg(any(test, feature = "reproduce"))]
mod cpso;

/// What to reproduce, and how thoroughly.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// The paper; cpso is "CPSO: particle swarm optimization with CUDA and tree reduction"
    #[arg(value_enum)]
    paper: Paper,

    /// At most 10,000 iterations per repetition, a tenth of the paper's, and a tenth of the budget
    #[arg(long)]
    quick: bool,

    /// Where tables and pictures go
    #[arg(long, value_name = "DIR", default_value = "target/reproduce/cpso")]
    out: PathBuf,

    /// Where CPSO runs
    #[arg(long, default_value = "auto")]
    backend: Backend,

    /// Seconds for the ten repetitions of one algorithm with one number of particles; what takes
    /// longer does fewer iterations, is scaled, and marked as scaled. `inf` is no limit [default:
    /// 60, with --quick 6]
    #[arg(long, value_name = "SECONDS", value_parser = budget)]
    budget: Option<f64>,

    /// The program to measure [default: `warpswarm` in the folder of this program]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Paper {
    Cpso,
}

/// As in `warpswarm solve --backend`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Backend {
    Auto,
    Gpu,
    Cpu,
    Emulator,
}

impl Backend {
    fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Gpu => "gpu",
            Backend::Cpu => "cpu",
            Backend::Emulator => "emulator",
        }
    }
}

fn budget(text: &str) -> Result<f64, String> {
    let allowed = || "allowed: a number above 0, or inf".to_string();
    text.parse().ok().filter(|seconds: &f64| *seconds > 0.0).ok_or_else(allowed)
}

/// Measures, prints, and writes tables and pictures.
#[cfg(any(test, feature = "reproduce"))]
pub(crate) fn run(args: &ReproduceArgs) -> Result<()> {
    match args.paper {
        Paper::Cpso => cpso::run(args),
    }
}

/// Builds what measures, prints and draws, and runs it with the same arguments.
#[cfg(not(any(test, feature = "reproduce")))]
pub(crate) fn run(args: &ReproduceArgs) -> Result<()> {
    use crate::shell;

    let ReproduceArgs { paper: Paper::Cpso, quick, out, backend, budget, program } = args;
    let build = |what: &[&str]| {
        let release = ["build", "--release", "--quiet", "--package"];
        shell::run(shell::cargo(&release).args(what))
    };
    if program.is_none() {
        build(&["warpswarm-cli"])?;
    }
    build(&["xtask", "--features", "reproduce"])?;
    // Not through `cargo run`, which would start in another folder: --out is relative to ours.
    let mut command = std::process::Command::new(shell::target()?.join("release/xtask"));
    command.args(["reproduce", "cpso", "--backend", backend.name()]);
    command.arg("--out").arg(out);
    if *quick {
        command.arg("--quick");
    }
    if let Some(seconds) = budget {
        command.args(["--budget", &seconds.to_string()]);
    }
    if let Some(program) = program {
        command.arg("--program").arg(program);
    }
    shell::run(&mut command)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        args: ReproduceArgs,
    }

    #[test]
    fn the_budget_is_a_time() {
        for (text, good) in
            [("1.5", true), ("inf", true), ("0", false), ("nan", false), ("x", false)]
        {
            assert_eq!(budget(text).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn the_command_line_is_as_documented() {
        let words = ["xtask", "cpso", "--quick", "--backend", "gpu", "--out", "there"];
        let Program { args } = Program::try_parse_from(words).unwrap();
        assert!(args.quick && matches!(args.backend, Backend::Gpu));
        assert_eq!(args.out, PathBuf::from("there"));
        assert_eq!(args.budget, None);
        assert!(Program::try_parse_from(["xtask", "other"]).is_err());
    }
}
