//! What a library's build script calls.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::toolchain::{RUSTC_VARIABLE, SETUP_COMMAND};
use crate::{DeviceToolchain, Kernels, Package, ToolchainError, pack};

/// The environment variable that, set to `off`, builds without GPU kernels.
pub const OFF_VARIABLE: &str = "WARPSWARM_PTX";
/// The package's name in `$OUT_DIR`.
pub const FILE: &str = "kernels.wsptx";
/// Where kernels are compiled, in the target folder: apart from the host's own files and lock.
pub const FOLDER: &str = "ptx-build";
/// In [`FOLDER`]; written by `cargo xtask setup`, so that build scripts look for a toolchain again.
pub const STAMP: &str = "toolchain.stamp";

/// What a library's build script says; paths are relative to the library's folder.
#[derive(Clone, Copy, Debug)]
pub struct BuildScript<'a> {
    /// A package that came with the library, used if it is there.
    pub packaged: &'a str,
    /// The `Cargo.toml` of the kernels.
    pub kernels: &'a str,
    /// The folders whose change changes the kernels.
    pub sources: &'a [&'a str],
    /// The lowest architecture to compile for.
    pub arch: &'a str,
}

/// Writes `$OUT_DIR/kernels.wsptx`: the package that came with the library, or one compiled now, or
/// an empty file and one warning. Call it from a build script's `main`:
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
/// The library then embeds the file, `include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx"))`,
/// and opens it with [`Package::open`].
///
/// # Panics
///
/// If the kernels do not compile, if a file cannot be written, or outside of a build script: a build
/// script has no other way to fail.
pub fn for_build_script(script: &BuildScript<'_>) {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let here = variable("CARGO_MANIFEST_DIR").expect("called from a build script");
    let out = variable("OUT_DIR").expect("called from a build script");
    println!("cargo::rerun-if-env-changed={OFF_VARIABLE}");
    println!("cargo::rerun-if-env-changed={RUSTC_VARIABLE}");
    rerun_if_changed(&here.join("build.rs"));
    let off = env::var_os(OFF_VARIABLE).is_some_and(|value| value == "off")
        || env::var_os("DOCS_RS").is_some();
    let bytes = if off { Vec::new() } else { bytes(script, &here, &out) };
    fs::write(out.join(FILE), bytes).expect("$OUT_DIR can be written to");
}

fn bytes(script: &BuildScript<'_>, here: &Path, out: &Path) -> Vec<u8> {
    let packaged = here.join(script.packaged);
    if packaged.exists() {
        rerun_if_changed(&packaged);
        let bytes = fs::read(&packaged).unwrap_or_else(|e| panic!("{}: {e}", packaged.display()));
        Package::open(&bytes).unwrap_or_else(|e| panic!("{}: {e}", packaged.display()));
        return bytes;
    }
    let manifest = here.join(script.kernels);
    if !manifest.exists() {
        println!(
            "cargo::warning=built without GPU kernels: neither {} nor {} is there; {SETUP_COMMAND} in warpswarm's repository is the way to compile them",
            packaged.display(),
            manifest.display()
        );
        return Vec::new();
    }
    let target_dir = target_dir(out).join(FOLDER);
    rerun_if_changed(&stamp(&target_dir));
    script.sources.iter().for_each(|source| rerun_if_changed(&here.join(source)));
    match DeviceToolchain::find() {
        Ok(toolchain) => {
            rerun_if_changed(&toolchain.rustc);
            let kernels = Kernels { manifest, arch: script.arch.into(), target_dir };
            let modules = kernels.build(&toolchain).unwrap_or_else(|error| {
                panic!("{error}\n{OFF_VARIABLE}=off builds without GPU kernels")
            });
            pack(script.arch, &toolchain.version, &modules)
        }
        Err(error @ ToolchainError::Named { .. }) => panic!("{error}"),
        Err(error) => {
            println!("cargo::warning=built without GPU kernels: {error}");
            Vec::new()
        }
    }
}

/// The target folder that `$OUT_DIR` lies in: the nearest folder above it that cargo has marked as its own.
fn target_dir(out: &Path) -> &Path {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).unwrap_or(out)
}

/// The stamp, made if it is not there: a path that is missing would run the script every time.
fn stamp(folder: &Path) -> PathBuf {
    let stamp = folder.join(STAMP);
    if !stamp.exists() {
        fs::create_dir_all(folder).expect("the target folder can be written to");
        fs::write(&stamp, "").expect("the target folder can be written to");
    }
    stamp
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
    fn a_package_that_came_with_the_library_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let package = pack("sm_80", "rustc", &[]);
        fs::write(folder.path().join("kernels.wsptx"), &package).unwrap();
        let script = BuildScript { packaged: FILE, kernels: "none", sources: &[], arch: "sm_80" };
        assert_eq!(bytes(&script, folder.path(), folder.path()), package);
    }

    #[test]
    fn without_package_and_sources_there_are_no_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let script = BuildScript { packaged: FILE, kernels: "none", sources: &[], arch: "sm_80" };
        assert_eq!(bytes(&script, folder.path(), folder.path()), Vec::<u8>::new());
    }
}
