//! The settings of a run besides the algorithm: sizes, seed, when to stop, where to run.

pub(crate) mod choices;
pub(crate) mod communicator;
pub(crate) mod devices;
pub(crate) mod limit;
pub(crate) mod peers;
pub(crate) mod precise;
pub(crate) mod reason;
mod stop;

use crate::error::{Error, Result};
use choices::{Backend, Constraints, Restart, Schedule};
use devices::Devices;
use peers::Peers;

pub use stop::Stop;

/// The number of iterations of a run without any limit.
pub const DEFAULT_ITERATIONS: u64 = 1000;

/// The largest number of iterations of a run: random draws count them in 56 bits.
pub const MAX_ITERATIONS: u64 = (1 << 56) - 1;

/// The largest number of individuals of a run: kernels count twice as many in 32 bits.
pub const MAX_INDIVIDUALS: u64 = (1 << 31) - 1;

/// The largest number of runs in a batch.
pub const MAX_RUNS: u64 = u32::MAX as u64;

/// Settings of a single run of a batch; with `None` the setting of the batch applies.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, RunSettings, Settings, Stop, minimise, problems::Sphere};
/// let of_runs = [3, 8].map(|seed| RunSettings { seed: Some(seed), ..RunSettings::default() }).to_vec();
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
pub struct RunSettings {
    /// The seed of the run's draws. A run gives the same result on its own, with this seed and its number in the batch
    /// as [`first_run`](Settings::first_run).
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
    /// Individuals of a run, 1 to [`MAX_INDIVIDUALS`]; 0 for the algorithm's [usual
    /// number](crate::Algorithm::usual_individuals). Default 0.
    pub individuals: u64,
    /// Independent runs, carried out side by side, 1 to 2^32 - 1. Default 1.
    pub runs: u64,
    /// The number of the first run: run r of a seed is the same on its own and in a batch. Default 0.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub first_run: u64,
    /// The seed of all random draws. Default 0.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::whole"))]
    pub seed: u64,
    /// When to stop. Default: after 1,000 iterations.
    pub stop: Stop,
    /// Per-run settings: one for each run, or none. Default none.
    pub of_runs: Vec<RunSettings>,
    /// Whether larger values are better. Default: no.
    pub maximise: bool,
    /// Whether individuals may arrive from other runs, as between islands. Such a run continues if its best is
    /// [unbounded](crate::StopReason::Unbounded), because the other runs do not stop with it. Default: no.
    pub migrates: bool,
    /// How points that violate constraints are compared. Default [`Constraints::FeasibleFirst`].
    pub constraints: Constraints,
    /// What happens when the population of a run has converged. Default [`Restart::Never`].
    pub restart: Restart,
    /// Whether a local search improves the best point at the end of each run: see [`Polish`](crate::Polish). By default
    /// a short search is done if exact derivatives are known (of an [`Objective`](crate::Objective), a problem file, or
    /// a closure with its gradient), there are at most 1,000 dimensions, and the run has done an iteration and not
    /// reached its target; not for islands.
    pub polish: Option<bool>,
    /// Ends the local search of each run after this many evaluations and gradients, in this order: one pair for each
    /// run, or none. This repeats local searches that a limit of seconds has ended; [`Polish`](crate::Polish) has the
    /// numbers. Default none.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub polish_until: Vec<[u64; 2]>,
    /// Where to run. Default [`Backend::Auto`].
    pub backend: Backend,
    /// Which GPUs carry out the runs of a batch; for the backends GPU and emulator. Default: the first.
    pub devices: Devices,
    /// Whether the devices share the particles of each swarm instead of the runs: for swarms that are too large or too
    /// slow for one device. For `pso` with the star topology and a constant inertia, with the schedule streaming.
    /// Default: no.
    pub split: bool,
    /// Which of several ranks this is, if ranks share the particles. Default: they do not.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub peers: Option<Peers>,
    /// How to map the runs to the GPU; for the backends GPU and emulator. Default [`Schedule::Auto`].
    pub schedule: Schedule,
    /// Threads of a block, a multiple of 32 up to 1024; for the backends GPU and emulator. Default: chosen by the
    /// planner.
    pub block_size: Option<u32>,
    /// Threads of the CPU backend, 1 to 65,536. By default as many as the machine has. At most eight times that number,
    /// or 64 if that is more, are started.
    pub threads: Option<usize>,
    /// Record the best values at intervals of this many iterations, at least 1, in the report's history. Default:
    /// never.
    pub record_every: Option<u64>,
    /// The largest number of records, at least 2. If there were more, every second record is dropped and the interval
    /// doubles. A record takes about 64 bytes per run. Default: no limit.
    pub records_at_most: Option<u64>,
    /// Whether records and the report also contain statistics of each population. This copies the whole state from the
    /// device.
    pub record_statistics: bool,
    /// Show observers the populations at intervals of this many iterations, at least 1, and at the end. Default: never.
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
            polish: None,
            polish_until: Vec::new(),
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
    /// Checks that every field is in its range.
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
    /// Names the first field that is out of range.
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
        let lists = [("settings", self.of_runs.len()), ("polish_until", self.polish_until.len())];
        for (what, given) in lists.map(|(what, given)| (what, given as u64)) {
            if given != 0 && given != self.runs {
                return Err(Error::Runs { what, given, runs: self.runs });
            }
        }
        self.stop.check(self.individuals.max(1))?;
        self.of_runs.iter().try_for_each(|own| self.stop.of(own).check(self.individuals.max(1)))
    }

    /// Checks that restarts are possible with the other settings.
    fn check_restart(&self) -> Result<()> {
        let stagnates = |own: &RunSettings| own.stagnation.is_some();
        let hinders = [
            (self.migrates, "between islands, or runs that are not islands"),
            (self.split, "for a swarm that devices share, or a swarm on one device"),
            (
                self.stop.stagnation.is_some() || self.of_runs.iter().any(stagnates),
                "with a limit of stagnation, or no such limit: a run cannot both restart and stop",
            ),
        ];
        match hinders.into_iter().find(|(hinders, _)| *hinders) {
            Some((_, where_it_is)) if self.restart != Restart::Never => Err(Error::Setting {
                field: "restart",
                value: self.restart.to_string(),
                allowed: format!("`never` {where_it_is}"),
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
