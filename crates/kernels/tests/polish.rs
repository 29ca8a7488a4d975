//! Local searches under the emulator have the bits that the CPU gives them, with any grid.

mod common;

use common::{Array, SHAPES, launch};
use warpswarm_core::data::{DataSlices, WithData};
use warpswarm_core::dual::{CHUNK, DualPoint};
use warpswarm_core::launch::{DataArgs, PolishArgs, PolishRuns, Polished, polish_numbers};
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::polish::{Landscape, Settings, Smooth, Store, cells, descend, descent_numbers};
use warpswarm_core::variable::{Scale, Scaled};
use warpswarm_core::{Fitness, Float, Objective, Point, Real, Table};
use warpswarm_device::emulator::Entry;

/// A curved valley, another one for each run, in a half-space without the inside of a ball.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Valley {
    /// The bottom of each run's valley, coordinate after coordinate.
    bottom: Table,
}

impl<R: Real> Objective<R> for Valley {
    const CONSTRAINED: bool = true;

    fn value<P: Point<R>>(&self, x: &P) -> R {
        let first = x.get(0);
        x.sum(|i, xi| {
            let off = xi - x.data(self.bottom, i % self.bottom.len());
            let bent = xi - first * first;
            off * off + R::from_f64(10.0) * bent * bent
        })
    }

    fn violation<P: Point<R>>(&self, x: &P) -> R {
        let mut sum = R::ZERO;
        Objective::<R>::each_constraint(self, x, |value| sum += value.larger(R::ZERO));
        sum
    }

    fn each_constraint<P: Point<R>>(&self, x: &P, mut each: impl FnMut(R)) {
        each(R::from_f64(0.25) - x.sum(|_, xi| xi));
        each(R::from_f64(0.01) - x.sum(|_, xi| xi * xi));
    }
}

warpswarm_kernels::export_objective! { any valley, "Valley", Valley, Valley, derivatives }

const RUNS: usize = 5;
/// Numbers of each run.
const OWN: usize = 3;

/// A run's valley on the CPU.
struct Place<'a, R> {
    objective: Scaled<Valley>,
    data: DataSlices<'a, R>,
    bounds: [&'a [R]; 2],
    fixed: &'a [u32],
    x: Vec<R>,
}

impl<'a, R: Float> Place<'a, R> {
    fn point(&mut self, x: impl Store<R>) -> WithData<SlicePoint<'_, R>, DataSlices<'a, R>> {
        self.x.iter_mut().enumerate().for_each(|(i, place)| *place = x.get(i));
        WithData { point: SlicePoint(&self.x), data: self.data }
    }
}

impl<R: Float> Landscape<R> for Place<'_, R> {
    fn dimensions(&self) -> usize {
        self.x.len()
    }
    fn constraints(&self) -> usize {
        2
    }
    fn bounds(&self, i: usize) -> (R, R) {
        (self.bounds[0][i], self.bounds[1][i])
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.fixed[i] != 0
    }
    fn evaluate(&mut self, x: impl Store<R>, mut constraint: impl FnMut(usize, R)) -> Fitness<R> {
        let (objective, mut number) = (self.objective, 0);
        let point = self.point(x);
        Objective::<R>::each_constraint(&objective, &point, |value| {
            constraint(number, value);
            number += 1;
        });
        objective.evaluate(&point)
    }
}

impl<R: Float> Smooth<R> for Place<'_, R> {
    fn partials(&mut self, x: impl Store<R>, mut partial: impl FnMut(usize, usize, R)) {
        let (objective, n) = (self.objective, self.x.len());
        let point = self.point(x);
        for first in (0..n).step_by(CHUNK) {
            let point = DualPoint::<_, CHUNK> { point, first };
            let mut rows = Vec::new();
            objective.each_constraint(&point, |dual| rows.push(dual));
            rows.insert(0, objective.value(&point));
            for (row, dual) in rows.into_iter().enumerate() {
                let slopes = (first..n).zip(dual.partials);
                slopes.for_each(|(i, slope)| partial(row, i, slope));
            }
        }
    }
}

