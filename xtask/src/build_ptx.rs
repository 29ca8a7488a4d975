//! Compiles the kernels to PTX: one file per entry, and the package that is embedded in the library.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use warpswarm_ptx_builder::{Kernels, Module, Origin, build_script, pack, sources};

use crate::{setup, shell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The lowest architecture to compile for
    #[arg(long, default_value = "sm_80")]
    pub(crate) arch: String,
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

pub(crate) fn run(args: &Args) -> Result<()> {
    build(&args.arch).map(|_| ())
}

/// Compiles for `arch`; installs a toolchain if there is none.
pub(crate) fn build(arch: &str) -> Result<Built> {
    let toolchain = setup::toolchain()?;
    let (start, target) = (Instant::now(), shell::target()?);
    let kernels = Kernels {
        manifest: shell::root().join("crates/kernels/Cargo.toml"),
        arch: arch.to_owned(),
        target_dir: target.join(build_script::FOLDER),
    };
    let modules = kernels.build(&toolchain)?;
    let host = shell::root().join("crates/host");
    let sources = sources::fingerprint(&host, &["../kernels", "../device", "../core"])?;
    let package = pack(Origin { arch, toolchain: &toolchain.version, sources }, &modules);
    let folder = target.join("ptx").join(arch);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
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
