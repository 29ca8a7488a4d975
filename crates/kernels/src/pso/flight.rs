//! Particles that are held from iteration to iteration, in registers or columns, each by a thread or a group of lanes.

use warpswarm_core::launch::{PsoArgs, best_is_shared, has_common, in_columns};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::RunKey;
use warpswarm_device::point::{TilePoint, coordinate};
use warpswarm_device::view::{DeviceReal, Row};
use warpswarm_device::{block, objective, thread, warp};

use super::Swarm;
use super::blocks::{Blocks, One};
use super::columns::Columns;
use super::leader_exchange::{Leader, LeaderExchange, unconstrained};
use super::particle::{self, Bounds, Move, Particle, Weights};

/// Whether the weights of a move are computed during the move before: only if a thread has a particle to itself, with
/// few coordinates. Lanes that share a particle wait for each other, and a new leader makes weights computed ahead
/// useless.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
const fn is_ahead<R: DeviceReal, const LANES: u32, const K: usize>() -> bool {
    LANES == 1 && K * R::WORDS <= 4
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) const fn is_in_columns<const LANES: u32, const K: usize>() -> bool {
    in_columns(LANES, K as u32)
}

/// Whether the leader's position and the limits are in shared memory, once for a block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) const fn is_in_common<const LANES: u32, const K: usize>() -> bool {
    has_common(LANES, K as u32)
}

/// The particle of this thread or group of lanes, and what is needed to move it.
pub(super) struct Flight<'a, R, B, const LANES: u32, const K: usize> {
    args: &'a PsoArgs<R>,
    columns: Columns<R>,
    pub(super) leader_exchange: LeaderExchange<R, B, LANES, K>,
    bounds: Bounds<R, LANES, K>,
    key: RunKey,
    pub(super) particle: u32,
    /// Whether there is such a particle. Lanes without one execute every step with the last particle's data, because
    /// collectives need all lanes of the warp; they store nothing.
    pub(super) active: bool,
}

/// The present state of a particle; in columns, the part that is not in shared memory.
pub(super) struct ParticleState<R, const LANES: u32, const K: usize> {
    pub(super) it: Particle<R, LANES, K>,
    pub(super) best: Fitness<R>,
    /// Whether global memory has its personal best; used in columns only.
    pub(super) kept: bool,
    /// The weights of the next move, if they are computed ahead.
    ahead: Weights<R, K>,
}

/// The result of a move.
#[derive(Clone, Copy)]
pub(super) struct Moved {
    /// Whether the particle now beats the leader.
    pub(super) leads: bool,
    pub(super) not_finite: bool,
}

impl<R: DeviceReal, const K: usize> Leader<R, K> {
    /// The leader in global memory; without its position if the block has that in common.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn read<const LANES: u32, const CONSTRAINED: bool>(swarm: &Swarm<'_, R>) -> Self {
        let global = swarm.global.get(0);
        let position = if is_in_common::<LANES, K>() {
            [R::ZERO; K]
        } else {
            let row = swarm.global_position.row(0, swarm.args.stride);
            particle::load::<R, LANES, K>(row, R::ZERO, false)
        };
        let fitness = unconstrained::<R, CONSTRAINED>(global.fitness);
        let row = LeaderExchange::<R, One, LANES, K>::first_row();
        Leader { best: Candidate::new(fitness, global.index), position, row }
    }
}