fn check<R: Float>(entry: &Entry, n: usize) {
    let numbers = |count: usize, by: f64, from: f64| -> Vec<R> {
        (0..count).map(|k| R::from_f64((k * 7919 % 101) as f64 * by + from)).collect()
    };
    // Scales after the sign of what is maximised. If there are several coordinates, the last is a whole number.
    let whole = |i: usize| n > 1 && i == n - 1;
    let scale = |i| if whole(i) { Scale::Integer } else { Scale::Linear };
    let mut shared = vec![R::ONE];
    shared.extend((0..n).map(|i| scale(i).code::<R>()));
    let of_runs = numbers(RUNS * OWN, 0.02, -0.5);
    let bottom = Table::new(0, OWN as u32, 1, true);
    let view = Table::new(0, 1 + n as u32, 1, false);
    let objective = Scaled { objective: Valley { bottom }, view };
    let fixed: Vec<u32> = (0..n).map(|i| whole(i).into()).collect();
    let mut points = numbers(RUNS * n, 0.03, -1.0);
    points.chunks_exact_mut(n).filter(|_| n > 1).for_each(|x| x[n - 1] = R::ONE);
    let lower = numbers(RUNS * n, 0.001, -1.5);
    let upper = numbers(RUNS * n, 0.01, 1.0);
    let budgets = [300, 0, 7, 20_000, 1000];

    let mut expected = (points.clone(), Vec::new(), Vec::new());
    for (run, x) in expected.0.chunks_exact_mut(n).enumerate().filter(|(run, _)| budgets[*run] > 0)
    {
        let data = DataSlices { all: &shared, of_run: &of_runs[run * OWN..][..OWN] };
        let bounds = [&lower[run * n..][..n], &upper[run * n..][..n]];
        let mut place = Place { objective, data, bounds, fixed: &fixed, x: x.to_vec() };
        let settings = Settings { evaluations: budgets[run], ..Settings::default() };
        let mut work = vec![R::ZERO; descent_numbers(n, 2)];
        let report = descend(&mut place, &settings, cells(x), cells(&mut work));
        assert!(
            report.evaluations > 1 && report.best.beats(report.start),
            "{n}, {run}: {report:?}"
        );
        let Fitness { violation, value } = report.best;
        expected.1.push((value.to_bits64(), violation.to_bits64()));
        expected.2.push([report.steps, report.evaluations, report.gradients]);
    }

    for shape in SHAPES {
        let (mut all, mut of_runs) = (Array::of(&shared), Array::of(&of_runs));
        let (mut at, mut lower, mut upper) =
            (Array::of(&points), Array::of(&lower), Array::of(&upper));
        let zeros = vec![R::ZERO; RUNS];
        let (mut values, mut violations) = (Array::of(&zeros), Array::of(&zeros));
        let (mut fixed, mut budgets) = (Array::of(&fixed), Array::of(&budgets));
        let mut done = Array::of(&[Polished::default(); RUNS]);
        // Memory for fewer threads than there are runs.
        let threads = 3;
        let mut work = Array::of(&vec![R::NAN; threads * polish_numbers(n, 2)]);
        let mut rows = Array::of(&vec![R::NAN; threads * n]);
        let args = PolishArgs {
            at: PolishRuns {
                data: DataArgs {
                    all: all.ptr(),
                    of_runs: of_runs.ptr(),
                    count: shared.len() as u32,
                    count_of_run: OWN as u32,
                    runs: RUNS as u32,
                    blocks_per_run: 1,
                },
                points: at.ptr(),
                values: values.ptr(),
                violations: violations.ptr(),
                lower: lower.ptr(),
                upper: upper.ptr(),
                fixed: fixed.ptr(),
                budgets: budgets.ptr(),
                done: done.ptr(),
                work: work.ptr(),
                rows: rows.ptr(),
                runs: RUNS as u32,
                dimensions: n as u32,
                constraints: 2,
                threads: threads as u32,
                apart: n as u32,
                padding: 0,
            },
            objective,
        };
        launch(entry, shape, &args);
        let what = format!("{n} in {} with {shape:?}", R::NAME);
        let bits = |numbers: &[R]| numbers.iter().map(|x| x.to_bits64()).collect::<Vec<_>>();
        assert_eq!(bits(at.items()), bits(&expected.0), "{what}");
        let wanted = [0, 2, 3, 4];
        let found = wanted
            .map(|run| (values.items()[run].to_bits64(), violations.items()[run].to_bits64()));
        assert_eq!(&found[..], &expected.1[..], "{what}");
        let found = wanted.map(|run| {
            let Polished { steps, evaluations, gradients, .. } = done.items()[run];
            [steps, evaluations, gradients]
        });
        assert_eq!(&found[..], &expected.2[..], "{what}");
        assert_eq!(done.items()[1], Polished::default(), "{what}");
    }
}

#[test]
fn local_searches_have_the_bits_of_the_cpu() {
    let [.., single, double] = valley::gradients() else { panic!("four kernels") };
    assert_eq!([single.name(), double.name()], ["polish_Valley_f32", "polish_Valley_f64"]);
    for dimensions in [1, 2, 3, CHUNK + 1, 40] {
        check::<f32>(single, dimensions);
        check::<f64>(double, dimensions);
    }
}
