//! Prepares pages of host memory. The operating system maps a page when it is first written, which takes longer than
//! the write itself.

#![allow(unsafe_code)]

use std::hint::black_box;

use rayon::ThreadPool;

/// The smallest size of a page, in bytes.
const PAGE: usize = 1 << 12;
/// The size of an array from which preparing its pages is worthwhile, in bytes.
const LARGE: usize = 2 << 20;
/// The number of threads that prepare pages. More threads only wait for each other, and compete for memory bandwidth
/// with copies.
const THREADS: usize = 4;

/// Lets threads prepare the pages of large arrays while the calling thread does `work`. The arrays must contain zeros,
/// because zeros are written.
pub(crate) fn prepared_while<'a, T>(
    zeros: impl IntoIterator<Item = &'a mut [u8]>,
    pool: Option<&ThreadPool>,
    work: impl FnOnce() -> T,
) -> T {
    let Some(pool) = pool else { return work() };
    let large = zeros.into_iter().filter(|bytes| bytes.len() >= LARGE);
    let large = large.inspect(|bytes| ask_for_large(bytes));
    let mut pieces: Vec<&mut [u8]> = large.flat_map(|bytes| bytes.chunks_mut(LARGE)).collect();
    let each = pieces.len().div_ceil(THREADS).max(1);
    pool.in_place_scope(|scope| {
        for pieces in pieces.chunks_mut(each) {
            scope.spawn(|_| pieces.iter_mut().for_each(|piece| touch(piece)));
        }
        work()
    })
}

/// Writes a zero to each page.
fn touch(zeros: &mut [u8]) {
    zeros.iter_mut().step_by(PAGE).for_each(|byte| *byte = black_box(0));
}

/// Requests large pages for memory that has no pages yet: the first write then takes half as long.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_large(bytes: &[u8]) {
    let skipped = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
    let whole = &bytes[skipped..];
    let len = whole.len() / PAGE * PAGE;
    // SAFETY: the pages are within borrowed memory, and their contents do not change. The result does not matter: the
    // system may not support large pages.
    unsafe { libc::madvise(whole.as_ptr().cast_mut().cast(), len, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_large(_: &[u8]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_stay_as_they_are_and_work_is_done() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for pool in [None, Some(&pool)] {
            let mut arrays = [3, LARGE - 1, LARGE, 3 * LARGE + PAGE + 1].map(|len| vec![0; len]);
            arrays[0][0] = 5;
            let caller = std::thread::current().id();
            let arrays_to = arrays.iter_mut().map(|array| &mut array[..]);
            // The work is done on this thread.
            let done = prepared_while(arrays_to, pool, || std::thread::current().id());
            assert_eq!(done, caller);
            assert_eq!(arrays[0], [5, 0, 0]);
            assert!(arrays[1..].iter().flatten().all(|&byte| byte == 0));
        }
    }

    /// Every page of an array is resident afterwards.
    #[test]
    #[cfg(target_os = "linux")]
    fn pages_are_there_afterwards() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        // So large that it is not memory that an earlier array has used.
        let mut array = vec![0_u8; 17 * LARGE + 3];
        prepared_while([&mut array[..]], Some(&pool), || ());
        let skipped = array.as_ptr().align_offset(PAGE);
        let pages = (array.len() - skipped) / PAGE;
        let mut is_there = vec![0_u8; pages];
        let begin = array[skipped..].as_mut_ptr().cast();
        // SAFETY: the pages are within the array, and there is a byte for each.
        let said = unsafe { libc::mincore(begin, pages * PAGE, is_there.as_mut_ptr()) };
        assert_eq!(said, 0);
        assert_eq!(is_there.iter().position(|there| there & 1 == 0), None);
    }
}
