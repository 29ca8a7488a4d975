//! A device that fails, for tests.

use warpswarm_cpu_ref::difference;

use super::emulator::Emulator;
use super::{Kernel, Machine, Parameter, Shape};
use crate::backend::Driver;
use crate::error::{Error, Result};

/// A device on which the call number `left` from now fails, as a full one does.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) device: Emulator,
    pub(crate) left: u32,
}

impl Failing {
    /// Makes and drives an engine on devices that fail later and later, until one does not: each time the error
    /// must come out, and in the end the state must be that of a device that never fails.
    pub(crate) fn check(at_least: u32, make: impl Fn(u32) -> Result<Driver<f32>>) {
        let run = |left| {
            let mut driver = make(left)?;
            driver.advance(3)?;
            driver.state_mut().snapshot()
        };
        let whole = run(u32::MAX).unwrap();
        let mut failures = 0;
        let last = loop {
            match run(failures) {
                Err(error) => assert_eq!(error, Error::OutOfMemory { bytes: 1, free: 0 }),
                Ok(state) => break state,
            }
            failures += 1;
        };
        assert!(failures > at_least, "{failures} calls");
        assert_eq!(difference(&whole[0], &last[0]), None);
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut Emulator) -> Result<T>) -> Result<T> {
        if self.left == 0 {
            return Err(Error::OutOfMemory { bytes: 1, free: 0 });
        }
        self.left -= 1;
        call(&mut self.device)
    }
}

impl Machine for Failing {
    fn name(&self) -> String {
        self.device.name()
    }
    fn multiprocessors(&self) -> u32 {
        self.device.multiprocessors()
    }
    fn has_bulk_copies(&self) -> bool {
        self.device.has_bulk_copies()
    }
    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32> {
        self.call(|device| device.occupancy(kernel, block, shared))
    }
    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32> {
        self.call(|device| device.clusters(kernel, shape))
    }
    fn load(&mut self, kernel: &Kernel) -> Result<()> {
        self.call(|device| device.load(kernel))
    }
    fn allocate(&mut self, bytes: u64) -> Result<u64> {
        self.call(|device| device.allocate(bytes))
    }
    fn zero(&mut self, address: u64, bytes: u64) -> Result<()> {
        self.call(|device| device.zero(address, bytes))
    }
    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()> {
        self.call(|device| device.upload(address, from))
    }
    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()> {
        self.call(|device| device.download(address, to))
    }
    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()> {
        self.call(|device| device.launch(kernel, shape, parameter))
    }
}
