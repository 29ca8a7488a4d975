//! Evolutionary particle swarm optimisation: particles compete with replicas of themselves.
//!
//! **Idea.** A particle moves as in [`pso`]. So do replicas of it, with mutated weights and a pull to a point near the
//! global best. The best of them all becomes the particle.
//!
//! **Equations** (of one coordinate; starred symbols are a replica's; in CMEPSO's numbering 1 and 6, 7 to 9, 10, 2 and
//! 3, of which our copy of the paper contains only 1: see the deviations):
//!
//! ```text
//! v  = w v + c1 r1 (p - x) + c2 r2 (g - x)           the particle itself
//! v* = w* v + c1* (p - x) + c2* (g* - x)             a replica
//! w* = w (1 + s N),  c1* = c1 (1 + s N),  c2* = c2 (1 + s N)
//! g* = g + sg N
//! x  = x + v,                                        then the boundary mode
//! w  = w_start - (w_start - w_end) min(t / t_end, 1)
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | `coefficients` | as in [`pso`]; the inertia is w_start | | 0.9, 1, 1 |
//! | w_end | `final_inertia` | at iteration t_end and after | finite | 0.4 |
//! | t_end | `inertia_iterations` | iterations over which w falls; 0 for a constant w | | 1,000 |
//! | s | `weight_deviation` | relative standard deviation of the weights | >= 0 | 0.22 |
//! | sg | `best_deviation` | standard deviation of the global best, in units of the coordinate | >= 0 | 0.005 |
//! | | `replicas` | of each particle | 1 to 63 | 5 |
//! | N | | standard normal: one for each replica and weight; for g* one for each coordinate | | |
//! | p, g | | personal best and global best of the previous iteration | | |
//!
//! **Source.** V. Miranda, N. Fonseca, "EPSO: evolutionary particle swarm optimization, a new
//! algorithm with applications in power systems", IEEE/PES T&D 2002, in the form of CMEPSO-GPU: D. Souza, O. Teixeira,
//! D. Monteiro, R. de Oliveira, "A CUDA-based cooperative evolutionary multi-swarm optimization applied to engineering
//! problems". All values but w's limits are from there.
//!
//! **Deviations.**
//! * Equations 2 to 10 are pictures in the paper, and our text copy does not contain them. Equations 2, 3 and 6 to 9
//!   follow the paper's words (a falling weight; 6 is 1 without the random numbers; weights are mutated by N(0, 1) and
//!   the learning parameter s), its equation 14, and Miranda and Fonseca's form.
//! * Equation 10 is our choice. The paper calls sg the "disturbance constant for the global best". Here sg N is added
//!   to each coordinate, in its units, with a separate N. This matters: with the paper's sg = 0.005, replicas stay
//!   about that far from a best that they could otherwise approach.
//! * Replicas start where the particle was, as in Miranda and Fonseca, so that all move at the same time. In CMEPSO's
//!   Algorithm 2 they start where the particle has just moved, which makes slower progress on CMEPSO's problems
//!   (`crates/cpu-ref/tests/all/oracle` has both orders).
//! * Mutated weights are not inherited (CMEPSO mutates anew each time).
//! * The limits on w are taken as 0.9 and 0.4.
//! * With CMEPSO's c1 = c2 = 2.05 replicas overshoot, because their pulls are not random: the default is 1.

use crate::boundary::Boundary;
use crate::launch::Words;
use crate::method::{Individual, Method, Numbers, Own, Planning, Population, Site, With};
use crate::pso::{self, Coefficients, Coordinate};
use crate::real::Float;
use crate::words;

/// The parameters of evolutionary particle swarm optimisation, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epso<R> {
    /// As in [`pso`].
    pub coefficients: Coefficients<R>,
    /// w_end
    pub final_inertia: R,
    /// s, the relative deviation of a replica's weights.
    pub weight_deviation: R,
    /// sg, the standard deviation of a replica's g* around the global best.
    pub best_deviation: R,
    /// t_end; 0 for a constant inertia.
    pub inertia_iterations: u32,
    /// Replicas of each particle.
    pub replicas: u32,
}

/// The weights with which a particle or a replica moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights<R> {
    /// w, c1 and c2.
    pub pso: [R; 3],
    /// c3, used only by [`cmepso`](crate::cmepso).
    pub third: R,
    /// Whether this is a replica.
    pub mutated: bool,
}

/// A weight p (1 + s N).
#[inline(always)]
pub fn mutated<R: Float>(weight: R, deviation: R, normal: R) -> R {
    weight * (R::ONE + deviation * normal)
}

