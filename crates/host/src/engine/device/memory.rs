//! What all engines on a device share: arrays with one element per run, and copies of typed items.

use std::ops::Range;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    Control, DataArgs, Outcome, OwnRun, Ptr, RecordLayout, StartArgs, stopped,
};
use warpswarm_core::order::Candidate;
use warpswarm_cpu_ref::Swarm;

use super::encode::{Item, Number, bytes_of, items_of};
use crate::engine::Job;
use crate::error::Result;
use crate::machine::{Machine, Parameter, plain};
use crate::objective::data::LaidOut;

/// Copies items of arrays. An empty array has no address and is not accessed.
pub(crate) trait Transfer: Machine {
    /// Reads items `first..first + count`.
    fn fetch<R, T: Item<R>>(&mut self, array: u64, first: u64, count: u64) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let size = size_of::<T>() as u64;
        let mut bytes = vec![0; (count * size) as usize];
        self.download(array + first * size, &mut bytes)?;
        Ok(items_of(&bytes).collect())
    }

    /// Reads numbers `first..first + count`.
    fn fetch_numbers<R: Float>(&mut self, array: u64, first: u64, count: u64) -> Result<Vec<R>> {
        let mut numbers = vec![R::ZERO; count as usize];
        self.fetch_into(array, first, &mut numbers)?;
        Ok(numbers)
    }

    /// Fills `numbers`, starting with number `first` of the array.
    fn fetch_into<R: Float>(&mut self, array: u64, first: u64, numbers: &mut [R]) -> Result<()> {
        match plain::bytes_mut(numbers) {
            Some([]) => Ok(()),
            Some(bytes) => self.download(array + first * size_of::<R>() as u64, bytes),
            None => {
                let all = self.fetch::<R, Number<R>>(array, first, numbers.len() as u64)?;
                numbers.iter_mut().zip(all).for_each(|(into, number)| *into = number.0);
                Ok(())
            }
        }
    }

    /// Fills `outcomes` with the outcomes of fits.
    fn fetch_outcomes<R: Float>(&mut self, array: u64, outcomes: &mut [[u32; 4]]) -> Result<()> {
        match plain::bytes_of_words(outcomes) {
            Some(bytes) => self.download(array, bytes),
            None => {
                let all = self.fetch::<R, Outcome>(array, 0, outcomes.len() as u64)?;
                outcomes.iter_mut().zip(all).for_each(|(into, outcome)| *into = outcome.into());
                Ok(())
            }
        }
    }

    /// Writes items, starting with item `first`.
    fn store<R, T: Item<R>>(
        &mut self,
        array: u64,
        first: u64,
        items: impl ExactSizeIterator<Item = T>,
    ) -> Result<()> {
        if items.len() == 0 {
            return Ok(());
        }
        self.upload(array + first * size_of::<T>() as u64, &bytes_of(items))
    }

    /// Writes numbers, starting with number `first`.
    fn store_numbers<R: Float>(&mut self, array: u64, first: u64, numbers: &[R]) -> Result<()> {
        match plain::bytes(numbers) {
            Some([]) => Ok(()),
            Some(bytes) => self.upload(array + first * size_of::<R>() as u64, bytes),
            None => self.store::<R, _>(array, first, numbers.iter().copied().map(Number)),
        }
    }
}

impl<M: Machine> Transfer for M {}

/// The addresses of the arrays that do not depend on the algorithm. The first three form a record, with the layout of
/// [`RecordLayout`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunArrays {
    /// `[run]`
    pub(crate) control: u64,
    /// `[run]`
    pub(crate) global: u64,
    /// `[run][place]`
    pub(crate) global_positions: u64,
    /// `[run][place]`; of one run if all have the same bounds
    lower: u64,
    /// `[run][place]`, as `lower`
    upper: u64,
    /// `[run]`
    own: u64,
    /// `[run][individual][place]`, for as many runs as there are bounds, or nothing
    beginnings: u64,
}

impl RunArrays {
    /// Allocates the arrays except the record, and writes the bounds; padding beyond the dimensions has bounds around
    /// 0.
    pub(crate) fn allocate<R: Float, M: Machine>(
        job: &Job<R>,
        record: u64,
        machine: &mut M,
    ) -> Result<Self> {
        let [stride, bounds_runs] = [job.stride(), job.bounds_runs()].map(u64::from);
        let number = size_of::<R>() as u64;
        let arrays = RunArrays {
            control: 0,
            global: 0,
            global_positions: 0,
            lower: machine.allocate(bounds_runs * stride * number)?,
            upper: machine.allocate(bounds_runs * stride * number)?,
            own: machine.allocate(size_of_val(&job.own_runs[..]) as u64)?,
            beginnings: machine
                .allocate(bounds_runs * u64::from(job.beginning()) * stride * number)?,
        };
        machine.store::<R, _>(arrays.own, 0, job.own_runs.iter().copied())?;
        for (array, points, beyond) in [
            (arrays.beginnings, &job.beginnings, R::ZERO),
            (arrays.lower, &job.lower, -R::ONE),
            (arrays.upper, &job.upper, R::ONE),
        ] {
            let mut rows = Vec::with_capacity(points.len() / job.dimensions * stride as usize);
            for point in points.chunks_exact(job.dimensions) {
                rows.extend_from_slice(point);
                rows.resize(rows.len().next_multiple_of(stride as usize), beyond);
            }
            machine.store_numbers(array, 0, &rows)?;
        }
        Ok(arrays.with_record(job, record))
    }

