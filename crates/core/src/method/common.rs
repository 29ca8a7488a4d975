//! What the individuals of a run have in common, beside the best point: a memory, and an archive of points that were given up.
//!
//! Neither is there unless a method [says so](super::Method::SHARES). They change in an order that does not depend on who does
//! it, and nobody waits for it but at the end of an iteration:
//!
//! ```text
//! memory    before an iteration `learn` changes it, from sums over what `lesson` makes of the numbers of all individuals: groups
//!           of 32 neighbours are joined pairwise, then 32 neighbouring groups, then 32 of those; the rest one after the other
//! archive   an individual has two places there. A point that it gives up goes into the one that it `leaves` it in; others see
//!           that from the next iteration on, and meanwhile look at the other place
//! ```

use crate::real::Float;
use crate::sum::{self, Sum};

/// Sums from which a run learns.
pub const LESSONS: usize = 4;
/// So many neighbours are joined first.
pub const GROUP: u32 = 32;

/// What an individual, or several, add to the sums from which a run learns.
pub type Lessons<R> = [R; LESSONS];

/// The numbers that a run remembers.
pub trait Memory<R: Float> {
    /// Number `k`.
    fn get(&self, k: u32) -> R;
    /// Changes number `k`.
    fn set(&mut self, k: u32, number: R);
}

/// The sums of so many groups, of which `of_group` gives one; one thread's.
pub fn sum_of_groups<R: Float>(groups: u32, of_group: impl Fn(u32) -> Lessons<R>) -> Lessons<R> {
    let group = |i| if i < groups { of_group(i) } else { [R::ZERO; LESSONS] };
    let groups_of = |first: u32| sum_of_group(|i| group(first + i));
    let mut sums = [R::ZERO; LESSONS];
    for first in (0..groups).step_by((GROUP * GROUP) as usize) {
        let part = sum_of_group(|i| groups_of(first + GROUP * i));
        sums = core::array::from_fn(|k| sums[k] + part[k]);
    }
    sums
}

/// The sums of a group, whose members' lessons `of_member` gives; zero where there is no such member.
pub fn sum_of_group<R: Float>(of_member: impl Fn(u32) -> Lessons<R>) -> Lessons<R> {
    let members: [Lessons<R>; GROUP as usize] = core::array::from_fn(|i| of_member(i as u32));
    core::array::from_fn(|k| {
        let leaves: [R; GROUP as usize] = core::array::from_fn(|i| members[i][k]);
        sum::join::<R, Sum, { GROUP as usize }>(leaves)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many that the last of all levels are not full.
    #[test]
    fn groups_are_summed_up_in_a_fixed_order() {
        for groups in [0, 1, 31, 32, 33, 1024, 1025, 2050] {
            let sums = sum_of_groups(groups, |i| [1.0, f64::from(i), 0.0, -1.0]);
            let count = f64::from(groups);
            assert_eq!(sums, [count, count * (count - 1.0).max(0.0) / 2.0, 0.0, -count]);
        }
        // 2^53 swallows a one that comes by itself, not two that come together.
        let large = 9_007_199_254_740_992.0;
        let of = |ones: [u32; 2]| {
            let one = |i| if i == 0 { large } else { f64::from(u32::from(ones.contains(&i))) };
            sum_of_groups(2000, |i| [one(i), 0.0, 0.0, 0.0])[0] - large
        };
        assert_eq!(
            [of([1, 1024]), of([2, 3]), of([32, 64]), of([64, 96]), of([1024, 1056])],
            [0.0, 2.0, 0.0, 2.0, 2.0]
        );
    }
}
