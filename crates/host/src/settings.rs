//! What a run is to do besides the algorithm: sizes, seed, when to stop, where to run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpswarm_core::Real;
use warpswarm_core::launch::StopRule;

use crate::choices::{Backend, Constraints, Restart, Schedule};
use crate::devices::Devices;
use crate::error::{Error, Result};
use crate::peers::Peers;

/// Iterations of a run to which nothing sets an end.
pub const DEFAULT_ITERATIONS: u64 = 1000;

/// The most iterations that a run can do: draws count them in 56 bits.
pub const MAX_ITERATIONS: u64 = (1 << 56) - 1;

/// The most individuals of a run: kernels count them, and as many again, in 32 bits.
pub const MAX_INDIVIDUALS: u64 = (1 << 31) - 1;

/// The most runs of a batch.
pub const MAX_RUNS: u64 = u32::MAX as u64;

/// When to stop: the first of these to be met.
///
/// Where neither `iterations` nor `evaluations` nor `seconds` nor `stagnation` is given, a run ends
/// after [`DEFAULT_ITERATIONS`].
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
    /// After this many iterations, 0 to [`MAX_ITERATIONS`]; 0 gives the best of the initial individuals.
    pub iterations: Option<u64>,
    /// Before the evaluations of a run exceed this, at least its individuals; the initial ones count. Where iterations
    /// differ in evaluations, as those of `fwa`, each run by itself.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub evaluations: Option<u64>,
    /// After this many seconds, at least 0, of placing the first individuals and of stepping: on the CPU within 100 ms and an
    /// evaluation, on a GPU at the next slice (about 50 ms). An iteration that is given up for that does not count. Where
    /// the first individuals take longer (and more than 50 ms), the report has the best of those that were evaluated, and
    /// there is no state.
    /// The CPU finishes iterations of swarms of more than a gigabyte, and of objectives that evaluate a population at once.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub seconds: Option<f64>,
    /// At the iteration at which a run's best is feasible and at most this (where it is maximised: at least), not NaN;
    /// each run by itself. Of `gpu-fwa` and `scatter-search` it counts, as `stagnation` does, only at the iterations
    /// after which individuals look at others.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub target: Option<f64>,
    /// At the iteration at which a run's best has not improved for this many, at least 1; each run by itself.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub stagnation: Option<u64>,
    /// When this has become true, as soon as `seconds`: for Ctrl-C.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// Stops after this many iterations.
    pub fn iterations(iterations: u64) -> Self {
        Stop { iterations: Some(iterations), ..Stop::default() }
    }
    /// Stops before the evaluations of a run exceed this.
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
    /// Stops a run at a feasible value of at most this.
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
    /// Also stops before the evaluations of a run exceed this.
    pub fn or_evaluations(self, evaluations: u64) -> Self {
        Stop { evaluations: Some(evaluations), ..self }
    }
    /// Also stops after this many seconds.
    pub fn or_seconds(self, seconds: f64) -> Self {
        Stop { seconds: Some(seconds), ..self }
    }
    /// Also stops a run at a feasible value of at most this.
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

    /// The rule that every backend applies after every iteration. Where there is no target, it is the value that nothing
    /// can beat, unless the run `migrates`.
    ///
    /// The target is rounded down, so that a value that meets it in `R` meets the number given; where values have
    /// another sign, as those that are maximised, the target has it too.
    pub(crate) fn rule<R: Real>(&self, maximises: bool, migrates: bool) -> StopRule<R> {
        let target = self.target.map(|target| if maximises { -target } else { target });
        let unbounded = if migrates { R::NAN } else { R::ZERO - R::INFINITY };
        let target = target.map_or(unbounded, |target| {
            let rounded = R::from_f64(target);
            let above = rounded.to_f64() > target;
            if above { R::from_ordered(rounded.ordered() - 1) } else { rounded }
        });
        StopRule { target, stagnation: self.stagnation.unwrap_or(0) }
    }

    /// The stops of a run that has these for itself.
    pub(crate) fn of(&self, own: &OfRun) -> Stop {
        Stop {
            target: own.target.or(self.target),
            stagnation: own.stagnation.or(self.stagnation),
            ..self.clone()
        }
    }

    fn check(&self, individuals: u64) -> Result<()> {
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

/// What a run of a batch has for itself; what is none it has in common with the others.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, OfRun, Settings, Stop, minimise, problems::Sphere};
/// let of_runs = [3, 8].map(|seed| OfRun { seed: Some(seed), ..OfRun::default() }).to_vec();
/// let stop = Stop::iterations(10);
/// let batch = Settings { individuals: 16, runs: 2, of_runs, stop, ..Settings::default() };
/// // Its second run alone.
/// let alone = Settings { runs: 1, first_run: 1, seed: 8, of_runs: vec![], ..batch.clone() };
/// let bounds = Bounds::uniform(2, -1.0, 1.0)?;
/// let run = |settings| minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), settings);
/// assert_eq!(run(&batch)?.runs[1], run(&alone)?.runs[0]);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct OfRun {
    /// The seed of its draws. A run is the same alone, with this seed and as
    /// [`first_run`](Settings::first_run) the number it has in the batch.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub seed: Option<u64>,
    /// See [`Stop::target`].
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub target: Option<f64>,
    /// See [`Stop::stagnation`].
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_whole"))]
    pub stagnation: Option<u64>,
}

