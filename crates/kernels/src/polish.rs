//! Local searches from the best points of many runs; a thread does the search of a run.

use warpswarm_core::Objective;
use warpswarm_core::data::WithData;
use warpswarm_core::dual::{CHUNK, Differentiable, DualPoint};
use warpswarm_core::launch::{
    POLISH_BLOCK, PolishArgs, PolishRuns, Polished, of_objective, polish_numbers,
};
use warpswarm_core::order::Fitness;
use warpswarm_core::polish::{Landscape, Settings, Smooth, Store, descend};
use warpswarm_core::variable::Scaled;
use warpswarm_device::data::DeviceData;
use warpswarm_device::entry::max_block;
use warpswarm_device::point::ThreadPoint;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::whole;

/// The arguments for an objective whose variables are scaled.
pub type Args<R, O> = PolishArgs<R, Scaled<O>>;

/// Descends from the point of each run along the objective's derivatives. The bits are those that [`descend`] gives on
/// the CPU.
///
/// **Mapping.** Up to `threads` threads, for which there is working memory, stride over the runs.
///
/// **Arrays.** As [`PolishRuns`] describes them: `points: [run][coordinate]`, `work: [number][thread]`, `rows:
/// [thread][coordinate]`.
///
/// **Launch.** Any number of blocks of at most [`POLISH_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn polish<R, O>(args: &PolishArgs<R, O>)
where
    R: DeviceReal,
    O: Differentiable<R>,
{
    max_block::<POLISH_BLOCK>();
    let at = &args.at;
    let number = thread::global_index() as usize;
    let threads = ((thread::grid_dim() * thread::block_dim()) as usize).min(at.threads as usize);
    if number >= threads {
        return;
    }
    let n = at.dimensions as usize;
    let rooms = at.threads as usize;
    let row = whole(at.rows, rooms * n).part(number * n, n);
    let numbers = polish_numbers(n, at.constraints as usize);
    let work = Column { all: whole(at.work, rooms * numbers), first: number, stride: rooms };
    let mut run = number;
    while run < at.runs as usize {
        one(args, run, row, work);
        run += threads;
    }
}

/// The local search of one run.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn one<R, O>(args: &PolishArgs<R, O>, run: usize, row: View<R>, work: Column<R>)
where
    R: DeviceReal,
    O: Differentiable<R>,
{
    let at = &args.at;
    let (runs, n) = (at.runs as usize, at.dimensions as usize);
    let budget = whole(at.budgets, runs).get(run);
    if budget == 0 {
        return;
    }
    // SAFETY: the host upholds that the arrays are as `PolishRuns` says.
    let data = unsafe { DeviceData::of_run(&at.data, run as u32) };
    let mut place = Place::new(at, &args.objective, (run, row, data, work));
    let x = Column { all: whole(at.points, runs * n).part(run * n, n), first: 0, stride: 1 };
    let settings = Settings { evaluations: budget, ..Settings::default() };
    let work = work.from(of_objective(at.constraints as usize));
    let report = descend(&mut place, &settings, x, work);
    whole(at.values, runs).set(run, report.best.value);
    whole(at.violations, runs).set(run, report.best.violation);
    let done = Polished {
        steps: report.steps,
        evaluations: report.evaluations,
        gradients: report.gradients,
        padding: 0,
    };
    whole(at.done, runs).set(run, done);
}

/// Numbers at a constant distance from each other.
#[derive(Clone, Copy)]
struct Column<R> {
    all: View<R>,
    first: usize,
    stride: usize,
}

impl<R> Column<R> {
    /// The numbers from number `i` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn from(self, i: usize) -> Self {
        Column { first: self.first + i * self.stride, ..self }
    }
}

impl<R: DeviceReal> Store<R> for Column<R> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get(self, i: usize) -> R {
        self.all.get(self.first + i * self.stride)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn set(self, i: usize, value: R) {
        self.all.set(self.first + i * self.stride, value);
    }
}

