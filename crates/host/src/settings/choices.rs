//! Choices by name: precision, backend, schedule, constraint handling, restarts.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The number type of a run.
///
/// ```
/// use warpswarm::Precision;
/// assert_eq!("f64".parse(), Ok(Precision::F64));
/// assert_eq!(Precision::default().name(), "f32");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Single precision.
    #[default]
    F32,
    /// Double precision.
    F64,
}

/// Where a run is carried out. The results do not depend on it.
///
/// ```
/// use warpswarm::{Algorithm, Backend, Bounds, Settings, Stop, minimise, problems::Rastrigin};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let settings = Settings { individuals: 64, stop: Stop::iterations(20), ..Settings::default() };
/// let on = |backend| {
///     let settings = Settings { backend, ..settings.clone() };
///     minimise::<f32, _>(&Rastrigin, &bounds, &Algorithm::default(), &settings)
/// };
/// // Wherever that is.
/// assert_eq!(on(Backend::Auto)?.runs, on(Backend::Cpu)?.runs);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The backend that is expected to finish first: the CPU, or the GPU if there is one, kernels are built in, and
    /// they support the algorithm and the objective. The choice is an estimate from the sizes, the limits of
    /// [`Stop`](crate::Stop) and the number of threads; nothing is measured. If a [`Schedule`], a block size or
    /// [`Devices`](crate::Devices) are given, it is the GPU if possible.
    #[default]
    Auto,
    /// The CPU, with the number of threads in the settings.
    Cpu,
    /// The first NVIDIA GPU, or those of [`Devices`](crate::Devices).
    Gpu,
    /// The GPU kernels, executed thread by thread on the CPU: for tests.
    Emulator,
}

/// How a run is mapped to the GPU. The results do not depend on it.
///
/// ```
/// use warpswarm::{Backend, Schedule, Settings};
/// let settings = Settings { backend: Backend::Gpu, schedule: "resident".parse()?, ..Settings::default() };
/// assert_eq!(settings.schedule, Schedule::Resident);
/// let error = "fast".parse::<Schedule>().unwrap_err().to_string();
/// assert_eq!(error, "unknown schedule `fast`; known: auto, stepwise, resident, streaming, hosted");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The schedule that the planner expects to be the fastest.
    #[default]
    Auto,
    /// The kernels of an algorithm's paper, one launch each, to compare with the paper: for CPSO (`pso`), GPU-FWA and
    /// CMEPSO.
    Stepwise,
    /// Many iterations in one launch, with the swarm in registers and shared memory.
    Resident,
    /// One launch per iteration, which reads and writes each array once.
    Streaming,
    /// The GPU moves the individuals, and the host evaluates them: for objectives without GPU kernels.
    Hosted,
}

/// How points that violate constraints are compared.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Constraints, Fitness, HostObjective, Settings, minimise};
/// // The shortest way to a circle around (3, 4), which points are to meet within 1e-6.
/// let circle = HostObjective::with_violation(|x: &[f64]| {
///     let off = ((x[0] - 3.0).hypot(x[1] - 4.0) - 1.0).abs();
///     Fitness { value: x[0].hypot(x[1]), violation: (off - 1e-6).max(0.0) }
/// });
/// let bounds = Bounds::uniform(2, -10.0, 10.0)?;
/// let settings = Settings { constraints: Constraints::Epsilon, ..Settings::default() };
/// let best = minimise(&circle, &bounds, &Algorithm::default(), &settings)?.best().clone();
/// assert!(best.violation == 0.0 && (best.value - 4.0).abs() < 1e-3);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Constraints {
    /// A feasible point always beats an infeasible one; of two infeasible points the one with the smaller violation
    /// wins: Deb's rule, 2000.
    #[default]
    FeasibleFirst,
    /// The epsilon-constrained method (Takahama and Sakai, IEEE CEC 2006): at first, violations up to a level count as
    /// none. The level falls to zero in the first 200 iterations, or in the first half of a run with fewer than 400.
    /// This finds the optimum in thin feasible regions, such as those of equations, where the rule above stays at the
    /// first feasible point.
    ///
    /// One of eight individuals follows the rule above from the beginning, so that the population reaches the feasible
    /// region before the level falls; a population of fewer than eight, and the samples of CMA-ES, have no such
    /// individual. If a fifth of the first individuals are feasible, the method is the same as the rule above. Records
    /// and results of bests show the true violation; at the end every violation counts.
    Epsilon,
}

/// What a run does when its population has converged.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Restart, Settings, Stop, minimise, problems::Rastrigin};
/// let de = warpswarm::algorithms::find("de")?.algorithm();
/// let (restart, stop) = (Restart::Converged, Stop::evaluations(100_000));
/// let settings = Settings { individuals: 20, restart, stop, ..Settings::default() };
/// let report = minimise::<f64, _>(&Rastrigin, &Bounds::uniform(4, -5.12, 5.12)?, &de, &settings)?;
/// assert!(report.runs[0].restarts > 5 && report.best().value < 1e-10);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restart {
    /// The run continues unchanged.
    #[default]
    Never,
    /// The run restarts with new random draws, and keeps the best point of all restarts. Every 128 iterations it checks
    /// whether the population has converged: all values, or all points relative to their ranges, agree in three
    /// quarters of the digits of the precision. It also restarts if the best has not improved for 500 iterations and
    /// for half of the iterations since the last restart. Placing the individuals counts as an iteration.
    ///
    /// `auto` and `cma-es` restart independently of this setting. It is not available for `spso` and `fwa`, for
    /// islands, for swarms that devices share, with a limit of stagnation, or with the schedules stepwise and hosted.
    Converged,
}

/// Implements names for the values of an enum: `Display`, `FromStr` and `ALL`.
macro_rules! named {
    ($type:ident, $what:literal: $($value:ident = $name:literal),*) => {
        impl $type {
            /// Every value, in order of declaration.
            pub const ALL: &'static [$type] = &[$($type::$value),*];

            /// The name in settings and files.
            pub const fn name(self) -> &'static str {
                match self { $($type::$value => $name),* }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self, Error> {
                $type::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
                    Error::UnknownName {
                        what: $what,
                        name: name.into(),
                        known: vec![$($name),*],
                    }
                })
            }
        }
    };
}

#[cfg(feature = "serde")]
crate::serial::by_name!(Precision, Backend, Schedule, Constraints, Restart);

named!(Precision, "precision": F32 = "f32", F64 = "f64");
named!(Backend, "backend": Auto = "auto", Cpu = "cpu", Gpu = "gpu", Emulator = "emulator");
named!(Schedule, "schedule":
    Auto = "auto", Stepwise = "stepwise", Resident = "resident", Streaming = "streaming",
    Hosted = "hosted");

named!(Restart, "restart": Never = "never", Converged = "converged");
named!(Constraints, "treatment of constraints": FeasibleFirst = "feasible-first", Epsilon = "epsilon");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse::<Backend>().unwrap(), *backend);
        }
        for schedule in Schedule::ALL {
            assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), *schedule);
        }
        for precision in Precision::ALL {
            assert_eq!(precision.to_string().parse::<Precision>().unwrap(), *precision);
        }
    }

    #[test]
    fn another_name_is_an_error_that_says_what_is_allowed() {
        let error = "cuda".parse::<Backend>().unwrap_err().to_string();
        assert_eq!(error, "unknown backend `cuda`; known: auto, cpu, gpu, emulator");
        assert!("F32".parse::<Precision>().is_err());
    }
}
