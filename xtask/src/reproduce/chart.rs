//! Line charts as SVG and PNG: one panel, or several in rows.
//!
//! Plotters draws SVG; the PNG is that SVG rendered by resvg with a typeface that lies in the
//! program, so that pictures look the same on a machine without any font. Colours are those of
//! Okabe and Ito, and nothing is told by colour alone.

use std::ops::Range;

use anyhow::{Context, Result, anyhow};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use resvg::{tiny_skia, usvg};

pub(crate) const FONT: &str = "Noto Sans, DejaVu Sans, Arial, sans-serif";
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(crate) const INK: RGBColor = RGBColor(40, 40, 40);
pub(crate) const GRID: RGBColor = RGBColor(222, 222, 222);

/// Pixels of the PNG per unit of the SVG.
const PNG_SCALE: f32 = 2.0;

pub(crate) type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// The SVG as PNG.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(notosans::REGULAR_TTF.to_vec());
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size().scale_by(PNG_SCALE).context("an empty picture")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).context("no memory")?;
    let scale = tiny_skia::Transform::from_scale(PNG_SCALE, PNG_SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| anyhow!("cannot write PNG: {error}"))
}

/// A title, notes below it, and panels in rows.
pub(crate) struct Picture {
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    /// Panels in a row.
    pub(crate) columns: usize,
    /// Width and height of a panel.
    pub(crate) size: (u32, u32),
    pub(crate) panels: Vec<Panel>,
}

/// Lines over a pair of axes.
pub(crate) struct Panel {
    /// Empty for none.
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) lines: Vec<Line>,
}

/// An axis; what is logarithmic is so before it comes here.
#[derive(Clone)]
pub(crate) struct Axis {
    pub(crate) name: &'static str,
    pub(crate) range: (f64, f64),
    pub(crate) ticks: Vec<f64>,
    pub(crate) label: fn(f64) -> String,
}

/// A line, named at its right end.
#[derive(Clone)]
pub(crate) struct Line {
    /// Empty for none.
    pub(crate) name: &'static str,
    pub(crate) color: RGBColor,
    pub(crate) width: u32,
    pub(crate) dashed: bool,
    pub(crate) mark: Mark,
    pub(crate) points: Vec<Dot>,
}

/// A point of a line; one that is hollow differs from the others in a way that notes tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) hollow: bool,
}

/// What marks the points of a line.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mark {
    None,
    Disc,
    Triangle,
}

impl Axis {
    /// Powers of ten around these exponents.
    pub(crate) fn decades(name: &'static str, exponents: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = exponents
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        let ticks = (low as i32..=high as i32).map(f64::from).collect();
        Axis { name, range: (low, high), ticks, label: power_of_ten }
    }
}

/// A linear axis, but for its ticks.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range()).map(value, limit)
    }
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }
    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

fn power_of_ten(exponent: f64) -> String {
    let value = 10_f64.powf(exponent);
    if value >= 1.0 { super::table::integer(value.round() as u64) } else { format!("{value}") }
}

impl Picture {
    pub(crate) fn svg(&self) -> Result<String> {
        const TITLE: u32 = 48;
        const NOTE: u32 = 21;
        let mut svg = String::new();
        let (width, height) = self.size;
        let rows = self.panels.len().div_ceil(self.columns);
        let head = TITLE + NOTE * self.notes.len() as u32;
        let size = (width * self.columns as u32, head + height * rows as u32);
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE)?;
            let font = |size: i32| (FONT, size).into_font().color(&INK);
            root.draw(&Text::new(self.title.clone(), (24, 16), font(20)))?;
            for (i, note) in self.notes.iter().enumerate() {
                let y = (TITLE + NOTE * i as u32) as i32 - 4;
                root.draw(&Text::new(note.clone(), (24, y), font(13)))?;
            }
            let (_, rest) = root.split_vertically(head);
            let areas = rest.split_evenly((rows, self.columns));
            for (area, panel) in areas.iter().zip(&self.panels) {
                panel.draw(area)?;
            }
            root.present()?;
        }
        Ok(svg)
    }
}

