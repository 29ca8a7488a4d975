//! The devices that the settings name.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::choose::{BY_DEVICES, not_split};
use super::device::several::Described;
use crate::error::Result;
use crate::machine;
use crate::settings::Settings;
use crate::settings::choices::Backend;
use crate::settings::devices::Devices;
use crate::settings::peers::Peers;

/// The devices that the settings name.
pub(super) struct SelectedDevices<M> {
    by_place: Box<dyn Fn(usize) -> Result<M> + Send + Sync>,
    pub(super) count: usize,
    /// The first device, if it has been opened to describe it.
    first: Mutex<Option<M>>,
}

impl<M: machine::Machine> SelectedDevices<M> {
    /// `count` devices, each opened by its index among them.
    fn new(count: usize, by_place: impl Fn(usize) -> Result<M> + Send + Sync + 'static) -> Self {
        SelectedDevices { by_place: Box::new(by_place), count, first: Mutex::default() }
    }

    /// Opens a device, by its index among them.
    pub(super) fn open(&self, place: usize) -> Result<M> {
        let opened = if place == 0 { self.first().take() } else { None };
        opened.map_or_else(|| (self.by_place)(place), Ok)
    }

    fn first(&self) -> MutexGuard<'_, Option<M>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Descriptions of the first `count` devices, by which runs are divided.
    pub(super) fn described(&self, count: usize) -> Result<Vec<Described>> {
        let described = |place| -> Result<_> {
            let machine = self.open(place)?;
            let (name, multiprocessors) = (machine.name(), machine.multiprocessors());
            if place == 0 {
                *self.first() = Some(machine);
            }
            Ok(Described { name, multiprocessors })
        };
        (0..count).map(described).collect()
    }

    /// The multiprocessors of each of the first `count` devices.
    pub(super) fn multiprocessors(&self, count: usize) -> Result<Vec<u32>> {
        let described = self.described(count)?;
        Ok(described.iter().map(|device| device.multiprocessors).collect())
    }
}

impl Peers {
    /// The multiprocessors of the devices that the settings name, which a rank sends to the others. With
    /// [`Backend::Auto`] they are those of GPUs, because CPUs cannot share swarms.
    ///
    /// # Errors
    ///
    /// If there are no such devices.
    ///
    /// [`Backend::Auto`]: crate::Backend::Auto
    pub fn own(settings: &Settings) -> Result<Vec<u32>> {
        settings.check()?;
        multiprocessors(settings)
    }
}

/// The multiprocessors of each device that the settings name.
fn multiprocessors(settings: &Settings) -> Result<Vec<u32>> {
    fn of_all<M: machine::Machine>(devices: SelectedDevices<M>) -> Result<Vec<u32>> {
        devices.multiprocessors(devices.count)
    }
    match settings.backend {
        Backend::Cpu => Err(not_split(BY_DEVICES)),
        Backend::Auto | Backend::Gpu => of_all(gpus(settings)?),
        #[cfg(feature = "emulator")]
        Backend::Emulator => of_all(emulators(settings)?),
        #[cfg(not(feature = "emulator"))]
        Backend::Emulator => Err(crate::error::Error::NoEmulator),
    }
}

/// GPUs.
pub(super) fn gpus(settings: &Settings) -> Result<SelectedDevices<machine::gpu::Gpu>> {
    // Opening the first device reports whether it exists, and what is missing otherwise.
    let there = if settings.devices == Devices::default() { 1 } else { machine::gpu::count()? };
    let numbers = settings.devices.numbers(there)?;
    Ok(SelectedDevices::new(numbers.len(), move |place| machine::gpu::Gpu::open(numbers[place])))
}

/// Emulated devices: enough for tests.
#[cfg(feature = "emulator")]
pub(super) fn emulators(
    settings: &Settings,
) -> Result<SelectedDevices<machine::emulator::Emulator>> {
    let count = settings.devices.numbers(machine::emulator::DEVICES)?.len();
    Ok(SelectedDevices::new(count, |_| Ok(machine::emulator::Emulator::default())))
}
