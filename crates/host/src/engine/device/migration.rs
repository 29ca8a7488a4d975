//! Migration between runs: on whole states, and on a device, from which only the migrants are copied.

use warpswarm_core::Float;
use warpswarm_core::launch::{
    Control, MIGRATION_BLOCK, MigrationArgs, Ptr, RunStateArgs, migration_kernels,
    migration_shared_bytes,
};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::migration::{self, Departure, Migrants, Migration, Replacement, Selection};
use warpswarm_cpu_ref::{RunId, Swarm};

use super::encode::{Number, bytes_of, items_of};
use super::memory::RunArrays;
use crate::engine::{Job, Procedure};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter, Shape};

impl<R: Float> Job<R> {
    /// Offers each run its immigrants, and applies the stop rule.
    pub(crate) fn immigrate(
        &self,
        swarms: &mut [Swarm<R>],
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) {
        for (swarm, (immigrants, places)) in swarms.iter_mut().zip(immigrants.iter().zip(places)) {
            if immigrants.is_empty() || swarm.has_stopped() {
                continue;
            }
            let noticed = self.procedure.noticed(swarm.control.iterations);
            migration::immigrate(swarm, immigrants, places, noticed);
            swarm.control = self.going_on(swarm);
        }
    }
}

/// Device memory for emigrants and immigrants; allocated at first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transit {
    leaving: Hall,
    pub(super) arriving: Hall,
}

/// The memory for one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Hall {
    address: u64,
    bytes: u64,
    /// The bytes last copied to its beginning.
    brought: Vec<u8>,
}

impl Hall {
    /// Its address, with at least this many bytes.
    pub(super) fn at_least(&mut self, machine: &mut impl Machine, bytes: u64) -> Result<u64> {
        if self.bytes < bytes {
            // A smaller array stays allocated as long as the machine; this happens once or twice.
            let address = machine.allocate(bytes)?;
            *self = Hall { address, bytes, brought: Vec::new() };
        }
        Ok(self.address)
    }

    /// Copies its first bytes, unless they are there already.
    pub(super) fn bring(&mut self, machine: &mut impl Machine, bytes: Vec<u8>) -> Result<()> {
        if self.brought != bytes {
            self.brought.clear();
            machine.upload(self.address, &bytes)?;
            self.brought = bytes;
        }
        Ok(())
    }
}

/// The public data of individuals on a device, stored once or twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Public {
    pub(crate) points: u64,
    pub(crate) fitness: u64,
    pub(crate) halves: u32,
}

/// The layout of each run's migrants in a [`Hall`], with sections aligned to 16 bytes: their number, their indices or
/// those of the individuals that they are offered to, their fitness, their points.
struct Room {
    migrants: usize,
    counts: u64,
    chosen: u64,
    fitness: u64,
    points: u64,
    end: u64,
}

impl Room {
    /// The layout for `migrants` migrants of each run.
    fn new<R: Float>(job: &Job<R>, migrants: usize) -> Self {
        Room::beside(job, migrants, 0).0
    }

    /// This layout, and one for the indices of `others` more individuals of each run, in the same order but without
    /// fitness and points. So the bytes to write are contiguous, and so are those to read.
    fn beside<R: Float>(job: &Job<R>, migrants: usize, others: usize) -> (Self, Self) {
        let runs = u64::from(job.runs);
        let mut end = 0;
        let mut place = |bytes: u64| {
            let start = end;
            end = (start + bytes).next_multiple_of(16);
            start
        };
        let [all, all_others] = [migrants, others].map(|migrants| runs * migrants as u64);
        let counts = [place(4 * runs), if others > 0 { place(4 * runs) } else { 0 }];
        let chosen = [place(4 * all), place(4 * all_others)];
        let fitness = place(size_of::<Fitness<R>>() as u64 * all);
        let points = place(u64::from(job.stride()) * size_of::<R>() as u64 * all);
        let room = |migrants, which: usize| {
            let (counts, chosen) = (counts[which], chosen[which]);
            Room { migrants, counts, chosen, fitness, points, end }
        };
        (room(migrants, 0), room(others, 1))
    }

    /// Writes the number of migrants of each run.
    fn count(&self, bytes: &mut [u8], counts: &[usize]) {
        for (run, &count) in counts.iter().enumerate() {
            put(bytes, self.counts as usize + 4 * run, &(count as u32).to_le_bytes());
        }
    }

