//! Models with the data that they were fitted to, and the residuals.

use crate::axis::ends;
use crate::{
    Axis, Dash, INK, Line, Mark, Panel, Parameter, Picture, Scale, VERMILION, counted, parameters,
};

/// If there are more marks than this, they are small.
const MANY: usize = 200;
/// How far error bars may go beyond what is observed, as a multiple of its range.
const LONGEST: f64 = 3.0;
const LARGE: (u32, u32) = (900, 340);
const LOW: (u32, u32) = (900, 440);

/// A model with its observations.
///
/// ```
/// use warpswarm_pictures::Beside;
/// let of = Beside { name: "y".into(), over: "t".into(), along: vec![0.0], observed: vec![1.5], ..Beside::default() };
/// assert_eq!(of.along.len(), of.observed.len());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// The name of the observed quantity.
    pub name: String,
    /// The name of the horizontal axis.
    pub over: String,
    /// The place of each observation.
    pub along: Vec<f64>,
    /// The observations.
    pub observed: Vec<f64>,
    /// The model's prediction at each place.
    pub predicted: Vec<f64>,
    /// Standard deviations of the observations; empty if they are not known.
    pub sigma: Vec<f64>,
    /// The model between the observations, from left to right; empty if it depends on more than the horizontal axis.
    pub line: Vec<(f64, f64)>,
}

/// A panel of [`fitted_sheet`].
///
/// ```
/// use warpswarm_pictures::{Beside, Panelled};
/// let panel = Panelled { title: "well A1".into(), of: Beside::default() };
/// assert!(panel.of.observed.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Panelled {
    /// Its title.
    pub title: String,
    /// What it shows.
    pub of: Beside,
}

/// Models with their data, and below each the residuals: observed minus predicted values.
///
/// ```
/// use warpswarm_pictures::{Beside, beside};
/// let along: Vec<f64> = (0..9).map(f64::from).collect();
/// let predicted: Vec<f64> = along.iter().map(|t| 2.0 * t).collect();
/// let observed = predicted.iter().map(|y| y + 0.5).collect();
/// let line = along.iter().copied().zip(predicted.iter().copied()).collect();
/// let (name, over) = ("y".into(), "t".into());
/// let of = Beside { name, over, along, observed, predicted, sigma: vec![], line };
/// let picture = beside("a line", &[], &[of]);
/// assert!(picture.panels.len() == 2 && picture.svg()?.contains("residual"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn beside(title: &str, notes: &[String], models: &[Beside]) -> Picture {
    let mut panels: Vec<Panel> =
        models.iter().flat_map(|of| [panel(of, String::new()), residuals(of)]).collect();
    if panels.is_empty() {
        panels.push(panel(&Beside::default(), String::new()));
    }
    Picture {
        title: title.into(),
        notes: notes.to_vec(),
        has_legend: true,
        columns: 1,
        size: if models.len() > 1 { LARGE } else { LOW },
        panels,
    }
}

/// A panel for each of several fits: a model with its data.
///
/// ```
/// use warpswarm_pictures::{Beside, Panelled, fitted_sheet};
/// let (along, observed) = (vec![0.0, 1.0], vec![2.0, 3.0]);
/// let of = Beside { along, observed, line: vec![(0.0, 2.1), (1.0, 2.9)], ..Beside::default() };
/// let panels = ["A1", "B1"].map(|well| Panelled { title: well.into(), of: of.clone() });
/// assert!(fitted_sheet("wells", &panels).svg()?.contains("B1"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn fitted_sheet(title: &str, panels: &[Panelled]) -> Picture {
    let columns = match panels.len() {
        0 | 1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let empty = || vec![panel(&Beside::default(), String::new())];
    let of = |one: &Panelled| panel(&one.of, one.title.clone());
    Picture {
        title: title.into(),
        notes: vec!["lines: the fitted model; marks: data".into()],
        has_legend: true,
        columns,
        size: if columns == 3 { (420, 280) } else { (520, 320) },
        panels: if panels.is_empty() { empty() } else { panels.iter().map(of).collect() },
    }
}

