//! The parts of pictures: panels in rows, each with areas, lines and marks over a pair of axes.

use plotters::element::Polygon;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::reuse::{self, Areas};
use crate::{Axis, Error, Format, Line};

/// The typefaces; a viewer takes the first one that it has. PNG and GIF use the first.
pub const FONT: &str = "Noto Sans, DejaVu Sans, Arial, sans-serif";
/// The first of [`COLOURS`].
pub const BLUE: RGBColor = RGBColor(0, 114, 178);
/// The second of [`COLOURS`].
pub const VERMILION: RGBColor = RGBColor(213, 94, 0);
/// The third of [`COLOURS`].
pub const GREEN: RGBColor = RGBColor(0, 158, 115);
/// The colour of texts and axes.
pub const INK: RGBColor = RGBColor(40, 40, 40);
/// The colour of lines through ticks.
pub const GRID: RGBColor = RGBColor(222, 222, 222);
/// Okabe and Ito's colours, dark ones first.
pub const COLOURS: [RGBColor; 6] = [
    BLUE,
    VERMILION,
    GREEN,
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// The area that is drawn on.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
pub(crate) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// The approximate width of a letter, as a part of the text's height.
const LETTER: f64 = 0.54;

/// A title, notes below it, a legend, and panels in rows.
///
/// ```
/// use warpswarm_pictures::{Axis, Line, Panel, Picture};
/// let points = (0..=20).map(|i| (0.1 * f64::from(i), (0.3 * f64::from(i)).sin()));
/// let panel = Panel {
///     title: String::new(),
///     x: Axis::linear("time (s)", (0.0, 2.0)),
///     y: Axis::linear("swing (m)", (-1.0, 1.0)),
///     areas: vec![],
///     lines: vec![Line::default().through(points).named("pendulum")],
/// };
/// let picture = Picture {
///     title: "A pendulum".into(),
///     notes: vec![],
///     has_legend: false,
///     columns: 1,
///     size: (600, 300),
///     panels: vec![panel],
/// };
/// let svg = picture.svg()?;
/// assert!(svg.contains("pendulum") && svg.contains("swing (m)"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Picture {
    /// The title, at the top.
    pub title: String,
    /// Lines of text below the title; long ones are wrapped.
    pub notes: Vec<String>,
    /// Whether lines are named in a legend above the panels, each name once, instead of at their right ends.
    pub has_legend: bool,
    /// Panels in a row, at least 1.
    pub columns: usize,
    /// Width and height of a panel in pixels.
    pub size: (u32, u32),
    /// The panels, at least one.
    pub panels: Vec<Panel>,
}

/// Areas, and lines over them, over a pair of axes.
///
/// ```
/// use warpswarm_pictures::{Area, Axis, GREEN, Panel, Picture};
/// let panel = |title: &str, height| Panel {
///     title: title.into(),
///     x: Axis::linear("", (0.0, 1.0)),
///     y: Axis::linear("share", (0.0, 1.0)),
///     areas: vec![Area::rectangle((0.2, 0.0), (0.8, height), GREEN, 0.8)],
///     lines: vec![],
/// };
/// let panels = vec![panel("before", 0.25), panel("after", 0.75)];
/// let picture = Picture { title: "".into(), notes: vec![], has_legend: false, columns: 2, size: (300, 200), panels };
/// // Side by side.
/// assert!(picture.svg()?.starts_with(r#"<svg width="600""#));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title; empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The areas, drawn first, in this order.
    pub areas: Vec<Area>,
    /// The lines, drawn over the areas.
    pub lines: Vec<Line>,
}

/// A filled polygon.
///
/// ```
/// use warpswarm_pictures::{Area, BLUE};
/// let triangle = Area::new(vec![(0.0, 0.0), (1.0, 0.0), (0.5, 1.0)], BLUE, 0.5);
/// let bar = Area::rectangle((0.0, 0.0), (2.0, 3.0), BLUE, 1.0);
/// assert_eq!((triangle.points.len(), bar.points[2]), (3, (2.0, 3.0)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Its corners, `(x, y)`.
    pub points: Vec<(f64, f64)>,
    /// The corners of each hole, in the opposite direction.
    pub holes: Vec<Vec<(f64, f64)>>,
    /// Its colour.
    pub color: RGBColor,
    /// Its opacity, from 0 to 1.
    pub opacity: f64,
}

