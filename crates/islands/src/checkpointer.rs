//! Epochs that are stored in a folder, for resuming.
//!
//! | in the folder | |
//! |---|---|
//! | `epoch-1200` | the states at iteration 1200: one checkpoint for the islands of each rank, `islands-0-3` |
//! | `last` | the name of the folder that is complete |
//!
//! `last` is replaced atomically when all ranks have written their files to disk; then the previous epoch is removed.
//! So there is always a complete epoch, even if a rank dies, and `last` names it.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Checkpoint, CheckpointFile, Communicator, Error, Precise, Progress, Result, write_whole,
};

use crate::agreement::{agreed, gather};

/// The file that names the complete epoch.
const LAST: &str = "last";
const EPOCH: &str = "epoch-";
const ISLANDS: &str = "islands-";

/// How often an epoch is stored.
///
/// ```
/// use warpswarm_islands::Interval;
/// assert_eq!(Interval::default(), Interval::Time(std::time::Duration::from_secs(30)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// After this many iterations, at the end of the epoch.
    Iterations(u64),
    /// After this much time, at the end of an epoch.
    Time(Duration),
}

impl Default for Interval {
    fn default() -> Self {
        Interval::Time(Duration::from_secs(30))
    }
}

/// Stores epochs in a folder that all ranks can write to.
///
/// ```
/// use warpswarm::{Bounds, Optimiser, Settings, Stop, problems::Sphere};
/// use warpswarm_islands::{Alone, Archipelago, Interval, Islands, Checkpointer, CheckpointFolder};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let archipelago = |iterations| {
///     let settings = Settings { stop: Stop::iterations(iterations), ..Settings::default() };
///     Archipelago::<f32>::new(&Alone, &Islands::default(), &settings, &mut |algorithm, settings| {
///         Optimiser::new(&Sphere, &bounds, algorithm, settings)
///     })
/// };
/// let folder = std::env::temp_dir().join(format!("warpswarm-epochs-{}", std::process::id()));
/// let mut left = archipelago(100)?;
/// left.keep(Checkpointer::new(&folder, Interval::Iterations(50), "sphere".into()));
/// left.run()?;
///
/// let kept = CheckpointFolder::open(&folder)?;
/// assert_eq!((kept.about(), kept.precision(), kept.islands()), ("sphere", "f32", 2));
/// let mut other = archipelago(200)?;
/// other.resume(kept.checkpoint(other.own())?)?;
/// assert_eq!(other.run()?.runs, archipelago(200)?.run()?.runs);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Debug)]
pub struct Checkpointer {
    folder: PathBuf,
    every: Interval,
    about: String,
    /// When the last epoch was stored, and its iteration.
    last: (Instant, u64),
    /// The iteration of the last epoch that is complete in the folder.
    stored: Option<u64>,
    failure: Option<Error>,
}

impl Checkpointer {
    /// Stores epochs in `folder`, which is created if it does not exist. `about` is a text of the caller, with what is
    /// needed to resume.
    pub fn new(folder: &Path, every: Interval, about: String) -> Self {
        Checkpointer {
            folder: folder.into(),
            every,
            about,
            last: (Instant::now(), 0),
            stored: None,
            failure: None,
        }
    }

    /// The iteration of the epoch that was stored last.
    pub(crate) fn stored(&self) -> Option<u64> {
        self.stored
    }

    /// Why the last epoch could not be stored, if that failed.
    pub(crate) fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Whether an epoch is due at this iteration.
    pub(crate) fn is_due(&self, at: u64) -> bool {
        let (when, iteration) = self.last;
        match self.every {
            Interval::Iterations(every) => at - iteration >= every,
            Interval::Time(time) => when.elapsed() >= time,
        }
    }

    /// The number of epochs of `epoch` iterations until the next one is due, at least 1.
    pub(crate) fn due_in(&self, at: u64, epoch: u64) -> u64 {
        match self.every {
            Interval::Iterations(every) => {
                (self.last.1.saturating_add(every)).saturating_sub(at).div_ceil(epoch).max(1)
            }
            Interval::Time(_) => u64::MAX,
        }
    }

    /// Stores an epoch, of which this rank has these islands. All ranks call this together, and all fail or none.
    pub(crate) fn keep<R: Precise + Serialize>(
        &mut self,
        others: &dyn Communicator,
        own: Range<u32>,
        at: u64,
        checkpoint: Result<Checkpoint<R>>,
    ) -> Result<()> {
        // Also after a failure: the next attempt is made when an epoch is due again.
        self.last = (Instant::now(), at);
        let done = self.try_to_keep(others, own, at, checkpoint);
        self.failure = done.as_ref().err().cloned();
        self.stored = done.as_ref().map_or(self.stored, |()| Some(at));
        done
    }

    fn try_to_keep<R: Precise + Serialize>(
        &self,
        others: &dyn Communicator,
        own: Range<u32>,
        at: u64,
        checkpoint: Result<Checkpoint<R>>,
    ) -> Result<()> {
        let is_first = others.rank() == 0;
        let prepared = if is_first { self.prepare(at) } else { Ok(String::new()) };
        let prepared = agreed(others, "", prepared)?;
        let names: Vec<String> = gather(others, &prepared)?;
        let epoch = self.folder.join(&names[0]);
        let file = epoch.join(format!("{ISLANDS}{}-{}", own.start, own.end - 1));
        let written = checkpoint.and_then(|checkpoint| checkpoint.write(&self.about, &file));
        agreed(others, "", written)?;
        let marked = if is_first { self.mark(&names[0]) } else { Ok(()) };
        agreed(others, "", marked)
    }

