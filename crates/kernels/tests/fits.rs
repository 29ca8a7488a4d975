//! Fits under the emulator have the bits that one thread of the CPU gives them, with any grid.

mod common;

use common::{Array, SHAPES, launch};
use warpswarm_core::data::{DataSlices, WithData};
use warpswarm_core::fit::{
    Accumulator, BLOCK, Best, Bounds, Covariance, Curve, Derived, Goodness, Model, Normal,
    Observed, Parameters, Scatter, Search, Settings, Subsample, Term, Triangular, fit_model,
    sum_block, sum_costs, sum_rows, sum_sums,
};
use warpswarm_core::launch::{
    CombineArgs, DataArgs, FitArgs, Outcome, Ptr, SearchArgs, SumsArgs, triangle,
};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::{Float, Point, Real, Table};
use warpswarm_device::emulator::Entry;

/// height exp(-t / lifetime) + background
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Decay {
    times: Table,
}

impl<R: Real> Model<R, 3> for Decay {
    fn predict<P: Point<R>>(&self, x: &P, row: usize) -> R {
        let [height, lifetime, background] = [0, 1, 2].map(|i| x.get(i));
        height * (-x.data(self.times, row) / lifetime).exp() + background
    }
}

warpswarm_kernels::export_model! { decay, "Decay", Decay, 3 }

const ROWS: usize = 270;
const FITS: usize = 45;

/// All results of a fit, as bits.
#[derive(Debug, PartialEq)]
struct Found {
    best: [u64; 3],
    covariance: [u64; 6],
    chi_squared: u64,
    outcome: Outcome,
}

/// The times that all fits share, and the observations of each, `[fit][row]`. The last fits have faulty data.
fn observed<R: Float>() -> (Vec<R>, Vec<R>) {
    let times: Vec<R> = (0..ROWS).map(|k| R::from_f64(k as f64 * 0.02)).collect();
    let of_fit = |fit: usize| {
        (0..ROWS).map(move |k| {
            let clean = (20.0 + fit as f64) * (-(k as f64) * 0.02 / 1.5).exp() + 4.0;
            let noise = ((fit * 31 + k) * 7919 % 13) as f64 / 6.0 - 1.0;
            match (fit, k) {
                (44, 140) => R::NAN,
                // A constant: the data do not determine the lifetime.
                (43, _) => R::from_f64(4.0),
                _ => R::from_f64((clean + noise).round()),
            }
        })
    };
    (times, (0..FITS).flat_map(of_fit).collect())
}

/// The data of `fits` fits, as kernels read them.
fn data_args<R>(
    all: &mut Array<R>,
    of_runs: &mut Array<R>,
    (rows, fits): (usize, usize),
) -> DataArgs<R>
where
    R: Copy,
{
    DataArgs {
        all: all.ptr(),
        of_runs: of_runs.ptr(),
        count: rows as u32,
        count_of_run: rows as u32,
        runs: fits as u32,
        blocks_per_run: 1,
    }
}

/// The model, and the observations.
fn modelled(rows: usize, scatter: Scatter) -> (Decay, Observed) {
    let times = Table::new(0, rows as u32, 1, false);
    let values = Table::new(0, rows as u32, 1, true);
    (Decay { times }, Observed { scatter, ..Observed::plain(values) })
}

