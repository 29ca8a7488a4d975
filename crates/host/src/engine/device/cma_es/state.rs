//! Reads and writes the state of CMA-ES runs on a device.

use warpswarm_core::Float;
use warpswarm_core::cma_es::Strategy;
use warpswarm_core::launch::{DistributionLayout, Turns, head, stopped};
use warpswarm_core::restart::regime;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::parked::Parked;

use super::super::memory::Transfer;
use super::{CmaEs, numbers};
use crate::engine::State;
use crate::engine::cpu::workers::check_memory;
use crate::error::Result;
use crate::machine::Machine;

impl<R: Float, M: Machine> CmaEs<R, M> {
    /// The whole state.
    pub(super) fn fetch(&mut self) -> Result<Vec<Swarm<R>>> {
        check_memory(self.job.bytes()?)?;
        let (controls, bests, legs) = (self.controls()?, self.bests()?, self.legs()?);
        let (n, stride) = (self.job.dimensions(), u64::from(self.job.stride()));
        let (room, numbers) = (u64::from(self.samples.room), u64::from(numbers(&self.job)));
        let (at, samples) = (self.arrays, self.samples);
        let others = self.legs_of_others()?;
        let turns: Vec<Turns> = match &self.partner {
            None => vec![Turns::default(); controls.len()],
            Some(partner) => self.machine.fetch::<R, _>(partner.turns, 0, controls.len() as u64)?,
        };
        let mut swarms = Vec::with_capacity(controls.len());
        let all = controls.into_iter().zip(bests).zip(legs).zip(turns);
        for (run, (((control, global), legs), turns)) in (0..).zip(all) {
            let machine = &mut self.machine;
            let place = u64::from(run);
            let mut memory =
                machine.fetch_numbers::<R>(at.distribution, place * numbers, numbers)?;
            // The numbers of the last generation, even if a new leg follows.
            let count = memory[head::SAMPLES].to_f64() as u32;
            let remembered = Strategy::<R>::new(n, count, self.restart_policy.active).remembered();
            memory.truncate(DistributionLayout::new(n, remembered).len as usize);
            let count = u64::from(count);
            let mut own = Parked {
                age: turns.age,
                best_positions: machine.fetch_numbers(
                    samples.points,
                    place * room * stride,
                    count * stride,
                )?,
                best: machine.fetch(samples.fitness, place * room, count)?,
                numbers: Vec::new(),
                memory,
                archive: Vec::new(),
                legs,
            };
            let mut parked = None;
            if let (Some(partner), Some(&legs)) = (&self.partner, others.get(run as usize)) {
                let is_active = turns.active == 1;
                let age = if is_active { control.iterations - legs.began } else { turns.age };
                let mut other = partner.fetch(machine, run, (legs, age))?;
                if is_active {
                    std::mem::swap(&mut own, &mut other);
                }
                parked = Some(Box::new(other));
            }
            let Parked { best_positions, best, numbers, memory, archive, legs, .. } = own;
            swarms.push(Swarm {
                id: self.job.run_id(run),
                dimensions: n as usize,
                stride: stride as usize,
                positions: Vec::new(),
                velocities: Vec::new(),
                best_positions,
                best,
                numbers,
                memory,
                archive,
                global,
                global_position: machine.fetch_numbers(
                    at.runs.global_positions,
                    place * stride,
                    stride,
                )?,
                control,
                legs,
                earlier: None,
                parked,
            });
        }
        Ok(swarms)
    }

    /// Writes states; there must be room for them.
    pub(super) fn bring(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let (room, numbers) = (u64::from(self.samples.room), u64::from(numbers(&self.job)));
        let (at, samples) = (self.arrays, self.samples);
        let row = room * u64::from(self.job.stride());
        let (mut legs, mut others, mut turns) = (Vec::new(), Vec::new(), Vec::new());
        for (run, swarm) in (0..).zip(swarms) {
            let machine = &mut self.machine;
            let own = part_of(swarm);
            let (part, other) = match swarm.parked.as_deref() {
                Some(parked) if swarm.legs.regime == regime::SHADE => (parked.clone(), Some(own)),
                parked => (own, parked.cloned()),
            };
            machine.store_numbers(samples.points, run * row, &part.best_positions)?;
            machine.store::<R, _>(samples.fitness, run * room, part.best.iter().copied())?;
            machine.store_numbers(at.distribution, run * numbers, &part.memory)?;
            legs.push(part.legs);
            let active = u32::from(swarm.legs.regime == regime::SHADE);
            let age = swarm.parked.as_ref().map_or(0, |parked| parked.age);
            turns.push(Turns { age, active, reserved: 0 });
            others.extend(other);
        }
        self.machine.store::<R, _>(at.legs, 0, legs.into_iter())?;
        if let Some(partner) = &self.partner {
            partner.bring(&mut self.machine, others, turns.into_iter())?;
        }
        at.runs.restore(&self.job, &mut self.machine, swarms)?;
        let going = swarms.iter().map(|swarm| self.job.going_on(swarm));
        let going = going.filter(|control| control.stopped == stopped::NOT);
        self.done = going.map(|control| control.iterations).max().unwrap_or(0);
        Ok(())
    }
}

/// The search whose turn it is.
fn part_of<R: Float>(swarm: &Swarm<R>) -> Parked<R> {
    Parked {
        age: swarm.age(),
        best_positions: swarm.best_positions.clone(),
        best: swarm.best.clone(),
        numbers: swarm.numbers.clone(),
        memory: swarm.memory.clone(),
        archive: swarm.archive.clone(),
        legs: swarm.legs,
    }
}

/// The number of CMA-ES samples in a state.
pub(super) fn samples_of<R: Float>(swarm: &Swarm<R>) -> u32 {
    let best = match &swarm.parked {
        Some(parked) if swarm.legs.regime == regime::SHADE => &parked.best,
        _ => &swarm.best,
    };
    best.len() as u32
}
