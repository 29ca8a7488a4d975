//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::faults::{Call, Written, before};

/// Writes a file so that it is there whole or not at all, whenever the machine may stop: beside it, in a file of its own that
/// ends in `.warpswarm-part`, which takes its place when it has reached the disk. Of several who write the same file at once
/// one is the last, and nobody sees a piece of it. A file that is replaced keeps its permissions.
///
/// ```
/// use std::io::Error;
/// let path = std::env::temp_dir().join(format!("warpswarm-whole-{}", std::process::id()));
/// warpswarm::write_whole(&path, &mut |out| out.write_all(b"all of it"))?;
/// let failed = warpswarm::write_whole(&path, &mut |out| {
///     out.write_all(b"half")?;
///     Err(Error::other("and no more"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// Where `write` fails, or the disk; what was there before is then as it was, unless only the folder could not be brought
/// to the disk: then the new file is there. What is no file, such as a device or a folder, is left alone.
pub fn write_whole(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // Of a link, what it points to.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let (part, file) = part_of(&path)?;
    let rename = || before(Call::Rename).and_then(|()| fs::rename(&part, &path));
    let done = write_through(file, write).and_then(|()| keep_permissions(&path, &part));
    let done = done.and_then(|()| rename());
    if done.is_err() {
        // It may not be there.
        let _ = fs::remove_file(&part);
        return done;
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

/// A new file beside a path, that nobody else has.
fn part_of(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    before(Call::Create)?;
    loop {
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{process}-{number}.warpswarm-part"));
        match File::create_new(&part) {
            // What another one has left that had this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (part.into(), file)),
        }
    }
}

/// Gives the part of a file the permissions of the one that is there, if any is.
fn keep_permissions(path: &Path, part: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) => fs::set_permissions(part, there.permissions()),
        Err(_) => Ok(()),
    }
}

fn write_through(
    file: File,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(Written(file));
    write(&mut out)?;
    let Written(file) = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    before(Call::Sync)?;
    file.sync_all()
}

/// Brings a folder's names to the disk. Windows opens no folders, and needs it not.
fn sync_folder(folder: &Path) -> io::Result<()> {
    before(Call::SyncFolder)?;
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}
