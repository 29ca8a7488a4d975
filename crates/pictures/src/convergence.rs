//! The convergence of the best value so far.

use crate::axis::ends;
use crate::number::{counted, quantile, short};
use crate::{
    Along, Area, Axis, Better, Curve, Group, Line, Mark, Measure, Panel, Picture, Scale, curves,
};

/// Medians of the best value so far, and the band between the quartiles if a group has several runs. The axis is
/// logarithmic if less is better and no value is negative, because values near the best are then near zero. If no run
/// is feasible, violations are shown.
///
/// ```
/// use warpswarm_pictures::{Along, Better, Group, Record, convergence};
/// let run = |rate: f64| -> Vec<Record> {
///     let at = |i| Record { iteration: i, evaluations: 0, seconds: 0.0, value: rate.powi(i as i32), violation: 0.0 };
///     (0..30).map(at).collect()
/// };
/// let group = |name: &str, rates: [f64; 3]| Group { name: name.into(), runs: rates.map(run).to_vec() };
/// let groups = [group("pso", [0.5, 0.6, 0.7]), group("de", [0.7, 0.8, 0.9])];
/// let picture = convergence("sphere", &groups, Along::Iterations, Better::Less);
/// // A line and a band for each.
/// assert_eq!((picture.panels[0].lines.len(), picture.panels[0].areas.len()), (2, 2));
/// ```
pub fn convergence(title: &str, groups: &[Group], along: Along, better: Better) -> Picture {
    let (measure, curves) = curves(groups, along, better);
    let better = measure.better();
    let numbers = || curves.iter().flat_map(|c| [&c.lower, &c.median, &c.upper]).flatten().copied();
    let scale = if better == Better::More { Scale::Linear } else { Scale::of(numbers()) };
    let mut notes = notes(groups, measure);
    let limit = if scale == Scale::Linear { limit(&curves, better) } else { None };
    if let Some(limit) = limit {
        let (beyond, edge) = match better {
            Better::Less => ("above", "upper"),
            Better::More => ("below", "lower"),
        };
        notes.push(format!("what is {beyond} {} lies at the {edge} edge", short(limit)));
    }
    let limited = |number: f64| match limit {
        Some(limit) if number.is_finite() => match better {
            Better::Less => number.min(limit),
            Better::More => number.max(limit),
        },
        _ => number,
    };
    let y = Axis::of(measure.axis(), scale, numbers().map(limited));
    let right = ends(curves.iter().flat_map(|c| c.x.iter().copied())).unwrap_or((0.0, 1.0));
    let mut panel = Panel {
        title: String::new(),
        x: Axis::linear(along.axis(), right),
        areas: Vec::new(),
        lines: Vec::new(),
        y,
    };
    let place = |number: f64| scale.place(limited(number));
    for (number, (group, curve)) in groups.iter().zip(&curves).enumerate() {
        let look = Line { mark: Mark::None, ..Line::numbered(number) };
        if group.runs.len() > 1 {
            let points = band(curve, better, panel.y.range, place);
            panel.areas.push(Area::new(points, look.color, 0.2));
        }
        let median = curve.x.iter().zip(&curve.median);
        let points = median.filter_map(|(x, y)| Some((*x, place(*y)?)));
        // A curve with one place is visible by its mark alone.
        let mark = if curve.x.len() == 1 { Mark::Disc } else { Mark::None };
        panel.lines.push(Line { mark, ..look }.through(points).named(group.name.clone()));
    }
    Picture {
        title: title.into(),
        notes,
        has_legend: groups.len() > 1,
        columns: 1,
        size: (900, 480),
        panels: vec![panel],
    }
}

/// The outline of the region between the quartiles; up to the worse end of the axis where the worse quartile is
/// unknown.
fn band(
    curve: &Curve,
    better: Better,
    ends: (f64, f64),
    place: impl Fn(f64) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let (good, bad, end) = match better {
        Better::Less => (&curve.lower, &curve.upper, ends.1),
        Better::More => (&curve.upper, &curve.lower, ends.0),
    };
    let known = || curve.x.iter().enumerate().filter(|(i, _)| good[*i].is_finite());
    let there = known().filter_map(|(i, &x)| Some((x, place(good[i])?)));
    let back = known().map(|(i, &x)| (x, place(bad[i]).unwrap_or(end)));
    let mut around: Vec<_> = there.collect();
    around.extend(back.collect::<Vec<_>>().into_iter().rev());
    around
}

