//! Descent without derivatives: the Nelder-Mead simplex, between bounds.

use super::keeper::Keeper;
use super::line::noise;
use super::store::{Part, Store, copy, largest, sum};
use super::{Landscape, Settings, Status};
use crate::order::Fitness;
use crate::real::Float;

/// The first simplex's edges, as fractions of the ranges, and their factor at each restart.
const EDGE: f64 = 1e-2;
const SHORTER: f64 = 0.1;
/// The number of consecutive simplices without improvement that ends the search.
const IDLE: u32 = 2;
/// A simplex has collapsed when its size is this fraction of its first size.
const COLLAPSED: f64 = 1e-4;

/// The vertices, and room for trial points.
pub(super) struct Simplex<S> {
    vertices: Part<S>,
    values: Part<S>,
    violations: Part<S>,
    centroid: Part<S>,
    reflected: Part<S>,
    tried: Part<S>,
    began: Part<S>,
    signs: Part<S>,
    dimensions: usize,
    /// The number of coordinates that move, one less than the number of vertices.
    moving: usize,
}

/// The coefficients of Gao and Han (2012): reflection is 1.
struct Coefficients<R> {
    expansion: R,
    contraction: R,
    shrinkage: R,
}

impl<R: Float> Coefficients<R> {
    /// 1 + 2 / n, 3 / 4 - 1 / (2 n) and 1 - 1 / n; for n = 1 those for n = 2.
    fn of(moving: usize) -> Self {
        let n = R::from_u32(moving.max(2) as u32);
        let c = R::from_f64;
        Coefficients {
            expansion: R::ONE + R::TWO / n,
            contraction: c(0.75) - R::HALF / n,
            shrinkage: R::ONE - R::ONE / n,
        }
    }
}

impl<S: Copy> Simplex<S> {
    /// Its length, in numbers.
    pub(super) const fn numbers(dimensions: usize) -> usize {
        (dimensions + 1) * (dimensions + 2) + 5 * dimensions
    }

    /// The parts of `room`.
    #[inline]
    pub(super) fn new(dimensions: usize, room: &mut Part<S>) -> Self {
        let n = dimensions;
        Simplex {
            vertices: room.take((n + 1) * n),
            values: room.take(n + 1),
            violations: room.take(n + 1),
            centroid: room.take(n),
            reflected: room.take(n),
            tried: room.take(n),
            began: room.take(n),
            signs: room.take(n),
            dimensions,
            moving: 0,
        }
    }

    #[inline(always)]
    fn vertex(&self, v: usize) -> Part<S> {
        self.vertices.from(v * self.dimensions)
    }

    #[inline(always)]
    fn fitness<R: Float>(&self, v: usize) -> Fitness<R>
    where
        S: Store<R>,
    {
        Fitness { violation: self.violations.get(v), value: self.values.get(v) }
    }

    #[inline(always)]
    fn judge<R: Float>(&self, v: usize, fitness: Fitness<R>)
    where
        S: Store<R>,
    {
        self.violations.set(v, fitness.violation);
        self.values.set(v, fitness.value);
    }

    /// Replaces a vertex by a point with its fitness.
    #[inline(always)]
    fn replace<R: Float>(&self, v: usize, point: Part<S>, fitness: Fitness<R>)
    where
        S: Store<R>,
    {
        copy(self.dimensions, point, self.vertex(v));
        self.judge(v, fitness);
    }

    /// The best vertex, the second worst, and the worst; of equal ones the first is better.
    #[inline]
    fn ranks<R: Float>(&self) -> (usize, usize, usize)
    where
        S: Store<R>,
    {
        let (mut best, mut second, mut worst) = (0, 0, 0);
        for v in 1..=self.moving {
            let fitness = self.fitness::<R>(v);
            if fitness.beats(self.fitness(best)) {
                best = v;
            }
            if !fitness.beats(self.fitness(worst)) {
                second = worst;
                worst = v;
            } else if second == worst || !fitness.beats(self.fitness(second)) {
                second = v;
            }
        }
        (best, second, worst)
    }

