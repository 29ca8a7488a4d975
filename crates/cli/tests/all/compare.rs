//! `compare` and `tune` as users see them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_warpswarm"));
    program.args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The standard output of a command that must succeed.
#[track_caller]
fn done(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout).to_string()
}

/// Checks for exit code 2 and a single message that contains all parts.
#[track_caller]
fn is_bad_input(arguments: &[&str], parts: &[&str]) {
    let output = run(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert_eq!(message.matches("error:").count(), 1, "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: {part:?} is not in {message:?}");
    }
}

/// The JSON that is written to a file with this name, without fields that depend on time or device.
fn json(folder: &Path, name: &str, arguments: &[&str]) -> Value {
    let path = folder.join(name);
    done(&[arguments, &["--json", path.to_str().unwrap()]].concat());
    let mut json = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    strip(&mut json);
    json
}

fn strip(json: &mut Value) {
    match json {
        Value::Object(object) => {
            let timed = ["seconds", "setup_seconds", "ert_seconds", "backend", "device"];
            timed.iter().for_each(|name| drop(object.remove(*name)));
            object.values_mut().for_each(strip);
        }
        Value::Array(array) => array.iter_mut().for_each(strip),
        _ => {}
    }
}

const SMALL: [&str; 9] = [
    "compare",
    "--problems",
    "sphere:dim=3,spring",
    "--algorithms",
    "pso,de,pso:preset=cpso-paper:individuals=20",
    "--runs",
    "6",
    "--evaluations",
    "3000",
];

#[test]
fn the_same_command_gives_the_same_numbers_on_any_backend() {
    let folder = tempfile::tempdir().unwrap();
    let once = json(folder.path(), "a", &[&SMALL[..], &["--threads", "1"]].concat());
    let again = json(folder.path(), "b", &[&SMALL[..], &["--threads", "3"]].concat());
    assert_eq!(once, again);
    let seed = json(folder.path(), "c", &[&SMALL[..], &["--seed", "1"]].concat());
    assert_ne!(once, seed);
    let few = ["--evaluations", "300", "--runs", "2"];
    let few = [&SMALL[..5], &few, &["--backend"]].concat();
    let [cpu, emulated] =
        ["cpu", "emulator"].map(|on| json(folder.path(), on, &[&few[..], &[on]].concat()));
    assert_eq!(cpu, emulated);
}

#[test]
fn a_comparison_is_of_independent_runs_that_stop_at_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--target", "1e-1,1e-3", "--quiet"];
    let json = json(folder.path(), "a", &[&SMALL[..], &words].concat());
    let [sphere, spring] = json["problems"].as_array().unwrap().as_slice() else {
        panic!("{json}")
    };
    assert_eq!((&sphere["goal"], &spring["problem"]), (&0.0.into(), &"spring".into()));
    let results = sphere["results"].as_array().unwrap();
    let runs: Vec<&Value> = results.iter().flat_map(|of| of["runs"].as_array().unwrap()).collect();
    let numbers: Vec<u64> = runs.iter().map(|run| run["run"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..18).collect::<Vec<u64>>());
    for run in &runs[..12] {
        assert_eq!(run["stop_reason"], "target", "{run}");
        assert!(run["value"].as_f64().unwrap() <= 1e-3);
        let reached: Vec<u64> =
            run["reached"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
        assert!(reached[0] <= reached[1] && reached[1] == run["evaluations"].as_u64().unwrap());
    }
    // With CPSO's coefficients the swarm diverges, so no run reaches the target, and the expected running time is
    // infinite.
    assert_eq!(results[2]["targets"][1]["successes"], 0);
    assert_eq!(results[2]["targets"][1]["ert_evaluations"], Value::Null);
    let all: u64 = runs[..6].iter().map(|run| run["evaluations"].as_u64().unwrap()).sum();
    assert_eq!(results[0]["targets"][1]["ert_evaluations"], all as f64 / 6.0);
    let pairs = sphere["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    for pair in pairs {
        assert!(pair["adjusted_p"].as_f64() >= pair["p"].as_f64(), "{pair}");
    }
    // Six runs against six runs that are all worse.
    assert_eq!(
        (&pairs[1]["second"], &pairs[1]["superiority"]),
        (&results[2]["entrant"], &1.0.into())
    );
    assert!(pairs[1]["adjusted_p"].as_f64().unwrap() < 0.02);
}

