//! The factor of the matrix, found anew.

use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread, warp};

use super::search::{Holds, Matrices, Search};

/// Which of the numbers that threads tell each other says whether there is a factor.
const FOUND: u32 = 3;

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Makes of what has been learned part of the factor; whether it could be. By the whole block, behind a barrier; to be followed by one.
    ///
    /// The matrix lies in the lower half of what was learned. Its factor comes to lie in the upper half, but for the diagonal, so that
    /// the product of the old factor and that can be put into the lower half. Then the two change their places.
    #[inline(always)]
    pub(super) fn refactor(&self, matrices: &mut Matrices<M>) -> bool {
        let (n, stride) = (self.n, self.stride);
        let Matrices { factor, learned } = *matrices;
        let (path, wide, diagonal) = (self.step(), self.wide(), self.diagonal());
        let is_found = if n < 32 {
            // A row and the path have a lane each.
            block::sync();
            if thread::warp() == 0 {
                let is_found = self.eliminate_alone(learned);
                if thread::lane() == 0 {
                    self.told().set(FOUND, if is_found { R::ONE } else { R::ZERO });
                }
            }
            block::sync();
            self.told().get(FOUND) != R::ZERO
        } else {
            if thread::warp() == 0 {
                Self::each_lane(0, n, |i| path.set(i, wide.get(i)));
            }
            self.eliminate(learned)
        };
        if !is_found {
            // Whoever goes on all the same does so as it was.
            self.identity(learned);
            return false;
        }
        Self::each_warp(n, |k| {
            let root = learned.at(k * stride + k).sqrt();
            let inverse = R::ONE / root;
            Self::each_lane(k + 1, n, |i| {
                learned.put(i * stride + k, learned.at(k * stride + i) * inverse);
            });
            if thread::lane() == 0 {
                diagonal.set(k, root);
                wide.set(k, path.get(k) * inverse);
            }
        });
        block::sync();
        Self::each_warp(n, |column| {
            Self::each_lane(column, n, |row| {
                let product = self.product(factor, learned, (column, row));
                learned.put(column * stride + row, product);
            });
        });
        *matrices = Matrices { factor: learned, learned: factor };
        true
    }

    /// Subtracts from each column what those before it say, and from the path as from a further row; whether all pivots are positive. By
    /// the whole block, behind a barrier of its own, and with one at the end.
    #[inline(always)]
    fn eliminate(&self, learned: M) -> bool {
        let (n, stride, path) = (self.n, self.stride, self.step());
        let mut k = 0;
        while k < n {
            block::sync();
            let pivot = learned.at(k * stride + k);
            if pivot <= R::ZERO || !pivot.is_finite() {
                break;
            }
            let items = n - k;
            if thread::warp() < items {
                let inverse = R::ONE / pivot;
                Self::each_warp(items, |item| {
                    let j = k + 1 + item;
                    if j < n {
                        let by = -(learned.at(k * stride + j) * inverse);
                        Self::each_lane(j, n, |i| {
                            let place = j * stride + i;
                            let x = learned.at(k * stride + i).fused(by, learned.at(place));
                            learned.put(place, x);
                        });
                    } else {
                        let by = -(path.get(k) * inverse);
                        Self::each_lane(k + 1, n, |i| {
                            path.set(i, learned.at(k * stride + i).fused(by, path.get(i)));
                        });
                    }
                });
            }
            k += 1;
        }
        block::sync();
        k == n
    }

    /// The same by one warp, column by column, for less than 32 rows: each element goes through the same operations. The
    /// inverses of the pivots are in the diagonal.
    #[inline(always)]
    fn eliminate_alone(&self, learned: M) -> bool {
        let (n, stride) = (self.n, self.stride);
        let (path, diagonal) = (self.step(), self.diagonal());
        let row = thread::lane();
        let of_path = row == n;
        if row < n {
            path.set(row, self.wide().get(row));
        }
        warp::sync();
        let mut j = 0;
        while j < n {
            let is_there = row >= j && row <= n;
            let place = j * stride + row.min(n - 1);
            let mut x = R::ZERO;
            if is_there {
                // What a column says of row j is multiplied by what it says of this one.
                let start = if of_path { path.get(j) } else { learned.at(place) };
                x = Self::chain(start, (0, j), |k| {
                    let by = if of_path { path.get(k) } else { learned.at(k * stride + j) };
                    let own = if of_path { j } else { row };
                    (learned.at(k * stride + own), -(by * diagonal.get(k)))
                });
            }
            let pivot = warp::shuffle(x, j);
            if pivot <= R::ZERO || !pivot.is_finite() {
                return false;
            }
            if of_path {
                path.set(j, x);
            } else if is_there {
                learned.put(place, x);
            }
            if row == j {
                diagonal.set(j, R::ONE / pivot);
            }
            warp::sync();
            j += 1;
        }
        true
    }

    /// An element of the product of the old factor and the new one, below the diagonal or in it.
    #[inline(always)]
    fn product(&self, factor: M, learned: M, (column, row): (u32, u32)) -> R {
        let stride = self.stride;
        let first = factor.at(column * stride + row).fused(self.diagonal().get(column), R::ZERO);
        Self::chain(first, (column + 1, row + 1), |j| {
            (factor.at(j * stride + row), learned.at(j * stride + column))
        })
    }

    /// Makes the lower half of a matrix, which alone counts, the identity's.
    #[inline(always)]
    pub(super) fn identity(&self, matrix: M) {
        Self::each_warp(self.n, |k| {
            Self::each_lane(k, self.n, |i| {
                matrix.put(k * self.stride + i, if i == k { R::ONE } else { R::ZERO });
            });
        });
    }
}
