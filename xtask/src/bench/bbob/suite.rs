//! COCO's noiseless BBOB suite: its problems, their groups, and the targets of a run.

use std::ops::RangeInclusive;

/// Evaluations of a run per dimension.
pub(super) const EVALUATIONS: u64 = 10_000;
/// The number of COCO's targets.
pub(super) const TARGETS: usize = 51;
const FUNCTIONS: u32 = 24;

/// The groups of the suite's functions.
pub(super) const GROUPS: [Group; 5] = [
    Group { name: "separable", functions: 1..=5 },
    Group { name: "moderate", functions: 6..=9 },
    Group { name: "ill-conditioned", functions: 10..=14 },
    Group { name: "multimodal", functions: 15..=19 },
    Group { name: "weak structure", functions: 20..=24 },
];

/// Functions with the same kind of difficulty.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) functions: RangeInclusive<u32>,
}

/// A problem: an instance of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Case {
    pub(super) function: u32,
    pub(super) instance: u32,
    pub(super) dimensions: usize,
}

impl Case {
    /// The number of evaluations of a run.
    pub(super) fn budget(self) -> u64 {
        EVALUATIONS * self.dimensions as u64
    }
}

/// All problems. The slowest ones come first, so that no thread starts one of them at the end.
pub(super) fn cases(dimensions: &[usize], instances: u32) -> Vec<Case> {
    let mut dimensions = dimensions.to_vec();
    dimensions.sort_unstable_by(|a, b| b.cmp(a));
    dimensions.dedup();
    let mut cases = Vec::new();
    for dimensions in dimensions {
        for function in 1..=FUNCTIONS {
            let of = |instance| Case { function, instance, dimensions };
            cases.extend((1..=instances).map(of));
        }
    }
    cases
}

/// Target `i`, above the minimum of the function: from 100 down to 1e-8, with five targets per power of ten.
pub(super) fn target(i: usize) -> f64 {
    10_f64.powf(2.0 - 0.2 * i as f64)
}

/// Records the evaluation at which a run reaches each target. The values come in the order of evaluation.
#[derive(Clone, Debug)]
pub(super) struct Log {
    least: f64,
    most: u64,
    evaluations: u64,
    hits: Vec<u64>,
}

impl Log {
    /// A log for a function with the minimum `least`, and a run of at most `most` evaluations; later ones are ignored.
    pub(super) fn new(least: f64, most: u64) -> Self {
        Log { least, most, evaluations: 0, hits: Vec::new() }
    }

    /// The value of the last target.
    pub(super) fn end(&self) -> f64 {
        self.least + target(TARGETS - 1)
    }

    /// Records the value of the next evaluation.
    pub(super) fn note(&mut self, value: f64) {
        if self.evaluations == self.most || self.hits.len() == TARGETS {
            return;
        }
        self.evaluations += 1;
        while self.hits.len() < TARGETS && value <= self.least + target(self.hits.len()) {
            self.hits.push(self.evaluations);
        }
    }

    /// The number of evaluations until the end of the run, and the evaluation at which each target was reached.
    pub(super) fn ended(self) -> (u64, Vec<u64>) {
        (self.evaluations, self.hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_in_one_group() {
        for function in 1..=FUNCTIONS {
            let of = |group: &&Group| group.functions.contains(&function);
            assert_eq!(GROUPS.iter().filter(of).count(), 1, "f{function}");
        }
        assert!(!GROUPS.iter().any(|group| group.functions.contains(&(FUNCTIONS + 1))));
    }

    #[test]
    fn the_longest_runs_come_first() {
        let cases = cases(&[2, 5, 2], 3);
        assert_eq!(cases.len(), 2 * 24 * 3);
        assert_eq!((cases[0].dimensions, cases[143].dimensions), (5, 2));
        assert_eq!(cases[71], Case { function: 24, instance: 3, dimensions: 5 });
        assert_eq!(cases[143].budget(), 20_000);
    }

    #[test]
    fn targets_are_fifths_of_powers_of_ten() {
        assert_eq!([0, 10, 50].map(target), [100.0, 1.0, 1e-8]);
        assert!((target(1) - 63.095_734_448_019_33).abs() < 1e-12);
    }

    #[test]
    fn a_target_is_reached_by_the_first_value_at_or_below_it() {
        let mut log = Log::new(-5.0, 100);
        for value in [f64::NAN, 96.0, 95.0, 200.0, 5.0, 5.5] {
            log.note(value);
        }
        // 96 is 101 above the minimum, no target; 95 reaches the first one; 5 is 10 above, and reaches the next five at
        // once.
        assert_eq!(log.clone().ended(), (6, vec![3, 5, 5, 5, 5, 5]));
        log.note(-5.0);
        log.note(-5.0);
        let (evaluations, hits) = log.ended();
        assert_eq!((evaluations, hits.len(), hits[50]), (7, TARGETS, 7));
    }

    #[test]
    fn what_is_beyond_the_budget_does_not_count() {
        let mut log = Log::new(0.0, 2);
        for value in [1e3, 100.0, 0.0] {
            log.note(value);
        }
        assert_eq!(log.end(), 1e-8);
        assert_eq!(log.ended(), (2, vec![2]));
    }
}
