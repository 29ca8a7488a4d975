//! A method on a device with the kernels of its paper, one launch each.

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, MethodTile, stepwise_kernels as kernels, stopped};

use super::super::memory::DataArrays;
use super::super::pso::MAX_LAUNCH;
use super::{Arrays, Generations, Way};
use crate::engine::planner::stepwise::{self as planner, Steps};
use crate::engine::{Engine, Job, Named, demand};
use crate::error::Result;
use crate::machine::{Kernel, Machine, Parameter};
use crate::objective::data::LaidOut;
use crate::objective::target::Target;
use crate::settings::Settings;
use crate::settings::choices::Backend;

/// A method on a device that uses the kernels of its paper.
pub(crate) type Stepwise<R, M> = Generations<R, M, InSteps>;

/// The kernels of an iteration.
pub(crate) struct InSteps {
    steps: Steps,
    kernels: Vec<Kernel>,
    objective: Parameter,
    data: DataArrays,
    /// The iterations of the running runs.
    done: u64,
}

impl Way for InSteps {
    fn go_on(&mut self, controls: Vec<Control>) {
        let going = |control: &&Control| control.stopped == stopped::NOT;
        self.done = controls.iter().find(going).map_or(0, |control| control.iterations);
    }
}

/// The paper's kernels, in order; for an evaluating kernel with the form of its points.
fn named(steps: Steps) -> &'static [(&'static str, Option<&'static str>)] {
    match steps {
        Steps::Fireworks { .. } => &[
            (kernels::AMPLITUDES, None),
            (kernels::EXPLOSIONS, Some("column")),
            (kernels::MUTATION, Some("warp")),
        ],
        Steps::Swarms { .. } => {
            &[(kernels::SLAVES, Some("thread")), (kernels::MASTER, Some("thread"))]
        }
    }
}

impl<R: Float, M: Machine> Stepwise<R, M> {
    /// Plans, allocates, and places the individuals.
    pub(crate) fn new(
        backend: Backend,
        job: Job<R>,
        (method, steps): (Named<R>, Steps),
        (target, data): (Target, &LaidOut<R>),
        settings: &Settings,
        mut machine: M,
    ) -> Result<Self> {
        let kernel = |name: &str, form: Option<&str>| {
            let entry = format!("{}_{}_{name}", method.name, R::NAME);
            match form {
                None => Kernel::new(entry, method.kernels),
                Some(form) => target.kernel::<R>((entry, method.kernels), form, false),
            }
        };
        let kernels: Vec<_> = named(steps).iter().map(|&(name, form)| kernel(name, form)).collect();
        let demand = demand(&job, target.gathers, settings, &machine);
        let layout = planner::plan::<R>(&demand, steps, &mut |block, shared| {
            let most = kernels.iter().map(|kernel| machine.occupancy(kernel, block, shared));
            most.collect::<Result<Vec<_>>>().map(|all| all.into_iter().min().unwrap_or(0))
        })?;
        let placing = kernel(MethodTile::ANY.name, Some("warp"));
        for kernel in kernels.iter().chain([&placing]) {
            machine.load(kernel)?;
        }
        let arrays = Arrays::allocate(&job, &layout, (0, 0), &mut machine)?;
        let data = DataArrays::upload(data, &mut machine)?;
        let way = InSteps { steps, kernels, objective: target.objective, data, done: 0 };
        let mut this = Generations::idle(backend, (job, method), (layout, arrays), machine, way);
        this.launch_all(&[(placing, this.layout.grid.blocks_per_run)], 0, 1)?;
        Ok(this)
    }

    /// Launches kernels, each with its number of blocks per run.
    fn launch_all(&mut self, kernels: &[(Kernel, u32)], iterations: u64, times: u64) -> Result<()> {
        let InSteps { objective, data, .. } = &self.way;
        let (objective, data) = (objective.clone(), *data);
        let behind = |runs, blocks| data.behind::<R>(&objective, runs, blocks);
        let kernels: Vec<_> = kernels.iter().map(|(kernel, blocks)| (kernel, *blocks)).collect();
        self.launch(&kernels, &behind, iterations, times)
    }

    /// Launches one of the paper's kernels with the whole grid.
    fn step(&mut self, number: usize, iterations: u64) -> Result<()> {
        let kernel = self.way.kernels[number].clone();
        self.launch_all(&[(kernel, self.layout.grid.blocks_per_run)], iterations, 1)
    }

    /// Algorithm 1 of GPU-FWA, from any place in its cycle; returns the number of iterations done.
    fn search_or_mutate(&mut self, explosions: u32, most: u64) -> Result<u64> {
        let explosions = u64::from(explosions);
        let step = self.way.done % (explosions + 1);
        if step == explosions {
            self.step(2, 1)?;
            return Ok(1);
        }
        if step == 0 {
            self.step(0, 1)?;
        }
        let now = most.min(explosions - step);
        self.step(1, now)?;
        Ok(now)
    }
}

impl<R: Float, M: Machine> Engine<R> for Stepwise<R, M> {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        match self.way.steps {
            Steps::Fireworks { explosions, .. } => {
                let mut left = iterations;
                while left != 0 {
                    let now = self.search_or_mutate(explosions, left.min(MAX_LAUNCH))?;
                    self.way.done += now;
                    left -= now;
                }
            }
            Steps::Swarms { slaves, .. } => {
                // The master swarm has one block.
                let blocks = [slaves, 1].into_iter();
                let launches: Vec<_> = self.way.kernels.iter().cloned().zip(blocks).collect();
                self.launch_all(&launches, 1, iterations)?;
            }
        }
        Ok(())
    }
}
