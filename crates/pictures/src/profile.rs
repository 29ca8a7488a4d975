//! How fast several solvers reach several targets, relative to the best of them and in numbers.

use crate::axis::ends;
use crate::number::counted;
use crate::{Axis, Line, Mark, Panel, Picture, Scale};

/// The most steps of a line with a mark at each step.
const MARKED: usize = 40;
/// The most characters of a row's name.
const ROW_NAME: usize = 28;

/// Performance profiles, a line for each solver: the share of all `tasks` that it solves at no more than a multiple of
/// the cost of the cheapest solver there. Each solver has a name, and the sorted multiples, at least 1, at which it
/// solves one more task.
///
/// ```
/// use warpswarm_pictures::profile;
/// // Of four targets one is reached soonest by both; each reaches a second one later.
/// let solvers = [("pso".to_string(), vec![1.0, 3.0]), ("de".to_string(), vec![1.0, 1.5])];
/// let picture = profile("which to take", &solvers, 4);
/// assert_eq!(picture.panels[0].lines[0].name, "pso: 2 of 4 reached");
/// ```
pub fn profile(title: &str, solvers: &[(String, Vec<f64>)], tasks: usize) -> Picture {
    let scale = Scale::Log { zero: None };
    let multiples = solvers.iter().flat_map(|solver| &solver.1).copied();
    let most = multiples.filter(|x| x.is_finite()).fold(2.0, f64::max);
    let x = Axis::of("times the least expected running time", scale, [1.0, most].into_iter());
    let end = x.range.1;
    let mut lines = Vec::new();
    for (number, (name, multiples)) in solvers.iter().enumerate() {
        let share = |solved: usize| 100.0 * solved as f64 / tasks.max(1) as f64;
        let places: Vec<f64> = multiples.iter().filter_map(|x| scale.place(*x)).collect();
        let at = |place: f64| share(places.partition_point(|x| *x <= place));
        // The line begins where the solver is the cheapest one, and ends at the edge.
        let mut corners = vec![(0.0, at(0.0))];
        for (solved, &x) in places.iter().enumerate().filter(|(_, x)| **x > 0.0) {
            corners.extend([(x, share(solved)), (x, share(solved + 1))]);
        }
        corners.push((end, share(places.len())));
        let text = format!("{name}: {} of {tasks} reached", places.len());
        let look = Line::numbered(number);
        lines.push(Line { mark: Mark::None, ..look.clone() }.through(corners).named(text));
        let mut marks = places.clone();
        marks.dedup();
        marks.truncate(if marks.len() > MARKED { 1 } else { MARKED });
        let marks = marks.into_iter().map(|x| (x, at(x)));
        lines.push(Line { width: 0, mark_size: 4, ..look }.through(marks));
    }
    let shares = vec![0.0, 25.0, 50.0, 75.0, 100.0];
    let y = Axis::new("share of the targets (%)", (-3.0, 104.0), shares, |y| format!("{y}"));
    Picture {
        title: title.into(),
        notes: vec![format!(
            "line: the share of the {} that it reaches within so many times the least expected running time",
            counted(tasks as u64, "target")
        )],
        has_legend: true,
        columns: 1,
        size: (900, 460),
        panels: vec![Panel { title: String::new(), x, y, areas: Vec::new(), lines }],
    }
}

/// Expected running times, a row for each task with a mark for each solver, which is at the right edge if the time is
/// infinite. Each task has a name, and a number for each solver.
///
/// ```
/// use warpswarm_pictures::running_times;
/// let tasks = [("sphere".to_string(), vec![900.0, 1500.0]), ("levy".to_string(), vec![2e4, f64::INFINITY])];
/// let picture = running_times("How soon", "evaluations", &["pso".into(), "de".into()], &tasks);
/// assert!(picture.svg()?.contains("levy"));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
pub fn running_times(
    title: &str,
    unit: &str,
    solvers: &[String],
    tasks: &[(String, Vec<f64>)],
) -> Picture {
    const APART: f64 = 1.0;
    const WIDER: f64 = 3.0;
    let scale = Scale::Log { zero: None };
    let times = || tasks.iter().flat_map(|task| &task.1).copied();
    // Wide enough to contain ticks.
    let middle = middle(times().filter_map(|time| scale.place(time)));
    let widened = times().chain(middle.into_iter().flat_map(|x| [x / WIDER, x * WIDER]));
    let mut x = Axis::of(format!("expected running time ({unit})"), scale, widened);
    let (low, high) = x.range;
    let never = high + 0.07 * (high - low);
    let has_never = times().any(|time| scale.place(time).is_none());
    let mut areas = Vec::new();
    // Rows from the top down, each with a place for each solver.
    let row = solvers.len() as f64 + 2.0 * APART;
    let top = row * tasks.len().max(1) as f64;
    let mut notes = Vec::new();
    if middle.is_none() {
        x.ticks.clear();
    }
    if has_never {
        x.range.1 = never + 0.04 * (high - low);
        x.ticks.retain(|tick| tick.0 < never - 0.08 * (high - low));
        x.ticks.push((never, "never".into()));
        notes.push("never: no run has reached the target".to_string());
    }
    for number in (0..tasks.len()).step_by(2) {
        let above = top - row * number as f64;
        areas.push(crate::Area::rectangle(
            (x.range.0, above - row),
            (x.range.1, above),
            crate::GRID,
            0.35,
        ));
    }
    let look = |number: usize| Line { width: 0, mark_size: 5, ..Line::numbered(number) };
    let lines = solvers.iter().enumerate().map(|(number, name)| {
        let points = tasks.iter().enumerate().filter_map(|(task, (_, times))| {
            let y = top - row * task as f64 - APART - number as f64 - 0.5;
            let time = times.get(number)?;
            (!time.is_nan()).then(|| (scale.place(*time).unwrap_or(never), y))
        });
        look(number).through(points).named(name.clone())
    });
    let place = |task: usize| top - row * (task as f64 + 0.5);
    let short = |name: &str| match name.chars().count() > ROW_NAME {
        true => name.chars().take(ROW_NAME - 1).chain(['…']).collect(),
        false => name.to_string(),
    };
    let ticks = tasks.iter().enumerate().map(|(task, (name, _))| (place(task), short(name)));
    let y = Axis { name: String::new(), range: (0.0, top), ticks: ticks.collect() };
    let lines = lines.collect();
    Picture {
        title: title.into(),
        notes,
        has_legend: true,
        columns: 1,
        size: (900, 110 + (13.0 * top) as u32),
        panels: vec![Panel { title: String::new(), x, y, areas, lines }],
    }
}

