//! `warpswarm check`: looks for mistakes in a problem before time is spent on it.

use std::fmt::Write as _;
use std::io::{self, Write};

use warpswarm::{CheckReport, Fitness, Precise, Settings};

use crate::args::CheckArgs;
use crate::failure::{Code, Failure, RUNNING, SUCCESS};
use crate::problem::{Problem, Said};
use crate::shown;

/// The number of points at which the problem is evaluated, including corners of the bounds and the centre.
const POINTS: usize = 1003;
/// The approximate limit on the time for these evaluations, in seconds.
const SECONDS: f64 = 2.0;
/// The population size of the runs that compare CPU and device.
const INDIVIDUALS: u64 = 256;
/// The largest relative difference between f32 and f64 that is not reported.
const NEAR: f64 = 1e-3;
/// The beginning of the finding that derivatives are wrong.
const DERIVATIVES: &str = "derivatives";
/// What else it may mean.
const ROUGH: &str =
    "if the function is rough on purpose, ignore the derivatives, and solve it with --no-polish";

/// Checks a problem and prints the findings.
pub(crate) fn run(args: &CheckArgs) -> Result<Code, Failure> {
    let problem = asked(args)?;
    let mut text = String::new();
    let warnings = [problem.warnings::<f32>(), problem.warnings::<f64>()].concat();
    for warning in &warnings {
        let _ = writeln!(text, "warning     {}", shown::escaped(warning));
    }
    let found = Found::look(&problem)?;
    found.describe(&problem, &mut text);
    let mut doubts = found.doubts();
    if !warnings.is_empty() {
        doubts.insert(0, "the warnings".into());
    }
    let settings =
        Settings { backend: args.backend, individuals: INDIVIDUALS, ..Settings::default() };
    let mut wrong = found.wrong();
    if found.not_finite.0 == found.points {
        // There is nothing to compare.
    } else if found.seconds * 1e5 < SECONDS * 10.0 {
        wrong.extend(device(&problem.check::<f32>(&settings)?, "f32", &mut text));
        wrong.extend(device(&problem.check::<f64>(&settings)?, "f64", &mut text));
    } else {
        // For slow problems this would take minutes.
        let _ = writeln!(
            text,
            "not checked derivatives, and whether CPU and GPU agree: an evaluation takes too long for that"
        );
    }
    let _ = writeln!(text, "verdict     {}", verdict(&wrong, &doubts));
    if wrong.iter().any(|what| what.starts_with(DERIVATIVES)) {
        let _ = writeln!(text, "{:<12}{ROUGH}", "");
    }
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if wrong.is_empty() { SUCCESS } else { RUNNING })
}

/// A summary of the findings in one line.
fn verdict(wrong: &[String], doubts: &[String]) -> String {
    let look = format!("look at {}", doubts.join(", "));
    match (wrong.is_empty(), doubts.is_empty()) {
        (true, true) => "nothing wrong was found".into(),
        (true, false) => format!("no error was found, but {look}"),
        (false, true) => format!("wrong: {}", wrong.join(", ")),
        (false, false) => format!("wrong: {}; also {look}", wrong.join(", ")),
    }
}

/// The problem that the arguments select.
pub(crate) fn asked(args: &CheckArgs) -> Result<Problem, Failure> {
    Problem::of(&args.problem, &Said { dim: args.dim, instance: args.instance, ..Said::default() })
}

/// Describes the comparison of CPU and device; returns the errors that were found.
fn device<R: Precise>(checked: &CheckReport<R>, precision: &str, text: &mut String) -> Vec<String> {
    for (number, line) in checked.to_string().lines().enumerate() {
        let head = if number == 0 { precision } else { "" };
        let _ = writeln!(text, "{head:<12}{line}");
    }
    let differs = checked.difference.is_some() || checked.derivatives.difference.is_some();
    let mut wrong = Vec::new();
    wrong.extend(differs.then(|| format!("CPU and device differ in {precision}")));
    let has_wrong = checked.derivatives.wrong > 0;
    wrong.extend(has_wrong.then(|| format!("{DERIVATIVES} in {precision}")));
    wrong
}

/// The results of the evaluations.
struct Found {
    points: usize,
    /// Seconds for one evaluation in `f64`, on one thread.
    seconds: f64,
    /// The number of feasible points, and the best value of these.
    feasible: usize,
    best: Option<f64>,
    /// For each constraint the number of points that meet it.
    met: Vec<(String, usize)>,
    /// The number of points whose value or violation is not finite, and the first of them.
    not_finite: (usize, Option<Vec<f64>>),
    /// The first feasible point whose value is infinitely good: a run ends there.
    unbounded: Option<Vec<f64>>,
    /// The number of points at which the precisions differ, and the one with the largest difference.
    differ: (usize, Option<Apart>),
}

/// A point at which the precisions differ.
struct Apart {
    by: f64,
    point: Vec<f64>,
    single: Fitness<f64>,
    double: Fitness<f64>,
}

