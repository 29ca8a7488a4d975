//! Falling violation levels: on whole states, and on a device, where a kernel compares the stored fitnesses again.

use warpswarm_core::Float;
use warpswarm_core::launch::{EpsilonLevelArgs, Ptr, SET_LEVELS};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::swarm::first_level;

use super::encode::{Number, bytes_of};
use super::memory::Transfer;
use super::migration::Islands;
use crate::engine::Job;
use crate::error::Result;
use crate::machine::{Machine, Parameter};

/// The number of fitnesses that are copied at once.
const AT_ONCE: u64 = 1 << 20;

impl<R: Float> Job<R> {
    /// Applies the levels, `[run]`, to the stored fitnesses of all running runs; some runs may stop now.
    pub(in crate::engine) fn set_levels(&self, swarms: &mut [Swarm<R>], levels: &[R]) {
        for (swarm, level) in swarms.iter_mut().zip(levels) {
            if !swarm.has_stopped() {
                swarm.set_level(*level);
                swarm.control = self.going_on(swarm);
            }
        }
    }
}

impl<R: Float, M: Machine> Islands<'_, R, M> {
    /// See [`State::first_levels`](crate::engine::State::first_levels).
    pub(super) fn first_levels(&mut self) -> Result<Vec<R>> {
        let n = u64::from(self.job.individuals);
        let each = u64::from(self.public.halves) * n;
        let mut levels = Vec::with_capacity(self.job.runs as usize);
        let (mut first, runs) = (0, u64::from(self.job.runs));
        while first < runs {
            let count = (AT_ONCE / each).clamp(1, runs - first);
            let kept: Vec<Fitness<R>> =
                self.machine.fetch(self.public.fitness, first * each, count * each)?;
            // The first half is that of iteration 0.
            levels.extend(
                kept.chunks_exact(each as usize).map(|run| first_level(&run[..n as usize])),
            );
            first += count;
        }
        Ok(levels)
    }

    /// See [`Job::set_levels`].
    pub(super) fn set_levels(&mut self, levels: &[R]) -> Result<()> {
        let bytes = bytes_of(levels.iter().copied().map(Number));
        let address = self.transit.arriving.at_least(self.machine, bytes.len() as u64)?;
        self.transit.arriving.bring(self.machine, bytes)?;
        let noticed = self.noticed()?;
        let args =
            EpsilonLevelArgs::<R> { state: self.run_state(noticed), levels: Ptr::at(address) };
        self.launch_on_runs(SET_LEVELS, &Parameter::of(args))
    }
}