/// Sizes, seed, when to stop, where to run.
///
/// ```
/// use warpswarm::{Settings, Stop};
/// let settings = Settings { individuals: 256, seed: 7, stop: Stop::seconds(1.0), ..Settings::default() };
/// assert_eq!(settings.runs, 1);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Individuals of a run, 1 to [`MAX_INDIVIDUALS`]; 0 for as many as the algorithm [usually
    /// has](crate::Algorithm::usual_individuals). Default 0.
    pub individuals: u64,
    /// Independent runs, done side by side, 1 to 2^32 - 1. Default 1.
    pub runs: u64,
    /// The number of the first run: run r of a seed is the same alone as in a batch. Default 0.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub first_run: u64,
    /// The seed of all draws. Default 0.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub seed: u64,
    /// When to stop. Default: after 1,000 iterations.
    pub stop: Stop,
    /// What each run has for itself: one a run, or none. Default none.
    pub of_runs: Vec<OfRun>,
    /// Whether greater values are better. Default: less is.
    pub maximise: bool,
    /// Whether individuals are to come from other runs, as they do between islands: such a run goes on where its best is
    /// [unbounded](crate::StopReason::Unbounded), since the others do not stop with it. Default: no.
    pub migrates: bool,
    /// What counts where points violate constraints. Default [`Constraints::FeasibleFirst`].
    pub constraints: Constraints,
    /// What a run does when its population has converged. Default [`Restart::Never`].
    pub restart: Restart,
    /// Where to run. Default [`Backend::Auto`].
    pub backend: Backend,
    /// Which GPUs carry out the runs of a batch; for the backends GPU and emulator. Default: the first.
    pub devices: Devices,
    /// Whether these share the particles of each swarm, instead of the runs: for swarms that are too large, or take too
    /// long, for one device. For `pso` with the star and a constant inertia, where it streams. Default: no.
    pub split: bool,
    /// Which of several ranks this is that share them, where they do. Default: none do.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub peers: Option<Peers>,
    /// How to lay the runs over the GPU; for the backends GPU and emulator. Default [`Schedule::Auto`].
    pub schedule: Schedule,
    /// Threads of a block, a multiple of 32 up to 1024; for the backends GPU and emulator. Default: what the planner takes.
    pub block_size: Option<u32>,
    /// Threads of the CPU backend, 1 to 65,536; by default as many as the machine has. No more than eight times as many, or
    /// 64, are started.
    pub threads: Option<usize>,
    /// Keep a record of the bests every so many iterations, at least 1, in the report's history. Default: none.
    pub record_every: Option<u64>,
    /// Keep at most so many records, at least 2: where there would be more, every second one is dropped and the interval
    /// doubles. A record is some 64 bytes a run. Default: all that `record_every` asks for.
    pub records_at_most: Option<u64>,
    /// Whether records, and the report, also say how each population lies. For that the whole state is copied from
    /// where the runs are.
    pub record_statistics: bool,
    /// Show observers the populations every so many iterations, at least 1, and at the end. Default: never.
    pub populations_every: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            individuals: 0,
            runs: 1,
            first_run: 0,
            seed: 0,
            stop: Stop::default(),
            of_runs: Vec::new(),
            maximise: false,
            migrates: false,
            constraints: Constraints::FeasibleFirst,
            restart: Restart::Never,
            backend: Backend::Auto,
            devices: Devices::default(),
            split: false,
            peers: None,
            schedule: Schedule::Auto,
            block_size: None,
            threads: None,
            record_every: None,
            records_at_most: None,
            record_statistics: false,
            populations_every: None,
        }
    }
}

