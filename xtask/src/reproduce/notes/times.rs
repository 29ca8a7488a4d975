//! The time of an iteration with matrices on the CPU.

use anyhow::{Result, ensure};

use super::matrices::Matrices;
use crate::reproduce::Options;
use crate::reproduce::page::Records;
use crate::reproduce::program::{Program, words};
use crate::reproduce::table::{Table, integer, number};

/// Particles, dimensions, and a number of iterations that takes about a second.
const SIZES: [(u64, u64, u64); 2] = [(1_024, 10, 4_000), (65_536, 30, 20)];

/// Times of an iteration, in milliseconds.
pub(super) struct Line {
    size: (u64, u64),
    iterations: u64,
    matrices: f64,
    one_thread: f64,
    warpswarm: f64,
}

pub(super) struct Times {
    lines: Vec<Line>,
    place: String,
}

pub(super) fn all(options: &Options, program: &Program, matrices: &Matrices) -> Result<Times> {
    let (mut lines, mut place) = (Vec::new(), String::new());
    for (individuals, dimensions, usual) in SIZES {
        let iterations = if options.quick { usual / 10 } else { usual };
        let size = format!(
            "--dim {dimensions} --individuals {individuals} --seed 1 --iterations {iterations}"
        );
        let found = matrices.run(&format!("--problem sphere {size}"))?;
        let solve = |where_: &str| {
            let solved = program
                .solve(words(&format!("sphere {size} --algorithm pso --precision f64 {where_}")))?;
            let same = solved.runs[0].value.to_bits() == found.values[0].to_bits();
            ensure!(same, "matrices found {}, warpswarm {}", found.values[0], solved.runs[0].value);
            Ok(solved)
        };
        let one = solve("--backend cpu --threads 1")?;
        let usual = solve(&format!("--backend {}", options.backend))?;
        let each = |seconds: f64| 1e3 * seconds / iterations as f64;
        let line = Line {
            size: (individuals, dimensions),
            iterations,
            matrices: each(found.seconds[0]),
            one_thread: each(one.seconds),
            warpswarm: each(usual.seconds),
        };
        eprintln!(
            "{individuals} x {dimensions}, ms an iteration: matrices {}, warpswarm {} on one thread",
            number(line.matrices),
            number(line.one_thread),
        );
        place = usual.place.in_words();
        lines.push(line);
    }
    Ok(Times { lines, place })
}

impl Times {
    pub(super) fn table(&self) -> Table {
        let row = |line: &Line| {
            let (individuals, dimensions) = line.size;
            vec![
                format!("{} x {dimensions}", integer(individuals)),
                number(line.matrices),
                number(line.one_thread),
                number(line.matrices / line.one_thread),
                number(line.warpswarm),
            ]
        };
        Table {
            title: "Milliseconds of an iteration: sphere, f64".into(),
            groups: Vec::new(),
            columns: [
                "particles x dimensions",
                "matrices, one thread",
                "warpswarm, one thread",
                "ratio",
                "warpswarm",
            ]
            .map(String::from)
            .into(),
            rows: self.lines.iter().map(row).collect(),
            notes: vec![format!(
                "The last column is of {}. All found the same bits. In matrices every operation goes over the whole swarm, and \
                 where that is larger than the processor's caches, through memory; `warpswarm` does all operations with a \
                 particle at once. Where a swarm fits in the caches that is worth little.",
                self.place
            )],
        }
    }

    pub(super) fn records(&self) -> Records {
        let row = |line: &Line| {
            let (individuals, dimensions) = line.size;
            let mut row: Vec<String> =
                [individuals, dimensions, line.iterations].map(|n| n.to_string()).into();
            let times = [line.matrices, line.one_thread, line.warpswarm];
            row.extend(times.map(|ms| ms.to_string()));
            row
        };
        Records {
            name: "times",
            head: vec![
                "individuals",
                "dimensions",
                "iterations",
                "matrices_ms",
                "one_thread_ms",
                "warpswarm_ms",
            ],
            rows: self.lines.iter().map(row).collect(),
        }
    }
}
