//! Data of objectives in global memory.

use warpswarm_core::data::{Data, Table};
use warpswarm_core::launch::DataArgs;

use crate::view::{DeviceReal, View};
use crate::{machine, thread};

/// The data of the run that this block works on.
#[derive(Clone, Copy, Debug)]
pub struct DeviceData<R> {
    all: View<R>,
    count: u32,
    of_run: View<R>,
    count_of_run: u32,
}

impl<R: DeviceReal> DeviceData<R> {
    /// The data of this block's run, in a launch of `blocks_per_run` blocks a run.
    ///
    /// # Safety
    ///
    /// The host upholds: the arrays are as [`DataArgs`] describes them, and nothing writes to them while the kernel
    /// runs.
    #[inline(always)]
    pub unsafe fn of_block(args: &DataArgs<R>) -> Self {
        let (run, _) = thread::run_and_part(args.runs, args.blocks_per_run);
        // SAFETY: the caller upholds this.
        unsafe { Self::of_run(args, run) }
    }

    /// The data of run `run`, below the number of runs that have data.
    ///
    /// # Safety
    ///
    /// As [`of_block`](DeviceData::of_block).
    #[inline(always)]
    pub unsafe fn of_run(args: &DataArgs<R>, run: u32) -> Self {
        let DataArgs { all, of_runs, count, count_of_run, runs, .. } = *args;
        let of_run = if count_of_run == 0 {
            View::EMPTY
        } else {
            let len = count_of_run as usize;
            // SAFETY: the caller upholds this.
            unsafe { View::new(of_runs, runs as usize * len) }.part(run as usize * len, len)
        };
        // SAFETY: the caller upholds this.
        let all = unsafe { View::new(all, count as usize) };
        DeviceData { all, count, of_run, count_of_run }
    }

    /// The numbers that contain a table, and their count.
    #[inline(always)]
    fn around(&self, table: Table) -> (View<R>, u32) {
        if table.is_of_run() { (self.of_run, self.count_of_run) } else { (self.all, self.count) }
    }
}

impl<R: DeviceReal> Data<R> for DeviceData<R> {
    #[inline(always)]
    fn number(&self, table: Table, i: usize) -> R {
        let (numbers, count) = self.around(table);
        match table.place(i) {
            Some(place) if place < count as usize => constant(numbers, place),
            _ => R::NAN,
        }
    }
    #[inline(always)]
    fn has(&self, table: Table) -> bool {
        table.end() <= self.around(table).1 as usize
    }
    type Column = View<R>;
    #[inline(always)]
    fn column(&self, table: Table) -> View<R> {
        self.around(table).0.part(table.start(), table.len())
    }
    #[inline(always)]
    fn at(&self, column: View<R>, i: usize) -> R {
        constant(column, i)
    }
}

/// The number at a place among those that all runs share.
///
/// # Safety
///
/// The arrays are as [`DataArgs`] describes them, nothing writes to them while the kernel runs, and they have that
/// place.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub(crate) unsafe fn shared<R: DeviceReal>(args: &DataArgs<R>, place: usize) -> R {
    // SAFETY: the caller upholds this.
    constant(unsafe { View::new(args.all, args.count as usize) }, place)
}

/// Element `i` of an array that nothing writes to while the kernel runs, through the read-only cache.
#[inline(always)]
fn constant<R: DeviceReal>(numbers: View<R>, i: usize) -> R {
    let at = numbers.at(i, 1);
    // SAFETY: `at` returns a place in the array, which `of_block`'s caller guarantees; a number is aligned to its size.
    unsafe {
        if R::WORDS == 1 {
            R::from_bits64(u64::from(machine::constant_read_u32(at.cast())))
        } else {
            R::from_bits64(machine::constant_read_u64(at.cast()))
        }
    }
}
