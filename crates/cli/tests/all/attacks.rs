//! Adverse use: no data is lost, mixed up or misread, and no command hangs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{fails, program, read, run_in, stderr, stdout};

const SOLVE: [&str; 7] = ["solve", "sphere", "--dim", "2", "--iterations", "5", "--quiet"];

/// Runs `solve` in a folder; returns the exit code and stderr.
fn solve(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = run_in(folder, &[&SOLVE[..], more].concat());
    (output.status.code(), stderr(&output).into())
}

#[track_caller]
fn refused(folder: &Path, more: &[&str], part: &str) {
    let (code, said) = solve(folder, more);
    assert!(code == Some(2) && said.contains(part), "{more:?}: {code:?}, {said}");
}

#[test]
fn what_is_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    refused(folder, &["--checkpoint", "notes.txt"], "is not a checkpoint");
    refused(folder, &["--checkpoint", "notes.txt", "--force"], "is not a checkpoint");
    assert_eq!(solve(folder, &["--checkpoint", "a.ck"]).0, Some(0));
    let before = fs::read(folder.join("a.ck")).unwrap();
    refused(folder, &["--checkpoint", "a.ck"], "`warpswarm resume a.ck`");
    assert_eq!(fs::read(folder.join("a.ck")).unwrap(), before);
    assert_eq!(solve(folder, &["--checkpoint", "a.ck", "--force", "--seed", "1"]).0, Some(0));
    let problem = "minimise = \"x^2\"\n[variables]\nx = {lower = -1, upper = 2}\n";
    fs::write(folder.join("mine.toml"), problem).unwrap();
    let output = run_in(folder, &["solve", "mine.toml", "--json", "./mine.toml"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("which is the problem"));
    refused(folder, &["--json", "same", "--trace", "same"], "which --json writes too");
    assert_eq!(fs::read_to_string(folder.join("mine.toml")).unwrap(), problem);
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
}

