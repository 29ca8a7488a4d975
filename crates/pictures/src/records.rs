//! Records of runs, and their medians and quartiles.

use crate::number::quantile;

/// The best result of a run so far, at an iteration.
///
/// ```
/// use warpswarm_pictures::{Along, Better, Group, Record, curves};
/// // A run that has found nothing feasible yet, and then does.
/// let at = |iteration, violation| Record { iteration, evaluations: 0, seconds: 0.0, value: 7.0, violation };
/// let group = Group { name: "".into(), runs: vec![vec![at(0, 0.5), at(1, 0.0)]] };
/// let (_, curves) = curves(&[group], Along::Iterations, Better::Less);
/// assert_eq!(curves[0].median, [f64::INFINITY, 7.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Iterations since the initial placement.
    pub iteration: u64,
    /// Evaluations of the objective so far.
    pub evaluations: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// The best value so far.
    pub value: f64,
    /// Its violation of constraints, 0 if it is feasible.
    pub violation: f64,
}

/// Runs that are shown together.
///
/// ```
/// use warpswarm_pictures::{Final, Group, Record};
/// let record = |value| Record { iteration: 9, evaluations: 100, seconds: 0.1, value, violation: 0.0 };
/// let group = Group { name: "de".into(), runs: vec![vec![record(3.0), record(1.0)], vec![record(2.0)], vec![]] };
/// let found = |value| Final { value, violation: 0.0 };
/// assert_eq!(group.finals(), [found(1.0), found(2.0)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common; may be empty if there is only one group.
    pub name: String,
    /// The records of each run, in ascending order.
    pub runs: Vec<Vec<Record>>,
}

/// The best result of a run at its end.
///
/// ```
/// use warpswarm_pictures::{Better, Final, Measure};
/// let barred = Final { value: 1.0, violation: 0.25 };
/// assert_eq!(Measure::Value(Better::Less).number(barred), f64::INFINITY);
/// assert_eq!(Measure::Violation.number(barred), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Final {
    /// Its value.
    pub value: f64,
    /// Its violation of constraints, 0 if it is feasible.
    pub violation: f64,
}

/// The horizontal axis of a comparison of runs.
///
/// ```
/// use warpswarm_pictures::Along;
/// let axes = Along::ALL.map(Along::axis);
/// assert_eq!(axes, ["iterations", "evaluations per run", "time (s)"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// Iterations.
    Iterations,
    /// Evaluations of the objective.
    Evaluations,
    /// Seconds.
    Seconds,
}

/// Which values are better.
///
/// ```
/// use warpswarm_pictures::{Along, Better, Group, Record, curves};
/// let record = |value, violation| vec![Record { iteration: 5, evaluations: 60, seconds: 0.0, value, violation }];
/// let group = Group { name: "pso".into(), runs: vec![record(2.0, 0.0), record(3.0, 0.5), record(4.0, 0.0)] };
/// // The run that is not feasible is worse than all others.
/// let median = |better| curves(std::slice::from_ref(&group), Along::Iterations, better).1[0].median[0];
/// assert_eq!((median(Better::Less), median(Better::More)), (4.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The smaller ones.
    Less,
    /// The larger ones: the problem is maximised.
    More,
}

/// The quantity that is compared.
///
/// ```
/// use warpswarm_pictures::{Better, Final, Measure};
/// let [barred, feasible] = [0.5, 0.0].map(|violation| Final { value: 3.0, violation });
/// assert_eq!(Measure::of(&[barred, barred], Better::Less), Measure::Violation);
/// assert_eq!(Measure::of(&[barred, feasible], Better::More), Measure::Value(Better::More));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Values of feasible points.
    Value(Better),
    /// Violations: no run has found a feasible point.
    Violation,
}

/// Median and quartiles of runs. A run that is not feasible yet is worse than all others. If that makes a quartile
/// unknown, the quartile is infinite, and negative if more is better.
///
/// ```
/// use warpswarm_pictures::{Better, Curve, limit};
/// // The first value would leave no room for the others.
/// let median: Vec<f64> = (0..12).map(|i| if i == 0 { 1e9 } else { 6.0 - f64::from(i) }).collect();
/// let x = (0..12).map(f64::from).collect();
/// let curve = Curve { x, lower: median.clone(), upper: median.clone(), median };
/// // From -5 on, twice as far as the others reach.
/// assert_eq!(limit(&[curve], Better::Less), Some(15.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The places along the horizontal axis.
    pub x: Vec<f64>,
    /// The lower quartile at each place.
    pub lower: Vec<f64>,
    /// The median at each place.
    pub median: Vec<f64>,
    /// The upper quartile at each place.
    pub upper: Vec<f64>,
}

