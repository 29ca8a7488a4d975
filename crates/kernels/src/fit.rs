//! Fits of a model to data. For many small fits, and for searches of their starts, a thread does whole fits. For one
//! large fit, a thread sums blocks of rows.

use warpswarm_core::data::WithData;
use warpswarm_core::fit::{
    Accumulator, BLOCK, Best, Bounds, Covariance, Curve, Goodness, Next, Normal, Observed,
    Parameters, Solver, Status, Subsample, Term, sum_block, sum_costs, sum_rows, sum_sums,
};
use warpswarm_core::launch::{
    CombineArgs, FIT_BLOCK, FitArgs, Outcome, Ptr, SearchArgs, SumsArgs, triangle,
};
use warpswarm_core::objective::SlicePoint;
use warpswarm_device::data::DeviceData;
use warpswarm_device::entry::max_block;
use warpswarm_device::model::Modelled;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::whole;

/// Fits the model to the data of each fit, from its start.
///
/// **Mapping.** A thread does one fit after the other. All threads of a warp sum the rows of their fits in step,
/// whatever iteration each fit is in. A thread whose fit has ended takes the next one from the counter `taken`.
///
/// **Arrays.** As [`FitArgs`] describes them; results are `[number][fit]`, so that neighbouring threads write
/// neighbouring numbers.
///
/// **Launch.** Any number of blocks of at most [`FIT_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn fit<R, A, M, const N: usize>(args: &FitArgs<R, M>)
where
    R: DeviceReal,
    A: Accumulator<R, N>,
    M: Modelled<R, N>,
{
    max_block::<FIT_BLOCK>();
    let threads = thread::grid_dim() * thread::block_dim();
    let arrays = Arrays::<R, N>::new(args);
    let bounds = bounds(args.lower, args.upper, args.fixed);
    let mut number = thread::global_index() as u32;
    let mut solver = Solver::<R, A, N>::new(arrays.start(args, number), &bounds);
    while number < args.fits {
        // SAFETY: the host upholds that the arrays are as `FitArgs` says.
        let data = unsafe { DeviceData::of_run(&args.data, number) };
        let rows = Rows { curve: args.model.of_fit(number), observed: args.observed, data };
        let at = *solver.point();
        rows.begin(&at);
        let sums = sum_rows(args.observed.rows(), &|row| rows.row(&at, row));
        if let Next::Done(status) = solver.advance(&args.settings, &bounds, &sums) {
            arrays.keep(args, number, status, &solver, &bounds);
            number = threads + arrays.taken.atomic_u32(0, 0).add_acq_rel(1);
            solver = Solver::new(arrays.start(args, number), &bounds);
        }
    }
}

/// Searches for the starts of fits.
///
/// **Mapping.** A thread searches for one fit after the other; when it has a start, it takes the next fit from the
/// counter `taken`.
///
/// **Arrays.** As [`SearchArgs`] describes them; `starts: [fit][parameter]`, `other: [fit]`.
///
/// **Launch.** Any number of blocks of at most [`FIT_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn search<R, M, const N: usize>(args: &SearchArgs<R, M, N>)
where
    R: DeviceReal,
    M: Modelled<R, N>,
{
    max_block::<FIT_BLOCK>();
    let threads = thread::grid_dim() * thread::block_dim();
    let fits = args.fits as usize;
    let (starts, other) = (whole(args.starts, fits * N), whole(args.other, fits));
    let taken = whole(args.taken, 1);
    let bounds = bounds(args.lower, args.upper, args.fixed);
    let (subsample, settings) = (args.subsample, args.search.loose(&args.settings));
    let mut number = thread::global_index() as u32;
    while number < args.fits {
        // SAFETY: the host upholds that the arrays are as `SearchArgs` says.
        let data = unsafe { DeviceData::of_run(&args.data, number) };
        let rows = Rows { curve: args.model.of_fit(number), observed: args.observed, data };
        let mut found = Best::<R, N>::new(rows.size(&subsample));
        // The loop of `Search::best`, written out: closures of this size would not be inlined.
        loop {
            let cost = |at: &[R; N], most: R| {
                rows.begin(at);
                sum_costs(subsample.rows as usize, most, &|k| rows.row(at, subsample.row(k)).0.cost)
            };
            let fit = args.first_fit + u64::from(number);
            let drawn = args.search.best_drawn(fit, found.starts, &bounds, cost);
            let mut solver = Solver::<R, Normal<R, N>, N>::new(drawn, &bounds);
            loop {
                let at = *solver.point();
                rows.begin(&at);
                let sums = sum_rows(subsample.rows as usize, &|k| rows.row(&at, subsample.row(k)));
                let next = solver.advance(&settings, &bounds, &sums);
                if found.has_ended(&args.search, &solver, next.status()) {
                    break;
                }
            }
            if found.is_enough(&args.search) {
                break;
            }
        }
        let place = number as usize;
        for i in 0..N {
            starts.set(place * N + i, found.point[i].to_f64());
        }
        other.set(place, found.other());
        number = threads + taken.atomic_u32(0, 0).add_acq_rel(1);
    }
}

