//! The program as users see it: output, messages, exit codes.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{program, run, stderr, stdout, succeeds};

/// The number of the signal that Ctrl-C sends.
const SIGINT: u32 = 2;

/// The default settings of `solve` find the minimum.
#[test]
fn the_default_finds_minima() {
    let arguments =
        ["solve", "rastrigin", "--dim", "10", "--shift", "0.5", "--evaluations", "100000"];
    let output = program().args(arguments).args(["--json", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["algorithm"], "auto");
    let run = &found["runs"][0];
    assert!(run["best"]["value"].as_f64().unwrap() < 1e-8, "{run}");
    assert!(run["evaluations"].as_u64().unwrap() <= 100_000, "{run}");
    // On a device `auto` gives the same results, but with one launch per iteration it is replaced.
    let solved = |more: &[&str]| {
        let arguments = ["solve", "sphere", "--dim", "2", "--iterations", "3", "--backend"];
        let output = program().args(arguments).args(more).args(["--json", "-"]).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let (cpu, emulated) = (solved(&["cpu"]), solved(&["emulator"]));
    assert_eq!((&emulated["algorithm"], &emulated["runs"]), (&"auto".into(), &cpu["runs"]));
    assert_eq!(solved(&["emulator", "--schedule", "streaming"])["algorithm"], "shade");
}

/// If `auto` is replaced by another method, the summary names the method and the reason.
#[test]
fn the_summary_says_what_auto_chose() {
    let solve = |more: &[&str]| {
        let arguments = ["solve", "sphere", "--iterations", "1", "--backend", "cpu"];
        let output = program().args(arguments).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", stderr(&output));
        stdout(&output).to_string()
    };
    let text = solve(&["--dim", "201"]);
    let why = "algorithm   shade, f64, seed 0\n            \
               auto chose shade, because CMA-ES takes too much time and memory in 201 dimensions\n";
    assert!(text.contains(why), "{text}");
    let islands = ["--dim", "2", "--islands", "ring", "--island-count", "2"];
    let text = solve(&islands);
    assert!(text.contains("\n            auto chose shade, because CMA-ES takes no"), "{text}");
    for chosen in [&["--dim", "201", "--algorithm", "shade"][..], &["--dim", "200"]] {
        assert!(!solve(chosen).contains("chose"), "{chosen:?}");
    }
    assert!(!solve(&[&islands[..], &["--island-set", "de,pso"]].concat()).contains("chose"));
}

/// If a run has not improved in the second half of its iterations, the summary says so, and since which iteration. A
/// run that ends at this iteration finds the same value; a run that ends one earlier does not.
#[test]
fn the_summary_says_since_when_nothing_has_changed() {
    let solve = |algorithm: &str, iterations: u64| {
        let iterations = iterations.to_string();
        let run = ["solve", "rastrigin", "--dim", "2", "--individuals", "16", "--no-polish"];
        let output = program()
            .args(run)
            .args(["--algorithm", algorithm, "--iterations", &iterations])
            .output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).to_string()
    };
    for algorithm in ["auto", "cma-es", "de", "pso"] {
        let text = solve(algorithm, 3000);
        let line = text.lines().find_map(|line| line.strip_prefix("unchanged   since iteration "));
        let line = line.unwrap_or_else(|| panic!("{algorithm}: {text}"));
        let since = line.strip_suffix(" of 3,000").unwrap().replace(',', "");
        let since: u64 = since.parse().unwrap();
        let value = |text: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("best value  "));
            line.map(str::to_string)
        };
        assert!(value(&text).is_some());
        assert_eq!(value(&solve(algorithm, since)), value(&text), "{algorithm}");
        assert_ne!(value(&solve(algorithm, since - 1)), value(&text), "{algorithm}");
    }
    assert!(!solve("de", 12).contains("unchanged"));
}

