//! The swarm of the notes: whole matrices, with one column per particle.

use nalgebra::{DMatrix, DVector};
use warpswarm_core::random::{PLACES, Purpose, RunKey, Stream};

/// The parameters of the notes, and choices where the notes are ambiguous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// w, c1 and c2. The notes have no w, which means w = 1, and c1 = c2 = 2.
    pub(crate) weights: [f64; 3],
    /// The velocity limit, relative to the range of the bounds; infinite for no limit, as in the notes.
    pub(crate) speed: f64,
    /// Lower and upper bound of each coordinate. The notes start in a box, but do not say what happens at its edges.
    pub(crate) bounds: (f64, f64),
    /// How `v + t1 + t2` is rounded.
    pub(crate) rounding: Rounding,
    /// The distribution of r1 and r2.
    pub(crate) factors: Factors,
    /// The state before the first move.
    pub(crate) start: Start,
    /// Which point g is if several particles have the best fitness.
    pub(crate) ties: Ties,
}

/// How `v + t1 + t2` is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Rounding {
    /// A product and the sum that it goes into are rounded once, as `warpswarm` does.
    Fused,
    /// Each product and each sum is rounded, as the notes' equations have it.
    Each,
}

/// The distribution of r1 and r2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Factors {
    /// Uniform in [0, 1).
    ZeroToOne,
    /// Uniform in [1, 2): "random numbers between one and two".
    OneToTwo,
}

/// The state before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Start {
    /// The particles are evaluated where they were placed, which resets everything; then they move.
    Evaluated,
    /// g, a vector of zeros: they move before the first of them is evaluated.
    Zero,
}

/// Which point g is if several particles have the best fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Ties {
    /// That of the first particle by its number, as in `warpswarm`.
    LowestIndex,
    /// That of the first to come: only what is greater is taken, as the notes have it.
    FirstToCome,
}

/// The matrices and vectors of the notes.
pub(crate) struct Swarm {
    form: Form,
    key: RunKey,
    iteration: u64,
    /// v, `[dimension, particle]`.
    pub(crate) velocity: DMatrix<f64>,
    /// q, `[dimension, particle]`.
    pub(crate) position: DMatrix<f64>,
    /// p, `[dimension, particle]`.
    pub(crate) personal_best: DMatrix<f64>,
    /// The two temporary matrices, which hold random numbers.
    t1: DMatrix<f64>,
    t2: DMatrix<f64>,
    /// The fitness at p, which is maximised.
    pub(crate) personal_fitness: DVector<f64>,
    /// g, `[dimension]`.
    pub(crate) global_best: DVector<f64>,
    /// The fitness at g.
    pub(crate) global_fitness: f64,
}

impl Swarm {
    /// Random velocities and positions; p = q, g = 0, and every fitness minus infinity.
    pub(crate) fn new(form: Form, dimensions: usize, particles: usize, key: RunKey) -> Self {
        let zeros = || DMatrix::zeros(dimensions, particles);
        let mut swarm = Swarm {
            form,
            key,
            iteration: 0,
            velocity: zeros(),
            position: zeros(),
            personal_best: zeros(),
            t1: zeros(),
            t2: zeros(),
            personal_fitness: DVector::from_element(particles, f64::NEG_INFINITY),
            global_best: DVector::zeros(dimensions),
            global_fitness: f64::NEG_INFINITY,
        };
        let (lower, upper) = form.bounds;
        let place = |u: f64| (lower + (upper - lower) * u).clamp(lower, upper);
        swarm.draw(|stream, i| stream.draws_of::<f64>(i as u32).map(|draw| draw.open()));
        swarm.position.zip_apply(&swarm.t1, |q, u| *q = place(u));
        // Half the difference to another random point.
        swarm.velocity.copy_from(&swarm.t2);
        swarm.velocity.zip_apply(&swarm.position, |v, q| *v = 0.5 * (place(*v) - q));
        swarm.personal_best.copy_from(&swarm.position);
        swarm
    }

    /// Fills both temporary matrices with the random numbers of each particle and coordinate.
    fn draw(&mut self, mut drawn: impl FnMut(Stream, usize) -> [f64; 2]) {
        let columns = self.t1.column_iter_mut().zip(self.t2.column_iter_mut());
        for (particle, (mut r1, mut r2)) in columns.enumerate() {
            let stream = Stream::new(self.key, Purpose::Move, self.iteration, particle as u32);
            for i in 0..r1.len() {
                [r1[i], r2[i]] = drawn(stream, i);
            }
        }
    }

