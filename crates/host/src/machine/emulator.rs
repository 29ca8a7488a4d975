//! The emulator as a device: kernels run on the calling thread, and device memory is host memory.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use warpswarm_core::launch::MAX_BLOCK;
use warpswarm_device::emulator::{Entry, LaunchConfig, Linkable, launch_linked};

use super::{Kernel, LiveMemory, Loan, Machine, Parameter, Piece, Service, Shape, Stream};
use crate::error::faults::{self, Call};
use crate::error::{Error, Result};

/// The number of emulated devices.
pub(crate) const DEVICES: u32 = 4;
/// The number of multiprocessors: small, so that small swarms use several blocks.
const MULTIPROCESSORS: u32 = 4;
/// The largest number of resident threads of a multiprocessor.
const THREADS: u32 = 2048;
/// Bytes of shared memory of a multiprocessor.
const SHARED: u32 = 227 * 1024;
/// The size of the device memory: enough for tests, and a limit that keeps a mistake from filling the host's memory.
const MEMORY: u64 = 1 << 32;
/// The alignment of arrays, in bytes.
const ALIGNMENT: usize = 256;
const COPY: &str = "a copy";
/// The message of injected faults.
const FAULT: &str = "it was to fail";

/// An emulated device.
#[derive(Debug, Default)]
pub(crate) struct Emulator {
    entries: HashMap<&'static str, &'static Entry>,
    objectives: HashMap<&'static str, &'static Linkable>,
    arrays: Vec<Array>,
    used: u64,
}

/// An array of device memory. Kernels access its words by address, so the words are cells.
#[derive(Debug)]
struct Array {
    words: Vec<Cell<u64>>,
    address: u64,
    bytes: u64,
}

impl Array {
    fn new(bytes: u64) -> Self {
        let words = (bytes as usize).div_ceil(8) + ALIGNMENT / 8;
        let words = vec![Cell::new(0); words];
        faults::allocated(bytes);
        let address = words.as_ptr().expose_provenance().next_multiple_of(ALIGNMENT) as u64;
        Array { words, address, bytes }
    }

    /// The word that contains byte `byte` of the array, and the bit offset of the byte within it.
    fn word(&self, byte: usize) -> (&Cell<u64>, u32) {
        let before = self.address as usize - self.words.as_ptr().addr();
        (&self.words[(before + byte) / 8], 8 * (byte % 8) as u32)
    }

    fn read(&self, from: usize, to: &mut [u8]) {
        for (k, byte) in to.iter_mut().enumerate() {
            let (word, shift) = self.word(from + k);
            *byte = (word.get() >> shift) as u8;
        }
    }

    fn write(&self, to: usize, from: &[u8]) {
        for (k, &byte) in from.iter().enumerate() {
            let (word, shift) = self.word(to + k);
            word.set(word.get() & !(0xff << shift) | u64::from(byte) << shift);
        }
    }
}

/// Lent memory, by its address; only kernels can read it.
#[derive(Debug)]
struct Lent(u64);

impl Loan for Lent {
    fn address(&self) -> u64 {
        self.0
    }

    fn device(&self) -> u32 {
        0
    }

    fn stream(&self) -> Stream {
        // SAFETY: the emulator has no streams, and nothing uses this one.
        unsafe { Stream::new(0) }
    }

    fn ready_for(&self, _: Stream) -> Result<()> {
        Ok(())
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        faults::freed(self.bytes);
    }
}

/// Fails if a test injects a fault into this call.
fn before(call: Call, what: &'static str) -> Result<()> {
    match faults::due(call) {
        true => Err(Error::Driver { call: what, code: 0, message: FAULT.into() }),
        false => Ok(()),
    }
}

/// As [`before`], for a call for a kernel.
fn before_kernel(call: Call, kernel: &Kernel) -> Result<()> {
    let failed = || Error::Launch { kernel: kernel.to_string(), code: 0, message: FAULT.into() };
    if faults::due(call) { Err(failed()) } else { Ok(()) }
}

