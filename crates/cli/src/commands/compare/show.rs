//! The tables of a comparison.

use warpswarm::Fitness;
use warpswarm_pictures::counted;

use super::analysis::{Analysis, OfEntrant, OfTarget, OfTask};
use super::study::Study;
use crate::output::table::{Table, expected, p_value, short};
use crate::study::batch::Cell;
use crate::study::conditions::Conditions;
use crate::study::task::Task;

/// The multiples of the smallest cost at which the profiles are shown.
const TIMES: [f64; 5] = [1.0, 2.0, 5.0, 10.0, 100.0];

/// The heading above the tables.
pub(crate) fn heading(study: &Study) -> String {
    let Conditions { runs, evaluations, seed, precision, .. } = study.conditions;
    let (runs, evaluations) = (counted(runs, "run"), counted(evaluations, "evaluation"));
    format!("{runs} of at most {evaluations}, in {precision}, of seed {seed}\n\n")
}

/// The notes below the tables.
pub(crate) const NOTES: &str = "\
Rows are in the order of `rank`, the one expected of one run among one of each entrant's. Values in
parentheses are violations, of runs that are not feasible. `ERT`: all evaluations, and all seconds
(of the batch, whose runs share the machine), over the runs that reached the target. `p`: against
the first row; Wilcoxon's rank sum test, two-sided, normal approximation with ties and continuity
corrected, with Holm's correction over all pairs on the problem. Runs that reach the target are
ordered by their evaluations, before all others, which are ordered by violation and value.
";

/// A table for each problem, and one over all problems.
pub(crate) fn tables(
    study: &Study,
    cells: &[Vec<Option<Cell>>],
    analysis: &Analysis,
) -> Vec<Table> {
    let mut tables = Vec::new();
    for ((task, of), cells) in study.tasks.iter().zip(&analysis.tasks).zip(cells) {
        if cells.iter().any(Option::is_some) {
            tables.push(of_problem(study, task, of));
        }
    }
    if analysis.complete > 0 {
        tables.push(overall(study, analysis));
    }
    tables
}

fn of_problem(study: &Study, task: &Task, of: &OfTask) -> Table {
    let order = in_order(of);
    let first = order.first().map_or(0, |(entrant, _)| *entrant);
    let head =
        ["entrant", "best", "quartile", "median", "quartile", "worst", "reached", "ERT", "ERT s"];
    let head = head.into_iter().chain(["rank", "p"]).map(String::from).collect();
    let row = |&(entrant, of_entrant): &(usize, &OfEntrant)| {
        let q = &of_entrant.quartiles;
        let mut row = vec![study.entrants[entrant].name.clone()];
        row.extend([q.best, q.first, q.median, q.third, q.worst].map(|at| fitness(at, task)));
        let last = of_entrant.targets.last();
        let of_runs = |target: &OfTarget| format!("{}/{}", target.successes, study.conditions.runs);
        row.push(last.map_or("-".into(), of_runs));
        row.push(expected(last.map_or(f64::INFINITY, |target| target.ert_evaluations)));
        row.push(expected(of_entrant.ert_seconds));
        row.push(format!("{:.2}", of_entrant.rank));
        row.push(against(of, first, entrant).map_or("-".into(), p_value));
        row
    };
    Table { title: title(task), head, rows: order.iter().map(row).collect() }
}

/// The entrants that have runs on a problem, ordered by rank.
pub(crate) fn in_order(of: &OfTask) -> Vec<(usize, &OfEntrant)> {
    let entrants = of.entrants.iter().enumerate();
    let mut order: Vec<_> =
        entrants.filter_map(|(entrant, of)| Some((entrant, of.as_ref()?))).collect();
    order.sort_by(|a, b| a.1.rank.total_cmp(&b.1.rank));
    order
}

/// The p-value of two entrants, adjusted by Holm's method.
pub(crate) fn against(of: &OfTask, first: usize, entrant: usize) -> Option<f64> {
    let both = (first.min(entrant), first.max(entrant));
    let pair = of.pairs.iter().find(|pair| (pair.first, pair.second) == both);
    pair.map(|pair| pair.adjusted)
}

/// The title of a problem's table.
pub(crate) fn title(task: &Task) -> String {
    let name = &task.name;
    let dimensions = counted(task.problem.dimensions() as u64, "dimension");
    let target = match task.targets.last() {
        Some(target) => format!("target {:e}", task.shown(*target)),
        None => "no target is given: best values are compared".into(),
    };
    let from = match task.goal {
        Some(goal) if goal != 0.0 => format!("; values are counted from {}", task.turned(goal)),
        _ => String::new(),
    };
    let maximised = if task.problem.maximises() { ", maximised" } else { "" };
    format!("{name}, {dimensions}{maximised}, {target}{from}")
}

fn overall(study: &Study, analysis: &Analysis) -> Table {
    let order = by_mean_rank(analysis);
    let mut head: Vec<String> =
        ["entrant", "mean rank", "better", "worse"].map(String::from).into();
    head.extend(TIMES.map(|times| format!("<= {times}x")));
    head.push("reached".into());
    let percent = |part: f64| match analysis.profile.tasks() {
        0 => "-".into(),
        _ => format!("{:.0} %", 100.0 * part),
    };
    let row = |&entrant: &usize| {
        let of = &analysis.overall[entrant];
        let mut row = vec![study.entrants[entrant].name.clone(), format!("{:.2}", of.rank)];
        row.extend([of.better, of.worse].map(|pairs| pairs.to_string()));
        row.extend(TIMES.map(|times| percent(analysis.profile.part(entrant, times))));
        row.push(percent(analysis.profile.part(entrant, f64::INFINITY)));
        row
    };
    Table {
        title: format!(
            "{}: mean rank; pairs in which p <= 0.05; targets reached at so many times the least ERT",
            counted(analysis.complete as u64, "problem")
        ),
        head,
        rows: order.iter().map(row).collect(),
    }
}

/// The entrants, ordered by mean rank.
pub(crate) fn by_mean_rank(analysis: &Analysis) -> Vec<usize> {
    let mut order: Vec<usize> = (0..analysis.overall.len()).collect();
    order.sort_by(|&a, &b| analysis.overall[a].rank.total_cmp(&analysis.overall[b].rank));
    order
}

/// The distance of a value from the goal, or the value itself if there is none.
pub(crate) fn from_goal(value: f64, task: &Task) -> f64 {
    task.goal.map_or(task.turned(value), |goal| value - goal)
}

/// The same for a result; the violation in parentheses if it is infeasible.
fn fitness(fitness: Fitness<f64>, task: &Task) -> String {
    match fitness.violation == 0.0 {
        true => short(from_goal(fitness.value, task)),
        false => format!("({})", short(fitness.violation)),
    }
}
