//! The islands of one rank, and the loop that all ranks execute together.

mod agreed;
mod epoch;
mod gathered;

use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Algorithm, Checkpoint, Communicator, Error, History, Optimiser, Precise, Progress, Report,
    Result, Settings, SliceLength, Stop, Swarm,
};

use crate::checkpointer::Checkpointer;
use crate::settings::Islands;
use agreed::Course;
use epoch::Crossing;
pub(crate) use gathered::{devices, side_by_side};

/// The [`Islands`] of an archipelago that one rank has.
///
/// All ranks make the same calls in the same order, with the same arguments, except for the [`Communicator`].
///
/// ```
/// use warpswarm::{Bounds, Optimiser, Settings, Stop, problems::Ackley};
/// use warpswarm_islands::{Archipelago, Inhabitants, Islands, Topology, threads};
/// let islands = Islands { count: 4, topology: Topology::Full, inhabitants: Inhabitants::all(32), ..Islands::default() };
/// let bounds = Bounds::uniform(3, -30.0, 30.0)?;
/// let settings = Settings { stop: Stop::iterations(120), threads: Some(1), ..Settings::default() };
/// let on = |ranks| {
///     let rank = |others| {
///         Archipelago::<f64>::new(&others, &islands, &settings, &mut |algorithm, settings| {
///             Optimiser::new(&Ackley, &bounds, algorithm, settings)
///         })?
///         .run()
///     };
///     std::thread::scope(|scope| {
///         let all: Vec<_> = threads(ranks).into_iter().map(|others| scope.spawn(move || rank(others))).collect();
///         // Each has the report of all islands.
///         all.into_iter().map(|rank| rank.join().unwrap()).next().unwrap()
///     })
/// };
/// assert_eq!(on(1)?.runs, on(3)?.runs);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// A run stops as it does without islands. A stopped run neither moves nor takes immigrants, but still sends its
/// individuals. When an island has reached the target, all islands end after that epoch. A limit of seconds, and an
/// interrupt flag on any rank, end all islands after the same epoch.
pub struct Archipelago<'a, R: Precise> {
    others: &'a dyn Communicator,
    islands: Islands,
    /// The islands of this rank.
    own: Range<u32>,
    crossing: Rc<Crossing<'a>>,
    /// The device on which this rank's island can do several epochs in one launch, if it can, and whether it does so.
    device: Option<String>,
    by_itself: bool,
    groups: Vec<Group<R>>,
    stop: Stop,
    /// The records of this rank's islands.
    history: History<R>,
    seconds: f64,
    /// The start of the current slice, whose seconds are not yet included.
    since: Option<Instant>,
    setup_seconds: f64,
    slice_length: SliceLength,
    checkpointer: Option<Checkpointer>,
}

/// Islands with consecutive numbers and equal inhabitants: the runs of one optimiser.
struct Group<R: Precise> {
    islands: Range<u32>,
    optimiser: Optimiser<R>,
    /// The iteration at which the limits of iterations and evaluations end them.
    limit: u64,
}

