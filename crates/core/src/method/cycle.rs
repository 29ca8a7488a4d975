//! Cyclic iterations.

/// The index, from 0, of an iteration (from 1) in its cycle of `length` iterations.
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
        (Ok(before), Ok(length)) => u64::from(remainder(before, length.max(1))),
        _ => before % length.max(1),
    }
}

/// The remainder of a division. A division takes a GPU some 250 cycles; this multiplies by the reciprocal of the
/// divisor. The divisor is the same in all iterations, so compilers compute the reciprocal before the loop. The
/// reciprocal, and with it the quotient, is at most one too small.
#[inline(always)]
fn remainder(dividend: u32, divisor: u32) -> u32 {
    let reciprocal = u32::MAX / divisor;
    let quotient = ((u64::from(dividend) * u64::from(reciprocal)) >> 32) as u32;
    let rest = dividend - quotient * divisor;
    if rest >= divisor { rest - divisor } else { rest }
}

#[cfg(test)]
mod tests {
    use super::remainder;

    #[test]
    fn remainders_by_the_reciprocal_are_remainders() {
        let edges = [1, 2, 3, 7, 26, 31, 255, 256, 65_535, 65_536, 1 << 31, u32::MAX - 1, u32::MAX];
        let around = |of: u32| [of.wrapping_sub(1), of, of.wrapping_add(1)];
        for divisor in edges.into_iter().flat_map(around).filter(|&divisor| divisor > 0) {
            let multiples = [1, 2, 1000].map(|k: u32| divisor.wrapping_mul(k));
            let last = u32::MAX / divisor * divisor;
            for of in edges.into_iter().chain(multiples).chain([0, last]) {
                for dividend in around(of) {
                    assert_eq!(
                        remainder(dividend, divisor),
                        dividend % divisor,
                        "{dividend} of {divisor}"
                    );
                }
            }
        }
    }
}
