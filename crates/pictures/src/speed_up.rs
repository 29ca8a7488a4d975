//! Speed-ups.

use crate::number::short;
use crate::{Area, Axis, BLUE, INK, Line, Panel, Picture};

/// A bar for each name with its speed-up over the reference, and a line at 1.
///
/// ```
/// use warpswarm_pictures::speed_up;
/// let bars = [("one thread".to_string(), 1.0), ("eight threads".to_string(), 6.5)];
/// let panel = speed_up("Sphere, 30 dimensions", "one thread", &bars).panels.remove(0);
/// // The bars, as long as they are many times as fast.
/// assert_eq!(panel.areas.iter().map(|bar| bar.points[2].0).collect::<Vec<_>>(), [1.0, 6.5]);
/// ```
pub fn speed_up(title: &str, over: &str, bars: &[(String, f64)]) -> Picture {
    let drawable = |x: f64| if x.is_finite() { x.clamp(0.0, 1e300) } else { 0.0 };
    let most = bars.iter().map(|bar| drawable(bar.1)).fold(1.0, f64::max);
    let height = |row: usize| (bars.len() - row) as f64;
    let areas = bars.iter().enumerate().map(|(row, (_, x))| {
        Area::rectangle((0.0, height(row) - 0.3), (drawable(*x), height(row) + 0.3), BLUE, 0.85)
    });
    let top = bars.len().max(1) as f64 + 0.6;
    let one = Line { color: INK, width: 1, dash: crate::Dash::Dashed, ..Line::default() }
        .through([(1.0, 0.4), (1.0, top)]);
    // The number is at the end of its bar.
    let numbers = bars.iter().enumerate().map(|(row, (_, x))| {
        Line { color: INK, width: 0, ..Line::default() }
            .through([(drawable(*x), height(row))])
            .named(short(*x))
    });
    let panel = Panel {
        title: String::new(),
        x: Axis::linear(format!("times as fast as {over}"), (0.0, most)),
        y: Axis {
            name: String::new(),
            range: (0.4, top),
            ticks: bars.iter().enumerate().map(|(row, bar)| (height(row), bar.0.clone())).collect(),
        },
        areas: areas.collect(),
        lines: numbers.chain([one]).collect(),
    };
    Picture {
        title: title.into(),
        notes: vec![format!("dashed: as fast as {over}")],
        has_legend: false,
        columns: 1,
        size: (900, 110 + 44 * bars.len().max(1) as u32),
        panels: vec![panel],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_named_and_numbered() {
        let svg = speed_up("t", "one thread", &[("threads".into(), 1.9), ("GPU".into(), 78.25)])
            .svg()
            .unwrap();
        for text in ["threads", "GPU", "1.9", "78.25", "times as fast as one thread"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}");
        }
        assert_eq!(svg.matches("<polygon").count(), 2);
    }

    #[test]
    fn edges_can_be_drawn() {
        for x in [0.0, 1e-300, 1e308, f64::NAN, f64::INFINITY, -1.0] {
            assert!(speed_up("edge", "a", &[("b".into(), x)]).png().is_ok(), "{x}");
        }
        assert!(speed_up("none", "a", &[]).png().is_ok());
    }
}
