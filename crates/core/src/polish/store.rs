//! The memory of a search.

use core::cell::Cell;

use crate::real::Float;

/// Numbers that are read and written by their index, independent of where they are.
///
/// A handle can be copied, and all copies refer to the same numbers: a slice of cells on the CPU, or on a GPU a column
/// of numbers that are interleaved with those of other threads. An index out of range reads as NaN, and writing to it
/// does nothing.
///
/// ```
/// use warpswarm_core::polish::{Store, cells};
/// let mut numbers = [1.0_f64, 2.0];
/// let store = cells(&mut numbers);
/// store.set(0, store.get(1) + 1.0);
/// store.set(7, 1.0);
/// assert!(store.get(7).is_nan());
/// assert_eq!(numbers, [3.0, 2.0]);
/// ```
pub trait Store<R: Float>: Copy {
    /// Number `i`; NaN if there is none.
    fn get(self, i: usize) -> R;
    /// Sets number `i` to `value`, if there is such a number.
    fn set(self, i: usize, value: R);
}

/// A slice as a [`Store`]: see [`cells`].
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a, R: Float>(&'a [Cell<R>]);

impl<R: Float> Store<R> for Cells<'_, R> {
    #[inline(always)]
    fn get(self, i: usize) -> R {
        self.0.get(i).map_or(R::NAN, Cell::get)
    }
    #[inline(always)]
    fn set(self, i: usize, value: R) {
        if let Some(cell) = self.0.get(i) {
            cell.set(value);
        }
    }
}

/// A slice as a [`Store`].
///
/// ```
/// use warpswarm_core::polish::{Store, cells};
/// assert_eq!(cells(&mut [0.5_f32]).get(0), 0.5);
/// ```
#[inline(always)]
pub fn cells<R: Float>(numbers: &mut [R]) -> Cells<'_, R> {
    Cells(Cell::from_mut(numbers).as_slice_of_cells())
}

/// The numbers of a store from some index on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<S> {
    store: S,
    first: usize,
}

impl<R: Float, S: Store<R>> Store<R> for Part<S> {
    #[inline(always)]
    fn get(self, i: usize) -> R {
        self.store.get(self.first + i)
    }
    #[inline(always)]
    fn set(self, i: usize, value: R) {
        self.store.set(self.first + i, value);
    }
}

impl<S: Copy> Part<S> {
    /// All numbers of a store.
    #[inline(always)]
    pub(super) fn all(store: S) -> Self {
        Part { store, first: 0 }
    }

    /// The numbers from number `first` of this part on.
    #[inline(always)]
    pub(super) fn from(self, first: usize) -> Self {
        Part { store: self.store, first: self.first + first }
    }

    /// Splits off the first `count` numbers: they are returned, and this part becomes the rest.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> Self {
        let taken = *self;
        self.first += count;
        taken
    }
}

/// The sum of `term(i)` for i in 0..n, in sequence.
#[inline(always)]
pub(super) fn sum<R: Float>(n: usize, term: impl Fn(usize) -> R) -> R {
    let mut total = R::ZERO;
    for i in 0..n {
        total += term(i);
    }
    total
}

/// The largest `term(i)` for i in 0..n, at least zero; NaN if one is NaN.
#[inline(always)]
pub(super) fn largest<R: Float>(n: usize, term: impl Fn(usize) -> R) -> R {
    let mut most = R::ZERO;
    for i in 0..n {
        let x = term(i);
        if x > most || x.is_nan() {
            most = x;
        }
        if most.is_nan() {
            break;
        }
    }
    most
}

/// Copies n numbers.
#[inline(always)]
pub(super) fn copy<R: Float>(n: usize, from: impl Store<R>, to: impl Store<R>) {
    for i in 0..n {
        to.set(i, from.get(i));
    }
}

/// The range from 0 to `most`, for loops that usually end earlier. The compiler cannot see its length: for a GPU it
/// unrolls all loops whose length it knows, and unrolled code here takes the driver long to compile.
#[inline(always)]
pub(super) fn times(most: u32) -> core::ops::Range<u32> {
    0..core::hint::black_box(most)
}
