//! Names beside a path, under which things wait that are not whole yet, or no longer wanted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How a folder's name ends that is not whole yet.
pub(super) const PART: &str = "warpswarm-part";

/// Removes what runs that were killed have left beside a path, at which no other run is.
pub(crate) fn clear_away(path: &Path) {
    for number in 1.. {
        if fs::remove_dir_all(numbered(path, number, PART)).is_err() {
            break;
        }
    }
}

/// `DIR.NUMBER.ending`, without a slash at its end.
fn numbered(path: &Path, number: u64, ending: &str) -> PathBuf {
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(format!(".{number}.{ending}"));
    name.into()
}

/// What `make` makes of the first path `DIR.NUMBER.ending`, in the same folder, at which nothing is.
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
