//! COCO's random numbers for the instances of its functions: the same numbers for the same seed.
//!
//! Logarithm and cosine are the platform's, as in COCO. The library's own functions are as accurate, but occasionally
//! round differently; this changes a rotation by a rounding error, and values of f19 by 1e-9.

/// `count` uniform numbers above 0 and at most 1.
///
/// The generator is that of Park and Miller, `s = 16807 * s mod (2^31 - 1)`, with its numbers shuffled by a table of 32
/// (Bays and Durham).
pub(super) fn uniform(count: usize, seed: u64) -> Vec<f64> {
    const MODULUS: u64 = (1 << 31) - 1;
    const DISCARDED: usize = 8;
    let mut state = seed.max(1);
    let mut next = || {
        state = 16_807 * state % MODULUS;
        state
    };
    for _ in 0..DISCARDED {
        next();
    }
    let mut table = [0; 32];
    for place in table.iter_mut().rev() {
        *place = next();
    }
    let mut shown = table[0];
    let mut draw = || {
        let place = (shown / 67_108_865) as usize;
        shown = std::mem::replace(&mut table[place], next());
        // Zero is replaced, because its logarithm is taken later.
        if shown == 0 { 1e-99 } else { shown as f64 / MODULUS as f64 }
    };
    (0..count).map(|_| draw()).collect()
}

/// `count` normal numbers, by the Box-Muller method.
pub(super) fn normal(count: usize, seed: u64) -> Vec<f64> {
    let uniform = uniform(2 * count, seed);
    let (radii, angles) = uniform.split_at(count);
    let one = |(radius, angle): (&f64, &f64)| {
        let angle = 2.0 * std::f64::consts::PI * angle;
        let number = (-2.0 * radius.ln()).sqrt() * angle.cos();
        if number == 0.0 { 1e-99 } else { number }
    };
    radii.iter().zip(angles).map(one).collect()
}

/// A rotation, `[row][column]`: columns of normal numbers, made orthonormal in sequence (Gram-Schmidt).
pub(super) fn rotation(dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let numbers = normal(dimensions * dimensions, seed);
    let mut columns: Vec<Vec<f64>> = numbers.chunks(dimensions).map(<[f64]>::to_vec).collect();
    // In COCO's order: from left to right, and the component along each earlier column is removed before the next one
    // is computed.
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b);
    for i in 0..dimensions {
        let (earlier, rest) = columns.split_at_mut(i);
        let column = &mut rest[0];
        for other in earlier {
            let part = dot(column, other);
            column.iter_mut().zip(&*other).for_each(|(x, other)| *x -= part * other);
        }
        let length = dot(column, column).sqrt();
        column.iter_mut().for_each(|x| *x /= length);
    }
    (0..dimensions).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

/// The permutation that sorts `count` uniform numbers: for each rank, the index of the number.
pub(super) fn permutation(count: usize, seed: u64) -> Vec<usize> {
    let numbers = uniform(count, seed);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    order
}
