//! Random draws as a function of (seed, run, iteration, individual, draw).
//!
//! **Idea.** The generator has no state: a block of four 32-bit words is a hash of a counter that identifies the draw.
//! Each draw is computed where it is needed. So launch geometry, number of threads and resuming a run cannot change it.
//!
//! **Generator.** Philox4x32 with seven rounds. Its counter is (individual, block, iteration), with the [`Purpose`] in
//! the upper 8 bits of the iteration; its key is a hash of (seed, run).
//!
//! **Source.** J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Seven
//! rounds are the fewest that pass BigCrush there; its default of ten includes a margin. `docs/explanation/random.md`
//! has the dieharder results of our order of consumption, and the reasons for Philox instead of xorshift streams.

mod words;

use crate::math::multiply;
use crate::real::Float;

pub use words::FromWords;

/// The number of Philox rounds in a draw.
pub const ROUNDS: usize = 7;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Philox4x32: a bijection of 128-bit counters, chosen by a 64-bit key.
#[inline(always)]
pub fn philox4x32<const ROUNDS: usize>(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    let mut round = 0;
    while round < ROUNDS {
        let (high0, low0) = multiply(c0, MULTIPLIERS[0]);
        let (high1, low1) = multiply(c2, MULTIPLIERS[1]);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
        round += 1;
    }
    [c0, c1, c2, c3]
}

/// Philox4x32 with [`ROUNDS`] rounds. Each word is in the lower half of 64 bits; the upper halves of the arguments are
/// zero, those of the results are undefined. So a CPU's vector units multiply without rearranging words.
#[inline(always)]
fn philox4x32_wide(counter: [u64; 4], key: [u64; 2]) -> [u64; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    let product = |word: u64, multiplier: u32| u64::from(word as u32) * u64::from(multiplier);
    for _ in 0..ROUNDS {
        let (product0, product1) = (product(c0, MULTIPLIERS[0]), product(c2, MULTIPLIERS[1]));
        (c0, c1) = ((product1 >> 32) ^ c1 ^ k0, product1);
        (c2, c3) = ((product0 >> 32) ^ c3 ^ k1, product0);
        k0 = k0.wrapping_add(u64::from(WEYL[0]));
        k1 = k1.wrapping_add(u64::from(WEYL[1]));
    }
    [c0, c1, c2, c3]
}

/// The key of a run's random draws.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunKey([u32; 2]);

impl RunKey {
    /// The key of run `run` of seed `seed`.
    #[inline(always)]
    pub fn new(seed: u64, run: u64) -> Self {
        let counter = [run as u32, (run >> 32) as u32, 0, 0];
        let [k0, k1, ..] = philox4x32::<10>(counter, [seed as u32, (seed >> 32) as u32]);
        RunKey([k0, k1])
    }

    /// The key of a leg of the run; for leg 0, before any restart, the run's own key.
    #[inline(always)]
    pub fn of_leg(self, leg: u64) -> Self {
        if leg == 0 {
            return self;
        }
        let [k0, k1, ..] = philox4x32::<10>([leg as u32, (leg >> 32) as u32, 1, 0], self.0);
        RunKey([k0, k1])
    }

    /// The same key, with `f` applied to each of its words; `f` must return its argument.
    #[inline(always)]
    pub fn through(self, f: impl Fn(u32) -> u32) -> Self {
        RunKey(self.0.map(f))
    }
}

/// The purpose of a draw; draws of different purposes are independent.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Initial positions and velocities (at iteration 0), and the draws of an algorithm's moves after that.
    Move = 0,
    /// Putting a coordinate that left its bounds back into them.
    Reentry = 1,
    /// Draws made once for an individual: partners, acceptance, mutated weights.
    Choice = 2,
    /// Draws for the migration of individuals between runs.
    Migration = 3,
}

/// The number of coordinates for which [`Stream::row_draws`] returns draws.
pub const PLACES: usize = 32;

/// The number of bits that count the blocks of a set.
const SET_BITS: u32 = 22;

/// The draws of one individual at one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    key: [u32; 2],
    individual: u32,
    iteration: [u32; 2],
    /// The first block of the set.
    first: u32,
}

