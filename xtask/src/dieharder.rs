//! Runs dieharder's complete battery on random numbers, for each order in which they can be drawn.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::shell;

/// The orders that the example `stream` of `warpswarm-core` supports.
const ORDERS: [&str; 5] = ["pso", "seeds", "runs", "individuals", "iterations"];
/// The seed for the repetition of a test with a weak result.
const SECOND_SEED: &str = "20261121";

/// dieharder's number for each test name in its table: its option is a number, its output a name.
const NUMBERS: [(&str, u32); 31] = [
    ("diehard_birthdays", 0),
    ("diehard_operm5", 1),
    ("diehard_rank_32x32", 2),
    ("diehard_rank_6x8", 3),
    ("diehard_bitstream", 4),
    ("diehard_opso", 5),
    ("diehard_oqso", 6),
    ("diehard_dna", 7),
    ("diehard_count_1s_str", 8),
    ("diehard_count_1s_byt", 9),
    ("diehard_parking_lot", 10),
    ("diehard_2dsphere", 11),
    ("diehard_3dsphere", 12),
    ("diehard_squeeze", 13),
    ("diehard_sums", 14),
    ("diehard_runs", 15),
    ("diehard_craps", 16),
    ("marsaglia_tsang_gcd", 17),
    ("sts_monobit", 100),
    ("sts_runs", 101),
    ("sts_serial", 102),
    ("rgb_bitdist", 200),
    ("rgb_minimum_distance", 201),
    ("rgb_permutations", 202),
    ("rgb_lagged_sum", 203),
    ("rgb_kstest_test", 204),
    ("dab_bytedistrib", 205),
    ("dab_dct", 206),
    ("dab_filltree", 207),
    ("dab_filltree2", 208),
    ("dab_monobit2", 209),
];

/// One line of dieharder's table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: String,
    ntuple: String,
    p_value: String,
    assessment: Assessment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assessment {
    Passed,
    Weak,
    Failed,
}

/// Fails if a test fails, or is weak and fails in the repetition.
pub(crate) fn run() -> Result<()> {
    shell::run(&mut shell::cargo(&[
        "build",
        "--release",
        "--package",
        "warpswarm-core",
        "--example",
        "stream",
    ]))?;
    let stream = shell::target()?.join("release/examples/stream");
    let orders = Mutex::new(ORDERS.iter());
    let summaries = Mutex::new(Vec::new());
    // A battery consists of two busy processes.
    let threads = thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = orders.lock().expect("no thread panics").next();
                    let Some(order) = next else { return };
                    let summary = battery(&stream, order);
                    summaries.lock().expect("no thread panics").push((order, summary));
                }
            });
        }
    });
    let mut failures = 0;
    for (order, summary) in summaries.into_inner().expect("no thread panics") {
        let failed = summary.with_context(|| format!("order {order}"))?;
        failures += failed;
    }
    if failures > 0 {
        bail!("dieharder: {failures} tests failed");
    }
    println!("dieharder: no test failed");
    Ok(())
}

/// Runs the battery for one order; returns the number of failures.
fn battery(stream: &Path, order: &str) -> Result<usize> {
    println!("dieharder -a, order {order}");
    let lines = parse(&dieharder(stream, &["--order", order], &["-a"])?)?;
    let (mut weak, mut failed) = (0, 0);
    for line in &lines {
        let Line { name, ntuple, p_value, assessment } = line;
        if *assessment == Assessment::Passed {
            continue;
        }
        println!("order {order}: {name} {ntuple}: p {p_value}, {assessment:?}");
        failed += usize::from(*assessment == Assessment::Failed);
        if *assessment == Assessment::Weak {
            weak += 1;
            let number = number(name)?.to_string();
            let seed = ["--order", order, "--seed", SECOND_SEED];
            let said = dieharder(stream, &seed, &["-d", &number, "-n", ntuple])?;
            for again in parse(&said)? {
                println!(
                    "order {order}: {} {} again: p {}, {:?}",
                    again.name, again.ntuple, again.p_value, again.assessment
                );
                failed += usize::from(again.assessment == Assessment::Failed);
            }
        }
    }
    println!("order {order}: {} tests, {weak} weak at first, {failed} failed", lines.len());
    Ok(failed)
}

/// `stream ARGS | dieharder ARGS -g 200`
fn dieharder(stream: &Path, stream_args: &[&str], args: &[&str]) -> Result<String> {
    let mut words = Command::new(stream).args(stream_args).stdout(Stdio::piped()).spawn()?;
    let pipe = words.stdout.take().context("the stream has an output")?;
    let mut command = Command::new("dieharder");
    let said = shell::output(command.args(args).args(["-g", "200"]).stdin(pipe));
    // `stream` writes without end, and stops when its reader closes the pipe.
    drop(command);
    words.kill().ok();
    words.wait()?;
    said.context("Debian's package `dieharder` has the program")
}

fn number(name: &str) -> Result<u32> {
    let found = NUMBERS.iter().find(|(known, _)| *known == name);
    Ok(found.with_context(|| format!("dieharder has a new test, {name}"))?.1)
}

fn parse(said: &str) -> Result<Vec<Line>> {
    let lines: Vec<Line> = said.lines().filter_map(parse_line).collect();
    if lines.is_empty() {
        bail!("dieharder printed no result:\n{said}");
    }
    Ok(lines)
}

fn parse_line(line: &str) -> Option<Line> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let &[name, ntuple, _, _, p_value, assessment] = fields.as_slice() else { return None };
    let assessment = match assessment {
        "PASSED" => Assessment::Passed,
        "WEAK" => Assessment::Weak,
        "FAILED" => Assessment::Failed,
        _ => return None,
    };
    let [name, ntuple, p_value] = [name, ntuple, p_value].map(str::to_owned);
    Some(Line { name, ntuple, p_value, assessment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let said = "\
#=============================================================================#
        test_name   |ntup| tsamples |psamples|  p-value |Assessment
#=============================================================================#
   diehard_birthdays|   0|       100|     100|0.91544470|  PASSED  \n\
     rgb_lagged_sum|  31|   1000000|     100|0.00012345|   WEAK   \n\
       diehard_sums|   0|       100|     100|0.00000000|  FAILED  \n";
        let lines = parse(said).unwrap();
        let short: Vec<_> =
            lines.iter().map(|line| (line.name.as_str(), line.assessment)).collect();
        assert_eq!(
            short,
            [
                ("diehard_birthdays", Assessment::Passed),
                ("rgb_lagged_sum", Assessment::Weak),
                ("diehard_sums", Assessment::Failed),
            ]
        );
        assert_eq!((lines[1].ntuple.as_str(), number("rgb_lagged_sum").unwrap()), ("31", 203));
        assert!(parse("no table").is_err());
        assert!(number("new_test").is_err());
    }
}
