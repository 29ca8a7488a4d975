//! The interface for a library's build script.

use std::fmt::Display;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, io, process};

use crate::toolchain::{RUSTC_VARIABLE, SETUP_COMMAND};
use crate::{
    DeviceToolchain, Kernels, Origin, Package, PackageError, ToolchainError, pack, sources,
};

/// The environment variable that, set to `off`, builds without GPU kernels.
pub const OFF_VARIABLE: &str = "WARPSWARM_PTX";
/// The package's name in `$OUT_DIR`.
pub const FILE: &str = "kernels.wsptx";
/// The folder, in the target folder, in which kernels are compiled, apart from the host's own files and lock.
pub const FOLDER: &str = "ptx-build";
/// A file in the user's cargo folder. Setup writes it, so that build scripts look for a toolchain again.
const STAMP: &str = "warpswarm-toolchain.stamp";

/// The settings of a library's build script; paths are relative to the library's folder.
#[derive(Clone, Copy, Debug)]
pub struct BuildScript<'a> {
    /// A package that is delivered with the library, used if it exists. If the sources exist too, and differ from those
    /// that it was compiled from, that is an error.
    pub packaged: &'a str,
    /// The `Cargo.toml` of the kernels.
    pub kernels: &'a str,
    /// The folders whose contents determine the kernels.
    pub sources: &'a [&'a str],
    /// The lowest architecture to compile for.
    pub arch: &'a str,
}

/// Writes `$OUT_DIR/kernels.wsptx`: the package that is delivered with the library, or one compiled now, or an empty
/// file and one warning. Call it from a build script's `main`:
///
/// ```no_run
/// warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
///     packaged: "ptx/kernels.wsptx",
///     kernels: "../kernels/Cargo.toml",
///     sources: &["../kernels", "../device", "../core"],
///     arch: "sm_80",
/// });
/// ```
///
/// The library then embeds the file, `include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"))`, and opens it with
/// [`Package::open`].
///
/// If the kernels do not compile, or a file cannot be read or written, it prints the error and ends the build script
/// with exit code 1, so that the build fails.
///
/// # Panics
///
/// Outside of a build script.
pub fn for_build_script(script: &BuildScript<'_>) {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let here = variable("CARGO_MANIFEST_DIR").expect("called from a build script");
    let out = variable("OUT_DIR").expect("called from a build script");
    println!("cargo::rerun-if-env-changed={OFF_VARIABLE}");
    rerun_if_changed(&here.join("build.rs"));
    let off = env::var_os(OFF_VARIABLE).is_some_and(|value| value == "off")
        || env::var_os("DOCS_RS").is_some();
    let bytes = if off { Vec::new() } else { bytes(script, &here, &out) };
    or_fail(at(&out, fs::write(out.join(FILE), bytes)));
}

fn bytes(script: &BuildScript<'_>, here: &Path, out: &Path) -> Vec<u8> {
    let packaged = here.join(script.packaged);
    let manifest = here.join(script.kernels);
    let has_sources = manifest.exists();
    if has_sources {
        script.sources.iter().for_each(|source| rerun_if_changed(&here.join(source)));
    }
    let fingerprint = || or_fail(at(here, sources::fingerprint(here, script.sources)));
    if packaged.exists() {
        rerun_if_changed(&packaged);
        let bytes = or_fail(at(&packaged, fs::read(&packaged)));
        let found = or_fail(came_with(&bytes).map_err(|reason| stale(script, &packaged, &reason)));
        if has_sources && found != fingerprint() {
            let reason =
                format!("was compiled from other sources than {}", script.sources.join(", "));
            or_fail(Err::<(), _>(stale(script, &packaged, &reason)));
        }
        return bytes;
    }
    if !has_sources {
        println!(
            "cargo::warning=built without GPU kernels: neither {} nor {} is there",
            packaged.display(),
            manifest.display()
        );
        return Vec::new();
    }
    let target_dir = target_dir(out).join(FOLDER);
    println!("cargo::rerun-if-env-changed={RUSTC_VARIABLE}");
    if let Some(stamp) = stamp() {
        rerun_if_changed(&stamp);
    }
    let toolchain = match DeviceToolchain::find() {
        Err(ToolchainError::NotFound { .. }) => {
            println!(
                "cargo::warning=built without GPU kernels: no device toolchain found; \
                 `{SETUP_COMMAND}` installs one, and the next build uses it"
            );
            return Vec::new();
        }
        found => or_fail(found),
    };
    rerun_if_changed(&toolchain.rustc);
    let kernels = Kernels { manifest, arch: script.arch.into(), target_dir };
    // Computed before the compilation, so that a change during it is detected at the next build.
    let sources = fingerprint();
    let modules = or_fail(kernels.build(&toolchain));
    // Also files elsewhere, and the versions of published packages.
    let lock = kernels.manifest.ancestors().skip(1).map(|folder| folder.join("Cargo.lock"));
    lock.into_iter().find(|lock| lock.exists()).iter().for_each(|lock| rerun_if_changed(lock));
    kernels.sources().iter().for_each(|source| rerun_if_changed(source));
    pack(Origin { arch: script.arch, toolchain: &toolchain.version, sources }, &modules)
}

