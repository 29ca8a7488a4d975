//! `cargo xtask reproduce`: a paper's tables and figures, ours beside theirs.
//!
//! Drawing needs libraries that no other task needs, so it is behind the feature `reproduce`: this
//! file builds the program with that feature, and the program `warpswarm`, both optimised, and
//! runs them. The two lie side by side in `target/release`, and nothing else is needed to run them:
//! copied to another machine, `xtask reproduce cpso` works there without cargo and sources.
//!
//! The runs of `libcudaoptimize` have data and bounds of their own, which nobody can say on the program's command line: they
//! are carried out by the library in this program, and `warpswarm` only says what the machine is.
//!
//! `notes` runs two more programs, which it builds, and which lie in the same folder.
//!
//! Each paper is a folder with the paper's numbers (`paper`), what is run, and tables and figures of
//! it, which are a `page::Page`. What they share:
//!
//! * `program`: running `warpswarm`; `measure`: how long things take.
//! * `table`: tables as text and Markdown; `page`: printing and writing all; `made`: when, where and by what.

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

/// What to reproduce, and how thoroughly.
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

/// The word that means this on the command line.
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

    /// As one types it in the repository, but for where its output goes.
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

/// The arguments, as the papers' modules want them.
#[cfg(any(test, feature = "reproduce"))]
#[derive(Clone, Debug)]
struct Options {
    quick: bool,
    /// As in `warpswarm solve --backend`, but never `auto`.
    backend: String,
    /// Seconds for the repetitions of one cell of a table; infinite for no limit.
    budget: f64,
}

/// Measures, prints, and writes tables and pictures.
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

/// Builds what measures, prints and draws, and runs it with the same arguments.
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
    // Not through `cargo run`, which would start in another folder: --out is relative to ours.
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

    /// To its end, with hardly any time for a cell: otherwise each takes minutes for the least that it does.
    fn comes_to_its_end(paper: &str) {
        let is_there = |name| program::beside(name).unwrap().is_file();
        if !is_there("warpswarm") || !is_there("matrix_pso") {
            // The tests of all packages build both.
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

    #[test]
    fn fwa_comes_to_its_end() {
        comes_to_its_end("fwa");
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
