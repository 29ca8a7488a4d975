//! Random words as numbers.

use super::{Draw, Factor, PLACES, Stream};
use crate::math;

/// How random words become draws and factors of a number type.
pub trait FromWords: Sized {
    /// What the raw form of a [`Factor`] adds to r: 2^7 or 2^20.
    const FACTOR_OFFSET: Self;

    /// Random words as the two draws of each of two neighbouring coordinates.
    ///
    /// `block(k)` returns block k of four words; `pair` counts pairs of coordinates. An `f32` takes one word (23 bits)
    /// for a draw and one block for both coordinates, an `f64` two words (52 bits) for a draw and one block for a
    /// coordinate.
    fn coordinate_draws(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Draw<Self>; 2]; 2];
    /// The draws of many neighbouring coordinates: see [`Stream::row_draws`].
    fn row_draws(stream: Stream, first: u32, count: usize) -> [[Draw<Self>; PLACES]; 2];
    /// Random words as the factors (r1, r2) of two neighbouring coordinates.
    ///
    /// As [`coordinate_draws`](FromWords::coordinate_draws), with half as many words: an `f32` takes half a word (16
    /// bits) for a factor and one block for four coordinates, an `f64` one word (32 bits) and one block for two.
    fn pair_factors(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Factor<Self>; 2]; 2];
    /// The factors of four neighbouring coordinates: of the pairs `2 * quad` and `2 * quad + 1`.
    fn quad_factors(block: impl Fn(u32) -> [u32; 4], quad: u32) -> [[Factor<Self>; 2]; 4];
    /// The factors of many neighbouring coordinates: see [`Stream::row_factors`].
    fn row_factors(stream: Stream, first: u32, count: usize) -> [[Factor<Self>; PLACES]; 2];
}

impl FromWords for f32 {
    const FACTOR_OFFSET: Self = 128.0;

    #[inline(always)]
    fn coordinate_draws(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Draw<Self>; 2]; 2] {
        let words = block(pair);
        let draw = |word: u32| Draw::of_one_to_two(math::one_to_two_f32(word));
        [[draw(words[0]), draw(words[1])], [draw(words[2]), draw(words[3])]]
    }
    #[inline(always)]
    fn row_draws(stream: Stream, first: u32, count: usize) -> [[Draw<Self>; PLACES]; 2] {
        // Rounded up to whole vectors of blocks.
        let blocks = count.div_ceil(2).next_multiple_of(4);
        let words = stream.blocks::<{ PLACES / 2 }>(first / 2, blocks);
        let mut draws = [[Draw::of_one_to_two(1.0); PLACES]; 2];
        let draw = |word| Draw::of_one_to_two(math::one_to_two_f32(word));
        for r in 0..2 {
            for k in 0..PLACES / 2 {
                draws[r][2 * k] = draw(words[r][k] as u32);
                draws[r][2 * k + 1] = draw((words[r][k] >> 32) as u32);
            }
        }
        draws
    }
    #[inline(always)]
    fn pair_factors(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Factor<Self>; 2]; 2] {
        // A select, not an index: on the GPU the words are in registers.
        let [a, b, c, d] = block(pair / 2);
        let [r1, r2] = if pair.is_multiple_of(2) { [a, b] } else { [c, d] };
        factors_f32(r1, r2)
    }
    #[inline(always)]
    fn quad_factors(block: impl Fn(u32) -> [u32; 4], quad: u32) -> [[Factor<Self>; 2]; 4] {
        let [a, b, c, d] = block(quad);
        let ([first, second], [third, fourth]) = (factors_f32(a, b), factors_f32(c, d));
        [first, second, third, fourth]
    }
    #[inline(always)]
    fn row_factors(stream: Stream, first: u32, count: usize) -> [[Factor<Self>; PLACES]; 2] {
        // Rounded up to whole vectors of blocks.
        let blocks = count.div_ceil(4).next_multiple_of(4);
        let words = stream.blocks::<{ PLACES / 4 }>(first / 4, blocks);
        let mut factors = [[Factor::of_offset(0.0); PLACES]; 2];
        for r in 0..2 {
            for k in 0..PLACES / 4 {
                for half in 0..2 {
                    let word = (words[r][k] >> (32 * half)) as u32;
                    let [lower, upper] = math::halves_f32(word).map(Factor::of_offset);
                    factors[r][4 * k + 2 * half] = lower;
                    factors[r][4 * k + 2 * half + 1] = upper;
                }
            }
        }
        factors
    }
}

/// The factors of two coordinates, from the word of the first factors and the word of the second factors.
#[inline(always)]
fn factors_f32(first: u32, second: u32) -> [[Factor<f32>; 2]; 2] {
    let [a, b] = math::halves_f32(first).map(Factor::of_offset);
    let [c, d] = math::halves_f32(second).map(Factor::of_offset);
    [[a, c], [b, d]]
}

impl FromWords for f64 {
    const FACTOR_OFFSET: Self = 1_048_576.0;

    #[inline(always)]
    fn coordinate_draws(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Draw<Self>; 2]; 2] {
        let draw = |high, low| Draw::of_one_to_two(math::one_to_two_f64(high, low));
        let draws = |words: [u32; 4]| [draw(words[0], words[1]), draw(words[2], words[3])];
        [draws(block(2 * pair)), draws(block(2 * pair + 1))]
    }
    #[inline(always)]
    fn row_draws(stream: Stream, first: u32, count: usize) -> [[Draw<Self>; PLACES]; 2] {
        // Rounded up to whole vectors of blocks.
        let [even, odd] = stream.blocks::<PLACES>(first, count.next_multiple_of(4));
        let mut draws = [[Draw::of_one_to_two(1.0); PLACES]; 2];
        for k in 0..PLACES {
            let draw = |high, low| Draw::of_one_to_two(math::one_to_two_f64(high, low));
            draws[0][k] = draw(even[k] as u32, odd[k] as u32);
            draws[1][k] = draw((even[k] >> 32) as u32, (odd[k] >> 32) as u32);
        }
        draws
    }
    #[inline(always)]
    fn pair_factors(block: impl Fn(u32) -> [u32; 4], pair: u32) -> [[Factor<Self>; 2]; 2] {
        let [a, b, c, d] = block(pair).map(|word| Factor::of_offset(math::word_f64(word)));
        [[a, b], [c, d]]
    }
    #[inline(always)]
    fn quad_factors(block: impl Fn(u32) -> [u32; 4], quad: u32) -> [[Factor<Self>; 2]; 4] {
        let [first, second] = Self::pair_factors(&block, 2 * quad);
        let [third, fourth] = Self::pair_factors(&block, 2 * quad + 1);
        [first, second, third, fourth]
    }
    #[inline(always)]
    fn row_factors(stream: Stream, first: u32, count: usize) -> [[Factor<Self>; PLACES]; 2] {
        // Rounded up to whole vectors of blocks.
        let blocks = count.div_ceil(2).next_multiple_of(4);
        let words = stream.blocks::<{ PLACES / 2 }>(first / 2, blocks);
        let mut factors = [[Factor::of_offset(0.0); PLACES]; 2];
        let factor = |word| Factor::of_offset(math::word_f64(word));
        for r in 0..2 {
            for k in 0..PLACES / 2 {
                factors[r][2 * k] = factor(words[r][k] as u32);
                factors[r][2 * k + 1] = factor((words[r][k] >> 32) as u32);
            }
        }
        factors
    }
}
