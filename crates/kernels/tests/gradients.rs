//! Gradients under the emulator have the bits that the CPU gives them, with any grid.

mod common;

use common::{Array, SHAPES, launch};
use warpswarm_core::data::{DataSlices, WithData};
use warpswarm_core::dual::{CHUNK, gradient};
use warpswarm_core::launch::{DataArgs, GradientArgs, GradientPoints};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::variable::{Scale, Scaled};
use warpswarm_core::{Float, Objective, Point, Real, Table};
use warpswarm_device::emulator::Entry;

/// Uses every way to read coordinates and data.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Ways {
    /// A table that all runs share.
    shared: Table,
    /// A table of each run.
    own: Table,
    factor: f64,
}

impl<R: Real> Objective<R> for Ways {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let last = x.get(x.dimensions() - 1);
        let waves = x.sum(|i, xi| (xi * x.data(self.own, i % self.own.len())).sin());
        let rows =
            x.sum_rows([self.shared, self.own], |[a, b]| (a - last).abs() * (b * last).exp());
        let product = x.product(|_, xi| R::ONE + xi * R::from_f64(0.01));
        let prefixes = x.sum_of_prefixes(|_, xi| xi, |i, s| s * s / R::from_u32(i as u32 + 1));
        let root = x.sum(|_, xi| xi * xi).sqrt();
        R::from_f64(self.factor) * (waves + rows * product) + prefixes / root
    }
}

warpswarm_kernels::export_objective! { any ways, "Ways", Ways, Ways, derivatives }

const RUNS: usize = 3;
const OF_RUN: usize = 15;
/// Numbers of each table.
const ROWS: usize = 70;

fn check<R: Float>(entry: &Entry, dimensions: usize) {
    let numbers = |count: usize, by: f64| -> Vec<R> {
        (0..count).map(|k| R::from_f64((k * 7919 % 101) as f64 * by - 0.3)).collect()
    };
    let scales = [Scale::Linear, Scale::Log, Scale::Integer].map(Scale::code::<R>);
    // The sign of what is maximised, followed by the scales; the table comes before them.
    let view = Table::new(ROWS as u32, 1 + dimensions as u32, 1, false);
    let mut shared = numbers(ROWS, 0.01);
    shared.push(R::from_f64(-1.0));
    shared.extend((0..dimensions).map(|i| scales[i % 3]));
    let of_runs = numbers(RUNS * ROWS, 0.02);
    let objective = Ways {
        shared: Table::new(0, ROWS as u32, 1, false),
        own: Table::new(0, ROWS as u32, 1, true),
        factor: 1.5,
    };
    let scaled = Scaled { objective, view };
    let mut points = numbers(RUNS * OF_RUN * dimensions, 0.013);
    // A point at which no result is a number, and one at which the root has no derivative.
    points[OF_RUN * dimensions] = R::NAN;
    points[2 * OF_RUN * dimensions..][..dimensions].fill(R::ZERO);

    let bits = |numbers: &[R]| numbers.iter().map(|x| x.to_bits64()).collect::<Vec<_>>();
    let mut expected = (Vec::new(), Vec::new());
    for (number, x) in points.chunks_exact(dimensions).enumerate() {
        let of_run = &of_runs[number / OF_RUN * ROWS..][..ROWS];
        let data = DataSlices { all: &shared, of_run };
        let mut slopes = vec![R::ZERO; dimensions];
        let point = WithData { point: SlicePoint(x), data };
        let value = gradient(&scaled, &point, &mut slopes);
        assert_eq!(
            bits(&[scaled.evaluate(&point).value]),
            bits(&[if value.is_nan() { R::NAN } else { value + R::ZERO }])
        );
        expected.0.push(scaled.evaluate(&point).value);
        expected.1.extend(slopes);
    }
    let changes = expected.1.iter().filter(|slope| slope.is_finite() && **slope != R::ZERO);
    assert!(changes.count() > expected.1.len() / 3, "{dimensions}");

    for shape in SHAPES {
        let (mut all, mut of_runs) = (Array::of(&shared), Array::of(&of_runs));
        let (mut at, count) = (Array::of(&points), RUNS * OF_RUN);
        let mut values = Array::of(&vec![R::ZERO; count]);
        let mut slopes = Array::of(&vec![R::ZERO; count * dimensions]);
        let args = GradientArgs {
            at: GradientPoints {
                data: DataArgs {
                    all: all.ptr(),
                    of_runs: of_runs.ptr(),
                    count: shared.len() as u32,
                    count_of_run: ROWS as u32,
                    runs: RUNS as u32,
                    blocks_per_run: 1,
                },
                points: at.ptr(),
                values: values.ptr(),
                slopes: slopes.ptr(),
                count: count as u32,
                of_run: OF_RUN as u32,
                dimensions: dimensions as u32,
                padding: 0,
            },
            objective: scaled,
        };
        launch(entry, shape, &args);
        let what = format!("{dimensions} in {} with {shape:?}", R::NAME);
        assert_eq!(bits(values.items()), bits(&expected.0), "{what}");
        assert_eq!(bits(slopes.items()), bits(&expected.1), "{what}");
    }
}

#[test]
fn gradients_have_the_bits_of_the_cpu() {
    let [single, double, ..] = ways::gradients() else { panic!("two kernels") };
    assert_eq!([single.name(), double.name()], ["gradient_Ways_f32", "gradient_Ways_f64"]);
    for dimensions in [1, 2, 3, CHUNK - 1, CHUNK, CHUNK + 1, 40] {
        check::<f32>(single, dimensions);
        check::<f64>(double, dimensions);
    }
}
