//! Finds or installs the tools that compile and check kernels. It can be run repeatedly.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use warpswarm_ptx_builder::{DeviceToolchain, setup};

use crate::ptxas::Ptxas;
use crate::shell::{self, program};

/// The package on Python's registry that contains `ptxas`, about 47 MB.
const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc>=13,<14";
/// Extracts the one file that we need from the package, which is a zip archive.
const EXTRACT: &str = "import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
[name] = [name for name in archive.namelist() if name.endswith('/bin/ptxas')]
open(sys.argv[2], 'wb').write(archive.read(name))";

pub(crate) fn run() -> Result<()> {
    toolchain()?;
    ptxas()?;
    Ok(())
}

/// Returns the device toolchain; installs it if there is none.
pub(crate) fn toolchain() -> Result<DeviceToolchain> {
    Ok(setup::toolchain(&mut say)?)
}

fn say(line: &str) {
    println!("{line}");
}

/// Returns NVIDIA's assembler; downloads it if there is none.
pub(crate) fn ptxas() -> Result<Ptxas> {
    let fetched = shell::target()?.join("device-tools/ptxas");
    let ptxas = match Ptxas::at(&fetched) {
        Ok(ptxas) => ptxas,
        Err(_) => match fetch_ptxas(&fetched).and_then(|()| Ptxas::at(&fetched)) {
            Ok(ptxas) => ptxas,
            Err(error) => {
                println!("cannot fetch ptxas: {error:#}");
                Ptxas::installed().context("and none is on the PATH or in $CUDA_HOME/bin")?
            }
        },
    };
    println!("ptxas: {} ({})", ptxas.version, ptxas.path.display());
    Ok(ptxas)
}

fn fetch_ptxas(to: &Path) -> Result<()> {
    if !shell::succeeds("python3", &["-m", "pip", "--version"]) {
        setup::apt(&["python3-pip"], &mut say)?;
    }
    let folder = to.with_file_name("download");
    shell::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let mut pip = program("python3", &["-m", "pip", "download", "--quiet", "--no-deps"]);
    shell::run(pip.arg("--dest").arg(&folder).arg(PTXAS_PACKAGE))?;
    let archives = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    let [archive] = archives.as_slice() else { bail!("pip fetched {} files", archives.len()) };
    // Write to another name and rename, so that no process finds an incomplete program.
    let part: PathBuf = folder.join("ptxas");
    let mut python = program("python3", &["-c", EXTRACT]);
    shell::output(python.arg(archive.path()).arg(&part))?;
    shell::output(program("chmod", &["755"]).arg(&part))?;
    fs::rename(&part, to)?;
    Ok(fs::remove_dir_all(&folder)?)
}
