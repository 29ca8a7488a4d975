//! The factor of the matrix, found anew.

use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread, warp};

use super::search::{Holds, Search};

impl<R: DeviceReal, M: Holds<R>> Search<'_, R, M> {
    /// Makes of what has been learned part of the factor; whether it could be. By the whole block.
    ///
    /// The matrix lies in the lower half of what was learned. Its factor comes to lie in the upper half, but for the diagonal, so that
    /// a step reads nothing that it writes; then the product of the old factor and that in the lower half.
    #[inline(always)]
    pub(super) fn refactor(&self) -> bool {
        let (n, stride) = (self.n, self.stride);
        let diagonal = self.diagonal();
        let mut k = 0;
        while k < n {
            block::sync();
            let pivot = self.learned.at(k * stride + k);
            if pivot <= R::ZERO || !pivot.is_finite() {
                break;
            }
            let root = pivot.sqrt();
            let inverse = R::ONE / root;
            let of_column = |i: u32| self.learned.at(k * stride + i) * inverse;
            Self::each_warp(n - 1 - k, |j| {
                let j = k + 1 + j;
                let by = -of_column(j);
                Self::each_lane(j, n, |i| {
                    let place = j * stride + i;
                    self.learned.put(place, of_column(i).fused(by, self.learned.at(place)));
                });
            });
            if thread::warp() == 0 {
                Self::each_lane(k + 1, n, |i| self.learned.put(i * stride + k, of_column(i)));
                if thread::lane() == 0 {
                    diagonal.set(k, root);
                }
            }
            k += 1;
        }
        block::sync();
        let is_found = k == n;
        if is_found {
            if thread::warp() == thread::block_dim() / 32 - 1 {
                self.solve_path();
            }
            Self::each_warp(n, |c| Self::each_lane(c, n, |r| self.multiply(c, r)));
            block::sync();
        }
        // Whoever goes on without a factor does so as it was.
        Self::each_warp(n, |c| {
            Self::each_lane(0, n, |r| {
                let place = c * stride + r;
                if is_found && r >= c {
                    self.factor.put(place, self.learned.at(place));
                }
                self.learned.put(place, if r == c { R::ONE } else { R::ZERO });
            });
        });
        is_found
    }

    /// An element of the product of the old factor and the new one, below the diagonal or in it.
    #[inline(always)]
    fn multiply(&self, column: u32, row: u32) {
        let stride = self.stride;
        let mut sum =
            self.factor.at(column * stride + row).fused(self.diagonal().get(column), R::ZERO);
        let mut j = column + 1;
        while j <= row {
            let by = self.learned.at(j * stride + column);
            sum = self.factor.at(j * stride + row).fused(by, sum);
            j += 1;
        }
        self.learned.put(column * stride + row, sum);
    }

    /// Says the path of the matrix in the coordinates of the new factor; by one warp.
    #[inline(always)]
    fn solve_path(&self) {
        let (n, stride, wide) = (self.n, self.stride, self.wide());
        let mut k = 0;
        while k < n {
            let solved = wide.get(k) / self.diagonal().get(k);
            warp::sync();
            if thread::lane() == 0 {
                wide.set(k, solved);
            }
            Self::each_lane(k + 1, n, |i| {
                let by = self.learned.at(i * stride + k);
                wide.set(i, by.fused(-solved, wide.get(i)));
            });
            warp::sync();
            k += 1;
        }
    }
}
