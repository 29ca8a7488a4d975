//! Fits on the CPU, spread over threads.

use rayon::prelude::*;
use warpswarm_core::fit::{
    Accumulator, BLOCK, Best, Bounds, Covariance, Look, Next, PIECE, Parameters, Search, Settings,
    Solver, Status, Term, sum_all, sum_block,
};
use warpswarm_core::launch::{Outcome, triangle};

use super::outcome::Found;
use super::work::Work;
use crate::backend::workers::Workers;
use crate::problems::Precise;

/// Rows from which on the blocks of one fit are spread over threads.
const LARGE: usize = 1 << 16;

/// Does all fits of a model with any number of parameters: by the code for the next larger number of those for which
/// there is some. What a model does not have is fixed at zero.
pub(crate) fn of_any_size<R: Precise>(work: &Work<R>, workers: &Workers) -> Found<R> {
    match work.names.len() {
        0..=2 => of_size::<R, 2>(work, workers),
        3 => of_size::<R, 3>(work, workers),
        4 => of_size::<R, 4>(work, workers),
        5 => of_size::<R, 5>(work, workers),
        6 => of_size::<R, 6>(work, workers),
        7 | 8 => of_size::<R, 8>(work, workers),
        9..=12 => of_size::<R, 12>(work, workers),
        13..=16 => of_size::<R, 16>(work, workers),
        _ => of_size::<R, 32>(work, workers),
    }
}

/// Does all fits of a model with up to `N` parameters.
pub(crate) fn of_size<R: Precise, const N: usize>(work: &Work<R>, workers: &Workers) -> Found<R> {
    let mut plan = Plan::<R, N>::new(work);
    plan.is_parallel = work.rows >= LARGE && workers.pool.is_some();
    let one = |fit: usize| {
        let one = plan.one(fit);
        work.add(1);
        one
    };
    let all: Vec<One<R, N>> = match &workers.pool {
        Some(pool) => pool.install(|| {
            let fits = (0..work.fits).into_par_iter();
            // A pass over few fits is one over their rows.
            if work.fits < workers.threads && work.rows >= LARGE {
                (0..work.fits).map(one).collect()
            } else {
                fits.with_min_len(8.min(work.fits.div_ceil(workers.threads))).map(one).collect()
            }
        }),
        None => (0..work.fits).map(one).collect(),
    };
    gathered(work.names.len(), &all)
}

/// An error that there is not.
enum Never {}

/// What a fit has come to.
pub(super) struct One<R, const N: usize> {
    best: [R; N],
    covariance: [[R; N]; N],
    chi_squared: R,
    other: R,
    outcome: Outcome,
}

/// What all fits have in common.
pub(super) struct Plan<'a, R: Precise, const N: usize> {
    work: &'a Work<R>,
    parameters: usize,
    pub(super) bounds: Bounds<R, N>,
    pub(super) search: Search<R, N>,
    look: Look,
    /// Whether the blocks of a fit are spread over threads.
    is_parallel: bool,
}

/// Room for a block of rows.
struct Room<R> {
    values: Vec<R>,
    partials: Vec<R>,
}

impl<'a, R: Precise, const N: usize> Plan<'a, R, N> {
    pub(super) fn new(work: &'a Work<R>) -> Self {
        let side = |of: &[f64]| -> [R; N] {
            std::array::from_fn(|i| of.get(i).map_or(R::ZERO, |&bound| R::from_f64(bound)))
        };
        let [lower, upper] = [&work.limits[0], &work.limits[1]].map(|of| side(of));
        // Bounds have been checked; those that an `f32` cannot tell apart are one.
        let bounds = Bounds::new(lower, upper).unwrap_or_else(Bounds::unbounded);
        let logarithmic = work.logarithmic.iter().enumerate().filter(|(_, is)| **is);
        let logarithmic = logarithmic.fold(Parameters::NONE, |all, (i, _)| all.with(i));
        let [low, high] = [&work.searched[0], &work.searched[1]].map(|of| side(of));
        let mut search = Search::between(low, high, logarithmic, work.seed);
        search.starts = work.search[0].unwrap_or_else(|| most_starts(work.names.len()));
        search.samples = work.search[1].unwrap_or(search.samples);
        let look = Look::at(work.rows);
        Plan { work, parameters: work.names.len(), bounds, search, look, is_parallel: false }
    }

