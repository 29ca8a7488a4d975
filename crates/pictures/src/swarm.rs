//! A population in two dimensions, over contours of the objective.

use contour::ContourBuilder;
use plotters::style::RGBColor;

use crate::number::{counted, grouped};
use crate::{Area, Axis, BLUE, Error, INK, Line, Mark, Panel, Picture, VERMILION};

/// Points along a side of the plane at which the objective is evaluated.
const SIDE: usize = 161;
/// The parts of the plane's points below each contour.
const LEVELS: [f64; 7] = [0.01, 0.05, 0.15, 0.3, 0.48, 0.66, 0.84];
/// The most individuals that are drawn.
const POINTS: usize = 2000;
/// The colour of contours.
const EDGE: RGBColor = RGBColor(168, 178, 188);
/// The colour of infeasible regions.
const BARRED: RGBColor = RGBColor(214, 200, 186);
/// The most panels of [`frames`].
const PANELS: usize = 6;

/// A rectangle, with an objective over it.
///
/// ```
/// use warpswarm_pictures::{Plane, contours};
/// let names = ["width".to_string(), "height".to_string()];
/// // A valley, where the product is at most 1.
/// let value = |[x, y]: [f64; 2]| ((x - y).powi(2), x * y <= 1.0);
/// let plane = Plane::new(names, [0.0, 0.0], [2.0, 2.0], value);
/// let panel = contours("a valley", &plane, None).panels.remove(0);
/// assert_eq!((panel.x.name.as_str(), panel.y.range), ("width", (0.0, 2.0)));
/// ```
#[derive(Clone, Debug)]
pub struct Plane {
    names: [String; 2],
    lower: [f64; 2],
    upper: [f64; 2],
    areas: Vec<Area>,
    lines: Vec<Line>,
    is_barred: bool,
}

/// A population at an iteration.
///
/// ```
/// use warpswarm_pictures::{Frame, Plane, population};
/// let names = ["x".to_string(), "y".to_string()];
/// let plane = Plane::new(names, [-2.0, -2.0], [2.0, 2.0], |[x, y]| (x * x + 4.0 * y * y, true));
/// let frame = Frame { iteration: 7, points: vec![[1.0, 1.0], [-1.5, 0.5]], individuals: 2, best: [0.1, 0.0] };
/// assert!(population("a bowl", &plane, &frame).svg()?.contains("a bowl"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The iteration.
    pub iteration: u64,
    /// The individuals, or some of them.
    pub points: Vec<[f64; 2]>,
    /// The number of individuals.
    pub individuals: u64,
    /// The best point so far.
    pub best: [f64; 2],
}

impl Frame {
    /// The individuals that are drawn.
    fn shown(&self) -> impl Iterator<Item = &[f64; 2]> {
        self.points.iter().step_by(self.points.len().div_ceil(POINTS).max(1))
    }
}

