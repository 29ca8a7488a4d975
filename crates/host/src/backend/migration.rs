//! Individuals that go from run to run: where the whole state is at hand, and on a device, from which only they are copied.

use warpswarm_core::Real;
use warpswarm_core::launch::{
    Control, MIGRATION_BLOCK, MigrationArgs, Ptr, migration_kernels, migration_shared_bytes,
};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{self, Migrants, Replacement, Selection};

use super::encode::{Number, bytes_of, items_of};
use super::machine::{Kernel, Machine, Parameter, Shape};
use super::memory::RunArrays;
use super::{Job, Procedure};
use crate::error::Result;

impl<R: Real> Job<R> {
    /// Offers each run its immigrants, and sees whether it stops by itself now.
    pub(crate) fn immigrate(
        &self,
        swarms: &mut [Swarm<R>],
        immigrants: &[Migrants<R>],
        replacement: Replacement,
    ) {
        for (swarm, immigrants) in swarms.iter_mut().zip(immigrants) {
            if immigrants.is_empty() || swarm.has_stopped() {
                continue;
            }
            let noticed = self.procedure.noticed(swarm.control.iterations);
            migration::immigrate(swarm, immigrants, replacement, noticed);
            swarm.control = self.going_on(swarm);
        }
    }
}

/// Memory of a device in which migrants go and come; allocated when they first do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transit {
    leaving: Hall,
    arriving: Hall,
}

/// Those of one direction.
#[derive(Clone, Debug, Default)]
struct Hall {
    address: u64,
    bytes: u64,
    /// What was brought there last.
    brought: Vec<u8>,
}

/// What all may look at on a device, once or twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Public {
    pub(crate) points: u64,
    pub(crate) fitness: u64,
    pub(crate) halves: u32,
}

/// How so many migrants of each run lie in [`Transit`]: the first bytes of `counts`, `chosen`, fitness and points, and all
/// bytes.
struct Room {
    migrants: usize,
    starts: [u64; 4],
    bytes: u64,
}

impl Room {
    fn new<R: Real>(job: &Job<R>, migrants: usize) -> Self {
        let (runs, all) = (u64::from(job.runs), u64::from(job.runs) * migrants as u64);
        let row = u64::from(job.stride()) * size_of::<R>() as u64;
        let mut bytes = 0;
        let mut place = |length: u64| {
            let start = bytes;
            bytes = (start + length).next_multiple_of(16);
            start
        };
        let fitness = size_of::<Fitness<R>>() as u64;
        let starts = [place(4 * runs), place(4 * all), place(fitness * all), place(row * all)];
        Room { migrants, starts, bytes }
    }
}

/// Runs of a device, of which some individuals are taken or brought.
pub(crate) struct Islands<'a, R, M> {
    pub(crate) job: &'a Job<R>,
    pub(crate) public: Public,
    pub(crate) runs: &'a RunArrays,
    pub(crate) transit: &'a mut Transit,
    pub(crate) machine: &'a mut M,
}