impl Area {
    /// An area without holes.
    pub fn new(points: Vec<(f64, f64)>, color: RGBColor, opacity: f64) -> Area {
        Area { points, holes: Vec::new(), color, opacity }
    }

    /// One path around the area and then around each hole, always from the same corner.
    fn path(&self) -> Vec<(f64, f64)> {
        let mut path = self.points.clone();
        for hole in &self.holes {
            path.extend(self.points.first());
            path.extend(hole);
        }
        path.extend(self.points.first().filter(|_| !self.holes.is_empty()));
        path
    }

    /// A rectangle between two corners.
    pub fn rectangle(from: (f64, f64), to: (f64, f64), color: RGBColor, opacity: f64) -> Area {
        let points = vec![from, (to.0, from.1), to, (from.0, to.1)];
        Area::new(points, color, opacity)
    }
}

impl Picture {
    /// As SVG. What all panels have in common is in it once.
    ///
    /// # Errors
    ///
    /// If something cannot be drawn.
    pub fn svg(&self) -> Result<String, Error> {
        let reuses = reuse::is_possible(&self.panels);
        let svg = self.drawn(reuses)?;
        Ok(without_controls(if reuses { reuse::reused(&svg) } else { svg }))
    }

    /// With texts as they are, and, where panels share areas, with marks in the place of these.
    fn drawn(&self, reuses: bool) -> Result<String, Error> {
        const TITLE: u32 = 48;
        const NOTE: u32 = 21;
        const LEGEND: i32 = 24;
        let mut svg = String::new();
        let (width, height) = self.size;
        let columns = self.columns.max(1);
        let rows = self.panels.len().div_ceil(columns);
        let width = width * columns as u32;
        let titles = wrapped(&self.title, width, 20.0);
        let notes: Vec<String> =
            self.notes.iter().flat_map(|note| wrapped(note, width, 13.0)).collect();
        let legend = if self.has_legend { self.legend(width as i32) } else { Vec::new() };
        let legend_rows = legend.last().map_or(0, |(_, row, _)| row + 1);
        let title = TITLE + 26 * (titles.len().max(1) - 1) as u32;
        let above = title + NOTE * notes.len() as u32;
        let head = above + (LEGEND * legend_rows) as u32;
        {
            let root = SVGBackend::with_string(&mut svg, (width, head + height * rows as u32))
                .into_drawing_area();
            root.fill(&WHITE)?;
            let font = |size: i32| (FONT, size).into_font().color(&INK);
            for (i, line) in titles.into_iter().enumerate() {
                root.draw(&Text::new(line, (24, 16 + 26 * i as i32), font(20)))?;
            }
            for (i, note) in notes.into_iter().enumerate() {
                let y = (title + NOTE * i as u32) as i32 - 4;
                root.draw(&Text::new(note, (24, y), font(13)))?;
            }
            for (x, row, line) in legend {
                line.draw_sample(&root, (x, above as i32 + LEGEND * row + 8))?;
            }
            let (_, rest) = root.split_vertically(head);
            let areas = rest.split_evenly((rows, columns));
            for (number, (area, panel)) in areas.iter().zip(&self.panels).enumerate() {
                let areas = match number {
                    _ if !reuses => Areas::Drawn,
                    0 => Areas::Defined,
                    _ => Areas::Reused,
                };
                panel.draw(area, !self.has_legend, areas)?;
            }
            root.present()?;
        }
        Ok(svg)
    }

