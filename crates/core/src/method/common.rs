//! What the individuals of a run share besides the best point: a memory, and an archive of replaced points.
//!
//! Both exist only for methods that [share](super::Method::SHARES). The results do not depend on the order in which
//! threads work, and threads wait for each other only at the end of an iteration:
//!
//! ```text
//! memory    before an iteration `learn` updates it, from sums over the `lesson` of each individual: groups of 32
//!           neighbours are joined pairwise, then 32 neighbouring groups, then 32 of those; the rest in sequence
//! archive   an individual has two places. A replaced point goes to the place that `leaves` names; others read it from
//!           the next iteration on, and until then use the other place
//! ```

use crate::real::Float;
use crate::sum::{self, Sum};

/// The number of sums from which a run learns.
pub const LESSONS: usize = 4;
/// How many neighbours are joined in a group.
pub const GROUP: u32 = 32;

/// The terms that one individual, or several together, add to the sums from which a run learns.
pub type Lessons<R> = [R; LESSONS];

/// The memory of a run.
pub trait Memory<R: Float> {
    /// Number `k`.
    fn get(&self, k: u32) -> R;
    /// Changes number `k`.
    fn set(&mut self, k: u32, number: R);
}

/// The sums over all groups, where `of_group` returns the sums of one; on one thread.
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

/// The sums of a group, where `of_member` returns the terms of a member, zero if there is no such member.
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

    /// Numbers of groups for which the last group of every level is incomplete.
    #[test]
    fn groups_are_summed_up_in_a_fixed_order() {
        for groups in [0, 1, 31, 32, 33, 1024, 1025, 2050] {
            let sums = sum_of_groups(groups, |i| [1.0, f64::from(i), 0.0, -1.0]);
            let count = f64::from(groups);
            assert_eq!(sums, [count, count * (count - 1.0).max(0.0) / 2.0, 0.0, -count]);
        }
        // 2^53 + 1 is rounded to 2^53, but 2^53 + 2 is exact.
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
