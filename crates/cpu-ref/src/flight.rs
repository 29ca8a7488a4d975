//! How one particle moves; shared by the synchronous and the asynchronous order.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::row_stride;
use warpswarm_core::order::Fitness;
use warpswarm_core::pso::{self, Coefficients, Coordinate};
use warpswarm_core::random::{Factor, PLACES, Purpose, RunKey, Stream};
use warpswarm_core::real::Float;

use crate::task::{Bounds, Evaluate, Task};
use crate::threads::Particle;

/// What all particles of one iteration share, besides the global best.
#[derive(Clone, Copy)]
pub(crate) struct Flight<'a, R, O> {
    pub(crate) objective: O,
    pub(crate) bounds: Bounds<'a, R>,
    pub(crate) rows: &'a Rows<R>,
    pub(crate) coefficients: Coefficients<R>,
    pub(crate) key: RunKey,
    pub(crate) iteration: u64,
}

/// The bounds in rows as long as those of a swarm, zero after the last coordinate, so that places there stay zero.
#[derive(Clone, Debug)]
pub(crate) struct Rows<R> {
    pub(crate) lower: Vec<R>,
    pub(crate) upper: Vec<R>,
}

impl<R: Float> Rows<R> {
    pub(crate) fn of(bounds: Bounds<'_, R>) -> Self {
        let stride = row_stride(bounds.dimensions() as u32) as usize;
        let padded = |row: &[R]| {
            let mut row = row.to_vec();
            row.resize(stride, R::ZERO);
            row
        };
        Rows { lower: padded(bounds.lower), upper: padded(bounds.upper) }
    }
}

/// Evaluates `$body` with the flight `$flight`. It is compiled separately for the most common cases. There the number
/// of dimensions and the boundary mode are constants, and the bounds of two dimensions are copies without aliases, so
/// that the compiler unrolls rows and hoists invariants.
macro_rules! specialised {
    ($flight:ident => $body:expr) => {
        match ($flight.bounds.dimensions(), $flight.coefficients.boundary) {
            (2, mode) => {
                let (lower, upper) = $flight.bounds.pair();
                let bounds = Bounds { lower: &lower, upper: &upper };
                if mode == Boundary::Clamp {
                    let $flight = $flight.within(bounds).of_boundary(Boundary::Clamp);
                    $body
                } else {
                    let $flight = $flight.within(bounds);
                    $body
                }
            }
            (_, Boundary::Clamp) => {
                let $flight = $flight.of_boundary(Boundary::Clamp);
                $body
            }
            _ => $body,
        }
    };
}
pub(crate) use specialised;

impl<'a, R: Float, O: Evaluate<R>> Flight<'a, R, O> {
    pub(crate) fn new(
        task: &Task<'a, R, O>,
        rows: &'a Rows<R>,
        coefficients: &Coefficients<R>,
        key: RunKey,
        iteration: u64,
    ) -> Self {
        let Task { objective, bounds, .. } = *task;
        Flight { objective, bounds, rows, coefficients: *coefficients, key, iteration }
    }

