//! The costs with which several solvers reach several targets.

/// Performance profiles: for each solver the fraction of tasks that it solves at no more than some multiple of the cost
/// of the cheapest solver for that task.
///
/// A task is a problem with a target. Tasks that no solver solves are included in the number of tasks.
///
/// **Source.** E. Dolan, J. Moré, "Benchmarking optimization software with performance profiles", Mathematical
/// Programming 91, 2002.
///
/// ```
/// use warpswarm_statistics::Profile;
/// // Two solvers, and four targets; the second solver does not reach the last.
/// let never = f64::INFINITY;
/// let profile = Profile::of(&[vec![100.0, 200.0], vec![100.0, 50.0], vec![300.0, 100.0], vec![100.0, never]]);
/// assert_eq!((profile.part(0, 1.0), profile.part(1, 1.0)), (0.5, 0.5));
/// assert_eq!((profile.part(0, 3.0), profile.part(1, 3.0)), (1.0, 0.75));
/// assert_eq!(profile.steps(1), [1.0, 1.0, 2.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// `[solver][task]`: the cost divided by the smallest cost of the task; infinite if the task is not solved. Each
    /// solver's ratios are sorted.
    ratios: Vec<Vec<f64>>,
}

impl Profile {
    /// The profiles from costs, `[task][solver]`: positive, infinite if a solver does not solve the task; with the same
    /// number of solvers in each task.
    ///
    /// ```
    /// use warpswarm_statistics::Profile;
    /// let alone = Profile::of(&[vec![10.0], vec![f64::INFINITY]]);
    /// assert_eq!((alone.tasks(), alone.part(0, 1e9)), (2, 0.5));
    /// ```
    pub fn of(costs: &[Vec<f64>]) -> Profile {
        let solvers = costs.first().map_or(0, Vec::len);
        let least = |task: &Vec<f64>| task.iter().copied().fold(f64::INFINITY, f64::min);
        let ratio = |task: &Vec<f64>, solver: usize| match task[solver] {
            cost if cost < f64::INFINITY => cost / least(task),
            _ => f64::INFINITY,
        };
        let of = |solver| {
            let mut ratios: Vec<f64> = costs.iter().map(|task| ratio(task, solver)).collect();
            ratios.sort_by(f64::total_cmp);
            ratios
        };
        Profile { ratios: (0..solvers).map(of).collect() }
    }

    /// The fraction of all tasks that a solver solves at no more than `times` the smallest cost, 0 to 1.
    pub fn part(&self, solver: usize, times: f64) -> f64 {
        let ratios = self.ratios(solver);
        let solved = ratios.partition_point(|ratio| *ratio <= times && ratio.is_finite());
        solved as f64 / ratios.len().max(1) as f64
    }

    /// The number of tasks.
    pub fn tasks(&self) -> usize {
        self.ratios.first().map_or(0, Vec::len)
    }

    /// A solver's ratios for the tasks that it solves, sorted: the steps of its profile.
    pub fn steps(&self, solver: usize) -> &[f64] {
        let ratios = self.ratios(solver);
        &ratios[..ratios.partition_point(|ratio| ratio.is_finite())]
    }

    /// A solver's ratios. Without tasks the number of solvers is unknown, and the result is empty.
    fn ratios(&self, solver: usize) -> &[f64] {
        self.ratios.get(solver).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        const NEVER: f64 = f64::INFINITY;
        let costs = [[100.0, 200.0], [300.0, 100.0], [NEVER, 50.0], [NEVER, NEVER]];
        let profile = Profile::of(&costs.map(|task| task.to_vec()));
        assert_eq!(profile.steps(0), [1.0, 3.0]);
        assert_eq!(profile.steps(1), [1.0, 1.0, 2.0]);
        assert_eq!(
            [1.0, 2.9, 3.0, NEVER].map(|times| profile.part(0, times)),
            [0.25, 0.25, 0.5, 0.5]
        );
        assert_eq!(
            [0.9, 1.0, 2.0, NEVER].map(|times| profile.part(1, times)),
            [0.0, 0.5, 0.75, 0.75]
        );
        let none = Profile::of(&[]);
        assert_eq!((none.tasks(), none.part(1, 2.0), none.steps(1)), (0, 0.0, &[][..]));
    }
}
