//! Evaluations per second on one core, with the same population and number of iterations for all programs.
//!
//! Every program runs once in each round, so that changes of the machine's speed affect all of them. A row shows the
//! median of the rounds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::CpuArgs;
use crate::reproduce::page::Records;
use crate::reproduce::table::Table;
use crate::shell;
use warpswarm_statistics::Summary;

/// The peers, with fixed versions, so that tables are comparable.
const PACKAGES: [&str; 3] = ["pygmo==2.20.0", "scipy==1.17.1", "pyswarms==1.3.0"];
const INDIVIDUALS: u64 = 768;
const DIMENSIONS: u64 = 30;
const FLAGS: [&str; 2] = ["-std=c++17", "-O3"];

/// A program to measure.
struct Entry {
    algorithm: &'static str,
    name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    /// The folder in which it runs, because PySwarms writes a file.
    folder: PathBuf,
}

pub(super) fn run(args: CpuArgs) -> Result<()> {
    let folder = shell::target()?.join("bench");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let entries = entries(&folder, args.iterations)?;
    let mut rates = vec![Vec::new(); entries.len()];
    for round in 1..=args.rounds {
        eprintln!("round {round} of {}", args.rounds);
        for (entry, rates) in entries.iter().zip(&mut rates) {
            rates.push(entry.measure()?);
        }
    }
    let medians: Vec<f64> = rates.iter().map(|rates| Summary::of(rates).median).collect();
    super::publish(&folder, &table(&entries, &medians, args), &records(&entries, &rates))
}

/// Builds or installs all programs.
fn entries(folder: &Path, iterations: u32) -> Result<Vec<Entry>> {
    let build = ["build", "--release", "-p", "warpswarm-benches", "--bin", "cpu"];
    shell::run(&mut shell::cargo(&build))?;
    let ours = shell::target()?.join("release/cpu");
    let python = super::python::with(&PACKAGES)?;
    let script = shell::root().join("benches/peers/cpu.py").display().to_string();
    let sizes = |part: u32| {
        let iterations = (iterations / part).max(1).to_string();
        vec![INDIVIDUALS.to_string(), DIMENSIONS.to_string(), iterations]
    };
    let entry = |algorithm, name, program: &Path, arguments: Vec<String>| Entry {
        algorithm,
        name,
        program: program.to_owned(),
        arguments,
        folder: folder.to_owned(),
    };
    let mut entries = Vec::new();
    for algorithm in ["pso", "de", "sa"] {
        for (name, precision, threads) in [
            ("warpswarm, f32", "f32", 1),
            ("warpswarm, f64", "f64", 1),
            ("warpswarm, f32, 2 cores", "f32", 2),
        ] {
            let words = [precision, algorithm].map(String::from).into_iter();
            let arguments = words.chain(sizes(1)).chain([threads.to_string()]).collect();
            entries.push(entry(algorithm, name, &ours, arguments));
        }
        let peers: &[(&str, &str, u32)] = match algorithm {
            "pso" => &[
                ("pygmo", "pygmo", 8),
                ("PySwarms", "pyswarms", 16),
                ("NumPy by hand", "numpy", 8),
            ],
            "de" => &[("pygmo", "pygmo", 4), ("scipy", "scipy", 50)],
            _ => &[("pygmo", "pygmo", 2)],
        };
        for (name, library, part) in peers {
            let words = [&script, *library, algorithm].map(String::from).into_iter();
            entries.push(entry(algorithm, name, &python, words.chain(sizes(*part)).collect()));
        }
        if algorithm != "de" {
            let words = ["argmin", algorithm].map(String::from).into_iter();
            let arguments = words.chain(sizes(8)).chain(["1".into()]).collect();
            entries.push(entry(algorithm, "argmin", &ours, arguments));
        }
        if algorithm == "pso" {
            for (name, more) in
                [("C++ -O3, f32", None), ("C++ -O3, x86-64-v3, f32", Some("-march=x86-64-v3"))]
            {
                if more.is_none() || std::env::consts::ARCH == "x86_64" {
                    entries.push(entry("pso", name, &compiled(folder, more)?, sizes(2)));
                }
            }
        }
    }
    Ok(entries)
}

