//! The threads of a block.
//!
//! Every function is collective: all threads of the block call it together.

use warpswarm_core::sum::Operator;

use crate::shared::{SharedArray, Stored};
use crate::{machine, thread};

/// Waits for all threads; shared and global memory that they wrote before is visible to all after.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync() {
    machine::sync_threads();
}

/// [`sync`], and whether the predicate holds in any thread.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync_or(predicate: bool) -> bool {
    machine::sync_threads_or(predicate)
}

/// Combines the threads' values by CPSO's tree reduction: in each round the lower half of the
/// threads takes in the upper half.
///
/// The result is valid in every thread. `O` must not care for the order of its operands: the tree
/// pairs distant threads. `scratch` has an element for every thread and may be used again after
/// the next [`sync`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn reduce<T: Stored, O: Operator<T>>(value: T, scratch: SharedArray<T>) -> T {
    let me = thread::index();
    let mut value = value;
    let mut left = thread::block_dim();
    scratch.set(me, value);
    sync();
    while left > 1 {
        // The middle element of an odd row waits for the next round.
        let half = left.div_ceil(2);
        if me + half < left {
            value = O::combine(value, scratch.get(me + half));
            scratch.set(me, value);
        }
        sync();
        left = half;
    }
    scratch.get(0)
}
