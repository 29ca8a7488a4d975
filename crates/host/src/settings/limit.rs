//! The iteration at which the limits of iterations and evaluations end all runs.

use super::reason::StopReason;
use super::{DEFAULT_ITERATIONS, MAX_ITERATIONS, Stop};

/// The iteration at which all runs end, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) iterations: u64,
    pub(crate) reason: StopReason,
}

impl Limit {
    /// `evaluations` returns the evaluations of a run up to the end of an iteration. It returns `None` if the number
    /// differs between iterations; then the engine checks the limit.
    pub(crate) fn new(stop: &Stop, evaluations: impl Fn(u64) -> Option<u64>) -> Self {
        let endless = stop.seconds.is_none() && stop.stagnation.is_none();
        let unsaid = stop.evaluations.is_none() && endless;
        let default = if unsaid { DEFAULT_ITERATIONS } else { MAX_ITERATIONS };
        let iterations = stop.iterations.unwrap_or(default);
        let within = |limit: u64| {
            let fits = |iterations| evaluations(iterations).is_some_and(|all| all <= limit);
            evaluations(0).map(|_| last_that(fits))
        };
        match stop.evaluations.and_then(within) {
            Some(fewer) if fewer < iterations => {
                Limit { iterations: fewer, reason: StopReason::Evaluations }
            }
            _ => Limit { iterations, reason: StopReason::Iterations },
        }
    }

    /// The iteration, if there is a limit.
    pub(crate) fn given(self) -> Option<u64> {
        (self.iterations < MAX_ITERATIONS).then_some(self.iterations)
    }
}

/// The largest number of iterations that fits, up to the allowed maximum. 0 fits, and after the first number that does
/// not fit, no larger one does.
fn last_that(fits: impl Fn(u64) -> bool) -> u64 {
    let (mut good, mut bad) = (0, MAX_ITERATIONS + 1);
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_limit_wins() {
        let limit = |stop: Stop| {
            let limit = Limit::new(&stop, |iterations| Some(10 * (iterations + 1)));
            (limit.given(), limit.reason)
        };
        assert_eq!(limit(Stop::default()), (Some(1000), StopReason::Iterations));
        assert_eq!(limit(Stop::target(0.0)), (Some(1000), StopReason::Iterations));
        assert_eq!(limit(Stop::seconds(1.0)), (None, StopReason::Iterations));
        assert_eq!(limit(Stop::stagnation(9)), (None, StopReason::Iterations));
        assert_eq!(limit(Stop::evaluations(10)), (Some(0), StopReason::Evaluations));
        assert_eq!(limit(Stop::evaluations(39)), (Some(2), StopReason::Evaluations));
        assert_eq!(limit(Stop::evaluations(40)), (Some(3), StopReason::Evaluations));
        let both = |iterations| Stop::evaluations(40).or_iterations(iterations);
        assert_eq!(limit(both(3)), (Some(3), StopReason::Iterations));
        assert_eq!(limit(both(4)), (Some(3), StopReason::Evaluations));
        // Several attempts per iteration: 10 evaluations, then 20 in each iteration.
        let several = Limit::new(&Stop::evaluations(39), |iterations| Some(10 + 20 * iterations));
        assert_eq!(several.given(), Some(1));
        let differing = Limit::new(&Stop::evaluations(40), |_| None);
        assert_eq!((differing.given(), differing.reason), (None, StopReason::Iterations));
    }
}
