//! The resources of the CPU backend: threads and memory.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::machine::system;

/// The threads that do the work.
pub(crate) struct Workers {
    /// `None` if only the calling thread is used.
    pub(crate) pool: Option<rayon::ThreadPool>,
    pub(crate) threads: usize,
}

impl Workers {
    /// This many threads, or as many as the machine has; at most eight times the latter, or 64 if that is more.
    pub(crate) fn new(threads: Option<usize>) -> Result<Self> {
        // Starting many more threads than can run costs more time than it saves.
        let most = (8 * system::threads()).max(64);
        let threads = threads.unwrap_or_else(system::threads).min(most);
        let pool = if threads == 1 { None } else { Some(pool(threads)?) };
        Ok(Workers { pool, threads })
    }

    /// What `make` returns for each number below `count`, in order. On several threads, a task has at least `grain`
    /// numbers.
    pub(crate) fn collect<T: Send + Sync>(
        &self,
        count: usize,
        grain: usize,
        make: &(dyn Fn(usize) -> T + Sync),
    ) -> Vec<T> {
        let Some(pool) = &self.pool else { return (0..count).map(make).collect() };
        let made: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
        for_each(pool, count, grain, &|number| {
            made[number].get_or_init(|| make(number));
        });
        made.into_iter().map(|made| made.into_inner().expect("each number has its turn")).collect()
    }

    /// A description of the device.
    pub(crate) fn name(&self) -> String {
        match self.threads {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }
}

/// Calls `work` for each number below `count`. It is a trait object, so that rayon's loop is compiled once and not for
/// each kind of work.
fn for_each(pool: &rayon::ThreadPool, count: usize, grain: usize, work: &(dyn Fn(usize) + Sync)) {
    pool.install(|| (0..count).into_par_iter().with_min_len(grain).for_each(work));
}

fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|thread| format!("warpswarm-{thread}"))
        .build();
    pool.map_err(|error| Error::Threads { threads, message: error.to_string() })
}

/// Requests the memory from the system and releases it: an allocation that fails later would end the program.
pub(crate) fn check_memory(bytes: u64) -> Result<()> {
    let reserved = Vec::<u8>::new().try_reserve_exact(bytes as usize);
    reserved.map_err(|_| Error::HostMemory { bytes })
}
