//! What the individuals of a run have in common, beside the best point: a memory, and an archive of points that were given up.
//!
//! Neither is there unless a method [says so](super::Method::SHARES). They change in an order that does not depend on who does
//! it, and nobody waits for it but at the end of an iteration:
//!
//! ```text
//! memory    before an iteration `learn` changes it, from sums over what `lesson` makes of the numbers of all individuals: groups
//!           of 32 neighbours are joined pairwise, the groups in the order of `sum`
//! archive   an individual has two places there. A point that it gives up goes into the one that it `leaves` it in; others see
//!           that from the next iteration on, and meanwhile look at the other place
//! ```

use crate::real::Real;
use crate::sum::{self, Sum};

/// Sums from which a run learns.
pub const LESSONS: usize = 4;
/// So many neighbours are joined first.
pub const GROUP: u32 = 32;

/// What an individual, or several, add to the sums from which a run learns.
pub type Lessons<R> = [R; LESSONS];

/// The numbers that a run remembers.
pub trait Memory<R: Real> {
    /// Number `k`.
    fn get(&self, k: u32) -> R;
    /// Changes number `k`.
    fn set(&mut self, k: u32, number: R);
}

/// The sums of so many groups, of which `of_group` gives one; one thread's.
pub fn sum_of_groups<R: Real>(groups: u32, of_group: impl Fn(u32) -> Lessons<R>) -> Lessons<R> {
    core::array::from_fn(|k| {
        sum::fold_buffered::<R, Sum>(groups as usize, |group| of_group(group as u32)[k])
    })
}

/// The sums of a group, whose members' lessons `of_member` gives; zero where there is no such member.
pub fn sum_of_group<R: Real>(of_member: impl Fn(u32) -> Lessons<R>) -> Lessons<R> {
    let members: [Lessons<R>; GROUP as usize] = core::array::from_fn(|i| of_member(i as u32));
    core::array::from_fn(|k| {
        let leaves: [R; GROUP as usize] = core::array::from_fn(|i| members[i][k]);
        sum::join::<R, Sum, { GROUP as usize }>(leaves)
    })
}
