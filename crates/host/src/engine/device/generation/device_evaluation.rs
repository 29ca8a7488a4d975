//! Iterations whose points other code evaluates on the same device, without transfers through the host.

use std::sync::Arc;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    DEVICE_POINTS_BLOCK, HAND_OUT, HandOutArgs, Ptr, TAKE_IN, TakeInArgs,
};

use super::super::memory::Transfer;
use super::hosted::Hosted;
use crate::error::{Error, Result};
use crate::machine::{Kernel, Loan, Machine, Parameter, Shape};
use crate::objective::on_device::{DevicePoints, DeviceValues, RunsOfPoints};

/// The number of blocks of a launch for each multiprocessor.
const BLOCKS: u32 = 8;

/// The points that other code evaluates, and the arrays for them.
pub(super) struct DeviceEvaluation {
    hand_out: Kernel,
    take_in: Kernel,
    /// The points whose fitness is to be told.
    asked: Option<DevicePoints>,
    /// Allocated at first use.
    arrays: Option<DevicePointArrays>,
}

struct DevicePointArrays {
    /// The number of points for which there is room.
    room: u32,
    points: Arc<dyn Loan>,
    /// The place of each point.
    places: u64,
    /// The contents of these places.
    listed: Option<Arc<[u32]>>,
    /// How coordinates are converted; 0 if none is.
    shown: u64,
}

impl DeviceEvaluation {
    pub(super) fn new<R: Float>() -> Self {
        let kernel = |name| Kernel::new(format!("{name}_{}", R::NAME), None);
        DeviceEvaluation {
            hand_out: kernel(HAND_OUT),
            take_in: kernel(TAKE_IN),
            asked: None,
            arrays: None,
        }
    }

    /// Forgets the points that were requested last.
    pub(super) fn forget(&mut self) {
        self.asked = None;
    }
}

impl<R: Float, M: Machine> Hosted<R, M> {
    /// See [`Asks::ask_on_device`](crate::engine::Asks::ask_on_device).
    pub(super) fn hand_out(&mut self) -> Result<Option<DevicePoints>> {
        if self.way.device_evaluation.asked.is_none() {
            self.fall_if_due()?;
            let Some(iteration) = self.next() else { return Ok(None) };
            let kernel = self.way.ask.clone();
            self.part(&kernel)?;
            let asked = self.handed_points(iteration)?;
            self.way.device_evaluation.asked = Some(asked);
        }
        Ok(self.way.device_evaluation.asked.clone())
    }

    /// The points of an iteration, in the users' units.
    fn handed_points(&mut self, iteration: u64) -> Result<DevicePoints> {
        let places = self.places(iteration);
        let all = self.all_places()?;
        let count = places.as_ref().map_or(all, |places| places.len() as u32);
        self.allocate_handed(all)?;
        let Some(arrays) = &mut self.way.device_evaluation.arrays else {
            unreachable!("just allocated")
        };
        if let Some(places) =
            places.as_ref().filter(|&places| arrays.listed.as_ref() != Some(places))
        {
            let bytes: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
            self.machine.upload(arrays.places, &bytes)?;
            arrays.listed = Some(places.clone());
        }
        let points = DevicePoints {
            memory: arrays.points.clone(),
            count: count as usize,
            dimensions: self.job.dimensions,
            runs: RunsOfPoints {
                first: self.job.first_run,
                each: self.job.individuals * self.arrays.attempts as u32,
                places,
            },
        };
        let args = HandOutArgs::<R> {
            asked: Ptr::at(self.arrays.asked),
            places: Ptr::at(if points.runs.places.is_some() { arrays.places } else { 0 }),
            shown: Ptr::at(arrays.shown),
            points: Ptr::at(arrays.points.address()),
            count,
            all,
            dimensions: self.job.dimensions(),
            stride: self.job.stride(),
        };
        let kernel = self.way.device_evaluation.hand_out.clone();
        self.launch_handed(&kernel, count.saturating_mul(32), &Parameter::of(args))?;
        Ok(points)
    }

