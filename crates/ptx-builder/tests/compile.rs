//! Compiles a small crate of kernels with a real compiler. If no device toolchain is installed, the test prints that
//! and passes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use warpswarm_ptx_builder::build_script::FOLDER;
use warpswarm_ptx_builder::{CompileError, DeviceToolchain, Kernels};

/// The crate that is compiled. Each test writes it again, so only one may run at a time.
static CRATE: Mutex<()> = Mutex::new(());

const SAMPLE: &str = include_str!("sample/lib.rs");
const OWN: &str = include_str!("sample/own.rs");

/// Calls a test with a compiler, the kernels and the file of their source.
fn with_crate(test: impl FnOnce(&DeviceToolchain, &Kernels, &Path)) {
    let toolchain = match DeviceToolchain::find() {
        Ok(toolchain) => toolchain,
        Err(error) => return eprintln!("not tested: {error}"),
    };
    let _alone = CRATE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample-kernels");
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = folder.join("Cargo.toml");
    let package = "[package]\nname = \"sample\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(&manifest, package).unwrap();
    // In the folder of the build scripts, `core` is compiled already.
    let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(FOLDER);
    let kernels = Kernels { manifest, arch: "sm_80".into(), target_dir };
    test(&toolchain, &kernels, &folder.join("src/lib.rs"));
}

#[test]
fn a_crate_becomes_modules() {
    with_crate(becomes_modules);
}

fn becomes_modules(toolchain: &DeviceToolchain, kernels: &Kernels, source: &Path) {
    fs::write(source, SAMPLE).unwrap();
    let modules = kernels.build(toolchain).unwrap();
    let names: Vec<_> = modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["copy", "swap"]);
    let (copy, swap) = (&modules[0].text, &modules[1].text);
    assert!(copy.starts_with(".version 8.0\n.target sm_80\n"), "{copy}");
    assert!(copy.contains(".maxntid 128, 1, 1\n.minnctapersm 1\n{"), "{copy}");
    assert!(!copy.contains("warpswarm_shared"), "{copy}");
    assert!(swap.contains("\n.extern .shared .align 16 .b8 warpswarm_shared[];\n"), "{swap}");
    assert_eq!(kernels.sources(), [fs::canonicalize(source).unwrap()]);
    let compiled = modified(&kernels.target_dir);
    assert_eq!(kernels.build(toolchain).unwrap(), modules);
    assert_eq!(
        modified(&kernels.target_dir),
        compiled,
        "nothing changed, yet it was compiled again"
    );
}

/// Features that a kernel must not use, each with a part of the expected message.
const LACKING: [(&str, &str, &str); 10] = [
    ("extern crate alloc;", "", "note: allocation does not exist on a GPU"),
    ("", "let x = Vec::<u32>::new().len() as u32;", "note: allocation does not exist on a GPU"),
    (
        "use std::fs;",
        "",
        "note: files, printing, threads and everything else of `std` do not exist on a GPU",
    ),
    ("extern crate std;", "", "note: files, printing, threads and everything else of `std`"),
    ("", "println!(\"{x}\");", "note: files, printing, threads and everything else of `std`"),
    (
        "",
        "let x = (x as f32).powf(2.0) as u32;",
        "note: the functions of `std` on `f32` and `f64` do not exist",
    ),
    (
        "unsafe extern \"C\" { safe fn rand() -> u32; }",
        "let x = x + rand();",
        "`own` calls `rand`\nnote: functions of C, or of other libraries",
    ),
    (
        "",
        "let x = ([x; 9] == core::array::from_fn(|i| x ^ (i as u32 & x))) as u32;",
        "`own` calls `memcmp`\nnote: comparing whole arrays, slices or strings",
    ),
    (
        "#[inline(never)]\nfn twice(x: u32) -> u32 { if x < 2 { x } else { twice(x - 1) ^ (twice(x - 2) * 3) } }",
        "let x = twice(x);",
        "`sample::twice` calls itself\nnote: recursion does not exist on a GPU",
    ),
    ("", "let x: u32 = \"one\";", "error[E0308]: mismatched types"),
];

#[test]
fn a_crate_that_exports_nothing_is_an_error() {
    with_crate(|toolchain, kernels, source| {
        fs::write(source, OWN.replace("#[unsafe(no_mangle)]\npub extern \"ptx-kernel\"", "pub"))
            .unwrap();
        let error = kernels.build(toolchain).unwrap_err();
        assert!(matches!(error, CompileError::Nothing { .. }), "{error}");
    });
}

#[test]
fn what_a_gpu_lacks_is_said() {
    with_crate(|toolchain, kernels, source| {
        for (items, statement, said) in LACKING {
            let own = OWN.replace("// ITEMS", items).replace("// STATEMENT", statement);
            fs::write(source, own).unwrap();
            let error = kernels.build(toolchain).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(said), "{said:?} is not in:\n{message}");
            // If the compiler finds the error, the message shows its place.
            if let CompileError::Compiler { .. } = error {
                let mark = if items.is_empty() { "// STATEMENT" } else { "// ITEMS" };
                let line = 1 + OWN.lines().position(|line| line.trim() == mark).unwrap();
                assert!(message.contains(&format!("--> src/lib.rs:{line}:")), "{line}:\n{message}");
            }
        }
    });
}

/// When the PTX in a target folder was written.
fn modified(target_dir: &Path) -> Vec<(PathBuf, SystemTime)> {
    let files = fs::read_dir(target_dir.join("nvptx64-nvidia-cuda")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut ptx: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "s"))
        .map(|file| (file.clone(), file.metadata().unwrap().modified().unwrap()))
        .collect();
    ptx.sort();
    assert!(!ptx.is_empty(), "no PTX file");
    ptx
}
