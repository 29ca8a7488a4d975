//! Looks for a rustc that can compile `core` for the GPU.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The environment variable that names the rustc to use, whatever else is installed.
pub const RUSTC_VARIABLE: &str = "WARPSWARM_DEVICE_RUSTC";
/// The value of [`RUSTC_VARIABLE`] that selects none, whatever is installed.
pub const NONE: &str = "none";
/// The nightly that setup installs with rustup, and that is preferred if it is installed.
pub const NIGHTLY: &str = "nightly-2026-05-14";
/// The command that installs a device toolchain. In warpswarm's own repository `cargo xtask setup` does the same, and
/// installs the assembler that its checks need.
pub const SETUP_COMMAND: &str = "warpswarm setup";
/// Debian's compiler: package `rustc-web`, its library sources in `rust-web-src`.
const DEBIAN: &str = "/usr/bin/rustc";
/// The lowest minor version of Rust 1 whose `core` and PTX backend were tested.
const LOWEST_MINOR: u32 = 96;

/// A rustc with library sources, and a cargo that drives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceToolchain {
    /// The compiler.
    pub rustc: PathBuf,
    /// The cargo to call; one on the PATH if it is only a name.
    pub cargo: PathBuf,
    /// The compiler's version in its own words: `rustc 1.96.0 (ac68faa20 2026-05-25)`.
    pub version: String,
    /// Its origin, for messages: `Debian`, `rustup's nightly-2026-05-14`.
    pub origin: String,
}

/// Why there is no device toolchain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// `WARPSWARM_DEVICE_RUSTC` names something that cannot be used.
    #[error("{RUSTC_VARIABLE} names {path}, which {reason}")]
    Named {
        /// The path it names.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// None was found.
    #[error("no device toolchain found{}; `{SETUP_COMMAND}` installs one", rejections(.rejected))]
    NotFound {
        /// Each compiler looked at, and what is wrong with it.
        rejected: Vec<(PathBuf, String)>,
    },
}

fn rejections(rejected: &[(PathBuf, String)]) -> String {
    let list: Vec<_> = rejected.iter().map(|(p, why)| format!("{} {why}", p.display())).collect();
    if list.is_empty() { String::new() } else { format!(" ({})", list.join("; ")) }
}

impl DeviceToolchain {
    /// Looks, in this order, at the compiler that `WARPSWARM_DEVICE_RUSTC` names, at Debian's, and at rustup's
    /// toolchains (the one that setup installs first, then from the latest on). Takes the first with library sources
    /// and version 1.96 or later. If the variable is `none`, there is no toolchain.
    pub fn find() -> Result<Self, ToolchainError> {
        let named = env::var_os(RUSTC_VARIABLE).filter(|path| !path.is_empty());
        let rustup = env::var_os("RUSTUP_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".rustup")));
        Self::find_among(named.as_deref(), Path::new(DEBIAN), rustup.as_deref())
    }

    fn find_among(
        named: Option<&OsStr>,
        debian: &Path,
        rustup: Option<&Path>,
    ) -> Result<Self, ToolchainError> {
        if named.is_some_and(|name| name == NONE) {
            let reason = format!("is what {RUSTC_VARIABLE} asks for");
            return Err(ToolchainError::NotFound { rejected: vec![(NONE.into(), reason)] });
        }
        if let Some(path) = named.map(PathBuf::from) {
            let origin = RUSTC_VARIABLE.to_owned();
            return Self::probe(&path, origin)
                .map_err(|reason| ToolchainError::Named { path, reason });
        }
        let mut rejected = Vec::new();
        let candidates = [(debian.to_owned(), "Debian".to_owned())]
            .into_iter()
            .chain(rustup.map(rustup_compilers).unwrap_or_default());
        for (rustc, origin) in candidates.filter(|(rustc, _)| rustc.exists()) {
            match Self::probe(&rustc, origin) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => rejected.push((rustc, reason)),
            }
        }
        Err(ToolchainError::NotFound { rejected })
    }

    /// Asks one compiler for its version and its sources.
    fn probe(rustc: &Path, origin: String) -> Result<Self, String> {
        let version = first_line(rustc, &["--version"])?;
        let minor = minor_version(&version).ok_or_else(|| format!("is {version:?}, no rustc"))?;
        if minor < LOWEST_MINOR {
            return Err(format!("is {version}, older than 1.{LOWEST_MINOR}"));
        }
        let sysroot = PathBuf::from(first_line(rustc, &["--print", "sysroot"])?);
        if !sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml").exists() {
            return Err("has no library sources (component rust-src)".to_owned());
        }
        let cargo = cargo_beside(&sysroot).or_else(|| env::var_os("CARGO").map(PathBuf::from));
        let cargo = cargo.unwrap_or_else(|| PathBuf::from("cargo"));
        Ok(Self { rustc: rustc.to_owned(), cargo, version, origin })
    }
}

