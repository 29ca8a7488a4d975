//! The population after the iteration before, as a warp or a thread reads it.

use warpswarm_core::method::{Fitnesses, Individual, Method, Numbers, Population, best_one_by_one};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::solis_wets;
use warpswarm_core::sum::{self, Operator, Sum};
use warpswarm_device::point::{fold_by_warp, folds_by_warp};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::warp::Word;
use warpswarm_device::{thread, warp};

use super::population::{Generation, Parity};

/// A fitness from memory. Without constraints the violation is zero, which saves comparisons.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn known<R: DeviceReal, const CONSTRAINED: bool>(fitness: Fitness<R>) -> Fitness<R> {
    if CONSTRAINED { fitness } else { Fitness { violation: R::ZERO, ..fitness } }
}

/// A candidate that every other one beats; like [`Candidate::NONE`] it has the largest index.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn none<R: DeviceReal, const CONSTRAINED: bool>() -> Candidate<R> {
    Candidate::new(known::<R, CONSTRAINED>(Fitness::WORST), u32::MAX)
}

/// The population after the iteration before, as a warp reads it. All methods are collective in the warp.
#[derive(Clone, Copy)]
pub(crate) struct SeenByWarp<'a, R, const CONSTRAINED: bool> {
    pub(crate) generation: &'a Generation<'a, R>,
    pub(crate) before: Parity<R>,
}

impl<R: DeviceReal, const CONSTRAINED: bool> Fitnesses<R> for SeenByWarp<'_, R, CONSTRAINED> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fitness(&self, individual: u32) -> Fitness<R> {
        known::<R, CONSTRAINED>(self.before.fitness.get(individual as usize))
    }

    /// Each lane compares one individual at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of(&self, first: u32, count: u32) -> Candidate<R> {
        let mut mine = none::<R, CONSTRAINED>();
        let mut i = thread::lane();
        while i < count {
            mine = mine.better(Candidate::new(self.fitness(first + i), first + i));
            i += 32;
        }
        let best = warp::best(mine, CONSTRAINED).0;
        Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index)
    }

    /// Each lane makes one draw at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_drawn(&self, count: u32, drawn: impl Fn(u32) -> u32) -> u32 {
        drawn(best_drawn::<R, CONSTRAINED, 32, 1>(count, |number| self.fitness(drawn(number))))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fold<O: Operator<R>>(&self, count: u32, term: impl Fn(Fitness<R>) -> R) -> R {
        fold_by_warp::<R, O>(count as usize, |i| term(self.fitness(i as u32)))
    }
}

/// Individuals that a lane loads before it waits for memory, whose latency is that of about a hundred instructions;
/// half as many in f64.
const IN_FLIGHT: usize = 8;
const IN_FLIGHT_F64: usize = IN_FLIGHT / 2;

/// Distances that a warp computes at the same time, for the same reason. The number divides the default set sizes of
/// scatter search. In f64 registers would be spilled.
const DISTANCES: usize = 5;

/// For which of the next `32 * K` of the first `n` individuals `is_so` holds: one bit for each lane. Collective in the
/// warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn which<const K: usize>(start: u32, n: u32, is_so: &impl Fn(u32) -> bool) -> [u32; K] {
    let mut so = [false; K];
    let mut k = 0;
    while k < K {
        let i = start + 32 * k as u32 + thread::lane();
        // Lanes beyond the last individual load it again, so that no load waits for a branch.
        so[k] = is_so(i.min(n - 1)) & (i < n);
        k += 1;
    }
    so.map(warp::ballot)
}

/// For how many of the first `n` individuals `is_so` holds. Collective in the warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn count_of<const K: usize>(n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
    let (mut count, mut start) = (0, 0);
    while start < n {
        let which = which::<K>(start, n, &is_so);
        let mut k = 0;
        while k < K {
            count += which[k].count_ones();
            k += 1;
        }
        start += 32 * K as u32;
    }
    count
}

/// The first of the first `n` individuals for which `is_so` holds; `n` if there is none. Collective in the warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn first_of<const K: usize>(n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
    let mut start = 0;
    while start < n {
        let which = which::<K>(start, n, &is_so);
        let mut k = 0;
        while k < K {
            if which[k] != 0 {
                return start + which[k].trailing_zeros();
            }
            start += 32;
            k += 1;
        }
    }
    n
}