impl Panel {
    fn draw(&self, area: &Canvas<'_>) -> Result<()> {
        let named = self.lines.iter().any(|line| !line.name.is_empty());
        let mut builder = ChartBuilder::on(area);
        builder
            .margin(12)
            .margin_right(if named { 120 } else { 20 })
            .x_label_area_size(52)
            .y_label_area_size(88);
        if !self.title.is_empty() {
            builder.caption(&self.title, (FONT, 16).into_font().color(&INK));
        }
        let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_label_formatter(&|x| (self.x.label)(*x))
            .y_label_formatter(&|y| (self.y.label)(*y))
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style((FONT, 14).into_font().color(&INK))
            .axis_desc_style((FONT, 15).into_font().color(&INK))
            .draw()?;
        for line in &self.lines {
            line.draw(&mut chart)?;
        }
        name_lines(area, &chart, &self.lines)
    }
}

impl Line {
    fn draw(&self, chart: &mut Chart<'_, '_>) -> Result<()> {
        let path = self.points.iter().map(|dot| (dot.x, dot.y));
        let style = self.color.stroke_width(self.width);
        if self.dashed {
            chart.draw_series(DashedLineSeries::new(path, 7, 6, style))?;
        } else {
            chart.draw_series([PathElement::new(path.collect::<Vec<_>>(), style)])?;
        }
        let size = if self.dashed { 3 } else { 5 };
        for dot in &self.points {
            self.draw_mark(chart, dot, size)?;
        }
        Ok(())
    }

    fn draw_mark(&self, chart: &mut Chart<'_, '_>, dot: &Dot, size: i32) -> Result<()> {
        let at = || EmptyElement::at((dot.x, dot.y));
        match self.mark {
            Mark::None => {}
            Mark::Disc => {
                chart.draw_series([at() + Circle::new((0, 0), size, self.color.filled())])?;
                if dot.hollow {
                    chart.draw_series([at() + Circle::new((0, 0), size - 2, WHITE.filled())])?;
                }
            }
            Mark::Triangle => {
                let outer = vec![(-size - 2, size), (size + 2, size), (0, -size - 3)];
                chart.draw_series([at() + Polygon::new(outer, self.color.filled())])?;
                if dot.hollow {
                    let inner = vec![(1 - size, size - 2), (size - 1, size - 2), (0, 1 - size)];
                    chart.draw_series([at() + Polygon::new(inner, WHITE.filled())])?;
                }
            }
        }
        Ok(())
    }
}

/// The names of the lines at their right ends, moved apart where they would touch.
fn name_lines(area: &Canvas<'_>, chart: &Chart<'_, '_>, lines: &[Line]) -> Result<()> {
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
        area.draw(&Text::new(line.name, (x - left + 16, y - top), style))?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// That this is a picture that can be drawn.
    pub(crate) fn assert_whole(svg: &str) {
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let png = png(svg).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    }

    #[test]
    fn panels_lie_in_rows() {
        let dot = |x: f64, hollow| Dot { x, y: x, hollow };
        let line = |name, mark, dashed| Line {
            name,
            color: BLUE,
            width: 2,
            dashed,
            mark,
            points: vec![dot(0.0, false), dot(2.5, true)],
        };
        let panel = |name| Panel {
            title: format!("of {name}"),
            x: Axis::decades("along", [0.0, 2.5].into_iter()),
            y: Axis::decades("up", [0.5, 2.5].into_iter()),
            lines: vec![line(name, Mark::Disc, false), line("other", Mark::Triangle, true)],
        };
        let picture = Picture {
            title: "A picture".into(),
            notes: vec!["a note".into()],
            columns: 2,
            size: (400, 300),
            panels: vec![panel("one"), panel("two"), panel("three")],
        };
        let svg = picture.svg().unwrap();
        assert_whole(&svg);
        assert!(svg.contains("width=\"800\" height=\"669\""));
        for text in ["A picture", "a note", "of three", "one", "other", "1,000", "along"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn decades_hold_what_they_are_made_of() {
        let axis = Axis::decades("y", [-0.3, 1.2].into_iter());
        assert_eq!((axis.range, &axis.ticks[..]), ((-1.0, 2.0), &[-1.0, 0.0, 1.0, 2.0][..]));
        assert_eq!(Axis::decades("y", [2.0].into_iter()).range, (2.0, 3.0));
        assert_eq!((axis.label)(3.0), "1,000");
        assert_eq!((axis.label)(-2.0), "0.01");
    }
}
