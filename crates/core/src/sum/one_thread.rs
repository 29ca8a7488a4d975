//! Sums that one thread computes with leaves in memory, on the CPU.

use super::{LEAVES, Operator, Pairwise, Sum, TILE, join};
use crate::real::Real;

/// Combines `n` terms in the fixed order, on one thread, with the leaves in an array that the compiler can keep in
/// vector registers.
#[inline(always)]
pub fn fold_buffered<R: Real, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    match n {
        1..=3 => fold_three::<R, O>(n, term),
        _ => fold_tiles::<R, O>(n, |start, end| fold_tile::<R, O>(start, end, &term)),
    }
}

/// Combines `term(i, x_i)` over all numbers of a slice in the fixed order, on one thread; vector units compute several
/// terms at a time.
#[inline(always)]
pub fn fold_slice<R: Real, O: Operator<R>>(x: &[R], term: impl Fn(usize, R) -> R) -> R {
    let n = x.len();
    if (1..=3).contains(&n) {
        return fold_three::<R, O>(n, |i| term(i, x[i]));
    }
    fold_tiles::<R, O>(n, |start, end| {
        // Chunks instead of an index, whose bounds check would make the loop take the last numbers one by one.
        let (groups, rest) = x[start..end].as_chunks::<LEAVES>();
        let mut leaves = [O::identity(); LEAVES];
        for (group, x) in groups.iter().enumerate() {
            for j in 0..LEAVES {
                leaves[j] = O::combine(leaves[j], term(start + group * LEAVES + j, x[j]));
            }
        }
        for (j, (leaf, x)) in leaves.iter_mut().zip(rest).enumerate() {
            *leaf = O::combine(*leaf, term(start + groups.len() * LEAVES + j, *x));
        }
        join::<R, O, LEAVES>(leaves)
    })
}

/// As [`fold_buffered`], with the term compiled in one place only: for numbers that fill vector registers by themselves,
/// for which computing several terms at a time gains nothing.
#[inline(always)]
pub fn fold_one_by_one<R: Real, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    let (mut result, mut leaves, mut tiles) = (O::identity(), [O::identity(); LEAVES], None);
    for i in 0..n {
        let term = term(i);
        if n <= 3 {
            result = if i == 0 { term } else { O::combine(result, term) };
            continue;
        }
        let leaf = &mut leaves[i % LEAVES];
        *leaf = O::combine(*leaf, term);
        if (i + 1).is_multiple_of(TILE) && n > TILE {
            push_tile::<R, O>(&mut tiles, join_leaves::<R, O>(&leaves));
            leaves = [O::identity(); LEAVES];
        }
    }
    if n > 3 {
        result = join_leaves::<R, O>(&leaves);
    }
    if n > TILE {
        if !n.is_multiple_of(TILE) {
            push_tile::<R, O>(&mut tiles, result);
        }
        result = join_tiles::<R, O>(&tiles);
    }
    O::finish(result)
}

/// 1 to 3 terms: the leaves of so few would cost more than they do.
#[inline(always)]
fn fold_three<R: Real, O: Operator<R>>(n: usize, term: impl Fn(usize) -> R) -> R {
    // Two are the most common: side by side where there are vectors.
    if n == 2 {
        return O::finish(O::combine(term(0), term(1)));
    }
    let mut result = term(0);
    for i in 1..n {
        result = O::combine(result, term(i));
    }
    O::finish(result)
}

/// Combines the results of `tile(start, end)` for the tiles of `n` terms. `tile` is compiled once, for a single tile and
/// for several.
#[inline(always)]
fn fold_tiles<R: Real, O: Operator<R>>(n: usize, tile: impl Fn(usize, usize) -> R) -> R {
    let (mut tiles, mut start) = (None, 0);
    loop {
        let end = (start + TILE).min(n);
        let joined = tile(start, end);
        if n <= TILE {
            return O::finish(joined);
        }
        push_tile::<R, O>(&mut tiles, joined);
        start = end;
        if start == n {
            return O::finish(join_tiles::<R, O>(&tiles));
        }
    }
}

/// Adds the next of several tiles. Not inlined: a call per thousand terms costs nothing, and the code is large.
#[inline(never)]
fn push_tile<R: Real, O: Operator<R>>(tiles: &mut Option<Pairwise<R, 32>>, joined: R) {
    tiles.get_or_insert_with(Pairwise::new::<O>).push::<O>(joined);
}

/// The joined result of all tiles.
#[inline(never)]
fn join_tiles<R: Real, O: Operator<R>>(tiles: &Option<Pairwise<R, 32>>) -> R {
    tiles.as_ref().map_or(O::identity(), Pairwise::result::<O>)
}

/// [`join`], once for all terms.
#[inline(never)]
fn join_leaves<R: Real, O: Operator<R>>(leaves: &[R; LEAVES]) -> R {
    join::<R, O, LEAVES>(*leaves)
}

/// Sums `term(i, s_i)` in the fixed order, on one thread, where s_i = e_0 + ... + e_i is added in sequence and
/// e_i = `element(i)`.
#[inline(always)]
pub fn of_prefixes<R: Real>(
    n: usize,
    element: impl Fn(usize) -> R,
    term: impl Fn(usize, R) -> R,
) -> R {
    // Term i needs prefix i, so terms are computed in the order of the coordinates and added to their leaves.
    let mut prefix = R::ZERO;
    let (mut leaves, mut tiles) = ([R::ZERO; LEAVES], None);
    for i in 0..n {
        prefix += element(i);
        leaves[i % LEAVES] += term(i, prefix);
        if (i + 1).is_multiple_of(TILE) {
            push_tile::<R, Sum>(&mut tiles, join_leaves::<R, Sum>(&leaves));
            leaves = [R::ZERO; LEAVES];
        }
    }
    let last = join::<R, Sum, LEAVES>(leaves);
    if n < TILE {
        return <Sum as Operator<R>>::finish(last);
    }
    if !n.is_multiple_of(TILE) {
        push_tile::<R, Sum>(&mut tiles, last);
    }
    <Sum as Operator<R>>::finish(join_tiles::<R, Sum>(&tiles))
}

#[inline(always)]
fn fold_tile<R: Real, O: Operator<R>>(start: usize, end: usize, term: &impl Fn(usize) -> R) -> R {
    let mut leaves = [O::identity(); LEAVES];
    let mut i = start;
    while i + LEAVES <= end {
        for (j, leaf) in leaves.iter_mut().enumerate() {
            *leaf = O::combine(*leaf, term(i + j));
        }
        i += LEAVES;
    }
    for j in 0..end - i {
        leaves[j] = O::combine(leaves[j], term(i + j));
    }
    join::<R, O, LEAVES>(leaves)
}