impl Plane {
    /// Evaluates the objective at points of the rectangle between `lower` and `upper`, which must differ. `value`
    /// returns the value, and whether the point is feasible.
    pub fn new(
        names: [String; 2],
        lower: [f64; 2],
        upper: [f64; 2],
        value: impl Fn([f64; 2]) -> (f64, bool),
    ) -> Plane {
        let at = |i: usize, along: usize| {
            let part = i as f64 / (SIDE - 1) as f64;
            lower[along] * (1.0 - part) + upper[along] * part
        };
        let points = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| [at(i, 0), at(j, 1)]));
        let found: Vec<(f64, bool)> = points.map(value).collect();
        let mut plane =
            Plane { names, lower, upper, areas: Vec::new(), lines: Vec::new(), is_barred: false };
        plane.draw(&found);
        plane
    }

    /// Draws contours, and infeasible regions over them.
    fn draw(&mut self, found: &[(f64, bool)]) {
        let feasible = found.iter().filter(|(value, is_feasible)| *is_feasible && !value.is_nan());
        let mut sorted: Vec<f64> = feasible.map(|(value, _)| *value).collect();
        sorted.sort_by(f64::total_cmp);
        if !sorted.is_empty() {
            // Ranks instead of values: the contours have the same shape, whatever the magnitudes.
            let rank =
                |value: f64| sorted.partition_point(|s| *s < value) as f64 / sorted.len() as f64;
            let ranks: Vec<f64> = found
                .iter()
                .map(|(value, _)| if value.is_nan() { 1.0 } else { rank(*value) })
                .collect();
            let corners = [self.lower, self.upper].map(|corner| (corner[0], corner[1]));
            self.areas.push(Area::rectangle(corners[0], corners[1], tone(0), 1.0));
            for (i, level) in LEVELS.into_iter().enumerate() {
                self.add(&ranks, level, tone(i + 1), 1.0);
            }
        }
        let barred: Vec<f64> =
            found.iter().map(|(_, is_feasible)| if *is_feasible { 0.0 } else { 1.0 }).collect();
        self.is_barred = barred.contains(&1.0);
        if self.is_barred {
            self.add(&barred, 0.5, BARRED, 0.75);
        }
    }

    /// Adds the region where numbers are at least `level`, with lines around it.
    fn add(&mut self, numbers: &[f64], level: f64, color: RGBColor, opacity: f64) {
        // Fails if the count of numbers differs from that of points.
        let Ok(contours) = ContourBuilder::new(SIDE, SIDE, true).contours(numbers, &[level]) else {
            return;
        };
        let step = [0, 1].map(|a| (self.upper[a] - self.lower[a]) / (SIDE - 1) as f64);
        let inside = |x: f64, a: usize| {
            let (low, high) = (self.lower[a], self.upper[a]);
            (low + (x - 0.5) * step[a]).clamp(low.min(high), high.max(low))
        };
        let (mut areas, mut lines) = (Vec::new(), Vec::new());
        for polygon in contours.iter().flat_map(|contour| &contour.geometry().0) {
            let rings = [polygon.exterior()].into_iter().chain(polygon.interiors());
            let mut rings = rings.map(|ring| -> Vec<(f64, f64)> {
                ring.0.iter().map(|c| (inside(c.x, 0), inside(c.y, 1))).collect()
            });
            let points = rings.next().unwrap_or_default();
            let holes: Vec<_> = rings.collect();
            for ring in [&points].into_iter().chain(&holes) {
                let line = Line { color: EDGE, width: 1, ..Line::default() };
                lines.push(line.through(ring.iter().copied()));
            }
            areas.push(Area { points, holes, color, opacity });
        }
        self.areas.extend(areas);
        self.lines.extend(lines);
    }

    /// The regions between contours, each over the ones before it, and infeasible regions over all of them.
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    fn range(&self, a: usize) -> (f64, f64) {
        (self.lower[a].min(self.upper[a]), self.upper[a].max(self.lower[a]))
    }

    fn is_inside(&self, p: &[f64; 2]) -> bool {
        (0..2).all(|a| p[a] >= self.range(a).0 && p[a] <= self.range(a).1)
    }

    /// A panel with marks over the objective; without contour lines if it is small.
    fn panel(&self, title: String, marks: Vec<Line>, is_small: bool) -> Panel {
        let axis = |a: usize| Axis {
            range: self.range(a),
            ..Axis::linear(self.names[a].clone(), self.range(a))
        };
        let mut lines = if is_small { Vec::new() } else { self.lines.clone() };
        lines.extend(marks);
        Panel { title, x: axis(0), y: axis(1), areas: self.areas.clone(), lines }
    }

    fn frame(&self, frame: &Frame, is_small: bool) -> Panel {
        let points = frame.shown().filter(|p| self.is_inside(p));
        let mut marks = vec![
            mark(BLUE, Mark::Disc, 3).through(points.map(|p| (p[0], p[1]))).named("individuals"),
        ];
        marks.extend(self.best(frame.best, "best so far"));
        let title = format!("iteration {}", grouped(frame.iteration as f64, 0));
        self.panel(title, marks, is_small)
    }

    /// The best point with a halo, if it is inside.
    fn best(&self, best: [f64; 2], name: &'static str) -> [Line; 2] {
        let best = Some(best).filter(|p| self.is_inside(p)).map(|p| (p[0], p[1]));
        let halo = mark(INK, Mark::Triangle, 7).through(best);
        [halo, mark(VERMILION, Mark::Triangle, 5).through(best).named(name)]
    }

    /// The meaning of the colours.
    pub fn tones(&self) -> String {
        let barred = if self.is_barred { "; brown: not feasible" } else { "" };
        format!("the darker, the lower the objective{barred}")
    }

    fn notes(&self, frame: Option<&Frame>) -> Vec<String> {
        let individuals = frame.map_or(0, |frame| frame.individuals);
        let shown = frame.map_or(0, |frame| frame.shown().count() as u64);
        let shown = if shown < individuals {
            format!(", of which {} are shown", grouped(shown as f64, 0))
        } else {
            String::new()
        };
        vec![format!("{}{shown}; {}", counted(individuals, "individual"), self.tones())]
    }
}

