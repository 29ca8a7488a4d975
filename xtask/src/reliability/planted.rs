//! Plants faults in the kernels, one at a time. The tests without a GPU must detect each.
//!
//! Each fault omits one barrier or fence of the kernels or of the device functions that they call, or makes the bound
//! of one loop or branch of the kernels too large by one. All faults are compiled into one copy of the workspace; an
//! environment variable selects the active one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rayon::prelude::*;
use regex::{Captures, Regex};

use crate::gpu_test::executable;
use crate::shell;
use crate::tidy::without_tests;

/// The folders and files in which faults are planted, and whether bounds are included.
const WHERE: [(&str, bool); 6] = [
    ("crates/kernels/src", true),
    ("crates/device/src/block.rs", false),
    ("crates/device/src/cluster.rs", false),
    ("crates/device/src/grid.rs", false),
    ("crates/device/src/point.rs", false),
    ("crates/device/src/objective.rs", false),
];
const VARIABLE: &str = "WARPSWARM_PLANTED";
/// The environment variable with the file to which a test writes the faults that it reaches.
const REACHED: &str = "WARPSWARM_REACHED";
/// The function that the kernels of the copy call.
const PLANTED: &str = r#"

/// Whether a fault is planted. Who has reached it is written down.
#[doc(hidden)]
pub fn planted(number: u32) -> bool {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static WHICH: OnceLock<Option<u32>> = OnceLock::new();
    static REACHED: [AtomicBool; 1024] = [const { AtomicBool::new(false) }; 1024];
    let reached = &REACHED[number as usize];
    if !reached.load(Ordering::Relaxed) && !reached.swap(true, Ordering::Relaxed) {
        if let Some(file) = std::env::var_os("WARPSWARM_REACHED") {
            let mut file = std::fs::File::options().append(true).create(true).open(file).unwrap();
            std::io::Write::write_all(&mut file, format!("{number}\n").as_bytes()).unwrap();
        }
    }
    *WHICH.get_or_init(|| std::env::var("WARPSWARM_PLANTED").ok()?.parse().ok()) == Some(number)
}
"#;
/// The tests that must detect the faults.
const TESTS: [(&str, &str); 4] = [
    ("warpswarm-device", "collectives"),
    ("warpswarm-device", "bulk"),
    ("warpswarm-tests", "matrix"),
    ("warpswarm-tests", "methods"),
];
/// A test that takes this many times longer than without a fault is considered to hang.
const PATIENCE: u32 = 10;
/// Barriers and fences that are statements on their own line.
const ORDERS: &str =
    r"(?m)^(?<indent> +)(?<old>(?:(?:block|warp|cluster|grid)::)?(?:sync|fence)\(\);)$";
/// Barriers that reduce a predicate.
const JOINS: &str = r"block::sync_or\((?<predicate>[^()]*(?:\([^()]*\)[^()]*)*)\)";
/// Bounds that are not constants.
const BOUNDS: &str =
    r"(?<word>\b(?:if|while)) (?<left>[\w.]+) < (?<right>[a-z][\w.]*(?:\(\w*\))?) \{";

/// A fault, and its place in the source.
#[derive(Clone, Debug, PartialEq)]
struct Fault {
    file: String,
    line: usize,
    /// The original code.
    old: String,
}

/// The result of planting all faults.
pub(super) struct Outcome {
    pub(super) planted: usize,
    pub(super) caught: usize,
    /// The faults that no test has detected.
    pub(super) missed: Vec<String>,
}

/// A test, and its behaviour without faults.
struct Test {
    program: PathBuf,
    name: String,
    takes: Duration,
    /// The faults that the test reaches.
    reaches: BTreeSet<usize>,
}

