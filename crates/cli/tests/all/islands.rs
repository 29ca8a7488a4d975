//! Islands in a single process and, with the feature `mpi`, on the ranks of `mpirun`.

use std::path::Path;

use crate::common::{fails, read, run, runs, stderr, succeeds};

/// A master and seven slaves of nine particles. The schedule does not depend on the end of the run, so that a resumed
/// run equals an uninterrupted one.
pub(crate) const MASTER: [&str; 14] = [
    "solve",
    "rastrigin",
    "--dim",
    "2",
    "--algorithm",
    "cmepso",
    "--set",
    "slaves=7",
    "--set",
    "inertia_iterations=1000",
    "--individuals",
    "70",
    "--islands",
    "master",
];

/// Small islands, which take a fraction of a second.
pub(crate) const SMALL: [&str; 10] = [
    "solve",
    "rastrigin",
    "--dim",
    "4",
    "--individuals",
    "20",
    "--migrate-every",
    "10",
    "--migrants",
    "2",
];

fn islands(topology: &str, more: &[&str]) -> Vec<String> {
    let these = ["--islands", topology, "--island-count", "8"];
    [&SMALL[..], &these, more].concat().into_iter().map(String::from).collect()
}

fn solved(arguments: &[String]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    succeeds(&arguments)
}

#[test]
fn islands_are_the_runs_of_a_batch_that_exchange_individuals() {
    let alone = succeeds(
        &[&SMALL[..6], &["--runs", "8", "--iterations", "9", "--json", "-", "--no-polish"]]
            .concat(),
    );
    let before = solved(&islands("full", &["--iterations", "9", "--json", "-"]));
    assert_eq!(runs(&alone), runs(&before));
    assert!(!alone.contains("\"islands\""));
    let alone = succeeds(
        &[&SMALL[..6], &["--runs", "8", "--iterations", "20", "--json", "-", "--no-polish"]]
            .concat(),
    );
    let after = solved(&islands("full", &["--iterations", "20", "--json", "-"]));
    assert_ne!(runs(&alone), runs(&after));
}

#[test]
fn what_was_asked_for_is_said() {
    let set = ["--island-set", "pso:inertia=0.6,de:individuals=24", "--iterations", "30"];
    let more = [&set[..], &["--select", "random", "--replace", "random"]].concat();
    let summary = solved(&islands("torus", &more));
    assert!(summary.contains("algorithm   pso, de, f64, seed 0"), "{summary}");
    let line = "islands     8, torus; every 10 iterations 2 (random) in place of the random";
    assert!(summary.contains(line), "{summary}");
    assert!(summary.contains("all runs    8 runs: best"), "{summary}");
    let json = solved(&islands("torus", &[&more[..], &["--json", "-"]].concat()));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let islands = &json["islands"];
    assert_eq!((&islands["topology"], &islands["every"]), (&"torus".into(), &10.into()));
    assert_eq!((&islands["select"], &islands["replace"]), (&"random".into(), &"random".into()));
    assert_eq!(islands["inhabitants"][0]["parameters"]["inertia"], 0.6);
    assert_eq!(islands["inhabitants"][1]["individuals"], 24);
    assert_eq!(json["runs"][1]["evaluations"], 31 * 24);
}

#[test]
fn each_swarm_of_cmepso_is_an_island() {
    let all = [&MASTER[..], &["--migrate-every", "10", "--iterations", "45"]].concat();
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (out, kept) = (path("out"), path("kept"));
    let summary = succeeds(&[&all[..], &["--out", &out]].concat());
    assert!(summary.contains("algorithm   cmepso, cmepso, f64, seed 0"), "{summary}");
    let line = "islands     8, master; every 10 iterations 1 (best) in place of the first";
    assert!(summary.contains(line), "{summary}");
    let again = succeeds(&["rerun", &out]);
    assert!(again.starts_with("the same bits: 8 runs"), "{again}");

    let whole = succeeds(&[&all[..], &["--json", "-"]].concat());
    succeeds(&[&all[..17], &["23", "--checkpoint", &kept, "--quiet"]].concat());
    let resumed = succeeds(&["resume", &kept, "--iterations", "25", "--json", "-"]);
    assert_eq!(runs(&resumed), runs(&whole));
    let json: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let [master, slave] = [0, 1].map(|of| &json["islands"]["inhabitants"][of]);
    assert_eq!(
        (&master["parameters"]["part"], &master["individuals"]),
        (&"master".into(), &14.into())
    );
    assert_eq!((&slave["parameters"]["part"], &slave["individuals"]), (&"slave".into(), &9.into()));
    // Each particle is evaluated six times in an iteration: once itself and five times as replicas.
    let evaluations = [0, 1].map(|run| json["runs"][run]["evaluations"].as_u64().unwrap());
    assert_eq!(evaluations, [14 + 45 * 7 * 6, 9 + 45 * 9 * 6]);
}

#[test]
fn what_a_master_cannot_be_is_one_message() {
    let check = |more: &[&str], parts: &[&str]| fails(&[&MASTER[..], more].concat(), 2, parts);
    let of = "for the master of cmepso and its 7 slaves";
    check(&["--island-count", "5"], &["--island-count is 5; allowed: 8", of]);
    check(&["--migrants", "2"], &["--migrants is 2; allowed: 1", of]);
    check(&["--replace", "worst"], &["--replace is worst; allowed: first", of]);
    let ring = ["--islands", "ring", "--island-count", "3", "--set", "part=master"];
    fails(&[&MASTER[..12], &ring].concat(), 2, &["--island-set is cmepso", "part=master"]);
    let few = [&MASTER[..11], &["10", "--islands", "master"]].concat();
    fails(&few, 2, &["--individuals is 10; allowed: a multiple of the slaves"]);
}

