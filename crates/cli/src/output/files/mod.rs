//! All files of all commands are written through this module.
//!
//! Before the work starts, a command names every file that it will read or write ([`Files`]). Thus no file is written
//! twice or overwrites an input, whatever its path is called; no other process writes to the same folder or checkpoint
//! at the same time; and a path that is not writable is reported before any time is spent. After the work, each
//! [`Output`] is either complete or as it was before.

mod identity;
mod lock;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use warpswarm::{CheckpointFile, write_whole};
use warpswarm_islands::CheckpointFolder;

use crate::failure::Failure;
use crate::output::beside;
use crate::problem::Problem;
use identity::Identity;
use lock::Lock;

/// The files that a command reads and writes.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Each file with a description.
    read: Vec<(String, Identity)>,
    written: Vec<(String, Identity)>,
    locks: Vec<Lock>,
}

impl Files {
    pub(crate) fn new() -> Self {
        Files::default()
    }

    /// Notes that this file is read; `what` describes it in messages.
    pub(crate) fn reads(&mut self, what: &str, path: &Path) {
        // If it does not exist, the code that reads it reports that.
        if let Ok(identity) = Identity::of(path) {
            self.read.push((what.into(), identity));
        }
    }

    /// Notes that a problem is read. If it is a file, this includes its data files.
    pub(crate) fn reads_problem(&mut self, name: &str) {
        if !Problem::is_file(name) {
            return;
        }
        let path = Path::new(name);
        self.reads("the problem", path);
        for data in Problem::data_files(path) {
            self.reads("the problem's data", &data);
        }
    }

    /// Notes that a file is written; an existing file will be replaced.
    pub(crate) fn output(&mut self, option: &'static str, path: &Path) -> Result<Output, Failure> {
        let failed = |error: &io::Error| Failure::file(option, path, error);
        let identity = Identity::of(path).map_err(|error| failed(&error))?;
        self.claim(option, path, &identity)?;
        check_writable(identity.path()).map_err(|error| failed(&error))?;
        Ok(Output { option, shown: path.into(), path: identity.path().into() })
    }

    /// The same, but an existing file is replaced only with `force`.
    pub(crate) fn new_output(
        &mut self,
        option: &'static str,
        path: &Path,
        force: bool,
    ) -> Result<Output, Failure> {
        if path.symlink_metadata().is_ok() && !force {
            return Err(Failure::Input(format!(
                "{option} is {}, which exists; allowed: a file that does not, or --force to overwrite it",
                path.display()
            )));
        }
        self.output(option, path)
    }

    /// Notes that the folder of a run is written, and locks it.
    pub(crate) fn folder(&mut self, option: &'static str, path: &Path) -> Result<(), Failure> {
        let identity = Identity::of(path).map_err(|error| Failure::file(option, path, &error))?;
        self.claim(option, path, &identity)?;
        self.lock(option, path, &identity)
    }

    /// Notes that checkpoints are written, and locks their path. An existing checkpoint is replaced only with `force`,
    /// or if the run resumes from it.
    pub(crate) fn checkpoint(
        &mut self,
        path: &Path,
        force: bool,
        from: Option<&Path>,
    ) -> Result<(), Failure> {
        const OPTION: &str = "--checkpoint";
        let identity = Identity::of(path).map_err(|error| Failure::file(OPTION, path, &error))?;
        let goes_on = from.is_some_and(|from| Identity::of(from).is_ok_and(|it| it == identity));
        if !goes_on {
            self.claim(OPTION, path, &identity)?;
            check_replaceable(path, force)?;
        }
        self.lock(OPTION, path, &identity)
    }

    /// Checks that this path differs from all others that are read or written.
    fn claim(&mut self, option: &str, path: &Path, identity: &Identity) -> Result<(), Failure> {
        if identity.is_device() {
            return Ok(());
        }
        let same = |all: &[(String, Identity)]| {
            all.iter().find(|(_, other)| other == identity).map(|(what, _)| what.clone())
        };
        let shown = path.display();
        if let Some(what) = same(&self.read) {
            return Err(Failure::Input(format!(
                "{option} is {shown}, which is {what}; allowed: another file, so that what is read stays"
            )));
        }
        if let Some(other) = same(&self.written) {
            return Err(Failure::Input(format!(
                "{option} is {shown}, which {other} writes too; allowed: a file of its own for each"
            )));
        }
        self.written.push((option.into(), identity.clone()));
        Ok(())
    }

    fn lock(&mut self, option: &str, path: &Path, identity: &Identity) -> Result<(), Failure> {
        match Lock::new(identity.path()) {
            Ok(lock) => {
                if lock.is_some() {
                    // We hold the lock, so no other process writes here.
                    beside::clear_away(identity.path());
                }
                self.locks.extend(lock);
                Ok(())
            }
            Err(lock::Held) => Err(Failure::Input(format!(
                "{option} is {}, which another warpswarm is writing; allowed: another path, or this one when that has ended",
                path.display()
            ))),
        }
    }
}

/// Whether the path stands for standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// A file that will be written.
#[derive(Debug)]
pub(crate) struct Output {
    option: &'static str,
    shown: PathBuf,
    path: PathBuf,
}

impl Output {
    /// Writes the file atomically. If the path is not a regular file (for example a device), it is written directly.
    pub(crate) fn write(
        &self,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let is_device = fs::metadata(&self.path).is_ok_and(|there| !there.is_file());
        let through = |write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>| {
            let mut out = BufWriter::new(File::options().write(true).open(&self.path)?);
            write(&mut out)?;
            out.flush()
        };
        let done = if is_device { through(write) } else { write_whole(&self.path, write) };
        done.map_err(|error| self.failed(&error))
    }

