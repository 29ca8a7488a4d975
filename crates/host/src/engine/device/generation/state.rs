//! Reads and writes the state of a method's runs on a device.

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Candidate;
use warpswarm_core::restart::{RestartState, restarts};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{Departure, Migrants, Migration};

use super::super::memory::{Transfer, begin_anew};
use super::{Generations, Way};
use crate::engine::cpu::workers::check_memory;
use crate::engine::plan::Plan;
use crate::engine::{Job, State};
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::settings::choices::Backend;

impl<R: Float, M: Machine, W: Way> State<R> for Generations<R, M, W> {
    fn controls(&mut self) -> Result<Vec<Control>> {
        let controls = self.leg_controls()?;
        Ok(self.of_runs(controls))
    }

    fn landmarks(&mut self) -> Result<Vec<Control>> {
        if let Some(controls) = self.way.controls() {
            return Ok(controls.clone());
        }
        let controls = self.arrays.runs.landmarks(&self.job, &mut self.machine)?;
        Ok(self.of_runs(controls))
    }

    fn evaluations(&mut self) -> Result<Option<Vec<u64>>> {
        if self.anew.is_none() {
            return Ok(None);
        }
        let controls = self.leg_controls()?;
        let of = |(run, control): (usize, &Control)| self.evaluations_of(run, control.iterations);
        Ok(Some(controls.iter().enumerate().map(of).collect()))
    }

    fn restarts(&mut self) -> Result<Vec<u64>> {
        let legs = self.anew.iter().flat_map(|anew| &anew.legs);
        Ok(legs.map(|legs| restarts(legs, None)).collect())
    }

    fn bests(&mut self) -> Result<Vec<Candidate<R>>> {
        // The device memory is still zero, which would count as a best.
        if !self.way.is_placed() {
            return Ok(vec![Candidate::NONE; self.job.runs as usize]);
        }
        let bests = self.arrays.runs.bests(&self.job, &mut self.machine)?;
        Ok(match &self.anew {
            Some(anew) => anew.bests(bests),
            None => bests,
        })
    }

    fn best_positions(&mut self) -> Result<Vec<Vec<R>>> {
        let positions = self.arrays.runs.best_positions(&self.job, &mut self.machine)?;
        let Some(anew) = &self.anew else { return Ok(positions) };
        let bests = self.arrays.runs.bests(&self.job, &mut self.machine)?;
        Ok(anew.positions(&bests, positions))
    }

    fn snapshot(&mut self) -> Result<Vec<Swarm<R>>> {
        if !self.way.is_placed() {
            return Err(Error::NotPlaced);
        }
        check_memory(self.job.bytes()?)?;
        let controls = self.leg_controls()?;
        let bests = self.arrays.runs.bests(&self.job, &mut self.machine)?;
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (own, count) = self.job.procedure.keeps();
        let (own, count, row) = (own as u64, count as u64, n * stride);
        let at = self.arrays;
        let mut swarms = Vec::with_capacity(controls.len());
        for (run, (control, global)) in (0..).zip(controls.into_iter().zip(bests)) {
            let place = u64::from(run);
            let written = 2 * place + (control.iterations & 1);
            let own_row = |this: &mut Self, k| {
                let there = if k < own { row } else { 0 };
                this.machine.fetch_numbers(at.own, (own * place + k) * row, there)
            };
            swarms.push(Swarm {
                id: self.job.run_id(run),
                dimensions: self.job.dimensions() as usize,
                stride: stride as usize,
                positions: own_row(self, 0)?,
                velocities: own_row(self, 1)?,
                best_positions: self.machine.fetch_numbers(at.public, written * row, row)?,
                best: self.machine.fetch(at.fitness, written * n, n)?,
                numbers: self.machine.fetch_numbers(at.numbers, written * n * count, n * count)?,
                memory: at.common.memory(
                    &self.job,
                    &mut self.machine,
                    (run, control.iterations),
                )?,
                archive: at.common.archive(&self.job, &mut self.machine, run)?,
                global,
                global_position: self.machine.fetch_numbers(
                    at.runs.global_positions,
                    place * stride,
                    stride,
                )?,
                control,
                legs: RestartState::default(),
                earlier: None,
                parked: None,
            });
        }
        if let Some(anew) = &self.anew {
            swarms.iter_mut().enumerate().for_each(|(run, swarm)| anew.tell(run, swarm));
        }
        for (swarm, apart) in swarms.iter_mut().zip(&self.apart) {
            if let Some(apart) = apart {
                swarm.clone_from(apart);
            }
        }
        Ok(swarms)
    }

    fn restore(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let at = self.arrays;
        begin_anew(&mut self.tag, &mut self.machine, (at.slots, at.slots_bytes))?;
        let swarms = &*self.make_room(swarms);
        let [n, stride] = [self.job.individuals, self.job.stride()].map(u64::from);
        let (own, count) = self.job.procedure.keeps();
        let (own, count, row) = (own as u64, count as u64, n * stride);
        for (place, swarm) in (0..).zip(swarms) {
            let written = 2 * place + (swarm.age() & 1);
            let machine = &mut self.machine;
            machine.store_numbers(at.public, written * row, &swarm.best_positions)?;
            machine.store::<R, _>(at.fitness, written * n, swarm.best.iter().copied())?;
            machine.store_numbers(at.own, own * place * row, &swarm.positions)?;
            machine.store_numbers(at.own, (own * place + 1) * row, &swarm.velocities)?;
            machine.store_numbers(at.numbers, written * n * count, &swarm.numbers)?;
        }
        at.runs.restore(&self.job, &mut self.machine, swarms)?;
        let piece = self.layout.piece(self.job.individuals);
        at.common.restore(&self.job, &mut self.machine, (swarms, piece))?;
        self.take_legs(swarms)?;
        let controls = self.arrays.runs.controls(&self.job, &mut self.machine)?;
        self.way.go_on(controls);
        Ok(())
    }

    fn first_levels(&mut self) -> Result<Vec<R>> {
        self.islands().first_levels()
    }

    fn set_levels(&mut self, _: &Job<R>, levels: &[R]) -> Result<()> {
        self.islands().set_levels(levels)?;
        self.see_controls()
    }

    fn depart(&mut self, migration: &Migration, immigrants: &[usize]) -> Result<Vec<Departure<R>>> {
        if !self.way.is_placed() {
            return Err(Error::NotPlaced);
        }
        self.islands().depart(migration, immigrants)
    }

    fn immigrate(
        &mut self,
        _: &Job<R>,
        immigrants: &[Migrants<R>],
        places: &[Vec<u32>],
    ) -> Result<()> {
        self.islands().immigrate(immigrants, places)?;
        self.see_controls()
    }

    fn backend(&self) -> Backend {
        self.backend
    }

    fn device(&self) -> String {
        self.machine.name()
    }

    fn plan(&self) -> Option<Plan> {
        Some(self.layout.plan())
    }
}