fn mark(color: RGBColor, mark: Mark, size: i32) -> Line {
    Line { color, width: 0, mark, mark_size: size, ..Line::default() }
}

/// The colour of a level, from the lowest values to the highest; all are so light that marks are visible.
fn tone(level: usize) -> RGBColor {
    let part = level as f64 / LEVELS.len() as f64;
    let mix = |low: f64, high: f64| (low + (high - low) * part) as u8;
    RGBColor(mix(150.0, 250.0), mix(172.0, 251.0), mix(196.0, 252.0))
}

/// The objective alone, with its best known point if there is one.
///
/// ```
/// use warpswarm_pictures::{Plane, contours};
/// let names = ["x".to_string(), "y".to_string()];
/// let plane = Plane::new(names, [-2.0, -2.0], [2.0, 2.0], |[x, y]| (x * x + 4.0 * y * y, true));
/// let picture = contours("a bowl", &plane, Some([0.0, 0.0]));
/// assert!(picture.svg()?.contains("best known"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn contours(title: &str, plane: &Plane, best: Option<[f64; 2]>) -> Picture {
    let marks = best.map_or(Vec::new(), |best| plane.best(best, "best known").to_vec());
    Picture {
        title: title.into(),
        notes: vec![plane.tones()],
        has_legend: best.is_some(),
        columns: 1,
        size: (640, 600),
        panels: vec![plane.panel(String::new(), marks, false)],
    }
}

/// A population over the plane.
///
/// ```
/// use warpswarm_pictures::{Frame, Plane, population};
/// let names = ["x".to_string(), "y".to_string()];
/// let plane = Plane::new(names, [-2.0, -2.0], [2.0, 2.0], |[x, y]| (x * x + 4.0 * y * y, true));
/// let points = (0..50).map(|i| [f64::from(i).sin(), f64::from(i).cos()]).collect();
/// let picture = population("a ring", &plane, &Frame { iteration: 3, points, individuals: 50, best: [0.0, 1.0] });
/// assert_eq!(picture.panels.len(), 1);
/// assert!(picture.notes.iter().any(|note| note.contains("50")));
/// ```
pub fn population(title: &str, plane: &Plane, frame: &Frame) -> Picture {
    Picture {
        title: title.into(),
        notes: plane.notes(Some(frame)),
        has_legend: true,
        columns: 1,
        size: (640, 600),
        panels: vec![plane.frame(frame, false)],
    }
}

