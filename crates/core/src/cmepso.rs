//! Cooperative evolutionary multi-swarm optimisation: independent slave swarms, and a master swarm that learns from
//! them.
//!
//! **Idea.** Slaves are independent swarms of [`epso`](crate::epso). Each has one particle in the master swarm. This
//! particle takes over its slave's best point, and is also pulled to the best of all slaves. No information flows from
//! the master to the slaves.
//!
//! **Equations** (of one coordinate; CMEPSO's 1, 11, 13 and 12, in this order; starred symbols are a replica's):
//!
//! ```text
//! v  = w v + c1 r1 (p - x) + c2 r2 (g - x)                               a slave's particle
//! v* = w* v + c1* r1 (p - x) + c2* r2 (g* - x)                           its replica
//! v  = w v + c1 r1 (p - x) + c2 r2 (gM - x) + c3 r3 (gS - x)             a master's particle
//! v* = w* v + c1* r1 (p - x) + c2* r2 (gM* - x) + c3* r3 (gS - x)        its replica
//! ```
//!
//! Mutation as in [`epso`](crate::epso); c3 is mutated as the other weights.
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | `epso` | the parameters of [`epso`](crate::epso) | | |
//! | c3 | `third` | pull to the best of all slaves | finite, >= 0 | 2.02 |
//! | | `slaves` | slave swarms, and particles of the master swarm | >= 1 | 10 |
//! | | `particles` | particles of a slave; 0 for a master alone | | 40 |
//! | p, g | | personal best, and best of the particle's slave, of the previous iteration | | |
//! | gM, gS | | best of the master swarm, and of all slaves, of the previous iteration | | |
//!
//! The individuals are the slaves' particles, swarm after swarm, then the master's, one for each slave. A master's
//! personal best is replaced by its slave's best where that is better, so that gM is the best of all individuals.
//!
//! **A master alone.** The slaves may be islands: other populations that send their best points from time to time. (The
//! paper says that the method can be ported to clusters with MPI.) Then `particles` is 0, and one individual for each
//! slave stores the best point received from it. This individual makes no attempts, and the master's particles see it
//! as they would see the slave. Until a point arrives, it is at its initial point. A slave alone is a single slave
//! without a master.
//!
//! **Source.** D. Souza, O. Teixeira, D. Monteiro, R. de Oliveira, "A CUDA-based cooperative evolutionary multi-swarm
//! optimization applied to engineering problems" (CMEPSO-GPU); the master's c3 from B. Niu et al., "MCPSO: a
//! multi-swarm cooperative particle swarm optimizer", 2005.
//!
//! **What it is for.** Few dimensions with constraints. `docs/papers/cmepso.md` shows its results, and which of the
//! paper's values prevent better ones.
//!
//! **Deviations.** Those of [`epso`](crate::epso), and:
//! * All swarms move at the same time, so that the master sees its slaves as they were after the previous iteration,
//!   not half an iteration later.
//! * A master's particle starts at the best initial point of its slave, with a velocity of its own.
//! * Equation 14 is printed as c3 + (1 + s N), which would move c3 by one. It is read as the others are, c3 (1 + s N).
//! * Constraints are handled by the order (violation, value, index); the paper says nothing about this.
//! * The paper speaks of "optimized values for each best global of the slave swarms", but its Algorithm 3 has no step
//!   from the master to a slave, and there is none here.
//! * The engine assigns swarms to the GPU's blocks; the paper uses one block for each swarm.

use crate::boundary::Boundary;
use crate::epso::{Epso, Weights};
use crate::method::{Individual, Method, Numbers, Own, Population, Site, With};
use crate::pso::{self, Coefficients, Coordinate};
use crate::real::Float;
use crate::words;

/// The parameters of cooperative evolutionary multi-swarm optimisation, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cmepso<R> {
    /// The parameters of the slaves, and of mutation.
    pub epso: Epso<R>,
    /// c3, the pull to the best of all slaves.
    pub third: R,
    /// The number of slave swarms.
    pub slaves: u32,
    /// Particles of each slave; 0 for a master alone, where one individual stores each slave's best point.
    pub particles: u32,
}

impl<R> Cmepso<R> {
    /// How many individuals belong to one slave.
    #[inline(always)]
    pub fn of_slave(&self) -> u32 {
        self.particles.max(1)
    }

    /// How many individuals, the first ones, only store points received from slaves.
    #[inline(always)]
    fn kept(&self) -> u32 {
        if self.particles == 0 { self.slaves } else { 0 }
    }
}

