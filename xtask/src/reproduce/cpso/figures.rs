//! Figures 6 and 8 of the paper, ours and theirs, as SVG and PNG.
//!
//! Plotters draws SVG; the PNG is that SVG rendered by resvg with a typeface that lies in the
//! program, so that pictures look the same on a machine without any font. Colours are those of
//! Okabe and Ito, and nothing is told by colour alone.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use resvg::{tiny_skia, usvg};

use super::frames::{Frame, REACH};
use super::paper::{self, ROWS};
use super::results::{self, Results};

const FONT: &str = "Noto Sans, DejaVu Sans, Arial, sans-serif";
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

/// Pixels of the PNG per unit of the SVG.
const PNG_SCALE: f32 = 2.0;

type Canvas<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Writes `NAME.svg` and `NAME.png` into `folder`.
pub(crate) fn save(svg: &str, folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name).with_extension("svg");
    std::fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    let path = path.with_extension("png");
    let png = png(svg)?;
    std::fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))
}

fn png(svg: &str) -> Result<Vec<u8>> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(notosans::REGULAR_TTF.to_vec());
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size().scale_by(PNG_SCALE).context("an empty picture")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).context("no memory")?;
    let scale = tiny_skia::Transform::from_scale(PNG_SCALE, PNG_SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| anyhow!("cannot write PNG: {error}"))
}

/// What marks the points of a line.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Disc,
    Triangle,
}

/// A line of Figure 8.
struct Line {
    name: &'static str,
    color: RGBColor,
    mark: Mark,
    dashed: bool,
    /// log2 of the particles, log10 of the milliseconds, and whether the time is scaled.
    points: Vec<(f64, f64, bool)>,
}

impl Line {
    fn new(
        name: &'static str,
        (color, mark): (RGBColor, Mark),
        dashed: bool,
        times: impl Iterator<Item = (f64, bool)>,
    ) -> Line {
        let log = |(row, (ms, scaled)): (&paper::Row, (f64, bool))| {
            (f64::from(row.particles).log2(), ms.log10(), scaled)
        };
        Line { name, color, mark, dashed, points: ROWS.iter().zip(times).map(log).collect() }
    }
}

/// Mean execution time against particles, SPSO and CPSO, ours and the paper's.
pub(crate) fn figure_8(results: &Results) -> Result<String> {
    let spso = (VERMILION, Mark::Disc);
    let cpso = (BLUE, Mark::Triangle);
    let printed = |mean: fn(&paper::Row) -> f64| ROWS.iter().map(move |row| (mean(row), false));
    let ours = |cells: &[super::measure::Cell]| -> Vec<(f64, bool)> {
        cells.iter().map(|cell| (results::mean(cell), cell.is_scaled())).collect()
    };
    let lines = [
        Line::new("SPSO, paper", spso, true, printed(paper::spso_mean)),
        Line::new("SPSO, ours", spso, false, ours(&results.spso).into_iter()),
        Line::new("CPSO, paper", cpso, true, printed(paper::cpso_mean)),
        Line::new("CPSO, ours", cpso, false, ours(&results.cpso).into_iter()),
    ];
    let scaled = lines.iter().any(|line| line.points.iter().any(|(.., scaled)| *scaled));

    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (1000, 660)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut y = 16;
        let mut say = |text: &str, size| {
            let at = (24, y);
            y += size + 8;
            root.draw(&Text::new(text.to_string(), at, (FONT, size).into_font().color(&INK)))
        };
        say("Figure 8: mean execution time of 100,000 iterations", 20)?;
        say(&format!("ours: SPSO on one thread of {}", results.processor), 13)?;
        say(&format!("ours: CPSO on {}", results.cpso_backend), 13)?;
        if scaled {
            say("hollow marks: scaled to 100,000 iterations from fewer", 13)?;
        }
        let all = || lines.iter().flat_map(|line| line.points.iter().map(|(_, y, _)| *y));
        let low = all().fold(f64::INFINITY, f64::min).floor();
        let high = all().fold(f64::NEG_INFINITY, f64::max).ceil();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(110)
            .margin_left(20)
            .margin_right(140)
            .margin_bottom(14)
            .x_label_area_size(56)
            .y_label_area_size(96)
            .build_cartesian_2d(4.7..16.3, low..high)?;
        let decades = (high - low) as usize;
        axes(&mut chart, decades)?;
        for line in &lines {
            draw_line(&mut chart, line)?;
        }
        name_lines(&root, &chart, &lines)?;
        root.present()?;
    }
    Ok(svg)
}

