//! The epsilon-constrained method: violations below a level count as none, and the level falls to zero.
//!
//! The level starts at the violation of the individual that is better than four fifths of the first individuals. It
//! falls as (1 - t/T)^5 until iteration T, which is 200, or half of the iterations of a run with fewer than 400. It
//! falls in about 30 steps; after each, all stored fitnesses are compared again. If a fifth of the first individuals
//! are feasible, the level is zero from the beginning.
//!
//! One of eight individuals is strict: for it every violation counts, in all iterations
//! ([`is_strict`](warpswarm_core::order::is_strict)). Without strict individuals, a population that has converged to a
//! point within the level does not follow when the level falls, and the run ends infeasible. With them, the level can
//! also fall more slowly, which equations need.
//!
//! The number of runs out of 20 that find the optimum, with `de`, `shade`, `auto` and `pso`: `warpswarm solve FILE
//! --backend cpu --algorithm de --constraints epsilon --runs 20 --evaluations 50000`. G3 to G11 are problems of
//! Michalewicz and Schoenauer; `corner` and `hs71int` are files of the program's tests; the last three have no
//! equations.
//!
//! | problem | T = 100, none strict | T = 200, none strict | T = 200, one of eight | feasible-first |
//! |---|---|---|---|---|
//! | `corner` | 1, 20, 20, 19 | 0, 20, 20, 20 | 20, 20, 20, 20 | 20, 20, 20, 0 |
//! | G3 | 0, 0, 1, 0 | 0, 20, 20, 0 | 0, 19, 14, 0 | 0, 0, 0, 0 |
//! | G5 | 7, 9, 13, 7 | 18, 20, 20, 8 | 19, 19, 19, 5 | 1, 3, 2, 0 |
//! | G11 | 20, 19, 17, 10 | 20, 20, 20, 19 | 20, 20, 20, 16 | 0, 1, 3, 0 |
//! | `hs71int` | 19, 13, 10, 8 | 20, 20, 17, 18 | 20, 20, 19, 15 | 0, 0, 0, 0 |
//! | G6 | 0, 20, 20, 0 | 0, 10, 20, 0 | 20, 20, 20, 0 | 16, 20, 20, 16 |
//! | G8 | 9, 19, 20, 20 | 8, 18, 20, 20 | 20, 20, 20, 20 | 20, 20, 20, 20 |
//! | G10 | 14, 17, 19, 0 | 14, 14, 20, 0 | 20, 20, 18, 0 | 20, 20, 20, 0 |
//!
//! With one strict individual of four, `auto` solves G3 in 1 of 10 runs and `pso` solves G11 in 4 of 10 (7 and 8 with
//! one of eight). With one of eight and T = 400, `de` solves G10 in 8 of 10 runs (10 with T = 200). For `epso` on G11,
//! strict individuals reduce the solved runs from 9 of 20 to 4.
//!
//! **Source.** T. Takahama and S. Sakai, "Constrained optimization by the epsilon constrained differential evolution with
//! gradient-based mutation and feasible elites", IEEE CEC 2006, equations 6 and 7, with theta = 0.2 N and cp = 5.

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::Candidate;
use warpswarm_cpu_ref::Swarm;

use super::{Optimiser, going, reached};
use crate::engine::Deadline;
use crate::error::Result;
use crate::settings::choices::Constraints;
use crate::settings::communicator::Communicator;
use crate::settings::limit::Limit;
use crate::settings::{DEFAULT_ITERATIONS, Settings};

/// The largest number of steps in which a level falls.
const STEPS: u64 = 32;

/// The largest number of iterations until the level is zero.
const LONGEST: u64 = 200;

/// When levels fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelSchedule {
    /// The number of iterations of a step.
    every: u64,
    /// The number of steps until the level is zero.
    steps: u64,
    /// The number of steps that the runs have done; `None` if their first individuals have not been evaluated.
    done: Option<u64>,
}

impl LevelSchedule {
    /// The schedule for these settings; `None` if all violations count from the beginning.
    pub(super) fn new(settings: &Settings, limit: Limit) -> Option<Self> {
        let budget = limit.given().unwrap_or(DEFAULT_ITERATIONS);
        if settings.constraints != Constraints::Epsilon || budget < 2 {
            return None;
        }
        let over = (budget / 2).min(LONGEST);
        let every = over.div_ceil(STEPS);
        Some(LevelSchedule { every, steps: over.div_ceil(every), done: None })
    }

    /// The number of steps up to an iteration.
    fn steps_until(&self, iteration: u64) -> u64 {
        (iteration / self.every).min(self.steps)
    }

    /// The number of iterations from an iteration to the next step, if there is one.
    fn next(&self, iteration: u64) -> Option<u64> {
        (self.steps_until(iteration) < self.steps).then(|| self.every - iteration % self.every)
    }

    /// The factor of a level in a step, counted from 1.
    fn factor(&self, step: u64) -> f64 {
        let left = (self.steps - step) as f64 / (self.steps - step + 1) as f64;
        left * left * left * left * left
    }

    /// The level after some steps.
    fn fallen<R: Float>(&self, level: R, steps: std::ops::Range<u64>) -> R {
        steps.fold(level, |level, step| R::from_f64(level.to_f64() * self.factor(step + 1)))
    }
}