    /// Writes the individuals that a run has chosen.
    fn choose(&self, bytes: &mut [u8], run: usize, chosen: &[u32]) {
        for (k, individual) in chosen.iter().enumerate() {
            let at = self.chosen as usize + 4 * (run * self.migrants + k);
            put(bytes, at, &individual.to_le_bytes());
        }
    }

    /// Reads the individuals that a run has chosen, from bytes that begin at offset `from`.
    fn chosen(&self, bytes: &[u8], from: u64, run: usize, count: usize) -> Vec<u32> {
        let first = (self.chosen - from) as usize + 4 * run * self.migrants;
        let words = bytes[first..first + 4 * count].chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// Reads a run's migrants, from bytes that begin at an offset.
    fn migrants<R: Float>(
        &self,
        job: &Job<R>,
        (bytes, from): (&[u8], u64),
        run: usize,
    ) -> Migrants<R> {
        let (count, stride) = (self.migrants, job.stride() as usize);
        let part = |start: u64, bytes_each: usize| {
            let first = (start - from) as usize + run * count * bytes_each;
            &bytes[first..first + count * bytes_each]
        };
        let row = stride * size_of::<R>();
        let places: Vec<R> = items_of(part(self.points, row)).map(|Number(x)| x).collect();
        let positions = places.chunks_exact(stride).flat_map(|row| &row[..job.dimensions]);
        Migrants {
            fitness: items_of(part(self.fitness, size_of::<Fitness<R>>())).collect(),
            positions: positions.copied().collect(),
        }
    }
}

/// Runs on a device from which individuals leave or to which they come.
pub(crate) struct Islands<'a, R, M> {
    pub(crate) job: &'a Job<R>,
    pub(crate) public: Public,
    pub(crate) runs: &'a RunArrays,
    pub(crate) transit: &'a mut Transit,
    pub(crate) machine: &'a mut M,
}

