//! `cargo xtask reproduce`: compares our results with the tables and figures of a paper.
//!
//! Plots need libraries that no other task needs, so they are behind the feature `reproduce`. This
//! file builds xtask with that feature, and the program `warpswarm`, both optimised, and
//! runs them. Both are in `target/release`, and need nothing else:
//! copied to another machine, `xtask reproduce cpso` works there without cargo and sources.
//!
//! In `libcudaoptimize` each run has its own data and bounds, which the program's command line cannot express. So the
//! library in xtask executes these runs, and `warpswarm` only describes the machine.
//!
//! `notes` builds and runs two more programs, which are in the same folder.
//!
//! Each paper is a folder with the paper's numbers (`paper`), the runs, and their tables and figures,
//! which form a `page::Page`. Shared modules:
//!
//! * `program`: runs `warpswarm`; `measure`: times runs.
//! * `table`: tables as text and Markdown; `page`: prints and writes everything; `made`: date, machine, command and
//!   version.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

#[cfg(any(test, feature = "reproduce"))]
mod cmepso;
#[cfg(any(test, feature = "reproduce"))]
mod cpso;
#[cfg(any(test, feature = "reproduce"))]
mod fwa;
#[cfg(any(test, feature = "reproduce"))]
mod libcudaoptimize;
#[cfg(any(test, feature = "reproduce"))]
pub(crate) mod made;
#[cfg(any(test, feature = "reproduce"))]
mod measure;
#[cfg(any(test, feature = "reproduce"))]
mod notes;
#[cfg(any(test, feature = "reproduce"))]
pub(crate) mod page;
#[cfg(any(test, feature = "reproduce"))]
mod program;
#[cfg(any(test, feature = "reproduce"))]
pub(crate) mod table;

/// The paper to reproduce, and its options.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// The paper
    #[arg(value_enum)]
    paper: Paper,

    /// Do less of everything, in about two minutes: a part of the paper's iterations or runs, and a smaller
    /// budget
    #[arg(long)]
    quick: bool,

    /// The folder for tables and pictures [default: target/reproduce/ and the paper's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Where to run, except for runs that are serial for comparison; auto is the GPU if there is one, also for short
    /// runs
    #[arg(long, default_value = "auto")]
    backend: Backend,

    /// Seconds for the repetitions of one cell of a table; a cell that takes longer has fewer repetitions, and is
    /// marked. `inf` is no limit; notes has none [default: inf for cmepso, 60 for others; with --quick 1 for fwa,
    /// 6 for cpso and libcudaoptimize]
    #[arg(long, value_name = "SECONDS", value_parser = budget)]
    budget: Option<f64>,

    /// Write only the page and the pictures that it shows, as docs/papers/results has them
    #[arg(long)]
    page_only: bool,

    /// The commit that the page names [default: the one that git reports]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,

    /// The program to measure [default: `warpswarm` in the folder of this program]; libcudaoptimize is measured in this
    /// program, and asks the other only what the machine is
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Paper {
    /// CPSO, particle swarm optimisation with CUDA and a tree reduction
    Cpso,
    /// "A GPU-based parallel fireworks algorithm for optimization"
    Fwa,
    /// "A CUDA-based cooperative evolutionary multi-swarm optimization applied to engineering problems"
    Cmepso,
    /// "libCudaOptimize: an open source library of GPU-based metaheuristics"
    Libcudaoptimize,
    /// The notes "Particle Swarm Optimization", which put PSO into operations on matrices
    Notes,
}

impl Paper {
    /// The usual budget, in seconds.
    #[cfg(any(test, feature = "reproduce"))]
    fn budget(self, quick: bool) -> f64 {
        match (self, quick) {
            (Paper::Cmepso | Paper::Notes, _) => f64::INFINITY,
            (_, false) => 60.0,
            (Paper::Cpso | Paper::Libcudaoptimize, true) => 6.0,
            (Paper::Fwa, true) => 1.0,
        }
    }
}

/// As in `warpswarm solve --backend`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Backend {
    Auto,
    Gpu,
    Cpu,
    Emulator,
}

/// The word for this value on the command line.
fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
}

fn budget(text: &str) -> Result<f64, String> {
    let allowed = || "allowed: a number above 0, or inf".to_string();
    text.parse().ok().filter(|seconds: &f64| *seconds > 0.0).ok_or_else(allowed)
}

impl ReproduceArgs {
    fn folder(&self) -> PathBuf {
        let usual = || PathBuf::from("target/reproduce").join(word(self.paper));
        self.out.clone().unwrap_or_else(usual)
    }

    /// The command as typed in the repository, without the output folder.
    #[cfg(any(test, feature = "reproduce"))]
    fn command(&self) -> String {
        let mut command = format!("cargo xtask reproduce {}", word(self.paper));
        if self.quick {
            command.push_str(" --quick");
        }
        if !matches!(self.backend, Backend::Auto) {
            command.push_str(&format!(" --backend {}", word(self.backend)));
        }
        if let Some(seconds) = self.budget {
            command.push_str(&format!(" --budget {seconds}"));
        }
        command
    }
}

/// The options for the papers' modules.
#[cfg(any(test, feature = "reproduce"))]
#[derive(Clone, Debug)]
struct Options {
    quick: bool,
    /// As in `warpswarm solve --backend`, but never `auto`.
    backend: String,
    /// Seconds for the repetitions of one cell of a table; infinite for no limit.
    budget: f64,
}

