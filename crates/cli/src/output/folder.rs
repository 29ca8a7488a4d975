//! A folder that is written atomically: it appears complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use warpswarm::faults::{Call, Written, before};

use super::beside::{PART, unused};
use crate::failure::Failure;

/// A file in such a folder.
pub(crate) type Out = BufWriter<Written<File>>;

/// A folder that is being written under a temporary name beside its final path.
pub(crate) struct Folder {
    /// The path as the user gave it.
    shown: PathBuf,
    /// The path with symbolic links resolved.
    path: PathBuf,
    part: PathBuf,
    replaces: bool,
    /// The names of all files that such a folder may contain. Any other file in it belongs to the user.
    files: &'static [&'static str],
}

impl Folder {
    /// Refuses an existing folder, unless it may be replaced and contains `file`, which shows that it was written by a
    /// `what`.
    pub(crate) fn check(
        path: &Path,
        force: bool,
        (what, file): (&str, &str),
    ) -> Result<(), Failure> {
        let there = path.symlink_metadata().is_ok();
        let shown = path.display();
        if there && !force {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists; allowed: a new name, or --force, which replaces the folder of an earlier {what}"
            )));
        }
        if there && !path.join(file).is_file() {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists and is not a folder of a {what}; allowed with --force: a folder with a {file}"
            )));
        }
        if path.file_name().is_none() {
            return Err(Failure::file("--out", path, &io::Error::other("it has no name")));
        }
        // Checks that the folder can be created.
        Folder::beside(path)
            .and_then(fs::remove_dir)
            .map_err(|error| Failure::file("--out", path, &error))
    }

    /// Creates a new folder beside a path.
    fn beside(path: &Path) -> io::Result<PathBuf> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        before(Call::Create)?;
        unused(&path, PART, |part| fs::create_dir(part))
    }

    /// Starts a folder that may contain these files.
    pub(crate) fn new(path: &Path, files: &'static [&'static str]) -> Result<Self, Failure> {
        let shown = path.to_owned();
        let part = Folder::beside(path).map_err(|error| Failure::file("--out", path, &error))?;
        let (path, replaces) = match fs::canonicalize(path) {
            Ok(path) => (path, true),
            Err(_) => (path.into(), false),
        };
        Ok(Folder { shown, path, part, replaces, files })
    }

    /// Writes a file in the folder.
    pub(crate) fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut Out) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let done = self.create(name).and_then(|mut out| {
            write(&mut out)?;
            Ok(closed(out)?)
        });
        done.map_err(|failure| self.named(failure))
    }

    /// Creates a file in the folder.
    pub(super) fn create(&self, name: &str) -> Result<Out, Failure> {
        let file = before(Call::Create).and_then(|()| File::create(self.part.join(name)));
        file.map(|file| BufWriter::new(Written(file)))
            .map_err(|error| Failure::file("--out", &self.shown, &error))
    }

    /// Adds the folder's path to a failure.
    pub(super) fn named(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Running(message) => {
                Failure::Running(format!("--out {}: {message}", self.shown.display()))
            }
            other => other,
        }
    }

    /// Renames the complete folder to its final path.
    pub(crate) fn done(self) -> Result<(), Failure> {
        self.put().map_err(|error| self.named(error.into()))
    }

    fn put(&self) -> io::Result<()> {
        if !self.replaces {
            return rename(&self.part, &self.path);
        }
        let old = unused(&self.path, "warpswarm-old", |old| match old.exists() {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => rename(&self.path, old),
        })?;
        if let Err(error) = rename(&self.part, &self.path) {
            // The old folder is restored.
            fs::rename(&old, &self.path)?;
            return Err(error);
        }
        for entry in fs::read_dir(&old)? {
            let (from, name) = {
                let entry = entry?;
                (entry.path(), entry.file_name())
            };
            match self.files.iter().any(|file| name == *file) {
                true => fs::remove_file(from)?,
                // A file of the user: it is moved to the new folder.
                false => fs::rename(from, self.path.join(name))?,
            }
        }
        fs::remove_dir(&old)
    }
}

/// Removes a folder that was not completed.
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.part);
    }
}

/// Flushes and closes a file.
pub(super) fn closed(out: Out) -> io::Result<()> {
    let Written(file) = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    before(Call::Sync)?;
    file.sync_all()
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    before(Call::Rename)?;
    fs::rename(from, to)
}