impl<R: Real, M: Machine> Islands<'_, R, M> {
    /// Copies of so many individuals of each run.
    pub(crate) fn emigrants(
        &mut self,
        count: usize,
        selection: Selection,
    ) -> Result<Vec<Migrants<R>>> {
        let job = self.job;
        let room = Room::new(job, count);
        let drawn = match selection {
            Selection::Best => None,
            Selection::Random => {
                let draw = |run, iteration| {
                    migration::drawn_emigrants(job.run_id(run), iteration, job.individuals, count)
                };
                Some(self.drawn(draw)?)
            }
        };
        let counts = vec![count; job.runs as usize];
        let bytes = header(&room, &counts, drawn.as_deref());
        let address = bring(&mut self.transit.leaving, self.machine, &room, bytes)?;
        self.launch(migration_kernels::EMIGRATE, (&room, address), (drawn.is_some(), 0))?;
        let [.., fitness, points] = room.starts;
        let mut bytes = vec![0; (room.bytes - fitness) as usize];
        self.machine.download(address + fitness, &mut bytes)?;
        let (fitnesses, points) = bytes.split_at((points - fitness) as usize);
        let (stride, dimensions) = (job.stride() as usize, job.dimensions);
        let fitnesses: Vec<Fitness<R>> = items_of(fitnesses).collect();
        let points: Vec<R> = items_of(points).map(|Number(x)| x).collect();
        let of_run = |run: usize| Migrants {
            fitness: fitnesses[run * count..][..count].to_vec(),
            positions: points[run * count * stride..][..count * stride]
                .chunks_exact(stride)
                .flat_map(|row| &row[..dimensions])
                .copied()
                .collect(),
        };
        Ok((0..job.runs as usize).map(of_run).collect())
    }

    /// See [`Job::immigrate`].
    pub(crate) fn immigrate(
        &mut self,
        immigrants: &[Migrants<R>],
        replacement: Replacement,
    ) -> Result<()> {
        let job = self.job;
        let counts: Vec<usize> = immigrants.iter().map(Migrants::len).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        let room = Room::new(job, most);
        let drawn = match replacement {
            Replacement::Worst => None,
            Replacement::Random => {
                let draw = |run: u32, iteration| {
                    let (id, count) = (job.run_id(run), counts[run as usize]);
                    migration::drawn_places(id, iteration, job.individuals, count)
                };
                Some(self.drawn(draw)?)
            }
        };
        let mut bytes = header(&room, &counts, drawn.as_deref());
        let [.., fitness, points] = room.starts;
        bytes.resize(room.bytes as usize, 0);
        let (size, stride) = (size_of::<R>(), job.stride() as usize);
        for (run, migrants) in immigrants.iter().enumerate() {
            let first = run * most;
            let at = fitness as usize + first * size_of::<Fitness<R>>();
            put(&mut bytes, at, &bytes_of(migrants.fitness.iter().copied()));
            for (k, position) in migrants.positions.chunks_exact(job.dimensions).enumerate() {
                let at = points as usize + (first + k) * stride * size;
                put(&mut bytes, at, &bytes_of(position.iter().copied().map(Number)));
            }
        }
        let address = bring(&mut self.transit.arriving, self.machine, &room, bytes)?;
        let noticed = match job.procedure {
            // At once.
            Procedure::Pso(_) => 0,
            _ => {
                // Those that go on are all at the same iteration.
                let controls = self.runs.landmarks(job, self.machine)?;
                let reached = controls.iter().map(|control| control.iterations).max();
                job.procedure.noticed(reached.unwrap_or(0))
            }
        };
        self.launch(migration_kernels::IMMIGRATE, (&room, address), (drawn.is_some(), noticed))
    }

    /// Whom each run draws, by its place and the iteration at which it is.
    fn drawn(&mut self, draw: impl Fn(u32, u64) -> Vec<u32>) -> Result<Vec<Vec<u32>>> {
        let controls: Vec<Control> = self.runs.controls(self.job, self.machine)?;
        Ok((0..).zip(controls).map(|(run, control)| draw(run, control.iterations)).collect())
    }

    fn launch(
        &mut self,
        name: &str,
        (room, address): (&Room, u64),
        (drawn, noticed): (bool, u64),
    ) -> Result<()> {
        let job = self.job;
        let [counts, chosen, fitness, points] = room.starts.map(|start| address + start);
        let args = MigrationArgs::<R> {
            points: Ptr::at(self.public.points),
            fitness: Ptr::at(self.public.fitness),
            global: Ptr::at(self.runs.global),
            global_positions: Ptr::at(self.runs.global_positions),
            control: Ptr::at(self.runs.control),
            own_runs: self.runs.own(0),
            counts: Ptr::at(counts),
            chosen: Ptr::at(chosen),
            migrant_fitness: Ptr::at(fitness),
            migrant_points: Ptr::at(points),
            noticed,
            runs: job.runs,
            individuals: job.individuals,
            stride: job.stride(),
            halves: self.public.halves,
            migrants: room.migrants as u32,
            drawn: u32::from(drawn),
        };
        let kernel = Kernel::new(format!("{name}_{}", R::NAME), None);
        let block = job.individuals.min(MIGRATION_BLOCK).next_multiple_of(32);
        let shared = migration_shared_bytes::<R>(block);
        let shape = Shape { grid: job.runs, block, shared, cooperative: false, cluster: 0 };
        self.machine.launch(&kernel, shape, &Parameter::of(args))
    }
}

/// Brings the first bytes of what migrants need, unless they are there; where that is.
fn bring(hall: &mut Hall, machine: &mut impl Machine, room: &Room, bytes: Vec<u8>) -> Result<u64> {
    if hall.bytes < room.bytes {
        // What is too small stays until the machine goes; that happens once or twice.
        let address = machine.allocate(room.bytes)?;
        *hall = Hall { address, bytes: room.bytes, brought: Vec::new() };
    }
    if hall.brought != bytes {
        hall.brought.clear();
        machine.upload(hall.address, &bytes)?;
        hall.brought = bytes;
    }
    Ok(hall.address)
}

/// How many migrants each run has, and whom they are or are offered to, if that has been drawn, as [`Room`] has them.
fn header(room: &Room, counts: &[usize], drawn: Option<&[Vec<u32>]>) -> Vec<u8> {
    let [_, chosen, end, _] = room.starts;
    let mut bytes = vec![0; if drawn.is_some() { end } else { chosen } as usize];
    for (run, &count) in counts.iter().enumerate() {
        put(&mut bytes, 4 * run, &(count as u32).to_le_bytes());
    }
    for (run, drawn) in drawn.unwrap_or_default().iter().enumerate() {
        let first = chosen as usize + 4 * run * room.migrants;
        for (k, individual) in drawn.iter().enumerate() {
            put(&mut bytes, first + 4 * k, &individual.to_le_bytes());
        }
    }
    bytes
}

fn put(to: &mut [u8], at: usize, bytes: &[u8]) {
    to[at..at + bytes.len()].copy_from_slice(bytes);
}
