//! Whether a package was compiled from the sources beside it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::package::checksum;

/// A number for the names and contents of all files in some folders, which are relative to `here`. It changes if any
/// file changes, and is the same wherever the folders are and however lines end. Pages (`.md`), hidden files, folders
/// called `target`, and the `tests` directly in one of the folders do not count.
pub fn fingerprint(here: &Path, folders: &[&str]) -> io::Result<u64> {
    let mut text = Vec::new();
    for folder in folders {
        let root = here.join(folder);
        for file in files(&root)? {
            let name = file.strip_prefix(&root).unwrap_or(&file);
            let mut content = fs::read(&file)?;
            content.retain(|&byte| byte != b'\r');
            let line =
                format!("{folder} {} {}\n", name.display(), content.len()).replace('\\', "/");
            text.extend_from_slice(line.as_bytes());
            text.append(&mut content);
        }
    }
    Ok(checksum(&text))
}

/// The files in a folder and its subfolders, in the order of their paths.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            let is_page = path.extension().is_some_and(|ending| ending == "md");
            let is_other = name == "target" || name == "tests" && folder == root;
            if is_page || is_other || name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_seen_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let now = || fingerprint(folder.path(), &["a", "b"]).unwrap();
        write("a/src/lib.rs", "one\ntwo\n");
        write("b/Cargo.toml", "");
        let first = now();
        write("a/target/x", "x");
        write("a/.git/x", "x");
        write("a/tests/x", "x");
        write("a/README.md", "x");
        write("a/src/lib.rs", "one\r\ntwo\r\n");
        assert_eq!(now(), first);
        write("a/src/lib.rs", "one\nTwo\n");
        assert_ne!(now(), first);
        write("a/src/lib.rs", "one\ntwo\n");
        assert_eq!(now(), first);
        write("a/src/tests/mod.rs", "");
        let with_module = now();
        assert_ne!(with_module, first);
        write("a/src/new.rs", "");
        assert_ne!(now(), with_module);
        assert!(fingerprint(folder.path(), &["none"]).is_err());
    }
}
