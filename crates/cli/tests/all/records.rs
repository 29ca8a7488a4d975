//! The folder of a run, and repetitions of the run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{fails, program, read, run, run_in, stderr, stdout, succeeds};

fn words<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [base, more].concat()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_has_the_whole_run() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    let size = ["--dim", "2", "--individuals", "32", "--iterations", "20", "--runs", "2"];
    let more = ["--out", shown, "--population-every", "8", "--seed", "18446744073709551615"];
    let solve = words(&["solve", "rastrigin", "--json", "-"], &words(&size, &more));
    let json = succeeds(&solve);
    assert_eq!(names(place.path()), ["first"]);
    let mut files = vec!["population.csv", "result.json", "run.toml", "trace.csv"];
    files.extend(cfg!(feature = "parquet").then_some("trace.parquet"));
    assert_eq!(names(&out), files);
    assert_eq!(fs::read_to_string(out.join("result.json")).unwrap(), json);

    let toml: toml::Table = fs::read_to_string(out.join("run.toml")).unwrap().parse().unwrap();
    assert_eq!(toml["format"].as_integer(), Some(1));
    assert_eq!(toml["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(toml["problem"]["name"].as_str(), Some("rastrigin"));
    assert_eq!(toml["problem"]["lower"].as_float(), Some(-5.12));
    assert_eq!(toml["algorithm"]["inertia"].as_float(), Some(0.7298));
    assert_eq!(toml["settings"]["seed"].as_str(), Some("18446744073709551615"));
    assert_eq!(toml["settings"]["stop"]["iterations"].as_integer(), Some(20));
    assert_eq!(toml["taken"]["backend"].as_str(), Some("cpu"));

    let trace = fs::read_to_string(out.join("trace.csv")).unwrap();
    let mut lines = trace.lines();
    let head = "run,iteration,evaluations,seconds,best,violation,mean,spread";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2 * 21);
    for row in &rows {
        let [best, mean, spread] = [4, 6, 7].map(|i| row[i].parse::<f64>().unwrap());
        assert!(best <= mean && (0.0..=1.0).contains(&spread), "{row:?}");
    }

    let population = fs::read_to_string(out.join("population.csv")).unwrap();
    let mut lines = population.lines();
    assert_eq!(lines.next(), Some("run,iteration,individual,value,violation,x1,x2"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2 * 4 * 32);
    let at = |i: &str| rows.iter().filter(|row| row[1] == i).count();
    assert_eq!(["0", "8", "16", "20"].map(at), [64; 4]);
    // The local search has started from the best individual at the end.
    let last = rows.iter().filter(|row| row[0] == "0" && row[1] == "20");
    let least = last.map(|row| row[3].parse::<f32>().unwrap()).fold(f32::INFINITY, f32::min);
    let run = &read(&out.join("result.json"))["runs"][0];
    assert_eq!(least, run["polish"]["value"].as_f64().unwrap() as f32);
    assert!(run["best"]["value"].as_f64().unwrap() < f64::from(least));
}

/// The number of rows is limited for large limits, for many runs, and for any reason for stopping.
#[test]
fn a_trace_does_not_grow_without_end() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trace.csv");
    let rows = |more: &[&str]| {
        let trace = ["--trace", file.to_str().unwrap(), "--individuals", "2", "--dim", "1"];
        succeeds(&words(&words(&["solve", "sphere", "--quiet"], &trace), more));
        let text = fs::read_to_string(&file).unwrap();
        let column = |line: &str| line.split(',').nth(1).unwrap().parse::<u64>().unwrap();
        text.lines().skip(1).map(column).collect::<Vec<_>>()
    };
    // The rows are thinned from every 10th to every 20th and finally every 40th iteration.
    let long = rows(&["--iterations", "20020"]);
    let every_40th: Vec<u64> = (0..=20_000).step_by(40).chain([20_020]).collect();
    assert_eq!(long, every_40th);
    let ended = rows(&["--iterations", "1000000000000", "--stagnation", "20000"]);
    assert!((400..=1002).contains(&ended.len()) && ended.is_sorted(), "{}", ended.len());
    let many = rows(&["--runs", "40000", "--iterations", "30"]);
    let every_second: Vec<u64> = (0..=30).step_by(2).collect();
    assert_eq!(many.len(), 40_000 * every_second.len());
    assert_eq!(many[..16], every_second);
}

