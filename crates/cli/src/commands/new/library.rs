//! The dependency of a new crate on the library.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The entries for the library in the manifest of a new crate.
#[derive(Debug)]
pub(crate) struct Library {
    /// A version requirement, such as `0.1`.
    pub(super) version: String,
    /// A section that replaces published packages by folders, or an empty text.
    pub(super) patch: String,
}

/// The packages that a new crate depends on, directly or through others.
const PACKAGES: [&str; 7] = [
    "warpswarm",
    "warpswarm-core",
    "warpswarm-cpu-ref",
    "warpswarm-device",
    "warpswarm-kernels",
    "warpswarm-pictures",
    "warpswarm-ptx-builder",
];

impl Library {
    /// The library that is given, as a version or a folder, or by default that of this program.
    pub(super) fn find(given: Option<&OsStr>) -> Result<Library, String> {
        let own = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
        let Some(given) = given else {
            // A program that was built in the repository uses the library in it.
            let found = repository().map(packages).filter(has_all);
            let patch = found.map_or(String::new(), |found| patch(&found));
            return Ok(Library { version: own.into(), patch });
        };
        let allowed =
            "allowed: a version such as 0.1 or =0.1.0, or a folder with warpswarm's packages";
        let shown = given.to_string_lossy();
        if Path::new(given).is_dir() {
            let found = packages(Path::new(given));
            let lacks: Vec<_> =
                PACKAGES.into_iter().filter(|name| !found.contains_key(*name)).collect();
            if !lacks.is_empty() {
                return Err(format!(
                    "--library is {shown}, where {} is not; {allowed}",
                    lacks.join(", ")
                ));
            }
            return Ok(Library { version: own.into(), patch: patch(&found) });
        }
        if is_version(&shown) {
            return Ok(Library { version: shown.into_owned(), patch: String::new() });
        }
        Err(format!("--library is {shown}, neither a version nor a folder; {allowed}"))
    }
}

/// The repository in which this program was built, if it still exists. A copy that cargo has downloaded is not one.
fn repository() -> Option<&'static Path> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    root.join("xtask").join("Cargo.toml").is_file().then_some(root)
}

fn has_all(found: &BTreeMap<String, PathBuf>) -> bool {
    PACKAGES.iter().all(|name| found.contains_key(*name))
}

/// Whether a text is a version requirement: numbers with dots, an optional sign before and an optional suffix after
/// them.
fn is_version(text: &str) -> bool {
    let text = text.trim_start_matches(['=', '^', '~']);
    let (numbers, suffix) = text.split_once(['-', '+']).unwrap_or((text, "x"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_in_suffix = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    (1..=3).contains(&numbers.split('.').count())
        && numbers.split('.').all(is_number)
        && !suffix.is_empty()
        && suffix.chars().all(is_in_suffix)
}

/// The packages in a folder, or in its subfolder `crates`, by name.
fn packages(folder: &Path) -> BTreeMap<String, PathBuf> {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut found = BTreeMap::new();
    for place in [folder.join("crates"), folder] {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let path = entry.path();
            let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
            if let Some(name) = name.and_then(|rest| rest.strip_suffix('"')) {
                found.insert(name.to_owned(), path);
            }
        }
    }
    found
}

/// The section of a manifest that replaces published packages by these folders.
fn patch(found: &BTreeMap<String, PathBuf>) -> String {
    let mut text =
        "\n# Without this section the published packages are used.\n[patch.crates-io]\n".to_owned();
    for name in PACKAGES {
        // For paths, Rust's escapes are the same as those of TOML's basic strings.
        text.push_str(&format!("{name} = {{ path = {:?} }}\n", found[name].to_string_lossy()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for good in ["0.1", "1", "=0.1.0", "^1.2.3", "~0.1", "0.2.0-rc.1"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["", "x", "0.1.2.3", "0..1", "1.x", "0.1-", "../warpswarm", "1/2", "0.1\""] {
            assert!(!is_version(bad), "{bad}");
        }
    }

    #[test]
    fn without_a_choice_it_is_what_this_program_was_built_with() {
        let library = Library::find(None).unwrap();
        assert!(env!("CARGO_PKG_VERSION").starts_with(&library.version));
        // This test is built in the repository.
        assert!(library.patch.contains("[patch.crates-io]"), "{}", library.patch);
        let library = Library::find(Some(OsStr::new("=0.1.7"))).unwrap();
        assert_eq!((library.version.as_str(), library.patch.as_str()), ("=0.1.7", ""));
    }

    #[test]
    fn the_repository_is_a_folder_of_packages() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let library = Library::find(Some(root.as_os_str())).unwrap();
        assert!(
            library.patch.contains("[patch.crates-io]\nwarpswarm = { path = \""),
            "{}",
            library.patch
        );
        assert_eq!(library.patch.lines().count(), 3 + PACKAGES.len());
    }

    #[test]
    fn what_has_no_packages_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = Library::find(Some(folder.path().as_os_str())).unwrap_err();
        assert!(error.contains("where warpswarm, warpswarm-core"), "{error}");
        let error = Library::find(Some(OsStr::new("nowhere"))).unwrap_err();
        assert!(error.contains("nowhere, neither a version nor a folder"), "{error}");
    }
}
