//! Reading of files that users write.

use std::fs;
use std::io;
use std::path::Path;

/// Reads a file that a user has written. Anything but a regular file is refused, because it may have no end.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    const MOST: u64 = 1 << 28;
    let there = fs::metadata(path)?;
    if !there.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if there.len() > MOST {
        return Err(io::Error::other(format!("it has {} bytes; allowed: {MOST}", there.len())));
    }
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "text").unwrap();
        assert_eq!(text(&folder.path().join("a")).unwrap(), "text");
        assert!(text(folder.path()).unwrap_err().to_string().contains("not a file"));
        if cfg!(unix) {
            assert!(text(Path::new("/dev/zero")).unwrap_err().to_string().contains("not a file"));
        }
    }
}
