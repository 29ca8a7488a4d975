//! Why runs end.

/// Why a run ended.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, HostObjective, Settings, Stop, StopReason, minimise};
/// let nowhere = HostObjective::new(|_: &[f64]| f64::NAN);
/// let settings = Settings { individuals: 8, stop: Stop::iterations(5), ..Settings::default() };
/// let report = minimise(&nowhere, &Bounds::uniform(1, 0.0, 1.0)?, &Algorithm::default(), &settings)?;
/// assert_eq!(report.runs[0].stop_reason, StopReason::NothingFinite);
/// assert_eq!(report.runs[0].stop_reason.name(), "nothing-finite");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The limit of iterations was reached.
    Iterations,
    /// Another iteration would have exceeded the limit of evaluations.
    Evaluations,
    /// The time limit was reached.
    Seconds,
    /// The target was reached.
    Target,
    /// The best is feasible and -inf (inf for a maximum), which nothing can beat: the objective is unbounded.
    Unbounded,
    /// The best has not improved for the given number of iterations.
    Stagnation,
    /// The interrupt flag was set.
    Interrupted,
    /// A limit was reached, and no value was finite: the best is NaN or the worst infinity.
    NothingFinite,
}

impl StopReason {
    /// Every reason.
    pub const ALL: [StopReason; 8] = [
        StopReason::Iterations,
        StopReason::Evaluations,
        StopReason::Seconds,
        StopReason::Target,
        StopReason::Unbounded,
        StopReason::Stagnation,
        StopReason::Interrupted,
        StopReason::NothingFinite,
    ];

    /// The name in output and files.
    pub const fn name(self) -> &'static str {
        match self {
            StopReason::Iterations => "iterations",
            StopReason::Evaluations => "evaluations",
            StopReason::Seconds => "seconds",
            StopReason::Target => "target",
            StopReason::Unbounded => "unbounded",
            StopReason::Stagnation => "stagnation",
            StopReason::Interrupted => "interrupted",
            StopReason::NothingFinite => "nothing-finite",
        }
    }
}

#[cfg(feature = "serde")]
crate::serial::by_name!(StopReason);

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