fn check<R: Float, A: Accumulator<R, 3>>(
    entry: &Entry,
    scatter: Scatter,
    limits: Option<([f64; 3], [f64; 3])>,
    starts: Option<Vec<R>>,
) {
    let (times, values) = observed::<R>();
    let (model, observed) = modelled(ROWS, scatter);
    let settings = Settings::<R>::new(3);
    let starts = starts.unwrap_or_else(|| {
        (0..FITS).flat_map(|fit| [10.0 + fit as f64, 1.0, 1.0]).map(R::from_f64).collect()
    });
    // Three starts of each fit, or three of all.
    let apart = if starts.len() == 3 { 0 } else { 3 };
    let limits = limits.map(|(lower, upper)| (lower.map(R::from_f64), upper.map(R::from_f64)));
    let bounds =
        limits.map_or(Bounds::unbounded(), |(lower, upper)| Bounds::new(lower, upper).unwrap());

    let alone = |fit: usize| {
        let start = [0, 1, 2].map(|i| starts[fit * apart + i]);
        let data = DataSlices { all: &times, of_run: &values[fit * ROWS..][..ROWS] };
        let (status, solver) =
            fit_model::<R, A, _, _, 3>(&model, &observed, data, start, &bounds, &settings);
        let chi_squared = solver.sums().chi_squared();
        let goodness = Goodness { chi_squared, rows: ROWS as u64, parameters: 3 };
        let covariance = Covariance::of(solver.sums(), Parameters::first(3), goodness.reduced());
        let lower = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        Found {
            best: solver.best().map(R::to_bits64),
            covariance: lower.map(|(i, j)| covariance.matrix[i][j].to_bits64()),
            chi_squared: chi_squared.to_bits64(),
            outcome: Outcome {
                status: status as u32,
                evaluations: solver.evaluations(),
                at_bounds: solver.at_bounds(&bounds).0,
                undetermined: covariance.undetermined.0,
            },
        }
    };
    let expected: Vec<Found> = (0..FITS).map(alone).collect();
    assert!(expected.iter().any(|one| one.outcome.status <= 4));
    assert!(limits.is_none() || expected.iter().any(|one| one.outcome.at_bounds != 0));

    for shape in SHAPES {
        let (mut all, mut of_runs) = (Array::of(&times), Array::of(&values));
        let given: Vec<f64> = starts.iter().map(|start| start.to_f64()).collect();
        let mut points = Array::of(&given);
        let (lower, upper) = limits.unwrap_or_default();
        let (mut lower, mut upper) = (Array::of(&lower), Array::of(&upper));
        let numbers = |per_fit: usize| Array::of(&vec![R::ZERO; per_fit * FITS]);
        let (mut found, mut covariance) = (numbers(3), numbers(triangle(3)));
        let mut chi_squared = numbers(1);
        let mut outcomes = Array::of(&[Outcome::default(); FITS]);
        let mut taken = Array::of(&[0_u32]);
        let bounded = |side: &mut Array<R>| match limits {
            Some(_) => side.ptr(),
            None => Ptr::at(0),
        };
        let args = FitArgs {
            model,
            observed,
            data: data_args(&mut all, &mut of_runs, (ROWS, FITS)),
            settings,
            starts: points.ptr(),
            lower: bounded(&mut lower),
            upper: bounded(&mut upper),
            found: found.ptr(),
            covariance: covariance.ptr(),
            chi_squared: chi_squared.ptr(),
            outcomes: outcomes.ptr(),
            taken: taken.ptr(),
            fits: FITS as u32,
            absolute: 0,
            fixed: 0,
            apart: apart as u32,
        };
        launch(entry, shape, &args);
        for (fit, expected) in expected.iter().enumerate() {
            let at = |items: &mut [R], number: usize| items[number * FITS + fit].to_bits64();
            let here = Found {
                best: std::array::from_fn(|i| at(found.items(), i)),
                covariance: std::array::from_fn(|i| at(covariance.items(), i)),
                chi_squared: at(chi_squared.items(), 0),
                outcome: outcomes.items()[fit],
            };
            assert_eq!(&here, expected, "fit {fit} of {}, {shape:?}", entry.name());
        }
    }
}

/// The contribution of a row to the cost of `Decay`, and the derivatives.
fn row<R: Float>(
    (model, observed): &(Decay, Observed),
    data: DataSlices<'_, R>,
    at: &[R; 3],
    row: usize,
) -> (Term<R>, [R; 3]) {
    let point = WithData { point: SlicePoint(at), data };
    let (mean, partials) = Derived(*model).row(&point, row);
    (observed.term(&point, row, mean), partials)
}

