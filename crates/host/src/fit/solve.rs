//! Fits on the CPU, on several threads.

use std::ops::Range;

use warpswarm_core::fit::{
    Accumulator, BLOCK, Best, Bounds, Covariance, Normal, PIECE, Parameters, Search, Solver,
    Status, Subsample, Term, sum_all,
};
use warpswarm_core::launch::{Outcome, triangle};
use warpswarm_cpu_ref::fit::{self, Rows, weight};

use super::found::Found;
use super::rows::{Room, pieces};
use super::work::Work;
use crate::settings::precise::Precise;

/// The number of rows from which a fit is large: its blocks of rows are divided among threads, or processed on a
/// device.
pub(crate) const LARGE: usize = 1 << 16;

/// The number of blocks of rows that a thread sums at a time.
const BLOCKS: usize = 16;

/// Does all fits of a model with any number of parameters, with the code for the next larger compiled number.
/// Additional parameters are fixed at zero.
pub(crate) fn of_any_size<R: Precise>(work: &Work<'_, R>) -> Found<R> {
    match work.names.len() {
        0..=2 => of_size::<R, 2>(work),
        3 => of_size::<R, 3>(work),
        4 => of_size::<R, 4>(work),
        5 => of_size::<R, 5>(work),
        6 => of_size::<R, 6>(work),
        7 | 8 => of_size::<R, 8>(work),
        9..=12 => of_size::<R, 12>(work),
        13..=16 => of_size::<R, 16>(work),
        _ => of_size::<R, 32>(work),
    }
}

/// Does all fits of a model with up to `N` parameters.
pub(crate) fn of_size<R: Precise, const N: usize>(work: &Work<'_, R>) -> Found<R> {
    let (mut plan, workers) = (Plan::<R, N>::new(work), &work.workers);
    plan.is_parallel = work.rows >= LARGE && workers.pool.is_some();
    let one = |fit: usize| {
        let one = plan.one(fit);
        work.add(1);
        one
    };
    // With few fits, threads share the rows of each fit.
    let all: Vec<One<R, N>> = if plan.is_parallel && work.fits < workers.threads {
        (0..work.fits).map(one).collect()
    } else {
        workers.collect(work.fits, 8.min(work.fits.div_ceil(workers.threads)), &one)
    };
    gathered(work.names.len(), &all)
}

impl<'a, R: Precise> Work<'a, R> {
    /// Whether all fits have the same given starting values.
    pub(super) fn shares_start(&self) -> bool {
        self.starts.len() == self.names.len()
    }

    /// The given starting values of some fits, or those that all fits share.
    pub(super) fn given(&self, fits: Range<usize>) -> &'a [f64] {
        let n = self.names.len();
        let fits = if self.shares_start() { 0..1 } else { fits };
        &self.starts[fits.start * n..fits.end * n]
    }
}

/// An error that cannot occur.
enum Never {}

/// The result of a fit.
pub(super) struct One<R, const N: usize> {
    best: [R; N],
    covariance: [[R; N]; N],
    chi_squared: R,
    other: R,
    outcome: [u32; 4],
}

/// What all fits share.
pub(super) struct Plan<'a, R: Precise, const N: usize> {
    work: &'a Work<'a, R>,
    parameters: usize,
    pub(super) bounds: Bounds<R, N>,
    pub(super) search: Search<R, N>,
    subsample: Subsample,
    /// Whether the blocks of a fit are divided among threads.
    is_parallel: bool,
}

impl<'a, R: Precise, const N: usize> Plan<'a, R, N> {
    pub(super) fn new(work: &'a Work<'a, R>) -> Self {
        let side = |of: &[f64]| -> [R; N] {
            std::array::from_fn(|i| of.get(i).map_or(R::ZERO, |&bound| R::from_f64(bound)))
        };
        let [lower, upper] = [&work.limits[0], &work.limits[1]].map(|of| side(of));
        // Bounds have been checked; bounds that are equal in `f32` fix the parameter.
        let bounds = Bounds::new(lower, upper).unwrap_or_else(Bounds::unbounded);
        let logarithmic = work.logarithmic.iter().enumerate().filter(|(_, is)| **is);
        let logarithmic = logarithmic.fold(Parameters::NONE, |all, (i, _)| all.with(i));
        let [low, high] = [&work.searched[0], &work.searched[1]].map(|of| side(of));
        let mut search = Search::between(low, high, logarithmic, work.seed);
        search.starts = work.search[0].unwrap_or_else(|| most_starts(work.names.len()));
        search.samples = work.search[1].unwrap_or(search.samples);
        let subsample = Subsample::at(work.rows);
        let parameters = work.names.len();
        Plan { work, parameters, bounds, search, subsample, is_parallel: false }
    }

