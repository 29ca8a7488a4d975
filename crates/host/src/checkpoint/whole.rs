//! Files that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::faults::{Call, Written, before};

/// Writes a file atomically: it is complete or absent, even if the machine stops. The bytes go to a temporary file in
/// the same folder whose name ends in `.warpswarm-part`; when it has been flushed to disk, it is renamed to the path.
/// If several threads or processes write the same file at once, the last one wins, and no reader sees a partial file. A
/// replaced file keeps its permissions.
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
/// If `write` or the disk fails. An existing file is then unchanged, unless only flushing the folder failed: then the
/// new file is in place. Anything other than a file, such as a device or a folder, is not changed.
pub fn write_whole(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // For a link, write the file to which it points.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if path.exists() && !path.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let (part, file) = part_of(&path)?;
    let rename = || before(Call::Rename).and_then(|()| fs::rename(&part, &path));
    let done = write_through(file, write).and_then(|()| keep_permissions(&path, &part));
    let done = done.and_then(|()| rename());
    if done.is_err() {
        // The temporary file may not exist.
        let _ = fs::remove_file(&part);
        return done;
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

/// Creates a new file next to a path, with a unique name.
fn part_of(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    before(Call::Create)?;
    loop {
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{process}-{number}.warpswarm-part"));
        match File::create_new(&part) {
            // A leftover of another process with this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (part.into(), file)),
        }
    }
}

/// Gives the temporary file the permissions of the existing file, if there is one.
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

/// Flushes a folder's entries to disk. Windows cannot open folders and does not need this.
fn sync_folder(folder: &Path) -> io::Result<()> {
    before(Call::SyncFolder)?;
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}
