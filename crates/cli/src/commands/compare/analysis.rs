//! The statistics of a comparison: for each entrant on each problem, for each pair of entrants, and over all problems.

use warpswarm::Fitness;
use warpswarm_statistics::{
    Profile, Quartiles, expected_running_time, holm, quartiles, rank_sum, superiority,
};

use super::study::Study;
use crate::study::LEVEL;
use crate::study::batch::{Cell, Run};

/// The statistics of all completed runs.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    /// `[problem]`
    pub(crate) tasks: Vec<OfTask>,
    /// `[entrant]`, over the problems on which all entrants have completed their runs.
    pub(crate) overall: Vec<Overall>,
    /// The performance profiles over the same problems and their targets.
    pub(crate) profile: Profile,
    /// The number of these problems.
    pub(crate) complete: usize,
}

/// The statistics of a problem.
#[derive(Clone, Debug)]
pub(crate) struct OfTask {
    /// `[entrant]`; `None` if it has not completed its runs.
    pub(crate) entrants: Vec<Option<OfEntrant>>,
    /// Every pair of entrants that have runs; `first` is the smaller index.
    pub(crate) pairs: Vec<Pair>,
}

/// The statistics of an entrant on a problem.
#[derive(Clone, Debug)]
pub(crate) struct OfEntrant {
    pub(crate) quartiles: Quartiles<Fitness<f64>>,
    pub(crate) targets: Vec<OfTarget>,
    /// Seconds of the batch divided by the number of runs that reached the last target.
    pub(crate) ert_seconds: f64,
    pub(crate) feasible: usize,
    /// The expected rank, from 1, of one of its runs among one run of each entrant.
    pub(crate) rank: f64,
}

/// The statistics of a target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfTarget {
    pub(crate) target: f64,
    /// The number of runs that reached it.
    pub(crate) successes: usize,
    pub(crate) ert_evaluations: f64,
}

/// The comparison of two entrants on a problem.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) p: f64,
    /// The p-value, adjusted by Holm's method over the pairs of this problem.
    pub(crate) adjusted: f64,
    /// The fraction of all pairs of runs in which the first entrant's run is better; ties count half.
    pub(crate) superiority: f64,
}

impl Pair {
    /// The better of the two, if they differ significantly.
    pub(crate) fn better(&self) -> Option<usize> {
        let better = if self.superiority > 0.5 { self.first } else { self.second };
        (self.adjusted <= LEVEL).then_some(better)
    }
}

/// The statistics of an entrant over all problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overall {
    /// The mean rank.
    pub(crate) rank: f64,
    /// The number of pairs in which it is significantly better.
    pub(crate) better: usize,
    pub(crate) worse: usize,
}

/// Computes the statistics from the results, `[problem][entrant]`.
pub(crate) fn analyse(study: &Study, cells: &[Vec<Option<Cell>>]) -> Analysis {
    let targets = study.tasks.iter().map(|task| task.targets.as_slice());
    let tasks: Vec<OfTask> =
        cells.iter().zip(targets).map(|(row, targets)| of_task(row, targets)).collect();
    let complete: Vec<(&OfTask, Vec<&OfEntrant>)> = tasks
        .iter()
        .filter_map(|task| {
            Some((task, task.entrants.iter().map(Option::as_ref).collect::<Option<Vec<_>>>()?))
        })
        .collect();
    let mut overall = vec![Overall::default(); study.entrants.len()];
    let mut costs = Vec::new();
    for (task, entrants) in &complete {
        for (of_all, of_task) in overall.iter_mut().zip(entrants) {
            of_all.rank += of_task.rank / complete.len() as f64;
        }
        for pair in &task.pairs {
            if let Some(better) = pair.better() {
                overall[better].better += 1;
                overall[pair.first + pair.second - better].worse += 1;
            }
        }
        for target in 0..entrants[0].targets.len() {
            costs.push(entrants.iter().map(|of| of.targets[target].ert_evaluations).collect());
        }
    }
    let complete = complete.len();
    Analysis { tasks, overall, profile: Profile::of(&costs), complete }
}

fn of_task(cells: &[Option<Cell>], targets: &[f64]) -> OfTask {
    let measured: Vec<(usize, &[Run])> = cells
        .iter()
        .enumerate()
        .filter_map(|(entrant, cell)| Some((entrant, cell.as_ref()?.runs.as_slice())))
        .collect();
    let mut pairs = Vec::new();
    for (i, &(first, a)) in measured.iter().enumerate() {
        for &(second, b) in &measured[i + 1..] {
            let p = rank_sum(a, b, Run::order);
            let superiority = superiority(a, b, Run::order);
            pairs.push(Pair { first, second, p, adjusted: p, superiority });
        }
    }
    let p: Vec<f64> = pairs.iter().map(|pair| pair.p).collect();
    for (pair, adjusted) in pairs.iter_mut().zip(holm(&p)) {
        pair.adjusted = adjusted;
    }
    // Each other entrant adds the probability that its run is better.
    let rank = |entrant: usize| {
        let before = pairs.iter().map(|pair| match entrant {
            _ if entrant == pair.first => 1.0 - pair.superiority,
            _ if entrant == pair.second => pair.superiority,
            _ => 0.0,
        });
        1.0 + before.sum::<f64>()
    };
    let of = |(entrant, cell): (usize, &Option<Cell>)| {
        of_entrant(cell.as_ref()?, targets, rank(entrant))
    };
    OfTask { entrants: cells.iter().enumerate().map(of).collect(), pairs }
}

