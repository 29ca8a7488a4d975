//! Swarms whose particles several devices share.
//!
//! Each device has some of the particles of every run, and moves them as if they were all, one iteration after the
//! other. After each iteration it sends its record to the others: the controls of the runs, their bests and the bests'
//! positions. From all records each device computes the same combined record
//! ([`pso_kernels::JOIN`](warpswarm_core::launch::pso_kernels::JOIN)) and continues with it. The host enqueues
//! everything ahead, and devices wait for each other, not for the host.
//!
//! The devices may belong to several ranks. Then records are also exchanged between ranks: directly by the devices if
//! possible, otherwise through the hosts, which wait for the devices after every iteration.

use std::ops::Range;

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Candidate;
use warpswarm_cpu_ref::Swarm;

use super::pso::Device;
use super::several::{in_words, on_threads};
use crate::engine::plan::Plan;
use crate::engine::{Engine, State};
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::settings::choices::Backend;
use crate::settings::communicator::Communicator;
use crate::settings::peers::Exchange;

/// Swarms that are split among devices.
pub(in crate::engine) struct Split<R: Float, M: Machine> {
    /// In the order of their particles.
    parts: Vec<Device<R, M>>,
    /// The number of its first device among the devices of all ranks.
    first: u32,
    /// The number of all these devices.
    peers: u32,
    /// How records are sent to other ranks.
    telling: Telling,
    /// The half that contains the devices' current records.
    half: u32,
}

/// How records are sent to other ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Telling {
    /// There are no other ranks.
    Nobody,
    /// By the hosts.
    Hosts,
    /// By the devices.
    Devices,
}

/// The particles of each device: in proportion to its multiprocessors.
pub(in crate::engine) fn shares(individuals: u32, multiprocessors: &[u32]) -> Vec<Range<u32>> {
    let all: u64 = multiprocessors.iter().copied().map(u64::from).sum();
    let edge = |before: u64| (u64::from(individuals) * before / all) as u32;
    let mut before = 0;
    let share = |&count: &u32| {
        let start = edge(before);
        before += u64::from(count);
        start..edge(before)
    };
    multiprocessors.iter().map(share).collect()
}

impl<R: Float, M: Machine> Split<R, M> {
    /// Places the particles of `devices` devices, created by `make`: those from number `first` on of `peers` devices.
    pub(in crate::engine) fn new(
        devices: usize,
        (first, peers): (u32, u32),
        make: &(dyn Fn(usize) -> Result<Device<R, M>> + Sync),
    ) -> Result<Self> {
        let parts = on_threads(devices, make)?;
        let telling = if parts.len() == peers as usize { Telling::Nobody } else { Telling::Hosts };
        let mut split = Split { parts, first, peers, telling, half: 0 };
        if telling == Telling::Nobody {
            split.join(None)?;
        }
        Ok(split)
    }

    /// Does this many iterations.
    fn iterate(&mut self, iterations: u64, others: Option<&dyn Communicator>) -> Result<()> {
        for _ in 0..iterations {
            self.parts.iter_mut().try_for_each(|part| part.advance(1))?;
            self.join(others)?;
        }
        Ok(())
    }

    /// Completes an iteration: all devices exchange their records, and continue with the best of them.
    fn join(&mut self, others: Option<&dyn Communicator>) -> Result<()> {
        let half = self.half;
        self.for_each_pair(|rank, part, other| {
            let (from, bytes) = part.record(half, rank);
            let (to, _) = other.record(half, rank);
            part.machine.copy_to(from, &other.machine, to, bytes)
        })?;
        self.parts.iter_mut().try_for_each(|part| part.machine.mark())?;
        self.for_each_pair(|_, part, other| part.machine.follow(&other.machine))?;
        match (self.telling, others) {
            (Telling::Nobody, _) => {}
            (Telling::Devices, _) => {
                let part = self.first();
                let (records, bytes) = part.record(half, 0);
                part.machine.all_gather(records, bytes)?;
            }
            (Telling::Hosts, Some(others)) => self.tell(others)?,
            (Telling::Hosts, None) => return Err(elsewhere()),
        }
        self.parts.iter_mut().try_for_each(|part| part.join(half))?;
        self.half = 1 - half;
        Ok(())
    }

    /// Exchanges records with other ranks, through the host.
    fn tell(&mut self, others: &dyn Communicator) -> Result<()> {
        let half = self.half;
        let mut own = Vec::new();
        for (part, number) in self.parts.iter_mut().zip(self.first..) {
            let (record, bytes) = part.record(half, number);
            let start = own.len();
            own.resize(start + bytes as usize, 0);
            part.machine.download(record, &mut own[start..])?;
        }
        let all = others.all_gather(&own)?.concat();
        let (_, bytes) = self.parts[0].record(half, 0);
        if all.len() as u64 != u64::from(self.peers) * bytes {
            let message = "ranks have other devices than they have said".into();
            return Err(Error::Ranks { message, input: false });
        }
        let start = u64::from(self.first) * bytes;
        let end = start + own.len() as u64;
        for part in &mut self.parts {
            let (records, _) = part.record(half, 0);
            for (at, theirs) in [(0, &all[..start as usize]), (end, &all[end as usize..])] {
                if !theirs.is_empty() {
                    part.machine.upload(records + at, theirs)?;
                }
            }
        }
        Ok(())
    }

