//! Locks: only one process writes to a path at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A lock on a path. It is held until it is dropped or the process ends, for whatever reason.
#[derive(Debug)]
pub(super) struct Lock {
    /// `.NAME.warpswarm-lock` in the same folder.
    path: PathBuf,
    _file: File,
}

/// Another process holds the lock.
#[derive(Debug)]
pub(super) struct Held;

impl Lock {
    /// `None` if the file system does not support locks or the folder is not writable; the latter is reported when the
    /// folder is used.
    pub(super) fn new(place: &Path) -> Result<Option<Lock>, Held> {
        let Some(name) = place.file_name() else { return Ok(None) };
        let path = place.with_file_name(format!(".{}.warpswarm-lock", name.to_string_lossy()));
        loop {
            let opened = File::options().create(true).write(true).truncate(false).open(&path);
            let Ok(file) = opened else { return Ok(None) };
            match file.try_lock() {
                // The previous holder may have removed the file in the meantime. A lock on a removed file has no
                // effect.
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
        // Removed while it is still locked, so that no other process can hold it.
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

/// On these systems an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