/// Searches under the emulator and compares with one thread of the CPU. Returns the starts, `[fit][parameter]`.
fn searched<R: Float>(entry: &Entry) -> Vec<R> {
    let (times, values) = observed::<R>();
    let of = modelled(ROWS, Scatter::default());
    let settings = Settings::<R>::new(3);
    let (lower, upper) = ([0.0, 0.01, 0.0].map(R::from_f64), [90.0, 9.0, 9.0].map(R::from_f64));
    let bounds = Bounds::new(lower, upper).unwrap();
    let mut search = Search::between(lower, upper, Parameters::NONE.with(1), 77);
    // Not all rows are used, and the first fit is not number 0.
    (search.starts, search.samples) = (9, 3);
    let (subsample, first_fit) = (Subsample { rows: 96, stride: 2 }, 1000);
    let alone = |fit: usize| -> Best<R, 3> {
        let data = DataSlices { all: &times, of_run: &values[fit * ROWS..][..ROWS] };
        let point = WithData { point: SlicePoint(&[]), data };
        let size = (0..96).map(|k| of.1.square(&point, subsample.row(k)));
        search.best::<Normal<R, 3>>(
            first_fit + fit as u64,
            &bounds,
            &settings,
            size.fold(R::ZERO, |sum, square| sum + square),
            |at, most| sum_costs(96, most, &|k| row(&of, data, at, subsample.row(k)).0.cost),
            |at| sum_rows(96, &|k| row(&of, data, at, subsample.row(k))),
        )
    };
    let expected: Vec<_> = (0..FITS).map(alone).collect();
    assert!(expected.iter().any(|one| one.starts < 9) && expected[44].starts == 9);

    let mut found = Vec::new();
    for shape in SHAPES {
        let (mut all, mut of_runs) = (Array::of(&times), Array::of(&values));
        let (mut lower, mut upper) = (Array::of(&lower), Array::of(&upper));
        let mut points = Array::of(&[0.0_f64; 3 * FITS]);
        let mut other = Array::of(&[R::ZERO; FITS]);
        let mut taken = Array::of(&[0_u32]);
        let args = SearchArgs {
            model: of.0,
            observed: of.1,
            data: data_args(&mut all, &mut of_runs, (ROWS, FITS)),
            settings,
            search,
            lower: lower.ptr(),
            upper: upper.ptr(),
            starts: points.ptr(),
            other: other.ptr(),
            taken: taken.ptr(),
            first_fit,
            fits: FITS as u32,
            fixed: 0,
            subsample,
        };
        launch(entry, shape, &args);
        for (fit, expected) in expected.iter().enumerate() {
            let point = [0, 1, 2].map(|i| points.items()[fit * 3 + i]);
            assert_eq!(point, expected.point.map(R::to_f64), "fit {fit}, {shape:?}");
            let other = other.items()[fit].to_bits64();
            assert_eq!(other, expected.other().to_bits64(), "fit {fit}, {shape:?}");
        }
        found = points.items().iter().map(|&number| R::from_f64(number)).collect();
    }
    found
}

