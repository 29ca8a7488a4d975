//! A method on a device whose runs restart when they have converged, as in [`restarts`](warpswarm_cpu_ref::restarts) on
//! the CPU.
//!
//! Kernels treat a leg as if it were the run: the counts and the best on the device are the leg's. This module combines
//! the legs.

use warpswarm_core::Float;
use warpswarm_core::launch::{CHECK_CONVERGENCE, Control, ConvergenceArgs, OwnRun, Ptr, stopped};
use warpswarm_core::order::Candidate;
use warpswarm_core::restart::{self, METHOD_CHECK_INTERVAL, RestartState};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::restarts::{Earlier, affordable, after_next};

use super::super::memory::Transfer;
use super::super::migration::Islands;
use super::{Generations, Whole};
use crate::engine::Job;
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter};

/// The legs of the runs.
#[derive(Clone, Debug)]
pub(super) struct Anew<R> {
    /// `[run]`
    pub(super) legs: Vec<RestartState>,
    /// The results of the previous legs, `[run]`.
    pub(super) earlier: Vec<Option<Box<Earlier<R>>>>,
    /// The device address of the flags of converged populations.
    converged: u64,
}

/// The control of a run, from that of its leg.
fn of_run(control: Control, legs: &RestartState) -> Control {
    let Control { iterations, improved_at, .. } = control;
    let began = legs.began;
    Control { iterations: began + iterations, improved_at: began + improved_at, ..control }
}

/// The control of a leg, from that of its run.
fn of_leg(control: Control, legs: &RestartState) -> Control {
    let Control { iterations, improved_at, .. } = control;
    let of = |at: u64| at.saturating_sub(legs.began);
    Control { iterations: of(iterations), improved_at: of(improved_at), ..control }
}

impl<R: Float> Anew<R> {
    /// Runs in their first legs; `None` if there are no restarts.
    pub(super) fn new(job: &Job<R>, machine: &mut impl Machine) -> Result<Option<Self>> {
        if !job.restarts {
            return Ok(None);
        }
        machine.load(&Kernel::new(format!("{CHECK_CONVERGENCE}_{}", R::NAME), None))?;
        Ok(Some(Anew {
            legs: vec![RestartState::default(); job.runs as usize],
            earlier: vec![None; job.runs as usize],
            converged: machine.allocate(4 * u64::from(job.runs))?,
        }))
    }

    /// The controls of runs, from those of their legs.
    pub(super) fn of_runs(&self, controls: Vec<Control>) -> Vec<Control> {
        controls.into_iter().zip(&self.legs).map(|(control, legs)| of_run(control, legs)).collect()
    }

    /// The result of a run's previous legs, if it is better than the best of the current one.
    fn better(&self, run: usize, best: Candidate<R>) -> Option<&Earlier<R>> {
        self.earlier[run].as_deref().filter(|earlier| earlier.stands(best))
    }

    /// The bests of runs, from those of their legs.
    pub(super) fn bests(&self, bests: Vec<Candidate<R>>) -> Vec<Candidate<R>> {
        let of = |(run, best)| self.better(run, best).map_or(best, |earlier| earlier.best);
        bests.into_iter().enumerate().map(of).collect()
    }

    /// The positions of the runs' bests, from those of their legs.
    pub(super) fn positions(&self, bests: &[Candidate<R>], positions: Vec<Vec<R>>) -> Vec<Vec<R>> {
        let all = positions.into_iter().zip(bests).enumerate();
        all.map(|(run, (position, best))| match self.better(run, *best) {
            Some(earlier) => earlier.position[..position.len()].to_vec(),
            None => position,
        })
        .collect()
    }

    /// Completes the state of a leg to that of its run.
    pub(super) fn tell(&self, run: usize, swarm: &mut Swarm<R>) {
        swarm.control = of_run(swarm.control, &self.legs[run]);
        swarm.legs = self.legs[run];
        swarm.earlier.clone_from(&self.earlier[run]);
    }

    /// Ends a run's leg with this control, best, and number of evaluations.
    fn leave_leg(
        &mut self,
        run: usize,
        (best, position, stride): (Candidate<R>, &[R], u32),
        control: Control,
        evaluations: u64,
    ) {
        let Control { iterations, improved_at, .. } = of_run(control, &self.legs[run]);
        let mut position = position.to_vec();
        position.resize(stride as usize, R::ZERO);
        let leg = Earlier { best, position, improved_at, evaluations };
        self.earlier[run] = Some(Earlier::and(self.earlier[run].take(), leg));
        self.legs[run] = self.legs[run].begun_anew(iterations + 1);
    }