impl Found {
    fn look(problem: &Problem) -> Result<Self, Failure> {
        let points = problem.bounds().points(POINTS)?;
        let start = std::time::Instant::now();
        let mut found = Found {
            points: 0,
            seconds: 0.0,
            feasible: 0,
            best: None,
            met: problem.constraint_names().iter().map(|name| (name.to_string(), 0)).collect(),
            not_finite: (0, None),
            unbounded: None,
            differ: (0, None),
        };
        let mut seconds = 0.0;
        for point in points {
            let begun = std::time::Instant::now();
            let double = problem.fitness(&point);
            seconds += begun.elapsed().as_secs_f64();
            let single: Vec<f32> = point.iter().map(|&x| x as f32).collect();
            let single = problem.fitness_in(&single);
            found.take(problem, point, (single, double));
            if start.elapsed().as_secs_f64() > SECONDS {
                break;
            }
        }
        found.seconds = seconds / found.points.max(1) as f64;
        Ok(found)
    }

    fn take(
        &mut self,
        problem: &Problem,
        point: Vec<f64>,
        (single, double): (Fitness<f64>, Fitness<f64>),
    ) {
        self.points += 1;
        for ((_, met), (_, value)) in self.met.iter_mut().zip(problem.constraints(&point)) {
            *met += usize::from(value <= 0.0);
        }
        if double.violation == 0.0 {
            self.feasible += 1;
            let (better, beyond): (fn(f64, f64) -> f64, _) = match problem.maximises() {
                true => (f64::max, f64::INFINITY),
                false => (f64::min, f64::NEG_INFINITY),
            };
            if double.value == beyond {
                self.unbounded.get_or_insert_with(|| point.clone());
            }
            let best = self.best.map_or(double.value, |best| better(best, double.value));
            self.best = Some(best);
        }
        if !(double.value.is_finite() && double.violation.is_finite()) {
            self.not_finite.0 += 1;
            self.not_finite.1.get_or_insert(point);
            return;
        }
        let apart = |a: f64, b: f64| (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
        let by = apart(single.value, double.value);
        let is_met = |of: Fitness<f64>| of.violation == 0.0;
        // Small differences are ignored. If f32 is not finite, the comparison is false, and the point is reported.
        if by <= NEAR && is_met(single) == is_met(double) {
            return;
        }
        self.differ.0 += 1;
        let by = if by.is_nan() { f64::INFINITY } else { by };
        if self.differ.1.as_ref().is_none_or(|most| most.by < by) {
            self.differ.1 = Some(Apart { by, point, single, double });
        }
    }

    /// Findings that are mistakes.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.not_finite.0 == self.points {
            wrong.push("no value is finite".into());
        }
        wrong
    }

    /// Findings that may be mistakes.
    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let never = self.met.iter().filter(|(_, met)| *met == 0);
        let never: Vec<String> =
            never.map(|(name, _)| format!("`{}`", shown::escaped(name))).collect();
        if !never.is_empty() {
            doubts.push(format!("constraints that no point meets ({})", never.join(", ")));
        } else if self.feasible == 0 && !self.met.is_empty() {
            doubts.push("constraints that no point meets together".into());
        }
        if self.not_finite.0 > 0 && self.not_finite.0 < self.points {
            doubts.push("values that are not finite".into());
        }
        if self.unbounded.is_some() {
            doubts.push("the objective, which is unbounded".into());
        }
        if self.differ.0 > 0 {
            doubts.push("differences between f32 and f64".into());
        }
        doubts
    }

    fn describe(&self, problem: &Problem, text: &mut String) {
        let mut line = |name: &str, what: &str| {
            let _ = writeln!(text, "{name:<12}{}", shown::escaped(what));
        };
        let shown = |point: &[f64]| {
            let all: Vec<String> = point
                .iter()
                .enumerate()
                .take(6)
                .map(|(i, &x)| format!("{} = {}", problem.coordinate(i), problem.shown(i, x)))
                .collect();
            let more = if point.len() > 6 { ", ..." } else { "" };
            format!("({}{more})", all.join(", "))
        };
        let points = self.points;
        line("points", &format!("{points}: the bounds, the centre, and random points"));
        let time = match self.seconds {
            s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
            s => format!("{:.2} ms", s * 1e3),
        };
        line("evaluation", &format!("{time} on a thread, in f64"));
        let best = self.best.filter(|best| !best.is_nan());
        let best = best.map(|best| format!(", the best value of those {best:?}"));
        line("feasible", &format!("{} of {points}{}", self.feasible, best.unwrap_or_default()));
        for (name, met) in &self.met {
            let what = match met {
                0 => format!(
                    "`{name}` is met at none of {points}: it may be impossible, or a thin band"
                ),
                met => format!("`{name}` is met at {met} of {points}"),
            };
            line("constraint", &what);
        }
        if let (count, Some(first)) = &self.not_finite {
            let at = problem.fitness(first);
            line(
                "not finite",
                &format!(
                    "{count} of {points}, the first at {}: value {}, violation {}",
                    shown(first),
                    at.value,
                    at.violation
                ),
            );
        }
        if let Some(point) = &self.unbounded {
            let value = problem.fitness(point).value;
            line("unbounded", &format!("the value is {value} at {}", shown(point)));
        }
        match &self.differ {
            (_, None) if self.not_finite.0 == self.points => {}
            (_, None) => line("f32 and f64", "agree to a thousandth wherever f64 is finite"),
            (count, Some(Apart { point, single, double, .. })) => line(
                "f32 and f64",
                &format!(
                    "differ by more than a thousandth at {count} of {points}, most at {}: value {} and {}, violation {} and {}",
                    shown(point),
                    single.value,
                    double.value,
                    single.violation,
                    double.violation
                ),
            ),
        }
    }
}