/// The JSON that `solve` prints with these arguments.
fn solve(arguments: &[&str]) -> Value {
    let output = run(&[&["solve"], arguments, &["--json", "-"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    assert_eq!(stderr(&output), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The text of `runs` in the JSON output.
fn runs(arguments: &[&str]) -> String {
    let output = run(&[&["solve"], arguments, &["--json", "-"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    let text = stdout(&output);
    let (start, end) = (text.find("\"runs\":").unwrap(), text.rfind(",\"seconds\":").unwrap());
    text[start..end].to_string()
}

/// Checks for this exit code and a single message that contains all parts.
#[track_caller]
fn fails(arguments: &[&str], code: i32, parts: &[&str]) {
    let output = run(arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
    assert_eq!(message.matches("error:").count(), 1, "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: {part:?} is not in {message:?}");
    }
}

#[track_caller]
fn is_bad_input(arguments: &[&str], parts: &[&str]) {
    fails(&[&["solve"], arguments].concat(), 2, parts);
}

#[test]
fn unknown_names_bring_the_nearest() {
    is_bad_input(&["rastrgin"], &["problem `rastrgin`", "did you mean rastrigin"]);
    is_bad_input(&["Sphere"], &["problem `Sphere`", "sphere"]);
    is_bad_input(&[""], &["problem ``", "warpswarm list problems"]);
    is_bad_input(&["sphere", "--algorithm", "psso"], &["algorithm `psso`", "pso"]);
    is_bad_input(&["sphere", "--algorithm", "psso"], &["warpswarm list algorithms"]);
}

#[test]
fn sizes_must_be_in_range() {
    for option in ["--dim", "--individuals", "--runs", "--threads", "--stagnation"] {
        for value in ["0", "-1", "2.5", "NaN", "many", "99999999999999999999999"] {
            let shown = format!("'{value}'");
            is_bad_input(&["sphere", option, value], &[option, &shown, "allowed", "from 1 to"]);
        }
    }
    for option in ["--iterations", "--seed"] {
        for value in ["-1", "0.5", "NaN"] {
            let shown = format!("'{value}'");
            is_bad_input(&["sphere", option, value], &[option, &shown, "allowed", "from 0 to"]);
        }
    }
    let few = ["sphere", "--individuals", "100", "--evaluations", "99"];
    is_bad_input(&few, &["--evaluations is 99", "allowed", "at least the 100 individuals"]);
    let all = ["sphere", "--runs", "4294967295", "--individuals", "2147483647", "--dim", "1000"];
    is_bad_input(&all, &["--runs x --individuals x --dim", "2147483647 x 1000", "allowed"]);
}

#[test]
fn bounds_must_be_finite_and_in_order() {
    for option in ["--lower", "--upper", "--shift"] {
        for value in ["NaN", "nan", "inf", "-inf", "1e999", "x", ""] {
            let argument = format!("{option}={value}");
            is_bad_input(&["sphere", &argument], &[option, "allowed: a finite number"]);
        }
    }
    is_bad_input(
        &["sphere", "--lower", "2", "--upper", "-3"],
        &["--lower is 2.0", "--upper, which is -3.0", "allowed: lower <= upper"],
    );
    is_bad_input(
        &["rastrigin", "--lower", "6"],
        &["--lower is 6.0", "5.12, the problem's own", "allowed: lower <= upper"],
    );
    is_bad_input(
        &["sphere", "--lower=-3e38", "--upper=3e38", "--precision", "f32"],
        &["--lower", "--upper", "numbers that f32 has", "f32"],
    );
    let shift = ["sphere", "--shift", "1e300", "--precision", "f32"];
    is_bad_input(&shift, &["--shift is 1e300", "allowed", "f32"]);
}

#[test]
fn a_problem_has_its_own_dimensions_and_bounds() {
    let allowed = ["--dim is 5", "allowed: exactly 3 for spring"];
    is_bad_input(&["spring", "--dim", "5"], &allowed);
    let allowed = ["--dim is 31", "multiples of 3 from 6 to 8688 for lennard-jones"];
    is_bad_input(&["lennard-jones", "--dim", "31"], &allowed);
    is_bad_input(&["spring", "--shift", "0.5"], &["--shift is 0.5", "allowed: 0 for spring"]);
    is_bad_input(
        &["spring", "--upper", "1.5"],
        &["--lower is 2.0, the problem's own for P, above --upper, which is 1.5;"],
    );

    let words = ["--backend", "cpu", "--precision", "f64", "--iterations", "300", "--json", "-"];
    let solve = |problem: &[&str]| -> Value {
        let output = run(&[&["solve"], problem, &words].concat());
        assert_eq!(output.status.code(), Some(0));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let solved = solve(&["spring"]);
    assert_eq!(solved["dimensions"], 3);
    let best = &solved["runs"][0]["best"];
    assert_eq!(best["violation"], 0.0);
    let value = best["value"].as_f64().unwrap();
    assert!((0.012665..0.0135).contains(&value), "{value}");
    let narrowed = solve(&["spring", "--lower", "0.25", "--upper", "3"]);
    let position = narrowed["runs"][0]["best"]["position"].as_array().unwrap();
    assert!(position.iter().all(|x| (0.25..=3.0).contains(&x.as_f64().unwrap())), "{position:?}");
}

#[test]
fn stops_must_be_numbers() {
    is_bad_input(&["sphere", "--target", "NaN"], &["--target", "'NaN'", "allowed: a number"]);
    for value in ["NaN", "-1", "soon"] {
        let shown = format!("'{value}'");
        is_bad_input(&["sphere", "--seconds", value], &["--seconds", &shown, "at least 0"]);
    }
}

#[test]
fn parameters_must_be_known_and_in_range() {
    let set = |parameter: &str, parts: &[&str]| {
        is_bad_input(&["sphere", "--set", parameter], &[&["--set"], parts].concat());
    };
    set("inertai=0.7", &["`inertai`", "inertia", "preset"]);
    set("inertia", &["'inertia'", "KEY=VALUE"]);
    set("inertia=", &["inertia", "allowed: a finite number"]);
    set("inertia=NaN", &["inertia", "NaN", "allowed: a finite number"]);
    set("social=-1", &["social", "-1", "from 0 to 1e30"]);
    set("velocity_limit=0", &["velocity_limit", "0", "above 0"]);
    set("boundary=bounce", &["boundary", "bounce", "clamp", "reflect"]);
    set("preset=best", &["preset `best`", "clerc-kennedy-2002", "cpso-paper"]);
}

#[test]
fn choices_are_named() {
    is_bad_input(
        &["sphere", "--backend", "cuda"],
        &["--backend", "'cuda'", "auto, cpu, gpu, emulator"],
    );
    is_bad_input(&["sphere", "--schedule", "x"], &["--schedule", "'x'", "stepwise", "streaming"]);
    is_bad_input(&["sphere", "--precision", "f16"], &["--precision", "'f16'", "f32, f64"]);
    is_bad_input(
        &["sphere", "--backend", "cpu", "--schedule", "resident"],
        &["--backend is cpu", "schedule resident", "allowed"],
    );
    is_bad_input(
        &["sphere", "--backend", "cpu", "--block-size", "64"],
        &["--backend is cpu", "block size 64", "allowed: gpu, emulator, auto"],
    );
    is_bad_input(
        &["sphere", "--backend", "emulator", "--algorithm", "spso"],
        &["--backend is emulator", "algorithm spso", "allowed: cpu"],
    );
}

#[test]
fn bad_usage_is_exit_code_2() {
    fails(&["solve"], 2, &["PROBLEM"]);
    fails(&["sovle", "sphere"], 2, &["sovle", "solve"]);
    fails(&["solve", "sphere", "--dimm", "3"], 2, &["--dimm", "--dim"]);
    fails(&["solve", "sphere", "--dim", "3", "--dim", "4"], 2, &["--dim", "multiple"]);
    fails(&["list"], 2, &["problems"]);
    fails(&["list", "solvers"], 2, &["'solvers'", "problems, algorithms"]);
}

#[test]
fn files_that_cannot_be_written_are_named_before_the_work() {
    let start = Instant::now();
    for option in ["--json", "--trace"] {
        is_bad_input(
            &["sphere", "--iterations", "1000000000", option, "/no/such/folder/file"],
            &[option, "/no/such/folder/file", "allowed"],
        );
    }
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// Without a GPU; machines with GPUs have separate tests.
#[test]
fn gpus_that_are_asked_for_and_ignored_are_said() {
    let solved = |more: &[&str]| {
        let words = ["solve", "sphere", "--dim", "3", "--iterations", "2", "--json", "-"];
        let output = run(&[&words, more].concat());
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", stderr(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        (found["backend"] == "cpu", stderr(&output).to_string())
    };
    for more in [&[][..], &["--islands", "ring", "--island-count", "2"]] {
        // If there is a GPU, it is used.
        let (on_cpu, said) = solved(&[more, &["--devices", "all"]].concat());
        assert_eq!(said.lines().count(), usize::from(on_cpu), "{said}");
        assert_eq!(said.starts_with("note: --devices is all, which is ignored"), on_cpu, "{said}");
        assert_eq!(solved(more).1, "");
    }
}

#[test]
fn stored_devices_that_are_ignored_are_not_noted() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (out, file) = (path("out"), path("run.ws"));
    let more = ["--iterations", "2", "--devices", "all", "--out", &out, "--checkpoint", &file];
    let output = run(&[&["solve", "sphere", "--dim", "3"], &more[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for again in [&["rerun", &out][..], &["resume", &file, "--iterations", "1"]] {
        assert_eq!(stderr(&run(again)), "", "{again:?}");
    }
}

#[test]
fn what_split_needs_is_said() {
    let words = ["solve", "sphere", "--split", "--backend", "cpu"];
    fails(&words, 2, &["--split works only with backend gpu or emulator"]);
}

#[test]
fn a_missing_gpu_is_exit_code_1() {
    let doctor: Value = serde_json::from_slice(&run(&["doctor", "--json"]).stdout).unwrap();
    if doctor["backends"]["gpu"] == true {
        assert_eq!(solve(&["sphere", "--backend", "gpu"])["backend"], "gpu");
    } else {
        let parts = ["backend gpu", "warpswarm doctor"];
        fails(&["solve", "sphere", "--backend", "gpu"], 1, &parts);
    }
}

#[test]
fn json_has_the_documented_fields() {
    let json = solve(&["rastrigin", "--dim", "3", "--runs", "2", "--seed", "18446744073709551615"]);
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let mut expected = [
        "problem",
        "dimensions",
        "maximised",
        "coordinates",
        "algorithm",
        "parameters",
        "backend",
        "device",
        "schedule",
        "block_size",
        "precision",
        "seed",
        "runs",
        "seconds",
        "polish_seconds",
        "setup_seconds",
    ];
    expected.sort_unstable();
    assert_eq!(keys(&json), expected);
    assert_eq!(json["problem"], "rastrigin");
    assert_eq!(json["dimensions"], 3);
    assert_eq!((&json["maximised"], &json["coordinates"]), (&false.into(), &serde_json::json!([])));
    assert_eq!(json["algorithm"], "pso");
    assert_eq!(json["parameters"]["inertia"], 0.7298);
    assert_eq!(json["parameters"]["boundary"], "clamp");
    assert_eq!(json["precision"], "f64");
    assert_eq!(json["seed"], u64::MAX);
    let runs = json["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_ne!(runs[0], runs[1]);
    for run in runs {
        assert_eq!(
            keys(run),
            [
                "best",
                "evaluations",
                "iterations",
                "not_finite",
                "polish",
                "restarts",
                "stop_reason"
            ]
        );
        let polish = ["evaluations", "gradients", "steps", "value", "violation"];
        assert_eq!(keys(&run["polish"]), polish);
        assert_eq!(keys(&run["best"]), ["constraints", "position", "value", "violation"]);
        assert_eq!(run["best"]["constraints"], serde_json::json!([]));
        assert_eq!(run["best"]["position"].as_array().unwrap().len(), 3);
        assert_eq!(run["iterations"], 1000);
        assert_eq!(run["evaluations"], 1024 * 1001);
        assert_eq!(run["stop_reason"], "iterations");
        assert_eq!(run["not_finite"], 0);
    }
}

#[test]
fn json_has_each_constraint_at_the_best_point() {
    let json = solve(&["spring", "--precision", "f64", "--runs", "2", "--iterations", "50"]);
    for run in json["runs"].as_array().unwrap() {
        let best = &run["best"];
        let x: Vec<f64> = serde_json::from_value(best["position"].clone()).unwrap();
        let constraints = best["constraints"].as_array().unwrap();
        let names: Vec<&str> = constraints.iter().map(|g| g["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["g1", "g2", "g3", "g4"]);
        assert_eq!(constraints[3]["value"], (x[0] + x[1]) / 1.5 - 1.0);
        let met = constraints.iter().all(|g| g["value"].as_f64().unwrap() <= 0.0);
        assert_eq!(met, best["violation"] == 0.0);
    }
}

/// The position and the value, parsed from JSON, match to the last bit.
#[test]
fn json_numbers_read_back_to_the_same_bits() {
    use warpswarm::problems::{self, Precise};
    use warpswarm::{Bounds, PsoParams, Settings, Stop};

    fn check<R: Precise + serde::de::DeserializeOwned>() {
        let precision = R::PRECISION.name();
        let json = solve(&[
            "rastrigin",
            "--dim",
            "33",
            "--individuals",
            "31",
            "--iterations",
            "20",
            "--seed",
            "3",
            "--precision",
            precision,
        ]);
        let bounds = Bounds::uniform(33, -5.12, 5.12).unwrap();
        let stop = Stop::iterations(20);
        let settings = Settings { individuals: 31, seed: 3, stop, ..Settings::default() };
        let algorithm = PsoParams::default().into();
        let problem = problems::find("rastrigin").unwrap();
        let optimiser = problem.optimiser::<R>(0.0, &bounds, &algorithm, &settings);
        let report = optimiser.unwrap().run().unwrap();
        let read = |value: &Value| -> R { serde_json::from_value(value.clone()).unwrap() };
        let best = &json["runs"][0]["best"];
        assert_eq!(read(&best["value"]).to_bits64(), report.best().value.to_bits64());
        let position = best["position"].as_array().unwrap();
        for (written, x) in position.iter().zip(&report.best().position) {
            assert_eq!(read(written).to_bits64(), x.to_bits64(), "{written}");
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn the_same_numbers_on_every_backend_and_schedule() {
    for precision in ["f32", "f64"] {
        let size = ["--dim", "5", "--individuals", "33", "--iterations", "20", "--runs", "2"];
        let base = ["rastrigin", "--seed", "7", "--precision", precision];
        let base = [&base[..], &size[..]].concat();
        let serial = runs(&[&base[..], &["--threads", "1"]].concat());
        let check = |more: &[&str]| {
            assert_eq!(runs(&[&base[..], more].concat()), serial, "{precision} {more:?}");
        };
        check(&["--threads", "2"]);
        check(&["--threads", "7"]);
        check(&[]);
        for schedule in ["auto", "stepwise", "resident", "streaming", "hosted"] {
            check(&["--backend", "emulator", "--schedule", schedule]);
        }
        for block in ["32", "256"] {
            check(&["--backend", "emulator", "--schedule", "stepwise", "--block-size", block]);
        }
    }
}

#[test]
fn a_block_size_is_taken_or_refused() {
    let size = ["rastrigin", "--dim", "5", "--individuals", "70", "--iterations", "3"];
    let emulated = [&size[..], &["--backend", "emulator"]].concat();
    let blocks = |more: &[&str]| solve(&[&emulated[..], more].concat())["block_size"].clone();
    assert_eq!(blocks(&["--schedule", "stepwise"]), 128);
    assert_eq!(blocks(&["--schedule", "stepwise", "--block-size", "32"]), 32);
    assert_eq!(blocks(&["--block-size", "64"]), 64);
    assert_eq!(solve(&size)["block_size"], Value::Null);
    for wrong in ["0", "31", "33", "4096"] {
        let allowed = "allowed: a multiple of 32 from 32 to 1024";
        let shown = format!("'{wrong}'");
        is_bad_input(&["sphere", "--block-size", wrong], &["--block-size", &shown, allowed]);
    }
    let too_many = |schedule: &str, most: &str| {
        let asked = ["--schedule", schedule, "--block-size", "1024"];
        let allowed = format!("allowed: multiples of 32 up to {most} for this schedule and size");
        is_bad_input(&[&emulated[..], &asked].concat(), &["--block-size is 1024", &allowed]);
    };
    too_many("auto", "256");
    too_many("stepwise", "256");
}

#[test]
fn every_stop_is_reported() {
    let stop = |arguments: &[&str]| {
        let json = solve(&[&["sphere", "--dim", "2", "--individuals", "32"], arguments].concat());
        json["runs"][0]["stop_reason"].as_str().unwrap().to_string()
    };
    assert_eq!(stop(&["--iterations", "0"]), "iterations");
    assert_eq!(stop(&["--evaluations", "1000"]), "evaluations");
    assert_eq!(stop(&["--seconds", "0.01"]), "seconds");
    assert_eq!(stop(&["--target", "1e-3"]), "target");
    assert_eq!(stop(&["--stagnation", "5"]), "stagnation");
}

#[test]
fn runs_begin_anew_if_that_is_asked_for() {
    let de = [
        "rastrigin",
        "--dim",
        "2",
        "--algorithm",
        "de",
        "--individuals",
        "20",
        "--iterations",
        "900",
    ];
    let restarts = |json: serde_json::Value| json["runs"][0]["restarts"].as_u64().unwrap();
    assert_eq!(restarts(solve(&de)), 0);
    let anew = [&de[..], &["--restart", "converged"]].concat();
    let count = restarts(solve(&anew));
    assert!(count > 1, "{count}");
    let output = run(&[&["solve"][..], &anew].concat());
    let text = stdout(&output);
    assert!(
        text.contains(&format!("900 iterations, 18,020 evaluations, {count} restarts")),
        "{text}"
    );
    let refused = run(&[&["solve"][..], &anew, &["--stagnation", "9"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let said =
        "--restart converged and --stagnation exclude each other, as a run cannot both restart";
    assert!(stderr(&refused).contains(said), "{}", stderr(&refused));
}

#[test]
fn the_time_names_a_local_search_only_if_there_was_one() {
    let names_it = |options: &[&str]| {
        let solve = ["solve", "sphere", "--dim", "2", "--individuals", "32"];
        let text = succeeds(&[&solve[..], options].concat());
        let has_line = text.contains("\npolish      ");
        assert_eq!(text.contains(" to polish,"), has_line, "{text}");
        has_line
    };
    assert!(names_it(&["--iterations", "10"]));
    assert!(!names_it(&["--iterations", "0"]));
    assert!(!names_it(&["--target", "1e-3"]));
    assert!(!names_it(&["--target", "1e-3", "--runs", "8"]));
    assert!(!names_it(&["--iterations", "10", "--no-polish"]));
}

#[test]
fn the_summary_names_a_default_limit_that_ended_a_run_and_a_target_that_was_missed() {
    let stopped = |options: &[&str]| {
        let solve = ["solve", "rastrigin", "--dim", "2", "--individuals", "8", "--no-polish"];
        let text = succeeds(&[&solve[..], options].concat());
        let line = text.lines().find_map(|line| line.strip_prefix("stopped by  ")).unwrap();
        line.to_owned()
    };
    let default = "iterations; the default limit is 1,000 iterations";
    let missed = |reason| format!("{reason}; target -1.0 not reached");
    assert_eq!(stopped(&[]), default);
    assert_eq!(stopped(&["--target=-1"]), missed(default));
    assert_eq!(stopped(&["--target=-1", "--iterations", "1000"]), missed("iterations"));
    assert_eq!(stopped(&["--target=-1", "--evaluations", "100"]), missed("evaluations"));
    assert_eq!(stopped(&["--target=-1", "--iterations", "9", "--maximise"]), "target");
    assert_eq!(stopped(&["--target", "1e9"]), "target");
}

#[test]
fn the_summary_is_for_people() {
    let output = run(&["solve", "rastrigin", "--dim", "12", "--iterations", "10", "--runs", "3"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
    let text = stdout(&output);
    for part in [
        "rastrigin, 12 dimensions",
        "best value",
        "and 8 more coordinates",
        "all coordinates: --json FILE",
        "3 runs: best",
        "stopped by  iterations",
        "10 iterations, 33,792 evaluations",
        "time",
        "cpu: CPU",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let output = run(&["solve", "sphere", "--iterations", "1", "--quiet"]);
    assert_eq!((stdout(&output), stderr(&output)), ("", ""));
}

#[test]
fn json_goes_to_a_file_beside_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.json");
    // A longer file that existed before is replaced completely.
    std::fs::write(&file, "x".repeat(100_000)).unwrap();
    let name = file.to_str().unwrap();
    let output = run(&["solve", "sphere", "--iterations", "5", "--json", name]);
    assert!(stdout(&output).contains("best value"));
    let json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["runs"][0]["iterations"], 5);
}

#[test]
fn a_trace_shows_every_run_up_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.csv");
    let trace = |arguments: &[&str]| -> Vec<Vec<String>> {
        let name = file.to_str().unwrap();
        let size = ["solve", "sphere", "--dim", "2", "--individuals", "32", "--trace", name];
        let output = run(&[&size[..], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("run,iteration,evaluations,seconds,best,violation,mean,spread")
        );
        lines.map(|line| line.split(',').map(String::from).collect()).collect()
    };
    let rows = trace(&["--iterations", "7", "--runs", "2"]);
    assert_eq!(rows.len(), 2 * 8);
    for (i, row) in rows.iter().enumerate() {
        let (run, iteration) = (i / 8, i % 8);
        assert_eq!(row[0], run.to_string());
        assert_eq!(row[1], iteration.to_string());
        assert_eq!(row[2], (32 * (iteration + 1)).to_string());
    }
    let values: Vec<f32> = rows[..8].iter().map(|row| row[4].parse().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");

    // Rows of long runs are thinned. The last row is always that of the end of the run.
    assert_eq!(trace(&["--iterations", "2500"]).len(), 835);
    let rows = trace(&["--runs", "3", "--target", "1e-3"]);
    for run in ["0", "1", "2"] {
        let last = rows.iter().rfind(|row| row[0] == run).unwrap();
        assert!(last[4].parse::<f32>().unwrap() <= 1e-3);
        assert!(last[1].parse::<u32>().unwrap() < 100);
    }
}

#[test]
fn functions_of_the_bbob_suite_are_problems() {
    let of =
        ["bbob-f3", "--dim", "4", "--instance", "7", "--individuals", "64", "--iterations", "50"];
    let solved = solve(&of);
    assert_eq!(solved["problem"], "bbob-f03");
    assert_eq!((&solved["dimensions"], &solved["instance"]), (&4.into(), &7.into()));
    let optimum = warpswarm::bbob::problem(3, 7, 4).unwrap().optimum_value();
    assert!(solved["runs"][0]["best"]["value"].as_f64().unwrap() > optimum);
    assert_eq!(solve(&["bbob-f3", "--iterations", "1"])["instance"], 1);
    assert_eq!(solve(&["sphere", "--iterations", "1"]).get("instance"), None);

    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let kept = kept.to_str().unwrap();
    let output = run(&[&["solve"], &of[..], &["--out", kept]].concat());
    assert!(stdout(&output).contains("bbob-f03, 4 dimensions, instance 7"));
    let asked = std::fs::read_to_string(Path::new(kept).join("run.toml")).unwrap();
    let problem =
        "[problem]\nfrom = \"bbob\"\nname = \"bbob-f03\"\ndimensions = 4\ninstance = 7\n\n";
    assert!(asked.contains(problem), "{asked}");
    assert!(stdout(&run(&["rerun", kept])).contains("the same bits"));

    is_bad_input(&["bbob-f25"], &["problem `bbob-f25`", "did you mean bbob-f"]);
    is_bad_input(&["bbob-f3", "--dim", "1"], &["--dim is 1; allowed: 2 to 100 for bbob-f03"]);
    is_bad_input(&["bbob-f3", "--instance", "0"], &["--instance", "'0'", "from 1 to 200000"]);
    is_bad_input(
        &["bbob-f3", "--lower", "0"],
        &["--lower is 0 beside bbob-f3, which is within -5 and 5; leave it out"],
    );
    let only = "--instance is 2, which only bbob-f1 to bbob-f24 have; leave it out";
    is_bad_input(&["sphere", "--instance", "2"], &[only]);
    is_bad_input(&["none.toml", "--instance", "2"], &[only]);
    let two = ["compare", "--algorithms", "pso,de", "--problems"];
    fails(
        &[&two[..], &["bbob-f1:instance=0"]].concat(),
        2,
        &["instance is `0`", "from 1 to 200000"],
    );
    fails(&[&two[..], &["sphere:instance=2"]].concat(), 2, &[only]);
}

#[test]
fn lists_are_whole() {
    let problems = run(&["list", "problems"]);
    let json: Value = serde_json::from_slice(&run(&["list", "problems", "--json"]).stdout).unwrap();
    for info in warpswarm::problems::all() {
        assert!(stdout(&problems).contains(info.id));
        assert!(json.as_array().unwrap().iter().any(|row| row["id"] == info.id));
    }
    for function in warpswarm::bbob::all() {
        assert!(stdout(&problems).contains(&format!("{} ", function.id)));
        assert!(json.as_array().unwrap().iter().any(|row| row["id"] == function.id));
    }
    let row = |id: &str| json.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
    let spring = row("spring");
    assert_eq!(
        spring["dimensions"],
        serde_json::json!({
            "least": 3, "most": 3, "multiple_of": 1, "usual": 3
        })
    );
    assert_eq!(spring["coordinates"], serde_json::json!(["d", "D", "P"]));
    assert_eq!(spring["lower"], serde_json::json!([0.05, 0.25, 2.0]));
    assert_eq!(spring["constraints"][0]["formula"], "1 - D^3 P / (71785 d^4)");
    assert!(spring["optimum"]["value"].as_f64().unwrap() < 0.0127);
    let clusters = row("lennard-jones");
    assert_eq!(clusters["dimensions"]["multiple_of"], 3);
    assert_eq!(clusters["optimum"]["position"], Value::Null);
    // One short line for each.
    let lines: Vec<&str> = stdout(&problems).lines().collect();
    assert_eq!(lines.len(), json.as_array().unwrap().len() + 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 110), "{lines:?}");
    assert!(stdout(&problems).contains("; 4 constraints"));
    for (name, parts) in [
        (
            "spring",
            &[
                "g4 = (d + D) / 1.5 - 1 <= 0",
                "dimensions  exactly 3: d, D, P",
                "bounds      0.05 to 2, 0.25 to 1.3, 2 to 15",
                "best known  0.012665232788319417 at (d = 0.0516",
            ][..],
        ),
        (
            "rastrigin",
            &[
                "bounds      -5.12 to 5.12",
                "best known  0 in 30 dimensions at (0.0, 0.0, 0.0, 0.0, and 26 more coordinates)",
            ],
        ),
        ("bbob-f8", &["bbob-f08: ", "dimensions  2 to 100", "1 to 200000 (--instance)"]),
    ] {
        let entry = succeeds(&["list", "problems", name]);
        for part in parts {
            assert!(entry.contains(part), "{part} is not in\n{entry}");
        }
        let one: Value =
            serde_json::from_str(&succeeds(&["list", "problems", name, "--json"])).unwrap();
        assert_eq!(one, Value::from(vec![row(&name.replace("f8", "f08")).clone()]));
    }
    fails(&["list", "problems", "sprung"], 2, &["unknown problem `sprung`", "spring"]);
    let algorithms = run(&["list", "algorithms"]);
    let json: Value =
        serde_json::from_slice(&run(&["list", "algorithms", "--json"]).stdout).unwrap();
    for info in warpswarm::algorithms::ALL {
        assert!(stdout(&algorithms).contains(info.id));
        let row = json.as_array().unwrap().iter().find(|row| row["id"] == info.id).unwrap();
        assert_eq!(row["parameters"].as_array().unwrap().len(), info.parameters().len());
    }
    assert_eq!(stdout(&algorithms).lines().count(), warpswarm::algorithms::ALL.len() + 2);
    let pso = succeeds(&["list", "algorithms", "pso"]);
    assert!(pso.starts_with("pso: ") && pso.contains("--set preset=cpso-paper"), "{pso}");
    fails(&["list", "algorithms", "psoo"], 2, &["unknown algorithm `psoo`", "pso"]);
}

#[test]
fn the_doctor_always_answers() {
    let output = run(&["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    for part in ["driver", "devices", "GPU kernels", "device toolchain", "backend gpu"] {
        assert!(stdout(&output).contains(part), "{part:?} is not in\n{}", stdout(&output));
    }
    let json: Value = serde_json::from_slice(&run(&["doctor", "--json"]).stdout).unwrap();
    assert_eq!(json["backends"]["emulator"], true);
    assert!(json["backends"]["cpu_threads"].as_u64().unwrap() >= 1);
}

#[test]
fn help_has_examples_and_exit_codes() {
    for arguments in [&["--help"][..], &["solve", "--help"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("Examples:") && stdout(&output).contains("130"));
    }
    assert!(stdout(&run(&["--version"])).starts_with("warpswarm 0."));
}

/// As in `warpswarm list algorithms | head -1`.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    for arguments in [
        &["list", "algorithms"][..],
        &["list", "problems", "--json"],
        &["doctor"],
        &["solve", "--help"],
        &["solve", "sphere", "--iterations", "1"],
        &["solve", "sphere", "--iterations", "1", "--dim", "20000", "--json", "-"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program().args(arguments).stdout(writer).output().unwrap();
        assert_eq!(stderr(&output), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_exit_code_1() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = program().args(["list", "problems"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
    for option in ["--json", "--trace"] {
        let solve = ["solve", "sphere", "--iterations", "1", "--quiet", option, "/dev/full"];
        fails(&solve, 1, &[option, "/dev/full", "cannot be written"]);
    }
}

/// Sends Ctrl-C a given time after the program has installed its handler; returns the moment.
fn ctrl_c(child: &mut Child, after: Duration) -> Instant {
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & 1 << (SIGINT - 1) != 0)
    };
    // If the system does not show the handler, two seconds are long enough.
    let most = if cfg!(target_os = "linux") { 20 } else { 2 };
    let start = Instant::now();
    while !listens() && start.elapsed() < Duration::from_secs(most) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(after);
    assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let pressed = Instant::now();
    assert!(kill.unwrap().success());
    pressed
}

/// An evaluation takes seconds, so the first Ctrl-C has to wait for it.
#[test]
fn a_second_interrupt_ends_the_program_at_once() {
    let sums: Vec<String> =
        (0..60).map(|k| format!("sum(i, 1, 4000000, sin(a * i + {k}))")).collect();
    let variables = "variables = { a = { lower = -4, upper = 5 } }";
    let text = format!("minimise = \"{}\"\n{variables}\n", sums.join(" + "));
    let (_folder, path) = problem_file(&text, "");
    let mut child = program()
        .args(["solve", &path, "--individuals", "100000", "--threads", "1", "--backend", "cpu"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    ctrl_c(&mut child, Duration::from_millis(300));
    // The same signal once more, as `timeout` sends it, is not a second one.
    ctrl_c(&mut child, Duration::ZERO);
    let pressed = ctrl_c(&mut child, Duration::from_millis(1000));
    while child.try_wait().unwrap().is_none() {
        if pressed.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            panic!("the program goes on after the second Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let time = pressed.elapsed();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(stdout(&output), "");
    assert!(time < Duration::from_secs(2), "{time:?}");
}

#[test]
fn an_interrupt_prints_the_best_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("interrupted.json");
    let interrupt = |arguments: &[&str]| -> (Output, Duration) {
        let mut child = program()
            .args(["solve", "rastrigin", "--iterations", "1000000000"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let start = ctrl_c(&mut child, Duration::from_millis(400));
        let output = child.wait_with_output().unwrap();
        (output, start.elapsed())
    };
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let (output, time) = interrupt(&[]);
            assert_eq!(output.status.code(), Some(130));
            assert!(stdout(&output).contains("best value"), "{}", stdout(&output));
            assert!(stdout(&output).contains("stopped by  interrupted"));
            time
        })
        .collect();
    // The documentation promises 100 ms. The time to start and end any program here is added to that.
    let start = Instant::now();
    run(&["list", "problems"]);
    let allowed = Duration::from_millis(100) + start.elapsed();
    times.sort();
    println!("reliability: ms from Ctrl-C to the end of the program = {}", times[2].as_millis());
    assert!(times[2] < allowed, "{times:?}, allowed {allowed:?}");

    let (output, _) = interrupt(&["--json", "-"]);
    assert_eq!(output.status.code(), Some(130));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["runs"][0]["stop_reason"], "interrupted");
    assert!(json["runs"][0]["iterations"].as_u64().unwrap() > 0);

    // Pictures show the current and earlier individuals of the interrupted run; they do not need a second run.
    let pictures = ["population.svg", "swarm.svg"].map(|name| folder.path().join(name));
    let mut plane = vec!["--dim", "2", "--individuals", "64", "--quiet"];
    plane.extend(pictures.iter().flat_map(|path| ["--plot", path.to_str().unwrap()]));
    let (output, _) = interrupt(&plane);
    assert_eq!((output.status.code(), stderr(&output)), (Some(130), ""));
    let [end, way] = pictures.map(|path| std::fs::read_to_string(path).unwrap());
    let last = end.lines().find(|line| line.starts_with("iteration ")).unwrap();
    assert!(way.contains("\niteration 0\n") && way.contains(&format!("\n{last}\n")), "{last}");

    let (output, _) = interrupt(&["--quiet", "--json", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(130));
    let json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(json["runs"][0]["stop_reason"], "interrupted");
}

/// A folder with a problem file and a file of points.
fn problem_file(text: &str, points: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("points.csv"), points).unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

const FIT: &str = "minimise = \"sum(i, (y[i] - a * exp(-t[i] / tau))^2)\"\n[variables]\n\
    a = { lower = 0, upper = 10 }\ntau = { lower = 0.1, upper = 100, scale = \"log\" }\n\
    [data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]\n[constraints]\nsmall = \"a <= 9\"\n";

#[test]
fn a_problem_file_is_solved_on_every_backend_with_the_same_bits() {
    let (_folder, path) = problem_file(FIT, "t,y\n0,8\n1,4\n2,2\n");
    let arguments = [&*path, "--individuals", "64", "--iterations", "200", "--precision", "f64"];
    let found = solve(&arguments);
    assert_eq!(found["problem"], "mine");
    let best = &found["runs"][0]["best"];
    assert_eq!(best["constraints"][0]["name"], "small");
    assert!((best["position"][0].as_f64().unwrap() - 8.0).abs() < 1e-3, "{best}");
    assert!((best["position"][1].as_f64().unwrap() * 2_f64.ln() - 1.0).abs() < 1e-3, "{best}");
    let on = |backend| runs(&[&arguments[..], &["--backend", backend]].concat());
    assert_eq!(on("cpu"), on("emulator"));
}

#[test]
fn what_is_maximised_and_has_names_is_shown_so() {
    let hill = "maximise = \"5 - (width - 1)^2 - height^4\"\n[variables]\n\
        width = { lower = -9, upper = 9 }\nheight = { lower = -9, upper = 9 }\n";
    let (_folder, path) = problem_file(hill, "");
    let few =
        [&*path, "--runs", "3", "--individuals", "8", "--iterations", "9", "--precision", "f64"];
    let json = solve(&few);
    assert_eq!(json["maximised"], true);
    assert_eq!(json["coordinates"], serde_json::json!(["width", "height"]));
    assert_eq!(solve(&["spring", "--iterations", "1"])["coordinates"].as_array().unwrap().len(), 3);
    let mut values: Vec<f64> = json["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["best"]["value"].as_f64().unwrap())
        .collect();
    values.sort_by(f64::total_cmp);
    let output = run(&[&["solve"], &few[..]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let [worst, median, best] = values[..] else { panic!("{json}") };
    let all = format!("3 runs: best {best:?}, median {median:?}, worst {worst:?}");
    for part in ["2 dimensions, maximised\n", "(width = ", ", height = ", &all] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn the_problem_files_of_the_examples_are_solved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/problems");
    let best = |name: &str| {
        let path = folder.join(name);
        let found = solve(&[path.to_str().unwrap(), "--precision", "f64", "--backend", "cpu"]);
        found["runs"][0]["best"]["value"].as_f64().unwrap()
    };
    assert!((best("spring.toml") - 0.01267).abs() < 1e-4);
    assert!(best("rosenbrock.toml") < 5.0);
    assert!((0.5..1.5).contains(&best("decay.toml")));
}

#[test]
fn bad_problem_files() {
    let bad = |text: &str, points: &str, parts: &[&str]| {
        let (_folder, path) = problem_file(text, points);
        is_bad_input(&[&path], parts);
    };
    bad(
        &FIT.replace("tau)", "tua)"),
        "t,y\n0,8\n",
        &["minimise: unknown name `tua`", "did you mean `tau`", "\n", "^^^"],
    );
    bad(&FIT.replace("a * exp", "a * * exp"), "t,y\n0,8\n", &["expected a number", "^"]);
    bad(FIT, "t,z\n0,8\n", &["points.csv", "no column `y`", "t, z"]);
    bad(
        FIT,
        "t,y\n0,8\n1,many\n",
        &["points.csv", "line 3 (row 2), column `y`: \"many\" is not a number"],
    );
    bad(&FIT.replace("points.csv", "none.csv"), "", &["none.csv", "cannot be read"]);
    bad(
        &FIT.replace("lower = 0,", "lower = 20,"),
        "t,y\n0,8\n",
        &["variable `a`: lower is 20, above"],
    );
    bad(&FIT.replace("[constraints]", "[constraint]"), "t,y\n0,8\n", &["constraint", "line 8"]);
    is_bad_input(&["none.toml"], &["none.toml", "cannot be read"]);
    let (_folder, path) = problem_file(FIT, "t,y\n0,8\n");
    is_bad_input(&[&path, "--dim", "3"], &["--dim is 3", "gives its variables"]);
    is_bad_input(&[&path, "--lower", "-3"], &["--lower is -3"]);
}