#[test]
fn what_coordinates_stand_for_is_kept_and_shown() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let problem = "minimise = \"(bolt - 4)^2 + if(metal == '=tin, cast', 0, 1)\"\n[variables]\n\
        bolt = { values = [2, 5.5, 10] }\nmetal = { choices = [\"steel\", \"=tin, cast\"] }\n";
    fs::write(place.join("bolt.toml"), problem).unwrap();
    let kept = ["--population-every", "2", "--out", "kept", "--plot", "parameters.svg"];
    let small = ["--individuals", "8", "--iterations", "2", "--backend", "cpu", "--quiet"];
    let solve = [&["solve", "bolt.toml"][..], &kept, &small].concat();
    assert!(run_in(place, &solve).status.success());
    let population = fs::read_to_string(place.join("kept/population.csv")).unwrap();
    let cells = |line: &str| line.splitn(6, ',').nth(5).unwrap().to_string();
    let mut all: Vec<String> = population.lines().skip(1).map(cells).collect();
    let is_known = |line: &String| {
        let Some((bolt, metal)) = line.split_once(',') else { return false };
        ["2.0", "5.5", "10.0"].contains(&bolt) && ["steel", "\"'=tin, cast\""].contains(&metal)
    };
    assert!(all.len() == 16 && all.iter().all(is_known), "{all:?}");
    all.sort();
    all.dedup();
    assert!(all.len() > 2, "{all:?}");
    let output = run_in(place, &["rerun", "kept"]);
    assert!(output.status.success(), "{output:?}");
    // Axes of pictures and of the report show numbers, and their labels explain these.
    let labels = ["bolt (1 is 2.0, 2 is 5.5, 3 is 10.0)", "metal (1 steel, 2 =tin, cast)"];
    assert!(run_in(place, &["report", "kept"]).status.success());
    for file in ["parameters.svg", "report.html"] {
        let text = fs::read_to_string(place.join(file)).unwrap();
        assert!(labels.iter().all(|label| text.contains(label)), "{file}: {text}");
    }
    let page = fs::read_to_string(place.join("report.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let points = data["groups"][0]["frames"][0]["points"].as_array().unwrap();
    let is_number = |point: &Value| {
        [1.0, 2.0, 3.0].contains(&point[0].as_f64().unwrap())
            && [1.0, 2.0].contains(&point[1].as_f64().unwrap())
    };
    assert!(points.len() == 8 && points.iter().all(is_number), "{points:?}");
}

#[test]
fn a_rerun_gives_the_same_bits_everywhere() {
    let place = tempfile::tempdir().unwrap();
    let check = |name: &str, arguments: &[&str], elsewhere: &[&[&str]]| {
        let out = place.path().join(name);
        let shown = out.to_str().unwrap();
        let size = ["solve", "--quiet", "--individuals", "33", "--runs", "2", "--out", shown];
        succeeds(&words(&size, arguments));
        for more in elsewhere {
            let said = succeeds(&words(&["rerun", shown], more));
            assert!(said.contains("the same bits: 2 runs, "), "{arguments:?} {more:?}: {said}");
        }
    };
    let places: &[&[&str]] =
        &[&[], &["--backend", "cpu", "--threads", "1"], &["--backend", "emulator"]];
    check("f32", &["rastrigin", "--dim", "5", "--iterations", "20"], places);
    let f64 = ["spring", "--precision", "f64", "--iterations", "20", "--algorithm", "de"];
    check("f64", &f64, places);
    let populations = ["sphere", "--dim", "3", "--iterations", "9", "--population-every", "2"];
    check("populations", &populations, &places[..2]);
    let shifted = ["sphere", "--dim", "3", "--shift", "0.1", "--lower=-1", "--iterations", "9"];
    check("shifted", &shifted, &places[..1]);
    check("seconds", &["sphere", "--dim", "3", "--seconds", "0.05"], &places[..1]);
    // Here the limit ends the local search too, after a tenth of the time.
    check("polish", &["rosenbrock", "--dim", "300", "--seconds", "0.05"], &places[..1]);
    check("target", &["sphere", "--dim", "2", "--target", "1e-3"], &places[..2]);
    // The run is longer than the default limit on iterations, which does not apply if there is a limit in seconds.
    let long = ["sphere", "--dim", "10", "--precision", "f64", "--target", "1e-60"];
    check("long", &words(&long, &["--seconds", "100"]), &places[..1]);
    check("fwa", &["sphere", "--dim", "2", "--algorithm", "fwa", "--evaluations", "999"], &[&[]]);
    let ring = ["sphere", "--dim", "2", "--set", "topology=ring", "--set", "velocity_limit=none"];
    check("ring", &words(&ring, &["--iterations", "30"]), &places[..1]);
}

/// A repetition uses the block size of the first run, unless another backend or schedule is requested.
#[test]
fn a_block_size_is_kept_with_its_run() {
    let place = tempfile::tempdir().unwrap();
    let (out, state) = (place.path().join("out"), place.path().join("state"));
    let (out, state) = (out.to_str().unwrap(), state.to_str().unwrap());
    let size = ["--dim", "5", "--individuals", "70", "--iterations", "9", "--precision", "f32"];
    let asked =
        ["--backend", "emulator", "--schedule", "resident", "--block-size", "384", "--quiet"];
    let kept = ["--out", out, "--checkpoint", state];
    succeeds(&words(&["solve", "rastrigin"], &[&size[..], &asked, &kept].concat()));
    let toml = fs::read_to_string(place.path().join("out/run.toml")).unwrap();
    assert!(toml.contains("\nblock_size = 384\n"), "{toml}");

    // A block of the schedule `stepwise` has at most 256 threads.
    for more in [&[][..], &["--block-size", "64"], &["--schedule", "stepwise"]] {
        assert!(succeeds(&words(&["rerun", out], more)).contains("the same bits"), "{more:?}");
    }
    let cpu = ["--backend", "cpu"];
    assert!(succeeds(&words(&["rerun", out], &cpu)).contains("the same bits"));
    let both = words(&cpu, &["--block-size", "64"]);
    fails(&words(&["rerun", out], &both), 2, &["--backend is cpu", "block size 64", "allowed"]);
    let both = ["--schedule", "stepwise", "--block-size", "384"];
    fails(&words(&["rerun", out], &both), 2, &["--block-size is 384", "up to 256"]);
    fails(&["rerun", out, "--block-size", "31"], 2, &["--block-size", "'31'", "multiple of 32"]);

    let block = |more: &[&str]| {
        let resume = ["resume", state, "--iterations", "2", "--json", "-"];
        let json = succeeds(&words(&resume, more));
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["block_size"].clone()
    };
    assert_eq!(block(&["--block-size", "96"]), 96);
    assert_eq!(block(&["--schedule", "stepwise"]), 128);
    assert_eq!(block(&cpu), serde_json::Value::Null);
}

#[test]
fn a_rerun_says_what_differs() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    let size = ["--dim", "2", "--individuals", "8", "--iterations", "20", "--runs", "3"];
    let more = ["--out", shown, "--quiet", "--population-every", "10"];
    succeeds(&words(&["solve", "sphere"], &words(&size, &more)));
    let differs = |file: &str, from: &str, to: &str, parts: &[&str]| {
        let path = out.join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{from:?} is not in {before}");
        fs::write(&path, before.replacen(from, to, 1)).unwrap();
        let output = run(&["rerun", shown]);
        fs::write(&path, before).unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        for part in parts {
            assert!(stdout(&output).contains(part), "{part:?} is not in {}", stdout(&output));
        }
        assert!(!stdout(&output).contains("the same bits"));
    };
    let parts = ["run 0 from iteration 0 on: best is", "runs[0]", " there, "];
    differs("run.toml", "seed = 0", "seed = 1", &parts);
    let parts = ["differs: run 0 from iteration 0 on: best", "differs: population.csv from line 2"];
    differs("run.toml", "inertia = 0.7298", "inertia = 0.73", &["from iteration", " on: best is"]);
    differs("run.toml", "lower = -5.12", "lower = -5.0", &parts);
    let trace = fs::read_to_string(out.join("trace.csv")).unwrap();
    let row = trace.lines().find(|line| line.starts_with("1,7,")).unwrap();
    differs("trace.csv", row, &row.replace("1,7,", "1,7,1"), &["run 1 from iteration 7 on: eval"]);
    differs(
        "result.json",
        "\"not_finite\":0",
        "\"not_finite\":1",
        &["runs[0].not_finite is 1 there", ", the same there and here"],
    );

    // Another version of the program is reported, but is not a difference by itself.
    let path = out.join("run.toml");
    let before = fs::read_to_string(&path).unwrap();
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    fs::write(&path, before.replace(&version, "version = \"0.0.7\"")).unwrap();
    let said = succeeds(&["rerun", shown]);
    assert!(said.contains("version     0.0.7 there") && said.contains("the same bits"), "{said}");
}

