//! Interrupting and resuming runs: at limits, by Ctrl-C, by kill -9, and with a full disk.

use std::fs;
use std::path::Path;
use std::time::SystemTime;
#[cfg(unix)]
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

#[cfg(unix)]
use crate::common::program;
#[cfg(unix)]
use crate::common::stdout;
use crate::common::{fails, read, run, runs, stderr, succeeds};
#[cfg(unix)]
use warpswarm::{CheckpointFile, Precise};

/// The iterations of the run in a checkpoint file.
#[cfg(unix)]
fn iterations<R: Precise + serde::de::DeserializeOwned>(path: &Path) -> u64 {
    let checkpoint = CheckpointFile::open(path).unwrap().checkpoint::<R>().unwrap();
    checkpoint.states[0].control.iterations
}

#[test]
fn a_run_that_was_left_equals_one_that_was_not() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let file = file.to_str().unwrap();
    let check = |base: &[&str], steps: &[&[&str]]| {
        let solve = [&["solve", "--individuals", "33", "--runs", "2"], base].concat();
        let size = |n: &'static str| ["--iterations", n, "--json", "-"];
        let whole = succeeds(&[&solve[..], &size("40")].concat());
        succeeds(&[&solve[..], &size("10"), &["--checkpoint", file, "--force"]].concat());
        let mut last = String::new();
        for step in steps {
            last = succeeds(&[&["resume", file, "--json", "-"][..], step].concat());
        }
        assert_eq!(runs(&last), runs(&whole), "{base:?}");
    };
    let (ten, emulator) = (["--iterations", "10"], ["--backend", "emulator"]);
    let all = [&ten[..], &emulator[..]].concat();
    check(&["rastrigin", "--dim", "5"], &[&ten, &ten, &ten]);
    check(&["rastrigin", "--dim", "5", "--precision", "f64"], &[&all, &ten, &all]);
    check(&["spring", "--algorithm", "de"], &[&["--iterations", "20"], &all]);
    check(&["rastrigin", "--dim", "3", "--algorithm", "fwa"], &[&ten, &["--iterations", "20"]]);
}

#[test]
fn records_go_on_too() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (file, whole, resumed) = (path("state"), path("whole"), path("resumed"));
    let solve = ["solve", "rastrigin", "--dim", "4", "--individuals", "32", "--quiet"];
    let solve = |more: &[&str]| succeeds(&[&solve[..], more].concat());
    solve(&["--iterations", "40", "--out", &whole]);
    solve(&["--iterations", "15", "--out", &path("part"), "--checkpoint", &file]);
    succeeds(&["resume", &file, "--iterations", "25", "--out", &resumed, "--quiet"]);
    let (whole, resumed) = (Path::new(&whole), Path::new(&resumed));
    let [there, here] = [whole, resumed].map(|folder| {
        let text = fs::read_to_string(folder.join("trace.csv")).unwrap();
        let rows = text.lines().map(|line| {
            let mut row: Vec<_> = line.split(',').collect();
            // The column of seconds.
            row.remove(3);
            row.join(",")
        });
        rows.collect::<Vec<_>>()
    });
    assert_eq!((there.len(), here), (42, there.clone()));
    assert_eq!(
        read(&whole.join("result.json"))["runs"],
        read(&resumed.join("result.json"))["runs"]
    );
    assert!(succeeds(&["rerun", resumed.to_str().unwrap()]).contains("the same bits"));
}

#[test]
fn original_stops_hold_where_nothing_else_is_said() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let file = file.to_str().unwrap();
    let base = ["solve", "sphere", "--dim", "2", "--individuals", "32", "--json", "-"];
    let target = ["--target", "1e-3"];
    let whole = succeeds(&[&base[..], &target].concat());
    succeeds(&[&base[..], &target, &["--checkpoint", file]].concat());
    // The run has stopped. Resuming it does not change that.
    assert_eq!(runs(&succeeds(&["resume", file, "--json", "-"])), runs(&whole));
    let said = succeeds(&["resume", file, "--iterations", "50", "--json", "-"]);
    assert_eq!(runs(&said), runs(&whole));
}