    /// These arrays with the record at an address.
    pub(crate) fn with_record<R: Float>(self, job: &Job<R>, record: u64) -> Self {
        let layout = record_layout(job);
        RunArrays {
            control: record,
            global: record + layout.global,
            global_positions: record + layout.global_positions,
            ..self
        }
    }

    /// Lower and upper bounds of the runs from `first` on, and the number of runs, of `runs`, with their own.
    pub(crate) fn bounds<R: Float>(
        &self,
        job: &Job<R>,
        (first, runs): (u32, u32),
    ) -> (Ptr<R>, Ptr<R>, u32) {
        let (first, bounds_runs) = with_bounds(job, (first, runs));
        let before = u64::from(first) * u64::from(job.stride()) * size_of::<R>() as u64;
        (Ptr::at(self.lower + before), Ptr::at(self.upper + before), bounds_runs)
    }

    /// The per-run settings, from run `first` on.
    pub(crate) fn own<R: Float>(&self, first: u32) -> Ptr<OwnRun<R>> {
        Ptr::at(self.own + u64::from(first) * size_of::<OwnRun<R>>() as u64)
    }

    /// The starting points of `runs` runs from `first` on.
    pub(crate) fn start<R: Float>(&self, job: &Job<R>, (first, runs): (u32, u32)) -> StartArgs<R> {
        let individuals = job.beginning();
        let (first, runs) = with_bounds(job, (first, runs));
        let row = u64::from(job.stride()) * size_of::<R>() as u64;
        let before = u64::from(first) * u64::from(individuals) * row;
        StartArgs { points: Ptr::at(self.beginnings + before), individuals, runs }
    }

    pub(crate) fn controls<R: Float, M: Machine>(
        &self,
        job: &Job<R>,
        machine: &mut M,
    ) -> Result<Vec<Control>> {
        machine.fetch::<R, _>(self.control, 0, u64::from(job.runs))
    }

    /// See [`State::landmarks`](crate::engine::State::landmarks).
    pub(crate) fn landmarks<R: Float, M: Machine>(
        &self,
        job: &Job<R>,
        machine: &mut M,
    ) -> Result<Vec<Control>> {
        if job.never_stops {
            let first: Vec<Control> = machine.fetch::<R, _>(self.control, 0, 1)?;
            // One run represents all, unless it has met a value that nothing can beat.
            if first.iter().all(|control| control.stopped == stopped::NOT) {
                return Ok(first);
            }
        }
        self.controls(job, machine)
    }

    pub(crate) fn bests<R: Float, M: Machine>(
        &self,
        job: &Job<R>,
        machine: &mut M,
    ) -> Result<Vec<Candidate<R>>> {
        machine.fetch(self.global, 0, u64::from(job.runs))
    }

    /// The best of one run.
    pub(crate) fn best<R: Float>(
        &self,
        machine: &mut impl Machine,
        run: u32,
    ) -> Result<Candidate<R>> {
        Ok(machine.fetch(self.global, u64::from(run), 1)?[0])
    }

    /// `[run][coordinate]`
    pub(crate) fn best_positions<R: Float, M: Machine>(
        &self,
        job: &Job<R>,
        machine: &mut M,
    ) -> Result<Vec<Vec<R>>> {
        let (stride, dimensions) = (job.stride() as usize, job.dimensions() as usize);
        let count = u64::from(job.runs) * stride as u64;
        let rows = machine.fetch_numbers::<R>(self.global_positions, 0, count)?;
        Ok(rows.chunks_exact(stride).map(|row| row[..dimensions].to_vec()).collect())
    }

    /// Fills the arrays from a state.
    pub(crate) fn restore<R: Float, M: Machine>(
        &self,
        job: &Job<R>,
        machine: &mut M,
        swarms: &[Swarm<R>],
    ) -> Result<()> {
        for (run, swarm) in (0..).zip(swarms) {
            let first = run * u64::from(job.stride());
            machine.store_numbers(self.global_positions, first, &swarm.global_position)?;
        }
        machine.store::<R, _>(self.global, 0, swarms.iter().map(|swarm| swarm.global))?;
        machine.store::<R, _>(self.control, 0, swarms.iter().map(|swarm| job.going_on(swarm)))
    }
}

