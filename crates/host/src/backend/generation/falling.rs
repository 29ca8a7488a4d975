//! A method on a device whose populations fall, as [`falling`] has it on the CPU.
//!
//! That happens between launches, on the host: seldom enough, and the arrays of a smaller population are simply laid out anew.

use std::borrow::Cow;

use warpswarm_core::Float;
use warpswarm_core::launch::stopped;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::falling;

use super::super::State;
use super::super::machine::Machine;
use super::{Generations, Way};
use crate::error::Result;

impl<R: Float, M: Machine, W: Way> Generations<R, M, W> {
    /// Has those individuals leave that are not in the next iteration; how many iterations may follow then, before others leave.
    pub(super) fn fall(&mut self) -> Result<u64> {
        let Some(falls) = self.named.falls.clone() else { return Ok(u64::MAX) };
        let controls = self.leg_controls()?;
        let mut going = controls.iter().filter(|control| control.stopped == stopped::NOT);
        let Some(control) = going.next() else { return Ok(u64::MAX) };
        let iterations = control.iterations;
        if falls.individuals(iterations + 1) < self.job.individuals {
            let mut swarms = self.snapshot()?;
            let going = swarms.iter_mut().filter(|swarm| !swarm.has_stopped());
            going.for_each(|swarm| falling::fall_due(swarm, &falls));
            self.restore(&swarms)?;
        }
        Ok(falls.until_next(iterations))
    }

    /// Makes room for states, and has those of runs that have stopped have as many individuals as the others: what the device is to
    /// take. As they are, they stay here.
    pub(super) fn make_room<'a>(&mut self, swarms: &'a [Swarm<R>]) -> Cow<'a, [Swarm<R>]> {
        if self.named.falls.is_none() {
            return Cow::Borrowed(swarms);
        }
        let goes_on = |swarm: &&Swarm<R>| self.job.going_on(swarm).stopped == stopped::NOT;
        let going = swarms.iter().find(goes_on).or(swarms.first());
        let individuals = going.map_or(0, Swarm::individuals);
        self.job.individuals = individuals as u32;
        self.layout = self.layout.of_fewer(self.job.individuals);
        let other = |swarm: &Swarm<R>| {
            (swarm.individuals() != individuals).then(|| Box::new(swarm.clone()))
        };
        self.apart = swarms.iter().map(other).collect();
        if self.apart.iter().all(Option::is_none) {
            return Cow::Borrowed(swarms);
        }
        let of_that_size = |swarm: &Swarm<R>| {
            let mut swarm = swarm.clone();
            falling::fall(&mut swarm, individuals);
            falling::fill(&mut swarm, individuals);
            swarm
        };
        swarms.iter().map(of_that_size).collect()
    }
}