#[test]
fn a_checkpoint_is_described() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("my state");
    let shown = file.to_str().unwrap();
    let solve = ["solve", "rastrigin", "--dim", "3", "--individuals", "32", "--runs", "2"];
    let stops = ["--iterations", "40", "--evaluations", "5000", "--no-polish", "--json", "-"];
    let solved = succeeds(&[&solve[..], &stops, &["--checkpoint", shown]].concat());
    let solved: serde_json::Value = serde_json::from_str(&solved).unwrap();
    let before = fs::read(&file).unwrap();
    let text = succeeds(&["checkpoint", shown]);
    for part in [
        "my state: intact, ",
        "ago, begun by warpswarm ",
        "problem     rastrigin, 3 dimensions\n",
        "algorithm   pso, 32 individuals, f64, seed 0\n",
        "runs        2 runs\n",
        "work        40 iterations of at most 40, 2,624 evaluations of at most 10,000\n",
        "s so far\nstate       finished: stopped by iterations\n",
        &format!("resume      warpswarm resume '{shown}' --iterations MORE\n"),
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&["checkpoint", shown, "--json"])).unwrap();
    let runs = solved["runs"].as_array().unwrap();
    let values = runs.iter().map(|run| run["best"]["value"].as_f64().unwrap());
    assert_eq!(json["best"]["value"].as_f64(), values.min_by(f64::total_cmp));
    assert!(text.contains(&format!("best value  {:?}\n", json["best"]["value"].as_f64().unwrap())));
    assert_eq!((&json["iterations"], &json["evaluations"]), (&40.into(), &2624.into()));
    assert_eq!((&json["intact"], &json["islands"]), (&true.into(), &0.into()));
    let (written, age) = (json["written"].as_u64().unwrap(), json["age_seconds"].as_u64().unwrap());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!(age < 600 && written + age <= now, "{written} and {age} are not {now}");
    assert_eq!(fs::read(&file).unwrap(), before);

    // Checks a maximised problem, and a folder of islands instead of a file.
    let folder = place.path().join("kept");
    let folder = folder.to_str().unwrap();
    let islands =
        ["--maximise", "--islands", "ring", "--island-count", "2", "--migrate-every", "5"];
    let few = ["--iterations", "20", "--json", "-", "--checkpoint", folder];
    let solved = succeeds(&[&solve[..6], &islands, &few].concat());
    let solved: serde_json::Value = serde_json::from_str(&solved).unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&["checkpoint", folder, "--json"])).unwrap();
    let runs = solved["runs"].as_array().unwrap();
    let values = runs.iter().map(|run| run["best"]["value"].as_f64().unwrap());
    assert_eq!(json["best"]["value"].as_f64(), values.max_by(f64::total_cmp));
    assert_eq!((&json["islands"], &json["maximised"]), (&2.into(), &true.into()));
    let reasons = serde_json::json!(["iterations", "iterations"]);
    assert_eq!(json["stop_reasons"], reasons);
    let text = succeeds(&["checkpoint", folder]);
    assert!(text.contains("\nislands     2\n"), "{text}");
    assert!(text.contains("\nstate       finished: stopped by iterations\n"), "{text}");
}

/// The text of a checkpoint and its JSON.
fn described(file: &str) -> (String, serde_json::Value) {
    let json = succeeds(&["checkpoint", file, "--json"]);
    (succeeds(&["checkpoint", file]), serde_json::from_str(&json).unwrap())
}

#[test]
fn a_checkpoint_says_why_its_runs_have_stopped() {
    let place = tempfile::tempdir().unwrap();
    let check = |name: &str, options: &[&str], lines: &[&str], fields: serde_json::Value| {
        let file = place.path().join(name);
        let file = file.to_str().unwrap();
        let solve = ["solve", "rastrigin", "--dim", "2", "--individuals", "32", "--quiet"];
        succeeds(&[&solve[..], options, &["--checkpoint", file]].concat());
        let (text, json) = described(file);
        for line in lines {
            let line = line.replace("FILE", file);
            assert!(text.lines().any(|other| other == line), "{line:?} is not in\n{text}");
        }
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(&json[name], value, "{name}");
        }
        let command = format!("warpswarm resume {file}");
        assert_eq!(json["resume"], command.as_str());
    };
    check(
        "targets",
        &["--runs", "2", "--target", "30", "--stagnation", "4000", "--iterations", "5000"],
        &[
            "target      30.0",
            "stagnation  after 4,000 iterations without improvement",
            "state       finished: stopped by target",
            "resume      no run can continue: the target 30.0 still applies",
        ],
        serde_json::json!({
            "target": 30.0, "stagnation": 4000, "seconds_limit": null, "stop_reasons": ["target", "target"],
        }),
    );
    let more = "resume      warpswarm resume FILE --iterations MORE";
    check(
        "stuck",
        &["--algorithm", "pso", "--stagnation", "20"],
        &[
            "state       finished: stopped by stagnation",
            "resume      no run can continue: the limit of stagnation (20 iterations) still applies",
        ],
        serde_json::json!({ "target": null, "stop_reasons": ["stagnation"] }),
    );
    check(
        "time",
        &["--seconds", "1"],
        &["state       finished: stopped by seconds", more],
        serde_json::json!({ "seconds_limit": 1.0, "stop_reasons": ["seconds"] }),
    );
    check(
        "evaluations",
        &["--evaluations", "400"],
        &["state       finished: stopped by evaluations", more],
        serde_json::json!({ "stop_reasons": ["evaluations"] }),
    );
    check(
        "restarts",
        &["--algorithm", "cma-es", "--evaluations", "400"],
        &["state       finished: stopped by evaluations", more],
        serde_json::json!({ "stop_reasons": ["evaluations"] }),
    );
    check(
        "default",
        &["--algorithm", "de"],
        &["state       finished: stopped by iterations", more],
        serde_json::json!({ "iterations_limit": null, "iterations": 1000, "stop_reasons": ["iterations"] }),
    );
}