impl Emulator {
    fn find(&mut self, kernel: &Kernel) -> Result<(&'static Entry, Option<&'static Linkable>)> {
        if self.entries.is_empty() {
            self.entries =
                warpswarm_kernels::entries().map(|entry| (entry.name(), entry)).collect();
            let objectives = warpswarm_kernels::objectives::all();
            self.objectives = objectives.map(|objective| (objective.name(), objective)).collect();
        }
        let missing = || Error::NoSuchKernel { kernel: kernel.to_string() };
        let name = kernel.entry.name.as_str();
        let entry = match &kernel.entry.own {
            Some(own) => own.entry(name),
            None => self.entries.get(name).copied(),
        };
        let entry = entry.ok_or_else(missing)?;
        let objective = match &kernel.objective {
            None => None,
            // The model is part of the kernel's own arguments.
            Some(_) if kernel.is_of_model() => None,
            Some(Piece { name, own: Some(own), .. }) => Some(
                own.objective(name)
                    .ok_or_else(|| Error::NotExported { objective: name.clone() })?,
            ),
            Some(Piece { name, own: None, .. }) => {
                Some(*self.objectives.get(name.as_str()).ok_or_else(missing)?)
            }
        };
        Ok((entry, objective))
    }

    /// The array that contains `count` bytes at `address`, and the offset within it.
    fn array(&self, address: u64, count: u64) -> Result<(&Array, usize)> {
        let inside = |array: &&Array| {
            address >= array.address && address + count <= array.address + array.bytes
        };
        let array = self.arrays.iter().find(inside).ok_or_else(|| Error::Driver {
            call: COPY,
            code: 0,
            message: format!("{count} bytes at {address:#x} are not allocated"),
        })?;
        Ok((array, (address - array.address) as usize))
    }
}

impl Machine for Emulator {
    fn name(&self) -> String {
        "emulated GPU".into()
    }

    fn identity(&mut self) -> Result<String> {
        let first = self.arrays.first().map_or(0, |array| array.address);
        Ok(format!("emulator {} {first:x}", std::process::id()))
    }

    fn multiprocessors(&self) -> u32 {
        MULTIPROCESSORS
    }

    fn has_bulk_copies(&self) -> bool {
        true
    }

    fn occupancy(&mut self, kernel: &Kernel, block: u32, shared: u32) -> Result<u32> {
        self.find(kernel)?;
        before(Call::Ask, "the occupancy")?;
        if kernel.residency.is_some_and(|residency| residency.threads > MAX_BLOCK) {
            // The number of threads is checked against the launch bounds in the kernel.
            return Ok(0);
        }
        Ok((THREADS / block).min(SHARED / shared.max(1)))
    }

    fn clusters(&mut self, kernel: &Kernel, shape: Shape) -> Result<u32> {
        self.find(kernel)?;
        before(Call::Ask, "the number of clusters")?;
        Ok(u32::from(shape.shared <= SHARED))
    }

    fn load(&mut self, kernel: &Kernel) -> Result<()> {
        before_kernel(Call::Load, kernel)?;
        self.find(kernel).map(drop)
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        let free = MEMORY - self.used;
        if bytes > free || faults::due(Call::Allocate) {
            return Err(Error::OutOfMemory { bytes, free });
        }
        self.used += bytes;
        let array = Array::new(bytes);
        let address = array.address;
        self.arrays.push(array);
        Ok(address)
    }

    fn allocate_visible(&mut self, bytes: u64) -> Result<u64> {
        self.allocate(bytes)
    }

    fn zero(&mut self, address: u64, bytes: u64) -> Result<()> {
        before(Call::Zero, "a memset")?;
        let (array, at) = self.array(address, bytes)?;
        array.write(at, &vec![0; bytes as usize]);
        Ok(())
    }

    fn upload(&mut self, address: u64, from: &[u8]) -> Result<()> {
        before(Call::Upload, COPY)?;
        let (array, at) = self.array(address, from.len() as u64)?;
        array.write(at, from);
        Ok(())
    }

    fn download(&mut self, address: u64, to: &mut [u8]) -> Result<()> {
        before(Call::Download, COPY)?;
        let (array, at) = self.array(address, to.len() as u64)?;
        array.read(at, to);
        Ok(())
    }