    /// Fills both temporary matrices with r1 and r2. These are the library's numbers, drawn in groups of the same size.
    fn draw_factors(&mut self) {
        let least = f64::from(u8::from(self.form.factors == Factors::OneToTwo));
        let columns = self.t1.column_iter_mut().zip(self.t2.column_iter_mut());
        for (particle, (mut r1, mut r2)) in columns.enumerate() {
            let stream = Stream::new(self.key, Purpose::Move, self.iteration, particle as u32);
            for first in (0..r1.len()).step_by(PLACES) {
                let count = PLACES.min(r1.len() - first);
                let [f1, f2] = stream.row_factors::<f64>(first as u32, count);
                for i in 0..count {
                    // A multiplication by one does not round.
                    r1[first + i] = least + f1[i].times(1.0);
                    r2[first + i] = least + f2[i].times(1.0);
                }
            }
        }
    }

    /// One iteration: velocities, positions, bests. `fitness` is evaluated on the host, one particle at a time.
    pub(crate) fn step(&mut self, fitness: impl Fn(&[f64]) -> f64) {
        if self.iteration == 0 && self.form.start == Start::Evaluated {
            self.renew_bests(&fitness);
        }
        self.iteration += 1;
        self.move_all();
        self.renew_bests(&fitness);
    }

    /// v = w v + t1 + t2 with the velocity limit, and q = q + v with the bounds. The notes have no limit and no bounds.
    fn move_all(&mut self) {
        let Form { weights: [w, c1, c2], bounds: (lower, upper), rounding, speed, .. } = self.form;
        self.draw_factors();
        // Compute c1 r1 and c2 r2.
        self.t1 *= c1;
        self.t2 *= c2;
        self.velocity *= w;
        // Add c1 r1 (p - q), then c2 r2 (g - q) to v. With `Rounding::Each` these terms are the notes' t1 and t2. The
        // notes repeat g to a matrix of the size of q, and call that not very efficient; here g is used for each
        // column.
        let (p, q) = (self.personal_best.as_slice(), self.position.as_slice());
        pull(rounding, self.velocity.as_mut_slice(), self.t1.as_slice(), p, q);
        for (particle, mut v) in self.velocity.column_iter_mut().enumerate() {
            let (t2, q) = (self.t2.column(particle), self.position.column(particle));
            pull(
                rounding,
                v.as_mut_slice(),
                t2.as_slice(),
                self.global_best.as_slice(),
                q.as_slice(),
            );
        }
        let most = (speed * (upper - lower)).min(f64::MAX);
        self.velocity.apply(|v| *v = v.clamp(-most, most));
        self.position += &self.velocity;
        // A coordinate that leaves the box is set to the bound, with velocity 0.
        self.velocity.zip_apply(&self.position, |v, q| {
            *v = if (lower..=upper).contains(&q) { *v } else { 0.0 };
        });
        self.position.apply(|q| *q = q.clamp(lower, upper));
    }

    /// Updates the personal bests with a greater fitness, and g.
    fn renew_bests(&mut self, fitness: impl Fn(&[f64]) -> f64) {
        for particle in 0..self.position.ncols() {
            let here = self.position.column(particle);
            let found = fitness(here.as_slice());
            if found > self.personal_fitness[particle] {
                self.personal_fitness[particle] = found;
                self.personal_best.set_column(particle, &here);
            }
        }
        let (holder, best) = self.personal_fitness.argmax();
        // Among equal values, `argmax` returns the first.
        if best > self.global_fitness || self.form.ties == Ties::LowestIndex {
            self.global_fitness = best;
            self.global_best.copy_from(&self.personal_best.column(holder));
        }
    }
}

/// v + weight (best - q), element by element.
fn pull(rounding: Rounding, v: &mut [f64], weights: &[f64], best: &[f64], q: &[f64]) {
    let ways = best.iter().zip(q).map(|(best, q)| best - q);
    let terms = v.iter_mut().zip(weights).zip(ways);
    match rounding {
        Rounding::Fused => terms.for_each(|((v, weight), way)| *v = weight.mul_add(way, *v)),
        Rounding::Each => terms.for_each(|((v, weight), way)| *v += weight * way),
    }
}
