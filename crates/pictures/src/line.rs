//! Lines and their marks.

use std::borrow::Cow;

use plotters::element::{Circle, Cross, DashedPathElement, EmptyElement, PathElement, Polygon};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::chart::Chart;
use crate::{BLUE, COLOURS, Canvas, Error, FONT, INK};

/// A line, its marks, or both.
///
/// ```
/// use warpswarm_pictures::{Dash, Line};
/// let dashed = Line { dash: Dash::Dashed, ..Line::default() };
/// let line = dashed.through((0..3).map(|i| (f64::from(i), f64::from(i * i)))).named("squares");
/// assert_eq!((line.name.as_ref(), line.points.len(), line.points[2].y), ("squares", 3, 4.0));
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    /// The name; empty for none.
    pub name: Cow<'static, str>,
    /// The colour of the line and its marks.
    pub color: RGBColor,
    /// The width in pixels; 0 to draw only the marks.
    pub width: u32,
    /// The dash pattern.
    pub dash: Dash,
    /// The mark at each point.
    pub mark: Mark,
    /// The radius of marks in pixels.
    pub mark_size: i32,
    /// The points, in their order.
    pub points: Vec<Dot>,
}

/// A point of a line. A hollow point differs from the others in a way that notes explain.
///
/// ```
/// use warpswarm_pictures::{Dot, Line, Mark};
/// // Of two points the second is unlike the first.
/// let points = vec![Dot { x: 1.0, y: 2.0, hollow: false }, Dot { x: 2.0, y: 1.0, hollow: true }];
/// let line = Line { width: 0, mark: Mark::Disc, points, ..Line::default() };
/// assert!(line.points.iter().any(|dot| dot.hollow));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Its place on the horizontal axis.
    pub x: f64,
    /// Its place on the vertical axis.
    pub y: f64,
    /// Whether its mark is hollow.
    pub hollow: bool,
}

/// The dash pattern of a line.
///
/// ```
/// use warpswarm_pictures::{Dash, Line};
/// assert_eq!([0, 1, 2, 3].map(|i| Line::numbered(i).dash), [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::Long]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// An unbroken line.
    Solid,
    /// Dashes.
    Dashed,
    /// Long dashes.
    Long,
    /// Dots.
    Dotted,
}

/// The mark at the points of a line.
///
/// ```
/// use warpswarm_pictures::{Line, Mark};
/// assert_eq!((Line::default().mark, Line::numbered(1).mark), (Mark::None, Mark::Triangle));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// No mark.
    None,
    /// Discs.
    Disc,
    /// Triangles.
    Triangle,
    /// Squares.
    Square,
    /// Crosses.
    Cross,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            name: "".into(),
            color: BLUE,
            width: 2,
            dash: Dash::Solid,
            mark: Mark::None,
            mark_size: 5,
            points: Vec::new(),
        }
    }
}

impl Line {
    /// The `number`th of several lines: its colour, dashes and mark differ from those of the others.
    ///
    /// ```
    /// use warpswarm_pictures::Line;
    /// let look = |line: &Line| (line.color, line.dash, line.width);
    /// let lines: Vec<_> = (0..12).map(Line::numbered).collect();
    /// // No two of a dozen look the same.
    /// assert!((0..12).all(|i| (0..i).all(|j| look(&lines[i]) != look(&lines[j]))));
    /// ```
    pub fn numbered(number: usize) -> Line {
        let dashes = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::Long];
        let marks = [Mark::Disc, Mark::Triangle, Mark::Square, Mark::Cross];
        Line {
            color: COLOURS[number % COLOURS.len()],
            dash: dashes[number % dashes.len()],
            mark: marks[number % marks.len()],
            width: if (number / dashes.len()).is_multiple_of(2) { 2 } else { 4 },
            ..Line::default()
        }
    }

    /// The same line through these points.
    pub fn through(self, points: impl IntoIterator<Item = (f64, f64)>) -> Line {
        Line {
            points: points.into_iter().map(|(x, y)| Dot { x, y, hollow: false }).collect(),
            ..self
        }
    }

    /// The same line with a name.
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Line {
        Line { name: name.into(), ..self }
    }
}