/// The distribution of the parameters of many fits: a histogram of each, or, if there are many parameters, their
/// quartiles.
///
/// ```
/// use warpswarm_pictures::{Parameter, fitted_parameters};
/// let lifetime = Parameter { name: "lifetime".into(), bounds: (0.0, 9.0), values: vec![2.0, 2.5, 3.0] };
/// assert!(fitted_parameters("decay", &[lifetime]).notes[0].contains("3 fits"));
/// ```
pub fn fitted_parameters(title: &str, all: &[Parameter]) -> Picture {
    let mut picture = parameters(title, all);
    let fits = all.iter().map(|of| of.values.len()).max().unwrap_or(0);
    let fits = counted(fits as u64, "fit");
    picture.notes = vec![match picture.panels.len() == all.len() {
        true => format!("{fits}; above each panel the median and, in brackets, the bounds"),
        false => format!("{fits}: medians, quartiles and extremes"),
    }];
    for panel in picture.panels.iter_mut().filter(|panel| panel.y.name == "runs") {
        panel.y.name = "fits".into();
    }
    picture
}

fn panel(of: &Beside, title: String) -> Panel {
    let observed = drawable(of.along.iter().copied().zip(of.observed.iter().copied()));
    let line = drawable(of.line.iter().copied());
    let mut lines = error_bars(of, &of.observed);
    lines.push(marks(of.observed.len()).through(observed.clone()).named("data"));
    let mut all = observed;
    let model = Line { color: VERMILION, ..Line::default() };
    if of.line.is_empty() {
        let predicted = drawable(of.along.iter().copied().zip(of.predicted.iter().copied()));
        all.extend(&predicted);
        let crosses = Line { width: 0, mark: Mark::Cross, mark_size: 4, ..model };
        lines.push(crosses.through(predicted).named("model"));
    } else {
        all.extend(&line);
        lines.push(model.through(line).named("model"));
    }
    let x = Axis::of(of.over.clone(), Scale::Linear, all.iter().map(|point| point.0));
    let numbers = with_bars(all.iter().map(|point| point.1).collect(), &lines);
    let y = Axis::of(of.name.clone(), Scale::Linear, numbers);
    let lines = within(lines, y.range);
    Panel { title, x, y, areas: Vec::new(), lines }
}

fn residuals(of: &Beside) -> Panel {
    let both = of.observed.iter().zip(&of.predicted);
    let left: Vec<f64> = both.map(|(seen, predicted)| seen - predicted).collect();
    let points = drawable(of.along.iter().copied().zip(left.iter().copied()));
    let (low, high) = ends(of.along.iter().copied()).unwrap_or((0.0, 1.0));
    let zero = Line { color: INK, width: 1, dash: Dash::Dashed, ..Line::default() };
    let mut lines = error_bars(of, &left);
    lines.push(marks(left.len()).through(points.clone()).named("data"));
    let along = of.along.iter().chain(of.line.iter().map(|(x, _)| x)).copied();
    let x = Axis::of(of.over.clone(), Scale::Linear, along);
    let numbers = with_bars(points.iter().map(|point| point.1).chain([0.0]).collect(), &lines);
    let y = Axis::of("residual", Scale::Linear, numbers);
    let mut lines = within(lines, y.range);
    lines.push(zero.through([(low, 0.0), (high, 0.0)]));
    Panel { title: String::new(), x, y, areas: Vec::new(), lines }
}

fn marks(count: usize) -> Line {
    let mark_size = if count > MANY { 2 } else { 4 };
    Line { width: 0, mark: Mark::Disc, mark_size, ..Line::default() }
}

/// A vertical bar at each number, of one standard deviation up and down.
fn error_bars(of: &Beside, numbers: &[f64]) -> Vec<Line> {
    let all = of.along.iter().zip(numbers).zip(&of.sigma);
    let bar = |((&x, &y), &sigma): ((&f64, &f64), &f64)| {
        let ends = drawable([(x, y - sigma), (x, y + sigma)].into_iter());
        Line { width: 1, ..Line::default() }.through(ends)
    };
    if of.sigma.len() > MANY { Vec::new() } else { all.map(bar).collect() }
}