#[test]
fn tables_fit_a_terminal_and_are_written_as_csv_and_markdown() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, markdown] = ["a.csv", "a.md"].map(|name| folder.path().join(name));
    let files = ["--csv", csv.to_str().unwrap(), "--markdown", markdown.to_str().unwrap()];
    let text = done(&[&SMALL[..], &files].concat());
    for part in [
        "6 runs of at most 3,000 evaluations",
        "sphere:dim=3, 3 dimensions, target 1e-8\n",
        "de ",
        "2 problems",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(long.is_empty(), "{long:?}");
    let markdown = fs::read_to_string(markdown).unwrap();
    assert!(markdown.contains("| pso:preset=cpso-paper:individuals=20 |"), "{markdown}");
    let csv = fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 3, "{csv}");
    assert!(csv.starts_with("problem,dimensions,target,entrant,runs,"), "{csv}");
    assert!(csv.contains("\nsphere:dim=3,3,0.00000001,de,6,"), "{csv}");
}

/// Files of the same function: minimised, and its negative maximised.
fn problem_files(folder: &Path) -> [String; 2] {
    ["minimise = \"", "maximise = \"-"].map(|what| {
        let variables = "[variables]\nx = { count = 3, lower = -4, upper = 5 }";
        let path = folder.join(format!("{}.toml", &what[..3]));
        fs::write(&path, format!("{what}sum(i, (x[i] - 1)^2)\"\n{variables}\n")).unwrap();
        path.to_str().unwrap().to_string()
    })
}

#[test]
fn problem_files_are_compared_beside_others() {
    let folder = tempfile::tempdir().unwrap();
    let [min, max] = problem_files(folder.path());
    let problems = format!(
        "{min}:target=1e-3,{max}:target=-1e-3,{max}:goal=0:name=goal,{min}:name=free,sphere:dim=3"
    );
    let words = ["compare", "--problems", &problems, "--algorithms", "pso,de,sa", "--runs", "6"];
    let json =
        json(folder.path(), "a", &[&words[..], &["--evaluations", "3000", "--quiet"]].concat());
    let [min, max, goal, free, sphere] = json["problems"].as_array().unwrap().as_slice() else {
        panic!("{json}")
    };
    let about = |of: &Value| ["problem", "goal", "maximised", "targets"].map(|key| of[key].clone());
    use serde_json::json;
    assert_eq!(about(min), [json!("min"), json!(null), json!(false), json!([1e-3])]);
    assert_eq!(about(max), [json!("max"), json!(null), json!(true), json!([-1e-3])]);
    assert_eq!(about(goal), [json!("max"), json!(0.0), json!(true), json!([1e-8])]);
    assert_eq!(about(free), [json!("min"), json!(null), json!(false), json!([])]);
    assert_eq!((&free["dimensions"], &free["shift"]), (&json!(3), &json!(null)));
    assert_eq!((&sphere["goal"], &sphere["shift"]), (&json!(0.0), &json!(0.0)));

    // Maximising the negative gives the same runs, ranks and tests.
    assert_eq!(min["pairs"], max["pairs"]);
    let entrants = |of: &Value| of["results"].as_array().unwrap().clone();
    for (less, more) in entrants(min).iter().zip(&entrants(max)) {
        assert_eq!(less["rank"], more["rank"]);
        for key in ["successes", "ert_evaluations"] {
            assert_eq!(less["targets"][0][key], more["targets"][0][key]);
        }
        for key in ["best", "median", "worst"] {
            let [less, more] = [less, more].map(|of| of[key]["value"].as_f64().unwrap());
            assert_eq!(less, -more);
        }
    }
    assert_eq!(entrants(min)[1]["targets"][0]["successes"], 6);
    for entrant in entrants(free) {
        assert!(
            entrant["runs"]
                .as_array()
                .unwrap()
                .iter()
                .all(|run| run["stop_reason"] == "evaluations")
        );
    }
    assert!(entrants(free)[0]["rank"].as_f64() < entrants(free)[2]["rank"].as_f64());
}

