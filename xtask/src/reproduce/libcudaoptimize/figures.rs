//! Our versions of Figures 4 and 5. The paper prints no numbers that could be plotted for comparison.

use anyhow::Result;
use plotters::style::RGBColor;
use warpswarm_pictures::{
    Axis, BLUE, Dash, Dot, GREEN, INK, Line, Mark, Panel, Picture, VERMILION,
};

use super::methods::Method;
use super::paper;
use super::results::Results;
use super::runs::Point;
use crate::reproduce::table::integer;

/// Execution time over the number of generations.
pub(crate) fn figure_4(results: &Results) -> Result<String> {
    let along = |point: &Point| (point.size.generations as f64).log10();
    let x = Axis::new(
        "generations",
        (1.9, 4.1),
        paper::ALONG_GENERATIONS.map(|g| (g as f64).log10()).into(),
        |x| integer(10_f64.powf(x).round() as u64),
    );
    let title =
        format!("Figure 4: execution time over generations, {} particles", paper::PARTICLES);
    let lines = lines(results.methods, &results.generations, along);
    picture(title, notes(results, &results.generations), x, lines)
}

/// Execution time over the number of particles.
pub(crate) fn figure_5(results: &Results) -> Result<String> {
    let along = |particles: u64| (particles as f64).log2();
    let x =
        Axis::new("particles", (3.8, 9.2), [16, 32, 64, 128, 256, 512].map(along).into(), |x| {
            integer(x.exp2().round() as u64)
        });
    let title =
        format!("Figure 5: execution time over particles, {} generations", paper::GENERATIONS);
    let mut lines = lines(results.methods, &results.particles, |point| along(point.size.particles));
    let mut notes = notes(results, &results.particles);
    if results.has_gpu() {
        let (low, high) = y(&lines).range;
        let end = |y| Dot { x: along(paper::OVERTAKEN_AT), y, hollow: false };
        lines.push(Line {
            name: "".into(),
            color: INK,
            width: 1,
            dash: Dash::Dashed,
            mark: Mark::None,
            mark_size: 0,
            points: vec![end(low), end(high)],
        });
        notes.push(format!(
            "upright: at about {} particles the paper's CPU + GPU overtakes its CPU",
            paper::OVERTAKEN_AT
        ));
    }
    picture(title, notes, x, lines)
}

fn notes(results: &Results, points: &[Point]) -> Vec<String> {
    let mut notes = vec![format!(
        "two sets at once, of models of 16 and 14 parameters; median of whole runs; {}",
        results.processor
    )];
    if results.has_gpu() {
        notes.push("CPU + GPU: the swarm moves on the GPU and is evaluated on one thread".into());
    } else {
        notes.push("no GPU was used: CPU + GPU and GPU are left out".into());
    }
    if points.iter().any(Point::is_scaled) {
        notes.push("hollow marks: scaled from fewer generations".into());
    }
    notes
}

fn style(method: Method) -> (RGBColor, Mark) {
    match method {
        Method::Cpu => (VERMILION, Mark::Disc),
        Method::Threads => (VERMILION, Mark::Triangle),
        Method::Hosted => (GREEN, Mark::Disc),
        Method::Gpu => (BLUE, Mark::Triangle),
    }
}

/// log10 of the milliseconds, with a line for each method. The method that is not in the paper is dashed.
fn lines(methods: &[Method], points: &[Point], along: impl Fn(&Point) -> f64) -> Vec<Line> {
    let line = |&method: &Method| {
        let (color, mark) = style(method);
        let dot = |point: &Point| {
            let y = point.of(method)?.time().log10();
            Some(Dot { x: along(point), y, hollow: point.is_scaled() })
        };
        Line {
            name: method.name().into(),
            color,
            width: 2,
            dash: if method == Method::Threads { Dash::Dashed } else { Dash::Solid },
            mark_size: if method == Method::Threads { 3 } else { 5 },
            mark,
            points: points.iter().filter_map(dot).collect(),
        }
    };
    methods.iter().map(line).collect()
}

fn y(lines: &[Line]) -> Axis {
    let heights = lines.iter().flat_map(|line| &line.points).map(|dot| dot.y);
    Axis::decades("execution time (ms)", heights)
}

fn picture(title: String, notes: Vec<String>, x: Axis, lines: Vec<Line>) -> Result<String> {
    let panel = Panel { title: String::new(), x, y: y(&lines), areas: Vec::new(), lines };
    let picture = Picture {
        title,
        notes,
        has_legend: false,
        columns: 1,
        size: (1000, 560),
        panels: vec![panel],
    };
    Ok(picture.svg()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::libcudaoptimize::results::tests::made_up;
    use crate::reproduce::page::tests::assert_whole;

    #[test]
    fn pictures_are_whole() {
        let results = made_up(&Method::ALL);
        let (generations, particles) = (figure_4(&results).unwrap(), figure_5(&results).unwrap());
        assert_whole(&generations);
        assert_whole(&particles);
        for method in Method::ALL {
            assert!(generations.contains(method.name()) && particles.contains(method.name()));
        }
        assert!(particles.contains("upright:") && !generations.contains("upright:"));
        assert!(generations.contains("hollow marks") && !particles.contains("hollow marks"));
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        let particles = figure_5(&made_up(&Method::ALL[..2])).unwrap();
        assert_whole(&particles);
        assert!(particles.contains("left out") && !particles.contains("upright:"));
    }
}
