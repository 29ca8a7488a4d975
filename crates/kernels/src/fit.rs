//! Fits of a model to data: a thread a fit, one after the other.

use warpswarm_core::data::WithData;
use warpswarm_core::dual::{Dual, DualPoint};
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Goodness, Next, Parameters, SmoothModel, Solver, Status,
    sum_rows,
};
use warpswarm_core::launch::{FIT_BLOCK, FitArgs, Outcome, triangle};
use warpswarm_core::objective::SlicePoint;
use warpswarm_device::data::DeviceData;
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::whole;

/// Fits the model to the data of each fit.
///
/// Any number of blocks of up to [`FIT_BLOCK`] threads. Threads add up all rows of their fits in step, whatever iteration each is
/// in; one whose fit has ended takes the next.
#[inline(always)]
pub fn fit<R, A, M, const N: usize>(args: &FitArgs<R, M>)
where
    R: DeviceReal,
    A: Accumulator<R, N>,
    M: SmoothModel<R, N>,
{
    max_block::<FIT_BLOCK>();
    let fits = args.fits;
    let threads = thread::grid_dim() * thread::block_dim();
    let arrays = Arrays::<R, N>::new(args);
    let bounds = arrays.bounds(args.fixed);
    let mut number = thread::global_index() as u32;
    let mut solver = Solver::<R, A, N>::new(arrays.start(number, fits), &bounds);
    while number < fits {
        // SAFETY: the host upholds that the arrays are as `FitArgs` says.
        let data = unsafe { DeviceData::of_run(&args.data, number) };
        let at = *solver.point();
        let sums = sum_rows(args.observed.rows(), &|row| {
            let point = WithData { point: SlicePoint(&at), data };
            let predicted: Dual<R, N> = args.model.predict(&DualPoint { point, first: 0 }, row);
            (args.observed.term(&point, row, predicted.value), predicted.partials)
        });
        if let Next::Done(status) = solver.advance(&args.settings, &bounds, &sums) {
            arrays.keep(args, number, status, &solver, &bounds);
            number = threads + arrays.taken.atomic_u32(0, 0).add_acq_rel(1);
            solver = Solver::new(arrays.start(number, fits), &bounds);
        }
    }
}

/// What a launch reads and writes.
struct Arrays<R, const N: usize> {
    starts: View<R>,
    lower: View<R>,
    upper: View<R>,
    found: View<R>,
    covariance: View<R>,
    chi_squared: View<R>,
    outcomes: View<Outcome>,
    taken: View<u32>,
    bounded: bool,
}

impl<R: DeviceReal, const N: usize> Arrays<R, N> {
    #[inline(always)]
    fn new<M>(args: &FitArgs<R, M>) -> Self {
        let fits = args.fits as usize;
        let bounded = args.lower.address != 0;
        let sides = if bounded { N } else { 0 };
        Arrays {
            starts: whole(args.starts, fits * N),
            lower: whole(args.lower, sides),
            upper: whole(args.upper, sides),
            found: whole(args.found, fits * N),
            covariance: whole(args.covariance, fits * triangle(N)),
            chi_squared: whole(args.chi_squared, fits),
            outcomes: whole(args.outcomes, fits),
            taken: whole(args.taken, 1),
            bounded,
        }
    }

    /// The bounds of all fits. What the host has not checked is none.
    #[inline(always)]
    fn bounds(&self, fixed: u32) -> Bounds<R, N> {
        let none = Bounds::unbounded();
        let bounds = if self.bounded {
            let side = |view: View<R>| core::array::from_fn(|i| view.get(i));
            Bounds::new(side(self.lower), side(self.upper)).unwrap_or(none)
        } else {
            none
        };
        bounds.fixing(Parameters(fixed))
    }

    /// Where a fit starts; anywhere, if there is no such fit.
    #[inline(always)]
    fn start(&self, number: u32, fits: u32) -> [R; N] {
        core::array::from_fn(|i| {
            if number < fits {
                self.starts.get(i * fits as usize + number as usize)
            } else {
                R::ZERO
            }
        })
    }

    /// Writes what a fit has come to.
    #[inline(always)]
    fn keep<A: Accumulator<R, N>, M>(
        &self,
        args: &FitArgs<R, M>,
        number: u32,
        status: Status,
        solver: &Solver<R, A, N>,
        bounds: &Bounds<R, N>,
    ) {
        let (fits, number) = (args.fits as usize, number as usize);
        let chi_squared = solver.sums().chi_squared();
        let free = bounds.free();
        let goodness =
            Goodness { chi_squared, rows: args.observed.rows() as u64, parameters: free.len() };
        let factor = if args.absolute != 0 { R::ONE } else { goodness.reduced() };
        let covariance = Covariance::of(solver.sums(), free, factor);
        for i in 0..N {
            self.found.set(i * fits + number, solver.best()[i]);
            for j in 0..N {
                if j <= i {
                    let place = triangle(i) + j;
                    self.covariance.set(place * fits + number, covariance.matrix[i][j]);
                }
            }
        }
        self.chi_squared.set(number, chi_squared);
        let outcome = Outcome {
            status: status as u32,
            evaluations: solver.evaluations(),
            at_bounds: solver.at_bounds(bounds).0,
            undetermined: covariance.undetermined.0,
        };
        self.outcomes.set(number, outcome);
    }
}

/// Exports the kernels that fit a model, in both precisions: `export_model! { decay, "Decay", Decay, 5 }` gives a module
/// `decay` with the entries `fit_Decay_f32` and `fit_Decay_f64`, by normal equations, and `fit_Decay_f64_triangular`.
#[macro_export]
macro_rules! export_model {
    ($module:ident, $name:literal, $model:ty, $n:literal) => {
        #[allow(missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            $crate::device::entries! {
                /// The kernels.
                pub fn all {
                    concat!("fit_", $name, "_f32") =>
                        |args: $crate::core::launch::FitArgs<f32, $model>| $crate::fit::fit::<
                            f32, $crate::core::fit::Normal<f32, $n>, $model, $n>(&args),
                    concat!("fit_", $name, "_f64") =>
                        |args: $crate::core::launch::FitArgs<f64, $model>| $crate::fit::fit::<
                            f64, $crate::core::fit::Normal<f64, $n>, $model, $n>(&args),
                    concat!("fit_", $name, "_f64_triangular") =>
                        |args: $crate::core::launch::FitArgs<f64, $model>| $crate::fit::fit::<
                            f64, $crate::core::fit::Triangular<f64, $n>, $model, $n>(&args),
                }
            }
        }
    };
}