    fn one(&self, fit: usize) -> One<R, N> {
        let mut room = self.room();
        let start = self.start(fit, &mut room);
        let fitted = self.fitted(start, &mut |at| Ok(self.sums(fit, at, &mut room)));
        fitted.unwrap_or_else(|_: Never| unreachable!("sums on the CPU do not fail"))
    }

    fn room(&self) -> Room<R> {
        Room {
            values: vec![R::ZERO; BLOCK],
            partials: vec![R::ZERO; BLOCK * self.parameters.max(1)],
        }
    }

    /// A fit from a start, with the cost of the best other minimum; `sums` gives the sums at a point.
    pub(super) fn fitted<E>(
        &self,
        (start, other): ([R; N], R),
        sums: &mut impl FnMut(&[R; N]) -> Result<R::Sums<N>, E>,
    ) -> Result<One<R, N>, E> {
        let settings = &self.work.settings;
        let mut solver = Solver::<R, R::Sums<N>, N>::new(start, &self.bounds);
        let status = loop {
            let here = sums(solver.point())?;
            if let Some(status) = self.advance(&mut solver, settings, &here) {
                break status;
            }
        };
        Ok(self.ended(status, &solver, other))
    }

    /// Where some fits start, and the costs of the best other minima: found on the CPU, on all threads that there are.
    pub(super) fn starts(
        &self,
        first: usize,
        count: usize,
    ) -> crate::error::Result<Vec<([R; N], R)>> {
        let start = |fit: usize| self.start(fit, &mut self.room());
        let pool = Workers::new(None)?.pool;
        Ok(match pool {
            Some(pool) if self.work.starts.is_empty() => {
                pool.install(|| (first..first + count).into_par_iter().map(start).collect())
            }
            _ => (first..first + count).map(start).collect(),
        })
    }

    /// Where a fit starts, and the cost of the best other minimum.
    fn start(&self, fit: usize, room: &mut Room<R>) -> ([R; N], R) {
        let starts = &self.work.starts;
        if !starts.is_empty() {
            let n = self.parameters;
            let first = if starts.len() > n { fit * n } else { 0 };
            let start = std::array::from_fn(|i| if i < n { starts[first + i] } else { R::ZERO });
            return (start, R::NAN);
        }
        // What `Search::best` does, with the solver in one place of the program.
        let settings = self.search.loose(&self.work.settings);
        let mut found = Best::new(self.size(fit));
        loop {
            let cost = |x: &[R; N]| self.cost(fit, x, room);
            let drawn = self.search.best_drawn(fit as u64, found.starts, &self.bounds, cost);
            let mut solver = Solver::<R, R::Sums<N>, N>::new(drawn, &self.bounds);
            let status = loop {
                let sums = self.looked_at(fit, solver.point(), room);
                if let Some(status) = self.advance(&mut solver, &settings, &sums) {
                    break status;
                }
            };
            found.add(&solver, status);
            if found.is_enough(&self.search) {
                return (found.point, found.other());
            }
        }
    }

    /// Takes sums; how the fit has ended, if it has. For many parameters it is long.
    #[inline(never)]
    fn advance(
        &self,
        solver: &mut Solver<R, R::Sums<N>, N>,
        settings: &Settings<R>,
        sums: &R::Sums<N>,
    ) -> Option<Status> {
        match solver.advance(settings, &self.bounds, sums) {
            Next::Done(status) => Some(status),
            Next::Evaluate(_) => None,
        }
    }

    /// The sum of weighted squares of the observations that a search looks at.
    fn size(&self, fit: usize) -> R {
        let rows = self.look.rows as usize;
        (0..rows).fold(R::ZERO, |size, k| {
            let (value, weight) = self.seen(fit, self.look.row(k));
            size + Term::squared(value, weight).cost
        })
    }

