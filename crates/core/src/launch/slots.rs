//! How resident blocks publish a fitness, in words.

use crate::order::Fitness;
use crate::real::Float;

/// Words of a slot in the exchange between resident blocks: violation (if constrained) and value.
pub const fn slot_words<R: Float>(constrained: bool) -> u32 {
    (if constrained { 2 * R::WORDS } else { R::WORDS }) as u32
}

/// Word `word` of `words` of the [keys](crate::order::Fitness::keys) of violation and value, as resident blocks publish
/// them: violation before value, upper half before lower half.
///
/// ```
/// use warpswarm_core::launch::{key_word, keys_of};
/// let keys = (3, 5 << 32 | 7);
/// let words = [0, 1, 2, 3].map(|word| key_word::<f64>(keys, 4, word));
/// assert_eq!(words, [0, 3, 5, 7]);
/// assert_eq!(keys_of::<f64>(words, true), keys);
/// ```
#[inline(always)]
pub const fn key_word<R: Float>((violation, value): (u64, u64), words: u32, word: u32) -> u32 {
    let of_value = word + R::WORDS as u32 >= words;
    let key = if of_value { value } else { violation };
    if R::WORDS == 2 && word.is_multiple_of(2) { (key >> 32) as u32 } else { key as u32 }
}

/// The keys of violation and value from their words; see [`key_word`].
#[inline(always)]
pub const fn keys_of<R: Float>(words: [u32; 4], constrained: bool) -> (u64, u64) {
    let (first, second) = if R::WORDS == 2 {
        ((words[0] as u64) << 32 | words[1] as u64, (words[2] as u64) << 32 | words[3] as u64)
    } else {
        (words[0] as u64, words[1] as u64)
    };
    if constrained { (first, second) } else { (0, first) }
}

/// The fitness with these keys; without constraints its violation is zero.
///
/// ```
/// use warpswarm_core::launch::keyed_fitness;
/// use warpswarm_core::order::Fitness;
/// let fitness = Fitness { violation: 0.5_f32, value: -2.0 };
/// assert_eq!(keyed_fitness(fitness.keys(), true), fitness);
/// assert_eq!(keyed_fitness(fitness.keys(), false), Fitness { violation: 0.0, ..fitness });
/// let eased = fitness.within(1.0);
/// assert_eq!(keyed_fitness(eased.keys(), true), eased);
/// ```
#[inline(always)]
pub fn keyed_fitness<R: Float>((violation, value): (u64, u64), constrained: bool) -> Fitness<R> {
    let value = R::from_ordered(value);
    let violation = if constrained { R::from_ordered(violation) } else { R::ZERO };
    Fitness { violation, value }
}

/// The slots of the exchange, in 8-byte words: `[run][parity][word][block]`.
pub const fn slots_len<R: Float>(constrained: bool, runs: u64, blocks_per_run: u64) -> u64 {
    runs * 2 * slot_words::<R>(constrained) as u64 * blocks_per_run
}