impl<'a, R: DeviceReal, B: Blocks, const LANES: u32, const K: usize> Flight<'a, R, B, LANES, K> {
    /// Group g of `LANES` lanes of the run's blocks has particle g. Collective among the blocks of a run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(args: &'a PsoArgs<R>) -> Self {
        let swarm = &Swarm::of_block(args);
        let columns = Columns::<R>::new::<LANES, K>(swarm);
        let leader_exchange = LeaderExchange::<R, B, LANES, K>::new(swarm, columns);
        let group = thread::index() / LANES;
        let particle = swarm.part * (thread::block_dim() / LANES) + group;
        let active = particle < swarm.individuals;
        let bounds = Bounds::<R, LANES, K>::of(swarm);
        Flight { args, columns, leader_exchange, bounds, key: swarm.key(), particle, active }
    }

    /// Loads the particle as it was stored after `iteration`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn read<const CONSTRAINED: bool>(
        &self,
        iteration: u64,
    ) -> ParticleState<R, LANES, K> {
        let swarm = &Swarm::of_block(self.args);
        let particle = self.particle.min(swarm.individuals - 1);
        // Opaque, so that addresses are computed again instead of being kept.
        let hidden = thread::opaque(particle);
        let it = if is_in_columns::<LANES, K>() {
            self.columns.read(swarm, hidden);
            Particle { x: [R::ZERO; K], v: [R::ZERO; K], p: [R::ZERO; K] }
        } else {
            let own = |array| {
                let row = swarm.lane_row(array, hidden);
                particle::load::<R, LANES, K>(row, R::ZERO, is_in_common::<LANES, K>())
            };
            let mut p = own(swarm.best_positions);
            if best_is_shared::<R>(LANES, K as u32) {
                self.columns.set_best(swarm.args.stride, &p);
                p = [R::ZERO; K];
            }
            Particle { x: own(swarm.positions), v: own(swarm.velocities), p }
        };
        let best = unconstrained::<R, CONSTRAINED>(swarm.best.get(particle as usize));
        ParticleState { it, best, kept: true, ahead: self.ahead(iteration + 1) }
    }

    /// Restores the particle that was stored after `iteration`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn back<const CONSTRAINED: bool>(
        &self,
        state: &mut ParticleState<R, LANES, K>,
        iteration: u64,
    ) {
        if self.active {
            *state = self.read::<CONSTRAINED>(iteration);
        } else if is_ahead::<R, LANES, K>() {
            state.ahead = self.ahead(iteration + 1);
        }
    }

    /// Stores an active particle in global memory; in columns, its personal best only if memory does not have it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn save(&self, state: &mut ParticleState<R, LANES, K>) {
        if !self.active {
            return;
        }
        let swarm = &Swarm::of_block(self.args);
        let particle = thread::opaque(self.particle);
        if is_in_columns::<LANES, K>() {
            self.columns.write(swarm, particle, !state.kept);
        } else {
            let own = |array, own| {
                let row = swarm.lane_row(array, particle);
                particle::store::<R, LANES, K>(row, own, is_in_common::<LANES, K>());
            };
            own(swarm.positions, &state.it.x);
            own(swarm.velocities, &state.it.v);
            if best_is_shared::<R>(LANES, K as u32) {
                own(swarm.best_positions, &self.columns.best(swarm.args.stride));
            } else {
                own(swarm.best_positions, &state.it.p);
            }
        }
        if thread::lane().is_multiple_of(LANES) {
            swarm.best.set(particle as usize, state.best);
        }
        state.kept = true;
    }

    /// The weights of the move of an iteration, if they are computed ahead.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn ahead(&self, iteration: u64) -> Weights<R, K> {
        if is_ahead::<R, LANES, K>() { self.weights(iteration) } else { [[R::ZERO; 2]; K] }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn weights(&self, iteration: u64) -> Weights<R, K> {
        let which = Move { key: self.key, iteration, individual: self.particle };
        which.weights::<R, LANES, K>(&self.args.coefficients)
    }

    /// Moves the particle in iteration `now`, and evaluates it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn advance<const CONSTRAINED: bool>(
        &self,
        state: &mut ParticleState<R, LANES, K>,
        leader: &Leader<R, K>,
        now: u64,
    ) -> Moved {
        let args = self.args;
        let which = Move { key: self.key, iteration: now, individual: self.particle };
        // The weights of the next move depend on nothing in this one: computing them hides latency.
        let pulls = if is_ahead::<R, LANES, K>() || is_in_common::<LANES, K>() {
            state.ahead
        } else {
            self.weights(now)
        };
        if is_ahead::<R, LANES, K>() {
            state.ahead = self.weights(now + 1);
        }
        let level = Swarm::of_block(args).level_of::<CONSTRAINED>(self.particle);
        let fitness = if is_in_columns::<LANES, K>() {
            self.columns.advance(which, &args.coefficients, leader.row, args.dimensions);
            objective::judge::<R, _, CONSTRAINED>(&self.columns.point(args.dimensions))
        } else {
            if is_in_common::<LANES, K>() {
                let there = (leader.row, args.dimensions);
                self.columns.advance_row(which, &args.coefficients, &mut state.it, there);
            } else {
                state.it.advance(&args.coefficients, which, &pulls, &leader.position, &self.bounds);
            }
            let dimensions = args.dimensions as usize;
            let point =
                TilePoint::<R, LANES, K>::new(state.it.x, dimensions, self.leader_exchange.stage);
            objective::judge::<R, _, CONSTRAINED>(&point)
        };
        let fitness = if CONSTRAINED { fitness.within(level) } else { fitness };
        let mut leads = false;
        if self.active && fitness.beats(state.best) {
            state.best = fitness.canonical();
            state.kept = false;
            if is_in_columns::<LANES, K>() {
                self.columns.keep(args.stride);
            } else if best_is_shared::<R>(LANES, K as u32) {
                self.columns.set_best(args.stride, &state.it.x);
            } else {
                state.it.p = state.it.x;
            }
            leads = Candidate::new(state.best, self.particle).beats(leader.best);
        }
        Moved { leads, not_finite: self.active && !fitness.is_finite() }
    }

    /// The particle as a candidate for the leader, if it is `better` than the present one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offer(&self, state: &ParticleState<R, LANES, K>, better: bool) -> Candidate<R> {
        if better { Candidate::new(state.best, self.particle) } else { Candidate::NONE }
    }

    /// Stores a position as the personal best of the particle if it `learns`. Collective in the warp, in which at most
    /// one particle does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn learn(
        &self,
        state: &mut ParticleState<R, LANES, K>,
        learns: bool,
        position: impl Fn(u32) -> R,
    ) {
        let stride = self.args.stride;
        if !is_in_columns::<LANES, K>() {
            let mut k = 0;
            while k < K {
                let i = coordinate::<LANES>(thread::lane(), k) as u32;
                if learns && i < stride {
                    state.it.p[k] = position(i);
                }
                k += 1;
            }
            return;
        }
        // Each lane loads a coordinate for it.
        let mut first = 0;
        while first < stride {
            let own = first + thread::lane();
            let x = if own < stride { position(own) } else { R::ZERO };
            let mut j = 0;
            while j < 32 {
                let of_lane = warp::shuffle(x, j);
                if learns && first + j < stride {
                    self.columns.learn(first + j, of_lane);
                }
                j += 1;
            }
            first += 32;
        }
    }

    /// Takes over a leader's position. Collective in the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn follow(&self, leader: &mut Leader<R, K>, position: impl Fn(u32) -> R) {
        let stride = self.args.stride;
        if is_in_common::<LANES, K>() {
            let row = self.leader_exchange.room_for_another(leader);
            let positions = self.leader_exchange.positions();
            let mut i = thread::index();
            while i < stride {
                positions.set(row + i, position(i));
                i += thread::block_dim();
            }
            block::sync();
            leader.row = row;
            return;
        }
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(thread::lane(), k) as u32;
            if i < stride {
                leader.position[k] = position(i);
            }
            k += 1;
        }
    }

    /// Calls `coordinate_is` once for each coordinate of the leader's position; by the lanes of a warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn tell(&self, leader: &Leader<R, K>, coordinate_is: impl Fn(u32, R)) {
        let (stride, lane) = (self.args.stride, thread::lane());
        if is_in_common::<LANES, K>() {
            let mut i = lane;
            while i < stride {
                coordinate_is(i, self.leader_exchange.positions().get(leader.row + i));
                i += 32;
            }
            return;
        }
        let mut k = 0;
        while k < K {
            let i = coordinate::<LANES>(lane, k) as u32;
            if lane < LANES && i < stride {
                coordinate_is(i, leader.position[k]);
            }
            k += 1;
        }
    }

    /// Stores the leader; only the run's first group of lanes does. Returns whether this thread has to store the run's
    /// progress.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn writes_leader(&self, leader: &Leader<R, K>) -> bool {
        let swarm = &Swarm::of_block(self.args);
        if swarm.part != 0 || thread::index() >= LANES {
            return false;
        }
        let stride = self.args.stride;
        if is_in_common::<LANES, K>() {
            // Here a group is a single thread.
            let mut i = 0;
            while i < stride {
                let x = self.leader_exchange.positions().get(leader.row + i);
                swarm.global_position.set(i as usize, x);
                i += 1;
            }
        } else {
            let row: Row<R> = swarm.global_position.row(0, stride);
            particle::store::<R, LANES, K>(row, &leader.position, false);
        }
        if thread::index() == 0 {
            swarm.global.set(0, leader.best);
        }
        thread::index() == 0
    }
}