impl Stream {
    /// The stream of `individual` at `iteration` (0 is the initialisation), which is below 2^56.
    #[inline(always)]
    pub fn new(key: RunKey, purpose: Purpose, iteration: u64, individual: u32) -> Self {
        let high = (iteration >> 32) as u32 | (purpose as u32) << 24;
        Stream { key: key.0, individual, iteration: [iteration as u32, high], first: 0 }
    }

    /// The stream from its block `set << 22` on: an independent set of draws for each of 4.2 million
    /// coordinates; `set` is below 1024.
    #[inline(always)]
    pub fn set(self, set: u32) -> Stream {
        Stream { first: set << SET_BITS, ..self }
    }

    /// An integer uniform in 0..n, without bias: number `number` of this stream.
    ///
    /// `n` is at least 1, `number` is below 4 * 2^16. The upper half of a word times n is in 0..n. The few words that
    /// would favour some results are skipped, as in D. Lemire, "Fast random integer generation in an interval", ACM
    /// TOMACS 29, 2019.
    #[inline(always)]
    pub fn below(self, n: u32, number: u32) -> u32 {
        self.below_both([n, 1], number)[0]
    }

    /// Two integers, uniform in 0..n and 0..m, without bias, from the one word from which [`below`](Stream::below)
    /// makes one. The product of n and m is below 2^32.
    ///
    /// The lower half of the word times n is multiplied by m. Together this is the word times n m, as in N.
    /// Brackett-Rozinsky, D. Lemire, "Batched ranged random integer generation", Software: Practice and Experience 55,
    /// 2025.
    #[inline(always)]
    pub fn below_both(self, [n, m]: [u32; 2], number: u32) -> [u32; 2] {
        let mut block = number / 4;
        let (mut drawn, mut rest) = products(self.word(block, number), [n, m]);
        let all = n.wrapping_mul(m);
        // Fewer than n m words are skipped. Their exact number takes a division, which is rarely needed.
        if rest < all {
            // Never zero; `max` shows this to the compiler, which then leaves out a check for a division by zero.
            let favoured = all.wrapping_neg() % all.max(1);
            while rest < favoured {
                block += 1 << 16;
                (drawn, rest) = products(self.word(block, number), [n, m]);
            }
        }
        drawn
    }

    /// Word `number % 4` of block `block`.
    #[inline(always)]
    fn word(self, block: u32, number: u32) -> u32 {
        // A select, not an index: on the GPU the words are in registers.
        let [a, b, c, d] = self.block(block);
        match number % 4 {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        }
    }

    /// Block `index` of four words.
    #[inline(always)]
    pub fn block(self, index: u32) -> [u32; 4] {
        let [low, high] = self.iteration;
        philox4x32::<ROUNDS>([self.individual, self.first + index, low, high], self.key)
    }

    /// `count` blocks, at most `N`, from block `first` on, in two rows: words 0 and 2 of each block, and words 1 and 3,
    /// with the first of the two in the lower half. Vector units compute several blocks at a time.
    #[inline(always)]
    pub fn blocks<const N: usize>(self, first: u32, count: usize) -> [[u64; N]; 2] {
        let mut words = [[0; N]; 2];
        let [low, high] = self.iteration;
        let pair = |low: u64, high: u64| u64::from(low as u32) | high << 32;
        for k in 0..count.min(N) {
            let block = self.first + first + k as u32;
            let counter = [self.individual, block, low, high].map(u64::from);
            let [a, b, c, d] = philox4x32_wide(counter, self.key.map(u64::from));
            (words[0][k], words[1][k]) = (pair(a, c), pair(b, d));
        }
        words
    }

    /// The first draws and the second draws of [`PLACES`] neighbouring coordinates from `first` on, which is even.
    /// Those from index `count` on are undefined.
    #[inline(always)]
    pub fn row_draws<R: Float>(self, first: u32, count: usize) -> [[Draw<R>; PLACES]; 2] {
        R::row_draws(self, first, count)
    }

    /// Two draws for each of the coordinates `2 * pair` and `2 * pair + 1`.
    #[inline(always)]
    pub fn coordinate_draws<R: Float>(self, pair: u32) -> [[Draw<R>; 2]; 2] {
        R::coordinate_draws(|index| self.block(index), pair)
    }

