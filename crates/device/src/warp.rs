//! The 32 lanes of a warp.
//!
//! Every function is collective: all 32 lanes call it together. Results are valid in every lane.
//! [`sync`] also orders the lanes' accesses to shared memory; the others do not.

use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;
use warpswarm_core::sum::Operator;

use crate::machine;

/// A value that lanes can exchange: one or two 32-bit words.
pub trait Word: Copy + 'static {
    /// Lane `lane ^ mask`'s value.
    fn shuffle_xor(self, mask: u32) -> Self;
    /// Lane `lane`'s value.
    fn shuffle(self, lane: u32) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn shuffle_xor(self, mask: u32) -> Self {
        machine::shuffle_xor(self, mask)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn shuffle(self, lane: u32) -> Self {
        machine::shuffle(self, lane)
    }
}

impl Word for u64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn shuffle_xor(self, mask: u32) -> Self {
        let high = machine::shuffle_xor((self >> 32) as u32, mask);
        u64::from(high) << 32 | u64::from(machine::shuffle_xor(self as u32, mask))
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn shuffle(self, lane: u32) -> Self {
        let high = machine::shuffle((self >> 32) as u32, lane);
        u64::from(high) << 32 | u64::from(machine::shuffle(self as u32, lane))
    }
}

/// A number's value in lane `lane ^ mask`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn shuffle_xor<R: Float>(value: R, mask: u32) -> R {
    if R::WORDS == 1 {
        R::from_bits64(u64::from((value.to_bits64() as u32).shuffle_xor(mask)))
    } else {
        R::from_bits64(value.to_bits64().shuffle_xor(mask))
    }
}

/// A number's value in lane `lane`.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn shuffle<R: Float>(value: R, lane: u32) -> R {
    if R::WORDS == 1 {
        R::from_bits64(u64::from((value.to_bits64() as u32).shuffle(lane)))
    } else {
        R::from_bits64(value.to_bits64().shuffle(lane))
    }
}

/// Waits for all lanes. Shared memory that they wrote before is visible to all of them afterwards.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn sync() {
    machine::sync_warp();
}

/// Whether the predicate holds in any lane.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn any(predicate: bool) -> bool {
    machine::any(predicate)
}

/// One bit per lane: the lane's predicate.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn ballot(predicate: bool) -> u32 {
    machine::ballot(predicate)
}

/// The smallest of the lanes' integers.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn min(value: u32) -> u32 {
    machine::min(value)
}

/// Joins the values of groups of `LANES` neighbouring lanes pairwise, neighbours first, in the order of
/// [`sum`](warpswarm_core::sum). Every lane gets its group's result. `O` is commutative.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn join<R: Float, O: Operator<R>, const LANES: u32>(value: R) -> R {
    let mut value = value;
    let mut apart = 1;
    while apart < LANES {
        // Both lanes of a pair combine the same two values, so the order must not matter to `O`.
        value = O::combine(value, shuffle_xor(value, apart));
        apart *= 2;
    }
    value
}

/// The best of the lanes' candidates by (violation, value, index), and the lane that holds it.
///
/// Fitnesses are canonical. `constrained` states whether violations can differ from zero (or from that of
/// [`Candidate::NONE`]). The reduction takes one step of the hardware's integer minimum for each word.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn best<R: Float>(mine: Candidate<R>, constrained: bool) -> (Candidate<R>, u32) {
    let ((_, value), index, leading) =
        leading::<R>(mine.fitness.ordered(), mine.index, constrained);
    let lane = ballot(leading).trailing_zeros();
    let violation = if constrained {
        shuffle(mine.fitness.violation, lane)
    } else if index == u32::MAX {
        R::NAN
    } else {
        R::ZERO
    };
    let fitness = Fitness { violation, value: R::from_ordered(value) };
    (Candidate::new(fitness, index), lane)
}

/// The least of the lanes' [keys](Fitness::ordered), and the lowest index that belongs to it; see [`best`].
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn least<R: Float>(keys: (u64, u64), index: u32, constrained: bool) -> ((u64, u64), u32) {
    let (keys, index, _) = leading::<R>(keys, index, constrained);
    (keys, index)
}

/// [`least`], and whether this lane holds them.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn leading<R: Float>(
    (violation, value): (u64, u64),
    index: u32,
    constrained: bool,
) -> ((u64, u64), u32, bool) {
    let (violation, leading) =
        if constrained { smallest(violation, R::WORDS, true) } else { (0, true) };
    let (value, leading) = smallest(value, R::WORDS, leading);
    let (index, leading) = smallest(u64::from(index), 1, leading);
    ((violation, value), index as u32, leading)
}

/// The smallest key of the leading lanes, and whether this lane is one of them and holds it. A key has `words` words.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
fn smallest(key: u64, words: usize, leading: bool) -> (u64, bool) {
    let (mut leading, mut high) = (leading, 0);
    if words == 2 {
        high = min(if leading { (key >> 32) as u32 } else { u32::MAX });
        leading &= (key >> 32) as u32 == high;
    }
    let low = min(if leading { key as u32 } else { u32::MAX });
    (u64::from(high) << 32 | u64::from(low), leading & (key as u32 == low))
}
