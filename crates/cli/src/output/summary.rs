//! The result of `solve` for people.

use std::fmt;

use warpswarm::{Best, DEFAULT_ITERATIONS, Fitness, Precise, Report, RunReport, StopReason, Swarm};
use warpswarm_islands::Islands;
use warpswarm_pictures::{counted, grouped};

use crate::problem::Problem;
use crate::run::Run;
use crate::shown;

/// The largest number of coordinates of a vector that are all shown.
const ALL_SHOWN: usize = 10;
/// The number of coordinates that are shown of a longer vector.
const SHOWN: usize = 4;

/// The result as a few aligned lines.
pub(crate) struct Summary<'a, R> {
    pub(crate) run: &'a Run,
    pub(crate) report: &'a Report<R>,
    pub(crate) unchanged: Option<Unchanged>,
}

/// The population of the best run has not found a better point for a long time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unchanged {
    /// The iteration in which the best point was found.
    since: u64,
    /// The number of iterations of the run.
    iterations: u64,
}

impl Unchanged {
    /// In shorter runs this carries no information.
    const SHORTEST: u64 = 20;

    /// `Some` if that time is at least half of the iterations, and the run ended because of a limit.
    pub(crate) fn of<R: Precise>(swarms: &[Swarm<R>], report: &Report<R>) -> Option<Unchanged> {
        let best = report.best();
        let place = report.runs.iter().position(|run| std::ptr::eq(&run.best, best))?;
        let (swarm, run) = (swarms.get(place)?, &report.runs[place]);
        let since = match &swarm.earlier {
            Some(earlier) if earlier.stands(swarm.global) => earlier.improved_at,
            _ => swarm.control.improved_at,
        };
        let limits = [StopReason::Iterations, StopReason::Evaluations, StopReason::Seconds];
        let is_long = run.iterations >= Unchanged::SHORTEST && limits.contains(&run.stop_reason);
        let iterations = run.iterations;
        (is_long && since <= iterations / 2).then_some(Unchanged { since, iterations })
    }
}

impl fmt::Display for Unchanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [since, all] = [self.since, self.iterations].map(|n| grouped(n as f64, 0));
        write!(f, "since iteration {since} of {all}")
    }
}

impl<R: Precise> fmt::Display for Summary<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { run, report, unchanged } = self;
        let mut line = |name: &str, text: &dyn fmt::Display| {
            writeln!(f, "{name:<12}{}", shown::escaped(&text.to_string()))
        };
        let dimensions = counted(run.problem.dimensions() as u64, "dimension");
        let maximised = if report.maximised { ", maximised" } else { "" };
        let instance = run.problem.instance().map(|number| format!(", instance {number}"));
        let instance = instance.unwrap_or_default();
        line("problem", &format!("{}, {dimensions}{instance}{maximised}", run.problem.id()))?;
        let algorithm = algorithms(run);
        let precision = R::PRECISION;
        line("algorithm", &format!("{algorithm}, {precision}, seed {}", run.settings.seed))?;
        if let Some(because) = &run.because {
            line("", because)?;
        }
        if let Some(islands) = &run.islands {
            line("islands", &exchange(islands))?;
        }

        let best = report.best();
        line("best value", &format!("{:?}", best.value))?;
        if best.violation != R::ZERO {
            line("violation", &format!("{:?}, not feasible", best.violation))?;
        }
        if report.runs.iter().any(|run| run.stop_reason == StopReason::Unbounded) {
            let below = if report.maximised { "above" } else { "below" };
            let text = format!(
                "the objective is unbounded {below} at this point; bound the variables away from it, or check the formula"
            );
            line("", &text)?;
        }
        if let Some(again) = in_f64(&run.problem, best) {
            line("in f64", &again)?;
        }
        let shown = |i: usize| run.problem.shown(i, best.position[i]);
        let names = run.problem.coordinate_names();
        let (point, is_whole) = point(best.position.len(), &names, &shown);
        line("position", &point)?;
        if !is_whole {
            line("", &"all coordinates: --json FILE, or --out FOLDER")?;
        }
        let lets = run.problem.let_values(&best.position);
        if !lets.is_empty() {
            line("let", &named(&lets))?;
        }
        if report.runs.len() > 1 {
            line("all runs", &spread(report))?;
        }
        let stopped = reasons(report.runs.iter().map(|run| run.stop_reason));
        let (limit, missed) = (default_limit(run, report), missed_target(run, report));
        line("stopped by", &format!("{stopped}{limit}{missed}"))?;

        let evaluations: u64 = report.runs.iter().map(|run| run.evaluations).sum();
        let iterations = report.runs.iter().map(|run| run.iterations).max().unwrap_or(0);
        let iterations = counted(iterations, "iteration");
        let restarts: u64 = report.runs.iter().map(|run| run.restarts).sum();
        let anew = (restarts > 0).then(|| format!(", {}", counted(restarts, "restart")));
        let evaluations = counted(evaluations, "evaluation");
        line("work", &format!("{iterations}, {evaluations}{}", anew.unwrap_or_default()))?;
        if let Some(unchanged) = unchanged {
            line("unchanged", unchanged)?;
        }
        if let Some(polish) = polished(report) {
            line("polish", &polish)?;
        }
        let not_finite: u64 = report.runs.iter().map(|run| run.not_finite).sum();
        if not_finite > 0 {
            line("not finite", &counted(not_finite, "evaluation"))?;
        }
        let (done, setup) = (seconds(report.seconds), seconds(report.setup_seconds));
        let polish = (report.runs.iter().any(|run| run.polish.is_some()))
            .then(|| format!(", {} to polish", seconds(report.polish_seconds)));
        line("time", &format!("{done}{}, and {setup} to set up", polish.unwrap_or_default()))?;
        let schedule = report.schedule().map(|s| format!(", schedule {s}")).unwrap_or_default();
        line("ran on", &format!("{}: {}{schedule}", report.backend, report.device))
    }
}

