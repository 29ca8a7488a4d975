//! Compiles kernels in parallel before the measurements.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The largest number of threads; the driver compiles a kernel in each.
const THREADS: usize = 16;

/// Calls `done` for each item, on all threads of the machine. A kernel that one thread has loaded is available to the
/// whole process.
pub(crate) fn each<T: Sync>(items: &[T], done: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            done(item);
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(work);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_has_its_turn() {
        let counts: Vec<AtomicUsize> = (0..100).map(AtomicUsize::new).collect();
        each(&counts, |count| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let found: Vec<usize> = counts.into_iter().map(AtomicUsize::into_inner).collect();
        assert_eq!(found, (1..=100).collect::<Vec<_>>());
        each(&[0; 0], |_| panic!("there is none"));
    }
}