impl<R: DeviceReal, const CONSTRAINED: bool> Population<R> for SeenByWarp<'_, R, CONSTRAINED> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        if R::WORDS == 1 {
            count_of::<IN_FLIGHT>(n, is_so)
        } else {
            count_of::<IN_FLIGHT_F64>(n, is_so)
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn first(&self, n: u32, is_so: impl Fn(u32) -> bool) -> u32 {
        if R::WORDS == 1 {
            first_of::<IN_FLIGHT>(n, is_so)
        } else {
            first_of::<IN_FLIGHT_F64>(n, is_so)
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn numbers(&self, individual: u32) -> Numbers<R> {
        self.before.numbers(individual)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn remembered(&self, k: u32) -> R {
        self.generation.own_memory().get(k as usize)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn squared_distance(&self, a: u32, b: u32) -> R {
        let [square] = self.squares(a, [b]);
        square
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nearest_squared_distance(&self, index: u32, n: u32) -> R {
        if R::WORDS == 1 {
            self.nearest_of::<DISTANCES>(index, n)
        } else {
            self.nearest_of::<1>(index, n)
        }
    }
}

impl<R: DeviceReal, const CONSTRAINED: bool> SeenByWarp<'_, R, CONSTRAINED> {
    /// The least squared distance to the first `n` individuals; `N` are computed at the same time. Collective in the
    /// warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nearest_of<const N: usize>(&self, index: u32, n: u32) -> R {
        let (mut nearest, mut first) = (R::INFINITY, 0);
        while first < n {
            let (mut others, mut k) = ([0; N], 0);
            while k < N {
                others[k] = (first + k as u32).min(n - 1);
                k += 1;
            }
            let squares = self.squares(index, others);
            k = 0;
            while k < N {
                nearest = if squares[k] < nearest { squares[k] } else { nearest };
                k += 1;
            }
            first += N as u32;
        }
        nearest
    }

    /// The squared distances to several individuals. Collective in the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn squares<const N: usize>(&self, a: u32, others: [u32; N]) -> [R; N] {
        let (x, rows) = (self.before.row(a), others.map(|b| self.before.row(b)));
        folds_by_warp::<R, Sum, N>(self.generation.args.dimensions as usize, |i| {
            let (x, bounds) = (x.get(i), self.generation.bounds(i as u32));
            rows.map(|row| solis_wets::square_in_ranges(x, row.get(i), bounds))
        })
    }
}

/// The number of the draw, out of `count`, that gives the best individual; of equals the first. `LANES` lanes divide
/// the draws; each loads `EACH` fitnesses at a time, to wait for memory only once. Collective in the lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn best_drawn<R: DeviceReal, const CONSTRAINED: bool, const LANES: u32, const EACH: usize>(
    count: u32,
    fitness: impl Fn(u32) -> Fitness<R>,
) -> u32 {
    let lane = thread::lane() % LANES;
    let mut best = Candidate::new(none::<R, CONSTRAINED>().fitness, lane.min(count - 1));
    let mut first = 0;
    while first < count {
        // Beyond the last draw it is repeated, which changes nothing.
        let number = |k: usize| (first + lane + k as u32 * LANES).min(count - 1);
        let mut rivals = [Fitness::WORST; EACH];
        let mut k = 0;
        while k < EACH {
            rivals[k] = fitness(number(k));
            k += 1;
        }
        k = 0;
        while k < EACH {
            // Later draws have larger numbers.
            let is_better = rivals[k].beats(best.fitness);
            best = if is_better { Candidate::new(rivals[k], number(k)) } else { best };
            k += 1;
        }
        first += EACH as u32 * LANES;
    }
    let mut apart = 1;
    while apart < LANES {
        let Candidate { fitness: Fitness { violation, value }, index, .. } = best;
        let violation = if CONSTRAINED { warp::shuffle_xor(violation, apart) } else { R::ZERO };
        let value = warp::shuffle_xor(value, apart);
        best = best.better(Candidate::new(Fitness { violation, value }, index.shuffle_xor(apart)));
        apart *= 2;
    }
    best.index
}

/// The population after the iteration before, as `LANES` lanes that share an individual read it. All lanes do the same,
/// except for the work that they divide. Of drawn individuals each lane loads `EACH` at a time.
#[derive(Clone, Copy)]
pub(crate) struct SeenByLanes<'a, R, const CONSTRAINED: bool, const LANES: u32, const EACH: usize> {
    pub(crate) generation: &'a Generation<'a, R>,
    pub(crate) before: Parity<R>,
    /// The best of each swarm, if the block has computed them.
    pub(crate) bests: Option<SharedArray<Candidate<R>>>,
}