    fn one(&self, fit: usize) -> One<R, N> {
        let mut room = self.room();
        let start = self.start(fit, &mut room);
        let fitted = self.fitted(start, &mut |at| Ok(self.sums(fit, at, &mut room)));
        fitted.unwrap_or_else(|_: Never| unreachable!("sums on the CPU do not fail"))
    }

    fn room(&self) -> Room<R> {
        let zeros = |count: usize| vec![R::ZERO; count];
        let terms = vec![Term::squared(R::ZERO, R::ZERO); BLOCK];
        Room { numbers: zeros(BLOCK * (1 + self.parameters)), zeros: zeros(BLOCK), terms }
    }

    /// A fit from a starting point, with the cost of the best other minimum; `sums` computes the sums at a point.
    pub(super) fn fitted<E>(
        &self,
        (start, other): ([R; N], R),
        sums: &mut impl FnMut(&[R; N]) -> Result<R::Sums<N>, E>,
    ) -> Result<One<R, N>, E> {
        let settings = &self.work.settings;
        let mut solver = Solver::<R, R::Sums<N>, N>::new(start, &self.bounds);
        let status = loop {
            let here = sums(solver.point())?;
            if let Some(status) = fit::advance(&mut solver, settings, &self.bounds, &here) {
                break status;
            }
        };
        Ok(self.ended(status, &solver, other))
    }

    /// The starting points of some fits, and the costs of the best other minima, found on the CPU.
    pub(super) fn starts(&self, fits: Range<usize>) -> Vec<([R; N], R)> {
        let start = |fit: usize| self.start(fit, &mut self.room());
        if !self.work.starts.is_empty() {
            return fits.map(start).collect();
        }
        self.work.workers.collect(fits.len(), 1, &|fit| start(fits.start + fit))
    }

    /// The starting point of a fit, and the cost of the best other minimum.
    fn start(&self, fit: usize, room: &mut Room<R>) -> ([R; N], R) {
        if !self.work.starts.is_empty() {
            let given = self.work.given(fit..fit + 1);
            let number = |i: usize| given.get(i).map_or(R::ZERO, |&number| R::from_f64(number));
            return (std::array::from_fn(number), R::NAN);
        }
        // This is the algorithm of `Search::best`, with a single instance of the solver's code.
        let settings = self.search.loose(&self.work.settings);
        let mut found = Best::new(self.size(fit));
        loop {
            let cost = |x: &[R; N], most| self.cost(fit, x, most, room);
            let drawn = self.search.best_drawn(fit as u64, found.starts, &self.bounds, cost);
            let mut solver = Solver::<R, Normal<R, N>, N>::new(drawn, &self.bounds);
            loop {
                let sums = self.looked_at(fit, solver.point(), room);
                let status = fit::advance(&mut solver, &settings, &self.bounds, &sums);
                if found.has_ended(&self.search, &solver, status) {
                    break;
                }
            }
            if found.is_enough(&self.search) {
                return (found.point, found.other());
            }
        }
    }

    /// The sum of weighted squares of the observations that a search uses.
    fn size(&self, fit: usize) -> R {
        let (rows, seen) = (self.subsample.rows as usize, self.work.values.of(fit, self.work.rows));
        let sigma = self.sigma(fit);
        (0..rows).fold(R::ZERO, |size, k| {
            let row = self.subsample.row(k);
            size + Term::squared(seen[row], weight(sigma, row)).cost
        })
    }

    fn sigma(&self, fit: usize) -> Option<&[R]> {
        self.work.sigma.as_ref().map(|sigma| sigma.of(fit, self.work.rows))
    }

    /// The cost of the rows that a search uses, in the order of [`sum_costs`](warpswarm_core::fit::sum_costs).
    fn cost(&self, fit: usize, x: &[R; N], most: R, room: &mut Room<R>) -> R {
        let rows = self.subsample.rows as usize;
        let (mut sum, mut block) = (R::ZERO, R::ZERO);
        for first in (0..rows).step_by(PIECE) {
            let count = PIECE.min(rows - first);
            let (row, means) = (self.subsample.row(first), &mut room.numbers[..count]);
            self.work.sheet.values(fit as u32, &x[..self.parameters], row, means);
            block = fit::cost(block, self.rows(fit, row, means));
            if count == PIECE && sum + block > most {
                return sum + block;
            }
            if (first + count).is_multiple_of(BLOCK) {
                sum = if first < BLOCK { block } else { sum + block };
                block = R::ZERO;
            }
        }
        if rows.is_multiple_of(BLOCK) {
            sum
        } else if rows < BLOCK {
            block
        } else {
            sum + block
        }
    }

