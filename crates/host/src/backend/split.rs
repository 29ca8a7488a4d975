//! Swarms whose particles several devices share.
//!
//! Each device has some of the particles of every run, and moves them as if they were all, in one iteration after the
//! other. After each it shows the others its record: where the runs are, their bests and the bests' positions. From
//! all records each makes the same one ([`pso_kernels::JOIN`](warpswarm_core::launch::pso_kernels::JOIN)) and goes on with
//! that. The host enqueues all of it ahead, and devices wait for each other, not for the host.

use std::ops::Range;

use warpswarm_core::Real;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Candidate;
use warpswarm_cpu_ref::Swarm;

use super::device::Device;
use super::machine::Machine;
use super::several::{in_words, on_threads};
use super::{Engine, State};
use crate::choices::Backend;
use crate::error::Result;
use crate::report::Plan;

/// Swarms that are split.
pub(super) struct Split<R: Real, M: Machine> {
    /// In the order of their particles.
    parts: Vec<Device<R, M>>,
    /// The half of the records in which the devices' own now are.
    half: u32,
}

/// The particles that each of some devices has: as many a device as it has multiprocessors of all.
pub(super) fn shares(individuals: u32, multiprocessors: &[u32]) -> Vec<Range<u32>> {
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

impl<R: Real, M: Machine> Split<R, M> {
    /// Places the particles of as many devices as `make` makes one for.
    pub(super) fn new(
        devices: usize,
        make: &(dyn Fn(usize) -> Result<Device<R, M>> + Sync),
    ) -> Result<Self> {
        let mut split = Split { parts: on_threads(devices, make)?, half: 0 };
        split.meet()?;
        Ok(split)
    }

    /// Ends an iteration: everybody shows everybody what it has found, and goes on with the best of it.
    fn meet(&mut self) -> Result<()> {
        let half = self.half;
        self.for_each_pair(|rank, part, other| {
            let (from, bytes) = part.record(half, rank);
            let (to, _) = other.record(half, rank);
            part.machine.copy_to(from, &other.machine, to, bytes)
        })?;
        self.parts.iter_mut().try_for_each(|part| part.machine.mark())?;
        self.for_each_pair(|_, part, other| part.machine.follow(&other.machine))?;
        self.parts.iter_mut().try_for_each(|part| part.join(half))?;
        self.half = 1 - half;
        Ok(())
    }

    /// Does something with each part and each other one; it is told the first one's rank.
    fn for_each_pair(
        &mut self,
        mut work: impl FnMut(u32, &mut Device<R, M>, &Device<R, M>) -> Result<()>,
    ) -> Result<()> {
        let count = self.parts.len();
        for rank in 0..count {
            for other in (0..count).filter(|&other| other != rank) {
                if let Ok([part, other]) = self.parts.get_disjoint_mut([rank, other]) {
                    work(rank as u32, part, other)?;
                }
            }
        }
        Ok(())
    }

    /// The first device: what it says of the runs, all say.
    fn first(&mut self) -> &mut Device<R, M> {
        &mut self.parts[0]
    }
}

impl<R: Real, M: Machine> Drop for Split<R, M> {
    fn drop(&mut self) {
        // Devices write into each other's memory. A device that is lost writes nothing any more.
        self.parts.iter_mut().for_each(|part| drop(part.machine.finish()));
    }
}

impl<R: Real, M: Machine> Engine<R> for Split<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.parts.iter_mut().try_for_each(|part| part.advance(1))?;
            self.meet()?;
        }
        Ok(())
    }
}

impl<R: Real, M: Machine> State<R> for Split<R, M> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        // Each has counted what was not finite of its own.
        let mut controls = self.first().controls()?;
        for part in &mut self.parts[1..] {
            for (all, own) in controls.iter_mut().zip(part.controls()?) {
                all.not_finite += own.not_finite;
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
