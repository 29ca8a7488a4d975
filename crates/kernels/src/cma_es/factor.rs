//! The factorisation of the covariance matrix.

use warpswarm_device::block;
use warpswarm_device::view::DeviceReal;

use super::search::{Holds, Matrices, Search, index, lane, threads, warp_index};

/// Columns that are eliminated together, and columns of the product with the old factor that a warp computes together.
const COLUMNS: usize = 4;

/// The place, among the numbers that threads exchange, of whether a factor exists.
const FOUND: u32 = 3;

/// The diagonal block of [`COLUMNS`] columns after elimination, with the path's elements in these rows. Every thread
/// computes it redundantly.
struct Corner<R> {
    /// `[column][row]`; only the lower half is used.
    matrix: [[R; COLUMNS]; COLUMNS],
    /// The reciprocals of the diagonal.
    inverses: [R; COLUMNS],
    path: [R; COLUMNS],
    /// Whether all pivots are positive and finite.
    is_found: bool,
}

impl<R: DeviceReal> Corner<R> {
    /// Loads the block and subtracts multiples of each column from the later ones.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn eliminated(
        at: impl Fn(usize, usize) -> R,
        path: impl Fn(usize) -> R,
        is_there: impl Fn(usize) -> bool,
    ) -> Self {
        let zero = R::ZERO;
        let mut matrix = [[zero; COLUMNS]; COLUMNS];
        let (mut inverses, mut rest, mut is_found) = ([zero; COLUMNS], [zero; COLUMNS], true);
        let mut c = 0;
        while c < COLUMNS {
            // Rows beyond the matrix are those of the identity, which changes nothing.
            matrix[c][c] = R::ONE;
            let mut row = c;
            while row < COLUMNS {
                if is_there(row) {
                    matrix[c][row] = at(c, row);
                }
                row += 1;
            }
            if is_there(c) {
                rest[c] = path(c);
            }
            c += 1;
        }
        c = 0;
        while c < COLUMNS {
            let pivot = matrix[c][c];
            is_found &= pivot > R::ZERO && pivot.is_finite();
            inverses[c] = R::ONE / pivot;
            let of_path = -(rest[c] * inverses[c]);
            let mut later = c + 1;
            while later < COLUMNS {
                let by = -(matrix[c][later] * inverses[c]);
                let mut row = later;
                while row < COLUMNS {
                    matrix[later][row] = matrix[c][row].fused(by, matrix[later][row]);
                    row += 1;
                }
                rest[later] = matrix[c][later].fused(of_path, rest[later]);
                later += 1;
            }
            c += 1;
        }
        Corner { matrix, inverses, path: rest, is_found }
    }

    /// Eliminates the columns in one row below the block. Returns, for each column, the multiple of it that is to be
    /// subtracted from the later column with this row's number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take_from(&self, row: &mut [R; COLUMNS]) -> [R; COLUMNS] {
        let mut by = [R::ZERO; COLUMNS];
        let mut c = 0;
        while c < COLUMNS {
            let mut later = c + 1;
            while later < COLUMNS {
                let by = -(self.matrix[c][later] * self.inverses[c]);
                row[later] = row[c].fused(by, row[later]);
                later += 1;
            }
            by[c] = -(row[c] * self.inverses[c]);
            c += 1;
        }
        by
    }
}

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Computes the new factor from the learned matrix. Returns whether it exists. Called by the whole block after a
    /// barrier; the caller executes a barrier afterwards.
    ///
    /// The learned matrix is in the lower half of `learned`. Its factor is stored in the upper half, except for the
    /// diagonal, so that the product of the old factor and the new one can be stored in the lower half. Then `factor`
    /// and `learned` swap their memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn refactor(&self, matrices: &mut Matrices<M>) -> bool {
        let (n, stride) = (self.n, self.stride);
        let Matrices { factor, learned } = *matrices;
        let (path, wide, diagonal) = (self.step(), self.wide(), self.diagonal());
        Self::each(n, |i| path.set(i, wide.get(i)));
        if !self.eliminate(learned) {
            // A leg that continues without a factor keeps the old one.
            self.identity(learned);
            return false;
        }
        let (multiples, inverses) = (self.multiples(), path);
        Self::each(n, |k| {
            let root = diagonal.get(k).sqrt();
            let inverse = R::ONE / root;
            diagonal.set(k, root);
            wide.set(k, multiples.get(COLUMNS as u32 * k) * inverse);
            inverses.set(k, inverse);
        });
        block::sync();
        Self::each_warp(n, |k| {
            let inverse = inverses.get(k);
            Self::each_lane(k + 1, n, |i| {
                let to = i * stride + k;
                let is_corner = i / COLUMNS as u32 == k / COLUMNS as u32;
                let from = if is_corner { to } else { k * stride + i };
                learned.put(to, learned.at(from) * inverse);
            });
        });
        block::sync();
        Self::each_warp(n.div_ceil(COLUMNS as u32), |tile| {
            self.multiply(factor, learned, tile * COLUMNS as u32);
        });
        *matrices = Matrices { factor: learned, learned: factor };
        true
    }

    /// Factorises the learned matrix: subtracts from each column the multiples of the columns before it, and treats the
    /// path as one more row. Returns whether all pivots are positive. Called by the whole block; begins and ends with a
    /// barrier.
    ///
    /// The diagonal block of each group of columns is stored in the upper half and in `diagonal`, and the path's
    /// elements there in `multiples` of the same rows, which have no other use. Their original places stay unchanged
    /// while all threads read them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn eliminate(&self, learned: M) -> bool {
        let (n, stride, path) = (self.n, self.stride, self.step());
        let (multiples, told) = (self.multiples(), self.told());
        let diagonal = self.diagonal();
        let mut first = 0;
        while first < n {
            block::sync();
            let end = first + COLUMNS as u32;
            let column = |c: usize| (first + c as u32) * stride;
            // Warp 0 stores the diagonal block for all warps. The other warps compute it only if they have rows.
            if warp_index() == 0 || end + 32 * warp_index() < n {
                let found = Corner::eliminated(
                    |c, row| learned.at(column(c) + first + row as u32),
                    |c| path.get(first + c as u32),
                    |c| first + (c as u32) < n,
                );
                let mut i = end + index();
                while i < n {
                    let (mut row, mut of_path) = ([R::ZERO; COLUMNS], path.get(i));
                    let mut c = 0;
                    while c < COLUMNS {
                        row[c] = learned.at(column(c) + i);
                        c += 1;
                    }
                    multiples.set4(i * COLUMNS as u32, found.take_from(&mut row));
                    c = 0;
                    while c < COLUMNS {
                        let by = -(found.path[c] * found.inverses[c]);
                        of_path = row[c].fused(by, of_path);
                        learned.put(column(c) + i, row[c]);
                        c += 1;
                    }
                    path.set(i, of_path);
                    i += threads();
                }
                if index() == 0 {
                    told.set(FOUND, if found.is_found { R::ONE } else { R::ZERO });
                    let mut c = 0;
                    while c < COLUMNS && first + (c as u32) < n {
                        let column = first + c as u32;
                        diagonal.set(column, found.matrix[c][c]);
                        multiples.set(COLUMNS as u32 * column, found.path[c]);
                        let mut row = c + 1;
                        while row < COLUMNS && first + (row as u32) < n {
                            let place = (first + row as u32) * stride + column;
                            learned.put(place, found.matrix[c][row]);
                            row += 1;
                        }
                        c += 1;
                    }
                }
            }
            block::sync();
            if told.get(FOUND) == R::ZERO {
                return false;
            }
            if end < n {
                Self::each_warp((n - end).div_ceil(COLUMNS as u32), |tile| {
                    self.take_columns(learned, first, end + tile * COLUMNS as u32);
                });
            }
            first = end;
        }
        block::sync();
        true
    }

    /// Subtracts multiples of the columns from `first` on from the later columns from `from` on; by one warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take_columns(&self, learned: M, first: u32, from: u32) {
        let (n, stride, multiples) = (self.n, self.stride, self.multiples());
        let mut by = [[R::ZERO; COLUMNS]; COLUMNS];
        let mut t = 0;
        while t < COLUMNS {
            by[t] = multiples.get4((from + t as u32).min(n - 1) * COLUMNS as u32);
            t += 1;
        }
        Self::each_lane(from, n, |i| {
            let mut row = [R::ZERO; COLUMNS];
            let mut c = 0;
            while c < COLUMNS {
                row[c] = learned.at((first + c as u32) * stride + i);
                c += 1;
            }
            let mut t = 0;
            while t < COLUMNS {
                let column = from + t as u32;
                if column <= i {
                    let mut x = learned.at(column * stride + i);
                    c = 0;
                    while c < COLUMNS {
                        x = row[c].fused(by[t][c], x);
                        c += 1;
                    }
                    learned.put(column * stride + i, x);
                }
                t += 1;
            }
        });
    }

    /// Computes [`COLUMNS`] columns, from `first` on, of the product of the old factor and the new one, and stores them
    /// in the lower half of `learned`. By one warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn multiply(&self, factor: M, learned: M, first: u32) {
        let (n, stride, diagonal) = (self.n, self.stride, self.diagonal());
        let end = first + COLUMNS as u32;
        let mut rows = first;
        while rows < n {
            let i = rows + lane();
            let row = i.min(n - 1);
            let mut sums = [R::ZERO; COLUMNS];
            let mut j = first;
            while j < end.min(n) {
                let own = factor.at(j * stride + row);
                let mut t = 0;
                while t < COLUMNS {
                    let column = first + t as u32;
                    if column <= j && j <= row {
                        let by = if column == j {
                            diagonal.get(j)
                        } else {
                            learned.at(j * stride + column)
                        };
                        sums[t] = own.fused(by, sums[t]);
                    }
                    t += 1;
                }
                j += 1;
            }
            let last = (rows + 32).min(n);
            while j < last {
                let (own, by) = (factor.at(j * stride + row), learned.at4(j * stride + first));
                if j <= row {
                    let mut t = 0;
                    while t < COLUMNS {
                        sums[t] = own.fused(by[t], sums[t]);
                        t += 1;
                    }
                }
                j += 1;
            }
            let mut t = 0;
            while t < COLUMNS {
                let column = first + t as u32;
                if i < n && column <= i {
                    learned.put(column * stride + i, sums[t]);
                }
                t += 1;
            }
            rows += 32;
        }
    }

    /// Sets a matrix to the identity.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn identity(&self, matrix: M) {
        Self::each_warp(self.n, |k| {
            Self::each_lane(0, self.n, |i| {
                matrix.put(k * self.stride + i, if i == k { R::ONE } else { R::ZERO });
            });
        });
    }
}
