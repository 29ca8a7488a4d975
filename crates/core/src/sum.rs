//! The order in which terms are combined, which depends only on their number.
//!
//! **Rule.** Terms are cut into tiles of [`TILE`]. In a tile, term i belongs to leaf i mod [`LEAVES`]. Each leaf
//! combines its terms in sequence. The leaves are joined pairwise, neighbours first (the butterfly of a warp: lanes 1,
//! 2, 4, 8, 16 apart). The tiles are also joined pairwise, neighbours first. Places after the last term hold the
//! operator's identity.
//!
//! So one thread, the 2 to 32 lanes that share an individual, a block or a grid get the same bits, and the CPU can hold
//! the leaves in vector registers. Unlike a plain loop, for n <= 32 the terms form a balanced binary tree, not a
//! sequence, so that lanes can share 30 dimensions too.

mod one_thread;

use core::cell::Cell;

use crate::real::Real;

pub use one_thread::{fold_buffered, fold_one_by_one, fold_slice, of_prefixes};

/// The number of leaves in a tile: as many as a warp has lanes.
pub const LEAVES: usize = 32;
/// The number of terms in a tile.
pub const TILE: usize = 1024;
/// Levels of a join over tiles on the GPU, where they are in registers: enough for 2^22 terms.
pub const TILE_LEVELS: usize = 12;
/// The largest number of terms that the GPU can combine.
pub const MAX_TERMS: usize = (TILE << TILE_LEVELS) - TILE;

/// An associative operation with an identity, for reductions.
pub trait Operator<T> {
    /// The identity: combining with it changes nothing.
    fn identity() -> T;
    /// Combines two elements; `a` comes first.
    fn combine(a: T, b: T) -> T;
    /// Applied once to the whole result.
    #[inline(always)]
    fn finish(result: T) -> T {
        result
    }
}

/// Addition. A zero result is +0, so that absent terms cannot change its sign.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

impl<R: Real> Operator<R> for Sum {
    #[inline(always)]
    fn identity() -> R {
        R::ZERO
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        a + b
    }
    #[inline(always)]
    fn finish(result: R) -> R {
        result + R::ZERO
    }
}

/// Multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Product;

impl<R: Real> Operator<R> for Product {
    #[inline(always)]
    fn identity() -> R {
        R::ONE
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        a * b
    }
}

/// The smallest of numbers that are neither NaN nor -0.
#[derive(Clone, Copy, Debug)]
pub struct Least;

impl<R: Real> Operator<R> for Least {
    #[inline(always)]
    fn identity() -> R {
        R::INFINITY
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        a.smaller(b)
    }
}

/// The largest of numbers that are neither NaN nor -0.
#[derive(Clone, Copy, Debug)]
pub struct Largest;

impl<R: Real> Operator<R> for Largest {
    #[inline(always)]
    fn identity() -> R {
        R::ZERO - R::INFINITY
    }
    #[inline(always)]
    fn combine(a: R, b: R) -> R {
        a.larger(b)
    }
}

/// Joins `N` (a power of two) neighbouring leaves pairwise.
#[inline(always)]
pub fn join<T: Copy, O: Operator<T>, const N: usize>(mut leaves: [T; N]) -> T {
    let mut width = 1;
    while width < N {
        let mut i = 0;
        while i < N {
            leaves[i] = O::combine(leaves[i], leaves[i + width]);
            i += 2 * width;
        }
        width *= 2;
    }
    leaves[0]
}

/// A pairwise join of up to 2^`LEVELS` elements that arrive one by one.
///
/// Level k holds the join of 2^k neighbours that still waits for its right-hand partner; the bits of the count say
/// which levels are full. There is no dynamic indexing, because on the GPU the levels are in registers.
#[derive(Clone, Copy, Debug)]
pub struct Pairwise<T, const LEVELS: usize> {
    levels: [T; LEVELS],
    count: u32,
}

impl<T: Copy, const LEVELS: usize> Pairwise<T, LEVELS> {
    /// An empty join.
    #[inline(always)]
    pub fn new<O: Operator<T>>() -> Self {
        Pairwise { levels: [O::identity(); LEVELS], count: 0 }
    }

    /// Adds the next element.
    #[inline(always)]
    pub fn push<O: Operator<T>>(&mut self, element: T) {
        let mut carry = element;
        let mut waiting = true;
        let mut level = 0;
        while level < LEVELS {
            let full = (self.count >> level) & 1 == 1;
            if waiting && !full {
                self.levels[level] = carry;
                waiting = false;
            }
            if waiting {
                carry = O::combine(self.levels[level], carry);
            }
            level += 1;
        }
        self.count += 1;
    }