/// Sums the rows of each block of rows of one fit, at one point.
///
/// **Mapping.** Threads stride over the blocks of rows; a thread sums a block of [`BLOCK`] rows.
///
/// **Arrays.** As [`SumsArgs`] describes them; `sums: [block]`, with all numbers of an accumulator together.
///
/// **Launch.** Any number of blocks of at most [`FIT_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn sums<R, A, M, const N: usize>(args: &SumsArgs<R, M>)
where
    R: DeviceReal,
    A: Accumulator<R, N>,
    M: Modelled<R, N>,
{
    max_block::<FIT_BLOCK>();
    let count = args.observed.rows();
    let blocks = count.div_ceil(BLOCK);
    let (point, into) = (whole(args.at, N), whole(numbers_of::<R, A>(args.sums), blocks));
    // SAFETY: the host upholds that the arrays are as `SumsArgs` says.
    let data = unsafe { DeviceData::of_run(&args.data, 0) };
    let rows = Rows { curve: args.model.of_fit(0), observed: args.observed, data };
    let at: [R; N] = core::array::from_fn(|i| point.get(i));
    rows.begin(&at);
    let mut block = thread::global_index() as usize;
    while block < blocks {
        let sums: A = sum_block(count, block, &|row| rows.row(&at, row));
        into.set(block, sums);
        block += (thread::grid_dim() * thread::block_dim()) as usize;
    }
}

/// Sums the sums of each group of blocks of rows.
///
/// **Mapping.** Threads stride over the groups; a thread sums a group of [`BLOCK`] sums.
///
/// **Arrays.** As [`CombineArgs`] describes them; `from: [block]`, `into: [group]`.
///
/// **Launch.** Any number of blocks of at most [`FIT_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn combine<R, A, const N: usize>(args: &CombineArgs<R>)
where
    R: DeviceReal,
    A: Accumulator<R, N>,
{
    max_block::<FIT_BLOCK>();
    let count = args.count as usize;
    let groups = count.div_ceil(BLOCK);
    let from = whole(numbers_of::<R, A>(args.from), count);
    let into = whole(numbers_of::<R, A>(args.into), groups);
    let mut group = thread::global_index() as usize;
    while group < groups {
        into.set(group, sum_sums(count, group, &|k| from.get(k)));
        group += (thread::grid_dim() * thread::block_dim()) as usize;
    }
}

/// The address of an array of numbers, as that of an array of accumulators.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn numbers_of<R, A>(numbers: Ptr<R>) -> Ptr<A> {
    Ptr::at(numbers.address)
}

/// The bounds of all fits; no bounds where [`Bounds::new`] rejects them, which the host has ruled out.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn bounds<R: DeviceReal, const N: usize>(lower: Ptr<R>, upper: Ptr<R>, fixed: u32) -> Bounds<R, N> {
    let none = Bounds::unbounded();
    let bounds = if lower.address != 0 {
        let side = |side: Ptr<R>| {
            let side = whole(side, N);
            core::array::from_fn(|i| side.get(i))
        };
        Bounds::new(side(lower), side(upper)).unwrap_or(none)
    } else {
        none
    };
    bounds.fixing(Parameters(fixed))
}

/// The rows of a fit.
struct Rows<R, C> {
    curve: C,
    observed: Observed,
    data: DeviceData<R>,
}

impl<R: DeviceReal, C> Rows<R, C> {
    /// Computes what all rows share at a point.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn begin<const N: usize>(&self, at: &[R; N])
    where
        C: Curve<R, N>,
    {
        self.curve.begin(&WithData { point: SlicePoint(at), data: self.data });
    }

