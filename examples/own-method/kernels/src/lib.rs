//! Jaya, an example of your own method: individuals move towards the best and away from the worst.
//!
//! **Equation** (for one coordinate; b is that of the best individual, w that of the worst):
//!
//! ```text
//! x' = x + r1 (b - |x|) - r2 (w - |x|)        r1, r2 uniform in (0, 1)
//! ```
//!
//! A proposal is accepted if it is better. There are no parameters to tune.
//!
//! **Initial points.** Each coordinate's range is divided into as many strata as there are individuals. Individual i of
//! n starts at a random place in stratum i (2 k + 1) mod n of coordinate k. In the paper, initial points are uniform in
//! the whole range; the strata show how a method places its individuals.
//!
//! **Source.** R. V. Rao, "Jaya: a simple and new optimization algorithm for solving constrained and
//! unconstrained optimization problems", International Journal of Industrial Engineering Computations 7,
//! 2016.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use warpswarm_core::Float;
use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::method::{Individual, Method, Numbers, Own, Population, Site};
use warpswarm_core::order::Candidate;
use warpswarm_core::random::Draw;

/// Jaya.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Jaya<R> {
    /// The treatment of coordinates that leave their bounds.
    pub limits: Limits<R>,
}

impl<R: Float> Default for Jaya<R> {
    fn default() -> Self {
        Jaya { limits: Limits { correction: R::ZERO, boundary: Boundary::Clamp } }
    }
}

impl<R: Float> Method<R> for Jaya<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 0;
    /// The index of the worst individual.
    type Observation = u32;
    type Plan = u32;

    warpswarm_core::words!(limits);

    #[inline(always)]
    fn place(&self, who: &Individual<R>, coordinate: u32, bounds: (R, R), drawn: Draw<R>) -> R {
        let n = who.individuals.max(1);
        let stratum = who.index.wrapping_mul(2 * coordinate + 1) % n;
        let (lower, upper) = bounds;
        let part = (R::from_u32(stratum) + drawn.open()) / R::from_u32(n);
        lower + (upper - lower) * part
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    #[inline(always)]
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        _: &mut Numbers<R>,
    ) -> u32 {
        let (mut worst, mut i) = (Candidate::new(population.fitness(0), 0), 1);
        while i < who.individuals {
            let other = Candidate::new(population.fitness(i), i);
            if worst.beats(other) {
                worst = other;
            }
            i += 1;
        }
        worst.index
    }

    #[inline(always)]
    fn plan(&self, _: &Individual<R>, worst: u32, _: &mut Numbers<R>) -> u32 {
        worst
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, worst: &u32, site: &S) -> (R, Own<R>) {
        let ([r1, r2], x) = (site.draws(0), site.public());
        let size = x.abs();
        let moved = x + r1 * (site.best() - size) - r2 * (site.of(*worst) - size);
        (self.limits.enforce(moved, site.bounds(), || site.reentry()), Own::default())
    }
}

// Exports the kernels `jaya_f32_x32k1` and so on, and their versions for the emulator.
warpswarm_kernels::export_method! { jaya, "jaya", Jaya<f32>, Jaya<f64> }
