//! The choices that have names: precision, backend, schedule, what counts of constraints.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The number type in which a run is carried out.
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

/// Where a run is carried out. The numbers do not depend on it.
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
    /// Where it is expected to be done first: on the CPU, or on the GPU if there is one, kernels are built in, and
    /// they cover the algorithm and the objective. An estimate from the sizes, the limits of
    /// [`Stop`](crate::Stop) and the threads says so; nothing is measured. Where a [`Schedule`], a block size or
    /// [`Devices`](crate::Devices) are given, it is the GPU if it can be.
    #[default]
    Auto,
    /// The CPU, on as many threads as the settings say.
    Cpu,
    /// The first NVIDIA GPU, or those that [`Devices`](crate::Devices) name.
    Gpu,
    /// The GPU's kernels, run thread by thread on the CPU: for tests.
    Emulator,
}

/// How a run is laid over the GPU. The numbers do not depend on it.
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
    /// What the planner expects to be the fastest.
    #[default]
    Auto,
    /// The kernels of an algorithm's paper one by one, to read beside it: of CPSO (`pso`), GPU-FWA and CMEPSO.
    Stepwise,
    /// Many iterations in one launch, the swarm in registers and shared memory.
    Resident,
    /// One launch per iteration that reads and writes each array once.
    Streaming,
    /// The individuals move on the GPU, the host evaluates them: for objectives without GPU kernels.
    Hosted,
}

/// What counts where points violate constraints.
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
    /// From the beginning a feasible point beats every infeasible one, and of these the one with the smaller violation:
    /// Deb's rule, 2000.
    #[default]
    FeasibleFirst,
    /// At first violations up to a level count as none; the level falls to zero in the first 200 iterations, or in the first
    /// half of a run that has fewer than 400. That finds what is best in regions that are thin, as those of equations are,
    /// where the rule above stays at the first feasible point. One of eight individuals is judged by the rule above from the
    /// beginning, so that the population reaches into the feasible region when the level falls; a population of fewer than eight,
    /// and samples of CMA-ES, have none. Where a fifth of the first individuals are feasible, it is the same as the rule
    /// above. The epsilon-constrained method of Takahama and Sakai, IEEE CEC 2006.
    ///
    /// What is recorded and shown of bests has their true violation; in the end none is let pass.
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
    /// It goes on as it is.
    #[default]
    Never,
    /// It begins anew, with draws of its own, and keeps the best of all. Every 128 iterations it is seen whether the population
    /// has come together (all values, or all points in their ranges, are the same in three quarters of the digits of the
    /// precision), or the best has not improved for 500 iterations and half of those since it was placed. Placing the individuals
    /// counts as an iteration.
    ///
    /// `auto` and `cma-es` do so by themselves, whatever is said here. Not for `spso` and `fwa`, for islands, for swarms that
    /// devices share, with a limit of stagnation, nor with the schedules stepwise and hosted.
    Converged,
}

/// Names for the values of an enum: `Display`, `FromStr` and `ALL`.
macro_rules! named {
    ($type:ident, $what:literal: $($value:ident = $name:literal),*) => {
        impl $type {
            /// Every value, in the order of their declaration.
            pub const ALL: &'static [$type] = &[$($type::$value),*];

            /// The name that users give it.
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
