//! Temporary names beside a path, for folders that are incomplete or being replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The end of the name of an incomplete folder.
pub(super) const PART: &str = "warpswarm-part";

/// Removes the incomplete folders that killed runs have left beside a path. No other run may be writing there.
pub(crate) fn clear_away(path: &Path) {
    for number in 1.. {
        if fs::remove_dir_all(numbered(path, number, PART)).is_err() {
            break;
        }
    }
}

/// `DIR.NUMBER.ending`, without a slash at the end of `DIR`.
fn numbered(path: &Path, number: u64, ending: &str) -> PathBuf {
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(format!(".{number}.{ending}"));
    name.into()
}

/// Calls `make` with the paths `DIR.NUMBER.ending`, in the same folder, until one of them does not exist yet, and
/// returns that path.
pub(super) fn unused(
    path: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    for number in 1.. {
        let name = numbered(path, number, ending);
        match make(&name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