#[test]
fn a_folder_and_a_checkpoint_have_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let endless = ["solve", "sphere", "--dim", "2", "--iterations", "1000000000", "--quiet"];
    let mut first = program()
        .args(endless)
        .args(["--out", "run", "--checkpoint", "a.ck", "--every", "1"])
        .current_dir(folder)
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !folder.join("a.ck").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    refused(folder, &["--out", "run"], "which another warpswarm is writing");
    refused(folder, &["--checkpoint", "a.ck", "--force"], "which another warpswarm is writing");
    let resumed = run_in(folder, &["resume", "a.ck"]);
    assert!(
        stderr(&resumed).contains("which another warpswarm is writing"),
        "{}",
        stderr(&resumed)
    );
    first.kill().unwrap();
    first.wait().unwrap();
    // A killed process holds no locks.
    assert_eq!(solve(folder, &["--out", "run", "--checkpoint", "a.ck", "--force"]).0, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn what_can_be_written_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let output = run_in(
        folder,
        &[
            "solve",
            "sphere",
            "--dim",
            "2",
            "--trace",
            "/dev/full",
            "--json",
            "a.json",
            "--out",
            "run",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("best value"), "{}", stdout(&output));
    assert!(stderr(&output).contains("--trace /dev/full"), "{}", stderr(&output));
    assert_eq!(read(&folder.join("a.json")), read(&folder.join("run/result.json")));
}

#[test]
fn text_of_others_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let problem = "name = \"=bell\\u0007\\u001b[31m\\nerror: |<script>\"\nminimise = \"x^2\"\n\
                   [variables]\nx = {lower = -1, upper = 2}\n";
    fs::write(folder.join("bell.toml"), problem).unwrap();
    let output = run_in(
        folder,
        &["solve", "bell.toml", "--iterations", "3", "--json", "a.json", "--plot", "a.svg"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let controls = |text: &str| text.contains(|c: char| c.is_control() && c != '\n');
    assert!(stdout(&output).contains(r"=bell\u{7}\u{1b}[31m\nerror: |<script>"));
    assert!(
        !controls(stdout(&output)) && !controls(&fs::read_to_string(folder.join("a.svg")).unwrap())
    );
    assert_eq!(read(&folder.join("a.json"))["problem"], "=bell\u{7}\u{1b}[31m\nerror: |<script>");
    let compare = ["compare", "--problems", "bell.toml", "--algorithms", "pso", "--runs", "2"];
    let more = ["--evaluations", "200", "--quiet", "--markdown", "a.md", "--csv", "a.csv"];
    assert_eq!(run_in(folder, &[&compare[..], &more].concat()).status.code(), Some(0));
    let markdown = fs::read_to_string(folder.join("a.md")).unwrap();
    assert!(markdown.contains("&lt;script&gt;") && !markdown.contains("<script>"), "{markdown}");
    let csv = fs::read_to_string(folder.join("a.csv")).unwrap();
    assert!(csv.contains("\n'=bell") && !controls(&csv), "{csv}");
    let output = run_in(folder, &["solve", "a\u{1b}[31m\nerror: b"]);
    assert!(!controls(stderr(&output)) && !stderr(&output).contains("\nerror:"));
    // A line break in a name does not start a new line in a summary or a message.
    let named = format!("{problem}[constraints]\n\"c\\nerror: d\" = \"x <= y\"\n");
    fs::write(folder.join("named.toml"), &named).unwrap();
    let output = run_in(folder, &["solve", "named.toml"]);
    assert!(stderr(&output).contains(r"constraints.c\nerror: d: unknown name"), "{output:?}");
    let lost = named.replace("x <= y", "x <= 1e-50 + \\n 1e-50");
    fs::write(folder.join("named.toml"), lost).unwrap();
    let few = ["--precision", "f32", "--iterations", "3", "--individuals", "8"];
    let output = run_in(folder, &[&["solve", "named.toml"][..], &few].concat());
    assert!(stderr(&output).contains(r"constraints.c\nerror: d: `1e-50 + \n 1e-50`"), "{output:?}");
    fs::write(folder.join("named.toml"), named.replace("<= y", "<= 1")).unwrap();
    let output = run_in(folder, &["check", "named.toml", "--backend", "cpu"]);
    assert!(stdout(&output).contains(r"`c\nerror: d` is met"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    for arguments in [
        &["resume", "/dev/zero"][..],
        &["compare", "--study", "/dev/zero"],
        &["solve", "sphere", "--threads", "2000", "--checkpoint", "/dev/zero"],
    ] {
        fails(arguments, 2, &["/dev/zero", "no"]);
    }
}

/// `--seconds` and Ctrl-C during an iteration of thousands of slow evaluations.
#[cfg(unix)]
#[test]
fn the_end_comes_in_the_middle_of_a_pass() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let slow =
        "minimise = \"sum(i, 1, 300000, sin(x*i))\"\n[variables]\nx = {lower = 0, upper = 1}\n";
    fs::write(folder.join("slow.toml"), slow).unwrap();
    let command = ["solve", "slow.toml", "--individuals", "5000", "--json", "a.json", "--quiet"];
    let start = Instant::now();
    let output = run_in(folder, &[&command[..], &["--seconds", "0.3"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    let run = read(&folder.join("a.json"))["runs"][0].clone();
    assert_eq!(
        (run["stop_reason"].as_str(), run["iterations"].as_u64()),
        (Some("seconds"), Some(0))
    );
    assert!((1..5000).contains(&run["evaluations"].as_u64().unwrap()), "{run}");

    let more = ["--checkpoint", "a.ck"];
    let child = program()
        .args([&command[..], &more].concat())
        .current_dir(folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(130));
    // There is no state to resume from, and a message says so.
    assert!(stderr(&output).contains("no checkpoint was written"), "{}", stderr(&output));
    assert!(!folder.join("a.ck").exists());
}