impl<R: Float> Epso<R> {
    /// The weights of an attempt: the unchanged ones for the first attempt (the particle), mutated ones for the others.
    #[inline(always)]
    pub fn weights(&self, who: &Individual<R>, third: R) -> Weights<R> {
        let c = &self.coefficients;
        let (start, end) = (c.inertia, self.final_inertia);
        let inertia = pso::falling(start, end, who.iteration, self.inertia_iterations);
        let pso = [inertia, c.cognitive, c.social];
        if who.attempt == 0 {
            return Weights { pso, third, mutated: false };
        }
        let ([first, second], [social, last]) = (who.normals(0), who.normals(1));
        let mutated = |weight, normal| mutated(weight, self.weight_deviation, normal);
        let pso = [mutated(pso[0], first), mutated(pso[1], second), mutated(pso[2], social)];
        // Without c3, as for slaves, the fourth normal number is not needed.
        let third = if third == R::ZERO { third } else { mutated(third, last) };
        Weights { pso, third, mutated: true }
    }

    /// g*, the global best with a replica's disturbance; for the particle itself the global best.
    #[inline(always)]
    pub fn near<S: Site<R>>(&self, best: R, weights: &Weights<R>, site: &S) -> R {
        if self.disturbs(weights) { best + self.best_deviation * site.normal() } else { best }
    }

    /// Whether g* differs from the global best.
    #[inline(always)]
    pub fn disturbs(&self, weights: &Weights<R>) -> bool {
        weights.mutated && self.best_deviation > R::ZERO
    }

    /// Position and velocity after a step with this `velocity`: first the limit, then the boundary mode.
    #[inline(always)]
    pub fn moved<S: Site<R>>(&self, position: R, velocity: R, site: &S) -> (R, R) {
        let velocity = pso::limited(&self.coefficients, velocity, site.bounds());
        pso::moved(&self.coefficients, position, velocity, site.bounds(), || site.reentry())
    }

    /// The coefficients with the weights of an attempt.
    #[inline(always)]
    pub fn with(&self, weights: &Weights<R>) -> Coefficients<R> {
        let [inertia, cognitive, social] = weights.pso;
        Coefficients { inertia, cognitive, social, ..self.coefficients }
    }
}

impl<R: Float> Words for Epso<R> {
    words!(
        coefficients,
        final_inertia,
        weight_deviation,
        best_deviation,
        inertia_iterations,
        replicas
    );
}

/// The public point is the personal best; the own rows are the position and the velocity.
impl<R: Float> Method<R> for Epso<R> {
    const OWN: usize = 2;
    const NUMBERS: usize = 0;
    const MOST_THREADS: [u32; 2] = [512, 256];
    /// Each weight needs normal numbers.
    const PLANNING: Planning = Planning::AttemptEach;
    type Observation = ();
    type Plan = Weights<R>;

    fn words(&self, at: usize, note: &mut dyn FnMut(usize, u32)) {
        Words::words(self, at, note);
    }

    #[inline(always)]
    fn specialised<W: With<Self>>(self, work: W) -> W::Output {
        let coefficients = Coefficients { boundary: Boundary::Reverse, ..self.coefficients };
        let common = Epso { coefficients, ..self };
        if self == common { work.with(common) } else { work.with(self) }
    }

