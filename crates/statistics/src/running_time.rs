//! The cost of reaching a target.

/// The expected cost of reaching a target once, if each run that does not reach it is followed by another: the cost of
/// all runs divided by the number of successful ones. Infinite if none is successful.
///
/// The cost of a run is counted until it reaches the target or is stopped, in evaluations or in seconds.
///
/// **Source.** N. Hansen, A. Auger, S. Finck, R. Ros, "Real-parameter black-box optimization benchmarking 2010:
/// experimental setup", INRIA RR-7215, section 4.
///
/// ```
/// use warpswarm_statistics::expected_running_time;
/// // Two runs reach the target after 100 and 300 evaluations, one is given up after 1,000.
/// assert_eq!(expected_running_time(100.0 + 300.0 + 1000.0, 2), 700.0);
/// assert_eq!(expected_running_time(1000.0, 0), f64::INFINITY);
/// ```
pub fn expected_running_time(of_all_runs: f64, successes: usize) -> f64 {
    match successes {
        0 => f64::INFINITY,
        _ => of_all_runs / successes as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two runs reach it after 100 and 300 evaluations, two are stopped after 1,000: on average there is one failure
    /// for each success, 1,000 + 200.
    #[test]
    fn by_hand() {
        assert_eq!(expected_running_time(100.0 + 300.0 + 1000.0 + 1000.0, 2), 1200.0);
        assert_eq!(expected_running_time(1000.0, 0), f64::INFINITY);
    }
}