    /// Takes over the legs of a state.
    fn take(&mut self, swarms: &[Swarm<R>]) {
        self.legs = swarms.iter().map(|swarm| swarm.legs).collect();
        self.earlier = swarms.iter().map(|swarm| swarm.earlier.clone()).collect();
    }

    /// The evaluations of a run whose current leg has this many.
    pub(super) fn evaluations(&self, run: usize, of_leg: u64) -> u64 {
        self.earlier[run].as_ref().map_or(0, |earlier| earlier.evaluations).saturating_add(of_leg)
    }
}

impl<R: Float, M: Machine, W: super::Way> Generations<R, M, W> {
    /// Continues from states that are already on the device, except for their legs.
    pub(super) fn take_legs(&mut self, swarms: &[Swarm<R>]) -> Result<()> {
        let Some(anew) = &mut self.anew else { return Ok(()) };
        anew.take(swarms);
        let controls = swarms.iter().map(|swarm| of_leg(self.job.going_on(swarm), &swarm.legs));
        self.machine.store::<R, _>(self.arrays.runs.control, 0, controls)?;
        self.set_legs()
    }

    /// The controls of the legs, as on the device.
    pub(super) fn leg_controls(&mut self) -> Result<Vec<Control>> {
        match self.way.controls() {
            Some(controls) => Ok(controls.clone()),
            None => self.arrays.runs.controls(&self.job, &mut self.machine),
        }
    }

    /// The controls of runs, from those of their legs.
    pub(super) fn of_runs(&self, controls: Vec<Control>) -> Vec<Control> {
        match &self.anew {
            Some(anew) => anew.of_runs(controls),
            None => controls,
        }
    }

    /// The evaluations of a leg of this age.
    fn evaluations_of_leg(&self, age: u64) -> u64 {
        let n = self.job.individuals;
        self.named.method.evaluations(n, age).saturating_add(u64::from(n))
    }

    /// The evaluations of a run's leg of this age, and of all legs before it.
    pub(super) fn evaluations_of(&self, run: usize, age: u64) -> u64 {
        let of_leg = self.evaluations_of_leg(age);
        self.anew.as_ref().map_or(of_leg, |anew| anew.evaluations(run, of_leg))
    }

    /// Sets the random draws of runs to those of their legs.
    fn set_legs(&mut self) -> Result<()> {
        let Some(anew) = &self.anew else { return Ok(()) };
        let own = self.job.own_runs.iter().zip(&anew.legs);
        let own = own.map(|(own, legs)| OwnRun { leg: legs.number, ..*own });
        let address = self.arrays.runs.own::<R>(0).address;
        self.machine.store::<R, _>(address, 0, own)
    }

    /// Writes the controls of the legs.
    fn set_controls(&mut self, controls: &[Control]) -> Result<()> {
        self.machine.store::<R, _>(self.arrays.runs.control, 0, controls.iter().copied())
    }
}

impl<R: Float, M: Machine> Whole<R, M> {
    /// Does this many iterations, with restarts in between.
    pub(super) fn advance_anew(&mut self, iterations: u64) -> Result<()> {
        let mut left = iterations;
        let mut controls = self.leg_controls()?;
        loop {
            self.stop_at_limit(&mut controls)?;
            let Some(anew) = self.anew.as_ref().filter(|_| left > 0) else { return Ok(()) };
            let going = |run: &usize| controls[*run].stopped == stopped::NOT;
            let all: Vec<usize> = (0..controls.len()).filter(going).collect();
            let Some(&first) = all.first() else { return Ok(()) };
            let reached = of_run(controls[first], &anew.legs[first]).iterations;
            let (new, old): (Vec<usize>, _) = all.iter().partition(|run| anew.legs[**run].is_new);
            let now = if new.is_empty() {
                let until_check = METHOD_CHECK_INTERVAL - reached % METHOD_CHECK_INTERVAL;
                let of = |run: &usize| self.affordable(*run, controls[*run].iterations, left);
                let now = old.iter().map(of).min().unwrap_or(left).min(until_check);
                self.advance_legs(now)?;
                now
            } else {
                self.begin_anew(&new, &controls, !old.is_empty())?;
                1
            };
            left -= now;
            controls = self.leg_controls()?;
            if (reached + now).is_multiple_of(METHOD_CHECK_INTERVAL) {
                self.end_converged(&mut controls)?;
            }
        }
    }

