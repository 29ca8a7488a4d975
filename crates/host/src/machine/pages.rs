//! Pages of the host's memory. The system prepares a page when it is first written, which takes longer than the writing.

#![allow(unsafe_code)]

use std::hint::black_box;

use rayon::ThreadPool;

/// Bytes of a page, at least.
const PAGE: usize = 1 << 12;
/// Bytes of an array from which on its pages are worth it.
const LARGE: usize = 2 << 20;
/// Threads that prepare pages: more of them only wait for each other, and for the memory that copies need meanwhile.
const THREADS: usize = 4;

/// Has threads prepare the pages of large arrays while the calling thread does something else. The arrays have zeros
/// in them: those are what is written.
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

/// Writes a zero into each page.
fn touch(zeros: &mut [u8]) {
    zeros.iter_mut().step_by(PAGE).for_each(|byte| *byte = black_box(0));
}

/// Asks the system for large pages, if it has none yet for this memory: writing it for the first time takes half as long then.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_large(bytes: &[u8]) {
    let skipped = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
    let whole = &bytes[skipped..];
    let len = whole.len() / PAGE * PAGE;
    // SAFETY: the pages are all within memory that we have borrowed, and their contents stay as they are. What it says does not
    // matter: a system may have no large pages.
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
            // What is done meanwhile is done on this thread.
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
        // So large that it is never memory that an array before it has had.
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