    /// The two draws of one coordinate.
    #[inline(always)]
    pub fn draws_of<R: Float>(self, coordinate: u32) -> [Draw<R>; 2] {
        of_coordinate(coordinate, self.coordinate_draws(coordinate / 2))
    }

    /// The factors (r1, r2) of the coordinates `2 * pair` and `2 * pair + 1`.
    #[inline(always)]
    pub fn pair_factors<R: Float>(self, pair: u32) -> [[Factor<R>; 2]; 2] {
        R::pair_factors(|index| self.block(index), pair)
    }

    /// The factors of the four coordinates from `4 * quad` on.
    #[inline(always)]
    pub fn quad_factors<R: Float>(self, quad: u32) -> [[Factor<R>; 2]; 4] {
        R::quad_factors(|index| self.block(index), quad)
    }

    /// Standard normal numbers of the coordinates `2 * pair` and `2 * pair + 1`: see [`standard_normals`].
    #[inline(always)]
    pub fn pair_normals<R: Float>(self, pair: u32) -> [R; 2] {
        standard_normals(Draw::both(self.draws_of(pair)))
    }

    /// Standard normal numbers of the four coordinates from `4 * quad` on.
    #[inline(always)]
    pub fn quad_normals<R: Float>(self, quad: u32) -> [R; 4] {
        let [[a, b], [c, d]] =
            self.coordinate_draws(quad).map(|drawn| standard_normals(Draw::both(drawn)));
        [a, b, c, d]
    }

    /// Standard normal numbers of [`PLACES`] neighbouring coordinates from `first` on, which is a multiple of 4. Those
    /// from index `count` on are undefined.
    #[inline(always)]
    pub fn row_normals<R: Float>(self, first: u32, count: usize) -> [R; PLACES] {
        let pairs = count.div_ceil(2).min(PLACES / 2);
        let [u1, u2] = self.row_draws::<R>(first / 2, pairs);
        let mut normals = [R::ZERO; PLACES];
        for k in 0..pairs {
            let [even, odd] = standard_normals([u1[k].open(), u2[k].open()]);
            normals[2 * k] = even;
            normals[2 * k + 1] = odd;
        }
        normals
    }

    /// The two factors of one coordinate.
    #[inline(always)]
    pub fn factors_of<R: Float>(self, coordinate: u32) -> [Factor<R>; 2] {
        of_coordinate(coordinate, self.pair_factors(coordinate / 2))
    }

    /// The first factors and the second factors of [`PLACES`] neighbouring coordinates from `first` on, which is a
    /// multiple of 4. Those from index `count` on are undefined.
    #[inline(always)]
    pub fn row_factors<R: Float>(self, first: u32, count: usize) -> [[Factor<R>; PLACES]; 2] {
        R::row_factors(self, first, count)
    }
}

/// A word in 2^32 as a number of n-ths, a number of their m-ths, and the remainder.
#[inline(always)]
fn products(word: u32, [n, m]: [u32; 2]) -> ([u32; 2], u32) {
    let (first, rest) = multiply(word, n);
    let (second, rest) = multiply(rest, m);
    ([first, second], rest)
}

/// A coordinate's part of the draws of its pair.
#[inline(always)]
fn of_coordinate<T: Copy>(coordinate: u32, [even, odd]: [[T; 2]; 2]) -> [T; 2] {
    // A select, not an index: on the GPU these are registers.
    let choose = |k: usize| if coordinate.is_multiple_of(2) { even[k] } else { odd[k] };
    [choose(0), choose(1)]
}

/// A draw in raw form: 1 + r, with r uniform in [0, 1), a multiple of the distance from 1 to the next number.
///
/// In this form a product with r takes one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw<R>(R);

impl<R: Float> Draw<R> {
    /// The draw r, from 1 + r.
    #[inline(always)]
    pub fn of_one_to_two(one_to_two: R) -> Self {
        Draw(one_to_two)
    }

    /// A number uniform in the open interval (0, 1): r plus half a step.
    #[inline(always)]
    pub fn open(self) -> R {
        self.0 - (R::ONE - R::HALF_EPSILON)
    }

    /// Both draws of a pair as [`open`](Draw::open) returns them.
    #[inline(always)]
    pub fn both([first, second]: [Self; 2]) -> [R; 2] {
        [first.open(), second.open()]
    }