/// Compiles the loop in C++.
fn compiled(folder: &Path, more: Option<&str>) -> Result<PathBuf> {
    let source = shell::root().join("benches/cpp/pso.cpp");
    let program = folder.join(format!("pso{}", more.unwrap_or_default()));
    let mut compiler = Command::new("c++");
    shell::run(compiler.args(FLAGS).args(more).arg(source).arg("-o").arg(&program))?;
    Ok(program)
}

impl Entry {
    /// Measures the evaluations per second of one run.
    fn measure(&self) -> Result<f64> {
        let mut command = Command::new(&self.program);
        let said = shell::output(command.args(&self.arguments).current_dir(&self.folder))?;
        let line = said.lines().last().unwrap_or_default();
        let numbers: Vec<f64> = line.split_whitespace().flat_map(str::parse).collect();
        let [seconds, evaluations, best] = numbers[..] else {
            anyhow::bail!("{}: seconds, evaluations and best expected, found {line:?}", self.name);
        };
        ensure!(best.is_finite() && seconds > 0.0, "{}: {line}", self.name);
        Ok(evaluations / seconds)
    }
}

fn table(entries: &[Entry], medians: &[f64], args: CpuArgs) -> Table {
    let ours = |algorithm| {
        let found = entries.iter().position(|entry| entry.algorithm == algorithm);
        found.map_or(f64::NAN, |first| medians[first])
    };
    let row = |(entry, median): (&Entry, &f64)| {
        let ratio = ours(entry.algorithm) / median;
        let cells = [format!("{:.2}", median / 1e6), format!("{ratio:.2}")];
        [entry.algorithm.into(), entry.name.into()].into_iter().chain(cells).collect()
    };
    Table {
        title: format!("Rastrigin, {INDIVIDUALS} individuals, {DIMENSIONS} dimensions, on the CPU"),
        groups: Vec::new(),
        columns: ["algorithm", "who", "million evaluations/s", "of warpswarm, f32, times"]
            .map(String::from)
            .to_vec(),
        rows: entries.iter().zip(medians).map(row).collect(),
        notes: vec![
            format!(
                "Medians of {} rounds, in each of which everyone runs once; one core unless said otherwise. Default \
                 parameters. {}.",
                args.rounds,
                PACKAGES.join(", ")
            ),
            "pygmo's simulated annealing moves one coordinate of one point at a time, ours and argmin's all of each.".into(),
        ],
    }
}

fn records(entries: &[Entry], rates: &[Vec<f64>]) -> Records {
    let rows = entries.iter().zip(rates).flat_map(|(entry, rates)| {
        (1..).zip(rates).map(|(round, rate)| {
            let numbers = [round.to_string(), format!("{rate:.0}")];
            [entry.algorithm.into(), entry.name.into()].into_iter().chain(numbers).collect()
        })
    });
    let head = vec!["algorithm", "who", "round", "evaluations_per_second"];
    Records { name: "cpu", head, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_median_beside_ours() {
        let entry = |name, algorithm| Entry {
            algorithm,
            name,
            program: PathBuf::new(),
            arguments: Vec::new(),
            folder: PathBuf::new(),
        };
        let entries = [entry("ours", "pso"), entry("theirs", "pso"), entry("ours", "de")];
        let table = table(&entries, &[6e6, 2e6, 1e6], CpuArgs { rounds: 3, iterations: 100 });
        let rows: Vec<&[String]> = table.rows.iter().map(|row| &row[2..]).collect();
        assert_eq!(rows, [["6.00", "1.00"], ["2.00", "3.00"], ["1.00", "1.00"]]);
        let records = records(&entries, &[vec![6e6], vec![1e6, 3e6], vec![]]);
        let text = String::from_utf8(records.csv().unwrap()).unwrap();
        assert_eq!(text.lines().nth(3), Some("pso,theirs,2,3000000"));
    }
}
