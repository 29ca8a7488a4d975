//! Figures 6 and 8: the paper's and ours.

use anyhow::Result;
use plotters::element::{Circle, PathElement};
use plotters::prelude::*;
use warpswarm_pictures::{
    Axis, BLUE, COLOURS, Canvas, Dash, Dot, FONT, GREEN, GRID, INK, Line, Mark, Panel, Picture,
    VERMILION,
};

use super::frames::{Frame, REACH};
use super::paper::{self, ROWS};
use super::results::{self, Results};
use crate::reproduce::measure::Cell;
use crate::reproduce::table::integer;

/// Mean execution times of SPSO and CPSO over the number of particles, ours and the paper's.
pub(crate) fn figure_8(results: &Results) -> Result<String> {
    let spso = (VERMILION, Mark::Disc);
    let cpso = (BLUE, Mark::Triangle);
    // One style for each layout. The first layout is the program's choice.
    let layouts = [cpso, (GREEN, Mark::Square), (COLOURS[3], Mark::Cross)];
    let printed = |mean: fn(&paper::Row) -> f64| ROWS.iter().map(move |row| (mean(row), false));
    let ours = |cells: &[Cell]| -> Vec<(f64, bool)> {
        cells.iter().map(|cell| (results::mean(cell), cell.is_scaled())).collect()
    };
    let mut lines = vec![
        line("SPSO, paper".into(), spso, Dash::Dashed, printed(paper::spso_mean)),
        line("SPSO, ours".into(), spso, Dash::Solid, ours(&results.spso).into_iter()),
        line("CPSO, paper".into(), cpso, Dash::Dashed, printed(paper::cpso_mean)),
    ];
    for (of, look) in results.cpso.iter().zip(layouts) {
        let name = if of.layout.is_auto() { "CPSO, ours".into() } else { of.head() };
        lines.push(line(name, look, Dash::Solid, ours(&of.cells).into_iter()));
    }
    let mut notes = vec![
        format!("ours: SPSO on one thread of {}", results.processor),
        format!("ours: CPSO on {}", results.cpso[0].backend()),
    ];
    if results.cpso.len() > 1 {
        notes.push(
            "ours: stepwise is the paper's three kernels, of blocks of so many threads".into(),
        );
    }
    if lines.iter().any(|line| line.points.iter().any(|dot| dot.hollow)) {
        notes.push("hollow marks: scaled to 100,000 iterations from fewer".into());
    }
    let logs: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|dot| dot.y).collect();
    let picture = Picture {
        has_legend: false,
        title: "Figure 8: mean execution time of 100,000 iterations".into(),
        notes,
        columns: 1,
        size: (1000, 560),
        panels: vec![Panel {
            title: String::new(),
            x: Axis::new(
                "particles",
                (4.7, 16.3),
                ROWS.iter().map(|row| f64::from(row.particles).log2()).collect(),
                |x| integer(x.exp2().round() as u64),
            ),
            y: Axis::decades("execution time (ms)", logs.into_iter()),
            areas: Vec::new(),
            lines,
        }],
    };
    Ok(picture.svg()?)
}

/// log10 of the milliseconds over log2 of the particles, and whether the times are extrapolated.
fn line(
    name: String,
    (color, mark): (RGBColor, Mark),
    dash: Dash,
    times: impl Iterator<Item = (f64, bool)>,
) -> Line {
    let log = |(row, (ms, hollow)): (&paper::Row, (f64, bool))| Dot {
        x: f64::from(row.particles).log2(),
        y: ms.log10(),
        hollow,
    };
    let mark_size = if dash == Dash::Solid { 5 } else { 3 };
    Line {
        name: name.into(),
        color,
        width: 2,
        dash,
        mark,
        mark_size,
        points: ROWS.iter().zip(times).map(log).collect(),
    }
}

/// Rows of three frames, each row with the name of its coefficients.
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
    // Draw one dot for all particles at the same pixel.
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
    use crate::reproduce::cpso::results::tests::{made_up, made_up_on_cpu};
    use crate::reproduce::page::tests::assert_whole;

    #[test]
    fn pictures_are_whole() {
        let rows = [("Clerc and Kennedy", frames(&CLERC_KENNEDY)), ("the paper", frames(&PAPER))];
        assert_whole(&figure_6(&rows).unwrap());
        let whole = figure_8(&made_up()).unwrap();
        assert_whole(&whole);
        assert!(whole.contains("stepwise, block 32") && whole.contains("block 128"));
        let on_cpu = figure_8(&made_up_on_cpu()).unwrap();
        assert_whole(&on_cpu);
        assert!(!on_cpu.contains("stepwise"));
    }

    #[test]
    fn what_is_scaled_is_said_in_the_picture() {
        let note = "hollow marks";
        assert!(figure_8(&made_up()).unwrap().contains(note));
        let mut measured = made_up();
        measured.spso.iter_mut().for_each(|cell| cell.work = paper::ITERATIONS);
        assert!(!figure_8(&measured).unwrap().contains(note));
    }
}