/// A run's objective within its bounds.
///
/// The results of the objective are written to memory, so that its code exists only twice, in two functions that are
/// called. The code may be long, and the driver compiles an inlined function again at each place.
struct Place<'a, R, O> {
    objective: &'a O,
    data: DeviceData<R>,
    /// The row of the point that is evaluated.
    row: View<R>,
    lower: View<R>,
    upper: View<R>,
    fixed: View<u32>,
    constraints: usize,
    dimensions: usize,
    /// The constraints' values, or [`CHUNK`] derivatives of each constraint and then those of the value.
    rows: Column<R>,
}

impl<'a, R: DeviceReal, O: Differentiable<R>> Place<'a, R, O> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(
        at: &PolishRuns<R>,
        objective: &'a O,
        (run, row, data, rows): (usize, View<R>, DeviceData<R>, Column<R>),
    ) -> Self {
        let (n, apart) = (at.dimensions as usize, at.apart as usize);
        let all = if apart == 0 { n } else { at.runs as usize * n };
        let side = |of| whole(of, all).part(run * apart, n);
        Place {
            objective,
            data,
            row,
            lower: side(at.lower),
            upper: side(at.upper),
            fixed: whole(at.fixed, n),
            constraints: if <O as Objective<R>>::CONSTRAINED { at.constraints as usize } else { 0 },
            dimensions: n,
            rows,
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(&self, x: impl Store<R>) {
        let mut i = 0;
        while i < self.dimensions {
            self.row.set(i, x.get(i));
            i += 1;
        }
    }

    /// The point that was taken.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn point(&self) -> WithData<ThreadPoint<R>, DeviceData<R>> {
        WithData { point: ThreadPoint::new(self.row, self.dimensions), data: self.data }
    }

    /// The fitness of the point that was taken; also stores the constraints' values.
    #[inline(never)]
    fn values(&self) -> Fitness<R> {
        let point = self.point();
        if self.constraints > 0 {
            let mut number = 0;
            Objective::<R>::each_constraint(self.objective, &point, |value| {
                if number < self.constraints {
                    self.rows.set(number, value);
                }
                number += 1;
            });
        }
        Objective::<R>::evaluate(self.objective, &point)
    }

    /// Stores the derivatives at that point by the coordinates from `first` on.
    #[inline(never)]
    fn slopes(&self, first: usize) {
        let point = DualPoint::<_, CHUNK> { point: self.point(), first };
        let put = |number: usize, partials: [R; CHUNK]| {
            for (k, slope) in partials.into_iter().enumerate() {
                self.rows.set(number * CHUNK + k, slope);
            }
        };
        if self.constraints > 0 {
            let mut number = 0;
            self.objective.each_constraint(&point, |dual| {
                if number < self.constraints {
                    put(number, dual.partials);
                }
                number += 1;
            });
        }
        put(self.constraints, self.objective.value(&point).partials);
    }
}

impl<R: DeviceReal, O: Differentiable<R>> Landscape<R> for Place<'_, R, O> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn constraints(&self) -> usize {
        self.constraints
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn bounds(&self, i: usize) -> (R, R) {
        (self.lower.get(i), self.upper.get(i))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_fixed(&self, i: usize) -> bool {
        self.fixed.get(i) != 0
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn evaluate(&mut self, x: impl Store<R>, mut constraint: impl FnMut(usize, R)) -> Fitness<R> {
        self.take(x);
        let fitness = self.values();
        let mut number = 0;
        while number < self.constraints {
            constraint(number, self.rows.get(number));
            number += 1;
        }
        fitness
    }
}

impl<R: DeviceReal, O: Differentiable<R>> Smooth<R> for Place<'_, R, O> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn partials(&mut self, x: impl Store<R>, mut partial: impl FnMut(usize, usize, R)) {
        self.take(x);
        let (n, constraints) = (self.dimensions, self.constraints);
        let mut first = 0;
        while first < n {
            self.slopes(first);
            let mut number = 0;
            while number <= constraints {
                // The value comes last here, and is row 0 there.
                let row = if number == constraints { 0 } else { number + 1 };
                let mut k = 0;
                while k < CHUNK.min(n - first) {
                    partial(row, first + k, self.rows.get(number * CHUNK + k));
                    k += 1;
                }
                number += 1;
            }
            first += CHUNK;
        }
    }
}