    /// `factor` times r, rounded once.
    #[inline(always)]
    pub fn times(self, factor: R) -> R {
        // factor (1 + r) - factor, fused: only the result is rounded.
        self.0.fused(factor, -factor)
    }
}

/// A random factor in raw form: r uniform in [0, 1), a multiple of 2^-16 in `f32` and of 2^-32 in `f64`, plus
/// [`FromWords::FACTOR_OFFSET`].
///
/// It multiplies differences of positions, for which this resolution is enough. It costs half as much as a [`Draw`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor<R>(R);

/// The largest absolute value that a [`Factor`] may multiply.
pub const MAX_FACTORED: f64 = 1e30;

impl<R: Float> Factor<R> {
    /// The factor r, from [`FromWords::FACTOR_OFFSET`] + r.
    #[inline(always)]
    pub fn of_offset(offset: R) -> Self {
        Factor(offset)
    }

    /// `weight` times r, rounded once; the weight is between -[`MAX_FACTORED`] and [`MAX_FACTORED`].
    #[inline(always)]
    pub fn times(self, weight: R) -> R {
        // Only the result is rounded: the offset is a power of two.
        self.0.fused(weight, -(weight * R::FACTOR_OFFSET))
    }
}

/// A number from the standard normal distribution, from two numbers uniform in (0, 1).
///
/// **Source.** G. Box, M. Muller, "A note on the generation of random normal deviates", Annals of
/// Mathematical Statistics 29, 1958; the cosine of the pair.
#[inline(always)]
pub fn standard_normal<R: Float>(draws: [R; 2]) -> R {
    standard_normals(draws)[0]
}