/// Numbers, with the ends of error bars. A bar that is much longer than the numbers lie apart, as of a point that is not to
/// count, is cut: otherwise nothing else would be seen.
fn with_bars(mut numbers: Vec<f64>, lines: &[Line]) -> impl Iterator<Item = f64> + use<> {
    if let Some((low, high)) = ends(numbers.iter().copied()) {
        let more = LONGEST * (high - low);
        let dots = lines.iter().flat_map(|line| &line.points);
        numbers.extend(dots.map(|dot| dot.y.clamp(low - more, high + more)));
    }
    numbers.into_iter()
}

/// Lines that end at the edges of the panel.
fn within(mut lines: Vec<Line>, (low, high): (f64, f64)) -> Vec<Line> {
    for dot in lines.iter_mut().flat_map(|line| &mut line.points) {
        dot.y = dot.y.clamp(low, high);
    }
    lines
}

/// The finite points, clamped to what an axis can show.
fn drawable(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let points = points.filter(|(x, y)| x.is_finite() && y.is_finite());
    points.map(|(x, y)| (x.clamp(-1e300, 1e300), y.clamp(-1e300, 1e300))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ys: &[f64], sigma: &[f64]) -> Beside {
        let along: Vec<f64> = (0..ys.len()).map(|i| i as f64).collect();
        let predicted = vec![1.0; ys.len()];
        let line = along.iter().copied().zip(predicted.iter().copied()).collect();
        let (observed, sigma) = (ys.to_vec(), sigma.to_vec());
        Beside { name: "signal".into(), over: "t".into(), along, observed, predicted, sigma, line }
    }

    #[test]
    fn residuals_lie_below_the_data() {
        let picture = beside("one", &["note".into()], &[of(&[1.5, 0.5, 1.0], &[0.25; 3])]);
        let residuals = &picture.panels[1];
        let marks = residuals.lines.iter().find(|line| line.name == "data").unwrap();
        let ys: Vec<f64> = marks.points.iter().map(|dot| dot.y).collect();
        assert_eq!(ys, [0.5, -0.5, 0.0]);
        // A bar for each number, marks, and the line through zero.
        assert_eq!(residuals.lines.len(), 3 + 1 + 1);
        let svg = picture.svg().unwrap();
        for text in ["signal", "residual", "t", "data", "model", "note"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}");
        }
    }

    #[test]
    fn error_bars_end_within_the_axes() {
        let picture = beside("one", &[], &[of(&[1.5, 0.5, 1.0], &[0.25, 2.0, 0.25])]);
        for panel in &picture.panels {
            let (low, high) = panel.y.range;
            let bars = panel.lines.iter().filter(|line| line.points.len() == 2);
            let dots: Vec<f64> = bars.flat_map(|bar| &bar.points).map(|dot| dot.y).collect();
            assert!(dots.len() >= 6 && dots.iter().all(|y| low < *y && *y < high), "{dots:?}");
            assert!(high - low > 4.0);
        }
        let masked = beside("one", &[], &[of(&[1.5, 0.5, 1.0], &[0.25, 1e9, 0.25])]);
        let (low, high) = masked.panels[0].y.range;
        assert!(high - low < 8.0, "{low} to {high}");
    }

    #[test]
    fn a_model_without_a_line_is_crosses() {
        let one = Beside { line: Vec::new(), ..of(&[1.0, 2.0], &[]) };
        let panel = &beside("one", &[], &[one]).panels[0];
        let model = panel.lines.iter().find(|line| line.name == "model").unwrap();
        assert_eq!((model.mark, model.width, model.points.len()), (Mark::Cross, 0, 2));
    }

    #[test]
    fn edges_can_be_drawn() {
        for y in [f64::NAN, f64::INFINITY, 1e308, -1e308, 0.0] {
            assert!(beside("edge", &[], &[of(&[y, 1.0], &[y, y])]).svg().is_ok(), "{y}");
        }
        assert!(beside("none", &[], &[]).svg().is_ok());
        assert!(fitted_sheet("none", &[]).svg().is_ok());
        assert!(fitted_parameters("none", &[]).svg().is_ok());
    }
}
