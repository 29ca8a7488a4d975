//! The peers: programs in the folder, which are compiled and run there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use super::Args;
use super::line::Line;
use crate::shell;

/// A peer's program.
#[derive(Debug)]
pub(super) struct Peer {
    /// The heading of its column.
    pub(super) name: &'static str,
    /// The prefix of its systems' names.
    pub(super) prefix: &'static str,
    file: &'static str,
    cases: &'static [&'static str],
    /// The time limit for all cases. All peers and our program take at most six minutes. Python programs skip cases for
    /// which there is no time; CUDA programs are terminated.
    seconds: u32,
}

const PAPER: &[&str] = &["cpso_paper"];
const PSO: &[&str] =
    &["n32_d2", "n1k_d2", "n64k_d2", "n768_d30", "n64k_d30", "n1m_d100", "batch1000"];
const CUDA: &[&str] = &[
    "cpso_paper",
    "n32_d2",
    "n1k_d2",
    "n64k_d2",
    "n768_d30",
    "n64k_d30",
    "n1m_d100",
    "batch1000",
    "n64k_d30_f64",
    "n1m_d100_f64",
    "batch1000_f64",
];

/// All peers, in the order of execution and of their columns.
pub(super) const PEERS: [Peer; 6] = [
    peer("CUDA C++ by hand", "cuda", "fused.cu", CUDA, 30),
    peer("CPSO paper's kernels", "paper", "paper.cu", PAPER, 45),
    peer("JAX by hand", "jax", "jax_pso.py", PSO, 60),
    peer("PyTorch by hand", "torch", "torch_pso.py", PSO, 65),
    peer("EvoX", "evox", "evox_pso.py", PSO, 80),
    peer("evosax", "evosax", "evosax_pso.py", PSO, 50),
];

const fn peer(
    name: &'static str,
    prefix: &'static str,
    file: &'static str,
    cases: &'static [&'static str],
    seconds: u32,
) -> Peer {
    Peer { name, prefix, file, cases, seconds }
}

/// The output of a peer.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// Its versions and its device.
    pub(super) versions: Option<String>,
    pub(super) lines: Vec<Line>,
}