/// The number half way between the least and the greatest of these logarithms.
fn middle(logarithms: impl Iterator<Item = f64>) -> Option<f64> {
    let (low, high) = ends(logarithms)?;
    Some(10_f64.powf(low / 2.0 + high / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(line: &Line) -> Vec<(f64, f64)> {
        line.points.iter().map(|dot| (dot.x, dot.y)).collect()
    }

    #[test]
    fn a_profile_steps_up_at_its_multiples() {
        let solvers =
            [("a".into(), vec![1.0, 1.0, 10.0]), ("b".into(), vec![100.0]), ("c".into(), vec![])];
        let picture = profile("t", &solvers, 4);
        let lines = &picture.panels[0].lines;
        let end = picture.panels[0].x.range.1;
        assert!(end > 2.0);
        assert_eq!(dots(&lines[0]), [(0.0, 50.0), (1.0, 50.0), (1.0, 75.0), (end, 75.0)]);
        assert_eq!(dots(&lines[1]), [(0.0, 50.0), (1.0, 75.0)]);
        assert_eq!(dots(&lines[2]), [(0.0, 0.0), (2.0, 0.0), (2.0, 25.0), (end, 25.0)]);
        assert_eq!(dots(&lines[3]), [(2.0, 25.0)]);
        assert_eq!(dots(&lines[4]), [(0.0, 0.0), (end, 0.0)]);
        let svg = picture.svg().unwrap();
        for text in ["a: 3 of 4 reached", "c: 0 of 4 reached", "share of the targets (%)", "100"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn running_times_have_a_row_for_each_task_and_a_place_for_never() {
        let solvers = ["a".to_string(), "b".to_string()];
        let tasks =
            [("one".into(), vec![100.0, 1000.0]), ("two".into(), vec![f64::INFINITY, f64::NAN])];
        let picture = running_times("t", "evaluations", &solvers, &tasks);
        let panel = &picture.panels[0];
        assert_eq!(dots(&panel.lines[1]), [(3.0, 5.5)]);
        let [hundred, never] = dots(&panel.lines[0])[..] else { panic!("{:?}", panel.lines[0]) };
        assert_eq!((hundred, never.1), ((2.0, 6.5), 2.5));
        assert!(never.0 > 3.0 && panel.x.ticks.contains(&(never.0, "never".into())));
        let svg = picture.svg().unwrap();
        for text in ["one", "two", "never", "expected running time (evaluations)"] {
            assert!(svg.contains(text), "{text}");
        }
        let all = running_times("t", "s", &solvers, &tasks[..1]);
        let near = [("one".into(), vec![11_000.0, 12_000.0])];
        assert!(running_times("t", "s", &solvers, &near).panels[0].x.ticks.len() >= 2);
        assert!(all.notes.is_empty() && !all.svg().unwrap().contains("never"));
    }

    #[test]
    fn edges_can_be_drawn() {
        let many: Vec<f64> = (0..500).map(|i| 1.0 + f64::from(i)).collect();
        for steps in [vec![], vec![1.0; 30], vec![1e300], many] {
            let tasks = steps.len();
            assert!(profile("edge", &[("a".into(), steps)], tasks).png().is_ok());
        }
        assert!(profile("none", &[], 0).png().is_ok());
        for time in [1.0, 0.0, 1e300, f64::INFINITY] {
            let tasks = [("a name of very many letters, all of them".into(), vec![time])];
            assert!(running_times("edge", "s", &["a".into()], &tasks).png().is_ok(), "{time}");
        }
        assert!(running_times("none", "s", &[], &[]).png().is_ok());
    }
}