/// The effect of the local search on the best run: the value from which it started, and its cost.
fn polished<R: Precise>(report: &Report<R>) -> Option<String> {
    let best = report.best();
    let run = report.runs.iter().find(|run| std::ptr::eq(&run.best, best))?;
    let polish = run.polish?;
    let Fitness { value, violation } = polish.from;
    let from = match violation == R::ZERO {
        _ if (value, violation) == (best.value, best.violation) => "nothing better".to_string(),
        true => format!("from {value:?}"),
        false => format!("from {value:?}, not feasible,"),
    };
    let steps = counted(polish.steps, "step");
    let calls = counted(polish.evaluations, "evaluation");
    Some(format!("{from} in {steps}, {calls}, {}", counted(polish.gradients, "gradient")))
}

/// The coordinates with their names, and whether all are shown: of a long vector only the first ones are.
pub(crate) fn position<R: Precise>(position: &[R], names: &[impl AsRef<str>]) -> (String, bool) {
    point(position.len(), names, &|i| format!("{:?}", position[i]))
}

/// The same for coordinates that `number` formats.
fn point(
    dimensions: usize,
    names: &[impl AsRef<str>],
    number: &dyn Fn(usize) -> String,
) -> (String, bool) {
    // The elements `x[1]`, `x[2]` and so on of a vector have the same name before the bracket.
    let vector = |i: usize| names.get(i).and_then(|name| Some(name.as_ref().split_once('[')?.0));
    let is_single = |i: usize| names.get(i).is_some() && vector(i).is_none();
    let mut shown: Vec<String> = Vec::new();
    let (mut start, mut is_whole) = (0, true);
    while start < dimensions {
        let same = |&i: &usize| !is_single(i) && !is_single(start) && vector(i) == vector(start);
        let len = 1 + (start + 1..dimensions).take_while(same).count();
        let count = if len <= ALL_SHOWN { len } else { SHOWN };
        shown.extend((start..start + count).map(|i| match names.get(i) {
            Some(name) => format!("{} = {}", name.as_ref(), number(i)),
            None => number(i),
        }));
        if count < len {
            is_whole = false;
            let of = vector(start).map_or(String::new(), |name| format!(" of {name}"));
            shown.push(format!("and {}{of}", counted((len - count) as u64, "more coordinate")));
        }
        start += len;
    }
    (format!("({})", shown.join(", ")), is_whole)
}

/// Numbers with their names. Of many only the first ones are shown.
fn named<R: Precise>(numbers: &[(&str, R)]) -> String {
    let count = if numbers.len() <= ALL_SHOWN { numbers.len() } else { SHOWN };
    let shown = numbers[..count].iter().map(|(name, number)| format!("{name} = {number:?}"));
    let mut shown: Vec<String> = shown.collect();
    if count < numbers.len() {
        shown.push(format!("and {} more: --json FILE, or --out FOLDER", numbers.len() - count));
    }
    shown.join(", ")
}

/// Value and violation at the best point in f64, if they differ by more than rounding in f32 explains.
fn in_f64<R: Precise>(problem: &Problem, best: &Best<R>) -> Option<String> {
    let again = problem.again_in_f64(best)?;
    let here = [best.value, best.violation].map(|number| number.to_f64());
    let differs = |a: f64, b: f64| (a - b).abs() > F32_EXPLAINS * a.abs().max(b.abs());
    let is_met = |violation: f64| violation == 0.0;
    let is_worth_it = differs(here[0], again.value)
        || differs(here[1], again.violation)
        || is_met(here[1]) != is_met(again.violation);
    is_worth_it.then(|| match is_met(again.violation) {
        true => format!("value {:?}", again.value),
        false => format!("value {:?}, violation {:?}, not feasible", again.value, again.violation),
    })
}

/// The largest relative difference that rounding errors of a long sum in f32 explain.
const F32_EXPLAINS: f64 = 1e-4;