    /// The sum of the weighted squares of the observations that a search uses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn size(&self, subsample: &Subsample) -> R {
        let nowhere = WithData { point: SlicePoint(&[]), data: self.data };
        let mut size = R::ZERO;
        let mut k = 0;
        while k < subsample.rows as usize {
            size += self.observed.square(&nowhere, subsample.row(k));
            k += 1;
        }
        size
    }

    /// The contribution of a row to the cost, and the model's derivatives there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn row<const N: usize>(&self, at: &[R; N], row: usize) -> (Term<R>, [R; N])
    where
        C: Curve<R, N>,
    {
        let point = WithData { point: SlicePoint(at), data: self.data };
        let (mean, partials) = self.curve.row(&point, row);
        (self.observed.term(&point, row, mean), partials)
    }
}

/// The arrays that a launch reads and writes.
struct Arrays<R, const N: usize> {
    starts: View<f64>,
    found: View<R>,
    covariance: View<R>,
    chi_squared: View<R>,
    outcomes: View<Outcome>,
    taken: View<u32>,
}

impl<R: DeviceReal, const N: usize> Arrays<R, N> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new<M>(args: &FitArgs<R, M>) -> Self {
        let fits = args.fits as usize;
        Arrays {
            starts: whole(args.starts, if args.apart == 0 { N } else { fits * N }),
            found: whole(args.found, fits * N),
            covariance: whole(args.covariance, fits * triangle(N)),
            chi_squared: whole(args.chi_squared, fits),
            outcomes: whole(args.outcomes, fits),
            taken: whole(args.taken, 1),
        }
    }

    /// The start of a fit; zeros if there is no fit of this number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn start<M>(&self, args: &FitArgs<R, M>, number: u32) -> [R; N] {
        if number >= args.fits {
            return [R::ZERO; N];
        }
        let first = number as usize * args.apart as usize;
        core::array::from_fn(|i| R::from_f64(self.starts.get(first + i)))
    }

    /// Stores the result of a fit.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// Exports the kernels that fit a model, in both precisions.
///
/// `export_model! { decay, "Decay", Decay, 5 }` creates a module `decay` with the entries `fit_Decay_f32`,
/// `search_Decay_f32`, `sums_Decay_f32` and `combine_Decay_f32`, and the same for f64. Sums are those of
/// [`Summed`](warpswarm_core::fit::Summed).
#[macro_export]
macro_rules! export_model {
    ($module:ident, $name:literal, $model:ty, $n:literal) => {
        $crate::export_model! {
            @ $module, $crate::core::fit::Derived<$model>, $n,
            [concat!("fit_", $name, "_f32"), concat!("search_", $name, "_f32"),
             concat!("sums_", $name, "_f32"), concat!("combine_", $name, "_f32")],
            [concat!("fit_", $name, "_f64"), concat!("search_", $name, "_f64"),
             concat!("sums_", $name, "_f64"), concat!("combine_", $name, "_f64")]
        }
    };
    (@ $module:ident, $model:ty, $n:literal,
     [$fit32:expr, $search32:expr, $sums32:expr, $combine32:expr],
     [$fit64:expr, $search64:expr, $sums64:expr, $combine64:expr]) => {
        #[allow(missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use $crate::core::fit::{Normal, Triangular};
            #[allow(unused_imports)]
            use $crate::core::launch::{CombineArgs, FitArgs, SearchArgs, SumsArgs};
            #[allow(unused_imports)]
            use $crate::fit::{combine, fit, search, sums};
            $crate::device::entries! {
                /// The entries, in both precisions.
                pub fn all {
                    $fit32 => |args: FitArgs<f32, $model>| fit::<f32, Normal<f32, $n>, $model, $n>(&args),
                    $search32 => |args: SearchArgs<f32, $model, $n>|
                        search::<f32, $model, $n>(&args),
                    $sums32 => |args: SumsArgs<f32, $model>|
                        sums::<f32, Normal<f32, $n>, $model, $n>(&args),
                    $combine32 => |args: CombineArgs<f32>| combine::<f32, Normal<f32, $n>, $n>(&args),
                    $fit64 => |args: FitArgs<f64, $model>|
                        fit::<f64, Triangular<f64, $n>, $model, $n>(&args),
                    $search64 => |args: SearchArgs<f64, $model, $n>|
                        search::<f64, $model, $n>(&args),
                    $sums64 => |args: SumsArgs<f64, $model>|
                        sums::<f64, Triangular<f64, $n>, $model, $n>(&args),
                    $combine64 => |args: CombineArgs<f64>|
                        combine::<f64, Triangular<f64, $n>, $n>(&args),
                }
            }
        }
    };
}