/// Two independent standard normal numbers, from two numbers uniform in (0, 1).
///
/// **Source.** G. Box, M. Muller, "A note on the generation of random normal deviates", Annals of Mathematical
/// Statistics 29, 1958.
///
/// ```
/// use warpswarm_core::random::standard_normals;
/// // A radius of sqrt(-2 ln u1) = 2, an eighth of a turn.
/// let [a, b] = standard_normals([(-2.0_f64).exp(), 0.125]);
/// assert!((a - 2.0_f64.sqrt()).abs() < 1e-15 && (b - 2.0_f64.sqrt()).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn standard_normals<R: Float>([u1, u2]: [R; 2]) -> [R; 2] {
    let radius = (-R::TWO * u1.ln()).sqrt();
    [radius * u2.cos_turns(), radius * u2.sin_turns()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_vectors() {
        // Random123's known-answer file, philox4x32, 7 and 10 rounds.
        let ones = [u32::MAX; 4];
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(
            philox4x32::<7>([0; 4], [0; 2]),
            [0x5f6f_b709, 0x0d89_3f64, 0x4f12_1f81, 0x4f73_0a48]
        );
        assert_eq!(
            philox4x32::<10>([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox4x32::<10>(ones, [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32::<10>(pi, [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn a_stream_is_philox_at_its_counter() {
        let key = RunKey::new(7, 3);
        assert_eq!(key.0[..], philox4x32::<10>([3, 0, 0, 0], [7, 0])[..2]);
        let stream = Stream::new(key, Purpose::Reentry, (5 << 32) + 9, 11);
        assert_eq!(stream.block(13), philox4x32::<7>([11, 13, 9, 0x0100_0005], key.0));
    }

    #[test]
    fn draws_take_the_words_in_order() {
        let stream = Stream::new(RunKey::new(1, 0), Purpose::Move, 1, 2);
        let words = stream.block(4);
        let narrow = |word: u32| (2.0 * f64::from(word >> 9) + 1.0) / 16_777_216.0;
        let open = |coordinate| stream.draws_of::<f32>(coordinate).map(|r| f64::from(r.open()));
        assert_eq!(open(8), [narrow(words[0]), narrow(words[1])]);
        assert_eq!(open(9), [narrow(words[2]), narrow(words[3])]);
        let words = stream.block(9);
        let wide = |high: u32, low: u32| {
            let bits = (u64::from(high & 0xf_ffff) << 32) | u64::from(low);
            (2.0 * bits as f64 + 1.0) / 9_007_199_254_740_992.0
        };
        let open = stream.draws_of::<f64>(9).map(Draw::open);
        assert_eq!(open, [wide(words[0], words[1]), wide(words[2], words[3])]);
    }

    #[test]
    fn factors_take_the_halves_of_words() {
        let stream = Stream::new(RunKey::new(1, 0), Purpose::Move, 1, 2);
        let [a, b, c, d] = stream.block(4).map(f64::from);
        let times = |i| stream.factors_of::<f32>(i).map(|r| f64::from(r.times(65_536.0)));
        let (lower, upper) = (|word: f64| word % 65_536.0, |word: f64| (word / 65_536.0).floor());
        assert_eq!([times(16), times(17)], [[lower(a), lower(b)], [upper(a), upper(b)]]);
        assert_eq!([times(18), times(19)], [[lower(c), lower(d)], [upper(c), upper(d)]]);
        let times = |i| stream.factors_of::<f64>(i).map(|r| r.times(4_294_967_296.0));
        assert_eq!([times(8), times(9)], [[a, b], [c, d]]);
    }

    #[test]
    fn factors_by_hand() {
        let [least, most] = [0.0, 1.0 - 2f32.powi(-16)].map(|r| Factor::of_offset(128.0 + r));
        // The product is rounded once: the exact product of 2^24 - 1 and r has 40 digits.
        let weight = 16_777_215.0;
        let exact = f64::from(weight) * (1.0 - 2f64.powi(-16));
        assert_eq!([least.times(weight), most.times(weight)], [0.0, exact as f32]);
        let weight = MAX_FACTORED as f32;
        assert_eq!(Factor::of_offset(128.5).times(weight), weight / 2.0);
        let weight = MAX_FACTORED;
        assert_eq!(Factor::of_offset(f64::FACTOR_OFFSET + 0.5).times(weight), weight / 2.0);
    }

    #[test]
    fn a_row_draws_as_its_coordinates_do() {
        fn check<R: Float>(first: u32, count: usize) {
            let stream = Stream::new(RunKey::new(1, 0), Purpose::Move, 1, 2).set(3);
            let [r1, r2] = stream.row_draws::<R>(first, count);
            let [f1, f2] = stream.row_factors::<R>(first, count);
            for i in 0..count {
                let coordinate = first + i as u32;
                assert_eq!([r1[i], r2[i]], stream.draws_of::<R>(coordinate), "{first} {i}");
                let factors = stream.factors_of::<R>(coordinate);
                assert_eq!([f1[i], f2[i]], factors, "{first} {i}");
                assert_eq!(stream.quad_factors::<R>(coordinate / 4)[i % 4], factors);
            }
        }
        for (first, count) in [(0, 1), (0, 2), (0, 5), (0, 30), (0, PLACES), (32, 3), (96, 31)] {
            check::<f32>(first, count);
            check::<f64>(first, count);
        }
    }

    #[test]
    fn integers_are_uniform_and_what_would_favour_some_is_passed_over() {
        let stream = |individual| Stream::new(RunKey::new(3, 0), Purpose::Choice, 1, individual);
        for n in [1, 2, 7, 1000] {
            let mut counts = std::vec![0_u32; n as usize];
            for individual in 0..7_000 {
                counts[stream(individual).below(n, 2) as usize] += 1;
            }
            let expected = 7_000.0 / f64::from(n);
            let chi_square: f64 =
                counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
            let freedom = f64::from(n - 1);
            assert!(chi_square <= freedom + 4.0 * (2.0 * freedom).sqrt(), "{n}: {chi_square}");
        }
        // For n = 3 * 2^30 a quarter of all words is skipped.
        let n = 3 << 30;
        let passed = (0..1000).filter(|&individual| {
            let [first, ..] = stream(individual).block(0);
            let second = stream(individual).block(1 << 16)[0];
            let upper = |word: u32| ((u64::from(word) * u64::from(n)) >> 32) as u32;
            let low = |word: u32| word.wrapping_mul(n);
            let found = stream(individual).below(n, 0);
            let passes = low(first) < 1 << 30;
            assert!(!passes || low(second) < 1 << 30 || found == upper(second));
            assert!(passes || found == upper(first));
            passes
        });
        assert!((200..300).contains(&passed.count()));
    }

    /// Together both integers are one in 0..n m, and no result is favoured.
    #[test]
    fn two_integers_of_a_word_are_the_digits_of_one() {
        let stream = |individual| Stream::new(RunKey::new(3, 0), Purpose::Choice, 1, individual);
        for [n, m] in [[6, 10], [1, 9], [9, 1], [3 << 10, 1 << 20]] {
            for individual in 0..2000 {
                let [first, second] = stream(individual).below_both([n, m], 1);
                assert!(first < n && second < m);
                assert_eq!(first * m + second, stream(individual).below(n * m, 1));
            }
        }
    }

    #[test]
    fn sets_are_apart() {
        let stream = Stream::new(RunKey::new(1, 0), Purpose::Move, 1, 2);
        assert_eq!(stream.set(0).draws_of::<f32>(5), stream.draws_of::<f32>(5));
        let words = stream.block((3 << 22) + 2);
        let [a, _] = stream.set(3).draws_of::<f32>(4);
        assert_eq!(f64::from(a.open()), (2.0 * f64::from(words[0] >> 9) + 1.0) / 16_777_216.0);
    }

    #[test]
    fn draws_by_hand() {
        let [least, most] = [1.0, 2.0 - f32::EPSILON].map(Draw::of_one_to_two);
        assert_eq!([least.open(), most.open()], [2f32.powi(-24), 1.0 - 2f32.powi(-24)]);
        // The product is rounded once: the exact 3 r does not fit into the precision.
        assert_eq!(
            [least.times(3.0), most.times(3.0)],
            [0.0, (3.0 - 3.0 * f64::from(f32::EPSILON)) as f32]
        );
    }

    #[test]
    fn normals_are_normal() {
        let (mut sum, mut squares, mut product) = (0.0, 0.0, 0.0);
        let count = 20_000;
        for index in 0..count {
            let stream = Stream::new(RunKey::new(3, 0), Purpose::Move, 1, index);
            let [a, b] = stream.pair_normals::<f64>(1);
            (sum, squares, product) = (sum + a + b, squares + a * a + b * b, product + a * b);
        }
        let count = f64::from(count);
        assert!((sum / (2.0 * count)).abs() < 0.02, "{sum}");
        assert!((squares / (2.0 * count) - 1.0).abs() < 0.03, "{squares}");
        assert!((product / count).abs() < 0.03, "{product}");
    }

    /// One by one, in pairs, in fours and in rows of any length; the first of a pair is a cosine, the second a sine.
    fn normals_are_the_same_from_all_sides<R: Float>() {
        let stream = Stream::new(RunKey::new(5, 2), Purpose::Move, 9, 4).set(1);
        for pair in 0..40 {
            let [even, odd] = stream.pair_normals::<R>(pair);
            let [u1, u2] = Draw::both(stream.draws_of::<R>(pair));
            let radius = (-R::TWO * u1.ln()).sqrt();
            assert!(even == radius * u2.cos_turns() && odd == radius * u2.sin_turns());
            let quad = stream.quad_normals::<R>(pair / 2);
            assert!(
                quad[2 * (pair as usize % 2)] == even && quad[2 * (pair as usize % 2) + 1] == odd
            );
        }
        for (first, count) in [(0, 1), (0, 32), (4, 2), (8, 7), (32, 30), (64, 5)] {
            let row = stream.row_normals::<R>(first, count);
            for (i, normal) in row.into_iter().take(count).enumerate() {
                let i = first + i as u32;
                let pair = stream.pair_normals::<R>(i / 2);
                assert!(normal == pair[i as usize % 2], "{first} {count} {i}");
            }
        }
    }

    #[test]
    fn normals_of_neighbours_are_the_same_from_all_sides() {
        normals_are_the_same_from_all_sides::<f32>();
        normals_are_the_same_from_all_sides::<f64>();
    }

    #[test]
    fn normal_numbers_by_hand() {
        // sqrt(-2 ln(e^-2)) = 2, cos(2 pi / 8) = sqrt(1/2)
        let x = standard_normal([(-2.0_f64).exp(), 0.125]);
        assert!((x - 2.0_f64.sqrt()).abs() < 1e-15, "{x}");
        assert_eq!(standard_normal([0.5_f32, 0.25]), 0.0);
    }
}
