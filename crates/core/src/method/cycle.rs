//! Iterations that come again and again.

/// Which iteration of its cycle of `length` an iteration (from 1) is, from 0.
///
/// ```
/// use warpswarm_core::method::step_of_cycle;
/// let steps: Vec<_> = (1..=7).map(|iteration| step_of_cycle(iteration, 3)).collect();
/// assert_eq!(steps, [0, 1, 2, 0, 1, 2, 0]);
/// ```
#[inline(always)]
pub fn step_of_cycle(iteration: u64, length: u64) -> u64 {
    let before = iteration.max(1) - 1;
    match (u32::try_from(before), u32::try_from(length)) {
        // Much cheaper on a GPU. Never zero; said so that no check for a division by zero is compiled.
        (Ok(before), Ok(length)) => u64::from(before % length.max(1)),
        _ => before % length.max(1),
    }
}