    /// The number of iterations, up to `most`, that a run whose leg has this age may do within its limit of
    /// evaluations.
    fn affordable(&self, run: usize, age: u64, most: u64) -> u64 {
        affordable(|age| self.evaluations_of(run, age), age, self.job.evaluations, most)
    }

    /// Stops the runs whose next iteration would exceed the limit of evaluations.
    fn stop_at_limit(&mut self, controls: &mut [Control]) -> Result<()> {
        let mut stops = false;
        for (run, control) in controls.iter_mut().enumerate() {
            let Some(anew) = &self.anew else { continue };
            let (legs, individuals) = (&anew.legs[run], u64::from(self.job.individuals));
            let until = |age| self.evaluations_of(run, age);
            let next = after_next(legs, control.iterations, individuals, until);
            if control.stopped == stopped::NOT && next > self.job.evaluations {
                control.stopped = stopped::EVALUATIONS;
                stops = true;
            }
        }
        if stops { self.set_controls(controls) } else { Ok(()) }
    }

    /// Starts the next leg of some runs. If `others` are running, they do an iteration meanwhile.
    fn begin_anew(&mut self, new: &[usize], controls: &[Control], others: bool) -> Result<()> {
        let bests = self.arrays.runs.bests(&self.job, &mut self.machine)?;
        let positions = self.arrays.runs.best_positions(&self.job, &mut self.machine)?;
        let mut all = controls.to_vec();
        if others {
            new.iter().for_each(|&run| all[run].stopped = stopped::WAITS);
            self.set_controls(&all)?;
            self.advance_legs(1)?;
            all = self.leg_controls()?;
        }
        let stay = new.len() < all.len();
        let mut placed: Vec<Control> =
            all.iter().map(|control| Control { stopped: stopped::WAITS, ..*control }).collect();
        for &run in new {
            let control = controls[run];
            let of_leg = self.evaluations_of_leg(control.iterations);
            let Some(anew) = &mut self.anew else { continue };
            anew.leave_leg(run, (bests[run], &positions[run], self.job.stride()), control, of_leg);
            let Control { not_finite, level_bits, .. } = control;
            placed[run] = Control { not_finite, level_bits, ..Control::default() };
        }
        self.set_controls(&placed)?;
        self.set_legs()?;
        self.place()?;
        if stay {
            placed = self.leg_controls()?;
            let mut is_new = vec![false; all.len()];
            new.iter().for_each(|&run| is_new[run] = true);
            for (run, control) in placed.iter_mut().enumerate().filter(|(run, _)| !is_new[*run]) {
                control.stopped = all[run].stopped;
            }
            self.set_controls(&placed)?;
        }
        Ok(())
    }

    /// Finds the legs that must end.
    fn end_converged(&mut self, controls: &mut [Control]) -> Result<()> {
        let converged = self.anew.as_ref().map_or(0, |anew| anew.converged);
        self.islands().check_convergence(converged)?;
        let mut flags = vec![0; 4 * controls.len()];
        self.machine.download(converged, &mut flags)?;
        let mut stops = false;
        for (run, control) in controls.iter_mut().enumerate() {
            let Some(anew) = &mut self.anew else { continue };
            let Control { iterations, improved_at, stopped, .. } = *control;
            let is_over = restart::has_stalled(iterations, improved_at) || flags[4 * run] != 0;
            if stopped != stopped::NOT || iterations == 0 || !is_over {
                continue;
            }
            anew.legs[run].is_new = true;
            // Some methods notice this only in iterations in which individuals observe others.
            if self.named.method.noticed(iterations) != iterations {
                let best = self.arrays.runs.best::<R>(&mut self.machine, run as u32)?;
                let stop = self.job.own_runs[run].stop;
                if stop.check(best.fitness, 0, 0) == stopped::TARGET {
                    control.stopped = stopped::TARGET;
                    stops = true;
                }
            }
        }
        if stops { self.set_controls(controls) } else { Ok(()) }
    }
}

impl<R: Float, M: Machine> Islands<'_, R, M> {
    /// Writes for each run, at an address, whether its population has converged.
    fn check_convergence(&mut self, converged: u64) -> Result<()> {
        let (lower, upper, bounds_runs) = self.runs.bounds(self.job, (0, self.job.runs));
        let args = ConvergenceArgs::<R> {
            state: self.run_state(0),
            lower,
            upper,
            converged: Ptr::at(converged),
            bounds_runs,
            dimensions: self.job.dimensions(),
        };
        self.launch_on_runs(CHECK_CONVERGENCE, &Parameter::of(args))
    }
}
