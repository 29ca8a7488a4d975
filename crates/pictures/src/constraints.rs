//! Which constraints are active at the best points.

use crate::number::{counted, quantile};
use crate::{Axis, BLUE, INK, Line, Mark, Panel, Picture, VERMILION};

/// The most points that are drawn for a constraint.
const POINTS: usize = 200;
/// The most decades that are shown; smaller distances count as zero.
const DECADES: f64 = 12.0;

/// The distance of each constraint from violation at the best points: a row for each constraint, a point for each run.
/// A constraint is met if its value is at most 0.
///
/// ```
/// use warpswarm_pictures::constraints;
/// // One holds two runs back, the other is violated by one of them.
/// let all = [("volume".to_string(), vec![0.0, -1e-9]), ("stress".to_string(), vec![-2.0, 0.5])];
/// let lines = constraints("a can", &all).panels.remove(0).lines;
/// assert_eq!((lines[0].points.len(), lines[1].points.len()), (3, 1));
/// ```
pub fn constraints(title: &str, all: &[(String, Vec<f64>)]) -> Picture {
    let exponents =
        all.iter().flat_map(|(_, values)| values).filter(|g| **g < 0.0 && g.is_finite());
    let (low, high) = crate::axis::ends(exponents.map(|g| (-g).log10())).unwrap_or((-3.0, 0.0));
    let high = high.ceil().max(low.floor() + 1.0);
    let low = low.floor().max(high - DECADES);
    // Left of the decades are a place for active constraints, and one for violated constraints.
    let (zero, violated) = (low - 0.1 * (high - low), low - 0.25 * (high - low));
    let place = |g: f64| match g {
        g if g > 0.0 || g.is_nan() => violated,
        g if -g < 10_f64.powf(low) => zero,
        g => (-g).log10().min(high),
    };
    let mut met = Vec::new();
    let mut broken = Vec::new();
    let mut medians = Vec::new();
    for (row, (_, values)) in all.iter().enumerate() {
        let height = (all.len() - row) as f64;
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let drawn = sorted.len().min(POINTS);
        for i in 0..drawn {
            let g = sorted[if drawn == 1 { 0 } else { i * (sorted.len() - 1) / (drawn - 1) }];
            let point = (place(g), height + 0.28 * jitter(i, drawn));
            if g <= 0.0 { met.push(point) } else { broken.push(point) }
        }
        if values.len() > 1 {
            let x = place(quantile(&sorted, 0.5));
            medians.push(
                Line { color: INK, width: 3, ..Line::default() }
                    .through([(x, height - 0.38), (x, height + 0.38)]),
            );
        }
    }
    let marks = |color, mark, points| {
        Line { color, width: 0, mark, mark_size: 4, ..Line::default() }.through(points)
    };
    let has_broken = !broken.is_empty();
    let mut lines = vec![marks(BLUE, Mark::Disc, met).named("run that meets the constraint")];
    if has_broken {
        lines.push(marks(VERMILION, Mark::Cross, broken).named("run that violates it"));
    }
    if let Some(median) = medians.first_mut() {
        *median = median.clone().named("median of the runs");
    }
    lines.extend(medians);
    let mut x = Axis::decades(
        "distance from the constraint's limit, in the constraint's unit",
        [low, high].into_iter(),
    );
    x.range = (
        if has_broken { violated - 0.08 * (high - low) } else { zero - 0.08 * (high - low) },
        high + 0.04 * (high - low),
    );
    x.ticks.insert(0, (zero, "0".into()));
    if has_broken {
        x.ticks.insert(0, (violated, "violated".into()));
    }
    let rows = all
        .iter()
        .enumerate()
        .map(|(row, (name, _))| ((all.len() - row) as f64, name.clone()))
        .collect();
    let y = Axis { name: String::new(), range: (0.4, all.len().max(1) as f64 + 0.6), ticks: rows };
    let runs = all.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    Picture {
        title: title.into(),
        notes: vec![format!(
            "the best points of {}; a constraint at 0 is active: it holds the best back",
            counted(runs as u64, "run")
        )],
        has_legend: true,
        columns: 1,
        size: (900, 110 + 52 * all.len().max(1) as u32),
        panels: vec![Panel { title: String::new(), x, y, areas: Vec::new(), lines }],
    }
}

/// A number from -1 to 1 that separates neighbours among `n`; 0 if there is only one.
fn jitter(i: usize, n: usize) -> f64 {
    // Multiples of the golden ratio fill an interval evenly.
    if n == 1 { 0.0 } else { 2.0 * ((i + 1) as f64 * 0.618_033_988_749_895).fract() - 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(values: &[f64]) -> Vec<(String, Vec<f64>)> {
        vec![("stress".into(), values.to_vec()), ("surge".into(), vec![-3.0; values.len()])]
    }

    #[test]
    fn what_is_active_lies_at_zero_and_what_is_violated_apart() {
        let picture = constraints("t", &named(&[0.0, -1e-3, 0.5]));
        let lines = &picture.panels[0].lines;
        let xs = |line: &Line| line.points.iter().map(|dot| dot.x).collect::<Vec<_>>();
        let met = xs(&lines[0]);
        assert!(met[0] == -3.0 && met[1] < -3.0, "{met:?}");
        assert!(xs(&lines[1])[0] < met[1]);
        let svg = picture.svg().unwrap();
        for text in ["stress", "surge", "violated", "0", "0.001", "median of the runs"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}");
        }
        assert!(!constraints("t", &named(&[-1.0])).svg().unwrap().contains("violate"));
    }

    #[test]
    fn edges_can_be_drawn() {
        let many: Vec<f64> = (0..5000).map(|i| -f64::from(i)).collect();
        let cases: [&[f64]; 6] =
            [&[], &[0.0], &[-1e-300], &[f64::NAN, f64::NEG_INFINITY], &[1e308, -1e308], &many];
        for case in cases {
            assert!(constraints("edge", &named(case)).png().unwrap().len() > 1000, "{case:?}");
        }
        assert!(constraints("none", &[]).png().is_ok());
    }
}