    /// The join of everything pushed, fewer than 2^`LEVELS` elements.
    #[inline(always)]
    pub fn result<O: Operator<T>>(&self) -> T {
        let mut result = O::identity();
        let mut level = 0;
        while level < LEVELS {
            if (self.count >> level) & 1 == 1 {
                result = O::combine(self.levels[level], result);
            }
            level += 1;
        }
        result
    }
}

/// Combines `n` terms in the fixed order, on one thread, using only registers. At most [`MAX_TERMS`] terms.
///
/// Slower than [`fold_buffered`] if there is a cache; on the GPU it needs no local memory.
#[inline(always)]
pub fn fold_in_registers<R: Real, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    let mut tiles = Pairwise::<R, TILE_LEVELS>::new::<O>();
    let mut start = 0;
    let mut result = O::identity();
    while start < n {
        let end = (start + TILE).min(n);
        let mut leaves = Pairwise::<R, 6>::new::<O>();
        let mut leaf = start;
        while leaf < end && leaf < start + LEAVES {
            let mut partial = term(leaf);
            let mut i = leaf + LEAVES;
            while i < end {
                partial = O::combine(partial, term(i));
                i += LEAVES;
            }
            leaves.push::<O>(partial);
            leaf += 1;
        }
        result = leaves.result::<O>();
        if n > TILE {
            tiles.push::<O>(result);
        }
        start = end;
    }
    if n > TILE {
        result = tiles.result::<O>();
    }
    O::finish(result)
}

/// The number of neighbouring leaves that [`fold_in_groups`] combines side by side.
pub const GROUP: usize = 4;

/// Combines `n` terms in the fixed order, on one thread, in registers, several terms side by side; for expensive terms.
/// At most [`MAX_TERMS`] terms. `opaque` returns its argument in a way that the compiler cannot see through.
#[inline(always)]
pub fn fold_in_groups<R: Real, O: Operator<R>>(
    n: usize,
    opaque: impl Fn(u32) -> u32,
    term: impl Fn(usize) -> R,
) -> R {
    // 32-bit counters are enough for all terms, and take half the instructions of 64-bit ones on a GPU.
    const LEAVES: u32 = self::LEAVES as u32;
    const TILE: u32 = self::TILE as u32;
    let n = opaque(n as u32);
    let mut tiles = Pairwise::<R, TILE_LEVELS>::new::<O>();
    let mut start = 0;
    let mut result = O::identity();
    while start < n {
        let len = (n - start).min(TILE);
        let first = Cell::new(0);
        let group = || {
            let first = first.replace(first.get() + GROUP as u32);
            let mut leaves = [O::identity(); GROUP];
            let mut left = len.saturating_sub(first);
            let mut i = start + first;
            while left >= GROUP as u32 {
                let mut j = 0;
                while j < GROUP {
                    leaves[j] = O::combine(leaves[j], term(i as usize + j));
                    j += 1;
                }
                left = left.saturating_sub(LEAVES);
                i += LEAVES;
            }
            // The last few terms. A select, not an index: on a GPU the leaves are in registers.
            let mut last = 0;
            while last < left {
                let term = term((i + last) as usize);
                let mut j = 0;
                while j < GROUP {
                    let with = O::combine(leaves[j], term);
                    leaves[j] = if j as u32 == last { with } else { leaves[j] };
                    j += 1;
                }
                last += 1;
            }
            join::<R, O, GROUP>(leaves)
        };
        // Loops instead of [`Pairwise`], whose pushes would be a tenth of the work. They are not unrolled, since a
        // GPU's instruction cache holds only a few hundred instructions.
        let two = opaque(2);
        let more = || first.get() < len;
        let pair = || upto::<R, O>(two, more, group);
        result = upto::<R, O>(two, more, || upto::<R, O>(two, more, pair));
        if n > TILE {
            tiles.push::<O>(result);
        }
        start += TILE;
    }
    if n > TILE {
        result = tiles.result::<O>();
    }
    O::finish(result)
}

/// As [`fold_in_groups`], for at most [`LEAVES`] terms; `four` returns the numbers of four terms from a multiple of
/// four on.
///
/// All groups are treated alike: a term after the last is the last one with another number, and is not used.
#[inline(always)]
pub fn fold_few<R: Real, O: Operator<R>>(
    n: usize,
    opaque: impl Fn(u32) -> u32,
    four: impl Fn(u32) -> [R; GROUP],
    term: impl Fn(usize, R) -> R,
) -> R {
    let n = opaque(n as u32);
    let first = Cell::new(0);
    let group = || {
        let first = first.replace(first.get() + GROUP as u32);
        let x = four(first);
        let mut leaves = [O::identity(); GROUP];
        let mut j = 0;
        while j < GROUP {
            let i = first + j as u32;
            let term = term(i.min(n - 1) as usize, x[j]);
            leaves[j] = if i < n { term } else { O::identity() };
            j += 1;
        }
        join::<R, O, GROUP>(leaves)
    };
    let two = opaque(2);
    let more = || first.get() < n;
    let pair = || upto::<R, O>(two, more, group);
    O::finish(upto::<R, O>(two, more, || upto::<R, O>(two, more, pair)))
}