/// The most places along a curve.
const PLACES: usize = 400;

impl Along {
    /// All variants.
    pub const ALL: [Along; 3] = [Along::Iterations, Along::Evaluations, Along::Seconds];

    /// The label of an axis.
    pub const fn axis(self) -> &'static str {
        match self {
            Along::Iterations => "iterations",
            Along::Evaluations => "evaluations per run",
            Along::Seconds => "time (s)",
        }
    }

    fn of(self, record: &Record) -> f64 {
        match self {
            Along::Iterations => record.iteration as f64,
            Along::Evaluations => record.evaluations as f64,
            Along::Seconds => record.seconds,
        }
    }
}

impl Measure {
    /// The measure for all groups: violations if no run has a feasible point.
    pub fn of<'a>(bests: impl IntoIterator<Item = &'a Final>, better: Better) -> Measure {
        let mut bests = bests.into_iter().peekable();
        let is_empty = bests.peek().is_none();
        if is_empty || bests.any(|best| best.violation == 0.0) {
            Measure::Value(better)
        } else {
            Measure::Violation
        }
    }

    /// The label of an axis.
    pub const fn axis(self) -> &'static str {
        match self {
            Measure::Value(Better::Less) => "best value",
            Measure::Value(Better::More) => "best value (maximised)",
            Measure::Violation => "constraint violation",
        }
    }

    /// Which numbers are better. Smaller violations always are.
    pub const fn better(self) -> Better {
        match self {
            Measure::Value(better) => better,
            Measure::Violation => Better::Less,
        }
    }

    /// The number to compare; an infinity, which is the worst, if there is none.
    pub fn number(self, best: Final) -> f64 {
        let number = match self {
            Measure::Value(_) if best.violation == 0.0 => best.value,
            Measure::Value(_) => f64::NAN,
            Measure::Violation => best.violation,
        };
        if number.is_nan() { self.worst() } else { number }
    }

    fn worst(self) -> f64 {
        match self.better() {
            Better::Less => f64::INFINITY,
            Better::More => f64::NEG_INFINITY,
        }
    }
}

impl Group {
    /// The final result of each run; runs without a record are left out.
    pub fn finals(&self) -> Vec<Final> {
        let last = |run: &Vec<Record>| {
            run.last().map(|r| Final { value: r.value, violation: r.violation })
        };
        self.runs.iter().filter_map(last).collect()
    }

    fn curve(&self, along: Along, measure: Measure) -> Curve {
        let mut x: Vec<f64> = self.runs.iter().flatten().map(|record| along.of(record)).collect();
        x.retain(|x| x.is_finite());
        x.sort_by(f64::total_cmp);
        x.dedup();
        if x.len() > PLACES {
            // The first, the last, and those nearest to an even spacing between them.
            let last = x[x.len() - 1];
            let at = |i: usize| x[0] + (last - x[0]) * i as f64 / (PLACES - 1) as f64;
            let nearest = |to: f64| x[x.partition_point(|x| *x < to).min(x.len() - 1)];
            let mut spread: Vec<f64> = (0..PLACES).map(|i| nearest(at(i))).collect();
            spread.dedup();
            x = spread;
        }
        let mut places = vec![0; self.runs.len()];
        let mut curve = Curve { x, lower: Vec::new(), median: Vec::new(), upper: Vec::new() };
        for &x in &curve.x {
            let reached = |(run, place): (&Vec<Record>, &mut usize)| {
                while run.get(*place).is_some_and(|record| along.of(record) <= x) {
                    *place += 1;
                }
                let last = place.checked_sub(1).map(|last| run[last]);
                last.map_or(measure.worst(), |r| {
                    measure.number(Final { value: r.value, violation: r.violation })
                })
            };
            let runs = self.runs.iter().zip(&mut places).filter(|(run, _)| !run.is_empty());
            let mut numbers: Vec<f64> = runs.map(reached).collect();
            numbers.sort_by(f64::total_cmp);
            curve.lower.push(quantile(&numbers, 0.25));
            curve.median.push(quantile(&numbers, 0.5));
            curve.upper.push(quantile(&numbers, 0.75));
        }
        curve
    }
}