#[test]
fn a_run_that_cannot_continue_says_so_and_keeps_its_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    let file = path.to_str().unwrap();
    let solve = ["solve", "sphere", "--dim", "2", "--individuals", "32", "--checkpoint", file];
    let said = |options: &[&str]| {
        let output = run(&[&["resume", file, "--quiet"], options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output).to_owned()
    };
    succeeds(&[&solve[..], &["--runs", "8", "--target", "1e-3"]].concat());
    let before = fs::read(&path).unwrap();
    let note = "note: no run has continued: stopped by target; the target 0.001 still applies; the checkpoint is \
                unchanged\n";
    assert_eq!(said(&[]), note);
    assert_eq!(said(&["--iterations", "100"]), note);
    assert_eq!(fs::read(&path).unwrap(), before);
    // Another file is written all the same.
    let other = place.path().join("other");
    said(&["--checkpoint", other.to_str().unwrap()]);
    assert!(other.exists());

    succeeds(&[&solve[..], &["--iterations", "10", "--force"]].concat());
    let before = fs::read(&path).unwrap();
    let note = said(&[]);
    let parts = [
        "stopped by iterations; to continue: warpswarm resume ",
        " --iterations MORE; the checkpoint",
    ];
    assert!(parts.iter().all(|part| note.contains(part)), "{note}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(said(&["--iterations", "100"]), "");
    assert!(fs::read(&path).unwrap() != before);

    let folder = place.path().join("kept");
    let folder = folder.to_str().unwrap();
    let islands = ["--islands", "ring", "--island-count", "2", "--migrate-every", "5"];
    let few = ["--iterations", "20", "--quiet", "--checkpoint", folder];
    succeeds(&[&solve[..6], &islands, &few].concat());
    let output = run(&["resume", folder, "--quiet"]);
    assert!(stderr(&output).contains("note: no run has continued: stopped by iterations"));
    // Islands that reach their target within an epoch.
    let target = ["--target", "20", "--quiet", "--checkpoint", folder, "--force"];
    succeeds(&[&["solve", "rastrigin", "--dim", "3"], &solve[4..6], &islands, &target].concat());
    let (text, json) = described(folder);
    assert_eq!(json["stop_reasons"], serde_json::json!(["target", "target"]));
    assert!(text.ends_with("\nresume      no run can continue: the target 20.0 still applies\n"));
    let output = run(&["resume", folder, "--iterations", "10", "--quiet"]);
    let note = "note: no run has continued: stopped by target; the target 20.0 still applies\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), note));
}

#[test]
fn arguments_are_checked() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let shown = file.to_str().unwrap();
    fails(&["resume", shown], 2, &["state cannot be read"]);
    fails(&["checkpoint", shown], 2, &["state cannot be read"]);
    fs::write(&file, "something else").unwrap();
    fails(&["resume", shown], 2, &["state cannot be read: it is not a checkpoint"]);
    let solve = ["solve", "sphere", "--iterations", "5", "--checkpoint"];
    fs::remove_file(&file).unwrap();
    succeeds(&[&solve[..], &[shown]].concat());
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    fails(&["resume", shown], 2, &["state cannot be read: it is damaged"]);
    fails(&["checkpoint", shown], 2, &["state cannot be read: it is damaged"]);
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let more = "72057594037927935";
    fails(&["resume", shown, "--iterations", more], 2, &["--iterations", "allowed: at most"]);
    fails(&["resume", shown, "--every", "5m"], 2, &["--every", "'5m'", "allowed: iterations"]);
    for limit in ["--seconds", "--evaluations"] {
        fails(&["resume", shown, limit, "3"], 2, &[limit, "'3'", "--iterations MORE replaces"]);
    }
    for condition in ["--target", "--stagnation"] {
        fails(&["resume", shown, condition, "-5"], 2, &[condition, "'-5'", "start a new run"]);
    }
    let none = place.path().join("none/state");
    let none = none.to_str().unwrap();
    fails(&[&solve[..], &[none]].concat(), 2, &["--checkpoint", "none/state", "cannot be written"]);
    if cfg!(unix) {
        fails(&[&solve[..], &["/dev/null"]].concat(), 2, &["--checkpoint", "/dev/null"]);
    }
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let shown = file.to_str().unwrap();
    let size = [
        "solve",
        "rastrigin",
        "--dim",
        "4",
        "--individuals",
        "32",
        "--algorithm",
        "pso",
        "--json",
        "-",
    ];
    let child = program()
        .args(&size[..size.len() - 2])
        .args(["--iterations", "1000000000", "--checkpoint", shown, "--every", "1000s"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !file.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let line = format!("\ncheckpoint  {shown}; to continue: warpswarm resume {shown}\n");
    assert!(stdout(&output).ends_with(&line), "{}", stdout(&output));
    let done = iterations::<f64>(&file);
    assert!(done > 0);
    let (text, json) = described(shown);
    let not_finished =
        format!("\nstate       not finished\nresume      warpswarm resume {shown}\n");
    assert!(text.ends_with(&not_finished), "{text}");
    assert_eq!(json["stop_reasons"], serde_json::json!([null]));
    let resumed = succeeds(&["resume", shown, "--iterations", "50", "--json", "-"]);
    let all = (done + 50).to_string();
    let whole = succeeds(&[&size[..], &["--iterations", &all]].concat());
    assert_eq!(runs(&resumed), runs(&whole));
}

/// A run is killed a hundred times at random moments and resumed each time. It ends with the same bits as a run that
/// was never interrupted. The time between a kill and the last checkpoint is at most the interval, here one slice.
#[cfg(unix)]
#[test]
fn kill_9_loses_at_most_the_time_since_the_last_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let shown = file.to_str().unwrap();
    let size = ["rastrigin", "--dim", "4", "--individuals", "32", "--algorithm", "pso"];
    let endless = ["--iterations", "1000000000", "--checkpoint", shown, "--every", "1", "--quiet"];
    let mut draws = 0x9e37_79b9_7f4a_7c15_u64;
    let mut milliseconds = || {
        draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (draws >> 33) % 200
    };
    let (mut last, mut advanced, mut oldest) = (0, 0, Duration::ZERO);
    for kill in 0..100 {
        let mut child = match file.exists() {
            true => program().args(["resume", shown, "--every", "1", "--quiet"]).spawn(),
            false => program().arg("solve").args(size).args(endless).spawn(),
        }
        .unwrap();
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(milliseconds()));
        child.kill().unwrap();
        child.wait().unwrap();
        if !file.exists() {
            continue;
        }
        let now = iterations::<f64>(&file);
        assert!(now >= last, "kill {kill} lost what was there: {last} iterations, now {now}");
        if now > last {
            advanced += 1;
            let age = fs::metadata(&file).unwrap().modified().unwrap().elapsed().unwrap();
            oldest = oldest.max(age.min(start.elapsed()));
        }
        last = now;
    }
    // Not counting processes that were killed before they started.
    assert!(advanced > 10, "only {advanced} of 100 came further");
    // A slice takes 50 ms; the limit allows for busy machines.
    assert!(oldest < Duration::from_millis(1000), "{oldest:?}");
    let resumed = succeeds(&["resume", shown, "--iterations", "50", "--json", "-"]);
    let all = (last + 50).to_string();
    let solve = [&["solve"], &size[..], &["--iterations", &all, "--json", "-"]].concat();
    assert_eq!(runs(&resumed), runs(&succeeds(&solve)));
}