impl Settings {
    /// Whether every field is in its range.
    ///
    /// ```
    /// use warpswarm::Settings;
    /// Settings::default().check()?;
    /// let error = Settings { runs: 0, ..Settings::default() }.check().unwrap_err();
    /// assert_eq!(error.to_string(), "runs is 0; allowed: 1 to 4294967295");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Names the first field that is not.
    pub fn check(&self) -> Result<()> {
        if self.individuals > MAX_INDIVIDUALS {
            let allowed =
                format!("1 to {MAX_INDIVIDUALS}, or 0 for as many as the algorithm usually has");
            let (field, value) = ("individuals", self.individuals.to_string());
            return Err(Error::Setting { field, value, allowed });
        }
        range("runs", self.runs, 1, MAX_RUNS)?;
        range("first_run", self.first_run, 0, u64::MAX - self.runs)?;
        if let Some(threads) = self.threads {
            range("threads", threads as u64, 1, 65_536)?;
        }
        let intervals =
            [("record_every", self.record_every), ("populations_every", self.populations_every)];
        for (field, every) in intervals {
            every.map_or(Ok(()), |every| range(field, every, 1, MAX_ITERATIONS))?;
        }
        self.records_at_most
            .map_or(Ok(()), |most| range("records_at_most", most, 2, MAX_ITERATIONS))?;
        if let Some(block) = self.block_size.filter(|b| *b == 0 || *b > 1024 || b % 32 != 0) {
            return Err(Error::Setting {
                field: "block_size",
                value: block.to_string(),
                allowed: "multiples of 32 from 32 to 1024".into(),
            });
        }
        self.devices.check()?;
        self.peers.as_ref().map_or(Ok(()), |peers| peers.check(self))?;
        if self.peers.is_some() && self.constraints == Constraints::Epsilon {
            return Err(Error::Setting {
                field: "constraints",
                value: self.constraints.to_string(),
                allowed: "feasible-first, where ranks share particles".into(),
            });
        }
        self.check_restart()?;
        let given = self.of_runs.len() as u64;
        if given != 0 && given != self.runs {
            return Err(Error::Runs { what: "settings", given, runs: self.runs });
        }
        self.stop.check(self.individuals.max(1))?;
        self.of_runs.iter().try_for_each(|own| self.stop.of(own).check(self.individuals.max(1)))
    }
}

impl Settings {
    /// Whether runs can begin anew beside all that is asked for.
    fn check_restart(&self) -> Result<()> {
        let stagnates = |own: &OfRun| own.stagnation.is_some();
        let hinders = [
            (self.migrates, "between islands"),
            (self.split, "of a swarm that devices share"),
            (
                self.stop.stagnation.is_some() || self.of_runs.iter().any(stagnates),
                "with a limit of stagnation: it begins anew instead of stopping",
            ),
        ];
        match hinders.into_iter().find(|(hinders, _)| *hinders) {
            Some((_, where_it_is)) if self.restart != Restart::Never => Err(Error::Setting {
                field: "restart",
                value: self.restart.to_string(),
                allowed: format!("never, {where_it_is}"),
            }),
            _ => Ok(()),
        }
    }
}

fn range(field: &'static str, value: u64, least: u64, most: u64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { field, value: value.to_string(), allowed: format!("{least} to {most}") })
}