    /// Does `work` with each pair of a part and another one, with the first one's number.
    fn for_each_pair(
        &mut self,
        mut work: impl FnMut(u32, &mut Device<R, M>, &Device<R, M>) -> Result<()>,
    ) -> Result<()> {
        let count = self.parts.len();
        for rank in 0..count {
            for other in (0..count).filter(|&other| other != rank) {
                if let Ok([part, other]) = self.parts.get_disjoint_mut([rank, other]) {
                    work(self.first + rank as u32, part, other)?;
                }
            }
        }
        Ok(())
    }

    /// The first device, which represents all: they have the same combined record.
    fn first(&mut self) -> &mut Device<R, M> {
        &mut self.parts[0]
    }
}

impl<R: Float, M: Machine> Drop for Split<R, M> {
    fn drop(&mut self) {
        // Devices write into each other's memory. A lost device writes nothing any more.
        self.parts.iter_mut().for_each(|part| drop(part.machine.finish()));
    }
}

impl<R: Float, M: Machine> Engine<R> for Split<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        match self.telling {
            Telling::Nobody => self.iterate(iterations, None),
            _ => Err(elsewhere()),
        }
    }

    fn meet(&mut self, others: &dyn Communicator, exchange: Exchange) -> Result<bool> {
        if self.telling == Telling::Nobody {
            return Ok(false);
        }
        // Each rank has at least one device, so now each has exactly one.
        if exchange == Exchange::Fastest
            && self.peers == others.size()
            && self.first().machine.connect(others)?
        {
            self.telling = Telling::Devices;
        }
        self.join(Some(others))?;
        Ok(self.telling == Telling::Devices)
    }

    fn advance_with(&mut self, others: &dyn Communicator, iterations: u64) -> Result<()> {
        self.iterate(iterations, Some(others))
    }
}

/// The error if a state is requested that no single rank has.
fn elsewhere() -> Error {
    let message =
        "other ranks have particles of these swarms; allowed: to run them together with those";
    Error::Ranks { message: message.into(), input: true }
}

impl<R: Float, M: Machine> State<R> for Split<R, M> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        // Each device has counted the non-finite evaluations of its own particles.
        let mut controls = self.first().controls()?;
        for part in &mut self.parts[1..] {
            for (all, own) in controls.iter_mut().zip(part.controls()?) {
                all.not_finite += own.not_finite;
            }
        }
        // Other ranks have sent their counts.
        let own = self.first..self.first + self.parts.len() as u32;
        let shown = 1 - self.half;
        for number in (0..self.peers).filter(|number| !own.contains(number)) {
            for (all, theirs) in controls.iter_mut().zip(self.first().controls_of(shown, number)?) {
                all.not_finite += theirs.not_finite;
            }
        }
        Ok(controls)
    }

    fn landmarks(&mut self) -> Result<Vec<Control>> {
        self.first().landmarks()
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        self.first().bests()
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        self.first().best_positions()
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        if self.telling != Telling::Nobody {
            return Err(elsewhere());
        }
        let mut swarms = self.first().snapshot()?;
        for part in &mut self.parts[1..] {
            for (all, own) in swarms.iter_mut().zip(part.snapshot()?) {
                all.positions.extend(own.positions);
                all.velocities.extend(own.velocities);
                all.best_positions.extend(own.best_positions);
                all.best.extend(own.best);
                all.control.not_finite += own.control.not_finite;
            }
        }
        Ok(swarms)
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        if self.telling != Telling::Nobody {
            return Err(elsewhere());
        }
        for part in &mut self.parts {
            let own = part.particles();
            let rows = |all: &[R], stride: usize| {
                all[own.start as usize * stride..own.end as usize * stride].to_vec()
            };
            let share = |swarm: &Swarm<R>| {
                let mut share = Swarm {
                    positions: rows(&swarm.positions, swarm.stride),
                    velocities: rows(&swarm.velocities, swarm.stride),
                    best_positions: rows(&swarm.best_positions, swarm.stride),
                    best: swarm.best[own.start as usize..own.end as usize].to_vec(),
                    global_position: swarm.global_position.clone(),
                    numbers: Vec::new(),
                    memory: Vec::new(),
                    archive: Vec::new(),
                    earlier: None,
                    parked: None,
                    ..*swarm
                };
                if own.start > 0 {
                    share.control.not_finite = 0;
                }
                share
            };
            part.restore(&swarms.iter().map(share).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn backend(&self) -> Backend {
        self.parts[0].backend()
    }

    fn device(&self) -> String {
        let names: Vec<_> = self.parts.iter().map(|part| part.device()).collect();
        in_words(&names)
    }

    fn plan(&self) -> Option<Plan> {
        self.parts[0].plan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_is_shared_out_once() {
        assert_eq!(shares(10, &[1, 1]), [0..5, 5..10]);
        assert_eq!(shares(10, &[132, 132, 66]), [0..4, 4..8, 8..10]);
        assert_eq!(shares(u32::MAX / 2, &[8; 3]).last().map(|last| last.end), Some(u32::MAX / 2));
    }
}
