//! The host's part where a device moves individuals and the host evaluates them.

use rayon::prelude::*;
use std::time::Instant;

use warpswarm_core::Real;
use warpswarm_core::order::Fitness;

use super::super::cpu::{HostObjective, TASK_SECONDS, Workers, check_memory};
use super::super::encode::{Item, Number, items_of};
use super::super::machine::{Kernel, Machine};
use super::super::{Job, Named};
use crate::error::{Error, Result};
use crate::settings::Settings;

/// The kernels on either side of the host's evaluations, and what it takes to make those.
pub(super) struct Hosted<R> {
    /// Writes the points that are to be evaluated.
    pub(super) ask: Kernel,
    /// Reads their fitness.
    pub(super) tell: Kernel,
    objective: HostObjective<R>,
    workers: Workers,
    /// Where the points are, `[run][individual][attempt][place]`, and the bytes of a run.
    asked: (u64, u64),
    /// Where their fitness is to be, `[run][individual][attempt]`, and the bytes of a run.
    told: (u64, u64),
    /// Attempts of an individual at most.
    attempts: usize,
    /// Copies of both arrays.
    points: Vec<u8>,
    fitness: Vec<u8>,
    /// Points for a task; none before the first have been evaluated.
    grain: Option<usize>,
}

impl<R: Real> Hosted<R> {
    /// Loads the kernels and allocates.
    pub(super) fn new(
        job: &Job<R>,
        named: &Named<R>,
        objective: HostObjective<R>,
        settings: &Settings,
        machine: &mut impl Machine,
    ) -> Result<Self> {
        let kernel = |part| {
            let entry = format!("{}_{}_{part}", named.name, R::NAME);
            Kernel { entry, own: named.kernels, ..Kernel::default() }
        };
        let (ask, tell) = (kernel("ask"), kernel("tell"));
        machine.load(&ask)?;
        machine.load(&tell)?;
        let attempts = named.method.most_attempts();
        let [runs, tried] = [job.runs, attempts].map(u64::from);
        let tried = u64::from(job.individuals) * tried;
        let [row, fitness] = [job.stride() as usize * size_of::<R>(), size_of::<Fitness<R>>()];
        let of_run = |bytes: usize| tried.checked_mul(bytes as u64);
        let all = |bytes| of_run(bytes)?.checked_mul(runs).filter(|&all| all <= isize::MAX as u64);
        let too_large = || Error::TooLarge {
            runs,
            individuals: u64::from(job.individuals),
            dimensions: u64::from(job.dimensions()),
        };
        let points = all(row).ok_or_else(too_large)?;
        let fitnesses = all(fitness).ok_or_else(too_large)?;
        check_memory(points)?;
        Ok(Hosted {
            ask,
            tell,
            objective,
            workers: Workers::new(settings.threads)?,
            asked: (machine.allocate(points)?, points / runs),
            told: (machine.allocate(fitnesses)?, fitnesses / runs),
            attempts: attempts as usize,
            points: vec![0; points as usize],
            fitness: vec![0; fitnesses as usize],
            grain: None,
        })
    }

    /// Where points and their fitness are, each with the bytes of a run.
    pub(super) fn of_run(&self) -> ((u64, u64), (u64, u64)) {
        (self.asked, self.told)
    }

    /// Evaluates the points of the runs that are going on: as many of an individual as it makes attempts.
    pub(super) fn evaluate(
        &mut self,
        job: &Job<R>,
        going: &[bool],
        attempts: &(dyn Fn(u32) -> u32 + Sync),
        machine: &mut impl Machine,
    ) -> Result<()> {
        machine.download(self.asked.0, &mut self.points)?;
        let start = Instant::now();
        let Hosted { objective, points, fitness, .. } = self;
        let (individuals, dimensions) = (job.individuals as usize, job.dimensions() as usize);
        let row = job.stride() as usize * size_of::<R>();
        let most = self.attempts;
        let judge = |x: &mut Vec<R>, (number, (point, fitness)): (usize, (&[u8], &mut [u8]))| {
            let (individual, attempt) = (number / most, number % most);
            let (run, index) = (individual / individuals, (individual % individuals) as u32);
            if going[run] && attempt < attempts(index) as usize {
                x.clear();
                x.extend(items_of::<R, Number<R>>(point).take(dimensions).map(|number| number.0));
                (objective.evaluate)(x).put(fitness);
            }
        };
        let size = size_of::<Fitness<R>>();
        let tried = points.len() / row;
        match &self.workers.pool {
            Some(pool) if self.grain.is_none_or(|grain| grain < tried) => pool.install(|| {
                let points = points.par_chunks_exact(row).zip(fitness.par_chunks_exact_mut(size));
                let tasks = points.enumerate().with_min_len(self.grain.unwrap_or(1));
                tasks.for_each_init(Vec::new, judge);
            }),
            _ => {
                let mut x = Vec::new();
                let points = points.chunks_exact(row).zip(fitness.chunks_exact_mut(size));
                points.enumerate().for_each(|point| judge(&mut x, point));
            }
        }
        self.grain.get_or_insert_with(|| {
            let seconds = start.elapsed().as_secs_f64() * self.workers.threads as f64;
            (TASK_SECONDS * tried as f64 / seconds).ceil() as usize
        });
        machine.upload(self.told.0, &self.fitness)
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::algorithms::GpuFwaParams;
    use crate::backend::machine::emulator::Emulator;
    use crate::backend::machine::failing::Failing;
    use crate::backend::{Evaluator, Wanted, on_device};
    use crate::bounds::Bounds;
    use crate::choices::Backend;

    #[test]
    fn whichever_call_fails_its_error_comes_out_and_the_next_try_works() {
        let settings = Settings { individuals: 9, runs: 2, ..Settings::default() };
        let bounds = Bounds::uniform(3, -1.0, 2.0).unwrap();
        let algorithm = GpuFwaParams::default().into();
        Failing::check(20, |left| {
            let job = Job::new(&bounds, Wanted::new(&algorithm, 9)?.procedure, &settings)?;
            let evaluate = Box::new(|x: &[f32]| Fitness { violation: 0.0, value: x[0] * x[1] });
            let by = Evaluator::Host(HostObjective { evaluate, constrained: false });
            let machine = Failing { device: Emulator::default(), left };
            on_device(Backend::Emulator, job, by, &settings, machine)
        });
    }
}