/// The population at several iterations, side by side: at most six, from the first frame to the last.
///
/// ```
/// use warpswarm_pictures::{Frame, Plane, frames};
/// let names = ["x".to_string(), "y".to_string()];
/// let plane = Plane::new(names, [-2.0, -2.0], [2.0, 2.0], |[x, y]| (x * x + 4.0 * y * y, true));
/// let points = |i: u32| vec![[2.0_f64.powi(-(i as i32)); 2]];
/// let at = |i: u32| Frame { iteration: i.into(), points: points(i), individuals: 1, best: [0.0; 2] };
/// let picture = frames("a way", &plane, &(0..20).map(at).collect::<Vec<_>>());
/// assert_eq!((picture.columns, picture.panels.len()), (3, 6));
/// ```
pub fn frames(title: &str, plane: &Plane, frames: &[Frame]) -> Picture {
    let shown = frames.len().min(PANELS);
    let place = |i: usize| if shown < 2 { 0 } else { i * (frames.len() - 1) / (shown - 1) };
    let chosen = (0..shown).map(|i| &frames[place(i)]);
    Picture {
        title: title.into(),
        notes: plane.notes(frames.first()),
        has_legend: true,
        columns: shown.clamp(1, 3),
        size: (400, 390),
        panels: chosen.map(|frame| plane.frame(frame, true)).collect(),
    }
}

