//! Islands and split swarms on the ranks (processes) of `mpirun`: the same bits as in a single process, a single
//! message on failure, no hang, and no loss if a rank is killed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{everywhere, run, runs, stderr, stdout, succeeds};
use crate::islands::{MASTER, SMALL};

/// `mpirun` with this number of ranks, which may exceed the number of processors. Also works as root in a container.
fn mpirun(ranks: u32) -> Command {
    let mut command = Command::new("mpirun");
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    // Open MPI needs these settings to oversubscribe processors; MPICH has no such limit.
    command.envs([
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ]);
    command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_warpswarm")]);
    command.stdin(Stdio::null());
    command
}

/// The output of `mpirun`. If it takes too long, the test fails because it hangs.
fn output(mut command: Command) -> Output {
    // In a separate process group, so that all processes can be killed together.
    let child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("mpirun is there, as the feature `mpi` has it");
    let group = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            signal("-KILL", &format!("-{group}"));
            panic!("{command:?} hangs");
        }
    }
}

fn signal(which: &str, whom: &str) {
    // It may have ended already.
    let _ = Command::new("kill").args([which, "--", whom]).stderr(Stdio::null()).status();
}

fn on_ranks(ranks: u32, arguments: &[&str]) -> Output {
    let mut command = mpirun(ranks);
    command.args(everywhere(arguments));
    output(command)
}

/// The standard output of a command that must succeed.
#[track_caller]
fn solved(ranks: u32, arguments: &[&str]) -> String {
    let output = on_ranks(ranks, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output).into()
}

fn eight<'a>(topology: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], &["--islands", topology, "--island-count", "8"], more].concat()
}

#[test]
fn one_two_and_four_ranks_have_the_same_bits() {
    for topology in ["ring", "full", "torus", "star", "master"] {
        let arguments = eight(topology, &["--iterations", "105", "--json", "-"]);
        let alone = succeeds(&arguments);
        for ranks in [1, 2, 4] {
            assert_eq!(runs(&solved(ranks, &arguments)), runs(&alone), "{ranks} ranks, {topology}");
        }
    }
}

#[test]
fn islands_that_differ_have_the_same_bits() {
    let set = "pso:inertia=0.6,de:individuals=32,sa";
    let more = ["--iterations", "60", "--island-set", set, "--precision", "f64", "--json", "-"];
    let arguments = eight("torus", &more);
    let alone = succeeds(&arguments);
    assert_eq!(runs(&solved(3, &arguments)), runs(&alone));
}

#[test]
fn a_master_and_its_slaves_have_the_same_bits_and_can_be_gone_on_with() {
    let all =
        [&MASTER[..], &["--migrate-every", "10", "--precision", "f64", "--iterations"]].concat();
    let whole = succeeds(&[&all[..], &["65", "--json", "-"]].concat());
    for ranks in [2, 3, 4, 8] {
        let there = solved(ranks, &[&all[..], &["65", "--json", "-"]].concat());
        assert_eq!(runs(&there), runs(&whole), "{ranks} ranks");
    }
    let place = tempfile::tempdir().unwrap();
    let kept = place.path().join("kept");
    let kept = kept.to_str().unwrap();
    solved(4, &[&all[..], &["40", "--checkpoint", kept, "--quiet"]].concat());
    let resumed = solved(2, &["resume", kept, "--iterations", "25", "--json", "-"]);
    assert_eq!(runs(&resumed), runs(&whole));
}

#[test]
fn as_many_islands_as_ranks() {
    let arguments = [&SMALL[..], &["--islands", "ring", "--iterations", "20"]].concat();
    let summary = solved(3, &arguments);
    assert!(summary.contains("islands     3, ring;"), "{summary}");
    assert!(summary.contains("(3 ranks)"), "{summary}");
}