/// Which rows and columns are recorded does not change a run, and the last row of a run contains its local search.
#[test]
fn a_rerun_compares_the_rows_that_both_traces_have() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    let size = ["--dim", "2", "--individuals", "8", "--iterations", "20", "--algorithm", "pso"];
    succeeds(&words(&["solve", "rosenbrock", "--quiet", "--out", shown], &size));
    let path = out.join("run.toml");
    let before = fs::read_to_string(&path).unwrap();
    let with = |from: &str, to: &str| {
        assert!(before.contains(from), "{from:?} is not in {before}");
        fs::write(&path, before.replacen(from, to, 1)).unwrap();
        let output = run(&["rerun", shown]);
        (output.status.code(), stdout(&output).to_owned())
    };

    let (code, said) = with("record_every = 1\n", "record_every = 3\n");
    assert_eq!(code, Some(0), "{said}");
    let rows = "trace       21 rows there, 8 here; the 8 in both are compared (`record_every`";
    assert!(said.contains(rows) && said.contains("the same bits: 1 run, 8 rows"), "{said}");
    let (code, said) = with("record_statistics = true", "record_statistics = false");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("trace       `mean` is empty here and is not compared"), "{said}");

    let (code, said) = with("\niterations = 20", "\niterations = 15");
    assert_eq!(code, Some(1), "{said}");
    let end = "differs: run 0 ends at iteration 20 there, 15 here; the rows before are the same";
    assert!(said.contains(end) && !said.contains("on: best"), "{said}");

    // A checkpoint has no history unless the run records one, so the trace begins where the run was resumed.
    let state = place.path().join("state");
    let (state, resumed) = (state.to_str().unwrap(), place.path().join("resumed"));
    succeeds(&words(&["solve", "rosenbrock", "--quiet", "--checkpoint", state], &size));
    let resumed = resumed.to_str().unwrap();
    succeeds(&["resume", state, "--quiet", "--iterations", "5", "--out", resumed]);
    let said = succeeds(&["rerun", resumed]);
    assert!(said.contains("trace       6 rows there, 26 here; the 6 in both"), "{said}");
    assert!(said.contains("the same bits: 1 run, 6 rows of the trace"), "{said}");
}