/// Notes: what is drawn, the number of runs, and which ones are missing.
fn notes(groups: &[Group], measure: Measure) -> Vec<String> {
    let most = groups.iter().map(|group| group.runs.len()).max().unwrap_or(0);
    let least = groups.iter().map(|group| group.runs.len()).min().unwrap_or(0);
    let runs = if least == most {
        counted(most as u64, "run")
    } else {
        format!("{least} to {}", counted(most as u64, "run"))
    };
    let mut notes = vec![match most {
        0 => "no runs".into(),
        1 => "1 run".into(),
        _ => format!("line: median of {runs}; band: from the lower to the upper quartile"),
    }];
    let missing = |group: &Group| {
        group.finals().iter().filter(|best| !measure.number(**best).is_finite()).count()
    };
    let missing: usize = groups.iter().map(missing).sum();
    if measure == Measure::Violation {
        notes.push("no run has found a feasible point".into());
    } else if missing > 0 {
        let has = if missing == 1 { "has" } else { "have" };
        notes.push(format!(
            "{} {has} found no feasible and finite value, and count as the worst",
            counted(missing as u64, "run")
        ));
    }
    notes
}

/// The end of a linear axis on the side of worse values. It is set only if the first values would leave no room for the
/// others. Values that differ by less than a tenth of the best need no limit.
///
/// ```
/// use warpswarm_pictures::{Better, Curve, limit};
/// let curve = |median: Vec<f64>| Curve { x: vec![], lower: vec![], upper: vec![], median };
/// assert_eq!(limit(&[curve(vec![10.0, 8.0, 7.0, 5.0])], Better::Less), None);
/// assert_eq!(limit(&[], Better::Less), None);
/// ```
pub fn limit(curves: &[Curve], better: Better) -> Option<f64> {
    // Signs are changed so that less is better.
    let sign = if better == Better::Less { 1.0 } else { -1.0 };
    let bad = |c: &Curve| if better == Better::Less { c.upper.clone() } else { c.lower.clone() };
    let numbers = curves.iter().flat_map(|c| [c.median.clone(), bad(c)]).flatten();
    let mut numbers: Vec<f64> = numbers.map(|y| sign * y).filter(|y| y.is_finite()).collect();
    numbers.sort_by(f64::total_cmp);
    let (low, most) = (*numbers.first()?, *numbers.last()?);
    let room = (2.0 * (quantile(&numbers, 0.9) - low)).max(0.1 * low.abs());
    (room > 0.0 && most - low > 20.0 * room).then_some(sign * (low + room))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::tests::run;

    fn group(name: &str, runs: &[&[f64]]) -> Group {
        Group { name: name.into(), runs: runs.iter().map(|values| run(values, 0.0)).collect() }
    }

    fn svg(groups: &[Group]) -> String {
        convergence("of a test", groups, Along::Iterations, Better::Less).svg().unwrap()
    }

    #[test]
    fn a_band_is_drawn_where_there_are_several_runs() {
        let many = svg(&[group("", &[&[100.0, 1.0], &[90.0, 0.5], &[80.0, 0.1]])]);
        assert!(many.contains("<polygon") && many.contains("median of 3 runs"));
        for text in ["of a test", "iterations", "best value", "1", "10"] {
            assert!(many.contains(&format!("\n{text}\n")), "{text}");
        }
        let one = svg(&[group("", &[&[100.0, 1.0]])]);
        assert!(!one.contains("<polygon") && one.contains("1 run") && one.contains("<polyline"));
        assert_eq!(one, svg(&[group("", &[&[100.0, 1.0]])]));
    }

    #[test]
    fn groups_are_named_and_differ_in_dashes() {
        let svg = svg(&[group("first", &[&[9.0, 1.0]]), group("second", &[&[8.0, 2.0]])]);
        assert!(svg.contains("\nfirst\n") && svg.contains("\nsecond\n"));
    }

    #[test]
    fn a_negative_end_is_seen_beside_a_huge_beginning() {
        let values: Vec<f64> = (0..100).map(|i| if i < 3 { 1e20 } else { -f64::from(i) }).collect();
        let picture = convergence("", &[group("", &[&values])], Along::Iterations, Better::Less);
        assert!(
            picture.notes.iter().any(|note| note.contains("upper edge")),
            "{:?}",
            picture.notes
        );
        let y = picture.panels[0].y.range;
        assert!(y.0 < -99.0 && y.1 < 200.0, "{y:?}");
        assert!(picture.panels[0].lines[0].points.iter().all(|dot| dot.y <= y.1));
    }

    #[test]
    fn the_fall_is_seen_where_the_best_is_soon_found() {
        let mut values: Vec<f64> = (0..100).map(|i| 5.537 - 1e-6 * f64::from(i)).collect();
        values[..2].copy_from_slice(&[7.0, 6.0]);
        let picture = convergence("", &[group("", &[&values])], Along::Iterations, Better::Less);
        assert!(picture.panels[0].y.range.1 > 7.0, "{:?}", picture.panels[0].y.range);
    }

    #[test]
    fn what_is_maximised_rises() {
        let values: Vec<f64> =
            (0..100).map(|i| if i < 3 { -1e20 } else { 1.0 + f64::from(i) }).collect();
        let more = [group("", &[&values, &[2.0], &values])];
        let picture = convergence("", &more, Along::Iterations, Better::More);
        let panel = &picture.panels[0];
        assert_eq!(panel.y.name, "best value (maximised)");
        // Linear; the end is visible, and the beginning is at the lower edge.
        assert!(panel.y.range.0 > -200.0 && panel.y.range.1 > 100.0, "{:?}", panel.y.range);
        assert!(
            picture.notes.iter().any(|note| note.contains("lower edge")),
            "{:?}",
            picture.notes
        );
        let line = &panel.lines[0].points;
        assert!(line.windows(2).all(|two| two[0].y <= two[1].y), "{line:?}");
        assert!(line[99].y == 100.0 && line[0].y < 0.0, "{line:?}");
        // One of three runs is not feasible: the band reaches down to the axis.
        let runs = vec![run(&[5.0], 0.0), run(&[6.0], 0.0), run(&[9.0], 1.0)];
        let missing = Group { name: String::new(), runs };
        let picture = convergence("", &[missing], Along::Iterations, Better::More);
        let panel = &picture.panels[0];
        assert_eq!(panel.areas[0].points, [(0.0, 5.5), (0.0, panel.y.range.0)]);
    }

    #[test]
    fn edges_can_be_drawn() {
        let cases: [&[&[f64]]; 9] = [
            &[],
            &[&[]],
            &[&[0.0, 0.0]],
            &[&[1.0]],
            &[&[1.0, 1e-300, 0.0], &[5e-324]],
            &[&[f64::NAN, f64::NAN]],
            &[&[f64::INFINITY, 1e308, -1e308]],
            &[&[-1e-300, -2e-300]],
            &[&[1_234_567.012_345, 1_234_567.012_344]],
        ];
        for case in cases {
            for better in [Better::Less, Better::More] {
                let picture = convergence("edge", &[group("a", case)], Along::Seconds, better);
                assert!(picture.png().unwrap().len() > 1000, "{case:?}");
            }
        }
    }

    #[test]
    fn what_is_not_feasible_is_told() {
        let infeasible = Group { name: String::new(), runs: vec![run(&[1.0, 2.0], 3.0)] };
        assert!(svg(&[infeasible]).contains("constraint violation"));
        let mixed = Group { name: String::new(), runs: vec![run(&[1.0], 3.0), run(&[2.0], 0.0)] };
        assert!(svg(&[mixed]).contains("1 run has found no feasible"));
    }
}
