//! Finds what compiles and checks kernels, or installs it. Running it again does nothing new.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use warpswarm_ptx_builder::toolchain::NIGHTLY;
use warpswarm_ptx_builder::{DeviceToolchain, ToolchainError, build_script};

use crate::ptxas::Ptxas;
use crate::shell::{self, program};

/// Debian's compiler and the library sources that belong to it.
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// The package of Python's registry that holds `ptxas`, about 47 MB.
const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc>=13,<14";
/// Writes the one file we want out of the package (a zip archive).
const EXTRACT: &str = "import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
[name] = [name for name in archive.namelist() if name.endswith('/bin/ptxas')]
open(sys.argv[2], 'wb').write(archive.read(name))";

pub(crate) fn run() -> Result<()> {
    toolchain()?;
    ptxas()?;
    Ok(())
}

/// The device toolchain, installed now if there is none.
pub(crate) fn toolchain() -> Result<DeviceToolchain> {
    let toolchain = match DeviceToolchain::find() {
        Err(error @ ToolchainError::NotFound { .. }) => {
            println!("{error}");
            install_toolchain()?
        }
        found => found?,
    };
    let DeviceToolchain { version, origin, rustc, .. } = &toolchain;
    println!("device toolchain: {version}, {origin} ({})", rustc.display());
    Ok(toolchain)
}

fn install_toolchain() -> Result<DeviceToolchain> {
    if shell::succeeds("rustup", &["--version"]) {
        let mut rustup = program("rustup", &["toolchain", "install", NIGHTLY, "--no-self-update"]);
        rustup.args(["--profile", "minimal", "--component", "rust-src"]);
        rustup.env_remove("RUSTUP_TOOLCHAIN").env("RUST_BACKTRACE", "0");
        match shell::run(&mut rustup).and_then(|()| Ok(DeviceToolchain::find()?)) {
            Ok(toolchain) => return installed(toolchain),
            Err(error) => println!("rustup could not install it: {error:#}"),
        }
    }
    apt(&DEBIAN_PACKAGES).context(
        "install a nightly Rust with the component rust-src, or Debian 12's packages rustc-web and \
         rust-web-src, or name a rustc with library sources in WARPSWARM_DEVICE_RUSTC",
    )?;
    installed(DeviceToolchain::find()?)
}

/// Lets build scripts that found no toolchain look again.
fn installed(toolchain: DeviceToolchain) -> Result<DeviceToolchain> {
    let folder = shell::target()?.join(build_script::FOLDER);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(build_script::STAMP), &toolchain.version)?;
    Ok(toolchain)
}

/// Installs packages of the Debian kind of system, as root or with sudo.
fn apt(packages: &[&str]) -> Result<()> {
    if !shell::succeeds("apt-get", &["--version"]) {
        bail!("there is no apt-get");
    }
    let root = shell::output(&mut program("id", &["-u"]))?.trim() == "0";
    if !root && !shell::succeeds("sudo", &["-n", "true"]) {
        bail!("apt-get needs root, and sudo asks for a password");
    }
    let environment = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    let command = |arguments: &[&str]| {
        let words = [&["sudo", "-n"][if root { 2 } else { 0 }..], &environment, arguments].concat();
        shell::run(&mut program(words[0], &words[1..]))
    };
    command(&["update", "-q"])?;
    command(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}

/// NVIDIA's assembler, fetched now if there is none.
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
        apt(&["python3-pip"])?;
    }
    let folder = to.with_file_name("download");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut pip = program("python3", &["-m", "pip", "download", "--quiet", "--no-deps"]);
    shell::run(pip.arg("--dest").arg(&folder).arg(PTXAS_PACKAGE))?;
    let archives = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    let [archive] = archives.as_slice() else { bail!("pip fetched {} files", archives.len()) };
    // Renamed into place, so that nobody finds half a program.
    let part: PathBuf = folder.join("ptxas");
    let mut python = program("python3", &["-c", EXTRACT]);
    shell::output(python.arg(archive.path()).arg(&part))?;
    shell::output(program("chmod", &["755"]).arg(&part))?;
    fs::rename(&part, to)?;
    Ok(fs::remove_dir_all(&folder)?)
}
