//! Evaluates BBOB functions at points, for `benches/bbob/coco.py`, which compares the values with COCO's.
//!
//! Standard input has lines `FUNCTION INSTANCE DIMENSIONS POINTS`, each followed by POINTS lines with one point each.
//! For each such block, the program writes the value and the coordinates of the optimum on a line, and then the values.
//! With `--time` it reads no input and writes a table with nanoseconds per evaluation on one core.

use std::hint::black_box;
use std::io::{self, BufRead, BufWriter, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use warpswarm::bbob;

fn main() -> Result<()> {
    if std::env::args().any(|argument| argument == "--time") {
        return time();
    }
    let mut lines = io::stdin().lock().lines();
    let mut out = BufWriter::new(io::stdout().lock());
    while let Some(head) = lines.next() {
        let head = head?;
        let head: Vec<u32> = head.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        ensure!(head.len() == 4, "a block begins with four numbers");
        let problem = bbob::problem(head[0], head[1], head[2] as usize)?;
        write!(out, "{:?}", problem.optimum_value())?;
        for x in problem.optimum_position() {
            write!(out, " {x:?}")?;
        }
        writeln!(out)?;
        for _ in 0..head[3] {
            let line = lines.next().context("a point is missing")??;
            let point: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
            writeln!(out, "{:?}", problem.file().evaluate(&point)?.fitness.value)?;
        }
        out.flush()?;
    }
    Ok(())
}

fn time() -> Result<()> {
    println!("| function | D = 10, ns | D = 40, ns |\n|---|---|---|");
    for function in bbob::all() {
        print!("| f{} |", function.number);
        for dimensions in [10, 40] {
            let problem = function.instance(1, dimensions)?;
            let point: Vec<f64> = (0..dimensions).map(|i| f64::from(i as u32 % 7) - 2.9).collect();
            let mut best = Duration::MAX;
            const EVALUATIONS: u32 = 1000;
            for _ in 0..5 {
                let start = Instant::now();
                for _ in 0..EVALUATIONS {
                    black_box(problem.file().evaluate(black_box(&point))?.fitness.value);
                }
                best = best.min(start.elapsed() / EVALUATIONS);
            }
            print!(" {} |", best.as_nanos());
        }
        println!();
    }
    Ok(())
}
