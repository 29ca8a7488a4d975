//! An objective that looks at everything an objective can look at.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use warpswarm_kernels::{Model, Objective, Point, Real, Table, above};

/// How far coordinates are from a run's numbers, and how badly the first one fits a run's values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Where coordinates are best, one after the other and from the beginning again; of each run.
    pub near: Table,
    /// The weights of the values; of all runs.
    pub weights: Table,
    /// The values, as many; of each run.
    pub values: Table,
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
        distances + errors
    }

    fn violation<P: Point<R>>(&self, x: &P) -> R {
        above(x, 0, x.dimensions() - 1)
    }
}

warpswarm_kernels::export_objective! { any probe, "Probe", Probe, Probe, derivatives }

/// Asks for a coordinate that is not there: the kernel traps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// How far beyond the last coordinate.
    pub by: u64,
}

impl<R: Real> Objective<R> for Beyond {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        x.get(x.dimensions() + self.by as usize)
    }
}

warpswarm_kernels::export_objective! { any beyond, "Beyond", Beyond, Beyond }

/// height exp(-t / lifetime) + background: a model that is fitted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// The times, of all fits.
    pub times: Table,
}

impl<R: Real> Model<R, 3> for Decay {
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        let [height, lifetime, background] = [0, 1, 2].map(|i| x.get(i));
        height * (-x.data(self.times, row) / lifetime).exp() + background
    }
}

warpswarm_kernels::export_model! { decay, "Decay", Decay, 3 }