/// Runs the measurements, and prints and writes tables and pictures.
#[cfg(any(test, feature = "reproduce"))]
pub(crate) fn run(args: &ReproduceArgs) -> Result<()> {
    let needless = matches!(args.paper, Paper::Notes) && args.budget.is_some();
    anyhow::ensure!(!needless, "{} takes no --budget: its runs are short", word(args.paper));
    let options = Options {
        quick: args.quick,
        backend: match args.backend {
            Backend::Auto if crate::shell::has_gpu() => word(Backend::Gpu),
            Backend::Auto => word(Backend::Cpu),
            named => word(named),
        },
        budget: args.budget.unwrap_or(args.paper.budget(args.quick)),
    };
    let program = program::Program::find(args.program.as_deref())?;
    let page = match args.paper {
        Paper::Cpso => cpso::reproduce(&options, &program)?,
        Paper::Fwa => fwa::reproduce(&options, &program)?,
        Paper::Cmepso => cmepso::reproduce(&options, &program)?,
        Paper::Libcudaoptimize => libcudaoptimize::reproduce(&options)?,
        Paper::Notes => notes::reproduce(&options, &program)?,
    };
    let commit = args.commit.clone().or_else(made::commit);
    let made = made::Made::now(args.command(), &options, &program, commit.as_deref())?;
    let (path, name) = (args.folder(), word(args.paper));
    page.publish(&made, page::Folder { path: &path, name: &name, page_only: args.page_only })
}

/// Builds xtask with the feature, and runs it with the same arguments.
#[cfg(not(any(test, feature = "reproduce")))]
pub(crate) fn run(args: &ReproduceArgs) -> Result<()> {
    use crate::shell;

    let build = |what: &[&str]| {
        let release = ["build", "--release", "--quiet", "--package"];
        shell::run(shell::cargo(&release).args(what))
    };
    if args.program.is_none() {
        build(&["warpswarm-cli"])?;
    }
    build(&["xtask", "--features", "reproduce"])?;
    if matches!(args.paper, Paper::Notes) {
        build(&["warpswarm-examples", "--bin", "matrix_pso"])?;
        build(&["warpswarm-benches", "--bin", "matrix_cublas"])?;
    }
    // Do not use `cargo run`, which would start in another folder: --out is relative to the current one.
    let mut command = std::process::Command::new(shell::target()?.join("release/xtask"));
    command.args(["reproduce", &word(args.paper), "--backend", &word(args.backend)]);
    command.arg("--out").arg(args.folder());
    for (is_given, flag) in [(args.quick, "--quick"), (args.page_only, "--page-only")] {
        if is_given {
            command.arg(flag);
        }
    }
    if let Some(commit) = &args.commit {
        command.args(["--commit", commit]);
    }
    if let Some(seconds) = args.budget {
        command.args(["--budget", &seconds.to_string()]);
    }
    if let Some(program) = &args.program {
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

    /// Whether tests may take long: `WARPSWARM_LONG=1` in the environment.
    pub(super) fn long() -> bool {
        std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1")
    }

    /// Runs a reproduction with a tiny time budget per cell; otherwise each would take minutes.
    fn comes_to_its_end(paper: &str) {
        let is_there = |name| program::beside(name).unwrap().is_file();
        if !is_there("warpswarm") || !is_there("matrix_pso") {
            // If the tests of all packages run, both programs have been built.
            assert!(std::env::var_os("CI").is_none(), "the programs are not there");
            return;
        }
        let out = tempfile::tempdir().unwrap();
        let budget = if paper == "notes" { "" } else { "--budget 0.02" };
        let folder = out.path().display();
        let text = format!(
            "xtask {paper} --quick --backend cpu --page-only --commit here --out {folder} {budget}"
        );
        run(&Program::try_parse_from(program::words(&text)).unwrap().args).unwrap();
        let page = std::fs::read_to_string(out.path().join(format!("{paper}.md"))).unwrap();
        assert!(page.contains(&format!("`cargo xtask reproduce {paper} --quick")), "{page}");
        assert!(page.matches("\n### ").count() >= 2, "{page}");
    }

    #[test]
    fn cpso_comes_to_its_end() {
        comes_to_its_end("cpso");
    }

    /// It takes half a minute, so it is tested only with `WARPSWARM_LONG=1` in the environment.
    #[test]
    fn fwa_comes_to_its_end() {
        if long() {
            comes_to_its_end("fwa");
        }
    }

    #[test]
    fn cmepso_comes_to_its_end() {
        comes_to_its_end("cmepso");
    }

    #[test]
    fn libcudaoptimize_comes_to_its_end() {
        comes_to_its_end("libcudaoptimize");
    }

    #[test]
    fn notes_come_to_their_end() {
        comes_to_its_end("notes");
    }

    #[test]
    fn the_command_line_is_as_documented() {
        let words = ["xtask", "cpso", "--quick", "--backend", "gpu", "--out", "there"];
        let Program { args } = Program::try_parse_from(words).unwrap();
        assert!(args.quick && matches!(args.backend, Backend::Gpu));
        assert_eq!(args.folder(), PathBuf::from("there"));
        assert_eq!(args.budget, None);
        assert_eq!(args.command(), "cargo xtask reproduce cpso --quick --backend gpu");
        assert!(Program::try_parse_from(["xtask", "other"]).is_err());
        let Program { args } = Program::try_parse_from(["xtask", "cpso"]).unwrap();
        assert_eq!(args.folder(), PathBuf::from("target/reproduce/cpso"));
        assert_eq!(word(args.backend), "auto");
    }
}