/// The running compilers.
#[derive(Debug)]
pub(super) struct Compiling(Vec<(&'static Peer, Result<Child>)>);

impl Compiling {
    /// Starts the compiler for each peer in CUDA.
    pub(super) fn begin(folder: &Path, peers: &[&'static Peer]) -> Result<Compiling> {
        // Remove old programs, which would otherwise be used if the compiler fails.
        let build = folder.join("build");
        shell::remove(&build)?;
        std::fs::create_dir_all(&build)?;
        let begin = |peer: &'static Peer| {
            let program = peer.program(folder)?;
            let mut compiler = Command::new("nvcc");
            compiler.args(["-O3", "-std=c++17", "-arch=sm_90", "-o"]).arg(program);
            compiler.arg(folder.join("cuda").join(peer.file));
            let child = compiler.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
            Some((peer, child.context("cannot start nvcc")))
        };
        Ok(Compiling(peers.iter().copied().filter_map(begin).collect()))
    }

    /// Waits for the compilers; returns the peers that did not compile.
    pub(super) fn end(self) -> Vec<Line> {
        let failed = |(peer, child): (&'static Peer, Result<Child>)| {
            let done = child.and_then(|child| {
                let output = child.wait_with_output()?;
                ensure!(output.status.success(), "{}", last_words(&output));
                Ok(())
            });
            let error = done.err()?;
            Some(Line::Missing { what: peer.name.into(), why: format!("{error:#}") })
        };
        self.0.into_iter().filter_map(failed).collect()
    }
}

impl Peer {
    /// Its cases among the requested ones, with the peer's names: for peers, DE is a system and not a case.
    fn cases(&self, args: &Args) -> Vec<&'static str> {
        let asked = |case: &&str| {
            let is = |name: &String| name == case || name.strip_prefix("de_") == Some(case);
            args.only.is_empty() || args.only.iter().any(is)
        };
        self.cases.iter().copied().filter(asked).collect()
    }

    /// Whether any of its cases is requested.
    pub(super) fn is_asked(&self, args: &Args) -> bool {
        !self.cases(args).is_empty()
    }

    /// The path of its program, if it has to be compiled.
    fn program(&self, folder: &Path) -> Option<PathBuf> {
        Some(folder.join("build").join(self.file.strip_suffix(".cu")?))
    }

    /// Runs the peer. Cases that it cannot measure also have a line.
    pub(super) fn measure(&self, folder: &Path, args: &Args) -> Said {
        let mut command = Command::new("timeout");
        if let Some(program) = self.program(folder) {
            if !program.is_file() {
                return Said::default();
            }
            command.arg(self.seconds.to_string()).arg(program);
        } else {
            // Allow 20 s to finish the current case.
            command.arg((self.seconds + 20).to_string()).arg("python3");
            command.arg(folder.join("peers").join(self.file));
            command.args(["--budget", &self.seconds.to_string()]);
        }
        command.args(args.quick.then_some("--quick"));
        command.args(["--only", &self.cases(args).join(",")]);
        match command.stdin(Stdio::null()).output() {
            Ok(output) => self.said(&output),
            Err(error) => Said { versions: None, lines: vec![self.missing(&error.to_string())] },
        }
    }

    fn said(&self, output: &Output) -> Said {
        let text = String::from_utf8_lossy(&output.stdout);
        eprint!("{text}");
        let mut lines: Vec<Line> = text.lines().filter_map(Line::read).collect();
        if output.status.code() == Some(124) {
            lines.push(self.missing("its time was over"));
        } else if !output.status.success() {
            lines.push(self.missing(&last_words(output)));
        }
        let versions = text.lines().find_map(|line| line.strip_prefix("# "));
        Said { versions: versions.map(String::from), lines }
    }

    fn missing(&self, why: &str) -> Line {
        Line::Missing { what: self.name.into(), why: why.into() }
    }
}

/// The last line of its error output, or its exit status.
pub(super) fn last_words(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rfind(|line| !line.trim().is_empty());
    last.map_or_else(|| output.status.to_string(), |line| line.trim().into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn output(status: i32, stdout: &str, stderr: &str) -> Output {
        let (stdout, stderr) = (stdout.into(), stderr.into());
        Output { status: ExitStatus::from_raw(status << 8), stdout, stderr }
    }

    fn missing(what: &str, why: &str) -> Line {
        Line::Missing { what: what.into(), why: why.into() }
    }

    #[test]
    fn versions_and_lines_are_what_it_says() {
        let text =
            "# evox 1.4.0 torch 2.11.0 NVIDIA H200\nW0101 slow\nevox_pso n32_d2 32 2 9 1.0 9 0\n";
        let said = PEERS[4].said(&output(0, text, "warning\n"));
        assert_eq!(said.versions.as_deref(), Some("evox 1.4.0 torch 2.11.0 NVIDIA H200"));
        assert!(matches!(&said.lines[..], [Line::Measured(line)] if line.case == "n32_d2"));
    }

    #[test]
    fn a_peer_that_fails_says_why() {
        let trace = "Traceback:\nModuleNotFoundError: No module named 'evox'\n\n";
        let said = PEERS[4].said(&output(1, "", trace));
        let why = "ModuleNotFoundError: No module named 'evox'";
        assert_eq!(said.lines, [missing("EvoX", why)]);
        let said = PEERS[0].said(&output(124, "cuda_fused n32_d2 32 2 9 1.0 9 0", ""));
        assert_eq!(said.lines[1..], [missing("CUDA C++ by hand", "its time was over")]);
    }

    #[test]
    fn a_compiler_that_is_missing_or_fails_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let peers: Vec<&Peer> = PEERS.iter().collect();
        // Compilation fails in this folder, because it has no sources, with or without a compiler.
        let lines = Compiling::begin(folder.path(), &peers).unwrap().end();
        assert_eq!(lines.len(), 2, "{lines:?}");
        // Programs of an earlier run are not used.
        let old = folder.path().join("build/fused");
        std::fs::write(&old, "").unwrap();
        Compiling::begin(folder.path(), &peers).unwrap().end();
        assert!(!old.exists());
        assert!(PEERS[0].measure(folder.path(), &Args::default()).lines.is_empty());
    }

    #[test]
    fn only_what_is_asked_for_is_asked_of_peers() {
        let asked = |only: &[&str]| {
            let args = Args {
                only: only.iter().map(|name| name.to_string()).collect(),
                ..Args::default()
            };
            PEERS.each_ref().map(|peer| peer.cases(&args).join(","))
        };
        assert_eq!(asked(&["fwa_n144"]), [""; 6]);
        assert_eq!(asked(&["cpso_paper"]), ["cpso_paper", "cpso_paper", "", "", "", ""]);
        assert_eq!(asked(&["de_n768_d30", "n32_d2"])[4], "n32_d2,n768_d30");
        assert_eq!(asked(&["n64k_d30_f64"]), ["n64k_d30_f64", "", "", "", "", ""]);
        assert_eq!(asked(&[])[1], "cpso_paper");
    }
}