#[test]
fn folders_of_islands_are_repeated_and_shown() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (out, trace) = (path("out"), path("trace.csv"));
    let more = ["--iterations", "45", "--precision", "f64", "--island-set", "pso,sa", "--quiet"];
    solved(&islands("star", &[&more[..], &["--out", &out, "--trace", &trace]].concat()));
    let again = succeeds(&["rerun", &out]);
    assert!(again.starts_with("the same bits: 8 runs, 368 rows of the trace"), "{again}");
    let page = path("page.html");
    succeeds(&["report", &out, "--out", &page]);
    assert_eq!(read(&Path::new(&out).join("result.json"))["runs"].as_array().unwrap().len(), 8);
    let kept = std::fs::read_to_string(Path::new(&out).join("run.toml")).unwrap();
    assert!(kept.contains("[islands]") && kept.contains("topology = \"star\""), "{kept}");
}

#[test]
fn a_kept_epoch_is_gone_on_from() {
    let place = tempfile::tempdir().unwrap();
    let kept = place.path().join("kept");
    let kept = kept.to_str().unwrap();
    let whole = solved(&islands("ring", &["--iterations", "95", "--json", "-"]));
    solved(&islands("ring", &["--iterations", "37", "--checkpoint", kept, "--quiet"]));
    // The run ended in the middle of an epoch, of which no state is stored.
    let resumed = succeeds(&["resume", kept, "--iterations", "65", "--json", "-"]);
    assert_eq!(runs(&resumed), runs(&whole));
    fails(&["resume", place.path().to_str().unwrap()], 2, &["last cannot be read"]);
}

#[test]
fn an_end_that_is_not_kept_is_said() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let said = |iterations: &str, kept: &str| {
        let solved = islands("ring", &["--iterations", iterations, "--checkpoint", kept]);
        let solved: Vec<&str> = solved.iter().map(String::as_str).collect();
        stderr(&run(&solved)).to_owned()
    };
    let note = said("37", &path("within"));
    assert!(
        note.starts_with("note: the checkpoint holds the run up to iteration 30 of 37"),
        "{note}"
    );
    assert!(note.contains("a multiple of 10 (--migrate-every)"), "{note}");
    assert_eq!(said("40", &path("whole")), "");
}

#[test]
fn what_islands_cannot_be_is_one_message() {
    let check = |more: &[&str], parts: &[&str]| {
        fails(
            &[&["solve", "sphere", "--dim", "2", "--individuals", "10"], more].concat(),
            2,
            parts,
        );
    };
    let eight = ["--islands", "full", "--island-count", "8"];
    let with = |more: &[&'static str]| [&eight[..], more].concat();
    check(&["--islands", "cube"], &["--islands", "'cube'", "ring, full, torus, star, master"]);
    check(&["--islands", "ring"], &["--island-count", "N of at least 2"]);
    check(&["--islands", "ring", "--island-count", "1"], &["--island-count", "'1'", "from 2"]);
    check(&["--island-count", "8"], &["--islands"]);
    check(&with(&["--migrants", "0"]), &["--migrants", "'0'", "from 1"]);
    check(
        &with(&["--migrants", "2"]),
        &["--migrants is 2", "1 to 1", "7 neighbours", "10 individuals"],
    );
    check(
        &["--islands", "star", "--island-count", "20"],
        &["--island-count is 20", "19 neighbours"],
    );
    check(&with(&["--migrate-every", "0"]), &["--migrate-every", "'0'", "from 1"]);
    check(&with(&["--select", "worst"]), &["--select", "'worst'", "best, random"]);
    check(&with(&["--runs", "3"]), &["--runs is 3", "--island-count"]);
    check(&with(&["--island-set", "pso,nothing"]), &["nothing"]);
    check(&with(&["--island-set", "pso:inertia=x"]), &["--island-set has `pso:inertia=x`"]);
    check(&with(&["--island-set", "pso", "--algorithm", "de"]), &["--island-set", "--algorithm"]);
    check(&with(&["--plot", "swarm.gif"]), &["--plot is swarm.gif", "--islands"]);
    check(&with(&["--out", "x", "--population-every", "2"]), &["--population-every is 2"]);
    check(
        &with(&["--checkpoint", "Cargo.toml"]),
        &["Cargo.toml, which exists and is not a checkpoint"],
    );
}

#[test]
fn ctrl_c_keeps_the_epoch() {
    if cfg!(windows) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let kept = place.path().join("kept");
    let mut arguments = islands("ring", &["--iterations", "100000000", "--checkpoint"]);
    arguments.push(kept.to_str().unwrap().into());
    let child = crate::common::program()
        .args(&arguments)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !kept.join("last").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(130));
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(summary.contains("stopped by  interrupted"), "{summary}");
    let kept = kept.to_str().unwrap();
    let line = format!("\ncheckpoint  {kept}; to continue: warpswarm resume {kept}\n");
    assert!(summary.ends_with(&line), "{summary}");
    let text = succeeds(&["checkpoint", kept]);
    assert!(text.contains("\nstate       not finished\n"), "{text}");
    succeeds(&["resume", kept, "--iterations", "10", "--quiet"]);
}