/// The curve of each group, and the measure that the curves show.
///
/// ```
/// use warpswarm_pictures::{Along, Better, Group, Measure, Record, curves};
/// let record = |value| vec![Record { iteration: 5, evaluations: 60, seconds: 0.0, value, violation: 0.0 }];
/// let group = Group { name: "pso".into(), runs: [1.0, 2.0, 3.0, 4.0, 9.0].map(record).to_vec() };
/// let (measure, curves) = curves(&[group], Along::Evaluations, Better::Less);
/// assert_eq!((measure, curves[0].x[0]), (Measure::Value(Better::Less), 60.0));
/// assert_eq!((curves[0].lower[0], curves[0].median[0], curves[0].upper[0]), (2.0, 3.0, 4.0));
/// ```
pub fn curves(groups: &[Group], along: Along, better: Better) -> (Measure, Vec<Curve>) {
    let finals: Vec<Final> = groups.iter().flat_map(Group::finals).collect();
    let measure = Measure::of(&finals, better);
    (measure, groups.iter().map(|group| group.curve(along, measure)).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn run(values: &[f64], violation: f64) -> Vec<Record> {
        let record = |(i, &value): (usize, &f64)| {
            let iteration = i as u64;
            Record { iteration, evaluations: 10 * iteration, seconds: i as f64, value, violation }
        };
        values.iter().enumerate().map(record).collect()
    }

    fn group(runs: Vec<Vec<Record>>) -> Group {
        Group { name: String::new(), runs }
    }

    #[test]
    fn a_run_that_has_ended_keeps_what_it_found() {
        let runs = group(vec![run(&[8.0, 4.0, 2.0], 0.0), run(&[6.0], 0.0), run(&[7.0, 5.0], 0.0)]);
        let (measure, curves) = curves(&[runs], Along::Evaluations, Better::Less);
        assert_eq!(
            (measure, &curves[0].x[..]),
            (Measure::Value(Better::Less), &[0.0, 10.0, 20.0][..])
        );
        assert_eq!(curves[0].median, [7.0, 5.0, 5.0]);
        assert_eq!(
            (&curves[0].lower[..], &curves[0].upper[..]),
            (&[6.5, 4.5, 3.5][..], &[7.5, 5.5, 5.5][..])
        );
    }

    #[test]
    fn runs_that_are_not_feasible_are_worst() {
        let mut late = run(&[1.0, 3.0], 0.0);
        late[0].violation = 9.0;
        let runs = group(vec![run(&[2.0, 2.0], 0.0), late, run(&[0.0, 0.0], 1.0)]);
        let (_, curves) = curves(&[runs], Along::Iterations, Better::Less);
        assert_eq!(curves[0].median, [f64::INFINITY, 3.0]);
        assert_eq!(curves[0].upper, [f64::INFINITY, f64::INFINITY]);
    }

    #[test]
    fn runs_without_a_value_are_worst_where_more_is_better() {
        let runs = group(vec![run(&[1.0, 3.0], 0.0), run(&[2.0, 5.0], 0.0), run(&[9.0, 9.0], 1.0)]);
        let (measure, curves) = curves(&[runs], Along::Iterations, Better::More);
        assert_eq!(measure, Measure::Value(Better::More));
        assert_eq!(curves[0].lower, [f64::NEG_INFINITY; 2]);
        assert_eq!(
            (&curves[0].median[..], &curves[0].upper[..]),
            (&[1.0, 3.0][..], &[1.5, 4.0][..])
        );
        // Smaller violations are better even then.
        let violated = group(vec![run(&[9.0], 1.0), run(&[9.0], 2.0)]);
        let (measure, _) = super::curves(&[violated], Along::Iterations, Better::More);
        assert_eq!((measure, measure.better()), (Measure::Violation, Better::Less));
    }

    #[test]
    fn violations_are_shown_where_nothing_is_feasible() {
        let runs = group(vec![run(&[1.0, 1.0], 4.0)]);
        let (measure, curves) = curves(&[runs], Along::Seconds, Better::Less);
        assert_eq!((measure, &curves[0].median[..]), (Measure::Violation, &[4.0, 4.0][..]));
    }

    #[test]
    fn curves_have_a_bounded_number_of_places() {
        let values: Vec<f64> = (0..10_000).map(|i| 10_000.0 - f64::from(i)).collect();
        let (_, curves) =
            curves(&[group(vec![run(&values, 0.0)])], Along::Iterations, Better::Less);
        assert_eq!(
            (curves[0].x.len(), curves[0].x[0], curves[0].x[PLACES - 1]),
            (PLACES, 0.0, 9_999.0)
        );
        assert_eq!(curves[0].median[PLACES - 1], 1.0);
    }

    #[test]
    fn no_runs_have_no_curve() {
        let (_, curves) =
            curves(&[group(vec![]), group(vec![vec![]])], Along::Iterations, Better::Less);
        assert!(curves.iter().all(|curve| curve.x.is_empty()));
    }
}