/// An interrupted run has no local search, so its repetition must have none.
#[test]
fn an_interrupted_run_is_repeated_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("kept");
    let shown = out.to_str().unwrap();
    let size = ["solve", "rosenbrock", "--dim", "30", "--individuals", "64", "--runs", "2"];
    let more = ["--algorithm", "pso", "--iterations", "1000000000", "--quiet", "--out", shown];
    let mut child = program().args(words(&size, &more)).stdin(Stdio::null()).spawn().unwrap();
    while names(place.path()).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let result = read(&out.join("result.json"));
    assert_eq!(result["runs"][0]["stop_reason"], "interrupted");
    assert!(result["runs"][0].get("polish").is_none());
    assert!(succeeds(&["rerun", shown]).contains("the same bits: 2 runs"));
}

#[test]
fn a_repetition_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let out = |name: &str| place.path().join(name);
    let (first, again) = (out("first"), out("again"));
    let [shown, new] = [&first, &again].map(|path| path.to_str().unwrap());
    let size = ["--dim", "2", "--individuals", "8", "--iterations", "20", "--no-polish"];
    let more = ["--out", shown, "--quiet", "--population-every", "10"];
    succeeds(&words(&["solve", "sphere"], &words(&size, &more)));
    let said = succeeds(&["rerun", shown, "--out", new]);
    assert!(said.contains("and the populations"), "{said}");
    for name in ["run.toml", "population.csv"] {
        assert_eq!(fs::read(first.join(name)).unwrap(), fs::read(again.join(name)).unwrap());
    }
    let said = succeeds(&["rerun", shown, "--out", new, "--force", "--population-every", "1"]);
    assert!(said.contains("the same bits") && !said.contains("populations"), "{said}");
    let population = fs::read_to_string(again.join("population.csv")).unwrap();
    assert_eq!(population.lines().count(), 1 + 21 * 8);
    assert!(succeeds(&["rerun", new]).contains("and the populations"));
    fails(&["rerun", shown, "--out", new], 2, &["--out is", "exists", "--force"]);
    fails(&["rerun", shown, "--out", shown, "--force"], 2, &["--out is", "the folder of the run"]);

    // A repetition that differs is kept, too, and the best values are printed.
    let text = fs::read_to_string(first.join("run.toml")).unwrap();
    fs::write(first.join("run.toml"), text.replacen("seed = 0", "seed = 1", 1)).unwrap();
    let output = run(&["rerun", shown, "--out", new, "--force"]);
    assert_eq!(output.status.code(), Some(1));
    let best =
        |folder: &Path| read(&folder.join("result.json"))["runs"][0]["best"]["value"].clone();
    let line = format!("best value  {} there, {} here\n", best(&first), best(&again));
    assert!(stdout(&output).ends_with(&line), "{line:?} is not in {}", stdout(&output));
    assert_ne!(best(&first), best(&again));
}

