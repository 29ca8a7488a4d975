//! Compiles a small crate of kernels for real. Where no device toolchain is installed there is
//! nothing to compile it with, and the test says so.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use warpswarm_ptx_builder::{CompileError, DeviceToolchain, Kernels};

#[test]
fn a_crate_becomes_modules() {
    let toolchain = match DeviceToolchain::find() {
        Ok(toolchain) => toolchain,
        Err(error) => return eprintln!("not tested: {error}"),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample-kernels");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = folder.join("Cargo.toml");
    let package = "[package]\nname = \"sample\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(&manifest, package).unwrap();
    let source = include_str!("sample/lib.rs");
    fs::write(folder.join("src/lib.rs"), source).unwrap();
    let target_dir = folder.join("target");
    let kernels = Kernels { manifest, arch: "sm_80".into(), target_dir };

    let modules = kernels.build(&toolchain).unwrap();
    let names: Vec<_> = modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["copy", "swap"]);
    let (copy, swap) = (&modules[0].text, &modules[1].text);
    assert!(copy.starts_with(".version 7.8\n.target sm_80\n"), "{copy}");
    assert!(copy.contains(".maxntid 128, 1, 1\n.minnctapersm 1\n{"), "{copy}");
    assert!(!copy.contains("warpswarm_shared"), "{copy}");
    assert!(swap.contains("\n.extern .shared .align 16 .b8 warpswarm_shared[];\n"), "{swap}");
    let compiled = modified(&kernels.target_dir);
    assert_eq!(kernels.build(&toolchain).unwrap(), modules);
    assert_eq!(
        modified(&kernels.target_dir),
        compiled,
        "nothing changed, yet it was compiled again"
    );

    fs::write(folder.join("src/lib.rs"), format!("{source}\nwrong")).unwrap();
    let error = kernels.build(&toolchain).unwrap_err();
    assert!(matches!(error, CompileError::Compiler { .. }), "{error}");
    assert!(error.to_string().contains("src/lib.rs"), "{error}");
}

/// When the PTX in a target folder was written.
fn modified(target_dir: &Path) -> SystemTime {
    let files = fs::read_dir(target_dir.join("nvptx64-nvidia-cuda")).unwrap().map(Result::unwrap);
    let mut ptx = files.filter(|file| file.path().extension().is_some_and(|end| end == "s"));
    let file = ptx.next().expect("one PTX file");
    assert!(ptx.next().is_none(), "one PTX file");
    file.metadata().unwrap().modified().unwrap()
}
