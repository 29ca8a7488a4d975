//! Swarms whose particles all ranks share.

use warpswarm::{
    Backend, Communicator, Event, Exchange, Float, Optimiser, Peers, Report, Result, Runs, Settings,
};

use crate::agreement::{agreed, gather};
use crate::archipelago::devices;

/// What a rank has of swarms whose particles all ranks share, each on its own devices: as
/// [`Settings::split`](warpswarm::Settings::split) does it with the devices of one process. After each iteration they
/// exchange what they have found, some hundred bytes a rank; the numbers are those of one device.
///
/// All ranks do the same calls in the same order, with the same arguments; the [`Communicator`] and the devices that the
/// settings name are what differs.
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
/// A run stops as it does alone. Seconds, and an interrupt flag on any rank, end all ranks at the same iteration.
/// What shows individuals no rank has: states, checkpoints, populations and statistics of them.
pub struct SplitSwarm<'a, R: Float> {
    others: &'a dyn Communicator,
    optimiser: Optimiser<R>,
    /// Whether devices exchange by themselves what they find.
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

/// Who is told.
type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>, &mut Runs<'_, R>);

impl<'a, R: Float> SplitSwarm<'a, R> {
    /// Checks everything, has `optimiser` make this rank's share on the devices that the settings name, and meets the others.
    /// With [`Backend::Auto`] those are GPUs. Ranks may differ in `exchange`: where one has [`Exchange::Host`], all do.
    ///
    /// # Errors
    ///
    /// The same on all ranks where the settings are not allowed, a swarm cannot be split, there are fewer particles than
    /// devices, or a rank has no device or cannot make its share. Otherwise where a rank cannot be reached.
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
        // Where one rank does not want it, none does.
        let hosts = all.iter().any(|(_, by_hosts)| *by_hosts);
        let exchange = if hosts { Exchange::Host } else { Exchange::Fastest };
        let all = all.into_iter().map(|(devices, _)| devices).collect();
        settings.peers = Some(Peers::new(others.rank(), all));
        let mut optimiser = agreed(others, "", optimiser(&settings))?;
        let by_themselves = optimiser.meet(others, exchange)?;
        Ok(SplitSwarm { others, optimiser, by_themselves })
    }

    /// Whether devices exchange by themselves, through NCCL, what they find; otherwise their hosts do.
    pub fn exchanges_by_devices(&self) -> bool {
        self.by_themselves
    }

    /// Has all runs go on until they end, and gives their report, on every rank.
    ///
    /// # Errors
    ///
    /// Where a backend fails, or another rank cannot be reached. The other ranks then wait: whoever has them in processes
    /// of their own ends these.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.run_observed(&mut |_, _| ())
    }

    /// As [`run`](SplitSwarm::run), telling `observer` what [happens](Event).
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
