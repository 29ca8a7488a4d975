//! The behaviour of the swarm if the notes are taken literally.

use anyhow::Result;

use super::matrices::Matrices;
use crate::reproduce::Options;
use crate::reproduce::page::Records;
use crate::reproduce::table::{Table, scientific};

const RUNS: usize = 20;
/// The shift of the optimum from the start of g.
const SHIFT: f64 = 2.0;

/// Interpretations of the notes: a description, and the options of the program.
const READINGS: [(&str, &str); 5] = [
    ("warpswarm's `pso`", ""),
    ("g starts at 0, particles move before they are evaluated", "--start zero"),
    ("r1 and r2 between one and two", "--factors one-to-two"),
    ("w = 1, c1 = c2 = 2", "--preset cpso-paper"),
    ("all three, as printed", "--preset cpso-paper --start zero --factors one-to-two"),
];

/// Sorted best values of all runs, `[optimum][iterations][run]`: optimum at 0 and shifted, after one and after all
/// iterations.
pub(super) struct Line {
    reading: &'static str,
    values: [[Vec<f64>; 2]; 2],
}

fn iterations(options: &Options) -> [u64; 2] {
    [1, if options.quick { 100 } else { 500 }]
}

pub(super) fn all(options: &Options, matrices: &Matrices) -> Result<(Vec<Line>, [u64; 2])> {
    let counts = iterations(options);
    let sample = |words: &str, shift: f64, iterations: u64| -> Result<Vec<f64>> {
        let mut values = matrices
            .run(&format!(
                "--problem sphere --dim 10 --individuals 32 --seed 1 --runs {RUNS} --iterations {iterations} --shift \
                 {shift} {words}"
            ))?
            .values;
        values.sort_by(f64::total_cmp);
        Ok(values)
    };
    let both = |words: &str, shift| -> Result<[Vec<f64>; 2]> {
        Ok([sample(words, shift, counts[0])?, sample(words, shift, counts[1])?])
    };
    let lines = READINGS.iter().map(|&(reading, words)| {
        Ok(Line { reading, values: [both(words, 0.0)?, both(words, SHIFT)?] })
    });
    Ok((lines.collect::<Result<_>>()?, counts))
}

fn median(values: &[f64]) -> f64 {
    0.5 * (values[values.len() / 2] + values[(values.len() - 1) / 2])
}

pub(super) fn table((lines, counts): &(Vec<Line>, [u64; 2])) -> Table {
    let row = |line: &Line| {
        let mut row = vec![line.reading.to_string()];
        row.extend(line.values.as_flattened().iter().map(|values| scientific(median(values))));
        row
    };
    let after = counts.map(|n| format!("after {n}"));
    let mut columns = vec!["reading".to_string()];
    columns.extend(after.iter().chain(&after).cloned());
    Table {
        title: format!(
            "The notes at their word: sphere, 32 particles in 10 dimensions, median of {RUNS} runs' best values"
        ),
        groups: vec![
            (String::new(), 1),
            ("optimum at 0".into(), 2),
            (format!("optimum at {SHIFT}"), 2),
        ],
        columns,
        rows: lines.iter().map(row).collect(),
        notes: NOTES.map(String::from).into(),
    }
}

const NOTES: [&str; 4] = [
    "\"Random numbers between one and two\": PSO has them between zero and one, and so has warpswarm. A pull of c r >= 2 \
     throws a particle over its goal by at least its distance from there, and with c = 2 every pull is so. The second and \
     third rows have w = 0.7298 and c1 = c2 = 1.4962.",
    "\"The global best position vector is initialized to a vector containing all zeros\", its fitness to minus infinity \
     \"so that everything gets reset upon the first iteration\": if particles are evaluated first, as in warpswarm, it is, \
     and the zeros are never seen. If they move first, all are pulled to zero, which is where many test functions have \
     their optimum: compare the columns after one iteration.",
    "The notes maximise: so does the program, of the negative of each function. `warpswarm` minimises, and maximises with \
     `maximise` in a problem file or `Settings::maximise`: the same swarm with other signs.",
    "The notes' velocity has no w, which is w = 1; with c1 = c2 = 2 swarms do not contract. Their sides of the box are \
     not mentioned: particles stay in it.",
];

pub(super) fn records((lines, counts): &(Vec<Line>, [u64; 2])) -> Records {
    let mut rows = Vec::new();
    for line in lines {
        for (values, optimum) in line.values.iter().zip([0.0, SHIFT]) {
            for (values, iterations) in values.iter().zip(counts) {
                rows.extend(values.iter().map(|value| {
                    vec![
                        line.reading.to_string(),
                        optimum.to_string(),
                        iterations.to_string(),
                        format!("{value:?}"),
                    ]
                }));
            }
        }
    }
    Records { name: "literal", head: vec!["reading", "optimum", "iterations", "value"], rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }
}
