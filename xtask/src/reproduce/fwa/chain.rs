//! Figure 6: a simulation of the effect of attract-repulse mutation on a distance.
//!
//! The paper models the distance of a firework from the best as a Markov chain: x <- s x, starting at x = 1, with
//! s uniform in (1 - delta, 1 + delta). The mean of s is 1, and so is that of x. But the mean of ln s is negative, so
//! almost every chain converges to zero, the faster the larger delta is.

use anyhow::Result;
use warpswarm_pictures::{Axis, Line, Panel, Picture, VERMILION};

use super::paths::{factors, mean_logarithm, mutations, simulated, straight};

const CHAINS: u32 = 4;
const SEED: u64 = 1;

/// If x exceeds the first number, the paper resets it to the second.
const TRUNCATED: (f64, f64) = (100.0, 10.0);

/// Panels in a row, for consecutive values of delta.
const COLUMNS: usize = 3;

/// x_0, x_1 and so on.
fn chain(delta: f64, number: u32) -> impl Iterator<Item = f64> {
    let factors = factors((1.0 - delta, 1.0 + delta), SEED, number);
    std::iter::once(1.0).chain(factors.scan(1.0, |x, s| {
        *x *= s;
        if *x > TRUNCATED.0 {
            *x = TRUNCATED.1;
        }
        Some(*x)
    }))
}

/// The mean of ln s.
fn drift(delta: f64) -> f64 {
    mean_logarithm((1.0 - delta, 1.0 + delta))
}

/// Nine panels, for delta from 0.9 down to 0.1.
pub(crate) fn figure_6() -> Result<String> {
    let deltas: Vec<f64> = (1..=9).rev().map(|tenths| f64::from(tenths) / 10.0).collect();
    let picture = Picture {
        has_legend: false,
        title: "Figure 6: distance from the best under repeated attracting and repulsing".into(),
        notes: vec![
            format!(
                "x <- s x, s uniform in (1 - delta, 1 + delta), from x = 1 on; above 100 put back to 10, \
                 as the paper does; {CHAINS} chains each"
            ),
            "dashed: exp(t E[ln s]), how the logarithm of x falls on average although E[s] = 1".into(),
            "the paper's axes are not known: here x is logarithmic, each row with a scale of its own, over as many \
             mutations as the paper has iterations"
                .into(),
        ],
        columns: COLUMNS,
        size: (360, 270),
        panels: deltas.chunks(COLUMNS).flat_map(row).collect(),
    };
    Ok(picture.svg()?)
}

/// Panels with a common scale.
fn row(deltas: &[f64]) -> Vec<Panel> {
    let lines: Vec<Vec<Line>> = deltas.iter().map(|delta| lines(*delta)).collect();
    let dots = lines.iter().flatten().flat_map(|line| &line.points);
    let y = scale(dots.fold(0.0, |low: f64, dot| low.min(dot.y)));
    let panel = |(delta, lines): (&f64, Vec<Line>)| Panel {
        title: format!("delta = {delta}: E[ln s] = {:.4}", drift(*delta)),
        x: mutations(),
        y: y.clone(),
        areas: Vec::new(),
        lines,
    };
    deltas.iter().zip(lines).map(panel).collect()
}

/// An axis from slightly above the limit down to at most five ticks below x = 1.
fn scale(lowest: f64) -> Axis {
    let steps = [1.0, 2.0, 5.0, 10.0, 25.0, 50.0];
    let step = steps.into_iter().find(|step| -lowest <= 5.0 * step).unwrap_or(100.0);
    let down = (-lowest / step).ceil();
    Axis::new(
        "x",
        (-step * down, TRUNCATED.0.log10()),
        (0..=down as u32).map(|i| -step * f64::from(i)).collect(),
        |y| if y == 0.0 { "1".into() } else { format!("1e{y}") },
    )
}

fn lines(delta: f64) -> Vec<Line> {
    let mut lines: Vec<Line> = (0..CHAINS).map(|number| simulated(chain(delta, number))).collect();
    lines.push(Line { color: VERMILION, ..straight(drift(delta)) });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::fwa::paths::STEPS;
    use crate::reproduce::page::tests::assert_whole;

    /// For delta = 1/2, the mean of ln s is (1.5 ln 1.5 - 0.5 ln 0.5) / 1 - 1.
    #[test]
    fn the_drift_by_hand() {
        let by_hand = 1.5 * 1.5_f64.ln() + 0.5 * 2.0_f64.ln() - 1.0;
        approx::assert_relative_eq!(drift(0.5), by_hand, max_relative = 1e-12);
        // For small delta, the second moment gives -delta^2 / 6.
        approx::assert_relative_eq!(drift(1e-2), -1e-4 / 6.0, max_relative = 1e-3);
    }

    #[test]
    fn chains_fall_as_their_drift_says() {
        for delta in [0.3, 0.5, 0.9] {
            let ends = (0..100).map(|number| chain(delta, number).last().unwrap().ln());
            let mean = ends.sum::<f64>() / 100.0;
            let expected = drift(delta) * STEPS as f64;
            assert!((mean / expected - 1.0).abs() < 0.1, "{delta}: {mean}, not {expected}");
        }
    }

    #[test]
    fn chains_start_at_one_and_stay_below_the_limit() {
        for number in 0..50 {
            let all: Vec<f64> = chain(0.9, number).collect();
            assert_eq!((all.len(), all[0]), (STEPS as usize + 1, 1.0));
            assert!(all.iter().all(|x| (0.0..=TRUNCATED.0).contains(x)));
        }
        assert!(!chain(0.5, 0).eq(chain(0.5, 1)));
    }

    #[test]
    fn scales_have_a_few_ticks() {
        let places = |axis: &Axis| axis.ticks.iter().map(|tick| tick.0).collect::<Vec<_>>();
        let axis = scale(-87.3);
        assert_eq!(axis.range, (-100.0, 2.0));
        assert_eq!(places(&axis), [0.0, -25.0, -50.0, -75.0, -100.0]);
        assert_eq!(axis.ticks[1].1, "1e-25");
        assert_eq!(places(&scale(-3.5)), [0.0, -1.0, -2.0, -3.0, -4.0]);
    }

    #[test]
    fn the_picture_is_whole() {
        assert_whole(&figure_6().unwrap());
    }
}
