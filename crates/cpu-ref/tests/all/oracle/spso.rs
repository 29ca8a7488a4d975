//! The CPSO paper's Algorithm 1, the sequential SPSO, compared with [`warpswarm_cpu_ref::spso`].
//!
//! What the paper does not say is read as in our "deviations": r1 and r2 are drawn per coordinate, a first velocity is
//! half the difference to a random point, and smaller values are better. The paper has neither bounds nor a velocity
//! limit: "free" cases have neither, the others have both.

use warpswarm_core::Objective;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::{Euclidean, Rastrigin, Rosenbrock, Sphere};
use warpswarm_core::pso::Coefficients;
use warpswarm_cpu_ref::{RunId, Swarm, Threads, pso, spso};

use super::{Draws, RUNS, Sample, assert_alike, assert_apart, sample};
use crate::common::Cube;

/// The number of particles of a run.
const PARTICLES: usize = 20;
/// The iterations whose best values are compared.
const CHECKPOINTS: [u64; 3] = [1, 10, 60];
/// The distance of our bounds, in ranges, in a free case, because our implementation needs bounds.
const AWAY: f64 = 1000.0;

/// An objective with the settings of the runs.
#[derive(Clone, Copy)]
struct Case<O> {
    objective: O,
    dimensions: usize,
    bounds: (f64, f64),
    /// w, c1, c2.
    weights: [f64; 3],
    /// The velocity limit in ranges; `None` for a free case.
    limit: Option<f64>,
}

const CLERC_KENNEDY: [f64; 3] = [0.7298, 1.4962, 1.4962];

const SPHERE: Case<Sphere> = Case {
    objective: Sphere,
    dimensions: 10,
    bounds: (-3.0, 7.0),
    weights: CLERC_KENNEDY,
    limit: Some(1.0),
};

/// A deliberate error of the oracle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// The global best is updated only when all particles have moved, as in Algorithm 2.
    Synchronous,
    /// One r1 and one r2 for all coordinates of a particle.
    FactorsPerParticle,
    /// r1 is r2.
    OneFactor,
    /// r1 = r2 = 1/2.
    NoFactors,
    /// Particles start with zero velocity.
    Rest,
    /// The position moves by the previous velocity.
    OldVelocity,
    /// The personal best is the particle's last position.
    NoMemory,
}

struct Particle {
    x: Vec<f64>,
    v: Vec<f64>,
    pbest: Vec<f64>,
    pbest_fitness: f64,
}

impl<O: Objective<f64> + Sync> Case<O> {
    fn fitness(&self, x: &[f64]) -> f64 {
        self.objective.value(&SlicePoint(x))
    }

    /// The best values at the checkpoints of a run of Algorithm 1.
    fn by_the_paper(&self, run: u64, fault: Fault) -> Vec<f64> {
        let draws = &mut Draws::of_run(run);
        let mut swarm: Vec<Particle> =
            (0..PARTICLES).map(|_| self.particle(draws, fault)).collect();
        let (mut gbest, mut gbest_fitness) = (Vec::new(), f64::INFINITY);
        for particle in &swarm {
            if particle.pbest_fitness < gbest_fitness {
                gbest_fitness = particle.pbest_fitness;
                gbest.clone_from(&particle.pbest);
            }
        }
        let mut values = Vec::new();
        for t in 1..=CHECKPOINTS[2] {
            let mut seen = gbest.clone();
            for particle in &mut swarm {
                self.move_particle(particle, &seen, draws, fault);
                let fitness = self.fitness(&particle.x);
                if fitness < particle.pbest_fitness || fault == Fault::NoMemory {
                    particle.pbest_fitness = fitness;
                    particle.pbest.clone_from(&particle.x);
                }
                if fitness < gbest_fitness {
                    gbest_fitness = fitness;
                    gbest.clone_from(&particle.pbest);
                }
                if fault != Fault::Synchronous {
                    seen.clone_from(&gbest);
                }
            }
            if CHECKPOINTS.contains(&t) {
                values.push(gbest_fitness);
            }
        }
        values
    }

    fn particle(&self, draws: &mut Draws, fault: Fault) -> Particle {
        let mut place =
            || -> Vec<f64> { (0..self.dimensions).map(|_| draws.between(self.bounds)).collect() };
        let (x, other) = (place(), place());
        let part = if fault == Fault::Rest { 0.0 } else { 0.5 };
        let v = x.iter().zip(other).map(|(x, other)| part * (other - x)).collect();
        Particle { pbest_fitness: self.fitness(&x), pbest: x.clone(), x, v }
    }