    /// The picture as PNG, with two pixels in each direction for one of the SVG's.
    ///
    /// # Errors
    ///
    /// If something cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        crate::raster::png(&without_controls(self.drawn(false)?))
    }

    /// The file's bytes in a format. [`Format::Gif`] is for animations only; here it gives SVG.
    ///
    /// ```
    /// use std::path::Path;
    /// use warpswarm_pictures::{Format, speed_up};
    /// let picture = speed_up("Evaluations a second", "one", &[("one".into(), 1.0), ("two".into(), 1.9)]);
    /// assert!(picture.bytes(Format::Png)?.starts_with(b"\x89PNG"));
    /// assert_eq!(picture.bytes(Format::Svg)?, picture.svg()?.into_bytes());
    /// # Ok::<(), warpswarm_pictures::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something cannot be drawn.
    pub fn bytes(&self, format: Format) -> Result<Vec<u8>, Error> {
        match format {
            Format::Png => self.png(),
            Format::Svg | Format::Gif => self.svg().map(String::into_bytes),
        }
    }

    /// The named lines, each with its place in the legend: pixels from the left, and its row.
    fn legend(&self, width: i32) -> Vec<(i32, i32, &Line)> {
        const SAMPLE: i32 = 42;
        let mut placed: Vec<(i32, i32, &Line)> = Vec::new();
        let (mut x, mut row) = (24, 0);
        for line in
            self.panels.iter().flat_map(|panel| &panel.lines).filter(|line| !line.name.is_empty())
        {
            if placed.iter().any(|(_, _, other)| other.name == line.name) {
                continue;
            }
            let needed = SAMPLE + (14.0 * LETTER * line.name.chars().count() as f64) as i32 + 18;
            if x > 24 && x + needed > width {
                (x, row) = (24, row + 1);
            }
            placed.push((x, row, line));
            x += needed;
        }
        placed
    }
}

impl Panel {
    fn draw(&self, area: &Canvas<'_>, has_names: bool, areas: Areas) -> Result<(), Error> {
        let has_names = has_names && self.lines.iter().any(|line| !line.name.is_empty());
        let widest = self.y.ticks.iter().map(|tick| tick.1.chars().count()).max().unwrap_or(0);
        let (width, _) = area.dim_in_pixel();
        let beside = (widest as f64 * 14.0 * LETTER) as u32 + 38;
        let right = if has_names { 120 } else { 24 };
        let mut x = self.x.clone();
        thin_out(&mut x, width.saturating_sub(12 + beside + right));
        let mut builder = ChartBuilder::on(area);
        builder.margin(12).margin_right(right).x_label_area_size(52).y_label_area_size(beside);
        if !self.title.is_empty() {
            let room = (f64::from(width) / (16.0 * LETTER)) as usize;
            builder.caption(cut(&self.title, room), (FONT, 16).into_font().color(&INK));
        }
        let mut chart = builder.build_cartesian_2d(x, self.y.clone())?;
        let label = |axis: &Axis, at: f64| {
            axis.ticks.iter().find(|tick| tick.0 == at).map_or(String::new(), |tick| tick.1.clone())
        };
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_label_formatter(&|at| label(&self.x, *at))
            .y_label_formatter(&|at| label(&self.y, *at))
            .x_desc(self.x.name.as_str())
            .y_desc(self.y.name.as_str())
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style((FONT, 14).into_font().color(&INK))
            .axis_desc_style((FONT, 15).into_font().color(&INK))
            .draw()?;
        if areas != Areas::Drawn {
            reuse::mark(&mut chart, self)?;
        }
        let drawn = if areas == Areas::Reused { &[][..] } else { &self.areas };
        for shape in drawn {
            let style = shape.color.mix(shape.opacity).filled();
            chart.draw_series([Polygon::new(shape.path(), style)])?;
        }
        if areas == Areas::Defined {
            reuse::mark(&mut chart, self)?;
        }
        for line in &self.lines {
            line.draw(&mut chart)?;
        }
        if has_names { name_lines(area, &chart, &self.lines) } else { Ok(()) }
    }
}

/// The SVG with characters that XML does not allow replaced by Rust's escapes, because texts may contain anything.
fn without_controls(svg: String) -> String {
    let is_one = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    if !svg.contains(is_one) {
        return svg;
    }
    svg.chars().fold(String::new(), |mut text, c| {
        if is_one(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
        text
    })
}

/// Removes every other label until the remaining ones do not touch.
fn thin_out(axis: &mut Axis, width: u32) {
    let needed = |axis: &Axis| -> f64 {
        axis.ticks.iter().map(|tick| 14.0 * LETTER * tick.1.chars().count() as f64 + 12.0).sum()
    };
    while axis.ticks.len() > 2 && needed(axis) > f64::from(width) {
        let mut place = 0;
        axis.ticks.retain(|_| {
            place += 1;
            place % 2 == 1
        });
    }
}

/// A text in lines that are not wider than a picture.
fn wrapped(text: &str, width: u32, size: f64) -> Vec<String> {
    let room = ((f64::from(width) - 48.0) / (size * LETTER)) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, room)),
        }
    }
    lines
}

