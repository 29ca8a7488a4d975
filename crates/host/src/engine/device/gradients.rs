//! Value and gradient at many points, on a device.

use warpswarm_core::Float;
use warpswarm_core::launch::{GRADIENT_BLOCK, GradientPoints, Ptr};

use super::memory::{DataArrays, Transfer};
use crate::engine::selected_devices;
use crate::error::{Error, Result};
use crate::machine::{Kernel, Machine, Parameter, Shape};
use crate::objective::slopes::OwnKernels;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// Points: the same number for each run, one run after the other.
#[derive(Clone, Copy)]
pub(crate) struct PointsOfRuns<'a, R> {
    /// `[point][coordinate]`
    pub(crate) all: &'a [R],
    pub(crate) dimensions: usize,
    pub(crate) runs: usize,
}

/// The results of the device.
pub(crate) struct Gradients<R> {
    /// `[point]`
    pub(crate) values: Vec<R>,
    /// `[point][coordinate]`
    pub(crate) slopes: Vec<R>,
}

impl<R: Float> OwnKernels<'_, R> {
    /// Values and gradients at points, on the first device that the settings name; `None` if no such kernel was
    /// exported.
    pub(crate) fn gradients(
        &self,
        points: PointsOfRuns<'_, R>,
        settings: &Settings,
    ) -> Result<Option<Gradients<R>>> {
        match settings.backend {
            Backend::Cpu => Ok(None),
            Backend::Auto | Backend::Gpu => {
                self.on(selected_devices::gpus(settings)?.open(0)?, points)
            }
            #[cfg(feature = "emulator")]
            Backend::Emulator => self.on(selected_devices::emulators(settings)?.open(0)?, points),
            #[cfg(not(feature = "emulator"))]
            Backend::Emulator => Err(Error::NoEmulator),
        }
    }

    fn on<M: Machine>(
        &self,
        mut machine: M,
        points: PointsOfRuns<'_, R>,
    ) -> Result<Option<Gradients<R>>> {
        let name = format!("gradient_{}_{}", self.name, R::NAME);
        let kernel = Kernel::new(name, Some(self.own));
        match machine.load(&kernel) {
            Err(Error::NoSuchKernel { .. }) => return Ok(None),
            loaded => loaded?,
        }
        let PointsOfRuns { all, dimensions, runs } = points;
        let count = all.len() / dimensions;
        let data = DataArrays::upload(self.data, &mut machine)?;
        let mut array = |numbers: usize| machine.allocate((numbers * size_of::<R>()) as u64);
        let [at, values, slopes] = [array(all.len())?, array(count)?, array(all.len())?];
        machine.store_numbers(at, 0, all)?;
        let mut parameter = Parameter::of(GradientPoints::<R> {
            data: data.args(0, runs as u32, 1),
            points: Ptr::at(at),
            values: Ptr::at(values),
            slopes: Ptr::at(slopes),
            count: count as u32,
            of_run: (count / runs) as u32,
            dimensions: dimensions as u32,
            padding: 0,
        });
        parameter.append(&self.objective);
        let block = GRADIENT_BLOCK.min((count as u32).next_multiple_of(32));
        let grid = (count as u32).div_ceil(block);
        let shape = Shape { grid, block, shared: 0, cooperative: false, cluster: 0 };
        machine.launch(&kernel, shape, &parameter)?;
        Ok(Some(Gradients {
            values: machine.fetch_numbers(values, 0, count as u64)?,
            slopes: machine.fetch_numbers(slopes, 0, all.len() as u64)?,
        }))
    }
}
