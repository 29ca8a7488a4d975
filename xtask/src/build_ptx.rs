//! Compiles the kernels to PTX: one file per entry, and the package that is embedded in the library.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use warpswarm_ptx_builder::{
    DeviceToolchain, Kernels, Module, Origin, Package, build_script, pack, package, sources,
};

use crate::{setup, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The lowest architecture to compile for
    #[arg(long, default_value = "sm_80")]
    pub(crate) arch: String,
    /// Put the package into the library too, where its build script uses it instead of compiling the kernels again. If
    /// the sources change afterwards, the build fails until it is deleted
    #[arg(long)]
    deliver: bool,
}

/// The compiled kernels.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) modules: Vec<Module>,
    /// The folder with the package, and a file `ENTRY.ptx` for each module.
    pub(crate) folder: PathBuf,
}

impl Built {
    /// The path of the package of all modules.
    pub(crate) fn package(&self) -> PathBuf {
        self.folder.join(build_script::FILE)
    }
}

/// How many packages are kept in the user's cache folder.
const KEPT: usize = 8;

pub(crate) fn run(args: &Args) -> Result<()> {
    let built = build(&args.arch)?;
    if args.deliver {
        let into = host().join("ptx").join(build_script::FILE);
        let package = fs::read(built.package())?;
        // Cargo compiles the library anew if the file is newer.
        if fs::read(&into).ok().as_ref() != Some(&package) {
            fs::create_dir_all(host().join("ptx"))?;
            fs::write(into, package)?;
        }
    }
    Ok(())
}

fn host() -> PathBuf {
    shell::root().join("crates/host")
}

/// The file in the user's cache folder for kernels of these sources and this compiler.
fn kept(arch: &str, toolchain: &DeviceToolchain) -> Result<PathBuf> {
    let folders = ["../kernels", "../device", "../core", "../ptx-builder"];
    let sources = sources::fingerprint(&host(), &folders)?;
    let lock = locked(&fs::read_to_string(shell::root().join("Cargo.lock"))?)?;
    let key = package::checksum(format!("{sources} {} {lock:?}", toolchain.version).as_bytes());
    Ok(shell::cache()?.join("kernels").join(format!("{arch}-{key:016x}.wsptx")))
}

/// The packages that the kernels are compiled with, and their locked versions.
fn locked(lock: &str) -> Result<BTreeSet<String>> {
    let lock: toml::Table = toml::from_str(lock)?;
    let all = lock.get("package").and_then(toml::Value::as_array).context("packages")?;
    let (mut found, mut open) = (BTreeSet::new(), vec!["warpswarm-kernels".to_owned()]);
    while let Some(name) = open.pop() {
        for package in all.iter().filter(|package| package["name"].as_str() == Some(&name)) {
            let version = package["version"].as_str().unwrap_or_default();
            if !found.insert(format!("{name} {version}")) {
                continue;
            }
            let needed = package.get("dependencies").and_then(toml::Value::as_array);
            // A version follows the name if there are several.
            let names = needed.into_iter().flatten().filter_map(|needed| needed.as_str());
            open.extend(names.filter_map(|needed| needed.split(' ').next()).map(str::to_owned));
        }
    }
    Ok(found)
}

/// Writes a package to the user's cache folder, and removes the oldest ones there.
fn keep(package: &[u8], at: &Path) -> Result<()> {
    let folder = at.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder)?;
    // Other processes never see an incomplete file.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(package)?;
    file.persist(at)?;
    let mut packages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        packages.push((entry.metadata()?.modified()?, entry.path()));
    }
    packages.sort();
    let old = packages.len().saturating_sub(KEPT);
    // Another checkout may remove the file at the same time.
    packages.iter().take(old).for_each(|(_, path)| drop(fs::remove_file(path)));
    Ok(())
}

/// The modules of a package.
pub(crate) fn modules(bytes: &[u8]) -> Option<Vec<Module>> {
    let package = Package::open(bytes).ok()?;
    let module = |name: &str| Some(Module { name: name.to_owned(), text: package.module(name)? });
    package.names().map(module).collect()
}

/// Compiles for `arch`, unless the kernels of these sources were compiled before; installs a toolchain if there is none.
pub(crate) fn build(arch: &str) -> Result<Built> {
    let toolchain = setup::toolchain()?;
    let (start, target) = (Instant::now(), shell::target()?);
    let kernels = Kernels {
        manifest: shell::root().join("crates/kernels/Cargo.toml"),
        arch: arch.to_owned(),
        target_dir: target.join(build_script::FOLDER),
    };
    let kept = kept(arch, &toolchain)?;
    let before = fs::read(&kept).ok();
    let (modules, package) = match before.and_then(|bytes| Some((modules(&bytes)?, bytes))) {
        Some(found) => found,
        None => {
            let modules = kernels.build(&toolchain)?;
            let sources = sources::fingerprint(&host(), &["../kernels", "../device", "../core"])?;
            let package = pack(Origin { arch, toolchain: &toolchain.version, sources }, &modules);
            // Sources that changed meanwhile have another file.
            if self::kept(arch, &toolchain)? == kept {
                keep(&package, &kept)?;
            }
            (modules, package)
        }
    };
    let folder = target.join("ptx").join(arch);
    shell::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    for module in &modules {
        let file = folder.join(format!("{}.ptx", module.name));
        fs::write(&file, &module.text).with_context(|| file.display().to_string())?;
    }
    let text: usize = modules.iter().map(|module| module.text.len()).sum();
    println!(
        "{} entries for {arch}: {} KB of PTX, {} KB packed, {:.1} s, in {}",
        modules.len(),
        text / 1000,
        package.len() / 1000,
        start.elapsed().as_secs_f64(),
        folder.display()
    );
    let built = Built { modules, folder };
    fs::write(built.package(), package)?;
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_of_the_kernels_count() {
        let lock = |other: &str| {
            let package = |name: &str, version: &str, needed: &str| {
                format!(
                    "[[package]]\nname = {name:?}\nversion = {version:?}\ndependencies = [{needed}]\n"
                )
            };
            [
                package("clap", other, ""),
                package("libm", "0.2.1", ""),
                package("libm", "1.0.0", ""),
                package("warpswarm-core", "0.1.0", "\"libm 0.2.1\""),
                package("warpswarm-kernels", "0.1.0", "\"warpswarm-core\""),
            ]
            .concat()
        };
        let found = locked(&lock("4.0.0")).unwrap();
        assert_eq!(found, locked(&lock("4.1.0")).unwrap());
        let expected =
            ["libm 0.2.1", "libm 1.0.0", "warpswarm-core 0.1.0", "warpswarm-kernels 0.1.0"];
        assert_eq!(found, BTreeSet::from(expected.map(str::to_owned)));
    }
}
