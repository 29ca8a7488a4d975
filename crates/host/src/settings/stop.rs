//! When to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpswarm_core::Float;
use warpswarm_core::launch::StopRule;

use super::{MAX_ITERATIONS, RunSettings};
use crate::error::{Error, Result};

/// When to stop: at the first of these conditions that holds.
///
/// If none of `iterations`, `evaluations`, `seconds` and `stagnation` is given, a run ends after
/// [`DEFAULT_ITERATIONS`](super::DEFAULT_ITERATIONS).
///
/// ```
/// use warpswarm::Stop;
/// let stop = Stop::iterations(10_000).or_target(1e-6).or_seconds(60.0);
/// assert_eq!((stop.iterations, stop.target, stop.seconds), (Some(10_000), Some(1e-6), Some(60.0)));
/// // As long as it gets better, but not for ever.
/// let patient = Stop::stagnation(500).or_evaluations(10_000_000);
/// assert_eq!(patient.iterations, None);
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Stop {
    /// After this many iterations, 0 to [`MAX_ITERATIONS`]; 0 returns the best of the initial individuals.
    pub iterations: Option<u64>,
    /// Before the evaluations of a run exceed this number, which must be at least its number of individuals. The
    /// initial evaluations count. If the number differs between iterations, as for `fwa`, each run stops on its own.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub evaluations: Option<u64>,
    /// After this many seconds, at least 0, of placing the first individuals and of stepping: on the CPU within 100 ms
    /// and one evaluation, on a GPU at the end of the slice (about 50 ms). An iteration that is abandoned for the time
    /// limit does not count. The CPU completes iterations of swarms of more than a gigabyte, and of objectives that
    /// evaluate a population at once.
    ///
    /// If placing the first individuals takes longer than that (and more than 50 ms), the report contains the best of
    /// the individuals that were evaluated, and there is no state.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub seconds: Option<f64>,
    /// At the iteration at which a run's best is feasible and at most this value (at least, when maximising); not NaN.
    /// Each run stops on its own. For `gpu-fwa` and `scatter-search`, this condition and `stagnation` are checked only
    /// at the iterations after which individuals observe others.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub target: Option<f64>,
    /// At the iteration at which a run's best has not improved for this many iterations, at least 1. Each run stops on
    /// its own.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub stagnation: Option<u64>,
    /// When this flag becomes true, with the same delay as `seconds`: for Ctrl-C.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// Stops after this many iterations.
    pub fn iterations(iterations: u64) -> Self {
        Stop { iterations: Some(iterations), ..Stop::default() }
    }
    /// Stops before the evaluations of a run exceed this number.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
    /// let settings = Settings { individuals: 32, stop: Stop::evaluations(100), ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let run = &minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?.runs[0];
    /// // 32 at the start and 32 an iteration; a third iteration would be one too many.
    /// assert_eq!((run.iterations, run.evaluations), (2, 96));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn evaluations(evaluations: u64) -> Self {
        Stop { evaluations: Some(evaluations), ..Stop::default() }
    }
    /// Stops after this many seconds.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Settings, Stop, StopReason, minimise, problems::Sphere};
    /// let settings = Settings { individuals: 32, stop: Stop::seconds(0.01), ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let report = minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// assert_eq!(report.runs[0].stop_reason, StopReason::Seconds);
    /// assert!(report.seconds + report.setup_seconds >= 0.01);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn seconds(seconds: f64) -> Self {
        Stop { seconds: Some(seconds), ..Stop::default() }
    }
    /// Stops a run at a feasible value of at most this value.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Settings, Stop, StopReason, minimise, problems::Sphere};
    /// let stop = Stop::target(1e-4).or_evaluations(10_000);
    /// let settings = Settings { individuals: 32, stop, ..Settings::default() };
    /// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
    /// let run = &minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?.runs[0];
    /// assert_eq!(run.stop_reason, StopReason::Target);
    /// assert!(run.best.value <= 1e-4 && run.evaluations < 10_000);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn target(target: f64) -> Self {
        Stop { target: Some(target), ..Stop::default() }
    }
    /// Stops a run that has not improved for this many iterations.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, HostObjective, Settings, Stop, StopReason, minimise};
    /// let plain = HostObjective::new(|_: &[f64]| 1.0);
    /// let settings = Settings { individuals: 8, stop: Stop::stagnation(20), ..Settings::default() };
    /// let report = minimise(&plain, &Bounds::uniform(2, 0.0, 1.0)?, &Algorithm::default(), &settings)?;
    /// let run = &report.runs[0];
    /// assert_eq!((run.iterations, run.stop_reason), (20, StopReason::Stagnation));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn stagnation(iterations: u64) -> Self {
        Stop { stagnation: Some(iterations), ..Stop::default() }
    }
    /// Also stops after this many iterations.
    pub fn or_iterations(self, iterations: u64) -> Self {
        Stop { iterations: Some(iterations), ..self }
    }
    /// Also stops before the evaluations of a run exceed this number.
    pub fn or_evaluations(self, evaluations: u64) -> Self {
        Stop { evaluations: Some(evaluations), ..self }
    }
    /// Also stops after this many seconds.
    pub fn or_seconds(self, seconds: f64) -> Self {
        Stop { seconds: Some(seconds), ..self }
    }
    /// Also stops a run at a feasible value of at most this value.
    pub fn or_target(self, target: f64) -> Self {
        Stop { target: Some(target), ..self }
    }
    /// Also stops a run that has not improved for this many iterations.
    pub fn or_stagnation(self, iterations: u64) -> Self {
        Stop { stagnation: Some(iterations), ..self }
    }
    /// Also stops when the flag becomes true.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    /// use warpswarm::{Algorithm, Bounds, Settings, Stop, StopReason, minimise, problems::Sphere};
    /// let flag = Arc::new(AtomicBool::new(false));
    /// let stop = Stop::iterations(1_000_000_000).or_interrupt(flag.clone());
    /// std::thread::spawn(move || flag.store(true, Ordering::Relaxed));
    /// let settings = Settings { individuals: 8, stop, ..Settings::default() };
    /// let report = minimise::<f32, _>(&Sphere, &Bounds::uniform(2, 0.0, 1.0)?, &Algorithm::default(), &settings)?;
    /// assert_eq!(report.runs[0].stop_reason, StopReason::Interrupted);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn or_interrupt(self, flag: Arc<AtomicBool>) -> Self {
        Stop { interrupt: Some(flag), ..self }
    }

    /// The rule that every backend applies after every iteration. Without a target it stops at the value that nothing
    /// can beat, unless the run `migrates`.
    ///
    /// The target is rounded down, so that a value that meets it in `R` meets the given number. If values have the
    /// opposite sign, as when maximising, so has the target.
    pub(crate) fn rule<R: Float>(&self, maximises: bool, migrates: bool) -> StopRule<R> {
        let target = self.target.map(|target| if maximises { -target } else { target });
        let unbounded = if migrates { R::NAN } else { R::ZERO - R::INFINITY };
        let target = target.map_or(unbounded, |target| {
            let rounded = R::from_f64(target);
            let above = rounded.to_f64() > target;
            if above { R::from_ordered(rounded.ordered() - 1) } else { rounded }
        });
        StopRule { target, stagnation: self.stagnation.unwrap_or(0) }
    }

    /// The stop conditions of a run with these settings of its own.
    pub(crate) fn of(&self, own: &RunSettings) -> Stop {
        Stop {
            target: own.target.or(self.target),
            stagnation: own.stagnation.or(self.stagnation),
            ..self.clone()
        }
    }

    pub(super) fn check(&self, individuals: u64) -> Result<()> {
        let setting = |field, value: String, allowed: &str| {
            Err(Error::Setting { field, value, allowed: allowed.into() })
        };
        if let Some(iterations) = self.iterations.filter(|&i| i > MAX_ITERATIONS) {
            return setting("iterations", iterations.to_string(), "0 to 2^56 - 1");
        }
        if let Some(seconds) = self.seconds.filter(|s| s.is_nan() || *s < 0.0) {
            return setting("seconds", seconds.to_string(), "a number of at least 0");
        }
        if self.target.is_some_and(f64::is_nan) {
            return setting("target", "NaN".into(), "a number");
        }
        if self.stagnation == Some(0) {
            return setting("stagnation", "0".into(), "at least 1");
        }
        match self.evaluations {
            Some(evaluations) if evaluations < individuals => {
                Err(Error::TooFewEvaluations { evaluations, individuals })
            }
            _ => Ok(()),
        }
    }
}