/// Files are limited to 8 KiB. For a single process this has the effect of a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_last_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("state");
    let shown = file.to_str().unwrap();
    let size = [
        "solve",
        "sphere",
        "--dim",
        "2",
        "--individuals",
        "8",
        "--algorithm",
        "pso",
        "--json",
        "-",
    ];
    let limited = |arguments: &[&str]| {
        let shell = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_warpswarm")]).args(arguments);
        command.stdin(Stdio::null()).output().unwrap()
    };
    // The records exceed the limit during the run.
    let growing = ["--iterations", "1000", "--trace", "/dev/null", "--checkpoint", shown];
    let output = limited(&[&size[..], &growing].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("state cannot be written"), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"runs\""), "the result is there all the same");
    let before = fs::read(&file).unwrap();
    let resumed = succeeds(&["resume", shown, "--checkpoint", shown, "--json", "-"]);
    let whole = succeeds(&[&size[..], &["--iterations", "1000"]].concat());
    assert_eq!(runs(&resumed), runs(&whole));

    // The limit is exceeded from the start.
    let large = fs::read(&file).unwrap();
    assert!(large.len() > 8 << 10 && before.len() < 8 << 10);
    let output = limited(&["resume", shown, "--iterations", "5"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(fs::read(&file).unwrap(), large);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "something is left");
    assert_eq!(run(&["resume", shown, "--quiet"]).status.code(), Some(0));
}