#[test]
fn a_folder_that_exists_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    let solve = |more: &[&'static str]| {
        let size = ["solve", "sphere", "--dim", "2", "--individuals", "8", "--iterations", "3"];
        words(&words(&size, &["--quiet", "--out", shown]), more)
    };
    succeeds(&solve(&[]));
    let before = fs::read(out.join("result.json")).unwrap();
    fails(&solve(&["--seed", "1"]), 2, &["--out is", "first", "exists", "allowed", "--force"]);
    assert_eq!(fs::read(out.join("result.json")).unwrap(), before);
    succeeds(&solve(&["--seed", "1", "--force"]));
    assert_eq!(read(&out.join("result.json"))["seed"], 1);
    assert_eq!(names(place.path()), ["first"]);

    // A folder that is not the folder of a run is never replaced.
    fs::remove_file(out.join("run.toml")).unwrap();
    fails(&solve(&["--force"]), 2, &["--out is", "not a folder of a run", "allowed"]);
    assert!(out.join("result.json").exists());
    let none = place.path().join("none/first");
    let solve = ["solve", "sphere", "--iterations", "3", "--out", none.to_str().unwrap()];
    fails(&solve, 2, &["--out is", "cannot be written"]);
    fails(&["solve", "sphere", "--force"], 2, &["--force", "--out"]);
    fails(&["solve", "sphere", "--population-every", "3"], 2, &["--population-every", "--out"]);
}

/// A run that fails to start or is killed leaves no folder.
#[test]
fn a_folder_is_there_whole_or_not_at_all() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    let wrong = ["solve", "sphere", "--out", shown, "--lower", "2", "--upper", "1"];
    fails(&wrong, 2, &["--lower"]);
    assert!(names(place.path()).is_empty());
    let endless = ["solve", "sphere", "--iterations", "1000000000", "--out", shown, "--quiet"];
    let mut child = program().args(endless).spawn().unwrap();
    while names(place.path()).is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!out.exists());
    // The next run removes what the killed one has left.
    succeeds(&["solve", "sphere", "--iterations", "3", "--out", shown, "--quiet"]);
    assert_eq!(names(place.path()), ["first"]);
}