    /// The failure to report if the file cannot be written.
    pub(crate) fn failed(&self, error: &dyn std::fmt::Display) -> Failure {
        let Output { option, shown, .. } = self;
        Failure::Running(format!("{option} {}: it cannot be written: {error}", shown.display()))
    }
}

/// Checks that a file can be created or replaced at this path. Leaves nothing behind.
fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(there) if !there.is_file() => return Ok(()),
        Ok(_) => drop(File::options().write(true).open(path)?),
        Err(_) => {}
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".warpswarm-").tempfile_in(folder).map(drop)
}

/// Checks that checkpoints may be written to this path.
fn check_replaceable(path: &Path, force: bool) -> Result<(), Failure> {
    let is_free = match fs::symlink_metadata(path) {
        Err(_) => true,
        // The checkpoints of islands may be kept in an existing folder that is empty.
        Ok(there) => there.is_dir() && fs::read_dir(path).is_ok_and(|mut all| all.next().is_none()),
    };
    if is_free {
        return Ok(());
    }
    let shown = path.display();
    let is_one = CheckpointFile::is_at(path) || CheckpointFolder::open(path).is_ok();
    match (is_one, force) {
        (true, true) => Ok(()),
        (true, false) => Err(Failure::Input(format!(
            "--checkpoint is {shown}, which exists; allowed: a path that does not, --force to replace it, or \
             `warpswarm resume {shown}` to go on from it"
        ))),
        (false, _) => Err(Failure::Input(format!(
            "--checkpoint is {shown}, which exists and is not a checkpoint; allowed: a path that does not, or with --force \
             a checkpoint's"
        ))),
    }
}

/// The results of writing several files. A failure does not prevent the other files from being written; all failures
/// are reported together.
#[derive(Debug, Default)]
pub(crate) struct Written(Vec<Failure>);

impl Written {
    pub(crate) fn note(&mut self, done: Result<(), Failure>) {
        self.0.extend(done.err());
    }

    /// The first failure with the messages of the others added. A closed pipe counts only if there is no other failure.
    pub(crate) fn result(self) -> Result<(), Failure> {
        let (gone, failures): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|failure| matches!(failure, Failure::NobodyReads));
        let mut failures = failures.into_iter();
        let Some(first) = failures.next() else {
            return gone.into_iter().next().map_or(Ok(()), Err);
        };
        let more: Vec<String> = failures.map(Failure::message).collect();
        Err(if more.is_empty() { first } else { first.and(&more.join("; and ")) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(done: Result<impl Sized, Failure>) -> String {
        match done {
            Err(Failure::Input(message)) => message,
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("it is not refused"),
        }
    }

    #[test]
    fn nothing_is_written_onto_what_is_read_or_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("data.csv"), "x\n1\n").unwrap();
        fs::create_dir(at("sub")).unwrap();
        let mut files = Files::new();
        files.reads("the data", &at("data.csv"));
        files.output("--json", &at("a.json")).unwrap();
        let same = at("sub").join("..").join("data.csv");
        let said = message(files.output("--trace", &same));
        assert!(said.contains("--trace is") && said.contains("which is the data"), "{said}");
        let said = message(files.output("--trace", &at("sub").join("../a.json")));
        assert!(said.contains("which --json writes too"), "{said}");
        #[cfg(unix)]
        {
            fs::hard_link(at("data.csv"), at("hard.csv")).unwrap();
            assert!(message(files.output("--trace", &at("hard.csv"))).contains("the data"));
            std::os::unix::fs::symlink(at("data.csv"), at("soft.csv")).unwrap();
            assert!(message(files.output("--trace", &at("soft.csv"))).contains("the data"));
            for _ in 0..2 {
                files.output("--trace", Path::new("/dev/null")).unwrap();
            }
        }
        // The checks have not created any file.
        assert!(!at("a.json").exists());
        let entries = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(entries, if cfg!(unix) { 4 } else { 2 });
    }

    #[test]
    fn a_place_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut first = Files::new();
        first.folder("--out", &path).unwrap();
        let said = message(Files::new().folder("--out", &path));
        assert!(said.contains("which another warpswarm is writing"), "{said}");
        drop(first);
        Files::new().folder("--out", &path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn only_checkpoints_are_replaced_and_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes.txt");
        fs::write(&notes, "mine").unwrap();
        for force in [false, true] {
            let said = message(Files::new().checkpoint(&notes, force, None));
            assert!(said.contains("is not a checkpoint"), "{said}");
        }
        // If the run resumes from this checkpoint, replacing it loses nothing.
        Files::new().checkpoint(&notes, false, Some(&notes)).unwrap();
        let one = folder.path().join("one");
        fs::write(&one, b"warpswarm state\n and more").unwrap();
        assert!(message(Files::new().checkpoint(&one, false, None)).contains("warpswarm resume"));
        Files::new().checkpoint(&one, true, None).unwrap();
        Files::new().checkpoint(&folder.path().join("none"), false, None).unwrap();
    }

    #[test]
    fn failures_are_said_together() {
        let failure = |text: &str| Err(Failure::Running(text.into()));
        let mut written = Written::default();
        written.note(Ok(()));
        written.note(Err(Failure::NobodyReads));
        assert!(matches!(Written::default().result(), Ok(())));
        written.note(failure("one"));
        written.note(failure("two"));
        let said = written.result().unwrap_err();
        assert!(matches!(&said, Failure::Running(text) if text == "one; and two"), "{said:?}");
    }
}
