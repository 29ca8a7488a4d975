//! The records of runs in progress, and the number of iterations between them.

use warpswarm_core::Float;

use super::report::Progress;
use crate::settings::Settings;

/// The records of runs in progress, as requested by [`Settings::record_every`] and [`Settings::records_at_most`].
///
/// These two settings and the number of iterations determine which iterations have a record. So the records are the
/// same on every backend, and for a run that was interrupted and resumed.
///
/// ```
/// use warpswarm::{History, Progress, Settings};
/// let settings = Settings { record_every: Some(5), records_at_most: Some(4), ..Settings::default() };
/// let mut history = History::<f32>::new(&settings);
/// let record = |iterations| Progress { iterations, limit: None, seconds: 0.0, runs: vec![], maximised: false };
/// let mut kept_after = |iterations: std::ops::RangeInclusive<u64>| {
///     for iterations in iterations {
///         if history.is_due(iterations) {
///             history.push(record(iterations));
///         }
///     }
///     history.records().iter().map(|record| record.iterations).collect::<Vec<_>>()
/// };
/// assert_eq!(kept_after(0..=19), [0, 5, 10, 15]);
/// assert_eq!(kept_after(20..=20), [0, 10, 20]);
/// assert_eq!(kept_after(21..=79), [0, 20, 40, 60]);
/// ```
#[derive(Clone, Debug)]
pub struct History<R> {
    every: Option<u64>,
    at_most: Option<u64>,
    /// The iterations of the records are multiples of this.
    interval: Option<u64>,
    records: Vec<Progress<R>>,
}

impl<R: Float> History<R> {
    /// No records yet.
    pub fn new(settings: &Settings) -> Self {
        let Settings { record_every: every, records_at_most: at_most, .. } = *settings;
        History { every, at_most, interval: every, records: Vec::new() }
    }

    /// The iterations from one record to the next after `done` iterations; `None` without records.
    fn interval(&self, done: u64) -> Option<u64> {
        let mut interval = self.every?;
        while self.at_most.is_some_and(|at_most| done / interval >= at_most) {
            interval *= 2;
        }
        Some(interval)
    }

    /// The iterations from here to the next possible record; `None` without records.
    pub fn until_next(&self, done: u64) -> Option<u64> {
        self.interval(done).map(|interval| interval - done % interval)
    }

    /// Whether a record is due at this iteration and does not exist yet. Drops the records that are now too close
    /// together.
    pub fn is_due(&mut self, done: u64) -> bool {
        let now = self.interval(done);
        let Some(interval) = now else {
            return false;
        };
        if self.interval != now {
            self.interval = now;
            self.records.retain(|record| record.iterations.is_multiple_of(interval));
        }
        let is_there = self.records.last().is_some_and(|last| last.iterations == done);
        done.is_multiple_of(interval) && !is_there
    }

    /// Adds a record that is due.
    pub fn push(&mut self, record: Progress<R>) {
        self.records.push(record);
    }

    /// The records so far.
    pub fn records(&self) -> &[Progress<R>] {
        &self.records
    }

    /// Takes the records so far.
    pub fn take(&mut self) -> Vec<Progress<R>> {
        std::mem::take(&mut self.records)
    }

    /// Continues from these records instead. Records that this history would not contain are dropped.
    pub fn replace(&mut self, mut records: Vec<Progress<R>>) {
        let every = self.every;
        records.retain(|record| every.is_some_and(|every| record.iterations.is_multiple_of(every)));
        self.interval = every;
        self.records = records;
    }
}
