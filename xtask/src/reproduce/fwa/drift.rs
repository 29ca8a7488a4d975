//! Figure 5: the behaviour of x_t+1 = alpha x_t, in the mean and on single paths.
//!
//! The paper's equation 4 is E[x_t] = A^t x_0, with A = E[alpha]. From this it concludes that chains grow for A > 1,
//! decay for A < 1, and stay for A = 1. This is true for the expectation. A single path is a product of independent
//! factors. By the law of large numbers ln x_t / t converges to E[ln alpha], so the geometric mean of alpha determines
//! the behaviour of almost every path. It is smaller than A. With A = 1, paths converge to zero; the expectation stays
//! 1, because fewer and fewer paths become larger and larger.

use anyhow::Result;
use rayon::prelude::*;
use warpswarm_pictures::{Axis, GREEN, Line, Panel, Picture, VERMILION};
use warpswarm_statistics::Summary;

use super::paths::{STEPS, factors, mean_logarithm, mutations, simulated, straight};
use crate::reproduce::table::{Table, integer, scientific};

/// The number of plotted paths.
const DRAWN: u32 = 6;
/// The number of paths in the table. It is large, because a few paths dominate a mean.
const COUNTED: u32 = 40_000;
const SEED: u64 = 5;

/// The limits of alpha's three distributions.
const RANGES: [(f64, f64); 3] = [(0.9, 1.11), (0.9, 1.1), (0.9, 1.09)];

/// x_0, x_1 and so on for one path.
fn path(range: (f64, f64), number: u32) -> impl Iterator<Item = f64> {
    std::iter::once(1.0).chain(factors(range, SEED, number).scan(1.0, |x, alpha| {
        *x *= alpha;
        Some(*x)
    }))
}

/// A, the mean of alpha.
fn mean((low, high): (f64, f64)) -> f64 {
    0.5 * (low + high)
}

fn name((low, high): (f64, f64)) -> String {
    format!("U({low}, {high})")
}

/// Three panels with a common scale.
pub(crate) fn figure_5() -> Result<String> {
    let lines = RANGES.map(lines);
    let heights = lines.iter().flatten().flat_map(|line| &line.points).map(|dot| dot.y);
    // The heights are exponents.
    let y = Axis::decades("x", heights);
    let panel = |(range, lines): ((f64, f64), Vec<Line>)| Panel {
        title: format!(
            "{}: A = {:.3}, E[ln alpha] = {:+.4}",
            name(range),
            mean(range),
            mean_logarithm(range)
        ),
        x: mutations(),
        y: y.clone(),
        areas: Vec::new(),
        lines,
    };
    let picture = Picture {
        has_legend: false,
        title: "Figure 5: where repeated mutations take a distance".into(),
        notes: vec![
            format!(
                "x <- alpha x from x = 1 on; blue: {DRAWN} simulated paths each; x is logarithmic, the paper's axes are \
                 not known"
            ),
            "orange, dashed: the expectation, E[x] = A^t (equation 4); green, dashed: the geometric mean, exp(t E[ln alpha])"
                .into(),
            "paths follow the green line: with A = 1 they fall although their expectation does not".into(),
        ],
        columns: RANGES.len(),
        size: (420, 330),
        panels: RANGES.into_iter().zip(lines).map(panel).collect(),
    };
    Ok(picture.svg()?)
}

/// Paths and both means, as log10 of x over the number of mutations.
fn lines(range: (f64, f64)) -> Vec<Line> {
    let mut lines: Vec<Line> = (0..DRAWN).map(|number| simulated(path(range, number))).collect();
    lines.push(Line { color: VERMILION, ..straight(mean(range).ln()) });
    lines.push(Line { color: GREEN, ..straight(mean_logarithm(range)) });
    lines
}

/// Statistics of the ends of many paths.
struct Ends {
    mean: f64,
    median: f64,
    /// The fraction of paths that end below their start.
    fallen: f64,
}