/// Plants every fault, or those in `only`, and reports which were detected.
pub(super) fn run(only: Option<&[usize]>) -> Result<Outcome> {
    let folder = shell::target()?.join("planted");
    let source = folder.join("source");
    let faults = plant(&source)?;
    println!("{} faults to plant; building the tests", faults.len());
    let programs = build(&source, &folder.join("target"))?;
    let tests = without_faults(&programs, &folder.join("reached"))?;
    println!("{} tests, all of which pass without a fault", tests.len());
    let chosen: Vec<usize> = match only {
        Some(only) => only.to_vec(),
        None => (0..faults.len()).collect(),
    };
    let noticed = |&number: &usize| -> Result<Option<String>> {
        let Fault { file, line, old } = &faults[number];
        let fault = format!("{number}: {file}:{line}: {old}");
        let mut reaching = tests.iter().filter(|test| test.reaches.contains(&number)).peekable();
        if reaching.peek().is_none() {
            println!("{fault}: reached by no test");
            return Ok(Some(fault));
        }
        for test in reaching {
            if !passes(test, number)? {
                println!("{fault}: noticed by {}", test.name);
                return Ok(None);
            }
        }
        println!("{fault}: not noticed");
        Ok(Some(fault))
    };
    // Each is a separate work item, because they take seconds or minutes.
    let missed: Vec<_> = chosen.par_iter().with_max_len(1).map(noticed).collect::<Result<_>>()?;
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    Ok(Outcome { planted: chosen.len(), caught: chosen.len() - missed.len(), missed })
}

/// Creates a copy of the workspace that contains all faults; returns the list of faults.
fn plant(source: &Path) -> Result<Vec<Fault>> {
    let root = shell::root();
    let mut faults = Vec::new();
    for file in &shell::files()? {
        let to = source.join(file);
        fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
        let planted_in = WHERE.iter().find(|(at, _)| Path::new(file).starts_with(at));
        let new = match planted_in {
            Some((_, bounds)) if file.ends_with(".rs") => {
                let text = fs::read_to_string(root.join(file))?;
                Some(changed(file, &text, *bounds, &mut faults))
            }
            _ if file == "crates/device/src/lib.rs" => {
                Some(fs::read_to_string(root.join(file))? + PLANTED)
            }
            _ => None,
        };
        let new = new.map_or_else(|| fs::read(root.join(file)), |text| Ok(text.into_bytes()))?;
        // Unchanged files are not written, so that cargo does not compile them again.
        if fs::read(&to).ok().as_ref() != Some(&new) {
            fs::write(&to, new)?;
        }
    }
    Ok(faults)
}

/// The text of a file with its faults, each enabled by a call of `planted`.
fn changed(file: &str, text: &str, bounds: bool, faults: &mut Vec<Fault>) -> String {
    let planted =
        if file.contains("/device/") { "crate::planted" } else { "warpswarm_device::planted" };
    let code = without_tests(text);
    let tests = &text[code.len()..];
    let mut change = |text: String, pattern: &str, new: &dyn Fn(&Captures<'_>, usize) -> String| {
        let regex = Regex::new(pattern).expect("the patterns are right");
        let mut out = String::new();
        let mut end = 0;
        for found in regex.captures_iter(&text) {
            let whole = found.get(0).expect("it matches");
            let begin = text[..whole.start()].rfind('\n').map_or(0, |at| at + 1);
            let is_comment = text[begin..whole.start()].trim_start().starts_with("//");
            // `const` functions are evaluated when the kernel is compiled.
            let is_const =
                text[..begin].rfind("fn ").is_some_and(|at| text[..at].ends_with("const "));
            if is_comment || is_const {
                continue;
            }
            // Replaced code has no line breaks, so the line numbers stay the same.
            let line = text[..whole.start()].matches('\n').count() + 1;
            let number = faults.len();
            faults.push(Fault { file: file.into(), line, old: whole.as_str().trim().into() });
            out += &text[end..whole.start()];
            out += &new(&found, number);
            end = whole.end();
        }
        out + &text[end..]
    };
    let mut code = change(code.to_owned(), ORDERS, &|found, number| {
        format!("{}if !{planted}({number}) {{ {} }}", &found["indent"], &found["old"])
    });
    code = change(code, JOINS, &|found, number| {
        let predicate = &found["predicate"];
        format!("(if {planted}({number}) {{ {predicate} }} else {{ block::sync_or({predicate}) }})")
    });
    if bounds {
        code = change(code, BOUNDS, &|found, number| {
            let (word, left, right) = (&found["word"], &found["left"], &found["right"]);
            format!("{word} {left} < {right} || ({planted}({number}) && {left} == {right}) {{")
        });
    }
    code + tests
}

