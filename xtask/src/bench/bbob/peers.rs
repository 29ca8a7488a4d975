//! Runs of peers from PyPI: `benches/bbob/peers.py` runs them on COCO's own functions.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use warpswarm::bbob;

use super::record::{Kept, Record};
use super::suite::Case;
use crate::bench::python;
use crate::shell;

/// The package with the functions, which also counts evaluations.
pub(super) const COCO: &str = "coco-experiment==2.8.2";

/// Runs a peer on these problems, `jobs` at a time.
pub(super) fn measure(
    (id, package): (&str, &str),
    cases: &[Case],
    jobs: usize,
    kept: &mut Kept,
) -> Result<()> {
    let python = python::with(&["numpy", COCO, package])?;
    let lines: Result<Vec<String>> = cases.iter().copied().map(line).collect();
    let mut command = Command::new(python);
    command.arg(shell::root().join("benches/bbob/peers.py"));
    command.args([id, "--jobs", &jobs.to_string()]);
    take(&mut command, &lines?.concat(), kept)
}

/// A problem in the input format of the script.
fn line(case: Case) -> Result<String> {
    let Case { function, instance, dimensions } = case;
    let least = bbob::problem(function, instance, dimensions)?.optimum_value();
    Ok(format!("{function} {instance} {dimensions} {least:?}\n"))
}

/// Stores each run that a program writes, immediately.
fn take(command: &mut Command, input: &str, kept: &mut Kept) -> Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let mut given = child.stdin.take().context("it has an input")?;
    // The script reads all input before it writes. If it ends earlier, its exit status reports the error.
    let _ = given.write_all(input.as_bytes());
    drop(given);
    let written = BufReader::new(child.stdout.take().context("it has an output")?);
    for line in written.lines() {
        let line = line?;
        kept.add(Record::parse(&line).with_context(|| format!("no run: {line:?}"))?)?;
    }
    let status = child.wait()?;
    ensure!(status.success(), "{name} failed ({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_kept_as_they_come() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peer.csv");
        let mut kept = Kept::open(&path, "1", false).unwrap();
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let case = Case { function: 1, instance: 1, dimensions: 5 };
        let input = line(case).unwrap();
        assert_eq!(input, "1 1 5 79.48\n");
        let script = "read f i d value; echo $f $i $d 50000 3 4; exit 1";
        let error = take(&mut shell(script), &input, &mut kept).unwrap_err();
        assert!(error.to_string().starts_with("sh failed"), "{error}");
        let kept_now = Kept::open(&path, "1", false).unwrap().records;
        assert_eq!(kept_now, [Record { case, evaluations: 50_000, hits: vec![3, 4] }]);
        let error = take(&mut shell("echo Traceback"), &input, &mut kept).unwrap_err();
        assert_eq!(error.to_string(), "no run: \"Traceback\"");
    }
}
