//! Areas that several panels of an SVG have in common: defined in the first panel, and used again in the others.
//!
//! A [`mark`] stands before and after the areas of the first panel, and in the place of the areas of the others. Once all is
//! drawn, [`reused`] puts a group, and references to it, where the marks are.

use std::fmt::Write as _;

use plotters::element::{EmptyElement, Rectangle};
use plotters::style::{Color, RGBColor};

use crate::chart::Chart;
use crate::{Error, Panel};

/// The colour of marks, which nothing else has.
const COLOUR: RGBColor = RGBColor(1, 2, 3);
/// The same as SVG has it.
const FILL: &str = "fill=\"#010203\"";
/// The group's name in the SVG.
const NAME: &str = "areas";
/// Corners of areas from which on a reference is shorter.
const CORNERS: usize = 100;

/// How a panel gets its areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Areas {
    /// They are drawn.
    Drawn,
    /// They are drawn, between marks.
    Defined,
    /// A mark stands for those of the first panel.
    Reused,
}

/// Whether all panels have the same areas over the same axes, and it is worthwhile to draw them once.
pub(crate) fn is_possible(panels: &[Panel]) -> bool {
    let Some((first, others)) = panels.split_first() else { return false };
    let is_same = |other: &Panel| {
        (&other.areas, &other.x, &other.y) == (&first.areas, &first.x, &first.y)
            && other.title.is_empty() == first.title.is_empty()
    };
    let corners: usize = first.areas.iter().map(|area| area.points.len()).sum();
    !others.is_empty() && corners >= CORNERS && others.iter().all(is_same)
}

/// Draws a mark in the lower left corner of a panel.
pub(crate) fn mark(chart: &mut Chart<'_, '_>, panel: &Panel) -> Result<(), Error> {
    let corner = EmptyElement::at((panel.x.range.0, panel.y.range.0));
    chart.draw_series([corner + Rectangle::new([(0, 0), (1, 1)], COLOUR.filled())])?;
    Ok(())
}

/// An SVG with a group where the first two marks are, and references to it where the others are.
pub(crate) fn reused(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len());
    let (mut marks, mut first) = (0, (0, 0));
    for line in svg.lines() {
        let at = line.contains(FILL).then(|| Some((number(line, "x")?, number(line, "y")?)));
        match (at.flatten(), marks) {
            (Some(at), 0) => {
                (first, marks) = (at, 1);
                let _ = writeln!(out, "<g id=\"{NAME}\">");
            }
            (Some(_), 1) => {
                marks = 2;
                out.push_str("</g>\n");
            }
            (Some((x, y)), _) => {
                let (x, y) = (x - first.0, y - first.1);
                let _ = writeln!(out, "<use href=\"#{NAME}\" x=\"{x}\" y=\"{y}\"/>");
            }
            (None, 1) => {
                out.push_str(&shorter(line).unwrap_or_else(|| line.to_string()));
                out.push('\n');
            }
            (None, _) => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// A whole number in an element.
fn number(element: &str, name: &str) -> Option<i64> {
    value(element, name)?.parse().ok()
}

/// The text of an attribute.
fn value<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// A polygon as a path, whose numbers are distances from point to point. Points that change nothing are left out.
fn shorter(element: &str) -> Option<String> {
    let rest = element.strip_prefix("<polygon")?;
    let (opacity, fill) = (value(rest, "opacity")?, value(rest, "fill")?);
    let mut corners: Vec<(i64, i64)> = Vec::new();
    for point in value(rest, "points")?.split_whitespace() {
        let (x, y) = point.split_once(',')?;
        let next = (x.parse().ok()?, y.parse().ok()?);
        if let [.., a, b] = corners[..]
            && is_between(a, b, next)
        {
            corners.pop();
        }
        if corners.last() != Some(&next) {
            corners.push(next);
        }
    }
    let (mut x, mut y) = *corners.first()?;
    let mut path = format!("M{x} {y}l");
    for (i, &(to_x, to_y)) in corners.iter().enumerate().skip(1) {
        let (dx, dy) = (to_x - x, to_y - y);
        // A minus parts numbers, too.
        let before = if i == 1 || dx < 0 { "" } else { " " };
        let between = if dy < 0 { "" } else { " " };
        let _ = write!(path, "{before}{dx}{between}{dy}");
        (x, y) = (to_x, to_y);
    }
    let opacity = if opacity == "1" { String::new() } else { format!(" opacity=\"{opacity}\"") };
    Some(format!("<path{opacity} fill=\"{fill}\" d=\"{path}z\"/>"))
}

/// Whether a line goes straight on through `b`.
fn is_between(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> bool {
    let (first, second) = ((b.0 - a.0, b.1 - a.1), (c.0 - b.0, c.1 - b.1));
    let cross = first.0 * second.1 - first.1 * second.0;
    cross == 0 && first.0 * second.0 + first.1 * second.1 > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_a_group_and_references_to_it() {
        let mark = |x, y| format!("<rect x=\"{x}\" y=\"{y}\" width=\"1\" opacity=\"1\" {FILL}/>\n");
        let area =
            "<polygon opacity=\"1\" fill=\"#0072B2\" points=\"1,1 2,1 5,1 5,1 5,9 4,8 \"/>\n";
        let svg = ["<svg>\n", &mark(3, 9), area, &mark(3, 9), "<text>\n", &mark(13, 9), "</svg>\n"];
        let expected = "<svg>\n<g id=\"areas\">\n<path fill=\"#0072B2\" d=\"M1 1l4 0 0 8-1-1z\"/>\n</g>\n\
                        <text>\n<use href=\"#areas\" x=\"10\" y=\"0\"/>\n</svg>\n";
        assert_eq!(reused(&svg.concat()), expected);
    }

    #[test]
    fn a_line_that_turns_back_keeps_its_end() {
        let line = "<polygon opacity=\"0.5\" fill=\"#000000\" points=\"0,0 4,0 2,0 2,3 \"/>";
        let expected = "<path opacity=\"0.5\" fill=\"#000000\" d=\"M0 0l4 0-2 0 0 3z\"/>";
        assert_eq!(shorter(line).as_deref(), Some(expected));
    }
}