/// The compilers of rustup's toolchains that have library sources: first the one that setup installs, then the others
/// in descending order of names, so that the later of two dated nightlies comes first.
fn rustup_compilers(home: &Path) -> Vec<(PathBuf, String)> {
    let folders = fs::read_dir(home.join("toolchains")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    names.sort_by_key(|name| (name.starts_with(NIGHTLY), name.clone()));
    let rustc = |name: &str| home.join("toolchains").join(name).join("bin/rustc");
    names.iter().rev().map(|name| (rustc(name), format!("rustup's {name}"))).collect()
}

/// A toolchain's own cargo, if it has one that is new enough (Debian's may be years older).
fn cargo_beside(sysroot: &Path) -> Option<PathBuf> {
    let cargo = sysroot.join("bin/cargo");
    let version = cargo.exists().then(|| first_line(&cargo, &["--version"]).ok())??;
    minor_version(&version).filter(|&minor| minor >= LOWEST_MINOR).map(|_| cargo)
}

/// 96 of `rustc 1.96.0 (...)`.
fn minor_version(version: &str) -> Option<u32> {
    version.split(' ').nth(1)?.strip_prefix("1.")?.split('.').next()?.parse().ok()
}

fn first_line(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .map_err(|error| format!("does not start ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        _ => Err(format!("fails on {}", arguments.join(" "))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A toolchain folder with a shell script for rustc, and sources if asked for.
    fn plant(root: &Path, version: &str, sources: bool) -> PathBuf {
        let library = root.join("lib/rustlib/src/rust/library/core");
        fs::create_dir_all(root.join("bin")).unwrap();
        if sources {
            fs::create_dir_all(&library).unwrap();
            fs::write(library.join("Cargo.toml"), "").unwrap();
        }
        let answer = format!(
            "#!/bin/sh\ncase $1 in --print) echo '{}';; *) echo 'rustc {version}';; esac\n",
            root.display()
        );
        let rustc = root.join("bin/rustc");
        // Written to another name and renamed, so that no other test's fork holds it open for writing.
        fs::write(root.join("bin/new"), answer).unwrap();
        fs::set_permissions(root.join("bin/new"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(root.join("bin/new"), &rustc).unwrap();
        rustc
    }

    #[test]
    fn the_order_is_named_debian_rustup() {
        let home = tempfile::tempdir().unwrap();
        let toolchains = home.path().join("toolchains");
        let named = plant(&home.path().join("named"), "1.97.0", true);
        let debian = plant(&home.path().join("usr"), "1.96.0 (built from a tarball)", true);
        let nightly = plant(&toolchains.join("nightly-2027-01-01-x86_64"), "1.99.0-nightly", true);
        let find = |named: Option<&Path>, debian: &Path| {
            let named = named.map(Path::as_os_str);
            DeviceToolchain::find_among(named, debian, Some(home.path())).map(|found| found.rustc)
        };
        assert_eq!(find(Some(&named), &debian), Ok(named.clone()));
        assert_eq!(find(None, &debian), Ok(debian.clone()));
        assert_eq!(find(None, Path::new("/nowhere/rustc")), Ok(nightly));
        let ours = plant(&toolchains.join(format!("{NIGHTLY}-x86_64")), "1.97.0-nightly", true);
        assert_eq!(find(None, Path::new("/nowhere/rustc")), Ok(ours));
    }

    #[test]
    fn a_compiler_without_sources_or_too_old_is_not_taken() {
        let home = tempfile::tempdir().unwrap();
        let toolchains = home.path().join("toolchains");
        let debian = plant(&home.path().join("usr"), "1.63.0", true);
        let bare = plant(&toolchains.join("nightly-x86_64"), "1.97.0-nightly", false);
        let error = DeviceToolchain::find_among(None, &debian, Some(home.path())).unwrap_err();
        let rejected = vec![
            (debian.clone(), "is rustc 1.63.0, older than 1.96".to_owned()),
            (bare.clone(), "has no library sources (component rust-src)".to_owned()),
        ];
        assert_eq!(error, ToolchainError::NotFound { rejected });
        assert!(error.to_string().contains(SETUP_COMMAND), "{error}");

        // A named compiler must be usable: there is no silent fallback.
        let good = plant(&home.path().join("good"), "1.96.0", true);
        let named = DeviceToolchain::find_among(Some(bare.as_os_str()), &good, None);
        assert!(matches!(named, Err(ToolchainError::Named { .. })), "{named:?}");
        let none = DeviceToolchain::find_among(Some(OsStr::new(NONE)), &good, None).unwrap_err();
        assert!(matches!(none, ToolchainError::NotFound { .. }), "{none}");
        assert!(
            none.to_string().contains("(none is what WARPSWARM_DEVICE_RUSTC asks for)"),
            "{none}"
        );
    }

    #[test]
    fn nothing_installed_is_an_error() {
        let found = DeviceToolchain::find_among(None, Path::new("/nowhere/rustc"), None);
        assert_eq!(found, Err(ToolchainError::NotFound { rejected: vec![] }));
    }

    #[test]
    fn versions() {
        assert_eq!(minor_version("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(minor_version("cargo 1.97.0-nightly (4d1f98451 2026-05-15)"), Some(97));
        assert_eq!(minor_version("clang 22"), None);
    }
}