impl Line {
    pub(crate) fn draw(&self, chart: &mut Chart<'_, '_>) -> Result<(), Error> {
        let path = self.points.iter().map(|dot| (dot.x, dot.y));
        let style = self.color.stroke_width(self.width);
        match self.dash.pattern() {
            _ if self.width == 0 => {}
            Some((on, off)) => {
                chart.draw_series(DashedLineSeries::new(path, on, off, style))?;
            }
            None => {
                chart.draw_series([PathElement::new(path.collect::<Vec<_>>(), style)])?;
            }
        }
        for dot in &self.points {
            self.draw_mark(chart, dot)?;
        }
        Ok(())
    }

    fn draw_mark(&self, chart: &mut Chart<'_, '_>, dot: &Dot) -> Result<(), Error> {
        let at = || EmptyElement::at((dot.x, dot.y));
        let (size, filled) = (self.mark_size, self.color.filled());
        match self.mark {
            Mark::None => {}
            Mark::Disc => {
                chart.draw_series([at() + Circle::new((0, 0), size, filled)])?;
                if dot.hollow {
                    chart.draw_series([at() + Circle::new((0, 0), size - 2, WHITE.filled())])?;
                }
            }
            Mark::Triangle => {
                chart.draw_series([at() + Polygon::new(triangle(size), filled)])?;
                if dot.hollow {
                    let inner = vec![(1 - size, size - 2), (size - 1, size - 2), (0, 1 - size)];
                    chart.draw_series([at() + Polygon::new(inner, WHITE.filled())])?;
                }
            }
            Mark::Square => {
                chart.draw_series([at() + Polygon::new(square(size), filled)])?;
                if dot.hollow {
                    chart.draw_series([at() + Polygon::new(square(size - 2), WHITE.filled())])?;
                }
            }
            Mark::Cross => {
                chart.draw_series([at() + Cross::new((0, 0), size, self.color.stroke_width(2))])?;
            }
        }
        Ok(())
    }

    /// Draws the line's sample in a legend, and its name.
    pub(crate) fn draw_sample(&self, on: &Canvas<'_>, (x, y): (i32, i32)) -> Result<(), Error> {
        let style = self.color.stroke_width(self.width);
        let (ends, middle) = ([(x, y), (x + 32, y)], (x + 16, y));
        match self.dash.pattern() {
            _ if self.width == 0 => {}
            Some((on_for, off)) => {
                let dashes = DashedPathElement::new(ends, on_for, off, style);
                on.draw(&dashes)?;
            }
            None => on.draw(&PathElement::new(ends, style))?,
        }
        let filled = self.color.filled();
        let moved = |points: Vec<(i32, i32)>| -> Vec<(i32, i32)> {
            points.into_iter().map(|(dx, dy)| (middle.0 + dx, middle.1 + dy)).collect()
        };
        match self.mark {
            Mark::None => {}
            Mark::Disc => on.draw(&Circle::new(middle, self.mark_size, filled))?,
            Mark::Triangle => on.draw(&Polygon::new(moved(triangle(self.mark_size)), filled))?,
            Mark::Square => on.draw(&Polygon::new(moved(square(self.mark_size)), filled))?,
            Mark::Cross => {
                on.draw(&Cross::new(middle, self.mark_size, self.color.stroke_width(2)))?
            }
        }
        let font = (FONT, 14).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        Ok(on.draw(&Text::new(self.name.to_string(), (x + 40, y), font))?)
    }
}

impl Dash {
    /// The pixels that are drawn, and those that are left out.
    fn pattern(self) -> Option<(u32, u32)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((7, 6)),
            Dash::Long => Some((14, 5)),
            Dash::Dotted => Some((2, 4)),
        }
    }
}

fn triangle(size: i32) -> Vec<(i32, i32)> {
    vec![(-size - 2, size), (size + 2, size), (0, -size - 3)]
}

fn square(size: i32) -> Vec<(i32, i32)> {
    vec![(-size, -size), (size, -size), (size, size), (-size, size)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_differ_without_colour() {
        let looks: Vec<_> =
            (0..8).map(Line::numbered).map(|line| (line.dash, line.mark, line.width)).collect();
        assert!((0..8).all(|i| !looks[..i].contains(&looks[i])));
    }
}
