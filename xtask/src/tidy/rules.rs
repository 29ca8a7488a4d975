//! The rules. Words that a rule forbids are split into two parts here, so that this file does not violate the rule.

use std::collections::BTreeMap;

use super::source::{code, has_safety_comment, has_word, public_items, unsafe_in, without_tests};
use super::{File, Tree, drawing::drawing, imports::circle, links::links};

type Rule = fn(&Tree) -> Vec<String>;

/// Every rule with its name.
pub(crate) const ALL: [(&str, Rule); 15] = [
    ("one-way", one_way),
    ("target-arch", target_arch),
    ("assembly", assembly),
    ("unsafe", unsafe_code),
    ("safety-comment", safety_comment),
    ("long-file", long_file),
    ("printing", printing),
    ("example", example),
    ("stub", stub),
    ("machine", machine),
    ("big-file", big_file),
    ("build-script", build_script),
    ("links", links),
    ("circle", circle),
    ("drawing", drawing),
];

/// The allowed dependencies (`?`: optional only). An unlisted package may depend on all, and none may depend on it.
const MAY_DEPEND: [(&str, &[&str]); 15] = [
    ("warpswarm-core", &[]),
    ("warpswarm-pictures", &[]),
    ("warpswarm-ptx-builder", &[]),
    ("warpswarm-statistics", &[]),
    ("warpswarm-device", &["warpswarm-core"]),
    ("warpswarm-kernels", &["warpswarm-core", "warpswarm-device"]),
    ("warpswarm-cpu-ref", &["warpswarm-core"]),
    (
        "warpswarm",
        &[
            "warpswarm-core",
            "warpswarm-cpu-ref",
            "warpswarm-ptx-builder",
            "?warpswarm-device",
            "?warpswarm-kernels",
        ],
    ),
    ("warpswarm-islands", &["warpswarm"]),
    (
        "warpswarm-cli",
        &[
            "warpswarm",
            "warpswarm-core",
            "warpswarm-islands",
            "warpswarm-pictures",
            "warpswarm-ptx-builder",
            "warpswarm-statistics",
        ],
    ),
    // Packages of examples and tests.
    ("jaya", &["warpswarm-core", "warpswarm-device", "warpswarm-kernels"]),
    ("models", &["warpswarm-core", "warpswarm-kernels"]),
    ("summary", &["warpswarm-core", "warpswarm-device"]),
    ("probe", &["warpswarm-kernels"]),
    // Tasks must run even if kernels do not compile, so `warpswarm` is an optional dependency, for `reproduce` only.
    (
        "xtask",
        &[
            "warpswarm-core",
            "warpswarm-cpu-ref",
            "warpswarm-pictures",
            "warpswarm-ptx-builder",
            "warpswarm-statistics",
            "?warpswarm",
        ],
    ),
];

/// Files with `cfg(target_arch)` outside of `crates/device`, each with its reason.
const TARGET_ARCH: [(&str, &str); 7] = [
    ("crates/core/src/lib.rs", "the feature gate that the next one needs"),
    ("crates/core/src/math.rs", "roots and the like, which libm computes in software"),
    ("crates/kernels/src/lib.rs", "no_std and the panic handler belong to the crate of kernels"),
    ("examples/own-kernel/kernels/src/lib.rs", "as the kernels of the workspace"),
    ("examples/own-method/kernels/src/lib.rs", "no_std belongs to the crate compiled to PTX"),
    ("examples/models/src/lib.rs", "its feature belongs to the crate compiled to PTX"),
    ("tests/objective/src/lib.rs", "its feature belongs to the crate compiled to PTX"),
];

/// Folders and files that may contain unsafe code.
const UNSAFE: [&str; 7] = [
    "benches/src/bin/matrix_cublas/library.rs",
    "crates/device/",
    "crates/kernels/",
    "crates/host/src/machine/",
    "crates/python/src/device_points.rs",
    "crates/ptx-builder/tests/sample/",
    "examples/own-kernel/",
];

/// Files with the functions that build scripts call.
const BRINGS_KERNELS: [&str; 4] = [
    "crates/ptx-builder/src/build_script.rs",
    "crates/ptx-builder/src/compile.rs",
    "crates/ptx-builder/src/sources.rs",
    "crates/ptx-builder/src/toolchain.rs",
];

/// The largest number of lines of a file, without its tests.
const MOST_LINES: usize = 400;
/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/host/src/engine/device/pso.rs",
    "arrays, arguments and launches of all schedules, which are read side by side",
)];

const LIBRARIES: [&str; 8] = [
    "crates/core/src/",
    "crates/device/src/",
    "crates/kernels/src/",
    "crates/cpu-ref/src/",
    "crates/host/src/",
    "crates/islands/src/",
    "crates/pictures/src/",
    "crates/statistics/src/",
];