fn ends(range: (f64, f64), paths: u32) -> Ends {
    let end = |number| path(range, number).last().unwrap_or(1.0);
    let ends: Vec<f64> = (0..paths).into_par_iter().map(end).collect();
    let fallen = ends.iter().filter(|x| **x < 1.0).count();
    let Summary { mean, median, .. } = Summary::of(&ends);
    Ends { mean, median, fallen: fallen as f64 / f64::from(paths) }
}

/// A table of expectations and of the behaviour of paths.
pub(crate) fn table() -> Table {
    table_of(COUNTED)
}

fn table_of(paths: u32) -> Table {
    let row = |range: (f64, f64)| {
        let Ends { mean: simulated, median, fallen } = ends(range, paths);
        let (a, log) = (mean(range), mean_logarithm(range));
        let last = STEPS as f64;
        vec![
            name(range),
            format!("{a:.3}"),
            scientific(a.powf(last)),
            scientific(simulated),
            format!("{log:+.5}"),
            scientific((last * log).exp()),
            scientific(median),
            format!("{:.0} %", 100.0 * fallen),
        ]
    };
    let columns = [
        "alpha",
        "A",
        "A^t",
        "mean of paths",
        "E[ln alpha]",
        "exp(t E[ln alpha])",
        "median of paths",
        "paths below 1",
    ];
    Table {
        title: format!("Figure 5 in numbers: x after t = {} mutations", integer(STEPS)),
        groups: vec![(String::new(), 1), ("expectation".into(), 3), ("single paths".into(), 4)],
        columns: columns.map(String::from).to_vec(),
        rows: RANGES.map(row).into(),
        notes: vec![
            format!("{} simulated paths each.", integer(u64::from(paths))),
            "The paper says that x grows where A > 1 and decays where A < 1, exponentially, and that with A = 1 fireworks \
             linger. That is true of the expectation (equation 4). Where single paths go the geometric mean decides: \
             almost every path tends to zero where E[ln alpha] < 0. This is so with A = 1 too, and with A a little above \
             1; of s = U(1 - delta, 1 + delta), which the paper takes, with every delta. The paper says so itself of its \
             Figure 6: x converges to 0, with diverse speeds."
                .into(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::page::tests::assert_whole;

    #[test]
    fn means_by_hand() {
        let [a, b, c] = RANGES.map(mean);
        approx::assert_relative_eq!(a, 1.005, max_relative = 1e-12);
        approx::assert_relative_eq!(b, 1.0, max_relative = 1e-12);
        approx::assert_relative_eq!(c, 0.995, max_relative = 1e-12);
        // To second order, E[ln alpha] = ln A - var / (2 A^2), with var = (high - low)^2 / 12.
        for range @ (low, high) in RANGES {
            let variance = (high - low).powi(2) / 12.0;
            let expected = mean(range).ln() - variance / (2.0 * mean(range).powi(2));
            approx::assert_abs_diff_eq!(mean_logarithm(range), expected, epsilon = 1e-5);
        }
        assert!(mean_logarithm(RANGES[0]) > 0.0 && mean_logarithm(RANGES[1]) < 0.0);
    }

    /// The standard deviation of ln x is 1.8, so the mean of 400 paths has a standard error of 0.1.
    #[test]
    fn paths_go_where_the_geometric_mean_does() {
        for range in RANGES {
            let logarithms = (0..400).map(|number| path(range, number).last().unwrap().ln());
            let mean = logarithms.sum::<f64>() / 400.0;
            let expected = mean_logarithm(range) * STEPS as f64;
            assert!((mean - expected).abs() < 0.4, "{range:?}: {mean}, not {expected}");
        }
    }

    /// With A = 1 the expectation is constant, but most paths decrease.
    #[test]
    fn the_expectation_is_not_where_paths_are() {
        let early = (0..4_000).map(|number| path(RANGES[1], number).nth(100).unwrap());
        let mean = early.sum::<f64>() / 4_000.0;
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
        let Ends { median, fallen, .. } = ends(RANGES[1], 1_000);
        assert!(fallen > 0.75 && median < 0.3, "{fallen} {median}");
    }

    #[test]
    fn table_and_picture_are_whole() {
        let table = table_of(50);
        let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
        assert!(table.rows.iter().all(|row| row.len() == widths));
        assert_whole(&figure_5().unwrap());
    }
}
