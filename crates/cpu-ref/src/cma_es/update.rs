//! The update from a generation: mean, paths, matrix and step size; and whether the leg has converged.

use warpswarm_core::cma_es::{CHUNK, Shape, Strategy, comparable, is_flat};
use warpswarm_core::launch::head::{BEST, FIRST_SIGMA, LEVEL, SIGMA, STALE};
use warpswarm_core::objective::{Point, SlicePoint};
use warpswarm_core::order::Fitness;
use warpswarm_core::real::Float;

use super::{Distribution, Scratch, times};
use crate::generation::Work;
use crate::vectors::Run;

/// A ranked generation.
pub(super) struct Update<'a, R> {
    pub(super) distribution: Distribution<'a, R>,
    pub(super) work: &'a Work<'a, R>,
    pub(super) strategy: &'a Strategy<R>,
    pub(super) scratch: &'a mut Scratch<R>,
    pub(super) generation: u64,
    pub(super) best: Fitness<R>,
    /// The level of the run.
    pub(super) level: R,
    pub(super) stride: usize,
}

impl<R: Float> Run for Update<'_, R> {
    type Output = bool;

    /// Updates the distribution from the ranked samples; returns whether the leg continues.
    #[inline(always)]
    fn call(mut self) -> bool {
        self.learn();
        let is_over = self.is_over();
        let is_found = self.refactor();
        is_found && !is_over && !self.has_converged()
    }
}

impl<R: Float> Update<'_, R> {
    #[inline(always)]
    fn learn(&mut self) {
        let Update { distribution, work, strategy, scratch, generation, stride, .. } = self;
        let (n, stride) = (strategy.dimensions as usize, *stride);
        let Scratch { weights, normals, order, row, mean, step, chunk, .. } = &mut **scratch;
        let sample = |rank: usize| &normals[order[rank] as usize * stride..][..stride];
        let dot = |x: &[R]| SlicePoint(&x[..n]).sum(|_, x| x * x);
        mean.fill(R::ZERO);
        for first in (0..strategy.better as usize).step_by(CHUNK) {
            let last = (first + CHUNK).min(strategy.better as usize);
            row.fill(R::ZERO);
            for rank in first..last {
                let (weight, z) = (weights[rank], sample(rank));
                for (sum, &z) in row.iter_mut().zip(z) {
                    *sum = weight.fused(z, *sum);
                }
            }
            for (mean, &sum) in mean.iter_mut().zip(&*row) {
                *mean += sum;
            }
        }
        times(distribution.factor, mean, &mut step[..n], stride);
        let sigma = distribution.head[SIGMA];
        for i in 0..n {
            let (lower, upper) = work.bounds.of(i);
            let moved = (sigma * (upper - lower)).fused(step[i], distribution.mean[i]);
            distribution.mean[i] = strategy.brought_back(moved, (lower, upper));
        }
        let gain = strategy.gain(strategy.c_sigma);
        let kept = R::ONE - strategy.c_sigma;
        for (path, &z) in distribution.path.iter_mut().zip(&*mean) {
            *path = gain.fused(z, *path * kept);
        }
        let length = dot(distribution.path).sqrt();
        let is_steady = strategy.is_steady(length, *generation);
        let gain = if is_steady { strategy.gain(strategy.c_c) } else { R::ZERO };
        let kept = R::ONE - strategy.c_c;
        for (wide, &z) in distribution.wide.iter_mut().zip(&*mean) {
            *wide = gain.fused(z, *wide * kept);
        }
        let kept = strategy.kept(is_steady);
        for k in 0..n {
            let column = &mut distribution.learned[k * stride..][k..n];
            let path = strategy.c_1 * distribution.wide[k];
            for (sum, &other) in column.iter_mut().zip(&distribution.wide[k..n]) {
                *sum = path.fused(other, *sum * kept);
            }
        }
        let taught = strategy.taught() as usize;
        for first in (0..taught).step_by(CHUNK) {
            let last = (first + CHUNK).min(taught);
            chunk.fill(R::ZERO);
            for rank in first..last {
                let z = sample(rank);
                let weight = strategy.lesson(rank as u32, weights[rank], || dot(z));
                for k in 0..n {
                    let of_column = weight * z[k];
                    let column = &mut chunk[k * stride..][k..n];
                    for (sum, &other) in column.iter_mut().zip(&z[k..n]) {
                        *sum = of_column.fused(other, *sum);
                    }
                }
            }
            for (sum, &part) in distribution.learned.iter_mut().zip(&*chunk) {
                *sum += part;
            }
        }
        distribution.head[SIGMA] = sigma * strategy.step_factor(length);
        distribution.head[STALE] += R::ONE;
    }

    /// Computes the factor anew, if it is due; returns whether there is one.
    #[inline(always)]
    fn refactor(&mut self) -> bool {
        let Update { distribution, strategy, stride, scratch, .. } = self;
        let (n, stride) = (strategy.dimensions as usize, *stride);
        if distribution.head[STALE] < R::from_u32(strategy.lag()) {
            return true;
        }
        distribution.head[STALE] = R::ZERO;
        let (factor, lower) = (&mut *distribution.factor, &mut *distribution.learned);
        let Scratch { row, mean: path, .. } = &mut **scratch;
        path.copy_from_slice(distribution.wide);
        if !cholesky(lower, path, n, stride) {
            // A leg that continues anyway does so with the previous factor.
            identity(lower, n, stride);
            return false;
        }
        distribution.wide.copy_from_slice(path);
        for c in 0..n {
            row.fill(R::ZERO);
            for i in c..n {
                let by = lower[c * stride + i];
                for (sum, &a) in row[i..n].iter_mut().zip(&factor[i * stride..][i..n]) {
                    *sum = a.fused(by, *sum);
                }
            }
            factor[c * stride..][c..n].copy_from_slice(&row[c..n]);
        }
        identity(lower, n, stride);
        true
    }

    /// Whether the leg has converged by its values: stagnation and TolFun of the tutorial's section B.3.
    #[inline(always)]
    fn is_over(&mut self) -> bool {
        let Update { distribution, strategy, generation, best, level, .. } = self;
        let generation = *generation;
        let remembered = strategy.remembered() as usize;
        let place = (generation % remembered as u64) as usize;
        distribution.recent[2 * place] = best.counted();
        distribution.recent[2 * place + 1] = best.value;
        let head = &mut distribution.head;
        let leg = Fitness { violation: head[BEST + 1], value: head[BEST] };
        // At another level, the stored best may not be the best.
        if generation == 0 || *level != head[LEVEL] || best.beats(leg) {
            (head[BEST + 1], head[BEST]) = (best.counted(), best.value);
            (head[BEST + 2], head[LEVEL]) = (R::from_u32(generation as u32), *level);
        }
        if strategy.stagnates(generation, distribution.head[BEST + 2]) {
            return true;
        }
        let range = |first: usize| {
            let of = || distribution.recent[first..].iter().step_by(2).copied().map(comparable);
            (of().fold(R::INFINITY, R::smaller), of().fold(-R::INFINITY, R::larger))
        };
        if generation + 1 < remembered as u64 {
            return false;
        }
        let ((violation, most), (least, largest)) = (range(0), range(1));
        violation == most && is_flat(least, largest)
    }

    /// Whether the leg has converged or diverged by its distribution: the other criteria of that section.
    #[inline(always)]
    fn has_converged(&mut self) -> bool {
        let Update { distribution, work, strategy, generation, stride, .. } = self;
        let (n, stride, generation) = (strategy.dimensions as usize, *stride, *generation);
        let sigma = distribution.head[SIGMA];
        // The whole factor is checked only after its updates.
        if !sigma.is_finite() || distribution.head[STALE] != R::ZERO {
            return !sigma.is_finite();
        }
        let axis = (generation % n as u64) as u32;
        let mut shape = Shape::NONE;
        for i in 0..n {
            let at = (distribution.mean[i], work.bounds.of(i));
            let factor = |k| distribution.factor[k as usize * stride + i];
            shape = shape.join(Shape::of(i as u32, axis, at, sigma, factor));
        }
        shape.has_converged(distribution.head[FIRST_SIGMA])
    }
}