impl<R: Float> Optimiser<R> {
    /// Does this many iterations of every running run, with levels falling in between.
    pub(super) fn advance(
        &mut self,
        iterations: u64,
        others: Option<&dyn Communicator>,
        deadline: &Deadline,
    ) -> Result<()> {
        let mut left = iterations;
        while left > 0 {
            let now = self.until_next_level(left)?;
            self.change(|driver| driver.advance(now, others, deadline))?;
            self.lower_levels()?;
            if deadline.has_come() {
                break;
            }
            left -= now;
        }
        Ok(())
    }

    /// How many of these iterations the runs do before levels fall; all if no run is running.
    fn until_next_level(&mut self, iterations: u64) -> Result<u64> {
        let Some(active_schedule) = self.active_schedule else { return Ok(iterations) };
        let next = going(&self.runs()?.landmarks()?)
            .max()
            .and_then(|reached| active_schedule.next(reached));
        Ok(next.map_or(iterations, |next| next.min(iterations)))
    }

    /// Lowers the levels if a step is due; at iteration 0 it sets them.
    pub(super) fn lower_levels(&mut self) -> Result<()> {
        let Some(active_schedule) =
            self.active_schedule.filter(|_| self.driver.is_placed() && self.is_placed())
        else {
            return Ok(());
        };
        let due = active_schedule.steps_until(reached(&self.runs()?.landmarks()?));
        let levels: Vec<R> = match active_schedule.done {
            Some(done) if done >= due => return Ok(()),
            Some(done) => {
                let fallen = |control: &Control| active_schedule.fallen(control.level(), done..due);
                self.runs()?.controls()?.iter().map(fallen).collect()
            }
            None => {
                let first = self.runs()?.first_levels()?;
                first.into_iter().map(|level| active_schedule.fallen(level, 0..due)).collect()
            }
        };
        if active_schedule.done.is_none() && levels.iter().all(|level| *level == R::ZERO) {
            self.active_schedule = None;
            return Ok(());
        }
        self.apply_levels(&levels)?;
        self.active_schedule = (due < active_schedule.steps)
            .then_some(LevelSchedule { done: Some(due), ..active_schedule });
        Ok(())
    }

    fn apply_levels(&mut self, levels: &[R]) -> Result<()> {
        self.runs()?;
        let done = self.driver.state_mut().set_levels(&self.job, levels);
        self.lost = done.as_ref().err().cloned();
        done
    }

    /// The best of each run and its position under the strict order, in which every violation counts.
    pub(super) fn strict_bests(
        &mut self,
        controls: &[Control],
    ) -> Result<Vec<(Candidate<R>, Vec<R>)>> {
        if controls.iter().all(|control| control.level::<R>() == R::ZERO) {
            let bests = self.runs()?.bests()?;
            return Ok(bests.into_iter().zip(self.runs()?.best_positions()?).collect());
        }
        let mut swarms = self.runs()?.snapshot()?;
        swarms.iter_mut().for_each(|swarm| swarm.set_level(R::ZERO));
        let of = |swarm: &Swarm<R>| {
            let (best, position) = swarm.found();
            (best, position.to_vec())
        };
        Ok(swarms.iter().map(of).collect())
    }

    /// Takes over a restored state: its levels continue to fall. There are none if the settings use none, or if the
    /// level would already be zero.
    pub(super) fn restore_levels(&mut self) -> Result<()> {
        let controls = self.runs()?.controls()?;
        let reached = reached(&controls);
        let has_levels = controls.iter().any(|control| control.level::<R>() > R::ZERO);
        self.active_schedule =
            self.schedule.filter(|schedule| has_levels && schedule.next(reached).is_some());
        match &mut self.active_schedule {
            Some(active_schedule) => {
                active_schedule.done = Some(active_schedule.steps_until(reached))
            }
            None if has_levels => {
                let levels = vec![R::ZERO; controls.len()];
                self.apply_levels(&levels)?;
            }
            None => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Stop;

    fn active_schedule(iterations: u64) -> Option<LevelSchedule> {
        let settings = Settings {
            constraints: Constraints::Epsilon,
            stop: Stop::iterations(iterations),
            ..Settings::default()
        };
        LevelSchedule::new(
            &settings,
            Limit::new(&settings.stop, |iterations| Some(8 * (iterations + 1))),
        )
    }

    #[test]
    fn levels_fall_as_the_paper_says() {
        let of = active_schedule(1000).unwrap();
        assert_eq!((of.every, of.steps), (7, 29));
        for step in 1..29_u32 {
            let expected = 2.5 * (1.0 - f64::from(step) / 29.0).powi(5);
            let level = of.fallen(2.5_f64, 0..u64::from(step));
            assert!((level / expected - 1.0).abs() < 1e-13, "{level}, not {expected}");
        }
        assert_eq!(of.fallen(2.5_f64, 0..29), 0.0);
        // Two parts give the same result as one.
        assert_eq!(of.fallen(of.fallen(2.5_f32, 0..7), 7..20), of.fallen(2.5_f32, 0..20));
    }

    #[test]
    fn half_of_the_iterations_is_enough() {
        for budget in 2..500 {
            let of = active_schedule(budget).unwrap();
            let end = of.every * of.steps;
            assert!(end >= (budget / 2).min(LONGEST) && end < budget, "{budget}: {of:?}");
            let (mut at, mut steps) = (0, 0);
            while let Some(next) = of.next(at) {
                (at, steps) = (at + next, steps + 1);
                assert_eq!(of.steps_until(at), steps);
            }
            assert_eq!((at, steps), (end, of.steps));
        }
        assert_eq!([active_schedule(0), active_schedule(1)], [None, None]);
    }
}