/// The population over its iterations, as animated GIF.
///
/// ```
/// use warpswarm_pictures::{Frame, Plane, animation};
/// let names = ["x".to_string(), "y".to_string()];
/// let plane = Plane::new(names, [-2.0, -2.0], [2.0, 2.0], |[x, y]| (x * x + 4.0 * y * y, true));
/// let points = |i: u32| vec![[0.1 * f64::from(i); 2]];
/// let at = |i: u32| Frame { iteration: i.into(), points: points(i), individuals: 1, best: [0.0; 2] };
/// let gif = animation("a way", &plane, &[at(0), at(1)])?;
/// assert!(gif.starts_with(b"GIF89a"));
/// // Of nothing there is none.
/// assert!(animation("nothing", &plane, &[]).is_err());
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
///
/// # Errors
///
/// If there is no frame, or one cannot be drawn.
pub fn animation(title: &str, plane: &Plane, frames: &[Frame]) -> Result<Vec<u8>, Error> {
    let picture =
        |frame: &Frame| Picture { size: (560, 520), ..population(title, plane, frame) }.svg();
    crate::raster::gif(&frames.iter().map(picture).collect::<Result<Vec<_>, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(value: impl Fn([f64; 2]) -> f64) -> Plane {
        Plane::new(["x1".into(), "x2".into()], [-4.0, -4.0], [4.0, 4.0], |x| {
            (value(x), !value(x).is_nan())
        })
    }

    fn frame(points: usize) -> Frame {
        let point = |i: usize| [(i as f64).sin() * 3.0, (i as f64).cos() * 3.0];
        let individuals = points as u64;
        let points = (0..points).map(point).collect();
        Frame { iteration: 1000, points, individuals, best: [0.5, -0.5] }
    }

    fn bowl([x, y]: [f64; 2]) -> f64 {
        x * x + y * y
    }

    /// The first contour of a bowl is a circle around the part of the plane that its level states.
    #[test]
    fn contours_are_where_values_are() {
        let expected = (64.0 * LEVELS[0] / std::f64::consts::PI).sqrt();
        let radius = |dot: &crate::Dot| bowl([dot.x, dot.y]).sqrt();
        let bowl = plane(bowl);
        let inner = |line: &&Line| line.points.iter().all(|dot| radius(dot) < 1.5 * expected);
        let rings: Vec<&Line> = bowl.lines.iter().filter(inner).collect();
        assert_eq!(rings.len(), 1);
        for dot in &rings[0].points {
            assert!((radius(dot) - expected).abs() < 0.05, "{}, not {expected}", radius(dot));
        }
    }

    /// Between two circles values are higher: that region has a hole, which is not part of the path around the region.
    #[test]
    fn holes_are_paths_of_their_own() {
        let ridge = plane(|[x, y]| -(bowl([x, y]).sqrt() - 2.0).powi(2));
        let holed: Vec<&Area> = ridge.areas.iter().filter(|area| !area.holes.is_empty()).collect();
        assert!(!holed.is_empty());
        let longest = |ring: &Vec<(f64, f64)>| {
            let sides =
                ring.windows(2).map(|side| (side[0].0 - side[1].0).hypot(side[0].1 - side[1].1));
            sides.fold(0.0, f64::max)
        };
        for area in holed {
            // A line across the ridge would be as long as the ridge is wide.
            assert!(area.holes.iter().all(|hole| longest(hole) < 0.5), "{:?}", area.holes);
        }
    }

    #[test]
    fn individuals_are_drawn_within_the_bounds() {
        let mut frame = frame(9);
        frame.points[0] = [99.0, 0.0];
        let picture = population("t", &plane(bowl), &frame);
        let svg = picture.svg().unwrap();
        // Eight individuals, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 9);
        assert!(svg.contains("iteration 1,000") && svg.contains("9 individuals;"));
        assert!(!svg.contains("not feasible"));
    }

    #[test]
    fn what_is_not_feasible_is_told() {
        let half = plane(|[x, y]| if x > 0.0 { f64::NAN } else { bowl([x, y]) });
        assert!(population("t", &half, &frame(3)).svg().unwrap().contains("brown: not feasible"));
    }

    #[test]
    fn of_many_individuals_some_are_shown() {
        let picture = population("t", &plane(bowl), &frame(9000));
        let says = |picture: &Picture, what| {
            assert!(picture.notes[0].starts_with(what), "{:?}", picture.notes)
        };
        says(&picture, "9,000 individuals, of which 1,800 are shown");
        let some = Frame { individuals: 9000, ..frame(30) };
        says(&population("t", &plane(bowl), &some), "9,000 individuals, of which 30 are shown");
    }

    #[test]
    fn frames_become_panels_or_a_gif() {
        let all: Vec<Frame> = (0..20).map(|i| Frame { iteration: i, ..frame(5) }).collect();
        let still = frames("t", &plane(bowl), &all);
        assert_eq!((still.panels.len(), still.columns), (6, 3));
        assert_eq!(
            (still.panels[0].title.as_str(), still.panels[5].title.as_str()),
            ("iteration 0", "iteration 19")
        );
        // Contours are defined once.
        let svg = still.svg().unwrap();
        assert_eq!((svg.matches("<g id=").count(), svg.matches("<use ").count()), (1, 5));
        let one = frames("t", &plane(bowl), &all[..1]).svg().unwrap();
        assert!(!one.contains("<use ") && svg.len() < 2 * one.len());
        let gif = animation("t", &plane(bowl), &all[..2]).unwrap();
        assert!(gif.starts_with(b"GIF89a"));
        assert_eq!(gif, animation("t", &plane(bowl), &all[..2]).unwrap());
        assert!(animation("t", &plane(bowl), &[]).is_err());
    }

    #[test]
    fn edges_can_be_drawn() {
        let flat = |_: [f64; 2]| 1.0;
        let unknown = |_: [f64; 2]| f64::NAN;
        let endless = |[x, _]: [f64; 2]| if x > 0.0 { f64::INFINITY } else { -1e308 };
        let checkered = |[x, y]: [f64; 2]| (9.0 * x).sin() * (9.0 * y).sin();
        for plane in [plane(flat), plane(unknown), plane(endless), plane(checkered)] {
            assert!(population("edge", &plane, &frame(0)).png().is_ok());
        }
        let tiny = Plane::new(["a".into(), "b".into()], [0.0, 1e9], [1e-300, 1e9 + 1.0], |x| {
            (bowl(x), true)
        });
        assert!(population("edge", &tiny, &frame(2)).png().is_ok());
        assert!(frames("none", &tiny, &[]).svg().is_ok());
    }
}