/// What happens while the islands run. Every rank gets the data of all islands.
///
/// ```
/// use warpswarm::{Bounds, Optimiser, Settings, Stop, problems::Sphere};
/// use warpswarm_islands::{Alone, Archipelago, Event, Islands};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let settings = Settings { stop: Stop::iterations(100), ..Settings::default() };
/// let mut archipelago =
///     Archipelago::<f32>::new(&Alone, &Islands::default(), &settings, &mut |algorithm, settings| {
///         Optimiser::new(&Sphere, &bounds, algorithm, settings)
///     })?;
/// let mut seen = Vec::new();
/// archipelago.run_observed(&mut |event| match event {
///     Event::Started(progress) | Event::Progress(progress) => seen.push(progress.iterations),
///     _ => {}
/// })?;
/// assert_eq!((seen[0], seen.last()), (0, Some(&100)));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a, R> {
    /// The islands are about to begin, or to continue: the first event.
    Started(&'a Progress<R>),
    /// Some epochs have ended, about 50 ms after the previous event.
    Progress(&'a Progress<R>),
    /// An epoch could not be stored; the last stored epoch is still there.
    NotKept(&'a Error),
    /// All islands have ended: the last event.
    Finished(&'a Report<R>),
}

/// The function that receives events.
type Observer<'a, R> = &'a mut dyn FnMut(Event<'_, R>);

impl<R: Precise> std::fmt::Debug for Archipelago<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archipelago")
            .field("islands", &self.islands)
            .field("own", &self.own)
            .field("by_itself", &self.by_itself)
            .finish()
    }
}

impl<'a, R: Precise + Serialize + DeserializeOwned> Archipelago<'a, R> {
    /// Checks everything, and calls `optimiser` for this rank's islands, with one call for islands with equal
    /// inhabitants. It does not communicate: [`agreed`](crate::agreed) checks that all ranks have done this.
    ///
    /// The numbers of individuals and of runs in the settings are ignored; island i has number `first_run` + i among
    /// the runs of the seed. runs of the seed.
    ///
    /// # Errors
    ///
    /// If the islands or the settings are not allowed, there are more ranks than islands, or `optimiser` fails.
    pub fn new(
        others: &'a dyn Communicator,
        islands: &Islands,
        settings: &Settings,
        optimiser: &mut dyn FnMut(&Algorithm, &Settings) -> Result<Optimiser<R>>,
    ) -> Result<Self> {
        let start = Instant::now();
        islands.check()?;
        islands.check_ranks(others.size())?;
        check_settings(settings)?;
        let own = islands.of_rank(others.rank(), others.size());
        let groups = alike(islands, own.clone()).into_iter().map(|range| {
            let inhabitants = islands.of(range.start);
            let settings = Settings {
                migrates: true,
                individuals: inhabitants.individuals,
                runs: u64::from(range.end - range.start),
                first_run: settings.first_run.saturating_add(range.start.into()),
                ..settings.clone()
            };
            let mut optimiser = optimiser(&inhabitants.algorithm, &settings)?;
            let limit = optimiser.status()?.limit;
            Ok(Group { islands: range, optimiser, limit })
        });
        let mut archipelago = Archipelago {
            others,
            islands: islands.clone(),
            crossing: Rc::new(Crossing::new(others, islands)),
            device: None,
            by_itself: false,
            groups: groups.collect::<Result<_>>()?,
            own,
            stop: settings.stop.clone(),
            history: History::new(settings),
            seconds: 0.0,
            since: None,
            setup_seconds: 0.0,
            slice_length: SliceLength::default(),
            checkpointer: None,
        };
        archipelago.device = archipelago.goes_on()?;
        archipelago.setup_seconds = start.elapsed().as_secs_f64();
        Ok(archipelago)
    }

    /// The islands of this rank.
    pub fn own(&self) -> Range<u32> {
        self.own.clone()
    }

    /// Sets the keeper, which stores epochs from which a run can be resumed.
    pub fn keep(&mut self, checkpointer: Checkpointer) {
        self.checkpointer = Some(checkpointer);
    }

    /// The iteration of the epoch that was stored last, if one was. What follows the last complete epoch is not stored.
    pub fn kept_at(&self) -> Option<u64> {
        self.checkpointer.as_ref()?.stored()
    }

    /// Why the last epoch could not be stored, if that failed.
    pub fn not_kept(&self) -> Option<&Error> {
        self.checkpointer.as_ref()?.failure()
    }

    /// The states of this rank's islands.
    ///
    /// # Errors
    ///
    /// If a backend fails.
    pub fn states(&mut self) -> Result<Vec<Swarm<R>>> {
        let states = self.groups.iter_mut().map(|group| group.optimiser.state());
        Ok(states.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Everything that this rank needs to resume from here; between epochs no migrant is in transit.
    ///
    /// # Errors
    ///
    /// If a backend fails.
    pub fn checkpoint(&mut self) -> Result<Checkpoint<R>> {
        let states = self.states()?;
        Ok(Checkpoint { states, seconds: self.seconds, history: self.history.records().to_vec() })
    }

    /// Resumes from a checkpoint of this rank's islands, which was taken between epochs.
    ///
    /// ```
    /// use warpswarm::{Bounds, Optimiser, Settings, Stop, problems::Sphere};
    /// use warpswarm_islands::{Alone, Archipelago, Islands};
    /// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
    /// let archipelago = |iterations| {
    ///     let settings = Settings { stop: Stop::iterations(iterations), ..Settings::default() };
    ///     Archipelago::<f32>::new(&Alone, &Islands::default(), &settings, &mut |algorithm, settings| {
    ///         Optimiser::new(&Sphere, &bounds, algorithm, settings)
    ///     })
    /// };
    /// let (mut left, mut other, mut straight) = (archipelago(100)?, archipelago(250)?, archipelago(250)?);
    /// left.run()?;
    /// other.resume(left.checkpoint()?)?;
    /// assert_eq!(other.run()?.runs, straight.run()?.runs);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the states do not belong to this rank's islands, or a backend fails.
    pub fn resume(&mut self, checkpoint: Checkpoint<R>) -> Result<()> {
        let Checkpoint { mut states, seconds, history } = checkpoint;
        let islands = self.own.len();
        let records = history.iter().map(|record| record.runs.len());
        if let Some(found) = std::iter::once(states.len()).chain(records).find(|n| *n != islands) {
            let (expected, found) = (islands.to_string(), found.to_string());
            return Err(Error::State { what: "islands", expected, found });
        }
        for group in &mut self.groups {
            let rest = states.split_off(group.islands.len());
            group.optimiser.restore(&states)?;
            states = rest;
        }
        self.history.replace(history);
        self.seconds = seconds;
        Ok(())
    }

    /// Runs all islands until they end, and returns the report of all of them, on every rank.
    ///
    /// # Errors
    ///
    /// If a backend fails, or another rank cannot be reached. Then the other ranks keep waiting: if they are processes,
    /// the caller must end them.
    pub fn run(&mut self) -> Result<Report<R>> {
        self.drive(None)
    }

    /// As [`run`](Archipelago::run), and calls `observer` for each [event](Event). Either all ranks call this, or none.
    ///
    /// # Errors
    ///
    /// As [`run`](Archipelago::run); also if the first epoch cannot be stored.
    pub fn run_observed(&mut self, observer: &mut dyn FnMut(Event<'_, R>)) -> Result<Report<R>> {
        self.drive(Some(observer))
    }

    fn drive(&mut self, mut observer: Option<Observer<'_, R>>) -> Result<Report<R>> {
        let Course { mut at, limit, may_stop } = self.course()?;
        self.settle_devices()?;
        self.record(at)?;
        let mut started = false;
        let reason = loop {
            // Here no migrant is in transit.
            let agreed = self.agree(Course { at, limit, may_stop }, !started)?;
            if let Some(observer) = &mut observer {
                let progress = self.progress_of_all(at, limit)?;
                if !started {
                    observer(Event::Started(&progress));
                }
                observer(Event::Progress(&progress));
            }
            if agreed.keep {
                self.kept(at, !started, &mut observer)?;
            }
            started = true;
            if let Some(reason) = agreed.reason {
                break reason;
            }
            let start = Instant::now();
            self.since = Some(start);
            at = self.epochs(at, limit, agreed.epochs)?;
            let seconds = start.elapsed().as_secs_f64();
            self.slice_length.took(agreed.epochs, seconds);
            self.seconds += seconds;
            self.since = None;
        };
        let report = self.report_of_all(reason)?;
        if let Some(observer) = observer {
            observer(Event::Finished(&report));
        }
        Ok(report)
    }

    /// Stores this epoch. If the first epoch cannot be stored, the run ends, because nothing is lost then.
    fn kept(&mut self, at: u64, first: bool, observer: &mut Option<Observer<'_, R>>) -> Result<()> {
        if self.checkpointer.is_none() {
            return Ok(());
        }
        let checkpoint = self.checkpoint();
        let Some(checkpointer) = &mut self.checkpointer else {
            return Ok(());
        };
        let done = checkpointer.keep(self.others, self.own.clone(), at, checkpoint);
        match (done, observer) {
            // Nothing is lost yet, and the user can choose another folder.
            (Err(error), _) if first => {
                Err(Error::Ranks { message: error.to_string(), input: true })
            }
            (Err(error), Some(observer)) => {
                observer(Event::NotKept(&error));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Groups of islands with consecutive numbers and equal inhabitants.
fn alike(islands: &Islands, own: Range<u32>) -> Vec<Range<u32>> {
    let mut groups: Vec<Range<u32>> = Vec::new();
    for island in own {
        match groups.last_mut() {
            Some(group) if islands.of(group.start) == islands.of(island) => group.end = island + 1,
            _ => groups.push(island..island + 1),
        }
    }
    groups
}

/// Refuses settings that islands do not support.
fn check_settings(settings: &Settings) -> Result<()> {
    let refused = |field, value: String| {
        Err(Error::Setting { field, value, allowed: "none with islands".into() })
    };
    if let Some(every) = settings.populations_every {
        return refused("populations_every", every.to_string());
    }
    match settings.of_runs.len() {
        0 => Ok(()),
        runs => refused("of_runs", format!("there for {runs} runs")),
    }
}

#[cfg(test)]
mod tests {
    use warpswarm::{DeParams, PsoParams};

    use super::*;
    use crate::Inhabitants;

    #[test]
    fn neighbours_that_are_alike_go_together() {
        let pso = Inhabitants { algorithm: PsoParams::default().into(), individuals: 16 };
        let de = Inhabitants { algorithm: DeParams::default().into(), individuals: 16 };
        let more = Inhabitants { individuals: 32, ..pso.clone() };
        let groups = |inhabitants: &[&Inhabitants], own| {
            let inhabitants = inhabitants.iter().map(|one| (*one).clone()).collect();
            alike(&Islands { count: 9, inhabitants, ..Islands::default() }, own)
        };
        assert_eq!(groups(&[&pso], 2..9)[0], 2..9);
        assert_eq!(groups(&[&pso, &de], 0..3), [0..1, 1..2, 2..3]);
        assert_eq!(groups(&[&pso, &pso, &more], 0..6), [0..2, 2..3, 3..5, 5..6]);
    }
}