/// Combines up to `n` results of `part`, one after the other, while `more` is true.
#[inline(always)]
fn upto<R: Real, O: Operator<R>>(n: u32, more: impl Fn() -> bool, part: impl Fn() -> R) -> R {
    let (mut joined, mut k) = (O::identity(), 0);
    while k < n && more() {
        joined = O::combine(joined, part());
        k += 1;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn terms(n: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + 13) % 1009) as f32 * 1e-3 - 0.37).collect()
    }

    /// The rule, literally.
    fn by_definition<O: Operator<f32>>(terms: &[f32]) -> f32 {
        fn tree<O: Operator<f32>>(mut row: Vec<f32>) -> f32 {
            while row.len() > 1 {
                if row.len() % 2 == 1 {
                    row.push(O::identity());
                }
                row = row.chunks(2).map(|pair| O::combine(pair[0], pair[1])).collect();
            }
            row.first().copied().unwrap_or(O::identity())
        }
        let tiles = terms.chunks(TILE).map(|tile| {
            let mut leaves = vec![O::identity(); LEAVES];
            for (i, &term) in tile.iter().enumerate() {
                leaves[i % LEAVES] = O::combine(leaves[i % LEAVES], term);
            }
            tree::<O>(leaves)
        });
        O::finish(tree::<O>(tiles.collect()))
    }

    #[test]
    fn every_way_of_folding_gives_the_same_bits() {
        for n in (0..100).chain([127, 128, 1000, 1023, 1024, 1025, 2048, 2049, 5000, 100_000]) {
            let terms = terms(n);
            let expected = by_definition::<Sum>(&terms).to_bits();
            let term = |i: usize| terms[i];
            assert_eq!(fold_in_registers::<f32, Sum>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(fold_buffered::<f32, Sum>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(fold_one_by_one::<f32, Sum>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(fold_in_groups::<f32, Sum>(n, |n| n, term).to_bits(), expected, "n = {n}");
            let whole = |i: usize, term: f32| if terms[i] == term { term } else { f32::NAN };
            if n <= LEAVES {
                let four = |first: u32| {
                    core::array::from_fn(|j| terms.get(first as usize + j).copied().unwrap_or(0.0))
                };
                let sum = fold_few::<f32, Sum>(n, |n| n, four, whole);
                assert_eq!(sum.to_bits(), expected, "n = {n}");
                let product = fold_few::<f32, Product>(n, |n| n, four, whole).to_bits();
                assert_eq!(product, by_definition::<Product>(&terms).to_bits(), "n = {n}");
            }
            assert_eq!(fold_slice::<f32, Sum>(&terms, whole).to_bits(), expected, "n = {n}");
            let expected = by_definition::<Product>(&terms).to_bits();
            assert_eq!(fold_slice::<f32, Product>(&terms, whole).to_bits(), expected, "n = {n}");
            assert_eq!(fold_in_registers::<f32, Product>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(fold_buffered::<f32, Product>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(fold_one_by_one::<f32, Product>(n, term).to_bits(), expected, "n = {n}");
            assert_eq!(
                fold_in_groups::<f32, Product>(n, |n| n, term).to_bits(),
                expected,
                "n = {n}"
            );
        }
    }

    #[test]
    fn the_order_is_a_tree_by_hand() {
        // ((t0 + t1) + (t2 + t3)) + (t4 + t5): in sequence the two small terms would be lost.
        let terms = [1e8_f32, -1e8, 1.0, 2.0, 1e-8, 1e-8];
        let sum = fold_buffered::<f32, Sum>(6, |i| terms[i]);
        assert_eq!(sum, 3.0 + 2e-8);
        let terms = [1.0_f32, 1e8, -1e8, 0.5];
        assert_eq!(fold_in_registers::<f32, Sum>(4, |i| terms[i]), 0.0);
    }

    #[test]
    fn a_zero_sum_is_positive() {
        for n in 1..70 {
            assert!(fold_in_registers::<f64, Sum>(n, |_| -0.0).is_sign_positive());
            assert!(fold_buffered::<f64, Sum>(n, |_| -0.0).is_sign_positive());
            assert!(fold_one_by_one::<f64, Sum>(n, |_| -0.0).is_sign_positive());
        }
    }
}
