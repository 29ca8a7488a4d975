//! A comparison as a web page: `--report`.

use serde::Serialize;
use serde_json::{Value, json};
use warpswarm::Fitness;
use warpswarm_pictures::{Better, Final, Finals, Measure};

use super::analysis::OfEntrant;
use super::plot::Compared;
use super::show;
use crate::output::page::page;
use crate::study::entrant::Entrant;
use crate::study::task::Task;

const SCRIPT: &str = include_str!("page.js");

/// The notes below the tables.
const NOTES: &str = "\
Rank: the one expected of one run among one of each entrant's. A quartile that is not feasible is a dash. ERT: all \
evaluations, and all seconds (of the batch, whose runs share the machine), over the runs that reached the target. p: \
against the entrant of the least rank; Wilcoxon's rank sum test, two-sided, normal approximation with ties and \
continuity corrected, with Holm's correction over all pairs on the problem. Runs that reach the target are ordered by \
their evaluations, before all others, which are ordered by violation and value.";

#[derive(Serialize)]
struct Data<'a> {
    groups: Vec<Group<'a>>,
    /// The number of targets of all problems.
    targets: usize,
    overall_columns: [&'static str; 5],
    /// A row for each entrant; empty if no problem is complete.
    overall: Vec<[Value; 5]>,
    columns: [&'static str; 12],
    problems: Vec<Problem<'a>>,
    notes: &'static str,
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
    /// The steps of its performance profile.
    steps: &'a [f64],
    /// Its settings, as text.
    asked: String,
}

#[derive(Serialize)]
struct Problem<'a> {
    name: &'a str,
    title: String,
    /// A row for each entrant that has runs.
    rows: Vec<[Value; 12]>,
    measure: &'static str,
    more_is_better: bool,
    /// `[entrant][run]`; `None` for a run without a feasible and finite value.
    finals: Vec<Vec<Option<f64>>>,
}

/// The complete page.
pub(crate) fn html(compared: Compared<'_>) -> String {
    let Compared { study, analysis, .. } = compared;
    let groups = study.entrants.iter().enumerate().map(|(place, entrant)| Group {
        name: &entrant.name,
        steps: analysis.profile.steps(place),
        asked: asked(entrant),
    });
    let overall = show::by_mean_rank(analysis).into_iter().map(|place| {
        let of = &analysis.overall[place];
        let reached = 100.0 * analysis.profile.part(place, f64::INFINITY);
        let name = &study.entrants[place].name;
        [json!(name), json!(of.rank), json!(of.better), json!(of.worse), json!(reached)]
    });
    let data = Data {
        groups: groups.collect(),
        targets: analysis.profile.tasks(),
        overall_columns: [
            "entrant",
            "mean rank",
            "better than (pairs)",
            "worse than (pairs)",
            "targets reached (%)",
        ],
        overall: if analysis.complete > 0 { overall.collect() } else { Vec::new() },
        columns: [
            "entrant",
            "rank",
            "best",
            "lower quartile",
            "median",
            "upper quartile",
            "worst",
            "feasible runs",
            "runs at the target",
            "ERT",
            "ERT (s)",
            "p",
        ],
        problems: (0..study.tasks.len()).map(|task| problem(compared, task)).collect(),
        notes: NOTES,
    };
    page("warpswarm compare", show::heading(study).trim_end(), &data, SCRIPT)
}

fn problem(compared: Compared<'_>, place: usize) -> Problem<'_> {
    let Compared { study, analysis, .. } = compared;
    let (task, of) = (&study.tasks[place], &analysis.tasks[place]);
    let Finals { better, groups, .. } = compared.finals(place);
    let finals: Vec<Vec<Final>> = groups.into_iter().map(|(_, finals)| finals).collect();
    let measure = Measure::of(finals.iter().flatten(), better);
    let number = |best: &Final| Some(measure.number(*best)).filter(|x| x.is_finite());
    let first = show::in_order(of).first().map_or(0, |(entrant, _)| *entrant);
    let row = |(entrant, of_entrant): (usize, &OfEntrant)| {
        let name = &study.entrants[entrant].name;
        row(name, task, of_entrant, show::against(of, first, entrant))
    };
    Problem {
        name: &task.name,
        title: show::title(task),
        rows: show::in_order(of).into_iter().map(row).collect(),
        measure: measure.axis(),
        more_is_better: measure.better() == Better::More,
        finals: finals.iter().map(|finals| finals.iter().map(number).collect()).collect(),
    }
}

/// Values that are infinite or unknown are null.
fn row(name: &str, task: &Task, of: &OfEntrant, p: Option<f64>) -> [Value; 12] {
    let q = &of.quartiles;
    let value = |at: Fitness<f64>| match at.violation == 0.0 {
        true => json!(show::from_goal(at.value, task)),
        false => Value::Null,
    };
    let last = of.targets.last();
    [
        json!(name),
        json!(of.rank),
        value(q.best),
        value(q.first),
        value(q.median),
        value(q.third),
        value(q.worst),
        json!(of.feasible),
        json!(last.map(|target| target.successes)),
        json!(last.map(|target| target.ert_evaluations)),
        json!(of.ert_seconds),
        json!(p),
    ]
}

fn asked(entrant: &Entrant) -> String {
    let parameters = entrant.algorithm.parameters().into_iter();
    let lines = parameters.map(|(name, value)| format!("{name} = {value}\n"));
    let algorithm = entrant.algorithm.info().id;
    let individuals = match entrant.individuals {
        0 => "as many as suit the dimensions".to_string(),
        individuals => individuals.to_string(),
    };
    format!("algorithm = {algorithm}\nindividuals = {individuals}\n{}", lines.collect::<String>())
}