#[test]
fn a_folder_is_what_one_process_would_have_written() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let out = out.to_str().unwrap();
    solved(4, &eight("full", &["--iterations", "45", "--out", out, "--quiet"]));
    let again = succeeds(&["rerun", out]);
    assert!(again.contains("the same bits: 8 runs, 368 rows of the trace"), "{again}");
}

#[test]
fn a_target_ends_all_ranks() {
    let more = ["--target", "1e-3", "--iterations", "100000", "--json", "-"];
    let arguments = eight("ring", &more);
    let alone = succeeds(&arguments);
    assert_eq!(runs(&solved(4, &arguments)), runs(&alone));
}

/// One swarm that all ranks share, on emulated devices.
fn split<'a>(problem: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let place = ["--backend", "emulator", "--split", "--individuals", "37", "--seed", "3"];
    [&["solve"], problem, &place, more].concat()
}

#[test]
fn a_swarm_that_ranks_share_has_the_bits_of_one_device() {
    let json = ["--iterations", "12", "--json", "-"];
    let f64 = ["--precision", "f64", "--runs", "3", "--evaluations", "500", "--json", "-"];
    let target = ["--target", "70", "--runs", "2", "--json", "-"];
    for (problem, more) in [
        (&["rastrigin", "--dim", "5"][..], &json[..]),
        (&["rastrigin", "--dim", "5"], &f64),
        (&["rastrigin", "--dim", "9"], &target),
        (&["spring"], &json),
    ] {
        let arguments = split(problem, more);
        let alone: Vec<_> = arguments.iter().copied().filter(|one| *one != "--split").collect();
        let alone = succeeds(&alone);
        assert_eq!(alone.contains("\"target\""), more == target, "{alone}");
        for ranks in [1, 2, 4] {
            let shared = solved(ranks, &arguments);
            assert_eq!(runs(&shared), runs(&alone), "{ranks} ranks, {arguments:?}");
        }
    }
}

#[test]
fn the_first_rank_writes_what_all_have_found() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let out = out.to_str().unwrap();
    let folder = ["--iterations", "9", "--out", out, "--quiet"];
    solved(3, &split(&["rastrigin", "--dim", "4"], &folder));
    let again = succeeds(&["rerun", out]);
    assert!(again.contains("the same bits: 1 run, 10 rows of the trace"), "{again}");
    let summary = solved(3, &split(&["rastrigin", "--dim", "4"], &["--iterations", "2"]));
    assert_eq!(summary.matches("emulated GPU (3 ranks)").count(), 1, "{summary}");
}

#[test]
fn what_cannot_be_shared_is_one_message_of_all_ranks() {
    let refused = |problem: &[&'static str], more: &[&'static str], parts: &[&str]| {
        fails(3, &split(problem, more), 2, parts);
    };
    let simple = ["sphere", "--dim", "2"];
    refused(
        &simple,
        &["--algorithm", "de"],
        &["--split works only", "algorithm pso with the star"],
    );
    refused(&simple, &["--devices", "9"], &["--devices is 9", "allowed: 0 to 3"]);
    refused(&simple, &["--checkpoint", "kept"], &["--checkpoint is kept", "several processes"]);
    refused(&simple, &["--population-every", "2", "--out", "o"], &["--population-every is 2"]);
    fails(
        3,
        &["solve", "sphere", "--split", "--backend", "cpu"],
        2,
        &["--split works only", "gpu"],
    );
    let few = ["solve", "sphere", "--split", "--backend", "emulator", "--individuals", "2"];
    if warpswarm::system::report().gpu.is_err() {
        let parts = ["--split on several processes needs a GPU", "`--islands` works without GPUs"];
        fails(3, &["solve", "sphere", "--split"], 1, &parts);
    }
    fails(3, &few, 2, &["--individuals is 2", "each of the 3 devices of 3 ranks"]);
}