    /// The cost of the rows that a search looks at.
    fn cost(&self, fit: usize, x: &[R; N], room: &mut Room<R>) -> R {
        let rows = self.look.rows as usize;
        let mut sum = R::ZERO;
        let mut first = 0;
        while first < rows {
            let count = BLOCK.min(rows - first);
            self.fill(first, count, |row, at| {
                let values = &mut room.values[at];
                self.work.sheet.values(fit as u32, &x[..self.parameters], row, values);
            });
            let part = (0..count).fold(R::ZERO, |part, k| {
                part + self.term(fit, self.look.row(first + k), room.values[k]).cost
            });
            sum = if first == 0 { part } else { sum + part };
            first += count;
        }
        sum
    }

    /// The sums over the rows that a search looks at.
    fn looked_at(&self, fit: usize, x: &[R; N], room: &mut Room<R>) -> R::Sums<N> {
        let rows = self.look.rows as usize;
        sum_all(rows.div_ceil(BLOCK), |block| {
            let first = block * BLOCK;
            self.block(fit, x, room, first, BLOCK.min(rows - first), &|k| self.look.row(k))
        })
    }

    /// The sums over all rows.
    fn sums(&self, fit: usize, x: &[R; N], room: &mut Room<R>) -> R::Sums<N> {
        let rows = self.work.rows;
        let block = |block: usize, room: &mut Room<R>| {
            let first = block * BLOCK;
            self.block(fit, x, room, first, BLOCK.min(rows - first), &|k| k)
        };
        let blocks = rows.div_ceil(BLOCK);
        if !self.is_parallel {
            return sum_all(blocks, |number| block(number, room));
        }
        let fresh = || Room { values: room.values.clone(), partials: room.partials.clone() };
        let parts: Vec<R::Sums<N>> = (0..blocks)
            .into_par_iter()
            .with_min_len(16)
            .map_init(fresh, |room, number| block(number, room))
            .collect();
        sum_all(blocks, |number| parts[number])
    }

    /// Calls `fill` for pieces of consecutive rows: with the first of them, and where they go.
    fn fill(
        &self,
        first: usize,
        count: usize,
        mut fill: impl FnMut(usize, std::ops::Range<usize>),
    ) {
        if self.look.stride == 1 {
            return fill(first, 0..count);
        }
        for at in (0..count).step_by(PIECE) {
            fill(self.look.row(first + at), at..(at + PIECE).min(count));
        }
    }

    /// The sums over `count` rows from number `first` on, of those that `row` says.
    #[inline(never)]
    fn block(
        &self,
        fit: usize,
        x: &[R; N],
        room: &mut Room<R>,
        first: usize,
        count: usize,
        row: &dyn Fn(usize) -> usize,
    ) -> R::Sums<N> {
        let (n, x) = (self.parameters, &x[..self.parameters]);
        let is_together = row(first + count - 1) - row(first) == count - 1;
        let pieces = if is_together { count } else { PIECE };
        let mut place = 0;
        while place < count {
            let here = pieces.min(count - place);
            let values = &mut room.values[place..place + here];
            let partials = &mut room.partials[place * n..(place + here) * n];
            self.work.sheet.slopes(fit as u32, x, row(first + place), values, partials);
            place += here;
        }
        sum_block(count, 0, &|k| {
            let (piece, within) = (k / pieces * pieces, k % pieces);
            let here = pieces.min(count - piece);
            let partial = |i: usize| {
                if i < n { room.partials[piece * n + i * here + within] } else { R::ZERO }
            };
            (self.term(fit, row(first + k), room.values[k]), std::array::from_fn(partial))
        })
    }

    /// What was observed in a row, and its weight.
    #[inline(always)]
    fn seen(&self, fit: usize, row: usize) -> (R, R) {
        let work = self.work;
        let weight = work.sigma.as_ref().map_or(R::ONE, |sigma| {
            let sigma = sigma.of(fit, work.rows)[row];
            R::ONE / (sigma * sigma)
        });
        (work.values.of(fit, work.rows)[row], weight)
    }

    /// A row's term where `mean` is predicted.
    #[inline(always)]
    fn term(&self, fit: usize, row: usize, mean: R) -> Term<R> {
        let (value, weight) = self.seen(fit, row);
        self.work.scatter.term(mean, value, weight)
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
            outcome,
        }
    }
}

/// The most starts of a search for so many parameters, unless it is said.
fn most_starts(parameters: usize) -> u32 {
    64 * parameters.clamp(1, 8) as u32
}

/// What all fits have come to, number after number.
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
