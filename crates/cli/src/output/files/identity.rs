//! The identity of a file, independent of the path by which it is named.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// An existing file, or the place of one that does not exist yet.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// The path with symbolic links resolved.
    path: PathBuf,
    /// The device and inode numbers, on systems that have them.
    number: Option<(u64, u64)>,
    is_device: bool,
}

impl Identity {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) => Ok(Identity {
                path: fs::canonicalize(path)?,
                number: number(&there),
                is_device: !there.is_file() && !there.is_dir(),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.symlink_metadata().is_ok() {
                    return Err(io::Error::other("it is a link to nothing"));
                }
                let path = path.components().as_path();
                let name = path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
                Ok(Identity { path: folder.join(name), number: None, is_device: false })
            }
            Err(error) => Err(error),
        }
    }

    /// The path of this file with symbolic links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path is neither a file nor a folder, for example a device or a pipe.
    pub(super) fn is_device(&self) -> bool {
        self.is_device
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path || (self.number.is_some() && self.number == other.number)
    }
}

#[cfg(unix)]
fn number(of: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((of.dev(), of.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<(u64, u64)> {
    None
}
