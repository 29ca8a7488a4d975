//! The coordinates of the best points.

use crate::number::{counted, quantile, short};
use crate::{Area, Axis, BLUE, INK, Line, Mark, Panel, Picture};

/// A coordinate of the best points.
///
/// ```
/// use warpswarm_pictures::{Parameter, parameters};
/// let named = |name: &str| Parameter { name: name.into(), bounds: (0.0, 1.0), values: vec![0.2, 0.3, 0.3] };
/// // Of a few a panel each, of many a row each.
/// let few: Vec<_> = ["a", "b", "c"].map(named).into();
/// assert_eq!(parameters("few", &few).panels.len(), 3);
/// assert_eq!(parameters("many", &vec![named("x"); 40]).panels.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its bounds.
    pub bounds: (f64, f64),
    /// Its value in each run.
    pub values: Vec<f64>,
}

/// The most parameters with a panel for each parameter.
const PANELS: usize = 16;
const BINS: usize = 20;
/// The least part of the bounds that a panel shows.
const WINDOW: f64 = 1e-3;

/// A histogram of each parameter over the runs; if there are many parameters, their quartiles within the bounds.
///
/// ```
/// use warpswarm_pictures::{Parameter, parameters};
/// let lifetime = Parameter { name: "lifetime".into(), bounds: (0.0, 9.0), values: vec![2.0, 2.5, 3.0] };
/// let svg = parameters("where runs end", &[lifetime]).svg()?;
/// assert!(svg.contains("lifetime") && svg.contains("2.5"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn parameters(title: &str, parameters: &[Parameter]) -> Picture {
    if parameters.len() > PANELS {
        quartiles(title, parameters)
    } else {
        histograms(title, parameters)
    }
}

fn histograms(title: &str, parameters: &[Parameter]) -> Picture {
    let runs = parameters.iter().map(|p| p.values.len()).max().unwrap_or(0);
    let columns = match parameters.len() {
        0..=3 => parameters.len().max(1),
        4 => 2,
        5..=9 => 3,
        _ => 4,
    };
    Picture {
        title: title.into(),
        notes: vec![format!(
            "the best points of {}; above each panel the median and, in brackets, the bounds",
            counted(runs as u64, "run")
        )],
        has_legend: false,
        columns,
        size: (if columns < 3 { 450 } else { 360 }, 270),
        panels: if parameters.is_empty() {
            vec![histogram(&Parameter { name: String::new(), bounds: (0.0, 1.0), values: vec![] })]
        } else {
            parameters.iter().map(histogram).collect()
        },
    }
}

fn histogram(parameter: &Parameter) -> Panel {
    let mut sorted: Vec<f64> = parameter.values.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = window(&sorted, parameter.bounds);
    let mut bins = [0_u32; BINS];
    for x in &sorted {
        let place = ((x - low) / (high - low) * BINS as f64) as usize;
        bins[place.min(BINS - 1)] += 1;
    }
    let edge = |i: usize| low + (high - low) * i as f64 / BINS as f64;
    let bars = bins.iter().enumerate().filter(|(_, n)| **n > 0);
    // A small gap between neighbouring bars.
    let gap = 0.06 * (high - low) / BINS as f64;
    let bar = |(i, n): (usize, &u32)| {
        Area::rectangle((edge(i) + gap, 0.0), (edge(i + 1) - gap, f64::from(*n)), BLUE, 0.85)
    };
    let most = bins.iter().copied().max().unwrap_or(0).max(1);
    let step = (0..)
        .map(|i| 10_u32.pow(i / 3) * [1, 2, 5][i as usize % 3])
        .find(|step| most / step <= 5)
        .unwrap_or(most);
    let ticks = (0..=most / step).map(|i| f64::from(i * step)).collect();
    let Parameter { name, bounds, .. } = parameter;
    let median = if sorted.is_empty() { "-".into() } else { short(quantile(&sorted, 0.5)) };
    Panel {
        title: format!("{name}: {median} [{}, {}]", short(bounds.0), short(bounds.1)),
        x: Axis::linear(name.clone(), (low, high)),
        y: Axis::new("runs", (0.0, 1.08 * f64::from(most)), ticks, |y| {
            crate::number::grouped(y, 0)
        }),
        areas: bars.map(bar).collect(),
        lines: Vec::new(),
    }
}

/// The range of a panel: the values, and at least a small part of the bounds.
fn window(sorted: &[f64], bounds: (f64, f64)) -> (f64, f64) {
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return bounds };
    let (low, high) = (low.max(-1e300), high.min(1e300));
    let width = bounds.1 - bounds.0;
    let width = if width.is_finite() && width > 0.0 { width } else { 1.0_f64.max(high - low) };
    let least = (WINDOW * width).max(1e-9 * low.abs().max(high.abs()));
    if high - low >= least {
        return (low, high);
    }
    let middle = 0.5 * low + 0.5 * high;
    (middle - 0.5 * least, middle + 0.5 * least)
}