#[test]
fn a_file_alone_needs_no_target() {
    let folder = tempfile::tempdir().unwrap();
    let [_, max] = problem_files(folder.path());
    let plot = folder.path().join("distribution.svg");
    let page = folder.path().join("a.html");
    let drawn = ["--plot", plot.to_str().unwrap(), "--report", page.to_str().unwrap()];
    let words = ["compare", "--problems", &max, "--algorithms", "pso,sa", "--evaluations", "640"];
    let text = done(&[&words[..], &drawn].concat());
    for part in [
        "max, 3 dimensions, maximised, no target is given: best values are compared\n",
        "pso ",
        " - ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // An existing page is overwritten only with --force, and is checked before anything else is written.
    let csv = folder.path().join("a.csv");
    let again = [&words[..], &drawn, &["--csv", csv.to_str().unwrap()]].concat();
    is_bad_input(&again, &["--report is", "a.html, which exists", "--force"]);
    assert!(!csv.exists());
    done(&[&again[..], &["--force"]].concat());

    let check = |problem: &str, more: &[&str], parts: &[&str]| {
        let words = ["compare", "--algorithms", "pso", "--problems", problem];
        is_bad_input(&[&words, more].concat(), parts);
    };
    check(&max, &["--target", "1e-3"], &["--target is 0.001", &max, "goal=VALUE", "target=VALUE"]);
    let no_target = ["--plot is ert.svg", "no problem has a target", "target=VALUE"];
    check(&max, &["--plot", "ert.svg"], &no_target);
    check(&format!("{max}:dim=2"), &[], &["--dim is 2 beside", &max, "leave it out"]);
    check("none.toml:target=1", &[], &["none.toml:target=1", "cannot be read"]);
    check("sphere:name=a.toml:dim=x", &[], &["dim is `x`"]);
    is_bad_input(
        &["tune", "pso", "--problems", &max],
        &["--problems has", &format!("write {max}:goal=VALUE")],
    );
    is_bad_input(&["tune", "pso", "--problems", &format!("{max}:target=1")], &["goal=VALUE"]);
    let goal = format!("{max}:goal=0");
    let small =
        ["--runs", "2", "--evaluations", "640", "--budget", "16", "--parameters", "inertia"];
    let text = done(&[&["tune", "pso", "--problems", &goal][..], &small].concat());
    assert!(text.contains("inertia"), "{text}");
}

#[test]
fn pictures_are_drawn_of_what_their_names_say() {
    let folder = tempfile::tempdir().unwrap();
    let [profile, ert, values, pixels] = ["profile.svg", "ert.svg", "distribution.svg", "mine.png"]
        .map(|name| folder.path().join(name).to_str().unwrap().to_string());
    let plots = [&profile, &ert, &values, &pixels].map(|path| ["--plot", path.as_str()]);
    done(&[&SMALL[..], &["--target", "1e-1,1e-3", "--quiet"], plots.as_flattened()].concat());
    let has = |path: &str, texts: &[&str]| {
        let svg = fs::read_to_string(path).unwrap();
        for text in texts {
            assert!(svg.contains(&format!("\n{text}\n")), "{text:?} is not in {path}");
        }
    };
    has(&profile, &["share of the targets (%)", "pso: 4 of 4 reached"]);
    has(&ert, &["sphere:dim=3", "spring", "never", "pso:preset=cpso-paper:individuals=20"]);
    has(&values, &["sphere:dim=3", "spring", "final best value", "de"]);
    assert!(fs::read(&pixels).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_work() {
    let words = ["compare", "--problems"];
    let endless = ["--algorithms", "pso", "--evaluations", "1000000000000", "--plot"];
    let check = |problems: &str, plot: &str, parts: &[&str]| {
        is_bad_input(&[&words[..], &[problems], &endless, &[plot]].concat(), parts);
    };
    check(
        "sphere",
        "ert.gif",
        &["--plot", "'ert.gif'", "allowed: a file that ends in .svg or .png"],
    );
    check("sphere", "/nowhere/ert.svg", &["--plot is /nowhere/ert.svg", "cannot be written"]);
    let many: Vec<String> = (0..13).map(|i| format!("sphere:name=s{i}")).collect();
    check(
        &many.join(","),
        "distribution.svg",
        &["--plot is distribution.svg", "13 problems", "allowed: 12"],
    );
}

#[test]
fn a_study_is_a_file_of_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    let study = r#"
        problems = ["sphere:dim=3", "spring"]
        algorithms = ["pso", "de", "pso:preset=cpso-paper:individuals=20"]
        runs = 99
        evaluations = 3000
    "#;
    fs::write(&path, study).unwrap();
    let file = ["compare", "--study", path.to_str().unwrap()];
    let of_file = json(folder.path(), "a", &[&file[..], &["--runs", "6"]].concat());
    assert_eq!(of_file, json(folder.path(), "b", &SMALL));

    fs::write(&path, "problems = [\"sphere\"]\nalgorithm = [\"pso\"]").unwrap();
    is_bad_input(&file, &["--study", "study.toml", "line 2", "`algorithm`", "algorithms"]);
    fs::write(&path, "problems = [\"sphere\"]\nalgorithms = [\"pso\"]\nruns = 0").unwrap();
    is_bad_input(&file, &["runs", "is 0", "at least 1"]);
    fs::write(&path, "problems = [").unwrap();
    is_bad_input(&file, &["--study", "line 1"]);
    is_bad_input(&["compare", "--study", "nowhere.toml"], &["nowhere.toml", "cannot be read"]);
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_runs() {
    let check = |problems: &str, algorithms: &str, more: &[&str], parts: &[&str]| {
        let words = ["compare", "--problems", problems, "--algorithms", algorithms];
        is_bad_input(&[&words, more].concat(), parts);
    };
    is_bad_input(&["compare"], &["--problems", "at least one"]);
    is_bad_input(&["compare", "--problems", "sphere"], &["--algorithms", "at least one"]);
    check("sphare", "pso", &[], &["problem `sphare`", "did you mean sphere"]);
    check("sphere", "psso", &[], &["algorithm `psso`", "did you mean pso"]);
    check("sphere", "pso:inertai=1", &[], &["`pso:inertai=1`", "`inertai`", "inertia"]);
    check("sphere", "pso:inertia=x", &[], &["inertia", "`x`", "finite number"]);
    check("sphere", "pso:preset=best", &[], &["preset `best`", "cpso-paper"]);
    check("sphere", "pso:wide", &[], &["`pso:wide`", "`wide`", "KEY=VALUE"]);
    check("sphere", "pso:individuals=0", &[], &["individuals is `0`", "from 1"]);
    check("sphere", "pso,pso", &[], &["`pso` twice", "name="]);
    check("sphere:size=3", "pso", &[], &["key `size`", "dim"]);
    check("sphere:dim=0", "pso", &[], &["dim is `0`", "at least 1"]);
    check("sphere:goal=NaN", "pso", &[], &["goal is `NaN`", "finite"]);
    check("sphere:lower=9", "pso", &["--dim", "2"], &["`sphere:lower=9`", "lower"]);
    check(
        "spring,sphere",
        "pso",
        &["--dim", "10"],
        &["--dim is 10", "`spring`", "exactly 3", "dim=3"],
    );
    check("spring:shift=1", "pso", &[], &["spring:shift=1", "shift", "0 for spring"]);
    check("sphere", "de:individuals=3", &[], &["de:individuals=3", "individuals is 3", "4"]);
    check("sphere", "pso", &["--runs", "0"], &["--runs", "'0'", "from 1"]);
    check("sphere", "pso", &["--evaluations", "10"], &["pso on sphere", "10", "64"]);
    check("sphere", "pso", &["--target", "NaN"], &["--target", "'NaN'"]);
    check("sphere", "spso", &["--backend", "gpu"], &["--backend is gpu", "spso", "cpu, auto"]);
    check("sphere", "pso", &["--json", "/nowhere/a.json"], &["--json", "/nowhere/a.json"]);
}

/// The first batch takes milliseconds; the second would never end.
#[cfg(unix)]
#[test]
fn an_interrupted_comparison_shows_what_is_complete() {
    let problems = "sphere:dim=2,sphere:dim=2:target=-1:name=endless";
    let words = ["compare", "--problems", problems, "--algorithms", "pso", "--runs", "2"];
    let mut program = Command::new(env!("CARGO_BIN_EXE_warpswarm"));
    program.args(words).args(["--evaluations", "1000000000000", "--backend", "cpu"]);
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(130), ""));
    let shown = text(&output.stdout);
    assert!(shown.contains("1 of 2 batches") && shown.contains("sphere:dim=2, 2"), "{shown}");
    assert!(!shown.contains("endless"), "{shown}");
}

const TUNE: [&str; 14] = [
    "tune",
    "pso",
    "--problems",
    "sphere,rastrigin",
    "--dim",
    "4",
    "--runs",
    "4",
    "--evaluations",
    "2000",
    "--budget",
    "32",
    "--parameters",
    "inertia,social",
];

#[test]
fn what_is_found_is_tested_anew_and_can_be_pasted() {
    let folder = tempfile::tempdir().unwrap();
    let text = done(&TUNE);
    for part in
        ["inertia", "social", "anew, with other draws, 16 runs each", "95 %", "--algorithm pso"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let [once, again] = [("a", "1"), ("b", "3")].map(|(name, threads)| {
        json(folder.path(), name, &[&TUNE[..], &["--threads", threads]].concat())
    });
    assert_eq!(once, again);
    assert_eq!(once["configurations"], 32);
    let parameters = once["parameters"].as_array().unwrap();
    assert_eq!((&parameters[0][0], &parameters[1][0]), (&"inertia".into(), &"social".into()));
    // Even this few configurations include one that is better than the bad start.
    let poor = ["--set", "inertia=1", "--parameters", "inertia"];
    let tuned = json(folder.path(), "c", &[&TUNE[..12], &poor].concat());
    let inertia = tuned["parameters"][0][2].as_f64().unwrap();
    assert!(inertia < 0.95, "{tuned}");
    assert!(tuned["test"]["interval"][1].as_f64().unwrap() < 1.0, "{tuned}");
    assert!(text.contains(&format!("--set inertia={}", once["parameters"][0][2])), "{text}");
}

#[test]
fn what_cannot_be_tuned_is_said() {
    let check = |words: &[&str], parts: &[&str]| is_bad_input(&[&["tune"], words].concat(), parts);
    check(&["pso"], &["--problems"]);
    check(&["psso", "--problems", "sphere"], &["algorithm `psso`"]);
    check(&["pso", "--problems", "sphare"], &["problem `sphare`"]);
    let pso = ["pso", "--problems", "sphere"];
    let check = |words: &[&str], parts: &[&str]| check(&[&pso, words].concat(), parts);
    check(&["--parameters", "inertai"], &["--parameters", "`inertai`", "inertia, cognitive"]);
    check(&["--parameters", "boundary"], &["`boundary`", "no range", "--set"]);
    check(&["--parameters", "inertia,inertia"], &["`inertia` twice"]);
    check(&["--set", "inertia=x"], &["--set", "inertia", "`x`"]);
    check(&["--budget", "3"], &["--budget is 3", "at least 16"]);
    check(&["--budget", "0"], &["--budget", "'0'"]);
    check(&["--runs", "0"], &["--runs", "'0'"]);
    check(&["--target", "0"], &["--target is 0", "above 0"]);
    check(&["--evaluations", "10"], &["10", "64"]);
}
