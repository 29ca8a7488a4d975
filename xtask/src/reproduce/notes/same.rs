//! Checks whether the matrices compute the library's swarm.

use anyhow::{Context, Result, ensure};

use super::matrices::{Compared, Matrices};
use crate::reproduce::Options;
use crate::reproduce::page::Records;
use crate::reproduce::program::{Program, words};
use crate::reproduce::table::{Table, integer, scientific};

const PROBLEMS: [&str; 3] = ["sphere", "rosenbrock", "rastrigin"];
/// Presets, and their names in tables.
const PRESETS: [(&str, &str); 2] = [
    ("clerc-kennedy-2002", "w = 0.7298, c1 = c2 = 1.4962"),
    ("cpso-paper", "w = 1, c1 = c2 = 2 (the notes')"),
];

pub(super) fn iterations(options: &Options) -> u64 {
    if options.quick { 100 } else { 1000 }
}

/// The results for a problem and a preset.
pub(super) struct Case {
    problem: &'static str,
    preset: &'static str,
    coefficients: &'static str,
    /// Best values: of `warpswarm solve`, of the matrices, and of the matrices with each product and sum rounded.
    best: [f64; 3],
    /// Whether `warpswarm solve` and the matrices have the same best value and point, bit by bit.
    same: bool,
    fused: Compared,
    each: Compared,
}

pub(super) fn all(options: &Options, program: &Program, matrices: &Matrices) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for problem in PROBLEMS {
        for (preset, coefficients) in PRESETS {
            let case = case(options, program, matrices, (problem, preset, coefficients))?;
            let Compared { equal, iterations, .. } = case.fused;
            eprintln!(
                "{problem}, {preset}: {equal} of {iterations} iterations with the library's bits"
            );
            cases.push(case);
        }
    }
    Ok(cases)
}

fn case(
    options: &Options,
    program: &Program,
    matrices: &Matrices,
    (problem, preset, coefficients): (&'static str, &'static str, &'static str),
) -> Result<Case> {
    let size = format!("--dim 30 --individuals 256 --seed 1 --iterations {}", iterations(options));
    let ours = format!("--problem {problem} --preset {preset} {size} --compare");
    let fused = matrices.run(&ours)?;
    let each = matrices.run(&format!("{ours} --rounding each"))?;
    let solved = program.solve(words(&format!(
        "{problem} {size} --algorithm pso --set preset={preset} --precision f64 --backend {}",
        options.backend
    )))?;
    let run = &solved.runs[0];
    let bits = |point: &[f64]| point.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let same = fused.values[0].to_bits() == run.value.to_bits()
        && bits(&fused.position) == bits(&run.position);
    ensure!(run.iterations == iterations(options), "{problem}: {} iterations", run.iterations);
    let nothing = "nothing was compared";
    Ok(Case {
        problem,
        preset,
        coefficients,
        best: [run.value, fused.values[0], each.values[0]],
        same,
        fused: fused.compared.context(nothing)?,
        each: each.compared.context(nothing)?,
    })
}

pub(super) fn table(cases: &[Case]) -> Table {
    let row = |case: &Case| {
        vec![
            case.problem.into(),
            case.coefficients.into(),
            format!("{} of {}", integer(case.fused.equal), integer(case.fused.iterations)),
            format!("{:?}", case.best[1]),
            format!("{:?}", case.best[0]),
            if case.same { "yes" } else { "no" }.into(),
        ]
    };
    Table {
        title: "The same swarm: 256 particles in 30 dimensions, f64".into(),
        groups: Vec::new(),
        columns: [
            "problem",
            "coefficients",
            "iterations with the library's bits",
            "best value, matrices",
            "best value, warpswarm solve",
            "same point",
        ]
        .map(String::from)
        .into(),
        rows: cases.iter().map(row).collect(),
        notes: vec![
            "Compared are all positions, velocities, personal bests, their values and the global best, after every \
             iteration, on the CPU; and the best point of `warpswarm solve`, wherever that ran."
                .into(),
            "For that the matrices do two things that the notes do not have: a product and the sum it goes into are rounded \
             once (fused), and a coordinate that leaves the box stays at its side, at rest. With the first coefficients speeds \
             are limited to a range an iteration, too."
                .into(),
            "And g is the point of the first particle, by its number, of those with the best value. The notes take g only \
             from who is better (`--ties first-to-come`), which is the same until two particles have one value; on \
             Rastrigin's function that comes late, at an optimum, where it is flat to the last digit."
                .into(),
        ],
    }
}

pub(super) fn rounding(cases: &[Case]) -> Table {
    let mut columns = vec!["problem".into(), "coefficients".into()];
    let counted = &cases[0].each.distances;
    columns.extend(counted.iter().map(|(n, _)| format!("distance after {}", integer(*n))));
    columns.extend(["best value, rounded each", "best value, fused"].map(String::from));
    let row = |case: &Case| {
        let mut row = vec![case.problem.into(), case.coefficients.into()];
        row.extend(case.each.distances.iter().map(|(_, distance)| scientific(*distance)));
        row.extend([case.best[2], case.best[1]].map(scientific));
        row
    };
    Table {
        title: "The notes' v + t1 + t2 with every product and every sum rounded".into(),
        groups: Vec::new(),
        columns,
        rows: cases.iter().map(row).collect(),
        notes: vec![
            "The largest distance of any coordinate from the library's, as a part of the range. Rounding differs from the first \
             iteration on, in last digits; where a comparison of values is decided by such a digit, the swarms part, and \
             best values may be anything of their kind."
                .into(),
        ],
    }
}

pub(super) fn records(cases: &[Case]) -> Records {
    let row = |case: &Case| {
        let mut row = vec![case.problem.to_string(), case.preset.to_string()];
        row.extend([case.fused.iterations, case.fused.equal].map(|n| n.to_string()));
        row.extend(case.best.map(|value| format!("{value:?}")));
        row.push(case.same.to_string());
        row
    };
    Records {
        name: "same",
        head: vec![
            "problem",
            "preset",
            "iterations",
            "equal",
            "warpswarm",
            "matrices",
            "rounded_each",
            "same_point",
        ],
        rows: cases.iter().map(row).collect(),
    }
}
