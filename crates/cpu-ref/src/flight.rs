//! How one particle moves: what both orders of an iteration share.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::order::Fitness;
use warpswarm_core::pso::{self, Coefficients, Coordinate};
use warpswarm_core::random::{Draw, Purpose, RunKey, Stream};
use warpswarm_core::real::Real;

use crate::task::{Bounds, Evaluate, Task};
use crate::threads::Particle;

/// What all particles of one iteration share, besides the global best.
#[derive(Clone, Copy)]
pub(crate) struct Flight<'a, R, O> {
    pub(crate) objective: O,
    pub(crate) bounds: Bounds<'a, R>,
    pub(crate) coefficients: Coefficients<R>,
    pub(crate) key: RunKey,
    pub(crate) iteration: u64,
}

/// Evaluates `$body` with the flight `$flight`; compiled anew for the most common cases, where the
/// number of dimensions and the boundary mode are constants, and the bounds of two dimensions are
/// copies to which nothing else can point: the compiler unrolls rows and hoists what does not change.
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

impl<'a, R: Real, O: Evaluate<R>> Flight<'a, R, O> {
    pub(crate) fn new(
        task: &Task<'a, R, O>,
        coefficients: &Coefficients<R>,
        key: RunKey,
        iteration: u64,
    ) -> Self {
        let Task { objective, bounds, .. } = *task;
        Flight { objective, bounds, coefficients: *coefficients, key, iteration }
    }

    /// The same; `bounds` is a copy of its own.
    #[inline(always)]
    pub(crate) fn within(self, bounds: Bounds<'_, R>) -> Flight<'_, R, O> {
        let Flight { objective, coefficients, key, iteration, .. } = self;
        Flight { objective, bounds, coefficients, key, iteration }
    }

    /// The same; `boundary` is its own mode, as a constant.
    #[inline(always)]
    pub(crate) fn of_boundary(self, boundary: Boundary) -> Self {
        Flight { coefficients: Coefficients { boundary, ..self.coefficients }, ..self }
    }

    /// Gives the particle its new velocity and position, and evaluates it there.
    #[inline(always)]
    pub(crate) fn fly(&self, particle: &mut Particle<'_, R>, global: &[R]) -> Fitness<R> {
        let Particle { index, ref mut position, ref mut velocity, .. } = *particle;
        let leaders = Leaders { personal: particle.best_position, global };
        let dimensions = self.bounds.dimensions();
        if dimensions == 2 {
            // Copies, to which nothing else can point: they stay in registers until the end.
            let mut x = [position[0], position[1]];
            let mut v = [velocity[0], velocity[1]];
            self.move_row(index, &mut x, &mut v, leaders);
            position.copy_from_slice(&x);
            velocity.copy_from_slice(&v);
            self.objective.evaluate(&x)
        } else {
            self.move_row(index, position, velocity, leaders);
            self.objective.evaluate(&position[..dimensions])
        }
    }

    /// Moves all coordinates of particle `index`.
    #[inline(always)]
    fn move_row(&self, index: u32, x: &mut [R], v: &mut [R], leaders: Leaders<'_, R>) {
        let stream = Stream::new(self.key, Purpose::Move, self.iteration, index);
        let dimensions = self.bounds.dimensions();
        let mut i = 0;
        while i < dimensions {
            let [draws, next_draws] = stream.coordinate_draws(i as u32 / 2);
            (x[i], v[i]) = self.moved((index, i), (x[i], v[i]), leaders, draws);
            let next = i + 1;
            if next < dimensions {
                (x[next], v[next]) =
                    self.moved((index, next), (x[next], v[next]), leaders, next_draws);
            }
            i += 2;
        }
    }

    /// The new position and velocity of coordinate `i` of particle `index`.
    #[inline(always)]
    fn moved(
        &self,
        (index, i): (u32, usize),
        (position, velocity): (R, R),
        leaders: Leaders<'_, R>,
        draws: [Draw<R>; 2],
    ) -> (R, R) {
        let bounds = self.bounds.of(i);
        let at = Coordinate { position, velocity, personal_best: leaders.personal[i] };
        let pulls = pso::pulls(&self.coefficients, draws);
        let velocity = pso::velocity(&self.coefficients, at, leaders.global[i], pulls);
        let velocity = pso::limited(&self.coefficients, velocity, bounds);
        let reentry = || reentry_draw(self.key, self.iteration, index, i as u32);
        pso::moved(&self.coefficients, position, velocity, bounds, reentry)
    }

    /// Whether `new` strictly beats `old`, both results of the objective: [`Fitness::beats`],
    /// without a look at violations that are always zero.
    #[inline(always)]
    pub(crate) fn beats(&self, new: Fitness<R>, old: Fitness<R>) -> bool {
        if O::CONSTRAINED {
            new.beats(old)
        } else {
            new.value < old.value || (old.value.is_nan() && !new.value.is_nan())
        }
    }
}

/// The two places that pull a particle.
#[derive(Clone, Copy)]
struct Leaders<'a, R> {
    personal: &'a [R],
    global: &'a [R],
}

/// Not inlined: the compiler would compute it for every coordinate, in bounds or not.
#[cold]
#[inline(never)]
fn reentry_draw<R: Real>(key: RunKey, iteration: u64, individual: u32, i: u32) -> R {
    pso::reentry_draw(key, iteration, individual, i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Itself;
    use warpswarm_core::launch::StopRule;
    use warpswarm_core::problems::Sphere;

    #[test]
    fn beats_is_the_order_of_results() {
        let line = [-f64::INFINITY, -1.0, -0.0, 0.0, 1e-310, 1.0, f64::INFINITY, f64::NAN];
        let bounds = Bounds { lower: &[0.0], upper: &[1.0] };
        let task = Task {
            objective: Itself(Sphere),
            bounds,
            start: crate::Start::default(),
            stop: StopRule::NEVER,
        };
        let coefficients = Coefficients {
            inertia: 1.0,
            cognitive: 1.0,
            social: 1.0,
            velocity_limit: 1.0,
            correction: 0.0,
            boundary: Boundary::Clamp,
        };
        let flight = Flight::new(&task, &coefficients, RunKey::new(0, 0), 1);
        let fitness = |value| Fitness { violation: 0.0, value };
        for new in line.map(fitness) {
            for old in line.map(fitness) {
                assert_eq!(flight.beats(new, old), new.beats(old), "{new:?} {old:?}");
            }
        }
    }
}