    /// The sums over the rows that a search uses.
    fn looked_at(&self, fit: usize, x: &[R; N], room: &mut Room<R>) -> Normal<R, N> {
        let rows = self.subsample.rows as usize;
        sum_all(rows.div_ceil(BLOCK), |block| {
            let first = block * BLOCK;
            self.block(fit, x, room, pieces(&self.subsample, first, BLOCK.min(rows - first)))
        })
    }

    /// The sums over all rows.
    fn sums(&self, fit: usize, x: &[R; N], room: &mut Room<R>) -> R::Sums<N> {
        let rows = self.work.rows;
        let all = Subsample { rows: rows as u32, stride: 1 };
        let block = |block: usize, room: &mut Room<R>| {
            let first = block * BLOCK;
            self.block(fit, x, room, pieces(&all, first, BLOCK.min(rows - first)))
        };
        let blocks = rows.div_ceil(BLOCK);
        if !self.is_parallel {
            return sum_all(blocks, |number| block(number, room));
        }
        let parts = self.work.workers.collect(blocks.div_ceil(BLOCKS), 1, &|part| {
            let (first, mut room) = (part * BLOCKS, self.room());
            (first..blocks.min(first + BLOCKS)).map(|number| block(number, &mut room)).collect()
        });
        let parts: &[Vec<R::Sums<N>>] = &parts;
        sum_all(blocks, |number| parts[number / BLOCKS][number % BLOCKS])
    }

    /// The sums over a block of rows, which consists of pieces.
    fn block<A: Accumulator<R, N>>(
        &self,
        fit: usize,
        x: &[R; N],
        room: &mut Room<R>,
        pieces: impl Iterator<Item = (usize, usize)>,
    ) -> A {
        let (n, x) = (self.parameters, &x[..self.parameters]);
        let mut sums = A::empty();
        for (row, count) in pieces {
            let numbers = &mut room.numbers[..(1 + n) * count];
            self.work.sheet.slopes(fit as u32, x, row, numbers);
            let (means, partials) = numbers.split_at(count);
            let partials = std::array::from_fn(|i| {
                if i < n { &partials[i * count..][..count] } else { &room.zeros[..count] }
            });
            let terms = &mut room.terms[..count];
            fit::terms(self.rows(fit, row, means), terms);
            sums = fit::add(sums, terms, partials);
        }
        sums
    }

    /// Rows starting with `first`, with these predictions.
    fn rows<'b>(&'b self, fit: usize, first: usize, means: &'b [R]) -> Rows<'b, R> {
        let seen = &self.work.values.of(fit, self.work.rows)[first..][..means.len()];
        let sigma = self.sigma(fit).map(|sigma| &sigma[first..][..means.len()]);
        Rows { scatter: self.work.scatter, seen, sigma, means }
    }

    #[inline(never)]
    fn ended(&self, status: Status, solver: &Solver<R, R::Sums<N>, N>, other: R) -> One<R, N> {
        let covariance = Covariance::of(solver.sums(), self.bounds.free(), R::ONE);
        let outcome = Outcome {
            status: status as u32,
            evaluations: solver.evaluations(),
            at_bounds: solver.at_bounds(&self.bounds).0,
            undetermined: covariance.undetermined.0,
        };
        One {
            best: *solver.best(),
            covariance: covariance.matrix,
            chi_squared: solver.sums().chi_squared(),
            other,
            outcome: outcome.into(),
        }
    }
}

/// The default largest number of starts of a search, for this number of parameters.
fn most_starts(parameters: usize) -> u32 {
    64 * parameters.clamp(1, 8) as u32
}

/// The results of all fits, as arrays.
pub(super) fn gathered<R: Precise, const N: usize>(
    parameters: usize,
    all: &[One<R, N>],
) -> Found<R> {
    let mut found = Found::with_room(parameters, all.len());
    for i in 0..parameters {
        found.parameters.extend(all.iter().map(|one| one.best[i]));
        for j in 0..=i {
            debug_assert_eq!(found.covariance.len(), (triangle(i) + j) * all.len());
            found.covariance.extend(all.iter().map(|one| one.covariance[i][j]));
        }
    }
    found.chi_squared.extend(all.iter().map(|one| one.chi_squared));
    found.other.extend(all.iter().map(|one| one.other));
    found.outcomes.extend(all.iter().map(|one| one.outcome));
    found
}