/// The code whose documentation users read: the libraries, and the parts of `core` that `warpswarm` re-exports.
const SHOWN: [&str; 15] = [
    "crates/host/src/",
    "crates/islands/src/",
    "crates/pictures/src/",
    "crates/statistics/src/",
    "crates/core/src/boundary.rs",
    "crates/core/src/data.rs",
    "crates/core/src/method.rs",
    "crates/core/src/objective.rs",
    "crates/core/src/order.rs",
    "crates/core/src/problems/",
    "crates/core/src/real.rs",
    "crates/core/src/variable.rs",
    "crates/cpu-ref/src/fingerprint.rs",
    "crates/cpu-ref/src/migration.rs",
    "crates/cpu-ref/src/swarm.rs",
];
/// Items without an example, by file and name, each with its reason.
const WITHOUT_EXAMPLE: [(&str, &str, &str); 7] = [
    ("crates/core/src/method.rs", "Numbers", "in the example of `Method`"),
    ("crates/core/src/method.rs", "Own", "in the example of `Method`"),
    ("crates/core/src/method.rs", "Population", "what engines bring; in the example of `Method`"),
    ("crates/core/src/method.rs", "Site", "what engines bring; in the example of `Method`"),
    ("crates/core/src/method.rs", "With", "what engines bring"),
    (
        "crates/host/src/objective/bounds/scales.rs",
        "Scales",
        "public for the sake of a hidden function",
    ),
    ("crates/pictures/src/chart.rs", "Canvas", "a name for what plotters draws on"),
];

const MOST_BYTES: u64 = 700 << 10;

fn at(file: &File, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", file.path)
}

fn is_under(file: &File, places: &[&str]) -> bool {
    places.iter().any(|place| file.path.starts_with(place))
}

/// Dependencies between packages must be allowed.
fn one_way(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for dependency in &tree.dependencies {
        let (from, to) = (dependency.from.as_str(), dependency.to.as_str());
        let of = |name: &str| MAY_DEPEND.iter().find(|(package, _)| *package == name);
        let allowed = match of(from) {
            Some((_, list)) => list.iter().any(|&may| {
                may == to || (dependency.optional && may.strip_prefix('?') == Some(to))
            }),
            None => to != "xtask" && of(to).is_some(),
        };
        if !allowed {
            findings.push(format!("{from} must not depend on {to}"));
        }
    }
    findings
}

/// `cfg(target_arch)` only in `crates/device`, except with attributes that do not change results.
fn target_arch(tree: &Tree) -> Vec<String> {
    let excepted = |file: &File| TARGET_ARCH.iter().any(|(path, _)| *path == file.path);
    let files = tree.rust().filter(|f| !is_under(f, &["crates/device/"]) && !excepted(f));
    let asks = |code: &str| code.contains("cfg") && has_word(code, "target_arch");
    let is_speed = |code: &str| code.contains("optimize(size)") || code.contains("inline(always)");
    lines_with(files, |code| asks(code) && !is_speed(code), "target_arch")
}

/// Inline assembly only in `crates/device`.
fn assembly(tree: &Tree) -> Vec<String> {
    let mut places = UNSAFE.to_vec();
    places.retain(|place| !place.contains("kernels"));
    let files = tree.rust().filter(|file| !is_under(file, &places));
    let called = |code: &str| {
        ["asm", "global_asm", "naked_asm"]
            .iter()
            .any(|name| has_word(code, name) && code.contains("asm!"))
    };
    lines_with(files, called, "inline assembly")
}

/// `unsafe` only in `crates/device`, `crates/kernels`, one module of `crates/host`, the code that shares GPU arrays
/// with Python, the example of a kernel, and a bench that calls cuBLAS.
fn unsafe_code(tree: &Tree) -> Vec<String> {
    let files = tree.rust().filter(|file| !is_under(file, &UNSAFE));
    lines_with(files, |code| has_word(code, "unsafe"), "unsafe")
}

/// The number of unsafe blocks, functions, implementations and traits in each package, without tests, by the package's
/// folder. Packages without any are omitted.
pub(crate) fn unsafe_counts(tree: &Tree) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let manifests = tree.files.iter().filter_map(|file| file.path.strip_suffix("Cargo.toml"));
    let folders: Vec<&str> = manifests.collect();
    for file in tree.rust().filter(|file| !file.path.contains("/tests")) {
        let found: usize = code(without_tests(&file.text)).map(|(_, code)| unsafe_in(&code)).sum();
        let folder = folders.iter().filter(|folder| file.path.starts_with(**folder));
        if let (Some(folder), true) = (folder.max_by_key(|folder| folder.len()), found > 0) {
            *counts.entry(folder.trim_end_matches('/').to_owned()).or_default() += found;
        }
    }
    counts
}