impl<R: DeviceReal, const CONSTRAINED: bool, const LANES: u32, const EACH: usize> Fitnesses<R>
    for SeenByLanes<'_, R, CONSTRAINED, LANES, EACH>
{
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fitness(&self, individual: u32) -> Fitness<R> {
        known::<R, CONSTRAINED>(self.before.fitness.get(individual as usize))
    }

    /// Compares integers without a branch, because a branch would diverge the lanes. In f64 the registers do not
    /// suffice.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of(&self, first: u32, count: u32) -> Candidate<R> {
        if R::WORDS == 2 {
            return best_one_by_one(self, first, count);
        }
        let (mut best, mut at) = (self.fitness(first).ordered(), first);
        let mut i = 1;
        while i < count {
            let keys = self.fitness(first + i).ordered();
            let is_better = (keys.0 < best.0) | ((keys.0 == best.0) & (keys.1 < best.1));
            (best, at) = if is_better { (keys, first + i) } else { (best, at) };
            i += 1;
        }
        Candidate::new(self.fitness(at), at)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of_swarm(&self, swarm: u32, size: u32) -> Candidate<R> {
        match self.bests {
            Some(bests) => {
                let best = bests.get(swarm);
                Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index)
            }
            None => self.best_of(swarm * size, size),
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_of_swarms(&self, swarms: u32, size: u32) -> Candidate<R> {
        if self.bests.is_none() {
            return self.best_of(0, swarms * size);
        }
        let (mut best, mut swarm) = (self.best_of_swarm(0, size), 1);
        while swarm < swarms {
            best = best.better(self.best_of_swarm(swarm, size));
            swarm += 1;
        }
        best
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best_drawn(&self, count: u32, drawn: impl Fn(u32) -> u32) -> u32 {
        let fitness = |number| self.fitness(drawn(number));
        drawn(best_drawn::<R, CONSTRAINED, LANES, EACH>(count, fitness))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fold<O: Operator<R>>(&self, count: u32, term: impl Fn(Fitness<R>) -> R) -> R {
        sum::fold_in_registers::<R, O>(count as usize, |i| term(self.fitness(i as u32)))
    }
}

impl<R: DeviceReal, const CONSTRAINED: bool, const LANES: u32, const EACH: usize> Population<R>
    for SeenByLanes<'_, R, CONSTRAINED, LANES, EACH>
{
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn numbers(&self, individual: u32) -> Numbers<R> {
        self.before.numbers(individual)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn remembered(&self, k: u32) -> R {
        self.generation.own_memory().get(k as usize)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn squared_distance(&self, a: u32, b: u32) -> R {
        let (x, y) = (self.before.row(a), self.before.row(b));
        sum::fold_in_registers::<R, Sum>(self.generation.args.dimensions as usize, |i| {
            let bounds = self.generation.bounds(i as u32);
            solis_wets::square_in_ranges(x.get(i), y.get(i), bounds)
        })
    }
}

/// An individual's numbers after the iteration before, or at the start.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn numbers_before<R: DeviceReal, M: Method<R>>(
    method: &M,
    before: Parity<R>,
    who: &Individual<R>,
) -> Numbers<R> {
    if who.iteration == 0 { method.numbers(who) } else { before.numbers(who.index) }
}

/// Lets an individual look at the others. Returns its numbers afterwards, what it has seen, the individual with its
/// fitness then, and the index of the individual whose public point it has. Collective if looking is.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn looked<R: DeviceReal, M: Method<R>, P: Population<R>>(
    method: &M,
    before: Parity<R>,
    others: &P,
    who: Individual<R>,
) -> (Numbers<R>, M::Observation, Individual<R>, u32) {
    let starts = who.iteration == 0;
    let first = numbers_before(method, before, &who);
    let mut numbers = first;
    let seen = method.observe(&who, others, &mut numbers);
    let from = if starts { who.index } else { method.takes_over(&who, &seen) };
    let fitness = others.fitness(from);
    (if starts { first } else { numbers }, seen, Individual { fitness, ..who }, from)
}