    /// The same flight; `bounds` is a copy of its bounds.
    #[inline(always)]
    pub(crate) fn within<'b>(self, bounds: Bounds<'b, R>) -> Flight<'b, R, O>
    where
        'a: 'b,
    {
        let Flight { objective, rows, coefficients, key, iteration, .. } = self;
        Flight { objective, bounds, rows, coefficients, key, iteration }
    }

    /// The same flight; `boundary` is its boundary mode, as a constant.
    #[inline(always)]
    pub(crate) fn of_boundary(self, boundary: Boundary) -> Self {
        Flight { coefficients: Coefficients { boundary, ..self.coefficients }, ..self }
    }

    /// Updates the particle's velocity and position, and evaluates it.
    #[inline(always)]
    pub(crate) fn fly(&self, particle: &mut Particle<'_, R>, global: &[R]) -> Fitness<R> {
        let Particle { index, ref mut position, ref mut velocity, .. } = *particle;
        let leaders = Leaders { personal: particle.best_position, global };
        self.fly_rows(index, position, velocity, leaders)
    }

    /// The same for a particle's rows.
    #[inline(always)]
    pub(crate) fn fly_rows(
        &self,
        index: u32,
        position: &mut [R],
        velocity: &mut [R],
        leaders: Leaders<'_, R>,
    ) -> Fitness<R> {
        let dimensions = self.bounds.dimensions();
        let fitness = if dimensions <= 2 {
            // Copies without aliases: they stay in registers until the end.
            let mut x = [position[0], position[1]];
            let mut v = [velocity[0], velocity[1]];
            self.move_few(index, &mut x, &mut v, leaders);
            position.copy_from_slice(&x);
            velocity.copy_from_slice(&v);
            self.objective.evaluate(&x[..dimensions])
        } else {
            self.move_row(index, position, velocity, leaders);
            self.objective.evaluate(&position[..dimensions])
        };
        if O::CONSTRAINED { fitness.judged_by(index) } else { fitness }
    }

    /// Moves all coordinates of particle `index`, several at a time with vector instructions: first the draws, then the
    /// coordinates, including the places after the last one.
    #[inline(always)]
    fn move_row(&self, index: u32, x: &mut [R], v: &mut [R], leaders: Leaders<'_, R>) {
        let stream = Stream::new(self.key, Purpose::Move, self.iteration, index);
        let mut first = 0;
        while first < x.len() {
            // A number that the compiler knows, or fewer.
            if x.len() - first >= PLACES {
                self.move_places(index, (stream, first, PLACES), (x, v), leaders);
            } else {
                self.move_places(index, (stream, first, x.len() - first), (x, v), leaders);
            }
            first += PLACES;
        }
    }

    /// Moves `count` coordinates from `first` on, with as many factors.
    #[inline(always)]
    fn move_places(
        &self,
        index: u32,
        (stream, first, count): (Stream, usize, usize),
        (x, v): (&mut [R], &mut [R]),
        leaders: Leaders<'_, R>,
    ) {
        let [cognitive, social] = stream.row_factors(first as u32, count);
        let (x, v) = (&mut x[first..][..count], &mut v[first..][..count]);
        let (personal, global) =
            (&leaders.personal[first..][..count], &leaders.global[first..][..count]);
        let (lower, upper) =
            (&self.rows.lower[first..][..count], &self.rows.upper[first..][..count]);
        // A separate array, without aliases to what is read.
        let mut moved = [[R::ZERO; PLACES]; 2];
        for i in 0..count {
            let at = Coordinate { position: x[i], velocity: v[i], personal_best: personal[i] };
            let (factors, bounds) = ([cognitive[i], social[i]], (lower[i], upper[i]));
            let place = (index, (first + i) as u32);
            (moved[0][i], moved[1][i]) = self.moved(place, at, global[i], bounds, factors);
        }
        x.copy_from_slice(&moved[0][..count]);
        v.copy_from_slice(&moved[1][..count]);
    }

    /// Moves the one or two coordinates of particle `index`.
    #[inline(always)]
    fn move_few(&self, index: u32, x: &mut [R; 2], v: &mut [R; 2], leaders: Leaders<'_, R>) {
        let stream = Stream::new(self.key, Purpose::Move, self.iteration, index);
        let factors = stream.pair_factors(0);
        for i in 0..self.bounds.dimensions() {
            let at =
                Coordinate { position: x[i], velocity: v[i], personal_best: leaders.personal[i] };
            let place = (index, i as u32);
            (x[i], v[i]) = self.moved(place, at, leaders.global[i], self.bounds.of(i), factors[i]);
        }
    }

    /// The new position and velocity of a coordinate of particle `index`.
    #[inline(always)]
    fn moved(
        &self,
        (index, i): (u32, u32),
        at: Coordinate<R>,
        global: R,
        bounds: (R, R),
        factors: [Factor<R>; 2],
    ) -> (R, R) {
        let pulls = pso::pulls(&self.coefficients, factors);
        let velocity = pso::velocity(&self.coefficients, at, global, pulls);
        let velocity = pso::limited(&self.coefficients, velocity, bounds);
        let reentry = || reentry_draw(self.key, self.iteration, index, i);
        pso::moved(&self.coefficients, at.position, velocity, bounds, reentry)
    }

    /// Whether `new` strictly beats `old`, both results of the objective: [`Fitness::beats`], without comparing
    /// violations that are always zero.
    #[inline(always)]
    pub(crate) fn beats(&self, new: Fitness<R>, old: Fitness<R>) -> bool {
        if O::CONSTRAINED {
            new.beats(old)
        } else {
            new.value < old.value || (old.value.is_nan() && !new.value.is_nan())
        }
    }
}

/// The personal and the global best position, which pull a particle.
#[derive(Clone, Copy)]
pub(crate) struct Leaders<'a, R> {
    pub(crate) personal: &'a [R],
    pub(crate) global: &'a [R],
}

/// Not inlined: otherwise the compiler would compute it for every coordinate, even inside the bounds.
#[cold]
#[inline(never)]
fn reentry_draw<R: Float>(key: RunKey, iteration: u64, individual: u32, i: u32) -> R {
    pso::reentry_draw(key, iteration, individual, i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::StaticObjective;
    use warpswarm_core::launch::StopRule;
    use warpswarm_core::problems::Sphere;

    #[test]
    fn beats_is_the_order_of_results() {
        let line = [-f64::INFINITY, -1.0, -0.0, 0.0, 1e-310, 1.0, f64::INFINITY, f64::NAN];
        let bounds = Bounds { lower: &[0.0], upper: &[1.0] };
        let task = Task {
            objective: StaticObjective(Sphere),
            bounds,
            start: crate::Start::default(),
            stop: StopRule::NEVER,
            halt: crate::Halt::NEVER,
        };
        let coefficients = Coefficients {
            inertia: 1.0,
            cognitive: 1.0,
            social: 1.0,
            velocity_limit: 1.0,
            correction: 0.0,
            boundary: Boundary::Clamp,
        };
        let rows = Rows::of(bounds);
        let flight = Flight::new(&task, &rows, &coefficients, RunKey::new(0, 0), 1);
        let fitness = |value| Fitness { violation: 0.0, value };
        for new in line.map(fitness) {
            for old in line.map(fitness) {
                assert_eq!(flight.beats(new, old), new.beats(old), "{new:?} {old:?}");
            }
        }
    }
}
