//! Particle swarm optimisation with a neighbourhood topology and an optionally falling inertia: the general form of
//! [`pso`].
//!
//! **Idea.** A particle is pulled to the best personal best of its neighbourhood, which includes the particle itself.
//! The neighbourhood is the whole swarm (star), several particles on either side of it (ring), or the four adjacent
//! particles on a grid whose opposite edges are joined (von Neumann).
//!
//! **Equations** are those of [`pso`] with l, the neighbourhood's best, in place of g, and
//!
//! ```text
//! w = w_start - (w_start - w_end) min(t / t_end, 1)       t: the iteration, from 1
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | `coefficients` | as in [`pso`]; its inertia is w_start | | |
//! | w_end | `final_inertia` | at iteration t_end and after | finite | 0.4 |
//! | t_end | `inertia_iterations` | iterations over which w falls; 0 for a constant w | | 0 |
//! | | `topology` | star, ring or von Neumann | | star |
//! | | `neighbours` | neighbours on the ring, half of them on either side | even, 2 to n - 1 | 2 |
//! | | `columns` | columns of the grid | n / columns rows, both at least 3 | |
//!
//! **Source.** J. Kennedy, R. Mendes, "Population structure and particle swarm performance", CEC
//! 2002 (topologies); Y. Shi, R. Eberhart, "Empirical study of particle swarm optimization", CEC
//! 1999 (falling inertia); D. Bratton, J. Kennedy, "Defining a standard for particle swarm
//! optimization", SIS 2007 (ring with two neighbours). libCudaOptimize has the ring with two neighbours and a
//! constant inertia.
//!
//! **Deviations.** The star with constant inertia has kernels of its own, which return the same bits. libCudaOptimize
//! gives neither coefficients nor a velocity limit. Those of the preset `libcudaoptimize` are SPSO 2006's; the limit of
//! one range and the clamped positions are ours.

use crate::method::{Fitnesses, Individual, MAX_OTHERS, Method, Numbers, Own, Population, Site};
use crate::order::Candidate;
use crate::pso::{self, Coefficients, Coordinate};
use crate::real::Float;
use crate::words;

/// Which particles are neighbours.
///
/// ```
/// use warpswarm_core::pso_topology::Topology;
/// assert_eq!(Topology::ALL[2], ("von-neumann", Topology::VonNeumann));
/// assert_eq!(Topology::default(), Topology::Star);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// All particles.
    #[default]
    Star = 0,
    /// Particles with adjacent indices; the first and the last are adjacent.
    Ring = 1,
    /// Particles to the left and right, above and below on a grid filled row by row, with opposite edges joined.
    VonNeumann = 2,
}

impl Topology {
    /// Every topology with the name that users give it.
    pub const ALL: [(&'static str, Topology); 3] =
        [("star", Topology::Star), ("ring", Topology::Ring), ("von-neumann", Topology::VonNeumann)];
}

words!(enum Topology);

/// The parameters of particle swarm optimisation, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pso<R> {
    /// As in [`pso`].
    pub coefficients: Coefficients<R>,
    /// w_end
    pub final_inertia: R,
    /// t_end; 0 for a constant inertia.
    pub inertia_iterations: u32,
    /// Which particles are neighbours.
    pub topology: Topology,
    /// The number of neighbours on the ring, or of columns of the grid.
    pub width: u32,
}

/// The choices that a particle makes once for all coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// w
    pub inertia: R,
    /// The particle with the neighbourhood's best personal best; unused with the star, which uses the global best.
    pub leader: u32,
}

/// Neighbour `number` (from 0, below `width`) of particle `me` of `n` on the ring; the first half are those before it.
#[inline(always)]
pub fn on_ring(me: u32, n: u32, width: u32, number: u32) -> u32 {
    let half = width / 2;
    // First those before, then those after; `away` is below n in both cases.
    let away = if number < half { n - half + number } else { number - half + 1 };
    let past_the_end = me >= n - away;
    if past_the_end { me - (n - away) } else { me + away }
}

/// Neighbour `number` (0 to 3) of particle `me` of `n` on a grid with `columns` columns: left, right, above, below.
#[inline(always)]
pub fn on_grid(me: u32, n: u32, columns: u32, number: u32) -> u32 {
    // Never zero; `max` shows this to the compiler, which then leaves out a check for a division by zero.
    let column = me % columns.max(1);
    match number {
        0 if column == 0 => me + columns - 1,
        0 => me - 1,
        1 if column == columns - 1 => me + 1 - columns,
        1 => me + 1,
        2 if me < columns => n - columns + me,
        2 => me - columns,
        _ if me >= n - columns => me - (n - columns),
        _ => me + columns,
    }
}

impl<R: Float> Pso<R> {
    /// w in an iteration, which counts from 1.
    #[inline(always)]
    pub fn inertia(&self, iteration: u64) -> R {
        let (start, end) = (self.coefficients.inertia, self.final_inertia);
        pso::falling(start, end, iteration, self.inertia_iterations)
    }

