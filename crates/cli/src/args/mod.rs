//! The command line as plain data: the arguments of each command. These modules do not execute the commands.
//!
//! Most files contain the arguments of one command. The modules `output`, `islands` and `plot` contain groups of options;
//! `values` parses their values.

mod again;
mod check;
mod compare;
mod doctor;
mod fit;
mod islands;
mod list;
mod new;
mod output;
mod plot;
mod report;
mod shell;
mod solve;
mod tune;
mod values;

use clap::{Parser, Subcommand};

pub(crate) use again::{CheckpointArgs, PlaceArgs, RerunArgs, ResumeArgs};
pub(crate) use check::CheckArgs;
pub(crate) use compare::{CommonArgs, CompareArgs};
pub(crate) use doctor::DoctorArgs;
pub(crate) use fit::FitArgs;
pub(crate) use islands::IslandArgs;
pub(crate) use list::{ListArgs, Listed};
pub(crate) use new::NewArgs;
pub(crate) use output::{Every, OutputArgs, ProgressKind};
pub(crate) use plot::{Named, OfComparison, OfFolders, Plot};
pub(crate) use report::ReportArgs;
pub(crate) use shell::{CompletionsArgs, ManArgs};
pub(crate) use solve::SolveArgs;
pub(crate) use tune::TuneArgs;

/// Minimises functions with population-based methods on NVIDIA GPUs and CPUs, with the same numbers on both.
#[derive(Debug, Parser)]
#[command(name = "warpswarm", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --dim 30
  warpswarm solve rastrigin --out first
  warpswarm rerun first
  warpswarm fit my-model.toml data.csv
  warpswarm list problems
  warpswarm new my-fit
  warpswarm doctor

Exit codes: 0 done; 1 failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP), after printing the best so far.