fn axes(chart: &mut Chart<'_, '_>, decades: usize) -> Result<()> {
    let font = (FONT, 14).into_font().color(&INK);
    chart
        .configure_mesh()
        .x_labels(13)
        .y_labels(decades + 1)
        .max_light_lines(0)
        .x_label_formatter(&|x| super::table::integer(x.exp2().round() as u64))
        .y_label_formatter(&|y| power_of_ten(*y))
        .x_desc("particles")
        .y_desc("execution time (ms)")
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(font)
        .axis_desc_style((FONT, 15).into_font().color(&INK))
        .draw()?;
    Ok(())
}

fn power_of_ten(exponent: f64) -> String {
    let value = 10_f64.powf(exponent);
    if value >= 1.0 { super::table::integer(value.round() as u64) } else { format!("{value}") }
}

fn draw_line(chart: &mut Chart<'_, '_>, line: &Line) -> Result<()> {
    let Line { color, mark, dashed, points, .. } = line;
    let path = points.iter().map(|(x, y, _)| (*x, *y));
    if *dashed {
        let style = color.stroke_width(2);
        chart.draw_series(DashedLineSeries::new(path, 7, 6, style))?;
    } else {
        chart.draw_series(std::iter::once(PathElement::new(
            path.collect::<Vec<_>>(),
            color.stroke_width(2),
        )))?;
    }
    let size = if *dashed { 3 } else { 5 };
    for (x, y, scaled) in points.iter().copied() {
        let at = || EmptyElement::at((x, y));
        match mark {
            Mark::Disc => {
                chart.draw_series([at() + Circle::new((0, 0), size, color.filled())])?;
                if scaled {
                    chart.draw_series([at() + Circle::new((0, 0), size - 2, WHITE.filled())])?;
                }
            }
            Mark::Triangle => {
                let outer = vec![(-size - 2, size), (size + 2, size), (0, -size - 3)];
                chart.draw_series([at() + Polygon::new(outer, color.filled())])?;
                if scaled {
                    let inner = vec![(1 - size, size - 2), (size - 1, size - 2), (0, 1 - size)];
                    chart.draw_series([at() + Polygon::new(inner, WHITE.filled())])?;
                }
            }
        }
    }
    Ok(())
}

/// The names of the lines at their right ends, moved apart where they would touch.
fn name_lines(root: &Canvas<'_>, chart: &Chart<'_, '_>, lines: &[Line]) -> Result<()> {
    const HEIGHT: i32 = 19;
    let mut names: Vec<(i32, i32, &Line)> = lines
        .iter()
        .filter_map(|line| {
            line.points.last().map(|(x, y, _)| (line, chart.backend_coord(&(*x, *y))))
        })
        .map(|(line, (x, y))| (y, x, line))
        .collect();
    names.sort_by_key(|(y, ..)| *y);
    for i in 1..names.len() {
        names[i].0 = names[i].0.max(names[i - 1].0 + HEIGHT);
    }
    for (y, x, line) in names {
        let style =
            (FONT, 15).into_font().color(&line.color).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(line.name.to_string(), (x + 26, y), style))?;
    }
    Ok(())
}