    /// The particle with the best personal best in the neighbourhood.
    #[inline(always)]
    fn leader<P: Fitnesses<R>>(&self, who: &Individual<R>, population: &P) -> u32 {
        let neighbours = match self.topology {
            Topology::Star => 0,
            Topology::Ring => self.width,
            Topology::VonNeumann => 4,
        };
        let mut best = Candidate::new(who.fitness, who.index);
        let mut number = 0;
        while number < neighbours {
            let neighbour = match self.topology {
                Topology::VonNeumann => on_grid(who.index, who.individuals, self.width, number),
                _ => on_ring(who.index, who.individuals, self.width, number),
            };
            best = best.better(Candidate::new(population.fitness(neighbour), neighbour));
            number += 1;
        }
        best.index
    }
}

/// The index of the own row that holds the position.
const POSITION: usize = 0;
/// The index of the own row that holds the velocity.
const VELOCITY: usize = 1;

/// The public point is the personal best.
impl<R: Float> Method<R> for Pso<R> {
    const OWN: usize = 2;
    const NUMBERS: usize = 0;
    const OTHERS: usize = 1;
    const MOST_THREADS: [u32; 2] = [640, 512];
    /// The particle with the best personal best in the neighbourhood.
    type Observation = u32;
    type Plan = Plan<R>;

    words!(coefficients, final_inertia, inertia_iterations, topology, width);

    #[inline(always)]
    fn start(&self, x: R, v: R) -> Own<R> {
        [x, v]
    }

    #[inline(always)]
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        _: &mut Numbers<R>,
    ) -> u32 {
        self.leader(who, population)
    }

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, leader: u32, _: &mut Numbers<R>) -> Plan<R> {
        Plan { inertia: self.inertia(who.iteration), leader }
    }

    #[inline(always)]
    fn others(&self, plan: &Plan<R>) -> [u32; MAX_OTHERS] {
        [plan.leader; MAX_OTHERS]
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let coefficients = &Coefficients { inertia: plan.inertia, ..self.coefficients };
        let at = Coordinate {
            position: site.own(POSITION),
            velocity: site.own(VELOCITY),
            personal_best: site.public(),
        };
        let star = self.topology == Topology::Star;
        let pull = if star { site.best() } else { site.other(0, plan.leader) };
        let pulls = pso::pulls(coefficients, site.factors());
        let velocity = pso::velocity(coefficients, at, pull, pulls);
        let velocity = pso::limited(coefficients, velocity, site.bounds());
        let reentry = || site.reentry();
        let (x, v) = pso::moved(coefficients, at.position, velocity, site.bounds(), reentry);
        (x, [x, v])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Boundary;
    use crate::method::tests::{Known, feasible, individual};

    const PSO: Pso<f64> = Pso {
        coefficients: Coefficients {
            inertia: 0.9,
            cognitive: 2.0,
            social: 2.0,
            velocity_limit: 1.0,
            correction: 0.22,
            boundary: Boundary::Clamp,
        },
        final_inertia: 0.4,
        inertia_iterations: 100,
        topology: Topology::Star,
        width: 2,
    };

    #[test]
    fn inertia_falls_by_hand() {
        assert_eq!(PSO.inertia(0), 0.9);
        assert_eq!(PSO.inertia(50), 0.9 - (0.9 - 0.4) * 0.5);
        assert_eq!(PSO.inertia(100), 0.4);
        assert_eq!(PSO.inertia(1 << 40), 0.4);
        assert_eq!(Pso { inertia_iterations: 0, ..PSO }.inertia(1 << 40), 0.9);
    }

    #[test]
    fn rings_by_hand() {
        let ring = |me, width| (0..width).map(|k| on_ring(me, 5, width, k)).collect::<Vec<_>>();
        assert_eq!(ring(0, 2), [4, 1]);
        assert_eq!(ring(4, 2), [3, 0]);
        assert_eq!(ring(0, 4), [3, 4, 1, 2]);
        assert_eq!(ring(3, 4), [1, 2, 4, 0]);
        // Indices near u32::MAX do not overflow.
        let n = u32::MAX - 1;
        assert_eq!([on_ring(n - 1, n, 2, 0), on_ring(n - 1, n, 2, 1)], [n - 2, 0]);
    }

    #[test]
    fn grids_by_hand() {
        // Four columns, three rows.
        let grid = |me| [0, 1, 2, 3].map(|k| on_grid(me, 12, 4, k));
        assert_eq!(grid(5), [4, 6, 1, 9]);
        assert_eq!(grid(0), [3, 1, 8, 4]);
        assert_eq!(grid(11), [10, 8, 7, 3]);
    }

    use std::vec::Vec;

    #[test]
    fn the_best_neighbour_leads_and_of_equals_the_first() {
        let line = Known(&[5.0, 3.0, 4.0, 3.0, 9.0].map(feasible));
        let pso = |topology, width| Pso { topology, width, ..PSO };
        let who = |index| {
            let fitness = line.fitness(index);
            Individual { index, individuals: 5, ..individual(fitness) }
        };
        assert_eq!(pso(Topology::Ring, 2).leader(&who(0), &line), 1);
        assert_eq!(pso(Topology::Ring, 2).leader(&who(2), &line), 1);
        assert_eq!(pso(Topology::Ring, 2).leader(&who(3), &line), 3);
        assert_eq!(pso(Topology::Ring, 2).leader(&who(4), &line), 3);
        assert_eq!(pso(Topology::Ring, 4).leader(&who(4), &line), 1);
    }
}