    /// See [`Asks::tell_on_device`](crate::engine::Asks::tell_on_device).
    pub(super) fn take_in(&mut self, found: &DeviceValues) -> Result<()> {
        let expected = self
            .way
            .device_evaluation
            .asked
            .as_ref()
            .map(|asked| (asked.count, asked.runs.places.is_some()));
        let Some((count, listed)) = expected.filter(|&(count, _)| count == found.count) else {
            let expected = expected.map_or(0, |(count, _)| count);
            return Err(Error::Told { expected, found: found.count });
        };
        let all = self.all_places()?;
        let bytes = count as u64 * size_of::<R>() as u64;
        if let Some(stream) = found.stream {
            self.machine.follow_stream(stream)?;
        }
        for address in [Some(found.values), found.violations].into_iter().flatten() {
            if bytes > 0 {
                self.machine.check_foreign(address, bytes)?;
            }
        }
        let Some(arrays) = &self.way.device_evaluation.arrays else {
            unreachable!("allocated when asked")
        };
        let args = TakeInArgs::<R> {
            values: Ptr::at(found.values),
            violations: Ptr::at(found.violations.unwrap_or(0)),
            places: Ptr::at(if listed { arrays.places } else { 0 }),
            told: Ptr::at(self.arrays.told),
            count: count as u32,
            all,
            maximises: u32::from(self.job.scales.maximises),
            padding: 0,
        };
        let kernel = self.way.device_evaluation.take_in.clone();
        self.launch_handed(&kernel, count as u32, &Parameter::of(args))?;
        self.told(false)
    }

    /// The indices of an iteration's points among all attempts; `None` if they are all.
    fn places(&mut self, iteration: u64) -> Option<Arc<[u32]>> {
        let all_go_on = self.way.controls.as_ref().is_none_or(|controls| {
            controls.iter().all(|control| control.stopped == warpswarm_core::launch::stopped::NOT)
        });
        let all_attempt = match iteration {
            0 => self.arrays.attempts == 1,
            _ => self.named.method.makes_all_attempts(iteration, self.job.individuals),
        };
        if all_go_on && all_attempt {
            return None;
        }
        self.note_attempts(iteration);
        Some(self.way.attempts.iter().map(|&place| place as u32).collect())
    }

    /// The largest number of attempts in an iteration.
    fn all_places(&self) -> Result<u32> {
        let [runs, individuals] = [self.job.runs, self.job.individuals].map(u64::from);
        let all = runs * individuals * self.arrays.attempts;
        let dimensions = u64::from(self.job.dimensions());
        // Kernels count them in 32 bits.
        u32::try_from(all).map_err(|_| Error::TooLarge { runs, individuals, dimensions })
    }

    /// Allocates memory for this many points. Arrays that were too small, for example before a state with more
    /// individuals was restored, stay allocated as long as the machine.
    fn allocate_handed(&mut self, all: u32) -> Result<()> {
        if self.way.device_evaluation.arrays.as_ref().is_some_and(|arrays| arrays.room >= all) {
            return Ok(());
        }
        let number = size_of::<R>() as u64;
        let numbers = u64::from(all) * number;
        let shown = self.job.scales.shown();
        let arrays = DevicePointArrays {
            room: all,
            points: self.machine.lend(numbers * u64::from(self.job.dimensions()))?,
            places: self.machine.allocate(4 * u64::from(all))?,
            listed: None,
            shown: self.machine.allocate(shown.len() as u64 * number)?,
        };
        self.machine.store_numbers(arrays.shown, 0, &shown)?;
        let kernels = [
            self.way.device_evaluation.hand_out.clone(),
            self.way.device_evaluation.take_in.clone(),
        ];
        kernels.iter().try_for_each(|kernel| self.machine.load(kernel))?;
        self.way.device_evaluation.arrays = Some(arrays);
        Ok(())
    }

    /// Launches a kernel with about one thread for each of `threads` items.
    fn launch_handed(
        &mut self,
        kernel: &Kernel,
        threads: u32,
        parameter: &Parameter,
    ) -> Result<()> {
        if threads == 0 {
            return Ok(());
        }
        let most = BLOCKS * self.machine.multiprocessors();
        let grid = threads.div_ceil(DEVICE_POINTS_BLOCK).min(most);
        let shape =
            Shape { grid, block: DEVICE_POINTS_BLOCK, shared: 0, cooperative: false, cluster: 0 };
        self.machine.launch(kernel, shape, parameter)
    }
}