impl<R: Float, M: Machine> Islands<'_, R, M> {
    /// See [`State::depart`](crate::engine::State::depart).
    pub(crate) fn depart(
        &mut self,
        migration: &Migration,
        immigrants: &[usize],
    ) -> Result<Vec<Departure<R>>> {
        let job = self.job;
        let (runs, count) = (job.runs as usize, migration.emigrants as usize);
        let most = immigrants.iter().copied().max().unwrap_or(0);
        let (leaving, offers) = Room::beside(job, count, most);
        let draws = migration.selection == Selection::Random;
        let finds = migration.replacement == Replacement::Worst && most > 0;
        // Only random choices differ from call to call.
        let mut bytes = vec![0; if draws { leaving.fitness } else { leaving.chosen } as usize];
        leaving.count(&mut bytes, &vec![count; runs]);
        if most > 0 {
            offers.count(&mut bytes, immigrants);
        }
        if draws {
            let draw = |id, at| migration::drawn_emigrants(id, at, job.individuals, count);
            for (run, (id, at)) in self.reached()?.into_iter().enumerate() {
                leaving.choose(&mut bytes, run, &draw(id, at));
            }
        }
        let address = self.transit.leaving.at_least(self.machine, leaving.end)?;
        self.transit.leaving.bring(self.machine, bytes)?;
        if finds {
            self.launch(migration_kernels::OFFER, (&offers, address), (false, 0))?;
        }
        self.launch(migration_kernels::EMIGRATE, (&leaving, address), (draws, 0))?;
        let from = leaving.chosen;
        let mut bytes = vec![0; (leaving.end - from) as usize];
        self.machine.download(address + from, &mut bytes)?;
        let places: Vec<Vec<u32>> = match migration.replacement {
            Replacement::Worst => {
                (0..runs).map(|run| offers.chosen(&bytes, from, run, immigrants[run])).collect()
            }
            Replacement::Random => {
                let of_runs = self.reached()?.into_iter().zip(immigrants);
                let draw =
                    |((id, at), &count)| migration::drawn_places(id, at, job.individuals, count);
                of_runs.map(draw).collect()
            }
            Replacement::First => immigrants.iter().map(|&n| (0..n as u32).collect()).collect(),
        };
        let emigrants = (0..runs).map(|run| leaving.migrants(job, (&bytes, from), run));
        let all = emigrants.zip(places);
        Ok(all.map(|(emigrants, places)| Departure { emigrants, places }).collect())
    }

    /// The identity and the iteration of each run.
    fn reached(&mut self) -> Result<Vec<(RunId, u64)>> {
        let controls: Vec<Control> = self.runs.controls(self.job, self.machine)?;
        let id = |run| self.job.run_id(run);
        Ok((0..).zip(controls).map(|(run, control)| (id(run), control.iterations)).collect())
    }

    /// See [`Job::immigrate`].
    pub(crate) fn immigrate(
        &mut self,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        let job = self.job;
        let counts: Vec<usize> = immigrants.iter().map(Migrants::len).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        let room = Room::new(job, most);
        let mut bytes = vec![0; room.end as usize];
        room.count(&mut bytes, &counts);
        let (size, stride) = (size_of::<R>(), job.stride() as usize);
        for (run, (migrants, places)) in immigrants.iter().zip(places).enumerate() {
            room.choose(&mut bytes, run, &places[..migrants.len()]);
            let first = run * most;
            let at = room.fitness as usize + first * size_of::<Fitness<R>>();
            put(&mut bytes, at, &bytes_of(migrants.fitness.iter().copied()));
            for (k, position) in migrants.positions.chunks_exact(job.dimensions).enumerate() {
                let at = room.points as usize + (first + k) * stride * size;
                put(&mut bytes, at, &bytes_of(position.iter().copied().map(Number)));
            }
        }
        let address = self.transit.arriving.at_least(self.machine, room.end)?;
        self.transit.arriving.bring(self.machine, bytes)?;
        let noticed = self.noticed()?;
        self.launch(migration_kernels::IMMIGRATE, (&room, address), (true, noticed))
    }

    /// The iteration in which a current improvement is noticed; 0 for the current one.
    pub(super) fn noticed(&mut self) -> Result<u64> {
        if let Procedure::Pso(_) = self.job.procedure {
            return Ok(0);
        }
        // Running runs are all at the same iteration.
        let controls = self.runs.landmarks(self.job, self.machine)?;
        let reached = controls.iter().map(|control| control.iterations).max();
        Ok(self.job.procedure.noticed(reached.unwrap_or(0)))
    }

    fn launch(
        &mut self,
        name: &str,
        (room, address): (&Room, u64),
        (drawn, noticed): (bool, u64),
    ) -> Result<()> {
        let args = MigrationArgs::<R> {
            state: self.run_state(noticed),
            counts: Ptr::at(address + room.counts),
            chosen: Ptr::at(address + room.chosen),
            migrant_fitness: Ptr::at(address + room.fitness),
            migrant_points: Ptr::at(address + room.points),
            migrants: room.migrants as u32,
            drawn: u32::from(drawn),
        };
        self.launch_on_runs(name, &Parameter::of(args))
    }

    /// The stored individuals of the runs, for a kernel whose improvements are noticed in this iteration.
    pub(super) fn run_state(&self, noticed: u64) -> RunStateArgs<R> {
        let job = self.job;
        RunStateArgs {
            points: Ptr::at(self.public.points),
            fitness: Ptr::at(self.public.fitness),
            global: Ptr::at(self.runs.global),
            global_positions: Ptr::at(self.runs.global_positions),
            control: Ptr::at(self.runs.control),
            own_runs: self.runs.own(0),
            noticed,
            runs: job.runs,
            individuals: job.individuals,
            stride: job.stride(),
            halves: self.public.halves,
        }
    }

    /// Launches a kernel with one block for each run.
    pub(super) fn launch_on_runs(&mut self, name: &str, parameter: &Parameter) -> Result<()> {
        let kernel = Kernel::new(format!("{name}_{}", R::NAME), None);
        let block = self.job.individuals.min(MIGRATION_BLOCK).next_multiple_of(32);
        let shared = migration_shared_bytes::<R>(block);
        let shape = Shape { grid: self.job.runs, block, shared, cooperative: false, cluster: 0 };
        self.machine.launch(&kernel, shape, parameter)
    }
}

fn put(to: &mut [u8], at: usize, bytes: &[u8]) {
    to[at..at + bytes.len()].copy_from_slice(bytes);
}
