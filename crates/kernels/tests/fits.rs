//! Fits under the emulator have the bits that one thread of the CPU gives them, with any grid.

use warpswarm_core::data::DataSlices;
use warpswarm_core::fit::{
    Accumulator, Bounds, Covariance, Goodness, Model, Normal, Observed, Parameters, Scatter,
    Settings, Triangular, fit_model,
};
use warpswarm_core::launch::{DataArgs, FitArgs, Outcome, Ptr, triangle};
use warpswarm_core::{Float, Point, Real, Table};
use warpswarm_device::emulator::{self, Entry, LaunchConfig};

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

/// What an array is at, in memory as the host allocates it.
struct Array<T> {
    memory: Vec<u128>,
    len: usize,
    item: std::marker::PhantomData<T>,
}

impl<T: Copy> Array<T> {
    fn of(items: &[T]) -> Self {
        let memory = vec![0; size_of_val(items).div_ceil(16).max(1)];
        let mut array = Array { memory, len: items.len(), item: std::marker::PhantomData };
        array.items().copy_from_slice(items);
        array
    }

    fn items(&mut self) -> &mut [T] {
        // SAFETY: the memory is as large and at least as aligned, and holds plain numbers.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.len) }
    }

    fn ptr(&mut self) -> Ptr<T> {
        Ptr::at(self.memory.as_mut_ptr().expose_provenance() as u64)
    }
}

/// Everything that a fit has come to, as bits.
#[derive(Debug, PartialEq)]
struct Found {
    best: [u64; 3],
    covariance: [u64; 6],
    chi_squared: u64,
    outcome: Outcome,
}

/// The times that all fits share, and the observations of each, `[fit][row]`; of the last ones something is wrong.
fn observed<R: Float>() -> (Vec<R>, Vec<R>) {
    let times: Vec<R> = (0..ROWS).map(|k| R::from_f64(k as f64 * 0.02)).collect();
    let of_fit = |fit: usize| {
        (0..ROWS).map(move |k| {
            let clean = (20.0 + fit as f64) * (-(k as f64) * 0.02 / 1.5).exp() + 4.0;
            let noise = ((fit * 31 + k) * 7919 % 13) as f64 / 6.0 - 1.0;
            match (fit, k) {
                (44, 100) => R::NAN,
                // A constant: nothing says what the lifetime is.
                (43, _) => R::from_f64(4.0),
                _ => R::from_f64((clean + noise).round()),
            }
        })
    };
    (times, (0..FITS).flat_map(of_fit).collect())
}

fn check<R: Float, A: Accumulator<R, 3>>(
    entry: &Entry,
    scatter: Scatter,
    limits: Option<([f64; 3], [f64; 3])>,
) {
    let (times, values) = observed::<R>();
    let model = Decay { times: Table::new(0, ROWS as u32, 1, false) };
    let observed = Observed { scatter, ..Observed::plain(Table::new(0, ROWS as u32, 1, true)) };
    let settings = Settings::<R>::new(3);
    let start = |fit: usize| [10.0 + fit as f64, 1.0, 1.0].map(R::from_f64);
    let limits = limits.map(|(lower, upper)| (lower.map(R::from_f64), upper.map(R::from_f64)));
    let bounds =
        limits.map_or(Bounds::unbounded(), |(lower, upper)| Bounds::new(lower, upper).unwrap());

    let alone = |fit: usize| {
        let data = DataSlices { all: &times, of_run: &values[fit * ROWS..][..ROWS] };
        let (status, solver) =
            fit_model::<R, A, _, _, 3>(&model, &observed, data, start(fit), &bounds, &settings);
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

    for (grid, block, shuffle_seed) in [(1, 32, None), (2, 32, Some(1)), (1, 64, Some(2))] {
        let (mut all, mut of_runs) = (Array::of(&times), Array::of(&values));
        let starts: Vec<R> = (0..3).flat_map(|i| (0..FITS).map(move |fit| start(fit)[i])).collect();
        let mut starts = Array::of(&starts);
        let (lower, upper) = limits.unwrap_or_default();
        let (mut lower, mut upper) = (Array::of(&lower), Array::of(&upper));
        let numbers = |per_fit: usize| Array::of(&vec![R::NAN; per_fit * FITS]);
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
            data: DataArgs {
                all: all.ptr(),
                of_runs: of_runs.ptr(),
                count: ROWS as u32,
                count_of_run: ROWS as u32,
                runs: FITS as u32,
                blocks_per_run: 1,
            },
            settings,
            starts: starts.ptr(),
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
            padding: 0,
        };
        let config = LaunchConfig { grid, block, shuffle_seed, ..LaunchConfig::default() };
        let at = (&raw const args).cast();
        // SAFETY: the bytes of the kernel's argument; the arrays in it outlive the launch.
        let bytes = unsafe { std::slice::from_raw_parts(at, size_of_val(&args)) };
        // SAFETY: the entry takes this argument.
        unsafe { emulator::launch(entry, &config, bytes) }.unwrap();
        for (fit, expected) in expected.iter().enumerate() {
            let at = |items: &mut [R], number: usize| items[number * FITS + fit].to_bits64();
            let here = Found {
                best: std::array::from_fn(|i| at(found.items(), i)),
                covariance: std::array::from_fn(|i| at(covariance.items(), i)),
                chi_squared: at(chi_squared.items(), 0),
                outcome: outcomes.items()[fit],
            };
            assert_eq!(&here, expected, "fit {fit} of {}, {grid} blocks of {block}", entry.name());
        }
    }
}

#[test]
fn fits_have_the_bits_of_one_thread() {
    let [single, double, triangular] = decay::all() else { panic!("three kernels") };
    let squares = Scatter::default();
    check::<f32, Normal<f32, 3>>(single, squares, None);
    check::<f64, Normal<f64, 3>>(double, squares, Some(([0.0, 0.1, 3.9], [50.0, 1.2, 9.0])));
    check::<f64, Triangular<f64, 3>>(triangular, Scatter::Counts, None);
}
