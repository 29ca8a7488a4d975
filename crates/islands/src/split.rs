//! Swarms whose particles are divided among all ranks.

use warpswarm::{
    Backend, Communicator, Event, Exchange, Float, Optimiser, Peers, Report, Result, Runs, Settings,
};

use crate::agreement::{agreed, gather};
use crate::archipelago::devices;

/// One rank's part of swarms whose particles are divided among all ranks, each on its own devices, as
/// [`Settings::split`](warpswarm::Settings::split) divides them among the devices of one process. After each iteration
/// the ranks exchange their results, some hundred bytes each. The numbers are equal to those of one device.
///
/// All ranks make the same calls in the same order, with the same arguments, except for the [`Communicator`] and the
/// devices in the settings.
///
/// ```
/// use warpswarm::{Backend, Bounds, Exchange, Optimiser, PsoParams, Settings, Stop, problems::Rastrigin};
/// use warpswarm_islands::{SplitSwarm, threads};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let settings = Settings {
///     individuals: 96,
///     backend: Backend::Emulator,
///     split: true,
///     stop: Stop::iterations(10),
///     ..Settings::default()
/// };
/// let optimiser = |settings: &Settings| {
///     Optimiser::<f32>::new(&Rastrigin, &bounds, &PsoParams::default().into(), settings)
/// };
/// let on = |ranks| {
///     let rank = |others| SplitSwarm::new(&others, Exchange::Fastest, &settings, &mut &optimiser)?.run();
///     std::thread::scope(|scope| {
///         let all: Vec<_> = threads(ranks).into_iter().map(|others| scope.spawn(move || rank(others))).collect();
///         // Each has the whole report.
///         all.into_iter().map(|rank| rank.join().unwrap()).next().unwrap()
///     })
/// };
/// assert_eq!(on(3)?.runs, optimiser(&settings)?.run()?.runs);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// A run stops as it does on one device. A limit of seconds, and an interrupt flag on any rank, end all ranks at the
/// same iteration. No rank has data of all individuals: states, checkpoints, populations and their statistics are not
/// available.
pub struct SplitSwarm<'a, R: Float> {
    others: &'a dyn Communicator,
    optimiser: Optimiser<R>,
    /// Whether devices exchange their results directly.
    by_themselves: bool,
}

impl<R: Float> std::fmt::Debug for SplitSwarm<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SplitSwarm")
            .field("optimiser", &self.optimiser)
            .field("by_themselves", &self.by_themselves)
            .finish()
    }
}

/// The function that receives events.
type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>);

impl<'a, R: Float> SplitSwarm<'a, R> {
    /// Checks everything, calls `optimiser` for this rank's part on the devices in the settings, and connects to the
    /// other ranks. [`Backend::Auto`] uses GPUs. Ranks may differ in `exchange`: if one has [`Exchange::Host`], all use
    /// it.
    ///
    /// # Errors
    ///
    /// The same error on all ranks if the settings are not allowed, a swarm cannot be split, there are fewer particles
    /// than devices, or a rank has no device or cannot create its part. Otherwise an error if a rank cannot be reached.
    pub fn new(
        others: &'a dyn Communicator,
        exchange: Exchange,
        settings: &Settings,
        optimiser: &mut dyn FnMut(&Settings) -> Result<Optimiser<R>>,
    ) -> Result<Self> {
        let mut settings = settings.clone();
        if settings.backend == Backend::Auto {
            settings.backend = Backend::Gpu;
        }
        let own = agreed(others, "", Peers::own(&settings))?;
        let all: Vec<(Vec<u32>, bool)> = gather(others, &(own, exchange == Exchange::Host))?;
        // If one rank does not want it, none uses it.
        let hosts = all.iter().any(|(_, by_hosts)| *by_hosts);
        let exchange = if hosts { Exchange::Host } else { Exchange::Fastest };
        let all = all.into_iter().map(|(devices, _)| devices).collect();
        settings.peers = Some(Peers::new(others.rank(), all));
        let mut optimiser = agreed(others, "", optimiser(&settings))?;
        let by_themselves = optimiser.meet(others, exchange)?;
        Ok(SplitSwarm { others, optimiser, by_themselves })
    }

    /// Whether devices exchange their results directly, through NCCL; otherwise their hosts do.
    pub fn exchanges_by_devices(&self) -> bool {
        self.by_themselves
    }

    /// Runs until all runs end, and returns their report, on every rank.
    ///
    /// # Errors
    ///
    /// If a backend fails, or another rank cannot be reached. Then the other ranks keep waiting: if they are processes,
    /// the caller must end them.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.run_observed(&mut |_, _| ())
    }

    /// As [`run`](SplitSwarm::run), and calls `observer` for each [event](Event).
    ///
    /// # Errors
    ///
    /// As [`run`](SplitSwarm::run).
    pub fn run_observed(&mut self, observer: Observer<'_, R>) -> Result<Report<R>> {
        let mut report = self.optimiser.run_together(self.others, observer)?;
        let all = gather(self.others, &report.device)?;
        report.device = devices(all.iter().map(String::as_str));
        if self.by_themselves {
            report.device += ", NCCL";
        }
        Ok(report)
    }
}
