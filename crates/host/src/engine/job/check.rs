//! Checks that a state belongs to the job's runs.

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, stopped};
use warpswarm_core::restart::RestartState;
use warpswarm_cpu_ref::Swarm;

use super::super::Procedure;
use super::Job;
use crate::error::{Error, Result};
use crate::settings::MAX_ITERATIONS;

impl<R: Float> Job<R> {
    /// Checks that a state belongs to these runs.
    pub(crate) fn check_state(&self, swarms: &[Swarm<R>]) -> Result<()> {
        let check = |what, expected: u64, found: u64| {
            if expected == found {
                return Ok(());
            }
            let [expected, found] = [expected, found].map(|number| number.to_string());
            Err(Error::State { what, expected, found })
        };
        let at_most = |what, most: u64, found: u64| {
            if found <= most {
                return Ok(());
            }
            let expected = format!("at most {most}");
            Err(Error::State { what, expected, found: found.to_string() })
        };
        check("runs", u64::from(self.runs), swarms.len() as u64)?;
        let row = u64::from(self.stride());
        let (own, numbers) = self.procedure.keeps();
        for (run, swarm) in (0..).zip(swarms) {
            if let Procedure::Portfolio(searches) = &self.procedure {
                self.check_searches(run, swarm, searches)?;
                continue;
            }
            let individuals = u64::from(self.individuals_of(swarm));
            let rows = individuals * row;
            check("individuals", individuals, swarm.best.len() as u64)?;
            check("dimensions", u64::from(self.dimensions()), swarm.dimensions as u64)?;
            check("stride", row, swarm.stride as u64)?;
            let own = |row: usize| if row < own { rows } else { 0 };
            check("positions", own(0), swarm.positions.len() as u64)?;
            check("velocities", own(1), swarm.velocities.len() as u64)?;
            check("numbers", individuals * numbers as u64, swarm.numbers.len() as u64)?;
            let memory = self.procedure.memory();
            let numbers = u64::from(memory.unwrap_or(0));
            check("numbers of the memory", numbers, swarm.memory.len() as u64)?;
            let archive = if memory.is_some() { 2 * rows } else { 0 };
            check("coordinates of the archive", archive, swarm.archive.len() as u64)?;
            check("best positions", rows, swarm.best_positions.len() as u64)?;
            check("places of the global best", row, swarm.global_position.len() as u64)?;
            check("seed", self.run_id(run).seed, swarm.id.seed)?;
            check("run number", self.run_id(run).run, swarm.id.run)?;
            let Control { iterations, improved_at, .. } = swarm.control;
            at_most("iterations", MAX_ITERATIONS, iterations)?;
            let RestartState { number, began, is_new, .. } = swarm.legs;
            if !self.restarts {
                check("restarts", 0, number + u64::from(is_new))?;
            }
            at_most("iteration at which it has begun anew", iterations, began)?;
            check("legs before", u64::from(number > 0), u64::from(swarm.earlier.is_some()))?;
            if let Some(earlier) = &swarm.earlier {
                check("places of the earlier best", row, earlier.position.len() as u64)?;
                at_most("earlier improvement at iteration", began, earlier.improved_at)?;
            }
            let noticed = began + self.procedure.noticed(iterations - began);
            at_most("last improvement at iteration", noticed, improved_at)?;
            let last = u64::from(self.individuals) - 1;
            at_most("global best of individual", last, u64::from(swarm.global.index))?;
            self.check_points(run, swarm)?;
        }
        let going = swarms
            .iter()
            .map(|swarm| self.going_on(swarm))
            .filter(|control| control.stopped == stopped::NOT);
        let mut iterations = going.map(|control| control.iterations);
        let first = iterations.next().unwrap_or(0);
        iterations.try_for_each(|other| check("a run at iteration", first, other))
    }

    /// Checks that all points of a state are numbers. The positions of methods are not checked, because they may
    /// contain other data, and an unbounded particle may diverge to infinity.
    fn check_points(&self, run: u32, swarm: &Swarm<R>) -> Result<()> {
        let leader = swarm.global.index as usize;
        let moves = matches!(self.procedure, Procedure::Pso(_) | Procedure::Spso(_));
        let positions = if moves { &swarm.positions[..] } else { &[] };
        let points = [
            ("position", positions, 0),
            ("best position", &swarm.best_positions[..], 0),
            ("global best position", &swarm.global_position[..], leader),
        ];
        for (what, all, first) in points {
            let Some(at) = all.iter().position(|x| x.is_nan()) else { continue };
            let (run, individual) = (self.run_id(run).run, first + at / swarm.stride);
            let place =
                format!("run {run}, individual {individual}, coordinate {}", at % swarm.stride);
            let found = format!("{:?} ({place})", all[at]);
            return Err(Error::State { what, expected: "numbers".into(), found });
        }
        Ok(())
    }
}