    /// Equations 2 and 3, then limit and bounds.
    fn move_particle(&self, particle: &mut Particle, g: &[f64], draws: &mut Draws, fault: Fault) {
        let Particle { x, v, pbest, .. } = particle;
        let [w, c1, c2] = self.weights;
        let (lower, upper) = self.bounds;
        let shared = [draws.uniform(), draws.uniform()];
        for i in 0..self.dimensions {
            let old = v[i];
            let mut r = [draws.uniform(), draws.uniform()];
            match fault {
                Fault::FactorsPerParticle => r = shared,
                Fault::OneFactor => r[1] = r[0],
                Fault::NoFactors => r = [0.5; 2],
                _ => {}
            }
            v[i] = w * v[i] + c1 * r[0] * (pbest[i] - x[i]) + c2 * r[1] * (g[i] - x[i]);
            if let Some(limit) = self.limit {
                let most = limit * (upper - lower);
                v[i] = v[i].clamp(-most, most);
            }
            x[i] += if fault == Fault::OldVelocity { old } else { v[i] };
            if self.limit.is_some() && !(lower..=upper).contains(&x[i]) {
                (x[i], v[i]) = (x[i].clamp(lower, upper), 0.0);
            }
        }
    }

    /// The same for our implementation: `serial`, or the synchronous one.
    fn by_us(&self, run: u64, serial: bool) -> Vec<f64> {
        let [inertia, cognitive, social] = self.weights;
        let velocity_limit = self.limit.unwrap_or(f64::INFINITY);
        let boundary = Boundary::Clamp;
        let coefficients =
            Coefficients { inertia, cognitive, social, velocity_limit, correction: 0.0, boundary };
        let (lower, upper) = self.bounds;
        let away = if self.limit.is_some() { 0.0 } else { AWAY * (upper - lower) };
        let near = Cube::new(self.dimensions, lower, upper);
        let far = Cube::new(self.dimensions, lower - away, upper + away);
        let (near, far) = (near.task(self.objective), far.task(self.objective));
        let id = RunId { seed: 3, run };
        let mut swarm = Swarm::new(&near, PARTICLES as u32, id, Threads::Serial);
        let go_on_to = |checkpoint: &u64| {
            let iterations = checkpoint - swarm.control.iterations;
            if serial {
                spso::run(&mut swarm, &far, &coefficients, iterations);
            } else {
                pso::run(&mut swarm, &far, &coefficients, iterations, Threads::Serial);
            }
            swarm.global.fitness.value
        };
        CHECKPOINTS.iter().map(go_on_to).collect()
    }

    fn oracle(&self, fault: Fault) -> Sample {
        sample(RUNS, |run| self.by_the_paper(run, fault))
    }

    fn ours(&self) -> Sample {
        sample(RUNS, |run| self.by_us(run, true))
    }

    /// Checks that ours agrees with the oracle.
    fn check(&self, what: &str) {
        assert_alike(&self.ours(), &self.oracle(Fault::None), what);
    }
}

#[test]
fn spso_is_algorithm_1_of_the_cpso_paper() {
    SPHERE.check("sphere");
    Case { limit: None, ..SPHERE }.check("sphere, free");
    let (weights, limit) = (CLERC_KENNEDY, Some(1.0));
    let (objective, dimensions, bounds) = (Rosenbrock, 10, (-2.048, 2.048));
    Case { objective, dimensions, bounds, weights, limit: None }.check("rosenbrock, free");
    let (objective, dimensions, bounds) = (Rastrigin, 5, (-4.12, 6.12));
    Case { objective, dimensions, bounds, weights, limit }.check("rastrigin");
    // The case that the paper times: with its coefficients swarms diverge, so the bounds matter.
    let (weights, limit) = ([1.0, 2.0, 2.0], Some(f64::INFINITY));
    let (objective, dimensions, bounds) = (Euclidean, 2, (-100.0, 100.0));
    Case { objective, dimensions, bounds, weights, limit }.check("the paper's own");
}

#[test]
fn a_wrong_spso_is_told_apart() {
    let ours = SPHERE.ours();
    for fault in [
        Fault::Synchronous,
        Fault::FactorsPerParticle,
        Fault::OneFactor,
        Fault::NoFactors,
        Fault::Rest,
        Fault::OldVelocity,
        Fault::NoMemory,
    ] {
        assert_apart(&ours, &SPHERE.oracle(fault), &format!("{fault:?}"));
    }
    let oracle = SPHERE.oracle(Fault::None);
    for (what, weights) in
        [("w", [0.7, 1.4962, 1.4962]), ("c1", [0.7298, 1.2, 1.4962]), ("c2", [0.7298, 1.4962, 1.2])]
    {
        assert_apart(&Case { weights, ..SPHERE }.ours(), &oracle, what);
    }
    assert_apart(&Case { limit: Some(0.1), ..SPHERE }.ours(), &oracle, "limit");
    // Our synchronous implementation.
    assert_apart(&sample(RUNS, |run| SPHERE.by_us(run, false)), &oracle, "pso");
}