    /// Creates the epoch's folder, and returns its name, which differs from that of the complete epoch.
    fn prepare(&self, at: u64) -> Result<String> {
        let mut name = format!("{EPOCH}{at}");
        if fs::read_to_string(self.folder.join(LAST)).is_ok_and(|last| last == name) {
            name += "-again";
        }
        let epoch = self.folder.join(&name);
        // Files of a run that was ended while it wrote.
        let cleared = if epoch.exists() { fs::remove_dir_all(&epoch) } else { Ok(()) };
        let made = cleared.and_then(|()| fs::create_dir_all(&epoch));
        made.map(|()| name).map_err(|error| failed("written", &self.folder, &error))
    }

    /// Marks the epoch as complete, and removes others.
    fn mark(&self, name: &str) -> Result<()> {
        let last = self.folder.join(LAST);
        write_whole(&last, &mut |out| out.write_all(name.as_bytes()))
            .map_err(|error| failed("written", &last, &error))?;
        // An epoch that cannot be removed does no harm.
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let other = entry.file_name();
            if other != name && other.to_string_lossy().starts_with(EPOCH) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}

/// The epoch that a [`Checkpointer`] stored last.
///
/// ```
/// use warpswarm_islands::CheckpointFolder;
/// let error = CheckpointFolder::open(std::env::temp_dir().join("no/such/folder").as_path()).unwrap_err().to_string();
/// assert!(error.contains("no/such/folder/last cannot be read: "), "{error}");
/// ```
#[derive(Debug)]
pub struct CheckpointFolder {
    folder: PathBuf,
    about: String,
    precision: String,
    iterations: u64,
    /// The islands in each file.
    files: Vec<(Range<u32>, PathBuf)>,
}

impl CheckpointFolder {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it contains no complete epoch, or cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        let last = folder.join(LAST);
        let name = fs::read_to_string(&last).map_err(|error| failed("read", &last, &error))?;
        if !name.starts_with(EPOCH) || name.contains(['/', '\\']) {
            return Err(failed("read", &last, &io::Error::other("it names no epoch")));
        }
        let iterations = name[EPOCH.len()..].split('-').next().and_then(|at| at.parse().ok());
        let iterations = iterations
            .ok_or_else(|| failed("read", &last, &io::Error::other("it names no epoch")))?;
        let epoch = folder.join(name);
        let listed = fs::read_dir(&epoch).map_err(|error| failed("read", &epoch, &error))?;
        let mut files: Vec<_> = listed
            .flatten()
            .filter_map(|entry| Some((islands_of(entry.file_name().to_str()?)?, entry.path())))
            .collect();
        files.sort_by_key(|(islands, _)| islands.start);
        let begins = files.iter().map(|(islands, _)| islands.start);
        let ends = std::iter::once(0).chain(files.iter().map(|(islands, _)| islands.end));
        if files.is_empty() || !begins.zip(ends).all(|(begin, end)| begin == end) {
            return Err(failed("read", &epoch, &io::Error::other("islands are missing")));
        }
        let first = CheckpointFile::open(&files[0].1)?;
        let (about, precision) = (first.about().into(), first.precision().into());
        Ok(CheckpointFolder { folder: folder.into(), about, precision, iterations, files })
    }

    /// The text that the writer stored with it.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The number type of the islands, with the name in [`Precision`](warpswarm::Precision).
    pub fn precision(&self) -> &str {
        &self.precision
    }

    /// The iterations that islands had done that have not stopped.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// The files in which the islands are kept.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(_, path)| path.as_path())
    }

    /// How many islands there are.
    pub fn islands(&self) -> u32 {
        self.files.last().map_or(0, |(islands, _)| islands.end)
    }

    /// The states of some islands.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if they cannot be read, have another number type, or do not exist.
    pub fn checkpoint<R: Precise + DeserializeOwned>(
        &self,
        own: Range<u32>,
    ) -> Result<Checkpoint<R>> {
        let mut all = Checkpoint { states: Vec::new(), seconds: 0.0, history: Vec::new() };
        let mut histories = Vec::new();
        for (islands, path) in &self.files {
            let range = islands.start.max(own.start)..islands.end.min(own.end);
            if range.is_empty() {
                continue;
            }
            let Checkpoint { states, seconds, history } =
                CheckpointFile::open(path)?.checkpoint()?;
            let places =
                (range.start - islands.start) as usize..(range.end - islands.start) as usize;
            let whole = states.len() == islands.len()
                && history.iter().all(|record: &Progress<R>| record.runs.len() == islands.len());
            if !whole {
                return Err(failed(
                    "read",
                    path,
                    &io::Error::other("it has other islands than its name says"),
                ));
            }
            // As in a report: the time of the rank that has computed longest.
            all.seconds = all.seconds.max(seconds);
            all.states.extend(states.into_iter().skip(places.start).take(places.len()));
            let some = |record: Progress<R>| {
                let runs = record.runs[places.clone()].to_vec();
                Progress { runs, ..record }
            };
            histories.push(history.into_iter().map(some).collect());
        }
        if all.states.len() != own.len() {
            return Err(failed("read", &self.folder, &io::Error::other("islands are missing")));
        }
        all.history = crate::archipelago::side_by_side(histories)?;
        Ok(all)
    }
}

/// The islands of a file, from its name.
fn islands_of(name: &str) -> Option<Range<u32>> {
    let (first, last) = name.strip_prefix(ISLANDS)?.split_once('-')?;
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then(|| first..last.saturating_add(1))
}

fn failed(doing: &'static str, path: &Path, error: &io::Error) -> Error {
    Error::File { doing, path: path.into(), message: error.to_string() }
}

#[cfg(test)]
mod tests;
