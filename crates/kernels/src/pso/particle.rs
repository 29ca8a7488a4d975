//! A particle in the registers of the lanes that share it.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::pso::{self, Coefficients, Coordinate};
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_device::point::coordinate;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, Row, View};

use super::Swarm;

/// The coordinates that one lane holds, if each lane holds `K` of a row.
pub(super) type Own<R, const K: usize> = [R; K];

/// Loads this lane's coordinates of a row; places beyond its end are `beyond`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn load<R: DeviceReal, const LANES: u32, const K: usize>(
    row: Row<R>,
    beyond: R,
    stream: bool,
) -> Own<R, K> {
    let mut own = [beyond; K];
    let mut k = 0;
    while k < K {
        let i = coordinate::<LANES>(thread::lane(), k) as u32;
        let width = if stream { width(LANES, K) } else { 1 };
        if width == 4 {
            let four = row.stream4(i, beyond);
            own[k] = four[0];
            own[k + 1] = four[1];
            own[k + 2] = four[2];
            own[k + 3] = four[3];
        } else if width == 2 {
            let two = row.stream2(i, beyond);
            own[k] = two[0];
            own[k + 1] = two[1];
        } else {
            own[k] = row.get(i, beyond)[0];
        }
        k += width;
    }
    own
}

/// Stores this lane's coordinates of a row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn store<R: DeviceReal, const LANES: u32, const K: usize>(
    row: Row<R>,
    own: &Own<R, K>,
    stream: bool,
) {
    let mut k = 0;
    while k < K {
        let i = coordinate::<LANES>(thread::lane(), k) as u32;
        let width = if stream { width(LANES, K) } else { 1 };
        if width == 4 {
            row.set_stream4(i, [own[k], own[k + 1], own[k + 2], own[k + 3]]);
        } else if width == 2 {
            row.set_stream2(i, [own[k], own[k + 1]]);
        } else {
            row.set(i, [own[k]]);
        }
        k += width;
    }
}

/// Neighbouring coordinates that a lane can load or store at once; rows have a multiple of four places, or two.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
const fn width(lanes: u32, own: usize) -> usize {
    let together = 32 / lanes as usize;
    match if together < own { together } else { own } {
        1 => 1,
        2 | 3 => 2,
        _ => 4,
    }
}

/// A lane's part of the bounds: in registers if there are few, otherwise loaded when needed.
#[derive(Clone, Copy)]
pub(super) struct Bounds<R, const LANES: u32, const K: usize> {
    lower: Own<R, K>,
    upper: Own<R, K>,
    rows: [Row<R>; 2],
}

/// The most words of lower bounds that are kept in registers.
const HELD: usize = 8;

impl<R: DeviceReal, const LANES: u32, const K: usize> Bounds<R, LANES, K> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn of(swarm: &Swarm<'_, R>) -> Self {
        let row = |view: View<R>| view.row(0, swarm.args.stride);
        let rows = [row(swarm.lower), row(swarm.upper)];
        let held = |row, beyond| {
            if K * R::WORDS <= HELD { load::<R, LANES, K>(row, beyond, false) } else { [beyond; K] }
        };
        Bounds { lower: held(rows[0], -R::ONE), upper: held(rows[1], R::ONE), rows }
    }

    /// The bounds of register `k`; -1 and 1 for places beyond the dimensions.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get(&self, k: usize) -> (R, R) {
        if K * R::WORDS <= HELD {
            return (self.lower[k], self.upper[k]);
        }
        let i = coordinate::<LANES>(thread::lane(), k) as u32;
        (self.rows[0].get(i, -R::ONE)[0], self.rows[1].get(i, R::ONE)[0])
    }
}

/// The weights of the pulls on each of a lane's coordinates: to the personal best, to the global best.
pub(super) type Weights<R, const K: usize> = [[R; 2]; K];

impl Move {
    /// The weights of the move's pulls.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn weights<R: DeviceReal, const LANES: u32, const K: usize>(
        &self,
        coefficients: &Coefficients<R>,
    ) -> Weights<R, K> {
        let stream = Stream::new(self.key, Purpose::Move, self.iteration, self.individual);
        let mut weights = [[R::ZERO; 2]; K];
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(thread::lane(), k) as u32;
            if width(LANES, K) == 4 {
                let factors = stream.quad_factors::<R>(i / 4);
                let mut j = 0;
                while j < 4 {
                    weights[k + j] = pso::pulls(coefficients, factors[j]);
                    j += 1;
                }
                k += 4;
            } else {
                let [even, odd] = stream.pair_factors::<R>(i / 2);
                weights[k] = pso::pulls(coefficients, even);
                weights[k + 1] = pso::pulls(coefficients, odd);
                k += 2;
            }
        }
        weights
    }

    /// The draw with which coordinate `i` re-enters its bounds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn reentry_draw<R: DeviceReal>(&self, i: u32) -> R {
        // Rarely needed: opaque, so that the compiler does not compute it in advance for all coordinates.
        let individual = thread::opaque(self.individual);
        pso::reentry_draw(self.key, self.iteration, individual, i)
    }
}

/// A lane's part of a particle.
#[derive(Clone, Copy)]
pub(super) struct Particle<R, const LANES: u32, const K: usize> {
    pub(super) x: Own<R, K>,
    pub(super) v: Own<R, K>,
    pub(super) p: Own<R, K>,
}

/// A move, as draws depend on it.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) key: RunKey,
    pub(super) iteration: u64,
    pub(super) individual: u32,
}

impl<R: DeviceReal, const LANES: u32, const K: usize> Particle<R, LANES, K> {
    /// Moves the particle by one iteration with these weights of the pulls.
    ///
    /// Places beyond the dimensions are at rest at +0 between bounds of -1 and 1, and stay there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn advance(
        &mut self,
        coefficients: &Coefficients<R>,
        which: Move,
        weights: &Weights<R, K>,
        global: &Own<R, K>,
        bounds: &Bounds<R, LANES, K>,
    ) {
        // The most common mode has a loop of its own, without the code of the other modes.
        if coefficients.boundary == Boundary::Clamp {
            let coefficients = &Coefficients { boundary: Boundary::Clamp, ..*coefficients };
            self.advance_with(coefficients, which, weights, global, bounds);
        } else {
            self.advance_with(coefficients, which, weights, global, bounds);
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn advance_with(
        &mut self,
        coefficients: &Coefficients<R>,
        which: Move,
        weights: &Weights<R, K>,
        global: &Own<R, K>,
        bounds: &Bounds<R, LANES, K>,
    ) {
        let mut k = 0;
        while k < K {
            let at =
                Coordinate { position: self.x[k], velocity: self.v[k], personal_best: self.p[k] };
            let reentry = || which.reentry_draw(coordinate::<LANES>(thread::lane(), k) as u32);
            let velocity = pso::velocity(coefficients, at, global[k], weights[k]);
            let range = bounds.get(k);
            let velocity = pso::limited(coefficients, velocity, range);
            let (x, v) = pso::moved(coefficients, at.position, velocity, range, reentry);
            self.x[k] = x;
            self.v[k] = v;
            k += 1;
        }
    }
}
