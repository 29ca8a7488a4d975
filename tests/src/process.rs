//! What a process has: memory, files, threads.

use std::fs;

/// Bytes of a page of memory.
const PAGE: u64 = 4096;

/// What a process has.
#[derive(Clone, Copy, Debug)]
pub struct Has {
    /// Bytes that were asked for and not given back.
    pub live: u64,
    /// Bytes of its own in memory, without those of files such as its program: what of these is in memory, the kernel decides.
    pub own: u64,
    /// Open files and the like.
    pub handles: u64,
    /// Threads.
    pub threads: u64,
}

impl Has {
    /// What this process has now.
    pub fn now() -> Has {
        let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let mut pages = statm.split(' ').skip(1).map_while(|pages| pages.parse::<u64>().ok());
        let [resident, of_files] = [pages.next(), pages.next()].map(Option::unwrap_or_default);
        let entries = |folder| fs::read_dir(folder).map_or(0, |entries| entries.count() as u64);
        Has {
            live: crate::HEAP.allocated() as u64,
            own: PAGE * resident.saturating_sub(of_files),
            handles: entries("/proc/self/fd"),
            threads: entries("/proc/self/task"),
        }
    }

    /// The least of each, since a thread that ends, and what it has, may take its time.
    pub fn least(self, other: Has) -> Has {
        Has {
            live: self.live.min(other.live),
            own: self.own.min(other.own),
            handles: self.handles.min(other.handles),
            threads: self.threads.min(other.threads),
        }
    }
}