#[test]
fn what_is_no_folder_of_a_run_says_so() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("first");
    let shown = out.to_str().unwrap();
    fails(&["rerun", shown], 2, &["run.toml", "cannot be read"]);
    succeeds(&["solve", "sphere", "--iterations", "3", "--out", shown, "--quiet"]);
    let path = out.join("run.toml");
    assert!(succeeds(&["rerun", path.to_str().unwrap()]).contains("the same bits"));
    let result = out.join("result.json");
    let parts = ["result.json, which is a file", "allowed: a folder of `solve --out`"];
    fails(&["rerun", result.to_str().unwrap()], 2, &parts);
    let model =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/problems/fit-decay.toml");
    let fitted = place.path().join("fitted");
    let fitted = fitted.to_str().unwrap();
    succeeds(&["fit", model.to_str().unwrap(), "--out", fitted, "--quiet"]);
    fails(&["rerun", fitted], 2, &["fitted, a folder of `fit`", "`warpswarm fit MODEL.toml`"]);
    let page = Path::new(fitted).join("report.html");
    fails(&["report", fitted], 2, &["fitted, a folder of `fit`", page.to_str().unwrap()]);
    let text = fs::read_to_string(&path).unwrap();
    let check = |from: &str, to: &str, parts: &[&str]| {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        fails(&["rerun", shown], 2, parts);
    };
    check("format = 1", "format = 2", &["has format 2", "allowed: 1"]);
    check("format = 1", "", &["is not a run", "format"]);
    check("name = \"sphere\"", "name = \"sphare\"", &["unknown problem `sphare`"]);
    check("inertia = ", "inertai = ", &["no parameter `inertai`"]);
    check(
        "individuals = 1024",
        "individuals = 9000000000",
        &["--individuals is 9000000000", "allowed"],
    );
    check("seed = 0", "seed = \"x\"", &["is not a run", "seed"]);
    check("dimensions = 30", "dimensions = 0", &["allowed"]);
    fs::write(&path, &text).unwrap();
    fs::write(out.join("result.json"), "{").unwrap();
    fails(&["rerun", shown], 2, &["result.json", "cannot be read"]);
}

#[test]
fn plain_progress_is_a_line_a_second() {
    let endless = ["solve", "sphere", "--iterations", "1000000000"];
    let shown = |more: &[&str]| {
        let output = program()
            .args(endless)
            .args(["--seconds", "1.5"])
            .args(more)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        stderr(&output).to_owned()
    };
    let plain = shown(&["--progress", "plain"]);
    assert!((1..=2).contains(&plain.lines().count()), "{plain}");
    for part in ["iteration ", "best ", " evaluations/s", " s left", "CPU"] {
        assert!(plain.contains(part), "{part:?} is not in {plain}");
    }
    assert_eq!(shown(&[]), "");
    assert_eq!(shown(&["--progress", "plain", "--quiet"]), "");
}

#[test]
fn a_trace_without_a_folder_has_no_statistics() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trace.csv");
    let solve = ["solve", "sphere", "--iterations", "3", "--quiet", "--trace"];
    succeeds(&words(&solve, &[file.to_str().unwrap()]));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().skip(1).all(|line| line.ends_with(",,")), "{text}");
}

/// A problem file and its data are stored with the run, so that neither is needed to repeat or resume it.
#[test]
fn a_problem_from_a_file_is_kept_with_its_run() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_string();
    let text = r#"
        minimise = "sum(i, (y[i] - a * exp(-t[i] / tau))^2)"
        variables = { a = { lower = 0, upper = 10 }, tau = { lower = 0.1, upper = 100, scale = "log" } }
        data = { file = "points.csv", columns = ["t", "y"] }
        constraints = { small = "a <= 4" }
    "#;
    fs::write(at("decay.toml"), text).unwrap();
    fs::write(at("points.csv"), "y,t\n5.1,0\n3.2,1.1\n1.9,2.3\n0.1,9\n").unwrap();
    let (problem, out, file) = (at("decay.toml"), at("out"), at("run.ws"));
    let solve = ["solve", &problem, "--individuals", "32", "--iterations", "30", "--json", "-"];
    let more = ["--out", &out, "--checkpoint", &file, "--population-every", "10"];
    let json = succeeds(&words(&solve, &more));
    assert!(json.contains("\"problem\":\"decay\"") && json.contains("\"small\""), "{json}");
    fs::remove_file(at("decay.toml")).unwrap();
    fs::remove_file(at("points.csv")).unwrap();
    assert!(succeeds(&["rerun", &out]).contains("the same bits"));
    let emulated = succeeds(&["rerun", &out, "--backend", "emulator"]);
    assert!(emulated.contains("the same bits"), "{emulated}");
    let more = succeeds(&["resume", &file, "--iterations", "20", "--json", "-"]);
    assert!(more.contains("\"iterations\":50"), "{more}");
    let toml = fs::read_to_string(at("out/run.toml")).unwrap();
    fs::write(at("out/run.toml"), toml.replacen("5.1", "5.2", 1)).unwrap();
    let output = run(&["rerun", &out]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