`warpswarm COMMAND --help` describes a command and all its options; -h prints a short version.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Minimise a problem
    #[command(after_help = solve::EXAMPLES)]
    Solve(Box<SolveArgs>),
    /// Fit a model to one or many data sets, with standard errors of the parameters
    #[command(after_help = fit::EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Check a problem for mistakes before a long run
    #[command(after_help = check::EXAMPLES)]
    Check(CheckArgs),
    /// Repeat a run from a folder that --out wrote, and compare it bit by bit
    #[command(after_help = again::RERUN_EXAMPLES)]
    Rerun(RerunArgs),
    /// Continue a run from a checkpoint
    #[command(after_help = again::RESUME_EXAMPLES)]
    Resume(Box<ResumeArgs>),
    /// Show what a checkpoint contains: which run, how far it is, and how to resume it
    #[command(after_help = again::CHECKPOINT_EXAMPLES)]
    Checkpoint(CheckpointArgs),
    /// Write a small Rust crate with an objective of your own
    #[command(after_help = new::EXAMPLES)]
    New(NewArgs),
    /// Compare algorithms and their settings on problems over many runs, with statistics
    #[command(after_help = compare::EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Search for good parameters of an algorithm on given problems
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<TuneArgs>),
    /// List problems or algorithms
    #[command(after_help = list::EXAMPLES)]
    List(ListArgs),
    /// Make a web page of run folders, with charts and tables
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArgs),
    /// Show what this machine and this build can do, and how to install what is missing
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(DoctorArgs),
    /// Install the compiler for GPU objectives: a dated nightly with rustup, or Debian's packages
    #[command(after_help = "Examples:\n  warpswarm setup")]
    Setup,
    /// Write the completions for a shell
    #[command(after_help = shell::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(after_help = shell::MAN_EXAMPLES)]
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm::{Backend, Precision, Schedule};

    fn solve(words: &[&str]) -> Result<SolveArgs, String> {
        let words = ["warpswarm", "solve", "sphere"].iter().chain(words);
        match Arguments::try_parse_from(words) {
            Ok(Arguments { command: Command::Solve(args) }) => Ok(*args),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn defaults() {
        let args = solve(&[]).unwrap();
        assert_eq!((args.dim, args.individuals, args.runs, args.seed), (None, None, 1, 0));
        assert_eq!(args.backend, Backend::Auto);
        assert_eq!((args.schedule, args.block_size), (Schedule::Auto, None));
        assert_eq!(args.precision, Precision::F64);
        assert_eq!((args.iterations, args.threads, args.lower), (None, None, None));
        assert_eq!(args.shift, 0.0);
    }

    #[test]
    fn negative_numbers_are_values_not_options() {
        let args = solve(&["--lower", "-5.5", "--upper", "-1e0", "--shift", "-2", "--target=-inf"]);
        let args = args.unwrap();
        assert_eq!((args.lower, args.upper, args.shift), (Some(-5.5), Some(-1.0), -2.0));
        assert_eq!(args.target, Some(f64::NEG_INFINITY));
    }

    #[test]
    fn parameters_are_split_at_the_first_equals_sign() {
        let args = solve(&["--set", "preset=cpso-paper", "--set", "a=b=c"]).unwrap();
        let pair = |k: &str, v: &str| (k.to_string(), v.to_string());
        assert_eq!(args.parameters, [pair("preset", "cpso-paper"), pair("a", "b=c")]);
    }

    #[test]
    fn errors_name_the_option_the_value_and_what_is_allowed() {
        let check = |words: &[&str], parts: &[&str]| {
            let message = solve(words).unwrap_err();
            for part in parts {
                assert!(message.contains(part), "{part:?} is not in {message:?}");
            }
        };
        check(&["--dim", "0"], &["--dim", "'0'", "allowed: a whole number from 1 to 4193280"]);
        check(&["--dim", "-3"], &["--dim", "'-3'", "from 1"]);
        check(&["--dim", "2.5"], &["--dim", "'2.5'", "from 1"]);
        check(&["--individuals", "0"], &["--individuals", "'0'", "from 1"]);
        check(&["--runs", "0"], &["--runs", "'0'", "from 1"]);
        check(&["--lower", "NaN"], &["--lower", "'NaN'", "allowed: a finite number"]);
        check(&["--upper", "-inf"], &["--upper", "'-inf'", "allowed: a finite number"]);
        check(&["--target", "nan"], &["--target", "'nan'", "not NaN"]);
        check(&["--seconds", "-1"], &["--seconds", "'-1'", "at least 0"]);
        check(&["--seconds", "nan"], &["--seconds", "'nan'", "at least 0"]);
        check(&["--seconds", "1e400"], &["--seconds", "'1e400'", "a finite number"]);
        check(&["--stagnation", "0"], &["--stagnation", "'0'", "from 1"]);
        check(&["--seed", "-1"], &["--seed", "'-1'", "from 0 to 18446744073709551615"]);
        check(&["--threads", "0"], &["--threads", "'0'", "from 1 to 65536"]);
        check(&["--set", "inertia"], &["--set", "'inertia'", "KEY=VALUE"]);
        check(&["--set", "=1"], &["--set", "'=1'", "KEY=VALUE"]);
        check(&["--backend", "cuda"], &["--backend", "'cuda'", "auto, cpu, gpu, emulator"]);
        check(&["--schedule", "fast"], &["--schedule", "'fast'", "stepwise, resident, streaming"]);
        check(&["--precision", "f16"], &["--precision", "'f16'", "f32, f64"]);
        for wrong in ["0", "31", "33", "48", "1056", "4096", "-32", "32.0", "4294967328"] {
            let shown = format!("'{wrong}'");
            let allowed = "allowed: a multiple of 32 from 32 to 1024";
            check(&["--block-size", wrong], &["--block-size", &shown, allowed]);
        }
    }

    #[test]
    fn every_block_of_whole_warps_can_be_asked_for() {
        for threads in (32..=1024).step_by(32) {
            let args = solve(&["--block-size", &threads.to_string()]).unwrap();
            assert_eq!(args.block_size, Some(threads));
        }
    }
}
