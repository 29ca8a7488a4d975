//! Folders of the repository, and calls of other programs.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The root folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// The folder for cached data in the user's cache folder. All checkouts of the repository share it.
pub(crate) fn cache() -> Result<PathBuf> {
    let given = env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty());
    let folder = match given {
        Some(folder) => PathBuf::from(folder),
        None => env::home_dir().context("there is no home folder")?.join(".cache"),
    };
    Ok(folder.join("warpswarm"))
}

/// Cargo's target folder, derived from the path of this program.
pub(crate) fn target() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    Ok(target.with_context(|| format!("{} is in no target folder", program.display()))?.to_owned())
}

/// A command for the cargo that runs this task, in the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// A command with arguments.
pub(crate) fn program(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(arguments);
    command
}

/// The text of a command, as typed in a shell.
fn typed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A text as one word of a script for `sh`.
pub(crate) fn quoted(word: impl AsRef<OsStr>) -> String {
    format!("'{}'", word.as_ref().display())
}

/// Writes an executable script.
pub(crate) fn put_script(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text)
        .and_then(|()| fs::set_permissions(file, fs::Permissions::from_mode(0o755)))
        .with_context(|| file.display().to_string())
}

/// Removes a folder if it exists.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match folder.exists() {
        true => fs::remove_dir_all(folder).with_context(|| folder.display().to_string()),
        false => Ok(()),
    }
}

/// Prints and runs a command; returns an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let typed = typed(command);
    println!("$ {typed}");
    let status = command.status().with_context(|| format!("cannot start `{typed}`"))?;
    if !status.success() {
        bail!("`{typed}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns its standard output; returns an error if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let typed = typed(command);
    let output = command.output().with_context(|| format!("cannot start `{typed}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("`{typed}` failed ({})\n{}", output.status, said.trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{typed}` writes no text"))
}

/// The messages of a cargo command with `--message-format=json`, one in each line of its output.
pub(crate) fn messages(output: &str) -> impl Iterator<Item = Value> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The paths of all existing files in the repository that git tracks or does not ignore.
pub(crate) fn files() -> Result<Vec<String>> {
    let mut git = program("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(git.current_dir(root()))?;
    // A file that was deleted may still be tracked.
    let is_there = |path: &&str| !path.is_empty() && root().join(path).exists();
    Ok(list.split('\0').filter(is_there).map(str::to_owned).collect())
}

/// Whether a command runs and succeeds. Its output is discarded.
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