/// Sums the rows of a large fit, and the sums of its blocks; compares with one thread of the CPU.
fn summed<R: Float, A: Accumulator<R, 3>>(sums: &Entry, combine: &Entry) {
    // Neither the last block nor the second group is full.
    let rows = BLOCK * BLOCK + 2 * BLOCK + 7;
    let times: Vec<R> = (0..rows).map(|k| R::from_f64(k as f64 * 1e-4)).collect();
    let values: Vec<R> = (0..rows).map(|k| R::from_f64((k * 7919 % 31) as f64)).collect();
    let of = modelled(rows, Scatter::default());
    let at = [20.0, 1.5, 4.0].map(R::from_f64);
    let row = |k: usize| row(&of, DataSlices { all: &times, of_run: &values }, &at, k);
    let blocks = rows.div_ceil(BLOCK);
    let one_by_one: Vec<A> = (0..blocks).map(|block| sum_block(rows, block, &row)).collect();
    let per_sum = size_of::<A>() / size_of::<R>();

    let (mut all, mut of_runs) = (Array::of(&times), Array::of(&values));
    let (mut point, mut parts) = (Array::of(&at), Array::of(&vec![R::ZERO; blocks * per_sum]));
    let mut groups = Array::of(&vec![R::ZERO; 2 * per_sum]);
    let args = SumsArgs {
        model: of.0,
        observed: of.1,
        data: data_args(&mut all, &mut of_runs, (rows, 1)),
        at: point.ptr(),
        sums: parts.ptr(),
    };
    launch(sums, (2, 64, Some(3)), &args);
    let of_numbers = |numbers: &mut [R]| -> Vec<A> {
        // SAFETY: an accumulator is plain numbers, and there are as many here.
        let read = |numbers: &[R]| unsafe { numbers.as_ptr().cast::<A>().read_unaligned() };
        numbers.chunks_exact(per_sum).map(read).collect()
    };
    assert_eq!(of_numbers(parts.items()), one_by_one);
    let count = blocks as u32;
    let args = CombineArgs { from: parts.ptr(), into: groups.ptr(), count, padding: 0 };
    launch(combine, (1, 32, None), &args);
    let groups = of_numbers(groups.items());
    assert_eq!(groups.len(), blocks.div_ceil(BLOCK));
    let together: A = sum_sums(groups.len(), 0, &|k| groups[k]);
    assert_eq!(together, sum_rows(rows, &row));
}

#[test]
fn fits_have_the_bits_of_one_thread() {
    let [single, .., double, _, _, _] = decay::all() else { panic!("eight kernels") };
    let squares = Scatter::default();
    check::<f32, Normal<f32, 3>>(single, squares, None, None);
    let limits = Some(([0.0, 0.1, 3.9], [50.0, 1.2, 9.0]));
    check::<f64, Triangular<f64, 3>>(double, squares, limits, None);
    check::<f64, Triangular<f64, 3>>(double, Scatter::Counts, None, None);
    let everywhere = [15.0, 1.0, 1.0].to_vec();
    check::<f64, Triangular<f64, 3>>(double, squares, None, Some(everywhere));
}

#[test]
fn searches_have_the_bits_of_one_thread_and_fits_begin_where_they_end() {
    let [fit32, search32, _, _, fit64, search64, _, _] = decay::all() else {
        panic!("eight kernels")
    };
    let squares = Scatter::default();
    let starts = searched::<f32>(search32);
    check::<f32, Normal<f32, 3>>(fit32, squares, None, Some(starts));
    let starts = searched::<f64>(search64);
    check::<f64, Triangular<f64, 3>>(fit64, squares, None, Some(starts));
}

#[test]
fn sums_of_blocks_and_groups_have_the_bits_of_one_thread() {
    let [_, _, sums32, combine32, _, _, sums64, combine64] = decay::all() else {
        panic!("eight kernels")
    };
    summed::<f32, Normal<f32, 3>>(sums32, combine32);
    summed::<f64, Triangular<f64, 3>>(sums64, combine64);
}

/// The list of sizes is in two places; both have the same.
#[test]
fn there_are_kernels_for_every_size() {
    use warpswarm_core::launch::FIT_SIZES;
    let names: Vec<_> = warpswarm_kernels::fits::common().map(|entry| entry.name()).collect();
    for size in FIT_SIZES {
        for real in ["f32", "f64"] {
            for kernel in ["fit_Expression", "search_Expression", "sums_Expression", "combine"] {
                let name = format!("{kernel}_{real}_n{size}");
                assert!(names.contains(&&*name), "{name}");
            }
        }
    }
    assert_eq!(names.len(), FIT_SIZES.len() * 8);
}
