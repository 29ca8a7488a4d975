//! The distribution of final values.

use crate::number::{counted, quantile, short};
use crate::{Axis, Better, Final, Line, Mark, Measure, Panel, Picture, Scale};

/// The most runs of a group with a mark for each run.
const MARKED: usize = 50;
const NOTE: &str = "line: how many of the runs end at this value or below it";

/// The final values of groups of runs on a problem.
///
/// ```
/// use warpswarm_pictures::{Better, Final, Finals};
/// let runs = |values: [f64; 3]| values.map(|value| Final { value, violation: 0.0 }).to_vec();
/// let groups = vec![("pso".into(), runs([1.0, 2.0, 4.0])), ("de".into(), runs([0.5, 0.5, 9.0]))];
/// let finals = Finals { name: "ackley".into(), better: Better::Less, groups };
/// assert_eq!(finals.groups[1].1[2].value, 9.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Finals {
    /// The title of the panel if there are several.
    pub name: String,
    /// Which values are better.
    pub better: Better,
    /// The groups, each with its name.
    pub groups: Vec<(String, Vec<Final>)>,
}

/// The share of runs that end at a value or below it; a line for each group of runs.
///
/// ```
/// use warpswarm_pictures::{Better, Final, Finals, distribution};
/// let runs = [3.0, 1.0, 2.0].map(|value| Final { value, violation: 0.0 }).to_vec();
/// let groups = vec![("pso".into(), runs)];
/// let finals = Finals { name: "ackley".into(), better: Better::Less, groups };
/// let picture = distribution("ackley", &finals);
/// assert!(picture.svg()?.contains("pso: 3 runs, median 2"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn distribution(title: &str, finals: &Finals) -> Picture {
    let mut notes = vec![NOTE.to_string()];
    let (measure, mut panel) = panel(finals);
    panel.title = String::new();
    if measure == Measure::Violation {
        notes.push("no run has found a feasible point".into());
    }
    for (i, (name, finals)) in finals.groups.iter().enumerate() {
        let sorted = sorted(finals, measure);
        let colon = if name.is_empty() { "" } else { ": " };
        let median = match quantile(&sorted, 0.5) {
            median if median.is_finite() => format!("median {}", short(median)),
            _ => "median unknown".into(),
        };
        let line = panel.lines.iter_mut().filter(|line| line.width > 0).nth(i);
        if let Some(line) = line {
            line.name =
                format!("{name}{colon}{}, {median}", counted(finals.len() as u64, "run")).into();
        }
        let missing = sorted.iter().filter(|x| !x.is_finite()).count();
        if missing > 0 {
            let runs = counted(missing as u64, "run");
            let end = end(measure);
            notes.push(format!(
                "{name}{colon}{runs} without a feasible and finite value: the line {end}"
            ));
        }
    }
    Picture {
        title: title.into(),
        notes,
        has_legend: true,
        columns: 1,
        size: (900, 440),
        panels: vec![panel],
    }
}

/// The same with a panel for each problem; all problems have groups with the same names.
///
/// ```
/// use warpswarm_pictures::{Better, Final, Finals, distributions};
/// let groups = |value| vec![("pso".to_string(), vec![Final { value, violation: 0.0 }; 4])];
/// let finals = |name: &str, value| Finals { name: name.into(), better: Better::Less, groups: groups(value) };
/// let picture = distributions("two problems", &[finals("sphere", 0.1), finals("levy", 0.2)]);
/// assert_eq!((picture.columns, picture.panels[1].title.as_str()), (2, "levy"));
/// ```
pub fn distributions(title: &str, problems: &[Finals]) -> Picture {
    let (measures, panels): (Vec<Measure>, Vec<Panel>) = problems.iter().map(panel).unzip();
    let mut notes = vec![NOTE.to_string()];
    for better in [Better::Less, Better::More] {
        let of = problems.iter().zip(&measures).filter(|(_, measure)| measure.better() == better);
        let all = of.flat_map(|(finals, measure)| {
            let bests = finals.groups.iter().flat_map(|group| &group.1);
            bests.map(|best| (*measure, measure.number(*best)))
        });
        let missing: Vec<Measure> =
            all.filter(|(_, x)| !x.is_finite()).map(|(measure, _)| measure).collect();
        if let Some(measure) = missing.first() {
            let (runs, end) = (counted(missing.len() as u64, "run"), end(*measure));
            notes.push(format!("{runs} without a feasible and finite value, where a line {end}"));
        }
    }
    let columns = problems.len().clamp(1, 2);
    let size = if columns == 1 { (900, 440) } else { (560, 360) };
    Picture { title: title.into(), notes, has_legend: true, columns, size, panels }
}