/// What a particle uses of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The individual whose public point is the personal best.
    pub personal: u32,
    /// The individual that is the best of the particle's slave. It pulls a slave's particle; a master's particle is
    /// pulled by the best of all, which is known without an index.
    pub slave: u32,
    /// The individual that is the best of all slaves.
    pub slaves: u32,
    /// Whether this is a particle of the master swarm.
    pub master: bool,
}

/// How a particle moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// The weights of the pulls.
    pub weights: Weights<R>,
    /// The individuals that pull.
    pub seen: Observation,
    /// Whether this is the first move of a master's particle, which starts from its slave's best point.
    pub first: bool,
}

impl<R: Float> Method<R> for Cmepso<R> {
    const OWN: usize = 2;
    const NUMBERS: usize = 0;
    const SWARMS: bool = true;
    type Observation = Observation;
    type Plan = Plan<R>;

    words!(epso, third, slaves, particles);

    #[inline(always)]
    fn of_kind<W: With<(Self, Plan<R>)>>(self, plan: Plan<R>, work: W) -> W::Output {
        let coefficients = Coefficients { boundary: Boundary::Clamp, ..self.epso.coefficients };
        let common = Cmepso { epso: Epso { coefficients, ..self.epso }, ..self };
        let Plan { weights, seen, .. } = plan;
        if seen.master || self != common {
            return work.with((self, plan));
        }
        let of_slave = |mutated| {
            let weights = Weights { mutated, ..weights };
            Plan { weights, seen: Observation { master: false, ..seen }, first: false }
        };
        if weights.mutated {
            work.with((common, of_slave(true)))
        } else {
            work.with((common, of_slave(false)))
        }
    }

    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        self.epso.most_attempts()
    }

    #[inline(always)]
    fn attempts(&self, _: u64, index: u32) -> u32 {
        if index < self.kept() { 0 } else { self.most_attempts() }
    }

    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        let each = iterations.saturating_mul(u64::from(self.most_attempts()));
        each.saturating_mul(u64::from(individuals.saturating_sub(self.kept())))
    }

    #[inline(always)]
    fn start(&self, x: R, v: R) -> Own<R> {
        [x, v]
    }

    #[inline(always)]
    fn swarms(&self) -> (u32, u32) {
        (self.slaves, self.of_slave())
    }

    fn observes_far(&self) -> bool {
        true
    }

    #[inline(always)]
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        _: &mut Numbers<R>,
    ) -> Observation {
        // Never zero; the compiler sees that and leaves out a check for a division by zero.
        let of_slave = self.of_slave();
        let all = self.slaves * of_slave;
        let master = who.index >= all;
        let swarm = if master { who.index - all } else { who.index / of_slave };
        let slave = population.best_of_swarm(swarm, of_slave);
        let slaves = if master { population.best_of_swarms(self.slaves, of_slave) } else { slave };
        let takes_over = master && slave.fitness.beats(who.fitness);
        let personal = if takes_over { slave.index } else { who.index };
        Observation { personal, slave: slave.index, slaves: slaves.index, master }
    }

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, seen: Observation, _: &mut Numbers<R>) -> Plan<R> {
        let third = if seen.master { self.third } else { R::ZERO };
        let weights = self.epso.weights(who, third);
        Plan { weights, seen, first: seen.master && who.iteration == 1 }
    }

    #[inline(always)]
    fn normals(&self, who: &Individual<R>, plan: &Plan<R>) -> Option<u32> {
        self.epso.disturbs(&plan.weights).then_some(who.attempt)
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let Plan { weights, seen, first } = plan;
        let best_of_slave = site.of(seen.slave);
        let position = if *first { best_of_slave } else { site.own(0) };
        let personal_best = if seen.master { site.of(seen.personal) } else { site.public() };
        let at = Coordinate { position, velocity: site.own(1), personal_best };
        let best = if seen.master { site.best() } else { best_of_slave };
        let best = self.epso.near(best, weights, site);
        let coefficients = &self.epso.with(weights);
        let pulls = pso::pulls(coefficients, site.factors());
        let velocity = pso::velocity(coefficients, at, best, pulls);
        let velocity = if seen.master {
            let third = site.drawn(2)[0].times(weights.third);
            third.fused(site.of(seen.slaves) - position, velocity)
        } else {
            velocity
        };
        let (x, v) = self.epso.moved(position, velocity, site);
        (x, [x, v])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epso::tests::EPSO;
    use crate::method::Fitnesses;
    use crate::method::tests::{Known, Still, feasible, individual};

    const CMEPSO: Cmepso<f64> = Cmepso { epso: EPSO, third: 8.0, slaves: 2, particles: 3 };

    #[test]
    fn slaves_see_themselves_and_masters_see_slaves() {
        let values = Known(&[5.0, 3.0, 4.0, 9.0, 7.0, 7.0, 2.0, 8.0].map(feasible));
        let look = |index| {
            let who = individual(values.fitness(index));
            CMEPSO.observe(
                &Individual { index, individuals: 8, ..who },
                &values,
                &mut Numbers::default(),
            )
        };
        let slave = |personal, slave| Observation { personal, slave, slaves: slave, master: false };
        assert_eq!(look(0), slave(0, 1));
        assert_eq!(look(2), slave(2, 1));
        assert_eq!(look(3), slave(3, 4), "of equals the first");
        // The first master's personal best is better than its slave's best, the second's is not.
        assert_eq!(look(6), Observation { personal: 6, slave: 1, slaves: 1, master: true });
        assert_eq!(look(7), Observation { personal: 4, slave: 4, slaves: 1, master: true });
    }

    #[test]
    fn a_master_alone_sees_what_is_kept_of_slaves() {
        let master = Cmepso { particles: 0, ..CMEPSO };
        // The stored points have the values 3 and 4; the second of the master's particles is better than its own one.
        let values = Known(&[3.0, 4.0, 5.0, 2.0].map(feasible));
        let look = |index| {
            let who = individual(values.fitness(index));
            let who = Individual { index, individuals: 4, ..who };
            master.observe(&who, &values, &mut Numbers::default())
        };
        assert_eq!(look(2), Observation { personal: 0, slave: 0, slaves: 0, master: true });
        assert_eq!(look(3), Observation { personal: 3, slave: 1, slaves: 0, master: true });
        // The individuals that store points make no attempts: 9 iterations of 2 particles with 5 replicas each.
        assert_eq!([0, 1, 2, 3].map(|index| master.attempts(9, index)), [0, 0, 6, 6]);
        assert_eq!(master.evaluations(4, 9), 9 * 2 * 6);
        assert_eq!((CMEPSO.attempts(9, 0), CMEPSO.evaluations(8, 9)), (6, 9 * 8 * 6));
    }

    #[test]
    fn equations_11_to_13_by_hand() {
        let site = Still {
            public: 2.0,
            own: [1.0, 3.0],
            best: -1.0,
            others: [10.0, 2.0, 0.0],
            bounds: (-100.0, 100.0),
            draws: [[0.25, 0.5], [0.0; 2], [0.125, 0.0]],
            normal: 2.0,
            ..Still::default()
        };
        let weights = Weights { pso: [0.5, 2.0, 4.0], third: 8.0, mutated: false };
        let seen = Observation { personal: 1, slave: 2, slaves: 0, master: false };
        let plan = Plan { weights, seen, first: false };
        let velocity = |plan: &Plan<f64>| CMEPSO.propose(plan, &site).1[1];
        // 0.5 * 3 + 2 * 0.25 * (2 - 1) + 4 * 0.5 * (0 - 1) = 0
        assert_eq!(velocity(&plan), 0.0);
        // g* = 0 + 0.25 * 2 = 0.5: 2 + 4 * 0.5 * (0.5 - 1) = 1
        let replica = Plan { weights: Weights { mutated: true, ..weights }, ..plan };
        assert!((velocity(&replica) - 1.0).abs() < 1e-12);
        // 2 + 4 * 0.5 * (-1 - 1) + 8 * 0.125 * (10 - 1) = 7
        let master = Plan { seen: Observation { master: true, ..seen }, ..plan };
        assert_eq!(velocity(&master), 7.0);
        // gM* = -1 + 0.25 * 2 = -0.5: 2 + 4 * 0.5 * (-0.5 - 1) + 9 = 8
        let replica = Plan { weights: Weights { mutated: true, ..weights }, ..master };
        assert!((velocity(&replica) - 8.0).abs() < 1e-12);
        // In its first move it starts from its slave's best, 0, for position and pulls:
        // 0.5 * 3 + 2 * 0.25 * (2 - 0) + 4 * 0.5 * (-1 - 0) + 8 * 0.125 * (10 - 0) = 10.5
        assert_eq!(velocity(&Plan { first: true, ..master }), 10.5);
    }
}