/// Rows of three frames, each with the name of its coefficients.
pub(crate) fn figure_6(rows: &[(&str, [Frame; 3])]) -> Result<String> {
    const PANEL: u32 = 400;
    const TITLE: u32 = 68;
    const ROW_TITLE: u32 = 36;
    let mut svg = String::new();
    {
        let height = TITLE + rows.len() as u32 * (PANEL + ROW_TITLE);
        let root = SVGBackend::with_string(&mut svg, (3 * PANEL, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let font = |size: i32| (FONT, size).into_font().color(&INK);
        let title = "Figure 6: 5,000 particles minimising sqrt(x² + y²) on [-100, 100]²";
        root.draw(&Text::new(title, (24, 14), font(22)))?;
        let note = "rings at 25, 50, 75 and 100; distances are those of the particles from the optimum at (0, 0)";
        root.draw(&Text::new(note, (24, 44), font(14)))?;
        let (_, rest) = root.split_vertically(TITLE);
        for (area, (name, frames)) in rest.split_evenly((rows.len(), 1)).iter().zip(rows) {
            let (head, panels) = area.split_vertically(ROW_TITLE);
            head.draw(&Text::new(name.to_string(), (24, 10), font(17)))?;
            for (panel, frame) in panels.split_evenly((1, 3)).iter().zip(frames) {
                draw_frame(panel, frame)?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}

fn draw_frame(panel: &Canvas<'_>, frame: &Frame) -> Result<()> {
    let reach = f64::from(REACH) * 1.03;
    let font = |size: i32| (FONT, size).into_font().color(&INK);
    let distance = distance_in_words(frame.median_distance);
    let title = format!("iteration {}: median distance {distance}", frame.iteration);
    let mut chart = ChartBuilder::on(panel)
        .margin(8)
        .margin_right(16)
        .caption(title, font(15))
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(-reach..reach, -reach..reach)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(5)
        .y_labels(5)
        .x_desc("x")
        .y_desc("y")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .axis_style(INK)
        .label_style(font(13))
        .axis_desc_style(font(14))
        .draw()?;
    for radius in [25.0, 50.0, 75.0, 100.0] {
        let angle = |i: i32| f64::from(i) * std::f64::consts::TAU / 120.0;
        let ring = (0..=120).map(|i| (radius * angle(i).cos(), radius * angle(i).sin()));
        chart.draw_series([PathElement::new(ring.collect::<Vec<_>>(), GRID.stroke_width(1))])?;
    }
    // One dot for all particles that would be drawn at the same place.
    let mut dots: Vec<(i32, i32)> =
        frame.points.iter().map(|point| chart.backend_coord(point)).collect();
    dots.sort_unstable();
    dots.dedup();
    let (left, top) = panel.get_base_pixel();
    for (x, y) in dots {
        panel.draw(&Circle::new((x - left, y - top), 1, BLUE.filled()))?;
    }
    Ok(())
}

fn distance_in_words(distance: f64) -> String {
    match distance {
        d if d >= 1.0 => format!("{d:.1}"),
        d if d >= 0.001 => format!("{d:.3}"),
        d => format!("{d:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::cpso::frames::{CLERC_KENNEDY, PAPER, frames};
    use crate::reproduce::cpso::results::tests::made_up;

    #[test]
    fn pictures_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let rows = [("Clerc and Kennedy", frames(&CLERC_KENNEDY)), ("the paper", frames(&PAPER))];
        let pictures = [("6", figure_6(&rows).unwrap()), ("8", figure_8(&made_up()).unwrap())];
        for (name, svg) in pictures {
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            save(&svg, folder.path(), name).unwrap();
            let png = std::fs::read(folder.path().join(name).with_extension("png")).unwrap();
            assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
        }
    }

    #[test]
    fn what_is_scaled_is_said_in_the_picture() {
        let note = "hollow marks";
        assert!(figure_8(&made_up()).unwrap().contains(note));
        let mut measured = made_up();
        measured.spso.iter_mut().for_each(|cell| cell.iterations = paper::ITERATIONS);
        assert!(!figure_8(&measured).unwrap().contains(note));
    }
}