/// Stepped lines with the groups' names, and marks at the runs.
fn panel(Finals { name: title, better, groups }: &Finals) -> (Measure, Panel) {
    let measure = Measure::of(groups.iter().flat_map(|group| &group.1), *better);
    let sorted: Vec<Vec<f64>> = groups.iter().map(|group| sorted(&group.1, measure)).collect();
    let numbers = || sorted.iter().flatten().copied();
    let scale = Scale::of(numbers());
    let x = Axis::of(format!("final {}", measure.axis()), scale, numbers());
    let y =
        Axis::new("share of the runs (%)", (0.0, 105.0), vec![0.0, 25.0, 50.0, 75.0, 100.0], |y| {
            format!("{y}")
        });
    let mut lines = Vec::new();
    for (number, ((name, _), sorted)) in groups.iter().zip(&sorted).enumerate() {
        // The marks at the runs are on a line of their own, because the stepped line has more corners.
        let look = Line::numbered(number);
        let line = Line { mark: Mark::None, ..look.clone() };
        lines.push(line.through(steps(sorted, scale)).named(name.clone()));
        if sorted.len() <= MARKED {
            let at = sorted.iter().enumerate();
            let marks = at.filter_map(|(i, v)| {
                Some((scale.place(*v)?, 100.0 * (i + 1) as f64 / sorted.len() as f64))
            });
            lines.push(Line { width: 0, mark_size: 4, ..look }.through(marks));
        }
    }
    (measure, Panel { title: title.clone(), x, y, areas: Vec::new(), lines })
}

/// The effect of runs without a value, which are the worst, on a line.
fn end(measure: Measure) -> &'static str {
    match measure.better() {
        Better::Less => "ends below 100 %",
        Better::More => "begins above 0 %",
    }
}

fn sorted(finals: &[Final], measure: Measure) -> Vec<f64> {
    let mut numbers: Vec<f64> = finals.iter().map(|best| measure.number(*best)).collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// Steps upwards at each number, from the first to the last.
fn steps(sorted: &[f64], scale: Scale) -> Vec<(f64, f64)> {
    let share = |i: usize| 100.0 * i as f64 / sorted.len() as f64;
    let places = sorted.iter().enumerate();
    let places = places.filter_map(|(i, number)| Some((i, scale.place(*number)?)));
    places.flat_map(|(i, x)| [(x, share(i)), (x, share(i + 1))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finals(values: &[f64]) -> Vec<Final> {
        values.iter().map(|&value| Final { value, violation: 0.0 }).collect()
    }

    fn groups(groups: &[(&str, Vec<Final>)], better: Better) -> Finals {
        let groups = groups.iter().map(|(name, finals)| (name.to_string(), finals.clone()));
        Finals { name: String::new(), better, groups: groups.collect() }
    }

    #[test]
    fn the_line_steps_up_at_each_run() {
        let picture = distribution("t", &groups(&[("", finals(&[3.0, 1.0]))], Better::Less));
        let dots = |line: &Line| line.points.iter().map(|dot| (dot.x, dot.y)).collect::<Vec<_>>();
        let lines = &picture.panels[0].lines;
        assert_eq!(dots(&lines[0]), [(1.0, 0.0), (1.0, 50.0), (3.0, 50.0), (3.0, 100.0)]);
        assert_eq!(dots(&lines[1]), [(1.0, 50.0), (3.0, 100.0)]);
        let svg = picture.svg().unwrap();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("2 runs, median 2") && svg.contains("final best value"));
    }

    #[test]
    fn what_is_not_feasible_keeps_the_line_down() {
        let mut runs = finals(&[3.0, 1.0]);
        runs[0].violation = 1.0;
        let picture = distribution("t", &groups(&[("de", runs.clone())], Better::Less));
        assert_eq!(picture.panels[0].lines[0].points.last().unwrap().y, 50.0);
        assert!(picture.notes[1].starts_with("de: 1 run without"), "{:?}", picture.notes);
        // If more is better, such a run is below all others.
        let picture = distribution("t", &groups(&[("de", runs)], Better::More));
        let line = &picture.panels[0].lines[0];
        let ends = [line.points[0].y, line.points[1].y];
        assert_eq!((ends, &*line.name), ([50.0, 100.0], "de: 2 runs, median unknown"));
        assert!(picture.notes[1].ends_with("begins above 0 %"), "{:?}", picture.notes);
    }

    #[test]
    fn problems_have_panels_and_one_legend() {
        let of = |name: &str, values: &[f64]| {
            let groups = groups(&[("pso", finals(values)), ("de", finals(&[4.0]))], Better::Less);
            Finals { name: name.into(), ..groups }
        };
        let mut last = of("three", &[1.0]);
        last.groups[1].1[0].value = f64::NAN;
        let problems = [of("one", &[1.0, 2.0]), of("two", &[5.0]), last];
        let picture = distributions("t", &problems);
        let svg = picture.svg().unwrap();
        for (text, times) in
            [("pso", 1), ("de", 1), ("one", 1), ("three", 1), ("final best value", 3)]
        {
            assert_eq!(svg.matches(&format!("\n{text}\n")).count(), times, "{text}");
        }
        assert!(picture.notes[1].starts_with("1 run without"), "{:?}", picture.notes);
        assert!(distributions("none", &[]).png().is_ok());
    }

    #[test]
    fn edges_can_be_drawn() {
        let many: Vec<f64> = (0..5000).map(|i| f64::from(i % 700)).collect();
        let cases: [&[f64]; 7] =
            [&[], &[0.0], &[1e-300], &[-1.0, 1e308], &[f64::NAN, f64::INFINITY], &[7.0; 30], &many];
        for case in cases {
            for better in [Better::Less, Better::More] {
                let edge = groups(&[("a", finals(case)), ("b", vec![])], better);
                assert!(distribution("edge", &edge).png().unwrap().len() > 1000, "{case:?}");
            }
        }
    }
}
