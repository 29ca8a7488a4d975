//! Charts as SVG. They are readable in grey and by the colour-blind, because no information is in the colour alone.

use std::error::Error;
use std::fs;
use std::path::Path;

pub use plotters::coord::Shift;
use plotters::element::DashedPathElement;
pub use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A drawing area.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The symbol of a series in a legend.
type Sample<'a> = DynElement<'static, SVGBackend<'a>, (i32, i32)>;
/// The result of drawing.
pub type Drawn = Result<(), Box<dyn Error>>;

/// The typefaces; the first available one is used.
pub const FONT: &str = "Noto Sans, DejaVu Sans, Arial, sans-serif";

/// Okabe and Ito's colours, dark ones first.
pub const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

/// The style of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A line of this width, in pixels.
    Line(u32),
    /// A dashed line, with dashes of this length, in pixels.
    Dashes(u32),
    /// Rings.
    Rings,
    /// Crosses.
    Crosses,
}

/// Lines or marks with a name.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The text in the legend; no entry if it is empty.
    pub name: &'a str,
    /// The style.
    pub look: Look,
    /// The points of each line.
    pub lines: Vec<Vec<(f64, f64)>>,
}

/// The texts of a panel, and the scale of its vertical axis.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// The title above the panel.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub x: &'a str,
    /// The label of the vertical axis.
    pub y: &'a str,
    /// Makes the vertical axis logarithmic; values below this one are drawn at this one.
    pub least: Option<f64>,
}

/// Draws a picture of this size, in pixels, into a file.
///
/// # Errors
///
/// If something cannot be drawn, or the file cannot be written.
pub fn picture(path: &Path, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    draw(&area)?;
    area.present()?;
    drop(area);
    Ok(fs::write(path, svg)?)
}

/// Draws series with axes; the index of a series selects its colour.
///
/// # Errors
///
/// If something cannot be drawn.
pub fn panel(area: &Area<'_>, texts: &Panel<'_>, series: &[Series<'_>]) -> Drawn {
    let height = |y: f64| texts.least.map_or(y, |least| y.max(least).log10());
    let all = || series.iter().flat_map(|s| s.lines.iter().flatten());
    let (left, right) = range(all().map(|p| p.0), 0.0);
    let (low, high) = range(all().map(|p| height(p.1)), 0.04);
    // Leave space for the legend.
    let has_names = series.iter().any(|series| !series.name.is_empty());
    let high = if has_names { high + 0.3 * (high - low) } else { high };
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(texts.title, (FONT, 15))
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(left..right, low..high)?;
    let magnitude = |y: &f64| {
        let is_whole = (y - y.round()).abs() < 1e-9;
        if is_whole { format!("1e{y:.0}") } else { String::new() }
    };
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(texts.x).y_desc(texts.y).label_style((FONT, 12)).axis_desc_style((FONT, 13));
    mesh.x_label_formatter(&|x| format!("{}", (1e6 * x).round() / 1e6));
    mesh.light_line_style(TRANSPARENT).x_labels(6).y_labels(7);
    if texts.least.is_some() {
        mesh.y_label_formatter(&magnitude);
    }
    mesh.draw()?;
    for (series, &colour) in series.iter().zip(COLOURS.iter().cycle()) {
        for (number, line) in series.lines.iter().enumerate() {
            let points = line.iter().map(|&(x, y)| (x, height(y)));
            let drawn = match series.look {
                Look::Line(width) => {
                    chart.draw_series(LineSeries::new(points, colour.stroke_width(width)))?
                }
                Look::Dashes(length) => {
                    let style = colour.stroke_width(2);
                    chart.draw_series(DashedLineSeries::new(points, length, 4, style))?
                }
                Look::Rings => chart.draw_series(points.map(|p| Circle::new(p, 3, colour)))?,
                Look::Crosses => chart.draw_series(points.map(|p| Cross::new(p, 3, colour)))?,
            };
            if number == 0 && !series.name.is_empty() {
                let look = series.look;
                drawn.label(series.name).legend(move |at| sample(look, colour, at));
            }
        }
    }
    if has_names {
        let mut legend = chart.configure_series_labels();
        legend.background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3));
        legend.label_font((FONT, 12)).position(SeriesLabelPosition::UpperRight).draw()?;
    }
    Ok(())
}

/// The symbol of a series in the legend, at a position.
fn sample<'a>(look: Look, colour: RGBColor, (x, y): (i32, i32)) -> Sample<'a> {
    let ends = [(x, y), (x + 20, y)];
    match look {
        Look::Line(width) => PathElement::new(ends, colour.stroke_width(width)).into_dyn(),
        Look::Dashes(length) => {
            DashedPathElement::new(ends, length, 4, colour.stroke_width(2)).into_dyn()
        }
        Look::Rings => Circle::new((x + 10, y), 3, colour).into_dyn(),
        Look::Crosses => Cross::new((x + 10, y), 3, colour).into_dyn(),
    }
}

/// Draws a title above a picture that is not a chart; returns the area below it.
///
/// # Errors
///
/// If something cannot be drawn.
pub fn titled<'a>(area: &Area<'a>, title: &str) -> Result<Area<'a>, Box<dyn Error>> {
    let (above, below) = area.split_vertically(26);
    let centred = (FONT, 15).into_text_style(area).pos(Pos::new(HPos::Center, VPos::Center));
    above.draw_text(title, &centred, (above.dim_in_pixel().0 as i32 / 2, 13))?;
    Ok(below)
}

/// The range of the finite numbers, with a margin on both sides.
fn range(numbers: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let finite = numbers.filter(|x| x.is_finite());
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = finite.fold(none, |(low, high), x| (low.min(x), high.max(x)));
    let more = margin * (high - low);
    if low < high { (low - more, high + more) } else { (low.min(0.0) - 1.0, low.max(0.0) + 1.0) }
}