/// Builds the test programs of the copy.
fn build(source: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let one = |&(package, test): &(&str, &str)| -> Result<PathBuf> {
        let mut build =
            shell::cargo(&["test", "--no-run", "--message-format=json-render-diagnostics"]);
        build.args(["--package", package, "--test", test]).current_dir(source);
        build.env("CARGO_TARGET_DIR", target).env("WARPSWARM_PTX", "off");
        executable(&shell::output(&mut build)?, test)
    };
    TESTS.iter().map(one).collect()
}

/// Runs every test of some programs without a fault. The fastest tests come first in the result.
fn without_faults(programs: &[PathBuf], folder: &Path) -> Result<Vec<Test>> {
    shell::remove(folder)?;
    fs::create_dir_all(folder)?;
    let mut all = Vec::new();
    for program in programs {
        let list = shell::output(Command::new(program).args(["--list", "--format", "terse"]))?;
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        for name in names {
            all.push((program, name.to_owned(), folder.join(all.len().to_string())));
        }
    }
    let run = |(program, name, file): &(&PathBuf, String, PathBuf)| -> Result<Test> {
        let start = Instant::now();
        shell::output(command(program, name).env(REACHED, file))?;
        let takes = start.elapsed();
        let reached = fs::read_to_string(file).unwrap_or_default();
        let reaches = reached.lines().map(str::parse).collect::<Result<_, _>>()?;
        Ok(Test { program: (*program).clone(), name: name.clone(), takes, reaches })
    };
    let mut tests: Vec<_> = all.par_iter().with_max_len(1).map(run).collect::<Result<_>>()?;
    tests.sort_by_key(|test| test.takes);
    Ok(tests)
}

/// The command that runs one test.
fn command(program: &Path, test: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test]).env_remove(VARIABLE).env_remove(REACHED);
    command
}

/// Whether a test passes within its time limit with a planted fault.
fn passes(test: &Test, fault: usize) -> Result<bool> {
    let mut command = command(&test.program, &test.name);
    command.env(VARIABLE, fault.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| test.program.display().to_string())?;
    let end = Instant::now() + Duration::from_secs(10) + PATIENCE * test.takes;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_bounds_are_changed_where_they_stand() {
        let text = "\
fn kernel() {
    // sync();
    block::sync();
    let any = block::sync_or(a.beats(b));
    while i < stride {
        fence();
    }
}
const fn rows(i: u32, stride: u32) -> u32 {
    if i < stride { 0 } else { i }
}
#[cfg(test)]
mod tests {
    sync();
}
";
        let mut faults = Vec::new();
        let new = changed("crates/kernels/src/a.rs", text, true, &mut faults);
        let expected = "\
fn kernel() {
    // sync();
    if !warpswarm_device::planted(0) { block::sync(); }
    let any = (if warpswarm_device::planted(2) { a.beats(b) } else { block::sync_or(a.beats(b)) });
    while i < stride || (warpswarm_device::planted(3) && i == stride) {
        if !warpswarm_device::planted(1) { fence(); }
    }
}
const fn rows(i: u32, stride: u32) -> u32 {
    if i < stride { 0 } else { i }
}
#[cfg(test)]
mod tests {
    sync();
}
";
        assert_eq!(new, expected);
        let lines: Vec<_> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [3, 6, 4, 5]);
        assert_eq!(faults[3].old, "while i < stride {");
    }
}