/// A build script must only provide kernels, and the functions that it calls must not use the network. Only the feature
/// `setup`, which no build script enables, installs a toolchain.
fn build_script(tree: &Tree) -> Vec<String> {
    const NETWORK: [&str; 9] =
        ["curl", "wget", "http", "git", "TcpStream", "UdpSocket", "install", "update", "fetch"];
    let reaches = |code: &str| NETWORK.iter().any(|word| has_word(code, word));
    let mut findings = Vec::new();
    for file in tree.rust() {
        if file.path.ends_with("build.rs") {
            let code: String = code(&file.text).map(|(_, code)| code).collect();
            let only = code.trim().strip_prefix("fn main() {").map(str::trim_start);
            if !only.is_some_and(|code| {
                code.starts_with("warpswarm_ptx_builder::for_build_script(")
                    && code.matches("::").count() == 2
            }) {
                findings.push(format!("{}: a build script only brings kernels", file.path));
            }
        }
        if BRINGS_KERNELS.contains(&file.path.as_str()) {
            for (number, line) in without_tests(&file.text).lines().enumerate() {
                if !line.trim_start().starts_with("//") && reaches(line) {
                    findings.push(at(file, number + 1, "a build script reaches no network"));
                }
            }
        }
    }
    findings
}

/// Each unsafe block and implementation must have a SAFETY comment.
fn safety_comment(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        for (line, code) in code(&file.text) {
            let asks = code.contains("unsafe {") || code.contains("unsafe impl");
            if asks && !has_safety_comment(&file.text, line) {
                findings.push(at(file, line, "unsafe without a SAFETY comment just before it"));
            }
        }
    }
    findings
}

/// Files must not be too long.
fn long_file(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let excepted = LONG_FILES.iter().any(|(path, _)| *path == file.path);
        let tests = ["/tests.rs", "/tests/", "tests/core/"].iter().any(|it| file.path.contains(it));
        let lines = without_tests(&file.text).lines().count();
        if !tests && excepted != (lines > MOST_LINES) {
            let what = if excepted { "needs its exception no more" } else { "is too long" };
            findings.push(format!("{}: {lines} lines without tests, {what}", file.path));
        }
    }
    findings
}

/// A library must not print.
fn printing(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| is_under(file, &LIBRARIES)) {
        for (line, code) in code(without_tests(&file.text)) {
            if code.contains("print!(") || code.contains("println!(") {
                findings.push(at(file, line, "a library prints nothing"));
            }
        }
    }
    findings
}

/// Public types, traits and functions must have an example. The rule does not check methods, items created by macros,
/// or the quality of an example.
fn example(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| is_under(file, &SHOWN)) {
        for item in public_items(without_tests(&file.text)) {
            let excepted = |of: &(&str, &str, &str)| (of.0, of.1) == (&*file.path, item.name);
            let what = match (item.has_example, WITHOUT_EXAMPLE.iter().any(excepted)) {
                (false, false) => "has no example in its documentation",
                (true, true) => "needs its exception no more",
                _ => continue,
            };
            findings.push(at(file, item.line, &format!("`{}` {what}", item.name)));
        }
    }
    findings
}

/// No stubs, and no disabled tests.
fn stub(tree: &Tree) -> Vec<String> {
    const WORDS: [&str; 6] = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("dbg", "!("),
        concat!("#[", "ignore"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    with_words(tree.rust(), &WORDS)
}

/// Nothing specific to one machine: no absolute paths of a developer, no addresses of package registries.
fn machine(tree: &Tree) -> Vec<String> {
    const PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    const HOSTS: [&str; 7] = [
        concat!("static.crates", ".io"),
        concat!("index.crates", ".io"),
        concat!("://crates", ".io"),
        concat!("://www.crates", ".io"),
        concat!("pypi", ".org"),
        concat!("deb.debian", ".org"),
        concat!("registry.", "npmjs.org"),
    ];
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path != "Cargo.lock") {
        for (number, line) in file.text.lines().enumerate() {
            // Inside a longer path, the folder does not belong to the machine.
            let absolute = |path: &&&str| {
                line.match_indices(**path).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
                })
            };
            let paths = PATHS.iter().filter(absolute);
            for word in paths.chain(HOSTS.iter().filter(|host| line.contains(**host))) {
                findings.push(at(file, number + 1, word));
            }
        }
    }
    findings
}

/// Generated or downloaded files must not be tracked.
fn big_file(tree: &Tree) -> Vec<String> {
    let big = tree.files.iter().filter(|file| file.bytes >= MOST_BYTES);
    big.map(|file| format!("{}: {} KiB", file.path, file.bytes >> 10)).collect()
}

/// The lines whose code satisfies a condition.
fn lines_with<'a>(
    files: impl Iterator<Item = &'a File>,
    found: impl Fn(&str) -> bool,
    what: &str,
) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        for (line, _) in code(&file.text).filter(|(_, code)| found(code)) {
            findings.push(at(file, line, what));
        }
    }
    findings
}

/// The lines that contain one of the words, also in comments.
fn with_words<'a>(files: impl Iterator<Item = &'a File>, words: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(**word)) {
                findings.push(at(file, number + 1, word));
            }
        }
    }
    findings
}
