//! An objective that uses everything that an objective can access.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use warpswarm_kernels::{Curve, Model, Objective, Point, Real, Surface, Table, above};

/// The distance of the coordinates from a run's numbers, the misfit of the first coordinate to a run's values, and what
/// was measured at the first coordinate and at the last one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The optimal coordinates, repeated cyclically; each run has its own.
    pub near: Table,
    /// The weights of the values, shared by all runs.
    pub weights: Table,
    /// The values, the same number; each run has its own.
    pub values: Table,
    /// A curve over the first coordinate.
    pub curve: Curve,
    /// A surface over the first and the last coordinate.
    pub surface: Surface,
}

impl<R: Real> Objective<R> for Probe {
    const CONSTRAINED: bool = true;

    fn value<P: Point<R>>(&self, x: &P) -> R {
        let distances = x.sum(|i, xi| {
            let distance = xi - x.data(self.near, i % self.near.len().max(1));
            distance * distance
        });
        let first = x.get(0);
        let errors = x.sum_rows([self.weights, self.values], |[weight, value]| {
            weight * (value - first) * (value - first)
        });
        let last = x.get(x.dimensions() - 1);
        distances + errors + self.curve.at(x, first) + self.surface.at(x, first, last)
    }

    fn violation<P: Point<R>>(&self, x: &P) -> R {
        above(x, 0, x.dimensions() - 1)
    }
}

warpswarm_kernels::export_objective! { any probe, "Probe", Probe, Probe, derivatives }

/// An objective that reads a coordinate that does not exist, so that the kernel traps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// The distance behind the last coordinate.
    pub by: u64,
}

impl<R: Real> Objective<R> for Beyond {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.get(x.dimensions() + self.by as usize)
    }
}

warpswarm_kernels::export_objective! { any beyond, "Beyond", Beyond, Beyond }

/// A model to fit: height exp(-t / lifetime) + background.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// The times, shared by all fits.
    pub times: Table,
}

impl<R: Real> Model<R, 3> for Decay {
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        let [height, lifetime, background] = [0, 1, 2].map(|i| x.get(i));
        height * (-x.data(self.times, row) / lifetime).exp() + background
    }
}

warpswarm_kernels::export_model! { decay, "Decay", Decay, 3 }