    fn lend(&mut self, bytes: u64) -> Result<Arc<dyn Loan>> {
        self.allocate(bytes.max(1)).map(|address| Arc::new(Lent(address)) as Arc<dyn Loan>)
    }

    fn check_foreign(&mut self, address: u64, bytes: u64) -> Result<()> {
        self.array(address, bytes).map(drop)
    }

    fn follow_stream(&mut self, _: Stream) -> Result<()> {
        before(Call::Mark, "a mark")
    }

    fn copy_to(&mut self, from: u64, other: &Self, to: u64, bytes: u64) -> Result<()> {
        before(Call::Upload, COPY)?;
        let mut copied = vec![0; bytes as usize];
        let (array, at) = self.array(from, bytes)?;
        array.read(at, &mut copied);
        let (array, at) = other.array(to, bytes)?;
        array.write(at, &copied);
        Ok(())
    }

    // Enqueued work is done immediately.
    fn mark(&mut self) -> Result<()> {
        before(Call::Mark, "a mark")
    }

    fn follow(&mut self, _: &Self) -> Result<()> {
        before(Call::Mark, "a mark")
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn launch(&mut self, kernel: &Kernel, shape: Shape, parameter: &Parameter) -> Result<()> {
        self.launch_while(kernel, shape, parameter, &mut |_| false)
    }

    fn launch_served(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        parameter: &Parameter,
        service: &mut dyn Service,
    ) -> Result<()> {
        let mut failed = None;
        let done = self.launch_while(kernel, shape, parameter, &mut |mut emulator| {
            if failed.is_some() || service.is_done() {
                return false;
            }
            service.serve(&mut emulator).unwrap_or_else(|error| {
                failed = Some(error);
                true
            })
        });
        failed.map_or(done, Err)
    }
}

impl LiveMemory for &Emulator {
    fn read(&mut self, address: u64, to: &mut [u64]) -> Result<()> {
        before(Call::Download, COPY)?;
        let (array, at) = self.array(address, 8 * to.len() as u64)?;
        for (k, word) in to.iter_mut().enumerate() {
            *word = array.word(at + 8 * k).0.get();
        }
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u64]) -> Result<()> {
        before(Call::Upload, COPY)?;
        let (array, at) = self.array(address, 8 * from.len() as u64)?;
        for (k, word) in from.iter().enumerate() {
            array.word(at + 8 * k).0.set(*word);
        }
        Ok(())
    }
}

impl Emulator {
    /// Launches a kernel. Whenever all its threads wait, calls `meanwhile`, which returns whether it has changed
    /// anything.
    fn launch_while(
        &mut self,
        kernel: &Kernel,
        shape: Shape,
        parameter: &Parameter,
        meanwhile: &mut dyn FnMut(&Emulator) -> bool,
    ) -> Result<()> {
        let (entry, objective) = self.find(kernel)?;
        before_kernel(Call::Launch, kernel)?;
        let Shape { grid, block, shared: shared_bytes, cooperative, cluster } = shape;
        let shuffle_seed = faults::shuffle_seed();
        let config = LaunchConfig { grid, block, shared_bytes, cooperative, cluster, shuffle_seed };
        let this = &*self;
        let bytes = match kernel.is_of_model() {
            true => parameter.bytes().get(..entry.argument_bytes()),
            false => None,
        };
        let bytes = bytes.unwrap_or(parameter.bytes());
        // SAFETY: `parameter` contains the structs of entry and objective, whose types follow from their names. Its
        // addresses are those of `arrays`, with the sizes in the documentation of `PsoArgs`. The words of arrays are
        // cells, and live as long as `self`, which is borrowed until the kernel has ended. `meanwhile` runs on this
        // thread.
        let done =
            unsafe { launch_linked(entry, objective, &config, bytes, &mut || meanwhile(this)) };
        done.map_err(|fault| Error::Launch {
            kernel: kernel.to_string(),
            code: 0,
            message: fault.to_string(),
        })
    }
}