/// Sets a matrix to the identity.
pub(super) fn identity<R: Float>(matrix: &mut [R], n: usize, stride: usize) {
    matrix.fill(R::ZERO);
    for k in 0..n {
        matrix[k * stride + k] = R::ONE;
    }
}

/// Replaces the lower half of a symmetric matrix, stored by columns, by its Cholesky factor L, and a point x by L^-1 x.
/// Returns whether there is a factor.
///
/// The point is treated as a further row of the matrix. Only the last step needs square roots.
#[inline(always)]
fn cholesky<R: Float>(matrix: &mut [R], point: &mut [R], n: usize, stride: usize) -> bool {
    for k in 0..n {
        let pivot = matrix[k * stride + k];
        if pivot <= R::ZERO || !pivot.is_finite() {
            return false;
        }
        let inverse = R::ONE / pivot;
        let (left, right) = matrix.split_at_mut((k + 1) * stride);
        let column = &left[k * stride..][..n];
        for j in k + 1..n {
            let by = -(column[j] * inverse);
            let target = &mut right[(j - k - 1) * stride..][j..n];
            for (x, &l) in target.iter_mut().zip(&column[j..]) {
                *x = l.fused(by, *x);
            }
        }
        let by = -(point[k] * inverse);
        for (x, &l) in point[k + 1..n].iter_mut().zip(&column[k + 1..]) {
            *x = l.fused(by, *x);
        }
    }
    for k in 0..n {
        let column = &mut matrix[k * stride..][..n];
        let root = column[k].sqrt();
        let inverse = R::ONE / root;
        column[k] = root;
        for x in &mut column[k + 1..] {
            *x = *x * inverse;
        }
        point[k] = point[k] * inverse;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recovers L from L L^T; a matrix that is not positive definite has no factor.
    #[test]
    fn factors_by_hand() {
        // Columns of [[4, 2, -2], [2, 10, 2], [-2, 2, 6]], of which only the lower half is used; rows have four places.
        let mut matrix = [4.0, 2.0, -2.0, 0.0, 9.0, 10.0, 2.0, 0.0, 9.0, 9.0, 6.0, 0.0];
        let mut point = [6.0, 3.0, 4.0, 0.0];
        assert!(cholesky(&mut matrix, &mut point, 3, 4));
        let columns = [matrix[0..3].to_vec(), matrix[5..7].to_vec(), matrix[10..11].to_vec()];
        assert_eq!(columns, [vec![2.0, 1.0, -1.0], vec![3.0, 1.0], vec![2.0]]);
        // 2 * 3 = 6, 1 * 3 + 3 * 0 = 3, -1 * 3 + 1 * 0 + 2 * 3.5 = 4.
        assert_eq!(point, [3.0, 0.0, 3.5, 0.0]);
        for wrong in [[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
            assert!(!cholesky(&mut wrong.clone(), &mut [0.0; 2], 2, 2), "{wrong:?}");
        }
    }
}
