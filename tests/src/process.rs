//! Resources of a process: memory, files, threads.

use std::fs;

/// The size of a memory page, in bytes.
const PAGE: u64 = 4096;

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
pub struct Has {
    /// Allocated bytes that have not been freed.
    pub live: u64,
    /// Bytes of anonymous memory. Files, such as the program, are not included, because the kernel decides how much of
    /// them is in memory.
    pub own: u64,
    /// The number of open files and similar handles.
    pub handles: u64,
    /// The number of threads.
    pub threads: u64,
}

impl Has {
    /// The current resources of this process.
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

    /// The minimum of each number, because the resources of a thread that has ended may be freed with a delay.
    pub fn least(self, other: Has) -> Has {
        Has {
            live: self.live.min(other.live),
            own: self.own.min(other.own),
            handles: self.handles.min(other.handles),
            threads: self.threads.min(other.threads),
        }
    }
}