    /// Builds the simplex around vertex 0, with edges along the coordinates, and evaluates it.
    #[inline]
    fn build<R: Float, L: Landscape<R>>(&self, keeper: &mut Keeper<'_, R, L, S>, edge: R)
    where
        S: Store<R>,
    {
        let mut v = 0;
        for i in 0..self.dimensions {
            if keeper.moves(i) {
                v += 1;
                let (lower, upper) = keeper.landscape().bounds(i);
                copy(self.dimensions, self.vertex(0), self.vertex(v));
                let x = self.vertex(0).get(i);
                let along = edge * keeper.width(i) * self.signs.get(i);
                let (there, back) = (x + along, x - along);
                let next = if there >= lower && there <= upper { there } else { back };
                self.vertex(v).set(i, next.clamp_to(lower, upper));
                self.judge(v, keeper.evaluate(self.vertex(v), |_, _| ()));
            }
        }
    }

    /// Writes `centroid + factor * (towards - centroid)`, clamped to the bounds, to `to`, and evaluates it.
    #[inline]
    fn attempt<R: Float, L: Landscape<R>>(
        &self,
        keeper: &mut Keeper<'_, R, L, S>,
        (factor, towards, to): (R, Part<S>, Part<S>),
    ) -> Fitness<R>
    where
        S: Store<R>,
    {
        for i in 0..self.dimensions {
            let (lower, upper) = keeper.landscape().bounds(i);
            let middle = self.centroid.get(i);
            let x = middle + factor * (towards.get(i) - middle);
            let moves = keeper.moves(i);
            to.set(i, if moves { x.clamp_to(lower, upper) } else { self.vertex(0).get(i) });
        }
        keeper.evaluate(to, |_, _| ())
    }

    /// One step: reflection, expansion, contraction, or shrinking towards the best vertex.
    #[inline]
    fn step<R: Float, L: Landscape<R>>(
        &self,
        keeper: &mut Keeper<'_, R, L, S>,
        coefficients: &Coefficients<R>,
    ) where
        S: Store<R>,
    {
        let (best, second, worst) = self.ranks::<R>();
        let count = R::from_u32(self.moving as u32);
        for i in 0..self.dimensions {
            let of = |v: usize| if v == worst { R::ZERO } else { self.vertex(v).get(i) };
            self.centroid.set(i, sum(self.moving + 1, of) / count);
        }
        let minus = |x: R| R::ZERO - x;
        let from = self.vertex(worst);
        let reflected = self.attempt(keeper, (minus(R::ONE), from, self.reflected));
        if reflected.beats(self.fitness(best)) {
            let far = minus(coefficients.expansion);
            let expanded = self.attempt(keeper, (far, from, self.tried));
            if expanded.beats(reflected) {
                self.replace(worst, self.tried, expanded);
            } else {
                self.replace(worst, self.reflected, reflected);
            }
            return;
        }
        if reflected.beats(self.fitness(second)) {
            self.replace(worst, self.reflected, reflected);
            return;
        }
        let outside = reflected.beats(self.fitness(worst));
        let (towards, limit) =
            if outside { (self.reflected, reflected) } else { (from, self.fitness(worst)) };
        let contracted = self.attempt(keeper, (coefficients.contraction, towards, self.tried));
        if contracted.beats(limit) {
            self.replace(worst, self.tried, contracted);
            return;
        }
        copy(self.dimensions, self.vertex(best), self.centroid);
        for v in (0..=self.moving).filter(|v| *v != best) {
            let point = self.vertex(v);
            let fitness = self.attempt(keeper, (coefficients.shrinkage, point, point));
            self.judge(v, fitness);
        }
    }

    /// The largest distance of a vertex from the best one in a coordinate, as a fraction of its range.
    #[inline]
    fn size<R: Float, L: Landscape<R>>(&self, keeper: &Keeper<'_, R, L, S>, best: usize) -> R
    where
        S: Store<R>,
    {
        let middle = self.vertex(best);
        largest(self.moving + 1, |v| {
            let point = self.vertex(v);
            largest(self.dimensions, |i| {
                let apart = (point.get(i) - middle.get(i)).abs() / keeper.width(i);
                if keeper.moves(i) { apart } else { R::ZERO }
            })
        })
    }

    /// Orients the next simplex along the movement of the last one, or reverses it if it has not moved: an oriented
    /// restart.
    #[inline]
    fn orient<R: Float>(&self)
    where
        S: Store<R>,
    {
        for i in 0..self.dimensions {
            let gone = self.vertex(0).get(i) - self.began.get(i);
            let sign = self.signs.get(i);
            let forwards = if gone > R::ZERO { R::ONE } else { R::ZERO - R::ONE };
            self.signs.set(i, if gone == R::ZERO { R::ZERO - sign } else { forwards });
        }
    }

    /// Takes steps from a simplex around vertex 0 until it has collapsed, and moves its best vertex to vertex 0.
    /// Returns the number of steps.
    #[inline]
    fn collapse<R: Float, L: Landscape<R>>(
        &self,
        keeper: &mut Keeper<'_, R, L, S>,
        coefficients: &Coefficients<R>,
        edge: R,
    ) -> u32
    where
        S: Store<R>,
    {
        let mut steps = 0;
        let small = (R::from_f64(COLLAPSED) * edge).larger(R::HALF_EPSILON);
        copy(self.dimensions, self.vertex(0), self.began);
        self.judge(0, keeper.best);
        self.build(keeper, edge);
        loop {
            let best = self.ranks::<R>().0;
            let size = self.size(keeper, best);
            if keeper.spent() || size <= small || size.is_nan() {
                copy(self.dimensions, self.vertex(best), self.vertex(0));
                return steps;
            }
            self.step(keeper, coefficients);
            steps += 1;
        }
    }

    /// Descends from `start`, whose fitness is the keeper's best. Returns why it ended and the number of steps.
    #[inline]
    pub(super) fn descend<R: Float, L: Landscape<R>>(
        &mut self,
        keeper: &mut Keeper<'_, R, L, S>,
        settings: &Settings<R>,
        start: S,
    ) -> (Status, u32)
    where
        S: Store<R>,
    {
        let n = self.dimensions;
        self.moving = (0..n).filter(|i| keeper.moves(*i)).count();
        if self.moving == 0 {
            return (Status::NoProgress, 0);
        }
        copy(n, start, self.vertex(0));
        for i in 0..n {
            self.signs.set(i, R::ONE);
        }
        let coefficients = Coefficients::of(self.moving);
        let (mut edge, mut steps, mut idle) = (R::from_f64(EDGE), 0, 0);
        loop {
            let before = keeper.best;
            steps += self.collapse(keeper, &coefficients, edge);
            if keeper.spent() {
                return (Status::Budget, steps);
            }
            idle = if gains(before, keeper.best, settings) { 0 } else { idle + 1 };
            if idle >= IDLE {
                let finite = keeper.best.is_finite();
                return (if finite { Status::Change } else { Status::NotFinite }, steps);
            }
            edge = (edge * R::from_f64(SHORTER)).larger(R::HALF_EPSILON);
            self.orient::<R>();
        }
    }
}

/// Whether a fitness is a non-negligible improvement over an earlier one.
#[inline]
fn gains<R: Float>(before: Fitness<R>, now: Fitness<R>, settings: &Settings<R>) -> bool {
    let least = noise(before.value).larger(settings.change * before.value.abs());
    let little = before.value - now.value <= least && now.violation == before.violation;
    now.beats(before) && !little
}