fn quartiles(title: &str, parameters: &[Parameter]) -> Picture {
    let runs = parameters.iter().map(|p| p.values.len()).max().unwrap_or(0);
    // If all bounds are the same, the values themselves can be shown.
    let bounds = parameters[0].bounds;
    let same = parameters.iter().all(|p| p.bounds == bounds);
    let share = |p: &Parameter, x: f64| {
        if same { x } else { 100.0 * (x - p.bounds.0) / (p.bounds.1 - p.bounds.0) }
    };
    let name =
        if same { "value" } else { "value (% of the way from the lower to the upper bound)" };
    let y = Axis::linear(name, if same { bounds } else { (0.0, 100.0) });
    let (low, high) = y.range;
    let (mut areas, mut medians, mut whiskers) = (Vec::new(), Vec::new(), Vec::new());
    for (i, parameter) in parameters.iter().enumerate() {
        let mut sorted: Vec<f64> = parameter
            .values
            .iter()
            .map(|x| share(parameter, *x))
            .filter(|x| x.is_finite())
            .collect();
        if sorted.is_empty() {
            continue;
        }
        sorted.sort_by(f64::total_cmp);
        let at = |p: f64| quantile(&sorted, p).clamp(low, high);
        let x = (i + 1) as f64;
        areas.push(Area::rectangle((x - 0.36, at(0.25)), (x + 0.36, at(0.75)), BLUE, 0.5));
        whiskers.push(
            Line { color: INK, width: 1, ..Line::default() }.through([(x, at(0.0)), (x, at(1.0))]),
        );
        medians.push((x, at(0.5)));
    }
    let mark_size = if parameters.len() > 100 { 2 } else { 4 };
    let median = Line { color: INK, width: 0, mark: Mark::Disc, mark_size, ..Line::default() }
        .through(medians);
    let n = parameters.len() as f64;
    let mut x = Axis::linear("coordinate", (0.5, n + 0.5));
    x.ticks.retain(|tick| (1.0..=n).contains(&tick.0) && tick.0.fract() == 0.0);
    Picture {
        title: title.into(),
        notes: vec![format!(
            "the best points of {}; disc: median; box: from the lower to the upper quartile; line: all",
            counted(runs as u64, "run")
        )],
        has_legend: false,
        columns: 1,
        size: (900, 440),
        panels: vec![Panel {
            title: String::new(),
            x,
            y,
            areas,
            lines: whiskers.into_iter().chain([median]).collect(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(bounds: (f64, f64), values: &[f64]) -> Parameter {
        Parameter { name: "width".into(), bounds, values: values.to_vec() }
    }

    #[test]
    fn bars_are_as_high_as_runs_are_many() {
        let picture = parameters("t", &[parameter((0.0, 20.0), &[0.0, 0.5, 10.5, 20.0])]);
        let heights: Vec<f64> = picture.panels[0].areas.iter().map(|bar| bar.points[2].1).collect();
        assert_eq!(heights, [2.0, 1.0, 1.0]);
        let svg = picture.svg().unwrap();
        assert_eq!(svg.matches("<polygon").count(), 3);
        assert!(svg.contains("width: 5.5 [0, 20]") && svg.contains("\nruns\n"));
    }

    #[test]
    fn values_that_agree_are_one_bar() {
        let picture = parameters("t", &[parameter((0.0, 20.0), &[5.0, 5.000_001])]);
        assert_eq!(picture.panels[0].areas.len(), 2);
        let picture = parameters("t", &[parameter((0.0, 20.0), &[5.0])]);
        assert_eq!(picture.panels[0].areas.len(), 1);
        assert_eq!(picture.panels[0].y.ticks, [(0.0, "0".into()), (1.0, "1".into())]);
    }

    #[test]
    fn many_parameters_have_boxes_in_one_panel() {
        let all: Vec<Parameter> =
            (0..30).map(|i| parameter((-5.0, 5.0), &[f64::from(i) / 10.0, 0.0])).collect();
        let picture = parameters("t", &all);
        assert_eq!((picture.panels.len(), picture.panels[0].areas.len()), (1, 30));
        assert!(picture.svg().unwrap().contains("coordinate"));
    }

    #[test]
    fn edges_can_be_drawn() {
        let many: Vec<f64> = (0..5000).map(f64::from).collect();
        let cases: [(_, &[f64]); 7] = [
            ((0.0, 0.0), &[0.0]),
            ((1e-300, 2e-300), &[1e-300, 2e-300]),
            ((-1e308, 1e308), &[-1e308, 1e308]),
            ((0.0, 1.0), &[f64::NAN]),
            ((0.0, 1.0), &[]),
            ((1e9, 1e9 + 1e-3), &[1e9, 1e9]),
            ((0.0, 5000.0), &many),
        ];
        for (bounds, values) in cases {
            for copies in [1, 30] {
                let picture = parameters("edge", &vec![parameter(bounds, values); copies]);
                assert!(picture.png().unwrap().len() > 1000, "{bounds:?}");
            }
        }
        assert!(parameters("none", &[]).png().is_ok());
    }
}