/// The fingerprint in a package that is delivered with the library, or what is wrong with it.
fn came_with(bytes: &[u8]) -> Result<u64, String> {
    match Package::open(bytes) {
        Ok(package) => Ok(package.sources()),
        Err(error @ PackageError::Version { .. }) => Err(format!("was {error}")),
        Err(error) => Err(format!("cannot be used: {error}")),
    }
}

/// The message about a stale package, and what to do about it.
fn stale(script: &BuildScript<'_>, packaged: &Path, reason: &str) -> String {
    format!(
        "{} {reason}; delete it, and the next build compiles {} anew",
        packaged.display(),
        script.kernels
    )
}

/// The value; an error ends the build.
fn or_fail<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("{error}\n{OFF_VARIABLE}=off builds without GPU kernels");
        process::exit(1)
    })
}

/// An error of the file system, with the file.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

/// The target folder of `$OUT_DIR`: the nearest folder above it that cargo has marked as its own.
fn target_dir(out: &Path) -> &Path {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).unwrap_or(out)
}

/// Makes build scripts that found no toolchain, or another one, look again. If the toolchain is new they always do,
/// even if the same one was installed before.
#[cfg(feature = "setup")]
pub(crate) fn look_again(toolchain: &DeviceToolchain, is_new: bool) {
    let is_known = |stamp: &PathBuf| !is_new && is_text(stamp, &toolchain.version);
    // If the stamp cannot be written, build scripts do not watch it either.
    if let Some(stamp) = stamp().filter(|stamp| !is_known(stamp)) {
        let _ = fs::write(stamp, &toolchain.version);
    }
}

#[cfg(feature = "setup")]
fn is_text(file: &Path, text: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|read| read == text)
}

/// The stamp, created if it does not exist: a missing path would run the script at every build, and one newer than the
/// script's start would run it once more. `None` if it cannot be created.
fn stamp() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    stamp_in(&home.or_else(|| env::home_dir().map(|home| home.join(".cargo")))?).ok()
}

fn stamp_in(folder: &Path) -> io::Result<PathBuf> {
    let stamp = folder.join(STAMP);
    if !stamp.exists() {
        fs::create_dir_all(folder)?;
        File::create(&stamp)?.set_modified(SystemTime::UNIX_EPOCH)?;
    }
    Ok(stamp)
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_folder_is_the_marked_one() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("target/debug/build/host-0/out");
        fs::create_dir_all(&out).unwrap();
        assert_eq!(target_dir(&out), out);
        fs::write(folder.path().join("target/CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_dir(&out), folder.path().join("target"));
    }

    #[test]
    fn a_new_stamp_is_older_than_any_build() {
        let folder = tempfile::tempdir().unwrap();
        let stamp = stamp_in(&folder.path().join("home")).unwrap();
        assert_eq!(stamp.metadata().unwrap().modified().unwrap(), SystemTime::UNIX_EPOCH);
        fs::write(&stamp, "rustc").unwrap();
        assert_eq!(stamp_in(&folder.path().join("home")).unwrap(), stamp);
        assert!(stamp.metadata().unwrap().modified().unwrap() > SystemTime::UNIX_EPOCH);
    }

    const ORIGIN: Origin<'_> = Origin { arch: "sm_80", toolchain: "rustc", sources: 1 };

    #[test]
    fn a_package_that_came_with_the_library_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let package = pack(ORIGIN, &[]);
        fs::write(folder.path().join("kernels.wsptx"), &package).unwrap();
        let script = BuildScript { packaged: FILE, kernels: "none", sources: &[], arch: "sm_80" };
        assert_eq!(bytes(&script, folder.path(), folder.path()), package);
    }

    #[test]
    fn a_package_beside_its_sources_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("own")).unwrap();
        fs::write(folder.path().join("own/Cargo.toml"), "").unwrap();
        let sources = sources::fingerprint(folder.path(), &["own"]).unwrap();
        let package = pack(Origin { sources, ..ORIGIN }, &[]);
        fs::write(folder.path().join("own.wsptx"), &package).unwrap();
        let script = BuildScript {
            packaged: "own.wsptx",
            kernels: "own/Cargo.toml",
            sources: &["own"],
            arch: "sm_80",
        };
        assert_eq!(bytes(&script, folder.path(), folder.path()), package);
    }

    #[test]
    fn what_is_wrong_with_a_package_is_said() {
        assert_eq!(came_with(&pack(ORIGIN, &[])), Ok(1));
        assert_eq!(
            came_with(b"x").unwrap_err(),
            "cannot be used: not a package of PTX modules, or one of another version"
        );
        let script =
            BuildScript { packaged: FILE, kernels: "own/Cargo.toml", sources: &[], arch: "sm_80" };
        let said = stale(&script, Path::new(FILE), "is old");
        assert_eq!(
            said,
            "kernels.wsptx is old; delete it, and the next build compiles own/Cargo.toml anew"
        );
    }

    #[test]
    fn without_package_and_sources_there_are_no_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let script = BuildScript { packaged: FILE, kernels: "none", sources: &[], arch: "sm_80" };
        assert_eq!(bytes(&script, folder.path(), folder.path()), Vec::<u8>::new());
    }
}