#[test]
fn ctrl_c_ends_all_ranks_at_the_same_iteration() {
    let more = ["--iterations", "1000000000", "--progress", "plain"];
    let mut command = mpirun(3);
    command.env("OMPI_MCA_odls_base_sigkill_timeout", "0");
    command.args(split(&["sphere", "--dim", "2"], &more)).process_group(0);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said = lines.find(|line| line.contains("iteration"));
    assert!(said.is_some(), "they have not begun");
    signal("-TERM", &children(child.id())[1].to_string());
    let said: Vec<String> = lines.collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{said:?}");
    assert!(stdout(&output).contains("stopped by  interrupted"), "{}", stdout(&output));
}

/// Checks for this exit code and a single message.
#[track_caller]
fn fails(ranks: u32, arguments: &[&str], code: i32, parts: &[&str]) {
    check_failure(on_ranks(ranks, arguments), code, parts);
}

#[track_caller]
fn check_failure(output: Output, code: i32, parts: &[&str]) {
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(message.matches("error: ").count(), 1, "{message}");
    assert!(!message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn bad_input_is_one_message_of_all_ranks() {
    let with = |more: &[&'static str]| [&SMALL[..8], &["--islands", "full"], more].concat();
    fails(3, &with(&["--migrants", "0"]), 2, &["--migrants", "allowed: a whole number from 1"]);
    fails(3, &with(&["--migrants", "11"]), 2, &["--migrants is 11", "1 to 10", "2 neighbours"]);
    fails(3, &with(&["--island-count", "30"]), 2, &["--island-count is 30", "29 neighbours"]);
    fails(3, &with(&["--island-count", "2"]), 2, &["--island-count is 2", "each of the 3 ranks"]);
    fails(9, &MASTER, 2, &["--island-count is 8", "each of the 9 ranks"]);
    fails(3, &with(&["--set", "inertia=x"]), 2, &["--set: parameter inertia is `x`"]);
    fails(3, &["solve", "nothing", "--islands", "ring"], 2, &["unknown problem `nothing`"]);
    fails(3, &["solve", "sphere"], 2, &["but 3 were started", "add --islands or --split"]);
    fails(3, &["list", "problems"], 2, &["but 3 were started; leave out `mpirun`"]);
    fails(3, &["resume", "Cargo.toml"], 2, &["Cargo.toml is a file", "leave out `mpirun`"]);
    fails(
        3,
        &with(&["--checkpoint", "Cargo.toml"]),
        2,
        &["Cargo.toml, which exists and is not a checkpoint"],
    );
    fails(3, &with(&["--json", "no/such/folder"]), 2, &["--json is no/such/folder"]);
    let emulated = ["--backend", "emulator", "--devices", "99"];
    fails(3, &with(&emulated), 2, &["--devices is 99", "allowed: 0"]);
    let gpu = with(&["--backend", "gpu"]);
    if warpswarm::system::report().gpu.is_err() {
        fails(3, &gpu, 1, &["the backend gpu cannot be used"]);
    }
}

#[test]
fn more_ranks_than_kept_islands_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let kept = place.path().join("kept");
    let kept = kept.to_str().unwrap();
    let more = ["--islands", "ring", "--iterations", "20", "--checkpoint", kept, "--quiet"];
    solved(2, &[&SMALL[..], &more].concat());
    let parts = ["kept has 2 islands, but 3 ranks were started; allowed: at most 2 ranks"];
    fails(3, &["resume", kept], 2, &parts);
}

#[test]
fn only_options_that_were_typed_are_noted() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (out, kept) = (path("out"), path("kept"));
    let more = ["--iterations", "20", "--out", &out, "--checkpoint", &kept, "--quiet"];
    solved(2, &eight("ring", &more));
    for again in [&["rerun", &out][..], &["resume", &kept, "--iterations", "10"]] {
        assert_eq!(stderr(&run(again)), "", "{again:?}");
    }
    let said = on_ranks(2, &eight("ring", &["--iterations", "20", "--split"]));
    assert_eq!(stderr(&said).matches("note: --split shares nothing").count(), 1, "{said:?}");
}

#[test]
fn ranks_that_were_asked_for_different_things_say_what_differs() {
    let arguments = eight("ring", &["--iterations", "10"]);
    let mut command = mpirun(1);
    command.args(&arguments).args(["--seed", "7"]);
    command.args([":", "-n", "2", env!("CARGO_BIN_EXE_warpswarm")]);
    command.args(&arguments).args(["--seed", "8"]);
    let parts = ["rank 1 on ", "has `--seed 8`, rank 0 `--seed 7`; allowed: the same on all ranks"];
    check_failure(output(command), 2, &parts);
}

/// The child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let listed = Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]).output();
    let text = String::from_utf8(listed.unwrap().stdout).unwrap();
    text.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

/// Waits until a condition holds.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process has ended, even if its parent has not collected its status.
fn has_ended(process: u32) -> bool {
    // The state follows the name, which is in parentheses.
    let about = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    about.rsplit(") ").next().is_none_or(|state| state.is_empty() || state.starts_with(['Z', 'X']))
}

/// Starts islands that run for a long time, and waits until the first epoch is stored.
fn started(ranks: u32, arguments: &[&str], kept: &Path) -> Child {
    let mut command = mpirun(ranks);
    // The launcher kills the remaining ranks at once instead of after two seconds: the test is about the state that is
    // left then.
    command.env("OMPI_MCA_odls_base_sigkill_timeout", "0");
    command.args(everywhere(arguments)).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("an epoch is kept", || kept.join("last").exists());
    child
}

#[test]
fn a_killed_rank_costs_no_more_than_an_epoch() {
    let size = ["--iterations", "4000", "--json", "-"];
    let whole = succeeds(&eight("torus", &size));
    // The twenty moments are spread over the time of a few epochs.
    let long = std::env::var("WARPSWARM_LONG").is_ok_and(|value| value == "1");
    for moment in (0..20_u64).step_by(if long { 1 } else { 3 }) {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept");
        let path = kept.to_str().unwrap();
        let more = ["--iterations", "4000", "--checkpoint", path, "--every", "10", "--quiet"];
        let child = started(4, &eight("torus", &more), &kept);
        std::thread::sleep(Duration::from_micros(moment * moment * 400));
        let ranks = children(child.id());
        let rank = ranks.get(moment as usize % 4).expect("they have not ended yet");
        signal("-KILL", &rank.to_string());
        let output = child.wait_with_output().unwrap();
        let message = stderr(&output);
        assert!(!output.status.success(), "moment {moment}: {message}");
        // The launcher reports which rank was killed.
        assert!(
            message.contains("process rank") || message.contains("KILLED BY SIGNAL"),
            "{message}"
        );
        // The launcher does not wait for the other ranks, one of which may still be writing.
        until("all ranks have ended", || ranks.iter().all(|&rank| has_ended(rank)));
        let resume = ["resume", path, "--json", "-"];
        let resumed = if moment % 5 == 0 { solved(2, &resume) } else { succeeds(&resume) };
        assert_eq!(runs(&resumed), runs(&whole), "moment {moment}");
    }
}

#[test]
fn ctrl_c_ends_all_ranks_and_keeps_the_epoch() {
    let place = tempfile::tempdir().unwrap();
    let kept = place.path().join("kept");
    let path = kept.to_str().unwrap();
    let arguments = eight("ring", &["--iterations", "1000000000", "--checkpoint", path]);
    let child = started(3, &arguments, &kept);
    std::thread::sleep(Duration::from_millis(200));
    // The launcher forwards Ctrl-C to the ranks as this signal. It is sent to one rank, and the others stop with it.
    let ranks = children(child.id());
    signal("-TERM", &ranks[1].to_string());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stdout(&output).contains("stopped by  interrupted"), "{}", stdout(&output));
    until("all ranks have ended", || ranks.iter().all(|&rank| has_ended(rank)));
    solved(2, &["resume", path, "--iterations", "10", "--quiet"]);
}
