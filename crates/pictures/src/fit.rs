//! A model with the data that it is fitted to.

use crate::axis::ends;
use crate::{Axis, Line, Mark, Panel, Picture, Scale};

/// Points with a name.
///
/// ```
/// use warpswarm_pictures::Series;
/// let measured = Series { name: "measured".into(), points: vec![(0.0, 1.5), (1.0, 0.75)] };
/// assert_eq!(measured.points.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A model, with the data that it is compared with.
///
/// ```
/// use warpswarm_pictures::{Model, Series};
/// let series = |name: &str| Series { name: name.into(), points: vec![(0.0, 1.5)] };
/// let model = Model { line: series("model"), data: vec![series("measured")] };
/// assert_eq!(model.data[0].name, "measured");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The model's line.
    pub line: Series,
    /// The measured data.
    pub data: Vec<Series>,
}

/// Models as lines over the axis named `over`, and data as marks of the same colour.
///
/// ```
/// use warpswarm_pictures::{Model, Series, fit};
/// let series = |name: &str, shift: f64| {
///     let points = (0..9).map(f64::from).map(|x| (x, x * x + shift)).collect();
///     Series { name: name.into(), points }
/// };
/// let model = Model { line: series("model", 0.0), data: vec![series("data", 0.5)] };
/// let picture = fit("a parabola", "t", &[model]);
/// assert_eq!(picture.panels[0].lines.len(), 2);
/// assert!(picture.svg()?.contains("model"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn fit(title: &str, over: &str, models: &[Model]) -> Picture {
    let series = models.iter().flat_map(|model| model.data.iter().chain([&model.line]));
    let points: Vec<(f64, f64)> = series.flat_map(drawable).collect();
    let right = ends(points.iter().map(|point| point.0)).unwrap_or((0.0, 1.0));
    let (mut lines, mut marks) = (Vec::new(), Vec::new());
    for (number, model) in models.iter().enumerate() {
        let look = Line { mark: Mark::None, ..Line::numbered(number) };
        lines.push(drawn(look, &model.line));
        for series in &model.data {
            let look = Line::numbered(number);
            let mark = if look.mark == Mark::None { Mark::Disc } else { look.mark };
            marks.push(drawn(Line { width: 0, mark_size: 4, mark, ..look }, series));
        }
    }
    let panel = Panel {
        title: String::new(),
        x: Axis::linear(over, right),
        y: Axis::of("", Scale::Linear, points.iter().map(|point| point.1)),
        areas: Vec::new(),
        lines: lines.into_iter().chain(marks).collect(),
    };
    Picture {
        title: title.into(),
        notes: vec!["lines: at the best point; marks: data".into()],
        has_legend: true,
        columns: 1,
        size: (900, 480),
        panels: vec![panel],
    }
}

fn drawn(look: Line, series: &Series) -> Line {
    look.through(drawable(series)).named(series.name.clone())
}

/// The finite points, clamped to what an axis can show.
fn drawable(series: &Series) -> impl Iterator<Item = (f64, f64)> {
    let points = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    points.map(|(x, y)| (x.clamp(-1e300, 1e300), y.clamp(-1e300, 1e300)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(points: &[(f64, f64)]) -> Model {
        let series = |name: &str| Series { name: name.into(), points: points.to_vec() };
        Model { line: series("model"), data: vec![series("cases")] }
    }

    #[test]
    fn data_are_marks_and_models_lines_of_the_same_colour() {
        let other = Model { data: Vec::new(), ..model(&[(1.0, 7.0)]) };
        let picture = fit("t", "day", &[model(&[(1.0, 2.0), (2.0, 3.0)]), other]);
        let [line, other, marks] = &picture.panels[0].lines[..] else { panic!() };
        assert_eq!((marks.width, line.mark), (0, Mark::None));
        assert_eq!(line.color, marks.color);
        assert_ne!(line.color, other.color);
        let svg = picture.svg().unwrap();
        for text in ["cases", "model", "day"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}");
        }
    }

    #[test]
    fn edges_can_be_drawn() {
        for y in [f64::NAN, f64::INFINITY, 1e308, -1e308, 0.0] {
            assert!(fit("edge", "x", &[model(&[(0.0, y), (0.0, 1.0)])]).png().is_ok(), "{y}");
        }
        assert!(fit("none", "x", &[]).png().is_ok());
    }
}