    #[inline(always)]
    fn of_kind<W: With<(Self, Weights<R>)>>(self, plan: Weights<R>, work: W) -> W::Output {
        if plan.mutated {
            work.with((self, Weights { mutated: true, ..plan }))
        } else {
            work.with((self, Weights { mutated: false, ..plan }))
        }
    }

    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        1 + self.replicas
    }

    #[inline(always)]
    fn start(&self, x: R, v: R) -> Own<R> {
        [x, v]
    }

    #[inline(always)]
    fn observe<P: Population<R>>(&self, _: &Individual<R>, _: &P, _: &mut Numbers<R>) {}

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, (): (), _: &mut Numbers<R>) -> Weights<R> {
        self.weights(who, R::ZERO)
    }

    #[inline(always)]
    fn mapped(
        weights: Weights<R>,
        word: impl Fn(u32) -> u32,
        number: impl Fn(R) -> R,
    ) -> Weights<R> {
        let [inertia, cognitive, social] = weights.pso;
        let pso = [number(inertia), number(cognitive), number(social)];
        Weights { pso, mutated: word(u32::from(weights.mutated)) != 0, ..weights }
    }

    #[inline(always)]
    fn normals(&self, who: &Individual<R>, weights: &Weights<R>) -> Option<u32> {
        self.disturbs(weights).then_some(who.attempt)
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, weights: &Weights<R>, site: &S) -> (R, Own<R>) {
        let at = Coordinate {
            position: site.own(0),
            velocity: site.own(1),
            personal_best: site.public(),
        };
        let coefficients = &self.with(weights);
        // A replica's pulls have no random factors.
        let pulls = if weights.mutated {
            [coefficients.cognitive, coefficients.social]
        } else {
            pso::pulls(coefficients, site.factors())
        };
        let best = self.near(site.best(), weights, site);
        let velocity = pso::velocity(coefficients, at, best, pulls);
        let (x, v) = self.moved(at.position, velocity, site);
        (x, [x, v])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::boundary::Boundary;
    use crate::method::tests::{Still, individual};
    use crate::order::Fitness;

    pub(crate) const EPSO: Epso<f64> = Epso {
        coefficients: Coefficients {
            inertia: 0.9,
            cognitive: 2.0,
            social: 4.0,
            velocity_limit: f64::INFINITY,
            correction: 0.22,
            boundary: Boundary::Reverse,
        },
        final_inertia: 0.4,
        weight_deviation: 0.5,
        best_deviation: 0.25,
        inertia_iterations: 10,
        replicas: 5,
    };

    #[test]
    fn weights_by_hand() {
        assert_eq!(mutated(3.0, 0.5, 2.0), 3.0 * (1.0 + 0.5 * 2.0));
        let who = individual(Fitness { violation: 0.0, value: 1.0 });
        let itself = EPSO.weights(&Individual { iteration: 5, ..who }, 0.0);
        assert_eq!(itself, Weights { pso: [0.65, 2.0, 4.0], third: 0.0, mutated: false });
        let replica = EPSO.weights(&Individual { attempt: 1, ..who }, 8.0);
        let normals = |number| Individual { attempt: 1, ..who }.normals(number);
        let normals = [normals(0), normals(1)].concat();
        let expected = [0.9 - 0.5 * 0.1, 2.0, 4.0];
        for k in 0..3 {
            assert_eq!(replica.pso[k], expected[k] * (1.0 + 0.5 * normals[k]));
        }
        assert_eq!(replica.third, 8.0 * (1.0 + 0.5 * normals[3]));
        assert!(replica.mutated);
        // Normal numbers are drawn only for replicas, and only where they are used.
        let drawn = |epso: Epso<f64>, attempt| {
            let who = Individual { attempt, ..who };
            epso.normals(&who, &epso.weights(&who, 0.0))
        };
        assert_eq!([0, 1, 5].map(|attempt| drawn(EPSO, attempt)), [None, Some(1), Some(5)]);
        assert_eq!(drawn(Epso { best_deviation: 0.0, ..EPSO }, 1), None);
    }

    #[test]
    fn equations_1_and_6_by_hand() {
        let site = Still {
            public: 2.0,
            own: [1.0, 3.0],
            best: -1.0,
            bounds: (-100.0, 100.0),
            draws: [[0.25, 0.5], [0.0; 2], [0.0; 2]],
            normal: 2.0,
            ..Still::default()
        };
        let weights = Weights { pso: [0.5, 2.0, 4.0], third: 0.0, mutated: false };
        // v = 0.5 * 3 + 2 * 0.25 * (2 - 1) + 4 * 0.5 * (-1 - 1) = -2
        assert_eq!(EPSO.propose(&weights, &site), (-1.0, [-1.0, -2.0]));
        // g* = -1 + 0.25 * 2 = -0.5; v* = 0.5 * 3 + 2 * (2 - 1) + 4 * (-0.5 - 1) = -2.5
        let (x, [_, v]) = EPSO.propose(&Weights { mutated: true, ..weights }, &site);
        assert_eq!((x, v), (-1.5, -2.5));
    }

    #[test]
    fn a_particle_and_its_replicas_compete() {
        assert_eq!(EPSO.attempts(1, 0), 6);
        let who = individual(Fitness { violation: 0.0, value: 1.0 });
        let weights = EPSO.weights(&who, 0.0);
        let accepts = |violation, value| {
            let proposal = Fitness { violation, value };
            EPSO.accept(&who, &weights, proposal, &mut Numbers::default())
        };
        assert!(accepts(0.0, 0.5) && !accepts(0.0, 1.0) && !accepts(0.5, 0.0));
    }
}