fn of_entrant(cell: &Cell, targets: &[f64], rank: f64) -> Option<OfEntrant> {
    let mut bests: Vec<Fitness<f64>> = cell.runs.iter().map(|run| run.best).collect();
    bests.sort_by_key(|best| best.ordered());
    let of_target = |(place, &target): (usize, &f64)| {
        let until = |run: &Run| run.reached[place].unwrap_or(run.evaluations) as f64;
        let successes = cell.runs.iter().filter(|run| run.reached[place].is_some()).count();
        let all = cell.runs.iter().map(until).sum();
        let ert_evaluations = expected_running_time(all, successes);
        OfTarget { target, successes, ert_evaluations }
    };
    let targets: Vec<OfTarget> = targets.iter().enumerate().map(of_target).collect();
    let solved = targets.last().map_or(0, |target| target.successes);
    Some(OfEntrant {
        quartiles: quartiles(&bests, between)?,
        ert_seconds: expected_running_time(cell.seconds, solved),
        feasible: bests.iter().filter(|best| best.violation == 0.0).count(),
        targets,
        rank,
    })
}

/// Interpolates between two results. Between two feasible ones this is a value in between. There is no point between a
/// violation and a value, so the worse result is used.
fn between(better: Fitness<f64>, worse: Fitness<f64>, part: f64) -> Fitness<f64> {
    let value = better.value + (worse.value - better.value) * part;
    match worse.violation == 0.0 && value.is_finite() {
        true => Fitness { violation: 0.0, value },
        false => worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm::{Backend, StopReason};

    fn run(violation: f64, value: f64, evaluations: u64, reached: Option<u64>) -> Run {
        Run {
            run: 0,
            best: Fitness { violation, value },
            evaluations,
            iterations: 0,
            stop_reason: StopReason::Evaluations,
            not_finite: 0,
            reached: vec![reached],
        }
    }

    fn cell(runs: Vec<Run>) -> Option<Cell> {
        let (backend, device) = (Backend::Cpu, String::new());
        Some(Cell { runs, seconds: 6.0, setup_seconds: 1.0, backend, device })
    }

    #[test]
    fn runs_are_ordered_by_target_feasibility_and_value() {
        let in_order = [
            run(0.0, 0.009, 200, Some(200)),
            run(0.0, 0.001, 300, Some(300)),
            run(0.0, 0.5, 1000, None),
            run(0.0, 0.6, 1000, None),
            run(0.1, 0.0, 1000, None),
            run(0.2, 0.0, 1000, None),
            run(0.0, f64::NAN, 1000, None),
        ];
        // NaN is infeasible or worse; the library defines its order among infeasible results.
        for pair in in_order[..6].windows(2) {
            assert!(pair[0].order(&pair[1]).is_lt(), "{pair:?}");
            assert!(pair[1].order(&pair[0]).is_gt(), "{pair:?}");
        }
        assert!(in_order[3].order(&in_order[6]).is_lt());
    }

    /// Three runs of each entrant: the first entrant is better in 7 of 9 pairs and ties in one.
    #[test]
    fn a_task_by_hand() {
        let first = vec![
            run(0.0, 1e-9, 100, Some(100)),
            run(0.0, 1e-9, 300, Some(300)),
            run(0.0, 2.0, 1000, None),
        ];
        let second = vec![
            run(0.0, 1e-9, 300, Some(300)),
            run(0.0, 3.0, 1000, None),
            run(0.5, 0.0, 1000, None),
        ];
        let of = of_task(&[cell(first), cell(second), None], &[1e-8]);
        let [a, b, None] = of.entrants.as_slice() else { panic!("{of:?}") };
        let (a, b) = (a.as_ref().unwrap(), b.as_ref().unwrap());
        assert_eq!((a.targets[0].successes, a.targets[0].ert_evaluations), (2, 700.0));
        assert_eq!((b.targets[0].successes, b.targets[0].ert_evaluations), (1, 2300.0));
        assert_eq!((a.ert_seconds, b.ert_seconds), (3.0, 6.0));
        assert_eq!((a.feasible, b.feasible), (3, 2));
        assert_eq!(b.quartiles.median, Fitness { violation: 0.0, value: 3.0 });
        // Half way between a feasible and an infeasible result is infeasible.
        assert_eq!(b.quartiles.third, Fitness { violation: 0.5, value: 0.0 });
        assert_eq!(a.quartiles.third, Fitness { violation: 0.0, value: (1e-9 + 2.0) / 2.0 });
        let [pair] = of.pairs.as_slice() else { panic!("{:?}", of.pairs) };
        assert!((pair.superiority - 7.5 / 9.0).abs() < 1e-12);
        assert!(
            (a.rank - (1.0 + 1.5 / 9.0)).abs() < 1e-12
                && (b.rank - (1.0 + 7.5 / 9.0)).abs() < 1e-12
        );
        assert_eq!((pair.p, pair.better()), (pair.adjusted, None));
    }
}