/// The names of the algorithms; islands use them in turn.
pub(crate) fn algorithms(run: &Run) -> String {
    let Some(islands) = &run.islands else {
        return run.algorithm.info().id.into();
    };
    let ids = islands.inhabitants.iter().map(|inhabitants| inhabitants.algorithm.info().id);
    ids.collect::<Vec<_>>().join(", ")
}

/// The description of the migration between islands.
fn exchange(islands: &Islands) -> String {
    let Islands { count, topology, every, migrants, selection, replacement, .. } = islands;
    let every = counted(*every, "iteration");
    format!(
        "{count}, {topology}; every {every} {migrants} ({}) in place of the {}",
        selection.name(),
        replacement.name()
    )
}

/// The best, median and worst value of several runs.
fn spread<R: Precise>(report: &Report<R>) -> String {
    let turned = |value: R| if report.maximised { -value } else { value };
    let runs = &report.runs;
    let mut bests: Vec<Fitness<R>> = runs
        .iter()
        .map(|run| Fitness { violation: run.best.violation, value: run.best.value })
        .collect();
    bests.sort_by_key(|best| Fitness { value: turned(best.value), ..*best }.ordered());
    let all = [bests[0], bests[(bests.len() - 1) / 2], bests[bests.len() - 1]];
    let [best, median, worst] = all.map(|of| match of.violation == R::ZERO {
        true => format!("{:?}", of.value),
        false => format!("not feasible (violation {:?})", of.violation),
    });
    let infeasible = match bests.iter().filter(|best| best.violation != R::ZERO).count() {
        0 => String::new(),
        n => format!("; {n} not feasible"),
    };
    let runs = counted(runs.len() as u64, "run");
    format!("{runs}: best {best}, median {median}, worst {worst}{infeasible}")
}

/// The reasons for stopping; for several runs each with the number of runs.
pub(crate) fn reasons(of: impl Iterator<Item = StopReason>) -> String {
    let all: Vec<StopReason> = of.collect();
    let counts = StopReason::ALL.iter().filter_map(|reason| {
        match all.iter().filter(|other| *other == reason).count() {
            0 => None,
            n if n == all.len() => Some(reason.to_string()),
            n => Some(format!("{reason} ({})", counted(n as u64, "run"))),
        }
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// The default limit of iterations, if it has ended a run.
fn default_limit<R: Precise>(run: &Run, report: &Report<R>) -> String {
    let stop = &run.settings.stop;
    let is_limited =
        stop.evaluations.is_some() || stop.seconds.is_some() || stop.stagnation.is_some();
    let is_default = stop.iterations.is_none() && !is_limited;
    let is_reason = report.runs.iter().any(|run| run.stop_reason == StopReason::Iterations);
    match is_default && is_reason {
        true => {
            format!("; the default limit is {} iterations", grouped(DEFAULT_ITERATIONS as f64, 0))
        }
        false => String::new(),
    }
}

/// The target, if there is one and no run has reached it, not even by its local search.
fn missed_target<R: Precise>(run: &Run, report: &Report<R>) -> String {
    let Some(target) = run.settings.stop.target else { return String::new() };
    let meets = |run: &RunReport<R>| {
        let (value, violation) = (run.best.value.to_f64(), run.best.violation);
        let is_there = if report.maximised { value >= target } else { value <= target };
        run.stop_reason == StopReason::Target || (violation == R::ZERO && is_there)
    };
    match report.runs.iter().any(meets) {
        true => String::new(),
        false => format!("; target {target:?} not reached"),
    }
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_are_abbreviated() {
        let shown = |x: &[f32], names: &[&str]| position(x, names);
        let is = |text: &str, is_whole| (text.to_string(), is_whole);
        assert_eq!(shown(&[1.0], &[]), is("(1.0)", true));
        assert_eq!(shown(&[1.0, -2.5, 0.0, 1e-7], &[]), is("(1.0, -2.5, 0.0, 1e-7)", true));
        let many = "(0.5, 0.5, 0.5, 0.5, and 26 more coordinates)";
        assert_eq!(shown(&[0.5; 30], &[]), is(many, false));
        let six = ["a", "b", "c", "d", "e", "f"];
        let all = "(a = 1.0, b = 1.0, c = 1.0, d = 1.0, e = 1.0, f = 1.0)";
        assert_eq!(shown(&[1.0; 6], &six), is(all, true));
        let mut names: Vec<String> = (1..=11).map(|i| format!("x[{i}]")).collect();
        names.splice(0..0, ["a".to_string()]);
        names.push("b".into());
        let text = "(a = 2.0, x[1] = 2.0, x[2] = 2.0, x[3] = 2.0, x[4] = 2.0, and 7 more coordinates of x, b = 2.0)";
        assert_eq!(position(&[2.0_f32; 13], &names), is(text, false));
    }

    #[test]
    fn seconds_read_well() {
        assert_eq!(seconds(12e-6), "12 µs");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(1.234), "1.23 s");
        assert_eq!(seconds(1234.5), "1234 s");
    }
}
