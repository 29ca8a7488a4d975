//! Who writes to a place: one process at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A place that is this process's until this is dropped, or the process ends, however it does.
#[derive(Debug)]
pub(super) struct Lock {
    /// `.NAME.warpswarm-lock`, beside it.
    path: PathBuf,
    _file: File,
}

/// Another process has it.
#[derive(Debug)]
pub(super) struct Held;

impl Lock {
    /// None where the file system has no locks, or the folder is not ours to write to, which others say.
    pub(super) fn new(place: &Path) -> Result<Option<Lock>, Held> {
        let Some(name) = place.file_name() else { return Ok(None) };
        let path = place.with_file_name(format!(".{}.warpswarm-lock", name.to_string_lossy()));
        loop {
            let opened = File::options().create(true).write(true).truncate(false).open(&path);
            let Ok(file) = opened else { return Ok(None) };
            match file.try_lock() {
                // Whoever had it may have removed the file meanwhile: then it locks nothing.
                Ok(()) if is_at(&file, &path) => return Ok(Some(Lock { path, _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Held),
                Err(TryLockError::Error(_)) => {
                    let _ = fs::remove_file(&path);
                    return Ok(None);
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else has it.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |of: fs::Metadata| (of.dev(), of.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(file), Ok(there)) => number(file) == number(there),
        _ => false,
    }
}

/// Where files that are open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