/// A text, shortened if it is longer than `room`.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.into();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// Writes the names of lines at their right ends, moved apart if they would touch.
fn name_lines(area: &Canvas<'_>, chart: &Chart<'_, '_>, lines: &[Line]) -> Result<(), Error> {
    const HEIGHT: i32 = 19;
    let mut names: Vec<(i32, i32, &Line)> = lines
        .iter()
        .filter(|line| !line.name.is_empty())
        .filter_map(|line| {
            let end = line.points.last()?;
            let (x, y) = chart.backend_coord(&(end.x, end.y));
            Some((y, x, line))
        })
        .collect();
    names.sort_by_key(|(y, ..)| *y);
    for i in 1..names.len() {
        names[i].0 = names[i].0.max(names[i - 1].0 + HEIGHT);
    }
    let (left, top) = area.get_base_pixel();
    for (y, x, line) in names {
        let style =
            (FONT, 15).into_font().color(&line.color).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(line.name.to_string(), (x - left + 16, y - top), style))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dot;

    fn panel(name: &'static str) -> Panel {
        let line = |line: Line, name: &'static str| Line {
            name: name.into(),
            points: vec![
                Dot { x: 0.0, y: 0.0, hollow: false },
                Dot { x: 2.5, y: 2.5, hollow: true },
            ],
            ..line
        };
        Panel {
            title: format!("of {name}"),
            x: Axis::decades("along", [0.0, 2.5].into_iter()),
            y: Axis::decades("up", [0.5, 2.5].into_iter()),
            areas: vec![Area::rectangle((0.0, 0.0), (1.0, 1.0), GREEN, 0.2)],
            lines: vec![line(Line::numbered(0), name), line(Line::numbered(1), "other")],
        }
    }

    fn picture() -> Picture {
        Picture {
            title: "A picture".into(),
            notes: vec!["a note".into()],
            has_legend: false,
            columns: 2,
            size: (400, 300),
            panels: vec![panel("one"), panel("two"), panel("three")],
        }
    }

    #[test]
    fn control_characters_are_written_out() {
        let panels = vec![panel("a\u{7}b\u{1b}[31m\u{9b}")];
        let picture = Picture { title: "t\u{0}\u{ffff}".into(), panels, ..picture() };
        let svg = picture.svg().unwrap();
        assert!(!svg.contains(|c: char| c.is_control() && c != '\n'), "{svg}");
        assert!(svg.contains("a\\u{7}b\\u{1b}[31m") && svg.contains("t\\u{0}\\u{ffff}"), "{svg}");
        assert!(!picture.bytes(crate::Format::Png).unwrap().is_empty());
    }

    #[test]
    fn panels_lie_in_rows() {
        let svg = picture().svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("width=\"800\" height=\"669\""));
        for text in ["A picture", "a note", "of three", "one", "other", "100", "along"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("\nother\n").count(), 3);
        let png = picture().png().unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    }

    #[test]
    fn a_legend_names_each_line_once_in_as_many_rows_as_it_takes() {
        let mut picture = Picture { has_legend: true, ..picture() };
        assert_eq!(picture.svg().unwrap().matches("\nother\n").count(), 1);
        assert_eq!(picture.legend(800).last().unwrap().1, 0);
        picture.panels[0].lines[0].name = "n".repeat(90).into();
        assert_eq!(picture.legend(800).last().unwrap().1, 1);
    }

    #[test]
    fn what_is_too_long_is_wrapped_or_cut() {
        assert_eq!(wrapped("some words", 800, 13.0), ["some words"]);
        assert_eq!(wrapped("some words", 100, 13.0), ["some", "words"]);
        assert_eq!(wrapped("unbreakable", 100, 13.0), ["unbrea…"]);
        assert!(wrapped("", 100, 13.0).is_empty());
    }
}
