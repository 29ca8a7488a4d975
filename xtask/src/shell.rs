//! Folders of the repository, and other programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// Where programs of a user keep what they could find out again, the one folder of all checkouts of the repository.
pub(crate) fn cache() -> Result<PathBuf> {
    let given = env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty());
    let folder = match given {
        Some(folder) => PathBuf::from(folder),
        None => env::home_dir().context("there is no home folder")?.join(".cache"),
    };
    Ok(folder.join("warpswarm"))
}

/// Cargo's target folder: the one this program was built into, however that was chosen.
pub(crate) fn target() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    Ok(target.with_context(|| format!("{} is in no target folder", program.display()))?.to_owned())
}

/// The cargo that runs this task, in the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// A program with arguments.
pub(crate) fn program(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments);
    command
}

/// The command as one would type it.
fn typed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Says what it runs, runs it, fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let typed = typed(command);
    println!("$ {typed}");
    let status = command.status().with_context(|| format!("cannot start `{typed}`"))?;
    if !status.success() {
        bail!("`{typed}` failed ({status})");
    }
    Ok(())
}

/// What it writes to standard output; fails if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let typed = typed(command);
    let output = command.output().with_context(|| format!("cannot start `{typed}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("`{typed}` failed ({})\n{}", output.status, said.trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{typed}` writes no text"))
}

/// Paths in the repository of the files that git tracks, or would, and that are there.
pub(crate) fn files() -> Result<Vec<String>> {
    let mut git = program("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(git.current_dir(root()))?;
    // A file that is deleted but still tracked is not there.
    let is_there = |path: &&str| !path.is_empty() && root().join(path).exists();
    Ok(list.split('\0').filter(is_there).map(str::to_owned).collect())
}

/// Whether it runs and succeeds; what it says is nobody's concern.
pub(crate) fn succeeds(name: &str, arguments: &[&str]) -> bool {
    program(name, arguments).output().is_ok_and(|output| output.status.success())
}

/// Whether this machine has an NVIDIA GPU.
pub(crate) fn has_gpu() -> bool {
    Path::new("/dev/nvidiactl").exists() || succeeds("nvidia-smi", &["-L"])
}

/// Prints an error with its causes.
pub(crate) fn exit_code(done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
