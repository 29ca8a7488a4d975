//! What the CPU backend takes of the machine: threads and memory.

use crate::error::{Error, Result};
use crate::machine::system;

/// Threads that work.
pub(crate) struct Workers {
    /// None for the calling thread alone.
    pub(crate) pool: Option<rayon::ThreadPool>,
    pub(crate) threads: usize,
}

impl Workers {
    /// So many threads, or as many as the machine has; no more than eight times as many, or 64.
    pub(crate) fn new(threads: Option<usize>) -> Result<Self> {
        // Starting many more than can run takes longer than they could save.
        let most = (8 * system::threads()).max(64);
        let threads = threads.unwrap_or_else(system::threads).min(most);
        let pool = if threads == 1 { None } else { Some(pool(threads)?) };
        Ok(Workers { pool, threads })
    }

    /// The device in words.
    pub(crate) fn name(&self) -> String {
        match self.threads {
            1 => "CPU, 1 thread".into(),
            threads => format!("CPU, {threads} threads"),
        }
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|thread| format!("warpswarm-{thread}"))
        .build();
    pool.map_err(|error| Error::Threads { threads, message: error.to_string() })
}

/// Asks the system for the memory and gives it back: an allocation that fails later ends the program.
pub(crate) fn check_memory(bytes: u64) -> Result<()> {
    let reserved = Vec::<u8>::new().try_reserve_exact(bytes as usize);
    reserved.map_err(|_| Error::HostMemory { bytes })
}