/// The layout of the record of all runs.
pub(crate) fn record_layout<R: Float>(job: &Job<R>) -> RecordLayout {
    RecordLayout::new::<R>(job.runs, job.stride())
}

/// The first run, and the number of runs, of the bounds and starting points for `runs` runs from `first` on: run 0 if
/// all have the same.
fn with_bounds<R: Float>(job: &Job<R>, (first, runs): (u32, u32)) -> (u32, u32) {
    if job.bounds_runs() == 1 { (0, 1) } else { (first, runs) }
}

/// The data of an objective on a device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DataArrays {
    all: u64,
    of_runs: u64,
    count: u32,
    count_of_run: u32,
}

impl DataArrays {
    /// Copies the data to the device.
    pub(crate) fn upload<R: Float, M: Machine>(data: &LaidOut<R>, machine: &mut M) -> Result<Self> {
        let runs = data.runs().unwrap_or(0);
        let arrays = DataArrays::with_room(data, runs as usize, machine)?;
        arrays.take(data, 0..runs as usize, machine)?;
        Ok(arrays)
    }

    /// Copies the shared data to the device, and allocates memory for the data of `runs` runs.
    pub(crate) fn with_room<R: Float, M: Machine>(
        data: &LaidOut<R>,
        runs: usize,
        machine: &mut M,
    ) -> Result<Self> {
        let mut arrays = DataArrays::nowhere(data);
        machine.allocate_all(&mut arrays.room::<R>(runs))?;
        arrays.share(data, machine)?;
        Ok(arrays)
    }

    /// Arrays without memory.
    pub(crate) fn nowhere<R: Float>(data: &LaidOut<R>) -> Self {
        // Tables count numbers in 32 bits.
        let (count, count_of_run) = (data.all.len() as u32, data.of_run as u32);
        DataArrays { all: 0, of_runs: 0, count, count_of_run }
    }

    /// The addresses to fill, and the sizes in bytes, of the shared data and of the data of `runs` runs.
    pub(crate) fn room<R: Float>(&mut self, runs: usize) -> [(&mut u64, u64); 2] {
        let bytes = |numbers: usize| (numbers * size_of::<R>()) as u64;
        let (all, of_runs) = (self.count as usize, runs * self.count_of_run as usize);
        [(&mut self.all, bytes(all)), (&mut self.of_runs, bytes(of_runs))]
    }

    /// Copies the data that all runs share.
    pub(crate) fn share<R: Float, M: Machine>(
        &self,
        data: &LaidOut<R>,
        machine: &mut M,
    ) -> Result<()> {
        machine.store_numbers(self.all, 0, &data.all)
    }

    /// Copies the data of some runs, for which there is room: they become the first runs.
    pub(crate) fn take<R: Float, M: Machine>(
        &self,
        data: &LaidOut<R>,
        runs: Range<usize>,
        machine: &mut M,
    ) -> Result<()> {
        let of_runs = &data.of_runs[runs.start * data.of_run..runs.end * data.of_run];
        machine.store_numbers(self.of_runs, 0, of_runs)
    }

    /// An objective with the data of `runs` runs from `first` on: the end of a kernel's parameter.
    pub(crate) fn behind<R: Float>(
        &self,
        objective: &Parameter,
        (first, runs): (u32, u32),
        blocks_per_run: u32,
    ) -> Parameter {
        let mut parameter = objective.clone();
        parameter.push(self.args::<R>(first, runs, blocks_per_run));
        parameter
    }

    /// The arguments for the data of `runs` runs from `first` on.
    pub(crate) fn args<R: Float>(&self, first: u32, runs: u32, blocks_per_run: u32) -> DataArgs<R> {
        let DataArrays { all, of_runs, count, count_of_run } = *self;
        let before = u64::from(first) * u64::from(count_of_run) * size_of::<R>() as u64;
        DataArgs {
            all: Ptr::at(all),
            of_runs: Ptr::at(of_runs + before),
            count,
            count_of_run,
            runs,
            blocks_per_run,
        }
    }
}

/// The number of iterations, with `each` tags, for which the exchange between blocks has tags after `tag`. If they do
/// not suffice for one iteration, tags restart, and all slots are cleared of old tags.
pub(crate) fn tags_left<M: Machine>(
    tag: &mut u32,
    machine: &mut M,
    slots: (u64, u64),
    each: u32,
) -> Result<u64> {
    if u32::MAX - 1 - *tag < each {
        begin_anew(tag, machine, slots)?;
    }
    Ok(u64::from((u32::MAX - 1 - *tag) / each))
}

/// Restarts the tags, after launches have failed that may have used some, or when all have been used.
pub(crate) fn begin_anew<M: Machine>(
    tag: &mut u32,
    machine: &mut M,
    (slots, bytes): (u64, u64),
) -> Result<()> {
    if bytes > 0 {
        machine.zero(slots, bytes)?;
    }
    *tag = 0;
    Ok(())
}
